"""One is said as one."""

from __future__ import annotations

from loomapp.ui.widgets.words import amounts


def test_one_token_one_character_and_one_call_are_not_several() -> None:
    assert [amounts.tokens(count) for count in (0, 1, 1658)] == ["0 tokens", "1 token", "1,658 tokens"]
    assert amounts.characters_cut(1) == "1 character cut off"
    assert amounts.characters_cut(2) == "2 characters cut off"
    one = "The tokens of 1 call are unknown: it was stopped, or the server does not report them."
    two = "The tokens of 2 calls are unknown: they were stopped, or the server does not report them."
    assert (amounts.uncounted_calls(1), amounts.uncounted_calls(2)) == (one, two)
