"""What is attached to words, and nodes that hang on nothing: composed, taken apart, edited, undone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import apply
from loomapp.core.model.content import (
    AttachedDocument,
    Block,
    Image,
    Mixed,
    Text,
    ToolUse,
    composed,
    is_editable,
    plain_text,
    taken_apart,
)
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.tree import Tree

CAT, NOTES = Image("a" * 64, "image/png", 4, 3, "cat.png"), AttachedDocument("n.txt", "text/plain", "low\r\n")
blocks = st.lists(st.sampled_from([CAT, NOTES]), max_size=4).map(tuple)


def pen(name: str = "id") -> edit_context.EditContext:
    numbers = iter(range(1000))
    return edit_context.EditContext("me", 5, lambda: f"{name}{next(numbers)}")


def a_tree(content: Text | Mixed | Image) -> tuple[Tree, str]:
    tree = tree_edits.new_tree("dialogue", "t", pen(), text="Root")
    change = node_edits.add_content(tree, tree.root_id, content, pen("child"))
    apply(tree, change)
    return tree, change.added_nodes()[0].id


@given(text=st.text(), attached=blocks)
def test_what_is_composed_is_taken_apart_into_the_same(text: str, attached: tuple[Block, ...]) -> None:
    words, others = taken_apart(composed(text, attached))

    assert others == attached
    assert words == text or (not text.strip() and attached)


def test_an_image_alone_is_an_image_and_words_alone_are_words() -> None:
    assert composed("", (CAT,)) == CAT
    assert composed("Hi", ()) == Text("Hi")
    assert composed("Hi", (CAT,)) == Mixed((CAT, Text("Hi")))
    assert plain_text(composed("Hi", (NOTES,))) == "Hi\nlow\r\n"


@pytest.mark.parametrize("edit", [node_edits.edit_as_sibling, node_edits.edit_as_version])
def test_an_edit_of_the_words_keeps_what_is_attached(edit: object) -> None:
    tree, node_id = a_tree(Mixed((CAT, NOTES, Text("Whta?"))))

    change = edit(tree, node_id, "What?", pen())  # type: ignore[operator]

    assert change.added_nodes()[0].content == Mixed((CAT, NOTES, Text("What?")))
    assert edit(tree, node_id, "Whta?", pen()) is None  # type: ignore[operator]


def test_what_a_tool_said_is_not_edited_as_words() -> None:
    tree, node_id = a_tree(Mixed((ToolUse("u", "ls", {}), Text("See."))))

    assert not is_editable(tree.nodes[node_id].content)
    with pytest.raises(InvalidInput):
        node_edits.edit_as_sibling(tree, node_id, "Seen.", pen())


def test_sources_hang_on_nothing_and_are_taken_back_at_once() -> None:
    tree, _ = a_tree(Text("Hello"))
    before = dict(tree.nodes)

    change = node_edits.attach(tree, [CAT, Mixed((NOTES,))], pen("source"))
    apply(tree, change)

    first, second = change.added_nodes()
    assert change.label == "Attach 2 files"
    assert (first.content, second.content) == (CAT, Mixed((NOTES,)))
    assert first.local_id != second.local_id
    assert not tree.incoming(first.id)
    assert first.content_hash == content_hash(first)
    apply(tree, change.inverse())
    assert tree.nodes == before
