"""Model lists: which models an endpoint has, asked of it, kept for a day, and marked when they are old."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loomapp import places
from loomapp.core.generation import ProviderError
from loomapp.providers import wire
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.errors import failure, provider_error
from loomapp.providers.exchange import Call

FRESH_S = 24 * 3600.0
MOST_MODELS = 5_000
WINDOW_KEYS = ("context_length", "max_model_len", "context_window", "max_context_length", "max_input_tokens")


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its endpoint tells of it; the window in tokens where it does."""

    name: str
    context_window: int | None = None


@dataclass(frozen=True, slots=True)
class ModelList:
    """`is_stale`: the endpoint could not be asked, and this is what it said on another day."""

    models: tuple[ListedModel, ...]
    asked_at: float  # seconds since 1970
    is_stale: bool = False


def lists_folder() -> Path:
    """Where lists are kept."""
    return places.state_folder() / "model-lists"


def model_list(
    endpoint: Endpoint, folder: Path, *, anew: bool = False, now: float | None = None
) -> ModelList:
    """The models of an endpoint. Blocks: not for the GUI thread.

    Raises: ProviderError if it can't be asked and nothing is kept; a model's name can be typed all the same.
    """
    moment = time.time() if now is None else now
    path = folder / f"{hashlib.sha256(endpoint.base_url.encode()).hexdigest()[:16]}.json"
    kept = _kept(path)
    if kept is not None and not anew and 0 <= moment - kept.asked_at < FRESH_S:
        return kept
    try:
        models = _asked(endpoint)
    except ProviderError:
        if kept is None:
            raise
        return ModelList(kept.models, kept.asked_at, is_stale=True)
    _keep(path, ModelList(models, moment))
    return ModelList(models, moment)


def _asked(endpoint: Endpoint) -> tuple[ListedModel, ...]:
    call = Call()
    url = f"{endpoint.base_url.rstrip('/')}/models"
    try:
        with wire.client(endpoint, call) as client:
            client.get(url, headers={"anthropic-version": "2023-06-01"}).raise_for_status()
        [recording] = call.recordings()
        return _models(json.loads(recording.body))
    except (ValueError, RecursionError) as error:
        what = f"{endpoint.name} has no list of models that can be read. Type the model's name."
        raise failure("serverError", endpoint, what) from error
    except Exception as error:
        raise provider_error(error, endpoint) from error


def _models(value: Any) -> tuple[ListedModel, ...]:
    """The models in the shapes that servers use. Raises: ValueError for anything else."""
    rows = value.get("data") or value.get("models") or () if isinstance(value, dict) else value
    if not isinstance(rows, list | tuple):
        raise ValueError("no list")
    found: dict[str, ListedModel] = {}
    for row in rows[:MOST_MODELS]:
        name = row.get("id") or row.get("name") if isinstance(row, dict) else row
        if isinstance(name, str) and name:
            found[name] = ListedModel(name, _window(row) if isinstance(row, dict) else None)
    return tuple(sorted(found.values(), key=lambda model: model.name.lower()))


def _window(row: Mapping[str, Any]) -> int | None:
    """OpenRouter calls it context_length, vLLM max_model_len, llama.cpp n_ctx in `meta`."""
    meta = row.get("meta")
    told = [row.get(key) for key in WINDOW_KEYS]
    if isinstance(meta, dict):
        told += [meta.get("n_ctx"), meta.get("n_ctx_train")]
    return next((one for one in told if type(one) is int and 0 < one < 1 << 32), None)


def _kept(path: Path) -> ModelList | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        models = tuple(ListedModel(str(name), window) for name, window in value["models"])
        return ModelList(models, float(value["askedAt"]))
    except (OSError, ValueError, TypeError, LookupError):
        return None


def _keep(path: Path, known: ModelList) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    value = {"askedAt": known.asked_at, "models": [[m.name, m.context_window] for m in known.models]}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(value), encoding="utf-8")
        part.replace(path)
