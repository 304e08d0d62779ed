"""What a draft says while nothing comes."""

from __future__ import annotations

from loomapp.core.generation.drafts import Awaited, Wait
from loomapp.core.generation.provider import PromptRead, ProviderError, Started, TextDelta
from loomapp.core.sentences import worded
from loomapp.providers.run.run import Retrying
from loomapp.session.requests.running_request import Patience

NEXT_STEP = worded("{name} wants a pause. Wait a little, then retry.", name="fake.example")
ERROR = ProviderError("rateLimited", NEXT_STEP, status=429, said="3 a minute")


def test_the_seconds_to_the_next_attempt_count_down_until_it_begins() -> None:
    now = [0.0]
    patience = Patience(2, 90, clock=lambda: now[0])

    patience.note(Retrying(2, 12_000, ERROR, first=1, count=1))

    assert patience.wait(0) is None
    assert patience.wait(1) == Wait("fake.example wants a pause.", 12, said="429 · “3 a minute”")
    now[0] = 10.5
    counted = patience.wait(1)
    assert counted is not None
    assert counted.sentence == "Loomapp retries in 2\u00a0s: fake.example wants a pause."
    patience.note(Started())
    assert patience.wait(1) is None


def test_silence_is_told_after_a_while_and_a_word_ends_it() -> None:
    now = [0.0]
    patience = Patience(1, 90, clock=lambda: now[0])

    now[0] = 29
    assert patience.wait(0) is None
    now[0] = 34
    assert patience.wait(0) == Wait("Nothing came for 34\u00a0s.", silent_s=34)
    patience.note(TextDelta(0, "Once"))
    now[0] += 89
    assert patience.wait(0) is None
    now[0] += 6
    assert patience.wait(0) == Wait("Nothing came for 95\u00a0s.", silent_s=95)
    slow = Patience(1, 300, clock=lambda: now[0])  # a computer of one's own reads a long prompt for minutes
    now[0] += 299
    assert slow.wait(0) is None


def test_a_prompt_that_is_read_is_no_silence_and_says_how_far_that_is() -> None:
    now = [0.0]
    patience = Patience(1, 90, clock=lambda: now[0])

    assert patience.awaited() is None
    now[0] = 3.5
    assert patience.awaited() == Awaited(3)
    now[0] = 85
    patience.note(PromptRead(2291, 7161))
    now[0] = 120
    assert patience.wait(0) is None
    assert patience.awaited() == Awaited(120, 2291, 7161)
