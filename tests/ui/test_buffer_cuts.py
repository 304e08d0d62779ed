"""The lines in a buffer's text where what is sent begins and ends: told without a look at each passage."""

from __future__ import annotations

import pytest

from loomapp.core.context.assembly import Assembled, ContextRequest, assemble
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.manuscript import Manuscript
from loomapp.core.paths import resolve
from loomapp.core.rows import ContextSettings
from loomapp.core.tree import Tree
from loomapp.ui.buffer.cutting import cuts_of
from tests.core.context.building import edge, node, tree

MANY = 12


def forked() -> Tree:
    """A text in twelve passages, and another way on from the sixth that comes to four more."""
    texts = [node(f"n{place}", f"Passage {place}. " * 3) for place in range(MANY)]
    others = [node(f"o{place}", f"Otherwise {place}. " * 3) for place in range(4)]
    steps = [edge(f"n{place + 1}", f"n{place}") for place in range(MANY - 1)]
    beside = [edge("o0", "n5"), *(edge(f"o{place + 1}", f"o{place}") for place in range(3))]
    return tree([*texts, *others], [*steps, *beside], mode="buffer")


def left_out(context: Assembled, manuscript: Manuscript) -> list[int]:
    """Where passages begin for which there is no room, as the report says one by one."""
    gone = {one.node_id for one in context.report.dropped if one.reason == "truncated"}
    return [manuscript.passage(i).start for i, name in enumerate(manuscript.node_ids) if name in gone]


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "stopAtLimit"])
@pytest.mark.parametrize("at", ["n11", "n7", "o3"])
@pytest.mark.parametrize("attached", [(), ("n1",), ("n9",)])
def test_lines_stand_around_what_has_no_room(strategy: str, at: str, attached: tuple[str, ...]) -> None:
    subject = forked()
    manuscript = Manuscript(subject, resolve(subject, "n11"))
    settings = ContextSettings(truncation_strategy=strategy, token_buffer=0, minimum_recent_nodes=1)
    request = ContextRequest(at, window=50, overrides=settings, context_ids=attached)

    context = assemble(subject, request)
    lines = cuts_of(manuscript, context)

    if not attached:  # else the report itself looks for those
        assert "_all" not in vars(context.report.dropped), "the list of them is long, and a key needs none"
    places = left_out(context, manuscript)
    last = next(p for p in manuscript.passages() if p.start == places[-1])
    ends = [last.end] if places[0] == 0 else [places[0], last.end]
    assert [line.position for line in lines] == ends
