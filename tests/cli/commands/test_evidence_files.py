"""Evidence files: written from a grove, checked without it, and any changed byte is named."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.formats import evidence_file
from loomapp.formats.loom_json import read
from tests.kit.loom_files import everything
from tests.kit.processes.command import loomapp
from tests.kit.processes.outside import new_tree


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    file = tmp_path / "t.loom.json"
    file.write_text(json.dumps(everything()), encoding="utf-8")
    assert loomapp("import", file, "--grove", tmp_path / "g.loom").status == 0
    return tmp_path / "g.loom"


def written(grove: Path, *more: str) -> Path:
    tree_id = everything()["tree"]["id"]
    ran = loomapp("export", "--grove", grove, "--tree", tree_id, "--evidence", *more)
    assert ran.status == 0, ran.err
    file = grove.with_name("evidence.loom.json")
    file.write_text(ran.out, encoding="utf-8")
    return file


def test_a_file_verifies_without_its_grove(grove: Path) -> None:
    file = written(grove)
    grove.unlink()

    ran = loomapp("verify", file, "--json")

    assert (ran.status, ran.err) == (0, "")
    assert ran.json["summary"] == {"ok": 7, "no evidence": 0, "moved": 0, "failed": 0}
    assert (ran.json["sealed"], ran.json["changed"]) == (True, [])
    assert loomapp("verify", file).out.startswith("7 nodes checked: 7 ok\nhead ")


def test_the_words_say_what_is_counted_and_what_a_missing_seal_leaves_open(tmp_path: Path) -> None:
    grove, file = tmp_path / "h.loom", tmp_path / "plain.loom.json"
    tree_id, _ = new_tree(grove)
    file.write_text(loomapp("export", "--grove", grove, "--tree", tree_id).out, encoding="utf-8")

    ran = loomapp("verify", file)

    assert (ran.status, ran.out.partition("\n")[0]) == (0, "1 node checked: 1 ok")
    assert "titles, tags and the like may have been changed unnoticed" in ran.out
    assert "The empty start of a tree counts as a node here" in ran.out


def test_one_node_takes_what_it_rests_on_with_it(grove: Path) -> None:
    file = written(grove, "--path", "n3")

    value = json.loads(file.read_text(encoding="utf-8"))

    assert loomapp("verify", file).status == 0
    assert "n3" in [node["id"] for node in value["nodes"]]
    assert len(value["nodes"]) < 7
    assert {entry["nodeId"] for entry in value["responses"]} <= {node["id"] for node in value["nodes"]}


def test_any_changed_byte_is_found_and_its_place_named(grove: Path) -> None:
    data = written(grove).read_bytes()
    chance = random.Random(7)

    for at in sorted(chance.sample(range(len(data)), 300)):
        changed = bytearray(data)
        changed[at] = ord("x") if changed[at] != ord("x") else ord("y")
        try:
            checked = evidence_file.check(bytes(changed))
        except InvalidInput as error:
            assert error.message  # noqa: PT017 - either way is right
        else:
            assert checked.failed, (at, data[at - 20 : at + 20])
            assert checked.changed


@pytest.mark.parametrize(
    ("was", "becomes", "named"),
    [
        (b'"requestBody": "', b'"requestBody": " ', "responses["),
        (b'"latencyMs": ', b'"latencyMs": 1', "responses["),
        (b'"latencyMs": ', b'"latencyMs": 1', "branchSummaries["),
        (b'"title": "', b'"title": "A ', "tree "),
        (b'"pruned": false', b'"pruned": true', "nodes["),
    ],
)
def test_what_no_hash_covers_is_named_by_its_row(grove: Path, was: bytes, becomes: bytes, named: str) -> None:
    file = written(grove)
    data = file.read_bytes()
    assert was in data
    # Responses of summaries stand before those of nodes.
    before, _, after = data.rpartition(was) if named == "responses[" else data.partition(was)
    file.write_bytes(before + becomes + after)

    ran = loomapp("verify", file)

    assert ran.status == 1
    assert ran.out.startswith(f"changed: {named}")


def test_a_seal_holds_for_its_file_only(grove: Path) -> None:
    data = written(grove).read_bytes()

    assert "seal" in json.loads(data)
    assert "seal" not in str(read(data).tree.extra)
