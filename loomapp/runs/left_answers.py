"""Answers left by a process that broke off while they streamed: told of, and made nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from loomapp.core.errors import LoomError
from loomapp.core.generation.crashed_run import CrashedRun, as_change, has_sources, with_living_sources
from loomapp.formats.run_drafts import run_from_json
from loomapp.store.files import draft_claims, drafts
from loomapp.store.files.drafts import DraftRow, drafts_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import changes_naming


def tell_of_left_answers(path: Path, tell: Callable[[str], None]) -> None:
    """Say that there are answers which are in no tree yet, for a command that only looks."""
    runs = (run for row in _rows(path, tell) if (run := _run(row)) is not None)
    count = sum(1 for run in runs for draft in run.drafts if draft.text)
    if count:
        tell(
            f"{'an answer' if count == 1 else f'{count} answers'} of a command that broke off "
            f"{'is' if count == 1 else 'are'} not in {path} yet; the next command that writes to it, "
            "or the window, adds what was kept"
        )


def keep_left_answers(grove: Grove, by: str, tell: Callable[[str], None]) -> None:
    """Make nodes of what was left, flagged as cut short by a crash, and say so; what can't be saved stays.
    `by` names in the history who does it.
    """
    folder = drafts_folder(grove.path)
    for row in _rows(grove.path, tell):
        try:
            with draft_claims.claimed(folder, row.slot) as is_ours:
                if is_ours and (folder / row.slot.file_name).exists() and _keep(grove, row, by, tell):
                    drafts.forget(folder, row.slot)
        except LoomError as error:
            tell(f"an answer that was left could not be added, and is kept: {error.message}")
    draft_claims.sweep(folder)


def _keep(grove: Grove, row: DraftRow, by: str, tell: Callable[[str], None]) -> bool:
    """False if it has to stay where it is."""
    run = _run(row)
    if run is None:
        return False
    if all(row.id != run.tree_id for row in grove.trees()):
        return not run.text
    if any(grove.has_response(run.tree_id, one.id) for one in run.evidence):
        return True  # the kill came between the saving and the forgetting
    tree = grove.load_tree(run.tree_id)
    run = with_living_sources(tree, run, partial(changes_naming, grove, run.tree_id))
    if not has_sources(tree, run):
        if run.text:
            tell("an answer that was left hangs on a node that is gone; it is kept beside the grove")
        return not run.text
    change = as_change(tree, run, now=now(), new_id=new_id)
    if change is None:
        return True
    if run.agent is not None and grove.agent(run.agent.id) is None:
        grove.put_agent(run.agent)
    grove.commit(tree, replace(change, by=by))
    for node in change.added_nodes():
        tell(f"a command that broke off had written this: added {node.local_id} {node.id}")
    return True


def _run(row: DraftRow) -> CrashedRun | None:
    is_run = row.slot.kind == "run"
    return run_from_json(row.slot.tree_id, row.slot.key, row.body) if is_run else None


def _rows(path: Path, tell: Callable[[str], None]) -> list[DraftRow]:
    try:
        return draft_claims.left_behind(drafts_folder(path))
    except LoomError as error:
        tell(error.message)
        return []
