"""Provider rules on messages as they come, beyond the worked cases."""

from __future__ import annotations

from itertools import pairwise

import pytest

from loomapp.core.context.messages import ImagePart, Message, MessageRole, TextPart
from loomapp.core.context.provider_rules import PROVIDER_RULES, ProviderRules, fit_messages

IMAGE = ImagePart("0" * 64, "image/png", "[image: a]", "a")


def say(role: MessageRole, *texts: str) -> Message:
    """A message of text parts."""
    return Message(role, tuple(map(TextPart, texts)), (texts[0],))


def test_blank_messages_are_dropped_and_their_neighbours_merged() -> None:
    messages = (say("user", "Q"), say("assistant", " \n"), say("user", "R"))

    fitted = fit_messages(ProviderRules(), None, messages, truncated=False)

    assert [(m.role, m.text, m.node_ids) for m in fitted.messages] == [("user", "Q\n\nR", ("Q", "R"))]
    assert fitted.adjustments == ("dropped_blank",)


def test_a_message_that_is_only_an_image_is_not_blank() -> None:
    fitted = fit_messages(ProviderRules(), None, (Message("user", (IMAGE,)),), truncated=False)

    assert fitted.messages == (Message("user", (IMAGE,)),)


def test_without_a_system_field_the_system_text_is_the_first_message() -> None:
    rules = ProviderRules(first_must_be_user=True, system_field=False)

    fitted = fit_messages(rules, "S", (say("assistant", "A"), say("user", "Q")), truncated=False)

    assert fitted.system is None
    assert [(m.role, m.text) for m in fitted.messages] == [
        ("system", "S"),
        ("user", "[Conversation start]"),
        ("assistant", "A"),
        ("user", "Q"),
    ]
    assert fitted.adjustments == ("prepended_user", "system_as_message")


def test_the_word_that_asks_to_go_on_can_be_another() -> None:
    rules = ProviderRules(continue_text="Weiter.")

    fitted = fit_messages(rules, None, (say("assistant", "A"),), truncated=False)

    assert fitted.messages[-1].text == "Weiter."


def test_a_prefill_that_ends_in_a_word_is_not_adjusted() -> None:
    rules = ProviderRules(prefill=True)

    fitted = fit_messages(rules, None, (say("user", "Q"), say("assistant", "A", "b")), truncated=False)

    assert (fitted.messages[-1].text, fitted.adjustments) == ("A\n\nb", ())


def test_trailing_blank_parts_of_a_prefill_go_too() -> None:
    rules = ProviderRules(prefill=True)

    fitted = fit_messages(rules, None, (say("assistant", "A ", "\n"),), truncated=False)

    assert fitted.messages[-1].parts == (TextPart("A"),)
    assert fitted.adjustments == ("stripped_prefill",)


@pytest.mark.parametrize("name", PROVIDER_RULES)
def test_what_every_rule_set_makes_of_any_messages_is_what_it_asks_for(name: str) -> None:
    rules = PROVIDER_RULES[name]
    if rules is None:
        return
    roles: tuple[MessageRole, MessageRole] = ("assistant", "user")
    for length in range(1, 5):
        for start in range(2):
            messages = tuple(say(roles[(start + i) % 2], f"m{i} ") for i in range(length))

            fitted = fit_messages(rules, None, messages, truncated=False).messages

            assert not rules.first_must_be_user or fitted[0].role == "user"
            assert fitted[-1].role == "user" or rules.prefill
            assert all(a.role != b.role for a, b in pairwise(fitted))
