"""Reads of files of other programs, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.formats.importer import Facts, Finding, Found, Imported, Reading
from loomapp.formats.registry import IMPORTERS, detect
from loomapp.formats.sources import open_source

OWNER = Agent("owner", "You", "human", loom_aware=True)


def write(path: Path, value: Any) -> Path:
    """A file of bytes, or of JSON."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    path.write_bytes(data)
    return path


def findings(path: Path, name: str | None = None) -> list[Finding]:
    """Everything that is found in a file, as the format that recognises it must be."""
    with open_source(path) as source:
        found = detect(source)
        assert found is not None
        assert name is None or found.importer.name == name
        return list(found.importer.read(source, Reading(now=7), lambda *_: None))


def read_all(folder: Path, name: str, value: Any) -> list[tuple[Imported, Facts]]:
    """The trees of a file that are found, with their facts."""
    found = [one for one in findings(write(folder / "a file", value), name) if isinstance(one, Found)]
    facts = [one.facts() for one in found]
    return [(one.load(OWNER), told) for one, told in zip(found, facts, strict=True)]


def read_one(folder: Path, name: str, value: Any) -> tuple[Imported, Facts]:
    """The first tree of a file."""
    return read_all(folder, name, value)[0]


def read_as(folder: Path, name: str, data: bytes) -> list[Finding]:
    """Everything that a format makes of a file, whatever it is."""
    with open_source(write(folder / "a file", data)) as source:
        return list(IMPORTERS[name].read(source, Reading(now=7), lambda *_: None))


def shape(tree: Tree) -> dict[str, tuple[str | None, str]]:
    """Every message by its id: the one before it, None for what hangs on the root; and what it says."""
    found: dict[str, tuple[str | None, str]] = {}
    for node_id, node in tree.nodes.items():
        if node_id != tree.root_id:
            [edge] = tree.incoming(node_id)
            [above] = edge.with_role("primary")
            found[node_id] = (None if above == tree.root_id else above, node.text)
    return found


def texts(tree: Tree) -> dict[str, str | None]:
    """What each message continues, by what it says; for formats without ids."""
    by_id = shape(tree)
    return {text: by_id[above][1] if above is not None else None for above, text in by_id.values()}


def agents(one: Imported) -> dict[str, tuple[str, str]]:
    """The name and type of who wrote each node."""
    named = {agent.id: (agent.name, agent.type) for agent in (*one.agents, OWNER)}
    return {
        node.id: named[node.author_agent_id or ""] for node in one.tree.nodes.values() if node.author_agent_id
    }
