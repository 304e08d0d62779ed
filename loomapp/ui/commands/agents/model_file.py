"""A model file of one's own: chosen, made an agent, and asked from then on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from loomapp.providers.engine import model_files
from loomapp.store.grove.model_agents import agent_for
from loomapp.ui.strings import tr
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.workbench import Workbench


def ask_model_file(bench: Workbench, done: Callable[[], None]) -> None:
    """Have a model file chosen, and use it; then `done`."""

    def use(path: Path) -> None:
        use_model_file(bench, path)
        done()

    dialog = file_dialog(bench.views.window, "modelDialog", tr("Use a model file"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters([tr("Models (*.gguf)"), tr("All files (*)")])
    dialog.fileSelected.connect(lambda name: bench.frame.run_command(lambda _: use(Path(name))))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def use_model_file(bench: Workbench, path: Path) -> None:
    """Make a model file an agent and ask it from now on. The file stays where it is; nothing is copied."""
    added = model_files.add(path)
    agent = agent_for(bench.work.document.grove, added.model_ref)
    bench.work.document.agents.forget()
    bench.work.document.agents.ask_only(agent.id)
    bench.display.show_agents()
    bench.work.preview.refresh()
    bench.frame.note(tr("{name} is asked from now on. The file stays where it is.").format(name=agent.name))
