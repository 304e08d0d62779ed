"""The status bar: saved when, the tree's size, the model, what streams; a notice while one waits."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QStatusBar, QWidget

from loomapp.core.generation.drafts import Awaited
from loomapp.core.model.statistics import TreeStatistics
from loomapp.providers.engine.state import Absent, EngineState
from loomapp.session.document import Document
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import ShortLabel, plain_tip
from loomapp.ui.widgets.layouts import horizontal
from loomapp.ui.widgets.spoken import speak_as
from loomapp.ui.widgets.words.amounts import awaited_words

NOTE_MS = 6000
ICON_PX = 12
GAP_PX = 10


class Status(QStatusBar):
    """Quiet facts in the status bar; nothing a person must read is only here."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("statusBar")
        self.setSizeGripEnabled(False)
        self.setContentsMargins(12, 0, 12, 0)
        self._icons: dict[QLabel, tuple[str, str]] = {}
        self._tick, self._chip = QLabel(self), QLabel(self)
        for picture in (self._tick, self._chip):
            picture.setTextFormat(Qt.TextFormat.PlainText)
        self._saved = self._label("statusSaved", self.tr("When the grove was saved"))
        self._size = self._label("statusSize", self.tr("Size of the tree"))
        self._words = self._label("statusWords", self.tr("Length of the text"))
        self._note = self._label("statusNote", self.tr("What just happened"))
        self._model = self._label("statusModel", self.tr("The local model"))
        self._streams = self._label("statusStreams", self.tr("Answers being written"))
        theme.set_look(self._streams, tone="accent")
        for widgets in ((self._tick, self._saved), (self._size,), (self._words,)):
            self.addWidget(_together(*widgets))
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.addWidget(_together(self._note), 1)  # what the lasting facts leave
        self.writes = push_button("mcpWrites", parent=self, kind="link")
        self.writes.setFont(theme.font("ui_strong"))
        self.writes.hide()
        self.addPermanentWidget(_together(self.writes, at_right=True))
        for widgets in ((self._chip, self._model), (self._streams,)):
            self.addPermanentWidget(_together(*widgets, at_right=True))
        self._show_icon(self._chip, "cpu", "text.muted")
        self._forget = QTimer(self)
        self._forget.setSingleShot(True)
        self._forget.timeout.connect(self._note.clear)

    def show_saved(self, at_ms: int) -> None:
        """`Saved 12:03`, or `Saved 21 Nov` if that was on another day; in the local time."""
        words = self.tr("Saved {time}").format(time=figures.moment(at_ms))
        self._show_state(words, "muted", "check", "state.success")

    def show_draft(self) -> None:
        """Words on the screen are in no node yet; they are kept, but nothing else that reads has them."""
        self._show_state(self.tr("Draft"), "muted", "pencil", "text.muted")

    def show_unsaved(self) -> None:
        """Show that the file does not hold what it should; the banner says what and why."""
        self._show_state(self.tr("Not saved"), "warning", "triangle-alert", "state.warning")

    def show_read_only(self) -> None:
        self._show_state(self.tr("Read only"), "warning", "eye", "state.warning")

    def show_size(self, size: TreeStatistics) -> None:
        """`47 nodes (3 of them deleted), 6 branches`: pruned ones count among the nodes."""
        if size.nodes == 0:
            self._size.setText(self.tr("Empty tree"))
            return
        nodes = self.tr("1 node") if size.nodes == 1 else self.tr("{n} nodes")
        branches = self.tr("1 branch") if size.branches == 1 else self.tr("{n} branches")
        nodes = nodes.format(n=figures.number(size.nodes))
        if size.pruned:
            nodes += " " + self.tr("({n} of them deleted)").format(n=figures.number(size.pruned))
        self._size.setText(f"{nodes}, {branches.format(n=figures.number(size.branches))}")

    def show_words(self, words: int | None) -> None:
        """Show the number of words of a buffer; None, for a dialogue, shows nothing."""
        said = self.tr("1 word") if words == 1 else self.tr("{n} words").format(n=figures.number(words or 0))
        self._words.setText("" if words is None else said)

    def show_note(self, text: str) -> None:
        self._note.setText(text)
        self._forget.start(NOTE_MS)

    def show_writes(self, words: str) -> None:
        """Show what other programs wrote until it was looked at; without words, nothing."""
        self.writes.setText(f"● {words}".replace("&", "&&"))
        self.writes.setAccessibleName(words)
        self.writes.setVisible(bool(words))

    def forget_note(self, text: str = "") -> None:
        """Clear the note; with `text`, only if that is the note."""
        if not text or text == self._note.text():
            self._note.clear()

    def show_engine(self, state: EngineState, *, is_asked: bool) -> None:
        """Show the state of the embedded engine; its next step is in the tooltip and spoken with it. Where it
        rests and no model of it is asked, nothing is said.
        """
        rests = state.name == "ready" or state == Absent()
        for part in (self._chip, self._model):
            part.setVisible(is_asked or not rests)
        words, _, more = told(state.message).partition(
            ". "
        )  # the first sentence; a failure says more in the tip
        if state.progress is not None:
            words = self.tr("{message}: {percent} %").format(message=words, percent=int(state.progress * 100))
        self._model.setText(words)
        remedy = told(state.remedy)
        self._model.setToolTip(plain_tip(f"{more} {remedy}".strip() if more else remedy))
        self._model.setAccessibleDescription(remedy)
        failed = state.name == "died" or (state.name == "absent" and "." in state.message)
        theme.set_look(self._model, tone="error" if failed else "muted")
        tone = (
            "state.error" if failed else "state.success" if state.name in ("ready", "busy") else "text.muted"
        )
        self._show_icon(self._chip, "triangle-alert" if failed else "cpu", tone)

    def show_streams(self, count: int, *, waiting: int, awaited: Awaited | None = None) -> None:
        """Show the numbers of answers that stream and of those that wait for their first word; while no word
        has come, how much of the prompt is read, if that is told.
        """
        said = ((self.tr("{count} streaming"), count - waiting), (self.tr("{count} waiting"), waiting))
        words = ", ".join(text.format(count=figures.number(some)) for text, some in said if some)
        if 0 < count == waiting and awaited is not None and awaited.total_tokens:
            words = awaited_words(awaited)
        if words != self._streams.text():
            self._streams.setText(words)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for label, (name, role) in getattr(self, "_icons", {}).items():
                self._show_icon(label, name, role)

    def _show_state(self, words: str, tone: str, icon: str, role: str) -> None:
        if words == self._saved.text():
            return  # said at every commit; the same words look the same
        self._saved.setText(words)
        theme.set_look(self._saved, tone=tone)
        self._show_icon(self._tick, icon, role)

    def _show_icon(self, label: QLabel, name: str, role: str) -> None:
        self._icons[label] = (name, role)
        label.setPixmap(theme.pixmap(name, role, ICON_PX, self.devicePixelRatioF()))

    def _label(self, name: str, meaning: str) -> QLabel:
        label = _Fact(meaning, self)
        label.setObjectName(name)
        theme.set_look(label, tone="muted")
        return label


class _Fact(ShortLabel):
    """A fact in words, heard after its meaning: a reader takes only the name of a label that has one."""

    def __init__(self, meaning: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(meaning)
        speak_as(self, QAccessible.Role.StaticText)

    def spoken_words(self) -> str:
        """Return what the fact is about, and the fact if there is one."""
        return ": ".join(filter(None, (self.accessibleName(), self.text())))


def _together(*labels: QWidget, at_right: bool = False) -> QWidget:
    """Return an icon and its words, with room to the next fact."""
    pair = QWidget(labels[0].parentWidget())
    row = horizontal(pair, (GAP_PX if at_right else 0, 0, 0 if at_right else GAP_PX, 0), spacing=6)
    for label in labels:
        row.addWidget(label)
    return pair


class WaitNotice(QObject):
    """Shows it before the window stands still, for nothing is painted while it does."""

    def __init__(self, document: Document, status: Status, parent: QObject) -> None:
        super().__init__(parent)
        self._status, self._words = status, ""
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.timeout.connect(self.on_done)
        document.many_moving.connect(self.on_many_moving)

    def on_many_moving(self, count: int) -> None:
        """Tell that the window is about to stand still for a moment."""
        if not self._words:
            QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        self._words = tr("{count} nodes are changed. This takes a moment…").format(
            count=figures.number(count)
        )
        self._status.show_note(self._words)
        self._status.repaint()
        self._end.start(0)

    def on_done(self) -> None:
        """Take that back, for the event loop goes on."""
        QApplication.restoreOverrideCursor()
        self._status.forget_note(self._words)
        self._words = ""
