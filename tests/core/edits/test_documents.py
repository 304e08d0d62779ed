"""Documents: found by name, written in versions, renamed, deleted and brought back."""

from __future__ import annotations

from functools import partial

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.documents import (
    LooseDocument,
    delete_document,
    document_at,
    documents_of,
    find_document,
    new_document,
    rename_document,
    text_of,
    write_document,
    write_version,
)
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import apply
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from tests.kit.trees import Hand, chain, do, snapshot


def only(documents: tuple[LooseDocument, ...]) -> LooseDocument:
    [document] = documents
    return document


def test_each_writing_is_a_version_after_the_newest_whoever_wrote_that() -> None:
    hand = Hand()
    tree, _ = chain(2)
    first = do(tree, new_document(tree, " What we \n know ", hand.pen())).added_nodes()[0]
    do(tree, write_document(tree, "what we KNOW", "She is nineteen.", hand.pen("claude")))
    do(tree, write_version(tree, first.id, "She is twenty.", hand.pen()))

    document = only(documents_of(tree))

    assert document.name == "What we know"
    assert [text_of(node) for node in document.versions] == ["", "She is nineteen.", "She is twenty."]
    assert [node.edited_from for node in document.versions[1:]] == [node.id for node in document.versions[:2]]
    assert [text_of(node) for node in document.drafted] == ["She is nineteen.", "She is twenty."]
    assert document.newest.author_agent_id == "you"
    assert write_version(tree, first.id, "She is twenty.", hand.pen()) is None
    do(tree, write_version(tree, first.id, "", hand.pen()))
    assert [text_of(node) for node in only(documents_of(tree)).drafted][-1] == ""  # it was emptied


def test_a_version_comes_after_the_one_it_was_edited_from_whatever_clocks_and_ids_say() -> None:
    tree, _ = chain(1)
    at = 1_790_000_009_000
    for text, node_id, moment in (("one", "n2", at), ("two", "n1", at), ("three", "n0", at - 5_000)):
        do(tree, write_document(tree, "Plot", text, EditContext("you", moment, partial(str, node_id))))

    assert [text_of(node) for node in only(documents_of(tree)).versions] == ["one", "two", "three"]


def test_a_document_that_is_renamed_is_found_by_its_new_name_alone() -> None:
    hand = Hand()
    tree, _ = chain(1)
    node_id = do(tree, write_document(tree, "Plot", "She leaves.", hand.pen())).added_nodes()[0].id
    do(tree, write_document(tree, "Names", "Marie", hand.pen()))
    before = snapshot(tree)

    change = do(tree, rename_document(tree, node_id, "Story", hand.pen()))

    assert [document.name for document in documents_of(tree)] == ["Story", "Names"]
    assert find_document(tree, "Plot") is None
    with pytest.raises(InvalidInput):
        rename_document(tree, node_id, "names", hand.pen())
    with pytest.raises(InvalidInput):
        new_document(tree, "  ", hand.pen())
    assert rename_document(tree, node_id, "Story ", hand.pen()) is None
    renamed = rename_document(tree, node_id, "story", hand.pen())
    assert renamed is not None  # its own name in other case
    apply(tree, change.inverse())
    assert snapshot(tree) == before


def test_a_deleted_document_is_gone_with_all_its_versions_until_that_is_undone() -> None:
    hand = Hand()
    tree, _ = chain(1)
    for text in ("one", "two"):
        do(tree, write_document(tree, "Plot", text, hand.pen()))
    node_id = only(documents_of(tree)).versions[0].id

    change = do(tree, delete_document(tree, node_id, hand.pen()))

    assert documents_of(tree) == ()
    assert change.label == "Delete document"
    with pytest.raises(InvalidInput, match="deleted"):
        rename_document(tree, node_id, "Story", hand.pen())
    again = do(tree, write_version(tree, node_id, "three", hand.pen()))  # by one who had it open
    assert [text_of(node) for node in only(documents_of(tree)).versions] == ["three"]
    apply(tree, again.inverse())
    apply(tree, change.inverse())
    newest = only(documents_of(tree)).newest
    do(tree, node_marks.prune(tree, newest.id, hand.pen()))  # as of any card
    assert text_of(only(documents_of(tree)).newest) == "one"
    assert document_at(tree, newest.id) == only(documents_of(tree))


def test_what_hangs_in_the_tree_is_no_document_and_other_blocks_of_one_stay() -> None:
    hand = Hand()
    tree, ids = chain(1)
    file = AttachedDocument("notes.md", "text/markdown", "# Notes", {"x": 1})
    sent = Mixed((Text("See this."), file))
    do(tree, node_edits.add_content(tree, ids[0], sent, hand.pen()))
    assert documents_of(tree) == ()
    loose = do(tree, node_edits.attach(tree, [sent], hand.pen())).added_nodes()[0]

    written = do(tree, write_document(tree, "notes.md", "# New", hand.pen())).added_nodes()[0]

    assert written.content == Mixed(
        (Text("See this."), AttachedDocument("notes.md", "text/markdown", "# New", {"x": 1}))
    )
    assert only(documents_of(tree)).has(loose.id)
    sketch = tree.sketch()
    do(sketch, write_document(sketch, "Other", "", hand.pen()))
    assert (len(documents_of(sketch)), len(documents_of(tree))) == (2, 1)
