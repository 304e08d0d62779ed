"""`loomapp import`: trees from files into a grove, all of them or none."""

from __future__ import annotations

from functools import partial

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE
from loomapp.cli.files import read_file
from loomapp.cli.groves import open_or_create_named
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.formats.imported import Imported
from loomapp.formats.registry import IMPORTERS
from loomapp.store.adding import Added
from loomapp.store.backup_times import back_up_grove, is_due
from loomapp.store.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.media import add_media


def add_arguments(parser: Parser) -> None:
    """What `import` takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="Loom JSON")


def run(arguments: Namespace) -> int:
    """Takes the files in and prints a line a tree; a grove with something in it is backed up first.

    Raises: InvalidInput before anything is written, GroveError.
    """
    for name in arguments.files:
        read_file(name, IMPORTERS["loom-json"].read)
    with open_or_create_named(arguments) as grove:
        if is_due(grove, now(), every_ms=0):
            back_up_grove(grove, "before-import")
        for name in arguments.files:
            imported = _read(grove, name)
            for warning in imported.warnings:
                tell(f"{name}: {warning}")
            _print(_take_in(grove, imported), imported.tree.loom.title, as_json=arguments.json)
    return DONE


def _read(grove: Grove, name: str) -> Imported:
    untitled = f"Loom Tree {len(grove.trees()) + 1}"
    read = partial(IMPORTERS["loom-json"].read, now=now(), tree_id=new_id(), untitled=untitled)
    return read_file(name, read)


def _take_in(grove: Grove, imported: Imported) -> Added:
    """The media first: a tree whose pictures could not be written is not begun."""
    add_media(grove.path, imported.media.values())
    return grove.add_tree(imported.tree, imported.agents, imported.evidence)


def _print(added: Added, title: str, *, as_json: bool) -> None:
    if as_json:
        value = {"treeId": added.tree_id, "title": title, "outcome": added.outcome}
        say_json({**value, "nodes": added.node_count, "message": added.message})
    else:
        say(f"{added.tree_id} {one_line(title)}: {one_line(added.message)}")


COMMANDS = {"import": (add_arguments, run)}
