"""Economy in assembly: units, summaries, compression, strategy, and what the report says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.economy.compression import CLEARED, SNIPPED
from loomapp.core.errors import AssemblyError
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import BranchSummary, ContextSettings, ContextSummary, Node
from loomapp.core.paths.resolve import resolve
from tests.core.economy.trees import (
    HEADER,
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
from tests.kit.written_trees import chain, edge, node, tree

# Branch summaries


def test_the_chain_stands_for_all_before_the_last_head() -> None:
    subject = with_heads(talk(6, system="Tree."), n1="All.", n3="Some.")
    request = ContextRequest("n6", system_prompt="Agent.", instruction_ids=("n2",))

    found = asked(subject, "n6", assembler="summaries", request=request)

    chained = (
        "## System Context\n\nTree.\n\n---\n\n## Thread: T\n\nAll.\n\n---\n\n## Thread: N3 (active)\n\nSome."
    )
    assert found.system == f"Agent.\n\n{chained}\n\nb"
    assert (kept(found), dropped(found, "branch_summarised")) == ("n4 n5 n6", "n1 n2 n3")
    assert found.report.warnings == ()
    printed = to_json(found)["report"]
    assert isinstance(printed, dict)
    assert printed["threads"] == {"heads": ["n1", "n3"], "depth": 2, "depthCapped": False}
    assert printed["stages"] == [{"stage": "summaries", "tokens": found.report.after_tokens}]
    assert "load" not in printed


def test_a_head_goes_itself_where_its_summary_is_blank_or_nothing_follows() -> None:
    blank = asked(with_heads(talk(4), n1="All.", n3=" "), "n4", assembler="summaries")
    last = asked(with_heads(talk(4), n1="All.", n4="Some."), "n4", assembler="summaries")

    assert kept(blank) == "n3 n4"
    assert kept(last) == "n4"
    assert last.system == "## Thread: T\n\nAll.\n\n---\n\n## Thread: N4 (active)\n\nSome."


def test_text_in_the_composer_follows_a_head() -> None:
    subject = with_heads(talk(4), n4="Some.")

    found = asked(subject, "n4", assembler="summaries", request=ContextRequest("n4", composer_text="Go on."))

    assert [message.text for message in found.messages] == ["Go on."]
    assert dropped(found, "branch_summarised") == "n1 n2 n3 n4"


def test_a_head_without_a_summary_that_stands_for_something_is_warned_of() -> None:
    subject = with_heads(talk(6), n2=None, n4="Some.")

    found = asked(subject, "n6", assembler="summaries")

    assert [(w.code, w.node_id) for w in found.report.warnings] == [
        ("branch_without_summary", "n1"),
        ("branch_without_summary", "n2"),
    ]


def test_an_empty_root_without_a_summary_is_not_warned_of() -> None:
    subject = with_heads(chain(node("r", ""), node("a", "A"), node("b", "B")), a="Some.")

    assert asked(subject, "b", assembler="summaries").report.warnings == ()


def test_what_the_filter_left_out_keeps_its_reason_and_decorations_go_with_their_unit() -> None:
    rows = [node("a", "A"), node("x", "X", excluded=True), node("b", "B"), node("c", "C"), node("s", "S")]
    edges = [edge("x", "a"), edge("b", "x", "s context"), edge("c", "b"), edge("n", "a", kind="annotation")]
    subject = with_heads(tree([*rows, node("n", "N")], edges), b="Some.")

    found = asked(
        subject, "c", assembler="summaries", request=ContextRequest("c", included_annotations=("n",))
    )

    assert dropped(found, "branch_summarised") == "a n b"
    assert {one.node_id: one.reason for one in found.report.dropped}["x"] == "excluded"
    assert found.fates["a"] == "branch_summarised"
    assert found.fates["n"] == "branch_summarised"
    assert found.fates["x"] == "excluded"


def test_the_chain_takes_the_trees_part_and_counts_like_a_system_context() -> None:
    subject = with_heads(talk(3, system="Tree."), n1="x" * 4_000)

    with pytest.raises(AssemblyError) as caught:
        asked(subject, "n3", assembler="summaries", window=2_000)

    assert caught.value.code == "SYSTEM_TOO_LARGE"


def test_with_the_summaries_assembler_no_conversation_summary_is_used() -> None:
    subject = with_heads(talk(8), n2="Some.")
    with_summary(subject, "n3")

    found = asked(subject, "n8", assembler="summaries", use_summaries=True)

    assert found.report.economy.summary_used is None
    assert kept(found) == "n3 n4 n5 n6 n7 n8"


def test_a_circle_is_told_in_the_words_of_threads() -> None:
    subject = tree([node("a", "A"), node("b", "B")], [edge("a", "b"), edge("b", "a")])

    with pytest.raises(AssemblyError, match='Circular reference detected at thread "b"'):
        asked(subject, "b", assembler="summaries")


def test_stop_at_limit_leaves_the_chain_on_and_nothing_else() -> None:
    stops = ContextRequest("n8", overrides=ContextSettings("stopAtLimit"))
    subject = with_heads(talk(8), n2="Some.")
    with_summary(subject, "n3")

    by_chain = asked(subject, "n8", assembler="summaries", compression=True, request=stops)
    by_summary = asked(subject, "n8", use_summaries=True, compression=True, request=stops)

    assert kept(by_chain) == "n3 n4 n5 n6 n7 n8"
    assert by_chain.report.economy.load is None
    assert kept(by_summary) == "n1 n2 n3 n4 n5 n6 n7 n8"
    assert by_summary.report.economy.stages == ()


# Context summaries


def test_a_summary_stands_for_all_up_to_its_anchor() -> None:
    subject = talk(7, system="Tree.")
    row = with_summary(subject, "n3", " They talked.\n")

    found = asked(subject, "n7", use_summaries=True)

    assert found.system == f"Tree.\n\n{HEADER}They talked."
    assert (kept(found), dropped(found, "summarised")) == ("n4 n5 n6 n7", "n1 n2 n3")
    used = found.report.economy.summary_used
    assert used is not None
    assert (used.anchor_node_id, used.covered_hash, used.messages_summarized) == ("n3", row.covered_hash, 3)
    assert used.tokens == -(-len(f"\n\n{HEADER}They talked.") // 4)
    assert found.report.before_tokens == 2 + 7
    assert found.report.after_tokens == found.report.system_tokens + 4


def test_alone_it_has_no_blank_lines_before_it() -> None:
    subject = talk(7)
    with_summary(subject, "n3", messagesSummarized=12)

    found = asked(subject, "n7", use_summaries=True)

    assert found.system == f"{HEADER}S"
    used = found.report.economy.summary_used
    assert used is not None
    assert (used.messages_summarized, used.tokens) == (12, -(-len(f"{HEADER}S") // 4))


@pytest.mark.parametrize(("at", "used"), [("n6", None), ("n7", "n3"), ("n8", "n3"), ("n9", "n5")])
def test_the_deepest_with_enough_units_after_it_is_used(at: str, used: str | None) -> None:
    subject = talk(9)
    with_summary(subject, "n3")
    with_summary(subject, "n5")

    found = asked(subject, at, use_summaries=True).report.economy.summary_used

    assert (found and found.anchor_node_id) == used


def test_text_in_the_composer_is_a_unit_after_it() -> None:
    subject = talk(6)
    with_summary(subject, "n3")

    found = asked(subject, "n6", use_summaries=True, request=ContextRequest("n6", composer_text="Go on."))

    assert dropped(found, "summarised") == "n1 n2 n3"


def test_how_many_units_stay_is_a_setting() -> None:
    subject = talk(5)
    with_summary(subject, "n3")

    assert kept(asked(subject, "n5", use_summaries=True, min_recent_messages=2)) == "n4 n5"
    assert kept(asked(subject, "n5", use_summaries=True, min_recent_messages=3)) == "n1 n2 n3 n4 n5"


def test_a_summary_of_which_the_path_changed_is_ignored() -> None:
    subject = talk(8)
    with_summary(subject, "n3")
    excluded = subject.nodes["n2"]
    subject.put_node(replace(excluded, metadata=replace(excluded.metadata, excluded=True)))

    assert dropped(asked(subject, "n8", use_summaries=True), "summarised") == ""


def test_a_blank_summary_and_one_of_a_sibling_are_ignored() -> None:
    subject = talk(8)
    with_summary(subject, "n3", " ")
    subject.put_node(node("s", "S"))
    subject.put_edge(edge("s", "n2"))
    with_summary(subject, "s")

    assert dropped(asked(subject, "n8", use_summaries=True), "summarised") == ""


def test_a_summary_that_is_too_large_is_left_out_and_told() -> None:
    subject = talk(8, system="Tree.")
    row = with_summary(subject, "n3", "x" * 2_000)
    whole = asked(subject, "n8", use_summaries=True).report.system_tokens

    exact = asked(subject, "n8", use_summaries=True, window=whole + 1_024)
    less = asked(subject, "n8", use_summaries=True, window=whole + 1_023)

    assert dropped(exact, "summarised") == "n1 n2 n3"
    assert dropped(less, "summarised") == ""
    assert [(w.code, w.node_id) for w in less.report.warnings] == [("summary_too_large", row.anchor_node_id)]
    assert less.system == "Tree."


def test_instructions_of_covered_nodes_stay_and_their_sources_go() -> None:
    rows = [*(node(f"n{i}", f"text {i}") for i in range(1, 8)), node("s", "S"), node("i", "Be kind.")]
    edges = [
        edge(f"n{i}", f"n{i - 1}", *(("s context", "i instruction") if i == 2 else ())) for i in range(2, 8)
    ]
    subject = tree(rows, edges)
    with_summary(subject, "n2")

    found = asked(subject, "n7", use_summaries=True)

    assert found.system == f"Be kind.\n\n{HEADER}S"
    assert dropped(found, "summarised") == "s n1 n2"


def test_a_strategy_leaves_out_of_what_summaries_left() -> None:
    subject = chain(*(node(f"n{i}", "x" * 400) for i in range(1, 13)))
    with_summary(subject, "n4")
    system = -(-len(f"{HEADER}S") // 4)

    found = asked(subject, "n12", use_summaries=True, window=1_024 + system + 520)

    assert (kept(found), dropped(found, "truncated")) == ("n5 n9 n10 n11 n12", "n6 n7 n8")
    assert dropped(found, "summarised") == "n1 n2 n3 n4"
    assert "[... 3 messages omitted ...]" in found.messages[0].text
    assert [one.node_id for one in found.report.dropped] == ["n1", "n2", "n3", "n4", "n6", "n7", "n8"]


# Buffers


@pytest.mark.parametrize("economy", [{"use_summaries": True}, {"assembler": "summaries"}])
def test_a_buffer_uses_summaries_only_with_a_system_context(economy: dict[str, bool | str]) -> None:
    rows = [node(f"n{i}", f"{i} ") for i in range(1, 8)]
    subject = with_heads(chain(*rows, mode="buffer"), n3="Some.")
    with_summary(subject, "n3")

    without = asked(subject, "n7", compression=True, others=economy)
    subject.loom = replace(subject.loom, buffer_mode_system_context=True)
    with_system = asked(subject, "n7", compression=True, others=economy)

    assert without.document == "1 2 3 4 5 6 7 "
    assert [(w.code, w.node_id) for w in without.report.warnings] == [("summaries_need_system", "n3")]
    assert without.report.economy.stages == ()
    assert with_system.document == "4 5 6 7 "
    assert [stage for stage, _ in with_system.report.economy.stages] == ["summaries"]
    assert not [w for w in with_system.report.warnings if w.code == "summaries_need_system"]


def test_a_buffer_without_a_summary_to_use_is_not_warned_of() -> None:
    subject = chain(*(node(f"n{i}", f"{i} ") for i in range(1, 8)), mode="buffer")
    row = with_summary(subject, "n6")

    assert asked(subject, "n7", use_summaries=True).report.warnings == ()
    assert asked(subject, "n7", assembler="summaries").report.warnings == ()
    assert row.key in subject.context_summaries


def test_the_working_buffer_stays_with_what_a_head_sends() -> None:
    rows = [node("a", "A "), node("b", "B "), node("c", "C ")]
    subject = with_heads(chain(*rows, mode="buffer"), c="Some.")
    subject.loom = replace(subject.loom, buffer_mode_system_context=True)

    found = asked(subject, "c", assembler="summaries", request=ContextRequest("c", working_buffer="and"))

    assert found.document == "C and"


# Compression


def test_each_part_is_told_with_its_block_the_row_and_why() -> None:
    subject = chain(
        mixed("a", words("See:"), document("x" * 30_500), document("y")),
        node("b", "B", "model"),
    )

    found = asked(subject, "b", compression=True, utilization=0.5)

    assert found.report.economy.compressed[0].node_id == "a"
    printed = to_json(found)["report"]
    assert isinstance(printed, dict)
    assert printed["compressed"] == [
        {
            "nodeId": "a",
            "part": 1,
            "row": "budget",
            "beforeChars": 30_500,
            "afterChars": 29_963,
            "why": "load",
        }
    ]
    assert printed["load"] == {"used": 7_628, "measured": False, "utilization": 0.5, "idle": 0}
    assert [one["stage"] for one in printed["stages"]] == ["compression"]
    assert found.report.before_tokens == 1 + 7_625 + 1 + 1
    assert found.report.after_tokens == 1 + -(-29_963 // 4) + 1 + 1


def test_the_same_call_is_known_by_name_and_input_even_if_ids_are_used_again() -> None:
    rows: list[Node] = []
    for name, path in (("a", "p"), ("b", "q"), ("c", "p"), ("d", "s"), ("e", "t")):
        rows += (mixed(f"u{name}", use("1", path=path), author="model"), mixed(f"r{name}", result("1", name)))
    subject = chain(*rows, node("z", "Z", "model"))

    found = asked(subject, "z", compression=True, utilization=0.75)

    told = [(one.node_id, one.row, one.why) for one in found.report.economy.compressed]
    assert told == [("ra", "snip", "again"), ("rb", "snip", "older")]
    assert "[tool_use: read_file" in found.messages[0].text
    assert SNIPPED in found.messages[1].text


def test_sources_and_notes_are_shortened_too_and_the_newest_unit_is_not() -> None:
    docs = [mixed(name, document(f"text of {name}", name)) for name in ("s", "n", "p", "q", "r")]
    rows = [*docs, node("a", "A"), node("b", "B"), node("z", "Z")]
    edges = [
        edge("b", "a", "s context"), edge("n", "a", kind="annotation"), edge("p", "b"), edge("q", "p"),
        edge("r", "q"),
    ]  # fmt: skip
    subject = tree([rows[5], *rows[:5], *rows[6:]], edges)
    request = ContextRequest("r", included_annotations=("n",), load=GivenLoad(0.9, 400, True))

    found = asked(subject, "r", compression=True, request=request)

    assert [(one.node_id, one.row) for one in found.report.economy.compressed] == [
        ("s", "snip"),
        ("n", "snip"),
    ]
    assert CLEARED not in found.messages[0].text


def test_plain_text_is_shortened_by_a_second_switch_and_never_snipped() -> None:
    subject = chain(node("a", "x" * 31_000), node("b", "B", "model"), node("c", "x" * 31_000))

    off = asked(subject, "c", compression=True, utilization=0.8, idle=400)
    on = asked(subject, "c", compression=True, compress_text=True, utilization=0.8, idle=400)

    assert off.report.economy.compressed == ()
    assert [(one.node_id, one.part, one.row) for one in on.report.economy.compressed] == [("a", 0, "budget")]


def test_what_is_to_go_in_full_is_left_as_it_is() -> None:
    part = mixed("a", document("x" * 60_000))
    full = replace(part, metadata=replace(part.metadata, extra={"full": True}))

    found = asked(chain(full, node("b", "B", "model")), "b", compression=True, utilization=0.9)

    assert found.report.economy.compressed == ()


def test_an_agent_that_can_read_nodes_is_told_to() -> None:
    subject = chain(mixed("a", document("x" * 31_000)), node("b", "B", "model"))
    request = ContextRequest("b", can_read=True, load=GivenLoad(0.0))

    assert (
        "You can use read_file to see the full result."
        in asked(subject, "b", compression=True, request=request).messages[0].text
    )
    assert (
        "saved to node A. Only its beginning is shown.]"
        in asked(subject, "b", compression=True).messages[0].text
    )


def test_compression_comes_after_summaries_and_before_a_strategy() -> None:
    rows = [mixed(f"n{i}", document("x" * 32_000, f"{i}")) for i in range(1, 8)]
    subject = chain(*rows)
    with_summary(subject, "n3")

    found = asked(subject, "n7", use_summaries=True, compression=True, utilization=0.9, window=12_000)

    assert [stage for stage, _ in found.report.economy.stages] == ["summaries", "compression"]
    assert [one.node_id for one in found.report.economy.compressed] == ["n4", "n5", "n6"]
    system = found.report.system_tokens
    assert found.report.economy.stages[0][1] == system + 4 * 8_000
    assert found.report.truncated
    assert found.report.before_tokens == 7 * 8_000


def test_a_stage_that_is_on_by_the_usual_settings_is_told_beside_another() -> None:
    subject = talk(3)
    defaults = AppContextSettings()
    on = ContextSettings(economy=EconomySettings(compression=True))

    shortened = assemble(subject, ContextRequest("n3", defaults=defaults, overrides=on)).report.economy.stages
    plain = assemble(subject, ContextRequest("n3", defaults=defaults)).report.economy.stages

    assert [stage for stage, _ in shortened] == ["summaries", "compression"]
    assert plain == ()


def test_everything_off_is_the_context_of_before() -> None:
    subject = with_heads(talk(8), n2="Some.")
    with_summary(subject, "n3")

    printed = to_json(asked(subject, "n8"))

    assert kept(asked(subject, "n8")) == "n1 n2 n3 n4 n5 n6 n7 n8"
    report = printed["report"]
    assert isinstance(report, dict)
    assert report.keys().isdisjoint(("threads", "stages", "load"))
    assert (report["compressed"], report["summaryUsed"]) == ([], None)


def test_a_tree_and_a_request_can_say_otherwise_than_the_app() -> None:
    subject = talk(8)
    with_summary(subject, "n3")
    off = ContextSettings(economy=EconomySettings(use_summaries=False))

    assert dropped(assemble(subject, ContextRequest("n8")), "summarised") == "n1 n2 n3"
    assert dropped(assemble(subject, ContextRequest("n8", overrides=off)), "summarised") == ""
    subject.loom = replace(subject.loom, context_settings=off)
    assert dropped(assemble(subject, ContextRequest("n8")), "summarised") == ""


def test_nothing_but_empty_nodes_after_a_head_is_an_empty_context() -> None:
    subject = with_heads(chain(node("a", "A"), node("b", "B", excluded=True)), b=None)

    with pytest.raises(AssemblyError) as caught:
        asked(subject, "b", assembler="summaries")

    assert caught.value.code == "EMPTY_CONTEXT"


def test_rows_of_heads_and_summaries_that_are_gone_do_nothing() -> None:
    subject = talk(6)
    subject.branch_summaries["gone"] = BranchSummary("gone", {"text": "S"})
    subject.context_summaries["gone"] = ContextSummary("gone", "", {"text": "S"})

    assert kept(asked(subject, "n6", use_summaries=True)) == "n1 n2 n3 n4 n5 n6"
    assert resolve(subject, "n6").node_ids == ("n1", "n2", "n3", "n4", "n5", "n6")


def test_what_is_dropped_is_listed_where_it_would_have_stood() -> None:
    rows = [node(f"n{i}", "x" * 400, excluded=i in (2, 6)) for i in range(1, 14)]
    subject = chain(*rows)
    with_summary(subject, "n4")
    system = -(-len(f"{HEADER}S") // 4)

    found = asked(subject, "n13", use_summaries=True, window=1_024 + system + 520)

    assert [(one.node_id, one.reason) for one in found.report.dropped] == [
        ("n1", "summarised"), ("n2", "excluded"), ("n3", "summarised"), ("n4", "summarised"),
        ("n6", "excluded"), ("n7", "truncated"), ("n8", "truncated"), ("n9", "truncated"),
    ]  # fmt: skip
    assert found.drops.by_id["n6"][0] == 1, "before the second part of those that are left"
