"""Trees in files: one taken into the grove, one written out; whole or not at all."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from loomapp.core.errors import GroveError, InvalidInput
from loomapp.formats import loom_json
from loomapp.formats.imported import Imported
from loomapp.session.backups import Backups
from loomapp.store.identity import new_id, now
from loomapp.store.media import add_media, read_media
from loomapp.store.open_files import is_open_here
from loomapp.store.whole_file import write_whole
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.main_window import MainWindow


def import_tree(window: MainWindow) -> None:
    """Ask for a Loom JSON file and take it into this grove."""
    name, _ = QFileDialog.getOpenFileName(
        window, tr("Import Loom JSON"), "", tr("Loom JSON (*.loom.json *.json)")
    )
    if name:
        take_in(window, Path(name))


def take_in(window: MainWindow, file: Path) -> None:
    """Take a Loom JSON file into this grove, which is backed up before, and show its tree.

    Raises: InvalidInput if it cannot be read, or is none.
    """
    _look_at(file)
    try:
        data = file.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise InvalidInput(tr("{file} cannot be read: {why}.").format(file=file, why=why)) from error
    untitled = f"Loom Tree {len(window.document.trees()) + 1}"
    imported = loom_json.read(data, now=now(), tree_id=new_id(), untitled=untitled)
    backups = window.findChild(Backups)
    step = partial(window.run_command, partial(_add, imported))
    if backups is None:
        step()
    else:
        backups.before("before-import", step)


def _add(imported: Imported, window: MainWindow) -> None:
    grove = window.document.grove
    add_media(grove.path, imported.media.values())  # first: a tree without its pictures is not begun
    result = grove.add_tree(imported.tree, imported.agents, imported.evidence)
    window.document.open_tree(result.tree_id)
    window.document.trees_changed.emit()


def export_tree(window: MainWindow) -> None:
    """Ask for a name and write this tree with its responses to a Loom JSON file."""
    title = window.document.tree.loom.title
    suggestion = "".join(c for c in title if c.isalnum() or c in " -_") + ".loom.json"
    name, _ = QFileDialog.getSaveFileName(
        window, tr("Export this tree"), suggestion, tr("Loom JSON (*.loom.json)")
    )
    if name:
        write_out(window, Path(name))


def write_out(window: MainWindow, file: Path) -> None:
    """Write this tree with its responses. Raises: GroveError, and what was in the file before stays."""
    _look_at(file)
    document = window.document
    grove, tree_id = document.grove, document.tree.loom.id
    media = read_media(grove.path, loom_json.media_refs(document.tree))
    text = loom_json.write(document.tree, grove.tree_agents(tree_id), grove.all_evidence(tree_id), media)
    try:
        write_whole(file, text.encode("utf-8"))
    except OSError as error:
        sentence = tr("{file} could not be written ({why}); make room, or choose another place.")
        words = sentence.format(file=file, why=error.strerror or error)
        raise GroveError("notExported", words, path=str(file)) from error
    window.note(tr("Exported to {file}").format(file=file.name))


def _look_at(file: Path) -> None:
    """Raises: InvalidInput for a grove that is open: it is neither to be read like this nor written over."""
    if is_open_here(file):
        raise InvalidInput(tr("{file} is the grove that is open; choose another file.").format(file=file))
