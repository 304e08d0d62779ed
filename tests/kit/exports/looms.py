"""Files of other looms: each with branches, marks, missing keys and odd characters."""

from __future__ import annotations

import json
from typing import Any

from tests.kit.exports.chats import ODD


def pyloom() -> dict[str, Any]:
    """A whole loom: an empty root, models by response, edits by hand, tags, a placeholder, missing keys."""
    leaf = {
        "id": "c",
        "text": " and rain",
        "meta": {"source": "AI"},
        "generation": {"id": "cmpl-1", "index": 0},
    }
    edited: dict[str, Any] = {
        "id": "d",
        "parent_id": "b",
        "text": f" {ODD}",
        "meta": {"source": "mixed"},
        "tags": ["good"],
    }
    edited["history"] = [{"timestamp": "x", "text": " before"}]
    first = {
        "id": "b",
        "parent_id": "stale",
        "text": "The sun",
        "mutable": True,
        "children": [leaf, edited, {"text": "** Generating **", "children": []}],
        "meta": {"source": "prompt", "creation_timestamp": "2021-09-15-14.02.11"},
        "tags": ["bookmark"],
        "notes": ["a note"],
    }
    other = {"text": "The moon", "children": [{"text": " rose", "meta": {"source": "AI"}}]}
    root = {"id": "r", "text": "", "children": [first, other], "open": True}
    return {
        "root": root,
        "chapters": {"ch": {"id": "ch", "root_id": "b", "title": "One"}},
        "model_responses": {"cmpl-1": {"id": "cmpl-1", "model": "davinci"}},
        "generation_settings": {"temperature": 0.9, "global_context": "Context."},
        "tags": {"bookmark": {"name": "bookmark"}, "good": {"name": "good"}},
        "selected_node_id": "c",
    }


def pyloom_zipped() -> dict[str, Any]:
    """A chain that was zipped into one node, which still holds its parts."""
    tail: dict[str, Any] = {"id": "t", "text": " two", "children": []}
    head: dict[str, Any] = {"id": "h", "text": "One", "children": [tail]}
    zipped: dict[str, Any] = {"id": "zip", "text": "One two", "masked_head": head, "tail_id": "t"}
    zipped["children"] = [{"id": "x", "text": " three", "children": []}]
    return {"root": {"id": "r", "text": "", "children": [zipped]}}


def pyloom_simple() -> dict[str, Any]:
    """A simple export."""
    return {"text": "A", "children": [{"text": "B", "children": []}, {"text": "C", "children": []}]}


def loomsidian() -> dict[str, Any]:
    """The loom of a note: escapes, a bookmark, two roots, a node whose parent is missing."""
    nodes = {
        "a": {"text": f"Once \\<b> {ODD}", "parentId": None, "collapsed": False, "unread": False},
        "b": {"text": " upon", "parentId": "a", "bookmarked": True, "lastVisited": 1_710_000_000_000},
        "c": {"text": " \\[x] a time", "parentId": "a", "color": "red"},
        "d": {"text": "Other", "parentId": "gone"},
        "e": {"text": "Root two", "parentId": None},
    }
    return {"current": "b", "hoisted": ["a"], "searchTerm": "", "generating": None, "nodes": nodes}


def loomsidian_vault() -> dict[str, Any]:
    """The looms of two notes and an empty one."""
    second = {"current": "z", "hoisted": [], "nodes": [{"id": "z", "value": "Z", "author": "davinci"}]}
    empty = {"current": "", "nodes": {}}
    return {"settings": {"x": 1}, "state": {"A/One.md": loomsidian(), "Two.md": second, "Three.md": empty}}


def exoloom() -> dict[str, Any]:
    """A tree with a pruned node and a bookmark."""

    def node(text: str, kind: str, name: str | None, parent: int | None, *children: int) -> dict[str, Any]:
        about = {"content": text, "authorType": kind, "authorName": name, "parentId": parent}
        return {**about, "childrenIds": list(children), "createdAt": "2025-01-01T00:00:00Z"}

    nodes = {
        "0": node("Root", "USER", None, None, 2, 1),
        "1": node(" one", "LLM", "Llama 405B", 0),
        "2": node(f" two {ODD}", "LLM", "Llama 405B", 0, 3),
        "3": node(" three", "USER", "Ann", 2),
    }
    tree = {"title": "Exo", "description": "d", "createdAt": "2025-01-01T00:00:00Z", "rootNodeId": 0}
    lens = {"bookmarks": [{"nodeId": 1}], "prunedNodes": [{"nodeId": 3}]}
    return {
        "loomType": "Exoloom",
        "version": "1.2",
        "schemaVersion": 1,
        "tree": {**tree, "nodes": nodes},
        "lens": lens,
    }


def helm() -> dict[str, Any]:
    """A tree whose children are listed in another order, one of them without a text."""

    def node(name: str, text: str, parent: str | None, *children: str) -> dict[str, Any]:
        return {"id": name, "text": text, "parentId": parent, "childIds": list(children), "locked": False}

    nodes = [
        node("r", "", None, "b", "a"),
        node("a", f"One {ODD}", "r"),
        node("b", "Two", "r", "c"),
        {"id": "c", "parentId": "b"},
    ]
    about = {"id": "helm1", "name": "Helm", "rootId": "r", "currentNodeId": "a", "bookmarkedNodeIds": ["b"]}
    return {**about, "nodes": nodes}


def mikupad() -> dict[str, Any]:
    """A session: JSON within JSON, with a key that must not come in."""
    prompt = [
        {"type": "user", "content": "Once"},
        {"content": " upon", "prob": 0.61, "completion_probabilities": [{"content": " upon", "probs": []}]},
        {"content": f" {ODD}", "prob": 0.5},
        {"type": "user", "content": " a time"},
    ]
    session: dict[str, Any] = {
        "name": "My story",
        "prompt": prompt,
        "endpoint": "http://127.0.0.1:8080",
        "endpointAPIKey": "sk-SECRET",
        "endpointModel": "mistral",
        "temperature": 0.7,
        "memoryTokens": {"text": "Remember.", "prefix": ""},
    }
    return {name: json.dumps(value) for name, value in session.items()}


def mikupad_database() -> dict[str, Any]:
    """The whole database: values plain, titles elsewhere."""
    value = {"prompt": [{"type": "user", "content": "X"}], "endpoint": "e", "endpointAPIKey": "sk-SECRET"}
    sessions = [{"key": 0, "value": value}, {"key": "selectedSessionId", "value": 0}]
    return {"Sessions": sessions, "Names": [{"key": 0, "value": "Title"}], "Templates": [], "Themes": []}


def _patch(start: int, *diffs: tuple[int, str]) -> dict[str, Any]:
    old = sum(len(text) for operation, text in diffs if operation <= 0)
    new = sum(len(text) for operation, text in diffs if operation >= 0)
    return {
        "diffs": [list(diff) for diff in diffs],
        "start1": start,
        "start2": start,
        "length1": old,
        "length2": new,
    }


def miniloom() -> dict[str, Any]:
    """Patches: text that is added, also behind an emoji, and a rewrite of what stands before."""

    def node(
        name: str, kind: str, parent: str | None, patch: Any, *children: str, **more: Any
    ) -> dict[str, Any]:
        about = {"id": name, "type": kind, "parent": parent, "patch": patch, "timestamp": 1_700_000_000_000}
        return {**about, "children": list(children), "rating": None, "model": more.get("model")}

    store = {
        "1": node("1", "root", None, "", "2"),
        "2": node("2", "user", "1", [_patch(0, (1, "The 🙂 sun"))], "3", "4", "5"),
        # In UTF-16 units the text before is ten long.
        "3": node("3", "gen", "2", [_patch(6, (0, " sun"), (1, " rose"))], model="m"),
        "4": node("4", "gen", "2", [_patch(6, (0, " sun"), (1, " set"))], model="m"),
        "5": node("5", "rewrite", "2", [_patch(0, (-1, "The"), (1, "A"), (0, " 🙂"))], "6", model="m"),
        "6": node("6", "user", "5", [_patch(4, (0, " sun"), (1, "!"))]),
    }
    return {"focus": dict(store["3"]), "loomTree": {"nodeStore": store}}


def kobold() -> dict[str, Any]:
    """A story with two other ways."""
    ways = [None, ["Once", " upon", " a hill"], ["Once", " there", " was"]]
    about = {"gamestarted": True, "prompt": "Once", "memory": "Remember.", "authorsnote": "note"}
    settings = {"savedsettings": {"temperature": 0.7, "saved_oai_key": "sk-SECRET"}}
    return {**about, "actions": [" upon", f" a {ODD}"], "worldinfo": [], "altbranches": ways, **settings}
