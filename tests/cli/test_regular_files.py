"""What is no file, or has no end, is never read: one line says so, at once, and nothing comes of it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from loomapp import files, places
from loomapp.files import RegularFile
from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, Slot, drafts_folder
from loomapp.store.files.media import MediaFolder, add_media, media_folder, read_media
from tests.kit.families import one_in
from tests.kit.loom_files import PIXEL, PIXEL_NAME, chain
from tests.kit.processes.command import loomapp, new_tree

ENDLESS = Path("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def endless_link(path: Path) -> None:
    path.symlink_to(ENDLESS)


def dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def listening_socket(path: Path) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


KINDS: list[Callable[[Path], None]] = [folder, os.mkfifo, endless_link, dangling_link, listening_socket]
READERS = [
    ("import", "FILE", "--grove", "new.loom"),
    ("assemble", "FILE", "--at", "n1"),
    ("verify", "FILE"),
    ("generate", "FILE", "--at", "n1"),
    ("model", "add", "FILE"),
    ("trees", "--grove", "FILE"),
    ("check", "--grove", "FILE"),
    ("backup", "--grove", "FILE"),
    ("doctor", "--grove", "FILE"),
]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def named(words: tuple[str, ...], file: str) -> list[str]:
    return [file if word == "FILE" else word for word in words]


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("words", one_in(3, map(pytest.param, READERS)), ids=" ".join)
def test_only_regular_files_are_read(words: tuple[str, ...], make: Callable[[Path], None]) -> None:
    make(Path("it"))

    ran = loomapp(*named(words, "it"))

    if words[0] == "doctor":  # it says all that it can say
        assert ran.status == 0
        return
    assert (ran.status, ran.out) == (2, "")
    assert "it" in ran.complaint.split(":")[1] or "it" in ran.complaint
    assert not Path("new.loom").exists()


@pytest.mark.parametrize("words", one_in(2, map(pytest.param, READERS[:5])), ids=" ".join)
def test_what_it_is_and_what_to_do_instead_is_said(words: tuple[str, ...]) -> None:
    os.mkfifo("it")

    assert "a pipe" in loomapp(*named(words, "it")).complaint
    assert "a device" in loomapp(*named(words, str(ENDLESS))).complaint


@pytest.mark.parametrize("words", one_in(2, map(pytest.param, READERS[:4])), ids=" ".join)
def test_a_file_that_is_too_large_is_refused_by_its_limit_before_it_is_read(words: tuple[str, ...]) -> None:
    with Path("it").open("wb") as file:
        file.truncate(files.MOST_TREE_BYTES + 1)  # it has holes and takes no room

    ran = loomapp(*named(words, "it"))

    assert (ran.status, ran.out) == (2, "")
    assert "1024 MiB" in ran.complaint


@pytest.mark.parametrize("make", one_in(3, KINDS), ids=lambda make: make.__name__)
def test_a_backup_goes_to_a_new_file_only(make: Callable[[Path], None]) -> None:
    grove = Path("g.loom").absolute()
    new_tree(grove)
    make(Path("it"))

    ran = loomapp("backup", "--grove", grove, "it")

    if make is folder:
        assert ran.status == 0
    else:
        assert (ran.status, ran.out) == (2, "")
        assert "exists" in ran.complaint


def test_a_backup_does_not_go_to_a_device() -> None:
    grove = Path("g.loom").absolute()
    new_tree(grove)

    assert loomapp("backup", "--grove", grove, "/dev/null").status == 2


@pytest.mark.parametrize("make", one_in(3, KINDS), ids=lambda make: make.__name__)
def test_media_that_are_no_files_are_missing_and_are_put_right(make: Callable[[Path], None]) -> None:
    grove = Path("g.loom").absolute()
    media_folder(grove).mkdir()
    make(media_folder(grove) / PIXEL_NAME)

    assert read_media(grove, [PIXEL_NAME]) == {}
    assert MediaFolder(grove).read(PIXEL_NAME) is None
    assert MediaFolder(grove).size(PIXEL_NAME) is None
    if make is not folder:
        add_media(grove, [PIXEL])
        assert read_media(grove, [PIXEL_NAME]) == {PIXEL_NAME: PIXEL}


@pytest.mark.parametrize(
    "make", one_in(3, [folder, os.mkfifo, endless_link], first=1), ids=lambda make: make.__name__
)
def test_an_export_leaves_out_media_that_are_no_files(make: Callable[[Path], None]) -> None:
    value = chain("Why?")
    value["tree"]["id"] = "t"
    value["nodes"][0]["content"] = {
        "type": "image",
        "ref": PIXEL_NAME,
        "mimeType": "image/png",
        "altText": "x",
    }
    Path("t.loom.json").write_text(json.dumps(value), encoding="utf-8")
    assert loomapp("import", "t.loom.json", "--grove", "g.loom").status == 0
    media_folder(Path("g.loom")).mkdir(exist_ok=True)
    make(media_folder(Path("g.loom")) / PIXEL_NAME)

    ran = loomapp("export", "--tree", "t", "--grove", "g.loom")

    assert ran.status == 0
    assert not ran.json.get("media")


@pytest.mark.parametrize("make", one_in(3, KINDS), ids=lambda make: make.__name__)
def test_a_draft_that_is_no_file_is_left_alone(make: Callable[[Path], None], tmp_path: Path) -> None:
    there = drafts_folder(tmp_path / "g.loom")
    row = DraftRow(Slot("tree", "composer"), 1, {"text": "Words"})
    drafts.keep(there, row)
    make(there / f"composer-0{drafts.ENDING}")

    assert drafts.read(there) == [row]


@pytest.mark.parametrize(
    "make", one_in(3, [folder, os.mkfifo, endless_link], first=1), ids=lambda make: make.__name__
)
@pytest.mark.parametrize("name", ["settings.toml", "endpoints.toml", "keys.json"])
def test_settings_that_are_no_file_stop_nothing_for_long(name: str, make: Callable[[Path], None]) -> None:
    grove = Path("g.loom").absolute()
    tree_id, _ = new_tree(grove)
    places.config_folder().mkdir(parents=True, exist_ok=True)
    make(places.config_folder() / name)

    ran = loomapp("context", "--tree", tree_id, "--grove", grove)

    assert ran.status in (0, 1, 2)
    assert "Traceback" not in ran.err


def test_a_stream_that_says_it_is_a_file_gives_a_reason_and_not_nothing() -> None:
    end, beginning = os.pipe()
    os.set_blocking(end, False)
    with os.fdopen(beginning, "wb"), RegularFile(FileIO(end)) as file:
        for size in (-1, 10):
            with pytest.raises(OSError, match="it is a stream of the system, with no end"):
                file.read(size)


def test_a_file_that_grows_while_it_is_read_is_read_up_to_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "it"
    file.write_bytes(b"x" * 100)

    assert files.read_regular(file, 100) == b"x" * 100
    with pytest.raises(OSError, match="larger than"):
        files.read_regular(file, 99)


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize(
    "make", one_in(3, [folder, os.mkfifo, endless_link], first=1), ids=lambda make: make.__name__
)
def test_what_is_no_file_beside_a_grove_is_named_and_nothing_waits_for_it(
    make: Callable[[Path], None], ending: str
) -> None:
    grove = Path("g.loom").absolute()
    tree_id, root_id = new_tree(grove)
    before = grove.read_bytes()
    there = Path(f"g.loom{ending}")
    make(there)

    for words in (
        ("trees",),
        ("verify",),
        ("check",),
        ("check", "--repair"),
        ("backup",),
        ("node", "add", "--tree", tree_id, "--parent", root_id, "--text", "x"),
        ("tree", "new", "--mode", "dialogue", "--title", "T"),
    ):
        ran = loomapp(*words, "--grove", grove)

        assert (ran.status, ran.out) == (2, ""), words
        assert f"{there} beside it is not a file" in ran.complaint
    assert sorted(path.name for path in grove.parent.iterdir()) == ["g.loom", there.name]
    assert grove.read_bytes() == before


def test_no_grove_is_made_beside_what_sqlite_would_wait_for() -> None:
    os.mkfifo("g.loom-journal")

    ran = loomapp("tree", "new", "--mode", "dialogue", "--title", "T", "--grove", "g.loom")

    assert (ran.status, ran.out) == (2, "")
    assert not Path("g.loom").exists()
