"""Work in turns: what takes the window's thread too long at once goes on step by step, as events allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QObject

from loomapp.session.background.idle_timer import IdleTimer
from loomapp.ui.workbench import AtEnd, Workbench

Steps: TypeAlias = Callable[[], Iterator[None]]
LARGE = 2_000  # nodes of a tree: from here on it goes in turns


def in_turns(bench: Workbench, name: str) -> InTurns:
    """Return the window's work of that name, made when it is wanted first."""
    return bench.parts.one(InTurns, partial(InTurns, bench, f"{name}InTurns"), name)


class InTurns(QObject):
    """Does one thing at a time: what is begun takes the place of what was under way."""

    def __init__(self, bench: Workbench, name: str) -> None:
        super().__init__(bench.views.window)
        self.setObjectName(name)
        self._bench = bench
        self._make: Steps | None = None
        self._steps: Iterator[None] | None = None
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)
        bench.work.document.tree_opened.connect(self.leave)
        bench.frame.keep_until_closed(AtEnd(self.leave))

    @property
    def is_busy(self) -> bool:
        return self._steps is not None

    def begin(self, make: Steps) -> None:
        """Go through the steps that `make` gives; in a small tree at once. Raises what the first does."""
        self.leave()
        self._make, self._steps = make, make()
        self._go_on()

    def begin_again(self) -> None:
        """Start again, for the tree changed."""
        if self._make is not None:
            self.begin(self._make)

    def leave(self) -> None:
        self._next.stop()
        self._make = self._steps = None

    def on_next(self) -> None:
        self._bench.frame.run_beside_text(lambda _: self._go_on())

    def _go_on(self) -> None:
        is_small = len(self._bench.work.document.tree.nodes) < LARGE
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
