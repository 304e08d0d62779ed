"""An image that could not be sent: recorded with what was sent, and a reason why today it would be other."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from loomapp.core.context.plain_text import as_text, side_by_side
from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.core.sent.inputs import Model, assembled_from, inputs_of
from loomapp.core.sent.record import digest_of, from_json, record_of, to_json
from loomapp.core.sent.replay import replay, undone
from loomapp.store.files.media import MediaOfFile

DATA = b"some pixels"
CAT = Image(hashlib.sha256(DATA).hexdigest(), "image/png", 4, 3, "cat.png")
OTHER = b"other pixels"
OTHER_REF = hashlib.sha256(OTHER).hexdigest()
THERE, GONE = MediaOfFile({CAT.ref: DATA, OTHER_REF: OTHER}), MediaOfFile({})
SEES = Model(accepts_images=True)


def test_a_missing_image_is_recorded_and_is_the_reason_once_it_is_back() -> None:
    numbers = iter(range(99))
    pen = edit_context.EditContext("me", 5, lambda: f"id{next(numbers)}")
    tree = tree_edits.new_tree("dialogue", "t", pen)
    change = node_edits.add_content(tree, tree.root_id, Mixed((CAT, Text("What is it?"))), pen)
    apply(tree, change)
    sources = Sources(change.added_nodes()[0].id)
    then, now = (AskedQuestion(Agent("a", "A", "model"), sources, media=media) for media in (GONE, THERE))

    sent = assembled_for(tree, then, SEES)
    assert sent.messages[0].text == "[image: cat.png]\n\nWhat is it?"
    assert sent.images == ()
    assert [(one.code, one.node_id) for one in sent.report.warnings] == [
        ("image_missing", sources.primary_id)
    ]
    assert sent.report.warnings[0].count == 1
    record = from_json(to_json(record_of(inputs_of(tree, then, SEES), sent), tree), tree, "context")
    assert record.inputs.withheld == {CAT.ref: "missing"}
    assert digest_of(assembled_from(tree, record.inputs)) == record.digest

    today = inputs_of(tree, now, SEES)
    found = replay(tree, record, today)

    assert not found.is_identical
    assert [difference.name for difference in found.differences] == ["withheld"]
    assert found.then is not None
    assert found.now is not None
    assert len(found.now.images) == 1
    back = undone(today, record, found.differences[0])
    assert digest_of(assembled_from(tree, back)) == record.digest


def test_two_missing_images_of_a_node_are_told_as_two() -> None:
    numbers = iter(range(99))
    pen = edit_context.EditContext("me", 5, lambda: f"id{next(numbers)}")
    tree = tree_edits.new_tree("dialogue", "t", pen)
    dog = replace(CAT, ref="0" * 64, alt_text="dog.png")
    change = node_edits.add_content(tree, tree.root_id, Mixed((CAT, dog, Text("Which?"))), pen)
    apply(tree, change)
    sources = Sources(change.added_nodes()[0].id)

    sent = assembled_for(tree, AskedQuestion(Agent("a", "A", "model"), sources, media=GONE), SEES)

    assert [(one.code, one.count) for one in sent.report.warnings] == [("image_missing", 2)]


def test_side_by_side_an_image_that_is_not_sent_and_another_of_its_name_are_no_longer_alike() -> None:
    numbers = iter(range(99))
    pen = edit_context.EditContext("me", 5, lambda: f"id{next(numbers)}")
    contexts = []
    for image, media in ((CAT, THERE), (CAT, GONE), (replace(CAT, ref=OTHER_REF), THERE)):
        tree = tree_edits.new_tree("dialogue", "t", pen)
        change = node_edits.add_content(tree, tree.root_id, Mixed((image, Text("What is it?"))), pen)
        apply(tree, change)
        sources = Sources(change.added_nodes()[0].id)
        contexts.append(
            assembled_for(tree, AskedQuestion(Agent("a", "A", "model"), sources, media=media), SEES)
        )

    assert side_by_side(contexts[:1]) == (as_text(contexts[0]),)
    assert side_by_side(contexts) == tuple(
        f"User:\n[image: cat.png · {said}]\n\nWhat is it?"
        for said in (CAT.ref[:8], "not sent", OTHER_REF[:8])
    )
