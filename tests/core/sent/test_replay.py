"""Sending again: the same, or every reason why it is not."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import Assembled
from loomapp.core.edits import branches, node_edits, node_marks, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import ContextSettings, EdgeSource, Mode
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Model, assembled_from, inputs_of
from loomapp.core.sent.record import Record, digest_of, from_json, record_of, to_json
from loomapp.core.sent.replay import replay, undone
from tests.kit.chance import examples
from tests.kit.trees import Hand, chain, do

AGENT = Agent("claude", "Claude", "model", "anthropic:c", Configuration(system_prompt="Be brief."))


class Saved(NamedTuple):
    """A record, and what of it is in the file; it is read when the tree is another."""

    record: Record
    value: Json

    def read(self, tree: Tree) -> Record:
        return from_json(self.value, tree, "context")


def recorded(tree: Tree, question: AskedQuestion, model: Model) -> tuple[Saved, Assembled]:
    inputs = inputs_of(tree, question, model)
    assembled = assembled_from(tree, inputs)
    record = record_of(inputs, assembled)
    return Saved(record, to_json(record, tree)), assembled


@dataclass
class Life:
    """A tree that is written, marked, edited and asked at random."""

    dice: random.Random
    mode: Mode
    hand: Hand = field(default_factory=Hand)
    records: list[tuple[Saved, Sources, Assembled]] = field(default_factory=list)
    done: list[Change] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tree, _ = chain(3, mode=self.mode, hand=self.hand)
        self.model = Model(context_window=1400, provider_rules="anthropic", continues_documents=False)

    def any_id(self) -> str:
        return self.dice.choice(list(self.tree.nodes))

    def change(self, change: Change | None) -> None:
        if change is not None:
            apply(self.tree, change)
            self.done.append(change)

    def step(self) -> None:
        tree, pen, at = self.tree, self.hand.pen(), self.any_id()
        words = " ".join("word" for _ in range(self.dice.choice((1, 3, 300))))
        acts: list[Callable[[], None]] = [
            lambda: self.change(node_marks.exclude(tree, [at], pen)),
            lambda: self.change(node_marks.include(tree, [at], pen)),
            lambda: self.change(node_marks.prune(tree, at, pen)) if at != tree.root_id else None,
            lambda: self.change(node_marks.restore(tree, at, pen)),
            lambda: self.change(node_edits.add_node(tree, at, words, pen)),
            lambda: self.write_with_sources(at, words, pen),
            lambda: self.change(node_edits.annotate(tree, at, "a note", pen)),
            lambda: self.switch_note(pen),
            lambda: self.set_tree(pen),
            self.set_model,
            lambda: self.edit(at, words, pen),
            self.undo,
            self.ask,
            self.ask,
        ]
        self.dice.choice(acts)()

    def write_with_sources(self, at: str, words: str, pen: EditContext) -> None:
        sources = (EdgeSource(at), EdgeSource(self.any_id(), self.dice.choice(("context", "instruction"))))
        if len({source.node_id for source in sources}) == 2:
            self.change(node_edits.add_node(self.tree, at, words, pen, sources=sources))

    def switch_note(self, pen: EditContext) -> None:
        notes = [i for i in self.tree.nodes if self.tree.annotation_edges_into(i)]
        if notes:
            note = self.dice.choice(notes)
            is_on = note in self.tree.included_annotations.node_ids
            self.change(node_edits.include_annotation(self.tree, note, not is_on, pen))

    def set_tree(self, pen: EditContext) -> None:
        own = ContextSettings(
            self.dice.choice((None, "rollingWindow", "truncateMiddle", "stopAtLimit")),
            self.dice.choice((None, 1, 2)),
            self.dice.choice((None, 1000, 1200)),
            self.dice.choice((None, "pending")),
            dialogue_marker=self.dice.choice((None, None, "({n} gone)")),
            buffer_marker=self.dice.choice((None, None, " ~ ")),
            continue_text=self.dice.choice((None, None, "Weiter.")),
        )
        loom = replace(
            self.tree.loom,
            context_settings=own,
            system_context=self.dice.choice((None, "A tree.")),
            buffer_mode_system_context=self.dice.random() < 0.5,
        )
        self.change(tree_edits.change_loom(self.tree, "Settings", pen, loom))

    def set_model(self) -> None:
        self.model = replace(
            self.model,
            context_window=self.dice.choice((1300, 1500, 9000)),
            provider_rules=self.dice.choice(("openai", "anthropic", "anthropic-prefill")),
        )

    def edit(self, at: str, words: str, pen: EditContext) -> None:
        if self.mode == "buffer":
            self.change(node_edits.edit_as_version(self.tree, at, words, pen))
        elif self.tree.incoming(at):
            self.change(node_edits.edit_as_sibling(self.tree, at, words, pen))

    def undo(self) -> None:
        if self.done and self.dice.random() < 0.5:
            last = self.done[-1]
            added = {node.id for node in last.added_nodes()}
            if not any(added & self.needed(kept.record) for kept, _, _ in self.records):
                apply(self.tree, self.done.pop().inverse())

    def needed(self, record: Record) -> set[str]:
        return {*record.inputs.path, *record.inputs.context_ids, *record.inputs.included}

    def ask(self) -> None:
        sources = Sources(self.any_id())
        if self.dice.random() < 0.3:
            other = self.any_id()
            if other != sources.primary_id:
                sources = replace(sources, context_ids=(other,))
        try:
            record, assembled = recorded(self.tree, AskedQuestion(AGENT, sources), self.model)
        except AssemblyError:
            return
        self.records.append((record, sources, assembled))


@given(seed=st.integers(0, 2**32), mode=st.sampled_from(["dialogue", "buffer"]))
@settings(max_examples=examples(60), deadline=None)
def test_a_random_history_is_told_whole(seed: int, mode: Mode) -> None:
    life = Life(random.Random(seed), mode)
    for _ in range(60):
        life.step()
    for kept, sources, then in life.records:
        record = kept.read(life.tree)
        today = inputs_of(life.tree, AskedQuestion(AGENT, sources), life.model)
        told = replay(life.tree, record, today)
        if told.then is not None:
            assert digest_of(told.then) == digest_of(then), "what was sent is shown as it was"
        assert told.then is not None, "nothing was moved, so it can be shown"
        assert told.is_identical == (told.now is not None and digest_of(told.now) == record.digest)
        if not told.is_identical:
            assert told.differences, "whoever asks why is answered"
        back = today
        for difference in told.differences:
            back = undone(back, record, difference)
        back = replace(back, excluded=record.inputs.excluded, pruned=record.inputs.pruned)
        assert digest_of(assembled_from(life.tree, back)) == record.digest, "there is no other reason"


MODEL = Model(context_window=2000, provider_rules="openai")


def told(tree: Tree, record: Saved, at: str, agent: Agent = AGENT, model: Model = MODEL) -> list[str]:
    """The causes of a replay now, settings by name."""
    today = inputs_of(tree, AskedQuestion(agent, Sources(at)), model)
    return [found.name or found.cause for found in replay(tree, record.read(tree), today).differences]


def test_each_thing_that_changed_is_told_by_its_name() -> None:
    hand = Hand()
    tree, ids = chain(4, hand=hand)
    record, _ = recorded(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    assert told(tree, record, ids[-1]) == []

    do(tree, node_marks.exclude(tree, [ids[0]], hand.pen()))
    assert told(tree, record, ids[-1]) == ["excluded"]
    do(tree, node_marks.include(tree, [ids[0]], hand.pen()))

    note = do(tree, node_edits.annotate(tree, ids[1], "mind this", hand.pen())).added_nodes()[0].id
    assert told(tree, record, ids[-1]) == []
    do(tree, node_edits.include_annotation(tree, note, True, hand.pen()))
    assert told(tree, record, ids[-1]) == ["noteIncluded"]
    do(tree, node_edits.include_annotation(tree, note, False, hand.pen()))

    other = replace(AGENT, configuration=Configuration(system_prompt="Be long."))
    assert told(tree, record, ids[-1], other) == ["system_prompt"]
    assert told(tree, record, ids[-1], model=replace(MODEL, context_window=3000)) == ["context_window"]
    loom = replace(tree.loom, context_settings=ContextSettings("rollingWindow"), system_context="T")
    do(tree, tree_edits.change_loom(tree, "Settings", hand.pen(), loom))
    assert told(tree, record, ids[-1]) == ["system_context", "truncation_strategy"]


def test_a_version_that_took_its_place_is_told_and_the_old_text_is_still_shown() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    record, then = recorded(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    do(tree, node_edits.edit_as_version(tree, ids[1], "another", hand.pen()))

    today = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    found = replay(tree, record.read(tree), today)
    assert [difference.cause for difference in found.differences] == ["path"]
    assert not found.is_identical
    assert found.then is not None
    assert found.then.document == then.document
    assert found.now is not None
    assert found.now.document == "message 0anothermessage 2"


def test_a_branch_that_was_moved_cannot_be_assembled_as_it_was() -> None:
    hand = Hand()
    tree, ids = chain(4, hand=hand)
    record, _ = recorded(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    do(tree, branches.reparent(tree, ids[2], ids[0], hand.pen()))

    found = replay(tree, record.read(tree), inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL))
    assert found.then is None
    assert [difference.cause for difference in found.differences] == ["moved"]


def test_another_assembler_is_told_when_nothing_else_is() -> None:
    tree, ids = chain(2)
    record, _ = recorded(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    forged = record._replace(value={**record.value, "digest": "0" * 64})
    assert told(tree, forged, ids[-1]) == ["assembler"]


def test_what_can_no_longer_be_sent_says_why() -> None:
    hand = Hand()
    tree, ids = chain(2, hand=hand)
    record, _ = recorded(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    do(tree, node_marks.exclude(tree, ids, hand.pen()))

    found = replay(tree, record.read(tree), inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL))
    assert not found.is_identical
    assert found.now is None
    assert found.error is not None
    assert found.error.code == "EMPTY_CONTEXT"
    assert len(found.differences) == 1
