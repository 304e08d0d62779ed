"""The inputs that are recorded are all that decides: from them alone the same is sent."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial

import pytest

from loomapp.core.context import assembly
from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.edits import node_edits
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath, EdgeSource
from loomapp.core.model.hashes import canonical_json
from loomapp.core.model.overlay import Overlay
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent import record
from loomapp.core.sent.inputs import Inputs, Model, as_seen, assembled_from, inputs_of
from loomapp.core.sent.record import digest_of, digesting, from_json, record_of, said_json
from loomapp.core.sent.record import to_json as record_json
from tests.core.context.test_naive import case, tree_and_request
from tests.kit import chance
from tests.kit.families import one_in
from tests.kit.trees import Hand, chain, do, snapshot

FIRST_SEED = chance.seed(1)
MODELS = (
    Model(provider_rules="openai"),
    Model(provider_rules="anthropic", accepts_images=True, continues_documents=False),
    Model(provider_rules="anthropic-prefill", continues_documents=False),
    Model(provider_rules="none", takes_messages=False),
)


def asked(seed: int) -> tuple[Tree, AskedQuestion, Model]:
    """A random tree, and somebody who asks there."""
    dice = random.Random(seed)
    tree, request = tree_and_request(*case(seed))
    configuration = Configuration(system_prompt=request.system_prompt, max_tokens=request.max_tokens)
    agent = Agent("a", "A", "model", configuration=configuration)
    sources = Sources(request.at, request.context_ids, request.instruction_ids)
    text = dice.choice(("", "", "And now?", " "))
    question = AskedQuestion(agent, sources, text, request.defaults, request.overrides)
    return tree, question, replace(dice.choice(MODELS), context_window=request.window)


def again(tree: Tree, question: AskedQuestion, model: Model) -> Assembled:
    """The same by way of the inputs."""
    return assembled_from(tree, inputs_of(tree, question, model))


def or_code(assemble: Callable[[], Assembled]) -> Assembled | str:
    """What is assembled, or the code of the error."""
    try:
        return assemble()
    except AssemblyError as error:
        return error.code


@pytest.mark.parametrize("chunk", one_in(4, range(4)))
def test_what_is_recorded_gives_what_was_sent(chunk: int) -> None:
    sent = 0
    for seed in range(FIRST_SEED + 150 * chunk, FIRST_SEED + 150 * (chunk + 1)):
        tree, question, model = asked(seed)
        before = snapshot(tree) if seed % 20 == 0 else None
        expected = or_code(partial(assembled_for, tree, question, model))
        if isinstance(expected, str):
            code = or_code(partial(again, tree, question, model))
            assert code == expected, f"seed {seed}"
            continue
        inputs = inputs_of(tree, question, model)
        found = assembled_from(tree, inputs)
        assert to_json(found) == to_json(expected), f"seed {seed}"
        assert found.sent_document == expected.sent_document, f"seed {seed}"
        saved = from_json(record_json(record_of(inputs, expected), tree), tree, "context")
        assert set(saved.inputs.included) == set(inputs.included)
        assert replace(saved.inputs, included=()) == replace(inputs, included=())
        assert before is None or snapshot(tree) == before
        sent += 1
    assert sent > 50


@pytest.mark.parametrize("flag", ["excluded", "pruned"])
def test_flags_of_the_record_count_and_not_those_of_the_tree(flag: str) -> None:
    tree, ids = chain(3)
    flagged, none = frozenset({ids[1]}), frozenset[str]()
    excluded, pruned = (flagged, none) if flag == "excluded" else (none, flagged)
    inputs = Inputs((tree.root_id, *ids), excluded=excluded, pruned=pruned)
    said = assembled_from(tree, inputs).messages[0].text
    assert said == "message 0\n\nmessage 2"


def test_a_note_on_several_nodes_is_left_by_the_one_that_was_chosen() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    note = do(tree, node_edits.annotate(tree, ids[2], "on both", hand.pen())).added_nodes()[0].id
    edge = tree.annotation_edges_into(note)[0]
    tree.put_edge(replace(edge, sources=(*edge.sources, EdgeSource(ids[0]))))
    tree.path = ActivePath(note, {note: ids[0]})
    question = AskedQuestion(Agent("a", "A", "model"), Sources(note))

    inputs = inputs_of(tree, question, Model())

    assert inputs.path == (tree.root_id, ids[0], note)
    assert assembled_from(tree, inputs).report == assembled_for(tree, question, Model()).report


@pytest.mark.parametrize("chunk", range(2))
def test_the_words_that_are_sent_are_written_out_canonically(chunk: int) -> None:
    for seed in range(FIRST_SEED + 100 * chunk, FIRST_SEED + 100 * (chunk + 1)):
        tree, question, model = asked(seed)
        found = or_code(partial(assembled_for, tree, question, model))
        if isinstance(found, str):
            continue
        messages = [{"role": m.role, "parts": [part.to_json() for part in m.parts]} for m in found.messages]
        said = {"system": found.system, "messages": messages, "document": found.sent_document}
        assert said_json(found) == canonical_json(said), f"seed {seed}"


def test_a_digest_with_rests_is_the_same_and_rests_at_every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Hand()
    tree, ids = chain(30, hand=hand)
    today = inputs_of(tree, AskedQuestion(Agent("a", "A", "model"), Sources(ids[-1])), Model())
    whole = digest_of(assembled_from(tree, today))
    for module in (assembly, record):
        monkeypatch.setattr(module, "AT_ONCE", 7)
    found = assembled_from(tree, today)
    told: list[str] = []

    rests = sum(1 for _ in _telling(digesting(found), told))

    assert told == [whole]
    assert digest_of(found) == whole
    assert rests >= 2 * (len(found.messages) // 7), "as they are made, and as they are written out"


def _telling(steps: Generator[None, None, str], told: list[str]) -> Iterator[None]:
    told.append((yield from steps))


def test_words_of_any_kind_are_written_out_canonically() -> None:
    tree, ids = chain(1)
    odd = 'quotes " and \\ and \x00\x1f\x7f\u2028 \ud800 \U0001f33f\n\t'
    tree.put_node(replace(tree.nodes[ids[0]], content=Text(odd)))
    found = assembled_for(tree, AskedQuestion(Agent("a", "A", "model"), Sources(ids[0])), Model())

    said = {
        "system": None,
        "messages": [{"role": "user", "parts": [{"type": "text", "text": odd.strip()}]}],
        "document": None,
    }
    assert said_json(found) == canonical_json(said)


def test_what_is_tried_of_a_long_path_walks_and_reads_none_of_it_again() -> None:
    hand = Hand()
    tree, ids = chain(50, hand=hand)
    today = inputs_of(tree, AskedQuestion(Agent("a", "A", "model"), Sources(ids[-1])), Model())
    known = resolve(tree, ids[-1])

    seen = as_seen(tree, replace(today, excluded=frozenset({ids[7]}), pruned=frozenset({ids[9]})))

    path = resolve(seen, ids[-1])
    assert isinstance(path.places, Overlay), "over what is known, not counted anew"
    marks = [node.metadata for node in path.nodes]
    assert [i for i, mark in enumerate(marks) if mark.excluded] == [path.place_of(ids[7])]
    assert [i for i, mark in enumerate(marks) if mark.pruned] == [path.place_of(ids[9])]
    assert not any(node.metadata.excluded or node.metadata.pruned for node in known.nodes)
    assert resolve(tree, ids[-1]) == known
