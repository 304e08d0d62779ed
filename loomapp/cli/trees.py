"""Trees that commands begin with: of a Loom JSON file, of the grove, or the sample of a new one."""

from __future__ import annotations

from loomapp import places
from loomapp.cli.arguments import Namespace, Parser, read_file
from loomapp.cli.failures import UsageError
from loomapp.core.errors import InvalidInput
from loomapp.core.model.tree import Tree
from loomapp.formats import loom_json
from loomapp.formats.importer import Imported
from loomapp.store.files.media import add_media
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now

SAMPLE = "sample.loom.json"


def first_tree(grove: Grove) -> Tree:
    """The first tree of a grove; an empty grove gets the sample."""
    rows = grove.trees()
    return grove.load_tree(rows[0].id) if rows else add_sample(grove)


def add_sample(grove: Grove) -> Tree:
    """Put the bundled sample into a grove, with the responses that its answers rest on."""
    imported = loom_json.read(places.resource(SAMPLE), now=now(), tree_id=new_id())
    add_media(grove.path, imported.media.values())
    added = grove.add_tree(imported.tree, imported.agents, imported.evidence)
    return grove.load_tree(added.tree_id)


def add_tree(parser: Parser) -> None:
    """FILE, or `--tree ID` in its place."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a Loom JSON file")
    parser.add_argument("--tree", metavar="ID", help="a tree of the grove, in place of FILE")


def check_one_tree(arguments: Namespace) -> None:
    """Raises: UsageError unless exactly one tree is named."""
    if (arguments.file is None) == (arguments.tree is None):
        raise UsageError("give a Loom JSON file, or --tree ID for a tree of the grove (one of the two)")


def tree_asked(arguments: Namespace) -> Tree:
    """Raises: UsageError, InvalidInput, GroveError, NotFound."""
    check_one_tree(arguments)
    if arguments.file is not None:
        return read_file(arguments.file, as_imported).tree
    from loomapp.cli.groves import look_at_named, tree_named

    with look_at_named(arguments) as grove:
        return tree_named(grove, arguments.tree)


def as_imported(data: bytes) -> Imported:
    """A file as it would come into a grove; a damaged tree as it stands, for its path to tell the fault."""
    try:
        return loom_json.read(data)
    except InvalidInput:
        return loom_json.read(data, lenient=True)
