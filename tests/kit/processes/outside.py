"""What an outsider sees of a grove, and makes of it: the command in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loomapp.cli.output import BY
from loomapp.core.edits import tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from tests.kit.processes import warm

TITLE = "A journey"

Said = list[tuple[str, str]]  # role and text of each message, in order


def loomapp(*arguments: str | Path) -> str:
    """What `loomapp …` prints; it must succeed."""
    done = warm.run(list(map(str, arguments)))
    assert done.returncode == 0, done.stderr
    return done.stdout


def assembled(grove: Path, tree_id: str, node_id: str) -> dict[str, Any]:
    """What `loomapp assemble` says would be sent for a node."""
    answer: dict[str, Any] = json.loads(
        loomapp("assemble", "--grove", grove, "--tree", tree_id, "--at", node_id)
    )
    return answer


def sent(grove: Path, tree_id: str, node_id: str) -> Said:
    """The messages that would be sent for a node."""
    messages = assembled(grove, tree_id, node_id)["messages"]
    return [(m["role"], "\n\n".join(part["text"] for part in m["parts"])) for m in messages]


def new_tree(grove: Path, mode: str = "dialogue", **options: str) -> tuple[str, str]:
    """A fresh tree as the command line makes it: its id and its root's; options are `text`, `system_context`.

    Where there is no grove yet no other program can have it open: it is made here, at half the price.
    """
    if grove.exists():
        extra = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
        printed = loomapp("tree", "new", "--grove", grove, "--mode", mode, "--title", TITLE, *extra)
        tree_id, root_id = printed.split()
        return tree_id, root_id
    with create_grove(grove) as made:
        pen = EditContext(made.owner.id, now(), new_id, by=BY)
        tree = tree_edits.new_tree("buffer" if mode == "buffer" else "dialogue", TITLE, pen, **options)
        made.add_tree(tree, [made.owner])
    return tree.loom.id, tree.root_id
