"""`loomapp search`: nodes that say the words of a query, and trees that are called so."""

from __future__ import annotations

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE
from loomapp.cli.groves import is_not_begun, look_at_named, tree_named
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.text.query import SearchHit
from loomapp.store.queries.search import search

EVERY = 1 << 62  # hits: all of them are printed


def add_arguments(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY", help="words, in any order and case, or a local id")
    parser.add_argument("--tree", metavar="ID", help="the tree to look in (default: all)")


def run(arguments: Namespace) -> int:
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


COMMANDS = {"search": (add_arguments, run)}
