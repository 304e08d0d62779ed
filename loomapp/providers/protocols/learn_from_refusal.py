"""Self-healing: what a refusal says of a model, so that the next request is one that it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from loomapp.core.generation.request import ProviderError, Request
from loomapp.core.sentences import worded
from loomapp.providers.protocols.images import images_of
from loomapp.providers.protocols.model_rules import ModelRules

REFUSED = re.compile(
    r"unsupported|not support|deprecat|extra inputs|unknown|unrecogni[sz]ed|unexpected|not permitted"
    r"|not allowed|only the default|no longer|not available|invalid parameter",
    re.IGNORECASE,
)
PREFILL = re.compile(r"prefill|must end with a user message|last message.*assistant", re.IGNORECASE)
SUFFIX = re.compile(r"\bsuffix\b|\bin-?fill|fill.in.the.middle|\bFIM\b", re.IGNORECASE)
IMAGES = re.compile(
    r"not an? (?:vision|multimodal)"
    r"|(?:image|vision|multimodal).{0,60}(?:not support|unsupported|not allowed|not enabled|not accept)"
    r"|(?:not support|not accept|no endpoints found that support|content type)"
    r".{0,40}(?:image|vision|multimodal)",
    re.IGNORECASE,
)
ABOUT_IMAGES = frozenset({"invalidRequest", "modelNotFound", "serverError"})  # however servers put it
NEVER = frozenset({"model", "messages", "input", "prompt", "system", "instructions", "stream", "max_tokens"})
"""What a request is nothing without: a complaint about it is told, not dropped."""


ONE_AT_A_TIME = "this model writes one answer at a time"


@dataclass(frozen=True, slots=True)
class Healing:
    """`rules` for the next attempt; `note` is for people. Where `at_once` is not set, what was assembled
    must be assembled anew first, so that it can be seen before it is sent."""

    rules: ModelRules
    note: str
    at_once: bool = True


def healed(error: ProviderError, request: Request, rules: ModelRules) -> Healing | None:
    """Return what can be learned from a refusal, or None."""
    if error.code == "contextTooLong":
        return _window(error, rules)
    if request.n > 1 and error.details.get("finished") == [0]:
        # a server that never heard of n: the first answer is whole, the others are asked for by themselves
        return Healing(replace(rules, max_choices=1), ONE_AT_A_TIME, at_once=False)
    said = str(error.details.get("said") or "")
    if error.code in ABOUT_IMAGES and rules.accepts_images and images_of(request) and IMAGES.search(said):
        note = "this model takes no images; their descriptions are sent"
        return Healing(replace(rules, accepts_images=False), note, at_once=False)
    if error.code != "invalidRequest":
        return None
    if rules.provider_rules == "anthropic-prefill" and PREFILL.search(said):
        note = "this model does not continue a message of its own"
        return Healing(replace(rules, provider_rules="anthropic"), note, at_once=False)
    if request.suffix and SUFFIX.search(said):
        note = "this model takes no text after the caret and cannot fill in"
        return Healing(replace(rules, fills_in=False), note, at_once=False)
    if not REFUSED.search(said):
        return None
    if re.search(r"\bmax_completion_tokens\b", said) and rules.max_tokens_name == "max_tokens":
        note = "this model calls the length of its answer max_completion_tokens"
        return Healing(replace(rules, max_tokens_name="max_completion_tokens"), note)
    named = error.details.get("param")
    name = next((n for n in parameters(request, rules) if n == named or _names(said, n)), None)
    return None if name is None else _without(name, request, rules)


def parameters(request: Request, rules: ModelRules) -> tuple[str, ...]:
    """Return what a request carries that a model may refuse, longest name first."""
    carried: Mapping[str, object] = {
        "stream_options": rules.reports_usage or None,
        "prompt_cache_key": request.cache_key if rules.caches else None,
        "cache_control": rules.caches or None,
        "temperature": request.temperature,
        "stop_sequences": request.stop_sequences or None,
        "stop": request.stop_sequences or None,
        "n": request.n if rules.max_choices > 1 else None,
        **request.custom_parameters,
    }
    names = (n for n, value in carried.items() if value is not None and n not in NEVER | rules.refused)
    return tuple(sorted(names, key=len, reverse=True))


def _names(said: str, name: str) -> bool:
    """Tell whether a sentence is about a parameter; a single letter must stand in quotes."""
    quoted = rf"[\"'`]{re.escape(name)}[\"'`]"
    return re.search(quoted if len(name) == 1 else rf"\b{re.escape(name)}\b", said) is not None


def _without(name: str, request: Request, rules: ModelRules) -> Healing:
    if name == "n":
        return Healing(
            replace(rules, max_choices=1), "this model writes one answer at a time", request.n == 1
        )
    if name == "stream_options":
        return Healing(replace(rules, reports_usage=False), "this endpoint does not report its usage")
    if name in ("cache_control", "prompt_cache_key"):
        return Healing(replace(rules, caches=False), "this endpoint keeps no cache")
    return Healing(
        replace(rules, refused=rules.refused | {name}), worded("this model ignores {name}", name=name)
    )


def _window(error: ProviderError, rules: ModelRules) -> Healing | None:
    limit = error.details.get("limit")
    if not isinstance(limit, int) or not 0 < limit < rules.context_window:
        return None
    return Healing(
        replace(rules, context_window=limit),
        worded("this model takes {limit:,} tokens", limit=limit),
        at_once=False,
    )
