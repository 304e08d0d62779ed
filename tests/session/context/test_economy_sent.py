"""Economy in a session: what the preview shows is what goes out, and its record tells the same for ever."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.core.context.report import CompressedPart
from loomapp.core.economy.branch_summaries import name_branch, update_summary
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import inputs_of
from loomapp.core.sent.record import Record, from_json
from loomapp.core.sent.replay import replay
from loomapp.session import tree_calls
from loomapp.session.context.preview import Preview
from loomapp.session.document import Document
from loomapp.session.plan import planned
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id
from tests.kit.groves import response

LONG = "\n".join(f"line {number}" for number in range(6_000))


@pytest.fixture
def preview(tmp_path: Path, qapp: QApplication) -> Iterator[Preview]:
    with create_grove(tmp_path / "g.loom") as grove:
        document = Document(grove)
        for text in ("Here is the review.", "And the log."):
            content = Mixed((Text(text), AttachedDocument("log.txt", "text/plain", LONG)))
            change = node_edits.add_content(document.tree, document.current_id, content, document.pen())
            document.commit(change)
        document.commit(node_edits.add_node(document.tree, document.current_id, "And?", document.pen()))
        yield Preview(document)
        document.calls.close()


def set_economy(document: Document, economy: EconomySettings) -> None:
    loom = replace(document.tree.loom, context_settings=ContextSettings(economy=economy))
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))


def sent(preview: Preview) -> tuple[str, Record]:
    """What goes out for the question that is shown, and its record as it is kept."""
    document = preview._document
    assert preview.question is not None
    plan = planned(document.tree, replace(preview.question, composer_text="", commits_text=False), document)
    request = plan.request(document.tree, 1)
    record = from_json(json.loads(json.dumps(request.record)), document.tree, "context")
    return "\n".join(message.text for message in request.messages) + (request.system or ""), record


def replayed(preview: Preview, record: Record) -> bool:
    document = preview._document
    assert preview.question is not None
    economy = record.inputs.economy
    assert economy is not None
    question = replace(preview.question, load=economy.load)
    today = inputs_of(document.tree, question, planned(document.tree, question, document).rules)
    found = replay(document.tree, record, today)
    assert found.then is not None, "what was sent is assembled again"
    return found.is_identical


def compressed(preview: Preview) -> tuple[CompressedPart, ...]:
    preview.refresh_now()
    assert preview.last is not None
    return preview.last.report.economy.compressed


def test_what_is_shortened_is_shown_sent_and_told_again(preview: Preview) -> None:
    document = preview._document
    assert compressed(preview) == ()
    set_economy(document, EconomySettings(compression=True))

    parts = compressed(preview)
    words, record = sent(preview)

    assert [part.row for part in parts] == ["store", "store"]
    assert preview.last is not None
    shown = "\n".join(message.text for message in preview.last.messages) + (preview.last.system or "")
    assert words == shown
    assert words.count("[Result too large (57.5 KB, 6000 lines).") == 2
    assert replayed(preview, record)
    set_economy(document, EconomySettings(compression=True, store_bytes=1_000_000, truncate_chars=2_000))
    preview.refresh_now()
    assert not replayed(preview, record)  # and `then` is what it was


def test_what_a_call_had_cleared_is_cleared_in_the_next_though_it_is_small(preview: Preview) -> None:
    document = preview._document
    economy = EconomySettings(
        compression=True, keep_results=0, clear_idle_seconds=0, clear_documents_utilization=0.0
    )
    set_economy(document, economy)
    (model, *_) = document.agents.models()
    answer(document, model, preview)

    cleared = compressed(preview)

    assert [part.row for part in cleared] == ["clear", "clear"]
    words, record = sent(preview)
    assert words.count("[Old result cleared]") == 2
    assert replayed(preview, record)
    answer(document, model, preview, record)
    set_economy(document, replace(economy, clear_idle_seconds=10_000_000))
    assert [(part.row, part.why) for part in compressed(preview)] == [("clear", "carried")] * 2
    with_full = document.tree.nodes[cleared[0].node_id]
    document.commit(node_marks.send_in_full(document.tree, with_full.id, True, document.pen()))
    assert [part.node_id for part in compressed(preview)] == [cleared[1].node_id]


def answer(
    document: Document,
    model: Agent,
    preview: Preview,
    record: Record | None = None,
    usage: Mapping[str, int] | None = None,
    reason: str = "stop",
) -> None:
    """An answer at the end of the path, as one comes in, with the record of its request."""
    preview.refresh_now()
    assert preview.question is not None
    request = planned(document.tree, preview.question, document).request(document.tree, 1)
    evidence = replace(
        response("Yes."), extra={"context": request.record}, usage=usage or {}, finish_reason=reason
    )
    change = nodes_from_drafts(
        document.tree,
        [Draft(0, text="Yes.", reason=reason)],
        sources=Sources(document.current_id),
        agent_id=model.id,
        evidence=[evidence],
        now=document.pen().now,
        new_id=new_id,
    )
    document.commit(change)


def test_branch_summaries_are_shown_sent_and_told_again_though_they_change(preview: Preview) -> None:
    document = preview._document
    tree, (root, first, last, _) = document.tree, document.path_ids
    document.commit(update_summary(tree, root, "A shop.", document.pen()))
    document.commit(name_branch(tree, last, "The log", document.pen()))
    document.commit(update_summary(tree, last, "It stops at two.", document.pen()))
    set_economy(document, EconomySettings(assembler="summaries"))

    preview.refresh_now()
    words, record = sent(preview)

    assert words.startswith("And?")
    assert "## Thread: The log (active)\n\nIt stops at two." in words
    assert LONG not in words
    assert replayed(preview, record)
    document.commit(update_summary(tree, last, "It stops at three.", document.pen()))
    preview.refresh_now()
    assert preview.last is not None
    assert "three" in (preview.last.system or "")  # the cache of contexts knows that another text is there
    assert not replayed(preview, record)
    assert first in tree.nodes


def test_with_everything_off_what_is_used_is_measured_by_the_last_answer_alone(preview: Preview) -> None:
    document = preview._document
    (model, *_) = document.agents.models()
    for count in (100, 250):
        answer(document, model, preview, usage={"inputTokens": count, "outputTokens": 4})

    preview.refresh_now()

    assert preview.last is not None
    assert preview.last.economy is not None
    state = preview.last.economy.state
    assert (state.measured, state.size) == (True, 254)
    assert not document.calls.has_all
    document.calls.recorded()
    preview.refresh_now()
    assert document.calls.has_all
    assert preview.last.economy.state.total_input_tokens == 350


def test_usage_in_a_large_tree_has_no_totals_of_the_path_until_all_calls_are_known(
    preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = preview._document
    (model, *_) = document.agents.models()
    for count in (100, 250):
        answer(document, model, preview, usage={"inputTokens": count, "outputTokens": 4})
    monkeypatch.setattr(tree_calls, "READ_AT_ONCE", 1)

    before = document.calls.usage_at(document.current_id)
    was_read = document.calls.has_all
    document.calls.recorded()
    after = document.calls.usage_at(document.current_id)

    assert before is not None
    assert after is not None
    assert (before.totals, was_read) == (None, False)
    assert after.totals is not None
    assert (before.call.input_tokens, after.totals.input_tokens) == (250, 350)


def test_all_calls_of_a_large_tree_are_read_beside_the_window_with_those_that_come_meanwhile(
    preview: Preview, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    document = preview._document
    (model, *_) = document.agents.models()
    for count in range(60):
        answer(document, model, preview, usage={"inputTokens": count, "outputTokens": 4})
    monkeypatch.setattr(tree_calls, "READ_AT_ONCE", 1)
    set_economy(document, EconomySettings(make_summaries="thresholds"))

    first = document.calls.known()
    preview.refresh_now()
    judged_meanwhile = document.calls.calls(document.context_defaults, document.path.nodes)
    answer(document, model, preview, usage={"inputTokens": 1_000, "outputTokens": 4})
    with qtbot.waitSignal(document.calls.came):
        pass
    known = document.calls.known()

    assert first is None
    assert len(judged_meanwhile) == tree_calls.LOOKED_AT
    assert known is not None
    assert sum(call.input_tokens or 0 for call in known.values()) == sum(range(60)) + 1_000
    assert document.calls.calls(document.context_defaults) is known


def test_all_calls_of_a_large_tree_are_read_at_once_where_something_is_sent(
    preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = preview._document
    (model, *_) = document.agents.models()
    answer(document, model, preview, usage={"inputTokens": 7, "outputTokens": 4})
    monkeypatch.setattr(tree_calls, "READ_AT_ONCE", 1)
    document.calls.settle(document.context_defaults)
    was_read = document.calls.has_all
    set_economy(document, EconomySettings(make_summaries="thresholds"))
    document.calls.known()

    document.calls.settle(document.context_defaults)

    assert (was_read, document.calls.has_all) == (False, True)


def test_a_copy_of_a_tree_is_not_measured_by_the_answers_of_the_other(preview: Preview) -> None:
    document = preview._document
    (model, *_) = document.agents.models()
    answer(document, model, preview, usage={"inputTokens": 100, "outputTokens": 4})
    preview.refresh_now()
    assert preview.last is not None
    assert preview.last.economy is not None
    assert preview.last.economy.state.measured
    assert preview.last.report.estimator == "scaled"
    tree, nodes = document.tree, list(document.tree.nodes.values())
    copy = Tree(replace(tree.loom, id=new_id()), nodes=nodes, edges=tree.edges.values())
    copy.path = tree.path

    document.add_tree(copy)
    preview.refresh_now()

    assert document.current_id == nodes[-1].id
    assert preview.last.economy is not None
    assert not preview.last.economy.state.measured
    assert preview.last.report.estimator == "safe"


def test_a_tick_of_the_clock_is_a_new_preview(preview: Preview) -> None:
    spy = QSignalSpy(preview.assembled)
    set_economy(preview._document, EconomySettings(compression=True))
    preview.refresh_now()
    before = spy.count()

    preview._document.calls.on_tick()
    preview.settle()

    assert spy.count() == before + 1


def test_answers_that_were_cut_are_known_in_a_tree_that_is_opened_and_in_a_large_one_on_its_paths(
    preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = preview._document
    (model, *_) = document.agents.models()
    first = document.calls.cut_answers(document.path.nodes)
    for tokens in (97, 160):
        answer(document, model, preview, usage={"outputTokens": tokens}, reason="length")
    answer(document, model, preview, usage={"outputTokens": 30})
    before, cut, _ = document.path_ids[-3:]

    told = document.calls.cut_answers(document.path.nodes)
    opened = tree_calls.TreeCalls(document, document.grove, preview).cut_answers(document.path.nodes)
    monkeypatch.setattr(tree_calls, "READ_AT_ONCE", 1)
    large = tree_calls.TreeCalls(document, document.grove, preview).cut_answers(document.path.nodes)

    assert first == {}
    assert told == opened == large == {before: 97, cut: 160}
