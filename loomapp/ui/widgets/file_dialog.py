"""The one file dialog of the program: it lists a folder by names alone and opens no file that is in it.

Qt's own reads the beginning of each file that it lists, to tell what kind it is, and closes it again. In a
folder with an open grove that gives up every lock SQLite holds on the grove: see `open_files`.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from pathlib import Path

from PySide6.QtCore import QDir, QFileInfo, QTimer
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import QFileDialog, QFileSystemModel, QHeaderView, QLineEdit, QToolButton, QWidget

from loomapp import places
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

NOTHING_LISTED = ":/"  # no folder of the disk
# Panels of other desktops run inside this process and read what they list; these two ask another process,
# and Windows has no locks that could be lost.
ASKS_THE_SYSTEM = sys.platform in ("darwin", "win32")
SIZE_PX = (820, 540)
ARROWS = {"backButton": "arrow-left", "forwardButton": "arrow-right", "toParentButton": "chevron-up"}


class NameIcons(QAbstractFileIconProvider):
    """The icon and the kind of a file by its name alone. Qt asks from a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._folder, self._file, self._image = map(theme.icon, ("folder-open", "file-text", "image"))

    def icon(self, of: QFileInfo | QAbstractFileIconProvider.IconType) -> QIcon:
        """Return the icon of a folder, an image, or something to read."""
        if isinstance(of, QFileInfo):
            is_image = of.suffix().lower() in ("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff")
            return self._folder if of.isDir() else self._image if is_image else self._file
        return self._file if of == QAbstractFileIconProvider.IconType.File else self._folder

    def type(self, of: QFileInfo) -> str:
        """Return the words of the column for kinds."""
        if of.isDir():
            return tr("Folder")
        return tr("{ending} file").format(ending=of.suffix().upper()) if of.suffix() else tr("File")


@cache
def _icons() -> NameIcons:
    return NameIcons()  # one for all: the thread that asks may outlive its dialog


def file_dialog(parent: QWidget, name: str, title: str, folder: Path | None = None) -> QFileDialog:
    """A dialog with this object name that shows a folder, else the one that a file was chosen in last, else
    the current one; the caller opens it.
    """
    # Its list fills from the moment it is made: it must not be of a folder before it has its icons.
    dialog = QFileDialog(parent, title, NOTHING_LISTED)
    dialog.setObjectName(name)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog, not ASKS_THE_SYSTEM)
    # It chooses files and does nothing to them: its menu would rename or delete the grove that is open.
    dialog.setOption(QFileDialog.Option.ReadOnly, True)
    dialog.setIconProvider(_icons())
    if folder is None:
        folder = places.last_folder() or Path(QDir.currentPath())
        dialog.filesSelected.connect(_remember)  # of one file too
    wanted = folder.expanduser().absolute()
    there = next((place for place in (wanted, *wanted.parents) if place.is_dir()), Path.home())
    dialog.setDirectory(str(there))
    if not ASKS_THE_SYSTEM:
        _fit(dialog, str(there))
    return dialog


def _remember(names: list[str]) -> None:
    if names:
        places.remember_folder(Path(names[0]).parent)


def _fit(dialog: QFileDialog, there: str) -> None:
    """Room for the columns, arrows that are seen in the dark, and no way back to the list of nothing."""
    dialog.resize(*SIZE_PX)
    for button in dialog.findChildren(QToolButton):
        if button.objectName() in ARROWS:
            button.setIcon(theme.icon(ARROWS[button.objectName()]))
            button.setEnabled(button.objectName() == "toParentButton")
    for model in dialog.findChildren(QFileSystemModel):
        model.rootPathChanged.connect(partial(_stay, dialog, there))
    for header in dialog.findChildren(QHeaderView):
        if header.count() > 1:
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for line in dialog.findChildren(QLineEdit):
        completer = line.completer()
        names = completer.popup() if completer is not None else None
        if names is not None:
            theme.set_look(names, popup=True)  # a window of its own, with a ground of its own


def _stay(dialog: QFileDialog, there: str, path: str) -> None:
    if path.startswith(":"):
        QTimer.singleShot(0, dialog, partial(dialog.setDirectory, there))
