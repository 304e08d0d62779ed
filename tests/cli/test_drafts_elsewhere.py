"""Commands on a grove that was renamed or moved: what was written under its old name is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.cli.groves import tell_of_drafts
from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, Kind, Slot, drafts_folder
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.groves import write
from tests.kit.processes.command import loomapp

ANSWER: dict[str, object] = {"drafts": [{"index": 0, "text": "Because"}]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "old.loom"


@pytest.fixture
def tree_id(path: Path) -> str:
    with create_grove(path) as grove:
        return write(grove, ("a beginning", "")).loom.id


def keep(path: Path, tree_id: str, kind: Kind, body: dict[str, object], key: str = "") -> None:
    drafts.keep(drafts_folder(path), DraftRow(Slot(tree_id, kind, key), 1, body))


@pytest.mark.parametrize("folder", ["", "elsewhere"])
def test_drafts_under_the_old_name_of_a_renamed_or_moved_grove_are_told_of(
    path: Path, tree_id: str, folder: str
) -> None:
    keep(path, tree_id, "composer", {"text": "Dear Marie"})
    keep(path, tree_id, "run", ANSWER, "run-1")
    moved = path.parent / folder / "new.loom"
    moved.parent.mkdir(exist_ok=True)
    path.rename(moved)

    for ran in (loomapp("trees", "--grove", moved), loomapp("export", "--grove", moved, "--tree", tree_id)):
        assert ran.status == 0
        assert "has 2 drafts" in ran.complaint
        assert str(drafts_folder(path)) in ran.complaint
    assert len(drafts.read(drafts_folder(path))) == 2


def test_the_drafts_of_another_grove_that_is_there_are_not_told_of(path: Path, tree_id: str) -> None:
    keep(path, tree_id, "composer", {"text": "Dear Marie"})
    copy = path.with_name("copy.loom")
    copy.write_bytes(path.read_bytes())

    assert loomapp("trees", "--grove", copy).err == ""
    assert "has a draft" in loomapp("trees", "--grove", path).complaint


def test_a_command_about_one_tree_tells_of_the_drafts_of_that_one(path: Path, tree_id: str) -> None:
    with open_grove(path) as grove:
        other_id = write(grove, ("another", "")).loom.id
    keep(path, other_id, "composer", {"text": "Dear Marie"})

    for command in ("export", "context"):
        assert loomapp(command, "--grove", path, "--tree", tree_id).err == ""
        assert "has a draft" in loomapp(command, "--grove", path, "--tree", other_id).complaint
    moved = path.rename(path.with_name("new.loom"))
    assert loomapp("export", "--grove", moved, "--tree", tree_id).err == ""
    assert "has a draft" in loomapp("export", "--grove", moved, "--tree", other_id).complaint


BEGUN: dict[Kind, dict[str, object]] = {
    "document": {"text": "A paper."},
    "memory": {"text": "She is called Marie."},
    "card": {"text": "They quarrel."},
    "settings": {"fields": {"system_context": "Be brief.", "buffer_mode_system_context": True}},
}


def test_whatever_a_person_typed_and_did_not_save_is_told_of(
    path: Path, tree_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_grove(path) as grove:
        for number, (kind, body) in enumerate(BEGUN.items()):
            keep(path, tree_id, kind, body)
            tell_of_drafts(grove)

            told = capsys.readouterr().err
            assert ("has a draft" if number == 0 else f"has {number + 1} drafts") in told, kind
