"""`loomapp import` and `export`: byte-identical there and back, all or nothing, nothing twice."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from loomapp.core.edits import branches
from loomapp.core.model.hashes import verify
from loomapp.core.response_text.comparison import finding_of
from loomapp.formats.loom_json import read, write
from loomapp.store.files.media import media_folder
from loomapp.store.grove.open import create_grove, open_grove, open_or_create, read_grove
from tests.formats.test_round_trip import files
from tests.kit.chance import examples
from tests.kit.groves import planted
from tests.kit.loom_files import PIXEL, PIXEL_NAME, chain, copy_of, everything
from tests.kit.processes.command import COMMAND, loomapp, new_tree, sha256
from tests.kit.trees import Hand


def written(file: Path, value: Any) -> Path:
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def test_export_import_export_gives_the_same_bytes(tmp_path: Path) -> None:
    file = written(tmp_path / "hand.loom.json", everything())
    assert loomapp("import", file, "--grove", tmp_path / "one.loom").status == 0

    first = loomapp("export", "--tree", "tree-1", "--grove", tmp_path / "one.loom")
    again = written(tmp_path / "again.loom.json", first.out)
    assert loomapp("import", again, "--grove", tmp_path / "two.loom").status == 0
    second = loomapp("export", "--tree", "tree-1", "--grove", tmp_path / "two.loom")

    assert first.status == 0
    assert first.out == second.out
    value = json.loads(first.out)
    assert [agent["id"] for agent in value["agents"]] == ["a1", "a0", "a9"]
    assert value["media"] == everything()["media"]
    assert value["topLevel"] == {"unknown": True}
    assert len(value["responses"]) == 2
    verified = loomapp("verify", "--grove", tmp_path / "two.loom").out
    assert verified.startswith("7 nodes checked: 7 ok\n")


def test_a_branch_that_was_moved_is_moved_still_in_another_grove(tmp_path: Path) -> None:
    here, there, file = tmp_path / "here.loom", tmp_path / "there.loom", tmp_path / "tree.loom.json"
    hand = Hand()
    with create_grove(here) as grove:
        tree, ids = planted(grove, hand)
        change = branches.reparent(tree, ids[1], tree.root_id, hand.pen())
        assert change is not None
        grove.commit(tree, change)
    file.write_text(loomapp("export", "--grove", here, "--tree", tree.loom.id).out, encoding="utf-8")

    assert loomapp("import", file, "--grove", there).status == 0

    assert "1 moved" in loomapp("verify", "--grove", here).out
    assert "1 moved" in loomapp("verify", "--grove", there).out
    assert "1 moved" in loomapp("verify", file).out
    with open_grove(there) as grove:
        tree = grove.load_tree(tree.loom.id)
        assert finding_of(tree, tree.nodes[ids[1]], None, None).verdict == "moved"
    file.write_text(file.read_text(encoding="utf-8").replace('"moved": true', '"moved": false'), "utf-8")
    assert "1 failed" in loomapp("verify", file).out


def test_what_was_written_by_hand_in_two_groves_stays_apart(tmp_path: Path) -> None:
    """Ids are unique in their tree only: two files with `n1` go into one grove."""
    grove = tmp_path / "g.loom"
    one, two = (written(tmp_path / f"{i}.loom.json", chain(f"text {i}", "b")) for i in "12")

    ran = loomapp("import", one, two, "--grove", grove, "--json")

    assert [json.loads(line)["outcome"] for line in ran.out.splitlines()] == ["new", "new"]
    with open_grove(grove) as opened:
        texts = [opened.load_tree(row.id).nodes["n1"].text for row in opened.trees()]
    assert texts == ["text 1", "text 2"]


def test_the_same_file_twice_adds_only_what_is_new(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    value = chain("a", "b")
    value["tree"]["id"] = "T"
    file = written(tmp_path / "t.loom.json", value)
    longer = chain("a", "b", "c")
    longer["tree"]["id"] = "T"

    outcomes = [loomapp("import", file, "--grove", grove, "--json").json["outcome"] for _ in range(2)]
    merged = loomapp("import", written(file, longer), "--grove", grove, "--json").json

    assert outcomes == ["new", "unchanged"]
    assert (merged["outcome"], merged["nodes"]) == ("merged", 1)
    assert loomapp("verify", "--grove", grove).status == 0


def test_a_file_without_an_id_for_its_tree_is_known_again_by_what_it_says(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    file, other = (written(tmp_path / f"{name}.loom.json", chain("a", name)) for name in "bc")

    outcomes = [
        loomapp("import", one, "--grove", grove, "--json").json["outcome"] for one in (file, file, other)
    ]

    assert outcomes == ["new", "unchanged", "new"]


def test_a_contradiction_comes_in_as_a_copy_and_is_said(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    value = chain("a", "b")
    value["tree"]["id"] = "T"
    file = written(tmp_path / "t.loom.json", value)
    loomapp("import", file, "--grove", grove)
    value["nodes"][0]["content"] = "something else"

    copied = loomapp("import", written(file, value), "--grove", grove, "--json").json
    again = loomapp("import", file, "--grove", grove, "--json").json

    assert copied["outcome"] == "copied"
    assert copied["treeId"] != "T"
    assert "copy" in copied["message"]
    assert (again["outcome"], again["treeId"]) == ("unchanged", copied["treeId"])


def test_media_lie_beside_the_grove_under_their_sha_256(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    file = written(tmp_path / "t.loom.json", everything())

    loomapp("import", file, "--grove", grove)

    assert (media_folder(grove) / PIXEL_NAME).read_bytes() == PIXEL
    without = loomapp("export", "--tree", "tree-1", "--grove", grove, "--no-media", "--no-responses").json
    assert not {"media", "responses"} & without.keys()


def test_one_bad_file_among_several_and_nothing_comes_in(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove)
    before = sha256(grove)
    good = written(tmp_path / "good.loom.json", chain("a"))
    bad = copy_of(chain("a", "b", "c", "d"))
    bad["nodes"][3]["authorType"] = "robot"

    ran = loomapp("import", good, written(tmp_path / "bad.loom.json", bad), "--grove", grove)

    assert ran.status == 2
    assert ran.complaint == (
        f'loomapp: {tmp_path}/bad.loom.json: nodes[3].authorType: "robot" is neither human nor model'
    )
    assert sha256(grove) == before


def test_a_bad_file_makes_no_grove(tmp_path: Path) -> None:
    ran = loomapp("import", written(tmp_path / "bad.loom.json", "{"), "--grove", tmp_path / "g.loom")

    assert ran.status == 2
    assert not (tmp_path / "g.loom").exists()


@pytest.mark.parametrize(
    ("name", "begins"), [("html", "<!DOCTYPE html>"), ("opml", "<?xml"), ("jsonl", '{"format"')]
)
def test_a_whole_tree_goes_out_in_a_format_that_holds_it(name: str, begins: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="Hello")
    export = ("export", "--tree", tree_id, "--grove", grove, "--format", name)

    ran, of_path = loomapp(*export), loomapp(*export, "--only", root_id)

    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(begins)
    assert "Hello" in ran.out
    assert of_path.status == (2 if name == "jsonl" else 0)
    assert "whole tree" in of_path.err or "Hello" in of_path.out


def test_a_path_goes_out_as_messages_and_options_say_what_of_it(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="Hello")
    answer = ("node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id, "--author", "model")
    loomapp(*answer, "--text", "Hi")
    export = ("export", "--tree", tree_id, "--grove", grove, "--format")

    openai = loomapp(*export, "openai")
    plain = loomapp(*export, "text", "--no-speakers")
    whole = loomapp(*export, "markdown", "--branches")

    assert [one["content"] for one in openai.json["messages"]][:2] == ["Hello", "Hi"]
    assert plain.out == "Hello\n\nHi\n"
    assert whole.out.startswith("# T\n\n**")
    assert loomapp(*export, "docx", "--branches").status == 2
    nodes = [{"id": it, "content": it * 200_000, "authorType": "human"} for it in "abc"]
    edges = [{"sources": [above], "targetNodeId": below} for above, below in ("ab", "bc")]
    long = {
        "format": "loom-json",
        "version": 1,
        "tree": {"id": "long", "mode": "dialogue", "rootNodeId": "a"},
    }
    (tmp_path / "long.loom.json").write_text(json.dumps({**long, "nodes": nodes, "edges": edges}))
    loomapp("import", "--grove", grove, tmp_path / "long.loom.json")
    assert (
        "1 node of this path is left out"
        in loomapp("export", "--tree", "long", "--grove", grove, "--format", "openai", "--path", "c").err
    )


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_a_path_of_a_buffer_goes_out_as_it_was_written(name: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, mode="buffer", text="Once\u2028 upon ")
    add = ("node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id)
    first = loomapp(*add, "--text", "a *time*  ").out.strip()
    loomapp(*add, "--text", "a hill")
    export = ("export", "--grove", grove, "--tree", tree_id, "--format", name)

    assert loomapp(*export).out == "Once\u2028 upon a hill"
    assert loomapp(*export, "--path", first).out == "Once\u2028 upon a *time*  "


def test_a_path_of_a_conversation_names_who_speaks(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="Hello")
    loomapp("node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id, "--text", "there")
    export = ("export", "--grove", grove, "--tree", tree_id, "--format")

    assert loomapp(*export, "markdown").out == "## You\n\nHello\n\n## You\n\nthere\n"
    assert loomapp(*export, "text").out == "You:\nHello\n\nYou:\nthere\n"


def test_what_the_window_or_scripts_made_goes_out_and_comes_back(tmp_path: Path) -> None:
    tree_id, root_id = new_tree(tmp_path / "one.loom")
    add = ("node", "add", "--grove", tmp_path / "one.loom", "--tree", tree_id, "--parent", root_id)
    for text in ("one \u2028 way", "another\u0007"):
        assert loomapp(*add, "--text", text).status == 0

    first = loomapp("export", "--tree", tree_id, "--grove", tmp_path / "one.loom").out
    loomapp("import", written(tmp_path / "t.loom.json", first), "--grove", tmp_path / "two.loom")

    assert loomapp("export", "--tree", tree_id, "--grove", tmp_path / "two.loom").out == first
    with read_grove(tmp_path / "two.loom") as grove:
        assert len(grove.load_tree(tree_id).children(root_id)) == 2


@settings(max_examples=examples(30), deadline=None)
@given(files())
def test_any_tree_goes_through_two_groves_and_comes_out_the_same(value: dict[str, Any]) -> None:
    texts: list[str] = []
    imported = read(json.dumps(value), now=1_000, tree_id="T")
    with TemporaryDirectory() as folder:
        for name in ("one.loom", "two.loom"):
            with open_or_create(Path(folder) / name) as grove:
                added = grove.add_tree(imported.tree, imported.agents, imported.evidence)
                tree, agents = grove.load_tree(added.tree_id), grove.tree_agents(added.tree_id)
                verdicts = {f.verdict for f in verify(tree, grove.digests(added.tree_id))}
                texts.append(write(tree, agents, grove.all_evidence(added.tree_id), {}))
            assert verdicts <= {"ok", "no evidence"}
            imported = read(texts[-1])

    assert texts[0] == texts[1]


def test_nodes_that_are_named_one_a_line_may_have_blanks_in_their_ids(tmp_path: Path) -> None:
    ids = ("a node", "another node")
    nodes = [{"id": one, "content": f"Words of {one}", "authorType": "human"} for one in ids]
    edges = [{"sources": ["a node"], "targetNodeId": "another node"}]
    value = {"format": "loom-json", "version": 1, "tree": {"id": "t", "mode": "dialogue"}}
    file, grove = tmp_path / "t.loom.json", tmp_path / "g.loom"
    file.write_text(json.dumps({**value, "nodes": nodes, "edges": edges}))
    assert loomapp("import", file, "--grove", grove).status == 0

    line = [*COMMAND, "export", "--grove", str(grove), "--tree", "t", "--format", "text", "--only", "-"]
    done = subprocess.run(line, input="another node\n", capture_output=True, encoding="utf-8", check=True)

    assert "Words of another node" in done.stdout
    assert "Words of a node" not in done.stdout
