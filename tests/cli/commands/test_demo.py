"""`loomapp demo`: the main job on a computer without a screen, and again when it is run again."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from loomapp import places
from loomapp.core.model.hashes import verify
from loomapp.core.model.raw_response import Evidence
from loomapp.store.grove.open import read_grove
from tests.kit.processes.command import loomapp

NO_SCREEN = {"DISPLAY": None, "WAYLAND_DISPLAY": None, "QT_QPA_PLATFORM": None}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.timeout(300)
def test_a_run_makes_three_different_nodes_that_their_response_bears_out() -> None:
    folder = places.data_folder() / "demo"

    ran = loomapp("demo", "--json", environment=NO_SCREEN)

    assert ran.status == 0, ran.err
    assert "Traceback" not in ran.err
    told = ran.json
    assert Path(told["grove"]) == folder / "demo.loom"
    assert Path(told["picture"]) == folder / "demo.png"
    assert Path(told["picture"]).read_bytes().startswith(PNG)
    assert_borne_out(Path(told["grove"]), told["treeId"], told["nodeIds"])
    assert loomapp("verify", "--grove", told["grove"]).status == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_another_run_adds_three_more_in_the_same_place() -> None:
    folder = places.data_folder() / "demo"

    told = loomapp("demo", "--to", folder, "--json", environment=NO_SCREEN).json
    again = loomapp("demo", environment=NO_SCREEN)

    assert again.status == 0, again.err
    assert f"grove    {told['grove']}\n" in again.out
    runs = [told["nodeIds"], re.findall(r"^node +(\w+)", again.out, re.MULTILINE)]
    assert len({node_id for ids in runs for node_id in ids}) == 6
    for node_ids in runs:
        assert_borne_out(Path(told["grove"]), told["treeId"], node_ids)


def assert_borne_out(path: Path, tree_id: str, node_ids: list[str]) -> None:
    """Three different texts of a model, each the very words of the response that was kept."""
    with read_grove(path) as grove:
        tree = grove.load_tree(tree_id)
        verdicts = {f.node_id: f.verdict for f in verify(tree, grove.digests(tree_id))}
        assert [verdicts[node_id] for node_id in node_ids] == ["ok"] * 3
        assert len({tree.nodes[node_id].text for node_id in node_ids}) == 3
        for node_id in node_ids:
            evidence = grove.evidence(tree_id, node_id)
            assert evidence is not None
            assert streamed(evidence)[evidence.choices[node_id]] == tree.nodes[node_id].text
            assert tree.nodes[node_id].author_type == "model"


def streamed(evidence: Evidence) -> dict[int, str]:
    """The texts of the choices in a response as the server streamed it."""
    texts: defaultdict[int, str] = defaultdict(str)
    for line in evidence.body.decode("utf-8").splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line.removeprefix("data: "))["choices"]:
                texts[choice["index"]] += choice.get("delta", {}).get("content") or choice.get("text") or ""
    return texts
