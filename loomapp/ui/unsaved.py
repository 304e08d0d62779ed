"""What the file did not take: kept until it does, said in the banner, tried again from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loomapp.core.errors import GroveError, LoomError
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.main_window import MainWindow

NO_ROOM = frozenset({"full", "ioError"})
ACT = "act"  # something the user did, without words of its own
COMPOSER = "composer"
ANSWERS = "answers"
JOURNAL = "journal"


def is_no_room(error: LoomError) -> bool:
    """True if the disk did not take something: it is full, over its quota, or faulty."""
    return isinstance(error, GroveError) and error.code in NO_ROOM


def no_words() -> str:
    """The words of something that has none."""
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


class UnsavedThings:
    """Everything of a window that the file did not take, in the order in which it failed."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._things: dict[str, Unsaved] = {}
        self._is_trying = False

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
        """Something was not saved, or still is not."""
        self._things[thing.key] = thing
        self.show()

    def drop(self, key: str) -> None:
        """It is saved, or not wanted any more."""
        if self._things.pop(key, None) is not None:
            self.show()

    def keep_while(self, key: str, words: str) -> None:
        """Drop it once there are no words of it left."""
        if not words:
            self.drop(key)

    def retry(self) -> None:
        """Try all of it again."""
        self._is_trying = True
        for thing in self:
            if thing.key not in self._things:
                continue  # saved along with another
            try:
                thing.again()
            except LoomError as error:
                self._refused(thing, error)
            else:
                if thing.key == ACT:
                    self._things.pop(ACT, None)
        self.show()
        self._is_trying = False

    def _refused(self, thing: Unsaved, error: LoomError) -> None:
        is_saved = thing.key not in self._things  # and what came after it was refused
        if is_saved or (thing.key == ACT and not is_no_room(error)):
            self._things.pop(thing.key, None)
            self._window.show_error(error)
        else:
            self._things[thing.key] = replace(thing, error=error)

    def show(self) -> None:
        """Say in the banner what is unsaved and why."""
        banner, things = self._window.banner, tuple(self._things.values())
        error = next((thing.error for thing in reversed(things) if thing.error is not None), None)
        if error is None:
            banner.show_saved()
            return
        names = list(dict.fromkeys(thing.what for thing in things))
        has_words = any(thing.key != ACT for thing in things)
        banner.show_unsaved(error, listed(names), has_words=has_words, was_tried=self._is_trying)


def listed(names: list[str]) -> str:
    """`a note`, `a note and an edit`, `a note, an edit and an answer`."""
    if len(names) < 2:
        return "".join(names)
    return tr("{some} and {last}").format(some=", ".join(names[:-1]), last=names[-1])
