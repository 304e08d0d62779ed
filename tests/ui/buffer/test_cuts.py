"""The lines in a buffer's text where what is sent begins and ends: told without a look at each passage."""

from __future__ import annotations

import pytest

from loomapp.core.context.assembly import Assembled, assemble
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.model.content import Mixed, Text
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.buffer_text import BufferText
from loomapp.ui.commands.buffer.pager import cuts_of
from tests.kit.written_trees import chain, edge, node, tree

MANY = 12


def forked() -> Tree:
    """A text in twelve passages, and another way on from the sixth that comes to four more."""
    texts = [node(f"n{place}", f"Passage {place}. " * 3) for place in range(MANY)]
    others = [node(f"o{place}", f"Otherwise {place}. " * 3) for place in range(4)]
    steps = [edge(f"n{place + 1}", f"n{place}") for place in range(MANY - 1)]
    beside = [edge("o0", "n5"), *(edge(f"o{place + 1}", f"o{place}") for place in range(3))]
    return tree([*texts, *others], [*steps, *beside], mode="buffer")


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "stopAtLimit"])
@pytest.mark.parametrize("at", ["n11", "n7", "o3"])
@pytest.mark.parametrize("attached", [(), ("n1",), ("n9",)])
def test_lines_stand_where_what_is_sent_ends_and_at_the_character_where_it_begins_again(
    strategy: str, at: str, attached: tuple[str, ...]
) -> None:
    subject = forked()
    buffer_text = BufferText(subject, resolve(subject, "n11"))
    settings = ContextSettings(truncation_strategy=strategy, token_buffer=0, minimum_recent_nodes=1)
    request = ContextRequest(at, window=50, overrides=settings, context_ids=attached)

    context = assemble(subject, request)
    lines = cuts_of(buffer_text, context)

    if not attached:  # else the report itself looks for those
        assert "_all" not in vars(context.report.dropped), "the list of them is long, and a key needs none"
    said, way = pieces(context), BufferText(subject, resolve(subject, at)).text
    shared = buffer_text.passage(5).end if at == "o3" else len(way)  # there the context goes another way
    begins = min(len(way) - len(said[-1]), shared)
    ends = [len(said[0]), begins] if len(said) == 2 and said[0] else [begins]
    assert [line.position for line in lines] == ends


@pytest.mark.parametrize("window", [12, 17, 20, 24])
def test_a_line_counts_all_blocks_of_the_passage_in_which_it_stands(window: int) -> None:
    blocks = Mixed((Text("a" * 40), Text("b" * 40)))
    subject = chain(node("n1", blocks), node("n2", "cccc"), mode="buffer")
    buffer_text = BufferText(subject, resolve(subject, "n2"))
    settings = ContextSettings(truncation_strategy="rollingWindow", token_buffer=0)

    context = assemble(subject, ContextRequest("n2", window=window, overrides=settings))

    begin = len(buffer_text.text) - len(context.document or "")
    assert [line.position for line in cuts_of(buffer_text, context)] == ([begin] if begin else [])
    assert context.fates.in_part == ("n1" if begin else "")


def pieces(context: Assembled) -> list[str]:
    """What is sent before the marker and after it, of the path alone."""
    assert context.document is not None
    beside = {node_id for node_id, _ in context.fates.beside()}
    said = [
        context.document[span.start : span.end] if span.node_id not in beside else ""
        for span in context.spans
    ]
    kinds = [span.kind for span in context.spans]
    if "marker" not in kinds:
        return ["".join(said)]
    marker = kinds.index("marker")
    return ["".join(said[:marker]), "".join(said[marker + 1 :])]
