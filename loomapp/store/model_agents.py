"""The agents that stand for models: found by what they ask, made when a model is asked for the first time."""

from __future__ import annotations

from loomapp.core.errors import InvalidInput
from loomapp.core.tree import Agent, Configuration
from loomapp.store.grove import Grove
from loomapp.store.identity import new_id

LOCAL_MODEL = "local:smollm2-135m-instruct"
LOCAL_NAME = "SmolLM2 135M"
ANSWER_TOKENS = 160  # a small model that goes on for longer mostly repeats itself
TEMPERATURE = 0.9  # at 0 all siblings are the same


def model_agents(grove: Grove) -> list[Agent]:
    """The models of a grove that are not archived; at least the embedded one, made here if need be."""
    found = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    return found or [agent_for(grove, LOCAL_MODEL)]


def agent_for(grove: Grove, model_ref: str) -> Agent:
    """The agent that asks a model, made if the grove has none.

    Raises: InvalidInput if the reference is not `provider:model`.
    """
    provider, _, model = model_ref.partition(":")
    if not provider or not model:
        raise InvalidInput(f"{model_ref!r} is no model: write provider:model, for example {LOCAL_MODEL}.")
    known = (a for a in grove.agents() if a.type == "model" and a.model_ref == model_ref)
    agent = next((a for a in known if a.archived_at is None), None)
    if agent is None:
        name = LOCAL_NAME if model_ref == LOCAL_MODEL else model
        sampling = Configuration(temperature=TEMPERATURE, max_tokens=ANSWER_TOKENS)
        agent = Agent(new_id(), name, "model", model_ref, sampling, colour="a2")
        if not grove.read_only:
            grove.put_agent(agent)
    return agent
