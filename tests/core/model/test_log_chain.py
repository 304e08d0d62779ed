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
