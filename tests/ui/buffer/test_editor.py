"""The editor of a buffer: it shows any text, and no byte of it is ever another for that."""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt
from PySide6.QtGui import (
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QTextCharFormat,
    QTextFormat,
)
from PySide6.QtWidgets import QApplication, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.text.graphemes import is_inside
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.buffer.text.shown_tail import TailRun
from loomapp.ui.buffer.text.view_text import LONGEST_BLOCK, SEAM, Splice, ViewText, change_between, direction
from loomapp.ui.strings import utf16_length
from tests.kit.desktop import show_active
from tests.kit.drag import drag_in
from tests.kit.families import one_in

ODD = (
    "a",
    "b ",
    "\n",
    "\r",
    "\r\n",
    "\u2029",
    "\u2028",
    "😀",
    "e\u0301",
    "\0",
    "\ufffc",
    "\xa0",
    "\u05e9",
    "\t",
    "\ufeff",
    "\ufffe",
)
LONG = ("x" * 4500, "word " * 1000, "😀" * 4100)
NAME = QTextFormat.Property.UserProperty
PLAIN, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


class Paints(QObject):
    """How often a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


class Page:
    """An editor, and what its splices make of a text."""

    def __init__(self, editor: BufferEditor) -> None:
        self.editor, self.said = editor, ""
        editor.spliced.connect(self.on_spliced)
        editor.moved.connect(self.on_moved)

    def on_spliced(self, splice: Splice) -> None:
        self.said = splice.applied(self.said)

    def on_moved(self, begin: int, end: int, place: int) -> None:
        put, taken = Splice(place, place, self.said[begin:end]), Splice(begin, end, "")
        first, second = (taken, put) if place <= begin else (put, taken)  # the later one first
        self.said = second.applied(first.applied(self.said))

    def show(self, text: str) -> None:
        self.said = text
        self.editor.show_text(text)

    def press(self, key: Qt.Key, text: str = "", held: Qt.KeyboardModifier = PLAIN) -> None:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(self.editor, QKeyEvent(kind, key, held, text))

    def tail(self, text: str) -> None:
        self.editor.set_tail([TailRun(text, QTextCharFormat())])

    def compose(self, preedit: str, done: str = "", back: int = 0, length: int = 0) -> None:
        event = QInputMethodEvent(preedit, [])
        if done or length:
            event.setCommitString(done, back, length)
        QApplication.sendEvent(self.editor, event)

    def drag(self, begin: int, end: int, place: int) -> None:
        """The selected words are dropped elsewhere in the text."""
        self.editor.select(place, place)
        self.editor.ensureCursorVisible()
        at = QPointF(self.editor.cursorRect().center())
        self.editor.select(begin, end)
        data, move = self.editor.createMimeDataFromSelection(), Qt.DropAction.MoveAction
        drag_in(self.editor.viewport(), at, data, move)
        QApplication.sendEvent(self.editor.viewport(), OwnDrop(self.editor, at, data))

    def check(self) -> None:
        """The text, what was said of it and what stands in the document are the same."""
        editor = self.editor
        shown = ViewText().start_over(self.said) + editor.tail_text
        assert editor.text == self.said
        if not editor.has_seams:
            cursor = editor.textCursor()
            cursor.select(cursor.SelectionType.Document)
            assert cursor.selectedText() == shown.replace("\n", "\u2029")

    def paste(self, text: str) -> None:
        data = QMimeData()
        data.setData("text/plain;charset=utf-8", text.encode())  # as other programs offer it
        self.editor.insertFromMimeData(data)


class OwnDrop(QDropEvent):
    """A drop of what is selected in the editor itself."""

    def __init__(self, editor: BufferEditor, at: QPointF, data: QMimeData) -> None:
        super().__init__(at, Qt.DropAction.MoveAction, data, Qt.MouseButton.LeftButton, PLAIN)
        self._editor = editor

    def source(self) -> QObject:
        return self._editor.viewport()


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[Page]:
    editor = BufferEditor()
    editor.resize(700, 500)
    show_active(qtbot, editor)
    yield Page(editor)
    editor.close()
    editor.deleteLater()


def some_text(chance: random.Random, most: int) -> str:
    pieces = [chance.choice(ODD) for _ in range(chance.randrange(most))]
    return "".join((*pieces, chance.choice(LONG) if chance.random() < 0.06 else ""))


def write_near_the_tail(page: Page, chance: random.Random) -> None:
    editor, length = page.editor, len(page.said)
    match chance.randrange(4):
        case 0:
            editor.set_caret(length - min(length, chance.randrange(3)))
            key, held = chance.choice(
                ((Qt.Key.Key_Delete, PLAIN), (Qt.Key.Key_Delete, CONTROL), (Qt.Key.Key_K, CONTROL))
            )
            page.press(key, "", held)
        case 1:
            page.tail(editor.tail_text + some_text(chance, 4))
        case 2:
            begin = chance.randrange(length + 1)
            page.drag(begin, min(length, begin + 5), chance.randrange(length + 1))
        case 3:
            editor.set_caret(chance.choice((length, chance.randrange(length + 1))))
            page.compose("n")
            page.tail(editor.tail_text + "\n▍")
            page.compose("", chance.choice(("", "你", "\n")))


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_whatever_is_written_the_text_is_exactly_that(page: Page, seed: int) -> None:
    chance, editor = random.Random(seed), page.editor

    for _ in range(250):
        length = len(page.said)
        match chance.randrange(12):
            case 0:
                page.show(page.said[: length // 2] + some_text(chance, 12) + page.said[length // 2 + 3 :])
            case 1:
                editor.set_caret(chance.randrange(length + 1))
            case 2:
                begin = chance.randrange(length + 1)
                editor.select(begin, min(length, begin + chance.randrange(40)))
            case 3:
                page.press(Qt.Key.Key_A, "a")
            case 4:
                page.press(
                    chance.choice((Qt.Key.Key_Backspace, Qt.Key.Key_Delete)),
                    "",
                    chance.choice((PLAIN, CONTROL)),
                )
            case 5:
                page.press(Qt.Key.Key_Return, "\r", chance.choice((PLAIN, SHIFT)))
            case 6:
                page.paste(some_text(chance, 6))
            case 7:
                page.tail(some_text(chance, 4))
            case _:
                write_near_the_tail(page, chance)
        page.check()


def test_places_are_found_again_in_both_directions() -> None:
    view = ViewText()
    text = "a😀b\n" * 10 + "😀" * (LONGEST_BLOCK + 50) + "e\u0301"
    shown = view.start_over(text)

    assert shown != text.replace("\n", "\u2029")  # a long line is split where it is shown, and only there
    assert all(view.position(view.unit(place)) == place for place in range(len(text) + 1))


def test_a_paragraph_of_pictures_is_laid_out_in_shorter_pieces() -> None:
    letters, pictures = "word " * 900, "😀 🌊 " * 900
    view = ViewText()

    lengths = [
        len(piece) for piece in view.start_over(f"{letters}\n{pictures}").replace("\n", SEAM).split(SEAM)
    ]

    assert max(lengths) > LONGEST_BLOCK * 3 // 4
    assert max(lengths[2:]) < LONGEST_BLOCK // 4
    assert view.shown(0, view.length).count(SEAM) == len(lengths) - 1


def test_a_change_between_two_texts_is_the_part_that_differs() -> None:
    assert change_between("one two three", "one 2 three") == Splice(4, 7, "2")
    assert change_between("aaa", "aa") == Splice(2, 3, "")
    assert change_between("", "new") == Splice(0, 0, "new")


def test_an_end_of_line_of_two_signs_is_deleted_as_one(page: Page) -> None:
    page.show("one\r\ntwo")
    page.editor.set_caret(5)

    page.press(Qt.Key.Key_Backspace)

    assert page.said == page.editor.text == "onetwo"


def test_an_answer_that_grows_below_the_view_has_nothing_painted(page: Page, qtbot: QtBot) -> None:
    page.show("word\n" * 500)
    page.tail("And")
    page.editor.set_caret(0)
    page.editor.clearFocus()  # no caret blinks
    qtbot.waitUntil(lambda: page.editor.verticalScrollBar().value() == 0)
    QApplication.processEvents()
    paints = Paints(page.editor.viewport())

    def grown(tail: str) -> int:
        before = paints.count
        page.tail(tail)
        QApplication.processEvents()
        return paints.count - before

    # The screen may ask for a picture of its own accord, and then does so once.
    assert min(grown("And" + " then" * times) for times in range(1, 5)) == 0
    page.editor.verticalScrollBar().setValue(page.editor.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: paints.count > 0)
    QApplication.processEvents()
    before = paints.count
    page.tail("And then and then and more")
    qtbot.waitUntil(lambda: paints.count > before)


def test_what_deletes_at_a_seam_deletes_the_letter_behind_it(page: Page) -> None:
    text = "word " * 2000
    page.show(text)
    seam = next(i for i in range(len(text)) if page.editor.document().findBlock(i).blockNumber() == 1)
    page.editor.set_caret(seam)

    page.press(Qt.Key.Key_Backspace)

    assert page.said == page.editor.text == text[: seam - 1] + text[seam:]


@pytest.mark.parametrize("text", ["word " * 2000, "x" * 9000])
@pytest.mark.parametrize("held", [PLAIN, Qt.KeyboardModifier.ShiftModifier])
def test_one_press_of_an_arrow_goes_over_a_seam(page: Page, text: str, held: Qt.KeyboardModifier) -> None:
    page.show(text)
    editor = page.editor
    seam = editor.document().findBlockByNumber(0).length() - 1
    editor.set_caret(seam - 2)
    carets = []

    for key in (Qt.Key.Key_Right,) * 4 + (Qt.Key.Key_Left,) * 4:
        page.press(key, held=held)
        carets.append(editor.caret - seam)

    assert carets == [-1, 0, 1, 2, 1, 0, -1, -2]
    cursor = editor.textCursor()
    cursor.setPosition(seam)  # where End puts it
    editor.setTextCursor(cursor)
    page.press(Qt.Key.Key_Right)
    assert editor.caret == seam + 1


SCRIPTS = {
    "Hebrew": "שלום עולם, זהו ספר חדש. ",
    "Arabic": "مرحبا بالعالم هذا كتاب ",
    "mixed, from the left": "abc שלום def עולם 123 ghi ",
    "mixed, from the right": "שלום abc עולם 12 def ",
    "Thai": "สวัสดีชาวโลก น้ำใจ กำลังทำ ",
    "Thai without a space": "สวัสดีชาวโลกน้ำใจกำลังทำ",
    "Devanagari": "नमस्ते क्षत्रिय दुनिया हिन्दी ",
    "Devanagari without a space": "नमस्तेक्षत्रियदुनियाहिन्दी",
    "emoji": "a👩‍👩‍👧‍👦b 👍🏽c 🇩🇪🇫🇷d ",
    "pictures without a space": "👩‍👩‍👧‍👦👍🏽🇩🇪🇫🇷",
    "signs that combine": "e\u0301a\u0308\u0323o x\u0301 ",
}


def test_a_paragraph_begins_on_the_side_from_which_it_is_read(page: Page) -> None:
    page.show("שלום abc\nabc שלום\n12 שלום")
    width = page.editor.prose.width_px

    sides = [page.editor.x_of(at) / width for at in (0, 9, 18)]

    assert [round(side) for side in sides] == [1, 0, 1]
    point = page.editor.line_rect(0).center()
    point.setX(round(width) - 1)
    assert page.editor.position_at(point) == 0


@pytest.mark.parametrize("words", SCRIPTS.values(), ids=SCRIPTS)
def test_a_long_paragraph_is_split_between_characters_and_read_in_its_direction(words: str) -> None:
    view = ViewText()
    text = words * (9000 // len(words))

    pieces = view.start_over(text).split(SEAM)

    assert len(pieces) > 2
    assert "".join(pieces) == text
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        assert not is_inside(text, at)
        assert unicodedata.combining(text[at - 1]) == 0 or text[at] not in "षतय", "no conjunct is torn"
        assert direction(text, at) == direction(text, 0)


@pytest.mark.parametrize("words", [one for one in SCRIPTS.values() if " " in one])
def test_keys_at_a_seam_do_what_they_do_in_a_text_without_one(page: Page, qtbot: QtBot, words: str) -> None:
    plain = QTextEdit()
    qtbot.addWidget(plain)
    text = words * (5000 // len(words))
    page.show(text)
    seam = page.editor._view.position(page.editor.document().findBlockByNumber(0).length() - 1)
    plain.setPlainText(text)
    right, left, back, forth = Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Backspace, Qt.Key.Key_Delete

    def stand_at(place: int) -> None:
        cursor = plain.textCursor()
        cursor.setPosition(utf16_length(page.said[:place]))
        plain.setTextCursor(cursor)
        page.editor.set_caret(place)

    def press(key: Qt.Key, held: Qt.KeyboardModifier) -> None:
        page.press(key, held=held)
        QApplication.sendEvent(plain, QKeyEvent(QEvent.Type.KeyPress, key, held, ""))
        assert page.said == page.editor.text == plain.document().toRawText()
        assert utf16_length(page.said[: page.editor.caret]) == plain.textCursor().position()

    for place in range(seam - 8, seam + 9):
        for key, held in itertools.product((left, right), (PLAIN, CONTROL, CONTROL | SHIFT)):
            stand_at(place)
            press(key, held)
    for place, held in itertools.product(range(seam - 1, seam + 2), (PLAIN, CONTROL)):
        stand_at(place)
        for key in (back, forth):
            press(key, held)


def test_a_seam_is_not_moved_to_a_word_of_the_other_direction(page: Page) -> None:
    text = "abc שלום עולם ספר חדש " * 500
    page.show(text)
    document = page.editor.document()

    for _ in range(8):
        page.editor.verticalScrollBar().setValue(document.findBlockByNumber(1).firstLineNumber() - 3)
        page.editor._seams.on_rest()

    assert page.editor.text == text
    assert document.blockCount() > 2
    for number in range(document.blockCount()):
        block = document.findBlockByNumber(number)
        assert block.textDirection() == Qt.LayoutDirection.LeftToRight


def test_a_seam_is_moved_to_where_a_line_breaks(page: Page, qtbot: QtBot) -> None:
    text = "wording " * 2000
    page.show(text)
    page.editor.set_caret(100)

    def is_full() -> bool:
        layout = page.editor.document().findBlockByNumber(0).layout()
        if not layout.lineCount():  # it is not in view yet
            return False
        return layout.lineAt(layout.lineCount() - 1).horizontalAdvance() + 90 > page.editor.prose.width_px

    page.editor.verticalScrollBar().setValue(
        page.editor.document().findBlockByNumber(1).firstLineNumber() - 3
    )
    qtbot.waitUntil(is_full)

    assert page.editor.text == page.said == text
    assert page.editor.caret == 100


def test_copying_gives_the_very_characters(page: Page) -> None:
    page.show("a\r\nb\xa0c\u2029d\u2028e\0")
    page.editor.select(0, len(page.said))

    assert page.editor.createMimeDataFromSelection().text() == page.said


def test_what_stands_after_the_end_cannot_be_written_in(page: Page) -> None:
    page.show("Mine.")
    page.editor.set_tail([TailRun(" Theirs.", QTextCharFormat())])
    cursor = page.editor.textCursor()
    cursor.movePosition(cursor.MoveOperation.End)
    page.editor.setTextCursor(cursor)

    page.press(Qt.Key.Key_A, "!")

    assert page.said == page.editor.text == "Mine.!"
    assert page.editor.tail_text == " Theirs."


def test_words_of_an_input_method_are_taken_once_they_are_done(page: Page) -> None:
    page.show("ab")
    page.editor.set_caret(1)
    for event in (QInputMethodEvent("に", []), QInputMethodEvent()):
        QApplication.sendEvent(page.editor, event)
    assert page.said == "ab"

    done = QInputMethodEvent()
    done.setCommitString("日本")
    QApplication.sendEvent(page.editor, done)

    assert page.said == page.editor.text == "a日本b"


@pytest.mark.parametrize(
    ("before", "typed"),
    [("lta  YZs", "Y"), ("lta  YZs", "l"), ("aaaa", "a"), ("a\nb\n", "\n"), ("👍🏽 ab", "👍🏽"), ("ab", "x")],
)
@pytest.mark.parametrize("how", ["key", "input method"])
def test_what_is_typed_stands_in_the_place_of_all_that_was_selected(
    page: Page, before: str, typed: str, how: str
) -> None:
    page.show(before)
    told: list[Splice] = []
    page.editor.spliced.connect(told.append)
    end = before.rindex(typed) + len(typed) if typed in before else len(before)
    page.editor.select(0, end)

    if how == "input method":
        page.compose("", typed)
    elif typed == "\n":
        page.press(Qt.Key.Key_Return, "\r")
    else:
        page.press(Qt.Key.Key_A, typed)

    assert told == [Splice(0, end, typed)]
    assert page.editor.selection == (len(typed), len(typed))
    page.check()


def test_what_is_composed_looks_as_the_input_method_says_and_the_words_around_it_as_before(
    page: Page,
) -> None:
    looks = {name: QTextCharFormat() for name in ("model", "wanted")}
    for name, look in looks.items():
        look.setProperty(NAME, name)
    page.editor.formats_of = lambda _begin, _end: [(0, 3, looks["model"]), (5, 9, looks["model"])]
    page.show("one two three")
    page.editor.set_caret(7)
    wanted = QInputMethodEvent.Attribute(QInputMethodEvent.AttributeType.TextFormat, 1, 2, looks["wanted"])

    QApplication.sendEvent(page.editor, QInputMethodEvent("😀に", [wanted]))

    block = page.editor.document().firstBlock()
    named = [(one.start, one.length, one.format.property(NAME)) for one in block.layout().formats()]
    assert named == [(0, 3, "model"), (5, 2, "model"), (10, 2, "model"), (8, 2, "wanted")]
    alone = page.editor.x_of(7)
    assert page.editor.x_of(9) > page.editor.cursorRect().x() > alone, "what is composed has its room"

    page.compose("に")
    assert (
        block.layout().formats()[-1].format.underlineStyle() == QTextCharFormat.UnderlineStyle.SingleUnderline
    )
    page.compose("")
    assert [(one.start, one.length) for one in block.layout().formats()] == [(0, 3), (5, 4)]


@pytest.mark.parametrize("tail", ["", "more \u2029 comes"])
def test_separators_of_lines_and_paragraphs_are_what_was_composed_or_pasted(page: Page, tail: str) -> None:
    odd = "a\u2028b\u2029c\rd\r\ne\0f\ufffcg😀"
    page.show("😀 first\u2029last")
    page.tail(tail)
    page.editor.select(2, 7)
    page.compose("n")

    page.compose("", odd)

    page.check()
    assert page.said == f"😀 {odd}\u2029last"
    page.compose("", "\u2028", -2, 2)  # in the place of the last sign, which takes two units
    assert page.said == f"😀 {odd[:-1]}\u2028\u2029last"
    page.editor.set_caret(len(page.said))
    page.paste(odd)
    page.check()
    assert page.said == f"😀 {odd[:-1]}\u2028\u2029last{odd}"


@pytest.mark.parametrize("sign", ["\ufeff", "\ufeff\ufeff", "\ufffe"])
def test_signs_of_an_encoding_are_kept_wherever_they_are_pasted_or_copied(page: Page, sign: str) -> None:
    page.show(f"{sign}one")
    page.check()

    page.editor.selectAll()
    page.press(Qt.Key.Key_C, "", CONTROL)
    assert bytes(QApplication.clipboard().mimeData().data("text/plain").data()).decode() == f"{sign}one"
    page.editor.set_caret(len(page.said))
    page.press(Qt.Key.Key_V, "", CONTROL)
    page.check()
    assert page.said == f"{sign}one{sign}one"

    page.editor.set_caret(0)
    page.paste(f"{sign}two\n")
    page.check()
    assert page.said == f"{sign}two\n{sign}one{sign}one"
    page.press(Qt.Key.Key_Backspace)
    page.check()
    assert page.said == f"{sign}two{sign}one{sign}one"


def test_words_whose_bytes_are_no_text_are_pasted_as_they_can_be_read(page: Page) -> None:
    data = QMimeData()
    data.setData("text/plain;charset=utf-8", b"caf\xe9")

    page.editor.insertFromMimeData(data)

    assert page.said == "caf\ufffd"


def test_undo_and_the_keys_of_the_window_are_left_to_it(page: Page) -> None:
    page.press(Qt.Key.Key_A, "a")
    for key, held in (
        (Qt.Key.Key_Z, CONTROL),
        (Qt.Key.Key_Z, CONTROL | SHIFT),
        (Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier),
    ):
        wish = QKeyEvent(QEvent.Type.ShortcutOverride, key, held)
        wish.ignore()
        QApplication.sendEvent(page.editor, wish)
        assert not wish.isAccepted()
    page.press(Qt.Key.Key_Z, "", CONTROL)
    assert page.said == "a"


def test_every_line_is_as_high_as_the_theme_says(page: Page) -> None:
    page.show("One line\n" * 3)

    tops = [page.editor.line_rect(9 * number).top() for number in range(3)]

    assert tops[1] - tops[0] == tops[2] - tops[1] == page.editor.prose.line_px


@pytest.mark.desktop
@pytest.mark.parametrize(
    ("key", "held", "left"),
    [(Qt.Key.Key_Delete, PLAIN, "Min"), (Qt.Key.Key_Delete, CONTROL, "Mi"), (Qt.Key.Key_K, CONTROL, "Mi")],
)
def test_what_deletes_forwards_leaves_what_streams_after_the_end(
    page: Page, key: Qt.Key, held: Qt.KeyboardModifier, left: str
) -> None:
    page.show("Mine")
    page.tail("nn theirs")
    page.editor.set_caret(4)
    page.press(key, "", held)
    page.check()
    assert page.said == "Mine"
    page.tail("nn theirs and more")
    page.editor.set_caret(len(left))

    for _ in range(1 if held else 2):
        page.press(key, "", held)
        page.check()
    page.tail("nn theirs and more and more")
    page.press(Qt.Key.Key_A, "!")

    page.check()
    assert page.said == left + "!"


def test_the_end_of_the_text_is_told_from_a_tail_that_begins_as_it_does(page: Page) -> None:
    page.show("end\n")
    page.tail("\n\nnew")
    page.editor.set_caret(4)

    page.press(Qt.Key.Key_Return, "\r")
    page.check()
    assert page.said == "end\n\n"
    page.press(Qt.Key.Key_Backspace)
    page.press(Qt.Key.Key_Delete)

    page.check()
    assert page.said == "end\n"


@pytest.mark.parametrize(
    ("begin", "end", "place", "expected"),
    [
        (4, 8, 12, "one thretwo e four"),
        (8, 14, 0, "three one two four"),
        (14, 18, 3, "onefour two three "),
        (0, 4, 18, "two three fourone "),
        (4, 8, 6, "one two three four"),
    ],
)
def test_words_that_are_dragged_are_moved(
    page: Page, begin: int, end: int, place: int, expected: str
) -> None:
    page.show("one two three four")
    page.tail(" theirs")

    page.drag(begin, end, place)

    page.check()
    assert page.said == expected


def test_what_is_moved_in_one_change_of_the_document_is_taken_in(page: Page) -> None:
    page.show("one two three four")
    inserting = page.editor.cursor_over(14, 14)
    page.editor.select(4, 8)

    inserting.beginEditBlock()
    page.editor.textCursor().removeSelectedText()
    page.editor.setTextCursor(inserting)
    page.paste("two ")
    inserting.endEditBlock()

    page.check()
    assert page.said == "one three two four"


def test_composing_at_the_end_takes_nothing_of_what_streams(page: Page) -> None:
    page.show("Mine")
    page.tail(" and▍")
    page.editor.set_caret(4)

    page.compose("n")
    page.compose("ni")
    page.check()
    page.tail("x and a lamp▍")
    page.compose("", "你")
    page.check()
    assert page.said == "Mine你"
    page.compose("", "!", -1, 3)  # reaches into what streams

    page.check()
    assert page.said == "Mine!"


def test_a_tail_that_is_deleted_or_written_in_by_other_means_is_restored(page: Page) -> None:
    page.show("Mine.")
    page.tail(" Theirs.")
    cursor = page.editor.textCursor()
    cursor.select(cursor.SelectionType.Document)
    cursor.insertText("New.")
    page.check()
    assert page.said == "New."

    cursor.movePosition(cursor.MoveOperation.End)
    cursor.insertText("!")

    page.check()
    assert page.said == "New.!"


def test_generate_pressed_once_too_often_asks_once(page: Page) -> None:
    asked: list[int] = []
    page.editor.generate_keys = (QKeySequence("Ctrl+Return"),)
    page.editor.generate_pressed.connect(lambda: asked.append(1))

    for _ in range(3):
        page.press(Qt.Key.Key_Return, "\r", CONTROL)
    assert len(asked) == 1

    page.press(Qt.Key.Key_A, "a")  # who writes meanwhile means it
    page.press(Qt.Key.Key_Return, "\r", CONTROL)
    assert len(asked) == 2
