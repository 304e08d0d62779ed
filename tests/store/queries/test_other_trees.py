"""What other trees hold: the best text first wherever it stands, bookmarks, any script, and an early end."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.economy.branch_summaries import name_branch
from loomapp.core.edits import node_marks
from loomapp.session.background.background_work import Cancelled
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.queries import search
from loomapp.store.queries.search import is_in_other_tree, look_elsewhere
from tests.kit.groves import planted, write
from tests.kit.trees import Hand


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    return create_grove(tmp_path / "g.loom")


def said(grove: Grove, query: str, *, most: int = 100, pruned: bool = False) -> list[str]:
    found = look_elsewhere(grove, query, grove.trees()[0].id, most=most, pruned=pruned)
    return [hit.excerpt for hit in found.texts]


def test_the_best_text_comes_first_however_old_it_is_and_the_open_tree_is_left_out(
    grove: Grove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "AT_ONCE", 2)
    with grove:
        write(grove, ("The lamp is mine.", ""))
        begins = "The\nlamp is lit."
        write(
            grove, (begins, ""), ("Now the lamp 1", begins), ("Now the lamp 2", begins), ("Lamp: the", begins)
        )

        assert said(grove, "the lamp") == [
            "The lamp is lit.",
            "Now the lamp 2",
            "Now the lamp 1",
            "Lamp: the",
        ]
        assert said(grove, "the lamp", most=2) == ["The lamp is lit.", "Now the lamp 2"]
        assert said(grove, "  ") == []
        found = look_elsewhere(grove, "lamp", grove.trees()[0].id, most=3)
        assert found.has_more
        assert {hit.tree_id for hit in found.texts} == {grove.trees()[1].id}


def test_many_texts_in_one_look_leave_room_for_the_best(grove: Grove) -> None:
    with grove:
        write(grove, ("Here.", ""))
        write(grove, ("Message 7 began it", ""), ("7 is my message, too", "Message 7 began it"))
        planted(grove, Hand(), length=12)

        assert said(grove, "message 7", most=2) == ["message 7", "Message 7 began it"]


def test_capitals_of_any_script_do_not_count_and_nothing_is_a_pattern(grove: Grove) -> None:
    with grove:
        write(grove, ("Here.", ""))
        write(
            grove,
            ("Bad ÖLZEUG", ""),
            ("ÖLZEUG: bad", "Bad ÖLZEUG"),
            ("灯台の光", "Bad ÖLZEUG"),
            ("9 % off", "灯台の光"),
        )

        assert said(grove, "ölzeug") == ["ÖLZEUG: bad", "Bad ÖLZEUG"]
        assert said(grove, "台") == ["灯台の光"]
        assert said(grove, "%") == ["9 % off"]
        assert said(grove, "9_%") == []


def test_bookmarks_come_by_their_label_and_what_is_pruned_only_if_it_is_shown(grove: Grove) -> None:
    with grove:
        hand = Hand()
        write(grove, ("Here.", ""))
        tree, ids = planted(grove, hand, length=3)
        for node_id, label in zip(ids, ("", "The keeper", "Gone"), strict=True):
            grove.commit(
                tree, node_marks.bookmark(tree, node_id, label, hand.pen()) or pytest.fail("it is marked")
            )
        grove.commit(tree, node_marks.prune(tree, ids[2], hand.pen()) or pytest.fail("it can be pruned"))
        here = grove.trees()[0].id

        found = look_elsewhere(grove, "message", here).bookmarks
        assert [(hit.excerpt, hit.node_id) for hit in found] == [
            ("The keeper", ids[1]),
            ("message 0", ids[0]),
        ]
        assert look_elsewhere(grove, "message", tree.loom.id).bookmarks == ()
        assert len(look_elsewhere(grove, "message", here, pruned=True).bookmarks) == 3
        assert said(grove, "message 2", pruned=True) == ["message 2"]
        assert said(grove, "message 2") == []


def test_a_bookmark_without_a_label_comes_by_the_name_of_its_branch(grove: Grove) -> None:
    with grove:
        hand = Hand()
        write(grove, ("Here.", ""))
        tree, ids = planted(grove, hand, length=3)
        for node_id, label in ((ids[1], ""), (ids[2], "The keeper")):
            grove.commit(tree, node_marks.bookmark(tree, node_id, label, hand.pen()) or pytest.fail("marked"))
            grove.commit(
                tree, name_branch(tree, node_id, "The bridge line", hand.pen()) or pytest.fail("named")
            )

        found = look_elsewhere(grove, "bridge", grove.trees()[0].id).bookmarks

        assert [hit.excerpt for hit in found] == ["The keeper", "The bridge line"]


def test_whoever_no_longer_waits_ends_it(grove: Grove) -> None:
    def leave(*_: int) -> None:
        raise Cancelled

    with grove:
        planted(grove, Hand(), length=1)
        with pytest.raises(Cancelled):
            look_elsewhere(grove, "message", "", leave)


def test_a_node_of_another_tree_is_known_by_its_id_and_its_local_id(grove: Grove) -> None:
    with grove:
        write(grove, ("Here.", ""))
        write(grove, ("There.", ""))
        here, there = (grove.load_tree(row.id) for row in grove.trees())
        own, other = here.nodes[here.root_id], there.nodes[there.root_id]

        names = (other.id, other.local_id, other.local_id.lower(), own.id, own.local_id, "oak", "walnut")

        assert [is_in_other_tree(grove, name, here.loom.id) for name in names] == [True] * 3 + [False] * 4
