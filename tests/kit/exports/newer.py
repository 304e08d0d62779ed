"""Files as the newest versions of their programs write them: messages in parts, media, calls of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.kit.exports import chats

CODE = {"sessionId": "cc", "isSidechain": False}
FOLDED = (
    'Let me look.\n<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n'
    "&gt; a plan\n</details>\n"
    '<details type="tool_calls" done="true" id="c1" name="weather" '
    'arguments="&quot;{\\&quot;city\\&quot;: \\&quot;Bern\\&quot;}&quot;" '
    'result="&quot;21 &amp;deg;&quot;" files="" embeds="&quot;&quot;">\n<summary>Tool Executed</summary>\n'
    "</details>\n"
    '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;294&quot;}">\n'
    "<summary>Analyzed</summary>\n```python\nprint(21 + 273)\n```\n</details>\n"
)
WARM = "It is <b>warm</b>. <details><summary>More</summary>No.</details>"
OUTPUT = [
    {"type": "message", "content": [{"type": "output_text", "text": "Let me look."}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "a plan"}], "content": []},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Bern"}'},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "21 &deg;"}]},
    {
        "type": "open_webui:code_interpreter",
        "id": "i",
        "code": "print(21 + 273)",
        "output": {"stdout": "294"},
    },
    {"type": "message", "content": [{"type": "output_text", "text": WARM}]},
]


def code_line(uuid: str, parent: str | None, kind: str, content: Any) -> dict[str, Any]:
    """A line of Claude Code."""
    about = {**CODE, "type": kind, "uuid": uuid, "parentUuid": parent}
    return {**about, "message": {"role": kind, "content": content}}


def code_part(uuid: str, parent: str, *blocks: Any, answer: str = "msg_1", **more: Any) -> dict[str, Any]:
    """A block of an answer of Claude Code, on a line of its own."""
    line = code_line(uuid, parent, "assistant", list(blocks))
    return {**line, "message": {**line["message"], "id": answer, "model": "claude-x"}, **more}


def code_call(name: str) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": name}}


def code_result(uuid: str, parent: str, call: str) -> dict[str, Any]:
    """The line with the result of a call."""
    result = {"type": "tool_result", "tool_use_id": call, "content": f"text of {call}"}
    return {**code_line(uuid, parent, "user", [result]), "toolUseResult": {"file": call}}


def claude_code() -> list[Any]:
    """A session with two calls at once, a line that is no message between, and an answer made anew."""
    return [
        code_line("u", None, "user", "Compare a and b"),
        code_part("t", "u", {"type": "thinking", "thinking": "Both.", "signature": "s"}),
        code_part("a", "t", code_call("a"), requestId="r1"),
        code_part("b", "a", code_call("b"), requestId="r1"),
        code_result("ra", "a", "a"),
        {**CODE, "type": "progress", "uuid": "p", "parentUuid": "b"},
        code_result("rb", "p", "b"),
        code_part("c", "rb", {"type": "text", "text": "The same."}, answer="msg_2"),
        code_part("d", "ra", {"type": "text", "text": "Not the same."}, answer="msg_3"),
    ]


def open_webui(**message: Any) -> list[Any]:
    """A chat of Open WebUI with one answer."""
    asked = {"id": "u", "parentId": None, "childrenIds": ["a"], "role": "user", "content": "How warm is it?"}
    answer = {"id": "a", "parentId": "u", "childrenIds": [], "role": "assistant", "model": "m", **message}
    history = {"currentId": "a", "messages": {"u": asked, "a": answer}}
    return [{"id": "c", "title": "Warmth", "chat": {"history": history}}]


def design_chat() -> dict[str, Any]:
    """A design chat of Claude.ai, as newer exports have one in a file of its own."""
    pasted = {"type": "text", "name": "pasted", "content": "a note"}
    asked = {"role": "user", "kind": "chat", "content": "Make it blue", "attachments": [pasted]}
    between = {"id": "i", "role": "user", "content": "The footer, too", "timestamp": "2026-04-01T10:02:00Z"}
    call = {"id": "t", "name": "write", "input": {"path": "a"}, "output": "ok"}
    blocks = [
        {"type": "thinking", "text": "Blue."},
        {"type": "text", "text": "Done."},
        {"type": "tool_call", "toolCall": call},
        {"type": "user_interjection", "message": between},
        {"type": "error", "message": "Stream ended"},
    ]
    question = {"role": "assistant", "kind": "question-record", "content": "", "questionRecord": {"v": 1}}
    rows = [("u", "user", asked), ("a", "assistant", {"role": "assistant", "contentBlocks": blocks})]
    return {
        "uuid": "d",
        "title": "Packaging",
        "project": {"uuid": "p", "name": "Boxes"},
        "messages": [
            {"uuid": key, "role": role, "content": content, "created_at": "2026-04-01T10:00:00Z"}
            for key, role, content in (*rows, ("q", "assistant", question))
        ],
    }


def librechat() -> dict[str, Any]:
    """A conversation of LibreChat with a call in each of the forms that it has had."""
    ran = {"input": "1", "outputs": [{"logs": "2"}]}
    calls: list[dict[str, Any]] = [
        {"id": "a", "name": "look", "args": '{"at": "boat"}', "output": "seen", "type": "tool_call"},
        {"id": "b", "type": "function", "function": {"name": "ask", "arguments": "{}", "output": "told"}},
        {"id": "c", "type": "code_interpreter", "code_interpreter": ran},
    ]
    parts = [{"type": "tool_call", "tool_call": call} for call in calls]
    message = {**chats.librechat_message("m", None, ""), "content": parts}
    return {"conversationId": "c", "title": "t", "messages": [message]}


def kobold() -> dict[str, Any]:
    """A story in which one instructs a model, with a text that was edited and one other way."""
    asked = "\n{{[INPUT]}}\nName my boat\n{{[OUTPUT]}}\n"
    edited = "Or Tern.{{[OUTPUT_END]}}\n{{[INPUT]}}\nShorter{{[INPUT_END]}}{{[OUTPUT]}}Auk."
    return {
        "gamestarted": True,
        "prompt": "{{[SYSTEM]}}Be brief.{{[SYSTEM_END]}}" + asked,
        "actions": ["Gull.", edited],
        "altbranches": [None, ["Tern."]],
    }


NEWER: Mapping[str, object] = {
    "claude": design_chat(),
    "open-webui": open_webui(content=FOLDED + WARM, output=OUTPUT),
    "librechat": librechat(),
    "kobold": kobold(),
    "claude-code": claude_code(),
}
