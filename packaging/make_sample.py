"""Writes resources/sample.loom.json: hand-written lines by a human agent, answers really generated here.

    python packaging/make_sample.py [FILE]

Every answer comes from the embedded engine and carries its response, so the sample verifies like any tree.
Run it again for other answers; read them before you keep them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for, request_for
from loomapp.core.generation.drafts import Draft, grow
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.formats import loom_json
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.registry import provider_for, rules_for
from loomapp.providers.run.fan_out import start
from loomapp.providers.run.run import Ended
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import agent_for
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now

AUTHOR = Agent("sample-author", "Loomapp", "human", loom_aware=True)
RESOURCE = Path(__file__).parent.parent / "resources" / "sample.loom.json"

QUESTION = (
    "Write the first three sentences of a story about a lighthouse keeper who finds a letter in a bottle."
)
OTHERWISE = "Write the first three sentences of a story about a baker who finds a letter in a loaf of bread."
REPLY = "And what does the letter say?"
NOTES = (
    "One line, three answers. Double-click a card to read its path; press + on it to go on from there.",
    "The same question, asked differently: select a message and press F2. The old branch stays where it is.",
)


def main(target: Path) -> None:
    """Make the sample tree in a grove of its own and write it out."""
    engine = Engine()
    with tempfile.TemporaryDirectory() as folder, create_grove(Path(folder) / "sample.loom") as grove:
        try:
            tree = weave(grove, engine)
        finally:
            engine.close()
        tree_id = tree.loom.id
        text = loom_json.write(tree, grove.tree_agents(tree_id), grove.all_evidence(tree_id))
    target.write_text(text, encoding="utf-8")


def weave(grove: Grove, engine: Engine) -> Tree:
    """The tree: a question three times answered, gone on with, and asked differently."""
    grove.put_agent(AUTHOR)
    model = agent_for(grove, DEFAULT_MODEL_REF)
    fresh = tree_edits.new_tree("dialogue", "Sample: a letter in a bottle", pen())
    grove.add_tree(fresh, [AUTHOR, model])
    tree = grove.load_tree(fresh.loom.id)
    asked = write(grove, tree, tree.root_id, QUESTION)
    answers = generate(grove, engine, tree, model, asked, 3)
    reply = write(grove, tree, answers[1], REPLY)
    kept = generate(grove, engine, tree, model, reply, 2)
    grove.commit(tree, needed(node_edits.edit_as_sibling(tree, asked, OTHERWISE, pen())))
    otherwise = tree.path.leaf_id
    generate(grove, engine, tree, model, otherwise, 2)
    for node_id, note in zip((asked, otherwise), NOTES, strict=True):
        grove.commit(tree, node_edits.annotate(tree, node_id, note, pen()))
    grove.commit(tree, needed(node_marks.bookmark(tree, answers[1], "The one I went on with", pen())))
    grove.commit(tree, needed(node_edits.choose_path(tree, kept[0], pen())))
    return tree


def write(grove: Grove, tree: Tree, parent_id: str, text: str) -> str:
    """A hand-written message; its id."""
    change = node_edits.add_node(tree, parent_id, text, pen())
    grove.commit(tree, change)
    return change.added_nodes()[0].id


def generate(grove: Grove, engine: Engine, tree: Tree, model: Agent, parent_id: str, count: int) -> list[str]:
    """Answers by the embedded engine; their ids."""
    rules = rules_for(DEFAULT_MODEL_REF)
    question = AskedQuestion(model, Sources(parent_id))
    request = request_for(assembled_for(tree, question, rules), question, count)
    run = start(request, provider_for(DEFAULT_MODEL_REF, engine), new_id=new_id)
    drafts = [Draft(index) for index in range(count)]
    for event in run.follow():
        if isinstance(event, Ended):
            if event.error is not None:
                raise event.error
            change = needed(
                nodes_from_drafts(
                    tree,
                    drafts,
                    sources=Sources(parent_id),
                    agent_id=model.id,
                    evidence=event.evidence,
                    now=now(),
                    new_id=new_id,
                    by=model.name,
                )
            )
            grove.commit(tree, change)
            for node in change.added_nodes():
                print(f"--- {node.local_id}\n{node.text}\n")
            return [node.id for node in change.added_nodes()]
        drafts = [grow(draft, event) for draft in drafts]  # type: ignore[arg-type]
    raise AssertionError("a run always ends")


def pen() -> EditContext:
    """The author's pen, now."""
    return EditContext(AUTHOR.id, now(), new_id, by=AUTHOR.name)


def needed(change: Change | None) -> Change:
    """A change that must be one."""
    assert change is not None, "the sample has nothing to leave out"
    return change


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else RESOURCE)
