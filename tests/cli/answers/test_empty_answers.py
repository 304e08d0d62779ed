"""An answer without a word that ended well: nothing failed, nothing is added, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.store.grove.open import open_grove
from loomapp.store.queries.usage import spent_in
from tests.kit.processes.command import loomapp, new_tree
from tests.kit.servers.fake_server import DONE, FakeServer, chunk, says, usage
from tests.kit.servers.own_endpoints import add_endpoint


@pytest.mark.parametrize(("reason", "told"), [("stop", "is empty"), ("length", "--max-tokens")])
def test_it_is_told_and_is_no_failure(tmp_path: Path, reason: str, told: str) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    named = ("generate", "--grove", grove, "--tree", tree_id, "--at", root_id)

    with FakeServer(says(chunk(reason=reason), usage(7, 0), DONE)) as server:
        ran = loomapp(*named, "--endpoint", server.url)
        as_json = loomapp(*named, "--endpoint", server.url, "--json")

    assert (ran.status, ran.out) == (0, "")
    assert told in ran.complaint
    assert (as_json.status, as_json.err) == (0, "")
    assert as_json.json["event"] == "finished"
    assert (as_json.json["nodeId"], as_json.json["reason"]) == (None, reason)
    with open_grove(grove) as opened:
        assert list(opened.load_tree(tree_id).nodes) == [root_id]


def test_of_two_answers_the_empty_one_is_named(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    whole = says(chunk("Because."), chunk(reason="stop"), DONE)

    with FakeServer(whole, says(chunk(reason="stop"), DONE)) as server:
        asked = ("--at", root_id, "--n", "2", "--endpoint", server.url)
        ran = loomapp("generate", "--grove", grove, "--tree", tree_id, *asked)

    assert ran.status == 0
    assert "is empty" in ran.err
    assert "added" in ran.err


def test_what_the_call_took_is_kept(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="What is the sea?")

    with FakeServer(says(chunk(reason="stop"), usage(7, 1), DONE)) as server:
        add_endpoint("sea", server.url, "chat")
        named = ("generate", "--grove", grove, "--tree", tree_id, "--at", root_id)
        ran = loomapp(*named, "--model", "sea:s-1")

    assert ran.status == 0
    with open_grove(grove) as opened:
        (spent,) = spent_in(opened)
    assert (spent.tree_id, dict(spent.counted)) == (tree_id, {"inputTokens": 7, "outputTokens": 1})
