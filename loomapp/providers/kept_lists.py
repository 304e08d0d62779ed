"""Kept lists of models: what endpoints said of their models last, and how much goes into each of them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.regular_files import read_text
from loomapp.whole_file import remember


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its endpoint tells of it; the window in tokens where it does."""

    name: str
    context_window: int | None = None


@dataclass(frozen=True, slots=True)
class ModelList:
    """`stale_because` is why the endpoint could not be asked, where this is what it said on another day."""

    models: tuple[ListedModel, ...]
    asked_at: float  # seconds since 1970
    stale_because: str = ""


def lists_folder() -> Path:
    return places.state_folder() / "model-lists"


def kept_list(base_url: str, folder: Path) -> ModelList | None:
    """Return what an endpoint said when it was asked last; None if that is not known."""
    try:
        value = json.loads(read_text(_path(base_url, folder)))
        models = tuple(
            ListedModel(str(name), window if type(window) is int else None)
            for name, window in value["models"]
        )
        return ModelList(models, float(value["askedAt"]))
    except (OSError, ValueError, TypeError, LookupError):
        return None


def keep_list(base_url: str, known: ModelList, folder: Path) -> None:
    """Keep what an endpoint said. A disk that takes nothing costs only the memory of it."""
    value = {"askedAt": known.asked_at, "models": [[m.name, m.context_window] for m in known.models]}
    remember(_path(base_url, folder), json.dumps(value))


def listed_window(base_url: str, model: str, folder: Path) -> int | None:
    """Return how much goes into a model in all, as its endpoint's list has it; None if it does not say."""
    try:
        written_at = _path(base_url, folder).stat().st_mtime_ns
    except OSError:
        return None
    return _windows(base_url, folder, written_at).get(model)


@functools.lru_cache(maxsize=32)
def _windows(base_url: str, folder: Path, _written_at: int) -> Mapping[str, int]:
    """Read once for as long as it stays the same: every keystroke's preview asks."""
    known = kept_list(base_url, folder)
    models = known.models if known is not None else ()
    return {model.name: model.context_window for model in models if model.context_window is not None}


def _path(base_url: str, folder: Path) -> Path:
    return folder / f"{hashlib.sha256(base_url.encode()).hexdigest()[:16]}.json"
