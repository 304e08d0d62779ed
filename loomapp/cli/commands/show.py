"""`loomapp trees`, `show`, `search` and `stats`: what is in a grove, and what its branch summaries saved."""

from __future__ import annotations

from loomapp.cli.arguments import DONE, Namespace, NotFound, Parser
from loomapp.cli.groves import add_tree, is_not_begun, look_at_named, tree_asked, tree_named
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.errors import AssemblyError
from loomapp.core.json_values import Json
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.query import SearchHit
from loomapp.core.times import iso_time
from loomapp.core.tree_json import node_to_json
from loomapp.store.grove.grove import Grove
from loomapp.store.queries.search import search
from loomapp.store.rows.grove_rows import TreeRow


def add_no_arguments(_parser: Parser) -> None: ...


def list_trees(arguments: Namespace) -> int:
    """Prints a line a tree, in the order of the grove."""
    if is_not_begun(arguments):
        tell("there is no grove yet: the window, `tree new` or `import` makes one")
        rows: list[TreeRow] = []
    else:
        with look_at_named(arguments) as grove:
            rows = grove.trees()
    if arguments.json:
        say_json({"trees": [_row_to_json(row) for row in rows]})
        return DONE
    for row in rows:
        archived = "  (archived)" if row.archived_at is not None else ""
        nodes = f"{row.written_count:>6} {'node ' if row.written_count == 1 else 'nodes'}"
        say(
            f"{row.id}  {row.mode!s:<8}  {nodes}  {iso_time(row.updated_at)}  {one_line(row.title)}{archived}"
        )
    return DONE


def _row_to_json(row: TreeRow) -> Json:
    return {
        "id": row.id,
        "title": row.title,
        "mode": row.mode,
        "nodeCount": row.node_count,
        "updatedAt": iso_time(row.updated_at),
        "archivedAt": None if row.archived_at is None else iso_time(row.archived_at),
    }


def add_node_argument(parser: Parser) -> None:
    parser.add_argument("node", metavar="NODE", help="id or local id of a node")
    parser.add_argument("--tree", metavar="ID", help="the tree to look in (default: all)")


def show(arguments: Namespace) -> int:
    """Prints a node: where it stands, who wrote it, and its text as it is."""
    with look_at_named(arguments) as grove:
        tree, node = _found(grove, arguments.tree, arguments.node)
        names = {agent.id: agent.name for agent in grove.agents()}
    if arguments.json:
        say_json(_node_to_json(tree, node))
        return DONE
    author = names.get(node.author_agent_id or "", node.author_agent_id or "nobody named")
    say(f"{node.local_id}  {node.id}")
    say(f"in {one_line(tree.loom.title)}  {tree.loom.id}")
    say(f"{node.author_type}  {one_line(author)}  {iso_time(node.created_at)}")
    say(f"after {_names(tree, _parents(tree, node.id))}  before {_names(tree, tree.children(node.id))}")
    if marks := _marks(node):
        say(", ".join(marks))
    say()
    say(node.text)
    return DONE


def _found(grove: Grove, tree_id: str | None, name: str) -> tuple[Tree, Node]:
    trees = [tree_named(grove, tree_id)] if tree_id else (grove.load_tree(row.id) for row in grove.trees())
    found = [(tree, node_id) for tree in trees if (node_id := tree.find(name)) is not None]
    if not found:
        where = f"the tree {tree_id}" if tree_id else str(grove.path)
        raise NotFound(f"there is no node {name} in {where}", nodeId=name)
    if len(found) > 1:
        ids = [tree.loom.id for tree, _ in found]
        raise NotFound(f"{name} is in {len(ids)} trees; say which: --tree {' | '.join(ids)}", treeIds=ids)
    tree, node_id = found[0]
    return tree, tree.nodes[node_id]


def _node_to_json(tree: Tree, node: Node) -> Json:
    value: Json = {"treeId": tree.loom.id, "node": node_to_json(node)}
    value["parents"] = list(_parents(tree, node.id))
    value["children"] = list(tree.children(node.id))
    value["notes"] = list(tree.notes(node.id))
    return value


def _parents(tree: Tree, node_id: str) -> tuple[str, ...]:
    parent = navigation.parent(tree, node_id)
    others = [s for edge in tree.incoming(node_id) for s in edge.with_role("primary")]
    return tuple(dict.fromkeys((*([parent] if parent else []), *others)))


def _names(tree: Tree, node_ids: tuple[str, ...]) -> str:
    return ", ".join(tree.nodes[i].local_id for i in node_ids if i in tree.nodes) or "nothing"


def _marks(node: Node) -> list[str]:
    metadata = node.metadata
    label = f" “{one_line(metadata.bookmark_label)}”" if metadata.bookmark_label else ""
    return [
        *([f"bookmarked{label}"] if metadata.bookmarked else []),
        *(["excluded"] if metadata.excluded else []),
        *(["pruned"] if metadata.pruned else []),
        *([f"interrupted: {one_line(node.interrupted.reason)}"] if node.interrupted else []),
        *([f"edited from {node.edited_from}"] if node.edited_from else []),
    ]


EVERY = 1 << 62  # hits: all of them are printed


def add_query_argument(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY", help="words, in any order and case, or a local id")
    parser.add_argument("--tree", metavar="ID", help="the tree to look in (default: all)")


def search_nodes(arguments: Namespace) -> int:
    """Prints a line a hit, as the window's search finds them; none is no failure. Raises: NotFound."""
    hits: list[SearchHit] = []
    if is_not_begun(arguments):
        tell("there is no grove yet: the window, `tree new` or `import` makes one")
    else:
        with look_at_named(arguments) as grove:
            if arguments.tree is not None:
                tree_named(grove, arguments.tree)
            hits, _ = search(grove, arguments.query, most=EVERY, tree_id=arguments.tree)
    if arguments.json:
        found = [
            {"treeId": hit.tree_id, "nodeId": hit.node_id, "localId": hit.local_id, "text": hit.excerpt}
            for hit in hits
        ]
        say_json({"hits": found, "total": len(hits)})
        return DONE
    for hit in hits:
        say(f"{hit.local_id}  {one_line(hit.tree_title)}  {one_line(hit.excerpt)}")
    if not hits:
        tell("nothing found")
    return DONE


def print_stats(arguments: Namespace) -> int:
    """Prints the statistics of a tree on its active path. Raises: AssemblyError, InvalidInput, GroveError."""
    from loomapp.core.economy import stats  # what only looks at nodes does without
    from loomapp.core.economy.branch_summaries import circular

    tree = tree_asked(arguments)
    try:
        path = resolve(tree, tree.path.leaf_id)
    except AssemblyError as error:
        raise circular(error) from None
    found = stats.statistics_of(tree, path)
    if arguments.json:
        say_json(stats.to_json(found))
    else:
        say(stats.to_text(found))
    return DONE


COMMANDS = {
    "trees": (add_no_arguments, list_trees),
    "show": (add_node_argument, show),
    "search": (add_query_argument, search_nodes),
    "stats": (add_tree, print_stats),
}
