"""Nodes that other processes ask about just now: what they stream is to hang on them."""

from __future__ import annotations

from pathlib import Path

from loomapp.session.recovery import crashed_run
from loomapp.store.files.draft_claims import under_way
from loomapp.store.files.drafts import drafts_folder


def asked_elsewhere(grove: Path, tree_id: str) -> frozenset[str]:
    """Return the nodes of a tree that command lines continue at this moment, and what goes along."""
    rows = [row for row in under_way(drafts_folder(grove)) if row.slot.kind == "run"]
    runs = [run for row in rows if row.slot.tree_id == tree_id and (run := crashed_run(row)) is not None]
    return frozenset(source.node_id for run in runs for source in run.sources.as_edge_sources())
