"""A forger who knows the format: rewrites what a grove holds, and every sum over it that needs no key."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loomapp.core.model import log_chain
from loomapp.core.model.content import Text, content_to_json
from loomapp.core.model.entities import Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.log_chain import LogFacts
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.core.model.tree import Tree
from loomapp.store.grove.open import read_grove
from loomapp.store.rows import change_log
from loomapp.store.rows.log_rows import NODE, seal


@dataclass(slots=True)
class Forger:
    """A tree of a grove as it is to be; `write` makes the file say so."""

    path: Path
    tree: Tree
    evidence: dict[str, Evidence]

    def rewrite(self, node_id: str, **fields: Any) -> None:
        """Another node under the same id."""
        self.tree.put_node(replace(self.tree.nodes[node_id], **fields))

    def say(self, node_id: str, text: str) -> None:
        """Put words into its mouth."""
        self.rewrite(node_id, content=Text(text))

    def rest(self, node_id: str, evidence_id: str | None, index: int = 0) -> None:
        """Let a node rest on another choice of another response, or on none."""
        for key, item in self.evidence.items():
            choices = {name: i for name, i in item.choices.items() if name != node_id}
            if key == evidence_id:
                choices[node_id] = index
            self.evidence[key] = replace(item, choices=choices)

    def answer(self, evidence_id: str, body: bytes) -> None:
        """Another body of a response."""
        self.evidence[evidence_id] = replace(self.evidence[evidence_id], body_gzip=compress(body))

    def response_of(self, node_id: str) -> str:
        """The id of the response that a node rests on."""
        return next(key for key, item in self.evidence.items() if node_id in item.choices)

    def rehash(self) -> None:
        """Make every hash follow, from the root down."""
        digests = {node_id: digest for item in self.evidence.values() for node_id, digest in item.digests()}
        renamed: dict[str, str] = {}
        for node in list(self.tree.nodes.values()):  # made in this order: parents first
            parents = tuple(sorted(renamed.get(one, one) for one in node.parent_hashes))
            made = replace(node, parent_hashes=parents)
            made = replace(made, content_hash=content_hash(made, digests.get(node.id)))
            renamed[node.content_hash] = made.content_hash
            self.tree.put_node(made)

    def write(self, *, log: bool, gone: str = "") -> None:
        """Into the file; with `log` what the change log has of it too; without the response `gone`."""
        with closing(sqlite3.connect(self.path)) as database, database:
            for node in self.tree.nodes.values():
                _write_node(database, node)
            numbers = dict(database.execute("SELECT response_id, id FROM responses").fetchall())
            ids = dict(database.execute("SELECT node_id, id FROM nodes").fetchall())
            database.execute("DELETE FROM node_responses")
            for item in self.evidence.values():
                _write_response(database, item)
                for node_id, index in item.choices.items():
                    link = "INSERT INTO node_responses (node, response, choice_index) VALUES (?, ?, ?)"
                    database.execute(link, (ids[node_id], numbers[item.id], index))
            database.execute("DELETE FROM responses WHERE response_id = ?", (gone,))
        if log:
            self.write_log(self._sealed)

    def write_log(self, act: Callable[[dict[str, Any]], None]) -> None:
        """Let a function change the body of each entry of the log."""
        with closing(sqlite3.connect(self.path)) as database, database:
            for sequence, text in database.execute("SELECT sequence, body FROM change_log").fetchall():
                body = json.loads(text)
                act(body)
                said = json.dumps(body, separators=(",", ":"))
                database.execute("UPDATE change_log SET body = ? WHERE sequence = ?", (said, sequence))
            _link_anew(database)

    def _sealed(self, body: dict[str, Any]) -> None:
        for row in body["rows"]:
            if row[0] == NODE and row[4] is not None and row[3] in self.tree.nodes:
                row[4] = seal(self.tree.nodes[row[3]])
        for key in body.get("responses", {}):
            body["responses"][key] = change_log.seal(self.evidence[key])


def forger(path: Path) -> Forger:
    """A forger of the first tree of a grove."""
    with read_grove(path) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
        return Forger(path, tree, {item.id: item for item in grove.all_evidence(tree.loom.id)})


def _link_anew(database: sqlite3.Connection) -> None:
    """The chain of the log as it follows from what the entries say now."""
    link = log_chain.START
    facts = "sequence, tree, label, made_by, made_at, undoable, undoes, redoes"
    for *told, body in database.execute(f"SELECT {facts}, body FROM change_log ORDER BY sequence").fetchall():
        entry = LogFacts(*told)._replace(undoable=bool(told[5]))
        link = log_chain.link_of(link, entry, log_chain.body_as_found(body))
        database.execute("UPDATE change_log SET link = ? WHERE sequence = ?", (link, entry.sequence))


def _write_response(database: sqlite3.Connection, item: Evidence) -> None:
    values: Mapping[str, object] = {
        "provider": item.provider,
        "request_gzip": item.request_gzip,
        "body_gzip": item.body_gzip,
        "request_id": item.request_id,
        "model": item.model,
        "usage": json.dumps(dict(item.usage)),
        "finish_reason": item.finish_reason,
        "extra": json.dumps(dict(item.extra)),
    }
    names = ", ".join(f"{name} = ?" for name in values)
    database.execute(f"UPDATE responses SET {names} WHERE response_id = ?", (*values.values(), item.id))


def _write_node(database: sqlite3.Connection, node: Node) -> None:
    interrupted = None if node.interrupted is None else json.dumps({"reason": node.interrupted.reason})
    is_plain = isinstance(node.content, Text) and not node.content.extra
    values: Mapping[str, object] = {
        "text": node.text,
        "content": None if is_plain else json.dumps(content_to_json(node.content)),
        "author_type": node.author_type,
        "author_agent_id": node.author_agent_id,
        "content_hash": node.content_hash,
        "parent_hashes": json.dumps(list(node.parent_hashes)) if node.parent_hashes else None,
        "edited_from": node.edited_from,
        "interrupted": interrupted,
        "extra": json.dumps(dict(node.extra)) if node.extra else None,
    }
    names = ", ".join(f"{name} = ?" for name in values)
    database.execute(f"UPDATE nodes SET {names} WHERE node_id = ?", (*values.values(), node.id))
