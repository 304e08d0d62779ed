"""Forgeries of whatever a grove says by whoever can recompute every sum: a head kept before catches them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from loomapp.store.checks.grove_verification import Verified, verify_grove
from loomapp.store.grove.open import read_grove
from tests.kit.families import one_in
from tests.store.checks.resealing import rehash, relink, rewrite_log, run

MARKS = "(SELECT id FROM trees WHERE title = 'Marks')"
A_HUMAN, A_MODEL = (f"tree = {MARKS} AND author_type = '{kind}' AND present" for kind in ("human", "model"))
TIDE = f"tree = {MARKS} AND text = 'What is a tide?'"
LAST = "sequence = (SELECT max(sequence) FROM change_log)"
MIDDLE = "sequence = (SELECT max(sequence) / 2 FROM change_log)"
UNDO = "sequence = (SELECT min(sequence) FROM change_log WHERE undoes IS NOT NULL)"
FIRST_ANSWER = f"(SELECT id FROM nodes WHERE {A_MODEL} AND text LIKE 'W%')"
NOTHING = """INSERT INTO change_log
    (tree, label, made_by, made_at, body, undoable, done, abandoned, link)
    VALUES (1, 'Nothing', 'you', 1, '{"rows":[]}', 0, 1, 0, '')"""
A_RESPONSE = "(SELECT response_id FROM responses JOIN node_responses ON response = responses.id LIMIT 1)"
OF_TWO = "(SELECT edge FROM edge_sources GROUP BY edge HAVING count(*) = 2)"


# What the file says is rewritten; its log follows where the forger rewrites that too.
ROWS: Mapping[str, tuple[str, ...]] = {
    "a person's text": (f"UPDATE nodes SET text = 'What is a tie?' WHERE {TIDE}",),
    "a note": ("UPDATE nodes SET text = 'Never ask.' WHERE text = 'Ask again.'",),
    "a text emptied": (f"UPDATE nodes SET text = '' WHERE {TIDE}",),
    "a content with blocks": ("UPDATE nodes SET content = replace(content, 'a', 'b') WHERE content > ''",),
    "the words a search finds": ("UPDATE nodes SET text = text || '!' WHERE content IS NOT NULL",),
    "a person's author": (f"UPDATE nodes SET author_agent_id = 'smol' WHERE {A_HUMAN}",),
    "a model's author": (f"UPDATE nodes SET author_agent_id = 'a1' WHERE {A_MODEL}",),
    "no author": (f"UPDATE nodes SET author_agent_id = NULL WHERE {A_HUMAN}",),
    "a time": (f"UPDATE nodes SET created_at = created_at - 1 WHERE {TIDE}",),
    "a local id": (f"UPDATE nodes SET local_id = 'ZZZZZZ' WHERE {TIDE}",),
    "what it was edited from": (f"UPDATE nodes SET edited_from = 'n1' WHERE {TIDE}",),
    "that it was cut short": ("UPDATE nodes SET interrupted = NULL WHERE text = 'Water that'",),
    "an exclusion": (f"UPDATE nodes SET excluded = 1 WHERE {TIDE}",),
    "a deletion": (f"UPDATE nodes SET pruned = 1 WHERE {A_MODEL}",),
    "a bookmark": (f"UPDATE nodes SET bookmarked = 1, bookmark_label = 'x' WHERE {TIDE}",),
    "a summary of a node": (f"UPDATE nodes SET summary = 'x' WHERE {TIDE}",),
    "the role of a source": ("UPDATE edge_sources SET role = 'context' WHERE position = 1",),
    "the order of sources": (
        "UPDATE edge_sources SET position = position + 10",
        f"UPDATE edge_sources SET position = 11 - position WHERE edge IN {OF_TWO}",
        "UPDATE edge_sources SET position = position - 10 WHERE position > 9",
    ),
    "the order of siblings": (
        f"UPDATE edges SET id = id + 1000 WHERE target IN {FIRST_ANSWER}",
        "UPDATE edge_sources SET edge = edge + 1000 WHERE edge + 1000 IN (SELECT id FROM edges)",
    ),
    "the request": ("UPDATE responses SET request_gzip = (SELECT request_gzip FROM responses LIMIT 1)",),
    "the headers": ("""UPDATE responses SET headers = '{"x": "y"}'""",),
    "the model that answered": ("UPDATE responses SET model = 'gpt'",),
    "the provider": ("UPDATE responses SET provider = 'openai'",),
    "the usage": ("""UPDATE responses SET usage = '{"outputTokens": 1}'""",),
    "why it ended": ("UPDATE responses SET finish_reason = 'length'",),
    "when it was asked": ("UPDATE responses SET started_at = 0",),
    "the title": (f"UPDATE trees SET title = 'Mark' WHERE id = {MARKS}",),
    "the system context": (f"UPDATE trees SET system_context = 'Lie.' WHERE id = {MARKS}",),
    "the settings of a tree": ("""UPDATE trees SET context_settings = '{"tokenBuffer": 7}'""",),
    "when a tree was changed": ("UPDATE trees SET updated_at = updated_at + 1",),
    "the place read last": ("UPDATE trees SET leaf_id = root_id",),
    "a choice of the path": ("UPDATE selections SET source_id = target_id",),
    "a tag": ("UPDATE tags SET name = name || '!'",),
    "the members of a tag": ("DELETE FROM tag_nodes WHERE position = (SELECT max(position) FROM tag_nodes)",),
    "a link": ("UPDATE links SET label = 'look'",),
    "a summary of a branch": ("""UPDATE branch_summaries SET body = '{"title": "forged"}'""",),
    "a summary": ("""UPDATE context_summaries SET body = '{"text": "forged"}'""",),
    "the response of a branch's summary taken away": ("UPDATE branch_summaries SET response_id = NULL",),
    "the response of a summary exchanged": (f"UPDATE context_summaries SET response_id = {A_RESPONSE}",),
    "what an agent remembers": ("""UPDATE agent_memory SET body = '{"pinned": ["forged"]}'""",),
    "in which role a node is sent": (f"UPDATE nodes SET role = 'assistant' WHERE {TIDE}",),
    "the limits of an agent": ("""UPDATE agents SET run_limits = '{"steps": 99}' WHERE agent_id = 'smol'""",),
    "the notes included": ("DELETE FROM included_annotations",),
    "foreign keys of a file": ("""UPDATE trees SET file_extra = '{"keys": {"a": 1}}'""",),
    "an agent's name": ("UPDATE agents SET name = 'GPT' WHERE agent_id = 'smol'",),
    "an agent's model": ("UPDATE agents SET model_ref = 'openai:gpt' WHERE agent_id = 'smol'",),
    "an agent's prompt": ("UPDATE agents SET configuration = replace(configuration, 'brief', 'long')",),
    "an agent's permissions": ("UPDATE agents SET permissions = replace(permissions, 'true', 'false')",),
    "an author deleted": ("DELETE FROM agents WHERE agent_id = 'smol'",),
    "an agent no longer archived": ("UPDATE agents SET archived_at = NULL WHERE agent_id = 'smol'",),
    "the order of agents": ("UPDATE agents SET id = 1000 WHERE id = 2",),
    "the agents of a tree": ("DELETE FROM tree_agents WHERE agent_id = 'smol'",),
    "a setting": ("""UPDATE settings SET value = '"forged"' WHERE name = 'window.agent'""",),
    "a setting deleted": ("DELETE FROM settings WHERE name = 'window.agent'",),
    "a setting added": ("""INSERT INTO settings VALUES ('x', '1')""",),
}  # fmt: skip

# Only the log is rewritten.
LOG: Mapping[str, tuple[str, ...]] = {
    "a label": (f"UPDATE change_log SET label = 'Write' WHERE {MIDDLE}",),
    "who did it": (f"UPDATE change_log SET made_by = 'model' WHERE {MIDDLE}",),
    "when it was done": (f"UPDATE change_log SET made_at = 0 WHERE {MIDDLE} AND tree IS NULL OR {LAST}",),
    "the newest entry taken away": (f"DELETE FROM change_log WHERE {LAST}",),
    "an entry of a setting taken away": ("DELETE FROM change_log WHERE label = 'Setting'",),
    "an entry that says nothing added": (NOTHING,),
    "whether undo may move it": (f"UPDATE change_log SET undoable = 1 - undoable WHERE {LAST}",),
    "that it is undone": ("UPDATE change_log SET done = 1",),
    "that it is given up": ("UPDATE change_log SET abandoned = 0",),
    "what it undoes": (f"UPDATE change_log SET undoes = undoes - 1 WHERE {UNDO}",),
    "a body emptied": (f"""UPDATE change_log SET body = '{{"rows":[]}}' WHERE {MIDDLE}""",),
}

ADDED = ("an entry that says nothing added", 1)  # what comes after the head is counted, not refused


@pytest.fixture(scope="module")
def head(rich: Path) -> str:
    """The head that somebody kept."""
    verified = verified_by(rich)
    assert not verified.failed
    assert verified.head is not None
    return verified.head.link


@pytest.fixture
def forged(rich: Path, tmp_path: Path) -> Path:
    """A copy for a forger."""
    path = tmp_path / "forged.loom"
    path.write_bytes(rich.read_bytes())
    return path


def verified_by(path: Path, witness: str = "") -> Verified:
    with read_grove(path) as grove:
        return verify_grove(grove, witness=witness)


@pytest.mark.parametrize("name", one_in(6, [*ROWS, *LOG]))
def test_what_is_rewritten_is_named_and_so_it_is_with_every_hash_made_to_fit(forged: Path, name: str) -> None:
    run(forged, *{**ROWS, **LOG}[name])
    assert verified_by(forged).failed

    rehash(forged)

    assert verified_by(forged).failed


@pytest.mark.parametrize("name", one_in(6, ROWS, first=2))
def test_with_the_log_rewritten_too_the_chain_names_it(forged: Path, name: str) -> None:
    run(forged, *ROWS[name])
    rehash(forged)

    rewrite_log(forged, links=False)

    assert any("not as it was sealed" in fault for fault in verified_by(forged).faults)


@pytest.mark.parametrize("name", one_in(6, [*ROWS, *LOG]))
def test_with_a_new_chain_over_it_the_head_that_was_kept_is_missed(
    forged: Path, head: str, name: str
) -> None:
    run(forged, *{**ROWS, **LOG}[name])
    rehash(forged)

    rewrite_log(forged, links=True) if name in ROWS else relink(forged)

    verified = verified_by(forged, head)
    assert verified.failed or verified.since is None or (name, verified.since) == ADDED


def test_a_forger_who_leaves_out_nothing_is_caught_by_that_alone(forged: Path, head: str) -> None:
    run(forged, *ROWS["a person's text"], *ROWS["an agent's name"], *ROWS["the order of siblings"])
    rehash(forged)
    rewrite_log(forged, links=True)

    verified = verified_by(forged, head)

    assert not verified.failed
    assert verified.since is None
