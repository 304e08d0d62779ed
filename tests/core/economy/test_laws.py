"""Laws of the economy: nothing it does changes a node, depends on another branch, or goes to and fro."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.economy.calls import Call, Calls
from loomapp.core.economy.compression import (
    CarriedOn,
    CompressiblePart,
    PartKind,
    Shortened,
    WindowLoad,
    base_of,
    compressed,
)
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import AUTO, SUMMARIES, Economy, EconomySettings
from loomapp.core.model.entities import ContextSettings, Metadata, Node
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.calls import calls_of
from loomapp.core.sent.inputs import Model, assembled_from
from loomapp.core.sent.record import digest_of, from_json, recorded_request
from loomapp.formats import loom_json
from tests.core.economy.economy_trees import economy_case
from tests.core.economy.trees import (
    asked,
    document,
    dropped,
    kept,
    mixed,
    result,
    talk,
    use,
    with_heads,
    with_summary,
    words,
)
from tests.kit import chance
from tests.kit.written_trees import chain, edge, node, tree

ECONOMY = Economy(compression=True)
SIZES = st.sampled_from([3, 2_000, 14_000, 16_000, 24_000, 31_000, 51_000])
LOADS = st.builds(
    WindowLoad,
    st.one_of(st.sampled_from([0.1, 0.55, 0.65, 0.72, 0.8, 0.95]), st.floats(0, 1.2)),
    st.one_of(st.sampled_from([None, 0.0, 299.0, 300.0, 900.0])),
)


@st.composite
def parts(draw: st.DrawFn) -> list[CompressiblePart]:
    """Parts of different kinds, as one path has them."""
    kinds: list[PartKind] = ["document", "tool_result", "tool_result", "text"]
    return [
        CompressiblePart(
            f"n{number}",
            0,
            chr(97 + number) * draw(SIZES),
            draw(st.sampled_from(kinds)),
            f"L{number}",
            draw(st.sampled_from(["read_file", "read_file", "look_up"])),
            draw(st.sampled_from([None, "same", f"own{number}"])),
            is_full=draw(st.booleans()) and draw(st.booleans()),
        )
        for number in range(draw(st.integers(4, 9)))
    ]


def shortened(found: list[CompressiblePart], load: WindowLoad, *carried: CarriedOn) -> tuple[Shortened, ...]:
    bases = [base_of(one, ECONOMY, can_read=False) for one in found]
    return compressed(found, bases, ECONOMY, load, carried).parts


def carried_by(found: list[CompressiblePart], sent: tuple[Shortened, ...]) -> list[CarriedOn]:
    """What the next call carries on of these, as a record tells it."""
    result = list[CarriedOn]()
    for one, now in zip(found, sent, strict=True):
        if one.node_id is None or now.row not in ("budget", "snip", "clear"):
            continue
        tight = len(now.text) <= ECONOMY.tight_chars
        budget = ECONOMY.tight_chars if tight else ECONOMY.budget_chars
        result.append(CarriedOn(one.node_id, one.index, now.row, budget if now.row == "budget" else 0))
    return result


@given(parts(), LOADS, LOADS)
def test_a_row_follows_from_base_load_and_what_was_carried_and_from_nothing_else(
    found: list[CompressiblePart], load: WindowLoad, before: WindowLoad
) -> None:
    carried = carried_by(found, shortened(found, before))

    first = shortened(found, load, *carried)
    shortened(found, before)  # another call in between leaves no trace
    again = shortened(found, load, *reversed(carried))

    assert again == first


@given(parts(), LOADS, LOADS)
def test_what_was_carried_stays_at_least_as_short_and_under_the_same_load_as_it_is(
    found: list[CompressiblePart], load: WindowLoad, later: WindowLoad
) -> None:
    sent = shortened(found, load)
    carried = carried_by(found, sent)

    same, next_time = shortened(found, load, *carried), shortened(found, later, *carried)

    named = {one.node_id for one in carried}
    for one, was, still, now in zip(found, sent, same, next_time, strict=True):
        if one.node_id in named and one.kind != "text":
            assert still.text == was.text
            assert len(now.text) <= len(was.text)


def research() -> Tree:
    """Two questions, with documents and the results of tools between them, and an answer."""
    rows: list[Node] = [node("r", "Root.")]
    for number in range(5):
        rows.append(mixed(f"u{number}", document("d" * (9_000 * number), f"{number}.txt"), words("Read it.")))
        call = f"call{number}"
        rows.append(mixed(f"c{number}", words("Looking."), use(call, path=str(number)), author="model"))
        rows.append(mixed(f"t{number}", result(call, "t" * (8_000 * number + 1))))
    return chain(*rows, node("q", "And now?"))


@given(st.floats(0, 1.2), st.one_of(st.none(), st.integers(0, 900)), st.booleans())
@settings(max_examples=chance.examples(40))
def test_compression_never_changes_a_node(utilization: float, idle: float | None, texts: bool) -> None:
    subject = research()
    before = dict(subject.nodes)
    said = {name: repr(one) for name, one in before.items()}

    asked(subject, "q", utilization=utilization, idle=idle, compression=True, compress_text=texts)

    assert subject.nodes == before
    assert {name: repr(one) for name, one in subject.nodes.items()} == said
    assert all(subject.nodes[name] is one for name, one in before.items())


# Siblings


def call(node_id: str, continued: str, dice: random.Random) -> Call:
    """A call that counted, and had shortened something."""
    carried = (CarriedOn("a3", 0, dice.choice(("snip", "clear"))), CarriedOn("r", 0, "clear"))
    return Call(
        f"e{node_id}",
        "m:1",
        continued=(continued,),
        ended_at=dice.randrange(1, 1_000_000),
        input_tokens=dice.randrange(1, 90_000),
        output_tokens=dice.randrange(1, 900),
        carried=carried,
    )


@pytest.mark.parametrize("seed", range(12))
def test_siblings_never_see_each_others_summaries_usage_or_carried_parts(seed: int) -> None:
    dice = random.Random(chance.seed(40) + seed)
    names = {side: [f"{side}{number}" for number in range(1, 9)] for side in "ab"}
    rows = [node("r", "Root."), node("s", "Both.")]
    for side in names.values():
        rows += [mixed(name, document(name * dice.randrange(1, 20_000), f"{name}.txt")) for name in side]
    edges = [edge("s", "r")]
    for side in names.values():
        edges += [edge(after, before) for before, after in zip(["s", *side], side, strict=False)]
    subject = tree(rows, edges)
    alone = seen_from("b8", subject, {})

    with_summary(subject, dice.choice(names["a"][:4]), "Only a's.")
    with_heads(subject, a2="Only a's.")
    calls = {name: call(name, before, dice) for before, name in zip(names["a"], names["a"][1:], strict=False)}

    assert seen_from("b8", subject, calls) == alone
    assert seen_from("a8", subject, calls) != seen_from("a8", subject, {})


def seen_from(at: str, subject: Tree, calls: Calls) -> list[object]:
    """All that is assembled at a node, by both assemblers, and the state."""
    found = list[object]()
    for assembler in (AUTO, SUMMARIES):
        request = ContextRequest(at, 20_000, model="m:1", calls=calls, now=2_000_000)
        sent = asked(subject, at, request=request, assembler=assembler, use_summaries=True, compression=True)
        assert sent.economy is not None
        found += [to_json(sent), sent.economy.state.to_json()]
    return found


# Covered nodes


@pytest.mark.parametrize("covered", ["n1", "n3", "n5"])
@pytest.mark.parametrize("flag", ["excluded", "pruned"])
def test_a_covered_node_that_is_left_out_makes_its_summary_stale_and_the_nodes_come_back(
    covered: str, flag: str
) -> None:
    subject = talk(12)
    with_summary(subject, "n5")
    summarised = asked(subject, "n12", use_summaries=True)
    assert dropped(summarised, "summarised") == "n1 n2 n3 n4 n5"
    known = subject.nodes[covered]

    flagged = Metadata(excluded=flag == "excluded", pruned=flag == "pruned")
    subject.put_node(replace(known, metadata=flagged))
    stale = asked(subject, "n12", use_summaries=True)
    subject.put_node(known)

    assert stale.report.economy.summary_used is None
    assert dropped(stale, flag) == covered
    assert kept(stale) == " ".join(f"n{i}" for i in range(1, 13) if f"n{i}" != covered)
    assert to_json(asked(subject, "n12", use_summaries=True)) == to_json(summarised)


# What is shown is what is sent, and what was sent


CASES = [range(12), pytest.param(range(12, 300), marks=pytest.mark.slow)]


@pytest.mark.parametrize("cases", CASES)
def test_with_every_stage_on_what_is_shown_is_sent_and_told_again(cases: range) -> None:
    model = Model(context_window=30_000, provider_rules="anthropic", accepts_images=True)
    with_economy = 0
    for seed in cases:
        file, wish = economy_case(chance.seed(70) + seed, time.time())
        file["responses"] = []
        subject = loom_json.read(json.dumps(file).encode(), lenient=True).tree
        stages = EconomySettings(AUTO, True, compression=True, compress_text=True, min_recent_messages=2)
        if seed % 3 == 0:
            stages = replace(stages, assembler=SUMMARIES)
        question = AskedQuestion(
            Agent("a", "A", "model", "m:1"),
            Sources(wish["at"]),
            overrides=ContextSettings(economy=stages),
            load=GivenLoad(0.8, 400, True),
        )
        try:
            shown = assembled_for(subject, question, model)
        except AssemblyError:
            continue

        request = recorded_request(subject, question, model, shown, 1)
        record = from_json(json.loads(json.dumps(request.record)), subject, "context")

        assert (request.system, request.messages, request.document) == (
            shown.system,
            shown.messages,
            shown.sent_document,
        )
        again = assembled_from(subject, record.inputs)
        assert digest_of(again) == record.digest == digest_of(shown), f"economy_case({seed})"
        with_economy += record.inputs.economy is not None
    assert with_economy > len(cases) // 3


# To and fro


def turns(
    subject: Tree, at: str, count: int, added: Callable[[int], list[Node]], idle_s: Callable[[int], int]
) -> list[int]:
    """The tokens that each of so many turns sends, by the calls of those before it as records tell them."""
    sent, evidence, now = list[int](), list[Evidence](), 1_000_000_000
    agent, model = Agent("a", "A", "model", "m:1"), Model()
    stages = EconomySettings(AUTO, False, compression=True)
    for turn in range(count):
        now += 1_000 * idle_s(turn)
        question = AskedQuestion(
            agent,
            Sources(at),
            overrides=ContextSettings(economy=stages),
            calls=calls_of(subject, evidence),
            now=now,
        )
        assembled = assembled_for(subject, question, model)
        sent.append(assembled.report.after_tokens)
        record = recorded_request(subject, question, model, assembled, 1).record
        answer = node(f"a{turn}", "It is as it was.", "model")
        for row in (answer, *added(turn)):
            subject.put_node(row)
            subject.put_edge(edge(row.id, at))
            at = row.id
        usage = {"inputTokens": sent[-1], "outputTokens": 4}
        one = Evidence(f"e{turn}", "m", "1", b"", choices={answer.id: 0}, ended_at=now, usage=usage)
        evidence.append(replace(one, extra={RECORD: json.loads(json.dumps(record))}))
    return sent


RESULT = 23_000  # characters


def with_results(count: int) -> Tree:
    rows: list[Node] = [node("q", "Read all of it.")]
    for number in range(count):
        rows.append(mixed(f"c{number}", use(f"x{number}", path=str(number)), author="model"))
        rows.append(mixed(f"r{number}", result(f"x{number}", chr(97 + number) * RESULT)))
    return chain(*rows, node("go", "Go on."))


@pytest.mark.parametrize("idle_s", [lambda _: 5, lambda _: 400, lambda turn: 400 if turn % 3 == 2 else 5])
def test_the_tokens_of_nine_turns_never_go_up_again_by_what_was_shortened(
    idle_s: Callable[[int], int],
) -> None:
    sent = turns(with_results(12), "go", 9, lambda turn: [node(f"h{turn}", "And then?")], idle_s)

    assert sent[0] < 12 * RESULT // 4 // 2, "old results are snipped before the first call"
    assert all(after - before <= 20 for before, after in pairwise(sent)), sent


def test_results_that_come_one_after_the_other_are_shortened_once_each() -> None:
    def more(turn: int) -> list[Node]:
        return [
            mixed(f"c{turn}", use(f"x{turn}", path=str(turn)), author="model"),
            mixed(f"r{turn}", result(f"x{turn}", "r" * RESULT)),
        ]

    sent = turns(chain(node("q", "Read.")), "q", 24, more, lambda _: 5)

    grown = [after - before for before, after in pairwise(sent)]
    assert max(grown) <= RESULT // 4 + 40, grown
    falls = [place for place, step in enumerate(grown) if step < 0]
    assert falls, "the window gets full"
    assert all(after - before > 1 for before, after in pairwise(falls)), "not at each turn"


def test_a_summary_that_is_in_use_is_not_given_up_by_the_load_that_it_lowers() -> None:
    subject = talk(12)
    with_summary(subject, "n5")

    found = [asked(subject, "n12", use_summaries=True, utilization=load) for load in (0.99, 0.01)]

    assert [dropped(one, "summarised") for one in found] == ["n1 n2 n3 n4 n5"] * 2
    assert [tokens_of(one) for one in found] == [tokens_of(found[0])] * 2
    assert resolve(subject, "n12").node_ids[-1] == "n12"


def tokens_of(one: Assembled) -> int:
    return one.report.after_tokens
