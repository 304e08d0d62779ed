"""Words are counted in slices of a bounded size, and come to what one look at the whole text finds."""

from __future__ import annotations

import random

import pytest

from loomapp.core.paths import resolve
from loomapp.core.prose.buffer_text import BufferText
from loomapp.ui.buffer import head
from loomapp.ui.buffer.head import Sum, WordCount
from tests.core.prose.test_buffer_text import story


@pytest.mark.parametrize("seed", range(8))
def test_however_it_is_sliced_the_words_are_those_of_the_whole_text(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    texts = ["".join(chance.choices("ab \n", k=chance.randrange(60))) for _ in range(12)]
    tree, _, _ = story(*[text or "x" for text in texts])
    buffer_text = BufferText(tree, resolve.resolve(tree, tree.path.leaf_id))
    monkeypatch.setattr(head, "CHARACTERS_A_SLICE", 7)
    words = WordCount()

    *slices, first = words.count(buffer_text)
    *_, again = words.count(buffer_text)

    assert isinstance(first, Sum)
    assert first == again
    assert first.words == len(buffer_text.text.split())
    assert slices == [None] * len(slices)


def test_a_long_passage_is_counted_in_several_slices() -> None:
    tree, _, _ = story("word " * head.CHARACTERS_A_SLICE)
    buffer_text = BufferText(tree, resolve.resolve(tree, tree.path.leaf_id))

    *slices, found = WordCount().count(buffer_text)

    assert len(slices) == 5
    assert found is not None
    assert found.words == head.CHARACTERS_A_SLICE
