"""Changes of context summaries, and what a summary omits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.economy.coverage import valid_on, what_changed
from loomapp.core.model.change import apply, is_known
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.changes import omissions
from loomapp.core.summarisers.plan import plan_for
from tests.core.economy.trees import talk, with_summary
from tests.kit.trees import Hand, do


def made(tree: Tree, text: str = "All so far.") -> str:
    """The key of a summary of all but the newest four messages."""
    row = changes.summary_row(
        plan_for(tree, resolve(tree, "n8"), 4), text, origin="manual", model="fake:m", at=0
    )
    do(tree, changes.make(tree, row, Hand().pen()))
    return row.key


def test_a_summary_is_made_with_all_that_is_to_be_known_of_it() -> None:
    tree = talk(8)
    before = with_summary(tree, "n2")

    row = tree.context_summaries[made(tree)]

    assert row.body == {
        "text": "All so far.",
        "coveredIds": ["n3", "n4"],
        "basedOn": {"anchorNodeId": "n2", "coveredHash": before.covered_hash},
        "messagesSummarized": 4,
        "originalTokens": 20,
        "summaryTokens": 10,
        "origin": "manual",
        "model": "fake:m",
        "createdAt": "1970-01-01T00:00:00.000Z",
    }
    assert [one.row.anchor_node_id for one in valid_on(tree, resolve(tree, "n8"))] == ["n2", "n4"]


def test_one_of_the_same_anchor_and_hash_is_replaced_and_comes_back_with_undo() -> None:
    tree = talk(8)
    first = tree.context_summaries[made(tree)]
    row = replace(first, body={**first.body, "text": "Again."})

    change = do(tree, changes.make(tree, row, Hand().pen()))

    assert list(tree.context_summaries.values()) == [row]
    apply(tree, change.inverse())
    assert list(tree.context_summaries.values()) == [first]


def test_an_edit_counts_anew_and_the_same_or_a_blank_text_is_none() -> None:
    tree = talk(8)
    key = made(tree)

    do(tree, changes.edit(tree, key, " By hand, and rather longer. ", Hand().pen()))

    body = tree.context_summaries[key].body
    assert (body["text"], body["origin"], body["summaryTokens"]) == (
        "By hand, and rather longer.",
        "manual",
        14,
    )
    assert body["model"] == "fake:m"
    assert changes.edit(tree, key, "By hand, and rather longer.", Hand().pen()) is None
    assert changes.edit(tree, key, " \n", Hand().pen()) is None


def test_a_stale_summary_is_used_as_it_is_once_that_is_said() -> None:
    tree = talk(8)
    key = made(tree)
    tree.put_node(replace(tree.nodes["n2"], metadata=replace(tree.nodes["n2"].metadata, excluded=True)))
    path = resolve(tree, "n8")
    assert valid_on(tree, path) == []

    change = do(tree, changes.use_as_it_is(tree, path, key, Hand().pen()))

    [summary] = valid_on(tree, path)
    assert summary.text == "All so far."
    assert not what_changed(tree, path, summary.row).node_ids
    assert changes.use_as_it_is(tree, path, summary.row.key, Hand().pen()) is None
    apply(tree, change.inverse())
    assert list(tree.context_summaries) == [key]


def test_a_summary_is_deleted() -> None:
    tree = talk(8)
    key = made(tree)

    do(tree, changes.delete(tree, key, Hand().pen()))

    assert tree.context_summaries == {}


def test_the_history_knows_the_words_of_these_steps() -> None:
    assert all(is_known(label) for label in (changes.MAKE, changes.EDIT, changes.DELETE, changes.USE))


def test_names_numbers_and_quotations_that_a_summary_lacks_are_told_with_their_sentence() -> None:
    covered = [
        "We read the Ar-Men letters. The keeper was Marie, in 1897, it says.",
        "He wrote “not a word” to Marie. The letters are grey, and Grey they stay.",
    ]

    found = omissions(covered, "Letters were read; the keeper's name was marie.")

    assert [one.words for one in found] == ["Ar-Men", "1897", "not a word"]
    assert [one.is_quoted for one in found] == [False, False, True]
    assert found[1].sentence == "The keeper was Marie, in 1897, it says."
    assert omissions(covered, "Ar-Men, Marie, 1897, not a word") == []


@pytest.mark.parametrize(
    ("covered", "summary", "lacks"),
    [
        ("هذا كتاب جديد عن البحر الكبير.", "", []),
        ("他昨天去了北京，然后吃了晚饭。他2024年说「明天见」。", "", ["明天见", "2024"]),
        ("東京に3人。『海の本』を読んだ。", "彼は海の本の3人", []),
        ("He said “don’t stop” in 1.5kg.", "They don't stop.", []),
    ],
)
def test_in_scripts_without_capitals_or_spaces_numbers_and_quotations_are_told(
    covered: str, summary: str, lacks: list[str]
) -> None:
    assert [one.words for one in omissions([covered], summary)] == lacks
