"""The model that a client asks: its agent, whether it may be asked, and what ends its silence."""

from __future__ import annotations

from loomapp.core.model.agent import Agent
from loomapp.mcp.errors import ToolError, quoted
from loomapp.mcp.permissions import PLACE
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.registry import PROVIDERS, loads_model, silence_s
from loomapp.providers.run.run import Watchdog
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import CHOSEN, new_agent


def asked_agent(grove: Grove, named: str | None) -> Agent:
    """The model agent of a name or id; without one that which was chosen in the window, else the first.

    Raises: ToolError if there is none of that name.
    """
    models = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    if named is None:
        chosen = grove.setting(CHOSEN)
        wanted = [agent for agent in models if agent.id == chosen] or models
        return wanted[0] if wanted else new_agent(DEFAULT_MODEL_REF)
    folded = named.strip().casefold()
    found = [a for a in models if a.id == named] or [a for a in models if a.name.casefold() == folded]
    if not found:
        raise ToolError(f"Agent {quoted(named)} not found. Agents: {[agent.name for agent in models]}")
    return found[0]


def check_allowed(agent: Agent, allowed: str) -> None:
    """Raises: ToolError where the user lets a client ask no models, or none beyond this computer."""
    if allowed == "never":
        raise ToolError(f"Asking models is switched off in {PLACE}")
    if allowed == "local" and not is_here(agent.model_ref or ""):
        raise ToolError(
            f"{agent.name} is a remote model, and only local ones may be asked: allow it in {PLACE}"
        )


def is_here(model_ref: str) -> bool:
    """Tell whether a model answers on this computer."""
    prefix = model_ref.partition(":")[0]
    if prefix in PROVIDERS:
        return True
    setting = endpoint_settings().get(prefix)
    return setting is not None and setting.is_here


def watchdog_of(model_ref: str) -> Watchdog:
    """A watchdog that ends an answer that says nothing: nobody is asked here whether to wait."""
    begin = Watchdog.from_start if loads_model(model_ref) else Watchdog
    return begin(silence_s(model_ref), model_ref)
