"""Texts and Word documents: turns become messages, anything else a buffer, to the character."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.paths.resolve import resolve
from loomapp.formats.importer import Imported
from loomapp.formats.registry import detect, known_kind
from loomapp.formats.sources import open_source
from tests.kit.exports.chats import ODD
from tests.kit.exports.documents import novel, word_document
from tests.kit.exports.reading import agents, read_as, read_one, shape, write


def written(one: Imported) -> str:
    return "".join(node.text for node in resolve(one.tree, one.tree.path.leaf_id).nodes)


CHAT = f"You:\nWhat is it?\n\nIt has\ntwo paragraphs.\n\nSmolLM2:\nA thing. {ODD}\n\nYou:\nNote: one more.\n"
BOOK = f"Preface.\n\nChapter 1\nIt rained. {ODD}\n\n\nChapter 2\nThe end.\n"


def test_a_text_in_which_names_speak_is_a_dialogue(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "text", CHAT.encode())

    assert one.tree.loom.mode == "dialogue"
    assert [text for _, text in shape(one.tree).values()] == [
        "What is it?\n\nIt has\ntwo paragraphs.",
        f"A thing. {ODD}",
        "Note: one more.",
    ]
    assert [agents(one)[key] for key in shape(one.tree)] == [
        ("You", "human"),
        ("SmolLM2", "model"),
        ("You", "human"),
    ]


def test_what_the_system_says_in_a_text_is_the_system_context(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "text", b"System: Be brief.\n\nUser: Hello\n\nAssistant: Hi")

    assert one.tree.loom.system_context == "Be brief."
    assert [text for _, text in shape(one.tree).values()] == ["Hello", "Hi"]


@pytest.mark.parametrize("text", [BOOK, "One line", f"\r\nText\r\n\r\nwith\u00a0{ODD}\r\n"])
def test_another_text_is_a_buffer_to_the_character(tmp_path: Path, text: str) -> None:
    one, _ = read_one(tmp_path, "text", text.encode())

    assert one.tree.loom.mode == "buffer"
    assert written(one) == text


def test_a_book_is_divided_by_its_chapters(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "text", BOOK.encode())

    assert [text.split()[0] for _, text in shape(one.tree).values()] == ["Preface.", "Chapter", "Chapter"]


def test_a_long_text_without_chapters_is_divided_at_blank_lines(tmp_path: Path) -> None:
    text = "\n\n".join("word " * 500 for _ in range(30))

    one, _ = read_one(tmp_path, "text", text.encode())

    assert len(shape(one.tree)) > 3
    assert all(len(part) <= 20_000 for _, part in shape(one.tree).values())
    assert written(one) == text


def test_headings_of_markdown_divide_a_buffer_but_not_in_code(tmp_path: Path) -> None:
    text = f"# Title\n\nIntro {ODD}\n\n## One\n\n```sh\n# no heading\n```\n\n## Two\nEnd"

    one, _ = read_one(tmp_path, "markdown", text.encode())

    assert [part.split("\n")[0] for _, part in shape(one.tree).values()] == ["# Title", "## One", "## Two"]
    assert written(one) == text
    assert one.tree.loom.title == "Title"


def test_headings_that_name_who_speaks_are_turns(tmp_path: Path) -> None:
    text = "# A talk\n\n## You\n\nHello\n\n### Details\n\nMore\n\n## SmolLM2\n\nHi\n"

    one, _ = read_one(tmp_path, "markdown", text.encode())

    assert [part for _, part in shape(one.tree).values()] == ["Hello\n\n### Details\n\nMore", "Hi"]
    assert one.tree.loom.title == "A talk"


def test_a_word_document_is_a_buffer_by_its_headings(tmp_path: Path) -> None:
    one, facts = read_one(tmp_path, "docx", novel())

    assert one.tree.loom.title == "The Novel"
    assert written(one) == (
        "# A Novel\n\n# One\n\nIt was a dark & stormy night. naïve 🙂\n\n\n\n"
        "Rain <fell>.\n\n# Two\n\nThe end."
    )
    assert len(shape(one.tree)) == 3
    assert [str(loss) for loss in facts.losses] == ["bold, italic and other looks are left out"]


def test_a_document_in_which_names_speak_is_a_dialogue(tmp_path: Path) -> None:
    data = word_document([("", "User: Hello"), ("", "Assistant: Hi"), ("", "Bye")])

    one, _ = read_one(tmp_path, "docx", data)

    assert [text for _, text in shape(one.tree).values()] == ["Hello", "Hi\n\nBye"]


@pytest.mark.parametrize("data", [b"", b"  \n", b"\x00text", b"\xff\xfe", b"caf\xe9"])
def test_what_is_no_text_is_told_in_one_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_as(tmp_path, "text", data)

    assert len(caught.value.message.splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"nodes": [], "edges": [], "pathNodes": []}', "Bonsai"),
        (b'{"schemaVersion": 1, "tree": {"id": "x", "text": "", "continuations": []}}', "Textile"),
        (b'{"nodes": {}, "focused_node_id": "x"}', "wool"),
        (b'{"type": "session", "harness": "llama.app", "version": 1}\n{}\n', "llama.cpp"),
        (b'{"character_names": ["A"], "x": 1}\n{}\n', "TavernAI"),
        (b"---\nTapestryLoomWeaveCompressed: abc\n---\n", "Tapestry Loom plugin"),
        (b"%PDF-1.7", "PDF"),
        (b"{\\rtf1", "RTF"),
        (b"<!DOCTYPE html><p>x", "web page"),
        (b"\x89PNG\r\n\x1a\n", "character card"),
    ],
)
def test_a_file_that_is_known_and_not_read_says_what_it_is(tmp_path: Path, data: bytes, said: str) -> None:
    with open_source(write(tmp_path / "t", data)) as source:
        kind, found = known_kind(source), detect(source)

    assert kind is not None
    assert said in kind
    assert found is None


def said(one: Imported) -> Sequence[tuple[str, str]]:
    return [(node.author_type, node.text) for node in one.tree.nodes.values()][1:]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_headings_and_lists_within_an_answer_are_no_speakers(tmp_path: Path, end: str) -> None:
    answer = "## Overview\n\nShort.\n\n## Steps\n\nOne."
    listed = "It depends.\n\nPros:\n- fast\n\nCons:\n- dear"
    marked = f"## You\n\nWhy?\n\n## SmolLM2\n\n{answer}\n\n## You\n\nAh.\n"
    plain = f"You:\nWhy?\n\nSmolLM2:\n{listed}\n\nYou:\nAh.\n"

    one, _ = read_one(tmp_path, "markdown", marked.replace("\n", end).encode())
    two, _ = read_one(tmp_path, "text", plain.replace("\n", end).encode())

    assert said(one) == [("human", "Why?"), ("model", answer.replace("\n", end)), ("human", "Ah.")]
    assert said(two) == [("human", "Why?"), ("model", listed.replace("\n", end)), ("human", "Ah.")]


def test_who_speaks_first_need_not_be_known(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "markdown", b"## Aria\n\nHalt!\n\n## You\n\nHello\n\n## Aria\n\nPass.\n")

    assert said(one) == [("model", "Halt!"), ("human", "Hello"), ("model", "Pass.")]


def test_what_stands_before_a_talk_comes_in_and_is_not_sent(tmp_path: Path) -> None:
    text = b"# A talk\n\nSaved on a Sunday.\n\n## System\n\nBe brief.\n\n## You\n\nHello\n\n## Claude\n\nHi\n"

    one, facts = read_one(tmp_path, "markdown", text)

    assert [text for _, text in said(one)] == ["Saved on a Sunday.", "Hello", "Hi"]
    first = next(node for node in one.tree.nodes.values() if node.text)
    assert first.metadata.excluded
    assert one.tree.loom.title == "A talk"
    assert one.tree.loom.system_context == "Be brief."
    assert [str(note) for note in facts.notes] == ["what stands before the first turn → excluded"]


def test_a_text_that_begins_with_a_number_in_brackets_is_text(tmp_path: Path) -> None:
    one, _ = read_one(tmp_path, "text", b"[1] Knuth, The Art.\n[2] Dijkstra.\n")

    assert written(one) == "[1] Knuth, The Art.\n[2] Dijkstra.\n"


def test_a_line_of_spaces_takes_no_time(tmp_path: Path) -> None:
    text = "# Title\n\n#" + " " * 2_000 + "x" * 100 + "\n" + "```x\n" * 2_000

    one, _ = read_one(tmp_path, "markdown", text.encode())

    assert written(one) == text
