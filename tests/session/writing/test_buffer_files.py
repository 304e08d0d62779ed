"""What a buffer leaves in its file: nothing when it is only read, one node when one passage is corrected."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.__main__ import main
from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.paths import resolve
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.chance import examples
from tests.kit.groves import MODEL
from tests.kit.trees import Hand
from tests.session.writing.test_buffer_session import Desk

ANY_TEXT = st.lists(
    st.one_of(
        st.sampled_from(("\r\n", "\r", "\n", "\u2028", "\u2029", "\x0b", "\x85", "\u00a0", "\ufeff", "  ")),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    ),
    max_size=6,
).map("".join)


@pytest.fixture(autouse=True, scope="module")
def _application(qapp: QApplication) -> QApplication:
    return qapp


def grove_of(path: Path, texts: list[str]) -> str:
    """A grove with one buffer that says these texts; its tree id."""
    with create_grove(path) as grove:
        hand = Hand()
        tree = tree_edits.new_tree("buffer", "A story", hand.pen(grove.owner.id))
        grove.add_tree(tree, [grove.owner], [])
        tree = grove.load_tree(tree.loom.id)
        for text in texts:
            leaf = tree.path.leaf_id
            grove.commit(tree, node_edits.add_node(tree, leaf, text, hand.pen(grove.owner.id)))
        Document(grove)  # what the first opening writes of its own
        return tree.loom.id


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_opening_and_closing_changes_no_byte(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "g.loom"
        grove_of(path, texts)
        before = path.read_bytes()

        with open_grove(path) as grove:
            document = Document(grove)
            journal = Journal(document)
            desk = BufferSession(document)
            desk.keep_in(journal)
            assert desk.buffer_text.text == "".join(texts)
            desk.commit()
            journal.close()

        assert path.read_bytes() == before
        assert not drafts_folder(path).exists()


def test_a_word_in_passage_5_of_18_makes_one_node_and_no_copies(
    tmp_path: Path, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.loom"
    tree_id = grove_of(path, [f"Passage {number} of the story. " for number in range(1, 18)])
    with open_grove(path) as grove:
        desk = Desk(grove)
        ids = desk.document.path_ids
        branch = desk.continuation.continue_from(desk.view.index("Passage 10")).node_id
        desk.document.commit(node_edits.add_node(desk.tree, branch, "Another way.", desk.document.pen()))
        other = desk.document.path_ids[-1]
        desk.document.place.read(ids[-1])
        nodes, edges = set(desk.tree.nodes), len(desk.tree.edges)
        hashes = {i: node.content_hash for i, node in desk.tree.nodes.items()}

        at = desk.view.index("Passage 4")
        desk.type("Chapter", at, at + len("Passage"))
        desk.desk.commit()

        assert len(desk.document.path_ids) == len(ids) == 18
        (version,) = desk.tree.nodes.keys() - nodes
        assert desk.tree.nodes[version].edited_from == ids[4]
        assert len(desk.tree.edges) == edges + 1
        assert {i: desk.tree.nodes[i].content_hash for i in hashes} == hashes
        assert desk.verdicts() == {"ok"}
        text = desk.view
        below = {version: "Chapter 4", ids[4]: "Passage 4"}
        for shown, words in below.items():
            chosen = {ids[5]: shown}
            said = resolve.resolve(desk.tree, other, chosen).nodes
            assert words in "".join(node.text for node in said)

    assert main(["assemble", "--grove", str(path), "--tree", tree_id, "--at", ids[-1]]) == 0
    assert json.loads(capsys.readouterr().out)["document"] == text


def words_of(desk: Desk) -> str:
    """The text with what people wrote of it in brackets."""
    buffer_text, text = desk.desk.buffer_text, desk.view
    parts = ((s.author_type, text[s.start : s.end]) for s in buffer_text.spans_between(0, buffer_text.length))
    return "".join(f"[{words}]" if by == "human" else words for by, words in parts)


EXACT, COMPARED = "the[x] old la[a]amp, lit. ", "the[x] old l[a]aamp, lit. "


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("as it is", EXACT),
        (None, COMPARED),  # by a version that kept the text alone
        ([3, 7], COMPARED),
        ([["gone", 0, 22]], COMPARED),
        ("damaged", COMPARED),
    ],
)
def test_a_models_words_between_two_corrections_are_its_own_after_a_crash(
    tmp_path: Path, qtbot: QtBot, kept: object, found: str
) -> None:
    path = tmp_path / "g.loom"
    grove_of(path, ["By night"])
    with open_grove(path) as grove:
        grove.put_agent(MODEL)
        desk = Desk(grove)
        journal = Journal(desk.document)
        desk.desk.keep_in(journal)
        desk.generate("the old laamp, lit. ")
        at = len("By night")
        desk.type("x", at + len("the"))
        desk.type("a", at + len("thex old la"))
        text = desk.view
        journal.close()
    if kept != "as it is":
        folder = drafts_folder(path)
        (row,) = drafts.read(folder)
        drafts.keep(folder, replace(row, body={"text": row.body["text"], "pieces": kept}))

    with open_grove(path) as grove:
        again = Desk(grove)
        journal = Journal(again.document)
        again.desk.keep_in(journal)
        assert again.desk.take_up(journal.recovered(again.tree.loom.id)).begun == ()

        assert again.view == text
        assert words_of(again) == f"[By night]{found}"
        again.desk.commit()
        assert again.view == text
        assert words_of(again) == f"[By night]{found}"
        assert again.verdicts() == {"ok"}
        journal.close()
        assert not drafts_folder(path).exists()


def test_halves_of_an_answer_go_out_and_come_back_with_their_response(
    tmp_path: Path, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.loom"
    tree_id = grove_of(path, [])
    with open_grove(path) as grove:
        grove.put_agent(MODEL)
        desk = Desk(grove)
        desk.type("Once")
        desk.generate(" upon a time", " on a hill")
        desk.generate(" us", at=len("Once upon"))
        desk.type("Twice", 0, 4)
        desk.desk.commit()
        text, spans = desk.view, [desk.desk.buffer_text.spans(i) for i in range(4)]
    assert text == "Twice upon us"

    assert main(["export", "--grove", str(path), "--tree", tree_id]) == 0
    file = tmp_path / "story.loom.json"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["import", str(file), "--grove", str(tmp_path / "other.loom")]) == 0
    capsys.readouterr()
    assert main(["verify", "--grove", str(tmp_path / "other.loom"), "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["findings"] == []
    with open_grove(tmp_path / "other.loom") as grove:
        again = Desk(grove)
        assert again.view == text
        assert [again.desk.buffer_text.spans(i) for i in range(4)] == spans
