"""The model that is asked: an agent of the grove, made where there is none yet."""

from __future__ import annotations

from dataclasses import replace

from loomapp.cli.arguments import Namespace
from loomapp.core.tree import Agent
from loomapp.providers.known_models import DEFAULT_MODEL_REF
from loomapp.store.grove import Grove
from loomapp.store.identity import new_id


def asked_agent(grove: Grove, model_ref: str | None) -> Agent:
    """The first model agent with this reference, or, without one, the first that has any; else a new one.

    A new one is not saved: that is for when it has written something.
    """
    models = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    wanted = (a for a in models if model_ref is None or a.model_ref == model_ref)
    return next(wanted, None) or new_agent(model_ref or DEFAULT_MODEL_REF)


def new_agent(model_ref: str) -> Agent:
    """An agent named as its model."""
    return Agent(new_id(), model_ref.partition(":")[2] or model_ref, "model", model_ref=model_ref)


def configured(agent: Agent, arguments: Namespace) -> Agent:
    """The agent with the limits that the arguments give for this once."""
    configuration = agent.configuration
    if arguments.max_tokens is not None:
        configuration = replace(configuration, max_tokens=arguments.max_tokens)
    if arguments.temperature is not None:
        configuration = replace(configuration, temperature=arguments.temperature)
    return replace(agent, configuration=configuration)
