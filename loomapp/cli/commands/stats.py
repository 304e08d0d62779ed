"""`loomapp stats`: what the branch summaries of a tree saved, as text or JSON."""

from __future__ import annotations

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE
from loomapp.cli.groves import add_tree, tree_asked
from loomapp.cli.output import say, say_json
from loomapp.core.economy import stats
from loomapp.core.economy.branch_summaries import circular
from loomapp.core.errors import AssemblyError
from loomapp.core.paths.resolve import resolve


def add_arguments(parser: Parser) -> None:
    add_tree(parser)


def run(arguments: Namespace) -> int:
    """Prints the statistics of a tree on its active path. Raises: AssemblyError, InvalidInput, GroveError."""
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


COMMANDS = {"stats": (add_arguments, run)}
