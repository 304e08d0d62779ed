"""A story told by a server on loopback that knows when it sent how much, and a machine that is busy."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.kit.servers.fake_server import Conversation, chunk

BETWEEN_S = 0.02  # two words
BUSY = (sys.executable, "-c", "while True: pass")


class CountedStory:
    """A script for one conversation: numbered words without an end, until the reader leaves. Each of several
    choices tells the same.
    """

    def __init__(self, choices: int = 1) -> None:
        self._choices = choices
        self._sent: list[tuple[float, int]] = []  # when, and how many characters by then
        self._grown = threading.Condition()

    def __call__(self, conversation: Conversation) -> None:
        """Tell it."""
        conversation.head()
        pause, number, length = threading.Event(), 0, 0
        while not pause.wait(BETWEEN_S):
            word = self._word(number)
            conversation.send(b"".join(chunk(word, index=index) for index in range(self._choices)))
            number, length = number + 1, length + len(word)
            with self._grown:
                self._sent.append((time.monotonic(), length))
                self._grown.notify_all()

    def wait_for_words(self, count: int) -> None:
        """Until so many were sent."""
        with self._grown:
            assert self._grown.wait_for(lambda: len(self._sent) >= count, 60), "nobody asked for the story"

    def sent_before(self, moment: float) -> str:
        """What was sent until then, by the monotonic clock."""
        with self._grown:
            length = max((length for at, length in self._sent if at <= moment), default=0)
        return self._text(length)

    def when(self, length: int) -> float:
        """When so much of it had been sent, by the monotonic clock."""
        with self._grown:
            return next((at for at, sent in self._sent if sent > length), self._sent[-1][0])

    @classmethod
    def begins_with(cls, text: str) -> bool:
        """True if a text is what was told, as far as it goes."""
        return text == cls._text(len(text))

    @staticmethod
    def _word(number: int) -> str:
        return f"word{number} "

    @classmethod
    def _text(cls, length: int) -> str:
        words, number = "", 0
        while len(words) < length:
            words += cls._word(number)
            number += 1
        return words[:length]


@contextmanager
def busy_machine() -> Iterator[None]:
    """Two loops that never rest, beside whatever is done in the block."""
    loops = [subprocess.Popen(BUSY) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()
