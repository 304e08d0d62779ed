"""`loomapp generate` with the real model: events, nodes, Ctrl+C, and files that are only read.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.model.hashes import verify
from loomapp.core.model.tree import Tree
from loomapp.store.grove.open import open_grove
from tests.kit.loom_files import chain
from tests.kit.processes.command import COMMAND, Ran, loomapp, new_tree, sha256


@pytest.fixture(scope="module", autouse=True)
def _model() -> None:
    ran = loomapp("model", "fetch")
    assert ran.status == 0, ran.err


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


def events_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def texts_of(events: list[dict[str, Any]]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for event in events:
        if event["event"] == "delta":
            texts[event["index"]] = texts.get(event["index"], "") + event["text"]
    return texts


def saved(grove: Path, tree_id: str) -> Tree:
    """The tree in the file, every node of it verified."""
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
        findings = verify(tree, opened.digests(tree_id))
    assert {finding.verdict for finding in findings} == {"ok"}
    return tree


def test_events_tell_each_choice_and_its_node(grove: Path) -> None:
    tree_id, root_id = new_tree(grove, text="Name a colour of the sea.")

    ran = loomapp(
        *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--json"),
        *("--n", "3", "--max-tokens", "12"),
    )

    assert (ran.status, ran.err) == (0, "")
    events = events_of(ran)
    finished = [event for event in events if event["event"] == "finished"]
    assert [event["index"] for event in finished] == [0, 1, 2]
    tree = saved(grove, tree_id)
    assert tree.children(root_id) == tuple(event["nodeId"] for event in finished)
    texts = texts_of(events)
    for event in finished:
        assert tree.nodes[event["nodeId"]].text == texts[event["index"]]
        assert event["reason"] in ("stop", "length")
        assert 0 < event["usage"]["outputTokens"] <= 12
        assert event["usage"]["inputTokens"] > 0
    assert tree.path.leaf_id == finished[0]["nodeId"]


def test_one_generate_is_one_step_of_undo_by_the_command_line(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)
    loomapp(
        *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--n", "2", "--max-tokens", "5")
    )

    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
        change = opened.undo(tree)

    assert change is not None
    assert list(tree.nodes) == [root_id]


def test_a_person_reads_the_texts_one_after_the_other(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)

    ran = loomapp(
        *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id[-6:]),
        *("--n", "2", "--max-tokens", "10"),
    )

    tree = saved(grove, tree_id)
    first, second = (tree.nodes[node_id].text for node_id in tree.children(root_id))
    assert ran.out == f"[1]\n{first}\n\n[2]\n{second}\n"
    assert [line.split()[1] for line in ran.err.splitlines()] == ["added", "added"]


def test_a_buffer_goes_on_from_its_working_buffer(grove: Path) -> None:
    tree_id, root_id = new_tree(grove, mode="buffer", text="One, two, three, four, ")

    ran = loomapp(
        *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--json"),
        *("--working-buffer", "five, six, ", "--max-tokens", "6", "--temperature", "0"),
    )

    assert ran.status == 0
    tree = saved(grove, tree_id)
    with open_grove(grove) as opened:
        evidence = opened.evidence(tree_id, tree.children(root_id)[0])
    assert evidence is not None
    assert json.loads(evidence.request_body)["prompt"] == "One, two, three, four, five, six, "


@pytest.mark.slow
def test_ctrl_c_stops_and_keeps_what_is_there(grove: Path) -> None:
    tree_id, root_id = new_tree(grove, text="Tell a very long story about the sea.")
    arguments = ["generate", "--grove", str(grove), "--tree", tree_id, "--at", root_id, "--n", "2", "--json"]

    status, lines = interrupted_after(arguments, 6)

    events = [json.loads(line) for line in lines]
    failed = [event for event in events if event["event"] == "failed"]
    assert status == 130
    assert [(e["index"], e["error"]["code"], e["partial"]) for e in failed] == [
        (0, "cancelled", True),
        (1, "cancelled", True),
    ]
    tree = saved(grove, tree_id)
    for event in failed:
        node = tree.nodes[event["nodeId"]]
        assert node.interrupted is not None
        assert node.interrupted.reason == "cancelled"
        assert node.text == texts_of(events)[event["index"]]
    assert verified(grove) == {"ok": 3, "no evidence": 0, "moved": 0, "failed": 0}


def verified(grove: Path) -> object:
    """How many nodes verify, and how many do not."""
    return loomapp("verify", "--grove", grove, "--json").json["summary"]


def interrupted_after(arguments: list[str], lines: int) -> tuple[int, list[str]]:
    """Runs a command in a group of its own, as a terminal does, and presses Ctrl+C after some lines."""
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True
    ) as process:
        assert process.stdout is not None
        out: Iterator[str] = iter(process.stdout)
        read = [next(out) for _ in range(lines)]
        os.killpg(process.pid, signal.SIGINT)
        read += list(out)
    return process.returncode, read


@pytest.mark.slow
def test_a_reader_who_goes_away_ends_it_quietly_and_keeps_the_text(grove: Path) -> None:
    tree_id, root_id = new_tree(grove, text="Tell a very long story about the sea.")
    arguments = ["generate", "--grove", str(grove), "--tree", tree_id, "--at", root_id, "--json"]

    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        err = process.stderr.read()

    assert (process.wait(60), err) == (130, b"")
    assert len(saved(grove, tree_id).children(root_id)) == 1
    assert verified(grove) == {"ok": 2, "no evidence": 0, "moved": 0, "failed": 0}


def test_a_file_is_continued_but_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "t.loom.json"
    file.write_text(json.dumps(chain("Say one word.")), encoding="utf-8")
    before = sha256(file)

    ran = loomapp("generate", file, "--at", "n1", "--max-tokens", "4", "--json")

    assert ran.status == 0
    assert events_of(ran)[-1]["nodeId"] is None
    assert sha256(file) == before
    assert list(tmp_path.iterdir()) == [file]


def test_an_unknown_model_is_told_in_one_line(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)
    before = sha256(grove)

    for model in ("local:no-such-model", "nobody:gpt"):
        ran = loomapp("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--model", model)
        assert (ran.status, ran.out) == (1, "")
        assert "Traceback" not in ran.complaint

    assert sha256(grove) == before


def test_nothing_to_send_is_told_as_the_assembler_tells_it(grove: Path) -> None:
    tree_id, root_id = new_tree(grove, text="")

    ran = loomapp("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--json")

    assert ran.status == 1
    assert json.loads(ran.complaint)["error"]["code"] == "EMPTY_CONTEXT"
