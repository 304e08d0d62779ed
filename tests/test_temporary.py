"""Temporary folders: gone with their process, swept after a kill, and nobody else's are touched."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from loomapp import temporary
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.grove.open import create
from loomapp.temporary import TemporaryFolder, sweep_folders

KILLED = """
import os, signal, sys
from pathlib import Path
from loomapp.temporary import TemporaryFolder
folder = TemporaryFolder(Path(sys.argv[1]))
(folder.path / "words").write_text("secret")
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
print(folder.path, flush=True)
sys.stdin.read()
"""


def aged(path: Path) -> Path:
    """As if it were two days old."""
    before = time.time() - 2 * temporary.OLD_S
    os.utime(path, (before, before))
    return path


def test_a_folder_goes_with_its_block(tmp_path: Path) -> None:
    with TemporaryFolder(tmp_path) as folder:
        (folder / "words").write_text("w")
        assert oct(folder.stat().st_mode & 0o777) == "0o700"

    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_once_it_is_old(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "killed"])
    [left] = tmp_path.iterdir()

    sweep_folders(tmp_path)
    assert list(tmp_path.iterdir()) == [left]

    aged(left)
    sweep_folders(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_a_process_that_lives_stays_however_old_it_is(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), "lives"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = aged(Path(process.stdout.readline().strip()))

        sweep_folders(tmp_path)

        assert (folder / "words").exists()


def test_what_others_named_and_links_are_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "words").write_text("w")
    others = [tmp_path / name for name in ("loomapp-notes-2024", "loomapp-", "other-abcdefgh", "loomapp")]
    for folder in others:
        folder.mkdir()
        aged(folder)
    (tmp_path / "loomapp-abcd1234").symlink_to(elsewhere)
    aged(tmp_path / "loomapp-abcd1234")

    sweep_folders(tmp_path)

    assert len(list(tmp_path.iterdir())) == 6
    assert (elsewhere / "words").exists()


def test_half_a_grove_and_half_a_picture_of_a_killed_process_are_swept_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    half = aged(touched(tmp_path / ".g.loom.01ABC.part"))
    young = touched(tmp_path / ".g.loom.01DEF.part")
    other = aged(touched(tmp_path / ".other.loom.01ABC.part"))
    media_folder(path).mkdir()
    picture = aged(touched(media_folder(path) / "0123.77.part"))

    create(path)
    add_media(path, [b"a picture"])

    assert [file.exists() for file in (half, young, other, picture)] == [False, True, True, False]


def touched(path: Path) -> Path:
    path.touch()
    return path
