"""What economy decided is recorded with an answer, read back, and gives the same context again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.request import GivenLoad
from loomapp.core.economy.calls import NO_SUMMARY, SummaryKey
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.raw_response import RECORD, Evidence, compress
from loomapp.core.model.tree import Tree
from loomapp.core.sent.calls import calls_of
from loomapp.core.sent.inputs import Model, assembled_from, inputs_of
from loomapp.core.sent.record import Record, digest_of, from_json, record_of, to_json
from loomapp.core.sent.replay import replay
from tests.core.economy.trees import document, mixed, talk, with_heads, with_summary
from tests.kit.written_trees import chain, edge, node, tree

AGENT = Agent("a", "A", "model", model_ref="m:1")
MODEL = Model()


def question(at: str, *, load: GivenLoad | None = None, **economy: bool | str | int) -> AskedQuestion:
    overrides = ContextSettings(economy=EconomySettings(**economy))  # type: ignore[arg-type]
    return AskedQuestion(AGENT, Sources(at), overrides=overrides, load=load or GivenLoad())


def recorded(tree: Tree, asked: AskedQuestion) -> tuple[Record, Assembled]:
    """The record of a question, by way of JSON."""
    assembled = assembled_for(tree, asked, MODEL)
    record = record_of(inputs_of(tree, asked, MODEL, assembled), assembled, model_ref="m:1")
    return from_json(to_json(record, tree), tree, "context"), assembled


def documents() -> Tree:
    rows = [mixed(f"n{i}", document("x" * 20_000, f"{i}")) for i in range(1, 8)]
    return chain(*rows, system="Tree.")


def test_nothing_is_recorded_where_all_is_off_or_has_nothing_to_do() -> None:
    subject = talk(8)
    plain, _ = recorded(subject, question("n8"))

    assert "economy" not in to_json(plain, subject)
    assert "stages" not in plain.report
    with_summary(subject, "n3")
    off, _ = recorded(subject, question("n8", use_summaries=False))
    assert to_json(off, subject) == to_json(plain, subject)


def test_a_summary_is_recorded_with_its_text() -> None:
    subject = talk(8)
    row = with_summary(subject, "n3", " They talked. ")

    record, _ = recorded(subject, question("n8"))

    assert to_json(record, subject)["economy"] == {
        "assembler": "auto",
        "summary": {"anchorNodeId": "n3", "coveredHash": row.covered_hash, "text": "They talked."},
        "heads": None,
        "compression": None,
        "utilization": None,
        "idle": None,
        "carried": [],
    }


@pytest.mark.parametrize("gone", [False, True])
def test_a_context_with_a_summary_is_replayed_whatever_became_of_the_row(gone: bool) -> None:
    subject = talk(8)
    row = with_summary(subject, "n3", "They talked.")
    record, sent = recorded(subject, question("n8"))
    subject.context_summaries.clear()
    if not gone:
        subject.context_summaries[row.key] = replace(row, body={"text": "Other words."})

    today = inputs_of(subject, question("n8"), MODEL)
    found = replay(subject, record, today)

    assert found.then is not None
    assert digest_of(found.then) == record.digest == digest_of(sent)
    assert not found.is_identical
    assert [(one.cause, one.name) for one in found.differences] == [("setting", "economy")]


def test_a_chain_is_recorded_and_replayed_with_its_titles() -> None:
    subject = with_heads(talk(6, system="Tree."), n1="All.", n3="Some.", n4=None)
    asked = question("n6", assembler="summaries")
    record, sent = recorded(subject, asked)
    subject.loom = replace(subject.loom, title="Another title")
    subject.branch_summaries.clear()

    economy = to_json(record, subject)["economy"]
    then = assembled_from(subject, record.inputs)

    assert isinstance(economy, dict)
    assert economy["assembler"] == "summaries"
    assert economy["heads"] == [
        {"nodeId": "n1", "title": "T", "text": "All."},
        {"nodeId": "n3", "title": "N3", "text": "Some."},
        {"nodeId": "n4", "title": "N4", "text": ""},
    ]
    assert then.system == sent.system
    assert digest_of(then) == record.digest


def test_compression_is_recorded_with_its_numbers_and_the_load_that_it_went_by() -> None:
    subject = documents()
    carried = (CarriedOn("n1", 0, "snip"), CarriedOn("n2", 0, "budget", 15_000))
    asked = question("n7", load=GivenLoad(0.55, 7, True, carried), compression=True, budget_chars=25_000)

    record, sent = recorded(subject, asked)
    economy = to_json(record, subject)["economy"]

    assert isinstance(economy, dict)
    assert (economy["utilization"], economy["idle"]) == (0.55, 7)
    assert economy["carried"] == [["n1", 0, "snip"], ["n2", 0, "budget"]]
    assert economy["compression"] | {"storeBytes": 30_720, "budgetChars": 25_000} == economy["compression"]
    assert record.inputs.economy is not None
    assert record.inputs.economy.carried == carried
    assert [one.row for one in sent.report.economy.compressed] == ["snip", "budget"]
    assert digest_of(assembled_from(subject, record.inputs)) == record.digest


def test_a_node_that_is_sent_in_full_by_now_was_not_then_and_the_other_way_round() -> None:
    subject = documents()

    def full(name: str, on: bool) -> None:
        one = subject.nodes[name]
        subject.put_node(replace(one, metadata=replace(one.metadata, extra={"full": True} if on else {})))

    full("n1", True)
    asked = question("n7", load=GivenLoad(0.9, 0, True), compression=True)
    record, _ = recorded(subject, asked)
    full("n1", False)
    full("n2", True)

    assert digest_of(assembled_from(subject, record.inputs)) == record.digest
    assert not replay(subject, record, inputs_of(subject, asked, MODEL)).is_identical


def test_never_called_and_an_agent_that_can_read_are_recorded() -> None:
    subject = chain(mixed("a", document("x" * 31_000)), node("b", "B", "model"))
    aware = replace(AGENT, loom_aware=True)
    asked = replace(question("b", load=GivenLoad(0.1, None, True), compression=True), agent=aware)

    record, sent = recorded(subject, asked)
    economy = to_json(record, subject)["economy"]

    assert isinstance(economy, dict)
    assert (economy["idle"], economy["canRead"]) == (None, True)
    assert "You can use read_file" in sent.messages[0].text
    assert digest_of(assembled_from(subject, record.inputs)) == record.digest


# Calls read from responses


def response(tree: Tree, record: Record, *choices: str, **fields: object) -> Evidence:
    one = Evidence(
        "e", "p", "{}", compress(b""), model="returned", choices={name: i for i, name in enumerate(choices)},
        started_at=1, ended_at=2, usage={"inputTokens": 9, "outputTokens": 4, "cachedTokens": 1, "x": "y"},
        extra={RECORD: to_json(record, tree)},
    )  # fmt: skip
    return replace(one, **fields)  # type: ignore[arg-type]


def test_a_call_is_read_from_a_response_and_its_record() -> None:
    subject = documents()
    asked = question("n7", load=GivenLoad(0.9, 0, True), compression=True, use_summaries=True)
    row = with_summary(subject, "n2")
    record, _ = recorded(subject, asked)

    call = calls_of(subject, [response(subject, record, "n7", "gone")])["n7"]

    assert (call.model, call.returned, call.choices) == ("m:1", "returned", 2)
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (9, 4, 1)
    assert (call.continued, call.began_at, call.ended_at) == (("n6",), 1, 2)
    assert call.sent.summary == SummaryKey("n2", row.covered_hash)
    assert call.carried == (
        CarriedOn("n3", 0, "snip"),
        CarriedOn("n4", 0, "snip"),
        CarriedOn("n5", 0, "budget", 15_000),
        CarriedOn("n6", 0, "budget", 15_000),
    )


@pytest.mark.parametrize(("loose", "tight"), [(25_000, 18_000), (12_000, 9_000), (15_000, 25_000)])
@pytest.mark.parametrize("load", [0.1, 0.55, 0.9])
def test_a_part_stays_as_short_and_is_replayed_where_the_budgets_of_its_tree_were_changed(
    load: float, loose: int, tight: int
) -> None:
    subject = chain(*(mixed(f"n{i}", document("x" * 30_000)) for i in range(1, 4)))
    record, _ = recorded(subject, question("n3", load=GivenLoad(0.9, 0, True), compression=True))
    carried = calls_of(subject, [response(subject, record, "n3")])["n3"].carried

    asked = question(
        "n3", load=GivenLoad(load, 0, True, carried), compression=True, budget_chars=loose, tight_chars=tight
    )
    record, sent = recorded(subject, asked)
    later = calls_of(subject, [response(subject, record, "n3")])["n3"].carried

    assert [one.budget for one in carried] == [15_000, 15_000]
    assert digest_of(assembled_from(subject, record.inputs)) == record.digest == digest_of(sent)
    wanted = {0.1: 15_000, 0.55: min(15_000, loose), 0.9: min(15_000, tight)}[load]
    assert [one.budget for one in later] == [wanted, wanted]


def test_a_chain_in_use_is_known_again_by_the_calls_that_had_it() -> None:
    subject = with_heads(talk(6, system="Tree."), n1="All.", n3="Some.")
    asked = question("n6", assembler="summaries", compression=True)
    record, _ = recorded(subject, asked)
    calls = calls_of(subject, [response(subject, record, "n6")])

    found = assembled_for(subject, replace(asked, calls=calls), MODEL).report.economy.load

    assert found is not None
    assert (found.used, found.is_measured) == (13, True)


def test_of_a_response_without_a_record_only_its_counts_are_known() -> None:
    subject = talk(4)
    one = Evidence("e", "p", "{}", compress(b""), choices={"n2": 2, "n4": 0}, usage={}, extra={RECORD: "odd"})

    calls = calls_of(subject, [one])

    assert calls["n2"] is calls["n4"]
    assert (calls["n2"].model, calls["n2"].choices, calls["n2"].sent.summary) == ("", 3, NO_SUMMARY)
    assert calls["n2"].continued == ("n1", "n3")


def test_a_note_by_a_model_continues_nothing() -> None:
    rows = [node("a", "A"), node("b", "B", "model"), node("n", "N", "model")]
    subject = tree(rows, [edge("b", "a"), edge("n", "b", kind="annotation")])
    answers = Evidence("e", "p", "{}", compress(b""), choices={"b": 0})
    notes = Evidence("f", "p", "{}", compress(b""), choices={"n": 0})

    calls = calls_of(subject, [answers, notes])

    assert (calls["b"].continued, calls["n"].continued) == (("a",), ())
