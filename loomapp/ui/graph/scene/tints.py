"""Tints: which colour each card has, told when it is asked for first and kept as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from loomapp.core.layout.arrays import Ints
from loomapp.core.model.agent import Agent
from loomapp.ui.graph.scene.card_faces import author_tint

Author: TypeAlias = tuple[str, str | None]  # type, agent id
Authors: TypeAlias = Callable[[Sequence[str]], Iterable[Author]]
Agents: TypeAlias = Mapping[str, Agent]

UNKNOWN = 255  # the tint of a card that nobody has asked for yet


class Tinting:
    """Tints of cards: `roles` are the colour roles that occur; a tint is a place in it."""

    def __init__(self) -> None:
        self.roles: list[str] = []
        self._of: Ints = np.zeros(0, np.uint8)  # by number of the card
        self._numbers: dict[Author, int] = {}
        self._cards: Sequence[str] = ()

    def forget(self) -> None:
        """Forget the tints: authors or their colours may have changed."""
        self.roles.clear()
        self._numbers.clear()
        self._of = np.zeros(0, np.uint8)

    def tell(self, cards: Sequence[str], numbers: Ints, authors: Authors, agents: Agents) -> None:
        """Tell the tints of those of some cards that have not been told; `cards` are all that there are."""
        if cards is not self._cards:
            self.forget()
            self._cards = cards
        if len(self._of) < len(cards):
            more = np.full(len(cards) - len(self._of), UNKNOWN, np.uint8)
            self._of = np.concatenate((self._of, more))
        unknown = numbers[self._of[numbers] == UNKNOWN]
        if not len(unknown):
            return
        whose = list(authors([cards[number] for number in unknown.tolist()]))
        for who in dict.fromkeys(whose):
            if who not in self._numbers:
                self._number(who, agents)
        self._of[unknown] = np.fromiter(map(self._numbers.__getitem__, whose), np.uint8, len(whose))

    def tell_again(self, numbers: Sequence[int], authors: Iterable[Author], agents: Agents) -> None:
        """Note that the authors of some cards changed."""
        for number, who in zip(numbers, authors, strict=True):
            if number < len(self._of) and self._of[number] != UNKNOWN:
                known = self._numbers.get(who)
                self._of[number] = self._number(who, agents) if known is None else known

    def of(self, numbers: Ints) -> Ints:
        chosen: Ints = self._of[numbers]
        return chosen

    def _number(self, who: Author, agents: Agents) -> int:
        role = author_tint(who[0], who[1], agents)
        if role not in self.roles:
            self.roles.append(role)
        self._numbers[who] = self.roles.index(role)
        return self._numbers[who]
