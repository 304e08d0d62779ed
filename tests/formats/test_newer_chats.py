"""Files of chat programs as their newest versions write them: messages in parts, media, calls of tools."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.model.content import Mixed, ToolResult, ToolUse
from loomapp.formats.importer import Damaged, Found
from tests.kit import chatgpt_exports as exports
from tests.kit.exports import chats, newer
from tests.kit.exports.chats import PNG, as_lines
from tests.kit.exports.newer import CODE, FOLDED, OUTPUT, WARM, code_line, code_part
from tests.kit.exports.reading import agents, findings, read_one, shape, write


def above(one: Any) -> dict[str, str | None]:
    return {key: parent for key, (parent, _) in shape(one.tree).items()}


def kept_of(one: Any, node_id: str) -> Any:
    return one.tree.nodes[node_id].extra["claude-code"]


def test_calls_at_once_of_claude_code_are_one_message_and_their_results_the_next(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "claude-code", as_lines(*newer.claude_code()))

    assert above(one) == {"u": None, "t": "u", "ra": "t", "c": "ra", "d": "ra"}
    assert facts.branches == 2
    asked, answered = one.tree.nodes["t"].content, one.tree.nodes["ra"].content
    assert isinstance(asked, Mixed)
    assert isinstance(answered, Mixed)
    assert [block.id for block in asked.blocks if isinstance(block, ToolUse)] == ["a", "b"]
    assert [block.text for block in answered.blocks if isinstance(block, ToolResult)] == [
        "text of a",
        "text of b",
    ]
    assert kept_of(one, "t")["lines"] == [{"uuid": "a", "requestId": "r1"}, {"uuid": "b", "requestId": "r1"}]
    assert kept_of(one, "ra")["lines"] == [{"uuid": "rb", "toolUseResult": {"file": "b"}}]
    assert one.tree.path.leaf_id == "d"


def test_an_answer_of_claude_code_that_came_twice_is_there_once(tmp_path: Path) -> None:
    text = {"type": "text", "text": "Yes."}
    lines = [
        code_line("u", None, "user", "Well?"),
        code_part("a", "u", text),
        code_part("again", "u", text),
        code_line("v", "again", "user", "Good"),
        {**CODE, "type": "last-prompt", "leafUuid": "again", "explicit": True},
    ]

    one, _ = read_one(tmp_path, "claude-code", as_lines(*lines))

    assert above(one) == {"u": None, "a": "u", "v": "a"}
    assert one.tree.nodes["a"].text == "Yes."
    assert one.tree.path.leaf_id == "a"


def test_what_was_typed_while_claude_code_worked_comes_in_and_the_rest_beside_is_told(tmp_path: Path) -> None:
    def beside(uuid: str, parent: str, **about: Any) -> dict[str, Any]:
        return {**CODE, "type": "attachment", "uuid": uuid, "parentUuid": parent, "attachment": about}

    lines = [
        code_line("u", None, "user", "Begin"),
        beside("s", "u", type="skill_listing", content="-"),
        code_part("a", "s", {"type": "text", "text": "Begun."}),
        beside("q", "a", type="queued_command", commandMode="prompt", prompt="Also look at b"),
        beside("n", "q", type="queued_command", commandMode="task-notification", prompt="done"),
        code_part("b", "n", {"type": "text", "text": "API Error"}, answer="msg_2", isApiErrorMessage=True),
    ]
    lines[-1]["message"]["model"] = "<synthetic>"

    one, facts = read_one(tmp_path, "claude-code", as_lines(*lines))

    assert above(one) == {"u": None, "a": "u", "q": "a", "b": "q"}
    assert one.tree.nodes["q"].text == "Also look at b"
    assert agents(one)["q"][1] == "human"
    assert agents(one)["b"] == ("Claude Code", "model")
    assert one.tree.nodes["b"].interrupted is not None
    assert [str(loss) for loss in facts.losses] == [
        "2 × what the model was told beside the messages is not read (skill_listing, queued_command)"
    ]


def test_a_helper_of_claude_code_is_a_tree_of_its_own(tmp_path: Path) -> None:
    lines = [
        {**code_line("u", None, "user", "Search"), "isSidechain": True, "agentId": "x1"},
        code_part("a", "u", {"type": "text", "text": "Found."}, isSidechain=True, agentId="x1"),
    ]

    one, _ = read_one(tmp_path, "claude-code", as_lines(*lines))

    assert one.tree.loom.id == "cc-x1"
    assert one.tree.path.leaf_id == "a"


NAMELESS = '<details type="tool_calls"><summary>Tool Executed</summary>"21"</details>'


@pytest.mark.parametrize(
    "message",
    [
        {"content": FOLDED + WARM},
        {"content": "", "output": OUTPUT},
        {"content": f"Let me look.\n{WARM}", "output": OUTPUT},
        {"content": f"Let me look.\n{NAMELESS}{WARM}", "output": OUTPUT},
    ],
)
def test_calls_of_tools_of_open_webui_are_calls_wherever_they_stand(tmp_path: Path, message: Any) -> None:
    one, facts = read_one(tmp_path, "open-webui", newer.open_webui(**message))

    content = one.tree.nodes["a"].content
    assert isinstance(content, Mixed)
    assert [getattr(block, "text", None) or getattr(block, "input", None) for block in content.blocks] == [
        "Let me look.",
        {"city": "Bern"},
        "21 &deg;",
        {"code": "print(21 + 273)"},
        "294",
        WARM,
    ]
    calls = [block.id for block in content.blocks if isinstance(block, ToolUse)]
    assert calls == [block.tool_use_id for block in content.blocks if isinstance(block, ToolResult)]
    assert one.tree.nodes["a"].extra["reasoning"] == "a plan"
    assert not facts.losses


def test_a_call_of_open_webui_whose_answer_stands_in_its_body(tmp_path: Path) -> None:
    details = '<details type="tool_calls" done="true" id="c" name="bash" arguments="{}">\n'
    said = f"{details}<summary>Tool Executed</summary>\nusage: git &lt;command&gt;\n</details>\n"

    one, _ = read_one(tmp_path, "open-webui", newer.open_webui(content=said))

    content = one.tree.nodes["a"].content
    assert isinstance(content, Mixed)
    assert isinstance(content.blocks[1], ToolResult)
    assert content.blocks[1].text == "usage: git <command>"


def test_a_design_chat_of_claude_is_a_conversation(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "claude", newer.design_chat())

    assert above(one) == {"u": None, "a": "u", "i": "a", "i-after": "i", "q": "i-after"}
    assert one.tree.loom.title == "Packaging"
    assert {key: kind for key, (_, kind) in agents(one).items() if key in ("u", "a", "i")} == {
        "u": "human",
        "a": "model",
        "i": "human",
    }
    assert one.tree.nodes["a"].extra["reasoning"] == "Blue."
    answer = one.tree.nodes["a"].content
    assert isinstance(answer, Mixed)
    assert [type(block).__name__ for block in answer.blocks] == ["Text", "ToolUse", "ToolResult"]
    assert one.tree.nodes["i-after"].text == "Stream ended"
    assert [str(loss) for loss in facts.losses] == ["1 × “question-record” is kept, not shown"]


def test_a_newer_export_of_claude_has_a_folder_for_each_kind(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    for name, value in {
        "conversations/conversations-0000.json": chats.claude(),
        "design_chats/d.json": newer.design_chat(),
        "projects/p.json": {"uuid": "p", "name": "Boxes", "docs": []},
        "projects/q.json": {"uuid": "q", "name": "Bags", "docs": []},
        "memories 2/m.json": {"account_uuid": "m", "conversations_memory": "Likes blue."},
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, value)

    found = findings(folder, "claude")

    assert [one.title for one in found if isinstance(one, Found)][-1] == "Packaging"
    beside = [one.title for one in found if isinstance(one, Damaged) and one.is_beside]
    assert beside == ["memories 2/m.json", "projects/p.json"]


def test_media_of_sillytavern_come_in_with_their_message(tmp_path: Path) -> None:
    png = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    media = [
        {"url": png, "type": "image", "title": "a boat", "source": "generated"},
        {"url": "/user/images/Aria/b.png", "type": "image", "title": "a bay"},
        {"url": "/user/audio/c.mp3", "type": "audio"},
    ]
    files = [
        {"name": "log.txt", "text": "10:00 calm", "size": 10},
        {"name": "d.pdf", "url": "/user/files/d.pdf"},
    ]
    older = {"image": "/user/images/e.png", "image_swipes": ["/user/images/e.png", "/user/images/f.png"]}
    lines = [
        chats.tavern_header(),
        chats.tavern_line("Aria", "Look", extra={"media": media, "files": files, "media_display": "gallery"}),
        chats.tavern_line("Aria", "And here", extra=older),
    ]

    one, facts = read_one(tmp_path, "sillytavern", as_lines(*lines))

    new, old = (node.content for node in one.tree.nodes.values() if node.id != one.tree.root_id)
    assert isinstance(new, Mixed)
    assert isinstance(old, Mixed)
    assert [getattr(block, "alt_text", None) or getattr(block, "name", None) for block in new.blocks] == [
        "a boat",
        "b.png",
        "c.mp3",
        "log.txt",
        "d.pdf",
        None,
    ]
    assert [getattr(block, "alt_text", None) for block in old.blocks] == ["e.png", "f.png", None]
    assert list(one.media.values()) == [PNG]
    assert [str(loss) for loss in facts.losses] == ["5 attached files are not in the file"]


def test_calls_of_librechat_are_calls_in_each_of_their_forms(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "librechat", newer.librechat())

    content = one.tree.nodes["m"].content
    assert isinstance(content, Mixed)
    uses = [block for block in content.blocks if isinstance(block, ToolUse)]
    assert [(block.name, block.input) for block in uses] == [
        ("look", {"at": "boat"}),
        ("ask", {}),
        ("code_interpreter", "1"),
    ]
    assert [block.text for block in content.blocks if isinstance(block, ToolResult)] == ["seen", "told", "2"]


def test_a_session_of_pi_goes_on_where_it_says(tmp_path: Path) -> None:
    def entry(name: str, parent: str | None, role: str) -> dict[str, Any]:
        message = {"role": role, "content": name, "timestamp": 1}
        return {"type": "message", "id": name, "parentId": parent, "message": message}

    header = {"type": "session", "version": 3, "id": "s", "cwd": "/"}
    rows = [entry("u", None, "user"), entry("a", "u", "assistant"), entry("v", "a", "user")]

    one, _ = read_one(
        tmp_path, "pi", as_lines(header, *rows, {"type": "leaf", "id": "l", "parentId": "v", "targetId": "a"})
    )

    assert above(one) == {"u": None, "a": "u", "v": "a"}
    assert one.tree.path.leaf_id == "a"


def test_what_chatgpt_is_told_of_its_memory_is_hidden_and_no_node_if_empty(
    tmp_path: Path,
) -> None:
    def memory(text: str) -> dict[str, Any]:
        about = {"model_set_context": text, "repository": None, "repo_summary": None}
        return exports.said("assistant", kind="model_editable_context", content=about)

    folder = tmp_path / "export"
    folder.mkdir()
    value = exports.conversation(
        {
            "u": (None, exports.said("user", "Name my boat")),
            "m": ("u", memory("1. Builds boats.")),
            "n": ("m", memory("")),
            "a": ("n", exports.said("assistant", "Gull")),
        }
    )
    write(folder / "conversations-000.json", [value])
    write(folder / "group_chats.json", {"chats": [{"id": "g"}]})

    one, beside = findings(folder, "chatgpt")

    assert isinstance(one, Found)
    tree = one.load(None).tree
    assert {key: text for key, (_, text) in shape(tree).items()} == {
        "u": "Name my boat",
        "m": "1. Builds boats.",
        "a": "Gull",
    }
    assert tree.nodes["m"].metadata.excluded
    assert not one.facts().losses
    assert isinstance(beside, Damaged)
    assert beside.title == "group_chats.json"


def test_a_story_of_kobold_in_which_one_instructs_a_model_is_a_dialogue(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "kobold", newer.kobold())

    nodes = [node for node in one.tree.nodes.values() if node.id != one.tree.root_id]
    by = agents(one)
    assert [(by[node.id][0], node.text) for node in nodes] == [
        ("System", "Be brief."),
        ("You", "Name my boat"),
        ("Model", "Gull."),
        ("Model", "Or Tern."),
        ("You", "Shorter"),
        ("Model", "Auk."),
        ("Model", "Tern."),
    ]
    assert nodes[0].metadata.excluded
    assert one.tree.loom.mode == "dialogue"
    assert facts.branches == 2
    assert [str(note) for note in facts.notes] == ["1 hidden message → excluded"]


def test_a_tree_of_librechat_may_be_one_object(tmp_path: Path) -> None:
    message = {
        **chats.librechat_message("m", None, "Hi"),
        "children": [chats.librechat_message("n", "m", "Ho")],
    }

    one, _ = read_one(
        tmp_path, "librechat", {"conversationId": "c", "title": "t", "messages": {"children": [message]}}
    )

    assert above(one) == {"m": None, "n": "m"}


def test_a_document_of_claude_is_named_once(tmp_path: Path) -> None:
    parts = [{"type": "document", "file_uuid": name, "title": f"{name}.pdf"} for name in ("f", "g")]
    message = chats.claude_message("m", "human", "", content=[*parts, {"type": "text", "text": "Read"}])
    message["files"] = [{"file_uuid": "f", "file_name": "f.pdf"}]

    one, facts = read_one(tmp_path, "claude", [{"uuid": "c", "name": "n", "chat_messages": [message]}])

    content = one.tree.nodes["m"].content
    assert isinstance(content, Mixed)
    assert [getattr(block, "name", "") for block in content.blocks] == ["f.pdf", "g.pdf", ""]
    assert [str(loss) for loss in facts.losses] == ["2 attached files are not in the file"]
