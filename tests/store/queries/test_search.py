"""Search in a grove: every tree, newest first, nothing of the query read as a pattern, and an early end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.session.background.background_work import Cancelled
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.store.queries import search as searching
from loomapp.store.queries.search import search
from tests.kit.groves import planted
from tests.kit.trees import Hand


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    return create_grove(tmp_path / "g.loom")


def said(grove: Grove, query: str, *, pruned: bool = False) -> list[str]:
    return [hit.excerpt for hit in search(grove, query, pruned=pruned)[0]]


def write(grove: Grove, hand: Hand, *texts: str) -> list[str]:
    """A tree with these messages, one below the other; their ids."""
    tree, ids = planted(grove, hand, length=1)
    for text in texts:
        change = node_edits.add_node(tree, ids[-1], text, hand.pen(grove.owner.id))
        grove.commit(tree, change)
        ids.append(change.added_nodes()[0].id)
    return ids[1:]


def test_words_are_found_in_every_tree_the_newest_first(grove: Grove) -> None:
    with grove:
        hand = Hand()
        first = write(grove, hand, "The lamp is lit.", "Nothing.")
        second = write(grove, hand, "Who lit the LAMP?")

        hits, has_more = search(grove, "lamp lit")

        assert [hit.node_id for hit in hits] == [second[0], first[0]]
        assert [hit.tree_title for hit in hits] == ["A tree", "A tree"]
        assert hits[0].excerpt == "Who lit the LAMP?"
        assert not has_more


def test_nothing_of_a_query_is_a_pattern_and_one_letter_and_any_script_are_found(grove: Grove) -> None:
    with grove:
        write(grove, Hand(), "100 % wool", "under_score", "'); DROP TABLE nodes; --", "灯台の光", "ÖLZEUG x")

        assert said(grove, "0 %") == ["100 % wool"]
        assert said(grove, "_") == ["under_score"]
        assert said(grove, "'); DROP") == ["'); DROP TABLE nodes; --"]
        assert said(grove, "台") == ["灯台の光"]
        assert said(grove, "ölzeug") == ["ÖLZEUG x"]
        assert said(grove, 'near("a b") OR *') == []
        assert said(grove, "  ") == []


def test_what_was_undone_or_pruned_is_not_found_unless_the_pruned_are_wanted(grove: Grove) -> None:
    with grove:
        hand = Hand()
        tree, ids = planted(grove, hand, length=3)
        grove.commit(tree, node_marks.prune(tree, ids[2], hand.pen()) or pytest.fail("it can be pruned"))
        grove.commit(tree, node_edits.add_node(tree, ids[1], "message gone", hand.pen(grove.owner.id)))
        grove.undo(tree)

        assert said(grove, "message") == ["message 1", "message 0"]
        assert said(grove, "message", pruned=True) == ["message 2", "message 1", "message 0"]


def test_a_common_word_ends_the_search_early_and_a_rare_one_looks_at_all(
    grove: Grove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "AT_ONCE", 10)
    with grove:
        hand = Hand()
        write(grove, hand, "A rare thing.")
        planted(grove, hand, length=60)
        told: list[tuple[int, int]] = []

        hits, has_more = search(grove, "message", lambda *at: told.append(at), most=5)
        assert [hit.excerpt for hit in hits] == [f"message {number}" for number in range(59, 54, -1)]
        assert has_more
        assert len(told) == 1
        told.clear()
        rare, _ = search(grove, "rare", lambda *at: told.append(at))
        assert [hit.excerpt for hit in rare] == ["A rare thing."]
        assert told[-1][0] == told[-1][1]


def test_whoever_no_longer_waits_ends_it(grove: Grove) -> None:
    def leave(*_: int) -> None:
        raise Cancelled

    with grove:
        planted(grove, Hand(), length=3)
        with pytest.raises(Cancelled):
            search(grove, "message", leave)


def test_a_long_text_gives_the_words_around_the_place_on_one_line(grove: Grove) -> None:
    with grove:
        write(grove, Hand(), "padding " * 4_000 + "\nthe\tneedle\n" + "hay " * 4_000)

        (excerpt,) = said(grove, "needle")

        assert "the needle hay" in excerpt
        assert len(excerpt) < 200


def test_a_short_excerpt_begins_with_a_whole_word(grove: Grove) -> None:
    with grove:
        write(grove, Hand(), "She had three coins, a letter and a key.")
        write(grove, Hand(), "灯台守は瓶の中に手紙を見つけた、そして読んだ。letter")

        assert sorted(said(grove, "letter")) == [
            "… coins, a letter and a key.",
            "… 見つけた、そして読んだ。letter",
        ]


def test_trees_are_found_by_their_titles_and_nodes_by_their_local_ids_in_any_case(grove: Grove) -> None:
    with grove:
        hand = Hand()
        lamps = planted(grove, hand, length=1)[0]
        title = replace(lamps.loom, title="Three Lamps")
        named = tree_edits.change_loom(lamps, "Rename tree", hand.pen(grove.owner.id), title)
        grove.commit(lamps, named or pytest.fail("it is called otherwise"))
        ids = write(grove, hand, "The lamp is lit.")

        titled, _ = search(grove, "LAMPS three")
        one, _ = search(grove, grove.load_tree(lamps.loom.id).nodes[lamps.root_id].local_id.lower())

        assert [(hit.node_id, hit.excerpt) for hit in titled] == [(lamps.root_id, "Three Lamps")]
        assert [hit.node_id for hit in one] == [lamps.root_id]
        assert [hit.node_id for hit in search(grove, "lamp")[0]] == [lamps.root_id, ids[0]]


def test_one_tree_alone_is_searched_if_it_is_named(grove: Grove) -> None:
    with grove:
        hand = Hand()
        first = planted(grove, hand, length=2)[0]
        planted(grove, hand, length=2)

        hits, _ = search(grove, "message", tree_id=first.loom.id)

        assert {hit.tree_id for hit in hits} == {first.loom.id}


def test_a_grove_that_is_only_read_is_searched_too(tmp_path: Path) -> None:
    with create_grove(tmp_path / "g.loom") as grove:
        write(grove, Hand(), "The lamp.")
    with read_grove(tmp_path / "g.loom") as grove:
        assert said(grove, "lamp") == ["The lamp."]
