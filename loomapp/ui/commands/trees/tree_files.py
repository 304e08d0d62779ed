"""Trees in and out of files: done beside the window, with a row that says so and a button that ends it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QFileDialog

from loomapp import places
from loomapp.core.errors import LoomError
from loomapp.files import refuse_open_here
from loomapp.formats.loom_json_importer import is_loom_json
from loomapp.formats.registry import dialog_suffixes
from loomapp.session.background.subprocess_command import SubprocessCommand
from loomapp.ui import figures
from loomapp.ui.commands.save import save
from loomapp.ui.commands.trees.import_desk import desk_of
from loomapp.ui.first_page.model_pill import SAMPLE_TITLE
from loomapp.ui.frame.notices import FileWork
from loomapp.ui.strings import tr
from loomapp.ui.widgets import clipboard
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.workbench import Workbench


def import_tree(bench: Workbench) -> None:
    """Ask for files of any format that is read and take their trees into this grove."""
    dialog = file_dialog(bench.views.window, "importDialog", tr("Import"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    endings = " ".join(f"*{suffix}" for suffix in dialog_suffixes())
    dialog.setNameFilters([f"{tr('Trees and conversations')} ({endings})", tr("All files (*)")])
    dialog.filesSelected.connect(partial(_import_chosen, bench))
    _open(dialog)


def take_in(bench: Workbench, paths: list[Path]) -> None:
    """Take the trees of files in: Loom JSON, which says it all of one tree, at once; of other formats a page
    says first what is in them.
    """
    if all(map(is_loom_json, paths)):
        import_files(bench, paths)
    else:
        desk_of(bench).show(paths)


def import_files(bench: Workbench, paths: list[Path]) -> None:
    """Take the trees of files into this grove, all of them or none; a backup is made first."""
    names = ", ".join(path.name for path in paths)
    grove = str(bench.work.document.grove.path)
    command = _run(
        bench, ["import", "--grove", grove, *map(str, paths)], tr("Importing {names}…").format(names=names)
    )
    if command is not None:
        command.done.connect(partial(_on_imported, bench))


def open_sample(bench: Workbench) -> None:
    """Open the sample tree, imported into this grove if it is not here yet."""
    here = [
        row
        for row in bench.work.document.trees.rows()
        if row.title == SAMPLE_TITLE and row.archived_at is None
    ]
    if here:
        bench.frame.open_tree(here[0].id)
    else:
        import_files(bench, [places.resource("sample.loom.json")])


def export_to(
    bench: Workbench, tree_id: str, path: Path, arguments: Sequence[str] = (), *, words: str = ""
) -> None:
    """Write a tree to a file; one that stands there is replaced once the new one is whole. `arguments` are
    options of `loomapp export`, `words` its standard input.
    """
    refuse_open_here(path)
    commit_all(bench)
    grove = str(bench.work.document.grove.path)
    told = tr("Exporting to {name}…").format(name=path.name)
    line = ["export", "--grove", grove, "--tree", tree_id, *arguments]
    command = _run(bench, line, told, into=path, stdin=words)
    if command is not None:
        done = exported_words(path)
        command.done.connect(lambda _: tell(bench, done))


def exported_words(path: Path) -> str:
    """Return that a file was written, and into which folder."""
    return tr("Exported to {name} in {folder}.").format(name=path.name, folder=path.absolute().parent)


def copy_export(bench: Workbench, tree_id: str, arguments: Sequence[str], *, words: str = "") -> None:
    """Put a tree, as a text of some format, on the clipboard."""
    commit_all(bench)
    grove = str(bench.work.document.grove.path)
    line = ["export", "--grove", grove, "--tree", tree_id, *arguments]
    command = _run(bench, line, tr("Copying…"), stdin=words)
    if command is not None:
        command.done.connect(partial(_copied, bench))


def _copied(bench: Workbench, text: str) -> None:
    clipboard.copy(text)
    tell(bench, tr("Copied: {size}.").format(size=figures.size(len(text.encode()))))


def commit_all(bench: Workbench) -> None:
    """Commit what is written and in no node yet: words in a buffer or on a page, and an edit that is open.
    Raises: LoomError if it cannot be.
    """
    bench.views.pages.flush()
    bench.buffer.settle_ghost()
    bench.work.writing.save()
    save.settle_edit(bench, bench.work.document.current_id)


def back_up_now(bench: Workbench) -> None:
    """Back this grove up at once, among its other backups, with all that is written by now."""
    commit_all(bench)
    grove = bench.work.document.grove.path
    words = tr("Backing up {name}…").format(name=grove.name)
    command = _run(bench, ["backup", "--grove", str(grove)], words)
    if command is not None:
        command.done.connect(partial(_on_backed_up, bench))


def _on_backed_up(bench: Workbench, printed: str) -> None:
    tell(bench, tr("Backed up to {path}.").format(path=json.loads(printed)["backup"]))


def export_evidence(bench: Workbench) -> None:
    """Ask for a name and write this tree, sealed, for `loomapp verify FILE` on any computer."""
    dialog = file_dialog(bench.views.window, "evidenceDialog", tr("Export evidence"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(tr("Evidence (*.loom.json)"))
    dialog.setDefaultSuffix("loom.json")  # before it asks to replace a file
    title = bench.work.document.tree.loom.title
    name = "".join(c for c in title if c.isalnum() or c in " -_").strip()
    dialog.selectFile(f"{name} evidence.loom.json".strip())
    dialog.fileSelected.connect(partial(_evidence_chosen, bench, bench.work.document.tree.loom.id))
    _open(dialog)


def export_evidence_to(bench: Workbench, tree_id: str, path: Path) -> None:
    refuse_open_here(path)
    commit_all(bench)
    arguments = ["export", "--grove", str(bench.work.document.grove.path), "--tree", tree_id, "--evidence"]
    command = _run(bench, arguments, tr("Exporting to {name}…").format(name=path.name), into=path)
    if command is not None:
        told = tr("Exported to {name}. Check it anywhere: loomapp verify {path}")
        done = told.format(name=path.name, path=shlex.quote(str(path)))
        command.done.connect(lambda _: tell(bench, done))


def tell(bench: Workbench, words: str) -> None:
    """Tell the outcome until it is read: one may look elsewhere while it is done."""
    bench.views.text_pane.errors.say(words, tone="success")
    bench.views.announcer.say(words)


def _run(
    bench: Workbench, arguments: list[str], words: str, *, into: Path | None = None, stdin: str = ""
) -> SubprocessCommand | None:
    files = bench.views.files
    try:
        files.refuse_second()
    except LoomError as error:
        bench.frame.show_error(error)
        return None
    command = SubprocessCommand(arguments, bench.views.window, into=into, words=stdin)
    work = files.begin(words, command.stop)
    bench.frame.keep_until_closed(command)
    command.done.connect(lambda _: files.finish(work))
    command.failed.connect(bench.frame.show_error)
    command.ended.connect(partial(_on_ended, bench, command, work))
    command.start()
    return command


def _on_ended(bench: Workbench, command: SubprocessCommand, work: FileWork) -> None:
    bench.views.files.end(work)
    bench.frame.let_go(command)
    command.setParent(None)
    command.deleteLater()


def _on_imported(bench: Workbench, printed: str) -> None:
    """Show the last of the imported trees, and tell the outcome."""
    told = [cast("dict[str, str]", json.loads(line)) for line in printed.splitlines() if line.strip()]
    if told:
        words = " ".join(entry["message"] for entry in told)
        bench.work.document.agents.forget()
        desk_of(bench).trees_came(True)
        again = partial(bench.views.text_pane.errors.say, words, tone="success")  # of one that opens later
        bench.frame.run_command(lambda it: it.frame.open_tree(told[-1]["treeId"], again))
        bench.work.document.trees.changed.emit()
        tell(bench, words)


def _import_chosen(bench: Workbench, names: list[str]) -> None:
    bench.frame.run_beside_text(partial(take_in, paths=[Path(name) for name in names]))


def _evidence_chosen(bench: Workbench, tree_id: str, name: str) -> None:
    bench.frame.run_beside_text(partial(export_evidence_to, tree_id=tree_id, path=Path(name)))


def _open(dialog: QFileDialog) -> None:
    """Open a dialog beside the window; nothing waits for it."""
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
