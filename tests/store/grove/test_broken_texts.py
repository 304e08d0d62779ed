"""Texts are kept byte for byte; what is no text at all is refused with its place, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Tag
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from tests.kit.groves import agree, planted
from tests.kit.trees import Hand

ODD = {
    "nothing": "",
    "white space": " \t\r\n\u00a0\u2028 ",
    "a NUL": "before\0after",
    "right to left": "a\u202eb\u202c\u200f",
    "emoji": "👩‍👩‍👧‍👦 🌲",
    "a combining sign": "e\u0301\u0301",
    "beyond": "\U0010ffff\ufdd0\ufeff",
    "SQL": "'; DROP TABLE nodes; --",
    "a megabyte": "x" * 1_000_000,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_texts_are_kept_as_they_are(grove: Grove, name: str) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    change = node_edits.add_node(tree, ids[-1], ODD[name], hand.pen())

    grove.commit(tree, change)

    node = grove.load_tree(tree.loom.id).nodes[change.added_nodes()[0].id]
    assert node.text == ODD[name]
    assert agree(grove, tree)


def in_a_text(tree: Tree, hand: Hand) -> Change:
    change = node_edits.add_node(tree, tree.root_id, "fine", hand.pen())
    node = replace(change.added_nodes()[0], content=Text("one \ud83d two"), local_id="BROKEN")
    return replace(change, rows=(RowChange(None, node), *change.rows[1:]))


def in_a_summary(tree: Tree, hand: Hand) -> Change:
    node = tree.nodes[tree.root_id]
    rows = (RowChange(node, replace(node, summary="\udc00")),)
    return Change(tree.loom.id, "Summary", hand.pen().now, rows)


def in_a_tag(tree: Tree, hand: Hand) -> Change:
    return Change(tree.loom.id, "Tag", hand.pen().now, (RowChange(None, Tag("half \udfff")),))


def in_the_settings(tree: Tree, hand: Hand) -> Change:
    loom = replace(tree.loom, system_context="\ud800")
    changed = tree_edits.change_loom(tree, "Settings", hand.pen(), loom)
    assert changed is not None
    return changed


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        (in_a_text, "node BROKEN: character 5 is U+D83D"),
        (in_a_summary, "node "),
        (in_a_tag, "tag half"),
        (in_the_settings, "tree "),
    ],
)
def test_half_a_character_is_refused_with_its_place(grove: Grove, broken: object, place: str) -> None:
    hand = Hand()
    tree, _ = planted(grove, hand)
    assert callable(broken)

    with pytest.raises(InvalidInput) as error:
        grove.commit(tree, broken(tree, hand))

    assert error.value.message.startswith(place)
    assert "half of a character" in error.value.message
    assert agree(grove, tree)


def test_half_a_character_in_an_import_brings_nothing(grove: Grove) -> None:
    tree = tree_edits.new_tree("dialogue", "A tree", Hand().pen(), text="half")
    tree.put_node(replace(tree.nodes[tree.root_id], content=Text("half \ud800")))

    with pytest.raises(InvalidInput, match=r"node \w+: character 6"):
        grove.add_tree(tree)

    assert grove.trees() == []
