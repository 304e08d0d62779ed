"""`loomapp export`: a tree in a file format, on stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from loomapp.cli.arguments import DONE, Namespace, Parser, UsageError
from loomapp.cli.groves import look_at_named, node_named, tree_named
from loomapp.cli.output import say, say_as_json, say_bytes, tell
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.calls import calls_of
from loomapp.formats import evidence_file
from loomapp.formats.evidence_file import Contents
from loomapp.formats.exports.chat_json import told_of_cut
from loomapp.formats.exports.export import Export, Wanted
from loomapp.formats.loom_json import media_refs
from loomapp.formats.registry import EXPORTERS, READABLE_EXPORTERS
from loomapp.store.checks.evidence_chain import handed_on
from loomapp.store.files.media import read_media
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--tree", required=True, metavar="ID", help="the tree")
    parser.add_argument(
        "--format",
        choices=(*EXPORTERS, *READABLE_EXPORTERS),
        default="loom-json",
        help="(default: loom-json)",
    )
    parser.add_argument(
        "--path",
        metavar="NODE",
        help=f"the path to a node, in place of the active one ({', '.join(READABLE_EXPORTERS)})",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NODE",
        help="this node alone; may be given several times, and - reads them from standard input, one a line",
    )
    parser.add_argument(
        "--branches",
        action="store_true",
        help="all branches, each under a heading (of markdown; html and opml hold them anyway)",
    )
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="seal it, for `loomapp verify FILE` anywhere; with --path only that node and what it rests on",
    )
    parser.add_argument("--no-responses", action="store_true", help="leave out the raw responses")
    parser.add_argument("--no-media", action="store_true", help="leave out the bytes of images")
    parser.add_argument("--no-excluded", action="store_true", help="leave out what is excluded from context")
    parser.add_argument("--no-speakers", action="store_true", help="leave out the names of who wrote what")
    parser.add_argument("--no-system", action="store_true", help="leave out the system context (of html)")
    parser.add_argument("--annotations", action="store_true", help="write the notes on each node, too")
    parser.add_argument(
        "--metadata", action="store_true", help="write local id, time, author, model and marks, too"
    )


def run(arguments: Namespace) -> int:
    """Prints the tree. Raises: UsageError for what does not go together."""
    if arguments.format in READABLE_EXPORTERS and not arguments.evidence:
        return _export_readable(arguments)
    if arguments.evidence:
        return _export_evidence(arguments)
    if arguments.path is not None or arguments.only:
        option = "--path" if arguments.path is not None else "--only"
        raise UsageError(f"{arguments.format} holds the whole tree; {option} is for formats that are read")
    with look_at_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        evidence = None if arguments.no_responses else grove.all_evidence(arguments.tree)
        media = None if arguments.no_media else read_media(grove.path, media_refs(tree))
        agents = grove.tree_agents(arguments.tree)
    say_as_json(EXPORTERS[arguments.format].write(tree, agents, evidence, media))
    return DONE


def _export_readable(arguments: Namespace) -> int:
    exporter = READABLE_EXPORTERS[arguments.format]
    if arguments.branches + (arguments.path is not None) + bool(arguments.only) > 1:
        raise UsageError("--path, --only and --branches exclude each other")
    if arguments.only and exporter.is_sent:
        raise UsageError(f"{arguments.format} holds what is sent for a path; --only is for the others")
    if arguments.branches and not exporter.of_tree:
        raise UsageError(f"{arguments.format} is of one path; --branches is for markdown, html and opml")
    wanted = Wanted(
        excluded=not arguments.no_excluded,
        annotations=arguments.annotations,
        metadata=arguments.metadata,
        speakers=not arguments.no_speakers,
        system=not arguments.no_system,
        branches=arguments.branches or (exporter.is_whole and arguments.path is None and not arguments.only),
    )
    with look_at_named(arguments) as grove:
        tree = tree_named(grove, arguments.tree)
        agents = grove.tree_agents(arguments.tree)
        has_images = exporter.has_images and not arguments.no_media
        media = read_media(grove.path, media_refs(tree)) if has_images else {}
        calls = calls_of(tree, grove.bodiless_evidence(tree.loom.id)) if wanted.metadata else {}
    if arguments.only:
        nodes: Sequence[Node] = _chosen(tree, arguments.only)
    else:
        leaf = tree.path.leaf_id if arguments.path is None else node_named(tree, arguments.path)
        nodes = resolve(tree, leaf).nodes
    export = Export(tree, agents, nodes, wanted, media, read_settings().settings.context, calls=calls)
    made = exporter.write(export)
    if exporter.is_sent and (cut := told_of_cut(export)):
        tell(cut)
    if isinstance(made, bytes):
        say_bytes(made, exporter.suffix)
    else:
        say(made, end="")
    return DONE


def _chosen(tree: Tree, names: Sequence[str]) -> Sequence[Node]:
    """Nodes by their names, in the order of the tree."""
    every = [name for one in names for name in (sys.stdin.read().split("\n") if one == "-" else [one])]
    chosen = {node_named(tree, name) for name in every if name}
    return [node for node_id, node in tree.nodes.items() if node_id in chosen]


def _export_evidence(arguments: Namespace) -> int:
    if arguments.format != "loom-json" or arguments.no_responses:
        raise UsageError("evidence is Loom JSON with its responses: leave out --format and --no-responses")
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
