"""The outline: what is indented, what is a dot, what folds, and that choosing another path moves no row."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from loomapp.core.economy.coverage import covered_hash
from loomapp.core.edits import documents, node_edits, node_marks
from loomapp.core.model.change import apply
from loomapp.core.model.content import Text
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import (
    ContextSettings,
    ContextSummary,
    Edge,
    EdgeSource,
    LoomTree,
    Mode,
    Node,
)
from loomapp.core.model.tree import Tree
from loomapp.core.outline.lines import heading_of, later_headings, words_below_heading
from loomapp.core.outline.outline import Outline
from loomapp.core.outline.ways import OutlineFolds, TreeWays
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import fill_in, passage_edits, path_choice
from loomapp.core.prose.buffer_text import PendingText
from tests.core.outline.whole import outline_of
from tests.kit.graph_trees import buffer_tree
from tests.kit.trees import Hand, chain, do


def add(tree: Tree, above: str, text: str, hand: Hand) -> str:
    return do(tree, node_edits.add_node(tree, above, text, hand.pen())).added_nodes()[0].id


def of(
    tree: Tree, leaf: str, *opened: str, show_pruned: bool = False, folds: OutlineFolds | None = None
) -> Outline:
    folds = folds or OutlineFolds()
    folds.open(opened)
    folds.show(opened)
    return outline_of(tree, resolve(tree, leaf), folds=folds, show_pruned=show_pruned)


def drawn(outline: Outline) -> list[str]:
    """The rows as one sees them: `  3 words 2/3 +`, a run as `2-9`."""
    found = []
    for row in outline.rows:
        words = outline.tree.nodes[row.node_id].text.strip()
        of_many = f" {row.place[0]}/{row.place[1]}"
        below = row.below and (row.below.alternatives.index(row.below.node_id) + 1, row.below.shown_id)
        match row.kind:
            case "run":
                said = f"{row.number}-{row.last_number}" + (f" r{row.retried}" if row.retried else "")
                said += " summarised" if row.is_covered else ""
            case "heading":
                said = f"# {row.words}"
            case "above":
                said = f"from {row.number}, {row.ways} above"
            case "note":
                said = f"note {words}"
            case _:
                said = f"{row.number} {words}" + (of_many if row.alternatives else "")
        sign = "+" if row.fold == "folded" and row.kind != "run" else ""
        sign += f" below {below[0]}, not {outline.tree.nodes[below[1]].text}" if below else ""
        found.append("  " * row.depth + said + sign)
    return found


def grown(size: int, parent: Callable[[int], int]) -> Tree:
    """A tree of so many nodes, n0 and on; `parent` gives the number of the one that each continues."""
    nodes = [Node(f"n{i}", f"L{i}", Text("x"), "human", created_at=i) for i in range(size)]
    edges = [Edge(f"e{i}", (EdgeSource(f"n{parent(i)}"),), f"n{i}") for i in range(1, size)]
    return Tree(LoomTree("t", "T", "dialogue", "n0"), nodes=nodes, edges=edges)


def test_only_ways_that_go_on_are_indented_and_the_others_are_dots_and_runs_fold() -> None:
    hand = Hand()
    tree, ids = chain(9, hand=hand)
    add(tree, ids[0], "retry", hand)
    first, second = (add(tree, ids[7], text, hand) for text in ("way", "quiet"))
    add(tree, ids[7], "quiet too", hand)
    other = add(tree, first, "on", hand)
    end = add(tree, ids[8], "end", hand)

    assert drawn(of(tree, end, ids[8])) == [
        "1 message 0",
        "2-7 r1",
        "8 message 7",
        "  9 message 8",
        "  10 end",
        "  9 way+",
        "  9 quiet too 4/4",
    ]
    outline = of(tree, end, first, ids[8], ids[3])
    assert drawn(outline)[1:4] == ["2 message 1 1/2", "3 message 2", "4 message 3"], (
        "a short run does not fold"
    )
    assert drawn(outline)[-3:] == ["  9 way", "  10 on", "  9 quiet too 4/4"]
    assert outline.way_numbers == {ids[8]: 0, first: 1, second: 2, outline.rows[-1].node_id: 2}
    numbers = [outline.row_number(i) for i in (other, second, ids[5])]
    assert numbers == [len(outline.rows) - 2, len(outline.rows) - 1, 5]
    folds = OutlineFolds(folded={ids[7]})
    assert drawn(of(tree, end, folds=folds))[-1] == "8 message 7+"


def test_choosing_another_path_moves_no_row_and_a_dot_becomes_a_way_when_something_follows_it() -> None:
    hand = Hand()
    tree, ids = chain(6, hand=hand)
    retry = add(tree, ids[1], "retry", hand)
    before = of(tree, ids[-1], *ids)

    after = of(tree, retry, *ids)

    assert [row.key for row in before.rows] == [row.key for row in after.rows]
    assert drawn(after)[2:] == [
        "3 retry 2/2",
        "4 message 3 below 1, not retry",
        "5 message 4",
        "6 message 5",
    ], "the shown one is named; what follows the other stays, and says what it follows"
    on = add(tree, retry, "on", hand)
    assert drawn(of(tree, on, retry))[2:] == ["  3 message 2+", "  3 retry", "  4 on"]


@pytest.mark.parametrize("mode", ["dialogue", "buffer"])
def test_each_way_below_another_alternative_than_the_one_that_is_shown_says_so(mode: Mode) -> None:
    hand = Hand()
    tree, ids = chain(4, mode=mode, hand=hand)
    retry, way = add(tree, ids[1], "retry", hand), add(tree, ids[2], "## way", hand)
    add(tree, ids[2], "quiet", hand)
    on, _ = add(tree, ids[3], "on", hand), add(tree, way, "way on", hand)

    assert not any(row.below for row in of(tree, on, ids[3]).rows)
    assert drawn(of(tree, retry, ids[3]))[2:] == [
        "3 retry 2/2",
        "  4 message 3 below 1, not retry",
        "  5 on",
        "  4 ## way+ below 1, not retry",
        "  4 quiet below 1, not retry",
    ]
    opened = drawn(of(tree, retry, ids[3], way))[5:-1]
    heading = ["  # way below 1, not retry", "  4 ## way"]
    assert opened == [*(heading if mode == "buffer" else ["  4 ## way below 1, not retry"]), "  5 way on"]


@pytest.mark.parametrize("mode", ["dialogue", "buffer"])
def test_a_document_that_was_just_written_has_one_version_as_in_the_list_of_documents(mode: Mode) -> None:
    hand = Hand()
    tree, ids = chain(2, mode=mode, hand=hand)
    begun = do(tree, documents.new_document(tree, "Plan", hand.pen())).added_nodes()[0].id
    written = do(tree, documents.write_version(tree, begun, "Ines first.", hand.pen())).added_nodes()[0].id

    outline = of(tree, ids[-1])

    row = outline.rows[-1]
    assert (row.node_id, row.alternatives, row.versions) == (written, (), ())
    assert outline.row_number(begun) == outline.row_number(written)


def test_bookmarks_branch_titles_and_the_current_message_are_in_no_run_and_notes_stand_beside() -> None:
    hand = Hand()
    tree, ids = chain(14, hand=hand)
    do(tree, node_marks.bookmark(tree, ids[6], None, hand.pen()))
    do(tree, node_edits.annotate(tree, ids[6], "remember", hand.pen()))

    rows = drawn(of(tree, ids[-1], ids[11]))

    assert rows == [
        "1 message 0",
        "2-6",
        "7 message 6",
        "  note remember",
        "8-11",
        "12 message 11",
        "13 message 12",
        "14 message 13",
    ]


def test_messages_that_a_summary_stands_for_are_a_run_by_themselves_while_it_holds() -> None:
    tree, ids = chain(14)
    path = resolve(tree, ids[5])
    row = ContextSummary(ids[5], covered_hash(path, len(path.nodes) - 1), {"text": "They talk."})
    tree.context_summaries[row.key] = row
    assert drawn(of(tree, ids[-1])) == ["1 message 0", "2-6 summarised", "7-13", "14 message 13"]
    opened = drawn(of(tree, ids[-1], *ids[1:6]))
    assert opened[1:7] == [*(f"{n + 1} message {n}" for n in range(1, 6)), "7-13"]

    before = tree.loom
    unused = ContextSettings(economy=EconomySettings(use_summaries=False))
    for own in (unused, ContextSettings(truncation_strategy="stopAtLimit")):
        tree.loom = replace(before, context_settings=own)
        assert drawn(of(tree, ids[-1])) == ["1 message 0", "2-13", "14 message 13"], "it is not used"
    tree.loom = before
    tree.context_summaries[row.key] = replace(row, body={"text": " "})
    assert drawn(of(tree, ids[-1])) == ["1 message 0", "2-13", "14 message 13"]
    tree.context_summaries[row.key] = row
    do(tree, node_marks.exclude(tree, [ids[2]], Hand().pen()))
    assert drawn(of(tree, ids[-1])) == ["1 message 0", "2-13", "14 message 13"], "it is out of date"


def test_deleted_messages_are_not_there_unless_they_are_shown_and_what_lives_below_them_is() -> None:
    hand = Hand()
    tree, ids = chain(4, hand=hand)
    do(tree, node_marks.prune(tree, ids[1], hand.pen()))
    assert drawn(of(tree, ids[0])) == ["1 message 0"]

    do(tree, node_marks.restore(tree, ids[3], hand.pen()))

    assert drawn(of(tree, ids[3])) == ["1 message 0", "2 message 3"]
    assert len(drawn(of(tree, ids[3], *ids, show_pruned=True))) == 4


def test_more_than_six_forks_deep_the_list_begins_at_a_fork_until_a_person_goes_up() -> None:
    hand = Hand()
    tree, ids = chain(20, hand=hand)
    for above in ids[1:17:2]:  # eight forks
        add(tree, add(tree, above, "way", hand), "on", hand)
    outline = of(tree, ids[-1], *ids)

    assert drawn(outline)[0] == "from 6, 2 above"
    assert drawn(outline)[1].startswith("6 ")
    assert max(row.depth for row in outline.rows) == 6
    kept = outline_of(tree, resolve(tree, ids[-3]), folds=outline.folds)
    assert kept.start == outline.start
    outline.start = outline.earlier_start()
    for _ in outline.building():
        pass
    assert outline.start.node_id == tree.root_id


def test_no_tree_is_too_deep_or_too_wide() -> None:
    deep = of(grown(20_000, lambda i: i - 1), "n19999")
    assert [len(row.run) for row in deep.rows] == [0, 19_998, 0]
    wide = of(grown(20_000, lambda i: 0), "n500")
    assert [len(row.alternatives) for row in wide.rows] == [0, 19_999]
    assert wide.rows[1].node_id == "n500"
    rng = random.Random(7)
    bushy = of(grown(20_000, lambda i: rng.randrange(max(0, i - 3), i)), "n19999")
    assert max(row.depth for row in bushy.rows) <= 7


def texts(outline: Outline) -> list[str]:
    """What the rows of the shown path say."""
    rows = [row for row in outline.rows if row.is_node and row.node_id in outline.ways.path]
    return [outline.tree.nodes[row.node_id].text for row in rows]


def test_in_a_buffer_a_row_is_a_passage_with_its_versions_and_the_rows_are_the_text() -> None:
    tree = buffer_tree()
    outline = of(tree, "two")
    assert drawn(outline)[1:] == ["2 Ines walked it at night. 1/2", "3 The key was the heavy part."]
    assert outline.rows[1].versions == ("v1", "v2", "v3")
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    gap = fill_in.open_gap(tree, (tree.root_id, *ids), 2, 4, hand.pen())
    assert gap is not None
    do(tree, gap.change)
    do(tree, node_edits.edit_as_version(tree, gap.gap_id, "and more", hand.pen()))
    do(tree, node_edits.add_node(tree, ids[-1], "And on.", hand.pen()))

    found = of(tree, tree.path.leaf_id, *tree.nodes)

    assert texts(found) == ["message 0", "mess", "and more", "age 1", "message 2", "And on."]
    assert [row.depth for row in found.rows] == [0] * 6


def test_passages_whose_words_were_deleted_have_no_rows_but_lead_to_those_beside_them() -> None:
    hand = Hand()
    tree, ids = chain(9, mode="buffer", hand=hand)
    way = (tree.root_id, *ids)
    do(tree, node_edits.add_node(tree, ids[5], "Another way.", hand.pen()))
    do(tree, node_edits.add_node(tree, tree.path.leaf_id, "And on.", hand.pen()))
    typed = {node_id: PendingText("", (), ()) for node_id in (ids[1], ids[2], ids[5], ids[8])}
    change = passage_edits.revise(tree, way, typed, hand.pen())
    assert change is not None
    do(tree, change)
    emptied = {node.edited_from: node.id for node in change.added_nodes()}

    found = of(tree, emptied[ids[8]], *tree.nodes)

    words = [f"message {n}" for n in (0, 3, 4, 6, 7)]
    assert texts(found) == words
    assert [row.number for row in found.rows] == [1, 2, 3, 4, 5, 4, 5]
    at = {place: found.row_number(emptied[ids[place]]) for place in (1, 2, 5, 8)}
    assert at == {1: 0, 2: 0, 5: 2, 8: 4}
    [folded] = {row.rails[0].fork_id for row in found.rows if row.rails}
    assert found.row_number(folded) == 2, "the rails begin at what stands before it"
    do(tree, node_marks.bookmark(tree, emptied[ids[1]], "Here", hand.pen()))
    assert len(texts(of(tree, emptied[ids[8]], *tree.nodes))) == len(words) + 1


def test_answers_on_their_way_have_one_row_below_what_they_follow() -> None:
    tree, ids = chain(3)
    way = resolve(tree, ids[-1])
    found = Outline(tree, TreeWays(tree, way, way, False), OutlineFolds(), way, None, {ids[1]})
    for _ in found.building():
        pass

    assert [(row.kind, row.node_id) for row in found.rows][1:3] == [("message", ids[1]), ("answers", ids[1])]
    assert [row.number for row in found.rows] == [1, 2, 3, 3]
    assert found.row_number(ids[2]) == 3


def test_headings_of_a_buffer_fold_what_follows_up_to_the_next() -> None:
    hand = Hand()
    tree, ids = chain(4, mode="buffer", hand=hand)
    for place, words in ((1, "# The ferry\n\nIt stopped."), (3, "Chapter two")):
        tree.nodes[ids[place]] = replace(tree.nodes[ids[place]], content=Text(words))
    outline = of(tree, ids[-1])
    heads = [row.words for row in outline.rows if row.kind == "heading"]
    assert heads == ["The ferry", "Chapter two"]

    folded = OutlineFolds(folded={next(row.key for row in outline.rows if row.kind == "heading")})

    assert drawn(of(tree, ids[-1], folds=folded))[1:3] == ["# The ferry+", "# Chapter two"]
    said = {"Chapter 1: home\n": True, "part of it": False, "#hash": False, "She said: Chapter": False}
    assert {text: bool(heading_of(text)) for text in said} == said
    assert words_below_heading("# The ferry\n\nIt stopped.").strip() == "It stopped."
    assert words_below_heading("Chapter two") == "Chapter two", "else it would be empty"


def test_headings_within_a_passage_have_rows_that_lead_to_them() -> None:
    pasted = "# The ferry\n\nIt stopped.\n\n## Flour\n\n#hash\n# remark\n\nChapter two\n\nIt rained."
    tree, ids = chain(4, mode="buffer", hand=Hand())
    tree.nodes[ids[2]] = replace(tree.nodes[ids[2]], content=Text(pasted))

    found = [row for row in of(tree, ids[-1]).rows if row.kind == "heading"]

    assert [(row.words, pasted[: row.at].split("\n")[-1], row.fold) for row in found] == [
        ("The ferry", "", "open"),
        ("Flour", "## Flour", ""),
        ("Chapter two", "Chapter two", ""),
    ]
    assert {row.node_id for row in found} == {ids[2]}
    folded = OutlineFolds(folded={found[0].key})
    assert drawn(of(tree, ids[-1], folds=folded))[2:] == [
        "# The ferry+",
        "# Flour",
        "# Chapter two",
        drawn(of(tree, ids[-1]))[-1],
    ]
    assert later_headings("\n\n# Six\n\nIt rained.") == [], "it begins with that"


@pytest.mark.parametrize("seed", range(24))
def test_every_message_is_found_once_when_all_is_open_and_the_path_stands_in_order(seed: int) -> None:
    rng, show_pruned, mode = random.Random(seed), bool(seed % 2), ("dialogue", "buffer")[seed % 3 % 2]
    hand = Hand()
    tree, _ = chain(3, mode="buffer" if mode == "buffer" else "dialogue", hand=hand)
    for _ in range(15):
        some_change(tree, rng, hand)
        path = resolve(tree, tree.path.leaf_id)
        outline = of(tree, tree.path.leaf_id, *tree.nodes, show_pruned=show_pruned)
        shown = [row.node_id for row in outline.rows if row.is_node]
        assert all(outline.ways.count_below(i, 9) == min(9, len(below(outline.ways, i))) for i in tree.nodes)
        assert len(shown) == len(set(shown))
        assert len({row.key for row in outline.rows}) == len(outline.rows)
        hidden = any(node.metadata.pruned for node in path.nodes)
        if show_pruned or not hidden:
            wanted = [i for i in path.node_ids if not tree.is_empty_root(i)]
            assert [i for i in shown if i in path] == wanted
        if mode == "dialogue":
            offered = {i for row in outline.rows for i in (row.node_id, *row.alternatives) if row.is_node}
            living = {i for i, node in tree.nodes.items() if show_pruned or not node.metadata.pruned}
            said = {i for i in living if not tree.is_empty_root(i) and not is_aside(tree, i)}
            assert said <= offered <= living, "what stands on a note of an alternative waits for that"


def below(ways: TreeWays, node_id: str) -> set[str]:
    """What follows a node by the ways that are offered, one by one."""
    found, waiting = set[str](), [node_id]
    while waiting:
        found.update(further := set(ways.on(waiting.pop())) - found - {node_id})
        waiting += further
    return found


def some_change(tree: Tree, rng: random.Random, hand: Hand) -> None:
    node_id = rng.choice(list(tree.nodes))
    way = resolve(tree, tree.path.leaf_id).node_ids
    place = rng.randrange(1, len(way)) if len(way) > 1 else 0
    is_prose = tree.loom.mode == "buffer" and place and not annotated(tree, way)
    match rng.randrange(7):
        case 0 if is_prose:
            parted = passage_edits.split(tree, way, way[place], rng.randrange(4), hand.pen())
            if parted is not None:
                apply(tree, parted)
        case 1 if is_prose:
            chain_there = passage_edits.chain_at(tree, way, place)
            merged = passage_edits.merge(tree, way, chain_there, hand.pen())
            if merged is not None:
                apply(tree, merged)
        case 2 if is_prose:
            edited = node_edits.edit_as_version(tree, way[place], f"version {hand.now}", hand.pen())
            if edited is not None:
                apply(tree, edited)
        case 3:
            do(tree, node_edits.annotate(tree, node_id, "note", hand.pen()))
        case 4 if node_id != tree.root_id:
            pruned = node_marks.prune(tree, node_id, hand.pen())
            if pruned is not None:
                apply(tree, pruned)
        case _:
            add(tree, node_id, "more", hand)


def is_aside(tree: Tree, node_id: str) -> bool:
    """True for a note, and what follows one."""
    return annotated(tree, resolve(tree, node_id).node_ids)


def annotated(tree: Tree, way: Sequence[str]) -> bool:
    return any(tree.annotation_edges_into(one) for one in way)


def test_what_was_chosen_of_several_versions_stands_in_its_row() -> None:
    hand = Hand()
    tree, ids = chain(2, mode="buffer", hand=hand)
    newer = do(tree, node_edits.edit_as_version(tree, ids[1], "newer", hand.pen())).added_nodes()[0].id
    assert of(tree, tree.path.leaf_id).rows[-1].node_id == newer
    way = resolve(tree, tree.path.leaf_id).node_ids

    do(tree, path_choice.choose_version(tree, way, len(way) - 1, ids[1], hand.pen()))

    assert of(tree, tree.path.leaf_id).rows[-1].node_id == ids[1]
