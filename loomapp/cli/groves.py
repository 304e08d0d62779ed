"""The grove, tree and node that arguments name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from loomapp import places
from loomapp.cli.arguments import Namespace
from loomapp.cli.draft_notes import tell_of_drafts
from loomapp.cli.failures import NotFound
from loomapp.cli.output import tell
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence, worded
from loomapp.store.files import draft_claims
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import (
    NOT_SEALED,
    STRANGE,
    listed,
    open_grove,
    open_or_create,
    read_grove,
    read_unowned,
)


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
    return _with_left_answers(open_grove(grove_path(arguments)))


def look_at_named(arguments: Namespace) -> Grove:
    """Opens the grove for a command that only looks, so also a read-only one. Raises: GroveError."""
    return _looked_at(arguments, read_grove)


def look_into_named(arguments: Namespace) -> Grove:
    """Opens the grove for verification, whatever is wrong with its owner. Raises: GroveError."""
    return _looked_at(arguments, read_unowned)


def _looked_at(arguments: Namespace, read: Callable[[Path], Grove]) -> Grove:
    path = grove_path(arguments)
    if draft_claims.has_claims(drafts_folder(path)):
        from loomapp.cli.answers.left_answers import (
            tell_of_left_answers,  # late: hardly ever is anything left
        )

        tell_of_left_answers(path)
    grove = read(path)
    if not grove.is_sealed:
        tell(f"{grove.path}: {NOT_SEALED}")
    if grove.strange:
        tell(f"{grove.path}: {worded(STRANGE, what=listed(grove.strange))}")
    tell_of_drafts(grove)
    return grove


def open_or_create_named(arguments: Namespace) -> Grove:
    """Opens the grove for a command that may begin one. Raises: GroveError."""
    return _with_left_answers(open_or_create(grove_path(arguments)))


def _with_left_answers(grove: Grove) -> Grove:
    """A grove that is open for writing, with what a command line that broke off had streamed."""
    grove.mended = partial(_tell_mended, grove.path)
    if draft_claims.has_claims(drafts_folder(grove.path)):
        from loomapp.cli.answers.left_answers import keep_left_answers  # late: hardly ever is anything left

        try:
            keep_left_answers(grove)
        except BaseException:
            grove.close()
            raise
    return grove


def _tell_mended(path: Path, _for_a_window: Sentence) -> None:
    """Say that the file was gone, or one beside it, and is there again, with no word of windows."""
    tell(
        f"{path.name}, or a file beside it, was moved, deleted or replaced while this command had it open; "
        f"what it saves is in {path}, which was written again. If you moved the grove, the moved file is "
        "another one from now on: compare the two, and go on with one of them"
    )


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
