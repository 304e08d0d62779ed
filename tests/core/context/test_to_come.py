"""What is previewed of a message that is being written is what is sent once it is a node."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given

from loomapp.core.context.assembly import Assembled, assemble
from loomapp.core.context.renamed_nodes import named
from loomapp.core.context.report import PENDING_SOURCE_WITHOUT_PRIMARY
from loomapp.core.context.request import ContextRequest
from loomapp.core.edits import node_edits
from loomapp.core.errors import AssemblyError
from loomapp.core.model.change import apply
from loomapp.core.model.content import AttachedDocument, Audio, Block, Image, becomes_node, composed
from loomapp.core.model.tree import Tree
from tests.core.context.test_laws import CASES, LAW, Case
from tests.kit import written_trees
from tests.kit.trees import Hand
from tests.kit.written_trees import node


def said(tree: Tree, request: ContextRequest, new_id: str | None) -> object:
    """What is sent, or why nothing can be; what is being written has no id of its own yet."""
    try:
        return _said(assemble(tree, request), new_id)
    except AssemblyError as error:
        return error.code


def _said(result: Assembled, new_id: str | None) -> object:
    messages = [
        (one.role, one.parts, tuple(None if i == new_id else i for i in one.node_ids))
        for one in result.messages
    ]
    kept = [node_id for node_id in result.report.kept if node_id != new_id]
    return result.system, messages, kept, result.report.over_limit


@LAW
@given(CASES)
def test_a_message_is_previewed_as_it_is_sent_once_it_is_written(case: Case) -> None:
    tree, request = case
    text, blocks = request.composer_text or "", request.composer_blocks
    assume(tree.loom.mode == "dialogue" and request.at in tree.nodes)
    assume(becomes_node(text, blocks) and all(map(is_named, blocks)))
    before = said(tree, request, None)

    change = node_edits.add_content(tree, request.at, composed(text, blocks), Hand().pen())
    (new,) = change.added_nodes()
    apply(tree, change)
    written = replace(request, at=new.id, composer_text=None, composer_blocks=())

    assert said(tree, written, new.id) == before


def is_named(block: Block) -> bool:
    """What has no name is called by its node, which what is being written is not yet."""
    if isinstance(block, Image):
        return bool(block.alt_text and block.alt_text.strip())
    return not isinstance(block, Audio)


def test_what_is_attached_stays_out_with_a_message_that_says_nothing() -> None:
    """An empty file alone: it will be a node, which is left out, and its sources with it."""
    subject = written_trees.tree([node("q", "Q"), node("c", "C")])
    request = ContextRequest(
        "q", context_ids=("c",), composer_blocks=(AttachedDocument("a.txt", "text/plain", " "),)
    )

    result = assemble(subject, request)

    assert [message.text for message in result.messages] == ["Q"]
    assert [(one.code, one.node_id) for one in result.report.warnings] == [
        (PENDING_SOURCE_WITHOUT_PRIMARY, "c")
    ]


def test_all_parts_of_a_message_are_told_by_the_name_of_what_it_stands_for() -> None:
    tree = written_trees.chain(node("q", "Q"))
    content = composed("Read this:", (AttachedDocument("a.txt", "text/plain", "words"),))
    change = node_edits.add_content(tree, "q", content, Hand().pen())
    (new,) = change.added_nodes()
    apply(tree, change)

    told = named(assemble(tree, ContextRequest(new.id)), {new.id: "shown"})

    assert set(told.fitted.passages.node_ids[-2:]) == {"shown"}
    assert told.placed.path.node_ids[-1] == "shown"
