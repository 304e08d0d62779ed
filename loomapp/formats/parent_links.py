"""Trees from parent pointers: circles and lost parents degrade to extra roots, and nothing recurses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def sound_parents(parents: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return sound pointers: None where one leads nowhere, and at the first node of each circle."""
    sound = {key: parent if parent in parents else None for key, parent in parents.items()}
    places = {key: place for place, key in enumerate(sound)}
    done: set[str] = set()
    for start in places:
        trail: dict[str, int] = {}
        at: str | None = start
        while at is not None and at not in done and at not in trail:
            trail[at] = len(trail)
            at = sound[at]
        if at is not None and at in trail:
            circle = list(trail)[trail[at] :]
            sound[min(circle, key=places.__getitem__)] = None
        done.update(trail)
    return sound


def nearest(
    parents: Mapping[str, str | None], kept: Mapping[str, object] | set[str]
) -> dict[str, str | None]:
    """Return, for each kept node, the nearest kept one above it; expects sound pointers."""
    found: dict[str, str | None] = {}
    for key in kept:
        trail = []
        at = parents[key]
        while at is not None and at not in kept and at not in found:
            trail.append(at)
            at = parents[at]
        above = found[at] if at is not None and at not in kept else at
        found.update(dict.fromkeys(trail, above))
        found[key] = above
    return {key: found[key] for key in kept}


def parents_first(
    parents: Mapping[str, str | None], listed: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """The keys so that each comes after its parent, siblings in the order of the mapping.

    `listed` are the children that a parent names itself: of those that are its children this is the order;
    what is not listed comes after them.
    """
    children: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    order: list[str] = []
    waiting = [iter(children.get(None, ()))]
    while waiting:
        name = next(waiting[-1], None)
        if name is None:
            waiting.pop()
            continue
        order.append(name)
        below = children.get(name)
        if below is not None:
            if listed is not None and len(below) > 1:
                below = _in_order(below, listed.get(name, ()))
            waiting.append(iter(below))
    return order


def _in_order(keys: Sequence[str], listed: Iterable[str]) -> list[str]:
    theirs = set(keys)
    named = dict.fromkeys(key for key in listed if key in theirs)
    return [*named, *(key for key in keys if key not in named)]
