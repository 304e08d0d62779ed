"""Another program at the grove of a window: does what lines on stdin say, and prints what came of it.

Started with GROVE; a line is a JSON list: a task and its arguments.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from loomapp.core.edits import edit_context, node_edits, node_marks
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from tests.kit.processes import warm

BY = "another"
Made = tuple[str, int]  # a node that was made, and when


class Program:
    """The other end of the pipe."""

    def __init__(self, process: warm.Started) -> None:
        self._process = process

    def do(self, task: str, *arguments: str) -> list[Made]:
        """Have a task done; the nodes that it made."""
        self._process.say(json.dumps([task, *arguments]))
        answer = self._process.stdout.readline()
        assert answer, "the other program ended"
        return [(node_id, at) for node_id, at in json.loads(answer)]


@contextmanager
def another_program(grove: Path) -> Iterator[Program]:
    """The program, ended with the block."""
    with warm.program("another", str(grove)) as process:
        try:
            yield Program(process)
        finally:
            process.stdin.close()
            process.wait()


def _edit(grove: Grove, tree: Tree, task: str, node_id: str, text: str) -> Change | None:
    pen = edit_context.EditContext(grove.owner.id, now(), new_id, by=BY)
    makers: dict[str, Callable[[], Change | None]] = {
        "write": lambda: node_edits.add_node(tree, node_id, text, pen),
        "annotate": lambda: node_edits.annotate(tree, node_id, text, pen),
        "exclude": lambda: node_marks.exclude(tree, (node_id,), pen),
        "prune": lambda: node_marks.prune(tree, node_id, pen),
        "choose": lambda: node_edits.choose_path(tree, node_id, pen),
    }
    return makers[task]()


def _do(grove: Grove, trees: dict[str, Tree], task: str, tree_id: str, *rest: str) -> list[Made]:
    tree = trees.setdefault(tree_id, grove.load_tree(tree_id))
    grove.catch_up(tree)
    if task == "undo":
        grove.undo(tree, by=BY)
        return []
    if task == "redo":
        grove.redo(tree, by=BY)
        return []
    change = _edit(grove, tree, task, *rest)
    if change is None:
        return []
    grove.commit(tree, change)
    return [(node.id, node.created_at) for node in change.added_nodes()]


def main(arguments: Sequence[str]) -> None:
    """Do what the lines say until there are no more."""
    trees: dict[str, Tree] = {}
    with open_grove(Path(arguments[0])) as grove:
        for line in sys.stdin:
            print(json.dumps(_do(grove, trees, *json.loads(line))), flush=True)
