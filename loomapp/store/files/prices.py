"""Prices in the settings file: a table for each model, `[prices."openai:gpt-x"]`, for a million tokens."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loomapp.core.generation.prices import Price
from loomapp.regular_files import read_text
from loomapp.store.files.settings_file import PRICES, edit_file, put_value, settings_path

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

NAMES = tuple(item.name for item in fields(Price))


def read_prices(path: Path | None = None) -> dict[str, Price]:
    """Return what the file says; what in it is no price is left out, and a file that can't be read says
    nothing.
    """
    path = path or settings_path()
    try:
        return dict(_read(path, path.stat().st_mtime_ns))
    except (OSError, ValueError, RecursionError):
        return {}


def write_price(model_ref: str, price: Price | None, path: Path | None = None) -> None:
    """Keep the price of a model; None forgets it. Raises: SettingsError."""
    edit_file(path or settings_path(), partial(_put, model_ref=model_ref, price=price))


@functools.lru_cache(maxsize=2)
def _read(path: Path, _written_at: int) -> Mapping[str, Price]:
    """Read once for as long as it stays the same: every keystroke's estimate asks."""
    section = tomllib.loads(read_text(path)).get(PRICES, {})
    tables = section.items() if isinstance(section, dict) else ()
    return {name: price for name, table in tables if (price := _price(table)) is not None}


def _put(document: TOMLDocument, *, model_ref: str, price: Price | None) -> None:
    if price is None:
        put_value(document, (PRICES,), model_ref, None)
        return
    for name in NAMES:
        put_value(document, (PRICES, model_ref), name, getattr(price, name))


def _price(table: object) -> Price | None:
    if not isinstance(table, Mapping):
        return None
    known = {name: table[name] for name in NAMES if name in table}
    sound = all(isinstance(v, int | float) and not isinstance(v, bool) and v >= 0 for v in known.values())
    return Price(**{name: float(value) for name, value in known.items()}) if known and sound else None
