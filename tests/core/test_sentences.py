"""Sentences for people: text like any, and known by their words and values; labels of steps likewise."""

from __future__ import annotations

import json

import pytest

from loomapp.core.model.change import LABELS, is_known, sentence_of
from loomapp.core.sentences import Sentence, sentence, worded


def test_a_sentence_is_the_text_it_says() -> None:
    said = worded("{name} is too long by {over:,} tokens.", name="{x}", over=1234)

    assert said == "{x} is too long by 1,234 tokens."
    assert json.dumps(said) == '"{x} is too long by 1,234 tokens."'
    assert (said.template, dict(said.values)) == (
        "{name} is too long by {over:,} tokens.",
        {"name": "{x}", "over": 1234},
    )


def test_a_sentence_in_a_sentence_stays_one() -> None:
    inner = worded("{count} answers", count=3)
    outer = worded("With {what} it is too much.", what=inner)

    assert outer == "With 3 answers it is too much."
    assert outer.values["what"] is inner


def test_words_of_a_table_become_a_sentence_whatever_they_hold() -> None:
    assert sentence("a {brace}") == "a {brace}"
    assert sentence(inner := worded("one")) is inner


@pytest.mark.parametrize("template", LABELS)
def test_every_label_is_taken_apart_as_it_was_put_together(template: str) -> None:
    values = {"count": "3", "total": "5", "step": "Exclude 3 messages"}
    label = template.format(**values)
    found = sentence_of(label)

    assert is_known(label)
    assert isinstance(found, Sentence)
    assert found == label
    assert found.template == template
    step = found.values.get("step")
    assert step is None or (isinstance(step, Sentence) and step.template == "Exclude {count} messages")


@pytest.mark.parametrize("label", ["Undo a walk", "Exclude many messages", "Frobnicate {count}", ""])
def test_a_label_of_another_program_stays_as_it_is(label: str) -> None:
    assert not is_known(label)
    assert sentence_of(label) == label
    assert not isinstance(sentence_of(label), Sentence)
