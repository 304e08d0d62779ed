"""Trees in and out of files: done beside the window, with a row that says so and a button that ends it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QFileDialog

from loomapp import places
from loomapp.core.errors import LoomError
from loomapp.open_files import refuse_open_here
from loomapp.session.background.subprocess_command import OwnCommand
from loomapp.ui.commands.save import save
from loomapp.ui.strings import tr
from loomapp.ui.widgets.file_dialog import file_dialog

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

SAMPLE_TITLE = "Sample: a letter in a bottle"
JSON_SUFFIXES = (".json",)


def import_tree(window: MainWindow) -> None:
    """Ask for Loom JSON files and take their trees into this grove."""
    dialog = file_dialog(window, "importDialog", tr("Import Loom JSON"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters([tr("Loom JSON (*.loom.json *.json)"), tr("All files (*)")])
    dialog.filesSelected.connect(partial(_import_chosen, window))
    _open(dialog)


def import_files(window: MainWindow, paths: list[Path]) -> None:
    """Take the trees of files into this grove, all of them or none; a backup is made first."""
    names = ", ".join(path.name for path in paths)
    grove = str(window.document.grove.path)
    command = _run(
        window,
        ["import", "--grove", grove, *map(str, paths)],
        tr("Importing {names}…").format(names=names),
    )
    if command is not None:
        command.done.connect(partial(_on_imported, window))


def open_sample(window: MainWindow) -> None:
    """The sample tree, brought into this grove if it is not here yet."""
    here = [row for row in window.document.trees() if row.title == SAMPLE_TITLE and row.archived_at is None]
    if here:
        window.opening.open(here[0].id)
    else:
        import_files(window, [places.resource("sample.loom.json")])


def export_tree(window: MainWindow) -> None:
    """Ask for a name and write this tree with its responses to a Loom JSON file."""
    dialog = file_dialog(window, "exportDialog", tr("Export this tree"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(tr("Loom JSON (*.loom.json)"))
    title = window.document.tree.loom.title
    dialog.selectFile("".join(c for c in title if c.isalnum() or c in " -_").strip() + ".loom.json")
    dialog.fileSelected.connect(partial(_export_chosen, window, window.document.tree.loom.id))
    _open(dialog)


def export_to(window: MainWindow, tree_id: str, path: Path) -> None:
    """Write a tree to a file; one that stands there is replaced once the new one is whole."""
    refuse_open_here(path)
    window.writing.save()
    save.settle_edit(window, window.document.current_id)
    grove = str(window.document.grove.path)
    words = tr("Exporting to {name}…").format(name=path.name)
    command = _run(window, ["export", "--grove", grove, "--tree", tree_id], words, into=path)
    if command is not None:
        done = tr("Exported to {name}.").format(name=path.name)
        command.done.connect(lambda _: _tell(window, done))


def export_evidence(window: MainWindow) -> None:
    """Ask for a name and write this tree, sealed, for `loomapp verify FILE` on any computer."""
    dialog = file_dialog(window, "evidenceDialog", tr("Export evidence"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(tr("Evidence (*.loom.json)"))
    title = window.document.tree.loom.title
    name = "".join(c for c in title if c.isalnum() or c in " -_").strip()
    dialog.selectFile(f"{name} evidence.loom.json".strip())
    dialog.fileSelected.connect(partial(_evidence_chosen, window, window.document.tree.loom.id))
    _open(dialog)


def export_evidence_to(window: MainWindow, tree_id: str, path: Path) -> None:
    """Write the evidence of a tree to a file."""
    refuse_open_here(path)
    window.writing.save()
    save.settle_edit(window, window.document.current_id)
    arguments = ["export", "--grove", str(window.document.grove.path), "--tree", tree_id, "--evidence"]
    command = _run(window, arguments, tr("Exporting to {name}…").format(name=path.name), into=path)
    if command is not None:
        done = tr("Exported to {name}. Check it anywhere: loomapp verify {name}").format(name=path.name)
        command.done.connect(lambda _: _tell(window, done))


def _tell(window: MainWindow, words: str) -> None:
    """What came of it stays until it is read: one may look elsewhere while it is done."""
    window.text_pane.errors.say(words, tone="success")
    window.announcer.say(words)


def _run(
    window: MainWindow, arguments: list[str], words: str, *, into: Path | None = None
) -> OwnCommand | None:
    if window.findChild(OwnCommand) is not None:
        window.next_steps.show_error(
            LoomError(tr("One file is on its way already. Wait for it, or cancel it."))
        )
        return None
    command = OwnCommand(arguments, window, into=into)
    window.keepers = (*window.keepers, command)
    command.failed.connect(window.next_steps.show_error)
    command.ended.connect(partial(_on_ended, window, command))
    window.banner.work.cancel_clicked.connect(command.stop)
    window.banner.begin_work(words)
    command.start()
    return command


def _on_ended(window: MainWindow, command: OwnCommand) -> None:
    window.banner.end_work()
    window.keepers = tuple(keeper for keeper in window.keepers if keeper is not command)
    command.setParent(None)
    command.deleteLater()


def _on_imported(window: MainWindow, printed: str) -> None:
    """Show the last of the trees, and say what became of it."""
    told = [cast("dict[str, str]", json.loads(line)) for line in printed.splitlines() if line.strip()]
    if told:
        window.document.forget_agents()
        window.run_command(lambda it: it.opening.open(told[-1]["treeId"]))
        window.document.trees_changed.emit()
        _tell(window, " ".join(entry["message"] for entry in told))


def _import_chosen(window: MainWindow, names: list[str]) -> None:
    import_files(window, [Path(name) for name in names])


def _export_chosen(window: MainWindow, tree_id: str, name: str) -> None:
    window.run_beside_text(partial(export_to, tree_id=tree_id, path=_with_ending(name)))


def _evidence_chosen(window: MainWindow, tree_id: str, name: str) -> None:
    window.run_beside_text(partial(export_evidence_to, tree_id=tree_id, path=_with_ending(name)))


def _with_ending(name: str) -> Path:
    path = Path(name)
    return path if path.suffix else path.with_name(f"{path.name}.loom.json")


def _open(dialog: QFileDialog) -> None:
    """Beside the window; nothing waits for it."""
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
