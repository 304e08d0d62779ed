"""`loomapp verify`: a byte changed in the file is found, and the node is named."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.families import one_in
from tests.kit.groves import chat_body
from tests.kit.loom_files import chain, everything
from tests.kit.processes.command import Ran, loomapp

CHANGED_BODY = gzip.compress(chat_body("Hello?", "Hi."))
TAMPERED = [
    ("UPDATE nodes SET text = 'hello!' WHERE node_id = 'n2'", (), {"n2"}),
    ("UPDATE nodes SET created_at = created_at + 1 WHERE node_id = 'n4'", (), {"n4"}),
    ("UPDATE nodes SET author_agent_id = 'a9' WHERE node_id = 'n2b'", (), {"n2b"}),
    ("UPDATE responses SET body_gzip = ?", (CHANGED_BODY,), {"n2", "n3"}),
    ("UPDATE node_responses SET choice_index = 1 - choice_index", (), {"n2", "n3"}),
    ("DELETE FROM node_responses", (), {"n2", "n3"}),
    ("UPDATE responses SET request_gzip = x'00'", (), {"n2", "n3"}),
    ("UPDATE nodes SET author_type = 'robot' WHERE node_id = 'n4'", (), {"n4"}),
    ("UPDATE nodes SET text = text || '.' WHERE node_id = 'picture'", (), {"picture"}),
    ("UPDATE nodes SET excluded = 1 - excluded WHERE node_id = 'n4'", (), {"n4"}),
]


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    file = tmp_path / "t.loom.json"
    file.write_text(json.dumps(everything()), encoding="utf-8")
    assert loomapp("import", file, "--grove", tmp_path / "g.loom").status == 0
    return tmp_path / "g.loom"


def tamper(grove: Path, statement: str, values: tuple[object, ...] = ()) -> None:
    with closing(sqlite3.connect(grove)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


def failing(ran: Ran) -> set[str]:
    return {finding["nodeId"] for finding in ran.json["findings"] if finding["verdict"] == "failed"}


def test_a_sound_grove_verifies(grove: Path) -> None:
    ran = loomapp("verify", "--grove", grove, "--json")

    assert ran.status == 0
    assert ran.json["summary"] == {"ok": 7, "no evidence": 0, "moved": 0, "failed": 0}
    assert (ran.json["findings"], ran.json["faults"]) == ([], [])


@pytest.mark.parametrize(("statement", "values", "nodes"), one_in(3, TAMPERED))
def test_what_was_changed_in_the_file_is_named(
    grove: Path, statement: str, values: tuple[object, ...], nodes: set[str]
) -> None:
    tamper(grove, statement, values)

    as_json, text = loomapp("verify", "--grove", grove, "--json"), loomapp("verify", "--grove", grove)

    assert (as_json.status, text.status) == (1, 1)
    assert failing(as_json) == nodes
    assert all(f"({node_id})" in text.out for node_id in nodes)


def test_another_order_of_the_nodes_is_found(tmp_path: Path) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "t.loom.json"
    file.write_text(json.dumps(chain("a", "b", "c", "d")), encoding="utf-8")
    loomapp("import", file, "--grove", grove)
    these = "edge_id IN ('to-n3', 'to-n4')"

    tamper(
        grove,
        f"UPDATE edges SET target = (SELECT SUM(target) FROM edges WHERE {these}) - target WHERE {these}",
    )

    assert failing(loomapp("verify", "--grove", grove, "--json")) >= {"n4"}


def test_another_order_of_the_sources_of_an_edge_is_found(grove: Path) -> None:
    edge = "edge = (SELECT id FROM edges WHERE edge_id = 'e3')"
    for change in ("position + 10", "11 - position"):
        tamper(grove, f"UPDATE edge_sources SET position = {change} WHERE {edge}")

    assert failing(loomapp("verify", "--grove", grove, "--json")) == {"n4"}


def test_a_source_that_was_given_another_role_is_found(grove: Path) -> None:
    edge = "(SELECT id FROM edges WHERE edge_id = 'e3')"
    tamper(grove, f"UPDATE edge_sources SET role = 'context' WHERE edge = {edge} AND position = 1")

    assert failing(loomapp("verify", "--grove", grove, "--json")) == {"n4"}


def test_model_text_without_a_response_is_no_evidence_and_never_ok(tmp_path: Path) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "t.loom.json"
    file.write_text(json.dumps(chain("a", "b")), encoding="utf-8")
    loomapp("import", file, "--grove", grove)

    ran = loomapp("verify", "--grove", grove)

    assert ran.status == 0
    assert ran.out.startswith("2 nodes checked: 1 ok, 1 no evidence\n")
