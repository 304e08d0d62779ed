"""Tints: which colour each card has, told once for each and kept as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from loomapp.core.layout import Ints
from loomapp.core.tree import Agent
from loomapp.ui.graph.faces import author_tint

Author: TypeAlias = tuple[str, str | None]  # type, agent id


class Tinting:
    """`roles` are the colour roles that occur; a card's tint is a place in it."""

    def __init__(self) -> None:
        self.roles: list[str] = []
        self._of: Ints = np.zeros(0, np.uint8)  # by number of the card
        self._numbers: dict[Author, int] = {}

    def forget(self) -> None:
        """Authors or their colours may be others now."""
        self.roles.clear()
        self._numbers.clear()
        self._of = np.zeros(0, np.uint8)

    def catch_up(
        self, cards: Sequence[str], author: Callable[[str], Author], agents: Mapping[str, Agent]
    ) -> None:
        """Tell the tints of the cards that came since the last time."""
        if len(self._of) == len(cards):
            return
        fresh = []
        for card in cards[len(self._of) :]:
            who = author(card)
            number = self._numbers.get(who)
            fresh.append(self._number(who, agents) if number is None else number)
        self._of = np.concatenate((self._of, np.array(fresh, np.uint8)))

    def of(self, numbers: Ints) -> Ints:
        """The tints of cards."""
        chosen: Ints = self._of[numbers]
        return chosen

    def _number(self, who: Author, agents: Mapping[str, Agent]) -> int:
        role = author_tint(who[0], who[1], agents)
        if role not in self.roles:
            self.roles.append(role)
        self._numbers[who] = self.roles.index(role)
        return self._numbers[who]
