"""Backups in a folder that the user chose: one folder a grove, media too, and restored from there."""

from __future__ import annotations

from pathlib import Path

from loomapp.store.backups.backup import back_up, backups_folder, backups_of, restore
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.open import create_grove, read_grove


def test_a_chosen_folder_holds_backups_and_media_of_each_grove_apart(tmp_path: Path) -> None:
    write_setting("backup_folder", str(tmp_path / "other disk"))
    one, two = tmp_path / "a" / "g.loom", tmp_path / "b" / "g.loom"
    for path in (one, two):
        path.parent.mkdir()
        create_grove(path).close()
        add_media(path, [path.parent.name.encode()])

    made = back_up(one)
    back_up(two)
    again = tmp_path / "again.loom"
    restore(made.path, again)

    assert backups_folder(one) != backups_folder(two)
    assert backups_folder(one).parent == tmp_path / "other disk"
    assert [backup.path for backup in backups_of(one)] == [made.path]
    assert [file.read_bytes() for file in media_folder(again).iterdir()] == [b"a"]
    with read_grove(again) as grove:
        assert grove.trees() == []


def test_a_grove_whose_name_looks_like_such_a_folder_has_its_backups_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "story-deadbeef"
    create_grove(path).close()
    add_media(path, [b"picture"])

    made = back_up(path)
    restore(made.path, tmp_path / "again.loom")

    assert made.path.parent == tmp_path / "story-deadbeef.backups"
    assert [file.read_bytes() for file in media_folder(tmp_path / "again.loom").iterdir()] == [b"picture"]
