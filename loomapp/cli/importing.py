"""`loomapp import`: trees from files into a grove, all of them or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE
from loomapp.cli.files import read_file
from loomapp.cli.groves import open_or_create_named
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.tree import Tree
from loomapp.formats.imported import Imported
from loomapp.formats.merging import Contradiction, addition, as_copy
from loomapp.formats.registry import IMPORTERS
from loomapp.store.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.media import add_media

BY = "command line"


class Outcome(NamedTuple):
    """What came of one file."""

    tree_id: str
    title: str
    added_nodes: int
    was_here: bool
    is_copy: bool


def add_arguments(parser: Parser) -> None:
    """What `import` takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="Loom JSON")


def run(arguments: Namespace) -> int:
    """Takes the files in and prints a line a tree. Raises: InvalidInput before anything is written."""
    for name in arguments.files:
        read_file(name, IMPORTERS["loom-json"].read)
    with open_or_create_named(arguments) as grove:
        for name in arguments.files:
            imported = read_file(name, _reader(grove))
            for warning in imported.warnings:
                tell(f"{name}: {warning}")
            _print(_take_in(grove, imported), as_json=arguments.json)
    return DONE


def _reader(grove: Grove) -> Callable[[bytes], Imported]:
    def known(tree_id: str) -> Tree | None:
        return grove.load_tree(tree_id) if any(row.id == tree_id for row in grove.trees()) else None

    def read(data: bytes) -> Imported:
        untitled = f"Loom Tree {len(grove.trees()) + 1}"
        return IMPORTERS["loom-json"].read(data, now=now(), tree_id=new_id(), untitled=untitled, known=known)

    return read


def _take_in(grove: Grove, imported: Imported) -> Outcome:
    """The media first: a tree whose pictures could not be written is not begun."""
    add_media(grove.path, imported.media.values())
    loom = imported.tree.loom
    is_copy = False
    if any(row.id == loom.id for row in grove.trees()):
        here = grove.load_tree(loom.id)
        try:
            change = addition(here, imported, now=now(), by=BY)
        except Contradiction as contradiction:
            tell(f"{contradiction.message}, so “{loom.title}” comes in as a copy")
            imported, is_copy = as_copy(imported, new_id()), True
        else:
            if change is not None:
                _add_agents(grove, imported)
                grove.commit(here, change)
            added = 0 if change is None else len(change.added_nodes())
            return Outcome(loom.id, here.loom.title, added, was_here=True, is_copy=False)
    grove.add_tree(imported.tree, list(imported.agents), list(imported.evidence))
    tree = imported.tree
    return Outcome(tree.loom.id, tree.loom.title, len(tree.nodes), was_here=False, is_copy=is_copy)


def _add_agents(grove: Grove, imported: Imported) -> None:
    here = {agent.id for agent in grove.agents()}
    for agent in imported.agents:
        if agent.id not in here:
            grove.put_agent(agent)


def _print(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        value = {"treeId": outcome.tree_id, "title": outcome.title, "addedNodes": outcome.added_nodes}
        say_json({**value, "wasHere": outcome.was_here, "copy": outcome.is_copy})
        return
    count = f"{outcome.added_nodes} {'node' if outcome.added_nodes == 1 else 'nodes'}"
    what = f"{count} added to the tree that was here" if outcome.was_here else count
    copy = ", a copy" if outcome.is_copy else ""
    say(f"{outcome.tree_id} {one_line(outcome.title)} ({what}{copy})")


COMMANDS = {"import": (add_arguments, run)}
