"""Awareness of the tree as the record of a request holds it: what a loom-aware agent was sent beside it."""

from __future__ import annotations

from loomapp.core.context.awareness import Awareness, RunExchange
from loomapp.core.json_values import Json, JsonReader, string_map

LOOM_AWARE = "loomAware"  # of a record


def to_json(awareness: Awareness) -> Json:
    """Write down an awareness in the names of the record."""
    steps = [{"said": one.said, "results": one.results} for one in awareness.exchanges]
    return {
        "addendum": awareness.addendum,
        "blocks": awareness.blocks,
        "names": dict(awareness.names),
        "marks": dict(awareness.marks),
        **({"steps": steps} if steps else {}),
    }


def from_json(value: object, place: str) -> Awareness:
    """Read an awareness out of a record. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    return Awareness(
        reader.text("addendum"),
        reader.text("blocks"),
        string_map(reader.mapping("names"), f"{place}.names"),
        string_map(reader.mapping("marks"), f"{place}.marks"),
        reader.each("steps", _exchange),
    )


def _exchange(value: object, place: str) -> RunExchange:
    reader = JsonReader(value, place)
    return RunExchange(reader.text("said"), reader.text("results"))
