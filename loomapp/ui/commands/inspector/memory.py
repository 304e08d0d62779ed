"""Memory of agents in a window: shown beside the node that is read, and changed by the user as by a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from loomapp.core.context.awareness import MOST_MEMORY_TOKENS, memory_tokens, recalling
from loomapp.core.edits import agent_memory
from loomapp.core.edits.agent_memory import Memory, Stashed, memory_of, text_of_key
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.text.token_counts import estimate
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui import figures
from loomapp.ui.commands import availability
from loomapp.ui.graph.scene.card_faces import author_tint
from loomapp.ui.inspector.node.memory_panel import MemoryFacts, MemoryRow
from loomapp.ui.strings import tr
from loomapp.ui.workbench import AtEnd, Workbench


def wire(bench: Workbench) -> None:
    panel, document = bench.views.inspector.node.memory, bench.work.document
    panel.set_source(lambda: facts_of(bench), partial(save_text, bench))
    panel.node_clicked.connect(bench.views.inspector.node_clicked)
    panel.act_asked.connect(
        lambda agent_id, act, key: bench.frame.run_beside_text(
            partial(do, agent_id=agent_id, act=act, key=key)
        )
    )
    soon = IdleTimer(panel)
    soon.timeout.connect(bench.views.inspector.node.refresh_memory)
    panel.seen.connect(soon.start)
    panel.editor.begin_tree(document.tree.loom.id)
    writings = bench.unfinished.writings
    panel.editor.typed.connect(writings.on_memory_typed)
    panel.editor.begun = partial(writings.text_of, "memory")
    panel.editor.opened.connect(lambda: writings.open_again("memory", panel.editor.key))
    writings.memory_wanted.connect(partial(edit_text, bench))
    document.leaving.connect(panel.editor.leave)
    document.tree_opened.connect(lambda tree: panel.editor.begin_tree(tree.loom.id))
    document.tree_opened.connect(lambda _: soon.start())
    document.tree_changed.connect(lambda *_: soon.start())
    document.place.current_changed.connect(lambda *_: soon.start())
    document.agents.changed.connect(soon.start)
    document.agents.asked_changed.connect(soon.start)
    bench.frame.keep_until_closed(AtEnd(panel.editor.leave))


def edit_text(bench: Workbench, key: str) -> None:
    """Open the field for a text of an agent's memory, or for a new one, with the words that were begun."""
    tree, agents = bench.work.document.tree, bench.work.document.agents.by_id()
    about = text_of_key(tree, agents, key)
    if about is None or not availability.can_write(bench):
        return
    agent_id, name = about
    bench.frame.bring_inspector()
    bench.views.inspector.show_node_tab()
    stashed = memory_of(tree, agent_id).find(name)
    agent_name = (agents.get(agent_id) or _unknown(agent_id)).name
    text = "" if stashed is None else stashed.text
    bench.views.inspector.node.memory.editor.open(agent_id, agent_name, name, text)


def facts_of(bench: Workbench) -> tuple[MemoryFacts, ...]:
    """The memories of this tree: of those that are asked and see the tree, and of all who have one."""
    document = bench.work.document
    tree, agents = document.tree, document.agents.by_id()
    asked = (agent.id for agent in document.agents.asked() if agent.loom_aware)
    wanted = dict.fromkeys((*asked, *tree.agent_memory))
    found = (agents.get(agent_id) or _unknown(agent_id) for agent_id in wanted)
    return tuple(_facts(bench, tree, agent) for agent in found)


def _unknown(agent_id: str) -> Agent:
    """An agent that another grove knows, and this one does not."""
    return Agent(agent_id, tr("Unknown model"), "model")


def _facts(bench: Workbench, tree: Tree, agent: Agent) -> MemoryFacts:
    memory, current = memory_of(tree, agent.id), bench.work.document.current_id
    can_pin = current not in memory.pinned and not tree.is_empty_root(current)
    recalled = (one for name in memory.recalled if (one := memory.find(name)) is not None)
    tokens = tr("{count} of {most} tokens").format(
        count=figures.number(memory_tokens(tree, memory)), most=figures.number(MOST_MEMORY_TOKENS)
    )
    return MemoryFacts(
        agent,
        tokens,
        tuple(_pinned(bench, tree, node_id) for node_id in memory.pinned),
        tuple(_text(one) for one in recalled),
        memory.recent,
        tuple(_text(one) for one in memory.put_away),
        current if can_pin else "",
        availability.can_write(bench),
    )


def _pinned(bench: Workbench, tree: Tree, node_id: str) -> MemoryRow:
    node = tree.nodes.get(node_id)
    if node is None:
        return MemoryRow(node_id, node_id[:8], "", state=tr("not in this tree"))
    data = node.metadata
    state = tr("deleted: not sent") if data.pruned else tr("excluded: not sent") if data.excluded else ""
    tint = author_tint(node.author_type, node.author_agent_id, bench.work.document.agents.by_id())
    tokens = figures.number(estimate(node.text))
    return MemoryRow(node_id, node.local_id, node.text, tokens, tint, state)


def _text(one: Stashed) -> MemoryRow:
    return MemoryRow(one.name, one.name, one.text, figures.number(estimate(one.text)))


def do(bench: Workbench, agent_id: str, act: str, key: str) -> None:
    """Do what a button of the panel asks for, as one step. Raises: LoomError."""
    edits: dict[str, Callable[[Tree, str, str, EditContext], Change | None]] = {
        "pin": agent_memory.pin,
        "unpin": agent_memory.drop_pin,
        "put_away": agent_memory.put_away,
        "drop": agent_memory.drop_stash,
        "recall": _recall,
    }
    document = bench.work.document
    document.commit(edits[act](document.tree, agent_id, key, document.pen()), keeps_current=True)


def _recall(tree: Tree, agent_id: str, name: str, pen: EditContext) -> Change | None:
    memory: Memory = memory_of(tree, agent_id)
    kept = recalling(tree, memory, name)
    if kept is None:
        raise InvalidInput(
            tr("“{name}” is too long to be recalled: unpin something first, or shorten it.").format(name=name)
        )
    return agent_memory.recall(tree, agent_id, kept, pen)


def save_text(bench: Workbench, agent_id: str, old_name: str, name: str, text: str) -> bool:
    """Save a text in the memory of an agent, as one step; False if it was not taken, which is told."""
    document, is_saved = bench.work.document, False

    def save(_: Workbench) -> None:
        nonlocal is_saved
        tree, pen = document.tree, document.pen()
        if old_name:
            change = agent_memory.rewrite_stash(tree, agent_id, old_name, name, text, pen)
        else:
            change = agent_memory.stash(tree, agent_id, name, text, pen)
        document.commit(change, keeps_current=True)
        is_saved = True

    bench.frame.run_beside_text(save)
    return is_saved
