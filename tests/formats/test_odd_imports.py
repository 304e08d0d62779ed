"""Files that are odd in one way each: ids that are there twice, quoted formats, numbers that are none."""

from __future__ import annotations

import io
import json
import re
import zipfile
from itertools import islice, product
from pathlib import Path
from typing import Any

import docx
import pytest

from loomapp.formats import sources
from loomapp.formats.foreign_values import kept
from loomapp.formats.importer import Damaged, Found
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.registry import detect
from loomapp.formats.sources import open_source
from tests.kit.chatgpt_exports import AT, boat, conversation, said
from tests.kit.exports import chats, looms
from tests.kit.exports.chats import as_lines
from tests.kit.exports.every import FOREIGN
from tests.kit.exports.reading import findings, read_as, read_one, shape, write

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


def claude_doubled() -> Any:
    said = [
        chats.claude_message("m", "human", "one"),
        chats.claude_message("m", "assistant", "two", "m"),
        chats.claude_message("m", "human", "one"),
    ]
    return [{"uuid": "c", "name": "n", "chat_messages": said}]


def pi_doubled() -> bytes:
    entries = [
        {"type": "message", "id": "m", "parentId": above, "message": {"role": "user", "content": text}}
        for above, text in ((None, "one"), ("m", "two"), (None, "one"))
    ]
    return as_lines({"type": "session", "version": 3, "id": "s", "cwd": "/"}, *entries)


def code_doubled() -> bytes:
    lines = [
        {
            "type": "user",
            "uuid": "m",
            "parentUuid": above,
            "sessionId": "s",
            "message": {"role": "user", "content": text},
        }
        for above, text in ((None, "one"), ("m", "two"), (None, "one"))
    ]
    return as_lines(*lines)


def librechat_doubled() -> Any:
    rows = ((None, "one"), ("m", "two"), (None, "one"))
    said = [chats.librechat_message("m", above, text) for above, text in rows]
    return {"conversationId": "c", "title": "n", "messages": said}


def helm_doubled() -> Any:
    nodes: list[dict[str, Any]] = [
        {"id": "m", "text": text, "parentId": above, "childIds": []}
        for above, text in ((None, "one"), ("m", "two"), (None, "one"))
    ]
    return {"id": "t", "name": "n", "rootId": "m", "currentNodeId": "m", "nodes": nodes}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("claude", claude_doubled()),
        ("pi", pi_doubled()),
        ("claude-code", code_doubled()),
        ("librechat", librechat_doubled()),
        ("helm", helm_doubled()),
    ],
)
def test_a_message_with_the_id_of_another_one_comes_in_and_is_told(
    name: str, value: Any, tmp_path: Path
) -> None:
    one, facts = read_one(tmp_path, name, value)

    assert shape(one.tree) == {"m": (None, "one"), "m-2": ("m", "two")}
    assert "1 message had the id of another one and got its own" in map(str, facts.notes)


def test_where_no_place_was_kept_the_newest_message_that_shows_is_read(tmp_path: Path) -> None:
    loom = looms.exoloom()
    loom["tree"]["nodes"]["3"]["createdAt"] = "2026-01-01T00:00:00Z"  # pruned
    told = {
        "q": (None, said("user", "q", at=AT)),
        "new": ("q", said("assistant", "new", at=AT + 2)),
        "old": ("q", said("assistant", "old", at=AT + 1)),
        "hidden": ("q", said("system", "x", at=AT + 3, is_visually_hidden_from_conversation=True)),
    }

    exoloom, _ = read_one(tmp_path, "exoloom", loom)
    chatgpt, _ = read_one(tmp_path, "chatgpt", [conversation(told, current_node="gone")])

    assert exoloom.tree.path.leaf_id == "1"
    assert chatgpt.tree.path.leaf_id == "new"


def test_what_a_chat_says_twice_is_kept_both_times(tmp_path: Path) -> None:
    owui = chats.open_webui()
    owui[0]["chat"] |= {"params": {"system": "Be brief."}, "system": "Be long."}
    swiped = {"name": "A", "mes": "b", "swipes": ["a", "b"], "swipe_id": 1, "extra": {"model": "m"}}
    swiped["swipe_info"] = [{}, {"extra": {"model": "m", "reasoning": "because"}}]
    code = json.loads(code_doubled().split(b"\n")[0])

    one, _ = read_one(tmp_path, "open-webui", owui)
    tavern, _ = read_one(
        tmp_path,
        "sillytavern",
        as_lines({"user_name": "Y", "character_name": "A", "chat_metadata": {}}, swiped),
    )
    named, _ = read_one(
        tmp_path,
        "claude-code",
        as_lines({"type": "custom-title", "customTitle": "Mine"}, {"type": "summary", "summary": "It"}, code),
    )

    assert one.tree.loom.system_context == "Be brief."
    assert "Be long." in json.dumps(one.tree.loom.extra)
    assert [node.extra.get("reasoning") for node in tavern.tree.nodes.values()] == [None, None, "because"]
    assert named.tree.loom.title == "Mine"


def test_what_shares_an_id_comes_in_once_in_whatever_order() -> None:
    found, renamed = with_own_ids([("m", it) for it in ("a", "b", "c", "b", "a", "c", "d")])

    assert (found, renamed) == ({"m": "a", "m-2": "b", "m-3": "c", "m-4": "d"}, 3)


def test_ids_that_differ_in_case_alone_have_short_ids_of_their_own(tmp_path: Path) -> None:
    cases = islice(product(*({it.lower(), it} for it in "01ARZ3NDEKTSV4RRFFQ69G5FAV")), 40)
    nodes = {"".join(case): {"text": "said", "parentId": None} for case in cases}

    imported, _ = read_one(tmp_path, "loomsidian", json.dumps({"current": "", "nodes": nodes}).encode())

    assert len({node.local_id.upper() for node in imported.tree.nodes.values()}) == 41


@pytest.mark.parametrize("depth", [1, 2_000])
def test_a_key_that_an_object_has_twice_loses_nothing(depth: int, tmp_path: Path) -> None:
    deep = "[" * depth + "]" * depth  # Python's own reader gives up on the second one
    first = json.dumps(looms.exoloom())
    again = first.replace('"childrenIds": [3]', f'"deep": {deep}, "childrenIds": [3]').replace(
        '"1": {', '"1": {"content": "other", "authorType": "LLM", "parentId": 0}, "1": {'
    )

    plain, _ = read_one(tmp_path, "exoloom", first.encode())
    both, _ = read_one(tmp_path, "exoloom", again.encode())

    assert set(shape(both.tree).values()) == {*shape(plain.tree).values(), ("0", "other")}


def test_one_conversation_of_chatgpt_comes_in_by_itself(tmp_path: Path) -> None:
    [alone] = findings(write(tmp_path / "one.json", boat()), "chatgpt")
    [listed] = findings(write(tmp_path / "list.json", [boat()]), "chatgpt")

    assert isinstance(alone, Found)
    assert isinstance(listed, Found)
    assert alone.facts() == listed.facts()
    assert shape(alone.load(None).tree) == shape(listed.load(None).tree)


def test_what_an_export_of_claude_holds_besides_is_told(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", json.dumps(chats.claude()))
        file.writestr("projects.json", json.dumps([{"uuid": "p", "name": "Book", "docs": []}]))
        file.writestr("memories.json", "[]")
        file.writestr("users.json", "[]")

    besides = [one for one in findings(path, "claude") if isinstance(one, Damaged) and one.is_beside]

    [projects] = besides
    assert projects.title == "projects.json"
    assert "known and not read" in projects.reason


@pytest.mark.parametrize(
    "text",
    [
        'Write this:\n\n```json\n{"format": "loom-json", "version": 1}\n```\n',
        '[{"uuid": "c", "chat_messages": [], "format": "loom-json"}]',
        '{"note": {"format": "loom-json"}, "other": 1}',
        '{"text": "it says \\"format\\": \\"loom-json\\""}',
    ],
)
def test_a_file_that_only_quotes_loom_json_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text)

    with open_source(tmp_path / "a") as source:
        found = detect(source)

    assert found is None or found.importer.name != "loom-json"


def test_loom_json_may_name_its_format_last_and_behind_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(
        b'\xef\xbb\xbf\n{"tree": {"mode": "buffer"}, "nodes": [], "format" : "loom-json"}'
    )

    with open_source(tmp_path / "a") as source:
        found = detect(source)

    assert found is not None
    assert found.importer.name == "loom-json"


def test_keys_of_the_keyboard_are_kept_and_keys_of_access_are_not() -> None:
    tags = {"bookmark": {"toggle_key": "b", "sort_key": "name"}, "endpoint_key": "sk-abcdef123456"}

    assert kept({"tags": tags, "api_key": "x", "my_key": "0123456789abcdef"}) == {
        "tags": {"bookmark": {"toggle_key": "b", "sort_key": "name"}}
    }


def test_numbers_that_are_none_are_read_at_any_depth(tmp_path: Path) -> None:
    deep: Any = looms.pyloom_simple()
    text = json.dumps(deep)[:-1] + ', "meta": {"score": NaN, "said": "a NaN \\" -Infinity"}}'
    for depth in (1, 5_000):
        nested = text
        for _ in range(depth):
            nested = '{"text": "x", "children": [' + nested + "]}"
        [found] = read_as(tmp_path, "pyloom", nested.encode())
        assert isinstance(found, Found)
        assert len(found.load(None).tree.nodes) > depth


# KoboldAI


def united(**more: Any) -> dict[str, Any]:
    actions = {
        "0": {"Selected Text": " Once", "Options": [{"text": " Never", "Previous Selection": True}]},
        "1": {"Selected Text": " more", "Options": []},
        "2": {"Selected Text": " taken back", "Options": [{"text": " or this"}]},
    }
    story = {"action_count": 1, "actions": actions}
    return {"gamestarted": True, "prompt": "It was night.", "actions": story, **more}


def test_a_story_of_koboldai_united_comes_in_with_its_choices(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "kobold", united())

    tree = one.tree
    texts = {node.text: node_id for node_id, node in tree.nodes.items()}
    above = {text: shape(tree)[node_id][0] for text, node_id in texts.items() if node_id != tree.root_id}
    assert above[" more"] == texts[" Once"]
    assert above[" Once"] == above[" Never"] == texts["It was night."]
    assert above[" taken back"] == above[" or this"] == texts[" more"]
    assert tree.nodes[tree.path.leaf_id].text == " more"
    assert not facts.losses


@pytest.mark.parametrize(
    "actions", [{}, {"actions": {"0": None, "x": 1}}, {"action_count": "n", "actions": []}]
)
def test_a_story_of_koboldai_with_odd_actions_keeps_its_prompt(actions: Any, tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "kobold", united(actions=actions))

    assert "It was night." in {node.text for node in one.tree.nodes.values()}


# Word


def document(*, strict: bool = False, notes: bool = False) -> bytes:
    made = docx.Document()
    made.add_heading("One", level=1)
    made.add_paragraph("The lamp was lit.")
    plain, data = io.BytesIO(), io.BytesIO()
    made.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(data, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part.replace(W.encode(), STRICT.encode()) if strict else part)
        if notes:
            said = "<w:p><w:r><w:t>A note</w:t></w:r></w:p>"
            line = '<w:footnote w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
            feet = f'<w:footnotes xmlns:w="{W}">{line}<w:footnote w:id="1">{said}</w:footnote></w:footnotes>'
            new.writestr("word/footnotes.xml", feet)
            talk = f'<w:comments xmlns:w="{W}">' + 2 * f'<w:comment w:id="1">{said}</w:comment>'
            new.writestr("word/comments.xml", talk + "</w:comments>")
    return data.getvalue()


def test_notes_and_comments_of_a_document_are_told(tmp_path: Path) -> None:
    _, facts = read_one(tmp_path, "docx", document(notes=True))

    told = list(map(str, facts.losses))
    assert "1 footnote is left out" in told
    assert "2 comments are left out" in told


def test_a_strict_document_is_read_as_any_other(tmp_path: Path) -> None:
    strict, _ = read_one(tmp_path, "docx", document(strict=True))
    usual, _ = read_one(tmp_path, "docx", document())

    assert shape(strict.tree) == shape(usual.tree)
    assert any("lamp" in node.text for node in strict.tree.nodes.values())


def test_a_text_of_claude_that_is_not_its_content_is_kept_and_told(tmp_path: Path) -> None:
    def said(text: str, *content: Any) -> dict[str, Any]:
        return {"uuid": text[:4], "sender": "assistant", "text": text, "content": list(content)}

    thought, word = {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Four\n legs."}
    block = "```\nThis block is not supported on your current device yet.\n```"
    messages = [
        said(f"Hm.\n\n{block}\n\nFour legs.", thought, {"type": "tool_use", "name": "x"}, word),
        said("Alone."),
        said("Other words.", word),
    ]
    export = [{"uuid": "c", "name": "T", "chat_messages": messages}]

    one, facts = read_one(tmp_path, "claude", export)

    assert [str(loss) for loss in facts.losses] == ["1 × “text beside other content” is kept, not shown"]
    extras = [node.extra["claude"] for node in one.tree.nodes.values() if "claude" in node.extra]
    assert extras == [{"text": "Other words."}]


def test_lines_of_claude_code_that_nobody_knows_are_told_if_they_hold_a_message(tmp_path: Path) -> None:
    def line(kind: str, **more: Any) -> dict[str, Any]:
        return {"parentUuid": None, "sessionId": "s", "type": kind, **more}

    lines = [
        line("user", uuid="1", message={"role": "user", "content": "Hi"}),
        line("oracle", uuid="2", message={"role": "oracle", "content": "Hum"}),
        line("oracle", message={"role": "oracle", "content": "Hum"}),
        line("file-history-snapshot", snapshot={}),
    ]

    _, facts = read_one(tmp_path, "claude-code", as_lines(*lines))

    assert [str(loss) for loss in facts.losses] == ["2 × “oracle” that holds a message is not read"]


@pytest.mark.parametrize("name", [None, 7, "You"])
def test_a_header_of_sillytavern_keeps_its_metadata_whoever_its_user_is(name: Any, tmp_path: Path) -> None:
    _, *turns = chats.tavern_main()
    header = {"user_name": name, "chat_metadata": {"scenario": "A boat."}}

    one, facts = read_one(tmp_path, "sillytavern", as_lines(header, *turns))

    assert one.tree.loom.system_context == "A boat."
    assert not facts.losses


def test_messages_of_one_id_are_told_apart_however_deep_they_are(tmp_path: Path) -> None:
    deep = "[" * 3_000 + "]" * 3_000
    part = {"type": "tool_use", "id": "t", "name": "x", "input": {"v": "deep", "no": float("nan")}}
    said = chats.claude_message("m", "assistant", "") | {"content": [{"type": "text", "text": "a"}, part]}
    other = said | {"content": [{"type": "text", "text": "b"}, part]}
    text = json.dumps({"uuid": "c", "name": "n", "chat_messages": [said, other]})
    file = tmp_path / "deep.json"
    file.write_text(text.replace('"deep"', deep))

    (found,) = findings(file)

    assert isinstance(found, Found)
    assert len(found.facts().node_ids) >= 2


@pytest.mark.parametrize(
    ("name", "key"),
    [("exoloom", "authorType"), ("exoloom", "createdAt"), ("pyloom", "source"), ("miniloom", "timestamp")],
)
def test_a_word_or_a_time_may_be_something_as_deep_as_it_likes(name: str, key: str, tmp_path: Path) -> None:
    text = FOREIGN[name].decode()
    deep = f'"{key}": ' + "[" * 3_000 + "]" * 3_000
    odd = re.sub(rf'"{key}": *(?:"[^"]*"|[0-9.]+)', deep, text)
    assert odd != text

    as_usual, _ = read_one(tmp_path, name, text.encode())
    one, _ = read_one(tmp_path, name, odd.encode())

    assert len(one.tree.nodes) == len(as_usual.tree.nodes)


def test_a_list_whose_first_item_is_long_is_recognised_by_how_that_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "FEW_BYTES", 200)
    for name, value in (
        ("chatgpt", [boat()]),
        ("claude", chats.claude()),
        ("open-webui", chats.open_webui()),
    ):
        assert findings(write(tmp_path / name, value), name)
