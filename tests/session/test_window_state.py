"""The file that says how a window was left: kept whole, and nothing in it can do harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loomapp.places import state_folder
from loomapp.session.window_state import (
    TreeState,
    ViewPosition,
    WindowState,
    place_of,
    read_left,
    sealed,
    unsealed,
    write_left,
)

LEFT = WindowState(
    geometry=b"\x00\xffg",
    docks=b"d\x01",
    widths={"sideBar": 204, "textDock": 371},
    inspector_px=354,
    page="settings",
    tab="historyPanel",
    shows_inspector=False,
    shows_pruned=True,
    continuations=1,
    sequence=123_456,
    is_ended=True,
    tree_id="t2",
    trees={
        "t1": TreeState(
            "n1", ViewPosition("n2", -3.5, 8.0, 0.4, True), ViewPosition("n1", 0.0, 12.0), {"folded": ["n3"]}
        ),
        "t2": TreeState(),
    },
)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    write_left(tmp_path / "g.loom", LEFT)

    assert read_left(tmp_path / "g.loom") == LEFT
    assert read_left(tmp_path / "other.loom") == WindowState()


def test_it_lies_in_the_state_folder_and_not_beside_the_grove(tmp_path: Path) -> None:
    write_left(tmp_path / "g.loom", LEFT)

    assert list(tmp_path.iterdir()) == []
    assert place_of(tmp_path / "g.loom").is_relative_to(state_folder())


def test_a_link_to_a_grove_finds_the_same_place(tmp_path: Path) -> None:
    (tmp_path / "g.loom").touch()
    (tmp_path / "link.loom").symlink_to(tmp_path / "g.loom")

    assert place_of(tmp_path / "link.loom") == place_of(tmp_path / "g.loom")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\xff\xfe not text",
        b"[1, 2]",
        b"[" * 100_000,
        json.dumps({"version": 99, "tree_id": "t"}).encode(),
    ],
)
def test_a_damaged_or_foreign_file_costs_nothing(tmp_path: Path, said: bytes) -> None:
    place = place_of(tmp_path / "g.loom")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(said)

    assert read_left(tmp_path / "g.loom") == WindowState()


def test_values_of_the_wrong_kind_are_passed_over_one_by_one(tmp_path: Path) -> None:
    place = place_of(tmp_path / "g.loom")
    place.parent.mkdir(parents=True, exist_ok=True)
    looks = {"key": "n", "x": float("inf"), "y": 0, "zoom": 0}
    odd = {
        "version": 1, "geometry": "zz", "docks": 7, "page": [], "tree_id": "t",
        "inspector_px": -3, "widths": {"a": "7", "b": -1, "c": 1e9, "d": True, "e": 99},
        "trees": {"t": {"current": 5, "look": looks, "reading": {"key": "n", "x": 10**400, "y": 3, "zoom": 1},
                        "folds": {"folded": ["a", 1], "unread": "b"}}, "u": None},
    }  # fmt: skip
    place.write_text(json.dumps(odd))

    left = read_left(tmp_path / "g.loom")

    assert left.tree_id == "t"
    assert left.widths == {"e": 99}
    assert (left.geometry, left.docks, left.page, left.inspector_px) == (b"", b"", "", 0)
    assert left.trees == {"t": TreeState(folds={"folded": ["a"], "unread": []}), "u": TreeState()}


def test_of_what_qt_wrote_nothing_is_left_if_one_bit_of_it_is_another(tmp_path: Path) -> None:
    """Qt reads it unguarded: a byte that is another one can end the process."""
    whole = sealed(LEFT.geometry)
    assert unsealed(whole) == LEFT.geometry

    for place in range(len(whole)):
        for bit in range(8):
            other = bytearray(whole)
            other[place] ^= 1 << bit
            assert unsealed(bytes(other)) == b""
    write_left(tmp_path / "g.loom", LEFT)
    file = place_of(tmp_path / "g.loom")
    file.write_text(file.read_text().replace(sealed(LEFT.docks).hex(), LEFT.docks.hex()))
    left = read_left(tmp_path / "g.loom")
    assert (left.geometry, left.docks) == (LEFT.geometry, b"")
