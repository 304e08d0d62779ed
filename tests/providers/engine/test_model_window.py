"""The window of a local model: from its file, and as its user wants it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from loomapp.providers.capability import capability_of, forget, tell_gpu_layers, tell_window
from loomapp.providers.engine import model_files
from loomapp.providers.engine.model_files import trained_window
from loomapp.providers.registry import rules_for

UINT32, STRING, ARRAY = 4, 8, 9


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


def gguf(*entries: bytes) -> bytes:
    """A file without tensors."""
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


def made_for(tokens: int) -> bytes:
    """The entries that stand before the window in the files of common models, and the window."""
    return gguf(
        text("general.architecture") + struct.pack("<I", STRING) + text("llama"),
        text("general.languages") + struct.pack("<IIQ", ARRAY, STRING, 2) + text("en") + text("de"),
        text("llama.rope") + struct.pack("<IIQ", ARRAY, UINT32, 3) + bytes(12),
        text("llama.context_length") + struct.pack("<II", UINT32, tokens),
    )


@pytest.mark.parametrize(
    ("content", "window"),
    [
        (made_for(4096), 4096),
        (made_for(0), None),
        (made_for(4096)[:-3], None),
        (gguf(), None),
        (b"GGUF", None),
        (gguf(text("a") + struct.pack("<IIQ", ARRAY, STRING, 1 << 40)), None),
        (gguf(struct.pack("<Q", 1 << 60)), None),
        (gguf(text("a") + struct.pack("<I", 77)), None),
        (gguf(text("a") + struct.pack("<I", ARRAY) + struct.pack("<IQ", ARRAY, 1) * 9000), None),
    ],
)
def test_the_window_stands_in_the_file(content: bytes, window: int | None, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)

    assert trained_window(path) == window
    assert trained_window(tmp_path / "none.gguf") is None


@pytest.mark.parametrize(
    ("trained", "usual", "wanted", "found"),
    [(4096, 4096, 8192, 4096), (131_072, 8192, 32_768, 32_768), (131_072, 8192, None, 8192)],
)
def test_a_model_of_ones_own_has_the_window_that_its_file_allows_and_its_user_wants(
    trained: int,
    usual: int,
    wanted: int | None,
    found: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOOMAPP_MODEL_DIR", str(tmp_path / "models"))
    path = tmp_path / "own.gguf"
    path.write_bytes(made_for(trained))
    model_files.add(path)
    assert rules_for("local:own").context_window == usual
    assert capability_of("local:own").most_window == trained

    tell_window("local:own", wanted)
    tell_gpu_layers("local:own", 20)

    assert rules_for("local:own").context_window == found
    assert rules_for("local:own").gpu_layers == 20
    forget("local:own")
    assert (rules_for("local:own").context_window, rules_for("local:own").gpu_layers) == (usual, 0)
