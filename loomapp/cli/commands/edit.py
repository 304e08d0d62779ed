"""`loomapp tree new` and `loomapp node add`: small edits for scripts."""

from __future__ import annotations

from loomapp.cli.arguments import DONE, Namespace, Parser, clean_text
from loomapp.cli.groves import BRING_BACK, node_named, open_named, open_or_create_named, tree_named
from loomapp.cli.output import BY, say, say_json
from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.edits.tree_edits import with_title
from loomapp.core.model.agent import Agent
from loomapp.core.paths.navigation import check_lives
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now

HAND_WRITTEN_MODEL = Agent("model", "Model", "model")


def add_tree_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--mode", required=True, choices=("dialogue", "buffer"), help="messages, or one continuous text"
    )
    parser.add_argument("--title", type=clean_text, default="", metavar="T", help="its title")
    parser.add_argument(
        "--system-context", type=clean_text, metavar="TEXT", help="what models are told in this tree"
    )
    parser.add_argument(
        "--text", type=clean_text, default="", metavar="ROOT_TEXT", help="text of its first node"
    )


def new_tree(arguments: Namespace) -> int:
    """Makes a tree and prints its id and its root's."""
    with open_or_create_named(arguments) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id, by=BY)
        title = arguments.title or tree_edits.title_from(arguments.text)
        title = title or f"Loom Tree {len(grove.trees()) + 1}"
        tree = tree_edits.new_tree(
            arguments.mode, title, pen, text=arguments.text, system_context=arguments.system_context
        )
        grove.add_tree(tree, [grove.owner], [])
    if arguments.json:
        say_json({"treeId": tree.loom.id, "rootNodeId": tree.root_id})
    else:
        say(f"{tree.loom.id} {tree.root_id}")
    return DONE


def add_node_arguments(parser: Parser) -> None:
    parser.add_argument("--tree", required=True, metavar="ID", help="the tree")
    parser.add_argument(
        "--parent", required=True, metavar="NODE", help="the node that it follows, by id or local id"
    )
    parser.add_argument("--text", required=True, type=clean_text, metavar="TEXT", help="what it says")
    parser.add_argument(
        "--author", choices=("human", "model"), default="human", help="who wrote it (default: human)"
    )


def add_node(arguments: Namespace) -> int:
    """Adds a node and prints its id. What a script writes as a model has no evidence, and verifies so."""
    with open_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        parent_id = node_named(tree, arguments.parent)
        check_lives(tree, parent_id, BRING_BACK)
        author = grove.owner if arguments.author == "human" else _model_agent(grove)
        pen = edit_context.EditContext(author.id, now(), new_id, author.type, BY)
        change = node_edits.add_node(tree, parent_id, arguments.text, pen)
        grove.commit(tree, with_title(tree, change))
    node_id = change.added_nodes()[0].id
    say_json({"nodeId": node_id}) if arguments.json else say(node_id)
    return DONE


def _model_agent(grove: Grove) -> Agent:
    """The first model of the grove; in one without, the agent that stands for hand-written model text."""
    models = [agent for agent in grove.agents() if agent.type == "model" and agent.archived_at is None]
    if not models:
        grove.put_agent(HAND_WRITTEN_MODEL)
    return models[0] if models else HAND_WRITTEN_MODEL


COMMANDS = {
    "tree new": (add_tree_arguments, new_tree),
    "node add": (add_node_arguments, add_node),
}
