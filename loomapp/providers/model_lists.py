"""Model lists: which models an endpoint has, asked of it, kept for a day, and marked when they are old."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from loomapp.core.generation.provider import ProviderError
from loomapp.core.sentences import Sentence, worded
from loomapp.providers.endpoints import ListedModel, ModelList, keep_list, kept_list
from loomapp.providers.protocols import wire
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import failure, provider_error
from loomapp.providers.protocols.exchange import Call, Recording

FRESH_S = 24 * 3600.0
MOST_MODELS = 5_000
MOST_PAGES = 50
ANY_HEADER = 47  # of zlib or gzip
WINDOW_KEYS = ("context_length", "max_model_len", "context_window", "max_context_length", "max_input_tokens")


def model_list(
    endpoint: Endpoint,
    folder: Path,
    *,
    ask_key: Callable[[], str] | None = None,
    anew: bool = False,
    now: float | None = None,
    call: Call | None = None,
) -> ModelList:
    """The models of an endpoint. Blocks: not for the GUI thread; `call` may be stopped from elsewhere.

    `ask_key` is called only where the endpoint is asked. Raises: ProviderError if it can't be asked and
    nothing is kept; a model's name can be typed all the same.
    """
    moment, call = time.time() if now is None else now, call or Call()
    kept = kept_list(endpoint.base_url, folder)
    if kept is not None and not anew and 0 <= moment - kept.asked_at < FRESH_S:
        return kept
    try:
        keyed = endpoint if ask_key is None else replace(endpoint, api_key=ask_key())
        models = _asked(keyed, call)
    except ProviderError as error:
        if kept is None or call.requested:
            raise
        return replace(kept, stale_because=error.message)
    known = ModelList(models, moment)
    keep_list(endpoint.base_url, known, folder)
    return known


def _asked(endpoint: Endpoint, call: Call) -> tuple[ListedModel, ...]:
    """Return all pages of the list. Raises: ProviderError."""
    url = f"{endpoint.base_url.rstrip('/')}/models"
    found: dict[str, ListedModel] = {}
    after: str | None = None
    try:
        with wire.client(endpoint, call) as client:
            for _ in range(MOST_PAGES):
                params = {} if after is None else {"after_id": after}
                headers = {"anthropic-version": "2023-06-01"}
                client.get(url, headers=headers, params=params).raise_for_status()
                value = json.loads(_plain(call.recordings()[-1]))
                found |= {model.name: model for model in _models(value)}
                after = _next_page(value)
                if after is None or len(found) >= MOST_MODELS:
                    break
    except (ValueError, RecursionError, zlib.error) as error:
        raise failure("serverError", endpoint, _no_list(endpoint)) from error
    except Exception as error:
        told = provider_error(error, endpoint)
        if told.code == "modelNotFound":  # no model was asked for: the server has no such page
            told = failure(told.code, endpoint, _no_list(endpoint))
        raise told from error
    return tuple(sorted(found.values(), key=lambda model: model.name.lower()))


def _no_list(endpoint: Endpoint) -> Sentence:
    return worded("{name} has no list of models that can be read.", name=endpoint.name)


def _plain(recording: Recording) -> bytes:
    """The body as it was before it was compressed; the wire has seen to it that it is not too long."""
    encoding = (recording.header("content-encoding") or "identity").strip().lower()
    return recording.body if encoding in wire.PLAIN else zlib.decompress(recording.body, ANY_HEADER)


def _models(value: Any) -> list[ListedModel]:
    """The models in the shapes that servers use. Raises: ValueError for anything else."""
    rows = value
    if isinstance(value, dict):
        rows = next((value[key] for key in ("data", "models") if isinstance(value.get(key), list)), None)
    if not isinstance(rows, list):
        raise ValueError("no list")
    found = []
    for row in rows[:MOST_MODELS]:
        name = row.get("id") or row.get("name") if isinstance(row, dict) else row
        if isinstance(name, str) and name:
            found.append(ListedModel(name, _window(row) if isinstance(row, dict) else None))
    return found


def _next_page(value: Any) -> str | None:
    """Return where the list goes on, in the way of Anthropic's; None at its end."""
    last = value.get("last_id") if isinstance(value, dict) and value.get("has_more") is True else None
    return last if isinstance(last, str) and last else None


def _window(row: Mapping[str, Any]) -> int | None:
    """OpenRouter calls it context_length, vLLM max_model_len, llama.cpp n_ctx in `meta`."""
    meta = row.get("meta")
    told = [row.get(key) for key in WINDOW_KEYS]
    if isinstance(meta, dict):
        told += [meta.get("n_ctx"), meta.get("n_ctx_train")]
    return next((one for one in told if type(one) is int and 0 < one < 1 << 32), None)
