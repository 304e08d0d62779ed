"""The agents that stand for models: found by what they ask, made when a model is asked for the first time."""

from __future__ import annotations

from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.sentences import worded
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id

SMALL_MODEL = "local:SmolLM2-135M"  # beginning of the reference of the model that comes along
OF_SMALL_MODEL = Configuration(temperature=0.9, max_tokens=160)  # longer, it mostly repeats itself
CHOSEN = "window.agent"  # the setting that holds the id of the agent chosen last
ASKED = "window.agents"  # the ids of all that Generate asks, that one first


def model_agents(grove: Grove, default_ref: str) -> list[Agent]:
    """The models of a grove that are not archived; at least the default one, made here if need be."""
    found = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    return found or [agent_for(grove, default_ref)]


def agent_for(grove: Grove, model_ref: str) -> Agent:
    """The agent that asks a model, made if the grove has none.

    Raises: InvalidInput if the reference is not `provider:model`.
    """
    known = (a for a in grove.agents() if a.type == "model" and a.model_ref == model_ref)
    agent = next((a for a in known if a.archived_at is None), None)
    if agent is None:
        agent = new_agent(model_ref)
        if not grove.read_only:
            grove.put_agent(agent)
    return agent


def new_agent(model_ref: str) -> Agent:
    """An agent that asks a model, not saved anywhere: as its provider has it, but for the small model.

    Raises: InvalidInput if the reference is not `provider:model`.
    """
    provider, _, model = model_ref.partition(":")
    if not provider or not model:
        raise InvalidInput(worded("{model_ref!r} is no model: write provider:model.", model_ref=model_ref))
    sampling = OF_SMALL_MODEL if model_ref.startswith(SMALL_MODEL) else Configuration()
    return Agent(new_id(), _name(model), "model", model_ref, sampling, colour="a2")


def _name(model: str) -> str:
    """A name that fits on a card: `SmolLM2-135M-Instruct.Q4_1` is `SmolLM2 135M`."""
    return model.rpartition("/")[2].partition(".Q")[0].removesuffix("-Instruct").replace("-", " ")


def asked_ids(grove: Grove) -> tuple[str, ...]:
    """The agents that Generate asks, the one chosen last first; they may be gone since."""
    chosen, asked = grove.setting(CHOSEN), grove.setting(ASKED)
    several = [i for i in asked if isinstance(i, str)] if isinstance(asked, list) else []
    if not isinstance(chosen, str):
        return tuple(several)
    return tuple(several) if chosen in several else (chosen,)


def put_asked_ids(grove: Grove, ids: tuple[str, ...]) -> None:
    """Remember which agents Generate asks, the first of them as the one chosen last."""
    grove.put_setting(CHOSEN, ids[0])
    grove.put_setting(ASKED, list(ids))
