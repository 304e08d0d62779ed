"""Exports of chat programs: each with branches, edits, hidden messages, missing keys and odd characters."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

ODD = "naïve 🙂 \u202eabc\u00a0 Ω"
NO_PARENT = "00000000-0000-4000-8000-000000000000"
PNG = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DATA_URL = "data:image/png;base64," + base64.b64encode(PNG).decode()


def claude_message(uuid: str, sender: str, text: Any, parent: str | None = NO_PARENT, **more: Any) -> Any:
    """One message of a Claude.ai export."""
    content = [{"type": "text", "text": text, "start_timestamp": None, "flags": None, "citations": []}]
    message = {"uuid": uuid, "sender": sender, "text": text, "content": content}
    return {**message, "created_at": "2026-01-01T00:00:00Z", "parent_message_uuid": parent, **more}


def claude() -> list[Any]:
    """A question that was edited, an answer made anew, thoughts, a tool, files; one without messages."""
    tools = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Look:"},
        {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "x"}},
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "found"}]},
        {"type": "text", "text": "Done."},
    ]
    pasted = {"file_name": "", "file_type": "txt", "file_size": 4, "extracted_content": "pasted"}
    messages = [
        claude_message("m1", "human", "Hi", created_at="2026-01-01T00:00:01Z"),
        claude_message("m2", "assistant", "Hello", "m1", created_at="2026-01-01T00:00:02Z"),
        claude_message("m3", "assistant", "", "m1", content=tools, created_at="2026-01-01T00:00:03Z"),
        claude_message("m4", "human", f"Edited {ODD}", created_at="2026-01-01T00:00:04Z"),
        claude_message(
            "m5",
            "human",
            "",
            "m3",
            content=[],
            attachments=[pasted],
            files=[{"file_name": "a.png"}],
            created_at="2026-01-01T00:00:05Z",
            odd_key={"kept": [1, None]},
        ),
        None,
    ]
    first = {"uuid": "c1", "name": "Talk", "summary": "A talk.", "created_at": "2026-01-01T00:00:00Z"}
    return [{**first, "chat_messages": messages}, {"uuid": "c2", "name": "Empty"}]


def claude_linear() -> list[Any]:
    """An older export, whose messages name no parents."""
    messages = [claude_message(f"m{n}", "human" if n % 2 else "assistant", f"Text {n}") for n in range(1, 5)]
    for message in messages:
        del message["parent_message_uuid"]
    return [{"uuid": "c3", "name": "Old", "chat_messages": messages}]


def librechat_message(name: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    """One message of a LibreChat export."""
    by_user = more.pop("by_user", False)
    sender = "User" if by_user else "GPT-4"
    about = {"messageId": name, "parentMessageId": parent, "sender": sender, "text": text}
    return {**about, "isCreatedByUser": by_user, "createdAt": "2024-05-01T16:35:11.530Z", **more}


def librechat_flat() -> dict[str, Any]:
    """A flat export: two answers, one with thoughts and a tool, one that failed."""
    content = [
        {"type": "think", "think": "Hm."},
        {"type": "text", "text": {"value": "An answer"}},
        {"type": "tool_call", "tool_call": {"id": "t1", "name": "calc", "args": "{}", "output": "42"}},
    ]
    nobody = "00000000-0000-0000-0000-000000000000"
    return {
        "conversationId": "lc1",
        "endpoint": "openAI",
        "title": "Flat",
        "exportAt": "13:18:04 GMT-0400",
        "branches": True,
        "recursive": False,
        "options": {"model": "gpt-4-turbo", "promptPrefix": "Be kind.", "temperature": 0.8},
        "messages": [
            librechat_message("q", nobody, f"Question {ODD}", by_user=True),
            librechat_message("a1", "q", "", content=content, model="gpt-4o"),
            librechat_message("a2", "q", "It broke", error=True, model=None),
            librechat_message("e", nobody, "Other question", by_user=True, tokenCount=3),
        ],
    }


def librechat_tree() -> dict[str, Any]:
    """A nested export under `messagesTree`, its second child without a pointer of its own."""
    nobody = "00000000-0000-0000-0000-000000000000"
    inner = librechat_message("a1b", "a1", "More", by_user=True, children=[])
    first = librechat_message("a1", "q", "One", children=[inner])
    second = librechat_message("a2", None, "Two", children=[])
    del second["parentMessageId"]
    root = librechat_message("q", nobody, "Question", by_user=True, children=[first, second])
    about = {"conversationId": "lc2", "title": "Nested", "recursive": True, "options": {}}
    return {**about, "messagesTree": [root]}


def open_webui() -> list[Any]:
    """Two models side by side, children that are wrong, thoughts in the text, an output, a system message."""
    summary = '<details type="reasoning" done="true"><summary>Thought</summary>'
    thinking = f"{summary}\n&gt; Hm\n&gt; &lt;b&gt;\n</details>\n"
    output = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "Deep"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "From output"}]},
    ]
    messages = {
        "s": {"id": "s", "parentId": None, "childrenIds": ["u1"], "role": "system", "content": "Rules."},
        "u1": {
            "id": "u1",
            "parentId": "s",
            "childrenIds": ["a2", "a1", "ghost"],
            "role": "user",
            "content": f"Question {ODD}",
            "timestamp": 1_700_000_000,
            "files": [{"type": "image", "url": DATA_URL}, {"type": "file", "name": "b.pdf", "id": "f1"}],
        },
        "a1": {
            "id": "a1",
            "parentId": "u1",
            "childrenIds": [],
            "role": "assistant",
            "content": thinking + "Answer one",
            "model": "m1",
            "modelName": "M1",
            "modelIdx": 0,
            "timestamp": 1_700_000_005,
            "usage": {"total": 5},
        },
        "a2": {
            "id": "a2",
            "parentId": "u1",
            "role": "assistant",
            "content": "",
            "output": output,
            "model": "m2",
            "modelIdx": 1,
        },
        "u2": {"id": "u2", "parentId": None, "childrenIds": [], "role": "user", "content": "Edited"},
    }
    chat: dict[str, Any] = {
        "title": "T",
        "models": ["m1", "m2"],
        "params": {"system": "Be brief."},
        "tags": ["x"],
    }
    chat |= {"messages": [{"id": "ignored"}], "history": {"currentId": "a1", "messages": messages}}
    return [{"id": "w1", "title": "Web", "created_at": 1_700_000_000, "pinned": False, "chat": chat}]


def tavern_header(**metadata: Any) -> dict[str, Any]:
    """The first line of a chat of SillyTavern."""
    about = {"user_name": "You", "character_name": "Aria", "create_date": "2024-09-28@10h11m12s"}
    return {**about, "chat_metadata": {"tainted": True, **metadata}}


def tavern_line(name: str, text: str, **more: Any) -> dict[str, Any]:
    """A message of a chat of SillyTavern."""
    about = {"name": name, "is_user": name == "You", "is_system": False, "mes": text}
    return {**about, "send_date": "September 28, 2024 10:11am", "extra": {}, **more}


GREETING = tavern_line(
    "Aria",
    "Hi B",
    swipe_id=1,
    swipes=["Hi A", "Hi B"],
    swipe_info=[{"send_date": "2024-09-28@10h11m12s", "extra": {"model": "old"}}, {"extra": {"model": "m"}}],
    extra={"model": "m", "token_count": 12},
)


def tavern_main() -> list[Any]:
    """A chat: a greeting with swipes, a hidden note, an answer with thoughts that others branch from."""
    return [
        tavern_header(note_prompt="Be vivid.", note_depth=4, scenario="A tower."),
        GREETING,
        tavern_line("You", f"Hello {ODD}"),
        tavern_line("System", "a note", is_system=True, extra={"type": "comment"}),
        tavern_line("Aria", "Welcome.", extra={"reasoning": "Polite.", "bookmark_link": "Checkpoint #1"}),
    ]


def tavern_branch() -> list[Any]:
    """A branch of it, from before the last answer."""
    return [
        tavern_header(main_chat="main"),
        GREETING,
        tavern_line("You", f"Hello {ODD}"),
        tavern_line("System", "a note", is_system=True, extra={"type": "comment"}),
        tavern_line("Aria", "Go away.", send_date="2024-09-28T11:00:00Z"),
    ]


def as_lines(*values: Any) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def card_v2() -> dict[str, Any]:
    """A character card of version 2."""
    data = {
        "name": "Aria",
        "description": "A guard.",
        "personality": "gruff",
        "scenario": "A tower.",
        "first_mes": f"Halt! {ODD}",
        "mes_example": "<START>\n{{char}}: Hm.",
        "system_prompt": "Stay in role.",
        "alternate_greetings": ["Who goes there?", "…"],
        "creator_notes": "Be kind to her.",
        "creator": "me",
        "character_book": {"entries": [{"keys": ["tower"], "content": "Tall."}]},
        "extensions": {"odd": 1},
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def card_v1() -> dict[str, Any]:
    """A character card of version 1."""
    return {"name": "Bo", "description": "A cat.", "first_mes": "Meow.", "mes_example": ""}


def chunk(kind: bytes, data: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def card_png(card: Any) -> bytes:
    """A PNG with a card in it."""
    text = b"chara\0" + base64.b64encode(json.dumps(card).encode())
    return PNG[:-12] + chunk(b"tEXt", b"Comment\0hello") + chunk(b"tEXt", text) + PNG[-12:]


def pi() -> list[Any]:
    """A session of pi: a branch, a tool, a picture, a compaction, a label and a name."""
    at = "2026-02-01T10:00:00Z"

    def said(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
        message = {"role": role, "content": content, **more}
        return {"type": "message", "id": name, "parentId": parent, "timestamp": at, "message": message}

    call: list[Any] = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "toolCall", "id": "t1", "name": "ls", "arguments": {"path": "."}},
    ]
    image = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    return [
        {"type": "session", "version": 3, "id": "pi1", "timestamp": at, "cwd": "/x"},
        said("a", None, "user", f"List {ODD}"),
        {"type": "model_change", "id": "mc", "parentId": "a", "provider": "p", "modelId": "m"},
        said("b", "mc", "assistant", call, model="m", provider="p", stopReason="toolUse"),
        said(
            "c", "b", "toolResult", [{"type": "text", "text": "files"}, image], toolCallId="t1", toolName="ls"
        ),
        said(
            "d",
            "a",
            "assistant",
            [{"type": "text", "text": "No."}],
            model="m",
            provider="p",
            stopReason="aborted",
        ),
        {"type": "compaction", "id": "e", "parentId": "c", "summary": "So far.", "tokensBefore": 9},
        said("f", "e", "user", "Go on"),
        {"type": "label", "id": "g", "parentId": "f", "targetId": "d", "label": "refusal"},
        {"type": "session_info", "id": "h", "parentId": "g", "name": "Listing"},
    ]


def pi_version_1() -> list[Any]:
    """A session without version, ids and parents."""
    return [
        {"type": "session", "id": "pi0", "cwd": "/x", "provider": "p"},
        {"type": "message", "message": {"role": "user", "content": "One"}},
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "Two"}]}},
    ]


def claude_code() -> list[Any]:
    """A session of Claude Code: a rewind, a tool, lines that are no messages, a compaction."""

    def line(uuid: str, parent: str | None, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        model = {"model": "claude-x", "usage": {"input_tokens": 1}} if kind == "assistant" else {}
        message = {"role": kind, "content": content, **model}
        about = {"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": False, "sessionId": "cc1"}
        return {**about, "timestamp": "2026-03-01T00:00:00Z", "cwd": "/x", "message": message, **more}

    use = [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
    ]
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "files"}]
    return [
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        {"type": "summary", "summary": "Listing files", "leafUuid": "a"},
        line("u", None, "user", f"List {ODD}"),
        line("meta", "u", "user", "caveat", isMeta=True),
        line("a", "meta", "assistant", use),
        line("r", "a", "user", result),
        line("v", "u", "assistant", [{"type": "text", "text": "Another way"}]),
        line("k", None, "user", "What was said", isCompactSummary=True, logicalParentUuid="r"),
        "no object",
        line("z", "k", "user", "Go on", message="Go on"),
    ]
