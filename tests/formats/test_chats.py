"""Exports of chat programs come in node for node: branches, authors, hidden messages, odd keys."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, cast

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import AttachedDocument, Image, Mixed, ToolResult, ToolUse
from loomapp.core.model.new_tree import origin_of
from loomapp.formats.importer import Damaged, Found
from tests.kit.exports import chats
from tests.kit.exports.chats import ODD, PNG, as_lines
from tests.kit.exports.reading import agents, findings, read_all, read_as, read_one, shape, texts, write


def test_a_claude_conversation_keeps_its_edits_and_answers_made_anew(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "claude", chats.claude())

    assert {key: above for key, (above, _) in shape(one.tree).items()} == {
        "m1": None,
        "m2": "m1",
        "m3": "m1",
        "m4": None,
        "m5": "m3",
    }
    assert one.tree.nodes["m4"].text == f"Edited {ODD}"
    assert (one.tree.loom.id, one.tree.loom.title, one.tree.loom.mode) == ("c1", "Talk", "dialogue")
    assert one.tree.path.leaf_id == "m5", "the newest end"
    assert agents(one)["m1"] == ("You", "human")
    assert agents(one)["m2"] == ("Claude", "model")
    assert facts.branches == 3
    origin = origin_of(one.tree.loom)
    assert origin is not None
    assert origin.keys["summary"] == "A talk."


def test_thoughts_tools_and_attachments_of_claude(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "claude", chats.claude())

    answer, question = one.tree.nodes["m3"], one.tree.nodes["m5"]
    assert answer.extra["reasoning"] == "Hm."
    assert isinstance(answer.content, Mixed)
    kinds = [type(block).__name__ for block in answer.content.blocks]
    assert kinds == ["Text", "ToolUse", "ToolResult", "Text"]
    assert isinstance(answer.content.blocks[1], ToolUse)
    assert answer.content.blocks[1].input == {"q": "x"}
    assert isinstance(answer.content.blocks[2], ToolResult)
    assert answer.content.blocks[2].text == "found"
    assert isinstance(question.content, Mixed)
    pasted, image = question.content.blocks
    assert isinstance(pasted, AttachedDocument)
    assert pasted.text == "pasted"
    assert isinstance(image, Image)
    assert image.alt_text == "a.png"
    assert cast("dict[str, Any]", question.extra["claude"])["odd_key"] == {"kept": [1, None]}
    assert [str(loss) for loss in facts.losses] == ["1 attached file is not in the file"]


def test_a_conversation_of_claude_without_messages_is_told(tmp_path: Path) -> None:
    found = findings(write(tmp_path / "t", chats.claude()), "claude")

    assert [type(one).__name__ for one in found] == ["Found", "Damaged"]
    assert isinstance(found[1], Damaged)
    assert found[1].title == "Empty"


def test_older_exports_of_claude_are_in_a_row(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "claude", chats.claude_linear())

    above = {key: above for key, (above, _) in shape(one.tree).items()}
    assert above == {"m1": None, "m2": "m1", "m3": "m2", "m4": "m3"}


def test_messages_of_claude_that_all_name_no_parent_are_in_a_row(tmp_path: Path) -> None:
    messages = [chats.claude_message(f"m{n}", "human" if n % 2 else "assistant", "x", None) for n in (1, 2)]

    one, _ = read_one(tmp_path, "claude", [{"uuid": "c", "name": "n", "chat_messages": messages}])

    assert shape(one.tree) == {"m1": (None, "x"), "m2": ("m1", "x")}


def test_a_conversation_as_a_browser_saves_it_knows_model_and_leaf(tmp_path: Path) -> None:
    value = {**chats.claude()[0], "current_leaf_message_uuid": "m2", "model": "claude-x"}

    one, _ = read_one(tmp_path, "claude", value)

    assert one.tree.path.leaf_id == "m2"
    assert agents(one)["m2"] == ("claude-x", "model")


@pytest.mark.parametrize("content", [None, "Hello", 7, [{"text": "Hello"}], [{}]])
def test_a_content_of_claude_that_is_none_leaves_the_text(tmp_path: Path, content: Any) -> None:
    message = {**chats.claude_message("m", "human", "Hello"), "content": content}

    one, _ = read_one(tmp_path, "claude", [{"uuid": "c", "name": "", "chat_messages": [message]}])

    assert one.tree.nodes["m"].text.strip() == "Hello"
    assert one.tree.loom.title == "Hello"


def test_claude_conversations_come_out_of_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z", "w") as archive:
        archive.writestr("users.json", '[{"uuid": "u", "full_name": "N"}]')
        archive.writestr("projects.json", "[]")
        archive.writestr("conversations.json", json.dumps(chats.claude()))

    assert sum(isinstance(one, Found) for one in findings(tmp_path / "z", "claude")) == 1


def test_a_flat_export_of_librechat(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "librechat", chats.librechat_flat())
    nodes = one.tree.nodes

    assert {key: above for key, (above, _) in shape(one.tree).items()} == {
        "q": None,
        "a1": "q",
        "a2": "q",
        "e": None,
    }
    assert one.tree.loom.system_context == "Be kind."
    assert facts.has_system_context
    assert nodes["q"].text == f"Question {ODD}"
    assert nodes["a1"].extra["reasoning"] == "Hm."
    assert nodes["a1"].text.startswith("An answer")
    assert isinstance(nodes["a1"].content, Mixed)
    assert isinstance(nodes["a1"].content.blocks[-1], ToolResult)
    assert nodes["a2"].interrupted is not None
    assert agents(one)["a1"][0] == "gpt-4o"
    assert agents(one)["a2"][0] == "gpt-4-turbo", "the model of the options"
    assert cast("dict[str, Any]", nodes["e"].extra["librechat"]) == {"tokenCount": 3}


def test_a_nested_export_of_librechat(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "librechat", chats.librechat_tree())

    assert shape(one.tree) == {
        "q": (None, "Question"),
        "a1": ("q", "One"),
        "a1b": ("a1", "More"),
        "a2": ("q", "Two"),
    }


def test_chats_of_open_webui(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "open-webui", chats.open_webui())
    nodes = one.tree.nodes

    assert {key: above for key, (above, _) in shape(one.tree).items()} == {
        "s": None,
        "u1": "s",
        "a1": "u1",
        "a2": "u1",
        "u2": None,
    }
    assert one.tree.children("u1") == ("a2", "a1"), "in the order that the question lists"
    assert nodes["s"].metadata.excluded
    assert [str(note) for note in facts.notes] == ["1 hidden message → excluded"]
    assert nodes["a1"].text == "Answer one"
    assert nodes["a1"].extra["reasoning"] == "Hm\n<b>"
    assert nodes["a2"].text == "From output"
    assert nodes["a2"].extra["reasoning"] == "Deep"
    assert agents(one)["a1"] == ("M1", "model")
    assert one.tree.path.leaf_id == "a1"
    assert one.tree.loom.system_context == "Be brief."
    ref = hashlib.sha256(PNG).hexdigest()
    assert dict(one.media) == {ref: PNG}
    assert isinstance(nodes["u1"].content, Mixed)
    image, document, _ = nodes["u1"].content.blocks
    assert isinstance(image, Image)
    assert image.ref == ref
    assert isinstance(document, AttachedDocument)
    assert document.name == "b.pdf"


def test_an_edited_answer_of_open_webui_beats_its_output(tmp_path: Path) -> None:
    value = chats.open_webui()
    value[0]["chat"]["history"]["messages"]["a2"]["content"] = "Edited by hand"
    value[0]["chat"]["history"]["currentId"] = "gone"

    one, _ = read_one(tmp_path, "open-webui", value)

    assert one.tree.nodes["a2"].text == "Edited by hand"


def test_a_chat_of_sillytavern_has_its_swipes_as_siblings(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "sillytavern", as_lines(*chats.tavern_main()))

    assert texts(one.tree) == {
        "Hi A": None,
        "Hi B": None,
        f"Hello {ODD}": "Hi B",
        "a note": f"Hello {ODD}",
        "Welcome.": "a note",
    }
    by_text = {node.text: node for node in one.tree.nodes.values()}
    assert by_text["a note"].metadata.excluded
    assert by_text["Welcome."].metadata.bookmark_label == "Checkpoint #1"
    assert by_text["Welcome."].extra["reasoning"] == "Polite."
    assert one.tree.nodes[one.tree.path.leaf_id].text == "Welcome."
    assert one.tree.loom.title == "Aria"
    assert one.tree.loom.system_context == "A tower."
    names = {node.text: agents(one)[node.id] for node in by_text.values() if node.text}
    assert names["Hi A"] == ("Aria (old)", "model")
    assert names["Hi B"] == ("Aria (m)", "model")
    assert names[f"Hello {ODD}"] == ("You", "human")
    assert "the author's note is kept, not sent" in map(str, facts.losses)
    origin = origin_of(one.tree.loom)
    assert origin is not None
    files = cast("dict[str, Any]", origin.keys["files"])
    assert files["a file"]["chat_metadata"]["note_prompt"] == "Be vivid."


def test_a_folder_of_sillytavern_is_one_tree_by_common_beginnings(tmp_path: Path) -> None:
    other = [chats.tavern_header(), chats.tavern_line("Aria", "Another start")]
    for name, lines in (("b", chats.tavern_branch()), ("main", chats.tavern_main()), ("other", other)):
        write(tmp_path / f"{name}.jsonl", as_lines(*lines))

    first, second = (one for one in findings(tmp_path, "sillytavern") if isinstance(one, Found))

    tree = first.load(None).tree
    assert texts(tree)["Go away."] == "a note"
    assert texts(tree)["Welcome."] == "a note"
    assert len(shape(tree)) == 6
    assert texts(second.load(None).tree) == {"Another start": None}
    alone = findings(tmp_path / "main.jsonl", "sillytavern")[0]
    assert alone.id == first.id, "so that a folder adds to what came alone"
    assert isinstance(alone, Found)
    assert set(alone.facts().node_ids) < set(first.facts().node_ids)


def test_a_broken_line_of_a_chat_is_told(tmp_path: Path) -> None:
    data = as_lines(*chats.tavern_main()) + b'{"name": "Aria", "mes\n7\n'

    one, facts = read_one(tmp_path, "sillytavern", data)

    assert len(shape(one.tree)) == 5
    assert [str(loss).partition("line ")[2][:2] for loss in facts.losses if "line " in loss] == ["6:", "7:"]


@pytest.mark.parametrize("value", [chats.card_v2(), chats.card_png(chats.card_v2())])
def test_a_character_card_has_its_greetings_as_siblings(tmp_path: Path, value: Any) -> None:
    one, facts = read_one(tmp_path, "character-card", value)

    assert [above for above, _ in shape(one.tree).values()] == [None, None, None]
    assert [text for _, text in shape(one.tree).values()] == [f"Halt! {ODD}", "Who goes there?", "…"]
    assert one.tree.path.leaf_id == "greeting-1"
    context = one.tree.loom.system_context
    assert context is not None
    assert context.split("\n\n") == [
        *("Stay in role.", "A guard.", "gruff", "A tower."),
        "Example dialogue:\n<START>\n{{char}}: Hm.",
    ]
    assert one.tree.loom.title == "Aria"
    assert agents(one)["greeting-1"] == ("Aria", "model")
    assert "the lorebook is kept, not used" in map(str, facts.losses)
    origin = origin_of(one.tree.loom)
    assert origin is not None
    assert origin.keys["creator_notes"] == "Be kind to her."


@pytest.mark.parametrize("packed", [False, True])
def test_a_card_in_an_international_text_of_a_png(tmp_path: Path, packed: bool) -> None:
    card = base64.b64encode(json.dumps(chats.card_v1()).encode())
    words = b"\1\0en\0Karte\0" + zlib.compress(card) if packed else b"\0\0\0\0" + card
    png = chats.PNG[:-12] + chats.chunk(b"iTXt", b"chara\0" + words) + chats.PNG[-12:]

    one, _ = read_one(tmp_path, "character-card", png)

    assert one.tree.loom.title == "Bo"


def test_a_card_of_version_1(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "character-card", chats.card_v1())

    assert (one.tree.loom.title, one.tree.loom.system_context) == ("Bo", "A cat.")


def test_a_session_of_pi(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "pi", as_lines(*chats.pi()))
    nodes = one.tree.nodes

    assert {key: above for key, (above, _) in shape(one.tree).items()} == {
        "a": None,
        "b": "a",
        "c": "b",
        "d": "a",
        "e": "c",
        "f": "e",
    }
    assert nodes["e"].metadata.excluded
    assert nodes["d"].metadata.bookmark_label == "refusal"
    assert nodes["d"].interrupted is not None
    assert nodes["b"].extra["reasoning"] == "Hm."
    assert isinstance(nodes["c"].content, Mixed)
    assert isinstance(nodes["c"].content.blocks[0], ToolResult)
    assert one.tree.loom.title == "Listing"
    assert one.tree.path.leaf_id == "f"
    assert list(one.media.values()) == [PNG]
    assert agents(one)["b"] == ("m", "model")
    assert agents(one)["c"] == ("ls", "model")


def test_a_session_of_pi_version_1_is_in_a_row(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "pi", as_lines(*chats.pi_version_1()))

    assert texts(one.tree) == {"One": None, "Two": "One"}


def test_a_session_of_claude_code(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "claude-code", as_lines(*chats.claude_code()))
    nodes = one.tree.nodes

    assert {key: above for key, (above, _) in shape(one.tree).items()} == {
        "u": None,
        "a": "u",
        "r": "a",
        "v": "u",
        "k": "r",
        "z": "k",
    }
    assert nodes["k"].metadata.excluded
    assert agents(one)["r"] == ("tool", "model")
    assert agents(one)["v"] == ("claude-x", "model")
    assert nodes["z"].text == "Go on"
    assert one.tree.loom.title == "Listing files"
    assert one.tree.path.leaf_id == "z"
    assert one.tree.loom.id == "cc1"
    assert [str(loss) for loss in facts.losses] == ["line 9: it is no entry"]


def test_lines_of_claude_code_without_parents_are_in_a_row(tmp_path: Path) -> None:
    lines = [
        {**line, "parentUuid": None}
        for line in chats.claude_code()
        if isinstance(line, dict) and "uuid" in line
    ]
    for line in lines:
        line.pop("logicalParentUuid", None)

    one, _ = read_one(tmp_path, "claude-code", as_lines(*lines))

    assert [above for above, _ in shape(one.tree).values()] == [None, "u", "a", "r", "v", "k"]


def test_circles_and_parents_that_are_missing_are_ways_of_their_own(tmp_path: Path) -> None:
    messages = [
        chats.claude_message("a", "human", "A", "b"),
        chats.claude_message("b", "assistant", "B", "a"),
        chats.claude_message("c", "human", "C", "gone"),
    ]

    [(one, _)] = read_all(tmp_path, "claude", [{"uuid": "x", "name": "n", "chat_messages": messages}])

    assert shape(one.tree) == {"a": (None, "A"), "b": ("a", "B"), "c": (None, "C")}


def test_values_that_are_too_deep_for_a_file_are_left_out(tmp_path: Path) -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    message = chats.claude_message("a", "human", "A", odd=deep, huge=10**400)

    one, _ = read_one(tmp_path, "claude", [{"uuid": "x", "name": "n", "chat_messages": [message]}])

    assert set(cast("dict[str, Any]", one.tree.nodes["a"].extra["claude"]).values()) == {
        "(nested too deep to be kept)"
    }


@pytest.mark.parametrize("levels", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_nested_export_may_be_deeper_than_python_reads(tmp_path: Path, levels: int) -> None:
    begin = "".join(
        f'{{"messageId": "m{n}", "text": "t", "isCreatedByUser": true, "children": [' for n in range(levels)
    )
    data = f'{{"conversationId": "x", "messagesTree": [{begin}{"]}" * levels}]}}'

    one, _ = read_one(tmp_path, "librechat", data.encode())

    assert len(one.tree.nodes) == levels + 1


@pytest.mark.parametrize("name", ["claude", "librechat", "open-webui", "sillytavern", "pi", "claude-code"])
def test_a_file_that_is_cut_off_is_told_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_as(tmp_path, name, b'{"conversationId": "x", "messages": [')

    assert len(caught.value.message.splitlines()) == 1
