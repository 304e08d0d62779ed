"""Makes the golden grove of the present version: `python -m tests.data.golden.make_grove`.

Run once for each version of the schema; what it made before stays, for it is what users have.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent, RunLimits, agent_to_json
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import AgentMemory, EdgeSource
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.tree_json import (
    agent_memory_to_json,
    branch_summary_to_json,
    context_summary_to_json,
    edge_to_json,
    link_to_json,
    loom_to_json,
    node_to_json,
    tag_to_json,
)
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.schema import VERSION
from tests.kit.groves import MODEL, generated, summarised, tree_with_everything
from tests.kit.trees import Hand

FOLDER = Path(__file__).parent


ADA = Agent("a0", "Ada", "human", extra={"kept": 1}, run_limits=RunLimits(8, 20_000, 300))


def golden(version: int) -> Path:
    """The golden grove of a version; beside it, as JSON, all that it says."""
    return FOLDER / f"grove-v{version}.loom"


def fill(grove: Grove) -> None:
    """A buffer in which no field is as usual; a dialogue with a past, a step undone and one abandoned."""
    grove.add_tree(tree_with_everything(), [MODEL, ADA])
    grove.put_setting("window.tree", "everything")
    walk(grove)


def walk(grove: Grove) -> None:
    """The dialogue alone, whose hashes are true."""
    hand = Hand()
    owner = grove.owner.id
    tree = tree_edits.new_tree("dialogue", "A walk in the woods", hand.pen(owner))
    grove.add_tree(tree, [grove.owner, MODEL])
    first = node_edits.add_node(tree, tree.root_id, "Which tree is that?", hand.pen(owner))
    grove.commit(tree, first)
    asked = first.added_nodes()[0].id
    grove.commit(tree, generated(tree, asked, ["A beech.", "An oak, I think. 🌳", "Hard to say…"], hand))
    oak = tree.children(asked)[1]
    for change in (
        node_edits.choose_path(tree, oak, hand.pen(owner)),
        node_marks.bookmark(tree, oak, "the oak", hand.pen(owner)),
        node_marks.exclude(tree, [tree.children(asked)[2]], hand.pen(owner)),
        node_edits.annotate(tree, oak, "Look at the leaves again.", hand.pen(owner)),
        version(tree, asked, hand.pen(owner)),
    ):
        assert change is not None
        grove.commit(tree, change)
    grove.commit(tree, summarised(tree, asked, hand))
    grove.commit(tree, node_edits.add_node(tree, oak, "abandoned", hand.pen(owner)))
    grove.undo(tree)
    grove.commit(tree, node_edits.add_node(tree, oak, "How old is it?", hand.pen(owner)))
    grove.commit(tree, node_edits.add_node(tree, oak, "undone", hand.pen(owner)))
    gone = tree.path.leaf_id
    grove.commit(tree, summarised(tree, gone, hand, "It sleeps.", "cd" * 32))
    grove.undo(tree, by="command line")
    grove.commit(tree, remembered(tree, hand))


def remembered(tree: Tree, hand: Hand) -> Change:
    """The memory of an agent, which is no step of undo."""
    body = {"pinned": [tree.root_id], "stashed": [], "recalled": [], "recent": ["→ view A7X2KQ ✓"]}
    row = RowChange(None, AgentMemory(MODEL.id, body))
    return Change(tree.loom.id, "Remember", hand.pen().now, (row,), by=MODEL.name, undoable=False)


def version(tree: Tree, node_id: str, pen: edit_context.EditContext) -> Change:
    """An edit as a buffer makes it: what hangs on the original hangs on the version too."""
    change = node_edits.edit_as_sibling(tree, node_id, "Which tree is this?", pen)
    assert change is not None
    made = change.added_nodes()[0]
    out = [edge for edge in tree.edges_out(node_id) if edge.type == "continuation"]
    more = (RowChange(e, replace(e, sources=(*e.sources, EdgeSource(made.id)))) for e in out)
    chosen = replace(tree.path, selections={edge.target_id: made.id for edge in out})
    return replace(change, rows=(*change.rows[:2], *more, RowChange(tree.path, chosen)))


def said(grove: Grove) -> Json:
    """All that a grove says, as a JSON value that knows nothing of tables."""
    return {
        "owner": agent_to_json(grove.owner),
        "agents": [agent_to_json(agent) for agent in grove.agents()],
        "settings": {"window.tree": grove.setting("window.tree")},
        "trees": [tree_said(grove, row.id) for row in grove.trees()],
    }


def tree_said(grove: Grove, tree_id: str) -> Json:
    """All that a grove says of one tree."""
    tree = grove.load_tree(tree_id)
    memories = [agent_memory_to_json(memory) for memory in tree.agent_memory.values()]
    return {
        "tree": loom_to_json(tree.loom),
        "agents": [agent.id for agent in grove.tree_agents(tree_id)],
        "nodes": [node_to_json(node) for node in tree.nodes.values()],
        "edges": [edge_to_json(edge) for edge in tree.edges.values()],
        "path": [tree.path.leaf_id, dict(tree.path.selections), dict(tree.path.extra)],
        "included": list(tree.included_annotations.node_ids),
        "tags": [tag_to_json(tag) for tag in tree.tags.values()],
        "links": [link_to_json(link) for link in tree.links.values()],
        "branchSummaries": [branch_summary_to_json(s, s.response_id) for s in tree.branch_summaries.values()],
        "contextSummaries": [
            context_summary_to_json(s, s.response_id) for s in tree.context_summaries.values()
        ],
        **({"agentMemory": memories} if memories else {}),
        "extra": dict(tree.extra),
        "responses": [_response(item) for item in grove.all_evidence(tree_id)],
        "undo": grove.undo_label(tree_id),
        "redo": grove.redo_label(tree_id),
        "verified": [[f.node_id, f.verdict] for f in verify_tree(grove, tree_id)],
    }


def _response(item: Evidence) -> Json:
    names = ("id", "provider", "request_body", "request_id", "model", "started_at", "ended_at", "latency_ms")
    value: Json = {name: getattr(item, name) for name in (*names, "finish_reason")}
    value |= {"headers": dict(item.headers), "usage": dict(item.usage), "extra": dict(item.extra)}
    return {**value, "body": base64.b64encode(item.body_gzip).decode(), "choices": dict(item.choices)}


if __name__ == "__main__":
    with create_grove(golden(VERSION)) as made:
        fill(made)
        text = json.dumps(said(made), ensure_ascii=False, indent=1)
    golden(VERSION).with_suffix(".json").write_text(text + "\n", encoding="utf-8")
