"""Bodies of log entries: the quick way of writing usual rows writes what JSON does."""

from __future__ import annotations

import json

import pytest

from loomapp.core.model import log_chain

ROWS: tuple[object, ...] = (
    ["node", None, {}, "n1", "73b5a4dbb2d3d0862b93211a"],
    ["node", None, {}, '“\\"\n\ud800', "0" * 24],
    ["node", None, {"summary": "s"}, "n1", "0" * 24],
    ["node", {}, None, "n1", None],
    ["edge", None, {"id": "e1", "from": ["n1"], "to": "n2", "at": 5}],
    ["edge", None, {"id": 'ü"', "from": ["\\"], "to": "\t", "at": -1}],
    ["edge", None, {"id": "e1", "from": [["n1", "context"]], "to": "n2", "at": 5}],
    ["edge", None, {"id": "e1", "from": [], "to": "n2", "at": 5}],
    ["edge", None, {"id": "e1", "from": ["n1"], "to": "n2", "at": 5, "type": "annotation"}],
    ["edge", {"id": "e1", "from": ["n1"], "to": "n2", "at": 5}, None],
)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_written_as_json_writes_it(row: object) -> None:
    body = log_chain.body_of_many([row], {})
    assert body.text == json.dumps({"rows": [row]}, separators=(",", ":"))
    assert log_chain.read_body(body.text).digest == body.digest


def test_a_long_entry_is_written_part_by_part_as_json_writes_it_at_once() -> None:
    rows: list[object] = [["node", None, {}, f"n{number}", "0" * 24] for number in range(601)]
    body = log_chain.body_of_many(iter(rows), {"action": "a"})
    assert body.text == json.dumps({"rows": rows, "action": "a"}, separators=(",", ":"))
    assert log_chain.read_body(body.text).digest == body.digest
