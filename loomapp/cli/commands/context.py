"""`loomapp context`: the assembled context of a tree as text, with its footer, for reading."""

from __future__ import annotations

from dataclasses import field, replace

from loomapp.cli.arguments import DONE, Namespace, Parser, now_ms, read_file
from loomapp.cli.chosen_model import asked_agent
from loomapp.cli.groves import add_tree, as_imported, check_one_tree, look_at_named, tree_named
from loomapp.cli.output import say, say_json
from loomapp.core.context.assembly import Assembled, assemble, to_json
from loomapp.core.context.plain_text import as_text
from loomapp.core.context.report import Report
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import circular, context_text
from loomapp.core.economy.calls import Calls
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import ALL_OFF, ASSEMBLERS, NOTHING_OWN, SUMMARIES
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.calls import calls_for
from loomapp.providers.registry import rules_for
from loomapp.store.files.settings_file import read_settings

NOBODY = "a model"  # asked for a file, which has no agent that is chosen


@dataclass(frozen=True, slots=True)
class _Subject:
    """A tree, who would be asked, and the settings that count; no agent: the tree is that of a file."""

    tree: Tree
    agent: Agent | None = None
    defaults: AppContextSettings = field(default_factory=AppContextSettings)
    calls: Calls = field(default_factory=dict)


def add_arguments(parser: Parser) -> None:
    add_tree(parser)
    parser.add_argument("--at", metavar="NODE", help="the node to continue (default: the end of the path)")
    text = "summaries: the text of the branch summaries, as programs get it"
    parser.add_argument("--assembler", choices=ASSEMBLERS, help=text)


def run(arguments: Namespace) -> int:
    """Prints what a model would be sent: the grove's, or any for a file. Raises: AssemblyError."""
    subject = _subject(arguments)
    tree = subject.tree
    at = tree.path.leaf_id if arguments.at is None else tree.find(arguments.at) or arguments.at
    if arguments.assembler == SUMMARIES and not arguments.json:
        say(_chain(tree, at))
        return DONE
    assembled = _assembled(subject, at, arguments.assembler)
    if arguments.json:
        say_json(to_json(assembled))
        return DONE
    say(as_text(assembled))
    say(_footer(tree, assembled.report, NOBODY if subject.agent is None else subject.agent.name))
    return DONE


def _subject(arguments: Namespace) -> _Subject:
    check_one_tree(arguments)
    if arguments.file is not None:
        return _Subject(read_file(arguments.file, as_imported).tree)
    with look_at_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        defaults = read_settings().settings.context
        calls = calls_for(tree, defaults, lambda: grove.all_evidence(tree.loom.id))
        return _Subject(tree, asked_agent(grove, None), defaults, calls)


def _chain(tree: Tree, at: str) -> str:
    try:
        return context_text(tree, resolve(tree, at))
    except AssemblyError as error:
        raise circular(error) from None


def _assembled(subject: _Subject, at: str, assembler: str | None) -> Assembled:
    own = NOTHING_OWN if subject.agent is not None else ALL_OFF
    economy = own if assembler is None else replace(own, assembler=assembler)
    overrides = ContextSettings(economy=economy)
    if subject.agent is None:
        return assemble(subject.tree, ContextRequest(at, overrides=overrides))
    question = AskedQuestion(
        subject.agent,
        Sources(at),
        defaults=subject.defaults,
        overrides=overrides,
        calls=subject.calls,
        now=now_ms(),
    )
    return assembled_for(subject.tree, question, rules_for(subject.agent.model_ref or ""))


def _footer(tree: Tree, report: Report, name: str) -> str:
    """A few lines: how much is sent, what only in part, and what is left out and why."""
    left_out = [f"{_local(tree, item.node_id)} ({item.reason})" for item in report.dropped]
    tokens = f"{report.after_tokens} of {report.available} tokens (estimated, chars/4) for {name}"
    lines = ["---", f"{tokens} · {report.strategy} · {len(report.kept)} kept, {len(left_out)} left out"]
    if report.partial is not None:
        name = _local(tree, report.partial.node_id or "")
        lines.append(f"sent in part: {name} (without its first {report.partial.dropped_chars} characters)")
    shortened = [f"{_local(tree, one.node_id)} ({one.row})" for one in report.economy.compressed]
    if shortened:
        lines.append("shortened: " + ", ".join(shortened))
    if left_out:
        lines.append("left out: " + ", ".join(left_out))
    if report.over_limit:
        lines.append("too much for this model: exclude something, or ask another one")
    return "\n".join(lines)


def _local(tree: Tree, node_id: str) -> str:
    return tree.nodes[node_id].local_id if node_id in tree.nodes else node_id


COMMANDS = {"context": (add_arguments, run)}
