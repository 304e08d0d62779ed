"""Tree settings: saved as typed, never disturbed by what comes back, and undone by the one history."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction, QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QTextEdit,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.economy_settings import BY_NAME, EconomySettings
from loomapp.core.model.entities import ContextSettings, LoomTree
from loomapp.core.summarisers.prompts import conversation_prompt, story_prompt, work_prompt
from loomapp.core.text.token_counts import Scaled, estimate
from loomapp.ui.look import theme
from loomapp.ui.trees.compression_table import LIMITS, ROWS, CompressionFacts, facts_of
from loomapp.ui.trees.tree_settings import PAUSE_MS, TreeSettingsPage
from loomapp.ui.widgets.fields import from_line
from loomapp.ui.widgets.form import LongText
from loomapp.ui.widgets.rows import InheritableRow, Row
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import Kind, find
from tests.kit.trees import Hand, do

LOOM = LoomTree("t1", "Marie study", "dialogue", "r", system_context="You are Marie.")
ALL_OWN = EconomySettings(compression=True, preview_lines=100, budget_utilization=0.4)
AGENT = Agent("m1", "Smol 360M", "model", configuration=Configuration(system_prompt="Write plainly."))


class Desk:
    """A page in a window that has actions for undo and redo, and what the page said."""

    def __init__(self, qtbot: QtBot, loom: LoomTree = LOOM, agent: Agent | None = AGENT) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, "light")
        self.window = QMainWindow()
        self.page = TreeSettingsPage(self.window)
        self.window.setCentralWidget(self.page)
        self.window.resize(680, 760)
        qtbot.addWidget(self.window)
        self.said: list[LoomTree] = []
        self.undone: list[str] = []
        for name, keys in (("undo", "Ctrl+Z"), ("redo", "Ctrl+Shift+Z")):
            action = QAction(name, self.window)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _=False, name=name: self.undone.append(name))
            self.window.addAction(action)
        self.page.loom_edited.connect(self.said.append)
        self.page.show_loom(loom, agent, AppContextSettings())
        show_active(qtbot, self.window)
        qtbot.waitUntil(lambda: self.page.is_whole)
        QApplication.sendPostedEvents()  # and laid out

    def only_when_flushed(self) -> None:
        """Nothing is said by itself any more: what comes now comes from leaving or closing."""
        self.page._pause.setInterval(10_000_000)

    @property
    def text(self) -> QTextEdit:
        return self.find(QTextEdit, "treeSystemContext")

    def find(self, kind: type[Kind], name: str) -> Kind:
        """A widget of the page."""
        return find(self.page, kind, name)


def caret_to_end(text: QTextEdit) -> None:
    text.moveCursor(QTextCursor.MoveOperation.End)


def test_what_is_typed_is_saved_after_a_pause(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    pointer.click(desk.text)
    caret_to_end(desk.text)

    with qtbot.waitSignal(desk.page.loom_edited, timeout=20 * PAUSE_MS):
        pointer.type_ascii(" Write letters.")

    qtbot.waitUntil(lambda: desk.said[-1].system_context == "You are Marie. Write letters.")
    assert replace(desk.said[-1], system_context=LOOM.system_context) == LOOM


def test_a_value_that_comes_back_loses_no_typing_and_moves_no_caret(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    pointer.click(desk.text)
    desk.text.moveCursor(QTextCursor.MoveOperation.Start)
    pointer.type_ascii("Now. ")
    desk.page.flush()
    sent = desk.said[-1]
    pointer.type_ascii("Here. ")

    desk.page.show_loom(sent, AGENT, AppContextSettings())  # older than what stands there
    pointer.type_ascii("Yes. ")
    desk.page.flush()

    assert desk.said[-1].system_context == "Now. Here. Yes. You are Marie."


def test_an_undone_text_changes_only_what_differs(qtbot: QtBot) -> None:
    desk = Desk(qtbot, replace(LOOM, system_context="One 🧵 two three."))
    cursor = desk.text.textCursor()
    cursor.setPosition(len("One 🧵 ".encode("utf-16-le")) // 2)
    desk.text.setTextCursor(cursor)

    desk.page.show_loom(replace(LOOM, system_context="One 🧵 two three four."), AGENT, AppContextSettings())

    assert desk.text.toPlainText() == "One 🧵 two three four."
    assert desk.text.textCursor().position() == cursor.position()
    assert desk.said == []


def test_leaving_a_field_saves_at_once(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    pointer.click(desk.text)
    caret_to_end(desk.text)
    pointer.type_ascii(" Hm.")

    pointer.key("Tab")

    qtbot.waitUntil(lambda: [loom.system_context for loom in desk.said] == ["You are Marie. Hm."])


def test_escape_and_the_cross_save_and_close(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    stopped: list[bool] = []
    stop = QAction("stop", desk.window)
    stop.setShortcut(QKeySequence("Esc"))
    stop.triggered.connect(stopped.append)
    desk.window.addAction(stop)
    pointer.click(desk.text)
    qtbot.waitUntil(desk.text.hasFocus)
    caret_to_end(desk.text)

    pointer.type_ascii("!")
    with qtbot.waitSignal(desk.page.close_asked):
        pointer.key("Escape")
    pointer.type_ascii("?")
    with qtbot.waitSignal(desk.page.close_asked):
        pointer.click(desk.find(QToolButton, "treeSettingsClose"))

    assert [loom.system_context for loom in desk.said] == ["You are Marie.!", "You are Marie.!?"]
    assert stopped == []


def test_undo_and_redo_reach_the_window_from_every_field(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    for field in (desk.text, desk.find(QSpinBox, "minimumRecentNodes")):
        desk.undone.clear()
        pointer.click(field)
        pointer.type_ascii("7")
        pointer.key("ctrl+z", "ctrl+shift+z")
        qtbot.waitUntil(lambda: desk.undone == ["undo", "redo"])


def test_what_was_typed_just_now_is_saved_before_it_is_undone(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    known_when_undone: list[str | None] = []
    undo = desk.window.actions()[0]
    undo.triggered.connect(lambda: known_when_undone.append(desk.said[-1].system_context))
    pointer.click(desk.text)
    caret_to_end(desk.text)

    pointer.type_ascii(" So.")
    pointer.key("ctrl+z")

    qtbot.waitUntil(lambda: known_when_undone == ["You are Marie. So."])


def test_a_number_of_its_own_can_go_back_to_the_inherited_one(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    recent = desk.find(QSpinBox, "minimumRecentNodes")
    assert recent.value() == 4

    pointer.click(recent)
    pointer.key("ctrl+a", "6", "Tab")
    qtbot.waitUntil(lambda: desk.said != [])
    back = desk.find(QPushButton, "minimumRecentNodesBack")
    assert desk.said[-1].context_settings == ContextSettings(minimum_recent_nodes=6)
    assert back.text() == "Back to inherited: 4"
    pointer.click(back)

    qtbot.waitUntil(lambda: desk.said[-1] == LOOM)
    assert (recent.value(), back.isVisible()) == (4, False)


def test_strategies_are_chosen_in_words(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    strategy = desk.find(QComboBox, "truncationStrategy")
    words = [strategy.itemText(i) for i in range(strategy.count())]
    assert words == [row.title for row in STRATEGIES.values()]

    strategy.setFocus()
    pointer.key("Down")

    qtbot.waitUntil(lambda: desk.said != [])
    assert desk.said[-1].context_settings.truncation_strategy == "rollingWindow"
    back = desk.find(QPushButton, "truncationStrategyBack")
    assert back.text() == "Back to inherited: Keep start and newest"


def test_the_wheel_scrolls_the_page_and_not_a_number(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.text.setFocus()

    pointer.wheel(desk.find(QSpinBox, "tokenBuffer"), notches=2)
    pointer.wheel(desk.find(QComboBox, "truncationStrategy"), notches=-2)
    desk.page.flush()

    assert desk.said == []


def test_the_buffer_box_says_why_it_is_off_in_a_dialogue(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.window.resize(680, 900)
    box = desk.find(QCheckBox, "bufferSystemContext")
    assert not box.isEnabled()
    assert any("In a dialogue like this one" in label.text() for label in desk.page.findChildren(QLabel))

    desk.page.show_loom(replace(LOOM, mode="buffer"), AGENT, AppContextSettings())
    area = desk.find(QScrollArea, "treeSettingsArea")
    qtbot.waitUntil(lambda: area.height() == 900)  # else it is scrolled back once the window is larger
    area.ensureWidgetVisible(box)
    pointer.click(box)

    qtbot.waitUntil(lambda: [loom.buffer_mode_system_context for loom in desk.said] == [True])


def test_the_words_of_the_markers_are_kept_as_they_are_and_never_without_what_they_need(
    qtbot: QtBot, pointer: Pointer
) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    marker = desk.find(QLineEdit, "dialogueMarker")
    assert marker.text() == "[... {n} message{s} omitted ...]"
    assert not desk.find(QLineEdit, "bufferMarker").isVisible()

    marker.setFocus(Qt.FocusReason.TabFocusReason)
    pointer.key("ctrl+a")
    pointer.type_ascii("gap")
    qtbot.waitUntil(lambda: any("must hold {n}" in one.text() for one in desk.page.findChildren(QLabel)))
    desk.page.flush()
    assert desk.said == []
    pointer.type_ascii(" of {n}")
    qtbot.waitUntil(lambda: marker.text() == "gap of {n}")
    desk.page.flush()

    assert desk.said[-1].context_settings.dialogue_marker == "gap of {n}"
    desk.find(QPushButton, "dialogueMarkerBack").click()
    qtbot.waitUntil(lambda: desk.said[-1].context_settings.dialogue_marker is None)
    assert marker.text() == "[... {n} message{s} omitted ...]"


def test_line_breaks_of_a_buffers_marker_are_written_out(qtbot: QtBot) -> None:
    own = ContextSettings(buffer_marker="\n\\n\t…")
    desk = Desk(qtbot, replace(LOOM, mode="buffer", context_settings=own))
    marker = desk.find(QLineEdit, "bufferMarker")

    assert marker.text() == "\\n\\\\n\\t…"
    assert from_line(marker.text()) == own.buffer_marker


def test_where_the_agent_answers_at_length_its_room_counts_and_is_named(qtbot: QtBot) -> None:
    desk = Desk(qtbot, agent=replace(AGENT, configuration=Configuration(max_tokens=2048)))
    chip = next(one for one in desk.page.findChildren(QLabel, "agentValueChip") if one.isVisible())

    assert chip.text() == "this agent: 2,048"
    desk.page.show_loom(
        replace(LOOM, context_settings=ContextSettings(token_buffer=4096)), AGENT, AppContextSettings()
    )
    assert not chip.isVisible()


def test_another_tree_takes_nothing_from_the_one_before(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    pointer.click(desk.text)
    caret_to_end(desk.text)
    pointer.type_ascii(" Mine.")
    bar = find(desk.page, QScrollArea, "treeSettingsArea").verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 0

    desk.page.show_loom(LoomTree("t2", "Other", "dialogue", "r"), AGENT, AppContextSettings())

    assert bar.value() == 0, "it begins with the name"
    assert [(loom.id, loom.system_context) for loom in desk.said] == [("t1", "You are Marie. Mine.")]
    assert desk.text.toPlainText() == ""


def test_an_emptied_text_is_none_and_odd_spaces_survive(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot, replace(LOOM, system_context="a\u00a0b\nc"))
    desk.only_when_flushed()
    pointer.click(desk.text)
    caret_to_end(desk.text)

    pointer.type_ascii("d")
    desk.page.flush()
    pointer.key("ctrl+a", "Delete")
    desk.page.flush()

    assert [loom.system_context for loom in desk.said] == ["a\u00a0b\ncd", None]


def test_the_tokens_beside_the_system_context_are_those_that_the_context_has_for_it(qtbot: QtBot) -> None:
    desk, text = Desk(qtbot), "Sprich überall wie ein Seeräuber, süß und böse."
    desk.page.show_loom(replace(LOOM, system_context=text), AGENT, AppContextSettings())

    shown = desk.find(QLabel, "treeSystemContextTokens").text()

    assert shown == f"{Scaled().of(text)} tokens" != f"{estimate(text)} tokens"


def test_what_the_agent_says_first_stands_above_and_the_summary_below_the_title(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    first = desk.find(QWidget, "agentSaysFirst")
    words = [label.text() for label in first.findChildren(QLabel)]
    assert words == ["Smol 360M says first:", "“Write plainly.”", "4 tokens"]
    assert desk.find(QLabel, "treeSystemContextTokens").text() == "4 tokens"

    desk.page.show_loom(LOOM, replace(AGENT, configuration=Configuration()), AppContextSettings())

    assert not first.isVisible()

    asked: list[bool] = []
    desk.page.summary.asked.connect(lambda: asked.append(True))
    summary, button = desk.find(QLabel, "treeSummary"), desk.find(QPushButton, "sumUpTree")
    assert summary.text() == "No summary of this tree yet."
    button.setFocus()
    button.click()
    button.click()
    assert asked == [True]
    assert (button.text(), button.hasFocus()) == ("Summing up…", True), "what is typed goes into no field"
    desk.page.show_loom(replace(LOOM, summary="She keeps the lamp."), AGENT, AppContextSettings())
    desk.page.summary.take_up()
    assert (summary.text(), button.text()) == ("She keeps the lamp.", "Sum up")


def test_a_description_is_shown_typed_and_taken_away(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot, replace(LOOM, description="Radium\nin"))
    desk.only_when_flushed()
    line = desk.find(QLineEdit, "treeDescription")
    pointer.click(line)
    pointer.key("End")
    pointer.type_ascii(r" C:\new")
    qtbot.waitUntil(lambda: line.text().endswith("new"))
    desk.page.flush()
    assert desk.said[-1] == replace(LOOM, description="Radium\nin C:\\new")
    desk.page.show_loom(desk.said[-1], AGENT, AppContextSettings())

    pointer.key("ctrl+a", "Delete")
    qtbot.waitUntil(lambda: line.text() == "")
    desk.page.flush()

    assert desk.said[-1].description is None


@pytest.mark.parametrize(
    ("name", "field"), [("treeDescription", "description"), ("dialogueMarker", "dialogue_marker")]
)
def test_a_line_with_the_keyboard_shows_what_is_undone_and_what_another_tree_says(
    qtbot: QtBot, name: str, field: str
) -> None:
    def saying(words: str, tree_id: str = LOOM.id) -> LoomTree:
        settings = replace(LOOM.context_settings, dialogue_marker=words)
        is_marker = field == "dialogue_marker"
        said = {"context_settings": settings} if is_marker else {"description": words}
        return replace(LOOM, id=tree_id, **said)

    desk = Desk(qtbot, saying("Radium {n}"))
    desk.only_when_flushed()
    line = desk.find(QLineEdit, name)
    line.setFocus()
    line.end(False)

    QTest.keyClicks(line, " and Paris")
    desk.page.flush()
    assert desk.said == [saying("Radium {n} and Paris")]
    desk.page.show_loom(saying("Radium {n}"), AGENT, AppContextSettings())
    assert line.text() == "Radium {n}"
    QTest.keyClicks(line, "!")
    desk.page.show_loom(saying("Another {n}", "t2"), AGENT, AppContextSettings())

    assert line.text() == "Another {n}"
    assert desk.said[-1] == saying("Radium {n}!")


def test_pasted_text_is_plain(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot)
    desk.only_when_flushed()
    pointer.click(desk.text)
    pointer.key("ctrl+a")
    pointer.paste("<b>schön</b>\nund 織物")
    qtbot.waitUntil(lambda: "織物" in desk.text.toPlainText())
    desk.page.flush()

    assert desk.said[-1].system_context == "<b>schön</b>\nund 織物"


def test_tab_walks_through_every_field(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk(qtbot, replace(LOOM, mode="buffer", context_settings=ContextSettings("stopAtLimit", 6, 99)))
    desk.text.setFocus(Qt.FocusReason.OtherFocusReason)
    seen: list[str] = []
    for _ in range(18):
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.objectName())
        pointer.key("Tab")

    assert seen == [
        "treeSystemContext",
        "truncationStrategy",
        "truncationStrategyBack",
        "minimumRecentNodes",
        "minimumRecentNodesBack",
        "tokenBuffer",
        "tokenBufferBack",
        "assembler",
        "useSummaries",
        "makeSummaries",
        "minRecentMessages",
        "summaryModel",
        "summaryKind",
        "summaryPrompts",
        "summaryKeep",
        "bufferSystemContext",
        "instructionScope",
        "bufferMarker",
    ]


def test_what_was_typed_before_a_crash_stands_there_again_and_is_saved(
    qtbot: QtBot, pointer: Pointer
) -> None:
    before = Desk(qtbot)
    before.only_when_flushed()
    typed: list[dict[str, object]] = []
    before.page.typed.connect(lambda _loom, fields: typed.append(fields))
    pointer.click(before.text)
    caret_to_end(before.text)
    pointer.type_ascii(" Hm")
    qtbot.waitUntil(lambda: bool(typed) and typed[-1] == {"system_context": "You are Marie. Hm"})
    before.window.hide()

    after = Desk(qtbot)
    with qtbot.waitSignal(after.page.loom_edited, timeout=20 * PAUSE_MS):
        after.page.take_up(typed[-1])

    assert after.text.toPlainText() == "You are Marie. Hm"
    assert after.said == [replace(LOOM, system_context="You are Marie. Hm")]


def test_in_a_narrow_page_fields_stand_below_their_words_and_nothing_is_cut(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    desk.window.resize(400, 440)
    qtbot.waitUntil(lambda: desk.page.width() == 400)
    area = find(desk.page, QScrollArea, "treeSettingsArea")
    qtbot.waitUntil(lambda: area.viewport().width() < 400)
    control = find(desk.page, QComboBox, "truncationStrategy")
    row = control.parentWidget()
    assert isinstance(row, InheritableRow)

    words = row.title
    qtbot.waitUntil(lambda: control.y() >= words.mapTo(row, words.rect().bottomLeft()).y())
    qtbot.waitUntil(lambda: control.x() == 0)
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() == 0)

    desk.window.resize(600, 440)
    titles = [row.title for row in desk.page.findChildren(Row) if row.isVisible()]

    def is_whole(title: QLabel) -> bool:
        flags = Qt.TextFlag.TextWordWrap.value if title.wordWrap() else 0
        words = title.fontMetrics().boundingRect(QRect(0, 0, title.width(), 999), flags, title.text())
        return words.width() <= title.width() and words.height() <= title.height()

    qtbot.waitUntil(lambda: desk.page.width() == 600 and all(map(is_whole, titles)))
    assert "Newest messages to keep" in {one.text() for one in titles}


def test_summaries_and_long_attachments_are_inherited_or_the_tree_s_own(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    long, text = desk.find(QComboBox, "compression"), desk.find(QComboBox, "compressText")
    assert (long.currentText(), text.isEnabled()) == ("Not shortened", False)

    choose(long, "Shorten when full")
    choose(desk.find(QComboBox, "assembler"), "By their summaries")

    settings = desk.said[-1].context_settings.economy
    assert (settings.compression, settings.assembler, settings.compress_text) == (True, "summaries", None)
    assert text.isEnabled()
    desk.find(QPushButton, "compressionBack").click()
    assert desk.said[-1].context_settings.economy == EconomySettings(assembler="summaries")
    assert not text.isEnabled()
    desk.page.show_loom(replace(LOOM, mode="buffer"), AGENT, AppContextSettings())
    assert not long.isVisible()


def choose(field: QComboBox, words: str) -> None:
    field.setCurrentText(words)
    field.activated.emit(field.currentIndex())


def test_the_kind_of_a_summary_has_a_prompt_that_is_the_usual_one_till_it_is_written_anew(
    qtbot: QtBot,
) -> None:
    desk = Desk(qtbot)
    kind, prompt = desk.find(QComboBox, "summaryKind"), desk.find(LongText, "summaryPrompts")
    assert (kind.currentText(), prompt.text()) == ("Conversation", conversation_prompt())

    choose(kind, "Story")

    assert prompt.text() == story_prompt()
    prompt.setPlainText("Who is in it, and where.")
    desk.find(LongText, "summaryKeep").setPlainText("the lamp")
    desk.page.flush()
    own = desk.said[-1].context_settings.economy
    assert own.summary_kind == "story"
    assert own.summary_prompts == {"story": "Who is in it, and where."}
    assert own.summary_keep == "the lamp"
    choose(kind, "Work")
    assert prompt.text() == work_prompt()
    choose(kind, "Story")
    assert prompt.text() == "Who is in it, and where."
    desk.find(QPushButton, "summaryPromptsBack").click()
    assert desk.said[-1].context_settings.economy.summary_prompts is None
    assert prompt.text() == story_prompt()
    desk.find(LongText, "summaryKeep").setPlainText("")
    desk.page.flush()
    assert desk.said[-1].context_settings.economy.summary_keep is None


@pytest.mark.parametrize(
    ("words", "name"),
    [("At Generate, when full", "compact"), ("When the context window fills up", "thresholds")],
)
def test_summaries_are_made_by_hand_till_the_tree_says_otherwise(qtbot: QtBot, words: str, name: str) -> None:
    desk = Desk(qtbot)
    making = desk.find(QComboBox, "makeSummaries")
    assert making.currentText() == "Only by hand"

    choose(making, words)

    assert desk.said[-1].context_settings.economy == EconomySettings(make_summaries=name)
    desk.find(QPushButton, "makeSummariesBack").click()
    assert desk.said[-1].context_settings.economy == EconomySettings()


def test_thresholds_the_newest_messages_and_the_model_are_the_tree_s_own_or_inherited(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    soft, hard = desk.find(QDoubleSpinBox, "softThreshold"), desk.find(QDoubleSpinBox, "hardThreshold")
    assert not soft.isVisible()
    choose(desk.find(QComboBox, "makeSummaries"), "When the context window fills up")
    assert (soft.isVisible(), soft.value(), hard.value()) == (True, 0.75, 0.9)

    soft.selectAll()
    QTest.keyClicks(soft, "0.6")
    desk.find(QSpinBox, "minRecentMessages").setValue(8)
    model = desk.find(QLineEdit, "summaryModel")
    model.setText("local:smol")
    model.textEdited.emit("local:smol")
    choose(desk.find(QComboBox, "useSummaries"), "Not used")
    desk.page.flush()

    own = desk.said[-1].context_settings.economy
    assert own == EconomySettings(
        use_summaries=False,
        make_summaries="thresholds",
        soft_threshold=0.6,
        min_recent_messages=8,
        summary_model="local:smol",
    )
    for name in ("useSummaries", "softThreshold", "minRecentMessages", "summaryModel", "makeSummaries"):
        desk.find(QPushButton, f"{name}Back").click()
    assert desk.said[-1].context_settings.economy == EconomySettings()
    assert model.text() == ""


def test_the_table_has_every_number_of_compression() -> None:
    own = {name for name, row in BY_NAME.items() if row.group == "compression"}

    assert {limit.name for limit in LIMITS} == own - {"compression", "compress_text"}
    assert tuple(limit.row for limit in LIMITS if limit.title) == ROWS


def test_a_limit_is_inherited_till_it_is_the_tree_s_own_and_goes_back(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    table = desk.find(QWidget, "compressionTable")
    assert not table.isVisible()
    choose(desk.find(QComboBox, "compression"), "Shorten when full")
    assert table.isVisible()
    share, stored = desk.find(QDoubleSpinBox, "budgetUtilization"), desk.find(QSpinBox, "storeBytes")
    assert (share.text(), stored.text()) == ("0.50", "30 KB")
    assert not desk.find(QPushButton, "budgetUtilizationBack").isVisible()

    share.selectAll()
    QTest.keyClicks(share, "0.4")
    stored.setValue(12)
    desk.page.flush()

    own = desk.said[-1].context_settings.economy
    assert own == EconomySettings(compression=True, budget_utilization=0.4, store_bytes=12 * 1024)
    back = desk.find(QPushButton, "budgetUtilizationBack")
    assert back.text() == "Back to 0.50"
    back.click()
    assert desk.said[-1].context_settings.economy.budget_utilization is None
    assert (share.text(), back.isVisible()) == ("0.50", False)


def test_all_numbers_are_a_click_away_and_the_page_does_not_grow_wider(qtbot: QtBot) -> None:
    desk = Desk(qtbot, replace(LOOM, context_settings=ContextSettings(economy=ALL_OWN)))
    lines = desk.find(QSpinBox, "previewLines")
    assert not lines.isVisible()

    desk.find(QPushButton, "allNumbers").click()

    assert lines.isVisible()
    assert desk.find(QPushButton, "previewLinesBack").isVisible()
    desk.window.resize(420, 700)
    area = desk.find(QScrollArea, "treeSettingsArea")
    qtbot.waitUntil(lambda: area.viewport().width() < 420)
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() == 0)
    desk.find(QPushButton, "allNumbers").click()
    assert not lines.isVisible()


def test_the_table_says_what_each_row_does_now(qtbot: QtBot) -> None:
    desk = Desk(qtbot, replace(LOOM, context_settings=ContextSettings(economy=ALL_OWN)))
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "T", hand.pen())
    long = Mixed((Text("Here."), AttachedDocument("log.txt", "text/plain", "line\n" * 12_000)))
    at = do(tree, node_edits.add_content(tree, tree.root_id, long, hand.pen())).added_nodes()[0].id
    at = do(tree, node_edits.add_node(tree, at, "And?", hand.pen())).added_nodes()[0].id

    def facts(idle: float | None = None, utilization: float | None = None, **values: Any) -> CompressionFacts:
        on = ContextSettings(economy=EconomySettings(compression=True, **values))
        load = GivenLoad(utilization, idle, is_idle_given=idle is not None)
        return facts_of(assemble(tree, ContextRequest(at, overrides=on, load=load)))

    desk.page.show_compression(facts(idle=120, utilization=0.62))

    assert desk.find(QLabel, "compressionLoad").text() == "62 % full · last call 2 min ago: cache warm"
    now = {row: desk.find(QLabel, f"{row}Now").text() for row in ROWS}
    assert now == {
        "store": "1 part",
        "truncate": "–",
        "budget": "–",
        "snip": "cache warm",
        "clear": "in 3 min",
        "compact": "off",
    }
    assert facts(idle=120, utilization=0.62).working == "store"
    assert facts(idle=400, utilization=0.2).rows["clear"] == "–"
    assert facts(utilization=0.2).load == "20 % full · this path was never sent to this model"
    assert facts(utilization=0.2).rows["snip"] == "–"
    assert facts(idle=1, utilization=0.62).rows["clear"] == "in 5 min"
    assert facts(utilization=0.2, store_bytes=100_000).rows["truncate"] == "1 part"
    assert facts(utilization=0.2, make_summaries="compact").rows["compact"] == "–"
    assert facts(make_summaries="compact", compact_utilization=0.0).rows["compact"] == "at Generate"
    assert set(facts_of(assemble(tree, ContextRequest(at))).rows.values()) == {"off"}
