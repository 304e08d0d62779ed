"""What counted the tokens of a request is recorded, so that the same is cut again."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from loomapp.core.context.assembly import Assembled
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.core.model.entities import AuthorType
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Model, assembled_from, inputs_of
from loomapp.core.sent.record import (
    Record,
    counted_for,
    digest_of,
    from_json,
    record_of,
    recorded_request,
    scaled_by_answer,
)
from loomapp.core.text import token_counts
from loomapp.core.text.token_counts import BY_CHARACTERS, Scaled, TokenEstimator, Tokenized, key_of
from tests.kit.written_trees import chain, node

MODEL = Model(context_window=2_000)


def talk() -> Tree:
    """Sixty messages of different length, more than the window holds."""
    authors: tuple[AuthorType, AuthorType] = ("human", "model")
    dice = random.Random(3)
    texts = [" ".join(["word"] * dice.randrange(5, 90)) + f" {number}." for number in range(60)]
    return chain(*(node(f"n{i}", text, authors[i % 2]) for i, text in enumerate(texts[:59])))


def question(estimator: TokenEstimator) -> AskedQuestion:
    return AskedQuestion(Agent("a", "A", "model", "fake:m"), Sources("n58"), estimator=estimator)


def sent(tree: Tree, estimator: TokenEstimator) -> tuple[Assembled, dict[str, object]]:
    asked = question(estimator)
    assembled = assembled_for(tree, asked, MODEL)
    record = recorded_request(tree, asked, MODEL, assembled, 1).record
    assert record is not None
    return assembled, dict(record)


def tokenized(tree: Tree) -> Tokenized:
    """Counts of all texts but every seventh."""
    texts = [one.text for number, one in enumerate(tree.nodes.values()) if number % 7]
    return Tokenized({key_of(text): len(text) // 3 for text in texts}, 2, 5, 20)


def estimator_named(kind: str, tree: Tree) -> TokenEstimator:
    if kind == "tokenizer":
        return tokenized(tree)
    return Scaled() if kind == "safe" else Scaled(1.7, 0.9, "n1", beside_tokens=30)


@pytest.mark.parametrize("kind", ["safe", "scaled", "tokenizer"])
def test_a_record_cuts_the_same_again_and_names_what_counted(kind: str) -> None:
    tree = talk()
    assembled, record = sent(tree, estimator_named(kind, tree))

    told: Record = from_json(json.loads(json.dumps(record)), tree, "context")
    again = assembled_from(tree, told.inputs)

    assert assembled.report.truncated
    assert assembled.report.estimator == kind
    assert told.report["estimator"] == kind
    assert digest_of(again) == told.digest == digest_of(assembled)
    assert again.report.after_tokens == told.report["afterTokens"]


def test_what_is_counted_by_characters_is_recorded_as_it_was_before() -> None:
    assembled, record = sent(talk(), BY_CHARACTERS)

    assert "estimator" not in record
    told = record["report"]
    assert isinstance(told, dict)
    assert not {"estimator", "characters", "safeTokens"} & told.keys()
    assert assembled.report.estimator == "chars/4"


def test_other_counts_cut_elsewhere() -> None:
    tree = talk()

    assert digest_of(sent(tree, Scaled(3.0, 1.0, "n0"))[0]) != digest_of(sent(tree, BY_CHARACTERS)[0])


def test_a_count_of_a_whole_context_is_the_number_of_its_report() -> None:
    tree = talk()
    counted = Tokenized(tokenized(tree).counts, 2, 5, 20, total=1_234)

    assembled, record = sent(tree, counted)
    again = assembled_from(tree, from_json(record, tree, "context").inputs)

    assert assembled.report.after_tokens == again.report.after_tokens == 1_234
    today = inputs_of(tree, question(counted), MODEL)
    assert assembled_from(tree, today).report.after_tokens != 1_234, "what is tried may be another context"


def test_for_the_size_of_a_very_long_context_few_more_texts_are_looked_at() -> None:
    tree = chain(*(node(f"n{i}", f"{i} lamps, " * (i % 5 + 1) + "yes.", "human") for i in range(3_000)))
    asked = replace(question(Scaled()), sources=Sources("n2999"))
    model = Model(context_window=1_000_000)
    assembled = assembled_for(tree, asked, model)
    before = token_counts._of_short.cache_info().misses

    record = recorded_request(tree, asked, model, assembled, 1).record

    assert token_counts._of_short.cache_info().misses - before < 20
    assert record is not None
    told = dict(record)["report"]
    assert isinstance(told, dict)
    texts = [one.text for one in tree.nodes.values()]
    assert told["characters"] == sum(map(len, texts))
    assert told["safeTokens"] == pytest.approx(sum(map(token_counts.careful_estimate, texts)), rel=0.02)


def test_a_providers_count_is_told_with_the_size_of_what_it_counted() -> None:
    tree = talk()
    assembled, record = sent(tree, Scaled())
    evidence = Evidence("r", "fake", "", b"", choices={"n58": 0}, usage={"inputTokens": 900})

    found = counted_for(replace(evidence, extra={RECORD: record}))

    assert found is not None
    assert (found.measured, found.model_ref) == (900, "fake:m")
    assert found.characters == sum(
        len(text) for message in assembled.messages for text in _texts(message.text)
    )


def test_a_count_of_a_request_with_an_image_scales_no_texts() -> None:
    tree = chain(node("n0", Mixed((Image("ab" * 32, "image/png", 4, 3), Text("What is it?"))), "human"))
    asked = replace(question(Scaled()), sources=Sources("n0"))
    seen = Model(accepts_images=True)
    record = recorded_request(tree, asked, seen, assembled_for(tree, asked, seen), 1).record
    evidence = Evidence("r", "fake", "", b"", choices={"n1": 0}, usage={"inputTokens": 900})

    assert record is not None
    assert scaled_by_answer(replace(evidence, extra={RECORD: record}), "fake:m", "n1") is None


def _texts(text: str) -> list[str]:
    return text.split("\n\n")


def test_an_older_record_that_counted_by_characters_is_understood() -> None:
    tree = talk()
    question = AskedQuestion(Agent("a", "A", "model", "fake:m"), Sources("n58"))
    assembled = assembled_for(tree, question, MODEL)
    record = record_of(inputs_of(tree, question, MODEL, assembled), assembled, model_ref="fake:m")
    evidence = Evidence("r", "fake", "", b"", choices={"n58": 0}, usage={"inputTokens": 900})

    told = {"report": dict(record.report), "modelRef": "fake:m"}
    found = counted_for(replace(evidence, extra={RECORD: told}))

    assert found is not None
    assert (found.characters, found.safe_tokens) == (4 * assembled.report.after_tokens, 900)
