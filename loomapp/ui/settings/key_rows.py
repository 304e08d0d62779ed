"""Keys on the settings page: a row an action with its keys as chips, and what a preset of keys changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from loomapp.ui.keys import Binding, left_out, on_this_system, owner_of, preset_keys, refusal, shown
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.rows import Row

HELD_ALONE = (
    Qt.Key.Key_Control,
    Qt.Key.Key_Shift,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Super_L,
    Qt.Key.Key_Super_R,
)


class KeyField(QPushButton):
    """Button for a key: pressed, it waits for one; Esc or a change of focus ends that."""

    key_pressed = Signal(str)  # a key, as settings spell it

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._is_waiting = False
        self.setIcon(theme.icon("plus", "text.secondary", 12))
        self.setFont(theme.font("small"))
        theme.set_look(self, kind="quiet")
        self.clicked.connect(lambda: self._wait(True))
        self._wait(False)

    @property
    def is_waiting(self) -> bool:
        return self._is_waiting

    def event(self, event: QEvent) -> bool:
        """Take every key while waiting, also those of actions and of the focus."""
        if self._is_waiting and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._take(event)
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._wait(False)
        super().focusOutEvent(event)

    def _take(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in HELD_ALONE:
            return
        self._wait(False)
        if key != Qt.Key.Key_Escape:
            pressed = QKeySequence(event.keyCombination())
            self.key_pressed.emit(pressed.toString(QKeySequence.SequenceFormat.PortableText))

    def _wait(self, waiting: bool) -> None:
        self._is_waiting = waiting
        self.setText(tr("Press a key…") if waiting else tr("Key"))
        what = tr("{name}: press a key, Esc to leave it") if waiting else tr("{name}: add a key")
        self.setAccessibleName(what.format(name=self._name))


class KeyRow(Row):
    """Keys of one binding. It asks for changes and shows what comes of them."""

    keys_asked = Signal(str, tuple)  # name of a binding, its keys
    moved = Signal(str, str, str)  # a key, the binding that has it, the binding that is to have it
    back_asked = Signal(str)  # name of a binding

    def __init__(self, binding: Binding, menu: str, parent: QWidget) -> None:
        place = tr("{menu} · in the graph").format(menu=menu) if binding.place == "graph" else menu
        super().__init__(_name(binding), place, parent)
        self.binding = binding
        self._keys: tuple[str, ...] = ()
        self._all: Mapping[str, tuple[str, ...]] = {}
        self._names: Mapping[str, str] = {}
        self._chips: list[Chip] = []
        self._contested = ("", "")
        self.field = KeyField(binding.title, self)
        self.field.setObjectName(f"key_{binding.name}")
        theme.set_look(self.field, flush=True)  # until a key stands before it
        self._back = QPushButton(tr("Back to the preset"), self)
        self._back.setObjectName(f"key_{binding.name}_back")
        self._back.setAccessibleName(tr("{name}: back to the preset").format(name=binding.title))
        self._back.setFont(theme.font("small"))
        theme.set_look(self._back, kind="link")
        self._says: QLabel = label("", "small", "warning", wrap=True)
        self._says.setObjectName(f"key_{binding.name}_says")
        self._take = QPushButton(tr("Use it here instead"), self)
        self._take.setObjectName(f"key_{binding.name}_take")
        self._take.setFont(theme.font("small"))
        theme.set_look(self._take, kind="link")
        self._conflict = QWidget(self)  # the sentence, and beside it what can be done
        conflict = QHBoxLayout(self._conflict)
        conflict.setContentsMargins(0, 0, 0, 0)
        conflict.addWidget(self._says)
        conflict.addWidget(self._take)
        for widget in (self.field, self._back, self._conflict):
            self.flow.addWidget(widget)
        self.field.key_pressed.connect(self.on_key_pressed)
        self._back.clicked.connect(lambda: self.back_asked.emit(binding.name))
        self._take.clicked.connect(lambda: self.moved.emit(*self._contested, binding.name))
        self._say("")

    def show_keys(self, keys: Mapping[str, tuple[str, ...]], names: Mapping[str, str], *, own: bool) -> None:
        """Show what counts; `keys` and `names` are those of all bindings, `own` if the user chose these."""
        self._all, self._names = keys, names
        if not own:
            self._hold_focus_of(self._back)
        self._back.setVisible(own)
        self._say("")
        if keys[self.binding.name] == self._keys and len(self._chips) == len(self._keys):
            return
        self._keys = keys[self.binding.name]
        for chip in self._chips:
            self._hold_focus_of(chip)
            self.flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(key) for key in self._keys]
        theme.set_look(self.field, flush=not self._chips)
        for widget in (*self._chips, self.field, self._back, self._conflict):
            self.flow.removeWidget(widget)
            self.flow.addWidget(widget)
        stops = [chip.stop for chip in self._chips]  # Tab goes as they are read; they are the newest
        for one, following in pairwise([self.field, *stops, self.field]):
            QWidget.setTabOrder(one, following)
        for chip in self._chips:
            chip.show()

    @property
    def stops(self) -> list[QWidget]:
        """Return where the keyboard stops, as it is read."""
        return [*(chip.stop for chip in self._chips), self.field, self._back, self._take]

    def on_key_pressed(self, key: str) -> None:
        """Take the pressed key, if it can be had and is free."""
        why_not = refusal(key, self.binding.place, self._keys)
        owner = owner_of(key, self._all, besides=self.binding.name)
        if why_not is not None:
            self._say(tr("{key} cannot be used. {why}").format(key=shown(key), why=why_not))
        elif owner is not None:
            self._contested = (key, owner)
            other = self._names.get(owner, owner)
            self._say(tr("{key} is the key of “{other}”.").format(key=shown(key), other=other), can_take=True)
        elif key not in self._keys:
            self.keys_asked.emit(self.binding.name, (*self._keys, key))

    def _chip(self, key: str) -> Chip:
        chip = Chip("", shown(key), self, removable=True)
        chip.removed.connect(lambda: self._without(key))
        return chip

    def _without(self, key: str) -> None:
        self.keys_asked.emit(self.binding.name, tuple(k for k in self._keys if k != key))

    def _say(self, words: str, *, can_take: bool = False) -> None:
        if not can_take:
            self._hold_focus_of(self._take)
        self._says.setText(words)
        self._conflict.setVisible(bool(words))
        self._take.setVisible(can_take)

    def _hold_focus_of(self, going: QWidget) -> None:
        """Keep the keyboard in this row when a part of it goes; Qt would give it to the next widget of the
        page.
        """
        focused = focused_beside(self)
        if focused is not None and (focused is going or going.isAncestorOf(focused)):
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)


def searched_words(binding: Binding, keys: Sequence[str]) -> str:
    """Return what a row with these keys is found by."""
    return " ".join((_name(binding), binding.name, *map(shown, keys)))


def _name(binding: Binding) -> str:
    return tr(binding.text).rstrip("…")


def preset_words(bindings: Sequence[Binding], preset: str) -> str:
    """A line for what is other than Loomapp's own, and one for each reason why a key is not; or nothing."""
    return "\n".join(filter(None, (_added(bindings, preset), *_missing(bindings, preset))))


def _added(bindings: Sequence[Binding], preset: str) -> str:
    found = []
    for binding in bindings:
        usual = [on_this_system(key) for key in binding.usual]
        more = [shown(key) for key in preset_keys(binding, preset) if key not in usual]
        if more:
            found.append(f"{binding.title} {', '.join(more)}")
    return tr("Besides the usual ones: {keys}.").format(keys="; ".join(found)) if found else ""


def _missing(bindings: Sequence[Binding], preset: str) -> list[str]:
    says = tr("Not here: {keys}. {why}")
    by_reason = groupby(sorted(left_out(bindings, preset), key=lambda row: row[2]), key=lambda row: row[2])
    return [
        says.format(keys="; ".join(_instead(binding, key) for binding, key, _ in rows), why=why)
        for why, rows in by_reason
    ]


def _instead(binding: Binding, key: str) -> str:
    """Return words on a key that cannot be had, and what to press for the same."""
    usual = [shown(on_this_system(other)) for other in binding.usual]
    if not usual:
        return f"{shown(key)} ({binding.title})"
    return tr("{key} ({action}: {usual})").format(key=shown(key), action=binding.title, usual=usual[0])
