"""Naming branches: the line on the current node's card, and what is typed in it."""

from __future__ import annotations

from functools import partial

from loomapp.core.economy.branch_edits import head_row
from loomapp.core.economy.branch_rows import Branch, read_branch
from loomapp.core.economy.threads import title_of
from loomapp.ui.commands import availability
from loomapp.ui.commands.graph import branches
from loomapp.ui.commands.save import save
from loomapp.ui.graph.branch_name import BranchNameLine
from loomapp.ui.workbench import Workbench

NO_NAME = "The branch of the first node is named as its tree; of others only messages can be named."


def can_name(bench: Workbench) -> bool:
    """The current node is a message and not the first one, whose branch is named as the tree."""
    document = bench.work.document
    return availability.can_mark(bench) and document.current_id != document.tree.root_id


def ask_name(bench: Workbench) -> None:
    """Name the branch at the current node, in a line on its card."""
    document, node_id = bench.work.document, bench.work.document.current_id
    branches.bring(bench)
    bench.views.graph.ensure_visible(node_id)
    row = head_row(document.tree, node_id)
    title = "" if row is None else read_branch(row).title or ""
    first_words = title_of(Branch(node_id), document.tree.nodes[node_id].text)
    bench.parts.one(BranchNameLine, partial(_made_line, bench)).open(node_id, title, first_words)


def _made_line(bench: Workbench) -> BranchNameLine:
    line, run = BranchNameLine(bench.views.graph), bench.frame.run_beside_text
    line.named.connect(lambda node_id, title: run(lambda w: save.name_branch(w, node_id, title)))
    bench.work.document.leaving.connect(line.leave)
    return line
