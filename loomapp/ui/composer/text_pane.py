"""Right side: the active path as text, as commands know it, under its head; numbers; the composer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Image
from loomapp.core.model.entities import Mode
from loomapp.ui.composer.composer import Composer
from loomapp.ui.composer.composer_rows import NoteBox
from loomapp.ui.composer.context_bar import ContextBar
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.keys import ICON_PX, Actions, action_button, show_keys
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_queue import Offered
from loomapp.ui.strings import tr
from loomapp.ui.widgets.error_strip import ErrorStrip, StripPile
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.labels import label

if TYPE_CHECKING:
    from loomapp.ui.buffer.view import BufferView


@dataclass(frozen=True, slots=True)
class ReadyPlace:
    """Node to be continued, once all that was written before it is saved."""

    node_id: str
    ask: Callable[[Callable[..., None], Sources], None]  # starts a request there; the sources it was made of


class TextView(Protocol):
    """A text that is read and written: messages with a composer, or passages with a caret."""

    size_setting: str  # the name of the setting that is the size of its words

    # Asking a model

    @property
    def why_waits(self) -> str:
        """For people, why nothing can be asked here before an answer ends; "" if something can."""

    @property
    def is_in_new_words(self) -> bool:
        """True if the writer is in words that become the current node once they are saved."""

    def generate(self) -> None:
        """Save what is written, and ask for what follows where the writer is. Raises: LoomError."""

    def make_ready(self, again: Callable[[], None]) -> ReadyPlace | None:
        """Save, and return where it is continued; None: `again` is called later. Raises: LoomError."""

    def continue_node(self, node_id: str, *, follow: bool = False, agents: Sequence[Agent] = ()) -> None:
        """Ask for continuations of a node; with `follow` the reader goes to it first. Raises: LoomError."""

    def retry_node(self, node_id: str, *, agents: Sequence[Agent] = ()) -> None:
        """Ask for more answers beside a node, or for answers to it. Raises: LoomError."""

    def retry_draft(self, key: str) -> None:
        """Ask again for an answer that failed or waits. Raises: LoomError."""

    # Files that go along

    @property
    def takes_attachments(self) -> bool:
        """True if files can be part of what is being written; else they go along as context only."""

    def attach(self, offered: Sequence[Offered]) -> None: ...

    def said_of_notes(self) -> str: ...

    def image_note(self, image: Image) -> str:
        """Return why an attached image goes only by its name, for people; "" if it goes as an image."""

    # Undo

    @property
    def can_undo_typing(self) -> bool: ...

    @property
    def can_redo_typing(self) -> bool: ...

    @property
    def can_redo_change(self) -> bool:
        """True if a change was taken back, and nothing that was written since stands in its place."""

    def undo_typing(self) -> bool: ...

    def redo_typing(self) -> bool: ...

    def undo_change(self) -> None:
        """Take back the newest change of the tree, and bring the writer to where it was made."""

    def redo_change(self) -> None:
        """Do again the change that was taken back last."""

    # Reading and editing

    @property
    def plain_text(self) -> str:
        """Return all of the path, exactly as it is written, with words that are in no node yet."""

    @property
    def is_composing(self) -> bool:
        """True while an input method composes words that are saved as they are written."""

    def is_writer_at(self, node_id: str) -> bool:
        """Tell whether the text itself shows that a node is the one to be continued."""

    def reveal(self, node_id: str) -> None:
        """Bring a node into view that was selected elsewhere."""

    def edit_node(self, node_id: str) -> None:
        """Let the words of a node be edited where they stand."""

    def replace_text(self, node_id: str, text: str, pen: EditContext) -> None:
        """Commit another text for a node, which stays in the tree. Raises: LoomError."""

    def find(self) -> None: ...

    def mark_terms(self, wanted: tuple[str, ...], node_id: str = "") -> None:
        """Mark words by which a node was found elsewhere; without words, none."""

    def colour_anew(self) -> None:
        """Draw the words again: other ones are spelled wrong."""

    def show_composed(self, text: str) -> None: ...

    # Siblings and versions

    def has_siblings(self) -> bool:
        """Return True where there is another way on from the same parent."""

    def step_sibling(self, by: int) -> None:
        """Read a sibling of the current node, with what hangs below it."""

    def step_version(self, by: int) -> None:
        """Read another version of the current node; what follows it stays where it can."""


NARROWEST_PX = 320
MARGIN_PX = 16
LOW_PX = 400
LOWEST_PX = 80  # of what is read, in a low window
LOWEST_BESIDE_NOTE_PX = 36  # while a note is written below it
HEAD_PX = 36
ROOMY_PX = 520
ICONS = (("findInPath", "search"), ("exportTree", "download"), ("focusMode", "maximize"))


class TextPane(QWidget):
    """Dialogue above composer, or the buffer above its controls; the live preview stands there beside tree
    settings.
    """

    preview_came = Signal(object)  # ContextPreview: the one beside the tree settings, once it is wanted

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("textPane")
        self.setMinimumWidth(NARROWEST_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="panel")
        self._pages = QStackedWidget(self)
        self._read = QWidget(self._pages)
        self._beneath: QWidget = self._read
        self.dialogue = DialogueView(self._read)
        self._settings_preview: ContextPreview | None = None
        self.errors = StripPile(self)
        self.errors.setObjectName("errorStrip")
        self.closed_texts = ErrorStrip(self)
        self.closed_texts.setObjectName("closedTexts")
        self.note_box = NoteBox(self.focus_text, self)
        self.note_box.visibility_changed.connect(self._fit_pages)
        self.context_bar = ContextBar(self)
        self.composer = Composer(self)
        self.note_box.keyboard_came.connect(self.composer.on_keyboard_elsewhere)
        self._buffer: BufferView | None = None
        self._is_prose = False
        self._instead: QWidget | None = None  # a page in the place of the text
        self._head: QWidget | None = None
        self._reading = QVBoxLayout()
        self._reading.setContentsMargins(0, 0, 0, 0)
        self._reading.setSpacing(0)
        self._reading.addWidget(self.dialogue, 1)
        self._read.setLayout(self._reading)
        self._bar_px = 0  # of a bar above the text, with the gaps around it
        self._fit_pages()
        self._pages.addWidget(self._read)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._pages, 1)
        self._below_box = QWidget(self)
        self._below = QVBoxLayout(self._below_box)
        self._below.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._below_box)
        column.addWidget(self.errors)
        column.addWidget(self.closed_texts)
        column.addWidget(self.note_box)
        self._foot_box = QWidget(self)
        self._foot = foot = QVBoxLayout(self._foot_box)
        foot.setContentsMargins(MARGIN_PX, 8, MARGIN_PX, MARGIN_PX)
        foot.setSpacing(8)
        foot.addWidget(self.context_bar)
        foot.addWidget(self.composer)
        column.addWidget(self._foot_box)

    def add_below_text(self, part: QWidget) -> None:
        self._below.addWidget(part)

    def add_above_bar(self, part: QWidget) -> None:
        self._foot.insertWidget(self._foot.indexOf(self.context_bar), part)

    def add_on_top(self, part: QWidget) -> None:
        """Put something above everything else, where the pane has the screen for itself."""
        self._column.insertWidget(0, part)

    def add_head(self, head: QWidget) -> None:
        """Put a row above the text, where there is room for it."""
        self._head = head
        self._reading.insertWidget(0, head)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the heads in a low window, where every line is for what is read."""
        super().resizeEvent(event)
        if self._head is not None:
            self._head.setHidden(event.size().height() < LOW_PX)

    @property
    def least_px(self) -> int:
        """Height that the part below the text needs, in px, wrapped lines included."""
        column = self._column
        return max(column.minimumSize().height(), column.minimumHeightForWidth(self.width()))

    @property
    def buffer(self) -> BufferView:
        """The editor of buffers, made when one is shown first."""
        if self._buffer is None:
            from loomapp.ui.buffer.view import BufferView  # late, as it is made

            self._buffer = BufferView(self._read)
            self._buffer.find_bar.height_changed.connect(self.on_bar_height_changed)
            self._reading.addWidget(self._buffer, 1)
            self._buffer.setVisible(self._is_prose)
        return self._buffer

    def on_bar_height_changed(self, height_px: int) -> None:
        """Take the room of a bar above the text from what stands below it, not from the text."""
        from loomapp.ui.buffer.view import BELOW_PX  # late: it is there by now

        self._bar_px = height_px + (BELOW_PX * 2 if height_px else 0)
        self._fit_pages()

    def _fit_pages(self) -> None:
        lowest = LOWEST_BESIDE_NOTE_PX if self.note_box.isVisible() else LOWEST_PX
        self._pages.setMinimumHeight(lowest + self._bar_px)

    @property
    def settings_preview(self) -> ContextPreview:
        """Preview of the request beside the tree settings; made when it is shown first."""
        if self._settings_preview is None:
            self._settings_preview = ContextPreview(self._pages)
            self._settings_preview.setObjectName("settingsPreview")
            self._pages.addWidget(self._settings_preview)
            self.preview_came.emit(self._settings_preview)
        return self._settings_preview

    @property
    def is_prose(self) -> bool:
        return self._is_prose

    def set_prose(self, is_prose: bool) -> None:
        """A buffer is written in its own text, a dialogue in the composer; the keyboard goes along."""
        focused = focused_beside(self)
        had_keyboard = focused is not None and self.isAncestorOf(focused)
        self._is_prose = is_prose
        self.composer.set_prose(is_prose)
        if is_prose or self._buffer is not None:
            self.buffer.setVisible(is_prose)
        self.dialogue.setVisible(not is_prose)
        if had_keyboard and focused is not None and not focused.isVisibleTo(self):
            self.focus_text()  # or Qt takes the next that there is

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go on at the end of a buffer from the strip between it and what stands below."""
        at = event.position().toPoint()
        bar_top = self.context_bar.mapTo(self, QPoint()).y()
        is_below_text = self._pages.geometry().bottom() < at.y() < bar_top
        if self._is_prose and is_below_text and event.button() == Qt.MouseButton.LeftButton:
            self.buffer.editor.press_beside(self.buffer.editor.viewport().mapFrom(self, at))

    def focus_text(self) -> None:
        """Put the keyboard where one writes."""
        if self._instead is not None:
            self.show_text()
        if self._is_prose:
            self.buffer.editor.setFocus()
        else:
            self.composer.field.setFocus()

    def show_dialogue(self) -> None:
        self._beneath = self._read
        self._show_page()

    def show_preview(self) -> None:
        self._beneath = self.settings_preview
        self._show_page()

    @property
    def page(self) -> QWidget | None:
        """Return the page in the place of the text, if there is one."""
        return self._instead

    def show_instead(self, page: QWidget) -> None:
        """Show a page in the place of the text and of what stands below it."""
        self._instead = page
        if self._pages.indexOf(page) < 0:
            self._pages.addWidget(page)
        self._show_page()

    def show_text(self) -> None:
        """Show the text again, and what stands below it."""
        self._instead = None
        self._show_page()

    def _show_page(self) -> None:
        self._pages.setCurrentWidget(self._instead or self._beneath)
        for box in (self._below_box, self._foot_box):
            box.setVisible(self._instead is None)


class TextHead(QWidget):
    """Row above the dialogue or the buffer. Its buttons are actions."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("textHead")
        self.setFixedHeight(HEAD_PX)
        self._title = label("", "ui_strong")
        self._title.setObjectName("textTitle")
        self._title.setFixedHeight(HEAD_PX - 1)
        theme.set_look(self._title, tab=True)
        self._compare = action_button(actions, "compare", tr("Compare"), self)
        self._compare.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._icons: list[tuple[QToolButton, str]] = [
            (action_button(actions, name, "", self), icon) for name, icon in ICONS
        ]
        self._row = QHBoxLayout()
        self._row.setContentsMargins(16, 0, 12, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self._title)
        self._row.addWidget(self._compare)
        self._row.addStretch(1)
        for button, _ in self._icons:
            self._row.addWidget(button)
        line = QFrame(self)
        theme.set_look(line, line=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row, 1)
        column.addWidget(line)
        self.show_mode("dialogue")
        self._paint_icons()

    def show_mode(self, mode: Mode) -> None:
        self._title.setText(tr("Buffer") if mode == "buffer" else tr("Dialogue"))

    def add_part(self, part: QWidget) -> None:
        """Add a part that says more of the text, before the buttons at the right."""
        self._row.insertWidget(self._row.count() - len(self._icons), part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the compare button when the head is narrow: the action has other ways in."""
        super().resizeEvent(event)
        self._compare.setVisible(event.size().width() >= ROOMY_PX)

    def show_keys(self) -> None:
        show_keys(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_icons"):
            self._paint_icons()

    def _paint_icons(self) -> None:
        for button, icon in self._icons:
            button.setIcon(theme.icon(icon, role="text.secondary", size=ICON_PX))
