"""Self-healing: parameters that models were found to refuse, told by a refusal and kept between starts."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.generation.provider import ProviderError, Request
from loomapp.core.sentences import worded
from loomapp.files import read_text, remember
from loomapp.providers.protocols.bodies import images_of
from loomapp.providers.protocols.model_rules import ModelRules

WindowFrom: TypeAlias = Literal["user", "refusal"]
FIELDS = (
    "context_window", "provider_rules", "max_choices", "max_tokens_name", "reports_usage", "caches",
    "accepts_images", "fills_in", "gpu_layers",
    "continues_documents",
)  # fmt: skip


class Learned:
    """Record of what was learned of models. Any thread may ask and tell. A file that can't be read or written
    costs only the memory of it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._records: dict[str, dict[str, Any]] | None = None

    def applied(self, base_url: str, model: str, rules: ModelRules) -> ModelRules:
        record = self._all().get(_key(base_url, model), {})
        known = {
            name: value
            for name, value in record.items()
            if name in FIELDS and type(value) is type(getattr(rules, name))
        }
        refused = frozenset(n for n in record.get("refused", ()) if isinstance(n, str))
        return replace(rules, **known, refused=rules.refused | refused)

    def note(self, base_url: str, model: str, before: ModelRules, after: ModelRules) -> None:
        """Keep what is different."""
        old, new = asdict(before), asdict(after)
        changed = {name: new[name] for name in FIELDS if new[name] != old[name]}
        with self._lock:
            records = self._read()
            record = {**records.get(_key(base_url, model), {}), **changed}
            if "context_window" in changed:
                record.pop("window_told", None)
            if "accepts_images" in changed:
                record.pop("images_told", None)
            if "fills_in" in changed:
                record.pop("fill_in_told", None)
            if new_names := after.refused - before.refused:  # without what its protocol never takes
                record["refused"] = sorted(new_names.union(record.get("refused", ())))
            record["learned_at"] = int(time.time() * 1000)
            records[_key(base_url, model)] = record
            self._write(records)

    def learned_at(self, base_url: str, model: str) -> int | None:
        """Return when something was learned of this model last, in milliseconds; None if nothing ever was."""
        at = self._all().get(_key(base_url, model), {}).get("learned_at")
        return at if isinstance(at, int) else None

    def tell_window(self, base_url: str, model: str, tokens: int | None) -> None:
        """The user knows how much goes into a model; None: no longer."""
        with self._lock:
            records = self._read()
            old = records.get(_key(base_url, model), {})
            record = {k: v for k, v in old.items() if k not in ("context_window", "window_told")}
            if tokens is not None:
                record |= {"context_window": tokens, "window_told": True}
            records[_key(base_url, model)] = record
            self._write(records)

    def window_from(self, base_url: str, model: str) -> WindowFrom | None:
        """Return whose word the kept window is: the user's, or a refusal's; None if none is kept."""
        record = self._all().get(_key(base_url, model), {})
        if type(record.get("context_window")) is not int:
            return None
        return "user" if record.get("window_told") is True else "refusal"

    def tell_images(self, base_url: str, model: str, taken: bool | None) -> None:
        """The user knows whether a model takes images; None: no longer."""
        self._tell(base_url, model, "accepts_images", "images_told", taken)

    def images_told(self, base_url: str, model: str) -> bool | None:
        """Tell whether the user said that a model takes images; None if nothing was said."""
        return self._told(base_url, model, "accepts_images", "images_told")

    def tell_fill_in(self, base_url: str, model: str, can: bool | None) -> None:
        """The user knows whether a model fills in between two texts; None: no longer."""
        self._tell(base_url, model, "fills_in", "fill_in_told", can)

    def fill_in_told(self, base_url: str, model: str) -> bool | None:
        """Tell whether the user said that a model fills in; None if nothing was said."""
        return self._told(base_url, model, "fills_in", "fill_in_told")

    def tell_continues(self, base_url: str, model: str, can: bool | None) -> None:
        """The user knows whether a model goes on with a text as it stands; None: no longer."""
        self._tell(base_url, model, "continues_documents", "continues_told", can)

    def continues_told(self, base_url: str, model: str) -> bool | None:
        """Tell whether the user said that a model goes on with a text; None if nothing was said."""
        return self._told(base_url, model, "continues_documents", "continues_told")

    def tell_gpu_layers(self, base_url: str, model: str, layers: int | None) -> None:
        """The user wants so many layers of a model on the graphics card; None: no longer."""
        self._tell(base_url, model, "gpu_layers", "gpu_layers_told", layers)

    def _tell(self, base_url: str, model: str, name: str, told: str, value: int | None) -> None:
        with self._lock:
            records = self._read()
            old = records.get(_key(base_url, model), {})
            record = {k: v for k, v in old.items() if k not in (name, told)}
            if value is not None:
                record |= {name: value, told: True}
            records[_key(base_url, model)] = record
            self._write(records)

    def _told(self, base_url: str, model: str, name: str, told: str) -> bool | None:
        record = self._all().get(_key(base_url, model), {})
        return bool(record.get(name)) if record.get(told) is True else None

    def forget(self, base_url: str, model: str) -> None:
        with self._lock:
            records = self._read()
            if records.pop(_key(base_url, model), None) is not None:
                self._write(records)

    def _all(self) -> Mapping[str, dict[str, Any]]:
        with self._lock:
            return self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        if self._records is None:
            read: Any = {}
            with suppress(OSError, ValueError):
                read = json.loads(read_text(self._path))
            rows = read.items() if isinstance(read, dict) else ()
            self._records = {key: record for key, record in rows if isinstance(record, dict)}
        return self._records

    def _write(self, records: Mapping[str, dict[str, Any]]) -> None:
        remember(self._path, json.dumps(records, indent=1, sort_keys=True))


def learned() -> Learned:
    """The records of this computer's user."""
    path = places.state_folder() / "models.json"
    if path not in _OPEN:
        _OPEN[path] = Learned(path)
    return _OPEN[path]


_OPEN: dict[Path, Learned] = {}


def _key(base_url: str, model: str) -> str:
    return f"{base_url} {model}"


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
"""Parameters that a request is nothing without: a complaint about one is told, and it is not dropped."""


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
