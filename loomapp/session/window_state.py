"""The state of a grove's window: the place in each tree, kept beside the logs and never in the grove."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import ActivePath
from loomapp.files import remember
from loomapp.places import state_folder

FOLDER = "windows"
VERSION = 1
MOST_TREES = 200  # the last ones that were read
MOST_ANSWERS = 1_000  # what is shown is less
MOST_CHANGES = 1 << 62  # as many as a file can number
LARGEST_BYTES = 20_000_000  # more than that was not written by us
WIDEST_PX = 1 << 15
FURTHEST = 1e7  # px; what is further away is a mistake
SEAL_BYTES = 8


@dataclass(frozen=True, slots=True)
class ViewPosition:
    """A position of a view: a card or a message, and where its top was in the view. Distances in px.

    For the graph they are counted from the middle of the view, so that another size of window does no harm;
    `whole` if all of the current card was in view.
    """

    key: str
    x: float = 0.0
    y: float = 0.0
    zoom: float = 1.0
    whole: bool = False


@dataclass(frozen=True, slots=True)
class TreeState:
    """The state of a tree's views. None: as a tree is shown at first. `opened`: rows of the outline, whose
    first row in view is that of `outline`. `path`: a sum over what was read, see `path_sum`.
    """

    current: str = ""
    look: ViewPosition | None = None
    reading: ViewPosition | None = None
    folds: Mapping[str, list[str]] | None = None
    opened: tuple[str, ...] = ()
    outline: ViewPosition | None = None
    path: str = ""

    def is_of(self, path: ActivePath) -> bool:
        """False if something else was read then: a process that dies a moment after the text went on has not
        noted its new place any more. Older versions did not say what was read.
        """
        return self.path in ("", path_sum(path))


@dataclass(frozen=True, slots=True)
class WindowState:
    """A window: `geometry` and `docks` as Qt writes them; `page` and `tab` by the names of their widgets.

    `widths`: how wide the side docks were made while there was room, in px, by their names. `inspector_px`:
    how high the inspector stood, for Qt gives it another height while the window is not seen; 0: not known.
    """

    geometry: bytes = b""
    docks: bytes = b""
    widths: Mapping[str, int] = field(default_factory=dict)
    inspector_px: int = 0
    page: str = ""
    tab: str = ""
    shows_inspector: bool = True
    folds_inspector: bool = False
    unfolds_beside_buffer: bool = False  # there it is folded at first
    shows_pruned: bool = False
    continuations: int = 0  # how many answers are asked for, 0: as many as the settings say
    sequence: int = 0  # of the change log, up to which it was shown; 0: not known
    is_ended: bool = False  # it was closed, and nothing after `sequence` is its own
    tree_id: str = ""
    trees: Mapping[str, TreeState] = field(default_factory=dict)  # the one that was read last comes last


def path_sum(path: ActivePath) -> str:
    """Return a sum over a path, equal for two that read the same."""
    choices = json.dumps([path.leaf_id, sorted(path.selections.items())])
    return hashlib.sha256(choices.encode("ascii")).hexdigest()[:16]


def place_of(grove: Path) -> Path:
    """Return the file of a grove's state; every path to a grove leads to the same one."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(grove))).hexdigest()[:24]
    return state_folder() / FOLDER / f"{name}.json"


def sealed(data: bytes) -> bytes:
    """Put a sum before what Qt wrote: Qt reads that unguarded, and a wrong bit in it can end the process."""
    return hashlib.sha256(data).digest()[:SEAL_BYTES] + data if data else b""


def unsealed(data: bytes) -> bytes:
    """Return the data of a seal; nothing, if the sum is not right any more."""
    known = data[SEAL_BYTES:]
    return known if sealed(known) == data else b""


def read_left(grove: Path) -> WindowState:
    """Read the state a grove's window was left in. What is damaged or missing is as at the first time."""
    place = place_of(grove)
    try:
        if place.stat().st_size > LARGEST_BYTES:
            return WindowState()
        said = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return WindowState()
    if not isinstance(said, dict) or said.get("version") != VERSION:
        return WindowState()
    trees = said.get("trees")
    return WindowState(
        geometry=_bytes(said.get("geometry")),
        docks=_bytes(said.get("docks")),
        widths=widths_from(said.get("widths")),
        inspector_px=widths_from({"height": said.get("inspector_px")}).get("height", 0),
        page=_text(said.get("page")),
        tab=_text(said.get("tab")),
        shows_inspector=said.get("shows_inspector") is not False,
        folds_inspector=said.get("folds_inspector") is True,
        unfolds_beside_buffer=said.get("unfolds_beside_buffer") is True,
        shows_pruned=said.get("shows_pruned") is True,
        continuations=_count(said.get("continuations"), MOST_ANSWERS),
        sequence=_count(said.get("sequence"), MOST_CHANGES),
        is_ended=said.get("is_ended") is True,
        tree_id=_text(said.get("tree_id")),
        trees={key: _tree(value) for key, value in trees.items()} if isinstance(trees, dict) else {},
    )


def write_left(grove: Path, left: WindowState) -> None:
    """Keep it for the next time. A folder that cannot be written is no reason to fail."""
    value = asdict(left) | {"version": VERSION, "grove": str(grove)}
    value |= {"geometry": sealed(left.geometry).hex(), "docks": sealed(left.docks).hex()}
    value["trees"] = dict(list(value["trees"].items())[-MOST_TREES:])
    remember(place_of(grove), json.dumps(value))


def _tree(value: object) -> TreeState:
    if not isinstance(value, dict):
        return TreeState()
    folds = value.get("folds")
    known = {key: _texts(ids) for key, ids in folds.items()} if isinstance(folds, dict) else None
    look, reading = _look(value.get("look")), _look(value.get("reading"))
    opened, outline = tuple(_texts(value.get("opened"))), _look(value.get("outline"))
    path = _text(value.get("path"))
    return TreeState(_text(value.get("current")), look, reading, known, opened, outline, path)


def _look(value: object) -> ViewPosition | None:
    if not isinstance(value, dict) or not isinstance(value.get("key"), str):
        return None
    numbers = [value.get(name) for name in ("x", "y", "zoom")]
    if not all(isinstance(n, int | float) and abs(n) < FURTHEST for n in numbers):  # nan and inf too
        return None
    x, y, zoom = (float(n) for n in numbers if n is not None)
    return ViewPosition(value["key"], x, y, zoom, value.get("whole") is True) if zoom > 0 else None


def _count(value: object, most: int) -> int:
    return value if type(value) is int and 0 < value <= most else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def widths_from(value: object) -> dict[str, int]:
    """Widths in px by name, from what was written; what is none is left out."""
    known = value.items() if isinstance(value, dict) else ()
    return {name: px for name, px in known if type(px) is int and 0 < px < WIDEST_PX}


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _bytes(value: object) -> bytes:
    try:
        return unsealed(bytes.fromhex(_text(value)))
    except ValueError:
        return b""
