"""A capability record as it is shown: what is known of one model at one endpoint, and what was learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.context.provider_rules import PROVIDER_RULES
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.learned import learned
from loomapp.providers.model_rules import ModelRules
from loomapp.providers.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import PROVIDERS, rules_for

BufferForm: TypeAlias = Literal["completions", "prefill", "instruction"]


@dataclass(frozen=True, slots=True)
class Capability:
    """`protocol` is in words; `learned_at` in milliseconds, None if nothing had to be learned."""

    protocol: str
    buffer_form: BufferForm
    rules: ModelRules
    learned_at: int | None = None


def capability_of(model_ref: str) -> Capability:
    """What is known of `provider:model`. Raises: InvalidInput if the user's endpoints can't be read."""
    rules = rules_for(model_ref)
    prefix, _, model = model_ref.partition(":")
    setting = None if prefix in PROVIDERS else endpoint_settings().get(prefix)
    if setting is None:
        return Capability("llama.cpp", buffer_form(rules), rules)
    protocol = PROTOCOLS[setting.api]
    at = learned().learned_at(base_of(setting.base_url, protocol), model)
    return Capability(protocol.text, buffer_form(rules), rules, at)


def tell_window(model_ref: str, tokens: int | None) -> None:
    """How much goes into a model, by its user; None: what the table says counts again."""
    prefix, _, model = model_ref.partition(":")
    setting = endpoint_settings().get(prefix)
    if setting is not None:
        learned().tell_window(base_of(setting.base_url, PROTOCOLS[setting.api]), model, tokens)


def forget(model_ref: str) -> None:
    """What was learned of a model counts no more."""
    prefix, _, model = model_ref.partition(":")
    setting = endpoint_settings().get(prefix)
    if setting is not None:
        learned().forget(base_of(setting.base_url, PROTOCOLS[setting.api]), model)


def buffer_form(rules: ModelRules) -> BufferForm:
    """In which form a Buffer goes to such a model; see `core.asking.assembled_for`."""
    if rules.continues_documents:
        return "completions"
    known = PROVIDER_RULES[rules.provider_rules]
    return "prefill" if known is not None and known.prefill else "instruction"
