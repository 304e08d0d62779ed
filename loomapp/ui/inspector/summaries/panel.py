"""The tab Summaries: the heads from the root to the current node, the text they make, and what it saved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent, QShowEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QTextEdit, QToolButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui.inspector.summaries.head_row import HeadFacts, HeadRow
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, utf16_length
from loomapp.ui.widgets import clipboard
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Scrolled, fill, horizontal, vertical

BESIDE_FROM_PX = 640
BELOW_CHAIN = 3  # place in the column: after its title, the heads and their hint
HEAD_PX = 28
FRAME_PX = 14  # of a text: its border and padding, above and below


@dataclass(frozen=True, slots=True)
class SummariesFacts:
    """All that the tab shows. `tokens` are those of the text without its footer; `is_sent` if the tree sends
    it in place of its messages.
    """

    heads: tuple[HeadFacts, ...]
    hint: str
    text: str
    footer: str
    tokens: str
    stats: str
    path: str  # of what is known of the path's own text
    is_sent: bool = True
    is_tracked: bool = True  # the statistics have something to tell: a summary was updated
    saved: str = ""  # what they tell, in a sentence


class FixedText(QPlainTextEdit):
    """Text that is read, selected and copied, exactly as it is; `muted` characters at its end are pale."""

    def __init__(self, name: str, accessible: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(theme.font("mono"))
        self._muted = 0

    def show_text(self, text: str, muted: int = 0) -> None:
        self._muted = muted
        if text != self.toPlainText():
            at = self.verticalScrollBar().value()
            self.setPlainText(text)
            self.verticalScrollBar().setValue(at)
        self._show_muted()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_muted"):
            self._show_muted()

    def _show_muted(self) -> None:
        if not self._muted:
            self.setExtraSelections([])
            return
        text = self.toPlainText()
        cursor = QTextCursor(self.document())
        cursor.setPosition(utf16_length(text[: len(text) - self._muted]))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        pale = QTextEdit.ExtraSelection()
        pale.cursor, pale.format = cursor, QTextCharFormat()
        pale.format.setForeground(theme.colour("text.muted"))
        self.setExtraSelections([pale])


class SummariesPanel(QWidget):
    """Summaries of the branches on the way to the current node; what is typed is handed on when its field is
    left. Its parts are made when it is first seen.
    """

    summary_given = Signal(str, str)  # node id, text: a changed summary whose field is left
    typed = Signal(str, object)  # node id, the text as it stands in the field; None: as it is saved
    closed = Signal(str)  # node id: its field was put away, the words wait
    opened = Signal(str)  # node id: its field is open
    summarise_asked = Signal(str)  # node id: a summary of its branch is to be proposed
    send_asked = Signal()  # the tree is to send this in place of its messages

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summariesPanel")
        self.setAccessibleName(tr("Summaries"))
        self._ask: Callable[[], SummariesFacts | None] = lambda: None
        self.begun_text: Callable[[str], str | None] = lambda _: None  # words that wait for their field
        self.can_write = True
        self._facts: SummariesFacts | None = None
        self._rows: list[HeadRow] = []
        self._is_built = False
        self._edited = ""  # node id of the head whose field is open

    def set_source(self, ask: Callable[[], SummariesFacts | None]) -> None:
        self._ask = ask

    def refresh(self) -> None:
        """Ask again and show what came. A field that is open stays, unless its head is not there any more:
        then it is left.
        """
        if not self.isVisible():
            return
        facts = self._ask()
        if facts is None or facts == self._facts:
            return
        if self._edited and all(head.node_id != self._edited for head in facts.heads):
            self.leave()
            facts = self._ask() or facts
        self._facts = facts
        self._show_rows(facts.heads)
        self._hint.setText(facts.hint)
        self._hint.setVisible(bool(facts.hint))
        self._tokens.setText(facts.tokens)
        footer = facts.footer if facts.text else ""
        self._text.show_text(facts.text + footer, len(footer))
        self._unsent.setVisible(not facts.is_sent)
        self._send.setVisible(bool(facts.text) and self.can_write)
        self._stats.show_text(facts.stats)
        self._untracked.setVisible(not facts.is_tracked)
        self._saved.setText(facts.saved)
        self._saved.setVisible(bool(facts.saved))
        lines = facts.stats.count("\n") + 1
        bar = self._stats.horizontalScrollBar().sizeHint().height()
        height = lines * QFontMetrics(self._stats.font()).lineSpacing() + FRAME_PX + bar
        self._stats_holder.setFixedHeight(height)
        self._path.setText(facts.path)

    # The field

    def open(self, node_id: str) -> None:
        """Open the summary of a head as a field in place, with the words that wait for it."""
        row = next((row for row in self._rows if row.facts.node_id == node_id), None)
        if row is None or not self.can_write:
            return
        if self._edited != node_id:
            self.leave()
            row = next((row for row in self._rows if row.facts.node_id == node_id), row)
            field = SummaryField("branchSummary", row)
            field.setPlaceholderText(tr("What was found and decided in this branch"))
            begun = self.begun_text(node_id)
            field.setPlainText(row.facts.text if begun is None else begun)
            field.moveCursor(QTextCursor.MoveOperation.End)
            self._edited = node_id
            row.take(field)
            field.textChanged.connect(self.on_typed)
            field.typing_ended.connect(self.on_typing_ended)
            field.save_pressed.connect(self.on_save)
            field.close_pressed.connect(self.on_close)
            self.opened.emit(node_id)
        if row.field is not None:
            row.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def propose(self, node_id: str, text: str) -> None:
        """Put a text into the field of a head; it is kept when that is left."""
        self.open(node_id)
        row = self._edited_row()
        if row is not None and row.field is not None and row.facts.node_id == node_id:
            row.field.show_text(text)

    def leave(self) -> None:
        """Hand on what was typed, and put the field away."""
        self._give()
        self._close()

    @property
    def edited_id(self) -> str:
        return self._edited

    @property
    def rows(self) -> tuple[HeadRow, ...]:
        return tuple(self._rows)

    def on_typed(self) -> None:
        row = self._edited_row()
        if row is not None and row.field is not None:
            text = row.field.text()
            self.typed.emit(row.facts.node_id, None if text == row.facts.text else text)

    def on_typing_ended(self) -> None:
        """Hand on what was typed; the field goes if the keyboard went elsewhere."""
        row = self._edited_row()
        if row is None or row.field is None:
            return
        self._give()
        row = self._edited_row()
        if row is not None and row.field is not None and not row.field.hasFocus():
            self._close()

    def on_save(self) -> None:
        node_id = self._edited
        self.leave()
        self._focus_row(node_id)

    def on_close(self) -> None:
        """Put the field away; its words wait."""
        node_id, row = self._edited, self._edited_row()
        is_changed = row is not None and row.field is not None and row.field.text() != row.facts.text
        self._close()
        if is_changed:
            self.closed.emit(node_id)
        self._focus_row(node_id)

    def _give(self) -> None:
        row = self._edited_row()
        if row is not None and row.field is not None and row.field.text() != row.facts.text:
            self.summary_given.emit(row.facts.node_id, row.field.text())

    def _close(self) -> None:
        row, self._edited = self._edited_row(), ""
        if row is not None:
            row.give_back()

    def _edited_row(self) -> HeadRow | None:
        return next((row for row in self._rows if self._edited and row.facts.node_id == self._edited), None)

    def _focus_row(self, node_id: str) -> None:
        row = next((row for row in self._rows if row.facts.node_id == node_id), None)
        if row is not None:
            row.setFocus(Qt.FocusReason.OtherFocusReason)

    # Showing

    def showEvent(self, event: QShowEvent) -> None:
        """Make the parts before they are seen, and catch up with what was not asked while hidden."""
        if not self._is_built:
            self._is_built = True
            self._build()
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand side by side where there is room, else in one column."""
        super().resizeEvent(event)
        if self._is_built:
            self._arrange()

    def _show_rows(self, heads: tuple[HeadFacts, ...]) -> None:
        """Show rows; those of the same heads stay, an open field with them."""
        if [row.facts.node_id for row in self._rows] != [head.node_id for head in heads]:
            kept = {row.facts.node_id: row for row in self._rows}
            self._rows = [
                kept.pop(one.node_id) if one.node_id in kept else self._new_row(one) for one in heads
            ]
            for row in kept.values():
                row.hide()
                row.setParent(None)
                row.deleteLater()
            for place, row in enumerate(self._rows):
                self._chain.insertWidget(place, row)
        for row, facts in zip(self._rows, heads, strict=True):
            before = row.facts.text
            row.show_facts(facts)
            row.write_button.setVisible(self.can_write)
            row.summarise_button.setVisible(self.can_write)
            field = row.field
            if field is not None and field.text() == before != facts.text:
                field.show_text(facts.text)  # nothing was typed: it says what is saved

    def _new_row(self, facts: HeadFacts) -> HeadRow:
        row = HeadRow(facts)
        row.opened.connect(self.open)
        row.summarise_asked.connect(self.summarise_asked)
        return row

    def _build(self) -> None:
        left = QWidget()
        column = self._column = vertical(left, (0, 8, 0, 8), spacing=4)
        head = label(tr("Branches from the root to here"), "ui_strong")
        head.setContentsMargins(20, 0, 12, 0)
        head.setFixedHeight(HEAD_PX)
        self._chain = vertical(spacing=2)
        self._hint = label("", "small", "muted", wrap=True)
        self._hint.setContentsMargins(20, 0, 12, 0)
        fill(column, head, self._chain, self._hint)
        column.addSpacing(8)
        self._path = label("", "caption", "muted", name="pathTokens")
        self._stats = FixedText("statsText", tr("What it saved"))
        self._stats.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        theme.set_look(self._stats, bare=True)
        words = tr(
            "Counting begins with the first branch summary that you write or accept here. What “Summarise up "
            "to here” made stands in the text, below its message."
        )
        self._untracked = label(words, "small", "muted", wrap=True, name="untrackedHint")
        self._untracked.setContentsMargins(20, 0, 12, 0)
        self._saved = label("", "small", wrap=True, name="savedWords")
        self._saved.setContentsMargins(20, 0, 12, 0)
        as_printed = push_button("statsButton", tr("All numbers, as text"), kind="link")
        as_printed.setFont(theme.font("small"))
        as_printed.setCheckable(True)
        link = horizontal(None, (12, 0, 12, 0))
        link.addWidget(as_printed)
        link.addStretch(1)
        saved = self._head(tr("What it saved"), self._path, "copyStatsButton", self.on_copy_stats)
        saved.setContentsMargins(20, 0, 12, 0)
        self._stats_holder = QWidget()  # has the height: a style sheet takes that of a bare text away
        text = vertical(self._stats_holder, (20, 0, 12, 0))
        text.addWidget(self._stats)
        self._stats_holder.hide()  # in the words of ThreadMind, which not everybody knows
        as_printed.toggled.connect(self._stats_holder.setVisible)
        fill(column, saved, self._untracked, self._saved, link, self._stats_holder)
        column.addStretch(1)
        right = self._right = QWidget()
        other = self._sent = vertical(right, spacing=4)
        self._tokens = label("", "small", "muted", name="chainTokens")
        other.addLayout(
            self._head(tr("What would be sent"), self._tokens, "copyChainButton", self.on_copy_text)
        )
        self._unsent = QWidget()
        unsent = horizontal(self._unsent, spacing=8)
        self._send = send = push_button("sendChainButton", tr("Send this instead"), kind="link")
        send.setFont(theme.font("small"))
        send.clicked.connect(self.send_asked)
        fill(unsent, label(tr("Not used: this tree sends the messages themselves."), "small", "muted"), send)
        unsent.addStretch(1)
        other.addWidget(self._unsent)
        self._text = FixedText("chainText", tr("What would be sent"))
        self._text.setPlaceholderText(tr("No branch summary yet: write one, or let a model propose one."))
        other.addWidget(self._text, 1)
        self._box = horizontal(self, spacing=0)
        self._box.addWidget(Scrolled(left, "summariesArea"), 4)
        self._arrange()

    def _arrange(self) -> None:
        """Let what would be sent stand beside the chain, or below it: then all of it scrolls as one."""
        is_wide = self.width() >= BESIDE_FROM_PX
        self._sent.setContentsMargins(12 if is_wide else 20, 8, 12, 12)
        if is_wide:
            self._box.addWidget(self._right, 3)
        else:
            self._column.insertWidget(BELOW_CHAIN, self._right)

    def _head(self, words: str, beside: QLabel, copy_name: str, copy: Callable[[], None]) -> QHBoxLayout:
        row = horizontal(spacing=8)
        row.addWidget(label(words, "ui_strong"))
        row.addWidget(beside)
        row.addStretch(1)
        button = QToolButton()
        button.setObjectName(copy_name)
        button.setText(tr("Copy"))
        button.setAccessibleName(tr("Copy: {what}").format(what=words))
        theme.put_beside_words(button, "copy", size=14)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFont(theme.font("small"))
        button.clicked.connect(copy)
        row.addWidget(button)
        return row

    def on_copy_text(self) -> None:
        if self._facts is not None:
            clipboard.copy(self._facts.text + self._facts.footer)

    def on_copy_stats(self) -> None:
        if self._facts is not None:
            clipboard.copy(self._facts.stats)
