"""A forged text is named, whatever was recomputed to hide it: the response still says what was said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.model.change import apply
from loomapp.core.model.entities import Interrupted
from loomapp.core.model.raw_response import MOST_BYTES, compress
from loomapp.formats import evidence_file, loom_json
from loomapp.formats.evidence_file import Contents
from loomapp.store.checks.check import check
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from tests.kit.families import one_in
from tests.kit.groves import generated, planted
from tests.kit.trees import Hand
from tests.store.checks.forging import Forger, forger
from tests.store.checks.text_forgeries import FORGERIES, ONE, TWO, answers, other_text


@pytest.fixture
def grove_path(path: Path) -> Path:
    """Two answers of one response below a chain, an answer of another one below the first, a person's words
    below that.
    """
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=2)
        grove.commit(tree, generated(tree, ids[-1], [ONE, TWO], hand))
        first = tree.children(ids[-1])[0]
        grove.commit(tree, generated(tree, first, ["Winston Smith slipped quickly through."], hand))
        [second] = tree.children(first)
        grove.commit(tree, node_edits.add_node(tree, second, "And then?", hand.pen(grove.owner.id)))
    return path


def failing(path: Path) -> set[str]:
    with read_grove(path) as grove:
        findings = verify_tree(grove, grove.trees()[0].id)
    return {finding.node_id for finding in findings if finding.verdict == "failed"}


@pytest.mark.parametrize("name", one_in(6, FORGERIES))
def test_a_forgery_is_named_by_verify_and_check_though_every_sum_is_made_to_fit(
    grove_path: Path, name: str
) -> None:
    assert failing(grove_path) == set()
    assert not check(grove_path).problems
    by = forger(grove_path)

    named = FORGERIES[name](by)
    by.rehash()
    by.write(log=True)

    assert failing(grove_path) == named
    assert {problem.node_id for problem in check(grove_path).problems if problem.node_id} >= named


@pytest.mark.parametrize("name", one_in(8, [name for name in FORGERIES if name != "no response"]))
def test_a_forgery_is_named_where_no_rule_was_recorded_too(grove_path: Path, name: str) -> None:
    forger(grove_path).write_log(forget_rules)
    assert failing(grove_path) == set()
    by = forger(grove_path)

    named = FORGERIES[name](by)
    by.rehash()
    by.write(log=True)

    assert failing(grove_path) >= named


def forget_rules(body: dict[str, Any]) -> None:
    """The log as versions wrote it that recorded none."""
    body.pop("texts", None)


@pytest.mark.parametrize("hashes", [False, True], ids=["the text alone", "the text and every hash"])
def test_a_forgery_that_leaves_the_log_is_named(grove_path: Path, hashes: bool) -> None:
    by = forger(grove_path)

    named = other_text(by)
    if hashes:
        by.rehash()
    by.write(log=False)

    assert failing(grove_path) >= named


@pytest.mark.parametrize("keeps_rules", [True, False])
def test_responses_of_the_very_same_bytes_do_not_change_places(path: Path, keeps_rules: bool) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=2)
        for above in ids:
            grove.commit(tree, generated(tree, above, [ONE], hand))
    if not keeps_rules:
        forger(path).write_log(forget_rules)
    assert failing(path) == set()
    by = forger(path)
    one, two = (node.id for node in by.tree.nodes.values() if node.author_type == "model")

    first, second = by.response_of(one), by.response_of(two)
    by.rest(one, second)
    by.rest(two, first)
    by.write(log=True)

    assert failing(path) == {one, two}


@pytest.mark.parametrize("keeps_rules", [True, False])
def test_a_response_that_was_deleted_is_missed(grove_path: Path, keeps_rules: bool) -> None:
    if not keeps_rules:
        forger(grove_path).write_log(forget_rules)
    by = forger(grove_path)
    _, _, below = answers(by)

    gone = by.response_of(below)
    by.rest(below, None)
    by.rehash()
    by.write(log=True, gone=gone)

    assert failing(grove_path) == {below}


@pytest.mark.parametrize("keeps_rules", [True, False])
def test_a_person_to_whom_all_words_of_a_response_are_given_is_named(
    grove_path: Path, keeps_rules: bool
) -> None:
    if not keeps_rules:
        forger(grove_path).write_log(forget_rules)
    by = forger(grove_path)
    _, _, below = answers(by)

    by.rewrite(below, author_type="human")
    by.rest(below, None)
    by.rehash()
    by.write(log=True)

    assert below in failing(grove_path)


def test_a_response_that_unpacks_without_end_is_named_and_unpacked_no_further(grove_path: Path) -> None:
    by = forger(grove_path)
    _, _, below = answers(by)
    response = by.response_of(below)
    by.evidence[response] = replace(by.evidence[response], body_gzip=compress(bytes(MOST_BYTES + 1)))
    by.write(log=True)

    with read_grove(grove_path) as grove:
        found = {f.node_id: f.reason for f in verify_tree(grove, by.tree.loom.id)}

    told = {f.node_id: f.reason for f in evidence_file.check(exported(by)).findings}
    assert "the response kept for it cannot be read: it unpacks to more than 64 MiB" in found[below]
    assert "the response kept for it cannot be read: it unpacks to more than 64 MiB" in told[below]


def test_a_text_cut_short_is_not_taken_for_an_answer_that_was_stopped(grove_path: Path) -> None:
    by = forger(grove_path)
    one, _, _ = answers(by)

    by.say(one, "It was a bright")
    by.rewrite(one, interrupted=Interrupted("cancelled"))
    by.rehash()
    by.write(log=True)

    assert failing(grove_path) == {one}  # the log says that it is whole


def test_a_rule_that_nobody_knows_explains_nothing(grove_path: Path) -> None:
    by = forger(grove_path)
    one, _, _ = answers(by)

    def other_rule(body: dict[str, Any]) -> None:
        if one in body.get("texts", {}):
            body["texts"][one] = "from a dream"

    by.write_log(other_rule)

    assert failing(grove_path) == {one}


def test_a_forged_answer_whose_making_was_undone_is_named_by_check(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        grove.commit(tree, generated(tree, ids[-1], [ONE], hand))
    by = forger(path)
    [node_id] = [node.id for node in by.tree.nodes.values() if node.author_type == "model"]
    by.say(node_id, "It was a warm day.")
    by.rehash()
    by.write(log=True)

    with open_grove(path) as grove:
        grove.undo(grove.load_tree(tree.loom.id))

    assert [problem.node_id for problem in check(path).problems] == [node_id]


@pytest.mark.parametrize(
    "name",
    one_in(
        3,
        [
            name
            for name in FORGERIES
            if name not in ("a person instead of the model, the response let go", "no response")
        ],
    ),
)
def test_an_evidence_file_is_no_better_a_place_for_a_forgery(grove_path: Path, name: str) -> None:
    assert not evidence_file.check(exported(forger(grove_path))).failed
    by = forger(grove_path)

    named = FORGERIES[name](by)
    by.rehash()
    checked = evidence_file.check(exported(by))

    assert checked.changed == ()  # whoever can write one can seal it
    assert {f.node_id for f in checked.findings if f.verdict == "failed"} == named


@pytest.mark.parametrize("name", ["a person instead of the model, the response let go", "no response"])
def test_what_a_file_lost_is_at_least_not_proved_by_it(grove_path: Path, name: str) -> None:
    by = forger(grove_path)

    named = FORGERIES[name](by)
    by.rehash()
    checked = evidence_file.check(exported(by))

    verdicts = {f.node_id: f.verdict for f in checked.findings}
    models = [node_id for node_id in named if by.tree.nodes[node_id].author_type == "model"]
    assert all(verdicts[node_id] == "no evidence" for node_id in models)


def exported(by: Forger) -> bytes:
    """An evidence file of what the forger says, sealed as Loomapp seals it."""
    evidence = tuple(item for item in by.evidence.values() if item.choices)
    return evidence_file.write(Contents(by.tree, (), evidence)).encode()


def test_a_forgery_that_is_imported_is_named_afterwards(grove_path: Path, tmp_path: Path) -> None:
    by = forger(grove_path)
    named = other_text(by)
    by.rehash()
    imported = loom_json.read(exported(by))

    with create_grove(tmp_path / "other.loom") as grove:
        grove.add_tree(imported.tree, imported.agents, imported.evidence)
        found = verify_tree(grove, imported.tree.loom.id)

    assert {f.node_id for f in found if f.verdict == "failed"} == named


def test_rules_travel_with_a_tree_and_are_recorded_where_it_comes_in(
    grove_path: Path, tmp_path: Path
) -> None:
    by = forger(grove_path)
    rules = {name: rule for item in by.evidence.values() for name, rule in item.texts.items()}
    assert set(rules) == set(answers(by))

    imported = loom_json.read(exported(by))
    with create_grove(tmp_path / "other.loom") as grove:
        grove.add_tree(imported.tree, imported.agents, imported.evidence)
        kept = grove.all_evidence(imported.tree.loom.id)

    assert {name: rule for item in kept for name, rule in item.texts.items()} == rules


def test_what_comes_without_rules_gets_those_that_explain_it(grove_path: Path, tmp_path: Path) -> None:
    by = forger(grove_path)
    one, two, below = answers(by)
    other_text(by)
    by.rehash()
    by.evidence = {key: replace(item, texts={}) for key, item in by.evidence.items()}
    imported = loom_json.read(exported(by))

    with create_grove(tmp_path / "other.loom") as grove:
        grove.add_tree(imported.tree, imported.agents, imported.evidence)
        kept = grove.all_evidence(imported.tree.loom.id)

    rules = {name: rule for item in kept for name, rule in item.texts.items()}
    assert rules == {two: "whole", below: "whole"}  # and none for the forged one
    assert one not in rules


def test_an_import_gives_no_response_to_what_is_here_already(grove_path: Path, tmp_path: Path) -> None:
    by = forger(grove_path)
    person = next(node.id for node in by.tree.nodes.values() if node.text == "And then?")
    _, _, below = answers(by)
    file = exported(by)
    with create_grove(tmp_path / "other.loom") as grove:
        mine, theirs = loom_json.read(file), loom_json.read(file)
        grove.add_tree(mine.tree, mine.agents, mine.evidence)
        more = node_edits.add_node(theirs.tree, person, "More", Hand().pen("model"))
        apply(theirs.tree, more)
        item = by.evidence[by.response_of(below)]
        claim = replace(item, choices={person: 0, more.added_nodes()[0].id: 0})

        grove.add_tree(theirs.tree, [], [claim])
        found = verify_tree(grove, theirs.tree.loom.id)

    assert person not in {f.node_id for f in found if f.verdict == "failed"}
