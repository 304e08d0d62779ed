"""Code in messages: its colours, its buttons, and that it is scrolled instead of wrapped."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QScrollBar, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.ui.dialogue.text.code import MOST_READ, ROLES, role_of, stretches
from loomapp.ui.dialogue.text.safe_document import Mark, SafeDocument
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.look import theme, tokens
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import message, read, shown_view

CODE = 'def light(lamp):\n\treturn "10\u00a0000"  # a lamp 🏮\n\nlight(7)'


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    return shown_view(qtbot, qapp)


def fenced(code: str, language: str = "python") -> str:
    return f"Here:\n\n```{language}\n{code}\n```\n\nThat is all."


def colour_at(document: SafeDocument, words: str) -> QColor | None:
    """The colour that a syntax gave to the first character of some words."""
    for block in document.blocks():
        place = block.text().find(words)
        if place >= 0:
            for part in block.layout().formats():
                if part.start <= place < part.start + part.length:
                    return part.format.foreground().color()
            return None
    raise AssertionError(f"{words} is not shown")


def test_code_has_the_colours_of_its_syntax(view: DialogueView, qtbot: QtBot) -> None:
    read(view, fenced(CODE))
    document = message(view, "a").body.document()

    qtbot.waitUntil(lambda: 0 in document.coloured)

    assert colour_at(document, "def") == theme.colour("code.keyword")
    assert colour_at(document, "light(lamp)") == theme.colour("code.function")
    assert colour_at(document, '"10') == theme.colour("code.string")
    assert colour_at(document, "# a lamp") == theme.colour("code.comment")
    assert colour_at(document, "7)") == theme.colour("code.number")


def test_colours_change_neither_the_text_nor_the_height(view: DialogueView, qtbot: QtBot) -> None:
    read(view, fenced(CODE))
    shown = message(view, "a")
    before = shown.geometry(), shown.body.document().toPlainText()

    qtbot.waitUntil(lambda: 0 in shown.body.document().coloured)

    assert (shown.geometry(), shown.body.document().toPlainText()) == before


def test_an_unknown_language_is_shown_plain_and_nothing_is_guessed() -> None:
    assert [*stretches("def f(): pass", "klingon")] == []
    assert [*stretches("def f(): pass", "")] == []


def test_only_the_beginning_of_huge_code_is_read() -> None:
    found = [s for s in stretches("x = 1\n" * 100_000, "python") if s is not None]

    assert found
    assert max(s.end for s in found) <= MOST_READ


def test_a_token_has_the_colour_of_the_nearest_name_above_it() -> None:
    assert role_of("Token.Literal.String.Double".removeprefix("Token.")) == "code.string"
    assert role_of("Keyword.Type") == "code.type"
    assert role_of("Text.Whitespace") is None


@pytest.mark.parametrize("name", tokens.THEMES)
def test_every_colour_of_code_can_be_read_on_its_ground(name: tokens.ThemeName) -> None:
    from tests.ui.look.test_theme import contrast

    ground = tokens.colour_in(name, "surface.raised")

    low = {role for role in set(ROLES.values()) if contrast(tokens.colour_in(name, role), ground) < 4.5}

    assert low == set()


def test_the_button_copies_the_code_exactly(view: DialogueView, pointer: Pointer) -> None:
    pointer.move(view, QPoint(200, 635))
    read(view, fenced(CODE) + "\n\n" + fenced("second()", "python"))
    shown = message(view, "a")
    assert not shown.findChildren(QToolButton, "copyCodeButton")

    pointer.move(shown.body)
    buttons = sorted(shown.findChildren(QToolButton, "copyCodeButton"), key=QToolButton.y)
    pointer.click(buttons[0])
    first = QGuiApplication.clipboard().text()
    pointer.click(buttons[1])

    assert first == CODE
    assert QGuiApplication.clipboard().text() == "second()"


def test_neighbouring_blocks_of_one_language_stay_two(view: DialogueView) -> None:
    read(view, "```python\na = 1\n```\n\n```python\nb = 2\n```")

    marks = message(view, "a").body.document().marks

    assert marks == (Mark("code", 0, 0, "python", 1), Mark("code", 1, 1, "python", 2))


def test_the_ground_of_code_lies_inside_its_message(view: DialogueView) -> None:
    read(view, "```python\na = 1\n```")
    body = message(view, "a").body

    (rect,) = body.code.rects

    assert rect.top() >= 0
    assert rect.bottom() < body.height()


def test_the_keyboard_reaches_the_copy_button(view: DialogueView, pointer: Pointer) -> None:
    read(view, fenced("lamp()"))
    message(view, "a").setFocus()

    for _ in range(8):
        focus = QApplication.focusWidget()
        if focus is not None and focus.objectName() == "copyCodeButton":
            break
        pointer.key("Tab")
    pointer.key("space")

    assert QGuiApplication.clipboard().text() == "lamp()"


def test_a_wide_line_of_code_is_scrolled_and_not_wrapped(view: DialogueView, pointer: Pointer) -> None:
    wide = "lamp = " + " + ".join(["oil"] * 60)
    read(view, fenced(wide), fenced("short = 1"))
    body = message(view, "a").body
    bar = body.findChild(QScrollBar, "codeScrollBar")
    assert bar is not None
    (mark,) = body.document().marks
    assert body.document().findBlockByNumber(mark.first).layout().lineCount() == 1

    pointer.wheel(body, bar.geometry().center() - body.rect().topLeft(), notches=-3, modifiers=["shift"])

    assert bar.value() > 0
    assert message(view, "b").body.findChild(QScrollBar, "codeScrollBar") is None
    place = body.document().findBlockByNumber(mark.first).position() + 40
    assert body.position_at(body.line_rect(place).center()) == place


def test_a_word_of_a_hundred_thousand_characters_is_wrapped_even_in_code(view: DialogueView) -> None:
    read(view, fenced("x" * 5000))

    body = message(view, "a").body

    assert body.findChild(QScrollBar, "codeScrollBar") is None
    assert body.height() > 500


def test_code_of_a_thousand_lines_streams_and_keeps_its_colours(view: DialogueView, qtbot: QtBot) -> None:
    text = "```python\n" + "    lamp = light(oil, 10)  # comment\n" * 1000
    read(view, "Show me.")
    live = LiveDraft("d", "a", "smol", Draft(0, text))
    view.set_drafts([live])
    document = message(view, "d").body.document()
    qtbot.waitUntil(lambda: 0 in document.coloured)

    view.drafts_grew([replace(live, draft=replace(live.draft, text=text + "done()"))])

    assert colour_at(document, "# comment") == theme.colour("code.comment")
    assert message(view, "d").height() > 1000 * theme.line_height("ui")
