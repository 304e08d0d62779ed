"""`loomapp export`: a tree in a file format, on stdout."""

from __future__ import annotations

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE, UsageError
from loomapp.cli.groves import look_at_named, node_named, tree_named
from loomapp.cli.output import say, say_as_json
from loomapp.core.paths.resolve import resolve
from loomapp.formats import evidence_file
from loomapp.formats.evidence_file import Contents
from loomapp.formats.loom_json import media_refs
from loomapp.formats.registry import EXPORTERS, PATH_EXPORTERS
from loomapp.store.checks.evidence_chain import handed_on
from loomapp.store.files.media import read_media
from loomapp.store.grove.grove import Grove

PROMISED = ("loom-json", "markdown", "html", "text", "jsonl")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--tree", required=True, metavar="ID")
    parser.add_argument("--format", choices=PROMISED, default="loom-json")
    parser.add_argument(
        "--path",
        metavar="NODE",
        help="the path to a node, in place of the active one (text and markdown are of one path)",
    )
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="seal it, for `loomapp verify FILE` anywhere; with --path only that node and what it rests on",
    )
    parser.add_argument("--no-responses", action="store_true", help="leave out the raw responses")
    parser.add_argument("--no-media", action="store_true", help="leave out the bytes of images")


def run(arguments: Namespace) -> int:
    """Prints the tree. Raises: UsageError for a format that is not there yet."""
    if arguments.format not in {**EXPORTERS, **PATH_EXPORTERS}:
        there = ", ".join((*EXPORTERS, *PATH_EXPORTERS))
        raise UsageError(f"the format {arguments.format} is not there yet; this version exports {there}")
    if arguments.format in PATH_EXPORTERS and not arguments.evidence:
        return _export_path(arguments)
    if arguments.evidence:
        return _export_evidence(arguments)
    if arguments.path is not None:
        raise UsageError(f"{arguments.format} holds the whole tree; --path is for formats of one path")
    with look_at_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        evidence = None if arguments.no_responses else grove.all_evidence(arguments.tree)
        media = None if arguments.no_media else read_media(grove.path, media_refs(tree))
        agents = grove.tree_agents(arguments.tree)
    say_as_json(EXPORTERS[arguments.format].write(tree, agents, evidence, media))
    return DONE


def _export_path(arguments: Namespace) -> int:
    with look_at_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        agents = grove.tree_agents(arguments.tree)
    leaf = tree.path.leaf_id if arguments.path is None else node_named(tree, arguments.path)
    path = resolve(tree, leaf)
    say(PATH_EXPORTERS[arguments.format].write(tree, agents, path.nodes), end="")
    return DONE


def _export_evidence(arguments: Namespace) -> int:
    if arguments.format != "loom-json" or arguments.no_responses:
        raise UsageError("evidence is Loom JSON with its responses: leave --format and --no-responses away")
    with look_at_named(arguments) as grove:
        sequence = -1
        while sequence != grove.sequence():  # what another program wrote meanwhile would not be in the tree
            sequence = grove.sequence()
            contents = _contents(grove, arguments)
            chain = handed_on(grove, contents.tree, contents.agents, contents.evidence, contents.of)
    say_as_json(evidence_file.write(contents, chain))
    return DONE


def _contents(grove: Grove, arguments: Namespace) -> Contents:
    tree = tree_named(grove, arguments.tree)
    media = None if arguments.no_media else read_media(grove.path, media_refs(tree))
    agents, evidence = grove.tree_agents(arguments.tree), grove.all_evidence(arguments.tree)
    whole = Contents(tree, tuple(agents), tuple(evidence), media)
    return whole if arguments.path is None else whole.above(node_named(tree, arguments.path))


COMMANDS = {"export": (add_arguments, run)}
