"""Wordings of commands: many ways to say the same, and what is not clear is asked, never guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.loom_commands.registry import COMMANDS, run_command
from loomapp.core.loom_commands.results import AskModel, CommandError, Edited, Switched, Viewed
from loomapp.core.model.change import apply
from tests.core.loom_commands.garden import garden, outcome, standing
from tests.kit.trees import snapshot
from tests.kit.written_trees import chain, node

# Each line and the plain one that it means.
UNDERSTOOD = (
    ("→ view A7X2KQ", "→ view A7X2KQ"),
    ("→ show me node a7x2kq", "→ view A7X2KQ"),
    ("→ View a7x2kq.", "→ view A7X2KQ"),
    ("→ please show me the node [A7X2KQ]", "→ view A7X2KQ"),
    ('→ look at "a7x2kq"', "→ view A7X2KQ"),
    ("→ open A7X2KQ", "→ view A7X2KQ"),
    ("→ read A7X2KQ", "→ view A7X2KQ"),
    ("→ read_file A7X2KQ full", "→ view A7X2KQ full"),
    ("→ view A7X2KQ in full", "→ view A7X2KQ full"),
    ("→ view B3K9MM with annotations", "→ view B3K9MM with-annotations"),
    ("→ view B3K9MM with notes", "→ view B3K9MM with-annotations"),
    ("→ list children of [A7X2KQ]", "→ list continuations of A7X2KQ"),
    ("→ show me the continuations of A7X2KQ", "→ list continuations of A7X2KQ"),
    ("→ List notes on b3k9mm", "→ list annotations of B3K9MM"),
    ("→ list the annotations", "→ list annotations"),
    ("→ show the tree from A7X2KQ", "→ tree from A7X2KQ"),
    ("→ tree depth: 1", "→ tree depth 1"),
    ("→ go to c4m2t8", "→ switch C4M2T8"),
    ("→ jump to the node C4M2T8.", "→ switch C4M2T8"),
    ("→ switch to C4M2T8 please", "→ switch C4M2T8"),
    ("→ generate from A7X2KQ n=3", "→ continue from A7X2KQ n: 3"),
    ("→ generate 3 continuations from a7x2kq", "→ continue from A7X2KQ n: 3"),
    ("→ continue A7X2KQ tokens: 50 using Marie", "→ continue from A7X2KQ tokens: 50 using agent: Marie"),
    ("→ continue using agent: marie n: 2", "→ continue n: 2 using agent: Marie"),
    ("→ reply: Yes, indeed.", "→ respond: Yes, indeed."),
    ("→ reply: go to A7X2KQ", "→ respond: go to A7X2KQ"),
    ("→ say hello to her", "→ respond: hello to her"),
    ('→ say "Go to A7X2KQ"', "→ respond: Go to A7X2KQ"),
    ('→ say "Yes, indeed."', "→ respond: Yes, indeed."),
    ("→ reply to A7X2KQ saying Yes, indeed.", "→ respond to A7X2KQ: Yes, indeed."),
    ("→ respond as assistant: Yes.", "→ respond as: assistant: Yes."),
    ("→ respond as: assistant to A7X2KQ: Yes.", "→ respond to A7X2KQ as: assistant: Yes."),
    ("→ note on A7X2KQ: Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ("→ comment on node a7x2kq saying Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ('→ annotate A7X2KQ with "Here it turns."', "→ annotate A7X2KQ: Here it turns."),
    ("→ annotate A7X2KQ -> Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ("→ connect A7X2KQ and C4M2T8", "→ link A7X2KQ to C4M2T8"),
    ("→ link A7X2KQ -> C4M2T8: an echo", "→ link A7X2KQ to C4M2T8: an echo"),
    ("→ link A7X2KQ with C4M2T8 as an echo", "→ link A7X2KQ to C4M2T8: an echo"),
    ("→ rewrite b3k9mm as And what then?", "→ edit B3K9MM: And what then?"),
    ("→ edit B3K9MM to “And what then?”", "→ edit B3K9MM: And what then?"),
    ("→ star A7X2KQ as the turn", "→ bookmark A7X2KQ: the turn"),
    ("→ remove the bookmark from A7X2KQ", "→ unbookmark A7X2KQ"),
    ("→ unstar A7X2KQ", "→ unbookmark A7X2KQ"),
    ("→ delete node c4m2t8", "→ prune C4M2T8"),
    ("→ bring back C4M2T8", "→ restore C4M2T8"),
    ("→ unprune C4M2T8", "→ restore C4M2T8"),
    ("→ read the document “Plot”", "→ read doc: Plot"),
    ("→ write document Plot: She leaves.", "→ write doc: Plot: She leaves."),
    ("→ stash A7X2KQ with the answer", "→ stash A7X2KQ as answer"),
    ("→ PIN (A7X2KQ)", "→ pin A7X2KQ"),
    ("→ show me my memory", "→ memory"),
    ("→ help with prune", "→ help prune"),
    ("→ view: **A7X2KQ**", "→ view A7X2KQ"),
    ("→ view the full message #A7X2KQ", "→ view A7X2KQ full"),
    ("→ view id A7X2KQ --full", "→ view A7X2KQ full"),
    ("→ list continuations: A7X2KQ", "→ list continuations of A7X2KQ"),
    ("→ tree --depth 1", "→ tree depth 1"),
    ("→ navigate to C4M2T8", "→ switch C4M2T8"),
    ("→ respond (as: assistant): Yes.", "→ respond as: assistant: Yes."),
    ("→ add a note to A7X2KQ: Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ("→ link from A7X2KQ → C4M2T8", "→ link A7X2KQ to C4M2T8"),
    ("→ remove bookmark A7X2KQ", "→ unbookmark A7X2KQ"),
    ('→ stash A7X2KQ as "answer"', "→ stash A7X2KQ as the answer"),
    ("→ continue [from A7X2KQ] [n: 3]", "→ continue from A7X2KQ n: 3"),
    ("→ continue (from A7X2KQ, n=3)", "→ continue from A7X2KQ n: 3"),
    ("→ continue from A7X2KQ with n=3 and tokens=50", "→ continue from A7X2KQ n: 3 tokens: 50"),
    ("→ continue [tokens: 50] [using agent: Marie]", "→ continue tokens: 50 using agent: Marie"),
    ("→ continue max_tokens: 50", "→ continue tokens: 50"),
    ("→ continue from here with Marie, please", "→ continue using agent: Marie"),
    ("→ generate three continuations by Marie", "→ continue n: 3 using agent: Marie"),
    ("→ Continue.", "→ continue"),
    ("→ Continue please.", "→ continue"),
    ("→ respond [as: assistant]: Yes.", "→ respond as: assistant: Yes."),
    ("→ respond [to A7X2KQ] [as: assistant] Yes.", "→ respond to A7X2KQ as: assistant: Yes."),
    ("→ respond as the assistant: Yes.", "→ respond as: assistant: Yes."),
    ("→ answer to A7X2KQ: Yes.", "→ respond to A7X2KQ: Yes."),
    ("→ could you please show me A7X2KQ", "→ view A7X2KQ"),
    ("→ let me see A7X2KQ", "→ view A7X2KQ"),
    ("→ view «A7X2KQ»", "→ view A7X2KQ"),
    ("→ view(id: A7X2KQ)", "→ view A7X2KQ"),
    ("→ view node=A7X2KQ", "→ view A7X2KQ"),
    ("→ read file A7X2KQ", "→ view A7X2KQ"),
    ("→ view B3K9MM with all its annotations", "→ view B3K9MM with-annotations"),
    ("→ list continuations under A7X2KQ", "→ list continuations of A7X2KQ"),
    ("→ Tree.", "→ tree"),
    ("→ show me the whole tree", "→ tree full"),
    ("→ go back to C4M2T8", "→ switch C4M2T8"),
    ("→ jump C4M2T8", "→ switch C4M2T8"),
    ("→ switch: C4M2T8", "→ switch C4M2T8"),
    ("→ add an annotation to A7X2KQ: Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ("→ leave a comment on A7X2KQ: Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ("→ link A7X2KQ => C4M2T8", "→ link A7X2KQ to C4M2T8"),
    ('→ link A7X2KQ to C4M2T8, label "an echo"', "→ link A7X2KQ to C4M2T8: an echo"),
    ("→ link A7X2KQ to C4M2T8 with the label: an echo", "→ link A7X2KQ to C4M2T8: an echo"),
    ("→ change B3K9MM to: And what then?", "→ edit B3K9MM: And what then?"),
    ("→ edit B3K9MM = And what then?", "→ edit B3K9MM: And what then?"),
    ("→ add a bookmark to A7X2KQ", "→ bookmark A7X2KQ"),
    ("→ bookmark A7X2KQ labelled the turn", "→ bookmark A7X2KQ: the turn"),
    ("→ prune: C4M2T8", "→ prune C4M2T8"),
    ("→ hide the node C4M2T8", "→ prune C4M2T8"),
    ("→ remove C4M2T8.", "→ prune C4M2T8"),
    ("→ undelete C4M2T8", "→ restore C4M2T8"),
    ("→ create doc Plot: She leaves.", "→ write doc: Plot: She leaves."),
    ("→ stash A7X2KQ under the answer", "→ stash A7X2KQ as answer"),
    ("→ memory: stashed", "→ memory stashed"),
    ("→ help me with prune", "→ help prune"),
    ("→ list all commands", "→ help"),
    ("→ tree: from A7X2KQ", "→ tree from A7X2KQ"),
    ("→ list: notes of B3K9MM", "→ list annotations of B3K9MM"),
    ("→ Reply, to A7X2KQ, as the assistant: Yes.", "→ respond to A7X2KQ as: assistant: Yes."),
    ("→ reply, please: Yes.", "→ respond: Yes."),
    ('→ say, "Yes."', "→ respond: Yes."),
    ("→ annotate A7X2KQ, saying: Here it turns.", "→ annotate A7X2KQ: Here it turns."),
    ("→ write doc Plot -> She leaves.", "→ write doc: Plot: She leaves."),
    ("→ write doc Plot saying She leaves.", "→ write doc: Plot: She leaves."),
    ("→ write doc Plot, please: She leaves.", "→ write doc: Plot: She leaves."),
    ("→ stash A7X2KQ as answer, please", "→ stash A7X2KQ as answer"),
    (
        "→ continue using agent: [Marie] with tokens: 50 and n: 2",
        "→ continue n: 2 tokens: 50 using agent: Marie",
    ),
)
# Each line, the code of its error, and what is asked or said.
ASKED = (
    ("→ view", "INVALID_SYNTAX", "which node?"),
    ("→ view it", "INVALID_SYNTAX", "which node is “it”?"),
    ("→ prune the last one", "INVALID_SYNTAX", "which node is “last”?"),
    ("→ prune A7X", "INVALID_SYNTAX", "which node is “A7X”: A7X2KQ?"),
    ("→ prune everything", "INVALID_SYNTAX", "which node is “everything”?"),
    ("→ prune A7X2KQ and C4M2T8", "INVALID_SYNTAX", "what is “and C4M2T8” for?"),
    ("→ view A7X2KQ and prune it", "INVALID_SYNTAX", "one command a line: what is “and prune it” for?"),
    ("→ view prune A7X2KQ", "INVALID_SYNTAX", "one command a line: what is “prune” for?"),
    ("→ don't prune A7X2KQ", "INVALID_SYNTAX", "which command is “don't”?"),
    ("→ never delete C4M2T8", "INVALID_SYNTAX", "which command is “never”?"),
    ("→ prune C4M2T8?", "INVALID_SYNTAX", "what is “?” for?"),
    ("→ prune C4M2T8 or not", "INVALID_SYNTAX", "what is “or not” for?"),
    ("→ annotate A7X2KQ", "INVALID_SYNTAX", "what is the text?"),
    (
        "→ annotate A7X2KQ and prune C4M2T8",
        "INVALID_SYNTAX",
        "is “prune C4M2T8” the text, or another command?",
    ),
    ("→ annotate: Here it turns.", "INVALID_SYNTAX", "which node?"),
    ("→ edit B3K9MM to say nothing", "INVALID_SYNTAX", "is “say nothing” the text, or another command?"),
    ("→ link A7X2KQ", "INVALID_SYNTAX", "which node?"),
    ("→ sudo prune A7X2KQ", "INVALID_SYNTAX", "which command is “sudo”?"),
    ("→ list", "INVALID_SYNTAX", "list what: continuations, annotations or links?"),
    ("→ stash A7X2KQ", "INVALID_SYNTAX", "under which name?"),
    ("→ respond", "INVALID_SYNTAX", "what is the answer?"),
    (
        '→ reply "Yes" to A7X2KQ',
        "INVALID_SYNTAX",
        "does the answer end with “to A7X2KQ”, or does it go there?",
    ),
    (
        "→ say hello to [A7X2KQ].",
        "INVALID_SYNTAX",
        "does the answer end with “to [A7X2KQ].”, or does it go there?",
    ),
    ("→ continue from A7X2KQ n: many", "INVALID_SYNTAX", "how many is “many”?"),
    ("→ continue n: 0", "INVALID_SYNTAX", "how many continuations?"),
    ("→ continue n: 11", "LIMIT_EXCEEDED", "n is 11"),
    ("→ continue using agent: Claude", "CONFLICT", "Claude waits for this answer and cannot be asked for it"),
    ("→ continue using agent: Nobody", "NOT_FOUND", "there is no agent “Nobody”"),
    ("→ view Z9Z9Z9", "NOT_FOUND", "there is no node Z9Z9Z9"),
    ("→ view X9X9X9", "CROSS_TREE", "X9X9X9 is in another tree"),
    ("→ recall plot", "NOT_FOUND", "nothing is stashed as “plot”"),
    ("→ drop A7X2KQ", "NOT_FOUND", "[A7X2KQ] is not pinned"),
    ("→ read doc: Plot", "NOT_FOUND", "there is no document “Plot”"),
    ("→ prune Q1AAAA", "CONFLICT", "[Q1AAAA] begins the tree and cannot be pruned"),
    ("→ prune A7X2KQ", "CONFLICT", "your answer continues [A7X2KQ]: it cannot be pruned"),
    ("→ edit Q1AAAA: Another.", "CONFLICT", "Q1AAAA starts the tree: its edit is a new tree."),
    (
        "→ respond A7X2KQ: Yes",
        "INVALID_SYNTAX",
        "is “A7X2KQ: Yes” the answer, or does it begin with another node?",
    ),
    ("→ respond as system: Yes", "INVALID_SYNTAX", "as whom, the user or the assistant?"),
    ("→ respond as: Marie: Yes", "INVALID_SYNTAX", "as whom, the user or the assistant?"),
    ("→ respond as user as assistant: Yes", "INVALID_SYNTAX", "as whom, the user or the assistant?"),
    ("→ respond to A7X2KQ and C4M2T8: Yes", "INVALID_SYNTAX", "does the answer begin with “and”?"),
    (
        "→ respond to A7X2KQ to C4M2T8: Yes",
        "INVALID_SYNTAX",
        "is “C4M2T8: Yes” the answer, or does it begin with another node?",
    ),
    (
        "→ respond → prune C4M2T8",
        "INVALID_SYNTAX",
        "is “→ prune C4M2T8” the answer, or another command?",
    ),
    (
        "→ annotate A7X2KQ → prune C4M2T8",
        "INVALID_SYNTAX",
        "is “→ prune C4M2T8” the text, or another command?",
    ),
    (
        "→ annotate A7X2KQ, C4M2T8: Both.",
        "INVALID_SYNTAX",
        "is “, C4M2T8: Both.” the text, or does it begin with another node?",
    ),
    (
        "→ edit A7X2KQ and C4M2T8: Both.",
        "INVALID_SYNTAX",
        "is “C4M2T8: Both.” the text, or does it begin with another node?",
    ),
    (
        "→ annotate A7X2KQ and then [C4M2T8]: Both.",
        "INVALID_SYNTAX",
        "is “then [C4M2T8]: Both.” the text, or does it go to another node?",
    ),
    (
        "→ edit A7X2KQ or C4M2T8: Both.",
        "INVALID_SYNTAX",
        "is “or C4M2T8: Both.” the text, or does it go to another node?",
    ),
    (
        "→ link A7X2KQ to C4M2T8 and B3K9MM",
        "INVALID_SYNTAX",
        "is “B3K9MM” the label, or does it begin with another node?",
    ),
    (
        "→ bookmark A7X2KQ C4M2T8",
        "INVALID_SYNTAX",
        "is “C4M2T8” the label, or does it begin with another node?",
    ),
    (
        "→ stash A7X2KQ as plot and prune it",
        "INVALID_SYNTAX",
        "is “plot and prune it” the name, or is another command in it?",
    ),
    (
        "→ stash A7X2KQ as plot; C4M2T8 as end",
        "INVALID_SYNTAX",
        "is “plot; C4M2T8 as end” the name, or is another command in it?",
    ),
    ("→ continue n: 3 n: 4", "INVALID_SYNTAX", "which node is “n”?"),
    ("→ continue here from A7X2KQ", "INVALID_SYNTAX", "from here, or from the node?"),
    ("→ continue from here, n: 2, from A7X2KQ", "INVALID_SYNTAX", "from here, or from the node?"),
    ("→ continue from A7X2KQ here", "INVALID_SYNTAX", "what is “here” for?"),
    ("→ continue here here", "INVALID_SYNTAX", "which node is “here”?"),
    ("→ tree depth 1 depth 2", "INVALID_SYNTAX", "which node is “depth”?"),
    ("→ tree depth 1 summary", "INVALID_SYNTAX", "a summary, or how deep?"),
    ("→ could you prune C4M2T8?", "INVALID_SYNTAX", "what is “?” for?"),
    ("→ would you not prune C4M2T8", "INVALID_SYNTAX", "which command is “not”?"),
    ("→ remove everything below A7X2KQ", "INVALID_SYNTAX", "which node is “everything”?"),
    ("→ hide C4M2T8 and below", "INVALID_SYNTAX", "what is “and below” for?"),
    ("→ prune \u202eC4M2T8", "INVALID_SYNTAX", "which node is “\u202eC4M2T8”?"),
)


def effect(line: str) -> object:
    """Everything that a line does, whatever ids are made for it."""
    tree = garden()
    names = iter(f"new{number}" for number in range(9))
    pen = EditContext("claude", 1, lambda: next(names), "model", "Claude")
    try:
        found = run_command(line, replace(standing(tree), pen=pen))
    except CommandError as error:
        return error.text
    match found:
        case Edited(change, text, _, at):
            if change is not None:
                apply(tree, change)
            return text, at, snapshot(tree), memory_of(tree, "claude")
        case Viewed() | Switched() | AskModel():
            return found


@pytest.mark.parametrize(("line", "plain"), UNDERSTOOD, ids=[line for line, _ in UNDERSTOOD])
def test_a_wording_does_what_the_plain_one_does(line: str, plain: str) -> None:
    assert effect(line) == effect(plain)
    assert not str(effect(plain)).startswith("✗") or "doc" in plain


@pytest.mark.parametrize(("line", "code", "asked"), ASKED, ids=[line for line, _, _ in ASKED])
def test_what_is_not_clear_or_not_there_is_told_and_nothing_is_done(line: str, code: str, asked: str) -> None:
    tree = garden()
    before = snapshot(tree)

    found = outcome(line, standing(tree))

    assert isinstance(found, CommandError), found
    assert (found.code, found.message) == (code, asked)
    assert found.text.startswith(f"✗ {code}: {asked}")
    assert snapshot(tree) == before


@pytest.mark.parametrize("name", ["conv#3", "*", "a*b*c", "urn:x:1", "«7»x"])
def test_ids_of_other_programs_can_be_named_as_they_stand(name: str) -> None:
    subject = chain(node("q1aaaa", "A question?"), replace(node("n2bbbb", "This one."), id=name))
    place = standing(subject, "q1aaaa")

    found = [outcome(f"→ {line}", place) for line in (f"view {name}", f"view node {name}.", f"pin {name}")]
    noted = outcome(f"→ annotate {name}: Yes.", place)

    ids = [one.node_ids for one in found if isinstance(one, Viewed | Edited)]
    assert ids == [(name,)] * 3
    assert isinstance(noted, Edited)
    assert noted.text.endswith("on [N2BBBB]")


def test_words_that_mean_no_node_name_none_whatever_ids_an_import_has() -> None:
    subject = chain(
        node("q1aaaa", "A question?"), node("it", "Hm."), node("3", "So."), node("everything", "No.")
    )
    place = standing(subject, "q1aaaa")

    for line in ("→ prune it", "→ prune everything", "→ continue 3", "→ stash it as plot"):
        found = outcome(line, place)
        assert isinstance(found, CommandError), line
        assert found.code == "INVALID_SYNTAX"
    for line in ("→ prune [it]", "→ prune [EVERYTHING]", "→ continue from 3", "→ continue n: 3"):
        assert isinstance(outcome(line, place), Edited | AskModel), line


def test_every_command_is_told_by_help() -> None:
    told = outcome("→ help")
    assert isinstance(told, Viewed)
    for kind in COMMANDS:
        assert f"→ {kind.usage}" in told.text
        one = outcome(f"→ help {kind.name}")
        assert isinstance(one, Viewed)
        assert one.text.startswith(f"→ {kind.usage}\n")


@pytest.mark.parametrize(
    "rest",
    [
        "",
        " ",
        ":",
        " :",
        " ''",
        " ???",
        " 12345678",
        " a b c d",
        " → view A7X2KQ",
        " \x00",
        " " + "x" * 9_000,
    ],
)
def test_whatever_follows_a_verb_is_done_or_answered(rest: str) -> None:
    for kind in COMMANDS:
        found = outcome(f"→ {kind.name}{rest}")
        assert isinstance(found, CommandError | Viewed | Edited | Switched | AskModel)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("→ prune C4M2T8 , {blanks}x", "what is “, {cut}” for?"),
        ("→ continue n{blanks}, x", "which node is “n”?"),
        ("→ continue using agent: Marie{blanks}x", "there is no agent “Marie{blanks}x”"),
        ("→ stash A7X2KQ as plot;{blanks}prune", "is “plot; prune” the name, or is another command in it?"),
        ("→ recall plot{blanks}, please?", "nothing is stashed as “plot , please?”"),
        ("→ annotate A7X2KQ{blanks}and{blanks}", "what is the text?"),
    ],
)
def test_any_number_of_blanks_is_read_at_once(line: str, asked: str) -> None:
    blanks = " " * 150_000  # minutes, where each blank is looked at once for each other

    found = outcome(line.format(blanks=blanks))

    assert isinstance(found, CommandError)
    assert found.message == asked.format(blanks=blanks, cut=" " * 58)
