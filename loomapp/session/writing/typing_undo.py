"""Undo of typing: which strokes are one step, and states of the uncommitted text to go back to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import Generic, TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import PendingText, begun

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UncommittedText:
    """Text that is in no node yet: passages under the pen by node, and the working buffer after a leaf."""

    penned: Mapping[str, PendingText] = field(default_factory=dict)
    working: PendingText = field(default_factory=PendingText)
    leaf_id: str = ""

    @property
    def is_nothing(self) -> bool:
        """True if all that is written is in nodes."""
        return not self.penned and not self.working.text

    def is_on(self, path: Path, awaited: str = "") -> bool:
        """True if all of it belongs to this path, and to the answer that is awaited at its end."""
        is_last = not self.working.text or self.leaf_id == (awaited or path.node_ids[-1])
        return is_last and all(node_id in path for node_id in self.penned)


def renamed(
    before: str, now: str, usual: PendingText, leaf_id: str, state: UncommittedText
) -> UncommittedText:
    """Put words that are under one name under another: "" is the working buffer after a leaf, and text under
    the pen of a node is under the node's name. A state without words under that name gets `usual`.
    """
    typed = state.penned.get(before, usual) if before else state.working
    penned = {node_id: one for node_id, one in state.penned.items() if node_id != before}
    working = state.working if before else PendingText()
    if now:
        return UncommittedText({**penned, now: typed}, working, state.leaf_id)
    return UncommittedText(penned, typed, leaf_id)


def put_in_leaf(tree: Tree, leaf_id: str, author: Author, state: UncommittedText) -> UncommittedText:
    """Put the words after the last node of the path into it."""
    if not state.working.text or state.leaf_id != leaf_id:
        return state
    known = state.penned.get(leaf_id)
    typed = begun(tree, leaf_id) if known is None else known
    length = len(typed.text)
    whole = typed.replaced(length, length, state.working.text, author)
    return UncommittedText({**state.penned, leaf_id: whole}, PendingText(), leaf_id)


PAUSE_S = 1.0
WORD_AFTER = 20  # characters; from here on the next word boundary ends a step


class UndoSteps(Generic[T]):
    """States of a field to go back to, and those taken back.

    A step ends with a pause, at a word boundary once it is long, before words are taken away, or by
    `end_step`.
    """

    def __init__(self) -> None:
        self._done: list[T] = []
        self._undone: list[T] = []
        self._is_open = False
        self._last_s = 0.0
        self._typed = 0

    @property
    def next_undo(self) -> T | None:
        """The state that undo would restore; None if there is none."""
        return self._done[-1] if self._done else None

    @property
    def next_redo(self) -> T | None:
        """The state that redo would restore; None if there is none."""
        return self._undone[-1] if self._undone else None

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def stroke(
        self, before: T, at_s: float, characters: int, *, starts_word: bool, takes_words: bool = False
    ) -> bool:
        """Note a stroke at a time in seconds that changes so many characters. True if a new step begins with
        it; `starts_word` if it puts the first character of a word behind white space, `takes_words` if it
        takes several characters away at once: they may be of this step, and no state would hold them.
        """
        pauses = at_s - self._last_s >= PAUSE_S
        begins = not self._is_open or pauses or takes_words or (self._typed >= WORD_AFTER and starts_word)
        self._typed = characters if begins else self._typed + characters
        self._last_s, self._is_open = at_s, True
        if begins:
            self._done.append(before)
        self._undone.clear()
        return begins

    def end_step(self) -> None:
        """End the step: what is typed next is a step of its own."""
        self._is_open = False

    def undo(self, now: T) -> T | None:
        """Take the last step back: what was there before it; None if there is nothing to take back."""
        return self._step(self._done, self._undone, now)

    def redo(self, now: T) -> T | None:
        """Bring a step back: what was there after it, or None."""
        return self._step(self._undone, self._done, now)

    def start_over(self, *, before: T | None = None) -> None:
        """Forget all steps; `before` is one to go back to, from what was written in another session."""
        self._done = [] if before is None else [before]
        self._undone = []
        self.end_step()

    def forget_undone(self) -> None:
        self._undone.clear()

    def _step(self, of: list[T], to: list[T], now: T) -> T | None:
        if not of:
            return None
        to.append(now)
        self.end_step()
        return of.pop()


class TypingUndo(UndoSteps[UncommittedText]):
    """Steps of the uncommitted text. One also ends where writing goes on elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.next_at: int | None = None  # where a stroke goes on with the one before

    def struck(
        self, before: UncommittedText, at_s: float, start: int, end: int, text: str, *, starts_word: bool
    ) -> None:
        """Characters from `start` to before `end` were replaced by a text; that is what was there before."""
        if self.next_at is not None and self.next_at not in (start, end):
            self.end_step()
        characters, takes_words = max(1, len(text) + end - start), end - start > 1
        self.stroke(before, at_s, characters, starts_word=starts_word, takes_words=takes_words)
        self.next_at = start + len(text)

    def start_over(self, *, before: UncommittedText | None = None) -> None:
        super().start_over(before=before)
        self.next_at = None

    def go_along(self, leaf_id: str) -> None:
        """The working buffer stands after another leaf now, with all that it was and will be again."""
        self.put(lambda state: replace(state, leaf_id=leaf_id))

    def put(self, change: Callable[[UncommittedText], UncommittedText]) -> None:
        """Change all states to which undo and redo lead: the same words stand elsewhere now."""
        for states in (self._done, self._undone):
            states[:] = map(change, states)

    def part(self, now: UncommittedText) -> tuple[PendingText, ...]:
        """Take the working buffer out of all steps: what it was before each that changed it. Those that did
        nothing else are no steps any more, and nothing can be brought back.
        """
        states = [*self._done, now]
        was = tuple(one.working for one, then in pairwise(states) if one.working != then.working)
        rest = [one for one, then in pairwise(states) if one.penned != then.penned]
        self._done = [replace(one, working=PendingText()) for one in rest]
        self._undone.clear()
        self.end_step()
        return was

    def join(self, was: Sequence[PendingText], now: UncommittedText) -> None:
        """Put steps of a working buffer behind all others: what it was before each of them."""
        self._done += [replace(now, working=working) for working in was]
        self._undone.clear()
        self.end_step()

    def _step(
        self, of: list[UncommittedText], to: list[UncommittedText], now: UncommittedText
    ) -> UncommittedText | None:
        if of:
            self.next_at = None
        return super()._step(of, to, now)
