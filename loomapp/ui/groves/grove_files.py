"""Grove files: asked for in a dialog that writes over nothing, or dropped onto a window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog

SUFFIX = "loom"


def ask_grove(parent: QWidget, title: str, folder: Path, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for a file that is there; `then` is given it, if one is chosen."""
    dialog = _dialog(parent, title, folder, then)
    dialog.setFileMode(dialog.FileMode.ExistingFile)
    dialog.open()
    return dialog


def ask_new_grove(parent: QWidget, title: str, suggestion: Path, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for the name of a file to be made; a name that is taken is refused by what makes the file."""
    dialog = _dialog(parent, title, suggestion.parent, then)
    dialog.setAcceptMode(dialog.AcceptMode.AcceptSave)
    dialog.setFileMode(dialog.FileMode.AnyFile)
    dialog.setOption(dialog.Option.DontConfirmOverwrite)
    dialog.setDefaultSuffix(SUFFIX)
    dialog.selectFile(suggestion.name)
    dialog.open()
    return dialog


def free_name(path: Path) -> Path:
    """Return a name like this one that no file has yet: `Notes 2.loom`."""
    number, name = 2, path
    while name.exists() or name.is_symlink():
        name = path.with_name(f"{path.stem} {number}{path.suffix}")
        number += 1
    return name


def _dialog(parent: QWidget, title: str, folder: Path, then: Callable[[Path], None]) -> QFileDialog:
    from loomapp.ui.widgets.file_dialog import file_dialog  # late: few sessions choose a file

    dialog = file_dialog(parent, "fileDialog", title, folder)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters([tr("Groves (*.loom)"), tr("All files (*)")])
    dialog.fileSelected.connect(partial(_chosen, then))
    return dialog


def _chosen(then: Callable[[Path], None], name: str) -> None:
    then(Path(name))


KINDS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)
LEFT_TO = {"graphView", "dialogueView", "bufferEditor", "composer"}  # what else falls there is attached there


class GroveDrop(QObject):
    """Stands before what takes drops in a window, such as the composer, which would take a file's name."""

    dropped = Signal(object)  # Path of a grove, once for each file
    others_dropped = Signal(list)  # list[Path]: files of other kinds

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files; leave everything else to the widget under it."""
        if watched is self._window and event.type() == QEvent.Type.Show:
            self._window.windowHandle().installEventFilter(self)
        if not isinstance(event, QDropEvent) or event.type() not in KINDS:
            return False
        if not isinstance(watched, QWidget):  # the native window, which is told first
            if event.type() == QEvent.Type.DragEnter:
                self._stand_before_all()
            return False
        files = files_in(event.mimeData())
        groves = files and all(path.suffix == f".{SUFFIX}" for path in files)
        if not files or not (groves or _is_for_the_window(watched, files)):
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop and groves:
            for path in files:
                self.dropped.emit(path)
        elif event.type() == QEvent.Type.Drop:
            self.others_dropped.emit(files)
        return True

    def _stand_before_all(self) -> None:
        """Hear of drops before every part that takes them: pages and fields are made when they are wanted."""
        for widget in self._window.findChildren(QWidget):
            if widget.acceptDrops():
                widget.installEventFilter(self)


def files_in(dragged: QMimeData) -> list[Path]:
    """Return the files that are dragged, if nothing but files is."""
    paths = [Path(url.toLocalFile()) for url in dragged.urls() if url.isLocalFile()]
    return paths if len(paths) == len(dragged.urls()) else []


def _is_for_the_window(watched: QWidget, files: list[Path]) -> bool:
    """Return False where cards, messages and the composer take files themselves."""
    from loomapp.formats.registry import suffixes  # late: it brings every format

    anywhere = (*suffixes(), ".gguf")  # whatever they fall on; a folder too
    if all(path.name.lower().endswith(anywhere) or path.is_dir() for path in files):
        return True
    around = watched.parentWidget()  # of a viewport; fields inside these parts take no files
    return watched.objectName() not in LEFT_TO and (around is None or around.objectName() not in LEFT_TO)
