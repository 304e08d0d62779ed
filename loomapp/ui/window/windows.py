"""The windows of this process: one a grove, each with its own lock; the program ends with the last."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from loomapp.places import remember_grove
from loomapp.session.lifetime.grove_lock import GroveLock
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.trees.empty_tree import take_files
from loomapp.ui.groves.grove_files import GroveDrop
from loomapp.ui.strings import tr
from loomapp.ui.window.grove_opener import Build, Make, Opening
from loomapp.ui.window.main_window import MainWindow


class Windows(QObject):
    """Groves open in windows. `build` makes the window on an open grove."""

    began = Signal()  # a grove is being opened that no other process has
    opened = Signal(object)  # MainWindow, shown
    refused = Signal(object)  # LoomError: a grove is not open; a window says why
    handed_over = Signal()  # another process has the grove, and came forward
    emptied = Signal()  # no window is left, and none is on its way

    def __init__(self, build: Build, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._build = build
        self._windows: dict[MainWindow, GroveLock | None] = {}
        self._openings: list[Opening] = []

    def open(self, path: Path, tree_id: str = "", make: Make | None = None) -> None:
        """Open a grove in a window of its own, or bring the window forward that has it."""
        there = self._window_of(path)
        if there is not None:
            come_forward(there, tree_id)
            if not tree_id:
                there.note(tr("This grove is open already."))
            return
        waiting = next((o for o in self._openings if is_same(o.path, path) and make is None), None)
        if waiting is not None:
            if waiting.window is not None:
                raise_up(waiting.window)
            return
        opening = Opening(path, self._build, tree_id=tree_id, make=make, parent=self)
        self._openings.append(opening)
        opening.began.connect(self.began)
        opening.opened.connect(partial(self._on_opened, opening))
        opening.refused.connect(self.refused)
        opening.handed_over.connect(self.handed_over)
        opening.another_asked.connect(partial(self._on_another_asked, opening, None))
        opening.new_asked.connect(partial(self._on_another_asked, opening, create_grove))
        opening.ended.connect(partial(self._on_ended, opening))
        opening.begin()

    def create(self, path: Path) -> None:
        """Make a grove and open it; one that is there already is opened as it is."""
        self.open(path, make=create_grove)

    def adopt(self, window: MainWindow, lock: GroveLock | None = None) -> None:
        self._windows[window] = lock
        window.closed.connect(partial(self._on_closed, window))
        window.quit_wanted.connect(partial(self.quit, window))
        window.grove_wanted.connect(self.open)
        window.new_grove_wanted.connect(self.create)
        drop = GroveDrop(window)
        drop.dropped.connect(self.open)
        drop.others_dropped.connect(lambda files: window.run_command(lambda w: take_files(w, files)))
        if lock is not None:
            lock.setParent(window)
            lock.opened_again.connect(partial(come_forward, window))
        self._name_groves()

    def _name_groves(self) -> None:
        """Have each window name its grove where several are open."""
        for window in self._windows:
            window.display.name_grove(named=len(self._windows) > 1)

    @property
    def windows(self) -> tuple[MainWindow, ...]:
        return tuple(self._windows)

    @property
    def openings(self) -> tuple[Opening, ...]:
        return tuple(self._openings)

    def quit(self, front: MainWindow) -> None:
        """Close every window, the one in front first; whoever stays to save something keeps the rest open.

        The next start opens the grove that was in front; the others are among the recent ones.
        """
        path = front.document.grove.path
        for window in (front, *(other for other in self.windows if other is not front)):
            if not window.close():
                return
        remember_grove(path)
        for opening in self.openings:
            opening.end()

    def end_all(self) -> None:
        """End because the desktop's session does, or at a polite kill: nothing is asked."""
        for opening in self.openings:
            opening.end()
        for window in self.windows:
            window.leaving.leave_unasked()

    def _window_of(self, path: Path) -> MainWindow | None:
        return next((w for w in self._windows if is_same(w.document.grove.path, path)), None)

    def _on_opened(self, opening: Opening, window: MainWindow) -> None:
        self.adopt(window, opening.lock)
        window.closed.connect(window.deleteLater)
        remember_grove(window.document.grove.path)
        if opening.tree_id:
            window.run_command(lambda it: it.frame.open_tree(opening.tree_id))
        window.show()
        if len(self._windows) > 1 or opening.window is not None:
            raise_up(window)
        self.opened.emit(window)

    def _on_another_asked(self, opening: Opening, make: Make | None, path: Path) -> None:
        """Open another in place of what could not be opened; that goes once the other is on its way."""
        if opening.path == path and opening in self._openings:
            self._openings.remove(opening)  # it makes room for itself
            self.open(path, make=make)
            self._openings.append(opening)
        else:
            self.open(path, make=make)
        opening.end()

    def _on_ended(self, opening: Opening) -> None:
        if opening in self._openings:
            self._openings.remove(opening)
            opening.deleteLater()
            self._tell_if_empty()

    def _on_closed(self, window: MainWindow) -> None:
        lock = self._windows.pop(window, None)
        if lock is not None:
            lock.release()
        if len(self._windows) == 1:
            remember_grove(next(iter(self._windows)).document.grove.path)  # the next start opens the one left
        self._name_groves()
        self._tell_if_empty()

    def _tell_if_empty(self) -> None:
        if not self._windows and not self._openings:
            self.emptied.emit()


def is_same(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to one file, by whatever links."""
    with suppress(OSError):
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def come_forward(window: MainWindow, tree_id: str = "") -> None:
    """Show a window that is open already, and the tree that was asked for."""
    if tree_id:
        window.run_command(lambda it: it.frame.open_tree(tree_id))
    raise_up(window)


def raise_up(window: QWidget) -> None:
    """Raise a window before all others, with the keyboard."""
    window.showNormal() if window.isMinimized() else window.show()
    window.raise_()
    window.activateWindow()
