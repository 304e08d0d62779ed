"""Evidence files with what no evidence file holds: named, though every sum in the file is made to fit."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from loomapp.cli.commands.verify import verified_file
from loomapp.core.edits import node_edits
from loomapp.core.model.hashes import canonical_json
from loomapp.formats import evidence_file
from loomapp.formats.evidence_file import CHAIN, SEAL, Contents
from loomapp.store.checks.evidence_chain import handed_on
from loomapp.store.grove.open import create_grove
from tests.kit.families import one_in
from tests.kit.groves import MODEL, generated, planted
from tests.kit.trees import Hand


@pytest.fixture(scope="module", params=["the whole tree", "a path"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An evidence file with two answers of two responses, as a value."""
    hand = Hand()
    with create_grove(tmp_path_factory.mktemp("grove") / "g.loom") as grove:
        tree, ids = planted(grove, hand, length=2)
        grove.put_agent(MODEL)
        grove.commit(tree, generated(tree, ids[-1], ["One."], hand))
        [first] = tree.children(ids[-1])
        grove.commit(tree, generated(tree, first, ["Two."], hand))
        [second] = tree.children(first)
        grove.commit(tree, node_edits.add_node(tree, second, "And then?", hand.pen(grove.owner.id)))
        planted(grove, hand, length=1)
        contents = Contents(tree, (grove.owner, MODEL), tuple(grove.all_evidence(tree.loom.id)))
        if request.param == "a path":
            contents = contents.above(second)
        chain = handed_on(grove, contents.tree, contents.agents, contents.evidence, contents.of)
        return json.loads(evidence_file.write(contents, chain))


def told(value: Any) -> list[str]:
    """Everything that verification says of a file whose sums are all made to fit."""
    value = copy.deepcopy(value)
    seal = value.pop("seal")
    before = json.dumps(value).encode().removesuffix(b"}")
    seal["rows"] = evidence_file._row_hashes(json.loads(before + b"}"))
    seal["rows"][CHAIN] = hashlib.sha256(canonical_json(seal["chain"])).hexdigest()
    seal["file"] = hashlib.sha256(before).hexdigest()
    data = before + SEAL + json.dumps(seal, ensure_ascii=False).encode() + b"}\n"
    verified, changed = verified_file(evidence_file.check(data))
    [tree] = verified.trees
    failed = [finding.reason for finding in tree.findings if finding.verdict == "failed"]
    return [*changed, *failed, *tree.faults]


def chain_of(value: Any) -> Any:
    return value["seal"]["chain"]


def say_in_a_digest(file: Any) -> None:
    """Write words into a row of which nothing but the digest is there."""
    entry = next(entry for entry in chain_of(file)["entries"] if len(entry) == 9 and '{"of":' in entry[8])
    entry[8] = entry[8].replace('{"of":', '{"note":"I lied.","of":', 1)


FORGERIES: dict[str, Callable[[Any], object]] = {
    "more in an entry": lambda file: chain_of(file)["entries"][-2].append("I lied."),
    "more in an entry of which only the digest is there": lambda file: next(
        entry for entry in chain_of(file)["entries"] if len(entry) == 2
    ).append("I lied."),
    "a number in letters": lambda file: next(
        entry for entry in chain_of(file)["entries"] if len(entry) == 2
    ).__setitem__(0, "2"),
    "no tree in letters": lambda file: next(
        entry for entry in chain_of(file)["entries"] if len(entry) == 9 and entry[1] is None
    ).__setitem__(1, ""),
    "a response of a node that there is not": lambda file: chain_of(file)["responses"].update(x="I lied."),
    "a response taken out of the chain": lambda file: chain_of(file)["responses"].popitem(),
    "more in a row that is only a digest": say_in_a_digest,
    "a picture that no node shows": lambda file: file.update(
        media={hashlib.sha256(b"I lied.").hexdigest(): base64.b64encode(b"I lied.").decode()}
    ),
    "more in the chain": lambda file: chain_of(file).update(note="I lied."),
    "more in the seal": lambda file: file["seal"].update(note="I lied."),
    "the order of agents": lambda file: file["agents"].reverse(),
    "the order of responses": lambda file: file["responses"].reverse(),
    "the order of nodes": lambda file: file["nodes"].reverse(),
    "the order of edges": lambda file: file["edges"].reverse(),
}


@pytest.mark.parametrize("name", one_in(3, FORGERIES))
def test_what_no_evidence_file_holds_is_named(file: Any, name: str) -> None:
    assert told(file) == []
    forged = copy.deepcopy(file)

    FORGERIES[name](forged)

    assert told(forged) != []
