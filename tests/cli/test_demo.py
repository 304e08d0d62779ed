"""`loomapp demo`: the main job on a computer without a screen, and again on the second run."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from loomapp import places
from loomapp.core.evidence import Evidence
from loomapp.core.provenance import verify
from loomapp.store.grove import read_grove
from tests.cli.command import loomapp

NO_SCREEN = {"DISPLAY": None, "WAYLAND_DISPLAY": None, "QT_QPA_PLATFORM": None}
PNG = b"\x89PNG\r\n\x1a\n"


def test_two_runs_make_three_different_nodes_each_that_their_responses_bear_out(tmp_path: Path) -> None:
    runs = [loomapp("demo", "--to", tmp_path / "d", "--json", environment=NO_SCREEN) for _ in range(2)]

    assert [ran.status for ran in runs] == [0, 0]
    assert all("Traceback" not in ran.err for ran in runs)
    told = [ran.json for ran in runs]
    node_ids = [node_id for value in told for node_id in value["nodeIds"]]
    assert len(set(node_ids)) == 6
    assert Path(told[0]["picture"]).read_bytes().startswith(PNG)
    with read_grove(Path(told[0]["grove"])) as grove:
        tree = grove.load_tree(told[0]["treeId"])
        verdicts = {f.node_id: f.verdict for f in verify(tree, grove.digests(tree.loom.id))}
        assert {verdicts[node_id] for node_id in node_ids} == {"ok"}
        for value in told:
            assert len({tree.nodes[node_id].text for node_id in value["nodeIds"]}) == 3
        for node_id in node_ids:
            evidence = grove.evidence(tree.loom.id, node_id)
            assert evidence is not None
            assert streamed(evidence)[evidence.choices[node_id]] == tree.nodes[node_id].text
            assert tree.nodes[node_id].author_type == "model"
    assert loomapp("verify", "--grove", told[0]["grove"]).status == 0


def test_without_a_folder_it_works_in_the_user_s_data() -> None:
    ran = loomapp("demo", environment=NO_SCREEN)

    assert ran.status == 0
    grove = places.data_folder() / "demo" / "demo.loom"
    assert f"grove    {grove}\n" in ran.out
    assert grove.with_suffix(".png").exists()
    assert ran.out.count("\nnode     ") == 3


def streamed(evidence: Evidence) -> dict[int, str]:
    """The texts of the choices in a response as the server streamed it."""
    texts: defaultdict[int, str] = defaultdict(str)
    for line in evidence.body.decode("utf-8").splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line.removeprefix("data: "))["choices"]:
                texts[choice["index"]] += choice.get("delta", {}).get("content") or choice.get("text") or ""
    return texts
