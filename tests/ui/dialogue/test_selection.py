"""Text is selected across messages with a real mouse and copied exactly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu
from pytestqt.qtbot import QtBot

from loomapp.ui.dialogue.selection import END, Selection, SelectionEnd
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.look import theme
from tests.kit.conversations import AGENTS, long_talk
from tests.kit.desktop import Pointer, show_active
from tests.kit.dialogue_views import message, point_of, read, shown_view


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    return shown_view(qtbot, qapp)


@pytest.fixture
def high_view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    return shown_view(qtbot, qapp, height_px=1000)


@pytest.fixture
def slow_hand(qapp: QApplication) -> Iterator[None]:
    """Clicks count as one after the other however long a busy machine takes to tell of them."""
    usual = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(60_000)
    yield
    qapp.setDoubleClickInterval(usual)


def copied() -> str:
    return QGuiApplication.clipboard().text()


def drag(pointer: Pointer, view: DialogueView, begin: tuple[str, str], end: tuple[str, str]) -> None:
    """From before some words of one message to behind some words of another."""
    first, last = message(view, begin[0]).body, message(view, end[0]).body
    pointer.drag((first, point_of(first, begin[1])), (last, point_of(last, end[1], after=True)))


def test_a_drag_over_three_messages_copies_them_with_blank_lines(
    view: DialogueView, pointer: Pointer
) -> None:
    read(view, "Keep the lamp.", "10\u00a0000 *lamps*\nand one more", "Thank you all.")

    drag(pointer, view, ("a", "the lamp"), ("c", "Thank"))
    pointer.key("ctrl+c")

    assert copied() == "the lamp.\n\n10\u00a0000 *lamps*\nand one more\n\nThank"


def test_a_drag_upwards_selects_the_same(view: DialogueView, pointer: Pointer) -> None:
    read(view, "Keep the lamp.", "Thank you all.")

    first, last = message(view, "a").body, message(view, "b").body
    pointer.drag((last, point_of(last, "Thank", after=True)), (first, point_of(first, "lamp")))
    pointer.key("ctrl+c")

    assert copied() == "lamp.\n\nThank"


def test_shift_click_moves_the_end(view: DialogueView, pointer: Pointer) -> None:
    read(view, "Keep the lamp.", "Thank you all.")
    first, last = message(view, "a").body, message(view, "b").body

    pointer.click(first, point_of(first, "the"))
    pointer.click(last, point_of(last, "you", after=True), modifiers=["shift"])
    pointer.key("ctrl+c")

    assert copied() == "the lamp.\n\nThank you"


@pytest.mark.usefixtures("slow_hand")
def test_two_clicks_take_a_word_and_three_a_paragraph(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    read(view, "Keep the lamp.\n\nBring oil today.")
    body = message(view, "a").body

    pointer.double_click(body, point_of(body, "oil"))
    pointer.key("ctrl+c")
    assert copied() == "oil"
    pointer.click(body, point_of(body, "oil"))
    pointer.key("ctrl+c")

    assert copied() == "Bring oil today."


def test_a_click_lets_go_of_what_was_selected(view: DialogueView, pointer: Pointer, qtbot: QtBot) -> None:
    read(view, "Keep the lamp.", "Thank you all.")
    drag(pointer, view, ("a", "the"), ("b", "you"))

    body = message(view, "b").body
    pointer.click(body, point_of(body, "all"))

    qtbot.waitUntil(lambda: not view.selecting.has_text)
    assert message(view, "a").body.selected is None


def test_everything_is_selected_and_copied_as_it_was_written(view: DialogueView, pointer: Pointer) -> None:
    tree, path = long_talk(3000)
    view.show_path(tree, path, AGENTS, {})

    view.setFocus()
    pointer.key("ctrl+a", "ctrl+c")

    assert copied() == "\n\n".join(tree.nodes[key].text for key in path)


def test_a_drag_beyond_the_edge_scrolls_and_selects_on(
    qapp: QApplication, pointer: Pointer, qtbot: QtBot
) -> None:
    theme.apply(qapp, "dark")
    window, view = QMainWindow(), DialogueView()
    qtbot.addWidget(window)
    window.setCentralWidget(view)
    window.resize(428, 640)
    show_active(qtbot, window)
    view.setFocus()
    tree, path = long_talk(40)
    view.show_path(tree, path, AGENTS, {})
    last = message(view, "n39").body
    at = last.mapTo(view.viewport(), point_of(last, "Message"))

    pointer.hold(view.viewport(), at)
    pointer.move(view.viewport(), QPoint(at.x(), at.y() - 40))
    pointer.move(view.viewport(), QPoint(at.x(), -50))
    qtbot.waitUntil(lambda: view.message("n20") is not None)
    pointer.move(view.viewport(), QPoint(at.x() + 30, -60))
    pointer.release()
    qtbot.waitUntil(lambda: not view.selecting.is_dragging)
    pointer.key("ctrl+c")

    assert copied().count("\n\n") >= 12
    assert "Message 25. " in copied()


def test_the_menu_copies_several_messages_with_their_names(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    read(view, "Keep the lamp.", "Thank you all.")
    drag(pointer, view, ("a", "the"), ("b", "Thank"))

    pointer.click(message(view, "a").body, button=3)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    pointer.key("Down", "Down", "Return")
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)

    assert copied() == "You:\nthe lamp.\n\nSmol 360M:\nThank"


def test_what_is_selected_stays_selected_while_an_answer_grows(view: DialogueView, pointer: Pointer) -> None:
    from tests.kit.conversations import drafts

    tree = read(view, "Keep the lamp.", "Thank you all.")
    drag(pointer, view, ("a", "the"), ("b", "you"))
    view.set_drafts(drafts("b", "Father"))
    view.show_path(tree, ("a", "b"), AGENTS, {"a": "truncated"})

    pointer.key("ctrl+c")

    assert copied() == "the lamp.\n\nThank you"
    assert message(view, "b").body.selected == (0, len("Thank you"))


LINE = "The *lamp* burns on over the bay and nobody comes to see it tonight. "
ENDLESS = "Begin here.\n\n" + LINE * 90 + "\n\nThe end."


def test_what_is_selected_of_a_folded_message_is_copied_without_the_mark_of_its_fold(
    high_view: DialogueView, pointer: Pointer
) -> None:
    read(high_view, ENDLESS)
    body = message(high_view, "a").body
    assert body.document().toPlainText().endswith(" …")

    pointer.double_click(body, body.line_rect(body.document().characterCount() - 5).center())
    pointer.click(body, body.line_rect(body.document().characterCount() - 5).center())
    pointer.key("ctrl+c")

    assert copied() == body.document().toPlainText().split("\n")[-1].removesuffix(" …")


@pytest.mark.parametrize("place", ["on the mark", "below the text"])
def test_a_selection_over_the_end_of_a_folded_message_has_its_hidden_lines_too(
    place: str, high_view: DialogueView, pointer: Pointer
) -> None:
    read(high_view, ENDLESS)
    body = message(high_view, "a").body
    body_end = body.line_rect(body.document().characterCount() - 1)
    pointer.drag(
        (body, point_of(body, "here.")),
        (body, body_end.center() if place == "on the mark" else QPoint(40, body.height() + 2)),
    )
    pointer.key("ctrl+c")

    assert copied() == "here.\n" + (LINE * 90).replace("*", "").strip() + "\nThe end."


def test_a_folded_message_out_of_sight_is_copied_from_where_the_selection_begins(
    view: DialogueView, pointer: Pointer
) -> None:
    read(view, "Keep.", ENDLESS, *["More."] * 20)
    view.follow_end()
    view.selecting.selection = Selection(SelectionEnd("b", 6, 6), SelectionEnd("v", 2, 2))
    view.setFocus()
    pointer.key("ctrl+c")

    assert copied().startswith("here.\nThe lamp burns")
    assert "…" not in copied()
    assert "tonight.\nThe end.\n\nMore." in copied()
    assert copied().endswith("\n\nMo")


def test_a_fold_within_bold_words_loses_none_of_them(view: DialogueView) -> None:
    text = "Begin. **" + LINE.replace("*", "") * 90 + "**"
    read(view, text)
    body = message(view, "a").body
    begin = body.document().toPlainText().index("**") + 12

    view.selecting.selection = Selection(SelectionEnd("a", begin, begin), SelectionEnd("a", END, END))

    assert view.selecting.text() == text[begin:]


def test_an_excluded_message_is_copied_whatever_was_shown_in_its_place(
    view: DialogueView, pointer: Pointer
) -> None:
    read(view, "Keep the lamp.", "Thank you all.", fates={"a": "excluded"})

    pointer.click(message(view, "a"))
    pointer.key("ctrl+c")

    assert copied() == "Keep the lamp."
