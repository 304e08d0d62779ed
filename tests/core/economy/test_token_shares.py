"""Where the tokens of a context go: by author, kind and message, before and after each stage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.request import ContextRequest
from loomapp.core.context.token_shares import (
    OTHERS,
    largest,
    nodes_of,
    percentages,
    token_stages,
    with_largest_messages,
)
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.uncommitted_tree import once_saved
from tests.core.economy.trees import (
    asked,
    document,
    mixed,
    result,
    talk,
    use,
    with_heads,
    with_summary,
    words,
)
from tests.kit.trees import Hand
from tests.kit.written_trees import chain, node

LONG = "x" * 60_000  # more than is stored, and than is left whole


def study() -> Tree:
    return chain(
        node("n1", "Read this."),
        mixed("n2", words("Here"), document(LONG)),
        mixed("n3", use("a"), author="model"),
        mixed("n4", result("a", "found it")),
        node("n5", "So it is.", "model"),
        node("n6", "And?"),
        system="Be kind.",
    )


def test_without_economy_the_path_is_what_is_sent() -> None:
    found = token_stages(asked(study(), "n6"), study().nodes)

    assert [one.stage for one in found] == ["path", "sent"]
    before, sent = found
    assert before.total == sent.total == asked(study(), "n6").report.after_tokens
    assert before.by_kind["document"] == 15_000
    assert list(before.by_kind) == ["system", "text", "document", "tool"]
    assert list(before.by_author) == ["", "human", "model"]
    assert before.by_message["n6"] == 1
    assert sum(before.by_author.values()) == sum(before.by_message.values()) == before.total


def test_each_stage_that_is_on_has_its_own_shares() -> None:
    subject = study()
    with_summary(subject, "n1", text="They read.")

    context = asked(subject, "n6", use_summaries=True, compression=True)
    path, summarised, shortened, sent = token_stages(context, subject.nodes)

    assert [path.stage, summarised.stage, shortened.stage] == ["path", "summaries", "compression"]
    assert ("n1" in path.by_message, "n1" in summarised.by_message) == (True, False)
    assert path.by_kind.keys().isdisjoint({"summary"})
    assert summarised.by_kind["system"] == path.by_kind["system"]
    assert summarised.by_kind["summary"] > 30
    assert shortened.by_kind["document"] < summarised.by_kind["document"]
    assert sent.by_kind == shortened.by_kind
    told = dict(context.report.economy.stages)
    assert (summarised.total, shortened.total) == (told["summaries"], told["compression"])
    assert (path.total, sent.total) == (context.report.before_tokens, context.report.after_tokens)


def test_what_the_strategy_leaves_out_is_not_among_what_is_sent() -> None:
    subject = chain(*(node(f"n{i}", "x" * 400) for i in range(1, 13)))
    context = asked(subject, "n12", window=1_700)

    *_, sent = token_stages(context, subject.nodes)

    assert context.report.truncated
    assert sent.total == context.report.after_tokens
    assert "n5" not in sent.by_message
    assert sent.by_kind["beside"] > 0


def test_branch_summaries_and_words_in_the_composer_are_told_apart() -> None:
    subject = with_heads(talk(4, system="Tree."), n1="All.", n3="Some.")
    request = ContextRequest("n4", composer_text="Go on, then.")

    path, summarised, sent = token_stages(
        asked(subject, "n4", request=request, assembler="summaries"), subject.nodes
    )

    assert path.by_kind["system"] == 2
    assert summarised.by_kind["summary"] > 10
    assert "system" not in summarised.by_kind
    assert sent.by_message[""] >= 3
    assert sent.by_author["human"] == 3


def test_agents_are_told_apart() -> None:
    subject = chain(node("n1", "Hello"), replace(node("n2", "Hi there", "model"), author_agent_id="smol"))

    [path, _] = token_stages(asked(subject, "n2"), subject.nodes)

    assert path.by_author == {"human": 2, "smol": 2}


@pytest.mark.parametrize(
    ("values", "told"),
    [([], []), ([0, 0], [0, 0]), ([1, 1, 1], [34, 33, 33]), ([999, 1], [100, 0]), ([5, 15, 80], [5, 15, 80])],
)
def test_percentages_add_up_to_a_hundred(values: list[int], told: list[int]) -> None:
    assert percentages(values) == told


def test_the_largest_are_told_and_the_others_added_up() -> None:
    assert largest({"a": 1, "b": 5, "c": 3, "d": 2}, 2) == ([("b", 5), ("c", 3)], 3)


def test_of_many_messages_the_largest_are_named_and_the_others_are_one_share() -> None:
    subject = chain(node("n1", "x" * 40), node("n2", "y" * 400), node("n3", "z" * 80), node("n4", "?"))

    path, sent = with_largest_messages(token_stages(asked(subject, "n4"), subject.nodes), 2)

    assert path.by_message == sent.by_message == {"n2": 100, "n3": 20, OTHERS: 11}


def test_the_edit_of_a_first_message_that_is_not_saved_yet_has_its_share() -> None:
    subject = study()
    ahead = once_saved(subject, resolve(subject, "n6"), "n1", "Read all of this.", Hand().pen())
    assert ahead is not None

    context = ahead.named(asked(ahead.tree, ahead.at))
    path, sent = token_stages(context, nodes_of(context, subject))

    assert sent.by_message["n1"] == sent.by_author["human"] == path.by_kind["text"]
