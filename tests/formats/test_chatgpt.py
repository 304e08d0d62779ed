"""ChatGPT exports: every branch comes in, who said what stays, and what has no place is kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import AttachedDocument, Audio, Image, Mixed, Text, ToolResult
from loomapp.core.model.new_tree import origin_of
from loomapp.core.paths.resolve import resolve
from loomapp.formats.importer import Damaged, Facts, Finding, Found, Imported, Reading
from loomapp.formats.loom_json import read as read_loom_json
from loomapp.formats.loom_json import write as write_loom_json
from loomapp.formats.registry import IMPORTERS
from loomapp.formats.sources import open_source
from tests.kit.chatgpt_exports import (
    AT,
    PICTURE,
    PNG,
    boat,
    conversation,
    said,
    with_picture,
    write_export,
    write_json,
)

OWNER = Agent("owner", "You", "human", loom_aware=True)
MS = round(AT * 1000)


def findings(path: Path) -> list[Finding]:
    with open_source(path) as source:
        return list(IMPORTERS["chatgpt"].read(source, Reading(now=7), lambda *_: None))


def read_one(path: Path) -> tuple[Imported, Facts]:
    with open_source(path) as source:
        for found in IMPORTERS["chatgpt"].read(source, Reading(now=7), lambda *_: None):
            assert isinstance(found, Found)
            facts, imported = found.facts(), found.load(OWNER)
            return replace(imported, media=dict(imported.media)), facts
    raise AssertionError("it holds nothing")


def imported(folder: Path, value: Any) -> Imported:
    return read_one(write_json(folder / "t", value))[0]


def test_an_edited_question_and_an_answer_made_anew_are_siblings(tmp_path: Path) -> None:
    tree = imported(tmp_path, boat()).tree

    assert tree.children("me") == ("u1", "u2")
    assert tree.children("u1") == ("a1", "a2")
    assert [node.text for node in resolve(tree, tree.path.leaf_id).nodes][-2:] == [
        "Name my boat.",
        "Tern.\ue200cite\ue202turn0view1\ue201",
    ]
    assert tree.loom.title == "Naming the boat"
    assert tree.loom.mode == "dialogue"
    assert (tree.loom.id, tree.loom.created_at) == ("c1", MS)


def test_what_is_hidden_is_excluded_and_what_says_nothing_is_passed_over(tmp_path: Path) -> None:
    tree = imported(tmp_path, boat()).tree

    assert tree.nodes["me"].metadata.excluded
    assert not tree.nodes["u1"].metadata.excluded
    assert "sys" not in tree.nodes
    assert tree.children("root") == ("me",)
    origin = origin_of(tree.loom)
    assert origin is not None
    assert origin.keys["hidden"] == {
        "sys": {
            "id": "sys",
            "author": {"role": "system", "name": None, "metadata": {}},
            "content": {"content_type": "text", "parts": [""]},
            "weight": 0.0,
            "status": "finished_successfully",
            "metadata": {"is_visually_hidden_from_conversation": True},
            "recipient": "all",
        }
    }


def test_custom_instructions_are_the_tree_s_system_context(tmp_path: Path) -> None:
    tree = imported(tmp_path, boat()).tree

    assert tree.loom.system_context == "I build boats.\n\nBe brief."


def test_thoughts_are_the_reasoning_of_the_answer_after_them(tmp_path: Path) -> None:
    tree = imported(tmp_path, boat()).tree

    assert "t2" not in tree.nodes
    assert tree.nodes["a2"].extra["reasoning"] == "Birds\nA tern is small."
    assert tree.nodes["a2"].extra["chatgpt"]["thoughts"][0]["id"] == "t2"  # type: ignore[index]
    assert "reasoning" not in tree.nodes["a1"].extra


def test_thoughts_without_an_answer_are_a_node_of_their_own(tmp_path: Path) -> None:
    thoughts = {"thoughts": [{"summary": "", "content": "Hm."}]}
    value = conversation(
        {"u": (None, said("user", "Well?")), "t": ("u", said("assistant", kind="thoughts", content=thoughts))}
    )

    tree = imported(tmp_path, value).tree

    assert tree.nodes["t"].extra["reasoning"] == "Hm."
    assert tree.path.leaf_id == "t"


def test_who_said_what(tmp_path: Path) -> None:
    one = imported(tmp_path, boat())
    nodes = one.tree.nodes

    assert (nodes["u1"].author_type, nodes["u1"].author_agent_id) == ("human", "owner")
    assert (nodes["a1"].author_type, nodes["a1"].author_agent_id) == ("model", "chatgpt:gpt-4o")
    assert nodes["a2"].author_agent_id == "chatgpt:gpt-5", "the default model of the conversation"
    models = {agent.name: agent for agent in one.agents if agent.type == "model"}
    assert models.keys() == {"gpt-4o", "gpt-5"}
    assert all(agent.model_ref is None for agent in models.values()), "nobody chose to ask them"


def test_what_a_tool_and_the_system_say(tmp_path: Path) -> None:
    value = conversation(
        {
            "s": (None, said("system", "Be kind.")),
            "u": ("s", said("user", "Hello")),
            "t": ("u", said("tool", "42", name="python")),
        }
    )

    one = imported(tmp_path, value)

    assert one.tree.nodes["s"].metadata.excluded
    assert one.tree.nodes["s"].author_agent_id == "chatgpt:system"
    assert one.tree.nodes["t"].content == Mixed((ToolResult("u", "python", "42"),))
    assert {agent.name for agent in one.agents} == {"System", "You", "python"}


def test_a_message_without_a_time_has_that_of_the_one_before_it(tmp_path: Path) -> None:
    value = conversation(
        {
            "r": (None, None),
            "u": ("r", said("user", "a", at=AT + 5)),
            "a": ("u", said("assistant", "b")),
            "n": ("a", said("user", "c", at=float("nan"))),
        }
    )

    nodes = imported(tmp_path, value).tree.nodes

    assert [nodes[i].created_at for i in "ruan"] == [MS, MS + 5000, MS + 5000, MS + 5000]


def test_keys_that_nobody_knows_are_kept(tmp_path: Path) -> None:
    value = boat(gizmo_id="g-1", safe_urls=["https://example.org"], newKey={"a": 1})
    value["mapping"]["a1"]["oddNodeKey"] = "kept too"

    tree = imported(tmp_path, value).tree

    kept = tree.nodes["a1"].extra["chatgpt"]
    assert isinstance(kept, dict)
    assert kept["metadata"]["oddKey"] == {"kept": [1, None]}
    assert kept["node"] == {"oddNodeKey": "kept too"}
    origin = origin_of(tree.loom)
    assert origin is not None
    assert {**origin.keys, "gizmo_id": "g-1", "newKey": {"a": 1}} == origin.keys
    text = write_loom_json(tree)
    again = read_loom_json(text).tree
    assert write_loom_json(again) == text, "and through Loom JSON"


def test_children_that_disagree_with_the_parents_are_not_believed(tmp_path: Path) -> None:
    value = boat()
    value["mapping"]["u2"]["children"] = ["a1", "a2", "nobody"]
    value["mapping"]["u1"]["children"] = ["t2", "a1", "u2"]
    for key in ("me", "sys"):
        del value["mapping"][key]["children"]

    tree = imported(tmp_path, value).tree

    assert tree.children("u2") == ()
    assert set(tree.children("u1")) == {"a1", "a2"}


def test_siblings_stand_in_the_order_that_their_parent_says(tmp_path: Path) -> None:
    messages = {"r": (None, None), **{k: ("r", said("user", k)) for k in "cab"}}
    value = conversation(messages)
    value["mapping"]["r"]["children"] = ["a", "b", "c"]

    assert imported(tmp_path, value).tree.children("r") == ("a", "b", "c")


def test_lost_parents_and_circles_are_ways_of_their_own_from_the_root(tmp_path: Path) -> None:
    value = conversation(
        {
            "root": (None, None),
            "u": ("root", said("user", "a")),
            "lost": ("nobody", said("user", "b")),
            "below": ("lost", said("assistant", "c")),
            "x": ("z", said("user", "x")),
            "y": ("x", said("assistant", "y")),
            "z": ("y", said("user", "z")),
            "self": ("self", said("user", "s")),
        }
    )

    tree = imported(tmp_path, value).tree

    assert set(tree.children("root")) == {"u", "lost", "x", "self"}
    assert tree.children("lost") == ("below",)
    assert [node.text for node in resolve(tree, "z").nodes] == ["", "x", "y", "z"]


def test_without_a_placeholder_the_tree_still_begins_with_an_empty_root(tmp_path: Path) -> None:
    value = conversation(
        {"a": (None, said("user", "a")), "b": ("gone", said("user", "b"))}, current_node="gone"
    )

    tree = imported(tmp_path, value).tree

    assert tree.is_empty_root(tree.root_id)
    assert tree.children(tree.root_id) == ("a", "b")
    assert tree.path.leaf_id in ("a", "b")


@pytest.mark.parametrize(
    "missing", ["current_node", "title", "create_time", "update_time", "default_model_slug"]
)
def test_a_conversation_may_lack_a_key(missing: str, tmp_path: Path) -> None:
    value = boat()
    del value[missing]

    tree = imported(tmp_path, value).tree

    assert set(tree.nodes) == {"root", "me", "u1", "u2", "a1", "a2"}
    assert tree.loom.title


@pytest.mark.parametrize(
    "missing", ["metadata", "author", "content", "create_time", "status", "weight", "id"]
)
def test_a_message_may_lack_a_key(missing: str, tmp_path: Path) -> None:
    value = boat()
    for node in value["mapping"].values():
        (node["message"] or {}).pop(missing, None)

    assert "a1" in imported(tmp_path, value).tree.nodes


def test_a_conversation_without_messages_is_left_out_and_named(tmp_path: Path) -> None:
    file = write_json(
        tmp_path / "t", {"id": "x", "title": "Lost"}, boat(), 5, {"id": "y", "mapping": {"a": None}}
    )

    found = findings(file)

    assert [type(one) for one in found] == [Damaged, Found, Damaged, Damaged]
    assert (found[0].id, found[0].title) == ("x", "Lost")
    assert isinstance(found[2], Damaged)
    assert found[2].reason == "t[2]: it is no conversation"


def test_pictures_come_out_of_the_zip(tmp_path: Path) -> None:
    one, facts = read_one(write_export(tmp_path / "export.zip", with_picture()))

    name = hashlib.sha256(PNG).hexdigest()
    content = one.tree.nodes["u1"].content
    assert isinstance(content, Mixed)
    picture, words = content.blocks
    assert isinstance(picture, Image)
    assert (picture.ref, picture.mime_type, picture.width, picture.height) == (name, "image/png", 1, 1)
    assert words == Text("What is this?")
    assert one.media == {name: PNG}
    assert facts.losses == ("1 sound part is kept, not played",)


def test_pictures_come_out_of_a_folder_that_was_unpacked(tmp_path: Path) -> None:
    (tmp_path / "user-1").mkdir()
    (tmp_path / "user-1" / f"{PICTURE}-0.png").write_bytes(PNG)
    write_json(tmp_path / "conversations.json", with_picture())

    assert read_one(tmp_path)[0].media == {hashlib.sha256(PNG).hexdigest(): PNG}


def test_a_picture_that_is_not_there_keeps_its_name(tmp_path: Path) -> None:
    one, facts = read_one(write_json(tmp_path / "t", with_picture()))

    content = one.tree.nodes["u1"].content
    assert isinstance(content, Mixed)
    assert isinstance(content.blocks[0], Image)
    assert content.blocks[0].alt_text == PICTURE
    assert facts.losses == ("1 image is not in the file", "1 sound part is kept, not played")
    answer = one.tree.nodes["a1"].content
    assert isinstance(answer, Mixed)
    assert isinstance(answer.blocks[0], Audio)
    assert answer.blocks[0].extra["asset_pointer"] == "sediment://file_50und"


def test_attached_files_keep_their_name_and_their_text(tmp_path: Path) -> None:
    attached = [
        {"id": PICTURE, "name": "notes.txt", "mime_type": "text/plain"},
        {"id": "file-Gone1", "name": "gone.pdf", "mimeType": "application/pdf"},
    ]
    value = conversation({"u": (None, said("user", "Read it.", attachments=attached))})

    one, facts = read_one(write_export(tmp_path / "e.zip", value))

    content = one.tree.nodes["u"].content
    assert isinstance(content, Mixed)
    documents = [block for block in content.blocks if isinstance(block, AttachedDocument)]
    assert [document.name for document in documents] == ["notes.txt", "gone.pdf"]
    assert facts.losses == ("1 attached file is not in the file",)


def test_code_and_what_it_printed(tmp_path: Path) -> None:
    tree = imported(tmp_path, with_picture()).tree

    assert tree.nodes["c1"].text == "print(6*7)"
    assert tree.nodes["t1"].text == "42"
    assert tree.nodes["c1"].extra["chatgpt"]["content"] == {"content_type": "code", "language": "python"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "tether_browsing_display", "result": "A page.", "summary": ""}, "A page."),
        ({"content_type": "tether_quote", "title": "T", "url": "u", "text": "q"}, "T\nu\nq"),
        ({"content_type": "system_error", "name": "Oops", "text": "why"}, "Oops\nwhy"),
        ({"content_type": "code", "language": "json", "parts": ["{}"]}, "{}"),
        ({"parts": ["no type"]}, "no type"),
        ({"content_type": "text", "parts": ["one", "two"]}, "one\ntwo"),
        ({"content_type": "text", "parts": None}, ""),
        ({"content_type": "super_widget", "widget": {"a": 1}}, ""),
        ("bare", "bare"),
        (None, ""),
    ],
)
def test_contents_of_every_kind_keep_their_words(content: Any, text: str, tmp_path: Path) -> None:
    message = {**said("assistant"), "content": content}

    tree = imported(tmp_path, conversation({"a": (None, message)})).tree

    assert tree.nodes["a"].text == text


def test_a_part_of_an_unknown_kind_is_kept_and_told(tmp_path: Path) -> None:
    part = {"content_type": "hologram", "depth": 3}
    value = conversation({"a": (None, said("assistant", part, "words", kind="multimodal_text"))})

    one, facts = read_one(write_json(tmp_path / "t", value))

    assert facts.losses == ("1 × “hologram” is kept, not shown",)
    assert part in json.loads(write_loom_json(one.tree))["nodes"][1]["content"]["blocks"][0].values()


def test_parts_of_one_export_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 0):
        write_json(tmp_path / f"conversations-{number:03d}.json", boat(id=f"c{number}"))

    assert [one.id for one in findings(tmp_path)] == ["c0", "c2", "c10"]


def test_a_byte_order_mark_and_white_space_before_the_list_are_passed(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"\xef\xbb\xbf \n" + json.dumps([boat()]).encode())

    assert len(findings(tmp_path / "t")) == 1


def test_half_a_character_becomes_a_sign_for_it_and_whole_ones_stay(tmp_path: Path) -> None:
    text = json.dumps([conversation({"u": (None, said("user", "HERE"))})])
    (tmp_path / "t").write_text(text.replace("HERE", r"\ud83d \ud83d\ude42 \\ud83d \ude42"), encoding="utf-8")

    tree = read_one(tmp_path / "t")[0].tree

    assert tree.nodes["u"].text == "\ufffd 🙂 \\ud83d \ufffd"


@pytest.mark.parametrize("at", [0.2, 0.5, 0.9, 0.9999])
def test_a_file_that_is_cut_off_is_refused_and_the_place_named(at: float, tmp_path: Path) -> None:
    text = json.dumps([boat(), boat(id="c2"), boat(id="c3")])
    (tmp_path / "t").write_text(text[: int(len(text) * at)], encoding="utf-8")

    with pytest.raises(
        InvalidInput, match=r"^t\[\d\]: the file ends in the middle; it seems cut off\. .*again$"
    ):
        findings(tmp_path / "t")


def test_ids_that_repeat_in_other_conversations_stay(tmp_path: Path) -> None:
    found = findings(write_json(tmp_path / "t", boat(), boat(id="c2")))

    assert [set(one.facts().node_ids) for one in found if isinstance(one, Found)] == [
        {"me", "u1", "u2", "a1", "a2"}
    ] * 2


def test_an_id_that_could_not_be_shown_gets_another_one(tmp_path: Path) -> None:
    value = conversation({"a\nb": (None, said("user", "x")), "": ("a\nb", said("user", "y"))})

    tree = imported(tmp_path, value).tree

    assert [node.text for node in tree.nodes.values()] == ["", "x", "y"]
    assert all(node_id.isprintable() and node_id for node_id in tree.nodes)
