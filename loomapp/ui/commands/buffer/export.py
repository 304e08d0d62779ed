"""The path as a clean document: plain text or Markdown, exactly what is written, nothing beside it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from loomapp.core.errors import LoomError
from loomapp.core.sentences import worded
from loomapp.open_files import refuse_open_here
from loomapp.ui.commands.save import save
from loomapp.ui.strings import tr
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.workbench import Workbench


def export_path(bench: Workbench) -> None:
    """Ask for a name and write the text of the active path there."""
    dialog = file_dialog(bench.views.window, "exportPathDialog", tr("Export this path"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters([tr("Plain text (*.txt)"), tr("Markdown (*.md)")])
    title = bench.work.document.tree.loom.title
    dialog.selectFile("".join(c for c in title if c.isalnum() or c in " -_").strip() + ".txt")
    dialog.filterSelected.connect(partial(_fit_suffix, dialog))
    dialog.fileSelected.connect(partial(_chosen, bench))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def export_to(bench: Workbench, path: Path) -> None:
    """Write the text; a file that stands there is replaced once the new one is whole."""
    refuse_open_here(path)
    bench.buffer.settle_ghost()
    bench.work.writing.save()
    save.settle_edit(bench, bench.work.document.current_id)
    text = bench.text.plain_text
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(text.encode("utf-8"))
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        why = error.strerror or str(error)
        raise LoomError(
            worded("{name} could not be written: {why}. Choose another folder.", name=path.name, why=why)
        ) from error
    bench.frame.note(tr("Exported to {name}.").format(name=path.name))


def _fit_suffix(dialog: QFileDialog, name_filter: str) -> None:
    """Give Markdown its own ending."""
    suffix = ".md" if ".md" in name_filter else ".txt"
    chosen = dialog.selectedFiles()
    if chosen:
        dialog.selectFile(str(Path(chosen[0]).with_suffix(suffix)))


def _chosen(bench: Workbench, name: str) -> None:
    bench.frame.run_command(lambda w: export_to(w, Path(name)))
