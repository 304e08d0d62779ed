"""How an empty tree begins: its page over the graph, the model made ready, and files that are dropped."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QFileDialog

from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree, Mode
from loomapp.providers.engine import model_files
from loomapp.providers.engine.known_models import KNOWN_MODELS
from loomapp.session.model_fetch import ModelFetch
from loomapp.store.grove.model_agents import agent_for
from loomapp.ui.commands.agents import asked_models
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.trees import tree_files
from loomapp.ui.first_page.model_pill import ModelPill
from loomapp.ui.first_page.page import FirstPage
from loomapp.ui.first_page.starters import Starters
from loomapp.ui.strings import tr
from loomapp.ui.widgets.file_dialog import file_dialog

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

LOCAL = "local:"
KEYS = ("generate", "nextSibling", "commandPaletteAction", "undo")


def wire(window: MainWindow) -> None:
    """Put the page over the graph and let it follow the tree and the model."""
    page = FirstPage(window.graph)
    fetch = ModelFetch(window.generator.engine, window)
    starters = Starters(window.text_pane)
    window.text_pane.add_below_text(starters)
    window.first_page, window.starters, window.keepers = page, starters, (*window.keepers, fetch)
    changed_something = partial(show, window)
    for changed in (
        window.document.tree_opened,
        window.document.tree_changed,
        window.generator.drafts_changed,
        window.generator.engine_watch.changed,
        window.header.agents.asked,
        fetch.ended,
    ):
        changed.connect(changed_something)
    window.document.tree_changed.connect(partial(_carry_into_text, window))
    window.writing.displaced.connect(window.composer.set_text)
    page.mode_wanted.connect(lambda mode: window.run_command(lambda w: _set_mode(w, mode)))
    page.import_wanted.connect(partial(tree_files.import_tree, window))
    page.sample_wanted.connect(lambda: window.run_command(tree_files.open_sample))
    page.model_file_wanted.connect(partial(ask_model_file, window))
    page.key_wanted.connect(partial(asked_models.show_agents, window))
    starters.line_chosen.connect(window.on_suggestion_chosen)
    for pill in (page.pill, starters.pill):
        pill.file_wanted.connect(partial(ask_model_file, window))
        pill.fetch_wanted.connect(lambda: fetch.begin(_local_name(window)))
        pill.stop_wanted.connect(fetch.stop)


def show(window: MainWindow, *_: object) -> None:
    """The page, while nothing is written and nothing is being written."""
    document = window.document
    page, tree = window.first_page, document.tree
    begun = len(tree.nodes) > 1 or not tree.is_empty_root(tree.root_id)
    is_sample = begun and _is_untouched_sample(window)
    window.starters.set_wanted(is_sample)
    if is_sample:
        _show_model(window, window.starters.pill)
    if begun or window.generator.drafts(tree.loom.id):
        page.hide()
        return
    _show_model(window, page.pill)
    page.set_can_write(not document.grove.read_only)
    show_keys(window)
    page.show_for(tree.loom.mode, document.model_agent())


def show_keys(window: MainWindow) -> None:
    """Say on the page the keys that a few actions have now."""
    actions = window.actions_set
    window.first_page.show_keys(
        tuple((actions.key(name), actions.by_name[name].text().rstrip("…")) for name in KEYS)
    )


def _is_untouched_sample(window: MainWindow) -> bool:
    """The first start shows the sample; until its reader did something there, that is a beginning."""
    document = window.document
    tree, owner = document.tree, document.grove.owner.id
    if tree.loom.title != tree_files.SAMPLE_TITLE or document.grove.read_only:
        return False
    return all(node.author_agent_id != owner for node in tree.nodes.values()) and not document.undo_label


def _show_model(window: MainWindow, pill: ModelPill) -> None:
    agent, name = window.document.model_agent(), _local_name(window)
    if name:
        known = KNOWN_MODELS.get(name)
        size = 0 if known is None else known.download_bytes
        here = model_files.find(name) is not None
        pill.show_local(agent.name, window.generator.engine_watch.state, is_here=here, download_bytes=size)
    else:
        pill.show_remote(agent.name)


def _local_name(window: MainWindow) -> str:
    ref = window.document.model_agent().model_ref or ""
    return ref.removeprefix(LOCAL) if ref.startswith(LOCAL) else ""


def _set_mode(window: MainWindow, mode: str) -> None:
    window.document.set_mode(cast(Mode, mode))
    window.text_pane.focus_text()


def _carry_into_text(window: MainWindow, change: Change) -> None:
    """What stands in the composer goes along when the tree becomes a buffer, whoever made it one."""
    before = [row.before.mode for row in change.changed(LoomTree) if isinstance(row.before, LoomTree)]
    words = window.composer.text
    if words and window.writing.is_open and "dialogue" in before:
        window.writing.replace(0, 0, words)
        window.composer.set_text("")


# Models of one's own


def ask_model_file(window: MainWindow) -> None:
    """Ask for a GGUF file and use it where it lies."""
    dialog = file_dialog(window, "modelDialog", tr("Use a model file"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters([tr("Models (*.gguf)"), tr("All files (*)")])
    dialog.fileSelected.connect(lambda name: window.run_command(lambda w: use_model_file(w, Path(name))))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def use_model_file(window: MainWindow, path: Path) -> None:
    """Make a model file an agent and ask it from now on. The file stays where it is; nothing is copied."""
    added = model_files.add(path)
    agent = agent_for(window.document.grove, added.model_ref)
    window.document.forget_agents()
    window.document.choose_model_agent(agent.id)
    window.show_agents()
    window.preview.refresh()
    window.first_page.hide()
    show(window)
    window.note(tr("{name} is asked from now on. The file stays where it is.").format(name=agent.name))


# Files that are dropped on the window


def take_files(window: MainWindow, paths: list[Path]) -> None:
    """What a dropped file is for, by its name. A grove is opened elsewhere; this is for all others."""
    suffixes = {path.suffix.lower() for path in paths}
    if suffixes == {".json"}:
        tree_files.import_files(window, paths)
    elif suffixes == {".gguf"} and len(paths) == 1:
        question = tr("Use {name} as a local model? It stays where it is.").format(name=paths[0].name)
        window.next_steps.offer(question, tr("Use it"), lambda: use_model_file(window, paths[0]))
    else:
        intake.add_to_message(window, paths)
