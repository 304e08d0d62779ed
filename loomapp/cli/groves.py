"""The grove, tree and node that arguments name, and what drafts of it are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loomapp import places
from loomapp.cli.arguments import Namespace, NotFound, Parser, UsageError, read_file
from loomapp.cli.output import BY, tell
from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence, worded
from loomapp.store.files import draft_claims, draft_folders, drafts
from loomapp.store.files.drafts import DraftRow, Kind, drafts_folder
from loomapp.store.files.media import add_media
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
from loomapp.store.grove.other_files import drafts_elsewhere
from loomapp.store.identity import new_id, now
from loomapp.store.soundness import damage_behind

if TYPE_CHECKING:
    from loomapp.formats.importer import Imported


def grove_path(arguments: Namespace) -> Path:
    """The grove that was named, else the one opened last if it is still there, else the default one.

    Raises: UsageError for `.` and `/`, which leave no name for what stands beside a grove.
    """
    if arguments.grove is not None:
        named = Path(arguments.grove)
        if not named.name:
            raise UsageError(f"{arguments.grove or 'an empty name'} is no grove; choose a grove file")
        return named
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
    """Opens the grove for a command that only looks, so also a read-only one; see `store.opening.readers` for
    what may change beside it. Raises: GroveError.
    """
    return _looked_at(arguments, read_grove)


def look_into_named(arguments: Namespace) -> Grove:
    """Opens the grove for verification, whatever is wrong with its owner. Raises: GroveError."""
    return _looked_at(arguments, read_unowned)


def damage_of_named(arguments: Namespace, error: Exception) -> GroveError | None:
    """The damage of the grove that led to an error which no command expects; None if there is none."""
    return None if isinstance(error, LoomError) else damage_behind(error, grove_path(arguments))


def _looked_at(arguments: Namespace, read: Callable[[Path], Grove]) -> Grove:
    path = grove_path(arguments)
    if draft_claims.has_claims(drafts_folder(path)):
        from loomapp.runs.answer_journal import tell_of_left_answers  # late: hardly ever is anything left

        tell_of_left_answers(path, tell)
    grove = read(path)
    if not grove.is_sealed:
        tell(f"{grove.path}: {NOT_SEALED}")
    if grove.strange:
        tell(f"{grove.path}: {worded(STRANGE, what=listed(grove.strange))}")
    tell_of_drafts(grove, getattr(arguments, "tree", None))
    return grove


def open_or_create_named(arguments: Namespace) -> Grove:
    """Opens the grove for a command that may begin one. Raises: GroveError."""
    return _with_left_answers(open_or_create(grove_path(arguments)))


def _with_left_answers(grove: Grove) -> Grove:
    """A grove that is open for writing, with what a command line that broke off had streamed."""
    grove.mended = partial(_tell_mended, grove.path)
    if draft_claims.has_claims(drafts_folder(grove.path)):
        from loomapp.runs.answer_journal import keep_left_answers  # late: hardly ever is anything left

        try:
            keep_left_answers(grove, BY, tell)
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


BRING_BACK = "in the window"  # what is pruned


def node_named(tree: Tree, name: str) -> str:
    """The id of a node by its id or local id. Raises: NotFound."""
    node_id = tree.find(name)
    if node_id is None:
        raise NotFound(f"there is no node {name} in the tree {tree.loom.id}", nodeId=name)
    return node_id


ELSEWHERE = (
    "{words} They are kept in {folder}, under the name that the grove had before; the window brings them "
    "along when it opens it."
)
WRITTEN: frozenset[Kind] = frozenset(
    {"composer", "behind", "edit", "note", "summary", "document", "memory", "card", "settings"}
)


def tell_of_drafts(grove: Grove, tree_id: str | None = None) -> None:
    """Say on the standard error which trees have drafts, and how many, here and under a name that the grove
    had before; nothing if none has. With the id of a tree only whether that one has.
    """
    counts = _counts(grove.path)
    if not counts and not any(True for _ in draft_folders.other_folders(drafts_folder(grove.path))):
        return  # the usual case, in which no tree is read
    titles = {row.id: row.title for row in grove.trees() if tree_id in (None, row.id)}
    for drafted_id, count in counts.items():
        if drafted_id in titles:
            tell(worded(_sentence(count), count=count, title=titles[drafted_id]))
    for (folder, drafted_id), count in _counts_elsewhere(grove.path, titles).items():
        words = worded(_sentence(count), count=count, title=titles[drafted_id])
        tell(worded(ELSEWHERE, words=words, folder=folder))


def _sentence(count: int) -> str:
    if count == 1:
        return "“{title}” has a draft: words that are not sent or saved yet. They are not in this."
    return "“{title}” has {count} drafts: words that are not sent or saved yet. They are not in this."


def _counts(grove: Path) -> Mapping[str, int]:
    """Return how many drafts each tree has. Where they cannot be read there is nothing to say."""
    counts: dict[str, int] = {}
    with suppress(GroveError):
        for row in drafts.read(drafts_folder(grove)):
            if _has_words(row):
                counts[row.slot.tree_id] = counts.get(row.slot.tree_id, 0) + 1
    return counts


def _counts_elsewhere(grove: Path, trees: Container[str]) -> Mapping[tuple[Path, str], int]:
    """Return the same by the folder of another name, and answers that were cut short with them."""
    found = drafts_elsewhere(grove, trees)
    return Counter((folder, row.slot.tree_id) for folder, row in found if _has_words(row) or _is_answer(row))


def _has_words(row: DraftRow) -> bool:
    if row.slot.kind not in WRITTEN:
        return False
    text, others = row.body.get("text"), (row.body.get("attached"), row.body.get("fields"))
    return (isinstance(text, str) and bool(text.strip())) or any(others)


def _is_answer(row: DraftRow) -> bool:
    drafts_of_run = row.body.get("drafts")
    return row.slot.kind == "run" and bool(drafts_of_run)


SAMPLE = "sample.loom.json"


def first_tree(grove: Grove) -> Tree:
    """The first tree of a grove; an empty grove gets the sample."""
    rows = grove.trees()
    return grove.load_tree(rows[0].id) if rows else add_sample(grove)


def add_sample(grove: Grove) -> Tree:
    """Put the bundled sample into a grove, with the responses that its answers rest on."""
    from loomapp.formats import loom_json  # late: few commands read a file

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
    with look_at_named(arguments) as grove:
        return tree_named(grove, arguments.tree)


def as_imported(data: bytes) -> Imported:
    """A file as it would come into a grove; a damaged tree as it stands, for its path to tell the fault."""
    from loomapp.formats import loom_json  # late: few commands read a file

    try:
        return loom_json.read(data)
    except InvalidInput:
        return loom_json.read(data, lenient=True)
