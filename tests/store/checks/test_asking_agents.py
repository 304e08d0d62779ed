"""A model's node is said to be of the agent that asked for its response, or `verify` names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.formats import evidence_file
from loomapp.formats.evidence_file import Contents
from loomapp.store.checks.evidence_chain import Held, handed_on, verify_handed_on
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.checks.log_comparison import OTHER_AGENT
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.identity import new_id, now
from tests.kit.groves import MODEL, planted
from tests.kit.trees import Hand
from tests.store.checks.forging import forger
from tests.store.checks.test_forged_notes import CHAT, evidence

OTHER = replace(MODEL, id="other", name="Another", model_ref="local:another-model")
RECORDED = {"modelRef": "local:a-model", "agentName": "A model"}
ASKING = replace(MODEL, id="asking", name="A model", model_ref="local:a-model")


def asked(grove: Grove, item: Evidence, *, agent: Agent = ASKING, length: int = 1) -> str:
    """Let an agent write a node that rests on a response, in a new tree of a grove; the node's id."""
    tree, ids = planted(grove, Hand(), length=length)
    for one in (ASKING, OTHER):
        grove.put_agent(one)
    change = nodes_from_drafts(
        tree,
        [Draft(0, text="Rain.")],
        sources=Sources(ids[-1]),
        agent_id=agent.id,
        evidence=[item],
        now=now(),
        new_id=new_id,
    )
    assert change is not None
    grove.commit(tree, change)
    [node] = change.added_nodes()
    return node.id


def recorded(**record: Any) -> Evidence:
    """A response with the record of the request that led to it."""
    return evidence(CHAT, extra={"status": 200, RECORD: record or RECORDED})


def reasons(path: Path) -> list[str]:
    """Why nodes failed."""
    with read_grove(path) as grove:
        return [f.reason for t in verify_grove(grove).trees for f in t.findings if f.verdict == "failed"]


def reasons_by_file(path: Path) -> list[str]:
    """Why nodes of the evidence file of a grove failed, read without the grove."""
    with read_grove(path) as grove:
        [row] = grove.trees()
        contents = Contents(
            grove.load_tree(row.id),
            tuple(grove.tree_agents(row.id)),
            tuple(grove.all_evidence(row.id)),
        )
        chain = handed_on(grove, contents.tree, contents.agents, contents.evidence, None)
    read = evidence_file.check(evidence_file.write(contents, chain).encode())
    told = verify_handed_on(Held(read.tree, read.agents, read.evidence), read.chain)
    assert not told.faults
    return [finding.reason for finding in told.findings if finding.verdict == "failed"]


READERS = {"in the grove": reasons, "in an evidence file": reasons_by_file}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("record", [RECORDED, {"modelRef": "local:a-model"}], ids=["both", "model"])
def test_another_agent_of_the_grove_is_named_whatever_was_recomputed(
    tmp_path: Path, read: Callable[[Path], list[str]], record: dict[str, Any]
) -> None:
    path = tmp_path / "grove.loom"
    with create_grove(path) as grove:
        node_id = asked(grove, recorded(**record))
    assert read(path) == []

    forged = forger(path)
    forged.rewrite(node_id, author_agent_id=OTHER.id)
    forged.rehash()
    forged.write(log=True)

    assert read(path) == [OTHER_AGENT]


def test_without_a_record_the_model_of_the_request_tells(tmp_path: Path) -> None:
    path = tmp_path / "grove.loom"
    with create_grove(path) as grove:
        node_id = asked(grove, evidence(CHAT, extra={"status": 200}))
    assert reasons(path) == []

    forged = forger(path)
    forged.rewrite(node_id, author_agent_id=OTHER.id)
    forged.rehash()
    forged.write(log=True)

    assert reasons(path) == [OTHER_AGENT]


def test_an_agent_that_has_another_name_and_model_since_is_still_the_one_that_asked(tmp_path: Path) -> None:
    path = tmp_path / "grove.loom"
    with create_grove(path) as grove:
        asked(grove, recorded())
    with open_grove(path) as grove:
        grove.put_agent(replace(ASKING, name="Renamed", model_ref="local:newer"))
        grove.put_agent(replace(ASKING, name="Again", model_ref="local:newest"))

    assert reasons(path) == []
    assert reasons_by_file(path) == []


def test_what_came_from_elsewhere_may_name_its_agent_as_it_was_called_there(tmp_path: Path) -> None:
    here, there = tmp_path / "here.loom", tmp_path / "there.loom"
    with create_grove(there) as grove:
        asked(grove, recorded())
        [row] = grove.trees()
        tree, items = grove.load_tree(row.id), grove.all_evidence(row.id)
        agents = grove.tree_agents(row.id)
    with create_grove(here) as grove:
        grove.put_agent(replace(ASKING, name="Mine", model_ref="local:mine"))
        grove.add_tree(tree, agents, items)

    assert reasons(here) == []
