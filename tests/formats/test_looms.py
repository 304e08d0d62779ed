"""Files of other looms come in node for node: branches, marks, who wrote what, and every character."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.new_tree import origin_of
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.formats.importer import Damaged, Found
from tests.kit.exports import looms, tapestry
from tests.kit.exports.chats import ODD
from tests.kit.exports.reading import agents, findings, read_as, read_one, shape, texts, write


def written(tree: Tree) -> str:
    """The text of the active path."""
    return "".join(node.text for node in resolve(tree, tree.path.leaf_id).nodes)


def test_a_loom_of_socketteer(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "pyloom", looms.pyloom())
    nodes = one.tree.nodes

    assert texts(one.tree) == {
        "The sun": None,
        " and rain": "The sun",
        f" {ODD}": "The sun",
        "The moon": None,
        " rose": "The moon",
    }
    assert one.tree.root_id == "r"
    assert one.tree.loom.mode == "buffer"
    assert written(one.tree) == "The sun and rain"
    assert nodes["b"].metadata.bookmarked
    assert nodes["b"].created_at == 1631714531000
    assert agents(one)["b"] == ("You", "human")
    assert agents(one)["c"] == ("davinci", "model")
    assert agents(one)["d"] == ("You", "human"), "edited by hand"
    assert one.tree.tags["good"].node_ids == ("d",)
    assert one.tree.loom.system_context == "Context."
    assert cast("dict[str, Any]", nodes["d"].extra["pyloom"])["history"] == [
        {"timestamp": "x", "text": " before"}
    ]
    assert facts.branches == 3
    origin = origin_of(one.tree.loom)
    assert origin is not None
    assert "chapters" in origin.keys


def test_a_zipped_chain_of_socketteer_comes_in_by_its_parts(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "pyloom", looms.pyloom_zipped())

    assert shape(one.tree) == {"h": (None, "One"), "t": ("h", " two"), "x": ("t", " three")}


def test_a_simple_export_of_socketteer(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "pyloom", looms.pyloom_simple())
    again, _ = read_one(tmp_path, "pyloom", looms.pyloom_simple())

    assert texts(one.tree) == {"A": None, "B": "A", "C": "A"}
    assert shape(one.tree) == shape(again.tree), "ids are made alike each time"


@pytest.mark.parametrize("levels", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_chain_may_be_deeper_than_python_reads(tmp_path: Path, levels: int) -> None:
    begin = "".join(f'{{"id": "n{n}", "text": "t", "children": [' for n in range(levels))

    one, _ = read_one(tmp_path, "pyloom", f'{{"root": {begin}{"]}" * levels}}}'.encode())

    assert len(one.tree.nodes) == levels + 1
    assert one.tree.path.leaf_id == f"n{levels - 1}"


def test_a_loom_of_a_note(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "loomsidian", looms.loomsidian())

    assert shape(one.tree) == {
        "a": (None, f"Once <b> {ODD}"),
        "b": ("a", " upon"),
        "c": ("a", " [x] a time"),
        "d": (None, "Other"),
        "e": (None, "Root two"),
    }
    assert one.tree.nodes["b"].metadata.bookmarked
    assert one.tree.path.leaf_id == "b"
    assert cast("dict[str, Any]", one.tree.nodes["c"].extra["loomsidian"])["color"] == "red"
    assert [str(note) for note in facts.notes] == ["who wrote what is not in the file"]


def test_the_looms_of_a_vault(tmp_path: Path) -> None:
    found = findings(write(tmp_path / "t", looms.loomsidian_vault()), "loomsidian")

    assert [(type(one).__name__, one.title) for one in found] == [
        ("Found", "One"),
        ("Found", "Two"),
        ("Damaged", "Three"),
    ]
    alone = findings(write(tmp_path / "t", looms.loomsidian()))[0]
    assert alone.id == found[0].id
    assert isinstance(found[1], Found)
    assert found[1].facts().authors == ("davinci",)


def test_a_tree_of_exoloom(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "exoloom", looms.exoloom())

    assert shape(one.tree) == {
        "0": (None, "Root"),
        "2": ("0", f" two {ODD}"),
        "1": ("0", " one"),
        "3": ("2", " three"),
    }
    assert one.tree.children("0") == ("2", "1")
    assert one.tree.nodes["3"].metadata.pruned
    assert one.tree.nodes["1"].metadata.bookmarked
    assert agents(one)["1"] == ("Llama 405B", "model")
    assert agents(one)["3"] == ("You", "human")
    assert one.tree.loom.title == "Exo"


def test_a_tree_of_helm(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "helm", looms.helm())

    assert shape(one.tree) == {"b": (None, "Two"), "a": (None, f"One {ODD}"), "c": ("b", "")}
    assert one.tree.root_id == "r"
    assert one.tree.path.leaf_id == "a"
    assert one.tree.nodes["b"].metadata.bookmarked


def test_a_weave_of_tapestry(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "tapestry", tapestry.example())
    nodes = list(one.tree.nodes.values())[1:]

    assert texts(one.tree) == {
        "Once upon, naïve": None,
        " a time, ": "Once upon, naïve",
        " midnight": "Once upon, naïve",
        "🙂 end": " a time, ",
    }
    assert written(one.tree) == "Once upon, naïve a time, 🙂 end"
    assert one.tree.loom.title == "A weave"
    assert [node.created_at for node in nodes] == [tapestry.TIME + n for n in (1, 2, 4, 3)]
    by_text = {node.text: node for node in nodes}
    middle = by_text[" a time, "]
    assert middle.metadata.bookmarked
    assert agents(one)[middle.id] == ("a model of a long name", "model")
    tokens = cast("Any", middle.extra["tapestry"])["tokens"]
    assert tokens[0] == {"text": " a", "probability": "0.5", "counterfactual": "[]"}
    assert "base64" in tokens[1]
    assert agents(one)[by_text["Once upon, naïve"].id] == ("You", "human")


def test_another_version_of_tapestry_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="version 1; only version 0"):
        read_as(tmp_path, "tapestry", tapestry.weave_file([], version=1))


def test_a_session_of_mikupad_comes_without_its_key(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "mikupad", looms.mikupad())

    assert texts(one.tree) == {"Once": None, f" upon {ODD}": "Once", " a time": f" upon {ODD}"}
    assert list(agents(one).values())[1:] == [("You", "human"), ("mistral", "model"), ("You", "human")]
    assert "SECRET" not in repr((one.tree.loom, one.tree.nodes))
    assert one.tree.loom.system_context == "Remember."
    assert one.tree.loom.title == "My story"
    tokens = cast("Any", one.tree.nodes["run-2"].extra["mikupad"])["tokens"]
    assert [token["prob"] for token in tokens] == [0.61, 0.5]


def test_the_database_of_mikupad(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "mikupad", looms.mikupad_database())

    assert one.tree.loom.title == "Title"
    assert "SECRET" not in repr((one.tree.loom, one.tree.nodes))


def test_patches_of_miniloom_are_replayed(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "miniloom", looms.miniloom())

    assert shape(one.tree) == {
        "2": (None, "The 🙂 sun"),
        "3": ("2", " rose"),
        "4": ("2", " set"),
        "5": (None, "A 🙂 sun"),
        "6": ("5", "!"),
    }
    assert one.tree.root_id == "1"
    assert one.tree.path.leaf_id == "3"
    assert agents(one)["3"] == ("m", "model")
    assert agents(one)["2"] == ("You", "human")
    assert len(facts.notes) == 1
    assert not facts.losses


def test_patches_of_miniloom_are_placed_by_units_of_utf_16(tmp_path: Path) -> None:
    def node(name: str, parent: str | None, *diffs: list[Any], at: int = 0) -> dict[str, Any]:
        return {"id": name, "type": "user", "parent": parent, "patch": [{"diffs": list(diffs), "start2": at}]}

    before, after = node("1", None, [1, "a 🙂🙂 a"]), node("2", "1", [-1, "a"], [1, "b"], at=7)

    one, facts = read_one(tmp_path, "miniloom", {"nodeStore": {"1": before, "2": after}})

    assert shape(one.tree) == {"1": (None, "a 🙂🙂 a"), "2": (None, "a 🙂🙂 b")}
    assert not facts.losses


def test_patches_of_miniloom_that_repeat_a_text_without_end_are_refused(tmp_path: Path) -> None:
    def node(name: str, parent: str | None, text: str) -> dict[str, Any]:
        return {"id": name, "type": "user", "parent": parent, "patch": [{"diffs": [[1, text]], "start2": 0}]}

    ways = {str(number): node(str(number), "0", "x") for number in range(1, 20)}
    loom = {"nodeStore": {"0": node("0", None, "y" * 4_000_000), **ways}}

    with pytest.raises(InvalidInput, match="its patches make more than 64 million characters"):
        findings(write(tmp_path / "t", json.dumps(loom).encode()), "miniloom")


def test_a_key_that_is_a_number_stays_out(tmp_path: Path) -> None:
    value = {**looms.mikupad(), "endpointAPIKey": "123454321", "savedApiKey": '"sk-SECRET"'}

    one, _ = read_one(tmp_path, "mikupad", value)

    assert "123454321" not in repr(one.tree.loom)
    assert "SECRET" not in repr(one.tree.loom)


def test_ways_of_a_story_of_kobold_meet_where_they_begin_alike(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "kobold", looms.kobold())

    assert texts(one.tree) == {
        "Once": None,
        " upon": "Once",
        f" a {ODD}": " upon",
        " a hill": " upon",
        " there": "Once",
        " was": " there",
    }
    assert written(one.tree) == f"Once upon a {ODD}"
    assert one.tree.loom.system_context == "Remember."
    assert "SECRET" not in repr(one.tree.loom)


def test_what_koboldai_notes_beside_a_text_is_a_way_of_its_own(tmp_path: Path) -> None:
    beside = [{"Text": " a hill", "Pinned": False}, {"Text": " upon"}, {"Text": ""}, 3]
    noted = {"0": {"Selected Text": " upon", "Alternative Text": beside}, "7": {}, "x": None}
    story = {"gamestarted": True, "prompt": "Once", "actions": [" upon", " a time"]}

    one, _ = read_one(tmp_path, "kobold", {**story, "actions_metadata": noted})

    assert texts(one.tree) == {"Once": None, " upon": "Once", " a hill": "Once", " a time": " upon"}
    assert written(one.tree) == "Once upon a time"


def test_a_story_of_kobold_with_an_empty_prompt(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "kobold", {"gamestarted": True, "prompt": "", "actions": ["A", "B"]})

    assert texts(one.tree) == {"A": None, "B": "A"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("loomsidian", {"current": "x", "nodes": {}}),
        ("kobold", {"gamestarted": False, "prompt": "", "actions": []}),
        ("exoloom", {"loomType": "Exoloom", "tree": {"nodes": {}}}),
        ("helm", {"nodes": [], "rootId": "r", "currentNodeId": "r"}),
        ("miniloom", {"nodeStore": {}}),
    ],
)
def test_a_file_with_nothing_in_it_is_told(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match="no messages"):
        findings(write(tmp_path / "t", json.dumps(value).encode()), name)


def test_a_broken_loom_of_a_vault_is_told(tmp_path: Path) -> None:
    last = findings(write(tmp_path / "t", looms.loomsidian_vault()))[-1]

    assert isinstance(last, Damaged)
    assert "no messages" in last.reason


def test_a_note_that_is_no_loom_does_not_hide_the_others(tmp_path: Path) -> None:
    value = looms.loomsidian_vault()
    value["state"] |= {"Odd.md": None, "Bare.md": {"current": "x", "nodes": {"x": {"parentId": None}}}}

    found = findings(write(tmp_path / "t", value), "loomsidian")

    assert [type(one).__name__ for one in found] == ["Found", "Found", *["Damaged"] * 3]


@pytest.mark.parametrize("text", [None, ""])
def test_a_text_of_a_note_may_be_its_value(tmp_path: Path, text: str | None) -> None:
    nodes = {"a": {"text": text, "value": "Words", "parentId": None}}

    one, _ = read_one(tmp_path, "loomsidian", {"current": "a", "nodes": nodes})

    assert shape(one.tree) == {"a": (None, "Words")}


def test_a_loom_of_socketteer_whose_root_has_no_text(tmp_path: Path) -> None:
    root = {"id": "r", "children": [{"id": "a", "text": "A"}]}

    one, _ = read_one(tmp_path, "pyloom", {"root": root})

    assert shape(one.tree) == {"a": (None, "A")}


def test_tokens_of_mikupad_without_content_and_with_half_a_character(tmp_path: Path) -> None:
    chunks = [{"content": None, "prob": 0.1}, {"content": "\ud83d"}, {"content": "\ude42"}]

    one, _ = read_one(tmp_path, "mikupad", {"prompt": json.dumps(chunks), "endpoint": "e"})

    assert texts(one.tree) == {"🙂": None}


def test_a_patch_that_lies_behind_its_text_harms_no_other_node(tmp_path: Path) -> None:
    def node(parent: str | None, said: str, at: int) -> dict[str, Any]:
        return {"type": "user", "parent": parent, "patch": [{"diffs": [[1, said]], "start2": at}]}

    store = {"1": node(None, "Once upon", 0), "2": node("1", " a time", 15), "3": node("1", " a hill", 9)}

    one, _ = read_one(tmp_path, "miniloom", {"nodeStore": store})

    assert shape(one.tree) == {"1": (None, "Once upon"), "2": ("1", " a time"), "3": ("1", " a hill")}


def test_untitled_trees_of_exoloom_are_not_taken_for_one(tmp_path: Path) -> None:
    ids = set()
    for said in ("One", "Two"):
        nodes = {"0": {"content": said, "authorType": "USER"}}
        one, _ = read_one(tmp_path, "exoloom", {"loomType": "Exoloom", "tree": {"nodes": nodes}})
        ids.add(one.tree.loom.id)

    assert len(ids) == 2


def test_actions_of_kobold_that_say_nothing_are_kept_and_told(tmp_path: Path) -> None:
    actions = {"action_count": 0, "actions": {"0": {"Text": " upon"}}}

    one, facts = read_one(tmp_path, "kobold", {"gamestarted": True, "prompt": "Once", "actions": actions})

    origin = origin_of(one.tree.loom)
    assert origin is not None
    assert origin.keys["actions"] == actions
    assert [str(loss) for loss in facts.losses] == ["what follows the first text is kept, not shown"]


def test_a_patch_that_is_no_list_is_told(tmp_path: Path) -> None:
    nodes = {"1": {"type": "root", "parent": None, "patch": ""}}
    nodes["2"] = {"type": "user", "parent": "1", "patch": "@@ -0,0 +1,4 @@\n+Once\n"}

    one, facts = read_one(tmp_path, "miniloom", {"nodeStore": nodes})

    assert [str(loss) for loss in facts.losses] == ["1 patch does not fit its text"]
    assert "Once" in repr(one.tree.nodes["2"].extra)
