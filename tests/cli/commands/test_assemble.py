"""`loomapp assemble`: every worked case, and what it promises to scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loomapp.__main__ import main
from tests.kit.families import one_in
from tests.kit.loom_files import chain
from tests.kit.processes.command import loomapp, new_tree

CHECKOUT = Path(__file__).parents[3]
SHARED = CHECKOUT.parent / "shared" / "vectors" / "assembly.json"
COPY = CHECKOUT / "tests" / "data" / "vectors" / "assembly.json"
CASES: list[dict[str, Any]] = json.loads((SHARED if SHARED.exists() else COPY).read_bytes())["cases"]


def in_file(folder: Path, tree: Any) -> str:
    file = folder / "tree.loom.json"
    file.write_text(json.dumps(tree), encoding="utf-8")
    return str(file)


def text_of(message: dict[str, Any]) -> str:
    parts = (
        part["text"] if part["type"] == "text" else f"[image: {part['altText']}]" for part in message["parts"]
    )
    return "\n\n".join(parts)


def check(case: dict[str, Any], status: int, out: str, err: str) -> None:
    expected = case["expected"]
    if "error" in expected:
        error = json.loads(err.splitlines()[-1])["error"]
        assert (status, out) == (1, "")
        assert {key: error[key] for key in expected["error"]} == expected["error"]
        return
    assert status == 0, err
    found = json.loads(out)
    assert found["system"] == expected["system"]
    if "messages" in expected:
        messages = [{"role": m["role"], "text": text_of(m)} for m in found["messages"]]
        assert messages == [{"role": m["role"], "text": m["text"]} for m in expected["messages"]]
    else:
        assert found["document"] == expected["document"]
    for name, value in expected["report"].items():
        if name == "dropped":
            assert len(found["report"][name]) == len(value)
            pairs = zip(found["report"][name], value, strict=True)
            assert [{key: item[key] for key in wanted} for item, wanted in pairs] == value
        else:
            assert found["report"][name] == value, name


@pytest.mark.parametrize("case", one_in(3, CASES), ids=[case["name"] for case in CASES])
def test_a_worked_case_comes_out_as_worked(
    case: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = in_file(tmp_path, case["tree"])

    status = main(["assemble", file, *case["arguments"]])

    check(case, status, *capfd.readouterr())


@pytest.mark.parametrize("name", one_in(3, ["multi-source roles", "cycle", "system alone too large"]))
def test_the_installed_command_says_the_same(name: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case["name"] == name)

    ran = loomapp("assemble", in_file(tmp_path, case["tree"]), *case["arguments"])

    check(case, ran.status, ran.out, ran.err)


def test_the_copy_of_the_worked_cases_is_the_original() -> None:
    if SHARED.exists():
        assert COPY.read_bytes() == SHARED.read_bytes()


def test_a_node_may_be_named_by_its_local_id(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree = chain("a", "b")
    tree["nodes"][1]["localId"] = "K3M9QZ"

    status = main(["assemble", in_file(tmp_path, tree), "--at", "k3m9qz"])

    assert status == 0
    assert json.loads(capfd.readouterr().out)["report"]["kept"] == ["n1", "n2"]


def test_damage_off_the_path_is_no_matter(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree = chain("a", "b", "c")
    tree["edges"].append({"sources": ["gone"], "targetNodeId": "n3"})
    file = in_file(tmp_path, tree)

    assert main(["assemble", file, "--at", "n2"]) == 0
    assert main(["assemble", file, "--at", "n3"]) == 1

    assert json.loads(capfd.readouterr().err)["error"]["code"] == "AMBIGUOUS_PATH"


def test_a_missing_source_is_met_on_the_path(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree = chain("a", "b")
    tree["edges"][0]["sources"] = ["gone"]

    assert main(["assemble", in_file(tmp_path, tree), "--at", "n2"]) == 1

    error = json.loads(capfd.readouterr().err)["error"]
    assert (error["code"], error["nodeId"]) == ("NODE_NOT_FOUND", "gone")


def test_the_file_s_choices_apply_and_options_override(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = chain("a", "b", mode="buffer")
    version = {"id": "v=1", "content": "A", "authorType": "human", "editedFrom": "n1"}
    tree["nodes"].insert(1, version)
    tree["edges"][0]["sources"].append("v=1")
    tree["activePath"] = {"selections": [{"targetNodeId": "n2", "sourceNodeId": "n1"}]}
    file = in_file(tmp_path, tree)

    documents = []
    for options in ([], ["--select", "n2=v=1"]):
        assert main(["assemble", file, "--at", "n2", *options]) == 0
        documents.append(json.loads(capfd.readouterr().out)["document"])

    assert documents == ["ab", "Ab"]


def test_an_agent_of_the_file_brings_its_prompt_and_its_limit(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = chain("a")
    tree["agents"] = [{"id": "m", "configuration": {"systemPrompt": "Be kind.", "maxTokens": 5000}}]
    file = in_file(tmp_path, tree)

    assert main(["assemble", file, "--at", "n1", "--agent", "m", "--window", "6000"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["system"], found["report"]["available"]) == ("Be kind.", 1000)

    assert main(["assemble", file, "--at", "n1", "--agent", "nobody"]) == 2
    assert json.loads(capfd.readouterr().err)["error"]["code"] == "notFound"


def test_a_tree_of_a_grove_is_assembled_as_its_file_is(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="Why?")
    file = tmp_path / "t.loom.json"
    file.write_text(loomapp("export", "--grove", grove, "--tree", tree_id).out, encoding="utf-8")

    from_grove = loomapp("assemble", "--grove", grove, "--tree", tree_id, "--at", root_id)
    from_file = loomapp("assemble", file, "--at", root_id)

    assert from_grove.status == 0
    assert from_grove.out == from_file.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--at", "n1", "--frobnicate"], "usage"),
        (["--at", "n1", "--strategy", "magic"], "usage"),
        (["--at", "n1", "--minimum-recent", "0"], "usage"),
        (["--at", "n1", "--token-buffer", "-1"], "usage"),
        (["--at", "n1", "--window", "many"], "usage"),
        (["--at", "n1", "--select", "n1"], "usage"),
        (["--at", "n1", "--tree", "t"], "usage"),
        ([], "usage"),
    ],
)
def test_a_wrong_option_is_told_in_json_on_one_line(
    arguments: list[str], code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status = main(["assemble", in_file(tmp_path, chain("a")), *arguments])

    out, err = capfd.readouterr()
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert json.loads(err)["error"]["code"] == code


@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff", b'{"format": "loom-json", "version": 9}'])
def test_an_unreadable_file_is_told_in_json_on_one_line(
    content: bytes | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.loom.json"
    if content is not None:
        file.write_bytes(content)

    status = main(["assemble", str(file), "--at", "n1"])

    out, err = capfd.readouterr()
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert json.loads(err)["error"]["code"] == "invalidInput"
    assert str(file) in json.loads(err)["error"]["message"]


def test_unknown_nodes_are_told_by_the_assembler(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = in_file(tmp_path, chain("a", "b"))

    for options in (
        ["--at", "gone"],
        ["--at", "n2", "--context", "gone"],
        ["--at", "n2", "--instruction", "gone"],
        ["--at", "n2", "--include-annotation", "gone"],
        ["--at", "n2", "--select", "n2=gone"],
    ):
        assert main(["assemble", file, *options]) == 1
        error = json.loads(capfd.readouterr().err)["error"]
        assert error["code"] in ("NODE_NOT_FOUND", "INVALID_SELECTION")


def test_the_words_of_markers_come_from_the_file_and_from_options(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = chain(*("x" * 400 for _ in range(6)))
    tree["tree"]["contextSettings"] = {"dialogueMarker": "({n} gone)", "continueText": "Go on."}
    file = in_file(tmp_path, tree)
    narrow = ["assemble", file, "--at", "n6", "--window", "350", "--token-buffer", "0"]

    assert main([*narrow, "--provider-rules", "openai"]) == 0
    said = [text_of(message) for message in json.loads(capfd.readouterr().out)["messages"]]
    assert any("(3 gone)" in text for text in said)
    assert said[-1] == "Go on."

    options = ["--dialogue-marker", "{n} left out", "--continue-text", "More."]
    assert main([*narrow, "--provider-rules", "openai", *options]) == 0
    said = [text_of(message) for message in json.loads(capfd.readouterr().out)["messages"]]
    assert any("3 left out" in text for text in said)
    assert said[-1] == "More."

    assert main([*narrow, "--dialogue-marker", "gap"]) == 2
    assert "must hold {n}" in capfd.readouterr().err
