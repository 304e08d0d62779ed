"""Typing becomes a few steps: pauses, word boundaries and commits end one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.ui.composer.composer_parts import TypingHistory, Writing


def typed(history: TypingHistory, text: str, *, start_s: float = 0.0, every_s: float = 0.1) -> float:
    """Type a text letter by letter at the end; the time after it."""
    now = start_s
    before = history.now.text
    for length in range(1, len(text) + 1):
        whole = before + text[:length]
        history.typed(Writing(whole, len(whole.encode("utf-16-le")) // 2), now)
        now += every_s
    return now


def undone(history: TypingHistory) -> list[str]:
    texts = []
    while (writing := history.undo()) is not None:
        texts.append(writing.text)
    return texts


def test_what_is_typed_in_one_go_is_one_step() -> None:
    history = TypingHistory()

    typed(history, "Dear father")

    assert undone(history) == [""]


def test_a_pause_ends_a_step() -> None:
    history = TypingHistory()

    now = typed(history, "Dear")
    typed(history, " father", start_s=now + 1.0)

    assert undone(history) == ["Dear", ""]


def test_after_twenty_characters_the_next_word_begins_a_step() -> None:
    history = TypingHistory()

    typed(history, "The oil came on Tuesday and the wick is trimmed")

    assert undone(history) == ["The oil came on Tuesday ", ""]
    history = TypingHistory()
    typed(history, "🕯" * 21 + " lit")
    assert undone(history) == ["🕯" * 21 + " ", ""]


@pytest.mark.parametrize("pasted", ["Z", "Dear mother", "A longer text than what was there"])
def test_words_that_are_written_over_at_once_come_back(pasted: str) -> None:
    history = TypingHistory()

    now = typed(history, "Dear father", every_s=0.01)
    history.typed(Writing(pasted, len(pasted)), now)

    assert undone(history) == ["Dear father", ""]


def test_a_commit_ends_a_step() -> None:
    history = TypingHistory()

    now = typed(history, "a")
    history.end_step()
    typed(history, "b", start_s=now)

    assert undone(history) == ["a", ""]


def test_moving_the_cursor_is_no_step() -> None:
    history = TypingHistory()
    history.start_over(Writing("abc", 3))

    assert not history.typed(Writing("abc", 0), 0.0)

    assert not history.can_undo
    assert history.now.cursor == 0


def test_typing_after_undo_ends_what_could_be_redone() -> None:
    history = TypingHistory()
    typed(history, "one")
    history.undo()

    typed(history, "two", start_s=0.2)

    assert not history.can_redo
    assert undone(history) == [""]


@given(st.lists(st.tuples(st.text(max_size=6), st.floats(0, 3)), max_size=30))
def test_redo_brings_back_all_that_undo_took(edits: list[tuple[str, float]]) -> None:
    history, now = TypingHistory(), 0.0
    for text, pause in edits:
        now += pause
        history.typed(Writing(text, len(text.encode("utf-16-le", "surrogatepass")) // 2), now)
    last = history.now

    steps = 0
    while history.undo() is not None:
        steps += 1
    assert history.now.text == ""
    for _ in range(steps):
        assert history.redo() is not None

    assert history.now == last
    assert history.redo() is None
