"""Summaries with their responses, and memories of agents: saved, taken back, brought back, asleep, merged."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent, RunLimits
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import AgentMemory, BranchSummary, ContextSettings, ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.formats import loom_json
from loomapp.formats.evidence_file import Contents
from loomapp.formats.evidence_file import check as check_file
from loomapp.formats.evidence_file import write as write_evidence_file
from loomapp.store.checks.evidence_chain import Held, handed_on, verify_handed_on
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.queries.usage import spent_in
from loomapp.store.salvage.salvage import repair
from tests.data.golden.make_grove import golden
from tests.kit.groves import MODEL, agree, planted, response, summarised
from tests.kit.trees import Hand


def faults(grove: Grove) -> list[str]:
    """All that verification finds wrong."""
    verified = verify_grove(grove)
    findings = [one.reason for tree in verified.trees for one in tree.findings if one.verdict == "failed"]
    return [*verified.faults, *(line for tree in verified.trees for line in tree.faults), *findings]


def exported(grove: Grove, tree_id: str) -> str:
    """The tree as `loomapp export` writes it."""
    tree = grove.load_tree(tree_id)
    return loom_json.write(tree, grove.tree_agents(tree_id), grove.all_evidence(tree_id), {})


def the_response(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT response_id FROM responses").fetchall()


def test_a_summary_and_its_response_are_one_change(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    change = summarised(tree, ids[0], Hand())
    [answer] = change.evidence

    grove.commit(tree, change)

    assert agree(grove, tree)
    [row] = tree.context_summaries.values()
    assert row.response_id == answer.id
    [kept] = grove.all_evidence(tree.loom.id)
    assert (kept.id, kept.body_gzip, dict(kept.choices)) == (answer.id, answer.body_gzip, {})
    [spent] = spent_in(grove)
    assert (spent.counted, spent.node_ids) == ({"input": 3, "output": 5}, frozenset())
    assert faults(grove) == []


def test_a_summary_that_names_a_response_that_is_not_there_is_refused_and_nothing_saved(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    change = replace(summarised(tree, ids[0], Hand()), evidence=())
    before = grove.sequence()

    with pytest.raises(InvalidInput, match="rests on it, and it is not kept"):
        grove.commit(tree, change)

    assert (grove.sequence(), tree.context_summaries) == (before, {})
    assert agree(grove, tree)


def test_undo_and_redo_take_the_row_and_leave_the_response(grove: Grove, path: Path) -> None:
    tree, ids = planted(grove, Hand())
    answer = replace(response("On tides."), choices={})
    row = BranchSummary(ids[0], {"title": "Tides", "text": "On tides."}, answer.id)
    grove.commit(tree, Change(tree.loom.id, "Summarise", 5, (RowChange(None, row),), evidence=(answer,)))

    grove.undo(tree)

    assert tree.branch_summaries == {}
    assert grove.all_evidence(tree.loom.id) == []
    assert the_response(path) == [(answer.id,)]
    assert faults(grove) == []
    grove.redo(tree)
    assert tree.branch_summaries == {ids[0]: row}
    assert agree(grove, tree)
    assert [one.id for one in grove.all_evidence(tree.loom.id)] == [answer.id]
    assert faults(grove) == []


def test_an_edited_summary_keeps_no_claim_and_undo_gives_it_back(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    grove.commit(tree, summarised(tree, ids[0], Hand()))
    [made] = tree.context_summaries.values()
    edited = replace(made, body={**made.body, "text": "By hand.", "origin": "manual"}, response_id=None)

    grove.commit(tree, Change(tree.loom.id, "Edit summary", 9, (RowChange(made, edited),)))

    assert faults(grove) == []
    assert grove.all_evidence(tree.loom.id) == []
    grove.undo(tree)
    assert list(tree.context_summaries.values()) == [made]
    assert agree(grove, tree)
    assert faults(grove) == []


def test_an_edited_summary_that_still_claims_its_response_is_named(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    grove.commit(tree, summarised(tree, ids[0], Hand()))
    [made] = tree.context_summaries.values()

    edited = replace(made, body={**made.body, "text": "By hand."})
    grove.commit(tree, Change(tree.loom.id, "Edit summary", 9, (RowChange(made, edited),)))

    assert faults(grove) == [f"the summary at {ids[0]}: its text is not the text of its response"]


def test_a_summary_taken_as_it_is_for_another_path_keeps_its_response(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    grove.commit(tree, summarised(tree, ids[0], Hand()))
    [made] = tree.context_summaries.values()

    again = replace(made, covered_hash="ef" * 32)
    rows = (RowChange(made, None), RowChange(None, again))
    grove.commit(tree, Change(tree.loom.id, "Use as it is", 9, rows))

    assert list(tree.context_summaries.values()) == [again]
    assert agree(grove, tree)
    assert faults(grove) == []


def asleep(grove: Grove) -> tuple[Tree, str]:
    """A tree of which a node is undone that has a summary, and that node."""
    tree, ids = planted(grove, Hand())
    grove.commit(tree, summarised(tree, ids[-1], Hand()))
    grove.undo(tree)
    assert ids[-1] not in tree.nodes
    return tree, ids[-1]


def test_a_summary_sleeps_while_its_node_is_undone_and_is_back_with_redo(grove: Grove) -> None:
    tree, node_id = asleep(grove)
    [row] = tree.context_summaries.values()

    assert tree.sleeps(row)
    assert '"contextSummaries": []' in exported(grove, tree.loom.id)
    assert "All so far" not in exported(grove, tree.loom.id)
    assert agree(grove, tree)
    assert faults(grove) == []
    grove.redo(tree)
    assert not tree.sleeps(row)
    assert list(tree.context_summaries.values()) == [row]
    assert f'{{"anchorNodeId": "{node_id}"' in exported(grove, tree.loom.id)
    assert faults(grove) == []


def test_an_evidence_file_without_a_sleeping_summary_agrees_with_its_chain(grove: Grove) -> None:
    tree, _ = asleep(grove)
    grove.commit(tree, summarised(tree, tree.root_id, Hand(), "From the root."))

    found = verified_file(grove, tree)

    assert found == []


def verified_file(grove: Grove, tree: Tree) -> list[str]:
    """The faults of an evidence file of the tree."""
    agents, evidence = grove.tree_agents(tree.loom.id), grove.all_evidence(tree.loom.id)
    chain = handed_on(grove, tree, agents, evidence, None)
    text = write_evidence_file(Contents(tree, tuple(agents), tuple(evidence)), chain)
    report = check_file(text.encode())
    held = Held(report.tree, report.agents, report.evidence)
    told = verify_handed_on(held, report.chain)
    failed = [finding.reason for finding in told.findings if finding.verdict == "failed"]
    return [*report.changed, *report.faults, *told.faults, *failed]


def test_a_file_brings_summaries_responses_and_memories_back_byte_by_byte(
    grove: Grove, tmp_path: Path
) -> None:
    tree, _ = remembering(grove)
    text = exported(grove, tree.loom.id)
    read = loom_json.read(text)
    assert loom_json.write(read.tree, read.agents, read.evidence, {}) == text

    with open_grove(grove_beside(tmp_path)) as other:
        assert other.add_tree(read.tree, read.agents, read.evidence).outcome == "new"
        assert exported(other, tree.loom.id) == text
        assert faults(other) == []
        assert verified_file(other, other.load_tree(tree.loom.id)) == []
    assert verified_file(grove, tree) == []


def grove_beside(folder: Path) -> Path:
    create_grove(folder / "other.loom").close()
    return folder / "other.loom"


def remembering(grove: Grove) -> tuple[Tree, list[str]]:
    """A tree with a summary and a memory of an agent that wrote nothing, and its nodes."""
    grove.put_agent(replace(MODEL, run_limits=RunLimits(steps=3)))
    tree, ids = planted(grove, Hand())
    grove.commit(tree, summarised(tree, ids[1], Hand()))
    memory = RowChange(None, AgentMemory(MODEL.id, {"pinned": [ids[0]], "stashed": []}))
    grove.commit(tree, Change(tree.loom.id, "Remember", 9, (memory,), by=MODEL.name, undoable=False))
    return tree, ids


def test_only_summaries_and_memories_that_are_new_come_to_a_tree_that_is_here(
    grove: Grove, path: Path
) -> None:
    tree, ids = remembering(grove)
    theirs = loom_json.read(exported(grove, tree.loom.id))
    [here] = tree.context_summaries.values()
    edited = replace(here, body={"text": "Ours."}, response_id=None)
    forgotten = RowChange(tree.agent_memory[MODEL.id], None)
    grove.commit(tree, Change(tree.loom.id, "Ours", 9, (RowChange(here, edited), forgotten)))
    answer = replace(response("New."), choices={})
    new = ContextSummary(ids[2], "cd" * 32, {"text": "New."}, answer.id)
    theirs.tree.context_summaries[new.key] = new

    added = grove.add_tree(theirs.tree, theirs.agents, (*theirs.evidence, answer))

    assert added.outcome == "merged"
    merged = grove.load_tree(tree.loom.id)
    assert list(merged.context_summaries.values()) == [edited, new]
    assert list(merged.agent_memory) == [MODEL.id]
    assert len(the_response(path)) == 2
    assert faults(grove) == []


def test_a_copy_under_another_id_has_its_own_summaries_and_responses(grove: Grove) -> None:
    tree, ids = remembering(grove)
    text = exported(grove, tree.loom.id).replace("message 0", "another text")

    theirs = loom_json.read(text, lenient=True)
    added = grove.add_tree(theirs.tree, theirs.agents, theirs.evidence)

    assert added.outcome == "copied"
    copy = grove.load_tree(added.tree_id)
    [row] = copy.context_summaries.values()
    assert (row.anchor_node_id, copy.agent_memory) == (ids[1], tree.agent_memory)
    assert [one.id for one in grove.all_evidence(added.tree_id)] == [row.response_id]
    assert not [line for line in faults(grove) if "summary" in line]


def test_a_sleeping_summary_is_brought_back_by_a_file_that_has_its_node(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    grove.commit(tree, summarised(tree, ids[-1], Hand()))
    [row] = tree.context_summaries.values()
    theirs = loom_json.read(exported(grove, tree.loom.id))
    grove.undo(tree)

    added = grove.add_tree(theirs.tree, theirs.agents, theirs.evidence)

    assert (added.outcome, added.node_count) == ("merged", 1)
    assert list(grove.load_tree(tree.loom.id).context_summaries.values()) == [row]
    assert faults(grove) == []


def test_a_role_is_sealed_and_stays_through_undo_and_files(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    change = node_edits.add_node(tree, ids[-1], "So says the agent.", Hand().pen(grove.owner.id))
    rows = tuple(
        RowChange(None, replace(row.after, role="assistant")) if row.after in change.added_nodes() else row
        for row in change.rows
    )
    grove.commit(tree, replace(change, rows=rows))
    [made] = change.added_nodes()

    grove.undo(tree)
    grove.redo(tree)

    assert tree.nodes[made.id].role == "assistant"
    assert agree(grove, tree)
    assert '"authorType": "human", "role": "assistant", "contentHash"' in exported(grove, tree.loom.id)
    assert exported(grove, tree.loom.id).count('"role": "assistant"') == 1
    assert faults(grove) == []


def test_limits_of_runs_are_kept_logged_and_only_where_set(grove: Grove) -> None:
    plain = Agent("plain", "Plain", "model")
    limited = Agent("limited", "Limited", "model", run_limits=RunLimits(8, 20_000, None, {"kept": 1}))
    grove.put_agent(plain)
    grove.put_agent(limited)
    grove.put_agent(replace(limited, run_limits=RunLimits(9)))

    assert grove.agent("plain") == plain
    assert grove.agent("limited") == replace(limited, run_limits=RunLimits(9))
    assert faults(grove) == []
    grove.put_agent(replace(limited, run_limits=RunLimits()))
    assert grove.agent("limited") == replace(limited, run_limits=RunLimits())
    assert faults(grove) == []


def test_settings_that_a_later_version_knows_are_kept_and_logged(grove: Grove) -> None:
    tree, _ = planted(grove, Hand())
    settings = ContextSettings(
        economy=EconomySettings(make_summaries="thresholds", soft_threshold=0.7), extra={"new": {"deep": [1]}}
    )
    loom = replace(tree.loom, context_settings=settings)

    grove.commit(tree, Change(tree.loom.id, "Settings", 9, (RowChange(tree.loom, loom),)))

    assert grove.load_tree(tree.loom.id).loom.context_settings == settings
    grove.undo(tree)
    assert tree.loom.context_settings == ContextSettings()
    grove.redo(tree)
    assert agree(grove, tree)
    assert '"softThreshold": 0.7, "new": {"deep": [1]}' in exported(grove, tree.loom.id)
    assert faults(grove) == []


def test_what_older_versions_kept_as_unknown_keys_stays_what_it_was(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    told = {"text": "All.", "response": {"provider": "local", "model": "kept"}}
    row = ContextSummary(ids[0], "ab" * 32, told)
    grove.commit(tree, Change(tree.loom.id, "Import", 9, (RowChange(None, row),)))
    grove.undo(tree)
    grove.redo(tree)
    agent = Agent("old", "Old", "model", extra={"runLimits": "as you like"})
    grove.put_agent(agent)
    grove.put_agent(replace(agent, name="Older"))

    assert grove.agent("old") == replace(agent, name="Older")
    assert list(grove.load_tree(tree.loom.id).context_summaries.values()) == [row]
    assert faults(grove) == []
    assert '"text": "All.", "response": {"provider": "local", "model": "kept"}}' in exported(
        grove, tree.loom.id
    )


def test_rows_count_more_than_a_key_of_their_name_that_an_older_version_kept(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    tree.extra = {"keys": {"agentMemory": [{"agentId": "old"}]}}
    assert '"agentMemory": [\n  {"agentId": "old"}]' in loom_json.write(tree)

    tree.agent_memory["new"] = AgentMemory("new", {"pinned": ids})

    assert list(loom_json.read(loom_json.write(tree)).tree.agent_memory) == ["new"]


def test_a_grove_of_version_2_that_is_salvaged_is_one_of_today(path: Path) -> None:
    shutil.copy(golden(2), path)

    saved = repair(path)

    assert not any(saved.lost.values())
    assert saved.unknown == ()
    with open_grove(saved.path) as grove:
        assert grove.load_tree(grove.trees()[1].id).agent_memory == {}


def test_a_grove_that_is_only_read_shows_them_too(grove: Grove, path: Path) -> None:
    tree, _ = remembering(grove)
    grove.close()

    with read_grove(path) as read:
        assert read.load_tree(tree.loom.id).agent_memory == tree.agent_memory
        assert faults(read) == []
