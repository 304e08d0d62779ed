"""Tools that read nodes: lists of them, paths, searches, and one in full."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.node_marks import find_tag
from loomapp.core.json_values import Json
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.query import place, terms
from loomapp.core.times import iso_time
from loomapp.core.tree_json import node_to_json
from loomapp.mcp.arguments import Parameter, ToolError, shown
from loomapp.mcp.lists import BRIEF, FLAGS, FULL, MINIMAL, OPTIONS, Form, NodeRows, Reply, listed
from loomapp.mcp.tools.tool import TREE, Call, Tool
from loomapp.store.queries.search import search
from loomapp.store.rows.grove_rows import TreeRow

NODES = Form("nodes", "node_id", BRIEF, MINIMAL, (*MINIMAL, *FULL))
TREE_FIELDS = ("id", "title", "mode", "node_count", "updated_at", "archived")
TREES = Form("trees", "tree_id", ("id", "title"), TREE_FIELDS, TREE_FIELDS)
NODE = Parameter("node_id", "a node's id or local id", required=True)
LIMIT = Parameter("limit", "at most so many", "integer", default=100, least=1)
A_LIST = (
    "a list of nodes {id, title, author, depth, flags, child_count, annotation_count, tokens, created_at}"
)
OR_PREVIEW = "; of more than 20 {compacted, total_count, preview, preview_count, hint}"


def list_trees(call: Call) -> Reply:
    """Every tree of the grove, oldest first."""
    rows = call.served.grove().trees()

    def row(tree: TreeRow, fields: Sequence[str]) -> Json:
        every: Json = {
            "id": tree.id,
            "title": tree.title,
            "mode": tree.mode,
            "node_count": tree.node_count,
            "updated_at": iso_time(tree.updated_at),
            "archived": tree.archived_at is not None,
        }
        return {name: every[name] for name in fields}

    return listed(rows, len(rows), TREES, row, call.arguments, call.environment)


def list_nodes(call: Call) -> Reply:
    """Nodes of a tree by words, author, flags, tag and branch; pruned ones only by their flag."""
    has_top = call.arguments.optional_text("under") is not None
    tree, top = call.place("under") if has_top else (call.tree(), "")
    rows = NodeRows(tree, call.served.author_names())
    wanted = _wanted(call, rows)
    nodes: Iterable[Node] = tree.nodes.values()
    if has_top:
        below = set(tree.descendants(top)) - {top}
        nodes = (node for node in nodes if node.id in below)
    if "pruned" not in wanted.flags:
        nodes = (node for node in nodes if not node.metadata.pruned)
    if wanted.is_narrow:
        nodes = filter(wanted.passes, nodes)
    found = [node.id for node in nodes]
    return _nodes(call, rows, found[: call.arguments.number("limit")], len(found))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The filters of a list; None or empty where one was not given."""

    rows: NodeRows
    words: tuple[str, ...]
    local_id: str
    author: str | None
    flags: frozenset[str]
    tagged: Collection[str] | None

    @property
    def is_narrow(self) -> bool:
        """True if any filter was given."""
        return bool(self.tagged is not None or self.author is not None or self.flags or self.words)

    def passes(self, node: Node) -> bool:
        if self.tagged is not None and node.id not in self.tagged:
            return False
        if self.flags and not self.flags.issubset(self.rows.flags(node)):
            return False
        if self.author is not None and not self.rows.is_by(node, self.author):
            return False
        return not self.words or self._says(node)

    def _says(self, node: Node) -> bool:
        if node.local_id == self.local_id:
            return True
        return place(f"{self.rows.title(node)}\n{node.text}", self.words) is not None


def _wanted(call: Call, rows: NodeRows) -> _Wanted:
    """Raises: ToolError for a flag that there is not."""
    arguments = call.arguments
    flags, tag = arguments.texts("flags"), arguments.optional_text("tag")
    for flag in flags:
        if flag not in FLAGS:
            raise ToolError(f"'flags' must be of {list(FLAGS)} (is {shown(flag)})")
    query = arguments.optional_text("query") or ""
    tagged = None if tag is None else find_tag(rows.tree, tag)
    ids: Collection[str] | None = None if tag is None else () if tagged is None else set(tagged.node_ids)
    author = arguments.optional_text("author")
    return _Wanted(rows, terms(query), query.strip().upper(), author, frozenset(flags), ids)


def _nodes(call: Call, rows: NodeRows, node_ids: Sequence[str], total: int) -> Reply:
    return listed(node_ids, total, NODES, rows.row, call.arguments, call.environment)


def _listing(find: Callable[[Call, Tree, str], Sequence[str]], name: str = "") -> Callable[[Call], Reply]:
    """A tool that lists nodes which are found from one, or from a tree."""

    def run(call: Call) -> Reply:
        tree, node_id = call.place(name) if name else (call.tree(), "")
        found = find(call, tree, node_id)
        return _nodes(call, NodeRows(tree, call.served.author_names()), found, len(found))

    return run


def _children(_call: Call, tree: Tree, node_id: str) -> Sequence[str]:
    return tree.living_children(node_id)


def _leaves(_call: Call, tree: Tree, _node_id: str) -> Sequence[str]:
    """Living nodes after which none lives, no notes."""
    notes = tree.note_ids
    return [
        node.id
        for node in tree.nodes.values()
        if not node.metadata.pruned and node.id not in notes and not tree.living_children(node.id)
    ]


def _path(_call: Call, tree: Tree, node_id: str) -> Sequence[str]:
    return resolve(tree, node_id).node_ids


def search_nodes(call: Call) -> Reply:
    """Nodes of a tree by their words or local id, as the window's search finds them, newest first."""
    tree, query = call.tree(), call.arguments.text("query")
    most = call.arguments.number("limit")
    hits, has_more = search(call.served.grove(), query, most=most, tree_id=tree.loom.id)
    found = [hit.node_id for hit in hits if hit.node_id in tree.nodes]
    total = _count(tree, query) if has_more else len(found)
    return _nodes(call, NodeRows(tree, call.served.author_names()), found, total)


def _count(tree: Tree, query: str) -> int:
    """Count the nodes that a search finds, without an extract of each."""
    words, local_id = terms(query), query.strip().upper()
    found = {
        node.id
        for node in tree.nodes.values()
        if not node.metadata.pruned and (node.local_id == local_id or place(node.text, words) is not None)
    }
    return len(found | {tree.root_id} if place(tree.loom.title, words) is not None else found)


def show(call: Call) -> Reply:
    """A node as in Loom JSON; of a tree's id what the grove knows of the tree."""
    try:
        tree, node_id = call.place("node_id")
    except ToolError:
        named = call.arguments.text("node_id")
        row = next((row for row in call.served.grove().trees() if row.id == named), None)
        if row is None or call.arguments.optional_text("tree") is not None:
            raise
        return _tree_in_full(call.served.tree(row.id), row)
    return node_to_json(tree.nodes[node_id])


def _tree_in_full(tree: Tree, row: TreeRow) -> Json:
    loom = tree.loom
    return {
        "id": loom.id,
        "title": loom.title,
        "description": loom.description,
        "summary": loom.summary,
        "mode": loom.mode,
        "rootNodeId": loom.root_id,
        "systemContext": loom.system_context,
        "createdAt": iso_time(loom.created_at),
        "updatedAt": iso_time(row.updated_at),
        "archived": row.archived_at is not None,
        "nodeCount": row.node_count,
        "leafNodeId": tree.path.leaf_id,
    }


TOOLS = (
    Tool(
        "list_trees",
        "List the trees of the grove",
        list_trees,
        OPTIONS,
        "a list of trees {id, title, mode, node_count, updated_at, archived}; of more than 20 a preview",
        "list_trees()",
    ),
    Tool(
        "list_nodes",
        "List nodes by words, author, flags, tag or branch",
        list_nodes,
        (
            Parameter("query", "words that a node has, or its local id"),
            Parameter("author", "human, model, or an agent's name"),
            Parameter("flags", f"all of these: {', '.join(FLAGS)}", "array"),
            Parameter("tag", "a tag that a node has"),
            Parameter("under", "only what is below this node"),
            LIMIT,
            TREE,
            *OPTIONS,
        ),
        A_LIST + OR_PREVIEW,
        "list_nodes(query='lighthouse', author='human', limit=10)",
        "In the order in which they were made; pruned nodes only with the flag pruned",
    ),
    Tool(
        "children",
        "List what continues a node",
        _listing(_children, "node_id"),
        (NODE, TREE, *OPTIONS),
        A_LIST + OR_PREVIEW,
        "children(node_id='A7X2KQ')",
        "Pruned nodes are left out",
    ),
    Tool(
        "leaves",
        "List the ends of all branches",
        _listing(_leaves),
        (TREE, *OPTIONS),
        A_LIST + OR_PREVIEW,
        "leaves(brief=true)",
        "Pruned nodes are left out",
    ),
    Tool(
        "path",
        "List the nodes from the root to a node",
        _listing(_path, "node_id"),
        (NODE, TREE, *OPTIONS),
        A_LIST + OR_PREVIEW,
        "path(node_id='A7X2KQ', fields=['id', 'content'], compact=false)",
    ),
    Tool(
        "search",
        "Find nodes by their words or local id",
        search_nodes,
        (
            Parameter("query", "words in any order and case, or a local id", required=True),
            LIMIT,
            TREE,
            *OPTIONS,
        ),
        A_LIST + OR_PREVIEW,
        "search(query='lighthouse keeper')",
        "Newest first; also notes and the tree's title",
    ),
    Tool(
        "show",
        "Show a node in full",
        show,
        (NODE, TREE),
        "the node as in Loom JSON: content, author, hashes, metadata; of a tree's id the tree",
        "show(node_id='A7X2KQ')",
    ),
)
