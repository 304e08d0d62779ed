"""The served grove, opened at the first call, anew where it moved; its position, engine and variables."""

from __future__ import annotations

import gc
import logging
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.tree_edits import with_title
from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.generation.provider import Provider
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.mcp.arguments import ToolError, quoted
from loomapp.preflight import apt_get, missing_engine_libraries
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import loads_model, provider_for
from loomapp.runs.answer_journal import keep_left_answers
from loomapp.store.files import draft_claims
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_as_far_as_possible, read_grove
from loomapp.store.identity import new_id
from loomapp.store.opening.file_names import last_written
from loomapp.store.rows.tree_rows import no_collections


class Position:
    """The tree that calls mean where they name none, and where they stand in each tree."""

    def __init__(self) -> None:
        self.tree_id: str | None = None
        self._nodes: dict[str, str] = {}

    def at(self, tree: Tree) -> str:
        """The node where it stands in a tree: at first, and where that node is gone, the path's leaf."""
        node_id = self._nodes.get(tree.loom.id)
        return node_id if node_id is not None and node_id in tree.nodes else tree.path.leaf_id

    def go(self, tree: Tree, node_id: str) -> None:
        """Stand at a node of a tree, which calls mean from now on."""
        self.tree_id = tree.loom.id
        self.move(tree, node_id)

    def move(self, tree: Tree, node_id: str) -> None:
        """Stand at a node of a tree, whichever tree calls mean."""
        self._nodes[tree.loom.id] = node_id


class LocalEngine:
    """The engine for local models, begun when the first is asked, kept until the server ends."""

    def __init__(self) -> None:
        self._engine: Engine | None = None

    def provider(self, model_ref: str) -> Provider:
        """The provider that answers for a model. Raises: ToolError, ProviderError."""
        if loads_model(model_ref) and (missing := missing_engine_libraries()):
            raise ToolError(f"The embedded engine needs system libraries. Install them: {apt_get(missing)}")
        if self._engine is None:
            self._engine = Engine()
        return provider_for(model_ref, self._engine)

    def close(self) -> None:
        """End the engine, if it was begun."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()


MOST_TREES = 4  # that are kept in memory
MANY = 20_000  # nodes of a tree
BY = "MCP server"  # who adds what another process left, as the change log names it
READ_ONLY = "This server only reads (LOOM_MCP_READ_ONLY is set): nothing was changed"
NO_TREE = "This grove has no tree yet. Make one in Loomapp, or with `loomapp tree new`"

log = logging.getLogger(__name__)


def _loaded(grove: Grove, tree_id: str) -> Tree:
    with no_collections():
        tree = grove.load_tree(tree_id)
        if len(tree.nodes) > MANY:
            gc.freeze()  # the first looks for garbage would go through all of it, and find none
        return tree


class ServedGrove:
    """One grove for as long as the server lives. Belongs to one thread.

    Every method may raise GroveError: the file cannot be opened, read or written. The next call tries anew.
    """

    def __init__(self, path: Path, *, is_read_only: bool = False) -> None:
        self.path, self.is_read_only = path, is_read_only
        self._grove: Grove | None = None
        self._trees: dict[str, Tree] = {}  # the one asked for last at the end
        self._moves: Counter[str] = Counter()  # by tree
        self._seen: tuple[tuple[int, int], ...] = ()  # of a file that is only read: when it was read
        self._unkept: Agent | None = None  # made for a client, to be kept with its first change

    def grove(self) -> Grove:
        """The open grove, as the file is now."""
        if self._grove is not None and self._is_out_of_date(self._grove):
            self.let_go()
        if self._grove is None:
            self._seen = last_written(self.path)
            self._grove = read_grove(self.path) if self.is_read_only else open_as_far_as_possible(self.path)
            self._grove.foreign = self._on_foreign
        return self._grove

    def _is_out_of_date(self, grove: Grove) -> bool:
        if not grove.is_in_place():
            return True
        return grove.read_only and last_written(self.path) != self._seen

    def _on_foreign(self, change: Change) -> None:
        self._moves[change.tree_id] += 1

    def let_go(self) -> None:
        """Close the file; the next call opens it again."""
        grove, self._grove = self._grove, None
        self._trees.clear()
        if grove is not None:
            try:
                grove.close()
            except LoomError as error:
                log.warning("the grove could not be closed: %s", error)

    # Reading

    def first_tree_id(self) -> str:
        """The tree that was changed last and is not archived. Raises: ToolError if there is none."""
        rows = [row for row in self.grove().trees() if row.archived_at is None] or self.grove().trees()
        if not rows:
            raise ToolError(NO_TREE)
        return max(rows, key=lambda row: row.updated_at).id

    def tree(self, tree_id: str) -> Tree:
        """A tree as the file has it now. Raises: ToolError if there is none of this id."""
        grove = self.grove()
        tree = self._trees.pop(tree_id, None)
        if tree is not None and grove.knows(tree) and self._is_caught_up(grove, tree):
            self._trees[tree_id] = tree
            return tree
        try:
            tree = _loaded(grove, tree_id)
        except GroveError as error:
            if error.code != "unknownTree":
                raise
            raise ToolError(f"Tree {quoted(tree_id)} not found") from error
        self._trees[tree_id] = tree
        self._moves[tree_id] += 1
        while len(self._trees) > MOST_TREES:
            del self._trees[next(iter(self._trees))]
        return tree

    @staticmethod
    def _is_caught_up(grove: Grove, tree: Tree) -> bool:
        try:
            grove.catch_up(tree)
        except GroveError:
            raise
        except LoomError:
            return False  # it is read anew
        return True

    def author_names(self) -> dict[str, str]:
        return {agent.id: agent.name for agent in self.grove().agents()}

    # Writing

    def writable(self) -> Grove:
        """The grove, to be changed. Raises: ToolError if that is not allowed; GroveError."""
        if self.is_read_only:
            raise ToolError(READ_ONLY)
        grove = self.grove()
        if grove.read_only:
            raise GroveError("readOnly", grove.notice, path=str(grove.path))
        if draft_claims.has_claims(drafts_folder(grove.path)):
            keep_left_answers(grove, BY, log.info)
        return grove

    def commit(self, tree: Tree, change: Change) -> None:
        """Save a change and move the tree by it; with the first of a client, the agent that stands for it."""
        grove, made = self.writable(), self._unkept
        if made is not None and made.name == change.by:
            grove.put_agent(made, by=made.name)
            self._unkept = None
        grove.commit(tree, with_title(tree, change))
        self._moves[tree.loom.id] += 1

    def moves(self, tree_id: str) -> int:
        """A number that grows with every change of a tree that is known here, whoever made it."""
        return self._moves[tree_id]

    def agent_named(self, name: str) -> Agent:
        """The model agent that stands for a client, kept with its first change. It asks no model itself."""
        grove, self._unkept = self.writable(), None
        known = (a for a in grove.agents() if a.type == "model" and a.model_ref is None and a.name == name)
        agent = next((a for a in known if a.archived_at is None), None)
        if agent is None:
            self._unkept = agent = Agent(new_id(), name, "model", colour="a3")
        return agent


THRESHOLD, PREVIEW = 20, 5  # results; of more than the first only as many as the second are shown
PREFIXES = ("LOOM_MCP_", "BEADS_MCP_")  # of those that set the numbers, the first that is set counts
_WHOLE = re.compile(r"[+-]?[0-9]{1,1000}")  # more are no number to Python
_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Environment:
    """The values that count for one server."""

    threshold: int = THRESHOLD
    preview: int = PREVIEW
    lists_every_tool: bool = False
    is_read_only: bool = False


def read_environment(variables: Mapping[str, str]) -> Environment:
    """Read the variables. Raises: InvalidInput, in one line that names the variable."""
    threshold = _number(variables, "COMPACTION_THRESHOLD")
    preview = _number(variables, "PREVIEW_COUNT")
    most = THRESHOLD if threshold is None else threshold
    if preview is not None and preview > most:
        name = _name(variables, "PREVIEW_COUNT")
        raise InvalidInput(f"{name} must be <= LOOM_MCP_COMPACTION_THRESHOLD (is {preview})")
    return Environment(
        threshold=most,
        preview=min(PREVIEW, most) if preview is None else preview,
        lists_every_tool=_choice(variables, "LOOM_MCP_TOOLS", yes=("full",), no=("", "lazy")),
        is_read_only=_choice(variables, "LOOM_MCP_READ_ONLY", yes=_YES, no=_NO),
    )


def _name(variables: Mapping[str, str], ending: str) -> str:
    names = [prefix + ending for prefix in PREFIXES]
    return next((name for name in names if variables.get(name, "").strip()), names[0])


def _number(variables: Mapping[str, str], ending: str) -> int | None:
    name = _name(variables, ending)
    text = variables.get(name, "").strip()
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        raise InvalidInput(f"{name} must be >= 1 (is {text!r})")
    if int(text) < 1:
        raise InvalidInput(f"{name} must be >= 1 (is {int(text)})")
    return int(text)


def _choice(variables: Mapping[str, str], name: str, *, yes: tuple[str, ...], no: tuple[str, ...]) -> bool:
    word = variables.get(name, "").strip().lower()
    if word not in (*yes, *no):
        raise InvalidInput(f"{name} must be {yes[0]!r} or {no[1]!r} (is {word!r})")
    return word in yes
