"""Variants: what is tried is what the rules say of it, it follows what is typed, and remedies help."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import to_json
from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import begun
from loomapp.core.prose.passage_edits import revise, split
from loomapp.core.sent.inputs import Inputs, Model, assembled_from, inputs_of
from loomapp.core.sent.replay import Variant, next_name, variant_between
from loomapp.core.sent.trial import (
    all_stages,
    made_so,
    own_settings,
    remedies_for,
    room_for,
    with_nodes,
    with_note,
    with_pruned,
    without,
)
from tests.core.context.test_naive import case, theirs, tree_and_request
from tests.core.sent.test_trial import AGENT, MODEL, noted_chain, tried
from tests.kit import chance
from tests.kit.chance import examples
from tests.kit.families import one_in
from tests.kit.trees import Hand, do, snapshot

Json = dict[str, Any]
FIRST_SEED = chance.seed(1)
JSON_NAMES: dict[str, list[Any]] = {
    "truncation_strategy": ["truncateMiddle", "rollingWindow", "stopAtLimit"],
    "minimum_recent_nodes": [1, 2, 5],
    "token_buffer": [0, 5, 30],
    "instruction_scope": ["path", "pending"],
    "dialogue_marker": ["{n}", "({n} message{s} gone)"],
    "buffer_marker": [" ", "~gap~"],
    "continue_text": ["Weiter.", " {n}"],
}


def asked(file: Json, options: Json) -> tuple[Tree, AskedQuestion, Model]:
    """Somebody who asks in a random tree, of a model that takes everything as it is."""
    tree, request = tree_and_request(file, options)
    configuration = Configuration(system_prompt=request.system_prompt, max_tokens=request.max_tokens)
    sources = Sources(request.at, request.context_ids, request.instruction_ids)
    question = AskedQuestion(
        Agent("a", "A", "model", configuration=configuration),
        sources,
        defaults=request.defaults,
        overrides=request.overrides,
        composer_blocks=request.composer_blocks,
        withheld=request.withheld,
    )
    model = Model(request.window, request.provider_rules, request.accepts_images)
    return tree, question, model


def otherwise(today: Inputs, tree: Tree, dice: random.Random) -> Inputs:
    """A few things that are otherwise, at random."""
    some = [i for i in tree.nodes if dice.random() < 0.2]
    wanted = with_pruned(
        with_nodes(without(today, some[::2]), some[1::2]), [i for i in today.path if dice.random() < 0.2]
    )
    for note in [i for i in tree.nodes if tree.annotation_edges_into(i)]:
        if dice.random() < 0.5:
            wanted = with_note(wanted, note, dice.random() < 0.6)
    for name, values in JSON_NAMES.items():
        if dice.random() < 0.4:
            wanted = replace(wanted, **{name: dice.choice(values)})
    if dice.random() < 0.3:
        wanted = replace(wanted, system_context=dice.choice((None, "", " Tree ", "T" * 30)))
    if dice.random() < 0.3:
        wanted = replace(wanted, system_prompt=dice.choice((None, "Agent")))
    return replace(wanted, buffer_system_context=dice.random() < 0.5)


def as_if_written(file: Json, options: Json, today: Inputs, wanted: Inputs) -> tuple[Json, Json]:
    """The file as it would be if the tree said what is tried."""
    file, options = copy.deepcopy((file, options))
    for node in file["nodes"]:
        node["metadata"]["excluded"] = node["id"] in wanted.excluded
        if node["id"] in today.pruned - wanted.pruned:
            node["metadata"]["pruned"] = False
    file["includedAnnotations"] = list(wanted.included)
    tree = file["tree"]
    tree["systemContext"] = wanted.system_context
    tree["bufferModeSystemContext"] = wanted.buffer_system_context
    camel = {"truncation_strategy": "truncationStrategy", "minimum_recent_nodes": "minimumRecentNodes",
             "token_buffer": "tokenBuffer", "instruction_scope": "instructionScope",
             "dialogue_marker": "dialogueMarker", "buffer_marker": "bufferMarker",
             "continue_text": "continueText"}  # fmt: skip
    options["overrides"] |= {said: getattr(wanted, name) for name, said in camel.items()}
    options["system_prompt"] = wanted.system_prompt
    return file, options


def printed(tree: Tree, inputs: Inputs) -> Json:
    try:
        value: Json = json.loads(json.dumps(to_json(assembled_from(tree, inputs))))
    except AssemblyError as error:
        return {"error": error.code}
    value["report"]["dropped"].sort(key=lambda dropped: dropped["nodeId"])
    return value


@pytest.mark.parametrize("chunk", one_in(4, range(4)))
def test_what_is_tried_is_what_a_second_assembler_makes_of_a_tree_that_says_so(chunk: int) -> None:
    compared = 0
    for seed in range(FIRST_SEED + 200 * chunk, FIRST_SEED + 200 * (chunk + 1)):
        file, options = case(seed)
        options |= {"selections": None, "included_annotations": None, "composer_text": None}
        options |= {"working_buffer": ""}
        options |= {"provider_rules": "none"} if file["tree"]["mode"] == "buffer" else {}
        tree, question, model = asked(file, options)
        try:
            today = inputs_of(tree, question, model)
        except AssemblyError:
            continue
        wanted = otherwise(today, tree, random.Random(seed))
        before = snapshot(tree) if seed % 20 == 0 else None

        variant = variant_between("A", today, wanted)
        found = printed(tree, variant.applied(tree, today))

        expected = theirs(*as_if_written(file, options, today, wanted))
        if "error" in expected:
            expected = {"error": expected["error"]["code"]}
        assert found == expected, f"case({seed})"
        assert before is None or snapshot(tree) == before
        compared += "error" not in found
    assert compared > 40


@given(seed=st.integers(0, 2**32), mode=st.sampled_from(["dialogue", "buffer"]))
@settings(max_examples=examples(80), deadline=None)
def test_a_variant_is_its_difference(seed: int, mode: str) -> None:
    hand, dice = Hand(), random.Random(seed)
    tree, ids, notes = noted_chain(mode, hand)  # type: ignore[arg-type]
    today = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    wanted = tried(today, ids, notes, dice)

    variant = variant_between("A", today, wanted)

    again = variant.applied(tree, today)
    assert replace(again, included=()) == replace(wanted, included=())
    assert set(again.included) == set(wanted.included)
    is_same = (again.excluded, again.pruned) == (today.excluded, today.pruned)
    is_same = is_same and set(again.included) == set(today.included)
    assert variant.is_as_today == (is_same and not variant.settings)


def test_a_variant_follows_what_is_typed_and_where_one_goes() -> None:
    hand = Hand()
    tree, ids, notes = noted_chain("dialogue", hand)
    today = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    variant = variant_between("A", today, with_note(without(today, [ids[4]]), notes[1], True))

    typed = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1]), "And now?"), MODEL)
    assert variant.applied(tree, typed).text == "And now?"
    assert ids[4] in variant.applied(tree, typed).excluded

    above = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[1])), MODEL)
    assert variant.applied(tree, above) == above, "neither the node nor the note is in reach there"


def test_a_variant_goes_on_with_the_versions_and_parts_of_a_passage() -> None:
    hand = Hand()
    tree, ids, _ = noted_chain("buffer", hand)
    variant = Variant("A", left_out=frozenset(ids[2:3]), taken_in=frozenset(ids[:1]))
    typed = {ids[2]: begun(tree, ids[2]).replaced(0, 0, "Two words. ", Author("human", "me"))}
    revised = do(tree, revise(tree, ids, typed, hand.pen()))
    version = revised.added_nodes()[0].id
    parted = do(tree, split(tree, resolve(tree, ids[-1]).node_ids, version, 3, hand.pen()))
    parts = {node.id for node in parted.added_nodes()}

    found = variant.following(revised.added_nodes()).following(parted.added_nodes())

    assert found == replace(variant, left_out=frozenset({ids[2], version, *parts}))


def test_names_are_given_in_order_and_never_twice() -> None:
    assert next_name([]) == "A"
    assert next_name(["A", "C"]) == "B"
    assert next_name([chr(ord("A") + n) for n in range(26)]) == "A2"
    assert Variant("A").is_as_today


# Remedies


def long_chain(**wanted: Any) -> tuple[Tree, list[str], Inputs]:
    """Ten messages of a hundred tokens, the sixth of five hundred."""
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "Long", hand.pen())
    ids: list[str] = []
    for number in range(10):
        text = ("x" * 2000) if number == 5 else "y" * 400
        change = do(tree, node_edits.add_node(tree, ids[-1] if ids else tree.root_id, text, hand.pen()))
        ids.append(change.added_nodes()[0].id)
    today = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), Model(2024, "openai"))
    return tree, ids, replace(today, **wanted)


def error_of(tree: Tree, inputs: Inputs) -> AssemblyError:
    with pytest.raises(AssemblyError) as raised:
        assembled_from(tree, inputs)
    return raised.value


def test_what_is_too_long_can_be_sent_by_another_strategy_or_with_less_room() -> None:
    tree, _, today = long_chain(truncation_strategy="stopAtLimit", system_prompt=None)
    found = remedies_for(tree, today, error_of(tree, today))

    assert [(r.kind, r.value) for r in found] == [
        ("strategy", "truncateMiddle"), ("strategy", "rollingWindow"), ("room", 1024 - 400),
    ]  # fmt: skip
    for remedy in found:
        assert assembled_from(tree, remedy.inputs).report.after_tokens == remedy.tokens


def test_every_error_that_settings_can_mend_has_a_remedy_that_works() -> None:
    tree, ids, today = long_chain(system_prompt="s" * 4200)  # 1,050 of 1,000
    assert [r.kind for r in remedies_for(tree, today, error_of(tree, today))] == ["room"]
    tree, ids, today = long_chain(token_buffer=5000)
    assert [r.kind for r in remedies_for(tree, today, error_of(tree, today))] == ["room"]
    tree, ids, today = long_chain(max_tokens=5000)
    found = remedies_for(tree, today, error_of(tree, today))
    assert [(r.kind, r.inputs.max_tokens) for r in found] == [("answer", 506)]
    tree, ids, today = long_chain()
    today = replace(today, excluded=frozenset({tree.root_id, *ids}))
    found = remedies_for(tree, today, error_of(tree, today))
    assert [(r.kind, r.value) for r in found] == [("include", 11)]


def test_room_for_a_node_is_made_in_ways_after_which_it_is_sent() -> None:
    tree, ids, today = long_chain(system_prompt=None, model=Model(1724, "openai"))
    assembled = assembled_from(tree, today)
    assert assembled.fates[ids[4]] == "truncated"

    found = room_for(tree, today, assembled, ids[4])

    assert "room" in [remedy.kind for remedy in found]
    assert ("exclude", ids[5]) in [(remedy.kind, remedy.node_id) for remedy in found]
    for remedy in found:
        assert assembled_from(tree, remedy.inputs).fates[ids[4]] == "sent"


def test_room_for_a_long_paper_is_made_by_shortening_it_where_that_is_off() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "Papers", hand.pen())
    paper = Mixed((Text("Here it is."), AttachedDocument("a.txt", "text/plain", "It stopped.\n" * 4_000)))
    do(tree, node_edits.add_content(tree, tree.root_id, paper, hand.pen()))
    read = tree.path.leaf_id
    do(tree, node_edits.add_node(tree, read, "What does it say?", hand.pen()))
    question, model = AskedQuestion(AGENT, Sources(tree.path.leaf_id)), Model(9_000, "openai")
    today = inputs_of(tree, question, model)
    assembled = assembled_from(tree, today)
    assert assembled.fates[read] == "truncated"

    found = room_for(tree, today, assembled, read, all_stages(tree, question, model))

    [shorten] = [remedy for remedy in found if remedy.kind == "shorten"]
    assert shorten.tokens < 1_000
    assert made_so(tree, today, shorten.inputs, hand.pen()) is not None
    assert own_settings(EconomySettings(), today, shorten.inputs) == EconomySettings(compression=True)
    on = assembled_from(tree, shorten.inputs)
    assert "shorten" not in [one.kind for one in room_for(tree, shorten.inputs, on, read)]


def test_a_strategy_is_no_remedy_where_the_newest_alone_is_too_long() -> None:
    tree, ids, today = long_chain(truncation_strategy="stopAtLimit", system_prompt=None)
    today = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[5])), Model(1324, "openai"))
    today = replace(today, truncation_strategy="stopAtLimit", system_prompt=None)
    kept = assembled_from(tree, replace(today, truncation_strategy="rollingWindow"))
    assert kept.report.over_limit

    found = remedies_for(tree, today, error_of(tree, today))

    assert "strategy" not in [remedy.kind for remedy in found]
