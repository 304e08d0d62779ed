"""The agents of a grove: who wrote in it, the models that can be asked, and those that Generate asks."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from loomapp.core.model.agent import Agent
from loomapp.providers.engine.known_models import DEFAULT_MODEL_REF
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import asked_ids, model_agents, put_asked_ids


class GroveAgents(QObject):
    """Agents belong to the whole grove; to change one is no step of a tree's history."""

    changed = Signal()  # one was made, changed, put away or brought back

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

    def ask_only(self, agent_id: str) -> None:
        """Ask this model from now on, and no other."""
        self.ask((agent_id,))

    def ask(self, agent_ids: tuple[str, ...]) -> None:
        """Ask these models from now on, at least one."""
        if not self._grove.read_only:
            put_asked_ids(self._grove, agent_ids)
        self._asked_ids = agent_ids

    def put(self, agent: Agent) -> None:
        self._grove.put_agent(agent)
        self.forget()
        self.changed.emit()
