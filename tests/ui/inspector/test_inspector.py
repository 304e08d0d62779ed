"""The inspector: rows of a really assembled context, remedies, errors, and what is known of a node.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import Assembled, assemble, to_json
from loomapp.core.context.request import ContextRequest
from loomapp.core.economy.calls import NodeUsage, usage_at_end
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ContextSettings, Mode
from loomapp.core.model.hashes import Finding, Verdict, content_hash
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.calls import calls_of
from loomapp.core.text.token_counts import Scaled, Tokenized
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import remedies
from loomapp.ui.inspector.context import raw_page
from loomapp.ui.inspector.context.context_list import UNIFORM_FROM, ContextList
from loomapp.ui.inspector.context.rows import ContextRow, ContextRows
from loomapp.ui.inspector.context.table import spoken
from loomapp.ui.inspector.node.node_inspector import NodeInspector
from loomapp.ui.inspector.node.provenance_panel import ProvenancePanel
from loomapp.ui.inspector.pane import InspectorPane
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.look import theme
from loomapp.ui.widgets.budget_bar import BudgetBar
from loomapp.ui.widgets.labels import SHOWN_CHARACTERS, PlainView
from loomapp.ui.widgets.words.context_words import verdict_words
from loomapp.ui.widgets.words.outcome_words import fate_words
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.groves import chat_body
from tests.kit.trees import Hand, chain, do
from tests.kit.written_trees import chain as one_after_another
from tests.kit.written_trees import node

AGENTS = {"you": Agent("you", "You", "human"), "smol": Agent("smol", "Smol 360M", "model", colour="a2")}


def talk(*texts: str, mode: Mode = "dialogue", hand: Hand | None = None) -> tuple[Tree, list[str]]:
    """A tree in which you and a model take turns, and the ids of what they said."""
    hand = hand or Hand()
    tree = tree_edits.new_tree(mode, "Talk", hand.pen())
    ids: list[str] = []
    for number, text in enumerate(texts):
        pen = hand.pen("smol" if number % 2 else "you")
        pen = replace(pen, author_type="model" if number % 2 else "human")
        change = do(tree, node_edits.add_node(tree, ids[-1] if ids else tree.root_id, text, pen))
        ids.append(change.added_nodes()[0].id)
    return tree, ids


def assembled_at(tree: Tree, node_id: str, **asked: object) -> Assembled:
    return assemble(tree, ContextRequest(node_id, **asked))  # type: ignore[arg-type]


def shown(qtbot: QtBot, widget: QWidget, width: int = 720, height: int = 480) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "light")
    qtbot.addWidget(widget)
    widget.resize(width, height)
    show_active(qtbot, widget)


def preview_of(
    qtbot: QtBot, tree: Tree, node_id: str, *, width: int = 720, **asked: object
) -> ContextPreview:
    preview = ContextPreview()
    shown(qtbot, preview, width)
    preview.show_assembled(assembled_at(tree, node_id, **asked), tree, AGENTS)
    return preview


def rows_of(tree: Tree, node_id: str, **asked: object) -> list[ContextRow]:
    rows = ContextRows(assembled_at(tree, node_id, **asked), tree, AGENTS)
    return [rows[number] for number in range(len(rows))]


def said(rows: list[ContextRow]) -> list[tuple[str, str]]:
    return [(row.kind, row.text) for row in rows]


# Rows


def test_what_is_left_out_stands_where_it_would_have_been() -> None:
    hand = Hand()
    tree, ids = talk("One", "Two", "Three", hand=hand)
    do(tree, node_marks.exclude(tree, [ids[1]], hand.pen()))
    note = do(tree, node_edits.annotate(tree, ids[0], "A note", hand.pen())).added_nodes()[0]

    rows = rows_of(tree, ids[2])

    assert said(rows) == [
        ("sent", "One"),
        ("left out", "A note"),
        ("left out", "Two"),
        ("sent", "Three"),
    ]
    assert [row.reason for row in rows] == [None, "annotation", "excluded", None]
    assert [row.node_id for row in rows] == [ids[0], note.id, ids[1], ids[2]]
    assert rows[3].joined  # both are yours, with nothing sent between: one message
    assert not rows[0].joined


def test_tokens_of_a_models_own_template_are_told_where_no_system_context_is_sent() -> None:
    tree, ids = talk("One")
    counted = Tokenized(request_tokens=3, message_tokens=5, bare_tokens=25)

    rows = rows_of(tree, ids[0], estimator=counted)
    with_prompt = rows_of(tree, ids[0], estimator=counted, system_prompt="You are brief.")

    assert [(row.chip, row.tokens) for row in rows[:1]] == [("template", 25)]
    assert [row.kind for row in rows] == ["system", "sent"]
    assert rows[0].text.endswith("usually with a system prompt of its own")
    assert [row.chip for row in with_prompt] == ["agent", "template", with_prompt[2].chip]

    guessed = rows_of(tree, ids[0], estimator=Scaled(until=ids[0], beside_tokens=40))
    assert (guessed[0].chip, guessed[0].tokens, guessed[0].is_estimate) == ("template", 40, True)
    assert guessed[0].text == "Counted by the provider beside these texts"


def test_a_text_that_is_continued_is_said_to_have_no_template_around_it() -> None:
    tree, ids = talk("One", mode="buffer")

    [counted, sent] = rows_of(tree, ids[0], estimator=Scaled(until=ids[0], beside_tokens=40))

    assert (counted.chip, counted.tokens, counted.is_estimate) == ("count", 40, True)
    assert "template" not in counted.text
    assert sent.text == "One"


def test_a_system_text_has_its_own_tokens_whatever_the_template_adds() -> None:
    tree, ids = talk("One")
    prompt = "Speak like a pirate in all that you say."
    beside = (0, 40)

    found = [
        rows_of(tree, ids[0], estimator=Scaled(until=ids[0], beside_tokens=tokens), system_prompt=prompt)
        for tokens in beside
    ]

    assert [rows[0].tokens for rows in found] == [10, 10]
    assert spoken(found[1][0], with_text=False) == "System · agent · about 10 tokens"
    assert "template" not in [row.chip for row in found[0]]
    assert (found[1][1].chip, found[1][1].tokens) == ("template", 40)


def test_where_a_context_was_counted_as_one_text_its_rows_say_how_much_more_they_come_to() -> None:
    tree, ids = talk("One")

    rows = rows_of(tree, ids[0], estimator=Tokenized(message_tokens=5, total=4))

    assert [(row.kind, row.tokens) for row in rows] == [("sent", 7), ("info", None)]
    assert rows[1].text == "Counted as one text, this is 3 tokens less than the sum of its parts."


def test_the_marker_stands_in_the_gap_and_the_numbers_add_up() -> None:
    tree, ids = talk(*("x" * 400 for _ in range(10)))
    context = assembled_at(tree, ids[-1], window=1024 + 620)

    rows = rows_of(tree, ids[-1], window=1024 + 620)

    assert [row.kind for row in rows] == ["sent", "marker", *["left out"] * 4, *["sent"] * 5]
    assert rows[1].text == "[... 4 messages omitted ...]"
    sent = sum(row.tokens or 0 for row in rows if row.kind in ("sent", "marker"))
    assert sent == context.report.after_tokens == 607


def test_a_document_cut_from_the_front_says_how_much_is_gone() -> None:
    tree, ids = talk("y" * 4000, mode="buffer")

    rows = rows_of(tree, ids[0], window=1024 + 100, working_buffer="word")

    assert said(rows[:2]) == [("sent", "y" * 396), ("unsent", "word")]
    assert rows[0].note == "3,604 characters cut off"
    assert [row.tokens for row in rows] == [99, 1, None]
    assert rows[2].text == "Text is cut by its length, here in the middle of a word."


@pytest.mark.parametrize(("mode", "what"), [("dialogue", "message"), ("buffer", "passage")])
def test_where_no_beginning_can_be_kept_it_is_said(mode: Mode, what: str) -> None:
    tree, ids = talk("y" * 4000, "Two. " * 20, "Three. " * 20, mode=mode)

    rows = rows_of(tree, ids[2], window=1024 + 120, provider_rules="none")

    sentence = f"The first {what} is too long to be kept as well: what is sent begins later."
    assert sentence in [row.text for row in rows if row.kind == "info"]


def test_a_models_passage_in_which_a_word_was_changed_is_still_the_models() -> None:
    hand = Hand()
    tree, ids = talk("The rain had stopped by noon.", mode="buffer", hand=hand)
    by_model = replace(tree.nodes[ids[0]], author_type="model", author_agent_id="smol")
    tree.put_node(by_model)
    edit = node_edits.edit_as_sibling(tree, ids[0], "The rain had ended by noon.", hand.pen())
    [corrected] = do(tree, edit).added_nodes()

    rows = rows_of(tree, corrected.id)

    assert [(row.kind, row.name, row.note, row.text) for row in rows[-1:]] == [
        ("sent", "Smol 360M", "", "The rain had ended by noon.")
    ]


def test_the_system_context_comes_apart() -> None:
    hand = Hand()
    tree, ids = talk("Hello", hand=hand)
    do(
        tree,
        tree_edits.change_loom(tree, "Set", hand.pen(), replace(tree.loom, system_context="You are Marie.")),
    )
    told = do(tree, node_edits.add_node(tree, ids[0], "In French.", hand.pen())).added_nodes()[0]

    rows = rows_of(tree, ids[0], system_prompt="Be plain.", instruction_ids=(told.id,))

    assert [(row.chip, row.text, row.tokens) for row in rows[:3]] == [
        ("agent", "Be plain.", 3),
        ("tree", "You are Marie.", 4),
        ("instruction", "In French.", 3),
    ]
    assert rows[2].node_id == told.id


def test_text_from_the_composer_is_shown_as_not_committed() -> None:
    tree, ids = talk("Hello", "Hi")

    row = rows_of(tree, ids[1], composer_text="And now?")[-1]

    assert (row.kind, row.name, row.text, row.node_id) == ("unsent", "You", "And now?", None)
    assert row.note == "still being written"


def test_what_a_provider_changes_is_told_below() -> None:
    tree, ids = talk("Hello", "Hi")

    rows = rows_of(tree, ids[1], provider_rules="openai")

    assert rows[-1].kind == "info"
    assert "Continue." in rows[-1].text


def test_a_buffer_without_its_system_context_says_so() -> None:
    hand = Hand()
    tree, ids = talk("Once ", mode="buffer", hand=hand)
    do(
        tree,
        tree_edits.change_loom(tree, "Set", hand.pen(), replace(tree.loom, system_context="A story.")),
    )

    rows = rows_of(tree, ids[0])

    assert [row.kind for row in rows] == ["sent", "info"]
    assert "this tree is a buffer" in rows[-1].text


# The preview


def test_a_click_goes_to_the_node_and_include_asks_for_it(qtbot: QtBot, pointer: Pointer) -> None:
    hand = Hand()
    tree, ids = talk("One", "Two", "Three", hand=hand)
    do(tree, node_marks.exclude(tree, [ids[1]], hand.pen()))
    for width in (720, 440):  # one line a row, and two
        preview = preview_of(qtbot, tree, ids[2], width=width)
        went: list[str] = []
        included: list[str] = []
        preview.node_clicked.connect(went.append)
        preview.remedy_asked.connect(lambda node_id, _: included.append(node_id))  # noqa: B023 - used at once
        view = preview.rows.viewport()

        pointer.click(view, preview.rows.row_rect(ids[2]).center())
        pointer.click(view, preview.rows.remedy_rect(ids[1]).center())

        qtbot.waitUntil(lambda: bool(went and included))  # noqa: B023 - used at once
        assert (went, included) == ([ids[2]], [ids[1]])
        preview.close()


def test_rows_work_by_keyboard(qtbot: QtBot, pointer: Pointer) -> None:
    hand = Hand()
    tree, ids = talk("One", "Two", hand=hand)
    do(tree, node_marks.exclude(tree, [ids[0]], hand.pen()))
    preview = preview_of(qtbot, tree, ids[1])
    preview.rows.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(preview.rows.hasFocus)

    with qtbot.waitSignal(preview.remedy_asked) as asked:
        pointer.key("x")
    with qtbot.waitSignal(preview.node_clicked) as clicked:
        pointer.key("Down", "Return")

    assert (asked.args, clicked.args) == ([ids[0], "excluded"], [ids[1]])


def test_the_total_and_the_bar_tell_the_report(qtbot: QtBot) -> None:
    tree, ids = talk("x" * 400)
    preview = preview_of(qtbot, tree, ids[0], window=3072, system_prompt="y" * 40)

    words = [label.text() for label in preview.findChildren(QLabel) if label.isVisible()]
    parts = ("System", "Messages", "Free", "Kept for the answer")

    assert words[:2] == ["110", "of 2,048 tokens will be sent"]
    assert [words[words.index(name) + 1] for name in parts] == ["10", "100", "1,938", "1,024"]


@pytest.mark.slow
def test_raw_shows_and_copies_the_json(qtbot: QtBot, pointer: Pointer) -> None:
    tree, ids = talk("Hello & <b>goodbye</b>")
    preview = preview_of(qtbot, tree, ids[0])

    pointer.click(find(preview, QToolButton, "rawContextButton"))
    raw = find(preview, PlainView, "rawContext")
    qtbot.waitUntil(raw.isVisible)
    pointer.click(find(preview, QToolButton, "copyContextButton"))

    expected = to_json(assembled_at(tree, ids[0]))
    assert json.loads(raw.text()) == expected
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "")
    assert json.loads(QGuiApplication.clipboard().text()) == expected


def test_the_report_of_a_long_path_is_written_beside_the_window(
    qtbot: QtBot, pointer: Pointer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_page, "MANY", 1)
    tree, ids = talk("One", "Two", "Three")
    preview = preview_of(qtbot, tree, ids[2])

    pointer.click(find(preview, QToolButton, "rawContextButton"))

    raw = find(preview, PlainView, "rawContext")
    qtbot.waitUntil(lambda: raw.text() != "")
    assert json.loads(raw.text()) == to_json(assembled_at(tree, ids[2]))
    preview.show_assembled(assembled_at(tree, ids[1]), tree, AGENTS)
    qtbot.waitUntil(lambda: json.loads(raw.text()) == to_json(assembled_at(tree, ids[1])))
    preview.show_assembled(assembled_at(tree, ids[2]), tree, AGENTS)
    preview.hide()  # while it is written
    qtbot.waitUntil(lambda: json.loads(raw.text()) == to_json(assembled_at(tree, ids[2])))


def test_the_request_of_a_long_path_is_written_beside_the_window(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_page, "MANY", 1)
    tree, ids = talk("One", "Two", "Three")
    page = raw_page.RawPage()
    shown(qtbot, page, 720)
    wrote: list[str] = []

    def write(words: str) -> str:
        assert threading.current_thread() is not threading.main_thread()
        wrote.append(words)
        return words

    def refuse() -> str:
        raise InvalidInput("No such endpoint.")

    for words in ("of before", "of now"):
        page.show_texts(partial(write, words), assembled_at(tree, ids[2]))
        assert page.view.text() == ""
    qtbot.waitUntil(lambda: page.view.text() == "of now")
    assert wrote == ["of before", "of now"]
    page.show_texts(refuse, assembled_at(tree, ids[2]))
    qtbot.waitUntil(lambda: page.view.text() == "No such endpoint.")


def test_an_error_gives_numbers_a_next_step_and_the_largest_nodes(qtbot: QtBot, pointer: Pointer) -> None:
    tree, ids = talk("x" * 400, "y" * 4000, "z")
    preview = preview_of(qtbot, tree, ids[2])
    with pytest.raises(AssemblyError) as raised:
        assembled_at(tree, ids[2], window=1524, overrides=ContextSettings("stopAtLimit"))

    preview.show_error(raised.value, tree)

    assert find(preview, QLabel, "contextErrorFigures").text() == "needed 1,101   available 500   over by 601"
    assert find(preview, QLabel, "contextErrorStep").text().startswith("Exclude one of the largest")
    largest = [button for button in preview.findChildren(QPushButton) if "tokens" in button.text()]
    with qtbot.waitSignal(preview.node_clicked) as clicked:
        pointer.click(largest[0])
    assert clicked.args == [ids[1]]

    preview.show_assembled(assembled_at(tree, ids[2]), tree, AGENTS)  # it goes when the reason goes
    assert find(preview, ContextList, "inspectorRows").isVisible()


def test_a_new_tree_is_told_calmly_what_to_do(qtbot: QtBot) -> None:
    tree, ids = talk("One")
    preview = preview_of(qtbot, tree, ids[0])
    with pytest.raises(AssemblyError) as raised:
        assembled_at(tree, tree.root_id)

    preview.show_error(raised.value, tree)

    assert find(preview, QLabel, "contextEmpty").text().startswith("Nothing to send yet. Write something")
    assert not find(preview, QWidget, "contextError").isVisible()


def test_nothing_is_drawn_while_hidden_and_all_of_it_when_seen(qtbot: QtBot) -> None:
    tree, ids = talk("One", "Two")
    preview = preview_of(qtbot, tree, ids[0])
    preview.hide()

    preview.show_assembled(assembled_at(tree, ids[1]), tree, AGENTS)
    assert preview.rows.row_rect(ids[1]).isEmpty()
    preview.show()

    assert not preview.rows.row_rect(ids[1]).isEmpty()


def test_the_cursor_stays_on_its_node_when_rows_come_and_go(qtbot: QtBot, pointer: Pointer) -> None:
    hand = Hand()
    tree, ids = talk("One", "Two", "Three", hand=hand)
    preview = preview_of(qtbot, tree, ids[2])
    pointer.click(preview.rows.viewport(), preview.rows.row_rect(ids[2]).center())
    qtbot.waitUntil(lambda: preview.rows.currentIndex().isValid())

    do(tree, node_edits.annotate(tree, ids[0], "A note", hand.pen()))
    preview.show_assembled(assembled_at(tree, ids[2]), tree, AGENTS)
    with qtbot.waitSignal(preview.node_clicked) as clicked:
        pointer.key("Return")

    assert clicked.args == [ids[2]]


def test_rows_are_measured_anew_for_another_width(qtbot: QtBot) -> None:
    tree, ids = talk(*("x " * 200 for _ in range(8)))
    preview = preview_of(qtbot, tree, ids[7], width=420, provider_rules="openai")
    view = preview.rows

    def heights() -> list[int]:
        model = view.model()
        return [view.visualRect(model.index(row, 0)).height() for row in range(model.rowCount())]

    narrow = heights()
    preview.resize(720, 480)
    qtbot.waitUntil(lambda: heights() != narrow)
    resized = heights()
    preview.show_assembled(assembled_at(tree, ids[7], provider_rules="openai"), tree, AGENTS)

    assert resized == heights() == [30] * 8 + [38]


def test_an_answer_that_a_person_edited_says_that_it_goes_as_the_model_s() -> None:
    tree, ids = chain(1)
    hand = Hand(1_800_000_000_000)
    writer = replace(hand.pen("scribe"), author_type="model")
    (answer,) = do(tree, node_edits.add_node(tree, ids[0], "Wide.", writer)).added_nodes()
    (edited,) = do(tree, node_edits.edit_as_sibling(tree, answer.id, "Grey.", hand.pen())).added_nodes()

    row = next(row for row in rows_of(tree, edited.id) if row.node_id == edited.id)

    assert (row.text, row.note) == ("Grey.", "as the model")


class CountedRows(ContextRows):
    """Counts how often a row is made."""

    made = 0

    def __getitem__(self, number: int) -> ContextRow:
        """One more."""
        self.made += 1
        return super().__getitem__(number)


def test_the_end_of_a_context_is_shown_in_another_tree_and_where_the_list_becomes_lower(qtbot: QtBot) -> None:
    (tree, ids), (other, other_ids) = chain(40), chain(60)
    preview = preview_of(qtbot, tree, ids[-1])
    rows = find(preview, ContextList, "inspectorRows")
    bar = rows.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(9)
    preview.show_assembled(assembled_at(tree, ids[-2]), tree, AGENTS)
    assert bar.value() == 9, "a reader stays where she is"

    preview.show_assembled(assembled_at(other, other_ids[-1]), other, AGENTS)
    assert bar.value() == bar.maximum()
    preview.resize(preview.width(), preview.height() - 120)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum(), timeout=3_000)


@pytest.mark.slow
def test_of_a_long_path_only_the_rows_in_view_are_made(qtbot: QtBot) -> None:
    tree, ids = chain(5000)
    rows = CountedRows(assembled_at(tree, ids[-1]), tree, AGENTS)
    assert len(rows) > UNIFORM_FROM
    view = ContextList()
    shown(qtbot, view)

    view.show_rows(rows)
    view.grab()

    assert 0 < rows.made < 200


# A node


def evidence_for(body: bytes, node_id: str = "", *, choice: int = 0) -> Evidence:
    return Evidence(
        "ev1",
        "local",
        '{"model": "smol", "n": 3}',
        compress(body),
        request_id="req-7",
        model="SmolLM2-360M",
        started_at=1_790_000_000_000,
        ended_at=1_790_000_003_210,
        latency_ms=412,
        usage={"prompt_tokens": 812, "completion_tokens": 96},
        finish_reason="stop",
        choices={node_id or "0": choice},
    )


def all_words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def test_a_node_says_who_when_what_and_where_from(qtbot: QtBot, pointer: Pointer) -> None:
    hand = Hand()
    tree, ids = talk("One & only", "Two", hand=hand)
    change = do(tree, node_edits.edit_as_sibling(tree, ids[0], "One & all", hand.pen()))
    edited = change.added_nodes()[0]
    do(tree, node_marks.exclude(tree, [edited.id], hand.pen()))
    node = tree.nodes[edited.id]
    inspector = NodeInspector()
    shown(qtbot, inspector, 760, 420)

    inspector.show_node(tree, node, AGENTS, Finding(node.id, node.local_id, "ok"))

    assert find(inspector, PlainView, "nodeText").text() == "One & all"
    assert find(inspector, QLabel, "nodeLocalId").text() == node.local_id
    assert node.content_hash in [field.text() for field in inspector.findChildren(QLineEdit)]
    links = {button.text(): button for button in inspector.findChildren(QPushButton, "nodeLink")}
    assert set(links) == {tree.nodes[tree.root_id].local_id, tree.nodes[ids[0]].local_id}
    assert "Verified" in all_words(inspector)
    original = links[tree.nodes[ids[0]].local_id]
    qtbot.waitUntil(lambda: original.mapTo(inspector, QPoint(0, 0)).x() > 380)  # laid out
    with qtbot.waitSignal(inspector.node_clicked) as clicked:
        pointer.click(original)
    assert clicked.args == [ids[0]]


def test_in_a_narrow_and_low_pane_the_text_of_a_node_keeps_its_frame(qtbot: QtBot) -> None:
    tree, ids = talk("One", "Two", hand=Hand())
    inspector = NodeInspector()
    shown(qtbot, inspector, 355, 200)

    inspector.show_node(tree, tree.nodes[ids[0]], AGENTS)

    text, area = find(inspector, PlainView, "nodeText"), find(inspector, QScrollArea, "nodeDetails")
    assert area.isAncestorOf(text), "the two halves scroll as one"
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    side = text.parentWidget()
    assert side is not None
    assert side.height() >= side.minimumSizeHint().height()
    panel = ProvenancePanel()
    shown(qtbot, panel, 355, 200)
    panel.show_node(tree.nodes[ids[1]], evidence_for(b"Two", ids[1]))
    told = find(panel, QScrollArea, "provenanceTold").verticalScrollBar()
    qtbot.waitUntil(lambda: find(panel, QScrollArea, "provenanceArea").verticalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: told.maximum() == 0)


@pytest.mark.slow
def test_a_models_node_shows_its_exchange_as_plain_text(qtbot: QtBot, pointer: Pointer) -> None:
    tree, ids = talk("One", "Two")
    node = tree.nodes[ids[1]]
    panel = ProvenancePanel()
    shown(qtbot, panel, 900, 640)
    evidence = evidence_for(b"<img src=x>", node.id, choice=1)
    counted = {"inputTokens": 812, "cachedTokens": 700, "outputTokens": 96, "prompt_tokens": 9}
    panel.show_node(node, replace(evidence, usage=counted), Finding(node.id, node.local_id, "ok"))

    qtbot.waitUntil(lambda: "2 of this" in all_words(panel))
    words = all_words(panel)
    for expected in (
        "Verified",
        "local",
        "SmolLM2-360M",
        "stop",
        "812 tokens, 700 of them from the cache",
        "96 tokens",
        "prompt tokens 9",
        "after 412 ms",
        "2 of this",
    ):
        assert expected in words
    fields = {field.accessibleName(): field.text() for field in panel.findChildren(QLineEdit)}
    assert fields["Request id"] == "req-7"
    body = find(panel, PlainView, "exchangeBody")
    assert body.text() == "<img src=x>"
    pointer.click(find(panel, QPushButton, "requestBodyButton"))
    qtbot.waitUntil(lambda: '"n": 3' in body.text())
    with qtbot.waitSignal(panel.export_asked):
        pointer.click(find(panel, QPushButton, "exportEvidenceButton"))
    names = ("requestBody", "headers", "copyExchange")
    first, last, copy = (find(panel, QPushButton, f"{name}Button") for name in names)
    for width in (300, 366, 420, 900):  # beside its parts, however those wrap; in a usual dock they do not
        panel.resize(width, 640)
        QApplication.processEvents()
        assert copy.y() == first.y()
        assert copy.x() > first.geometry().right()
        assert width < 366 or last.y() == first.y()


@pytest.mark.slow
def test_a_huge_response_is_shown_up_to_a_limit_and_a_broken_one_says_so(qtbot: QtBot) -> None:
    tree, ids = talk("One", "Two")
    node = tree.nodes[ids[1]]
    panel = ProvenancePanel()
    shown(qtbot, panel, 900, 640)
    panel.show_node(node, evidence_for(b"a" * 50_000_000))
    body = find(panel, PlainView, "exchangeBody")
    assert len(body.text()) == SHOWN_CHARACTERS
    assert "200,000" in all_words(body)

    panel.show_node(node, replace(evidence_for(b"b"), body_gzip=b"\x1f\x8b not gzip"))

    assert body.text().startswith("The kept response cannot be read")


def test_where_there_is_no_exchange_it_says_why(qtbot: QtBot) -> None:
    tree, ids = talk("One", "Two")
    panel = ProvenancePanel()
    shown(qtbot, panel, 900, 640)

    panel.show_node(tree.nodes[ids[0]])
    assert all_words(panel).startswith("Written by a person")
    panel.show_node(tree.nodes[ids[1]])
    assert all_words(panel).startswith("No response was kept")


def test_without_a_node_it_says_what_will_be_here(qtbot: QtBot) -> None:
    tree, _ = talk("One")
    inspector = NodeInspector()
    shown(qtbot, inspector)

    inspector.show_node(tree, None, AGENTS)

    assert "Select a node" in all_words(inspector)


@pytest.mark.parametrize("verdict", ["ok", "no evidence", "moved", "failed"])
def test_every_verdict_has_words_and_only_ok_is_called_verified(verdict: Verdict) -> None:
    words = verdict_words(Finding("n", "N", verdict, "its text is not what was hashed"), is_model=True)

    assert words.startswith("Verified") == (verdict == "ok")
    assert ("its text is not what was hashed" in words) == (verdict in ("moved", "failed"))


# The pane


@dataclass
class Authors:
    """The agents of a real grove."""

    grove: Grove

    def by_id(self) -> Mapping[str, Agent]:
        """Every agent by id."""
        return {agent.id: agent for agent in self.grove.agents()}


@dataclass(frozen=True)
class UsageBook:
    """The usage of the calls of a tree of a real grove."""

    tree: Tree
    grove: Grove

    def usage_at(self, node_id: str) -> NodeUsage | None:
        """The usage of the call behind a node."""
        calls = calls_of(self.tree, self.grove.bodiless_evidence(self.tree.loom.id))
        return usage_at_end(resolve(self.tree, node_id), calls)


@dataclass
class Reader:
    """A document: a tree of a real grove, and the node that is selected."""

    tree: Tree
    current_id: str
    grove: Grove

    @property
    def agents(self) -> Authors:
        """Its agents."""
        return Authors(self.grove)

    @property
    def calls(self) -> UsageBook:
        """The usage of its calls."""
        return UsageBook(self.tree, self.grove)


def written(grove: Grove, text: str = "Hello.") -> Reader:
    """A grove with one question and a model's answer that rests on a response."""
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "Talk", hand.pen(grove.owner.id), text="Hello?")
    grove.put_agent(AGENTS["smol"])
    grove.add_tree(tree, [grove.owner])
    tree = grove.load_tree(tree.loom.id)
    change = nodes_from_drafts(
        tree,
        [Draft(0, text, reason="stop")],
        sources=Sources(tree.root_id),
        agent_id="smol",
        evidence=[evidence_for(chat_body(text))],
        now=hand.now + 1,
        new_id=hand.new_id,
    )
    assert change is not None
    grove.commit(tree, change)
    return Reader(tree, change.added_nodes()[0].id, grove)


def test_the_node_tab_reads_and_verifies_what_the_grove_holds(
    qtbot: QtBot, pointer: Pointer, tmp_path: Path
) -> None:
    with create_grove(tmp_path / "grove.loom") as grove:
        reader = written(grove)
        pane = InspectorPane()
        shown(qtbot, pane, 860, 300)
        pane.show_node_of(reader)
        assert not pane.node.isVisible()

        tabs = find(pane, QTabBar, "inspectorTabs")
        pointer.click(tabs, tabs.tabRect(1).center())
        qtbot.waitUntil(pane.node.isVisible)

        assert find(pane, QLabel, "nodeVerdictWords").text().startswith("Verified: the kept response")
        told = {one.accessibleName() for one in pane.node.findChildren(QLabel)}
        assert any(words.startswith("This path so far: ") for words in told)
        provenance = next(i for i in range(tabs.count()) if tabs.tabText(i) == "Provenance")
        pointer.click(tabs, tabs.tabRect(provenance).center())
        qtbot.waitUntil(pane.provenance.isVisible)
        assert find(pane, PlainView, "exchangeBody").text() == chat_body("Hello.").decode()
        pointer.click(tabs, tabs.tabRect(1).center())
        node = reader.tree.nodes[reader.current_id]
        reader.tree.nodes[node.id] = replace(node, created_at=node.created_at + 1)
        pane.show_node_of(reader)
        assert find(pane, QLabel, "nodeVerdictWords").text().startswith("Does not verify")


def test_a_forged_text_is_seen_beside_its_response_though_the_hash_fits(qtbot: QtBot, tmp_path: Path) -> None:
    with create_grove(tmp_path / "grove.loom") as grove:
        reader = written(grove)
        node, evidence = reader.tree.nodes[reader.current_id], grove.all_evidence(reader.tree.loom.id)[0]
        forged = replace(node, content=Text("Farewell."))
        digest = evidence.digest(node.id)
        reader.tree.nodes[node.id] = replace(forged, content_hash=content_hash(forged, digest))
        pane = InspectorPane()
        shown(qtbot, pane, 860, 300)
        pane.show_tab("provenancePanel")

        pane.show_node_of(reader)
        qtbot.waitUntil(pane.provenance.isVisible)

        words = find(pane, QLabel, "provenanceVerdictWords").text()
        assert words == "Does not verify: its text is not the text of its response."


@pytest.mark.slow
def test_a_long_response_is_read_beside_the_window_and_then_verified(qtbot: QtBot, tmp_path: Path) -> None:
    words = random.Random(7)
    long = " ".join(str(words.random()) for _ in range(20_000))
    with create_grove(tmp_path / "grove.loom") as grove:
        reader = written(grove, long)
        pane = InspectorPane()
        shown(qtbot, pane, 860, 300)
        pane.show_tab("provenancePanel")
        pane.show_node_of(reader)
        verdict = find(pane, QWidget, "provenanceVerdict")
        assert not verdict.isVisible()

        qtbot.waitUntil(verdict.isVisible)

        assert find(pane, QLabel, "provenanceVerdictWords").text().startswith("Verified: the kept response")


def test_tabs_change_by_keyboard(qtbot: QtBot, pointer: Pointer) -> None:
    pane = InspectorPane()
    shown(qtbot, pane, 860, 300)
    pane.setFocus()
    qtbot.waitUntil(find(pane, QTabBar, "inspectorTabs").hasFocus)

    pointer.key("Right")
    qtbot.waitUntil(pane.node.isVisible)
    pane.show_context()

    assert pane.context.isVisible()


def test_words_from_a_node_are_never_markup(qtbot: QtBot) -> None:
    tree, ids = talk("<img src='file:///etc/passwd'><b>One</b>")
    preview = preview_of(qtbot, tree, ids[0])

    model = preview.rows.model()
    tips = [
        str(model.data(model.index(row, 0), Qt.ItemDataRole.ToolTipRole)) for row in range(model.rowCount())
    ]

    assert not any("<img" in tip or "<b>" in tip for tip in tips)
    assert any("&lt;img" in tip for tip in tips)


def test_long_words_and_other_scripts_keep_their_lines_whole(qtbot: QtBot, pointer: Pointer) -> None:
    text = "織物 🧵🧵🧵 " * 60 + "x" * 3000
    tree, ids = talk(text)
    preview = preview_of(qtbot, tree, ids[0], width=400)

    with qtbot.waitSignal(preview.node_clicked):
        pointer.click(preview.rows.viewport(), preview.rows.row_rect(ids[0]).topLeft() + QPoint(60, 8))


def test_a_node_that_left_the_tree_is_drawn_as_it_was_until_the_context_is_made_anew(qtbot: QtBot) -> None:
    tree, ids = talk("Who is she?", "The keeper's daughter.", "Go on.")
    preview = preview_of(qtbot, tree, ids[-1])

    for node_id in reversed(ids):
        tree.drop_edge(tree.incoming(node_id)[0].id)
        tree.drop_node(node_id)
    find(preview, ContextList, "inspectorRows").viewport().repaint()

    rows = find(preview, ContextList, "inspectorRows").model()
    assert "Go on." in str(rows.index(rows.rowCount() - 1, 0).data())


def test_all_tabs_are_seen_in_a_pane_that_becomes_as_narrow_as_beside_a_buffer(qtbot: QtBot) -> None:
    pane = InspectorPane()
    fold = QToolButton()
    fold.setFixedWidth(28)
    pane.add_to_tabs(fold)
    shown(qtbot, pane, 778, 300)
    tabs = find(pane, QTabBar, "inspectorTabs")

    pane.resize(396, 300)

    qtbot.waitUntil(lambda: tabs.width() < 396)
    qtbot.waitUntil(lambda: tabs.tabRect(tabs.count() - 1).right() < tabs.width())
    assert not any(arrow.isVisible() for arrow in tabs.findChildren(QToolButton))


def test_the_shares_of_the_budget_take_the_tints_of_another_theme_at_once(
    qtbot: QtBot, qapp: QApplication
) -> None:
    tree, ids = talk("A question. " * 40, "An answer. " * 40)
    preview = preview_of(qtbot, tree, ids[-1], window=4_000)
    bar = find(preview, BudgetBar, "budgetBar")

    theme.apply(qapp, "dark")
    turned = bar.grab().toImage()
    preview.show_assembled(assembled_at(tree, ids[-1], window=4_000), tree, AGENTS)

    assert turned == bar.grab().toImage()
    theme.apply(qapp, "light")


def test_a_passage_whose_beginning_is_cut_says_that_it_is_sent_in_part() -> None:
    tree = one_after_another(node("n1", "x" * 4_000), mode="buffer")
    context = assemble(tree, ContextRequest("n1", window=1024 + 100))

    fate, in_part = context.fates["n1"], context.fates.in_part == "n1"
    told = fate_words(tree, tree.nodes["n1"], fate, context, on_path=True, in_part=in_part)

    assert told.words == "Sent in part"


def test_what_is_shortened_says_so_in_its_row_and_can_be_sent_in_full(qtbot: QtBot) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "Talk", hand.pen())
    content = Mixed((Text("Here."), AttachedDocument("log.txt", "text/plain", "line\n" * 12_000)))
    first = do(tree, node_edits.add_content(tree, tree.root_id, content, hand.pen())).added_nodes()[0].id
    last = do(tree, node_edits.add_node(tree, first, "And?", hand.pen())).added_nodes()[0].id
    on = ContextSettings(economy=EconomySettings(compression=True))
    row = rows_of(tree, last, overrides=on)[0]
    assert (row.note, row.act) == ("stored 58.6 → 1.1 KB", "sendInFull")

    preview = ContextPreview()
    shown(qtbot, preview)
    preview.show_assembled(assembled_at(tree, last, overrides=on), tree, AGENTS)
    asked: list[tuple[str, str]] = []
    preview.remedy_asked.connect(lambda node_id, why: asked.append((node_id, why)))
    menu = preview.rows.menu_of(preview.rows.model().index(0, 0))
    next(act for act in menu.actions() if act.text() == "Send in full").trigger()

    assert asked == [(first, "sendInFull")]
    do(tree, remedies.MENDING["sendInFull"](tree, [first], hand.pen()))
    row = rows_of(tree, last, overrides=on)[0]
    assert (row.note, row.act) == ("sent in full", "shortenWhenFull")
    do(tree, remedies.MENDING["shortenWhenFull"](tree, [first], hand.pen()))
    assert rows_of(tree, last, overrides=on)[0].act == "sendInFull"
