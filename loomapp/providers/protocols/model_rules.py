"""Model rules: what each provider's models take and give, as a table."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

from loomapp.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ModelRules:
    """`context_window` and `max_choices` are the most in one request; `provider_rules` is a name in
    `core.context.provider_rules.PROVIDER_RULES`."""

    context_window: int = 128_000
    provider_rules: str = "openai"
    accepts_images: bool = False
    continues_documents: bool = False  # has an endpoint that takes a raw text and goes on with it
    fills_in: bool = False  # and takes a text that follows the answer; many servers pass over it silently
    takes_messages: bool = True  # else a conversation goes as a written-out text
    max_choices: int = 1
    counts_each_choice: bool = False  # reports usage per choice, to be added up
    max_tokens_name: str = "max_tokens"
    max_output: int | None = None  # tokens of one answer, where the protocol must be told a number
    reports_usage: bool = True  # knows stream_options
    gpu_layers: int = 0  # of a local model, that a graphics card computes
    tells_reading: bool = False  # says how much of the prompt it has read, where that is asked for
    caches: bool = False  # takes breakpoints, or a key, for a cache of what requests have in common
    refused: frozenset[str] = frozenset()  # parameters that the model is known to refuse


LOCAL_CONTEXT_WINDOW = 8192
LOCAL_CHOICES = 8


def seeded_rules(model_ref: str, usual: ModelRules = ModelRules()) -> ModelRules:
    """Return what the table says of `provider:model`; for what it does not name, `usual`."""
    return next((rules for pattern, rules in MODEL_RULES if fnmatchcase(model_ref, pattern)), usual)


def is_seeded(model_ref: str) -> bool:
    """Tell whether the table names such a model."""
    return any(fnmatchcase(model_ref, pattern) for pattern, _ in MODEL_RULES)


def context_window(model_ref: str) -> int:
    """Return how many tokens go into this model in all, answer included, as the table has it."""
    return seeded_rules(model_ref).context_window


CLAUDE = ModelRules(
    context_window=200_000, provider_rules="anthropic", accepts_images=True, caches=True, max_output=64_000
)
CLAUDE_THAT_CONTINUES = replace(CLAUDE, provider_rules="anthropic-prefill")
GPT = ModelRules(
    accepts_images=True, max_choices=LOCAL_CHOICES, max_tokens_name="max_completion_tokens", caches=True
)
NO_STOPS = frozenset({"stop"})  # the protocol of responses has no stop sequences
GPT_RESPONSES = replace(GPT, max_choices=1, refused=NO_STOPS)

# The first pattern that fits decides. Nothing here could be tried against the services themselves; what is
# wrong is found out by their refusals and remembered (see `learned`).
MODEL_RULES: tuple[tuple[str, ModelRules], ...] = (
    # `openai` rather than prefill, although llama.cpp continues a final assistant message and streams only
    # the new text: measured on SmolLM2, a message that had ended by itself was "continued" by nothing at all
    # in 7 of 12 choices, so branching from an answer would mostly give no branch.
    (
        "local:*",
        ModelRules(
            context_window=LOCAL_CONTEXT_WINDOW,
            continues_documents=True,
            max_choices=LOCAL_CHOICES,
            counts_each_choice=True,
            tells_reading=True,
        ),
    ),
    # Claude up to 4.5 continues a message of its own; 4.6 and later refuse one.
    ("anthropic:claude-3*", replace(CLAUDE_THAT_CONTINUES, max_output=4_096)),
    ("anthropic:claude-*-4-2025*", replace(CLAUDE_THAT_CONTINUES, max_output=32_000)),
    ("anthropic:claude-*-4-[015]*", replace(CLAUDE_THAT_CONTINUES, max_output=32_000)),
    ("anthropic:*", CLAUDE),
    ("openai:gpt-4.1*", replace(GPT, context_window=1_000_000)),
    ("openai:gpt-5*", replace(GPT, context_window=400_000)),
    ("openai:o[134]*", replace(GPT, context_window=200_000)),
    ("openai:*", GPT),
    ("openai-responses:gpt-4.1*", replace(GPT_RESPONSES, context_window=1_000_000)),
    ("openai-responses:gpt-5*", replace(GPT_RESPONSES, context_window=400_000)),
    ("openai-responses:*", GPT_RESPONSES),
)
