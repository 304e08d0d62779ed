"""Empty tree: its page over the graph, the model made ready, and files that are dropped."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Mode
from loomapp.providers.endpoints import EndpointSetting, endpoint_settings
from loomapp.providers.engine import model_files
from loomapp.providers.engine.model_fetch import KNOWN_MODELS
from loomapp.session.local_engine import ModelFetch
from loomapp.session.open_tree import Initiator
from loomapp.ui.commands import on_demand
from loomapp.ui.commands.agents import asked_models
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.dialogue import suggest
from loomapp.ui.first_page.model_pill import SAMPLE_TITLE, ModelPill
from loomapp.ui.strings import tr
from loomapp.ui.unsaved.unsaved import listed
from loomapp.ui.workbench import Workbench

TEXTS = (".md", ".markdown", ".txt")  # that could be what somebody wants to write on in
KEYS = ("generate", "nextSibling", "commandPaletteAction", "undo")


def wire(bench: Workbench) -> None:
    page, starters = bench.views.first_page, bench.views.starters
    fetch = ModelFetch(bench.work.generator.engine, bench.views.window)
    bench.views.text_pane.add_below_text(starters)
    bench.frame.keep_until_closed(fetch)
    changed_something = partial(show, bench)
    for changed in (
        bench.work.document.tree_opened,
        bench.work.document.tree_changed,
        bench.work.generator.answers.drafts_changed,
        bench.work.generator.engine_watch.changed,
        bench.work.document.agents.changed,
        bench.work.document.agents.asked_changed,
        fetch.ended,
    ):
        changed.connect(changed_something)
    bench.work.document.tree_changed.connect(partial(_carry_into_text, bench))
    bench.work.writing.displaced.connect(bench.views.composer.set_text)
    page.mode_wanted.connect(lambda mode: bench.frame.run_command(lambda w: _set_mode(w, mode)))
    page.import_wanted.connect(partial(_import_tree, bench))
    page.sample_wanted.connect(lambda: bench.frame.run_command(_open_sample))
    page.model_file_wanted.connect(partial(ask_model_file, bench))
    page.key_wanted.connect(partial(asked_models.show_agents, bench))
    starters.line_chosen.connect(partial(suggest, bench))
    page.pill_came.connect(partial(_wire_pill, bench, fetch))
    _wire_pill(bench, fetch, starters.pill)


def _wire_pill(bench: Workbench, fetch: ModelFetch, pill: ModelPill) -> None:
    pill.file_wanted.connect(partial(ask_model_file, bench))
    pill.fetch_wanted.connect(lambda: fetch.begin(_local_name(bench)))
    pill.stop_wanted.connect(fetch.stop)


def _import_tree(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import tree_files  # late: it brings every format

    tree_files.import_tree(bench)


def _open_sample(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import tree_files  # late: it brings every format

    tree_files.open_sample(bench)


def show(bench: Workbench, *_: object) -> None:
    """Show the page while nothing is written and nothing is being written."""
    document = bench.work.document
    page, tree = bench.views.first_page, document.tree
    begun = len(tree.nodes) > 1 or not tree.is_empty_root(tree.root_id)
    is_sample = begun and _is_untouched_sample(bench)
    bench.views.starters.set_wanted(is_sample)
    if is_sample:
        _show_model(bench, bench.views.starters.pill)
    if begun or bench.work.generator.drafts(tree.loom.id):
        page.hide()
        return
    _show_model(bench, page.pill)
    page.set_can_write(not document.grove.read_only)
    show_keys(bench)
    page.show_for(tree.loom.mode, document.agents.asked())


def show_keys(bench: Workbench) -> None:
    actions = bench.actions
    bench.views.first_page.show_keys(
        tuple((actions.key(name), actions.by_name[name].text().rstrip("…")) for name in KEYS)
    )


def _is_untouched_sample(bench: Workbench) -> bool:
    """The first start shows the sample; until its reader did something there, that is a beginning."""
    document = bench.work.document
    tree, owner = document.tree, document.grove.owner.id
    if tree.loom.title != SAMPLE_TITLE or document.grove.read_only:
        return False
    return (
        all(node.author_agent_id != owner for node in tree.nodes.values()) and not document.history.undo_label
    )


def _show_model(bench: Workbench, pill: ModelPill) -> None:
    agents, name = bench.work.document.agents, _local_name(bench)
    asked = agents.asked()
    agent = (*agents.asked_here(), *asked)[0]
    here = bool(name) and model_files.find(name) is not None
    if len(asked) > 1 and (here or not name):
        pill.show_several(
            listed([one.name for one in asked]), afar=listed([one.name for one in asked if _is_afar(one)])
        )
    elif name:
        known = KNOWN_MODELS.get(name)
        size = 0 if known is None else known.download_bytes
        pill.show_local(
            agent.name, bench.work.generator.engine_watch.state, is_here=here, download_bytes=size
        )
    else:
        setting = _endpoint(agent)
        is_here = setting is not None and setting.is_here
        pill.show_remote(agent.name, is_here=is_here, has_key=setting is None or bool(setting.key_name))


def _is_afar(agent: Agent) -> bool:
    """True for a model that is asked over the network."""
    setting = _endpoint(agent)
    return setting is not None and not setting.is_here


def _endpoint(agent: Agent) -> EndpointSetting | None:
    """Return the endpoint of an agent's model; None where none is known or their file is faulty."""
    with suppress(LoomError):
        return endpoint_settings().get((agent.model_ref or "").partition(":")[0])
    return None


def _local_name(bench: Workbench) -> str:
    """Return the file name of the local model that is asked; nothing if none is."""
    here = bench.work.document.agents.asked_here()
    return (here[0].model_ref or "").partition(":")[2] if here else ""


def _set_mode(bench: Workbench, mode: str) -> None:
    bench.work.document.set_mode(cast(Mode, mode))
    bench.views.text_pane.focus_text()


def _carry_into_text(bench: Workbench, change: Change, _initiator: Initiator) -> None:
    """Carry the words in the composer into the text when the tree becomes a buffer, whoever made it one."""
    if bench.work.writing.take_message(bench.views.composer.text, change):
        bench.views.composer.set_text("")


# Models of one's own


def ask_model_file(bench: Workbench) -> None:
    asked_models.ask_model_file(bench, partial(_show_asked, bench))


def use_model_file(bench: Workbench, path: Path) -> None:
    asked_models.use_model_file(bench, path)
    _show_asked(bench)


def _show_asked(bench: Workbench) -> None:
    bench.views.first_page.hide()
    show(bench)


# Files that are dropped on the window


def take_files(bench: Workbench, paths: list[Path]) -> None:
    """Open dropped files by their names. A grove is opened elsewhere; this is for all others."""
    suffixes = on_demand.format_registry.suffixes()
    if all(path.name.lower().endswith(suffixes) for path in paths) or all(path.is_dir() for path in paths):
        from loomapp.ui.commands.trees import tree_files  # late: it brings every format

        tree_files.take_in(bench, paths)
    elif len(paths) == 1 and paths[0].suffix.lower() == ".gguf":
        question = tr("Use {name} as a local model? It stays where it is.").format(name=paths[0].name)
        bench.frame.offer(question, tr("Use it"), lambda: use_model_file(bench, paths[0]))
    else:
        intake.add_to_message(bench, paths)
        is_text = len(paths) == 1 and paths[0].suffix.lower() in TEXTS
        if is_text and not bench.text.takes_attachments:
            said = tr("{name} goes along as context. To write on in it, import it.")
            _offer_import(bench, said.format(name=paths[0].name), paths)


def _offer_import(bench: Workbench, said: str, paths: list[Path]) -> None:
    from loomapp.ui.commands.trees import tree_files  # late: it brings every format

    bench.frame.offer(said, tr("Import…"), partial(tree_files.take_in, bench, paths), tone="success")
