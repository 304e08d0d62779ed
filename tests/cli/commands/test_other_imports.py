"""`loomapp import` of other programs' files: folders of many formats, files that are known, and again."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from loomapp.cli.import_files import import_files
from loomapp.core.errors import InvalidInput
from tests.kit.exports.chats import as_lines, tavern_branch, tavern_main
from tests.kit.exports.every import FOREIGN
from tests.kit.exports.reading import write
from tests.kit.processes.command import loomapp


def test_a_folder_of_many_formats_comes_in_whole_and_nothing_is_silent(tmp_path: Path) -> None:
    folder, grove = tmp_path / "files", tmp_path / "g.loom"
    (folder / "below").mkdir(parents=True)
    write(folder / "below" / "x.json", {})
    write(folder / "main.jsonl", as_lines(*tavern_main()))
    write(folder / "branch.jsonl", as_lines(*tavern_branch()))
    write(folder / "bonsai.json", {"nodes": [], "edges": [], "pathNodes": []})
    for name in ("helm", "tapestry", "kobold", "docx"):
        write(folder / name, FOREIGN[name])

    shown = loomapp("import", folder, "--preview", "--json", "--grove", grove)
    first = loomapp("import", folder, "--grove", grove)
    again = loomapp("import", folder, "--json", "--grove", grove)

    assert [ran.status for ran in (shown, first, again)] == [0, 0, 0]
    files = {file["format"]: [tree["title"] for tree in file["trees"]] for file in shown.json["files"]}
    assert files == {"sillytavern": ["Aria"], "helm": ["Helm"], "tapestry": ["A weave"], "kobold": ["Once"]}
    assert "2 files are branches of it" in first.out
    assert (
        "bonsai.json: passed over: it is a tree of Bonsai, which Loomapp knows and does not read" in first.err
    )
    assert "passed over: 1 document beside the export; choose them by name" in first.err
    outcomes = [json.loads(line)["outcome"] for line in again.out.splitlines()]
    assert outcomes == ["unchanged"] * 4


def test_a_folder_without_an_export_says_what_lies_below_it(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    write(tmp_path / "below" / "x.json", {})
    write(tmp_path / "helm", FOREIGN["helm"])

    ran = loomapp("import", tmp_path, "--preview", "--grove", tmp_path / "g.loom")

    assert ran.status == 0
    assert ran.complaint.endswith("passed over: 1 file in folders below it; choose those folders too")


def test_what_is_no_chat_beside_chats_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    write(folder / "main.jsonl", as_lines(*tavern_main()))
    write(folder / "avatar.png", b"\x89PNG\r\n\x1a\n")
    write(folder / "empty.jsonl", b"")
    write(folder / "noise.jsonl", bytes(range(256)))
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (folder / "up").symlink_to(tmp_path)

    ran = loomapp("import", folder, "--preview", "--grove", tmp_path / "g.loom")

    assert ran.status == 0
    told = dict(line.split(": passed over: ") for line in ran.err.splitlines())
    names = {name.rpartition("/")[2]: why for name, why in told.items()}
    link = "it is a link, and links in a folder are not followed"
    assert names == {
        "empty.jsonl": "it is empty",
        "noise.jsonl": "it is no SillyTavern chat",
        "pipe.jsonl": "it is a pipe, not a file; save what comes from it in a file first",
        "gone.jsonl": link,
        "up": link,
    }


def test_a_file_that_is_known_and_not_read_says_what_it_is(tmp_path: Path) -> None:
    file = write(tmp_path / "t", {"nodes": {}, "focused_node_id": "x"})

    ran = loomapp("import", file, "--grove", tmp_path / "g.loom")

    assert ran.status == 2
    assert ran.complaint == f"loomapp: {file}: it is a tree of wool, which Loomapp knows and does not read"
    assert not (tmp_path / "g.loom").exists()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"Hi\0there", "no format that is read; a text must be UTF-8, without control characters"),
        (b'<?xml version="1.0"?><a/>', "an XML document, which Loomapp knows and does not read"),
    ],
)
def test_a_file_that_nothing_recognises_is_not_said_to_be_bad_json(
    data: bytes, why: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=f"it is {why}"):
        import_files([str(write(tmp_path / "t", data))], None, lambda _: None)


def test_a_format_may_be_named_and_one_tree_chosen(tmp_path: Path) -> None:
    vault = write(tmp_path / "data.json", FOREIGN["loomsidian"])
    grove = tmp_path / "g.loom"

    ran = loomapp(
        "import", vault, "--format", "loomsidian", "--only", "loomsidian-z", "--json", "--grove", grove
    )
    wrong = loomapp("import", vault, "--format", "tapestry", "--grove", grove)

    assert [json.loads(line)["title"] for line in ran.out.splitlines()] == ["Two"]
    assert wrong.status == 2
    assert "it is no file of Tapestry Loom" in wrong.complaint


def test_a_folder_with_one_file_that_cannot_be_read_gives_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    write(folder / "helm", FOREIGN["helm"])
    write(folder / "broken.zip", b"PK\x03\x04 and no more")
    (folder / "nowhere.json").symlink_to(tmp_path / "gone.json")
    os.mkfifo(folder / "pipe.json")

    ran = loomapp("import", folder, "--grove", tmp_path / "g.loom")

    assert ran.status == 0
    assert "Helm" in ran.out
    assert "broken.zip: passed over" in ran.err


def test_a_text_that_came_to_an_empty_beginning_makes_no_copies(tmp_path: Path) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "helm.json"
    nodes: list[dict[str, object]] = [
        {"id": "a", "text": "", "parentId": None, "childIds": ["b"]},
        {"id": "b", "text": "It was night.", "parentId": "a", "childIds": []},
    ]
    tree = {"id": "t", "name": "n", "rootId": "a", "currentNodeId": "b", "nodes": nodes}
    loomapp("import", write(file, tree), "--grove", grove)
    nodes[0]["text"] = "Once."

    newer = loomapp("import", write(file, tree), "--json", "--grove", grove)
    again = loomapp("import", write(file, tree), "--json", "--grove", grove)
    shown = loomapp("export", "--tree", "t", "--grove", grove, "--format", "loom-json")

    assert newer.status == again.status == 0
    texts = [node["content"]["text"] for node in json.loads(shown.out)["nodes"]]
    assert sorted(texts) == ["", "It was night.", "Once."]
    assert json.loads(again.out)["outcome"] == "unchanged"


def test_another_memory_of_a_story_that_begins_alike_is_told_and_stays(tmp_path: Path) -> None:
    grove = tmp_path / "a.loom"
    for memory, action in (("A queen.", " upon"), ("A hill.", " there")):
        story = {"gamestarted": True, "prompt": "Once", "actions": [action], "memory": memory}
        (tmp_path / "a.json").write_text(json.dumps(story))
        ran = loomapp("import", tmp_path / "a.json", "--grove", grove)

    assert "1 node came new. Its system context is another one there, and stays here as it is." in ran.out


def test_what_a_zip_holds_of_other_formats_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        for name, of_format in (("a.json", "claude"), ("b.json", "open-webui"), ("c/d.json", "librechat")):
            archive.writestr(name, FOREIGN[of_format])
        archive.writestr("notes.md", "# What was attached\n")
        archive.writestr("user.json", "{}")

    ran = loomapp("import", tmp_path / "t.zip", "--grove", tmp_path / "g.loom")

    assert ran.status == 0
    named = [line.partition("left out: ")[::2] for line in ran.err.splitlines() if " × " in line]
    assert named == [
        (
            f"loomapp: {tmp_path / 't.zip'}: “{name}” was ",
            f"1 × {title} is not read with it; read the zip as that, or unpack it",
        )
        for name, title in (("b.json", "Open WebUI export"), ("c/d.json", "LibreChat export"))
    ]


def test_two_programs_that_give_one_id_have_a_tree_each(tmp_path: Path) -> None:
    said = {"uuid": "m", "sender": "human", "text": "Hi"}
    write(tmp_path / "a.json", [{"uuid": "one", "name": "A", "chat_messages": [said]}])
    told = {"messageId": "m", "isCreatedByUser": True, "text": "Ho"}
    write(tmp_path / "b.json", {"conversationId": "one", "title": "B", "messages": [told]})
    files, grove = (tmp_path / "a.json", tmp_path / "b.json"), tmp_path / "g.loom"

    first, again = (loomapp("import", *files, "--json", "--grove", grove) for _ in range(2))

    outcomes = [json.loads(line) for line in first.out.splitlines()]
    assert [one["outcome"] for one in outcomes] == ["new", "copied"]
    assert "because the one that is here came from another program." in outcomes[1]["message"]
    assert [json.loads(line)["outcome"] for line in again.out.splitlines()] == ["unchanged"] * 2
