"""`loomapp context`: the assembled context of a tree as text, with its footer, for reading."""

from __future__ import annotations

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.chosen_model import asked_agent
from loomapp.cli.failures import DONE
from loomapp.cli.groves import look_at_named, tree_named
from loomapp.cli.output import say, say_json
from loomapp.core.context.assembly import to_json
from loomapp.core.context.plain_text import as_text
from loomapp.core.context.report import Report
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.tree import Tree
from loomapp.providers.registry import rules_for
from loomapp.store.files.settings_file import read_settings


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--tree", required=True, metavar="ID")
    parser.add_argument("--at", metavar="NODE", help="the node to continue (default: the end of the path)")


def run(arguments: Namespace) -> int:
    """Prints what the grove's model would be sent. Raises: AssemblyError."""
    with look_at_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        agent = asked_agent(grove, None)
    at = tree.path.leaf_id if arguments.at is None else tree.find(arguments.at) or arguments.at
    question = AskedQuestion(agent, Sources(at), defaults=read_settings().settings.context)
    assembled = assembled_for(tree, question, rules_for(agent.model_ref or ""))
    if arguments.json:
        say_json(to_json(assembled))
        return DONE
    say(as_text(assembled))
    say(_footer(tree, assembled.report, agent.name))
    return DONE


def _footer(tree: Tree, report: Report, name: str) -> str:
    """A few lines: how much is sent, what only in part, and what is left out and why."""
    left_out = [f"{_local(tree, item.node_id)} ({item.reason})" for item in report.dropped]
    tokens = f"{report.after_tokens} of {report.available} tokens (estimated, chars/4) for {name}"
    lines = ["---", f"{tokens} · {report.strategy} · {len(report.kept)} kept, {len(left_out)} left out"]
    if report.partial is not None:
        name = _local(tree, report.partial.node_id or "")
        lines.append(f"sent in part: {name} (without its first {report.partial.dropped_chars} characters)")
    if left_out:
        lines.append("left out: " + ", ".join(left_out))
    if report.over_limit:
        lines.append("too much for this model: exclude something, or ask another one")
    return "\n".join(lines)


def _local(tree: Tree, node_id: str) -> str:
    return tree.nodes[node_id].local_id if node_id in tree.nodes else node_id


COMMANDS = {"context": (add_arguments, run)}
