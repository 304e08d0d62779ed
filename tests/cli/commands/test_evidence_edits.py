"""Evidence files without their grove: every key edited, every sum recomputed, and the head that was kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from loomapp.cli.commands.verify import verified_file
from loomapp.core.errors import InvalidInput
from loomapp.core.model import log_chain
from loomapp.core.model.hashes import canonical_json
from loomapp.core.model.log_chain import LogFacts
from loomapp.formats import evidence_file
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import read_grove
from tests.kit.families import one_in
from tests.kit.processes.command import loomapp
from tests.store.checks.resealing import rehash, rewrite_log, run
from tests.store.rich_groves import rich_grove

SEALED = ("changed", "seal", "format", "version")


@pytest.fixture(scope="module")
def grove(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grove in which every column holds something."""
    return rich_grove(tmp_path_factory.mktemp("rich") / "grove.loom")


@pytest.fixture(scope="module")
def head(grove: Path) -> str:
    """The head that somebody kept."""
    with read_grove(grove) as opened:
        verified = verify_grove(opened)
    assert verified.head is not None
    return verified.head.link


def tree_ids(grove: Path) -> list[str]:
    with read_grove(grove) as opened:
        return [row.id for row in opened.trees()]


@pytest.fixture(scope="module", params=["everything", "marks", "part"])
def file(request: pytest.FixtureRequest, grove: Path) -> bytes:
    """The evidence of a tree, or of a part of one."""
    ids = tree_ids(grove)
    tree_id = ids[0] if request.param == "everything" else ids[-1]
    arguments = ["export", "--grove", str(grove), "--tree", tree_id, "--evidence"]
    if request.param == "part":
        with read_grove(grove) as opened:
            tree = opened.load_tree(tree_id)
        arguments += ["--path", next(n.id for n in tree.nodes.values() if n.text == "Water that")]
    ran = loomapp(*arguments)
    assert ran.status == 0, ran.err
    return ran.out.encode()


def is_caught(data: bytes, head: str) -> bool:
    """Whether verify FILE --head fails."""
    try:
        verified, changed = verified_file(evidence_file.check(data), head)
    except InvalidInput:
        return True
    return bool(changed) or verified.failed or verified.since is None


def sealed(value: dict[str, Any]) -> bytes:
    """The file as whoever wrote it would seal it, the chain along."""
    value = deepcopy(value)
    told = value.pop("seal")
    told["chain"]["head"] = links_of(told["chain"])[-1]
    if told["chain"]["links"] != (count := len(told["chain"]["entries"])):
        told["chain"]["links"] = count
    text = "{" + ",\n ".join(f"{_dumps(key)}: {_dumps(item)}" for key, item in value.items())
    before = text.encode()
    rows = evidence_file._row_hashes(value) | {evidence_file.CHAIN: _sha256(canonical_json(told["chain"]))}
    seal = {"file": _sha256(before), "rows": rows, "chain": told["chain"]}
    return before + evidence_file.SEAL + json.dumps(seal, ensure_ascii=False).encode() + b"}\n"


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def links_of(told: dict[str, Any]) -> list[str]:
    links = [log_chain.START]
    for entry in told["entries"]:
        if len(entry) == 2:
            digest = log_chain.entry_digest(*entry)
        else:
            facts, body = LogFacts(*entry[:8]), log_chain.body_as_found(entry[8])
            digest = log_chain.entry_digest(facts.tree, log_chain.facts_digest(facts, body))
        links.append(log_chain.link(links[-1], digest))
    return links[1:]


def edits_of(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Another value for every leaf, and every key and item taken away."""
    waiting = [(place, value)]
    while waiting:
        where, here = waiting.pop()
        if isinstance(here, dict):
            waiting += [((*where, key), item) for key, item in here.items()]
        elif isinstance(here, list):
            waiting += [((*where, at), item) for at, item in enumerate(here[:3])]
        elif isinstance(here, bool):
            yield where, not here
        elif isinstance(here, int | float):
            yield where, here + 1
        elif isinstance(here, str):
            yield where, here + "x"
        else:
            yield where, "x"


EVERY = [4, pytest.param(1, marks=pytest.mark.slow)]  # of the edits, one in so many is made


def of_another_kind(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every flag as a number, and every whole number as a fraction and, where it may be one, as a flag."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        where, here = waiting.pop()
        if isinstance(here, dict | list):
            items = here.items() if isinstance(here, dict) else enumerate(here)
            waiting += [((*where, key), item) for key, item in items]
        elif isinstance(here, bool):
            yield where, int(here)
        elif isinstance(here, int):
            yield where, float(here)
            if here in (0, 1):
                yield where, bool(here)


def edited(value: dict[str, Any], place: tuple[Any, ...], other: Any) -> dict[str, Any]:
    copy = deepcopy(value)
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = other
    return copy


def test_a_file_verifies_with_the_head_of_its_grove_and_with_earlier_ones(file: bytes, head: str) -> None:
    value = json.loads(file)

    verified, changed = verified_file(evidence_file.check(file), head)

    assert (verified.failed, list(changed), verified.since) == (False, [], 0)
    assert sealed(value).partition(evidence_file.SEAL)[2]
    assert not is_caught(sealed(value), head)
    assert verified_file(evidence_file.check(file), links_of(value["seal"]["chain"])[0])[0].since


@pytest.mark.parametrize("of", [{}, [], 7])
def test_a_chain_of_something_that_is_no_node_is_told_and_no_fault_of_ours(file: bytes, of: object) -> None:
    value = json.loads(file)
    value["seal"]["chain"]["of"] = of

    verified, _ = verified_file(evidence_file.check(sealed(value)))

    assert verified.failed


@pytest.mark.parametrize("every", one_in(3, EVERY))
def test_every_key_that_is_edited_is_caught_though_the_file_is_sealed_anew(
    file: bytes, head: str, every: int
) -> None:
    value = json.loads(file)
    missed = []
    count = 0

    for place, other in islice(edits_of(value), 0, None, every):
        if place[0] in SEALED and place[:2] != ("seal", "chain"):
            continue
        if place[:3] in (("seal", "chain", "head"), ("seal", "chain", "links")):
            continue  # recomputed
        count += 1
        if not is_caught(sealed(edited(value, place, other)), head):
            missed.append(place)

    assert count > 100 // every
    assert missed == []


@pytest.mark.parametrize("every", EVERY)
def test_a_number_of_another_kind_is_caught_though_the_file_is_sealed_anew(
    file: bytes, head: str, every: int
) -> None:
    value = json.loads(file)
    kinds = [
        (place, other)
        for place, other in of_another_kind(value)
        if place[0] not in SEALED or place[:2] == ("seal", "chain")
    ]

    kinds = kinds[::every]
    missed = [place for place, other in kinds if not is_caught(sealed(edited(value, place, other)), head)]

    assert kinds
    assert missed == []


def dropped(value: dict[str, Any], key: str) -> dict[str, Any]:
    copy = deepcopy(value)
    copy[key] = copy[key][:-1]
    return copy


def test_an_entry_that_is_there_twice_is_told_whatever_number_it_has(file: bytes, head: str) -> None:
    value = json.loads(file)
    told = value["seal"]["chain"]
    full = [entry for entry in told["entries"] if len(entry) == 9]

    for number in (1, full[-1][0]):
        again = deepcopy(value)
        again["seal"]["chain"]["entries"].append([number, *full[-1][1:]])
        verified, _ = verified_file(evidence_file.check(sealed(again)), head)

        faults = [fault for tree in verified.trees for fault in tree.faults]
        assert any("no higher number" in fault for fault in faults)


MARKS = ["tags", "links", "branchSummaries", "contextSummaries", "agentMemory"]


@pytest.mark.parametrize("key", one_in(3, ["nodes", "edges", "agents", *MARKS, "responses"]))
def test_a_row_that_is_left_out_is_caught(file: bytes, head: str, key: str) -> None:
    value = json.loads(file)
    if not value.get(key):
        pytest.skip("the file has none")

    assert is_caught(sealed(dropped(value, key)), head)


def _hide_row(told: dict[str, Any]) -> None:
    for entry in told["entries"]:
        rows = json.loads(entry[8])["rows"] if len(entry) > 2 else []
        for row in rows:
            if isinstance(row, list) and row[0] in ("node", "agent", "tree"):
                text = json.dumps(row, separators=(",", ":"))
                hidden = json.dumps(log_chain.emptied(row), separators=(",", ":"))
                entry[8] = entry[8].replace(text, hidden)
                return
    raise AssertionError("no row to hide")


def _hide_entry(told: dict[str, Any]) -> None:
    for at, entry in enumerate(told["entries"]):
        if len(entry) > 2:
            facts, body = LogFacts(*entry[:8]), log_chain.body_as_found(entry[8])
            told["entries"][at] = [facts.tree, log_chain.facts_digest(facts, body)]
            return
    raise AssertionError("no entry to hide")


@pytest.mark.parametrize("hide", [_hide_row, _hide_entry])
def test_what_is_hidden_though_the_file_is_about_it_is_missed(
    file: bytes, head: str, hide: Callable[[dict[str, Any]], None]
) -> None:
    value = json.loads(file)

    hide(value["seal"]["chain"])

    data = sealed(value)
    verified, _ = verified_file(evidence_file.check(data), head)
    assert verified.since == 0  # the very same chain
    assert verified.failed


def test_a_file_of_which_the_chain_was_taken_holds_no_head(file: bytes, head: str) -> None:
    value = json.loads(file)
    data = sealed(value)
    told = json.dumps(json.loads(data)["seal"]["chain"], ensure_ascii=False).encode()
    stripped = data.replace(b', "chain": ' + told, b"")

    verified, _ = verified_file(evidence_file.check(stripped), head)

    assert verified.since is None


def test_a_file_of_a_grove_that_was_forged_with_all_its_sums_holds_another_head(
    grove: Path, head: str, tmp_path: Path
) -> None:
    forged = tmp_path / "forged.loom"
    forged.write_bytes(grove.read_bytes())
    run(forged, "UPDATE nodes SET text = 'What is a tie?' WHERE text = 'What is a tide?'")
    rehash(forged)
    rewrite_log(forged, links=True)

    ran = loomapp("export", "--grove", forged, "--tree", tree_ids(grove)[-1], "--evidence")
    file = tmp_path / "evidence.loom.json"
    file.write_text(ran.out, encoding="utf-8")

    assert loomapp("verify", file).status == 0
    assert loomapp("verify", file, "--head", head).status == 1


def without_rows(value: dict[str, Any], kind: str, about: str) -> dict[str, Any]:
    """Rows of the chain become their key and their digest, which leaves every link as it was."""
    value = deepcopy(value)
    for entry in value["seal"]["chain"]["entries"]:
        if len(entry) == 9:
            body = log_chain.read_body(entry[8])
            left = [
                log_chain.emptied(r) if json.loads(log_chain.key_of(r)) == [kind, about] else r
                for r in body.rows
            ]
            entry[8] = log_chain.with_rows(body, left)
    return value


@pytest.mark.parametrize("says_that_it_is_there", [True, False])
def test_no_author_can_be_left_out_whatever_is_left_of_what_the_chain_says(
    file: bytes, head: str, says_that_it_is_there: bool
) -> None:
    value = json.loads(file)
    for author in {node["authorAgentId"] for node in value["nodes"]}:
        if all(agent["id"] != author for agent in value["agents"]):
            continue
        forged = without_rows(value, "agent", author)
        if not says_that_it_is_there:
            forged["agents"] = [agent for agent in forged["agents"] if agent["id"] != author]

        verified, _ = verified_file(evidence_file.check(sealed(forged)), head)

        assert verified.failed, author
        assert f"the agent {author}, who is named in the file, is left out of it" in verified.trees[0].faults


def test_an_entry_added_to_a_file_seals_no_node_as_something_else(file: bytes, head: str) -> None:
    value = json.loads(file)
    told = value["seal"]["chain"]
    node = value["nodes"][-1]["id"]
    last = [entry for entry in told["entries"] if len(entry) == 9 and entry[1] == told["tree"]][-1]
    row = ["node", {}, {}, node, "f" * 24]
    body = log_chain.body_of([row], {}).text
    told["entries"].append([last[0] + 1000, told["tree"], "Note", "you", last[4], False, None, None, body])

    verified, _ = verified_file(evidence_file.check(sealed(value)), head)

    [reason] = [one.reason for tree in verified.trees for one in tree.findings if one.node_id == node]
    assert "seals it again as something else" in reason


def test_an_entry_added_to_a_file_seals_no_agent_anew(file: bytes, head: str) -> None:
    value = json.loads(file)
    told = value["seal"]["chain"]
    for agent in value["agents"]:
        agent["name"] = "GPT"
    body = log_chain.body_of([["sealed", None, {"after": ""}]], {}).text
    told["entries"].append([100_000, None, "Sealed", "you", 1, False, None, None, body])

    verified, _ = verified_file(evidence_file.check(sealed(value)), head)

    faults = [fault for tree in verified.trees for fault in tree.faults]
    assert any("seals anew what was sealed already" in fault for fault in faults)
