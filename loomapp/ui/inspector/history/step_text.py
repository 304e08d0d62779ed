"""The text of one step of the history: it is read, copied, and brought back into the tree."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.core.edits.undo import Step
from loomapp.ui.inspector.history.table import maker, moment_words, state_words
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words, tr
from loomapp.ui.widgets import clipboard
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import ElidedLabel, plain_tip
from loomapp.ui.widgets.layouts import horizontal, vertical
from loomapp.ui.widgets.plain_view import PlainView

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
        self._bring.setToolTip(plain_tip(tip))

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
