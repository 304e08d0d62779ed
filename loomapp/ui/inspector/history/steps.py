"""Steps of a tree as an item model that reads older pages as they are scrolled to; the text of one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import groupby

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.core.edits.undo import BEGINNING, Step, StepPage
from loomapp.core.errors import LoomError
from loomapp.core.times import Milliseconds
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words, told, tr
from loomapp.ui.widgets import clipboard
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import ElidedLabel, PlainView, plain_tip, set_tip
from loomapp.ui.widgets.layouts import horizontal, vertical

Index = QModelIndex | QPersistentModelIndex
STEP_ROLE = Qt.ItemDataRole.UserRole
PageReader = Callable[[int | None], StepPage]


class HistoryTable(QAbstractListModel):
    """Rows of the history, newest first; the last one is the beginning of the tree."""

    reading_failed = Signal(str)  # why older steps could not be read

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._read: PageReader | None = None
        self._began_at: Milliseconds = 0
        self._has_older = False
        self.steps: list[Step] = []
        self._groups: list[tuple[int, int]] = []  # see group_of
        self.present = BEGINNING
        self.tint_of: Callable[[str], str] = lambda _: "text.muted"  # of who made a step, by the name

    def show(self, read: PageReader, began_at: Milliseconds) -> None:
        """Show the newest steps that `read` gives, at least as many as were shown before.

        Raises: GroveError if they cannot be read; what was shown stays.
        """
        page = read(None)
        steps = list(page.steps)
        while page.has_older and len(steps) < len(self.steps):
            page = read(steps[-1].sequence)
            steps += page.steps
        self.beginResetModel()
        self._read, self._began_at = read, began_at
        self.steps = steps
        self._take(page)
        self.endResetModel()

    def clear(self) -> None:
        self.beginResetModel()
        self.steps, self._has_older, self._read = [], False, None
        self.endResetModel()

    def number_of(self, sequence: int) -> int | None:
        """Return the row of a step, None if it is not among those read so far."""
        return next((i for i, step in enumerate(self.steps) if step.sequence == sequence), None)

    def step(self, index: Index) -> Step:
        return self.steps[index.row()]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.steps)

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self._has_older

    def fetchMore(self, parent: Index) -> None:
        assert self._read is not None, "older steps follow newer ones"
        try:
            page = self._read(self.steps[-1].sequence)
        except LoomError as error:
            self._has_older = False
            self.reading_failed.emit(told(error.message))
            return
        more = len(page.steps) + (not page.has_older)
        self.beginInsertRows(QModelIndex(), len(self.steps), len(self.steps) + more - 1)
        self.steps += page.steps
        self._take(page)
        self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.steps):
            return None
        step = self.step(index)
        if role == STEP_ROLE:
            return step
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " · ".join(filter(None, (group_words(*self.group_of(index.row())), self.spoken(step))))
        if role == Qt.ItemDataRole.ToolTipRole:
            told = (self.spoken(step), next_step(step, self.present), self.undo_words(index.row()))
            return plain_tip("\n\n".join(filter(None, told)))
        return None

    def spoken(self, step: Step) -> str:
        """Return a step as a sentence: what, its name, who, when, and whether it holds."""
        said = [
            step.name or "",
            step_words(step.label),
            maker(step),
            moment_words(step.at),
            state_words(step),
        ]
        if step.sequence == self.present:
            said.append(here_words())
        said.append(step.about)
        return " · ".join(filter(None, said))

    def undo_words(self, row: int) -> str:
        """Return how many steps one Undo takes back with one that holds, such as those of a run; only part
        of them where something else was done in between. "" where it goes alone.
        """
        step = self.steps[row]
        if not step.action or step.state != "done":
            return ""
        holding = [one for one in self.steps if one.state == "done"]
        total = sum(one.action == step.action for one in holding)
        groups = (list(group) for _, group in groupby(holding, key=lambda one: one.action))
        together = next(len(group) for group in groups if step in group)
        if total == 1:
            return ""
        if together == total:
            return tr("One Undo takes back {n} steps that belong together.").format(n=total)
        words = tr("One Undo takes back {n} of {total} steps that belong together: others wrote in between.")
        return words.format(n=together, total=total)

    def group_of(self, row: int) -> tuple[int, int]:
        """Return the place of a step among those of its action that stand together, from 1 for the newest,
        and how many they are; such as the steps of a run.
        """
        return self._groups[row]

    def _take(self, page: StepPage) -> None:
        self._has_older, self.present = page.has_older, page.present
        if not page.has_older:
            began = Step(BEGINNING, "Beginning", "", self._began_at, "done", page.beginning_name)
            self.steps.append(began)
        self._groups = []
        for (action, _), group in groupby(self.steps, key=lambda one: (one.action, one.state)):
            count = len(list(group))
            self._groups += [(i, count) for i in range(1, count + 1)] if action else [(1, 1)] * count


def maker(step: Step) -> str:
    return tr("You") if step.by == "you" else step.by


def state_words(step: Step) -> str:
    return {"done": "", "undone": tr("undone"), "abandoned": tr("abandoned")}[step.state]


def group_words(place: int, count: int) -> str:
    """Return the head of steps that belong together, on the newest of them; "" for any other step."""
    return tr("{n} steps together").format(n=count) if place == 1 and count > 1 else ""


def here_words() -> str:
    return tr("you are here")


def next_step(step: Step, present: int) -> str:
    """Return the tip of a click on a step: its effect."""
    if step.sequence == present:
        return tr("The tree is as it was right after this.")
    if step.state == "abandoned":
        return tr("It was undone, then something else was done. Click to read it, copy it or bring it back.")
    if step.state == "undone":
        return tr("Click to redo up to here.")
    return tr("Click to go back to right after this. Nothing is lost: it can be redone.")


def moment_words(at: Milliseconds, today: datetime | None = None) -> str:
    """`12:03` of today, else `3 Nov, 12:03`, with the year if it is another; in the local time."""
    moment = datetime.fromtimestamp(at / 1000).astimezone()
    today = today or datetime.now().astimezone()
    if moment.date() == today.date():
        return moment.strftime("%H:%M")
    year = "" if moment.year == today.year else f" {moment.year}"
    return f"{moment.day} {moment.strftime('%b')}{year}, {moment.strftime('%H:%M')}"


HEAD_PX = 36
BETWEEN = "\n\n"  # of several texts


class StepText(QWidget):
    """Texts that a step wrote, in the place of the list. Esc leaves them."""

    bring_back_asked = Signal(int)  # sequence number of the step
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepTextPage")
        self._sequence, self._text = 0, ""
        self._what = ElidedLabel(self)
        self._what.setFont(theme.font("small"))
        theme.set_look(self._what, tone="secondary")
        self._view = PlainView(
            tr("Text of this step"), self, type_name="ui", more=tr("Copy gives all of it.")
        )
        self._view.name_field("stepText")
        self._back = self._button(tr("Back to the list"), "stepTextBack", quiet=True)
        self._copy = self._button(tr("Copy text"), "copyStepText", quiet=True)
        self._bring = self._button(tr("Bring back"), "bringStepBack", quiet=False)
        self._back.clicked.connect(self.left)
        self._copy.clicked.connect(self.on_copy_clicked)
        self._bring.clicked.connect(self.on_bring_clicked)
        self.setFocusProxy(self._view)
        self._lay_out()

    def show_texts(self, step: Step, texts: tuple[str, ...], *, why_not: str) -> None:
        """Show what a step wrote. `why_not` says why it cannot be brought back; "" if it can."""
        self._sequence, self._text = step.sequence, BETWEEN.join(texts)
        said = (step_words(step.label), maker(step), moment_words(step.at), state_words(step))
        self._what.show_words("{0}", " · ".join(filter(None, said)))
        self._view.show_text(self._text or tr("This step wrote no text."))
        self._copy.setEnabled(bool(self._text))
        self._bring.setEnabled(not why_not)
        tip = why_not or tr("Adds it as a branch where it was. Undo removes it.")
        set_tip(self._bring, tip)

    def on_copy_clicked(self) -> None:
        clipboard.copy(self._text)

    def on_bring_clicked(self) -> None:
        self.bring_back_asked.emit(self._sequence)

    def event(self, event: QEvent) -> bool:
        """Esc is this page's, whatever it does elsewhere in the window."""
        if event.type() == QEvent.Type.ShortcutOverride and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _button(self, words: str, name: str, *, quiet: bool) -> QPushButton:
        button = push_button(name, words, self)
        if quiet:
            theme.set_look(button, kind="quiet")
        return button

    def _lay_out(self) -> None:
        head = horizontal(spacing=8)
        for part in (self._back, self._what, self._copy, self._bring):
            head.addWidget(part, 1 if part is self._what else 0)
        strip = QWidget(self)
        strip.setFixedHeight(HEAD_PX)
        strip.setLayout(head)
        column = vertical(self, (8, 0, 8, 8), spacing=0)
        column.addWidget(strip)
        column.addWidget(self._view, 1)


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
