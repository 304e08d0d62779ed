"""New summaries: anchors, coverage, transcripts, portions, and what is taken of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.new_summary import plan_summary, summaries_of
from loomapp.core.context.request import ContextRequest
from loomapp.core.economy.calls import Call, SentFacts, SummaryKey
from loomapp.core.economy.coverage import covered_hash, made_hashes, what_changed
from loomapp.core.economy.estimators import chat_tokens
from loomapp.core.economy.summariser import (
    DEFAULT_PROMPT,
    SUMMARISERS,
    TRANSCRIPT,
    BlankSummary,
    NotEnoughMessages,
    longest_summary,
    portions,
    summary_in,
)
from loomapp.core.economy.summary_check import lacking
from loomapp.core.economy.summary_rows import CoveredUnits, new_summary, read_summary, saved_by, with_text
from loomapp.core.model.economy_settings import Economy
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.core.economy.trees import document, mixed, result, talk, use, with_summary, words
from tests.kit.written_trees import chain, edge, node, tree


def planned_at(subject: Tree, at: str, anchor: str | None = None, *, again: bool = False) -> str | None:
    return plan_summary(subject, ContextRequest(at), 4, anchor, again=again).anchor.anchor_node_id


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


# Anchors


def test_just_the_newest_units_remain() -> None:
    assert planned_at(talk(5), "n5") == "n1"
    assert planned_at(talk(9), "n9") == "n5"
    with pytest.raises(NotEnoughMessages, match=r"^Not enough messages to compact$"):
        planned_at(talk(4), "n4")


def test_nodes_that_are_left_out_are_no_units() -> None:
    assert planned_at(excluding(talk(7), "n3", "n5"), "n7") == "n1"
    with pytest.raises(NotEnoughMessages):
        planned_at(excluding(talk(6), "n3", "n5"), "n6")


def test_a_tool_use_is_not_separated_from_its_result() -> None:
    rows = [
        node("a", "A"),
        mixed("b", use("1"), author="model"),
        node("c", "C"),
        mixed("d", use("2"), author="model"),
        mixed("e", result("1", "one")),
        mixed("f", result("2", "two")),
    ]
    subject = chain(*rows, node("g", "G"), node("h", "H"))

    assert planned_at(subject, "h") == "a"
    assert planned_at(subject, "h", "d") == "d"
    with pytest.raises(NotEnoughMessages):
        planned_at(chain(*rows[1:], node("g", "G")), "g")


def test_a_plan_goes_on_from_the_last_valid_summary() -> None:
    subject = talk(9)
    row = with_summary(subject, "n3", "They talked.")

    plan = plan_summary(subject, ContextRequest("n9"), 4)

    assert plan.anchor == SummaryKey("n5", covered_hash(resolve(subject, "n9"), 4))
    assert (plan.based_on, plan.previous) == (SummaryKey("n3", row.covered_hash), "They talked.")
    assert plan.messages == ("ASSISTANT: d", "USER: e")
    assert plan.covered == CoveredUnits(("n4", "n5"), 5, chat_tokens([1] * 5))
    assert plan.new_units == 2


def test_nothing_new_is_not_enough_unless_it_is_made_again() -> None:
    subject = talk(9)
    with_summary(subject, "n3")
    with_summary(subject, "n5")

    with pytest.raises(NotEnoughMessages):
        planned_at(subject, "n9")
    plan = plan_summary(subject, ContextRequest("n9"), 4, "n5", again=True)
    assert (plan.anchor.anchor_node_id, plan.based_on and plan.based_on.anchor_node_id) == ("n5", "n3")


def test_a_stale_summary_is_no_base() -> None:
    subject = talk(9)
    with_summary(subject, "n3")

    assert plan_summary(excluding(subject, "n1"), ContextRequest("n9"), 4).based_on is None


# Transcripts


def test_a_transcript_names_speakers_and_tools() -> None:
    rows = [
        node("a", " Hello \n"),
        mixed("b", words("Reading."), use("1"), use("2", "run_shell"), author="model"),
        mixed("c", result("1", "x" * 2_001)),
        mixed("d", words("See:"), document("y" * 2_000), document("z" * 2_001)),
        mixed("e", result("9", "lost", "fetch")),
    ]
    subject = chain(*rows, *(node(f"n{i}", "…") for i in range(4)))

    plan = plan_summary(subject, ContextRequest("n3"), 4)

    read = f"[Tool: read_file → {'x' * 2_000}... (truncated)]"
    assert plan.messages == (
        "USER: Hello",
        f"ASSISTANT: Reading.\n\n{read}\n\n[Tool: run_shell → (pending)]",
        f"USER: See:\n\n{'y' * 2_000}\n\n{'z' * 2_000}... (truncated)",
        "USER: [Tool: fetch → lost]",
    )
    question = SUMMARISERS[TRANSCRIPT](DEFAULT_PROMPT, "Before.", plan.messages[:1])
    assert question.text == "[Previous conversation summary]\nBefore.\n\nUSER: Hello"
    assert (
        SUMMARISERS[TRANSCRIPT](DEFAULT_PROMPT, None, ("USER: a", "ASSISTANT: b")).text
        == "USER: a\n\nASSISTANT: b"
    )


def test_what_is_too_long_for_a_model_goes_in_portions_that_fit() -> None:
    messages = [f"USER: {'x' * 3_000}" for _ in range(10)] + [f"USER: {'y' * 50_000}"]

    found = list(portions(messages, DEFAULT_PROMPT, None, 6_000, 500))

    assert sum(map(len, found)) == 11
    assert [message for portion in found for message in portion][:10] == messages[:10]
    assert found[-1][0].endswith("... (truncated)")
    for portion in found:
        assert SUMMARISERS[TRANSCRIPT](DEFAULT_PROMPT, "s" * 2_000, portion).tokens <= 6_000


def test_all_goes_at_once_where_it_fits() -> None:
    assert list(portions(["USER: a", "USER: b"], DEFAULT_PROMPT, "S", 4_000, 500)) == [("USER: a", "USER: b")]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (" All. \n", "All."),
        ("<analysis>long\nthought</analysis>\n\nAll.", "All."),
        ("\n <analysis>a</analysis>All.<analysis>b</analysis>", "All.<analysis>b</analysis>"),
        ("<analysis>never closed", "<analysis>never closed"),
        ("All. <analysis>a</analysis>", "All. <analysis>a</analysis>"),
    ],
)
def test_a_leading_analysis_is_taken_off(answer: str, text: str) -> None:
    assert summary_in(answer) == text


@pytest.mark.parametrize("answer", ["", " \n", "<analysis>only this</analysis>\n"])
def test_a_blank_answer_is_a_failure(answer: str) -> None:
    with pytest.raises(BlankSummary):
        summary_in(answer)


def test_a_summary_is_at_most_as_long_as_the_reserve() -> None:
    assert longest_summary(128_000, Economy()) == 2_048
    assert longest_summary(4_000, Economy()) == 1_000
    assert longest_summary(128_000, Economy(response_reserve=100)) == 100


# Rows


def test_a_new_row_has_the_keys_of_the_format() -> None:
    covered = CoveredUnits(("n3", "n4"), 4, 900)

    row = new_summary(
        SummaryKey("n4", "h"), "Text", covered, SummaryKey("n2", "g"),
        origin="background", model="m:1", created_at="2026-01-01T00:00:00.000Z",
    )  # fmt: skip

    assert dict(row.body) == {
        "text": "Text",
        "coveredIds": ["n3", "n4"],
        "basedOn": {"anchorNodeId": "n2", "coveredHash": "g"},
        "messagesSummarized": 4,
        "originalTokens": 900,
        "summaryTokens": 8,
        "origin": "background",
        "model": "m:1",
        "createdAt": "2026-01-01T00:00:00.000Z",
    }
    assert with_text(row, "Longer text").body["summaryTokens"] == 10


def test_what_a_row_leaves_out_is_made_on_reading() -> None:
    covered = CoveredUnits(("n1", "n2"), 2, 12)

    told = read_summary(ContextSummary("n2", "h", {"text": " xxxx "}), covered)

    assert (told.text, told.covered_ids, told.based_on) == ("xxxx", ("n1", "n2"), None)
    assert (told.messages_summarized, told.original_tokens, told.summary_tokens) == (2, 12, 8)
    assert (told.origin, told.model, told.created_at) == ("manual", None, None)


def test_cards_tell_which_summary_is_in_use_and_which_waits() -> None:
    subject = talk(9)
    for anchor in ("n2", "n4", "n5", "n6"):
        with_summary(subject, anchor)
    subject.context_summaries["old"] = ContextSummary("n3", "old", {"text": "S"})

    cards = summaries_of(subject, ContextRequest("n9"), 4)

    assert [(card.reading.anchor_node_id, card.standing) for card in cards] == [
        ("n2", "valid"), ("n3", "stale"), ("n4", "valid"), ("n5", "in use"), ("n6", "waiting"),
    ]  # fmt: skip
    assert cards[0].reading.messages_summarized == 2


def test_what_calls_saved_less_what_it_cost() -> None:
    reading = read_summary(ContextSummary("a", "h", {"text": "xxxx"}), CoveredUnits((), 9, 108))
    with_it = SentFacts(SummaryKey("a", "h"))
    calls = [Call("1", sent=with_it), Call("1", sent=with_it), Call("2", sent=with_it), Call("3")]

    assert saved_by(reading, calls, 50) == 2 * 100 - 50


# The check


def test_names_numbers_and_quotations_that_a_summary_lacks_are_told() -> None:
    text = (
        'Hello. We met Marie Curie on 12.11.2026 at 9 in "the old hall". Then she called fetchPage twice, '
        "and `run it` too. Marie paid 1,250 euros."
    )

    found = lacking(text, "They met Marie; fetchpage was called, and 1,250 paid. They `Run it`.")

    assert found.names == ("Curie",)
    assert found.numbers == ("12.11.2026",)
    assert found.phrases == ("the old hall",)
    assert found.count == 3
    assert lacking(text, text).count == 0
