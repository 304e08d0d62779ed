"""Words of outline rows: a document is called by its name, a message with a file by what it says."""

from __future__ import annotations

import pytest

from loomapp.core.context.outcomes import ShownFates
from loomapp.core.edits import documents
from loomapp.core.errors import LoomError
from loomapp.core.generation.drafts import Draft, LiveDraft, Wait
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, Text
from loomapp.core.model.entities import Node
from loomapp.core.outline.lines import OutlineRow
from loomapp.core.paths.resolve import resolve
from loomapp.ui.side_bar.outline.row_words import answers_words, sentence, shown_words, with_states
from tests.kit.trees import Hand, chain, do


@pytest.mark.parametrize("is_prose", [False, True])
def test_a_document_is_called_by_its_name_and_a_message_with_a_file_by_what_it_says(is_prose: bool) -> None:
    hand = Hand()
    tree, _ = chain(1, hand=hand)
    document, *_ = do(tree, documents.new_document(tree, "Plan", hand.pen(), "Ines first.")).added_nodes()
    file = AttachedDocument("notes.txt", PLAIN_TEXT, "The oil.")
    message = Node("m", "M", Mixed((Text("Look at this."), file)), "human")

    said = [shown_words(OutlineRow(n.id, n.id), n, "", is_prose) for n in (document, message)]

    assert said == ["Plan", "Look at this. The oil."]
    heard = sentence(OutlineRow("k", document.id, number=1), document, "You", None, is_prose=is_prose)
    assert heard.endswith("You: Plan")


def test_a_blank_line_that_a_split_left_is_none_that_was_deleted() -> None:
    said = [Node("n", "N", Text(text), "human", edited_from="m") for text in ("\n\n", "")]

    assert [shown_words(OutlineRow("n", "n"), n, "", True) for n in said] == ["blank line", "words deleted"]


def test_answers_on_their_way_and_those_that_failed_are_counted_or_named() -> None:
    agents = {"c": Agent("c", "Claude", "model", "x:y")}
    coming = LiveDraft("run1:0", "m", "c", Draft(0))
    failed = LiveDraft("run1:1", "m", "c", Draft(1, error=LoomError("No.")))

    ended = LiveDraft("run1:2", "m", "c", Draft(2, "Yes.", reason="stop"))
    waits = LiveDraft("run1:3", "m", "c", Draft(3, waits=Wait("Its limit is reached.", 20)))
    several = [coming, ended, coming, ended]

    said = [answers_words(some, agents) for some in ([coming], [failed], [coming, failed, coming])]
    more = [answers_words(some, agents) for some in ([ended], [waits], several)]

    assert said == ["Claude is writing", "Claude failed", "2 on their way, 1 failed"]
    assert more == ["Claude has finished", "Claude is waiting", "2 on their way, 2 finished"]


def test_an_answer_that_was_cut_says_so() -> None:
    tree, ids = chain(2)

    fates = ShownFates(tree.nodes, resolve(tree, ids[-1]), None, cut_answers={ids[-1]: 160})

    rows = [OutlineRow(key, key) for key in ids[-2:]]
    assert [with_states("said", row, fates, {}) for row in rows] == ["said", "said, cut at its limit"]
    row = OutlineRow("k", ids[0], alternatives=(ids[0], "other"))
    assert with_states("said", row, fates, {"other": "Claude Desktop"}) == "said, new from Claude Desktop"
