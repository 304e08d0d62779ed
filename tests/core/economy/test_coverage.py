"""Coverage of context summaries: hashes, what changed since, cards, and what rows leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from loomapp.core.economy.calls import Call, SentFacts, SummaryKey
from loomapp.core.economy.coverage import (
    CoveredUnits,
    covered_hash,
    earned_by,
    made_hashes,
    read_summary,
    what_changed,
)
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.core.economy.trees import talk, with_summary
from tests.kit.written_trees import chain, edge, node, tree


def excluding(subject: Tree, *names: str) -> Tree:
    for name in names:
        one = subject.nodes[name]
        subject.put_node(replace(one, metadata=replace(one.metadata, excluded=True)))
    return subject


# Hashes


def test_the_hash_is_that_of_the_worked_example() -> None:
    subject = chain(node("r"), node("a", excluded=True), node("b"))

    wanted = "3570af1ee2ad9def67437fd38da3876ca19761b8eb5e7764d8bf1d0eb014fe6f"
    assert covered_hash(resolve(subject, "b"), 2) == wanted


def test_an_id_is_written_down_as_json_has_it() -> None:
    subject = chain(node("r"), node('a","b\\'), node("ö\n"))

    wanted = sha256(json.dumps(["r", 'a","b\\', "ö\n"], ensure_ascii=False, separators=(",", ":")).encode())
    assert covered_hash(resolve(subject, "ö\n"), 2) == wanted.hexdigest()


def test_a_hash_covers_flags_and_nothing_after_the_anchor() -> None:
    subject = chain(node("r"), node("a"), node("b"))
    before = covered_hash(resolve(subject, "b"), 1)

    assert covered_hash(resolve(excluding(subject, "b"), "b"), 1) == before
    assert covered_hash(resolve(excluding(subject, "a"), "b"), 1) != before


def test_a_hash_that_is_missing_is_made_for_the_path_of_its_anchor() -> None:
    subject = chain(node("r"), node("a", excluded=True), node("b"))
    for anchor in ("b", "gone"):
        subject.context_summaries[anchor] = ContextSummary(anchor, "", {"text": "S"})

    made = made_hashes(subject, {"b", "gone"})

    assert [row.covered_hash[:8] for row in made.values()] == ["3570af1e", ""]
    assert [row.covered_hash for row in made_hashes(subject, ()).values()] == ["", ""]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda tree: excluding(tree, "n2"), {"excluded": ("n2",)}),
        (lambda tree: tree, {}),
        (lambda tree: excluding(tree, "n1", "n2"), {"flags": ("n3",)}),
    ],
)
def test_a_stale_summary_tells_what_changed(change: object, told: dict[str, tuple[str, ...]]) -> None:
    subject = talk(5)
    row = with_summary(subject, "n3", coveredIds=["n1", "n2", "n3"])
    assert callable(change)

    change(subject)

    assert what_changed(subject, resolve(subject, "n5"), row).node_ids == told


def test_a_stale_summary_tells_of_nodes_that_are_gone_or_new_through_the_one_it_is_based_on() -> None:
    rows = [node("a", "A"), node("b", "B"), node("b2", "B2"), node("c", "C")]
    subject = tree(rows, [edge("b", "a"), edge("b2", "a"), edge("c", "b2")])
    first = ContextSummary("a", "h", {"text": "S", "coveredIds": ["a"]})
    second = ContextSummary(
        "c",
        "old",
        {"text": "S", "coveredIds": ["b", "c"], "basedOn": {"anchorNodeId": "a", "coveredHash": "h"}},
    )
    subject.context_summaries = {first.key: first, second.key: second}

    told = what_changed(subject, resolve(subject, "c"), second).node_ids

    assert told == {"gone": ("b",), "added": ("b2",)}


# Rows


def test_what_a_row_leaves_out_is_made_on_reading() -> None:
    covered = CoveredUnits(("n1", "n2"), 2, 12)

    told = read_summary(ContextSummary("n2", "h", {"text": " xxxx "}), covered)

    assert (told.text, told.covered_ids, told.based_on) == ("xxxx", ("n1", "n2"), None)
    assert (told.messages_summarized, told.original_tokens, told.summary_tokens) == (2, 12, 8)
    assert (told.origin, told.model, told.created_at) == ("manual", None, None)


def test_what_calls_saved_less_what_it_cost() -> None:
    reading = read_summary(ContextSummary("a", "h", {"text": "xxxx"}), CoveredUnits((), 9, 108))
    with_it = SentFacts(SummaryKey("a", "h"))
    calls = [Call("1", sent=with_it), Call("1", sent=with_it), Call("2", sent=with_it), Call("3")]

    earned = earned_by(reading, calls, 50)
    assert (earned.calls, earned.saved, earned.cost, earned.net) == (2, 200, 50, 150)
