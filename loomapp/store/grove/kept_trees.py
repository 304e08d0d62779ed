"""Trees of a backup with all that they rest on, to be added to what another program wrote meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.store import faults
from loomapp.store.backups.retention import Backup
from loomapp.store.connections import open_engine
from loomapp.store.rows import agents, tree_rows
from loomapp.store.rows.explained_evidence import explained_evidence
from loomapp.store.rows.tree_list import Listing


@dataclass(frozen=True, slots=True)
class KeptTree:
    """A tree of a backup, the agents that it lists, and the responses its nodes rest on."""

    tree: Tree
    agents: Sequence[Agent]
    evidence: Sequence[Evidence]


def kept_trees(kept: Backup) -> Iterator[KeptTree]:
    """Read every tree of a backup, oldest first. Raises: GroveError."""
    with faults.named(kept.path):
        engine = open_engine(kept.path, "immutable")
    try:
        with faults.named(kept.path), engine.begin() as connection:
            for row in Listing().rows(connection):
                number = tree_rows.tree_number(connection, row.id)
                yield KeptTree(
                    tree_rows.read_tree(connection, row.id),
                    agents.read_tree_agents(connection, number),
                    explained_evidence(connection, number),
                )
    finally:
        engine.dispose()
