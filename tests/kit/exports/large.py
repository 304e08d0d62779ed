"""Large files of each JSON format, as big as one asks: usual chats, and trees of short or long texts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.formats import jsonl, loom_json
from tests.kit.chatgpt_exports import write_large as write_chatgpt

AT = 1_756_000_000  # seconds, when the first message is said
MESSAGES = 50  # of one chat
CHAT_TEXT, SHORT_TEXT, LONG_TEXT = 1_000, 80, 5_000  # characters
DEEPEST = 150  # json.load goes no deeper than some hundred levels of nested nodes
WORDS = ("loom", "of", "water", "and", "light", "over", "the", "stones", "where", "river", "bends", "noon")
ODD = ("naïve", "it’s", "☃", "🙂")


class Said(NamedTuple):
    """One message: its number, that of the one before it, and its text."""

    number: int
    above: int | None
    text: str
    is_yours: bool

    @property
    def id(self) -> str:
        return id_of(self.number)

    @property
    def above_id(self) -> str | None:
        return None if self.above is None else id_of(self.above)

    @property
    def at(self) -> str:
        moment = datetime.fromtimestamp(AT + self.number, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def id_of(number: int) -> str:
    """An id as programs make them, the same for the same number."""
    digits = f"{(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC834 % (1 << 128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def said(chance: random.Random, first: int, most: int | None, length: int) -> Iterator[Said]:
    """Messages with branches: most go on from the last one, some from an earlier one."""
    depths: list[int] = []
    for place in count() if most is None else range(most):
        above = place - 1 if place else None
        if above is not None and (chance.random() < 0.15 or depths[above] >= DEEPEST):
            above = chance.randrange(max(0, place - 400), place)
            above = above if depths[above] < DEEPEST else 0
        depths.append(0 if above is None else depths[above] + 1)
        text = _text(chance, length)
        yield Said(first + place, None if above is None else first + above, text, depths[-1] % 2 == 0)


def _text(chance: random.Random, length: int) -> str:
    """Words; every third text has a sign beyond Latin in it."""
    words = chance.choices(WORDS, k=max(1, round(length * chance.uniform(0.4, 1.6) / 5)))
    if chance.random() < 0.3:
        words[chance.randrange(len(words))] = chance.choice(ODD)
    return " ".join(words)


Make = Callable[[Path, int, int], Path]  # a file, its bytes, and the length of its texts


def _chats(chat: Callable[[int, list[Said]], Any]) -> Make:
    """A list of many chats."""

    def write(path: Path, size: int, length: int) -> Path:
        chance, done = random.Random(7), 0
        with path.open("w", encoding="utf-8") as file:
            for number in count():
                messages = list(said(chance, number * MESSAGES, MESSAGES, length))
                done += file.write(("," if number else "[") + _dumps(chat(number, messages)))
                if done >= size:
                    break
            file.write("]")
        return path

    return write


def _lines(first: Iterable[Any], line: Callable[[Said], Any]) -> Make:
    """One session as lines."""

    def write(path: Path, size: int, length: int) -> Path:
        done = 0
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_dumps(value) + "\n" for value in first)
            for message in said(random.Random(7), 0, None, length):
                done += file.write(_dumps(line(message)) + "\n")
                if done >= size:
                    break
        return path

    return write


def _one(whole: Callable[[list[Said], dict[int, list[int]]], Any]) -> Make:
    """One object that holds everything; how many messages it takes is known from a small one."""

    def made(most: int, length: int) -> str:
        messages = list(said(random.Random(7), 0, most, length))
        below: dict[int, list[int]] = {}
        for message in messages:
            if message.above is not None:
                below.setdefault(message.above, []).append(message.number)
        return _dumps(whole(messages, below))

    def write(path: Path, size: int, length: int) -> Path:
        path.write_text(made(round(1000 * size / len(made(1000, length))), length), encoding="utf-8")
        return path

    return write


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _claude_chat(number: int, messages: list[Said]) -> Any:
    return {
        "uuid": f"chat-{number}",
        "name": f"Chat {number}",
        "summary": "",
        "created_at": messages[0].at,
        "updated_at": messages[-1].at,
        "account": {"uuid": "account-1"},
        "chat_messages": [_claude_message(one) for one in messages],
    }


def _claude_message(one: Said) -> Any:
    part = {"start_timestamp": one.at, "stop_timestamp": one.at, "flags": None, "type": "text"}
    return {
        "uuid": one.id,
        "text": one.text,
        "content": [{**part, "text": one.text, "citations": []}],
        "sender": "human" if one.is_yours else "assistant",
        "created_at": one.at,
        "updated_at": one.at,
        "attachments": [],
        "files": [],
        "parent_message_uuid": one.above_id or "00000000-0000-4000-8000-000000000000",
    }


def _web_chat(number: int, messages: list[Said]) -> Any:
    below: dict[int, list[str]] = {}
    for one in messages:
        if one.above is not None:
            below.setdefault(one.above, []).append(one.id)
    said_by_id = {
        one.id: {
            "id": one.id,
            "parentId": one.above_id,
            "childrenIds": below.get(one.number, []),
            "role": "user" if one.is_yours else "assistant",
            "content": one.text,
            "timestamp": AT + one.number,
            **({"models": ["m1"]} if one.is_yours else {"model": "m1", "modelName": "M1", "done": True}),
        }
        for one in messages
    }
    chat = {"title": f"Chat {number}", "models": ["m1"], "params": {}, "tags": []}
    history = {"currentId": messages[-1].id, "messages": said_by_id}
    about = {"id": f"chat-{number}", "title": f"Chat {number}", "created_at": AT, "updated_at": AT}
    return {**about, "chat": {**chat, "history": history}}


def _libre(messages: list[Said], _below: object) -> Any:
    about = {"conversationId": "conversation-1", "endpoint": "openAI", "title": "A chat", "recursive": False}
    return {**about, "options": {"model": "gpt-4"}, "messages": [_libre_message(one) for one in messages]}


def _libre_message(one: Said) -> Any:
    return {
        "messageId": one.id,
        "parentMessageId": one.above_id or "00000000-0000-0000-0000-000000000000",
        "conversationId": "conversation-1",
        "sender": "User" if one.is_yours else "GPT-4",
        "text": one.text,
        "isCreatedByUser": one.is_yours,
        "createdAt": one.at,
        "updatedAt": one.at,
        "tokenCount": len(one.text) // 4,
        "unfinished": False,
        "error": False,
        "model": None if one.is_yours else "gpt-4",
    }


def _tavern_line(one: Said) -> Any:
    about = {"name": "You" if one.is_yours else "Aria", "is_user": one.is_yours, "is_system": False}
    about |= {"send_date": one.at, "mes": one.text}
    if one.is_yours:
        return {**about, "extra": {}, "force_avatar": "You.png"}
    extra = {"api": "openai", "model": "m1", "token_count": len(one.text) // 4}
    swipes = [one.text, one.text[::-1]] if one.number % 8 == 1 else [one.text]
    info = {"send_date": one.at, "gen_started": one.at, "gen_finished": one.at, "extra": extra}
    infos = [info] * len(swipes)
    return {**about, "extra": extra, "swipe_id": 0, "swipes": swipes, "swipe_info": infos}


def _pi_line(one: Said) -> Any:
    message: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": one.text}]}
    if not one.is_yours:
        usage = {"input": 100, "output": 10, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.01}}
        message |= {"role": "assistant", "provider": "p", "model": "m1", "usage": usage, "stopReason": "stop"}
    about = {"type": "message", "id": one.id, "parentId": one.above_id, "timestamp": one.at}
    return {**about, "message": message}


def _claude_code_line(one: Said) -> Any:
    kind = "user" if one.is_yours else "assistant"
    message: dict[str, Any] = {"role": kind, "content": one.text}
    if not one.is_yours:
        usage = {"input_tokens": 100, "output_tokens": 10, "service_tier": "standard"}
        message |= {"id": f"msg_{one.number}", "type": "message", "model": "claude-x", "usage": usage}
        message |= {"content": [{"type": "text", "text": one.text}], "stop_reason": None}
    about = {"parentUuid": one.above_id, "isSidechain": False, "userType": "external", "cwd": "/home/me/boat"}
    about |= {"sessionId": "session-1", "version": "2.0.1", "gitBranch": "main", "type": kind}
    return {**about, "message": message, "uuid": one.id, "timestamp": one.at}


def _pyloom(messages: list[Said], below: dict[int, list[int]]) -> Any:
    made: dict[int, Any] = {}
    for one in reversed(messages):
        meta: dict[str, Any] = {"creation_timestamp": "2021-09-15-14.02.11"}
        meta |= {"source": "prompt"} if one.is_yours else {"source": "AI"}
        node = {"id": one.id, "text": one.text, "mutable": True, "open": True, "visited": True, "meta": meta}
        made[one.number] = {
            **node,
            "children": [made.pop(n) for n in below.get(one.number, ())],
            **({} if one.is_yours else {"generation": {"id": "cmpl-1", "index": 0}}),
        }
    about = {"model_responses": {"cmpl-1": {"id": "cmpl-1", "model": "davinci"}}, "tags": {}, "chapters": {}}
    return {"root": made[messages[0].number], **about, "selected_node_id": messages[-1].id}


def _loomsidian(messages: list[Said], _below: object) -> Any:
    nodes = {
        one.id: {
            "text": one.text,
            "parentId": one.above_id,
            "collapsed": False,
            "unread": False,
            "bookmarked": False,
            "lastVisited": (AT + one.number) * 1000,
            "searchResultState": None,
        }
        for one in messages
    }
    note: Any = {
        "current": messages[-1].id,
        "hoisted": [],
        "searchTerm": "",
        "generating": None,
        "nodes": nodes,
    }
    return {"settings": {}, "state": {"A note.md": note}}


def _exoloom(messages: list[Said], below: dict[int, list[int]]) -> Any:
    nodes = {
        str(one.number): {
            "content": one.text,
            "authorType": "USER" if one.is_yours else "LLM",
            "authorName": None if one.is_yours else "Llama 405B",
            "parentId": one.above,
            "childrenIds": below.get(one.number, []),
            "createdAt": one.at,
        }
        for one in messages
    }
    tree = {"title": "Exo", "createdAt": messages[0].at, "rootNodeId": 0, "nodes": nodes}
    return {"loomType": "Exoloom", "version": "1.2", "schemaVersion": 1, "tree": tree, "lens": {}}


def _helm(messages: list[Said], below: dict[int, list[int]]) -> Any:
    nodes = [
        {
            "id": one.id,
            "text": one.text,
            "parentId": one.above_id,
            "childIds": [id_of(n) for n in below.get(one.number, ())],
            "createdAt": one.at,
            "locked": False,
        }
        for one in messages
    ]
    about = {"id": "helm-1", "name": "Helm", "rootId": messages[0].id, "currentNodeId": messages[-1].id}
    return {**about, "bookmarkedNodeIds": [], "nodes": nodes}


AGENTS = (Agent("you", "You", "human", loom_aware=True), Agent("m1", "M1", "model"))


def _tree(size: int, length: int) -> Tree:
    """A tree without hashes whose Loom JSON is about so large; reading makes them."""
    most = round(size / (_loom_json_bytes(length)))
    nodes, edges = [], []
    for one in said(random.Random(7), 0, most, length):
        who, agent = ("human", "you") if one.is_yours else ("model", "m1")
        at = (AT + one.number) * 1000
        nodes.append(Node(one.id, "", Text(one.text), who, agent, at))  # type: ignore[arg-type]
        if one.above_id is not None:
            edges.append(Edge(f"to-{one.id}", (EdgeSource(one.above_id),), one.id, "continuation", at))
    loom = LoomTree("tree-1", "A tree", "dialogue", id_of(0), created_at=AT * 1000, updated_at=AT * 1000)
    return Tree(loom, nodes=nodes, edges=edges)


def _loom_json_bytes(length: int) -> float:
    return 750 + length * 1.05


def _whole_tree(size: int, length: int) -> Tree:
    """The same with local ids and hashes, as an export has them."""
    text = loom_json.write(_tree(size, length), AGENTS)
    return loom_json.read(text).tree


def _loom_json(path: Path, size: int, length: int) -> Path:
    path.write_text(loom_json.write(_whole_tree(size, length), AGENTS), encoding="utf-8")
    return path


def _jsonl(path: Path, size: int, length: int) -> Path:
    path.write_text(jsonl.write(_whole_tree(size, length), AGENTS), encoding="utf-8")
    return path


CHATS: Mapping[str, Make] = {
    "chatgpt": lambda path, size, _length: write_chatgpt(path, size),
    "claude": _chats(_claude_chat),
    "open-webui": _chats(_web_chat),
    "librechat": _one(_libre),
    "sillytavern": _lines(
        [{"user_name": "You", "character_name": "Aria", "create_date": "2024-09-28@10h11m12s"}], _tavern_line
    ),
    "pi": _lines([{"type": "session", "version": 3, "id": "session-1", "cwd": "/home/me"}], _pi_line),
    "claude-code": _lines([], _claude_code_line),
}
TREES: Mapping[str, Make] = {
    "loom-json": _loom_json,
    "jsonl": _jsonl,
    "pyloom": _one(_pyloom),
    "loomsidian": _one(_loomsidian),
    "exoloom": _one(_exoloom),
    "helm": _one(_helm),
}


def write_large(name: str, path: Path, size: int, length: int = 0) -> Path:
    """A file of a format, of about so many bytes; its texts of a usual length, or of the one asked for."""
    if name in CHATS:
        return CHATS[name](path, size, length or CHAT_TEXT)
    return TREES[name](path, size, length or SHORT_TEXT)
