"""Candidates of a summary: turned, edited, compared, and one of them taken as one Change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import apply
from loomapp.core.model.raw_response import Evidence
from loomapp.core.summarisers.changes import Candidate, Candidates, differences, take
from loomapp.core.summarisers.plan import plan_at
from tests.core.economy.trees import talk, with_summary
from tests.kit.trees import Hand

RESPONSE = Evidence("r", "local", "{}", b"")
FIRST = Candidate("They met.", "local:m", RESPONSE, "They met.")
SECOND = Candidate("They spoke of rain.", "local:m", replace(RESPONSE, id="s"), "They spoke of rain.")


def test_one_is_shown_turned_to_and_edited_and_the_others_stay() -> None:
    held = Candidates("t", "n", "h").with_one(FIRST).with_one(SECOND)

    assert held.turned(-1).current == FIRST
    turned = held.turned(1).turned(1)
    assert turned.current == SECOND
    edited = turned.edited("They spoke.")
    assert edited.current is not None
    assert (edited.current.is_edited, edited.current.written) == (True, "They spoke of rain.")
    assert edited.items[0] == FIRST
    assert Candidates("t", "n", "h").current is None


def test_each_is_told_by_the_words_that_the_saved_summary_has_not() -> None:
    first, second = differences("They met.", [FIRST, SECOND])

    assert [run.text for run in first.runs if run.differs] == []
    assert "".join(run.text for run in second.runs if run.differs) == "spoke of rain"
    assert differences("They met.", [SECOND]) == (second,)


def test_only_the_one_that_is_shown_is_saved_with_its_response_unless_it_was_edited() -> None:
    tree, pen = talk(8), Hand().pen()
    row = with_summary(tree, "n3", "Saved.")
    plan = plan_at(tree, "n3", 4, again=True, leaf_id="n8")
    held = Candidates(tree.loom.id, "n3", row.covered_hash, (FIRST, SECOND), 1)

    change = take(tree, plan, held, pen)

    assert change is not None
    assert change.evidence == (SECOND.response,)
    apply(tree, change)
    [saved] = tree.context_summaries.values()
    assert (saved.body["text"], saved.response_id, saved.body["model"]) == (SECOND.text, "s", "local:m")
    apply(tree, change.inverse())
    assert list(tree.context_summaries.values()) == [row]
    edited = take(tree, plan, held.edited("They spoke."), pen)
    assert edited is not None
    assert edited.evidence == ()
    assert take(tree, plan, held.edited(" "), pen) is None
    with pytest.raises(InvalidInput):
        take(tree, plan, replace(held, covered_hash="another"), pen)
