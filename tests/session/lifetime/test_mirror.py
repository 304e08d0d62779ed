"""The mirror folder: what stands in it, under which names, and that nobody's words are written over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import add_node
from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.files import LOCK_FILE, alone_in
from loomapp.formats import loom_json
from loomapp.mirror_folder import BEGUN, NOTE, TRASH, file_name, update
from loomapp.session.document import Document
from loomapp.session.lifetime import backups as mirror_in_window
from loomapp.session.lifetime.backups import Mirror
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from tests.kit.groves import write, written

ROWS = (("Name a bird.", ""), ("Wren.", "Name a bird."))


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return written(tmp_path / "birds.loom", *ROWS)


def names(tmp_path: Path) -> set[str]:
    place = tmp_path / "mirror" / "birds"
    return {file.name for file in place.iterdir() if file.name not in (NOTE, TRASH)}


def tree_in(grove: Path, title: str = "Birds") -> Tree:
    with open_grove(grove) as opened:
        return opened.load_tree(next(row.id for row in opened.trees() if row.title == title))


def rename(grove: Path, old: str, new: str) -> None:
    with open_grove(grove) as opened:
        document = Document(opened)
        document.open_tree(tree_in_open(document, old))
        document.trees.rename(document.tree.loom.id, new)


def tree_in_open(document: Document, title: str) -> str:
    return next(row.id for row in document.trees.rows() if row.title == title)


def add_to(grove: Path, title: str) -> None:
    with open_grove(grove) as opened:
        tree = opened.load_tree(next(row.id for row in opened.trees() if row.title == title))
        pen = EditContext(opened.owner.id, now(), new_id)
        opened.commit(tree, add_node(tree, tree.path.leaf_id, "Tern.", pen))


def test_each_tree_stands_as_markdown_and_as_loom_json(grove: Path, tmp_path: Path) -> None:
    count = update(tmp_path / "mirror", grove)

    tree = tree_in(grove)
    name = f"Birds {tree.loom.id[-6:]}"
    assert count >= 1
    assert {f"{name}.md", f"{name}.loom.json"} <= names(tmp_path)
    place = tmp_path / "mirror" / "birds"
    assert "Wren." in (place / f"{name}.md").read_text()
    assert set(loom_json.read(place / f"{name}.loom.json").tree.nodes) == set(tree.nodes)
    assert update(tmp_path / "mirror", grove) == 0, "nothing changed since"


def test_files_go_along_with_the_title_and_into_the_trash_with_an_archived_tree(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    update(tmp_path / "mirror", grove)
    tree_id = tree_in(grove).loom.id
    rename(grove, "Birds", 'Owls: "a/b"')

    update(tmp_path / "mirror", grove)

    name = f"Owls a b {tree_id[-6:]}"
    assert {file for file in names(tmp_path) if tree_id[-6:] in file} == {f"{name}.md", f"{name}.loom.json"}
    with open_grove(grove) as opened:
        Document(opened).trees.archive(tree_id)
    update(tmp_path / "mirror", grove)
    assert not [file for file in names(tmp_path) if tree_id[-6:] in file]
    trash = tmp_path / "mirror" / "birds" / TRASH
    assert {file.name for file in trash.iterdir()} == {f"{name}.md", f"{name}.loom.json"}


def test_a_file_that_somebody_changed_is_kept_beside(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    update(tmp_path / "mirror", grove)
    tree_id = tree_in(grove).loom.id
    place = tmp_path / "mirror" / "birds"
    file = place / f"Birds {tree_id[-6:]}.md"
    file.write_text("my words")
    rename(grove, "Birds", "Owls")

    update(tmp_path / "mirror", grove)

    assert "Wren." in (place / f"Owls {tree_id[-6:]}.md").read_text()
    assert (place / f"Owls {tree_id[-6:]} (yours).md").read_text() == "my words"
    (place / NOTE).write_text("no note")
    (place / f"Owls {tree_id[-6:]}.loom.json").write_text("mine, too")
    update(tmp_path / "mirror", grove)
    assert (place / f"Owls {tree_id[-6:]} (yours).loom.json").read_text() == "mine, too"
    assert len([one for one in names(tmp_path) if "(yours)" in one]) == 2, "what is the same is nobody's"


def test_two_groves_of_one_name_have_a_folder_each(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = written(tmp_path / "birds.loom", *ROWS)
    second = written(tmp_path / "other" / "birds.loom", *ROWS, title="Others")

    for grove in (first, second, first):
        update(tmp_path / "mirror", grove)

    assert {place.name for place in (tmp_path / "mirror").iterdir()} == {"birds", "birds 2"}
    note = json.loads((tmp_path / "mirror" / "birds 2" / NOTE).read_text())
    assert note["grove"] == str(second)


def test_a_folder_that_cannot_be_written_is_told_in_one_line(grove: Path, tmp_path: Path) -> None:
    (tmp_path / "mirror").write_text("a file")

    with pytest.raises(LoomError, match="could not be written"):
        update(tmp_path / "mirror", grove)


@pytest.mark.parametrize(
    ("title", "name"),
    [("a/../b", "a .. b"), ("  ", ""), ("..", ""), ("x" * 200, "x" * 80), ("a\n\tb.", "a b")],
)
def test_titles_become_names_of_files(title: str, name: str) -> None:
    assert file_name(title) == name


def test_nothing_is_written_unless_a_folder_is_named_and_closing_writes_what_changed(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_grove(grove) as opened:
        document = Document(opened)
        mirror = Mirror(document)
        mirror.write()
        assert not (tmp_path / "mirror").exists()
        write_setting("mirror_folder", str(tmp_path / "mirror"))

        mirror.close()

        qtbot.waitUntil(lambda: not [it for it in threading.enumerate() if it.name == "mirror"])
        assert any("Birds" in name for name in names(tmp_path))


def test_closing_waits_for_no_large_grove_and_a_process_of_its_own_writes_it(
    grove: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror_in_window, "SMALL_BYTES", 0)
    monkeypatch.setattr(mirror_in_window, "LET_GO_S", 0.0)
    write_setting("mirror_folder", str(tmp_path / "mirror"))
    with open_grove(grove) as opened:
        mirror = Mirror(Document(opened))

        mirror.close()

        assert not [it for it in threading.enumerate() if it.name == "mirror"]
    place = tmp_path / "mirror" / "birds"
    qtbot.waitUntil(lambda: (place / NOTE).exists() and "Birds" in (place / NOTE).read_text(), timeout=60_000)
    qtbot.waitUntil(lambda: not (place / BEGUN).exists(), timeout=60_000)
    assert sorted(name.rpartition(".")[2] for name in names(tmp_path)) == ["json", "md"]


def test_two_runs_at_once_mistake_nothing_for_others(
    grove: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.mirror_folder.alone_in", lambda *_: nullcontext(True))  # there are no locks
    update(tmp_path / "mirror", grove)
    add_to(grove, "Birds")
    done: list[int] = []

    def another_run() -> bool:
        if not done:
            done.append(update(tmp_path / "mirror", grove))
            add_to(grove, "Birds")
        return False

    assert update(tmp_path / "mirror", grove, another_run) == 1

    assert done == [1]
    assert not [name for name in names(tmp_path) if "(yours)" in name]


def test_a_process_beside_the_window_writes_and_an_unknown_home_is_told(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_grove(grove) as opened:
        mirror = Mirror(Document(opened))
        write_setting("mirror_folder", "~nobody-of-this-name/mirror")
        with qtbot.waitSignal(mirror.failed) as told:
            mirror.write()
        assert "no place here" in str(told.args[0])
        write_setting("mirror_folder", str(tmp_path / "mirror"))

        mirror.write()

        assert mirror.is_under_way
        qtbot.waitUntil(lambda: not mirror.is_under_way, timeout=60_000)
        assert any("Birds" in name for name in names(tmp_path))
        mirror.close()


ENDED_AFTER_ONE_TREE = """
import os, sys
from itertools import count
from pathlib import Path
from loomapp.mirror_folder import update
asked = count()
update(Path(sys.argv[1]), Path(sys.argv[2]), lambda: next(asked) == 1 and os._exit(9))
"""


def test_a_run_that_was_killed_leaves_nothing_and_mistakes_nothing_for_others(
    grove: Path, tmp_path: Path
) -> None:
    with open_grove(grove) as opened:
        write(opened, *ROWS, title="Owls")
    run = [sys.executable, "-c", ENDED_AFTER_ONE_TREE, str(tmp_path / "mirror"), str(grove)]
    assert subprocess.run(run, check=False).returncode == 9
    place = tmp_path / "mirror" / "birds"
    (place / "Birds 123456.md.4321.part").write_text("half")
    for title in ("Birds", "Owls"):
        add_to(grove, title)

    update(tmp_path / "mirror", grove)

    assert len(names(tmp_path)) == 4
    assert not [name for name in names(tmp_path) if "(yours)" in name or ".part" in name]
    assert all("Tern." in file.read_text() for file in place.glob("*.md"))
    assert not (place / ".mirror.begun").exists()


def test_who_is_renamed_is_renamed_in_every_tree_and_a_link_is_kept_beside(
    grove: Path, tmp_path: Path
) -> None:
    update(tmp_path / "mirror", grove)
    place = tmp_path / "mirror" / "birds"
    file = next(place.glob("*.md"))
    elsewhere = file.rename(tmp_path / "elsewhere.md")
    file.symlink_to(elsewhere)
    with open_grove(grove) as opened:
        opened.put_agent(replace(opened.owner, name="Marie"))

    assert update(tmp_path / "mirror", grove) == 1

    assert "Marie" in file.read_text()
    assert not file.is_symlink()
    assert file.with_name(f"{file.stem} (yours).md").is_symlink()
    assert "Marie" not in elsewhere.read_text()
    assert update(tmp_path / "mirror", grove) == 0


@pytest.mark.parametrize("title", ["x" * 200, "雨" * 200, "🐦" * 200])
def test_a_tree_with_a_long_title_is_followed_like_any_other(
    title: str, tmp_path: Path, qtbot: QtBot
) -> None:
    grove = written(tmp_path / "birds.loom", *ROWS, title=title)
    tree_id = tree_in(grove, title).loom.id
    update(tmp_path / "mirror", grove)
    assert update(tmp_path / "mirror", grove) == 0
    rename(grove, title, title[1:])

    assert update(tmp_path / "mirror", grove) == 1

    assert len([file for file in names(tmp_path) if tree_id[-6:] in file]) == 2
    assert not [file for file in names(tmp_path) if "(yours)" in file]
    with open_grove(grove) as opened:
        Document(opened).trees.archive(tree_id)
    update(tmp_path / "mirror", grove)
    assert not [file for file in names(tmp_path) if tree_id[-6:] in file]


def test_trees_whose_ids_are_one_as_names_of_files_have_files_each(grove: Path, tmp_path: Path) -> None:
    with open_grove(grove) as opened:
        for tree_id in ("a/123456", "a?123456", "a|123456", "......"):
            ids = iter((new_id(), tree_id))
            pen = EditContext(opened.owner.id, now(), ids.__next__)
            opened.add_tree(tree_edits.new_tree("dialogue", "T", pen, text="Hello"), [opened.owner], [])

    update(tmp_path / "mirror", grove)

    found = [loom_json.read(path).tree.loom.id for path in (tmp_path / "mirror").rglob("T*.loom.json")]
    assert sorted(found) == ["......", "a/123456", "a?123456", "a|123456"]
    assert update(tmp_path / "mirror", grove) == 0


def test_a_tree_that_cannot_be_written_is_made_up_for_and_keeps_no_other(grove: Path, tmp_path: Path) -> None:
    with open_grove(grove) as opened:
        write(opened, *ROWS, title="Owls")
    birds, owls = (tree_in(grove, title).loom.id[-6:] for title in ("Birds", "Owls"))
    place = tmp_path / "mirror" / "birds"
    in_the_way = place / f"Birds {birds}.loom.json.{os.getpid()}.part"
    in_the_way.mkdir(parents=True)

    with pytest.raises(LoomError, match="could not be written"):
        update(tmp_path / "mirror", grove)

    assert f"Owls {owls}.loom.json" in names(tmp_path)
    in_the_way.rmdir()
    add_to(grove, "Birds")
    update(tmp_path / "mirror", grove)
    assert {file for file in names(tmp_path) if birds in file} == {
        f"Birds {birds}.md",
        f"Birds {birds}.loom.json",
    }


def test_a_note_of_somebody_else_moves_nothing_out_of_other_folders(grove: Path, tmp_path: Path) -> None:
    update(tmp_path / "mirror", grove)
    place, other = tmp_path / "mirror" / "birds", tmp_path / "mirror" / "other.txt"
    (place / "a").mkdir()
    other.write_text("words")
    note = json.loads((place / NOTE).read_text())
    note["trees"]["gone"] = {"name": "a", "updated_at": 0, "digests": {"/../../other.txt": ""}}
    note["trees"]["odd"] = {"name": "\ud800", "updated_at": 0, "digests": {}}
    note["trees"]["number"] = {"name": 5, "updated_at": 0}
    note["trees"][tree_in(grove).loom.id] |= {"updated_at": 0, "digests": {".md": [1]}}
    (place / NOTE).write_text(json.dumps(note))

    update(tmp_path / "mirror", grove)

    assert other.read_text() == "words"
    (place / NOTE).write_text("[" * 100_000)
    update(tmp_path / "mirror", grove)
    assert isinstance(json.loads((place / NOTE).read_text())["trees"], dict)


def test_another_file_in_the_place_of_the_open_grove_is_not_mirrored(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    write_setting("mirror_folder", str(tmp_path / "mirror"))
    with open_grove(grove) as opened:
        mirror = Mirror(Document(opened))
        grove.rename(tmp_path / "moved.loom")
        mirror.write()
        assert not mirror.is_under_way
        (tmp_path / "moved.loom").rename(grove)
        mirror.close()


def test_of_two_runs_one_waits_and_may_be_stopped_meanwhile(grove: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    folder.mkdir()
    counts: list[int] = []
    run = threading.Thread(target=lambda: counts.append(update(folder, grove)))
    with alone_in(folder):
        run.start()
        run.join(0.3)
        assert {one.name for one in folder.iterdir()} <= {LOCK_FILE}, "the other one is still at it"
        asked = iter((False, True))
        assert update(folder, grove, lambda: next(asked)) == 0
    run.join(10)

    assert counts == [1]
