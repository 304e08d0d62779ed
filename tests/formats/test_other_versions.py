"""Files as other versions of a program, or other ways out of it, write them."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.model.content import Image, Mixed, Text
from loomapp.core.model.entities import verbatim
from loomapp.formats.importer import Damaged, Found, Imported
from tests.kit.chatgpt_exports import boat, conversation, said, write_export
from tests.kit.exports import chats
from tests.kit.exports.chats import as_lines
from tests.kit.exports.reading import agents, findings, read_all, read_one, write

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nbody").decode()


def spoken(one: Imported) -> list[tuple[str, str]]:
    """The name of who wrote each message, and its text."""
    named = agents(one)
    return [(named[node.id][0], node.text) for node in list(one.tree.nodes.values())[1:]]


CHATS = [boat(id="a", conversation_id="a", title="First"), boat(id="b", conversation_id="b", title="Second")]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"conversations": CHATS}).encode(),
        as_lines(*CHATS),
        f"<html><head><style>p{{}}</style><script>\nvar jsonData = {json.dumps(CHATS)};\n</script>".encode(),
    ],
    ids=["in an object", "lines", "page"],
)
def test_chats_of_chatgpt_in_another_shell_are_those_of_an_export(tmp_path: Path, data: bytes) -> None:
    found = findings(write(tmp_path / "t", data), "chatgpt")

    assert [(one.id, one.title) for one in found] == [("a", "First"), ("b", "Second")]


def test_a_part_of_no_known_kind_is_kept_and_canvas_documents_are_named(tmp_path: Path) -> None:
    odd = conversation({"u": (None, said("user", {"content_type": {"a": 1}, "x": 2}, "Hi"))})
    path = write_export(tmp_path / "export.zip", odd)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("textdocs/a.json", "{}")

    one, beside = findings(path, "chatgpt")

    assert isinstance(one, Found)
    assert [str(loss) for loss in one.facts().losses] == ["1 × “part” is kept, not shown"]
    assert isinstance(beside, Damaged)
    assert beside.is_beside
    assert "canvas" in str(beside.reason)


def test_other_lists_of_chats_are_read_from_an_object_and_from_lines(tmp_path: Path) -> None:
    every = chats.claude()

    in_object = read_all(tmp_path, "claude", {"conversations": every})
    lines = read_all(tmp_path, "claude", as_lines(*every, *every[:1]))

    assert [one.tree.loom.id for one, _ in in_object] == [one.tree.loom.id for one, _ in lines][
        : len(in_object)
    ]
    assert len(lines) == len(in_object) + 1


@pytest.mark.parametrize("name", ["claude", "chatgpt"])
def test_a_line_that_cannot_be_read_says_why_and_the_others_come_in(tmp_path: Path, name: str) -> None:
    whole = as_lines(*(CHATS if name == "chatgpt" else chats.claude()[:1] * 2)).splitlines(keepends=True)

    found = findings(write(tmp_path / "t", whole[0] + whole[1][:40] + b"\n" + b"7\n" + whole[1]), name)

    assert [one.title for one in found if isinstance(one, Found)] == [found[0].title, found[-1].title]
    assert [str(one.reason) for one in found if isinstance(one, Damaged)] == [
        "t, line 2: it ends in the middle; it seems cut off",
        "t, line 3: it is no conversation",
    ]


def test_chats_of_open_webui_from_before_it_had_branches(tmp_path: Path) -> None:
    path = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello", "model": "llama2"}]

    one, _ = read_one(tmp_path, "open-webui", [{"id": "o", "title": "Old", "chat": {"messages": path}}])

    assert spoken(one) == [("You", "Hi"), ("llama2", "Hello")]


def test_what_is_kept_and_not_shown_of_open_webui_and_pyloom_is_told(tmp_path: Path) -> None:
    answer = {"role": "assistant", "content": "A", "merged": {"status": True, "content": "Of all"}}
    chat = {"history": {"messages": {"a": answer}, "currentId": "a"}}
    node = {"text": "x", "children": [], "notes": ["", "mine"], "multimedia": [{"file": "a.png"}]}

    _, of_chat = read_one(tmp_path, "open-webui", [{"chat": chat}])
    _, of_loom = read_one(tmp_path, "pyloom", {"root": node})

    assert [str(loss) for loss in of_chat.losses] == ["1 × “merged answer” is kept, not shown"]
    assert [str(loss) for loss in of_loom.losses] == [
        "1 note at a node is kept, not shown",
        "1 picture at a node is not in the file",
    ]


def test_a_picture_that_a_tool_gave_claude_comes_in(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    result = {"type": "tool_result", "content": [{"type": "text", "text": "2"}, picture]}
    item = {"uuid": "c", "name": "", "chat_messages": [{"sender": "assistant", "content": [result]}]}

    one, _ = read_one(tmp_path, "claude", [item])

    [node] = list(one.tree.nodes.values())[1:]
    assert isinstance(node.content, Mixed)
    assert isinstance(node.content.blocks[1], Image)
    assert list(one.media.values()) == [base64.b64decode(PNG)]


def test_an_agent_of_librechat_is_called_by_its_name(tmp_path: Path) -> None:
    said = {
        "messageId": "m",
        "sender": "Harbour pilot",
        "model": "agent_x1",
        "text": "Hi",
        "isCreatedByUser": False,
    }

    one, _ = read_one(tmp_path, "librechat", {"conversationId": "c", "messages": [said]})

    assert spoken(one) == [("Harbour pilot", "Hi")]


def kobold(mode: int, actions: list[str], **settings: str) -> dict[str, Any]:
    """A story of Kobold Lite that was saved in one of its modes."""
    return {
        "gamestarted": True,
        "prompt": "",
        "actions": actions,
        "savedsettings": {"opmode": mode, **settings},
    }


PICTURE = f"[<|d|data:image/png;base64,{PNG}|d|>]"


def test_pictures_in_the_texts_of_kobold_are_images_of_their_messages(tmp_path: Path) -> None:
    signs = {"instruct_starttag": "### User:", "instruct_endtag": "### Model:"}
    said = f"### User: Paint{PICTURE}### Model: Here:\n{PICTURE}\nand [<|p|id7|p|>] [<|d|no end"
    one, facts = read_one(tmp_path, "kobold", kobold(4, ["### User: Hi ### Model: Ho", said], **signs))

    *_, yours, its = one.tree.nodes.values()
    assert isinstance(yours.content, Mixed)
    assert isinstance(its.content, Mixed)
    [picture] = one.media
    image, pending = Image(picture, "image/png", alt_text="image"), its.content.blocks[3]
    assert yours.content.blocks == (Text("Paint"), image)
    assert its.content.blocks[:3] == (Text("Here:"), image, Text("and"))
    assert its.content.blocks[4:] == (Text("[<|d|no end"),)
    assert isinstance(pending, Image)
    assert pending.alt_text == "image"
    assert [str(loss) for loss in facts.losses] == ["1 attached file is not in the file"]

    buffer, _ = read_one(tmp_path, "kobold", kobold(1, ["A hill. ", f" Rain.{PICTURE} Sun."]))
    assert buffer.tree.loom.mode == "buffer"
    assert "".join(map(verbatim, buffer.tree.nodes.values())) == "A hill.  Rain.[image: image] Sun."


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            kobold(
                3,
                ["\nEva: Hi", "\nBot: Hello", "\nEva: Bye\nBot:", " See you."],
                chatname="Eva",
                chatopponent="Bot",
            ),
            [("You", "Hi"), ("Bot", "Hello"), ("You", "Bye"), ("Bot", "See you.")],
        ),
        (
            kobold(3, ["\nEva: Hi", "\nAda: One", "\nBob: Two"], chatname="Eva", chatopponent="Ada||$||Bob"),
            [("You", "Hi"), ("Ada", "One"), ("Bob", "Two")],
        ),
        (
            kobold(
                4,
                [
                    "\n### Instruction:\nHi\n### Response:\n",
                    "Hello",
                    "\n### Instruction:\nMore\n### Response:\n",
                    "Sure",
                ],
                instruct_starttag="\n### Instruction:\n",
                instruct_endtag="\n### Response:\n",
            ),
            [("You", "Hi"), ("Model", "Hello"), ("You", "More"), ("Model", "Sure")],
        ),
        (
            kobold(2, ["A cave.", "\n\n> go north\n\n", "You go north."]),
            [("You", "A cave."), ("You", "\n\n> go north\n\n"), ("Model", "You go north.")],
        ),
        (kobold(3, ["Once", " upon: a time"]), [("You", "Once"), ("Model", " upon: a time")]),
    ],
    ids=["chat", "group", "instruct", "adventure", "no chat"],
)
def test_who_speaks_in_a_story_of_kobold_follows_from_its_settings(
    tmp_path: Path, item: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    one, _ = read_one(tmp_path, "kobold", item)

    assert spoken(one) == expected
    before, _ = read_one(tmp_path, "kobold", {**item, "savedsettings": {}})
    is_buffer = one.tree.loom.mode == "buffer"
    assert (before.tree.loom.id == one.tree.loom.id) == is_buffer, "a buffer and a dialogue are no one tree"


def test_a_session_of_mikupad_without_an_endpoint_is_known_by_its_text(tmp_path: Path) -> None:
    chunks = [{"type": "user", "content": "Once"}, {"content": " upon"}]
    note = json.dumps({"text": "Be brief"})

    one, facts = read_one(tmp_path, "mikupad", {"prompt": json.dumps(chunks), "authorNoteTokens": note})

    assert spoken(one) == [("You", "Once"), ("Model", " upon")]
    assert [str(loss) for loss in facts.losses] == ["the author's note is kept, not sent"]


def test_words_of_a_card_that_are_not_sent_are_told(tmp_path: Path) -> None:
    data = {**chats.card_v2()["data"], "post_history_instructions": "Stay.", "group_only_greetings": ["All!"]}

    _, facts = read_one(tmp_path, "character-card", {"spec": "chara_card_v3", "data": data})

    told = [str(loss) for loss in facts.losses]
    assert told[-2:] == [
        "the instructions after the chat are kept, not sent",
        "greetings for groups are kept, not used",
    ]


def test_a_card_is_found_in_a_picture_whatever_the_case_of_its_keyword(tmp_path: Path) -> None:
    data = chats.card_png(chats.card_v2()).replace(b"tEXtchara", b"tEXtChara")

    assert read_one(tmp_path, "character-card", data)[0].tree.loom.title == chats.card_v2()["data"]["name"]
