"""The part of a day that is about the past: undo, redo, going back to any point, and names for points."""

from __future__ import annotations

import random

from pytestqt.qtbot import QtBot

from loomapp.core.edits.undo import BEGINNING
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.another import BY
from tests.journeys.plain import PlainStep, PlainTree

NAMES = ["the good one", "before the gale", "Ärmel 🌲", "<b>", ""]


class PastActs:
    """What a day does with the history of a tree, in the window and in the model."""

    chance: random.Random
    qtbot: QtBot
    window: MainWindow
    is_refused: bool
    unheard: bool

    @property
    def tree(self) -> PlainTree:
        """What should be in the window's tree."""
        raise NotImplementedError

    def undo(self) -> None:
        """Take back."""
        if self._is_offered("undo"):
            self.window.actions_set.by_name["undo"].trigger()
            if self.tree.next_undo():
                step = self.tree.undo()
                # To be changed and sent again; in a buffer redo alone brings it back, in its place. A note
                # is said to oneself: in the composer it would be sent to the model. What another program
                # wrote is nobody's draft.
                is_message = step.label == "Write" and self.tree.mode == "dialogue"
                if is_message and step.by != BY and not self.tree.composer:
                    (self.tree.composer,) = [node["text"] for node in step.made()]

    def redo(self) -> None:
        """Do again; what another program gave up meanwhile cannot be."""
        if self._is_offered("redo"):
            self.window.actions_set.by_name["redo"].trigger()
            if self.tree.next_redo():
                made = self.tree.redo().made()
                if self.tree.composer in [node["text"] for node in made]:
                    self.tree.composer = ""

    def _is_offered(self, name: str) -> bool:
        """Whether undo or redo can be pressed, which is so if there is something, once the window knows."""
        step = self.tree.next_undo() if name == "undo" else self.tree.next_redo()
        if self.window.actions_set.by_name[name].isEnabled():
            return step is not None or self.unheard
        assert step is None or self.unheard
        self.window.document.catch_up()
        return False

    def go_back(self) -> None:
        """To any point of the history, by a click on its row; what was given up is refused."""
        self.window.inspector.show_history_tab()
        sequence, wanted = self._point()
        self.window.inspector.history.list.go_asked.emit(sequence)
        self.qtbot.waitUntil(lambda: not self.window.document.walk.is_under_way)
        tree = self.tree
        if wanted is not None and wanted.state == "abandoned":
            assert "cannot be redone" in self.window.text_pane.errors.text
            self.is_refused = True
            return
        while wanted is not None and wanted.state == "undone":
            tree.redo()
        while tree.next_undo() is not wanted:
            tree.undo()

    def name_point(self) -> None:
        """A name for any point, or none."""
        self.window.inspector.show_history_tab()
        sequence, step = self._point()
        name = self.chance.choice(NAMES)
        self.window.inspector.history.name_asked.emit(sequence, name)
        if step is None:
            self.tree.beginning = name
        else:
            step.name = name

    def _point(self) -> tuple[int, PlainStep | None]:
        """A point of those that are listed first, or the beginning."""
        listed, steps = self.window.document.history.steps().steps, self.tree.steps
        place = self.chance.randint(0, len(listed))
        if place == len(listed):
            return BEGINNING, None
        return listed[place].sequence, steps[len(steps) - 1 - place]
