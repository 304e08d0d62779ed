"""Changes that the file did not take: kept, said, tried again; leftovers that the user decides on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError, LoomError
from loomapp.session.open_tree import Initiator
from loomapp.ui.frame.notices import Banner
from loomapp.ui.strings import tr

Run: TypeAlias = Callable[[Callable[[], None]], None]


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence and a step, or the choice between two; `key` tells what it is about, so that it is offered
    once. `put_away` is called where it is closed unread: then whoever has more to do than to keep it can.
    """

    key: str
    sentence: str
    action: str
    step: Callable[[], None]
    put_away: Callable[[], None] | None = None
    other: str = ""  # the name of the other step, "" where there is no choice
    other_step: Callable[[], None] = nothing


class Offers:
    """Waiting in line. What is put away unread stays where it was, and is offered again by the next start."""

    def __init__(self, banner: Banner, run: Run) -> None:
        self._banner, self._run = banner, run
        self._waiting: dict[str, Offer] = {}
        self._seen = 0
        banner.offer_clicked.connect(self.take)
        banner.other_clicked.connect(self.take_other)
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

    def take_other(self) -> None:
        """Take the other step of the one that is shown, and show the next."""
        offer = self._next()
        if offer is not None:
            self._run(offer.other_step)

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
        self._banner.show_offer(place + offer.sentence, offer.action, offer.other)


Tell: TypeAlias = Callable[[LoomError], None]
NO_ROOM = frozenset({"full", "ioError", "replaced"})
BUSY = "locked"  # another program writes
AGAIN_MS = 300  # after which what had to wait for it is tried again
ACT = "act"  # something the user did, without words of its own; `act …` if its Change is known
COMPOSER = "composer"
ANSWERS = "answers"
JOURNAL = "journal"
GROVE = "grove"  # all that was saved: the file that is open is no longer the one of that name


def is_no_room(error: LoomError) -> bool:
    """True if the file did not take something: its disk is full, over its quota, or faulty, or another
    program is writing, for which a window does not wait.
    """
    return isinstance(error, GroveError) and (error.code in NO_ROOM or error.code == BUSY)


def no_words() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """One thing to be saved. `again` saves it, or raises LoomError; a new try has the same key."""

    key: str
    what: str  # as a sentence has it: `your message`
    again: Callable[[], object]
    words: Callable[[], str] = no_words
    is_journalled: bool = False  # the journal has its words too, so that quitting need not lose them
    error: LoomError | None = None

    @property
    def is_act(self) -> bool:
        """True if it has no words that could be lost."""
        return self.key.partition(" ")[0] == ACT

    @property
    def waits(self) -> bool:
        """True if it is tried again by itself: it only has to wait, and asks the user nothing."""
        return self.error is not None and self.error.code == BUSY and self.key != ACT


class UnsavedThings(QObject):
    """Changes of a window that the file did not take, in the order in which they failed."""

    changed = Signal()

    def __init__(self, banner: Banner, tell: Tell, parent: QObject) -> None:
        super().__init__(parent)
        self._banner, self._tell = banner, tell
        self._things: dict[str, Unsaved] = {}
        self._is_trying = False
        self._gone_on = False  # something was saved after the last act that was refused
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(AGAIN_MS)
        self._soon.timeout.connect(self.on_due)

    def __iter__(self) -> Iterator[Unsaved]:
        return iter(tuple(self._things.values()))

    def __contains__(self, key: object) -> bool:
        return key in self._things

    def saves(self, thing: Unsaved, step: Callable[[], object]) -> bool:
        """Take a step that saves; False, and the thing is kept, if the disk did not take it.

        Raises: LoomError for any other reason.
        """
        try:
            step()
        except LoomError as error:
            if not is_no_room(error):
                raise
            self.keep(replace(thing, error=error))
            return False
        self.drop(thing.key)
        return True

    def keep(self, thing: Unsaved) -> None:
        """Keep a thing that was not saved, or still is not."""
        self._things[thing.key] = thing
        self._gone_on = self._gone_on and not thing.is_act
        self.show()

    def drop(self, key: str) -> None:
        """Drop a thing that is saved, or not wanted any more."""
        if self._things.pop(key, None) is not None:
            self.show()

    def on_saved(self, _at: int, initiator: Initiator) -> None:
        """The writer has gone on: what was refused before and has no words is done only when asked for."""
        if not self._is_trying and initiator.is_here:
            self._gone_on = True

    def retry_at_closing(self) -> None:
        """Try all of it again, but for what was refused long ago: it would be done last of all, unasked, and
        another text would be there at the next start.
        """
        if self._gone_on:
            self.drop(ACT)
        self.retry()

    def keep_while(self, key: str, words: str) -> None:
        """Drop a thing once there are no words of it left."""
        if not words:
            self.drop(key)

    def retry(self) -> None:
        """Try to save all of it again."""
        self._is_trying = True
        self._try(tuple(self))
        self.show()
        self._is_trying = False

    def on_due(self) -> None:
        """Try again: another program may be done with its writing."""
        if not self._is_trying:
            self._try(tuple(thing for thing in self if thing.waits))
            self.show()

    def _try(self, things: tuple[Unsaved, ...]) -> None:
        for thing in things:
            if thing.key not in self._things:
                continue  # saved along with another
            try:
                thing.again()
            except LoomError as error:
                self._refused(thing, error)
            else:
                if thing.is_act:
                    self._things.pop(thing.key, None)

    def _refused(self, thing: Unsaved, error: LoomError) -> None:
        is_saved = thing.key not in self._things  # and what came after it was refused
        if is_saved or (thing.is_act and not is_no_room(error)):
            self._things.pop(thing.key, None)
            self._tell(error)
        else:
            self._things[thing.key] = replace(thing, error=error)

    def show(self) -> None:
        """Say in the banner what is unsaved and why, and in the status bar that something is."""
        self.changed.emit()
        banner, things = self._banner, tuple(self._things.values())
        error = next((thing.error for thing in reversed(things) if thing.error is not None), None)
        if error is None:
            banner.show_saved()
            return
        names = list(dict.fromkeys(thing.what for thing in things))
        has_words = any(not thing.is_act for thing in things)
        if all(thing.waits for thing in things):
            error = GroveError(BUSY, tr("Another program is writing; saving again…"))
        banner.show_unsaved(error, listed(names), has_words=has_words, was_tried=self._is_trying)
        if any(thing.waits for thing in things) and not self._soon.isActive():
            self._soon.start()


def listed(names: list[str]) -> str:
    """`a note`, `a note and an edit`, `a note, an edit and an answer`."""
    if len(names) < 2:
        return "".join(names)
    return tr("{some} and {last}").format(some=", ".join(names[:-1]), last=names[-1])
