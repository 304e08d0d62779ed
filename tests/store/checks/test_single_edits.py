"""Every column of every table edited once: verify names it, or the README lists it as not provable."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import loomapp.formats
from loomapp.core.errors import LoomError
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import read_grove
from loomapp.store.schema import metadata
from tests.store.rich_groves import NEVER_WRITTEN, every_edit, every_other_kind, rich_grove

README = Path(loomapp.formats.__file__).with_name("README.md")
NEVER = re.compile(r"text|content|position|author|name|model|configuration|pruned|excluded|bookmark|body")
KINDS_TOLD_APART = {
    "agents.permissions",
    "agents.configuration",
    "agents.extra",
    "trees.extra",
    "trees.path_extra",
    "trees.file_extra",
    "trees.buffer_mode_system_context",
    "branch_summaries.body",
    "tags.extra",
    "links.extra",
    "nodes.metadata_extra",
    "nodes.excluded",
    "change_log.undoable",
    "change_log.done",
}


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grove in which every column holds something."""
    return rich_grove(tmp_path_factory.mktemp("rich") / "grove.loom")


def not_provable() -> set[str]:
    """The columns that the README of the formats lists."""
    section = (
        README.read_text(encoding="utf-8").partition("## What cannot be proved")[2].partition("\n## ")[0]
    )
    return set(re.findall(r"^\| `([a-z_]+\.[a-z_]+)`", section, re.MULTILINE))


def is_named(path: Path) -> bool:
    try:
        with read_grove(path) as grove:
            return verify_grove(grove).failed
    except LoomError:
        return True


def test_a_sound_grove_passes_and_leaves_no_column_empty(rich: Path) -> None:
    seen = {edit.place for edit in every_edit(rich)}
    every = {
        f"{t.name}.{c.name}" for t in metadata.sorted_tables for c in t.columns if t.name not in NEVER_WRITTEN
    }

    assert not is_named(rich)
    assert every == seen


def test_the_same_number_as_another_kind_of_value_is_named_in_every_cell(rich: Path, tmp_path: Path) -> None:
    path = tmp_path / "edited.loom"
    unseen: list[str] = []
    places: set[str] = set()

    for edit in every_other_kind(rich):
        path.write_bytes(rich.read_bytes())
        if edit.do(path):
            places.add(edit.place)
            if not is_named(path):
                unseen.append(f"{edit.place} {edit.key}: {edit.value!r}")

    assert unseen == []
    assert places >= KINDS_TOLD_APART


def test_every_single_edit_is_named_or_listed(rich: Path, tmp_path: Path) -> None:
    path = tmp_path / "edited.loom"
    unseen: dict[str, set[str]] = {}
    count = 0

    for edit in every_edit(rich):
        path.write_bytes(rich.read_bytes())
        if not edit.do(path):
            continue
        count += 1
        if not is_named(path):
            unseen.setdefault(edit.place, set()).add(f"{edit.what} in {edit.key}")

    assert count >= 250
    assert {place: what for place, what in unseen.items() if place not in not_provable()} == {}
    assert len(not_provable()) <= 20
    assert not [place for place in not_provable() if NEVER.search(place.partition(".")[2])]
