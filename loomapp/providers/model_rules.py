"""Model rules: what each provider's models take and give, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelRules:
    """`context_window` and `max_choices` are the most in one request; `provider_rules` is a name in
    `core.context.provider_rules.PROVIDER_RULES`."""

    context_window: int = 128_000
    provider_rules: str = "openai"
    accepts_images: bool = False
    continues_documents: bool = False  # has an endpoint that takes a raw text and goes on with it
    max_choices: int = 1
    counts_each_choice: bool = False  # reports usage per choice, to be added up
    max_tokens_name: str = "max_tokens"
    max_output: int | None = None  # tokens of one answer, where the protocol must be told a number
    reports_usage: bool = True  # knows stream_options
    caches: bool = False  # takes breakpoints, or a key, for a cache of what requests have in common
    refused: frozenset[str] = frozenset()  # parameters that the model is known to refuse


LOCAL_CONTEXT_WINDOW = 8192
LOCAL_CHOICES = 8


def rules_for(model_ref: str) -> ModelRules:
    """The rules for `provider:model`; cautious ones for a provider that is not in the table."""
    return MODEL_RULES.get(model_ref.partition(":")[0], ModelRules())


def context_window(model_ref: str) -> int:
    """How many tokens go into this model in all, answer included."""
    return rules_for(model_ref).context_window


MODEL_RULES: Mapping[str, ModelRules] = {
    # `openai` rather than prefill, although llama.cpp continues a final assistant message and streams only
    # the new text: measured on SmolLM2, a message that had ended by itself was "continued" by nothing at all
    # in 7 of 12 choices, so branching from an answer would mostly give no branch.
    "local": ModelRules(
        context_window=LOCAL_CONTEXT_WINDOW,
        continues_documents=True,
        max_choices=LOCAL_CHOICES,
        counts_each_choice=True,
    ),
}
