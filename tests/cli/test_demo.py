"""`loomapp demo`: the main job on a computer without a screen, and again on the second run."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

from loomapp import places
from loomapp.core.evidence import Evidence
from loomapp.core.provenance import verify
from loomapp.store.grove import read_grove
from tests.cli.command import loomapp

NO_SCREEN = {"DISPLAY": None, "WAYLAND_DISPLAY": None, "QT_QPA_PLATFORM": None}
PNG = b"\x89PNG\r\n\x1a\n"


def test_two_runs_make_three_different_nodes_each_that_their_responses_bear_out() -> None:
    folder = places.data_folder() / "demo"
    first = loomapp("demo", environment=NO_SCREEN)
    second = loomapp("demo", "--to", folder, "--json", environment=NO_SCREEN)

    for ran in (first, second):
        assert ran.status == 0, ran.err
        assert "Traceback" not in ran.err
    told = second.json
    assert Path(told["grove"]) == folder / "demo.loom"
    assert f"grove    {told['grove']}\n" in first.out
    assert Path(told["picture"]) == folder / "demo.png"
    assert Path(told["picture"]).read_bytes().startswith(PNG)
    runs = [re.findall(r"^node +(\w+)", first.out, re.MULTILINE), told["nodeIds"]]
    node_ids = [node_id for ids in runs for node_id in ids]
    assert len(set(node_ids)) == 6
    with read_grove(Path(told["grove"])) as grove:
        tree = grove.load_tree(told["treeId"])
        verdicts = {f.node_id: f.verdict for f in verify(tree, grove.digests(tree.loom.id))}
        assert {verdicts[node_id] for node_id in node_ids} == {"ok"}
        for ids in runs:
            assert len({tree.nodes[node_id].text for node_id in ids}) == 3
        for node_id in node_ids:
            evidence = grove.evidence(tree.loom.id, node_id)
            assert evidence is not None
            assert streamed(evidence)[evidence.choices[node_id]] == tree.nodes[node_id].text
            assert tree.nodes[node_id].author_type == "model"
    assert loomapp("verify", "--grove", told["grove"]).status == 0


def streamed(evidence: Evidence) -> dict[int, str]:
    """The texts of the choices in a response as the server streamed it."""
    texts: defaultdict[int, str] = defaultdict(str)
    for line in evidence.body.decode("utf-8").splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line.removeprefix("data: "))["choices"]:
                texts[choice["index"]] += choice.get("delta", {}).get("content") or choice.get("text") or ""
    return texts
