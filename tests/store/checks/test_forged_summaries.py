"""A summary in other words than its response has is named, though log, chain and every sum are made anew."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.model.raw_response import compress
from loomapp.core.response_text.rules import is_summary_of, summary_text
from loomapp.formats import evidence_file, loom_json
from loomapp.formats.evidence_file import Contents
from loomapp.store.checks.check import check
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import create_grove, read_grove
from tests.kit.families import one_in
from tests.kit.groves import chat_body, planted, summarised
from tests.kit.trees import Hand
from tests.store.checks.resealing import rewrite_log, run

OTHER = "its text is not the text of its response"
FORGERIES: Mapping[str, tuple[str, str]] = {
    "the text": ("UPDATE context_summaries SET body = replace(body, 'first', 'last')", OTHER),
    "no text": ("""UPDATE context_summaries SET body = '{"title": "x"}'""", OTHER),
    "the response of another": (
        (
            "UPDATE context_summaries SET response_id = "
            "(SELECT response_id FROM responses ORDER BY id DESC LIMIT 1)"
        ),
        OTHER,
    ),
    "no such response": (
        "UPDATE context_summaries SET response_id = 'gone'",
        "the response that it was taken from is not kept",
    ),
    "the response in other words": ("UPDATE responses SET body_gzip = :other", OTHER),
    "a response that is none": (
        "UPDATE responses SET body_gzip = x'00'",
        "the response kept for it cannot be read",
    ),
}


@pytest.fixture
def two(path: Path) -> tuple[Path, str, str]:
    """A grove with two summaries by a model, and where they end."""
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        grove.commit(tree, summarised(tree, ids[0], hand, "The first."))
        grove.commit(tree, summarised(tree, ids[1], hand, "The second."))
    assert check(path).problems == ()
    return path, ids[0], ids[1]


@pytest.mark.parametrize("name", one_in(3, FORGERIES))
def test_a_forged_summary_is_named_with_every_sum_made_to_fit(two: tuple[Path, str, str], name: str) -> None:
    path, first, _ = two
    sql, reason = FORGERIES[name]
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        other = {"other": compress(chat_body("Something else."))} if ":other" in sql else {}
        assert database.execute(sql, other).rowcount
    rewrite_log(path, links=True)

    with read_grove(path) as grove:
        [tree] = verify_grove(grove).trees

    assert f"the summary at {first}: {reason}" in tree.faults
    assert any(f"{first}: {reason}" in problem.message for problem in check(path).problems)


def test_a_response_of_an_undone_summary_is_compared_too(two: tuple[Path, str, str]) -> None:
    path, first, _ = two
    run(path, "DELETE FROM context_summaries")
    run(
        path,
        "DELETE FROM responses WHERE response_id = (SELECT response_id FROM responses ORDER BY id LIMIT 1)",
    )

    with read_grove(path) as grove:
        [tree] = verify_grove(grove).trees

    assert f"the summary at {first} is not what the change log says" in tree.faults
    assert f"the summary at {first}: the response that it was taken from is not kept" in tree.faults


def test_a_forged_summary_in_a_file_is_named_without_a_seal(two: tuple[Path, str, str]) -> None:
    path, first, second = two
    with read_grove(path) as grove:
        tree_id = grove.trees()[0].id
        tree, evidence = grove.load_tree(tree_id), grove.all_evidence(tree_id)
        whole = evidence_file.write(Contents(tree, tuple(grove.tree_agents(tree_id)), tuple(evidence)))
    assert not evidence_file.check(whole.encode()).failed
    value = json.loads(whole)
    del value["seal"]
    value["contextSummaries"][0]["text"] = "The last."

    report = evidence_file.check(json.dumps(value).encode())

    assert report.faults == (f"the summary at {first}: {OTHER}",)
    assert report.failed
    assert [row.node_id for row in loom_json.read(whole).tree.context_summaries.values()] == [first, second]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (" plain \n", "plain"),
        ("\n<analysis>a\n\nb</analysis>\n\ntold", "told"),
        ("told <analysis>not leading</analysis>", "told <analysis>not leading</analysis>"),
        ("<analysis>never closed", "<analysis>never closed"),
        ("<analysis>a</analysis><analysis>b</analysis>c", "<analysis>b</analysis>c"),
        ("<analysis>nothing else</analysis>", ""),
    ],
)
def test_a_summary_is_its_answer_without_a_leading_analysis(said: str, text: str) -> None:
    assert summary_text(said) == text
    assert is_summary_of(text, said)
    assert not is_summary_of(f"{text}.", said)


def test_a_key_that_is_hidden_in_a_summary_is_no_forgery() -> None:
    assert is_summary_of("the key is ************", " the key is sk-abcdefghi\n")
