"""The laws of assembly, over random trees and requests."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import Assembled, assemble, to_json
from loomapp.core.context.provider_rules import PROVIDER_RULES, ProviderRules, fit_messages
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.truncation import (
    DIALOGUE_MARKER,
    Squeeze,
    marker_for,
    rolling_window,
    truncate_middle,
)
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import AuthorType, ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.token_counts import estimate
from tests.core.context.random_trees import random_case
from tests.core.context.test_naive import case as tight_case
from tests.core.context.test_naive import tree_and_request
from tests.kit.written_trees import chain, node

CASES = st.integers(0, 1 << 32).map(lambda seed: tree_and_request(*random_case(seed)))
COSTS = st.lists(st.integers(1, 30), min_size=1, max_size=25)
Case = tuple[Tree, ContextRequest]


def cut_buffer(seed: int) -> tuple[Tree, ContextRequest]:
    """A random buffer, most with a window in which some run of units only just fits."""
    file, options = tight_case(seed)
    file["tree"]["mode"] = "buffer"
    return tree_and_request(file, options)


BUFFERS = st.integers(0, 1 << 32).map(cut_buffer)

# Many random cases end in an error, of which the laws say nothing; a busy machine breaks no law.
LAW = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def assembled(case: Case) -> Assembled:
    """The context of a case; cases that have none are passed over."""
    try:
        return assemble(*case)
    except AssemblyError:
        assume(False)
        raise


def told(tree: Tree) -> str:
    """All that a tree holds, without what is only remembered of it."""
    return repr({name: value for name, value in vars(tree).items() if name != "caches"})


def with_strategy(case: Case, name: str) -> Case:
    """The same case with another strategy."""
    tree, request = case
    return tree, replace(request, overrides=replace(request.overrides, truncation_strategy=name))


@LAW
@given(CASES)
def test_what_is_sent_fits_or_is_said_to_be_over_the_limit(case: Case) -> None:
    report = assembled(case).report

    assert report.after_tokens <= report.available or report.over_limit


@LAW
@given(CASES)
def test_messages_alternate_and_none_is_blank(case: Case) -> None:
    messages = assembled(case).messages

    roles = [message.role for message in messages]
    assert all(before != after for before, after in itertools.pairwise(roles))
    assert all(message.text.strip() for message in messages)


@LAW
@given(CASES, st.sampled_from([rules for rules in PROVIDER_RULES.values() if rules is not None]))
def test_rules_that_look_at_the_ends_alone_say_what_they_say_of_the_whole(
    case: Case, rules: ProviderRules
) -> None:
    tree, request = case
    assume(tree.loom.mode == "dialogue")
    plain = assembled((tree, replace(request, provider_rules="none")))
    rules = replace(rules, system_field=request.at > "b", continue_text=plain.continue_text)

    fitted = plain.fitted_to(rules)

    whole = fit_messages(rules, plain.system, plain.messages, truncated=plain.report.truncated)
    assert fitted.messages == whole.messages
    assert fitted.system == whole.system
    assert fitted.report.provider_adjustments == plain.report.provider_adjustments + whole.adjustments


@LAW
@given(CASES)
def test_every_node_of_the_path_is_kept_or_dropped_in_path_order(case: Case) -> None:
    report = assembled(case).report

    tree, request = case
    path = resolve(tree, request.at, request.selections).node_ids
    dropped = [entry.node_id for entry in report.dropped]
    assert sorted([*report.kept, *dropped]) == sorted({*report.kept, *dropped})
    assert {*path} <= {*report.kept, *dropped}
    kept = [node_id for node_id in report.kept if node_id in path]
    assert kept == sorted(kept, key=path.index)


@LAW
@given(CASES)
def test_the_system_context_is_sent_whole(case: Case) -> None:
    result = assembled(case)

    assert result.system == ("\n\n".join(part.text for part in result.system_parts) or None)


@LAW
@given(st.lists(st.integers(1, 12), min_size=6, max_size=12), st.integers(1, 4), st.data())
def test_where_there_is_room_the_first_and_the_newest_are_sent_around_one_marker(
    costs: list[int], minimum: int, data: st.DataObject
) -> None:
    names = [f"n{number}" for number in range(len(costs))]
    authors: tuple[AuthorType, AuthorType] = ("human", "model")
    told = (
        node(name, "x" * 4 * cost, authors[i % 2])
        for i, (name, cost) in enumerate(zip(names, costs, strict=True))
    )
    least = costs[0] + sum(costs[-minimum:]) + estimate(marker_for(DIALOGUE_MARKER, len(costs)))
    assume(least < sum(costs))
    window = data.draw(st.integers(least, sum(costs) - 1))
    overrides = ContextSettings(minimum_recent_nodes=minimum, token_buffer=0)

    result = assemble(chain(*told), ContextRequest(names[-1], window=window, overrides=overrides))

    assert {names[0], *names[-minimum:]} <= {*result.report.kept}
    assert result.report.minimum_recent_honoured
    assert sum(message.text.count("omitted ...]") for message in result.messages) == 1


@LAW
@given(COSTS, st.integers(1, 6), st.integers(0, 8), st.data())
def test_a_truncated_middle_never_costs_more_than_there_is_room(
    costs: list[int], minimum: int, marker: int, data: st.DataObject
) -> None:
    room = data.draw(st.integers(max(0, sum(costs) // 3), sum(costs) - 1))

    cut = truncate_middle(Squeeze(costs, room, minimum, marker))

    kept = sum(costs[: cut.head]) + sum(costs[len(costs) - cut.tail :])
    assert 1 <= cut.head + cut.tail < len(costs) or len(costs) == 1
    assert kept + marker * cut.marker <= room or (cut.head, cut.tail) == (0, 1)
    if costs[0] + sum(costs[-minimum:]) + marker <= room and minimum < len(costs):
        assert cut.head >= 1
        assert cut.tail >= minimum
        assert cut.marker


@LAW
@given(COSTS, st.data())
def test_a_rolling_window_keeps_a_suffix_and_never_less_for_a_higher_limit(
    costs: list[int], data: st.DataObject
) -> None:
    room = data.draw(st.integers(0, sum(costs) - 1))
    more = data.draw(st.integers(room, sum(costs)))

    less = rolling_window(Squeeze(costs, room, 4, 0))

    assert less.head == 0
    assert rolling_window(Squeeze(costs, more, 4, 0)).tail >= less.tail


@LAW
@given(CASES, st.integers(0, 60))
def test_a_rolling_window_keeps_no_fewer_nodes_for_a_higher_limit(case: Case, more: int) -> None:
    tree, request = with_strategy(case, "rollingWindow")
    before = assembled((tree, request)).report
    # A passage for which there is no room at all stays whole; the first token of room cuts it.
    assume(tree.loom.mode == "dialogue" or not before.over_limit)

    after = assembled((tree, replace(request, window=request.window + more))).report.kept

    assert after[len(after) - len(before.kept) :] == before.kept


@LAW
@given(BUFFERS, st.sampled_from(["truncateMiddle", "rollingWindow"]))
def test_what_is_free_after_a_buffer_is_cut_is_at_most_one_token(case: Case, strategy: str) -> None:
    report = assembled(with_strategy(case, strategy)).report
    assume(report.truncated and not report.over_limit)

    assert 0 <= report.available - report.after_tokens <= 1


@LAW
@given(BUFFERS, st.sampled_from(["truncateMiddle", "rollingWindow"]))
def test_after_its_marker_a_cut_buffer_is_the_end_of_the_whole_text(case: Case, strategy: str) -> None:
    result = assembled(with_strategy(case, strategy))
    assume(result.report.truncated and not result.report.over_limit)
    assert result.document is not None

    start = next((span.end for span in result.spans if span.kind == "marker"), 0)

    whole = "".join(result.fitted.passages.texts)
    assert result.report.strategy == strategy
    assert result.report.marker <= (strategy == "truncateMiddle")
    assert whole.endswith(result.document[start:])
    assert result.document[start:] or not result.report.kept


@LAW
@given(BUFFERS)
def test_what_is_sent_in_part_is_kept_and_its_characters_add_up(case: Case) -> None:
    report = assembled(case).report
    assume(report.partial is not None)
    assert report.partial is not None

    assert report.partial.kept_chars > 0
    assert report.partial.dropped_chars > 0
    assert report.partial.node_id is None or report.partial.node_id in report.kept


@LAW
@given(CASES)
def test_stop_at_limit_sends_everything_or_nothing(case: Case) -> None:
    report = assembled(with_strategy(case, "stopAtLimit")).report

    assert not report.truncated
    assert report.before_tokens == report.after_tokens


@LAW
@given(CASES)
def test_numbers_of_nodes_add_up_to_the_total(case: Case) -> None:
    result = assembled(case)

    report, passages = result.report, result.fitted.passages
    assume(report.partial is None)
    without_room = sum(passages.tokens[index] for index in result.fitted.gap)
    marker = estimate(result.fitted.marker or "")
    assert report.before_tokens == report.after_tokens - marker + without_room


@LAW
@given(CASES)
def test_spans_cover_the_document_and_hold_what_the_nodes_say(case: Case) -> None:
    result = assembled(case)
    assume(result.document is not None)
    assert result.document is not None

    ends = [0, *(span.end for span in result.spans)]

    assert [span.start for span in result.spans] == ends[:-1]
    assert ends[-1] == len(result.document)
    nodes = [span.node_id for span in result.spans if span.kind == "node"]
    assert list(dict.fromkeys(nodes)) == list(result.report.kept)


@LAW
@given(CASES, st.data())
def test_excluding_and_including_again_gives_identical_bytes(case: Case, data: st.DataObject) -> None:
    tree, request = case
    before = json.dumps(to_json(assembled(case)))
    node = tree.nodes[data.draw(st.sampled_from(sorted(tree.nodes)))]
    flipped = replace(node.metadata, excluded=not node.metadata.excluded)

    tree.put_node(replace(node, metadata=flipped))
    tree.put_node(node)

    assert json.dumps(to_json(assemble(tree, request))) == before


@LAW
@given(CASES)
def test_the_tree_is_as_it_was_and_the_same_bytes_come_again(case: Case) -> None:
    tree, request = case
    before = told(tree)

    first = json.dumps(to_json(assembled(case)))

    assert told(tree) == before
    assert json.dumps(to_json(assemble(tree, request))) == first


@LAW
@given(CASES)
def test_settings_of_the_request_beat_those_of_the_tree(case: Case) -> None:
    tree, request = case
    asked = ContextSettings("rollingWindow", 2, 7, "pending")
    result = assembled((tree, replace(request, overrides=asked, max_tokens=None)))

    assert result.report.strategy == "rollingWindow"
    assert result.report.window - result.report.available == 7
