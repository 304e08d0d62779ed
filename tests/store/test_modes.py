"""What is the user's alone: new groves, backups and media, whatever the umask; what was set stays so."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from loomapp.core.edits import edit_context, tree_edits
from loomapp.store.backups.backup import back_up, backups_folder, restore
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.salvage.salvage import repair


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def write(grove: Grove) -> None:
    pen = edit_context.EditContext(grove.owner.id, now(), new_id)
    grove.add_tree(tree_edits.new_tree("dialogue", "T", pen, text="Words"))


def test_a_new_grove_and_its_journals_are_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        write(grove)

        beside = {file.name: mode(file) for file in tmp_path.iterdir()}

    assert beside == {"g.loom": "0o600", "g.loom-wal": "0o600", "g.loom-shm": "0o600"}
    assert mode(path) == "0o600"


def test_backups_restored_groves_and_repaired_ones_are_too(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        write(grove)
    add_media(path, [b"a picture"])

    made = back_up(path).path
    restored = restore(made, tmp_path / "restored.loom").path
    copied = back_up(path, tmp_path / "copy.loom").path
    repaired = repair(path).path

    assert [mode(file) for file in (made, restored, copied, repaired)] == ["0o600"] * 4
    assert mode(backups_folder(path)) == "0o700"
    for one in (path, restored, copied, repaired):
        assert mode(media_folder(one)) == "0o700"
        assert [mode(file) for file in media_folder(one).iterdir()] == ["0o600"]


def test_a_grove_that_others_may_read_stays_so_with_its_media(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    path.chmod(0o664)

    with open_grove(path) as grove:
        write(grove)
        add_media(path, [b"a picture"])
        beside = {mode(file) for file in tmp_path.iterdir() if file.is_file()}

    assert beside == {"0o664"}
    assert [mode(file) for file in media_folder(path).iterdir()] == ["0o664"]
