"""The palette itself: a field and a list over the window, whole with the mouse and with the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QListView, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.text.query import terms
from loomapp.ui.look import theme
from loomapp.ui.palette.entries import (
    ROW_PX,
    PaletteEntry,
    PaletteRowPainter,
    PaletteRows,
    best,
    is_for_commands,
    sentence,
    words_of,
)
from loomapp.ui.palette.text_search import Look, PaletteSearch
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import LeftWords, Line
from loomapp.ui.widgets.keyboard import KeyboardReturn
from loomapp.ui.widgets.layouts import show_rows_only, vertical
from loomapp.ui.widgets.spoken import announce

WIDTH_PX = 640
MOST_ROWS = 12
TOP_PX = 5
STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -MOST_ROWS, Qt.Key.Key_PageDown: MOST_ROWS}
OWN_KEYS = (*STEPS, Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Field(Line):
    """Field of the palette; the keys of the list go to the palette."""

    key_pressed = Signal(object)  # Qt.Key

    def event(self, event: QEvent) -> bool:
        """Keep the list's keys from the window's actions."""
        if isinstance(event, QKeyEvent) and Qt.Key(event.key()) in OWN_KEYS and not _is_held(event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.key_pressed.emit(Qt.Key(event.key()))
                return True
        return super().event(event)


def _is_held(event: QKeyEvent) -> bool:
    return bool(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)


@dataclass(frozen=True, slots=True)
class PaletteQuestion:
    """Something that is to be chosen: what the field asks, and who takes the answer.

    `take` gets the key of what was chosen, and gives the reason why it cannot be had, or nothing. `new` gives
    the entry for what is typed, where that can be an answer by itself. `about` names the question where the
    words that it is left with are to come back when it is asked again.
    """

    words: str
    take: Callable[[str], str]
    new: Callable[[str], PaletteEntry | None] | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class PaletteSource:
    """Source of the palette: entries at once, by the texts of a tree, and with `look` in the trees beside it.

    `nothing` is said where nothing matches; `author_of` gives who wrote a node of the tree.
    """

    entries: Sequence[PaletteEntry]
    tree: Tree | None = None
    look: Look | None = None
    nothing: str = ""
    author_of: Callable[[Node], str] | None = None


class CommandPalette(QFrame):
    """Shows entries for what is typed. What was chosen is told; nothing is done here."""

    action_chosen = Signal(str)  # name of an action
    setting_chosen = Signal(str)  # its field
    tree_chosen = Signal(str)  # tree id
    node_chosen = Signal(str)  # node id
    elsewhere_chosen = Signal(str, str)  # tree id, node id: in another tree than the open one
    tag_chosen = Signal(str)  # its name
    document_chosen = Signal(str)  # node id of a version
    agent_chosen = Signal(str)  # its id

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setObjectName("commandPalette")
        self.setAccessibleName(tr("Command palette"))
        self._offer = PaletteSource(())
        self.looked_for: tuple[str, ...] = ()  # the words by which an entry was found that was chosen
        self._question: PaletteQuestion | None = None
        self._left = LeftWords()
        self._came_from = KeyboardReturn()
        self._mouse_at = QCursor.pos()  # when something was typed last
        self._is_first_wanted = False  # Enter came before anything was found
        self._search = PaletteSearch(self)
        self._field = self._build_field()
        self._rows = PaletteRows(self)
        self._list = self._build_list()
        self._is_closing = False
        self._heard = ""  # what was last told of the row that is chosen
        self._says = QLabel(self)
        self._says.setTextFormat(Qt.TextFormat.PlainText)
        self._says.setObjectName("commandPaletteSays")
        self._says.setFont(theme.font("small"))
        self._says.setContentsMargins(10, 0, 10, 0)  # in line with what is typed above
        theme.set_look(self._says, tone="muted")
        column = vertical(self, (8, 8, 8, 8), spacing=6)
        for widget in (self._field, self._list, self._says):
            column.addWidget(widget)
        self._connect()
        parent.installEventFilter(self)
        self.hide()

    def open(self, offer: PaletteSource, query: str = "") -> None:
        """Show the offer; the keyboard goes to the field."""
        self._show(offer, None, query)

    def ask(
        self, question: PaletteQuestion, entries: Sequence[PaletteEntry], tree: Tree | None = None
    ) -> None:
        """Come up to have one of these chosen, or of the nodes of a tree by their text."""
        self._show(PaletteSource(tuple(entries), tree), question, "")

    def end(self) -> None:
        self._search.end()

    def _show(self, offer: PaletteSource, question: PaletteQuestion | None, query: str) -> None:
        self._came_from.note(self)
        self._question = question
        words = tr("Search the grove, or type > for a command") if question is None else question.words
        self._field.setPlaceholderText(words)
        self._field.setAccessibleName(tr("Search or command") if question is None else question.words)
        self._offer = offer
        self._field.setText(query)
        if question is not None and question.about:
            self._left.fill(self._field, question.about, query)
        self.on_typed()
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_it(self) -> None:
        """Go away; the keyboard goes back to where it was."""
        if self.isHidden():
            return
        had_keyboard = self.isAncestorOf(QApplication.focusWidget() or self)
        self._search.stop()
        self._is_closing = True  # the keyboard goes back first: hidden, it would pass what stands next to it
        if had_keyboard:
            self._came_from.give_back()
        self.hide()
        self._is_closing = False

    def place(self) -> None:
        """Stand at the top of the window, as high as there are rows."""
        window = self._over
        width = min(WIDTH_PX, window.width() - 24)
        rows = min(max(1, self._rows.rowCount()), MOST_ROWS, max(2, (window.height() - 160) // ROW_PX))
        self._list.setFixedHeight(rows * ROW_PX + 4)
        self.setGeometry((window.width() - width) // 2, TOP_PX, width, self.sizeHint().height())

    # What happened

    def on_typed(self) -> None:
        query = self._field.text()
        self._mouse_at = QCursor.pos()
        self._is_first_wanted = False
        self._search.stop()
        self._rows.show([*best(self._offer.entries, query), *self._made_of(query)])
        if self._offer.tree is not None and not is_for_commands(query):
            self._search.start(self._offer.tree, self._offer.look, words_of(query), self._offer.author_of)
        self._choose(0)
        self._say()
        self.place()

    def on_found(self, entries: Sequence[PaletteEntry]) -> None:
        """Add later finds: texts that hold what is typed, and bookmarks of other trees."""
        chosen = self._list.currentIndex()
        is_open = not chosen.isValid() or (chosen.row() == 0 and bool(self._rows.entry(chosen).why_not))
        self._rows.add(entries, self._firm_rows())
        if is_open:  # nothing that can be done is chosen
            self._choose(0)
        self._say()
        self.place()
        if self._is_first_wanted:
            self._is_first_wanted = False
            self.on_chosen(self._rows.index(0))

    def on_search_ended(self, has_more: bool) -> None:
        """Tell that all texts were looked through, or enough was found."""
        more = tr("There are more matches: type more words, or see Search results in the side bar")
        self._say(more if has_more else "")

    def on_key(self, key: Qt.Key) -> None:
        """Act on the keys of the list."""
        if key == Qt.Key.Key_Escape:
            self._leave()
        elif key in STEPS:
            last = self._rows.rowCount() - 1
            row = self._list.currentIndex().row() + STEPS[key]
            if abs(STEPS[key]) == 1:
                row = 0 if row > last else last if row < 0 else row  # round and round
            self._choose(max(0, min(last, row)))
        elif self._list.currentIndex().isValid():
            self.on_chosen(self._list.currentIndex())
        else:
            self._is_first_wanted = self._search.is_running

    def on_chosen(self, index: QModelIndex) -> None:
        """Say what was chosen; what cannot be done now stays on the list with its reason."""
        entry = self._rows.entry(index)
        if entry.why_not or entry.kind == "told":
            self._refuse(entry.why_not or entry.title)
            return
        if self._question is not None:
            self._answer(self._question, entry.key)
            return
        self.looked_for = terms(self._field.text())
        self.close_it()
        if entry.tree:
            self.elsewhere_chosen.emit(entry.tree, entry.key)
            return
        signals = {
            "action": self.action_chosen,
            "setting": self.setting_chosen,
            "tree": self.tree_chosen,
            "tag": self.tag_chosen,
            "document": self.document_chosen,
            "agent": self.agent_chosen,
        }
        signals.get(entry.kind, self.node_chosen).emit(entry.key)

    def _made_of(self, query: str) -> list[PaletteEntry]:
        """Return the typed words as an answer of its own, where the question takes new ones."""
        question = self._question
        made = question.new(query) if question is not None and question.new is not None else None
        return [] if made is None else [made]

    def _answer(self, question: PaletteQuestion, node_id: str) -> None:
        """Hand the answer on; one that cannot be had is told here, and another one may be chosen."""
        refused = question.take(node_id)
        if refused:
            self._refuse(refused)
        else:
            self.close_it()

    def _refuse(self, why: str) -> None:
        self._says.setText(why)
        announce(self._field, why)

    def on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if (
            self.isVisible()
            and not self._is_closing
            and new is not None
            and new is not self
            and not self.isAncestorOf(new)
        ):
            self._leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.place()
        return False

    # Behind it

    def _leave(self) -> None:
        """Go away without an answer; what was typed for one is kept."""
        if self.isVisible() and self._question is not None and self._question.about:
            self._left.leave(self._field, self._question.about)
        self.close_it()

    def _choose(self, row: int) -> None:
        index = self._rows.index(row)
        self._list.setCurrentIndex(index)
        self._list.scrollTo(index)
        words = sentence(self._rows.entry(index)) if index.isValid() else ""
        if words != self._heard:  # the list has no keyboard, so a reader passes over what is chosen in it
            self._heard = words
            announce(self._field, words)

    def _firm_rows(self) -> int:
        """The rows that stay where they are, counted from the top: down to what is chosen and what the mouse
        was moved to since something was typed, for Enter or a click may be on its way. A chosen one that
        cannot be done may move.
        """
        chosen, view = self._list.currentIndex(), self._list.viewport()
        is_held = chosen.isValid() and not self._rows.entry(chosen).why_not
        mouse = QCursor.pos()
        is_pointing = view.underMouse() and mouse != self._mouse_at
        pointed = self._list.indexAt(view.mapFromGlobal(mouse)).row() if is_pointing else -1
        return max(chosen.row() + 1 if is_held else 0, pointed + 1)

    def _say(self, words: str = "") -> None:
        count = self._rows.rowCount()
        if not words and self._search.is_running:
            words = tr("Looking through the texts…")
        asks = self._question is not None
        if not words and count == 0:
            words = self._nothing()
        usual = (
            tr("↑ ↓ choose · Enter takes it · Esc leaves all as it is")
            if asks
            else tr("↑ ↓ choose · Enter opens · > commands only · Esc closes")
        )
        self._says.setText(words or usual)

    def _nothing(self) -> str:
        has_texts = self._offer.tree is not None
        if self._question is not None:
            return tr("No text of this tree has these words.") if has_texts else tr("Type a name.")
        if is_for_commands(self._field.text()):
            return tr("No command matches. Without > the whole grove is searched.")
        return self._offer.nothing

    def _build_field(self) -> _Field:
        field = _Field(self)
        field.setObjectName("commandPaletteField")
        field.setClearButtonEnabled(False)
        return field

    def _build_list(self) -> QListView:
        view = QListView(self)
        view.setObjectName("commandPaletteRows")
        view.setAccessibleName(tr("What matches"))
        view.setModel(self._rows)
        view.setItemDelegate(PaletteRowPainter(view))
        view.setUniformItemSizes(True)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field keeps the keyboard
        show_rows_only(view)
        return view

    def _connect(self) -> None:
        self._field.textChanged.connect(self.on_typed)
        self._field.key_pressed.connect(self.on_key)
        self._list.clicked.connect(self.on_chosen)
        self._search.found.connect(self.on_found)
        self._search.ended.connect(self.on_search_ended)
        self._search.failed.connect(self._say)
        app = QApplication.instance()
        assert isinstance(app, QApplication), "a palette needs an application"
        app.focusChanged.connect(self.on_focus_changed)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "border.strong", "surface.overlay")
        radius = theme.metric("radius.popover")
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()
