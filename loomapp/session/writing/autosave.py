"""Autosave: what is written is committed once its writer pauses."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

SAVE_AFTER_MS = 5_000  # without a key; 0 for never


def anyone_may() -> bool:
    """Allow it always: nothing is composed."""
    return True


class Autosave(QObject):
    """A timer for the pause of a writer: then it calls `save`, unless `may_save` forbids it for now."""

    def __init__(self, save: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._save = save
        self.may_save: Callable[[], bool] = anyone_may
        self.pause = QTimer(self)
        self.pause.setSingleShot(True)
        self.pause.timeout.connect(self.on_pause)

    def restart(self, *, has_words: bool) -> None:
        """Begin the pause anew if there are words to save, else wait for nothing."""
        if has_words and SAVE_AFTER_MS:
            self.pause.start(SAVE_AFTER_MS)
        else:
            self.pause.stop()

    def start_soon(self) -> None:
        """Save with the pause that is under way, or at once if that is over."""
        if SAVE_AFTER_MS and not self.pause.isActive():
            self.pause.start(0)

    def stop(self) -> None:
        self.pause.stop()

    def on_pause(self) -> None:
        if self.may_save():
            self._save()
        else:
            self.pause.start(SAVE_AFTER_MS)
