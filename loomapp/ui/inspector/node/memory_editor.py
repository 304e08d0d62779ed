"""Editor of one text in an agent's memory: its name and its words, saved as one step."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from loomapp.core.edits.agent_memory import text_key
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import fill, horizontal, vertical

Save = Callable[[str, str, str, str], bool]
"""Save a text in the memory of an agent: agent, its name until now, its name, the text. False if it was not
taken.
"""


class MemoryEditor(QWidget):
    """Fields for a name and a text. Esc puts them away with their words, which come back when it is opened
    for the same again in the same tree; Ctrl+Enter saves.
    """

    opened = Signal()
    closed = Signal()
    typed = Signal(str, object)  # what is written on, the words; None: they are saved, or not wanted

    def __init__(self, save: Save, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memoryEditor")
        self._save = save
        self._about = ("", "")  # agent, name until now; no name: a new text
        self._saved = ("", "")  # the name and the text that were filled in
        self._replaced = ""  # the name of another text, whose replacing was asked about
        self._tree_id = ""
        self.other_name: Callable[[str, str, str], str] = lambda *_: (
            ""
        )  # the text of an agent, beside one, that has a name
        self.begun: Callable[[str], str | None] = lambda _: (
            None
        )  # the words that wait, by what they are about
        self._is_filling = False
        self._title = label("", "small", "secondary", name="memoryEditorTitle")
        self._name = Line(self)
        self._name.setObjectName("memoryName")
        self._name.setPlaceholderText(tr("Name"))
        self._name.setAccessibleName(tr("Name"))
        self._text = SummaryField("memoryText", self)
        self._text.setPlaceholderText(tr("What is to be remembered"))
        self._text.setAccessibleName(tr("Text"))
        self._hint = label("", "small", "error", wrap=True, name="memoryEditorHint")
        keep = push_button("memorySave", tr("Save"), self, kind="link")
        cancel = push_button("memoryCancel", tr("Cancel"), self, kind="link")
        buttons = horizontal(spacing=12)
        fill(buttons, keep, cancel)
        buttons.addStretch(1)
        column = vertical(self, (0, 4, 0, 4), spacing=6)
        fill(column, self._title, self._name, self._text, self._hint, buttons)
        keep.clicked.connect(self.on_save)
        cancel.clicked.connect(self.on_cancel)
        self._text.save_pressed.connect(self.on_save)
        self._text.close_pressed.connect(self.on_close)
        self._name.returnPressed.connect(self._text.setFocus)
        self._name.textChanged.connect(self.on_typed)
        self._text.textChanged.connect(self.on_typed)
        self.hide()

    def open(self, agent_id: str, agent_name: str, name: str, text: str) -> None:
        """Open it for a text of an agent's memory, or for a new one if that has no name; what was typed about
        another one waits.
        """
        self._about, self._saved = (agent_id, name), (name, text)
        words = tr("Another text for {agent}") if not name else tr("Text of {agent}: {name}")
        self._title.setText(words.format(agent=agent_name, name=name))
        begun = self.begun(self.key)
        if begun is not None:
            name, _, text = begun.partition("\n")
        self._fill(name, text)
        self._hint.hide()
        self.show()
        self.opened.emit()
        (self._text if name else self._name).setFocus(Qt.FocusReason.OtherFocusReason)

    def begin_tree(self, tree_id: str) -> None:
        """Be about the memories of another tree; what waits for a field stays with its own."""
        self._tree_id = tree_id

    @property
    def is_open(self) -> bool:
        return not self.isHidden()

    def leave(self) -> None:
        """Save what was typed, if it has a name and a text, and put the fields away."""
        if self.is_open:
            self._replaced = ""  # nothing is replaced unasked
            self.on_save()
            self.on_close()

    def on_save(self) -> None:
        """Save, and stay open where that was not taken."""
        name, text = self._name.text().strip(), self._text.text().strip()
        if (name, text) == self._saved:
            self.on_cancel()
            return
        missing = tr("It needs a name.") if not name else tr("It needs a text.") if not text else ""
        other = "" if missing else self.other_name(*self._about, name)
        if other and other != self._replaced:
            missing = tr("There is a text “{name}” already. Save again to replace it.").format(name=other)
            self._replaced = other
        self._hint.setText(missing)
        self._hint.setVisible(bool(missing))
        if not missing and self._save(*self._about, name, text):
            self.on_cancel()

    def on_cancel(self) -> None:
        """Put the fields away; what was typed goes."""
        self.typed.emit(self.key, None)
        self._fill("", "")
        self._put_away()

    def on_typed(self) -> None:
        if not self._is_filling:
            self._replaced = ""
            typed = self._name.text(), self._text.text()
            is_begun = typed != self._saved and any(typed)
            self.typed.emit(self.key, "\n".join(typed) if is_begun else None)

    def on_close(self) -> None:
        """Put the fields away; what was typed waits."""
        if self.is_open:
            self._put_away()

    def _fill(self, name: str, text: str) -> None:
        self._is_filling, self._replaced = True, ""
        self._name.setText(name)
        self._text.setPlainText(text)
        self._is_filling = False

    @property
    def key(self) -> str:
        """Return the key that begun words are kept by: see `text_key`."""
        return text_key(self._tree_id, *self._about)

    def _put_away(self) -> None:
        had_keyboard = self.isAncestorOf(self.focusWidget()) if self.focusWidget() else False
        self.hide()
        if had_keyboard:
            self.closed.emit()
