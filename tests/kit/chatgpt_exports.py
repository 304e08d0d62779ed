"""ChatGPT exports for tests, in the structure of real ones and with words of our own."""

from __future__ import annotations

import base64
import json
import random
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

AT = 1_756_000_000.0  # seconds, when the first message is said
PNG = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = "file_00000000c0de"  # the id of an asset


def said(role: str, *parts: Any, at: float | None = None, kind: str = "text", **more: Any) -> dict[str, Any]:
    """A message. `more` are keys of its metadata; `content` among them those of its content."""
    content = {"content_type": kind, **({"parts": list(parts)} if parts else {}), **more.pop("content", {})}
    message: dict[str, Any] = {"author": {"role": role, "name": more.pop("name", None), "metadata": {}}}
    message |= {"create_time": at, "content": content, "weight": more.pop("weight", 1.0)}
    return {
        **message,
        "status": "finished_successfully",
        "metadata": more,
        "recipient": "all",
        "channel": None,
    }


def conversation(
    messages: Mapping[str, tuple[str | None, dict[str, Any] | None]], **more: Any
) -> dict[str, Any]:
    """A conversation of messages by id, each with the id of the one before it."""
    children: dict[str, list[str]] = {}
    for key, (parent, _) in messages.items():
        children.setdefault(parent or "", []).append(key)
    mapping = {
        key: {
            "id": key,
            "parent": parent,
            "children": children.get(key, []),
            "message": None if message is None else {"id": key, **message},
        }
        for key, (parent, message) in messages.items()
    }
    about = {"id": "c1", "title": "Naming the boat", "create_time": AT, "update_time": AT + 400}
    about |= {
        "current_node": next(reversed([*messages]), None),
        "default_model_slug": "gpt-5",
        "is_archived": False,
    }
    value = {**about, "mapping": mapping, **more}
    return {"conversation_id": value["id"], **value}


def boat(**more: Any) -> dict[str, Any]:
    """A question that was edited, an answer that was made anew, thoughts and a hidden message."""
    return conversation(
        {
            "root": (None, None),
            "sys": ("root", said("system", "", weight=0.0, is_visually_hidden_from_conversation=True)),
            "me": (
                "sys",
                said(
                    "user",
                    kind="user_editable_context",
                    content={"user_profile": "I build boats.", "user_instructions": "Be brief."},
                    is_visually_hidden_from_conversation=True,
                ),
            ),
            "u1": ("me", said("user", "Name my boat.", at=AT + 1)),
            "u2": ("me", said("user", "Name my small boat.", at=AT + 9)),
            "a1": (
                "u1",
                said("assistant", "Gull.", at=AT + 2, model_slug="gpt-4o", oddKey={"kept": [1, None]}),
            ),
            "t2": (
                "u1",
                said(
                    "assistant",
                    kind="thoughts",
                    content={"thoughts": [{"summary": "Birds", "content": "A tern is small."}]},
                ),
            ),
            "a2": ("t2", said("assistant", "Tern.\ue200cite\ue202turn0view1\ue201", at=AT + 3)),
        },
        current_node="a2",
        **more,
    )


def with_picture(**more: Any) -> dict[str, Any]:
    """A picture and a question about it, and an answer of a tool."""
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": f"sediment://{PICTURE}"}
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_50und", "format": "wav"}
    return conversation(
        {
            "root": (None, None),
            "u1": (
                "root",
                said(
                    "user",
                    {**pointer, "width": 1, "height": 1},
                    "What is this?",
                    at=AT,
                    kind="multimodal_text",
                ),
            ),
            "c1": (
                "u1",
                said("assistant", kind="code", content={"language": "python", "text": "print(6*7)"}),
            ),
            "t1": ("c1", said("tool", kind="execution_output", content={"text": "42"}, name="python")),
            "a1": ("t1", said("assistant", sound, "A dot.", kind="multimodal_text")),
        },
        **{"id": "c2", "title": "A picture", **more},
    )


def write_export(path: Path, *conversations: Any, name: str = "conversations.json") -> Path:
    """An export as a zip, with the files that lie beside the conversations."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", '{"id": "user-1", "email": "someone@example.org"}')
        archive.writestr("chat.html", "<html></html>")
        archive.writestr("shared_conversations.json", '[{"id": "s", "conversation_id": "c1", "title": "T"}]')
        archive.writestr(f"{PICTURE}-sanitized.png", PNG)
        archive.writestr(name, json.dumps(conversations))
    return path


def write_json(path: Path, *conversations: Any) -> Path:
    """The conversations alone, as a file that says nothing by its name."""
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return path


WORDS = ("loom", "of", "water", "light", "over", "stones", "river", "bends", "☃", "naïve", "🙂", "noon")


def large_conversations(size: int, seed: int = 7) -> Iterable[dict[str, Any]]:
    """Conversations of some twenty messages each, with branches, until they are so many bytes of JSON."""
    chance, done, number = random.Random(seed), 0, 0
    while done < size:
        messages: dict[str, tuple[str | None, dict[str, Any] | None]] = {"root": (None, None)}
        last, role = "root", "user"
        for place in range(max(2, int(chance.lognormvariate(3, 1)))):
            key = f"{chance.getrandbits(128):032x}"
            text = " ".join(chance.choices(WORDS, k=chance.randint(10, 300)))
            more: dict[str, Any] = {
                "request_id": key,
                "citations": [],
                "refs": [{"start": n, "end": n + 4} for n in range(4)],
            }
            above = chance.choice(list(messages)) if place > 4 and chance.random() < 0.08 else last
            messages[key] = (above, said(role, text, at=AT + place, model_slug="gpt-5", **more))
            last, role = key, "assistant" if role == "user" else "user"
        number += 1
        made = conversation(messages, id=f"c{number:06d}", title=f"Conversation {number}")
        done += len(json.dumps(made))
        yield made


def write_large(path: Path, size: int) -> Path:
    """One line of so many bytes."""
    with path.open("w", encoding="utf-8") as file:
        for number, one in enumerate(large_conversations(size)):
            file.write("[" if number == 0 else ", ")
            file.write(json.dumps(one))
        file.write("]")
    return path
