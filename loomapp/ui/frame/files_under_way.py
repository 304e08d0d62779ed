"""Files on their way into a window or out of it: the banner tells of them, and closing waits for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from loomapp.core.errors import LoomError
from loomapp.ui.frame.notices import Banner
from loomapp.ui.strings import tr


@dataclass(eq=False, slots=True)
class FileWork:
    """A file that is read or written. `words` say so in the banner; empty: a page of its own tells of it."""

    words: str
    stop: Callable[[], None]


class FilesUnderWay(QObject):
    """At most one file has the banner; an import of the import page may run beside it."""

    whole = Signal()  # all that a closing window waits for came to where it was wanted

    def __init__(self, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._banner = banner
        self._works: list[FileWork] = []
        self._waited_for: list[FileWork] = []  # by a window that is to be closed
        banner.work.cancel_clicked.connect(self.on_cancelled)

    def refuse_second(self) -> None:
        """Raises: LoomError if a file has the banner already."""
        if any(work.words for work in self._works):
            raise LoomError(tr("Another file is still being read or written. Wait for it, or cancel it."))

    def begin(self, words: str, stop: Callable[[], None]) -> FileWork:
        """Tell of a file; `stop` ends the work on it. Raises: LoomError if another one is told of."""
        if words:
            self.refuse_second()
        work = FileWork(words, stop)
        self._works.append(work)
        self._show()
        return work

    def finish(self, work: FileWork) -> None:
        """Tell that a file is whole where it was wanted."""
        was_waited_for = work in self._waited_for
        left = [it for it in self._waited_for if it is not work]
        self.end(work)
        self._waited_for = left
        self._show()
        if was_waited_for and not left:
            self.whole.emit()

    def end(self, work: FileWork) -> None:
        """Tell no more of a file. One that came to nothing keeps a window that waits for it open."""
        if work in self._works:
            self._works.remove(work)
            self._waited_for = []
            self._show()

    def wait(self) -> bool:
        """Tell that the window waits for what is under way; False if nothing is, or that was told before."""
        if all(work in self._waited_for for work in self._works):
            return False
        self._waited_for = [*self._works]
        self._show()
        return True

    def on_cancelled(self) -> None:
        for work in self._waited_for or [work for work in self._works if work.words]:
            work.stop()

    def _show(self) -> None:
        words = next((work.words for work in self._works if work.words), "")
        if self._waited_for:
            waits = (
                "A file is still on its way. Loomapp closes once it is done; close again to leave without it."
            )
            words = tr(waits)
        if words:
            self._banner.begin_work(words)
        else:
            self._banner.end_work()
