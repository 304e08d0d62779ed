"""The grove, tree and node that arguments name."""

from __future__ import annotations

from pathlib import Path

from loomapp import places
from loomapp.cli.arguments import Namespace
from loomapp.cli.failures import NotFound
from loomapp.cli.output import tell
from loomapp.core.tree import Tree
from loomapp.store.grove import NOT_SEALED, Grove, open_grove, open_or_create, read_grove


def grove_path(arguments: Namespace) -> Path:
    """The grove that was named, else the one opened last if it is still there, else the default one."""
    if arguments.grove is not None:
        return Path(arguments.grove)
    last = places.last_grove()
    return last if last is not None and _may_be_there(last) else places.default_grove()


def _may_be_there(path: Path) -> bool:
    """False only where it is certain: a folder that cannot be looked into is told of, not passed over."""
    try:
        return path.exists()
    except OSError:
        return True


def open_named(arguments: Namespace) -> Grove:
    """Opens the grove for a command that changes it. Raises: GroveError."""
    return open_grove(grove_path(arguments))


def look_at_named(arguments: Namespace) -> Grove:
    """Opens the grove for a command that only looks, so also a read-only one. Raises: GroveError."""
    grove = read_grove(grove_path(arguments))
    if not grove.is_sealed:
        tell(f"{grove.path}: {NOT_SEALED}")
    return grove


def open_or_create_named(arguments: Namespace) -> Grove:
    """Opens the grove for a command that may begin one. Raises: GroveError."""
    return open_or_create(grove_path(arguments))


def is_not_begun(arguments: Namespace) -> bool:
    """True where no grove was named and there is none yet: nothing to look at, and no mistake."""
    return arguments.grove is None and not grove_path(arguments).exists()


def tree_named(grove: Grove, tree_id: str) -> Tree:
    """Raises: NotFound."""
    if all(row.id != tree_id for row in grove.trees()):
        raise NotFound(f"there is no tree {tree_id} in {grove.path}", treeId=tree_id)
    return grove.load_tree(tree_id)


def node_named(tree: Tree, name: str) -> str:
    """The id of a node by its id or local id. Raises: NotFound."""
    node_id = tree.find(name)
    if node_id is None:
        raise NotFound(f"there is no node {name} in the tree {tree.loom.id}", nodeId=name)
    return node_id
