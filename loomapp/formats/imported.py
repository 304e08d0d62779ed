"""The result of an import: a tree and all that belongs to it, touching no grove."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Imported:
    """A tree, its agents, the responses its model nodes rest on, and media bytes by their SHA-256.

    `warnings` are one line each, for the person who imports: what was kept but looks odd. With
    `is_of_other_program` a message whose text is another one here comes as a version of it.
    """

    tree: Tree
    agents: tuple[Agent, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    media: Mapping[str, bytes] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    is_of_other_program: bool = False
