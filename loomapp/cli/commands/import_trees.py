"""`loomapp import`: trees from files into a grove, all of them or none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE
from loomapp.cli.files import read_path
from loomapp.cli.groves import open_or_create_named
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.formats.imported import Imported
from loomapp.formats.registry import IMPORTERS
from loomapp.store.files.media import add_media
from loomapp.store.grove.due_backup import back_up_grove, is_due
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.rows.new_trees import Added
from loomapp.store.rows.tree_rows import no_collections


def add_arguments(parser: Parser) -> None:
    """Add the arguments of `import`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="Loom JSON")


def run(arguments: Namespace) -> int:
    """Takes the files in and prints a line a tree; a grove with something in it is backed up first.

    Raises: InvalidInput before anything is written, GroveError.
    """
    # All are read before anything is written; the first, which is mostly the only one, is kept meanwhile.
    first, *others = arguments.files
    imported = _read(first)
    for name in others:
        _read(name)
    with open_or_create_named(arguments) as grove:
        if is_due(grove, now(), every_ms=0):
            back_up_grove(grove, "before-import")
        _take_in(grove, first, imported, as_json=arguments.json)
        for name in others:
            _take_in(grove, name, _read(name), as_json=arguments.json)
    return DONE


def _read(name: str) -> Imported:
    read = partial(IMPORTERS["loom-json"].read, now=now(), tree_id=new_id(), untitled="")
    with no_collections():
        return read_path(name, read)


def _take_in(grove: Grove, name: str, imported: Imported, *, as_json: bool) -> None:
    """The media first: a tree whose pictures could not be written is not begun."""
    tree = imported.tree
    if not tree.loom.title:
        tree.loom = replace(tree.loom, title=f"Loom Tree {len(grove.trees()) + 1}")
    for warning in imported.warnings:
        tell(f"{name}: {warning}")
    add_media(grove.path, imported.media.values())
    with no_collections():
        added = grove.add_tree(tree, imported.agents, imported.evidence)
    _print(added, tree.loom.title, as_json=as_json)


def _print(added: Added, title: str, *, as_json: bool) -> None:
    if as_json:
        value = {"treeId": added.tree_id, "title": title, "outcome": added.outcome}
        say_json({**value, "nodes": added.node_count, "message": added.message})
    else:
        say(f"{added.tree_id} {one_line(title)}: {one_line(added.message)}")


COMMANDS = {"import": (add_arguments, run)}
