"""Bad input, each through the installed command: exit status, one clear line, and every file as it was.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.store.schema import VERSION
from tests.kit.families import one_in
from tests.kit.processes.command import COMMAND, loomapp, new_tree, sha256

UNREACHABLE = "http://127.0.0.1:9/"


@pytest.mark.parametrize(
    ("column", "command"), [("trees.title", "trees"), ("agents.name", "export"), ("nodes.role", "context")]
)
def test_bytes_in_the_place_of_a_text_are_named(column: str, command: str, tmp_path: Path) -> None:
    file = tmp_path / "a.loom"
    tree_id, _ = new_tree(file)
    table, _, name = column.partition(".")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {name} = x'ff00'")
    words = () if command == "trees" else ("--tree", tree_id)

    ran = loomapp(command, *words, "--grove", file)

    assert ran.status == 2
    assert ran.complaint == (
        f"loomapp: {file} is damaged: {table} 1: {name} is not what it should be. `loomapp check` names all "
        "that is; open a backup, or repair it."
    )


def test_a_file_that_is_no_grove(tmp_path: Path) -> None:
    file = tmp_path / "letter.loom"
    file.write_text("Dear Ada")
    before = sha256(file)

    for command in (
        ("trees",),
        ("tree", "new", "--mode", "dialogue", "--title", "T"),
        ("verify",),
        ("show", "x"),
    ):
        ran = loomapp(*command, "--grove", file)
        assert ran.status == 2
        assert ran.complaint == f"loomapp: {file} is not a grove; choose another file."

    assert sha256(file) == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("named", [".", "/", ""])
def test_a_folder_without_a_name_is_no_grove(named: str) -> None:
    for command in (("trees",), ("backup",)):
        ran = loomapp(*command, "--grove", named)
        assert ran.status == 2
        assert ran.complaint == f"loomapp: {named or 'an empty name'} is no grove; choose a grove file"


@pytest.mark.parametrize("how", [(), ("--grove",)])
def test_the_window_makes_no_folder_for_a_grove_that_is_mistyped(
    tmp_path: Path, how: tuple[str, ...]
) -> None:
    file = tmp_path / "no" / "such" / "stories.loom"

    ran = loomapp(*how, file)

    assert ran.status == 2
    assert ran.complaint == (
        f"loomapp: There is no folder {file.parent} for stories.loom; look at the path, or make the folder "
        "first."
    )
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_not_taken_for_a_new_grove(tmp_path: Path) -> None:
    file = tmp_path / "empty.loom"
    file.touch()

    ran = loomapp("tree", "new", "--mode", "dialogue", "--title", "T", "--grove", file)

    assert ran.status == 2
    assert "is empty" in ran.complaint
    assert file.stat().st_size == 0


def test_a_grove_of_a_newer_loomapp(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    with closing(sqlite3.connect(grove)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = sha256(grove)

    for command in (("trees",), ("node", "add", "--tree", tree_id, "--parent", root_id, "--text", "x")):
        ran = loomapp(*command, "--grove", grove)
        assert ran.status == 2
        assert "newer Loomapp" in ran.complaint

    assert sha256(grove) == before


def test_a_database_of_another_program(tmp_path: Path) -> None:
    file = tmp_path / "other.loom"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    before = sha256(file)

    ran = loomapp("trees", "--grove", file)

    assert ran.status == 2
    assert "another program" in ran.complaint
    assert sha256(file) == before


def test_a_grove_that_is_not_there(tmp_path: Path) -> None:
    ran = loomapp("trees", "--grove", tmp_path / "none.loom", "--json")

    assert ran.status == 2
    assert json.loads(ran.complaint)["error"]["code"] == "missing"
    assert list(tmp_path.iterdir()) == []


def test_a_truncated_file(tmp_path: Path) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "t.loom.json"
    tree_id, _ = new_tree(grove)
    whole = loomapp("export", "--tree", tree_id, "--grove", grove).out
    file.write_text(whole[: len(whole) // 2], encoding="utf-8")
    before = sha256(grove), sha256(file)

    ran = loomapp("import", file, "--grove", grove)

    assert ran.status == 2
    assert ran.complaint.startswith(f"loomapp: {file}: line ")
    assert (sha256(grove), sha256(file)) == before


def test_unknown_trees_and_nodes(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, _ = new_tree(grove)
    before = sha256(grove)

    for command in (
        ("show", "NOSUCH"),
        ("node", "add", "--tree", tree_id, "--parent", "NOSUCH", "--text", "x"),
        ("node", "add", "--tree", "NOSUCH", "--parent", "x", "--text", "x"),
        ("export", "--tree", "NOSUCH"),
        ("verify", "--tree", "NOSUCH"),
        ("context", "--tree", "NOSUCH"),
    ):
        ran = loomapp(*command, "--grove", grove)
        assert (ran.status, ran.out) == (2, "")
        assert "NOSUCH" in ran.complaint

    for command in (("context", "--tree", tree_id), ("generate", "--tree", tree_id)):
        ran = loomapp(*command, "--at", "NOSUCH", "--grove", grove)
        assert (ran.status, ran.out) == (1, "")
        assert "NOSUCH" in ran.complaint

    assert sha256(grove) == before


def test_no_model_and_no_network(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    before = sha256(grove)
    offline = {
        "LOOMAPP_MODEL_DIR": str(tmp_path / "models"),
        "PIP_INDEX_URL": UNREACHABLE,
        "PIP_NO_INDEX": None,
    }

    fetched = loomapp("model", "fetch", environment=offline)
    asked = loomapp("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, environment=offline)

    for ran in (fetched, asked):
        assert (ran.status, ran.out) == (1, "")
        assert "could not be fetched" in ran.complaint
    assert sha256(grove) == before


@pytest.mark.slow
def test_no_model_and_no_network_for_a_script(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    offline = {
        "LOOMAPP_MODEL_DIR": str(tmp_path / "models"),
        "PIP_INDEX_URL": UNREACHABLE,
        "PIP_NO_INDEX": None,
    }

    ran = loomapp(
        *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--n", "2", "--json"),
        environment=offline,
    )

    assert ran.status == 1
    assert json.loads(ran.complaint)["error"]["code"] == "modelMissing"
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert [(e["event"], e["index"], e["nodeId"], e["partial"]) for e in events] == [
        ("failed", 0, None, False),
        ("failed", 1, None, False),
    ]


def test_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    grove = folder / "g.loom"
    tree_id, root_id = new_tree(grove)
    before = sha256(grove)
    folder.chmod(0o555)

    try:
        added = loomapp(
            "node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id, "--text", "x"
        )
        made = loomapp("tree", "new", "--grove", folder / "new.loom", "--mode", "buffer", "--title", "T")
    finally:
        folder.chmod(0o755)

    for ran in (added, made):
        assert (ran.status, ran.out) == (2, "")
        assert "read-only" in ran.complaint
    assert sha256(grove) == before
    assert list(folder.iterdir()) == [grove]


@pytest.mark.parametrize(
    "display",
    one_in(2, [{"DISPLAY": None, "WAYLAND_DISPLAY": None}, {"DISPLAY": ":4711", "WAYLAND_DISPLAY": None}]),
)
def test_no_display(display: dict[str, str | None], tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove)
    before = sha256(grove)

    for arguments in ((), (grove,), (tmp_path / "new.loom",)):
        ran = loomapp(*arguments, environment={**display, "QT_QPA_PLATFORM": None})
        assert (ran.status, ran.out) == (4, "")
        assert "No display" in ran.complaint

    assert sha256(grove) == before
    assert not (tmp_path / "new.loom").exists()


def test_a_missing_system_library(tmp_path: Path) -> None:
    broken = tmp_path / "lib" / "libEGL.so.1"
    broken.parent.mkdir()
    broken.write_bytes(b"not a library at all, which is as good as none")

    for command in ((), ("demo", "--to", tmp_path / "demo")):
        ran = loomapp(*command, environment={"LD_LIBRARY_PATH": str(broken.parent)})
        assert (ran.status, ran.out) == (3, "")
        assert "libegl1" in ran.complaint
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["trees", "--frobnicate"],
        ["tree"],
        ["tree", "fell"],
        ["tree", "new", "--title", "T"],
        ["tree", "new", "--mode", "prose", "--title", "T"],
        ["nonsense"],
        ["--frobnicate"],
        ["generate", "--tree", "x", "--at", "y", "--n", "9"],
        ["generate", "--tree", "x", "--at", "y", "--temperature", "warm"],
        ["generate", "--at", "y"],
        ["generate", "--tree", "x", "--at", "y", "--endpoint", "ftp://127.0.0.1:9"],
        ["generate", "--tree", "x", "--at", "y", "--endpoint", "http://me:secret@127.0.0.1:9"],
        ["generate", "--tree", "x", "--at", "y", "--endpoint", "http://127.0.0.1:9", "--api", "smoke"],
        ["generate", "--tree", "x", "--at", "y", "--endpoint", "http://[", "--api", "chat"],
        ["generate", "--tree", "x", "--at", "y", "--api", "chat"],
        [
            *("generate", "--tree", "x", "--at", "y", "--endpoint", "http://127.0.0.1:9"),
            *("--api-key-env", "NO_SUCH_VARIABLE"),
        ],
        ["import"],
        ["model", "remove", "../../etc"],
        ["model", "fetch", "no-such-model"],
    ],
)
def test_a_command_line_that_is_wrong(arguments: list[str]) -> None:
    ran = loomapp(*arguments)

    assert (ran.status, ran.out) == (2, "")
    assert ran.complaint.startswith("loomapp: ")


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    text = os.fsdecode(b"caf\xe9")

    ran = loomapp("tree", "new", "--grove", grove, "--mode", "dialogue", "--title", text)

    assert ran.status == 2
    assert "UTF-8" in ran.complaint
    assert not grove.exists()


def test_a_name_with_a_line_break_is_told_on_one_line(tmp_path: Path) -> None:
    ran = loomapp("trees", "--grove", tmp_path / "two\nlines\x1b[31m.loom")

    assert ran.status == 2
    assert r"two\nlines\x1b[31m.loom" in ran.complaint


def in_a_shell(line: str) -> subprocess.CompletedProcess[str]:
    """Runs a line that begins with `loomapp` in a shell, which can close or redirect its streams."""
    command = line.replace("loomapp", " ".join(map(shlex.quote, COMMAND)), 1)
    return subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", timeout=100)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_output_that_cannot_be_written_is_one_line_and_no_fault_of_ours(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove)

    done = in_a_shell(f"loomapp trees --grove {grove} >/dev/full")

    assert done.returncode == 1
    assert done.stderr == "loomapp: The output could not be written: No space left on device.\n"


@pytest.mark.slow
def test_closed_streams_are_no_fault_and_messages_never_go_to_stdout(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove)

    closed_out = in_a_shell(f"loomapp trees --grove {grove} >&-")
    closed_error = in_a_shell(f"loomapp trees --grove {grove}.missing 2>&-")

    assert (closed_out.returncode, closed_out.stderr) == (0, "")
    assert (closed_error.returncode, closed_error.stdout) == (2, "")
