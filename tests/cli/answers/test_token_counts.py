"""Generating counts by what was counted for the answer before, and says so in what it keeps."""

from __future__ import annotations

import json
from pathlib import Path

from loomapp.core.model.raw_response import RECORD
from loomapp.store.grove.open import open_grove
from tests.kit.processes.command import Ran, loomapp, new_tree
from tests.kit.servers.fake_server import DONE, FakeServer, chunk, says, usage


def finished(ran: Ran) -> str:
    """The node of the answer."""
    assert (ran.status, ran.err) == (0, "")
    node_id: str = json.loads(ran.out.splitlines()[-1])["nodeId"]
    return node_id


def test_a_second_answer_is_counted_by_what_was_counted_for_the_first(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="What is the sea like in winter? " * 20)
    answer = says(chunk("Grey."), chunk(reason="stop"), usage(400, 3), DONE)

    with FakeServer(answer) as server:
        named = ("generate", "--grove", grove, "--tree", tree_id, "--endpoint", server.url, "--json")
        first = finished(loomapp(*named, "--at", root_id))
        second = finished(loomapp(*named, "--at", first))

    with open_grove(grove) as opened:
        told: list[tuple[str, int]] = []
        for node_id in (first, second):
            evidence = opened.evidence(tree_id, node_id)
            assert evidence is not None
            record = evidence.extra[RECORD]
            assert isinstance(record, dict)
            told.append((record["report"]["estimator"], record["report"]["afterTokens"]))
    assert told[0][0] == "safe"
    assert told[0][1] < 200
    assert told[1][0] == "scaled"
    assert 400 < told[1][1] < 410
