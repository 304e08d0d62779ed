"""Keys: presets, the user's own on top, those refused and why; actions by name, as buttons show them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, cast

from PySide6.QtCore import QKeyCombination, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.settings.setting import KeyTable
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import set_tip


def is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


def is_enter(event: QKeyEvent, held: Qt.KeyboardModifier) -> bool:
    """True for Enter with exactly these modifiers, the key pad's too."""
    if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return False
    return event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == held


Place: TypeAlias = Literal["anywhere", "graph"]
KeyOf: TypeAlias = Callable[[str], str]
"""The key that an action has now, by the action's name, as it is named here; "" if it has none."""
IN_GRAPH = ".graph"  # behind the name of an action: its keys while the graph has the keyboard

# Which keys the other programs have for what Loomapp can do too. Those that can be had stand before the usual
# ones.
# Sources: Tapestry Loom, src/settings/shortcuts.rs (defaults); loomsidian, main.ts (hotkeys of its commands).
PRESETS: Mapping[str, KeyTable] = {
    "loomapp": {},
    "tapestry": {
        "generate": ("Ctrl+Space",),
        "splitPassage": ("Ctrl+S",),
        "goParent": ("Ctrl+Left",),
        "goChild": ("Ctrl+Right",),
        "previousSibling": ("Ctrl+Up",),
        "nextSibling": ("Ctrl+Down",),
        "fitSelection": ("Ctrl+9",),
        "fitAll": ("Ctrl+0",),
    },
    "loomsidian": {
        "generate": ("Ctrl+Space",),
        "generateSiblings": ("Ctrl+Shift+Space",),
        "splitPassage": ("Alt+C",),
        "mergeWithParent": ("Alt+M",),
        "goParent": ("Alt+Left",),
        "goChild": ("Alt+Right",),
        "previousSibling": ("Alt+Up",),
        "nextSibling": ("Alt+Down",),
        "prune": ("Alt+Backspace",),
        "fold": ("Alt+E",),
    },
}

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
EDITING = (Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_V, Qt.Key.Key_X)
FOR_TEXTS = (Qt.Key.Key_E, Qt.Key.Key_U, Qt.Key.Key_B, Qt.Key.Key_I)
IN_FIELDS = (
    *ARROWS,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
    Qt.Key.Key_Backspace,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Space,
)
FOR_FOCUS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
MAC_OWN: Mapping[str, str] = {
    "Alt+Shift+Left": "Ctrl+[",
    "Alt+Shift+Right": "Ctrl+]",
    "F11": "Meta+Ctrl+F",
    "Ctrl+Alt+PgUp": "Meta+Alt+PgUp",
    "Ctrl+Alt+PgDown": "Meta+Alt+PgDown",
}


@dataclass(frozen=True, slots=True)
class Binding:
    """The keys of one action in one place; `name` is what the settings file calls it."""

    name: str
    text: str  # as the row of the action has it, in English
    place: Place
    usual: tuple[str, ...]

    @property
    def title(self) -> str:
        """Title as menus show it, with its place if its action has other keys elsewhere."""
        words = tr(self.text).rstrip("…")
        return tr("{action} (in the graph)").format(action=words) if self.place == "graph" else words

    @property
    def action(self) -> str:
        return self.name.removesuffix(IN_GRAPH)


def on_this_system(key: str, platform: str = sys.platform) -> str:
    """A key as it is on this system: what is Alt elsewhere types characters on macOS, so it is ⌘⌥ there."""
    if platform != "darwin":
        return key
    if key in MAC_OWN:
        return MAC_OWN[key]
    return f"Ctrl+{key}" if key.startswith("Alt+") else key


def effective(bindings: Iterable[Binding], preset: str, own: KeyTable) -> dict[str, tuple[str, ...]]:
    """The keys that count, by the name of their binding: own, else the preset's, else the usual."""
    return {b.name: tuple(own.get(b.name, preset_keys(b, preset))) for b in bindings}


def preset_keys(binding: Binding, preset: str) -> tuple[str, ...]:
    """Return a preset's keys for a binding on this system: its own that can be had, then the usual ones."""
    theirs = PRESETS.get(preset, {}).get(binding.name, ())
    had = [key for key in theirs if refusal(key, binding.place, (*theirs, *binding.usual)) is None]
    return tuple(dict.fromkeys(on_this_system(key) for key in (*had, *binding.usual)))


def left_out(bindings: Iterable[Binding], preset: str) -> list[tuple[Binding, str, str]]:
    """The keys of another program that cannot be had here: for what, which, and why not."""
    table = PRESETS.get(preset, {})
    asked = ((b, key) for b in bindings for key in table.get(b.name, ()))
    reasons = ((b, key, refusal(key, b.place, b.usual)) for b, key in asked)
    return [(b, key, why) for b, key, why in reasons if why is not None]


def shown(key: str) -> str:
    """Return a key as it is named here."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def first_shown(keys: Sequence[QKeySequence]) -> str:
    """Return the first key of an action as it is named here; "" if it has none."""
    return keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else ""


def with_key(words: str, key: str) -> str:
    return f"{words} ({key})" if key else words


def is_one_of(event: QKeyEvent, keys: Sequence[QKeySequence]) -> bool:
    """True if what is pressed is one of these keys; the key pad's are like all others."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return QKeySequence(event.key() | held.value) in keys


def is_same(one: str, other: str) -> bool:
    """True for two spellings of one key; Enter and Return are two keys."""
    return QKeySequence(one) == QKeySequence(other)


def owner_of(key: str, keys: Mapping[str, tuple[str, ...]], *, besides: str) -> str | None:
    """The binding that has a key already, other than `besides`; None if it is free.

    A key of the graph and the same one anywhere would both be meant while the graph has the keyboard.
    """
    for name, taken in keys.items():
        if name != besides and any(is_same(key, other) for other in taken):
            return name
    return None


def refusal(key: str, place: Place, others: Iterable[str] = ()) -> str | None:
    """Return why a key cannot be had, or None if it can. `others` are the further keys of the same action."""
    found = _combination(key)
    if found is None:
        return tr("“{key}” is not a key, or not one key pressed at once.").format(key=key)
    pressed, held = found.key(), found.keyboardModifiers()
    printable = Qt.Key.Key_Space <= pressed <= Qt.Key.Key_ydiaeresis and pressed != Qt.Key.Key_Space
    if printable and held & CTRL and held & ALT:
        return tr("Ctrl+Alt types characters on many keyboards (AltGr).")
    if held == CTRL and pressed in EDITING:
        return tr("This key copies, cuts, pastes or selects all in texts.")
    if held == CTRL and pressed in FOR_TEXTS:
        return tr("This key is left to text fields and input methods.")
    if held == ALT and Qt.Key.Key_A <= pressed <= Qt.Key.Key_Z:
        return tr("Alt and a letter open menus.")
    if held & ~SHIFT == CTRL and pressed in ARROWS:
        return tr("Ctrl and an arrow move by words in texts.")
    if held == CTRL and pressed == Qt.Key.Key_Space and not [k for k in others if not is_same(k, key)]:
        return tr("Input methods take Ctrl+Space on some systems: it can only be a second key.")
    if place == "anywhere" and held & ~SHIFT == NONE and (printable or pressed in IN_FIELDS):
        return tr("This key is needed for typing.")
    if place == "graph" and held & ~SHIFT == NONE and pressed in FOR_FOCUS:
        return tr("This key goes from one part of the window to the next.")
    return None


def usable(
    bindings: Sequence[Binding], preset: str, own: KeyTable
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return those of the user's own keys that can be had; and of the others, by their names, why not."""
    known = {binding.name: binding for binding in bindings}
    kept: dict[str, tuple[str, ...]] = {}
    faults: dict[str, str] = {}
    for name, keys in own.items():
        if name not in known:
            faults[name] = tr("is no action; it is not used.")
            continue
        reasons = ((key, refusal(key, known[name].place, keys)) for key in keys)
        refused = next(((key, why) for key, why in reasons if why is not None), None)
        if refused is None:
            kept[name] = tuple(keys)
        else:
            says = tr("cannot have {key}: {why} The preset's keys are used.")
            faults[name] = says.format(key=shown(refused[0]), why=refused[1])
    while (taken := _first_taken(bindings, preset, kept)) is not None:
        name, key, owner = taken
        del kept[name]
        says = tr("cannot have {key}: it is the key of “{other}”. The preset's keys are used.")
        faults[name] = says.format(key=shown(key), other=known[owner].title)
    return kept, faults


def _first_taken(bindings: Sequence[Binding], preset: str, own: KeyTable) -> tuple[str, str, str] | None:
    """The first of the user's own keys that another binding has too: name, key, the other's name."""
    keys = effective(bindings, preset, own)
    for name in own:
        for key in keys[name]:
            owner = owner_of(key, keys, besides=name)
            if owner is not None:
                return name, key, owner
    return None


def _combination(key: str) -> QKeyCombination | None:
    """Return a key with its modifiers; None for several in a row, or none at all."""
    sequence = QKeySequence(key)
    if sequence.count() != 1:
        return None
    found = cast("Sequence[QKeyCombination]", sequence)[0]  # its stubs forget that it can be indexed
    return None if found.key() == Qt.Key.Key_unknown else found


MENUS = ("File", "Edit", "View", "Go", "Node", "Generate", "Help")


class ActionRow(Protocol):
    """Action as it is listed."""

    @property
    def name(self) -> str: ...

    @property
    def menu(self) -> str: ...


class Actions(Protocol):
    @property
    def by_name(self) -> Mapping[str, QAction]: ...

    @property
    def rows(self) -> Sequence[ActionRow]: ...

    @property
    def bindings(self) -> Sequence[Binding]: ...

    def keys(self, name: str) -> tuple[QKeySequence, ...]: ...

    def key(self, name: str) -> str:
        """Return the first key, as it is named here; or nothing."""

    def key_in_graph(self, name: str) -> str:
        """Return the first key of an action while the graph has the keyboard; or nothing."""

    def set_keys(self, keys: Mapping[str, tuple[str, ...]]) -> None: ...

    def acts_after_click(self, key: QKeySequence) -> bool:
        """Tell whether a key does something in the graph though that was only clicked."""

    def acts_on_node(self, key: QKeySequence) -> bool:
        """Tell whether a key is that of an action on a node, anywhere or in the graph."""

    def node_menu(self) -> QMenu: ...

    def press_in_graph(self, key: str) -> None: ...

    def why_not(self, name: str) -> str:
        """Return what is missing where an action cannot be done now; "" if nobody says."""

    def is_key_of(self, event: QKeyEvent, names: Sequence[str], *, in_graph: bool) -> bool:
        """Tell whether a key is one of some actions, in the graph one of their own keys there too."""

    def why_off(self, event: QKeyEvent, *, in_graph: bool) -> str | None:
        """Return what is missing where a key is that of an action that is off; None if it is of none."""

    def refresh(self) -> None:
        """Ask again which are enabled and checked."""

    def fill(self, menu: QMenu, name: str) -> None: ...


ICON_PX = 16


def action_button(actions: Actions, name: str, text: str, parent: QWidget) -> QToolButton:
    """A quiet button that does what an action does; with a text it says that beside its icon."""
    action = actions.by_name[name]
    button = _ActionButton(actions, name, parent)
    button.setObjectName(f"{name}Button")
    button.setAutoRaise(True)
    button.setIconSize(QSize(ICON_PX, ICON_PX))
    button.setAccessibleName(action.text())
    button.show_tip()
    if text:
        button.setText(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.clicked.connect(action.trigger)
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    action.changed.connect(button.show_tip)
    return button


class _ActionButton(QToolButton):
    """Button of an action; its tip has the keys, and while it cannot be done what is missing."""

    def __init__(self, actions: Actions, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions, self._name = actions, name

    def show_tip(self) -> None:
        action = self._actions.by_name[self._name]
        why_not = "" if action.isEnabled() else tr(self._actions.why_not(self._name))
        set_tip(self, "\n".join(filter(None, (tip_of(action), why_not))))


def show_keys(of: QWidget) -> None:
    """Say the keys that the action buttons of a part have now."""
    for button in of.findChildren(_ActionButton):
        button.show_tip()


def tip_of(action: QAction) -> str:
    return with_key(action.text(), first_shown(action.shortcuts()))
