"""A grove on its way into a window: its lock, its file, and what is shown while it is not open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMainWindow

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.progress import Progress
from loomapp.core.sentences import worded
from loomapp.places import data_folder
from loomapp.session.background.background_work import BackgroundTask
from loomapp.session.lifetime.grove_lock import GroveLock, LockHolder, hand_over
from loomapp.store.backups.backup import backups_of
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_as_far_as_possible, read_grove
from loomapp.store.opening.look import is_there
from loomapp.store.soundness import BROKEN_VALUE, has_faults
from loomapp.ui import figures
from loomapp.ui.commands import on_demand
from loomapp.ui.commands.trees.open_tree import first_tree
from loomapp.ui.groves.grove_files import ask_grove, ask_new_grove, free_name
from loomapp.ui.groves.states import Remedy
from loomapp.ui.strings import tr
from loomapp.ui.trees.tree_loader import Coming, TreeArrival

if TYPE_CHECKING:
    from loomapp.ui.groves.window import OpeningWindow

SHOW_MS = 400  # what takes longer says so

Build: TypeAlias = Callable[[Grove, TreeArrival | None], QMainWindow]
Make: TypeAlias = Callable[[Path], Grove]


class Opening(QObject):
    """Tries until a window stands, or nobody wants it any more. `make` makes the grove where no file is.

    Only the building of the window is done on the GUI thread, of a large tree without reading it.
    """

    began = Signal()  # no other window has the grove: it is for this program to open, or to say why not
    opened = Signal(object)  # the window, not shown yet
    refused = Signal(object)  # LoomError; it is shown
    handed_over = Signal()  # the window of another process has come forward
    another_asked = Signal(object)  # Path: this grove is to be opened instead
    new_asked = Signal(object)  # Path: a grove is to be made there and opened instead
    ended = Signal()  # nothing comes of it any more, or everything has

    def __init__(
        self,
        path: Path,
        build: Build,
        *,
        tree_id: str = "",
        make: Make | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.path, self.tree_id = path, tree_id
        self.lock: GroveLock | None = None
        self.window: OpeningWindow | None = None
        self._build, self._make = build, make
        self._error: LoomError | None = None
        self._task: BackgroundTask | None = None
        self._grove: Grove | None = None  # open, while its first tree is on its way
        self._coming: Coming | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SHOW_MS)
        self._soon.timeout.connect(self.show_busy)

    def begin(self) -> None:
        if self._make is not None:  # or there is no place for the lock
            with contextlib.suppress(OSError):
                self.path.absolute().parent.mkdir(parents=True, exist_ok=True)
        lock = GroveLock(self.path, self)
        holder = lock.take()
        if holder is not None:
            lock.deleteLater()
            work = partial(_handed_over, self.path, self.tree_id)
            self._run(work, partial(self.on_asked, holder))
            return
        self.lock = lock
        self.began.emit()
        self._run(partial(_opened, self.path, self._make), self.on_opened, discard=Grove.close)

    def read_only(self) -> None:
        """Open the grove for reading; of a damaged one, what can be read."""
        is_damaged = self._error is not None and self._error.code == "damaged"
        self._run(partial(_read, self.path, is_damaged), self.on_opened, discard=Grove.close)
        if is_damaged:
            self.show_busy()

    def copy_clean(self) -> None:
        """Write its trees to a new file, with nothing that Loomapp did not make, and open that."""
        self._run(partial(_clean_copy, self.path), self.another_asked.emit)
        self._shown().show_busy(
            tr("Copying {name}").format(name=self.path.name), tr("Reading what can be read…")
        )

    def end(self) -> None:
        """Give the opening up: nobody wants it any more."""
        self._soon.stop()
        if self._task is not None:
            self._task.end()
        self._leave_tree()
        self._let_go()
        window, self.window = self.window, None
        if window is not None:
            window.closed.disconnect(self.on_closed)
            window.close()
            window.deleteLater()
        self.ended.emit()

    # What became of it

    def on_asked(self, holder: LockHolder, has_come: bool) -> None:
        """Tell that another process has the grove, and came forward or not."""
        self._soon.stop()
        if has_come:
            self.handed_over.emit()
            self.end()
        else:
            self.began.emit()
            self.refuse(holder.error(self.path))

    def on_opened(self, grove: Grove) -> None:
        """The file is open: build its window, once its first tree is there if that is a large one."""
        try:
            coming = first_tree(grove, self)
        except LoomError as error:
            grove.close()
            self.refuse(error)
            return
        if coming is None:
            self._build_on(grove, None)
            return
        self._grove, self._coming = grove, coming
        coming.progressed.connect(self.on_progressed)
        coming.arrived.connect(self.on_arrived)
        coming.failed.connect(self.on_not_read)
        coming.start()

    def on_arrived(self, arrival: TreeArrival) -> None:
        """Build the window, for the first tree is there."""
        grove, self._grove = self._grove, None
        assert grove is not None, "it is open until it has a window"
        self._leave_tree()
        self._build_on(grove, arrival)

    def on_not_read(self, error: LoomError) -> None:
        """Tell that the file is open, but its first tree cannot be read."""
        self._leave_tree()
        self.refuse(error)

    @property
    def is_reading(self) -> bool:
        return self._coming is not None

    def _leave_tree(self) -> None:
        """Drop the first tree; if nobody wants it any more, the grove too."""
        coming, self._coming = self._coming, None
        if coming is not None:
            coming.stop()
            coming.deleteLater()
        grove, self._grove = self._grove, None
        if grove is not None:
            grove.close()

    def _build_on(self, grove: Grove, arrival: TreeArrival | None) -> None:
        self._soon.stop()
        try:
            window = self._build(grove, arrival)
        except LoomError as error:
            grove.close()
            self.refuse(error)
            return
        except BROKEN_VALUE as error:
            grove.close()
            self._run(partial(_has_faults, self.path), partial(self.on_looked_for_faults, error))
            return
        if grove.read_only:
            self._let_go()
        self.opened.emit(window)
        self.end()

    def on_looked_for_faults(self, error: Exception, has_faults: bool) -> None:
        """The window could not be built: because of the file, or by a mistake of ours."""
        if has_faults:
            words = "{path} is damaged: a tree in it cannot be shown; open it for reading only."
            text = worded(words, path=self.path)
            self.refuse(GroveError("damaged", text, path=str(self.path)))
            return
        self.refuse(LoomError("It could not be shown, because of a fault in Loomapp itself. The log has it."))
        raise error

    def refuse(self, error: LoomError) -> None:
        self._soon.stop()
        self._let_go()
        self._error = error
        nothing_there: tuple[Remedy, ...] = () if backups_of(self.path) else ("restoreBackup",)
        self._shown().show_error(error, without=nothing_there)
        self.refused.emit(error)

    # The window

    def show_busy(self) -> None:
        title = tr("Opening {name}").format(name=self.path.name)
        is_damaged = self._error is not None and self._error.code == "damaged"
        words = tr("Reading what can be read…") if is_damaged else tr("This may take a moment…")
        self._shown().show_busy(title, words)

    def on_progressed(self, done: int, of: int) -> None:
        if self.window is not None:
            self.window.progress.show_progress(done, of)
            if done and not of:
                self.window.progress.say(tr("{count} rows read…").format(count=figures.number(done)))

    def on_cancel_clicked(self) -> None:
        """Go back to the state before, or close if there was none."""
        if self._task is not None:
            self._task.cancel()
        self._leave_tree()
        if self._error is None:
            self.end()
        else:
            self._shown().show_error(self._error, without=() if backups_of(self.path) else ("restoreBackup",))

    def on_closed(self) -> None:
        self.end()

    def on_remedy(self, remedy: str) -> None:
        window = self._shown()
        folder = self.path.absolute().parent
        match cast(Remedy, remedy):
            case "tryAgain":
                self.begin()
            case "cleanCopy":
                self.copy_clean()
            case "openReadOnly":
                self.read_only()
            case "restoreBackup":
                window.show_backups_of(self.path)
            case "newGrove":
                self.new_asked.emit(self.path)
            case "newElsewhere":
                suggestion = free_name(data_folder() / "grove.loom")
                ask_new_grove(window, tr("New grove"), suggestion, self.new_asked.emit)
            case "openAnother":
                ask_grove(window, tr("Open a grove"), _nearest(folder), self.another_asked.emit)
            case "showFolder":
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(_nearest(folder))))

    def _shown(self) -> OpeningWindow:
        if self.window is None:
            self.window = on_demand.opening_window.OpeningWindow(self.path)
            self.window.remedy_clicked.connect(self.on_remedy)
            self.window.cancel_clicked.connect(self.on_cancel_clicked)
            self.window.backups.open_asked.connect(self.another_asked)
            self.window.closed.connect(self.on_closed)
            self.window.show()
        return self.window

    # Behind it

    def _run(
        self,
        work: Callable[[Progress], Grove] | Callable[[Progress], bool] | Callable[[Progress], Path],
        then: Callable[[Grove], None] | Callable[[bool], None] | Callable[[Path], None],
        discard: Callable[[Grove], None] | None = None,
    ) -> None:
        self._leave_tree()
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
        task = BackgroundTask(cast(Callable[[Progress], Grove], work), self, discard=discard)
        task.progressed.connect(self.on_progressed)
        task.done.connect(then)
        task.failed.connect(self.refuse)
        self._task = task
        task.start()
        self._soon.start()

    def _let_go(self) -> None:
        if self.lock is not None and self.lock.parent() is self:
            self.lock.release()
            self.lock.deleteLater()
        self.lock = None


def _handed_over(path: Path, tree_id: str, _progress: Progress) -> bool:
    return hand_over(path, tree_id)


def _opened(path: Path, make: Make | None, _progress: Progress) -> Grove:
    if make is not None and not is_there(path):
        return make(path)
    return open_as_far_as_possible(path)


def _has_faults(path: Path, _progress: Progress) -> bool:
    return has_faults(path)


def _read(path: Path, is_damaged: bool, progress: Progress) -> Grove:
    return on_demand.salvage.open_damaged(path, progress) if is_damaged else read_grove(path)


def _clean_copy(path: Path, progress: Progress) -> Path:
    return on_demand.salvage.repair(path, progress).path


def _nearest(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that is there."""
    for place in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            if place.is_dir():
                return place
    return Path.home()
