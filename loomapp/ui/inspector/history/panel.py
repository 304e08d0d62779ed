"""The history of a tree: every step, where one is, and names for points worth coming back to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from loomapp.core.edits.undo import LoggedStep, StepPage
from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words, told, tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.fields import LeftWords, Line
from loomapp.ui.widgets.labels import ElidedLabel, label
from loomapp.ui.widgets.layouts import horizontal, vertical

if TYPE_CHECKING:
    from loomapp.ui.inspector.history.list import HistoryList

HEAD_PX = 36
LONGEST_NAME = 120  # characters

TintOf: TypeAlias = Callable[[str], str]  # the colour role of who made a step, by the name


class HistorySource(Protocol):
    """The document whose steps are shown."""

    @property
    def tree(self) -> Tree: ...

    def steps(self, before: int | None = None) -> StepPage:
        """Return its steps, newest first, or the next older ones than a sequence number."""

    def logged_step(self, sequence: int) -> LoggedStep:
        """Return a step with what it wrote."""


class HistoryPanel(QWidget):
    """Reads the log only while it is seen, and once for however many changes came in between. Its parts are
    made when it is first seen.
    """

    go_asked = Signal(int)  # sequence number of a step, or BEGINNING: stand right after it
    name_asked = Signal(int, str)  # likewise, and what it is called from now on; blank for nothing
    bring_back_asked = Signal(int)  # sequence number of a step: what it wrote is to be in the tree again
    stop_asked = Signal()  # on a long way: stay at the point that was reached

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("historyPanel")
        self._past: HistorySource | None = None
        self._tree_id = ""
        self._named_at = 0  # the point that is being named
        self._left = LeftWords()
        self._list: HistoryList | None = None
        self._can_name = True
        self._tint_of: TintOf | None = None
        self._soon = IdleTimer(self)
        self._soon.timeout.connect(self._read_if_seen)

    @property
    def list(self) -> HistoryList:
        """Return the list of the steps, made with everything else when it is first wanted."""
        if self._list is None:
            from loomapp.ui.inspector.history.list import HistoryList  # late, as it is made

            self._list = HistoryList(self)
            self._build(self._list)
        return self._list

    def _build(self, steps: HistoryList) -> None:
        from loomapp.ui.inspector.history.steps import StepText  # late likewise

        self._where = ElidedLabel(self)
        self._where.setObjectName("historyWhere")
        self._where.setFont(theme.font("small"))
        theme.set_look(self._where, tone="secondary")
        self._name_button = push_button("namePointButton", tr("Name this point…"), self, kind="quiet")
        self._name_button.clicked.connect(self.on_name_clicked)
        self._stop_button = push_button("stopWalkButton", tr("Stop"), self)
        self._stop_button.setAccessibleName(tr("Stop here"))
        self._stop_button.clicked.connect(self.stop_asked)
        self._stop_button.hide()
        self._field = _name_field(self)
        self._field.returnPressed.connect(self.on_name_entered)
        self._field.installEventFilter(self)
        self._fault = label("", "small", "error", wrap=True, name="historyFault")
        self._fault.setContentsMargins(12, 8, 12, 8)
        self._fault.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(steps)
        self._pages.addWidget(self._fault)
        self._text = StepText(self)
        self._pages.addWidget(self._text)
        self._lay_out()
        steps.go_asked.connect(self.go_asked)
        steps.naming_asked.connect(self.begin_naming)
        steps.text_asked.connect(self.show_text)
        steps.bring_back_asked.connect(self.bring_back_asked)
        self._text.bring_back_asked.connect(self.bring_back_asked)
        self._text.left.connect(self.leave_text)
        steps.table.reading_failed.connect(self._show_fault)
        if self._tint_of is not None:
            steps.table.tint_of = self._tint_of
        self.setFocusProxy(steps)
        self.set_can_name(self._can_name)

    def show_history_of(self, past: HistorySource) -> None:
        """Show the steps of a document's tree; also to be called when they have changed."""
        self._past = past
        if self.isVisible():
            self._soon.start()

    def set_tints(self, tint_of: TintOf) -> None:
        """Tint the marks of steps by who made them."""
        self._tint_of = tint_of
        if self._list is not None:
            self._list.table.tint_of = tint_of

    def set_can_name(self, can_name: bool) -> None:
        """Allow names for points; False where nothing can be saved: the list can only be read."""
        self._can_name = can_name
        if self._list is not None:
            self._list.can_name = can_name
            self._name_button.setEnabled(can_name)

    def show_progress(self, moved: int, total: int) -> None:
        """Show how far a long way through the history is gone, and a button that stops it."""
        if self._list is None:
            return
        self._show_field(False)
        self._name_button.hide()
        self._stop_button.show()
        words = tr("{moved} of {total} steps").format(
            moved=figures.number(moved), total=figures.number(total)
        )
        self._where.show_words("{0}", words)

    def end_progress(self) -> None:
        """Hide the progress: the way is gone, or stopped."""
        if self._list is not None and not self._stop_button.isHidden():
            if self._stop_button.hasFocus():
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)
            self._stop_button.hide()
            self._name_button.show()
            self._show_where()

    # Reading a step

    def show_text(self, sequence: int) -> None:
        """Show what a step wrote, in the place of the list."""
        row = self.list.table.number_of(sequence)
        if row is None or self._past is None:
            return
        try:
            logged = self._past.logged_step(sequence)
        except LoomError as error:
            self._show_fault(told(error.message))
            return
        is_here = logged.is_in(self._past.tree)
        why = tr("Nothing of it is missing from the tree.") if is_here else ""
        why = why if self.list.can_name else tr("This grove is open for reading only.")
        self._text.show_texts(self.list.table.steps[row], logged.texts(), why_not=why)
        self._show_text_page(shown=True)

    def leave_text(self) -> None:
        """Go back to the list, on the step that was read."""
        if self._list is not None and not self._text.isHidden():
            self._show_text_page(shown=False)

    def _show_text_page(self, *, shown: bool) -> None:
        self._head.setVisible(not shown)
        page = self._text if shown else self.list
        self._pages.setCurrentWidget(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)

    # Naming, in place

    def begin_naming(self, sequence: int) -> None:
        """Open the field for the name of a point, with the one it has."""
        row = self.list.table.number_of(sequence)
        if row is None:
            return
        step = self.list.table.steps[row]
        if self._is_naming():
            self._leave_words()
        self._named_at = sequence
        self._left.fill(self._field, self._named_point(), step.name or "")
        self._field.setPlaceholderText(
            tr("A name for the point after “{step}”").format(step=step_words(step.label))
        )
        self._show_field(True)
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def on_name_clicked(self) -> None:
        self.begin_naming(self.list.table.present)

    def on_name_entered(self) -> None:
        """Hand the name on; a blank one takes the old name away."""
        self._leave_naming()
        self.name_asked.emit(self._named_at, self._field.text().strip())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape leaves the field, and nothing else hears of it; so does going elsewhere."""
        if watched is self._field and self._is_naming():
            if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
                if event.type() == QEvent.Type.ShortcutOverride:
                    event.accept()
                elif event.type() == QEvent.Type.KeyPress:
                    self._leave_words()
                    self._leave_naming()
                return True
            if event.type() == QEvent.Type.FocusOut and not self._field.text().strip():
                self._show_field(False)
        return False

    def _is_naming(self) -> bool:
        return not self._field.isHidden()

    def _named_point(self) -> str:
        return f"{self._tree_id} {self._named_at}"

    def _leave_words(self) -> None:
        self._left.leave(self._field, self._named_point())

    def _leave_naming(self) -> None:
        if self._field.hasFocus():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_field(False)

    def _show_field(self, shown: bool) -> None:
        self._field.setVisible(shown)
        self._where.setVisible(not shown)
        self._name_button.setVisible(not shown)

    # Reading

    def setVisible(self, visible: bool) -> None:
        """Make the parts before they are seen: the keyboard may be given to the list at once."""
        if visible:
            _ = self.list
        super().setVisible(visible)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not read while hidden."""
        super().showEvent(event)
        self._read_if_seen()

    def _read_if_seen(self) -> None:
        past = self._past
        if past is None or not self.isVisible():
            return
        steps = self.list
        if past.tree.loom.id != self._tree_id:
            self._tree_id = past.tree.loom.id
            steps.table.clear()
            self._head.show()
            self._pages.setCurrentWidget(steps)
            self._show_field(False)
        try:
            steps.show_steps(past.steps, past.tree.loom.created_at)
        except LoomError as error:
            self._show_fault(told(error.message))
            return
        if self._pages.currentWidget() is not self._text:
            self._pages.setCurrentWidget(steps)
        if self._stop_button.isHidden():
            self._show_where()

    def _show_fault(self, sentence: str) -> None:
        self._fault.setText(sentence)
        self._pages.setCurrentWidget(self._fault)

    def _show_where(self) -> None:
        """Show the present point in words; its row may be scrolled away."""
        table = self.list.table
        row = table.number_of(table.present)
        if row is None:  # far down among steps that were not read yet
            words, step_name = "{0}", tr("You are further back")
        else:
            here = table.steps[row]
            can_redo = any(step.state == "undone" for step in table.steps[:row])
            words = (
                tr("You are after “{0}”; newer steps can be redone")
                if can_redo
                else tr("You are after “{0}”")
            )
            step_name = here.name or step_words(here.label)
        self._where.show_words(words, step_name)

    def _lay_out(self) -> None:
        head = horizontal(margins=(12, 0, 8, 0), spacing=8)
        head.addWidget(self._where, 1)
        head.addWidget(self._name_button)
        head.addWidget(self._stop_button)
        head.addWidget(self._field, 1)
        self._head = strip = QWidget(self)
        strip.setFixedHeight(HEAD_PX)
        strip.setLayout(head)
        column = vertical(self, spacing=0)
        column.addWidget(strip)
        column.addWidget(self._pages, 1)
        self._show_field(False)


def _name_field(parent: QWidget) -> QLineEdit:
    field = Line(parent)
    field.setObjectName("pointName")
    field.setAccessibleName(tr("Name of this point"))
    field.setAccessibleDescription(tr("Enter saves it, Escape cancels; an empty name removes it"))
    field.setMaxLength(LONGEST_NAME)
    return field
