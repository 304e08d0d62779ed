"""The model that is asked: an agent of the grove, made where there is none yet."""

from __future__ import annotations

from dataclasses import replace

from loomapp.cli.arguments import Namespace
from loomapp.core.model.agent import Agent
from loomapp.providers.engine.known_models import DEFAULT_MODEL_REF
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import CHOSEN, new_agent


def asked_agent(grove: Grove, model_ref: str | None) -> Agent:
    """The agent for a model; without a reference the one chosen in the window, else the first there is.

    One that the grove does not have yet is not saved: that is for when it has written something.
    Raises: InvalidInput if the reference is not `provider:model`.
    """
    models = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    if model_ref is None:
        chosen = grove.setting(CHOSEN)
        wanted = [agent for agent in models if agent.id == chosen] or models
    else:
        wanted = [agent for agent in models if agent.model_ref == model_ref]
    return wanted[0] if wanted else new_agent(model_ref or DEFAULT_MODEL_REF)


def configured(agent: Agent, arguments: Namespace) -> Agent:
    """The agent with the limits that the arguments give for this once."""
    configuration = agent.configuration
    if arguments.max_tokens is not None:
        configuration = replace(configuration, max_tokens=arguments.max_tokens)
    if arguments.temperature is not None:
        configuration = replace(configuration, temperature=arguments.temperature)
    return replace(agent, configuration=configuration)
