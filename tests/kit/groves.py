"""What tests of the store do with groves: fill them, generate without a model, compare with memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import add_node
from loomapp.core.edits.tree_edits import new_tree
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import (
    AttachedDocument,
    Audio,
    Content,
    Image,
    Mixed,
    Text,
    ToolResult,
    ToolUse,
)
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    BranchSummary,
    ContextSettings,
    ContextSummary,
    Edge,
    EdgeSource,
    IncludedAnnotations,
    Interrupted,
    Link,
    LoomTree,
    Metadata,
    Mode,
    Node,
    Tag,
)
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from tests.kit.trees import Hand, counted_id, snapshot

MODEL = Agent("model", "A model", "model", "local:a-model")
_numbers = count(1)


def planted(grove: Grove, hand: Hand, *, length: int = 3, mode: Mode = "dialogue") -> tuple[Tree, list[str]]:
    """A tree in the grove: an empty root and a chain of messages by its owner; their ids."""
    tree = new_tree(mode, "A tree", hand.pen(grove.owner.id))
    grove.add_tree(tree, [grove.owner, MODEL])
    ids: list[str] = []
    for i in range(length):
        above = ids[-1] if ids else tree.root_id
        change = add_node(tree, above, f"message {i}", hand.pen(grove.owner.id))
        grove.commit(tree, change)
        ids.append(change.added_nodes()[0].id)
    return tree, ids


def written(path: Path, *rows: tuple[str, str], title: str = "Birds") -> Path:
    """A new grove with one dialogue: rows of a text and the one that it answers; nothing for the root.

    The last row is read.
    """
    with create_grove(path) as grove:
        write(grove, *rows, title=title)
    return path


def write(grove: Grove, *rows: tuple[str, str], title: str = "Birds") -> Tree:
    """One more dialogue in the grove; see `written`."""
    pen = EditContext(grove.owner.id, now(), new_id)
    tree = new_tree("dialogue", title, pen)
    grove.add_tree(tree, [grove.owner])
    tree = grove.load_tree(tree.loom.id)
    for text, above in rows:
        parent = next(i for i, n in tree.nodes.items() if n.text == above)
        grove.commit(tree, add_node(tree, parent, text, pen))
    return tree


def add_chain(grove: Grove, *node_ids: str) -> Tree:
    """One more dialogue in the grove, a chain of messages of these ids, as a file that was written by hand
    may name them.
    """
    owner = grove.owner.id
    loom = LoomTree(new_id(), "By hand", "dialogue", node_ids[0])
    nodes = [Node(one, f"L{place:05}", Text(one), "human", owner) for place, one in enumerate(node_ids)]
    pairs = pairwise(node_ids)
    tree = Tree(
        loom, nodes=nodes, edges=[Edge(f"to {last}", (EdgeSource(first),), last) for first, last in pairs]
    )
    tree.path = ActivePath(node_ids[-1])
    grove.add_tree(tree, [grove.owner])
    return tree


def generated(tree: Tree, parent_id: str, texts: Sequence[str], hand: Hand) -> Change:
    """What one request for several choices ends in, its response made up."""
    pen = hand.pen(MODEL.id)
    change = nodes_from_drafts(
        tree,
        [Draft(i, text=text, reason="stop") for i, text in enumerate(texts)],
        sources=Sources(parent_id),
        agent_id=MODEL.id,
        evidence=[response(*texts)],
        now=pen.now,
        new_id=counted_id,
    )
    assert change is not None
    return change


def response(*texts: str) -> Evidence:
    """A response that holds these texts."""
    number = next(_numbers)
    return Evidence(
        id=f"response {number}",
        provider="local",
        request_body='{"prompt":"…"}',
        body_gzip=compress(chat_body(*texts)),
        request_id=f"request {number}",
        model="a-model",
        headers={"content-type": "text/event-stream"},
        started_at=1_790_000_000_000,
        ended_at=1_790_000_001_000,
        latency_ms=12,
        usage={"input": 3, "output": 5},
        finish_reason="stop",
        choices={str(index): index for index in range(len(texts))},
        extra={"note": "made up"},
    )


def summarised(
    tree: Tree, anchor_id: str, hand: Hand, text: str = "All so far.", covered_hash: str = "ab" * 32
) -> Change:
    """The summary up to a node, made unasked by a model, and the response that it was taken from."""
    answer = replace(response(f"<analysis>What counts?</analysis>\n{text}\n"), choices={})
    body = {"text": text, "origin": "background", "model": "a-model"}
    row = RowChange(None, ContextSummary(anchor_id, covered_hash, body, answer.id))
    pen = hand.pen(MODEL.id)
    return Change(
        tree.loom.id, "Summarise", pen.now, (row,), by=MODEL.name, undoable=False, evidence=(answer,)
    )


def chat_body(*texts: str) -> bytes:
    """The body of an answer in OpenAI's chat dialect that was not streamed, a choice for each text."""
    choices = [
        {"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for index, text in enumerate(texts)
    ]
    return json.dumps({"object": "chat.completion", "choices": choices}).encode()


def agree(grove: Grove, tree: Tree) -> bool:
    """Whether the file holds the very tree that is in memory, with every order in it."""
    loaded = grove.load_tree(tree.loom.id)
    same_time = loaded.loom.updated_at == tree.loom.updated_at
    return same_time and everything(loaded) == everything(tree)


def everything(tree: Tree) -> object:
    """All that a tree says."""
    return (
        snapshot(tree),
        list(tree.tags.items()),
        list(tree.links.items()),
        list(tree.branch_summaries.items()),
        list(tree.context_summaries.items()),
        list(tree.agent_memory.items()),
        tree.extra,
    )


ALL_CONTENTS: tuple[Content, ...] = (
    Text("plain, with “quotes”, a\nbreak, NBSP\u00a0, RTL \u202eabc\u202c and 🌲"),
    Text("with a foreign key", {"language": "en"}),
    Image("0" * 64, "image/png", 640, 480, "a tree"),
    Audio({"seconds": 3}),
    Mixed(
        (
            Text("look:"),
            Image("1" * 64, "image/jpeg", extra={"detail": "high"}),
            AttachedDocument("notes.txt", "text/plain", "a note"),
            ToolUse("call 1", "read_file", {"path": "a.txt", "lines": [1, 2]}),
            ToolResult("call 1", "read_file", "the lines"),
        ),
        {"kept": True},
    ),
)


def tree_with_everything() -> Tree:
    """A tree in which no field is as usual; its hashes and ways are made up."""
    loom = LoomTree(
        "everything",
        "Title",
        "buffer",
        "n0",
        "Description",
        "Summary",
        "System",
        True,
        ContextSettings("rollingWindow", 3, 0, "pending", {"kept": 1}),
        1_790_000_000_001,
        1_790_000_000_002,
        1_790_000_000_003,
        {"kept": {"deep": [1, 2.5, None, "…"]}},
    )
    tree = Tree(loom)
    for i, content in enumerate(ALL_CONTENTS):
        node = Node(
            f"n{i}",
            f"LOCAL{i}",
            content,
            "model" if i % 2 else "human",
            None if i == 4 else "a0",
            1_790_000_000_000 + i,
            f"hash {i}",
            (f"{i:064x}",) * (i % 3),
            f"n{i - 1}" if i else None,
            Interrupted("network", {"kept": 1}) if i == 2 else None,
            "in short" if i == 3 else None,
            Metadata(i == 1, "label" if i == 1 else None, i == 2, i == 3, {"kept": i} if i else {}),
            {"kept": i} if i == 4 else {},
            "assistant" if i == 3 else None,
        )
        tree.put_node(node)
    ends = (EdgeSource("n0"), EdgeSource("n1", extra={"kept": 1}), EdgeSource("n2", "context"))
    tree.put_edge(Edge("e2", (EdgeSource("n0"),), "n1", created_at=7))
    tree.put_edge(Edge("e1", (*ends, EdgeSource("n0", "instruction")), "n3", extra={"kept": 2}))
    tree.put_edge(Edge("e0", (EdgeSource("n3"),), "n4", "annotation", 9))
    tree.path = ActivePath("n3", {"n3": "n1", "n1": "n0"}, {"kept": 3})
    tree.included_annotations = IncludedAnnotations(("n4",))
    tree.tags = {"b": Tag("b", "#123", ("n1", "n0"), {"kept": 4}), "a": Tag("a")}
    for link in (Link("n1", "elsewhere", "x", "see", {"kept": 5}), Link("n0", "everything", "n1")):
        tree.links[link.key] = link
    tree.branch_summaries = {"n1": BranchSummary("n1", {"title": "T", "updateCount": 2})}
    for summary in (ContextSummary("n1", "h1", {"text": "…"}), ContextSummary("n1", "h0", {"a": None})):
        tree.context_summaries[summary.key] = summary
    tree.agent_memory = {"a1": AgentMemory("a1", {"pinned": ["n1"], "kept": 7}), "a0": AgentMemory("a0")}
    tree.extra = {"kept": 6}
    return tree


def renamed(agent: Agent, name: str) -> Agent:
    """The agent under another name."""
    return replace(agent, name=name)


def undo_step(grove: Grove, tree: Tree) -> Change | None:
    """Take back the newest step alone, whatever else its action did."""
    batch = grove.undo_steps(tree, 1, lambda: True, lambda _: None)
    return None if batch is None else batch.change


def redo_step(grove: Grove, tree: Tree) -> Change | None:
    """Bring back the step that was undone last, alone."""
    batch = grove.redo_steps(tree, 1, lambda: True)
    return None if batch is None else batch.change
