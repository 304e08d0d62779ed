"""`loomapp check`: damage is named, and repairing writes a new file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loomapp.store.grove.open import create_grove
from tests.kit.damage import leaves_of, wreck
from tests.kit.groves import planted
from tests.kit.processes.command import loomapp, sha256
from tests.kit.trees import Hand


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        planted(grove, Hand(), length=60)
    return path


def change_a_letter(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"message 42", b"massage 42"))


def test_a_sound_grove_is_called_sound_and_needs_no_repair(grove: Path) -> None:
    before = sha256(grove)

    text, as_json = (
        loomapp("check", "--grove", grove),
        loomapp("check", "--repair", "--grove", grove, "--json"),
    )

    assert (text.status, text.out) == (0, "61 nodes checked: sound\n")
    assert as_json.status == 0
    assert as_json.json == {"grove": str(grove), "trees": 1, "nodes": 61, "problems": [], "repaired": None}
    assert (sha256(grove), [file.name for file in grove.parent.iterdir()]) == (before, ["g.loom"])


def test_a_changed_letter_is_found_and_the_node_named(grove: Path) -> None:
    change_a_letter(grove)

    text, as_json = loomapp("check", "--grove", grove), loomapp("check", "--grove", grove, "--json")

    [problem] = as_json.json["problems"]
    assert (text.status, as_json.status, problem["kind"]) == (1, 1, "node")
    assert problem["message"] in text.out
    assert problem["treeId"] in text.out
    assert "massage 42" in loomapp("show", problem["nodeId"], "--grove", grove).out


def test_repair_says_what_was_saved_and_lost_and_leaves_the_file_alone(grove: Path) -> None:
    wreck(grove, leaves_of(grove, "nodes")[1:2])
    before = sha256(grove)

    ran = loomapp("check", "--repair", "--grove", grove, "--json")

    repaired = ran.json["repaired"]
    [tree] = repaired["trees"]
    assert (ran.status, repaired["complete"], sha256(grove)) == (1, False, before)
    assert repaired["path"] == str(grove.with_name("g-recovered.loom"))
    assert tree["nodes"] + len(tree["lostNodes"]) == 61
    assert repaired["saved"]["nodes"] == tree["nodes"]
    assert (tree["recovered"], tree["historyKept"]) == (1, False)
    listed = loomapp("trees", "--grove", repaired["path"], "--json").json["trees"]
    assert [row["nodeCount"] for row in listed] == [tree["nodes"] + 1]
    text = loomapp("check", "--repair", "--grove", grove).out
    assert str(grove.with_name("g-recovered-2.loom")) in text
    assert f"{tree['nodes']} nodes saved; {len(tree['lostNodes'])} lost" in text


def test_a_repair_that_saves_everything_is_a_success(grove: Path) -> None:
    wreck(grove, leaves_of(grove, "ix_nodes_tree"))

    ran = loomapp("check", "--repair", "--grove", grove, "--json")

    assert (ran.status, ran.json["repaired"]["complete"]) == (0, True)
    assert loomapp("check", "--grove", ran.json["repaired"]["path"]).status == 0


@pytest.mark.parametrize(
    ("content", "code"), [(None, "missing"), (b"", "empty"), (b"Dear diary, " * 200, "notAGrove")]
)
def test_what_is_no_grove_is_bad_input(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "x.loom"
    if content is not None:
        path.write_bytes(content)

    ran = loomapp("check", "--repair", "--grove", path, "--json")

    assert (ran.status, json.loads(ran.complaint)["error"]["code"]) == (2, code)


def test_a_grove_without_its_first_page_is_repaired_all_the_same(grove: Path) -> None:
    wreck(grove, [1])

    ran = loomapp("check", "--repair", "--grove", grove, "--json")

    assert (ran.status, ran.json["repaired"]["complete"]) == (0, True)
