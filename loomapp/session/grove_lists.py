"""The trees and agents of a grove: which there are, what each says of itself, whom Generate asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from loomapp.core.edits import tree_edits
from loomapp.core.generation.cost import FREE_PROVIDERS
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import LoomTree
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.session.open_tree import OpenTree
from loomapp.session.window_state import read_left
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import asked_ids, model_agents, put_asked_ids
from loomapp.store.identity import now
from loomapp.store.rows.grove_rows import TreeRow

LAST_TREE = "window.tree"  # where older versions kept it


def first_tree_id(grove: Grove) -> str | None:
    """The tree that was read last, else the oldest that is not archived, if there is any.

    Where nothing can be written an archived one is shown.
    """
    every = grove.trees()
    rows = [row for row in every if row.archived_at is None] or (every if grove.read_only else [])
    last = read_left(grove.path).tree_id or grove.setting(LAST_TREE)
    return next((row.id for row in rows if row.id == last), rows[0].id if rows else None)


class GroveTrees(QObject):
    """The list of trees, the one that is open among them. What is changed of a tree is a step of its own."""

    changed = Signal()  # the list

    def __init__(self, owner: OpenTree, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._owner, self._grove = owner, owner.grove
        self._told: list[TreeRow] = []

    def rows(self) -> list[TreeRow]:
        """Return every tree of the grove, archived ones too, in order of creation."""
        self._told = self._grove.trees()
        return self._told

    def known_rows(self) -> list[TreeRow]:
        """Return the trees of the grove as they were read last and moved here since, without reading the
        file.
        """
        self._told = self._grove.known_trees()
        return self._told

    def look(self) -> None:
        """Look for what other programs changed of the list."""
        if self._grove.trees() != self._told:  # a commit of our own was told already
            self.changed.emit()

    def rename(self, tree_id: str, title: str) -> None:
        """Give a tree another title; a blank one changes nothing."""
        if title.strip():
            self._change(tree_id, "Rename", lambda loom: replace(loom, title=title.strip()))

    def archive(self, tree_id: str) -> None:
        """Put a tree away; nothing is deleted."""
        self._change(tree_id, "Archive", lambda loom: replace(loom, archived_at=now()))

    def unarchive(self, tree_id: str) -> None:
        self._change(tree_id, "Bring back", lambda loom: replace(loom, archived_at=None))

    def save_loom(self, loom: LoomTree) -> None:
        """Keep the settings of a tree as they were typed; what was not typed stays as it is in the file.

        Another program may have changed others of them a moment ago, which is no reason to refuse these.
        """
        shown = self._owner.tree.loom if loom.id == self._owner.tree.loom.id else None
        self._owner.catch_up()
        self._change(loom.id, "Tree settings", lambda now: tree_edits.with_settings(now, shown or now, loom))

    def _change(self, tree_id: str, label: str, update: Callable[[LoomTree], LoomTree]) -> None:
        owner = self._owner
        tree = owner.tree if tree_id == owner.tree.loom.id else self._grove.load_tree(tree_id)
        change = tree_edits.change_loom(tree, label, owner.pen(), update(tree.loom))
        if change is not None:
            if tree is owner.tree:
                owner.begin_step()
            owner.commit_to(tree, change)


class GroveAgents(QObject):
    """Agents belong to the whole grove; to change one is no step of a tree's history."""

    changed = Signal()  # one was made, changed, put away or brought back
    asked_changed = Signal()  # others are asked from now on

    def __init__(self, grove: Grove, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grove = grove
        self._first_model = model_agents(grove, DEFAULT_MODEL_REF)[0]  # not in a file that is read only
        self._asked_ids = asked_ids(grove)
        self._known: dict[str, Agent] | None = None

    def by_id(self) -> dict[str, Agent]:
        """Return every agent by id, as they were when they were asked for first since `forget`."""
        if self._known is None:
            self.read()
        return self._known or {}

    def read(self) -> None:
        """Read them from the file. Raises: GroveError, and they are known as before."""
        self._known = {agent.id: agent for agent in self._grove.agents()}

    def forget(self) -> None:
        """Read them anew when they are asked for: another program changed them, or another tree is shown."""
        self._known = None

    def models(self) -> list[Agent]:
        """The models that can be asked, at least one."""
        agents = self.by_id().values()
        models = [a for a in agents if a.type == "model" and a.model_ref and a.archived_at is None]
        return models or [self._first_model]

    def model(self) -> Agent:
        """The model that is asked; of several, the first."""
        return self.asked()[0]

    def asked(self) -> tuple[Agent, ...]:
        """The models that Generate asks: those that were checked last, else the first there is."""
        models = {agent.id: agent for agent in self.models()}
        asked = tuple(models[agent_id] for agent_id in self._asked_ids if agent_id in models)
        return asked or (next(iter(models.values())),)

    def asked_here(self) -> tuple[Agent, ...]:
        """Return the models that Generate asks and the engine inside runs."""
        refs = ((agent, agent.model_ref or "") for agent in self.asked())
        return tuple(agent for agent, ref in refs if ref.partition(":")[0] in FREE_PROVIDERS)

    def ask_only(self, agent_id: str) -> None:
        self.ask((agent_id,))

    def ask(self, agent_ids: tuple[str, ...]) -> None:
        """Ask these models from now on, at least one."""
        if not self._grove.read_only:
            put_asked_ids(self._grove, agent_ids)
        self._asked_ids = agent_ids
        self.asked_changed.emit()

    def put(self, agent: Agent) -> None:
        self._grove.put_agent(agent)
        self.forget()
        self.changed.emit()
