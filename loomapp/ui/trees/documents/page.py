"""The page of a document in the graph's place: its text to read and write, and its versions."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.buttons import KeyButton, icon_button
from loomapp.ui.widgets.chip import AgentMark
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.form import SavedField, is_undo_key
from loomapp.ui.widgets.labels import label, plain_tip, set_tip
from loomapp.ui.widgets.layouts import BAR_PX, NARROW_MARGIN_PX, TOP_PX, fill, vertical
from loomapp.ui.widgets.page import Menu, Page

NEWEST, BRING_BACK = "newest", "bringBack"
MARGIN_PX = 24
TITLE_PX = 160  # of the title at least
NARROW_PX = 520  # of the page: the number of the version is said in fewer words


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """A version of a document: its node, its text, and who wrote it when."""

    node_id: str
    text: str
    author: str
    agent: Agent | None
    when: str


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """All that the page shows of a document: its versions, the oldest first; there is at least one."""

    name: str
    versions: tuple[VersionFacts, ...]
    can_write: bool

    @property
    def newest(self) -> VersionFacts:
        return self.versions[-1]

    def place_of(self, node_id: str) -> int | None:
        """Return the place of a version, counted from 0; None if it is not among them."""
        ids = [version.node_id for version in self.versions]
        return ids.index(node_id) if node_id in ids else None


class _Field(SavedField):
    """Field of the text. Undo is its own, too, as long as there is typing to undo."""

    typing_ended = Signal()  # undo or redo of the window comes next

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("documentField")
        theme.set_look(self, bare=True)

    def event(self, event: QEvent) -> bool:
        """Leave undo to the window once all typing is undone, and keep its other actions from our keys."""
        if is_undo_key(event) and isinstance(event, QKeyEvent) and not self._undoes(event):
            self.typing_ended.emit()
            event.ignore()
            return True
        return super().event(event)

    def _undoes(self, event: QKeyEvent) -> bool:
        is_undo = event.matches(QKeySequence.StandardKey.Undo)
        return self.document().isUndoAvailable() if is_undo else self.document().isRedoAvailable()

    def fit_text(self) -> None:
        """Write in the size that the theme has for messages now."""
        self.setFont(theme.font("dialogue"))

    def fit(self, width_px: int) -> None:
        """Show the text in a column no wider than this."""
        beside = max(MARGIN_PX, (self.width() - width_px) // 2)
        if self.viewportMargins().left() != beside:
            self.setViewportMargins(beside, 0, beside, 0)


class DocumentPage(Page):
    """Page of one document. What is typed is handed on when it is saved, and when the page is left; until
    then it is told of with every key. An earlier version is only read.
    """

    typed = Signal(str, object)  # node id of the version written on, the text; None: as it is saved
    written = Signal(str, str)  # likewise, and the text that is to be a version
    menu_asked = Signal(str, QPoint)  # node id of the newest version, global position

    def __init__(self, parent: QWidget) -> None:
        super().__init__("documentPage", tr("Document"), parent)
        self._facts: DocumentFacts | None = None
        self._shown = ""  # node id of the version that is shown
        self._before = ""  # its text, as the field says it
        self._is_filling = False
        self._number = 1  # of the version that is shown
        self._title = label("", "title", name="documentTitle")
        self._mark = AgentMark(self)
        self._said = label("", "small", "muted", name="documentSaid")
        self._said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._versions = QToolButton(self)
        self._versions.setObjectName("documentVersions")
        self._versions.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._versions.setToolTip(tr("Read an earlier version"))
        self._versions.setIcon(theme.icon("history"))
        self._versions.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._menu = Menu(self._versions)
        self._menu.setObjectName("versionMenu")
        self._menu.aboutToShow.connect(self.on_versions_asked)
        self._versions.setMenu(self._menu)
        self._more = icon_button("documentMenuButton", theme.icon("ellipsis"), tr("More"), self)
        self._more.clicked.connect(self.on_more)
        self._save = KeyButton(tr("Save version"), tr("Ctrl+Enter"), self, kind="primary")
        self._save.setObjectName("saveDocument")
        self._save.setToolTip(plain_tip(tr("It is saved too when you leave the page.")))
        self._save.clicked.connect(self.flush)
        self._strip = ErrorStrip(self)
        self._strip.setObjectName("documentStrip")
        self._strip.act_clicked.connect(self.on_act)
        self._field = _Field(self)
        self._field.setPlaceholderText(tr("Write what is to be kept beside the tree…"))
        self._field.textChanged.connect(self.on_text_changed)
        self._field.save_pressed.connect(self.flush)
        self._field.typing_ended.connect(self.flush)
        self._field.close_pressed.connect(self.close_asked)
        self.left.connect(self.flush)
        self.setFocusProxy(self._field)
        self._lay_out()

    def fit_text(self) -> None:
        self._field.fit_text()

    # What is shown

    @property
    def node_ids(self) -> tuple[str, ...]:
        """Node ids of the versions, the oldest first; some may be gone by now."""
        return () if self._facts is None else tuple(version.node_id for version in self._facts.versions)

    @property
    def is_changed(self) -> bool:
        """True while words stand in the field that are in no version."""
        return not self._field.isReadOnly() and self._field.exact_text != self._before

    def show_document(self, facts: DocumentFacts, node_id: str = "", begun: str | None = None) -> None:
        """Show a document at one of its versions, else the newest, with words that were begun on it."""
        is_another = facts.place_of(self._shown) is None
        self._facts = facts
        if is_another:
            self._clear()
        self._show(facts, facts.newest.node_id if facts.place_of(node_id) is None else node_id)
        if begun is not None and not self._field.isReadOnly():
            self._put(begun)
            self._show_state()
            self.on_text_changed()

    def refresh(self, facts: DocumentFacts) -> None:
        """Show what became of the document: words that are being written stay, and an earlier version too."""
        before, self._facts = self._facts, facts
        was_newest = before is not None and self._shown == before.newest.node_id
        if self.is_changed:
            if facts.place_of(self._shown) is None:
                self._go_on_after(facts.newest)
            self._show_state()
        elif was_newest or facts.place_of(self._shown) is None:
            self._show(facts, facts.newest.node_id)
        else:
            self._show(facts, self._shown)

    def flush(self) -> None:
        """Hand on what was typed, to be a version."""
        if self._facts is not None and self.is_changed:
            self.written.emit(self._shown, self._field.exact_text)

    def forget(self) -> None:
        """Show no document any more, for the tree is another: words that are in no version wait elsewhere."""
        self._facts, self._shown, self._before = None, "", ""
        self._clear()

    # Slots

    def on_text_changed(self) -> None:
        if self._is_filling or self._field.isReadOnly():
            return
        self._save.setEnabled(self.is_changed)
        self.typed.emit(self._shown, self._field.exact_text if self.is_changed else None)

    def on_versions_asked(self) -> None:
        """Fill the menu of versions, the newest first."""
        self._menu.clear()
        if self._facts is None:
            return
        for number, version in reversed(list(enumerate(self._facts.versions, start=1))):
            words = tr("Version {number} · {author} · {when}").format(
                number=figures.number(number), author=version.author, when=version.when
            )
            action = self._menu.addAction(words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(version.node_id == self._shown)
            action.triggered.connect(lambda _=False, i=version.node_id: self.read_version(i))

    def read_version(self, node_id: str) -> None:
        """Show a version; what was typed is saved before."""
        self.flush()
        if self._facts is not None and not self.is_changed and self._facts.place_of(node_id) is not None:
            self._show(self._facts, node_id)

    def on_act(self, act: str) -> None:
        """Do what the strip offers: back to the newest version, or this one again as the newest."""
        if self._facts is None:
            return
        old = self._field.exact_text
        self.read_version(self._facts.newest.node_id)
        if act == BRING_BACK and not self._field.isReadOnly() and old != self._before:
            self.written.emit(self._shown, old)

    def on_more(self) -> None:
        if self._facts is not None:
            at = self._more.mapToGlobal(self._more.rect().bottomLeft())
            self.menu_asked.emit(self._facts.newest.node_id, at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # Showing

    def _show(self, facts: DocumentFacts, node_id: str) -> None:
        self._shown = node_id
        version = facts.versions[facts.place_of(node_id) or 0]
        is_newest = version is facts.newest
        self._field.setReadOnly(not (facts.can_write and is_newest))
        self._put(version.text)
        self._before = self._field.exact_text
        self._show_state()

    def _go_on_after(self, version: VersionFacts) -> None:
        """Let what is written follow this version: the one that it was written on was taken back."""
        text = self._field.exact_text
        self.typed.emit(self._shown, None)
        self._shown, self._before = version.node_id, version.text
        self.typed.emit(self._shown, text if self.is_changed else None)

    def _clear(self) -> None:
        """Take the text of another document out of the field: nobody typed that."""
        self._is_filling = True
        self._field.clear()
        self._is_filling = False

    def _put(self, text: str) -> None:
        """Put a text into the field; the caret stays where it was as far as that is."""
        if text == self._field.exact_text:
            self._field.document().clearUndoRedoStacks()
            return
        at, scrolled = self._field.textCursor().position(), self._field.verticalScrollBar().value()
        self._is_filling = True
        self._field.setPlainText(text)
        self._is_filling = False
        cursor = QTextCursor(self._field.document())
        cursor.setPosition(min(at, self._field.document().characterCount() - 1))
        self._field.setTextCursor(cursor)
        self._field.verticalScrollBar().setValue(scrolled)

    def _show_state(self) -> None:
        facts = self._facts
        if facts is None:
            return
        self.setAccessibleName(tr("Document {name}").format(name=unsteered(facts.name)))
        self._field.setAccessibleName(tr("Text of {name}").format(name=unsteered(facts.name)))
        set_tip(self._title, facts.name)
        place = facts.place_of(self._shown)
        version = facts.newest if place is None else facts.versions[place]
        self._mark.show_agent(version.agent)
        said = tr("{author} · {when}").format(author=unsteered(version.author), when=version.when)
        self._said.setText(said)
        set_tip(self._said, said)
        self._number = len(facts.versions) if place is None else place + 1
        self._versions.setAccessibleName(self._words_of_version(tr("Version {number} of {count}")))
        self._save.setVisible(not self._field.isReadOnly())
        self._save.setEnabled(self.is_changed)
        self._show_strip(facts, version)
        self._fit()

    def _show_strip(self, facts: DocumentFacts, version: VersionFacts) -> None:
        is_newest = version is facts.newest
        if is_newest:
            self._strip.clear()
        elif self.is_changed:
            words = tr("{author} wrote a newer version meanwhile. Yours is saved after it; both stay.")
            self._strip.say(words.format(author=facts.newest.author), tone="progress")
        else:
            acts = [(NEWEST, tr("Back to the newest"))]
            if facts.can_write and version.text != facts.newest.text:
                acts.append((BRING_BACK, tr("Bring this version back")))
            self._strip.offer(tr("This is an earlier version, to be read."), acts, tone="progress")

    def _fit(self) -> None:
        self._field.fit(theme.prose_width_px())
        if self._facts is not None:
            room = max(TITLE_PX, self.width() - 2 * MARGIN_PX - theme.px("control.hit"))
            name = unsteered(self._facts.name)
            words = QFontMetrics(self._title.font()).elidedText(name, Qt.TextElideMode.ElideRight, room)
            self._title.setText(words)
            is_narrow = self.width() < NARROW_PX
            shown = self._words_of_version(
                tr("v{number} of {count}") if is_narrow else tr("Version {number} of {count}")
            )
            self._versions.setText(shown)
            self._versions.setMinimumWidth(self._versions.sizeHint().width())

    def _words_of_version(self, words: str) -> str:
        count = 0 if self._facts is None else len(self._facts.versions)
        return words.format(number=figures.number(self._number), count=figures.number(count))

    def _lay_out(self) -> None:
        beside = QHBoxLayout()
        beside.setSpacing(theme.px("space.s"))
        beside.addWidget(self._mark)
        beside.addWidget(self._said, 1)
        fill(beside, self._versions, self._more, self._save)
        top = vertical(None, (MARGIN_PX, TOP_PX, NARROW_MARGIN_PX + BAR_PX, 0), spacing=theme.px("space.s"))
        top.addLayout(self.head(self._title, "closeDocument"))
        fill(top, beside, self._strip)
        column = vertical(self, (0, 0, 0, 0), spacing=theme.px("space.m"))
        column.addLayout(top)
        column.addWidget(self._field, 1)
