"""Admission to the engine's shared memory: never more than there is, first come first served."""

from __future__ import annotations

import threading

import pytest

from loomapp.core.generation.provider import ProviderError
from loomapp.providers.protocols.endpoint import Admission
from loomapp.providers.protocols.exchange import Call


class Guest(threading.Thread):
    """Asks for admission, tells when it is in, and leaves when it is told to."""

    def __init__(self, admission: Admission, tokens: int, choices: int = 1) -> None:
        super().__init__(name=f"guest of {tokens}", daemon=True)  # a failing test must not wait for it
        self.stop = Call()
        self.is_in = threading.Event()
        self.may_leave = threading.Event()
        self.error: ProviderError | None = None
        self._admission = admission
        self._tokens = tokens
        self._choices = choices
        self.start()

    def run(self) -> None:
        try:
            with self._admission.admitted(tokens=self._tokens, choices=self._choices, stop=self.stop):
                self.is_in.set()
                self.may_leave.wait()
        except ProviderError as error:
            self.error = error

    def leave(self) -> None:
        self.may_leave.set()
        self.join()


def test_requests_that_fit_together_run_together() -> None:
    admission = Admission(tokens=100, choices=8)

    guests = [Guest(admission, 50), Guest(admission, 50)]

    assert all(guest.is_in.wait(60) for guest in guests)
    for guest in guests:
        guest.leave()


@pytest.mark.parametrize(("tokens", "choices"), [(51, 1), (1, 8)])
def test_what_does_not_fit_waits_until_there_is_room(tokens: int, choices: int) -> None:
    admission = Admission(tokens=100, choices=8)
    first = Guest(admission, 50)
    assert first.is_in.wait(60)

    second = Guest(admission, tokens, choices)

    assert not second.is_in.wait(0.2)
    first.leave()
    assert second.is_in.wait(60)
    second.leave()


def test_a_small_request_does_not_overtake_a_large_one() -> None:
    admission = Admission(tokens=100, choices=8)
    first = Guest(admission, 60)
    assert first.is_in.wait(60)
    large = Guest(admission, 90)
    while not admission._waiting:  # the large one stands in line
        assert large.is_alive()

    small = Guest(admission, 10)

    assert not small.is_in.wait(0.2)
    first.leave()
    assert large.is_in.wait(60)
    assert small.is_in.wait(60)
    large.leave()
    small.leave()


def test_who_waits_can_be_stopped_and_holds_nobody_up() -> None:
    admission = Admission(tokens=100, choices=8)
    first = Guest(admission, 60)
    assert first.is_in.wait(60)
    waiting = Guest(admission, 90)

    waiting.stop.stop()
    waiting.join()

    assert waiting.error is not None
    assert waiting.error.code == "cancelled"
    third = Guest(admission, 40)
    assert third.is_in.wait(60)
    first.leave()
    third.leave()


def test_who_was_stopped_is_not_let_in_when_its_turn_comes() -> None:
    admission = Admission(tokens=100, choices=8)
    stopped = Call()
    stopped.stop()

    with pytest.raises(ProviderError), admission.admitted(tokens=1, choices=1, stop=stopped):
        pytest.fail("it was let in")
