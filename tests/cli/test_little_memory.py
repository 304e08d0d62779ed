"""Where the system gives little memory, or a file is larger than any, one line says so.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.families import one_in
from tests.kit.loom_files import chain
from tests.kit.processes.command import COMMAND, Ran

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited there alone")

LIMIT_KIB = 400_000


def loomapp_within(limit_kib: int, *words: str | Path) -> Ran:
    command = ["sh", "-c", f'ulimit -v {limit_kib} && exec "$@"', "sh", *COMMAND, *map(str, words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "words",
    one_in(4, map(pytest.param, [("check",), ("check", "--repair"), ("verify",), ("trees",)])),
    ids=" ".join,
)
def test_a_sparse_file_larger_than_memory_is_no_grove(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "sparse.loom"
    file.touch()
    os.truncate(file, 20 << 30)

    ran = loomapp_within(LIMIT_KIB, *words, "--grove", file)

    assert (ran.status, ran.complaint) == (2, f"loomapp: {file} is not a grove; choose another file.")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A tree with a text of 200 million characters; it goes with the last test that reads it."""
    file = tmp_path_factory.mktemp("large") / "t.loom.json"
    file.write_text(json.dumps(chain("a" * 200_000_000)), encoding="utf-8")
    yield file
    file.unlink()


@pytest.mark.parametrize(
    "words",
    [pytest.param(("import", "FILE", "--grove", "GROVE"), marks=pytest.mark.slow), ("verify", "FILE")],
    ids=" ".join,
)
def test_too_little_memory_is_said_in_one_line(words: tuple[str, ...], large: Path, tmp_path: Path) -> None:
    named = {"FILE": str(large), "GROVE": str(tmp_path / "new.loom")}

    ran = loomapp_within(LIMIT_KIB, *(named.get(word, word) for word in words))

    assert ran.status == 1
    assert "There is not enough memory for this. Close other programs" in ran.complaint


@pytest.mark.slow
def test_too_little_memory_is_told_to_scripts_too(large: Path) -> None:
    ran = loomapp_within(LIMIT_KIB, "verify", large, "--json")

    assert json.loads(ran.err or ran.out)["error"]["code"] == "outOfMemory"


def test_a_sparse_file_is_no_tree_and_is_told_so_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "sparse.json"
    file.touch()
    os.truncate(file, 900 << 20)

    ran = loomapp_within(LIMIT_KIB, "import", "--grove", tmp_path / "new.loom", file)

    assert ran.status == 2
    assert ran.complaint == (
        f"loomapp: {file}: it begins with a zero byte, as no text does; choose a Loom JSON file"
    )
