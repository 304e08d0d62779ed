"""Lists of keys that are sorted by the order in which their rows were created."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping


def insert_key(keys: list[str], key: str, places: Mapping[str, int]) -> None:
    """Put a key into a list that is sorted by place: what is new nearly always comes last."""
    if not keys or places[keys[-1]] < places[key]:
        keys.append(key)
    else:
        insort(keys, key, key=places.__getitem__)


def remove_key(keys: list[str], key: str, places: Mapping[str, int]) -> None:
    """Take a key out of a list that is sorted by place, without looking at all of it."""
    del keys[bisect_left(keys, places[key], key=places.__getitem__)]


def drop_key(lists: dict[str, list[str]], name: str, key: str, places: Mapping[str, int]) -> None:
    """Take a key out of the sorted list of that name, and the list with its last key."""
    remove_key(lists[name], key, places)
    if not lists[name]:
        del lists[name]
