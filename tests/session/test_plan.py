"""A plan is made once of a tree as it is, and anew as soon as anything that decides it is otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from weakref import ref

import pytest

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.awareness import aware_agent
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.edits import node_edits, node_marks
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import Image
from loomapp.session.document import Document
from loomapp.session.plan import planned
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.grove.open import create_grove

AGENT = Agent("a", "A", "model", "anthropic:claude-sonnet-4-5", Configuration(max_tokens=50))
PIXELS = b"stands for the bytes of an image"


@pytest.fixture
def document(tmp_path: Path) -> Iterator[Document]:
    """A dialogue of two messages, and a note on the last."""
    with create_grove(tmp_path / "g.loom") as grove:
        document = Document(grove)
        for text in ("One.", "Two."):
            write(document, text)
        last = document.current_id
        document.commit(node_edits.annotate(document.tree, last, "A note.", document.pen()))
        document.place.set_current(last)
        yield document
        document.deleteLater()


def write(document: Document, text: str) -> None:
    document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))


def question_of(document: Document) -> AskedQuestion:
    return AskedQuestion(
        AGENT, Sources(document.current_id), defaults=document.context_defaults, media=document.media
    )


def assembled(document: Document) -> Assembled:
    return planned(document.tree, question_of(document), document).assembled


def test_the_same_question_is_assembled_once(document: Document) -> None:
    first = assembled(document)

    assert assembled(document) is first


def test_an_agent_that_only_answers_otherwise_is_sent_the_same(document: Document) -> None:
    question = question_of(document)
    first = planned(document.tree, question, document)
    warm = replace(AGENT, configuration=replace(AGENT.configuration, temperature=0.9))

    plan = planned(document.tree, replace(question, agent=warm), document)

    assert plan.assembled is first.assembled
    assert plan.request(document.tree, 1).temperature == 0.9


def test_choices_that_are_those_of_the_tree_make_no_other_question(document: Document) -> None:
    question = question_of(document)
    first = planned(document.tree, question, document)

    plan = planned(document.tree, replace(question, selections=dict(document.tree.path.selections)), document)

    assert plan.assembled is first.assembled


def test_two_open_trees_know_their_contexts_each_for_itself(document: Document, tmp_path: Path) -> None:
    with create_grove(tmp_path / "other.loom") as grove:
        other = Document(grove)
        write(other, "Three.")
        first, second = assembled(document), assembled(other)

        assert assembled(document) is first
        assert assembled(other) is second
        other.deleteLater()


def test_a_tree_that_is_left_is_gone_with_its_contexts(document: Document) -> None:
    left, context = ref(document.tree), ref(assembled(document).economy)

    document.new_tree("dialogue")

    assert left() is None
    assert context() is None


def exclude(document: Document) -> None:
    document.commit(
        node_marks.exclude(document.tree, [document.path_ids[1]], document.pen()), keeps_current=True
    )


def include_note(document: Document) -> None:
    [note] = document.tree.notes(document.current_id)
    change = node_edits.include_annotation(document.tree, note, True, document.pen())
    document.commit(change, keeps_current=True)


def give_a_system_context(document: Document) -> None:
    document.trees.save_loom(replace(document.tree.loom, system_context="Be brief."))


def mark_what_is_cut(document: Document) -> None:
    document.context_defaults = AppContextSettings(token_buffer=3_000)


@pytest.mark.parametrize("act", [exclude, include_note, give_a_system_context, mark_what_is_cut])
def test_what_decides_a_context_makes_it_another(document: Document, act: Callable[[Document], None]) -> None:
    first, at = assembled(document), document.current_id

    act(document)

    document.place.set_current(at)
    assert assembled(document) != first


def test_where_the_reader_is_makes_it_another_only_for_who_sees_the_tree(document: Document) -> None:
    above = document.path_ids[1]
    seeing = replace(AGENT, loom_aware=True)
    plain = replace(question_of(document), sources=Sources(above))
    aware = replace(plain, agent=seeing, aware=aware_agent(seeing, [seeing]))
    before = [planned(document.tree, one, document).assembled for one in (plain, aware)]

    document.place.read(above)

    now = [planned(document.tree, one, document).assembled for one in (plain, aware)]
    assert [one is other for one, other in zip(before, now, strict=True)] == [True, False]


def test_an_image_whose_file_went_goes_by_its_name_and_as_itself_once_it_is_back(document: Document) -> None:
    add_media(document.grove.path, [PIXELS])
    file = media_folder(document.grove.path) / hashlib.sha256(PIXELS).hexdigest()
    image = Image(file.name, "image/png", 9, 9, "cat.png")
    document.commit(node_edits.add_content(document.tree, document.current_id, image, document.pen()))
    assert len(assembled(document).images) == 1

    file.unlink()

    assert assembled(document).images == ()
    file.write_bytes(PIXELS)
    assert len(assembled(document).images) == 1
