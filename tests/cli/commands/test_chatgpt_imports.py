"""`loomapp import` of a ChatGPT export: preview, choice, again, and a newer export; nothing is silent.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.tree_edits import change_loom
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.store.files.media import media_folder
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from tests.cli.test_hostile_responses import spent
from tests.kit.chatgpt_exports import (
    AT,
    PICTURE,
    boat,
    conversation,
    large_conversations,
    said,
    with_picture,
    write_export,
    write_json,
    write_large,
)
from tests.kit.loom_files import chain
from tests.kit.processes.command import loomapp, new_tree, sha256

LOST = {"id": "c3", "title": "Lost", "update_time": AT}


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


def tree_of(grove: Path, tree_id: str) -> Tree:
    with open_grove(grove) as opened:
        return opened.load_tree(tree_id)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def node(key: str, parent: str, text: str, at: float) -> dict[str, Any]:
    return {"id": key, "parent": parent, "message": {"id": key, **said("user", text, at=at)}}


def changed(text: str, **more: Any) -> dict[str, Any]:
    """The boat, with another first answer."""
    value = boat(**more)
    value["mapping"]["a1"]["message"]["content"]["parts"] = [text]
    return value


def test_a_preview_says_what_would_come_in_and_writes_nothing(grove: Path, tmp_path: Path) -> None:
    file = write_export(tmp_path / "export.zip", boat(), with_picture(), LOST)

    ran = loomapp("import", file, "--preview", "--json", "--grove", grove)

    assert (ran.status, ran.err) == (0, "")
    assert ran.json == {
        "files": [
            {
                "path": str(file),
                "format": "chatgpt",
                "why": "a list of conversations with “mapping”",
                "trees": [
                    {
                        "id": "c1",
                        "title": "Naming the boat",
                        "nodes": 5,
                        "branches": 3,
                        "from": "2025-08-24T01:46:41.000Z",
                        "to": "2025-08-24T01:46:49.000Z",
                        "losses": ["citations stay as text"],
                        "notes": ["1 hidden message → excluded"],
                        "authors": ["gpt-4o", "gpt-5"],
                        "systemContext": True,
                    },
                    {
                        "id": "c2",
                        "title": "A picture",
                        "nodes": 4,
                        "branches": 1,
                        "from": "2025-08-24T01:46:40.000Z",
                        "to": "2025-08-24T01:46:40.000Z",
                        "losses": ["1 sound part is kept, not played"],
                        "authors": ["gpt-5", "python"],
                    },
                ],
                "skipped": [
                    {
                        "id": "c3",
                        "title": "Lost",
                        "reason": "damaged: no messages found",
                        "to": "2025-08-24T01:46:40.000Z",
                    }
                ],
            }
        ]
    }
    assert not grove.exists()
    text = loomapp("import", file, "--preview", "--grove", grove).out
    assert "c1 Naming the boat: 5 nodes, 3 branches, 2025-08-24 to 2025-08-24, citations stay as text" in text
    assert "left out: Lost: damaged: no messages found" in text
    assert text.endswith("2 trees, 9 nodes. Nothing was written.\n")


def test_every_conversation_is_reported(grove: Path, tmp_path: Path) -> None:
    file = write_export(tmp_path / "export.zip", boat(), LOST, with_picture())

    ran = loomapp("import", file, "--grove", grove, "--json")

    assert [(row["treeId"], row["outcome"], row["nodes"]) for row in rows(ran.out)] == [
        ("c3", "skipped", 0),
        ("c1", "new", 6),
        ("c2", "new", 5),
    ]
    assert len(list(media_folder(grove).iterdir())) == 1
    assert loomapp("verify", "--grove", grove).status == 0
    told = loomapp("import", file, "--grove", tmp_path / "other.loom")
    assert told.complaint.endswith("“Lost” was left out: damaged: no messages found")
    assert "“A picture” was added with 4 nodes. 1 sound part is kept, not played." in told.out


def test_what_a_person_said_is_the_owner_s(grove: Path, tmp_path: Path) -> None:
    loomapp("import", write_json(tmp_path / "t", boat()), "--grove", grove)

    with open_grove(grove) as opened:
        owner = opened.owner
        assert opened.load_tree("c1").nodes["u1"].author_agent_id == owner.id
        assert [agent.name for agent in opened.tree_agents("c1")] == ["You", "gpt-4o", "gpt-5"]


def test_only_what_is_asked_for_comes_in(grove: Path, tmp_path: Path) -> None:
    file = write_export(tmp_path / "export.zip", boat(), LOST, with_picture())

    ran = loomapp("import", file, "--grove", grove, "--only", "c2", "--json")
    assert [row["treeId"] for row in rows(ran.out)] == ["c2"]

    refused = loomapp("import", file, "--grove", grove, "--only", "c2", "--only", "nobody")
    assert refused.status == 2
    assert refused.complaint == "loomapp: there is no tree nobody in what is to be imported"


def test_the_same_file_again_adds_nothing(grove: Path, tmp_path: Path) -> None:
    file = write_export(tmp_path / "export.zip", boat(), with_picture())
    loomapp("import", file, "--grove", grove)

    again = loomapp("import", file, "--grove", grove, "--json")
    bare = write_json(tmp_path / "t", boat(), with_picture())
    without = loomapp("import", bare, "--grove", grove, "--json")

    for ran in (again, without):
        assert [row["outcome"] for row in rows(ran.out)] == ["unchanged", "unchanged"]
    preview = loomapp("import", file, "--grove", grove, "--preview", "--json").json["files"][0]["trees"]
    assert [row["here"] for row in preview] == [{"new": 0}, {"new": 0}]


def test_a_newer_export_adds_what_is_new(grove: Path, tmp_path: Path) -> None:
    loomapp("import", write_json(tmp_path / "old", boat()), "--grove", grove)
    newer = boat()
    newer["mapping"]["u3"] = node("u3", "a2", "Why?", AT + 20)
    file = write_json(tmp_path / "new", newer)
    preview = loomapp("import", file, "--grove", grove, "--preview", "--json").json

    ran = loomapp("import", file, "--grove", grove, "--json")

    assert preview["files"][0]["trees"][0]["here"] == {"new": 1}
    assert (ran.json["outcome"], ran.json["nodes"]) == ("merged", 1)
    tree = tree_of(grove, "c1")
    assert tree.children("a2") == ("u3",)
    assert tree.path.leaf_id == "a2", "where one reads stays"
    with open_grove(grove) as opened:
        tree = opened.load_tree("c1")
        assert opened.undo_label("c1") == "Import 1 node"
        opened.undo(tree)
        assert "u3" not in tree.nodes
    assert loomapp("verify", "--grove", grove).status == 0


def test_a_text_that_changed_meanwhile_is_a_version_and_nothing_is_overwritten(
    grove: Path, tmp_path: Path
) -> None:
    follow = node("f", "a1", "And then?", AT + 30)
    before = boat()
    before["mapping"]["f"] = follow
    loomapp("import", write_json(tmp_path / "1", before), "--grove", grove)
    newer = changed("Gull, or Tern.")
    newer["mapping"]["f"] = follow
    newer["mapping"]["g"] = node("g", "a1", "No.", AT + 40)
    file = write_json(tmp_path / "2", newer)

    ran = loomapp("import", file, "--grove", grove, "--json")
    again = loomapp("import", file, "--grove", grove, "--json")

    assert [(ran.json["outcome"], ran.json["nodes"]), again.json["outcome"]] == [("merged", 2), "unchanged"]
    tree = tree_of(grove, "c1")
    [version] = tree.edits_of("a1")
    assert (tree.nodes["a1"].text, tree.nodes[version].text) == ("Gull.", "Gull, or Tern.")
    for key in ("f", "g"):
        [edge] = tree.incoming(key)
        assert edge.with_role("primary") == ("a1", version)
        assert [node.text for node in resolve(tree, key).nodes][-2] == "Gull, or Tern."
    assert loomapp("verify", "--grove", grove).status == 0
    third = loomapp("import", write_json(tmp_path / "3", changed("Gannet.")), "--grove", grove, "--json")
    old = loomapp("import", tmp_path / "1", "--grove", grove, "--json")
    assert [third.json["nodes"], old.json["outcome"]] == [1, "unchanged"]
    assert len(tree_of(grove, "c1").edits_of("a1")) == 2
    assert loomapp("verify", "--grove", grove).status == 0


@pytest.mark.slow
def test_a_version_that_was_undone_stays_undone_until_another_one_comes(grove: Path, tmp_path: Path) -> None:
    loomapp("import", write_json(tmp_path / "1", boat()), "--grove", grove)
    loomapp("import", write_json(tmp_path / "2", changed("Gannet.")), "--grove", grove)
    with open_grove(grove) as opened:
        opened.undo(opened.load_tree("c1"))

    other = loomapp("import", write_json(tmp_path / "3", changed("Puffin.")), "--grove", grove, "--json")
    back = loomapp("import", tmp_path / "2", "--grove", grove, "--json")

    assert [other.json["nodes"], back.json["nodes"]] == [1, 1]
    tree = tree_of(grove, "c1")
    assert {tree.nodes[i].text for i in tree.edits_of("a1")} == {"Gannet.", "Puffin."}
    assert loomapp("verify", "--grove", grove).status == 0


@pytest.mark.slow
def test_a_title_that_nobody_changed_here_follows(grove: Path, tmp_path: Path) -> None:
    loomapp("import", write_json(tmp_path / "1", boat(), boat(id="c2")), "--grove", grove)
    with open_grove(grove) as opened:
        tree = opened.load_tree("c2")
        pen = EditContext(opened.owner.id, now(), new_id)
        change = change_loom(tree, "Rename", pen, replace(tree.loom, title="Mine"))
        assert change is not None
        opened.commit(tree, change)
    newer = [boat(title="Boats"), boat(id="c2", title="Boats")]

    ran = loomapp("import", write_json(tmp_path / "2", *newer), "--grove", grove, "--json")

    assert [row["outcome"] for row in rows(ran.out)] == ["merged", "unchanged"]
    assert [tree_of(grove, i).loom.title for i in ("c1", "c2")] == ["Boats", "Mine"]


@pytest.mark.slow
def test_a_picture_that_a_newer_export_no_longer_holds_stays(grove: Path, tmp_path: Path) -> None:
    loomapp("import", write_json(tmp_path / "1", with_picture()), "--grove", grove)

    came = loomapp("import", write_export(tmp_path / "2.zip", with_picture()), "--grove", grove, "--json")
    gone = loomapp("import", tmp_path / "1", "--grove", grove, "--json")

    assert [came.json["outcome"], gone.json["outcome"]] == ["merged", "unchanged"]
    assert PICTURE not in [file.name for file in media_folder(grove).iterdir()]


@pytest.mark.slow
def test_a_folder_of_several_formats(grove: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(chain("one")), encoding="utf-8")
    write_export(folder / "b.zip", boat())
    (folder / "c.txt").write_bytes(b"\x00 no text")

    ran = loomapp("import", folder, "--grove", grove, "--json")

    assert [row["outcome"] for row in rows(ran.out)] == ["new", "new"]
    assert ran.complaint == f"loomapp: {folder}/c.txt: passed over: it is no format that is read"


def test_a_format_that_is_asked_for_is_the_one_that_is_read(grove: Path, tmp_path: Path) -> None:
    file = write_json(tmp_path / "t", boat())

    ran = loomapp("import", file, "--format", "loom-json", "--grove", grove)

    assert ran.status == 2
    assert "format: is missing" in ran.complaint
    assert loomapp("import", file, "--format", "chatgpt", "--grove", grove).status == 0
    assert loomapp("import", file, "--format", "nonsense", "--grove", grove).status == 2


def test_a_fault_in_one_file_leaves_the_grove_as_it_was(grove: Path, tmp_path: Path) -> None:
    new_tree(grove)
    good = write_json(tmp_path / "good", boat(), with_picture())
    (tmp_path / "cut").write_text(good.read_text()[:-200], encoding="utf-8")
    before = sha256(grove)

    ran = loomapp("import", good, tmp_path / "cut", "--grove", grove)

    assert ran.status == 2
    assert ran.complaint == (
        f"loomapp: {tmp_path}/cut: cut[1]: the file ends in the middle; it seems cut off. "
        "Nothing was read of what follows; ask for the export again"
    )
    assert sha256(grove) == before
    assert not media_folder(grove).exists()


def test_a_zip_that_leads_out_of_itself_changes_nothing(grove: Path, tmp_path: Path) -> None:
    new_tree(grove)
    file = write_export(tmp_path / "t.zip", boat(), name="../../conversations.json")
    before = sha256(grove)

    ran = loomapp("import", file, "--grove", grove)

    assert ran.status == 2
    assert ran.complaint.startswith(
        f"loomapp: {file}: “../../conversations.json”: its name leads out of the zip."
    )
    assert sha256(grove) == before
    assert {path.name for path in tmp_path.iterdir()} == {"g.loom", "t.zip"}


def test_an_export_in_which_nothing_can_be_read_is_refused(grove: Path, tmp_path: Path) -> None:
    file = write_json(tmp_path / "t", {**LOST, "mapping": {}})

    ran = loomapp("import", file, "--grove", grove)

    assert ran.status == 2
    assert ran.complaint == (
        f"loomapp: {file}: there is no tree in it that can be read: damaged: no messages found"
    )
    assert not grove.exists()


@pytest.mark.slow
def test_a_conversation_that_is_there_twice_comes_once(grove: Path, tmp_path: Path) -> None:
    ran = loomapp("import", write_json(tmp_path / "t", boat(), boat()), "--grove", grove, "--json")

    assert [row["outcome"] for row in rows(ran.out)] == ["new", "unchanged"]


@pytest.mark.slow
def test_a_chain_of_very_many_messages_comes_in(grove: Path, tmp_path: Path) -> None:
    messages: dict[str, Any] = {"r": (None, None)}
    for number in range(20_000):
        messages[f"m{number}"] = (f"m{number - 1}" if number else "r", said("user", f"{number}"))

    ran = loomapp("import", write_json(tmp_path / "t", conversation(messages)), "--grove", grove, "--json")

    assert ran.json["nodes"] == 20_001


@pytest.mark.slow
def test_an_export_of_a_hundred_megabytes_is_read_part_by_part(grove: Path, tmp_path: Path) -> None:
    file = write_large(tmp_path / "large", 100_000_000)
    count = sum(1 for _ in large_conversations(100_000_000))

    ran, most_bytes = spent("import", file, "--grove", grove, "--json")

    outcomes = [row["outcome"] for row in rows(ran.out)]
    assert outcomes == ["new"] * count
    assert most_bytes < 350_000_000, "250 MB above what the program has at its start"
    assert loomapp("verify", "--grove", grove).status == 0


@pytest.mark.slow
def test_a_picture_in_a_folder_that_is_a_pipe_counts_as_missing(grove: Path, tmp_path: Path) -> None:
    write_export(tmp_path / "e.zip", boat())
    folder = tmp_path / "export"
    shutil.unpack_archive(tmp_path / "e.zip", folder)
    [picture] = [file for file in folder.rglob("*") if file.suffix in (".png", ".webp", ".jpg")]
    picture.unlink()
    os.mkfifo(picture)

    ran = loomapp("import", folder, "--grove", grove, "--json")

    assert (ran.status, "fault in Loomapp" in ran.err) == (0, False)
    assert not media_folder(grove).exists()


@pytest.mark.slow
def test_conversations_in_a_folder_that_are_a_pipe_are_refused_and_begin_no_grove(
    grove: Path, tmp_path: Path
) -> None:
    (tmp_path / "export").mkdir()
    os.mkfifo(tmp_path / "export" / "conversations.json")

    ran = loomapp("import", tmp_path / "export", "--grove", grove)

    assert ran.status == 2
    assert "fault in Loomapp" not in ran.err
    assert not grove.exists()
