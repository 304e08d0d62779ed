"""`loomapp check`: what is wrong with a grove, and all of it that can be read in a new file."""

from __future__ import annotations

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE, FAILED
from loomapp.cli.groves import grove_path
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.json_values import Json
from loomapp.store.checks.check import CheckReport, check
from loomapp.store.grove.open import NOT_SEALED
from loomapp.store.salvage.salvage import Salvaged, repair


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--repair", action="store_true", help="write what can be read to a new file beside a damaged grove"
    )


def run(arguments: Namespace) -> int:
    """Prints what is wrong; 1 if anything is, or if a repair had to leave something behind.

    Raises: GroveError if the file is no grove, or if nothing in it can be read.
    """
    checked = check(grove_path(arguments))
    if not checked.is_sealed:
        tell(f"{checked.path}: {NOT_SEALED}")
    salvaged = repair(checked.path) if arguments.repair and checked.is_damaged else None
    say_json(_to_json(checked, salvaged)) if arguments.json else _print(checked, salvaged)
    if salvaged is not None:
        return DONE if salvaged.is_complete else FAILED
    return FAILED if checked.problems else DONE


def _to_json(checked: CheckReport, salvaged: Salvaged | None) -> Json:
    problems = [
        {"kind": p.kind, "message": p.message, "treeId": p.tree_id, "nodeId": p.node_id}
        for p in checked.problems
    ]
    counts = {"trees": checked.trees, "nodes": checked.nodes}
    repaired = None if salvaged is None else _salvaged_to_json(salvaged)
    return {"grove": str(checked.path), **counts, "problems": problems, "repaired": repaired}


def _salvaged_to_json(salvaged: Salvaged) -> Json:
    return {
        "path": str(salvaged.path),
        "complete": salvaged.is_complete,
        "saved": dict(salvaged.saved),
        "lost": dict(salvaged.lost),
        "trees": [
            {
                "id": tree.tree_id,
                "title": tree.title,
                "nodes": tree.nodes,
                "lostNodes": list(tree.lost),
                "damagedNodes": list(tree.damaged),
                "recovered": tree.orphans,
                "historyKept": tree.history_kept,
            }
            for tree in salvaged.trees
        ],
    }


def _print(checked: CheckReport, salvaged: Salvaged | None) -> None:
    for problem in checked.problems:
        where = f" (tree {problem.tree_id})" if problem.tree_id else ""
        say(one_line(f"{problem.kind}: {problem.message}{where}"))
    nodes = "1 node" if checked.nodes == 1 else f"{checked.nodes} nodes"
    count = len(checked.problems)
    found = "sound" if not count else "1 problem" if count == 1 else f"{count} problems"
    say(f"{nodes} checked: {found}")
    if salvaged is not None:
        for line in salvaged.report():
            say(one_line(line))


COMMANDS = {"check": (add_arguments, run)}
