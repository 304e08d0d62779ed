"""Work in turns: what takes the window's thread too long at once goes on step by step, as events allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject

from loomapp.session.background.idle_timer import OwnTurn

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

Steps: TypeAlias = Callable[[], Iterator[None]]
LARGE = 2_000  # nodes of a tree: from here on it goes in turns


def in_turns(window: MainWindow, name: str) -> InTurns:
    """The work of that name in a window."""
    return window.findChild(InTurns, f"{name}InTurns") or InTurns(window, f"{name}InTurns")


class InTurns(QObject):
    """Does one thing at a time: what is begun takes the place of what was under way."""

    def __init__(self, window: MainWindow, name: str) -> None:
        super().__init__(window)
        self.setObjectName(name)
        self._window = window
        self._make: Steps | None = None
        self._steps: Iterator[None] | None = None
        self._next = OwnTurn(self)
        self._next.timeout.connect(self.on_next)
        window.document.tree_opened.connect(self.leave)
        window.closed.connect(self.leave)

    @property
    def is_busy(self) -> bool:
        """True while something is under way."""
        return self._steps is not None

    def begin(self, make: Steps) -> None:
        """Go through the steps that `make` gives; in a small tree at once. Raises what the first does."""
        self.leave()
        self._make, self._steps = make, make()
        self._go_on()

    def begin_again(self) -> None:
        """The tree is another: what is under way starts anew."""
        if self._make is not None:
            self.begin(self._make)

    def leave(self) -> None:
        """Nobody wants it any more."""
        self._next.stop()
        self._make = self._steps = None

    def on_next(self) -> None:
        """The next step."""
        self._window.run_beside_text(lambda _: self._go_on())

    def _go_on(self) -> None:
        is_small = len(self._window.document.tree.nodes) < LARGE
        steps = self._steps
        try:
            while steps is not None and steps is self._steps:
                next(steps)
                if not is_small:
                    self._next.start()
                    return
        except StopIteration:
            self.leave()
        except BaseException:
            self.leave()
            raise
