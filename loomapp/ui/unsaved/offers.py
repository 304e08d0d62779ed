"""Leftovers of the last session that only the user can decide: offered one by one, none forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from loomapp.ui.frame.notices import Banner
from loomapp.ui.strings import tr

Run: TypeAlias = Callable[[Callable[[], None]], None]


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence and a step; `key` tells what it is about, so that it is offered once. `put_away` is called
    where it is closed unread: then whoever has more to do than to keep it can.
    """

    key: str
    sentence: str
    action: str
    step: Callable[[], None]
    put_away: Callable[[], None] | None = None


class Offers:
    """Waiting in line. What is put away unread stays where it was, and is offered again by the next start."""

    def __init__(self, banner: Banner, run: Run) -> None:
        self._banner, self._run = banner, run
        self._waiting: dict[str, Offer] = {}
        self._seen = 0
        banner.offer_clicked.connect(self.take)
        banner.offer_closed.connect(self.put_away)

    def add(self, offer: Offer) -> None:
        """Offer something, after what waits already."""
        self._waiting[offer.key] = offer
        self._show()

    def take(self) -> None:
        """Take up the one that is shown, and show the next."""
        offer = self._next()
        if offer is not None:
            self._run(offer.step)

    def put_away(self) -> None:
        offer = self._next()
        if offer is not None and offer.put_away is not None:
            offer.put_away()

    def _next(self) -> Offer | None:
        key = next(iter(self._waiting), None)
        if key is None:
            return None
        offer = self._waiting.pop(key)
        self._seen = self._seen + 1 if self._waiting else 0
        self._show()
        return offer

    def _show(self) -> None:
        offer = next(iter(self._waiting.values()), None)
        if offer is None:
            self._banner.show_offer("", "")
            return
        count = self._seen + len(self._waiting)
        place = tr("{number} of {count}: ").format(number=self._seen + 1, count=count) if count > 1 else ""
        self._banner.show_offer(place + offer.sentence, offer.action)
