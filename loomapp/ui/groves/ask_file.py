"""Asking for a grove file: a dialog that stops nothing else and writes over nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from loomapp.ui.strings import tr
from loomapp.ui.widgets.file_dialog import file_dialog

SUFFIX = "loom"


def ask_grove(parent: QWidget, title: str, folder: Path, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for a file that is there; `then` is given it, if one is chosen."""
    dialog = _dialog(parent, title, folder, then)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.open()
    return dialog


def ask_new_grove(parent: QWidget, title: str, suggestion: Path, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for the name of a file to be made; a name that is taken is refused by what makes the file."""
    dialog = _dialog(parent, title, suggestion.parent, then)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
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
    dialog = file_dialog(parent, "fileDialog", title, folder)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters([tr("Groves (*.loom)"), tr("All files (*)")])
    dialog.fileSelected.connect(partial(_chosen, then))
    return dialog


def _chosen(then: Callable[[Path], None], name: str) -> None:
    then(Path(name))
