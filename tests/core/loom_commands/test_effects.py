"""Effects of commands: what each shows, changes and leaves alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest
from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.edits.documents import documents_of, find_document, write_document
from loomapp.core.loom_commands.registry import COMMANDS, CommandKind
from loomapp.core.loom_commands.results import AskModel, CommandError, Edited, Viewed
from loomapp.core.model.agent import Permission, Permissions
from loomapp.core.model.change import apply
from loomapp.core.model.entities import EdgeSource
from loomapp.core.text.token_counts import estimate
from tests.core.loom_commands.garden import carried_out, change_of, garden, outcome, standing
from tests.kit.trees import do, snapshot
from tests.kit.written_trees import chain, node


def told(line: str) -> str:
    found = outcome(line)
    assert isinstance(found, Viewed), found
    return found.text


def test_a_node_is_shown_with_its_header_and_its_notes_if_wanted() -> None:
    header = "[B3K9MM] human · 2026-11-21 14:03\n1 annotation\n---\nAnd then?"
    assert told("→ view B3K9MM") == header
    note = "note [N0TE11] human · 2026-11-21 14:03: A note."
    assert told("→ view B3K9MM with-annotations") == f"{header}\n\n{note}"
    assert told("→ view A7X2KQ").startswith("[A7X2KQ] Marie · 2026-11-21 14:03\n2 continuations\n")


@pytest.mark.parametrize("line", ["→ respond to C4M2T8: Unseen.", "→ continue from C4M2T8"])
def test_nothing_is_written_below_what_is_pruned(line: str) -> None:
    place = standing(garden())
    apply(place.tree, change_of(outcome("→ prune C4M2T8", place)))

    refused = outcome(line, place)

    assert isinstance(refused, CommandError)
    assert refused.text == "✗ CONFLICT: [C4M2T8] is pruned\n  hint: → restore C4M2T8 first"


def test_the_tree_shows_where_the_agent_is() -> None:
    assert told("→ tree") == (
        "[Q1AAAA] human: A question?\n  [A7X2KQ] Marie: An answer.\n"
        "    [B3K9MM] human: And then? (you are here)\n    [C4M2T8] human: Or so?"
    )
    assert told("→ tree from A7X2KQ depth 0") == "[A7X2KQ] Marie: An answer."
    assert told("→ tree summary") == '"T" · 5 nodes · 2 branches'
    assert told("→ tree from A7X2KQ summary") == "from [A7X2KQ]: 3 nodes · 2 branches"
    assert told("→ list continuations of C4M2T8") == "[C4M2T8] has no continuations"


def test_long_results_are_shortened_and_full_shows_all() -> None:
    subject = chain(
        node("a", "begin" + "x" * 9_000 + "end"), *(node(f"n{i}", "word " * 9) for i in range(99))
    )
    place = standing(subject, "a")

    short, full = outcome("→ view A", place), outcome("→ view A full", place)
    rows, every = outcome("→ tree", place), outcome("→ tree full", place)

    assert isinstance(short, Viewed)
    assert isinstance(full, Viewed)
    assert estimate(short.text) <= 1_020
    assert "begin" in short.text
    assert short.text.endswith("end")
    assert "[... 5208 characters left out; → view A full shows all ...]" in short.text
    assert "x" * 9_000 in full.text
    assert isinstance(rows, Viewed)
    assert isinstance(every, Viewed)
    assert len(rows.text.splitlines()) == 6
    assert rows.text.endswith("... 100 in all; → tree full shows all")
    assert len(every.text.splitlines()) == 100


def test_an_answer_of_an_agent_is_sent_as_it_says_and_leaves_the_persons_path_alone() -> None:
    subject = garden()
    place = carried_out("→ respond to C4M2T8: Who are you?", standing(subject))

    written = subject.nodes[place.at]
    assert (written.author_agent_id, written.author_type, written.role) == ("claude", "model", "user")
    assert subject.path.leaf_id == "c4m2t8"
    sent = assemble(subject, ContextRequest(place.at)).messages
    assert [(one.role, one.text) for one in sent][-1] == ("user", "Or so?\n\nWho are you?")

    further = carried_out("→ respond as: assistant: I am nobody.", place)
    assert assemble(subject, ContextRequest(further.at)).messages[-1].role == "assistant"
    assert outcome("→ continue n: 2", further) == AskModel(further.at, 2)


def test_writing_commands_make_the_changes_that_people_make() -> None:
    subject = garden()
    place = standing(subject)
    for line in (
        "→ annotate A7X2KQ: Here it turns.",
        "→ edit C4M2T8: Or not?",
        "→ link A7X2KQ to C4M2T8: echo",
        "→ bookmark A7X2KQ: turn",
        "→ prune C4M2T8",
    ):
        change = change_of(outcome(line, place))
        before = snapshot(subject)
        apply(subject, change)
        apply(subject, change.inverse())
        assert snapshot(subject) == before, line
        apply(subject, change)

    note = subject.nodes[subject.notes("a7x2kq")[0]]
    edit = subject.nodes[subject.children("a7x2kq")[-1]]
    assert (note.text, note.author_agent_id) == ("Here it turns.", "claude")
    assert (edit.text, edit.edited_from, edit.author_agent_id) == ("Or not?", "c4m2t8", "claude")
    assert [one.label for one in subject.links.values()] == ["echo"]
    assert subject.nodes["a7x2kq"].metadata.bookmark_label == "turn"
    assert subject.nodes["c4m2t8"].metadata.pruned
    assert subject.path.leaf_id == "a7x2kq"  # it led over what is pruned
    restored = outcome("→ restore C4M2T8", place)
    assert isinstance(restored, Edited)
    assert restored.change is not None


def test_memory_is_pinned_stashed_recalled_and_dropped() -> None:
    subject = garden()
    place = standing(subject)
    for line in ("→ pin A7X2KQ", "→ stash B3K9MM as plot", "→ recall plot"):
        carried_out(line, place)
    memory = memory_of(subject, "claude")
    assert (memory.pinned, memory.recalled, memory.stashed[0].text) == (("a7x2kq",), ("plot",), "And then?")
    shown = outcome("→ memory", place)
    assert isinstance(shown, Viewed)
    assert "Pinned:\n[A7X2KQ] An answer.\nRecalled:\nplot: And then?" in shown.text

    for line in ("→ forget plot", "→ unpin [a7x2kq]"):
        carried_out(line, place)
    assert memory_of(subject, "claude").body == {"pinned": [], "stashed": [], "recalled": [], "recent": []}
    assert "marie" not in subject.agent_memory


def test_documents_are_loose_sources_and_writing_makes_a_version() -> None:
    subject = garden()
    place = standing(subject)
    for text in ("She leaves.", "She stays."):
        carried_out(f"→ write doc: Plot: {text}", place)

    found = outcome("→ read doc: plot", place)
    assert isinstance(found, Viewed)
    assert found.text == "She stays."
    document = find_document(subject, "Plot")
    assert document is not None
    first, newest = document.versions
    assert (first.edited_from, newest.edited_from) == (None, first.id)
    assert newest.author_agent_id == "claude"


@pytest.mark.parametrize("kind", COMMANDS, ids=[kind.name for kind in COMMANDS])
def test_without_its_permission_a_command_is_refused(kind: CommandKind) -> None:
    lines = {
        "continue": ("loom_generate", "→ continue"),
        "read doc": ("doc_read", "→ read doc: Plot"),
        "write doc": ("doc_write", "→ write doc: Plot: She leaves."),
    }
    name = kind.name
    nodes = {"link": "A7X2KQ to C4M2T8", "respond": "to A7X2KQ"}.get(name, "A7X2KQ")
    permission, line = lines.get(name, ("loom_write", f"→ {name} {nodes}: text"))
    if kind.permission == "loom_aware":
        permission, line = "loom_aware", "→ view A7X2KQ"
    if name in ("bookmark", "unbookmark", "restore", "prune"):
        line = f"→ {name} C4M2T8"
    states: tuple[tuple[Permission, str], ...] = ((False, "permissions stand"), ("ask", "allow it in"))
    for allowed, hint in states:
        permissions = Permissions(allowed, allowed, allowed, allowed)
        found = outcome(line, standing(garden(), permissions=permissions))
        if permission == "loom_aware":
            assert isinstance(found, Viewed)
        else:
            assert isinstance(found, CommandError)
            assert (found.code, found.message) == ("PERMISSION_DENIED", f"you don't have {permission}")
            assert hint in found.hint
    assert not isinstance(outcome(line), CommandError) or name == "read doc"


def test_an_edit_is_sent_in_the_role_in_which_its_original_is() -> None:
    subject = garden()
    place = carried_out("→ respond: Who are you?", standing(subject))
    asked = place.at
    for line in (f"→ edit {asked}: And who are you?", "→ edit C4M2T8: Or not?", "→ edit A7X2KQ: None."):
        carried_out(line, place)

    roles = {node.text: (node.author_agent_id, node.role) for node in subject.nodes.values()}
    assert roles["And who are you?"] == ("claude", "user")
    assert roles["Or not?"] == ("claude", "user")
    assert roles["None."] == ("claude", None)


def test_what_was_recalled_or_is_remembered_is_shown_in_full_on_request() -> None:
    subject = chain(node("a", "begin" + "x" * 5_000 + "end"))
    place = standing(subject, "a")
    carried_out("→ stash A as plot", place)

    def text(line: str) -> str:
        found = outcome(line, place)
        assert not isinstance(found, CommandError | AskModel), found
        return found.text

    assert "; → recall plot full shows all" in text("→ recall plot")
    assert "x" * 5_000 in text("→ recall plot full")
    carried_out("→ pin A", place)
    assert "; → memory full shows all" in text("→ memory")
    assert "x" * 5_000 in text("→ memory full")
    for number in range(300):
        carried_out(f"→ stash A as the part with number {number}", place)
    assert text("→ memory stashed").endswith("... 301 in all; → memory stashed full shows all")
    assert len(text("→ memory stashed full").splitlines()) == 301


def test_names_are_taken_with_their_articles_if_there_is_something_of_such_a_name() -> None:
    place = standing(garden())
    do(place.tree, write_document(place.tree, "The plan", "She leaves.", place.pen))

    for line in ("→ read doc: The plan", '→ read doc "The plan"', "→ read the document the plan"):
        found = outcome(line, place)
        assert isinstance(found, Viewed)
        assert found.text == "She leaves."
    place = carried_out("→ write doc: The plan: She stays.", place)
    place = carried_out("→ write the doc: A note: Hm.", place)
    assert [one.name for one in documents_of(place.tree)] == ["The plan", "A note"]
    place = carried_out('→ stash A7X2KQ as "the end"', place)
    place = carried_out("→ stash C4M2T8 as the way", place)
    assert [one.name for one in memory_of(place.tree, "claude").stashed] == ["the end", "way"]
    for line in ("→ recall the end", "→ recall the way", "→ drop the end", '→ drop "way"'):
        place = carried_out(line, place)
    assert memory_of(place.tree, "claude").stashed == ()


def test_a_document_takes_the_permissions_of_documents_also_where_its_id_names_it() -> None:
    subject = garden()
    do(subject, write_document(subject, "Plot", "She leaves.", standing(subject).pen))
    [document] = documents_of(subject)
    name = document.newest.local_id

    def codes(permissions: Permissions, *lines: str) -> list[str]:
        place = standing(subject, permissions=permissions)
        found = [outcome(line.format(name), place) for line in lines]
        return [one.hint if isinstance(one, CommandError) else "" for one in found]

    looks = (
        "→ view {}",
        "→ pin {}",
        "→ stash {} as plot",
        "→ switch {}",
        "→ tree from {}",
        "→ list links of {}",
    )
    writes = ("→ prune {}", "→ restore {}")
    refused, asked = "your permissions stand in the loom context", "→ read doc: NAME asks for it"
    assert codes(Permissions(doc_read=False), *looks) == [refused] * 6
    assert codes(Permissions(doc_read="ask"), *looks) == [asked] * 6
    assert codes(Permissions(doc_read=True, loom_write=False, doc_write=False), *looks) == [""] * 6
    assert codes(Permissions(doc_write=False), *writes) == [refused] * 2
    assert codes(Permissions(loom_write=False), *writes) == [""] * 2
    assert codes(Permissions(doc_read=False, doc_write=False), "→ bookmark {}", "→ view A7X2KQ") == [""] * 2
    below = carried_out(f"→ respond to {name}: Go on.", standing(subject))
    told = "→ continue from {}", f"→ continue from {subject.nodes[below.at].local_id}"
    assert codes(Permissions(doc_read=False), *told, "→ continue") == [refused, refused, ""]
    assert codes(Permissions(doc_read="ask"), *told) == ["allow it in the window"] * 2
    assert codes(Permissions(doc_read=True), *told) == [""] * 2
    stands_there = replace(below, agent=replace(below.agent, permissions=Permissions(doc_read=False)))
    assert isinstance(outcome("→ continue", stands_there), CommandError)
    beside = carried_out("→ respond to A7X2KQ: Go on.", standing(subject))
    [edge] = subject.incoming(beside.at)
    along = EdgeSource(document.newest.id, "context")
    subject.put_edge(replace(edge, sources=(*edge.sources, along)))
    [found] = codes(Permissions(doc_read=False), f"→ continue from {subject.nodes[beside.at].local_id}")
    assert found == refused, "a model would be sent what goes along"
    asked_there = outcome("→ continue", replace(stands_there, start=below.at))
    assert asked_there == AskModel(below.at), "it is in its own context already"
