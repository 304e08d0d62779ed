"""Looking at a grove and small edits of it, through the installed command.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import importlib
import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from loomapp import places
from loomapp.cli.arguments import parser_for
from loomapp.cli.commands import doctor
from loomapp.cli.entry import COMMANDS
from loomapp.core.edits import node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.store.grove.open import open_grove
from tests.kit.loom_files import chain
from tests.kit.processes.command import COMMAND, loomapp, new_tree, sha256


def test_tree_new_and_node_add_print_the_ids_they_made(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"

    made = loomapp("tree", "new", "--grove", grove, "--mode", "dialogue", "--title", "Talk", "--text", "Hi")
    tree_id, root_id = made.out.split()
    added = loomapp(
        "node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id, "--text", " ü\n "
    )
    by_model = loomapp(
        *("node", "add", "--grove", grove, "--tree", tree_id, "--parent", added.out.strip()),
        *("--text", "I see.", "--author", "model", "--json"),
    )

    assert (made.status, added.status, by_model.status) == (0, 0, 0)
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
    node_id, model_id = added.out.strip(), by_model.json["nodeId"]
    assert (tree.loom.title, tree.root_id) == ("Talk", root_id)
    assert tree.children(root_id) == (node_id,)
    assert tree.nodes[node_id].text == " ü\n "
    assert tree.nodes[model_id].author_type == "model"
    assert tree.path.leaf_id == model_id


def test_nothing_is_added_below_what_is_pruned(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    named = ("node", "add", "--grove", grove, "--tree", tree_id, "--text", "unseen", "--parent")
    node_id = loomapp(*named, root_id).out.strip()
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
        pruned = node_marks.prune(tree, node_id, EditContext(opened.owner.id, 0, str))
        assert pruned is not None
        opened.commit(tree, pruned)
        name = tree.nodes[node_id].local_id

    generate = ("generate", "--grove", grove, "--tree", tree_id, "--at", node_id)
    for ran in (loomapp(*named, node_id), loomapp(*generate)):
        refused = f"loomapp: {name} is pruned: bring it back first, in the window\n"
        assert (ran.status, ran.out, ran.err) == (2, "", refused)


@pytest.mark.parametrize(("table", "column"), [("agents", "type"), ("trees", "mode")])
def test_bytes_where_a_word_should_be_are_told_in_one_line(table: str, column: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, _ = new_tree(grove)
    with closing(sqlite3.connect(grove)) as other:
        other.execute(f"UPDATE {table} SET {column} = x'00ff'")
        other.commit()

    ran = loomapp("context", "--grove", grove, "--tree", tree_id)

    assert ran.status == 2
    assert "x00" in ran.complaint
    assert "fault in Loomapp" not in ran.complaint
    assert "fault in Loomapp" not in loomapp("trees", "--grove", grove).err


def test_an_empty_root_and_a_system_context_are_fine(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"

    made = loomapp(
        *("--grove", grove, "tree", "new", "--mode", "buffer", "--title", "T", "--json"),
        *("--system-context", "Be brief."),
    )

    with open_grove(grove) as opened:
        tree = opened.load_tree(made.json["treeId"])
    assert tree.is_empty_root(made.json["rootNodeId"])
    assert (tree.loom.mode, tree.loom.system_context) == ("buffer", "Be brief.")


def test_trees_lists_them_a_line_each(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, _ = new_tree(grove)
    other_id, _ = new_tree(grove, mode="buffer", text="")

    text, value = loomapp("trees", "--grove", grove), loomapp("trees", "--grove", grove, "--json")

    assert [line.split()[:4] for line in text.out.splitlines()] == [
        [tree_id, "dialogue", "1", "node"],
        [
            other_id,
            "buffer",
            "0",
            "nodes",
        ],  # as the window counts: the empty text that it starts with is none
    ]
    assert [(row["id"], row["title"], row["nodeCount"]) for row in value.json["trees"]] == [
        (tree_id, "T", 1),
        (other_id, "T", 1),
    ]


def test_show_prints_a_node_by_id_or_local_id(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="To be shown\nas it is ")

    by_id = loomapp("show", root_id, "--grove", grove)
    by_local_id = loomapp("show", root_id[-6:].lower(), "--grove", grove)
    as_json = loomapp("show", root_id, "--grove", grove, "--json").json

    assert by_id.out == by_local_id.out
    assert by_id.out.endswith("\n\nTo be shown\nas it is \n")
    assert as_json["treeId"] == tree_id
    assert as_json["node"]["content"] == {"type": "text", "text": "To be shown\nas it is "}


def test_a_node_of_several_trees_asks_which(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    file = tmp_path / "a.loom.json"
    for name in ("one", "two"):
        node = {"id": "n1", "content": name, "authorType": "human"}
        value = {
            "format": "loom-json",
            "version": 1,
            "tree": {"id": name, "mode": "dialogue"},
            "nodes": [node],
        }
        file.write_text(json.dumps(value), encoding="utf-8")
        loomapp("import", file, "--grove", grove)

    assert loomapp("show", "n1", "--grove", grove).complaint.endswith("--tree one | two")
    assert loomapp("show", "n1", "--grove", grove, "--tree", "two").out.endswith("\ntwo\n")


def test_context_prints_what_would_be_sent_with_a_footer(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="Why?")

    ran = loomapp("context", "--grove", grove, "--tree", tree_id)
    as_json = loomapp("context", "--grove", grove, "--tree", tree_id, "--at", root_id, "--json").json

    assert ran.out.startswith("User:\nWhy?\n---\n1 of 7168 tokens")
    assert as_json["report"]["kept"] == [root_id]


def test_context_says_which_passage_of_a_document_is_sent_in_part(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    file = tmp_path / "a.loom.json"
    texts = {"chapter": "salt and oil " * 4_000, "sentence": "The lamp went out."}
    nodes = [{"id": name, "content": text, "authorType": "human"} for name, text in texts.items()]
    edges = [{"sources": ["chapter"], "targetNodeId": "sentence", "edgeType": "continuation"}]
    tree = {"id": "t", "mode": "buffer"}
    value = {"format": "loom-json", "version": 1, "tree": tree, "nodes": nodes, "edges": edges}
    file.write_text(json.dumps(value), encoding="utf-8")
    loomapp("import", file, "--grove", grove)

    ran = loomapp("context", "--grove", grove, "--tree", "t", "--at", "sentence")

    document, _, footer = ran.out.rpartition("\n---\n")
    sent = "".join(texts.values())[-len(document) + len("\n\n[...]\n\n") :]
    gone = sum(map(len, texts.values())) - len(sent)
    assert document == "\n\n[...]\n\n" + sent
    counted, in_part = footer.splitlines()
    assert counted.startswith("7168 of 7168 tokens")
    assert counted.endswith("2 kept, 0 left out")
    assert in_part.startswith("sent in part: ")
    assert in_part.endswith(f" (without its first {gone} characters)")


def test_looking_changes_no_byte_and_works_in_a_read_only_place(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    grove = folder / "g.loom"
    tree_id, root_id = new_tree(grove)
    before = sha256(grove)
    grove.chmod(0o444)
    folder.chmod(0o555)

    try:
        looks = [
            loomapp(*command, "--grove", grove)
            for command in (
                ("trees",),
                ("show", root_id),
                ("verify",),
                ("export", "--tree", tree_id),
                ("context", "--tree", tree_id),
                ("assemble", "--tree", tree_id, "--at", root_id),
            )
        ]
    finally:
        folder.chmod(0o755)

    assert [ran.status for ran in looks] == [0] * 6
    assert [ran.err for ran in looks] == [""] * 6
    assert sha256(grove) == before
    assert [file.name for file in folder.iterdir()] == ["g.loom"]


def test_without_a_grove_it_is_the_default_one() -> None:
    nothing = loomapp("trees")
    made = loomapp("tree", "new", "--mode", "dialogue", "--title", "Mine", "--json")

    assert (nothing.status, nothing.out) == (0, "")
    assert places.default_grove().exists()
    assert [row["id"] for row in loomapp("trees", "--json").json["trees"]] == [made.json["treeId"]]


def test_without_a_grove_it_is_the_one_opened_last_while_it_is_there(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, _ = new_tree(grove)
    places.remember_grove(grove)

    last = loomapp("trees", "--json")
    grove.unlink()
    default = loomapp("trees", "--json")

    assert [row["id"] for row in last.json["trees"]] == [tree_id]
    assert default.json["trees"] == []


@pytest.mark.parametrize(
    "options", [["--version"], ["--help"], ["trees", "--help"], ["tree", "new", "--help"]]
)
def test_help_and_version_are_results(options: list[str]) -> None:
    ran = loomapp(*options)

    assert (ran.status, ran.err) == (0, "")
    assert "loomapp" in ran.out


def test_every_argument_of_every_command_says_what_it_is() -> None:
    silent = list[str]()
    for name, command in COMMANDS.items():
        add_arguments, _ = importlib.import_module(f"loomapp.cli.commands.{command.module}").COMMANDS[name]
        parser = parser_for(name, command.summary)
        add_arguments(parser)
        silent += [f"{name} {action.dest}" for action in parser._actions if not action.help]

    assert silent == []


def test_doctor_names_the_package_of_a_font_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lister = tmp_path / "fc-list"
    lister.write_text('#!/bin/sh\ncase "$1" in :charset=1f600) ;; *) echo Noto;; esac\n')
    lister.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    assert doctor.missing_fonts() == ["fonts-noto-color-emoji"]

    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert doctor.missing_fonts() == []


def test_doctor_says_what_a_report_needs(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove, text="A secret")

    text, value = loomapp("doctor", "--grove", grove), loomapp("doctor", "--grove", grove, "--json").json

    assert (text.status, text.err) == (0, "")
    assert "A secret" not in text.out
    assert value["grove"] == str(grove)
    assert {"loomapp", "python", "PySide6-Essentials", "display", "engine", "log folder"} <= value.keys()


@pytest.mark.slow
def test_a_reader_who_goes_away_is_no_mishap(tmp_path: Path) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "long.loom.json"
    file.write_text(json.dumps(chain("x" * 1_000_000)), encoding="utf-8")
    tree_id = loomapp("import", file, "--grove", grove, "--json").json["treeId"]

    process = subprocess.Popen(
        [*COMMAND, "export", "--grove", str(grove), "--tree", tree_id],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    with process.stderr:
        err = process.stderr.read()

    assert (process.wait(60), err) == (0, b"")
