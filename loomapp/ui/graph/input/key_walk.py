"""Walking the graph by keys: which card lies in a direction, and the draft that the keyboard stands on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from loomapp.ui.graph.scene.draft_cards import DISMISS, Act
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.strings import tr
from loomapp.ui.widgets.page import Menu

Direction: TypeAlias = Literal["left", "right", "up", "down"]
TURNED: dict[Direction, Direction] = {"left": "up", "up": "left", "right": "down", "down": "right"}


def step(scene: Scene, row: int | None, direction: Direction, *, drafts: bool = False) -> int | None:
    """The card to go to from a card, or None at the edge. Without a card: the first one.

    With `drafts` their cards are gone to as well.
    """
    if row is None:
        return 0 if len(scene.index) else None
    if scene.index.frame.direction == "down":
        direction = TURNED[direction]
    if direction == "left":
        parent = scene.index.parent(row)
        return parent if parent >= 0 else None
    if direction == "right":
        return _child(scene, row, drafts=drafts)
    return _neighbour(scene, row, -1 if direction == "up" else 1, drafts=drafts)


def _child(scene: Scene, row: int, *, drafts: bool) -> int | None:
    """The child the active path goes through, else the one that lies nearest; a draft if there is no node."""
    index, growth = scene.index, scene.index.growth
    unborn = {scene.places.row_of_card(key) for key in scene.drafts}
    every = list(index.children(row))
    born = [child for child in every if child not in unborn]
    children = index.linked(np.array(born or (every if drafts else []), np.int64))
    on_way = np.zeros(len(index), bool)
    on_way[scene.path_rows()] = True
    on_path = children[on_way[children]]
    found = on_path if len(on_path) else children
    if not len(found):
        return None
    nearest = np.abs(growth.middles(found) - growth.middle(row)).argmin()
    return int(found[nearest])


def _neighbour(scene: Scene, row: int, by: int, *, drafts: bool) -> int | None:
    """Return the next card of the level, whoever its parent is."""
    candidate = scene.index.beside(row, by)
    while candidate is not None and scene.is_draft(candidate) and not drafts:
        candidate = scene.index.beside(candidate, by)
    return candidate


TAKING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
DECIDING = {Qt.Key.Key_Return: "accept", Qt.Key.Key_Enter: "accept", Qt.Key.Key_Delete: "refuse"}
GOING = (
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape, Qt.Key.Key_Menu),
)
Asked = Callable[[str, str], None]  # a draft's key, and what is asked of it
Chosen = Callable[[str], None]  # a draft's key


def no_key(_: QKeySequence) -> bool:
    """Return False: no action has a key."""
    return False


class DraftStop:
    """Draft that the keyboard is at: bare keys, and those of actions on nodes, are then meant for it and for
    no node.
    """

    def __init__(
        self, view: QWidget, scene: Scene, asked: Asked, chosen: Chosen, refused: Callable[[], None]
    ) -> None:
        self._view, self._scene = view, scene
        self._asked, self._chosen, self._refused = asked, chosen, refused
        self.acts_on_node: Callable[[QKeySequence], bool] = no_key
        self._key = ""

    @property
    def key(self) -> str:
        return self._key if self._key in self._scene.drafts else ""

    @property
    def row(self) -> int | None:
        return self._scene.places.row_of_card(self.key) if self.key else None

    def stand_on(self, key: str) -> None:
        """Put the keyboard at this draft; empty: at a node again."""
        self._key = key

    def holds(self, event: QEvent) -> bool:
        """True for a key that would else be that of something done to the current node."""
        if not isinstance(event, QKeyEvent) or not self.key or Qt.Key(event.key()) in GOING:
            return False
        bare = Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        return not event.modifiers() & ~bare or self.acts_on_node(QKeySequence(event.keyCombination()))

    def press(self, event: QKeyEvent, at: QPoint) -> bool:
        """Do what a key means here; `at` is the card on the screen. False if it means nothing."""
        if not self.holds(event):
            return False
        key, offered = Qt.Key(event.key()), self._offered()
        decided = DECIDING.get(key, "")
        if any(act.name == decided for act in offered):
            if not event.isAutoRepeat():
                self._decide(decided)
        elif key in TAKING and offered:
            self.open_menu(at)
        elif key in TAKING:
            self._chosen(self.key)
        elif key == Qt.Key.Key_Delete and any(act.name == DISMISS for act in offered):
            self._asked(self.key, DISMISS)
        elif self.acts_on_node(QKeySequence(event.keyCombination())):
            self._refused()
        return True

    def _decide(self, act: str) -> None:
        """Accept or refuse a proposal, and go to the next one, if there is one."""
        decided, keys = self.key, tuple(self._scene.drafts)
        later = keys[keys.index(decided) + 1 :]
        others = (*later, *(key for key in keys if key != decided and key not in later))
        self._key = next((key for key in others if self._is_proposal(key)), decided)
        self._asked(decided, act)

    def _is_proposal(self, key: str) -> bool:
        row = self._scene.places.row_of_card(key)
        return row is not None and self._scene.face(row).kind == "proposal"

    def open_menu(self, at: QPoint) -> None:
        key, menu = self.key, Menu(self._view)
        menu.setObjectName("draftMenu")
        menu.setAccessibleName(tr("This answer"))
        menu.addAction(tr("Read it")).triggered.connect(lambda: self._chosen(key))
        for act in self._offered():
            words = act.words or tr("Dismiss")
            menu.addAction(words).triggered.connect(lambda _=False, name=act.name: self._asked(key, name))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)
        menu.setActiveAction(menu.actions()[-1 if len(menu.actions()) == 1 else 1])

    def words(self) -> str:
        """Return the words that are said of the draft aloud."""
        face = None if self.row is None else self._scene.face(self.row)
        return "" if face is None else f"{face.name}: {face.text[-240:]}"

    def _offered(self) -> tuple[Act, ...]:
        return () if self.row is None else self._scene.face(self.row).acts
