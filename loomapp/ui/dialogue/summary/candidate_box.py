"""The box of candidates in the card of a summary: one at a time, edited, and compared with the saved text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.text.diff import DiffRun
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import SiblingPager, push_button
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Flow, fill, horizontal, vertical

WORD = re.compile(r"\w[\w'’-]*")
LINES = 5  # of the comparison that are shown at once, before it scrolls


@dataclass(frozen=True, slots=True)
class ShownCandidates:
    """Contents of the box: the text that is shown and who wrote it, its place among how many, the words in
    which it differs from the saved summary, and how many are still being written.
    """

    text: str = ""
    by: str = ""
    number: int = 0
    count: int = 0
    runs: Sequence[DiffRun] = ()
    missing: int = 0


class CandidateBox(QWidget):
    """Shows a candidate as a field. Nothing is saved until one is taken."""

    turned = Signal(int)  # -1: the one before, +1: the next
    typed = Signal(str)  # what the field says
    take_asked = Signal()
    away_asked = Signal()
    height_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("candidateBox")
        self._shown: ShownCandidates | None = None
        self._field_px = 0
        self.pager = SiblingPager(self)
        self.pager.turned.connect(self.turned)
        self._by = label("", "small", "secondary", name="candidateAuthor")
        self.field = SummaryField("candidateText", self)
        self.field.setAccessibleName(tr("Text of the candidate"))
        self.field.textChanged.connect(self.on_text_changed)
        self.field.save_pressed.connect(self.take_asked)
        self._told = label("", "small", "secondary", name="candidateWords")
        self._words = QPlainTextEdit(self)
        self._words.setObjectName("candidateComparison")
        self._words.setAccessibleName(tr("Words that differ from the saved summary are underlined"))
        self._words.setFont(theme.font("small"))
        self._words.setReadOnly(True)
        self._words.setTabChangesFocus(True)
        self._words.setFixedHeight(LINES * self._words.fontMetrics().lineSpacing() + 12)
        self.take_button = push_button("takeCandidate", tr("Use this one"), self, kind="link")
        self.take_button.clicked.connect(self.take_asked)
        self.away_button = push_button("putCandidatesAway", tr("Keep the saved one"), self, kind="link")
        self.away_button.clicked.connect(self.away_asked)
        head = horizontal(spacing=8)
        head.addWidget(self.pager)
        head.addWidget(self._by, 1)
        acts = Flow(gap_px=12)
        fill(acts, self.take_button, self.away_button)
        fill(vertical(self, spacing=6), head, self.field, self._told, self._words, acts)
        self.hide()

    def show_candidates(self, shown: ShownCandidates | None) -> None:
        """Show a candidate; None: none were asked for. Words that are being written stay."""
        if shown == self._shown:
            return
        self._shown = shown
        was_hidden = self.isHidden()
        self.setVisible(shown is not None)
        if shown is None:
            if not was_hidden:
                self.height_changed.emit()
            return
        self.pager.show_place(shown.number, max(1, shown.count))
        self.pager.setVisible(shown.count > 0)
        waits = tr("{count} more are being written").format(count=figures.number(shown.missing))
        if shown.missing == 1:
            waits = tr("one more is being written")
        said = [shown.by, waits if shown.missing and shown.count else ""]
        if not shown.count:
            said = [tr("Candidates are being written")]
        self._by.setText(" · ".join(filter(None, said)))
        if self.field.text() != shown.text:
            self.field.show_text(shown.text)
        self._show_words()
        for part in (self.field, self._told, self._words, self.take_button):
            part.setVisible(bool(shown.count))
        self._tell_height()

    @property
    def marked(self) -> list[str]:
        """The words that the saved summary does not have."""
        return [] if self._shown is None else [run.text for run in self._shown.runs if run.differs]

    def on_text_changed(self) -> None:
        if self._shown is not None and self._shown.count and self.field.text() != self._shown.text:
            self.typed.emit(self.field.text())
        if self.field.height() != self._field_px:
            self._field_px = self.field.height()
            self._tell_height()

    def _tell_height(self) -> None:
        """Tell that it may be higher or lower by now; the card's layout remembers what it was."""
        self.updateGeometry()
        self.height_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_words"):
            self._show_words()

    def _show_words(self) -> None:
        """Show the candidate with the words underlined that the saved summary does not have."""
        runs = () if self._shown is None else self._shown.runs
        count = sum(len(WORD.findall(run.text)) for run in runs if run.differs)
        words = tr("{count} words differ from the saved summary:")
        self._told.setText(
            tr("It has no word that the saved summary does not have.")
            if not count
            else tr("1 word differs from the saved summary:")
            if count == 1
            else words.format(count=figures.number(count))
        )
        plain, other = QTextCharFormat(), QTextCharFormat()
        plain.setForeground(theme.colour("text.secondary"))
        other.setForeground(theme.colour("text.primary"))
        other.setBackground(theme.colour("accent.soft"))
        other.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        other.setUnderlineColor(theme.colour("accent.base"))
        self._words.clear()
        cursor = QTextCursor(self._words.document())
        for run in runs:
            cursor.insertText(run.text, other if run.differs else plain)
        self._words.moveCursor(QTextCursor.MoveOperation.Start)
        self._words.setFocusPolicy(Qt.FocusPolicy.StrongFocus if count else Qt.FocusPolicy.NoFocus)
