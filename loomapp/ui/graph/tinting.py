"""Tints: which colour each card has, told once for each and kept as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from loomapp.core.agent import Agent
from loomapp.core.layout import Ints
from loomapp.ui.graph.faces import author_tint

Author: TypeAlias = tuple[str, str | None]  # type, agent id
Agents: TypeAlias = Mapping[str, Agent]


class Tinting:
    """`roles` are the colour roles that occur; a card's tint is a place in it."""

    def __init__(self) -> None:
        self.roles: list[str] = []
        self._of: Ints = np.zeros(0, np.uint8)  # by number of the card
        self._numbers: dict[Author, int] = {}
        self._cards: Sequence[str] = ()

    def forget(self) -> None:
        """Authors or their colours may be others now."""
        self.roles.clear()
        self._numbers.clear()
        self._of = np.zeros(0, np.uint8)

    def catch_up(
        self, cards: Sequence[str], authors: Callable[[Sequence[str]], Iterable[Author]], agents: Agents
    ) -> None:
        """Tell the tints of the cards that came since the last time, of others of all."""
        if cards is not self._cards:
            self.forget()
            self._cards = cards
        if len(self._of) == len(cards):
            return
        whose = list(authors(cards[len(self._of) :]))
        for who in set(whose) - self._numbers.keys():
            self._number(who, agents)
        fresh = np.fromiter(map(self._numbers.__getitem__, whose), np.uint8, len(whose))
        self._of = np.concatenate((self._of, fresh))

    def tell_again(self, numbers: Sequence[int], authors: Iterable[Author], agents: Agents) -> None:
        """The authors of some cards are others now."""
        for number, who in zip(numbers, authors, strict=True):
            if number < len(self._of):
                known = self._numbers.get(who)
                self._of[number] = self._number(who, agents) if known is None else known

    def of(self, numbers: Ints) -> Ints:
        """The tints of cards."""
        chosen: Ints = self._of[numbers]
        return chosen

    def _number(self, who: Author, agents: Agents) -> int:
        role = author_tint(who[0], who[1], agents)
        if role not in self.roles:
            self.roles.append(role)
        self._numbers[who] = self.roles.index(role)
        return self._numbers[who]
