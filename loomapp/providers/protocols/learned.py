"""Parameters that models were found to refuse, kept between starts: a record for each endpoint and model."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from loomapp import places
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.regular_files import read_text

WindowFrom: TypeAlias = Literal["user", "refusal"]
FIELDS = (
    "context_window", "provider_rules", "max_choices", "max_tokens_name", "reports_usage", "caches",
    "accepts_images", "fills_in",
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
        """The rules with what was learned of this model at this endpoint."""
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
            if after.refused:
                record["refused"] = sorted(after.refused)
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

    def _tell(self, base_url: str, model: str, name: str, told: str, value: bool | None) -> None:
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
        part = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            part.write_text(json.dumps(records, indent=1, sort_keys=True), encoding="utf-8")
            part.replace(self._path)


def learned() -> Learned:
    """The records of this computer's user."""
    path = places.state_folder() / "models.json"
    if path not in _OPEN:
        _OPEN[path] = Learned(path)
    return _OPEN[path]


_OPEN: dict[Path, Learned] = {}


def _key(base_url: str, model: str) -> str:
    return f"{base_url} {model}"
