"""Zips and folders: what leads out of them or unpacks without end is refused whole, in one line."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.formats import sources
from loomapp.formats.sources import open_source
from tests.kit.chatgpt_exports import boat, write_export

REMEDY = "Ask for the export again, or unpack it yourself and choose the folder."


def read_through(path: Path) -> None:
    with open_source(path) as source:
        for name in source.names:
            with source.open(name) as file:
                while file.read(1 << 20):
                    pass


def refusal(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_through(path)
    assert len(caught.value.message.splitlines()) == 1
    return str(caught.value.message)


def zip_of(path: Path, name: str, data: bytes = b"x", method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("conversations.json", b"[]")
        archive.writestr(zipfile.ZipInfo(name), data, method)
    return path


@pytest.mark.parametrize(
    "name",
    ["../up.json", "a/../../up.json", "/etc/passwd", "C:/a.json", "..", "a\\..\\b.json", "\\\\host\\a"],
)
def test_a_name_that_leads_out_of_the_zip_is_refused(name: str, tmp_path: Path) -> None:
    assert refusal(zip_of(tmp_path / "t.zip", name)) == f"“{name}”: its name leads out of the zip. {REMEDY}"


@pytest.mark.parametrize("name", ["a..b.json", "folder/file.json", "...", "a:b.json"])
def test_other_names_are_read(name: str, tmp_path: Path) -> None:
    with open_source(zip_of(tmp_path / "t.zip", name)) as source, source.open(name) as file:
        assert file.read() == b"x"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_files_that_share_a_name_in_a_zip_none_is_passed_over(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        for name, said in [("a.json", "1"), ("b", "x"), ("a.json", "2"), ("b", "y"), ("a (2).json", "z")]:
            archive.writestr(name, said)

    with open_source(tmp_path / "t.zip") as source:
        assert {name: source.head(name).text for name in source.names} == {
            "a (3).json": b"1",
            "b (2)": b"x",
            "a.json": b"2",  # the last keeps its name, as it does where a zip is unpacked
            "b": b"y",
            "a (2).json": b"z",
        }


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    told = refusal(zip_of(tmp_path / "t.zip", "conversations-001.json", bytes(300 << 20)))

    assert told == f"“conversations-001.json”: it would unpack to more than 200 times its size. {REMEDY}"


def test_a_member_never_gives_more_than_it_says(tmp_path: Path) -> None:
    """A zip that says a bomb is small: no more than that is unpacked, and its sum is wrong."""
    path = zip_of(tmp_path / "t.zip", "a.json", bytes(50 << 20))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<L", 1000)
    path.write_bytes(data)

    assert refusal(path).startswith("“a.json”: it is damaged (Bad CRC-32")


def test_too_many_files_and_too_much_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_export(tmp_path / "t.zip", boat())
    monkeypatch.setattr(sources, "MOST_TOTAL_BYTES", 100)
    assert "its files would unpack to more than 0 GiB, up to “" in refusal(path)

    monkeypatch.setattr(sources, "MOST_MEMBERS", 3)
    assert refusal(path) == f"it holds 5 files; more than 3 are not read. {REMEDY}"


def test_a_locked_zip_says_so(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "t.zip", "a.json")
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)

    assert refusal(path) == f"“a.json”: it is locked with a password. {REMEDY}"


def test_another_way_of_packing_is_not_read(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "t.zip", "a.json", method=zipfile.ZIP_LZMA)

    assert refusal(path) == f"“conversations.json”: it is packed in a way that is not read. {REMEDY}"


@pytest.mark.parametrize("at", [0.3, 0.6, 0.95])
def test_a_zip_that_is_cut_off_or_damaged_is_refused(at: float, tmp_path: Path) -> None:
    whole = write_export(tmp_path / "t.zip", boat()).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: int(len(whole) * at)])

    assert refusal(tmp_path / "cut.zip").startswith("it is a damaged zip: ")


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link.json").symlink_to("/etc/passwd")
    (tmp_path / "folder" / "real.json").write_text("[]")
    (tmp_path / "folder" / "up").symlink_to(tmp_path)

    with open_source(tmp_path / "folder") as source:
        assert source.names == ("real.json",)


def test_a_folder_with_very_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_FILES", 2)
    for name in "abc":
        (tmp_path / name).write_text("")

    assert refusal(tmp_path) == "it holds more than 2 files; choose the folder of the export alone"
