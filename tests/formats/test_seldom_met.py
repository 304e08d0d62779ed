"""Files of chat programs as they are seldom met: parts beside texts, ids that are numbers, odd names."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import cast

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import AttachedDocument, Image, Mixed, ToolResult
from loomapp.formats import foreign_json
from loomapp.formats.importer import Damaged
from loomapp.formats.registry import detect, known_kind
from loomapp.formats.sources import open_source
from tests.kit.exports import chats, looms
from tests.kit.exports.chats import PNG, as_lines
from tests.kit.exports.newer import code_line
from tests.kit.exports.reading import agents, findings, read_one, shape, texts, write


def test_what_a_tool_of_claude_says_beside_its_text_is_kept(tmp_path: Path) -> None:
    hit = {"type": "knowledge", "title": "Tides", "url": "https://example.org/t", "text": "The moon."}
    parts = [{"type": "tool_result", "tool_use_id": "t", "content": [hit]}, {"type": "text", "text": "So."}]
    message = chats.claude_message("m", "assistant", "", content=parts)

    one, _ = read_one(tmp_path, "claude", [{"uuid": "c", "name": "n", "chat_messages": [message]}])

    content = one.tree.nodes["m"].content
    assert isinstance(content, Mixed)
    assert isinstance(content.blocks[0], ToolResult)
    assert content.blocks[0].text == "The moon."
    assert "https://example.org/t" in repr(content.blocks[0].extra)


def test_a_tool_result_that_is_text_alone_is_not_kept_twice(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "claude", chats.claude())

    content = one.tree.nodes["m3"].content
    assert isinstance(content, Mixed)
    assert not content.blocks[2].extra


def test_pictures_that_a_tool_of_claude_code_gives_come_in(tmp_path: Path) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
    parts = [{"type": "text", "text": "a screen"}, {"type": "image", "source": source}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": parts}]
    lines = [code_line("a", None, "user", "Look"), code_line("r", "a", "user", result)]

    one, _ = read_one(tmp_path, "claude-code", as_lines(*lines))

    content = one.tree.nodes["r"].content
    assert isinstance(content, Mixed)
    assert [type(block) for block in content.blocks] == [ToolResult, Image]
    assert list(one.media.values()) == [PNG]
    assert agents(one)["r"] == ("tool", "model")


def test_a_session_may_begin_with_many_summaries(tmp_path: Path) -> None:
    summaries = [{"type": "summary", "summary": f"Part {n}", "leafUuid": "x"} for n in range(90)]

    one, _ = read_one(tmp_path, "claude-code", as_lines(*summaries, code_line("a", None, "user", ["Hi"])))

    assert shape(one.tree) == {"a": (None, "Hi")}


def test_ids_of_claude_may_be_numbers(tmp_path: Path) -> None:
    messages = [
        chats.claude_message(cast(str, 1), "human", "A", None),
        chats.claude_message(cast(str, 2), "assistant", "B", cast(str, 1)),
        chats.claude_message(cast(str, 3), "assistant", "C", cast(str, 1)),
    ]

    one, _ = read_one(tmp_path, "claude", [{"uuid": 9, "name": "n", "chat_messages": messages}])

    assert shape(one.tree) == {"1": (None, "A"), "2": ("1", "B"), "3": ("1", "C")}


def test_summaries_of_thoughts_are_kept(tmp_path: Path) -> None:
    part = {"type": "thinking", "thinking": "", "summaries": [{"summary": "Weighs it."}]}
    message = chats.claude_message("m", "assistant", "", content=[part, {"type": "text", "text": "So."}])

    one, _ = read_one(tmp_path, "claude", [{"uuid": "c", "name": "n", "chat_messages": [message]}])

    assert "Weighs it." in repr(one.tree.nodes["m"].extra)


def test_the_words_of_a_document_of_open_webui_come_with_it(tmp_path: Path) -> None:
    value = chats.open_webui()
    file = {"id": "f1", "filename": "b.pdf", "hash": "h", "data": {"content": "All its words."}}
    value[0]["chat"]["history"]["messages"]["u1"]["files"] = [{"type": "file", "name": "b.pdf", "file": file}]

    one, facts = read_one(tmp_path, "open-webui", value)

    content = one.tree.nodes["u1"].content
    assert isinstance(content, Mixed)
    document = content.blocks[0]
    assert isinstance(document, AttachedDocument)
    assert (document.name, document.text) == ("b.pdf", "All its words.")
    assert "hash" in repr(document.extra)
    assert not any("attached" in str(loss) for loss in facts.losses)


def test_a_chat_of_a_group_needs_no_header(tmp_path: Path) -> None:
    lines = [
        chats.tavern_line("Aria", "Hi"),
        chats.tavern_line("You", "Hello"),
        chats.tavern_line("Bo", "Hm"),
    ]

    one, _ = read_one(tmp_path, "sillytavern", as_lines(*lines))

    assert texts(one.tree) == {"Hi": None, "Hello": "Hi", "Hm": "Hello"}


@pytest.mark.parametrize("data", ["!", base64.b64encode(b"[]").decode()])
def test_a_sound_card_beside_a_damaged_one_is_read(tmp_path: Path, data: str) -> None:
    picture = chats.card_png(chats.card_v2())
    damaged = chats.chunk(b"tEXt", b"ccv3\0" + data.encode())
    at = picture.index(b"tEXt") - 4

    one, _ = read_one(tmp_path, "character-card", picture[:at] + damaged + picture[at:])

    assert one.tree.loom.title == "Aria"


def test_a_number_that_nobody_could_hold_costs_no_conversation(tmp_path: Path) -> None:
    first, _ = chats.claude()
    data = as_lines([{**first, "odd": 0}]).replace(b'"odd": 0', b'"odd": ' + b"9" * 5_000)

    one, _ = read_one(tmp_path, "claude", data)

    assert len(shape(one.tree)) == 5


@pytest.mark.parametrize("name", ["²", "1²3.json"])
def test_a_file_may_have_a_small_two_in_its_name(tmp_path: Path, name: str) -> None:
    assert findings(write(tmp_path / name, chats.claude()), "claude")


@pytest.mark.parametrize(
    "part", ["<details ", '<details type="reasoning">', '<details type="reasoning"><summary>']
)
def test_thoughts_that_never_end_take_no_time(tmp_path: Path, part: str) -> None:
    value = chats.open_webui()
    said = part * 6_000
    value[0]["chat"]["history"]["messages"]["a1"]["content"] = said

    one, _ = read_one(tmp_path, "open-webui", value)

    assert one.tree.nodes["a1"].text == said


QUESTION, ANSWER = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text"}]}


@pytest.mark.parametrize(
    "value",
    [
        [QUESTION, ANSWER],
        {"system": "Be kind.", "messages": [QUESTION, ANSWER]},
        as_lines({"messages": [QUESTION, ANSWER]}, {"messages": [QUESTION]}),
    ],
)
def test_messages_for_a_model_are_named_with_a_remedy(tmp_path: Path, value: object) -> None:
    with open_source(write(tmp_path / "a file", value)) as source:
        assert detect(source) is None
        said = str(known_kind(source))

    assert "messages for OpenAI or Anthropic" in said
    assert "take the Loom JSON" in said


def test_a_speaker_that_is_no_text_is_no_message_for_a_model(tmp_path: Path) -> None:
    with open_source(write(tmp_path / "a file", [{"role": ["user"], "content": "Hi"}])) as source:
        assert known_kind(source) is None


@pytest.mark.parametrize("value", [looms.mikupad(), looms.mikupad_database()])
def test_a_story_of_mikupad_may_be_longer_than_what_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: dict[str, object]
) -> None:
    monkeypatch.setattr(foreign_json, "MOST_SAMPLE_BYTES", 4096)
    long = [{"type": "user", "content": "Once"}, *({"content": f" {n}", "prob": 0.5} for n in range(900))]
    if "Sessions" in value:
        value = {"Sessions": [{"key": 0, "value": {"prompt": long}}], "Names": [], "Templates": []}
    else:
        value = {"prompt": json.dumps(long), **{key: one for key, one in value.items() if key != "prompt"}}

    one, _ = read_one(tmp_path, "mikupad", value)

    assert [text for text in texts(one.tree) if text.startswith("Once")]


@pytest.mark.parametrize("end", [', "x": }', "\n{"])
def test_the_fault_of_a_file_in_a_zip_names_the_file(tmp_path: Path, end: str) -> None:
    message = chats.claude_message("m", "human", "Hi")
    talk = json.dumps({"uuid": "c", "name": "n", "chat_messages": [message]})
    whole = f'{{"conversations": [{talk}]{end}' if "x" in end else talk + end
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("talks.json", whole)

    try:
        told = [str(one.reason) for one in findings(tmp_path / "a.zip") if isinstance(one, Damaged)]
    except InvalidInput as error:
        told = [error.message]

    assert told[0].startswith(("talks.json: ", "talks.json, line 2: "))


def _gpt(key: str, children: list[str]) -> dict[str, object]:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [key]}}
    return {"id": key, "children": children, "message": message}


_LISTED = {"q": ["a", "b"], "a": [], "b": ["c"], "c": []}
_OPEN_WEBUI = {key: {"role": "user", "content": key, "childrenIds": below} for key, below in _LISTED.items()}
WITHOUT_PARENTS: dict[str, object] = {
    "chatgpt": [{"id": "t", "mapping": {key: _gpt(key, below) for key, below in _LISTED.items()}}],
    "open-webui": {"id": "t", "chat": {"history": {"messages": _OPEN_WEBUI}}},
    "exoloom": {
        "loomType": "Exoloom",
        "tree": {"nodes": {key: {"content": key, "childrenIds": below} for key, below in _LISTED.items()}},
    },
    "helm": {
        "rootId": "q",
        "currentNodeId": "c",
        "nodes": [{"id": key, "text": key, "childIds": below} for key, below in _LISTED.items()],
    },
    "miniloom": {
        "nodeStore": {
            key: {"children": below, "patch": [{"diffs": [[1, key]], "start2": 9}]}
            for key, below in _LISTED.items()
        }
    },
}


@pytest.mark.parametrize("name", WITHOUT_PARENTS)
def test_where_no_parents_are_named_children_are_believed(name: str, tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, name, WITHOUT_PARENTS[name])

    assert {key: above for key, (above, _) in shape(one.tree).items()} == {
        "q": None,
        "a": "q",
        "b": "q",
        "c": "b",
    }
