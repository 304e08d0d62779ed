"""Text that comes in very many pieces is put together before a draft grows by it: all of it, in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.generation.drafts import Draft, grow
from loomapp.core.generation.provider import Finished, StreamEvent, TextDelta, joined

PIECES = st.builds(TextDelta, st.integers(0, 2), st.text(max_size=3))
ENDS = st.builds(Finished, st.integers(0, 2), st.just("stop"))


def grown(events: list[StreamEvent]) -> list[Draft]:
    drafts = [Draft(index) for index in range(3)]
    for event in events:
        drafts = [grow(draft, event) for draft in drafts]
    return drafts


@given(st.lists(st.one_of(PIECES, PIECES, PIECES, ENDS), max_size=30))
def test_drafts_grow_to_the_same(events: list[StreamEvent]) -> None:
    assert grown(list(joined(events))) == grown(events)


def test_a_stretch_of_text_is_one_piece_a_choice() -> None:
    events: list[StreamEvent] = [TextDelta(i % 2, "ab") for i in range(1000)]
    assert [(e.index, len(e.text)) for e in joined(events) if isinstance(e, TextDelta)] == [
        (0, 1000),
        (1, 1000),
    ]
