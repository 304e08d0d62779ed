"""Texts and Word documents: turns become messages, anything else a buffer, to the character."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.paths.resolve import resolve
from loomapp.formats.importer import Found, Imported
from loomapp.formats.registry import detect, known_kind
from loomapp.formats.sources import open_source
from tests.kit.exports.chats import ODD
from tests.kit.exports.documents import novel, word_document
from tests.kit.exports.reading import agents, findings, read_as, read_one, shape, write


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


@pytest.mark.parametrize("sign", ["## {}", "**{}:**", "{}:"])
def test_names_in_a_block_of_code_are_quoted_and_one_that_is_cut_off_ends_with_its_turn(
    tmp_path: Path, sign: str
) -> None:
    you, model = sign.format("User"), sign.format("Assistant")
    quoted = f"As:\n\n```md\n\n{you}\n\nHi\n\n{model}\n\nHo\n```\n\ndone"
    cut = "```python\nprint(1)"
    code = "~~~\n# b\n~~~"
    text = "\n\n".join((you, "Show a chat", model, quoted, you, "Go on", model, cut, you, code, model, "Yes"))

    one, _ = read_one(tmp_path, "markdown", f"{text}\n".encode())

    said = ["Show a chat", quoted, "Go on", cut, code, "Yes"]
    assert [words for _, words in shape(one.tree).values()] == said


def test_underlined_headings_are_headings(tmp_path: Path) -> None:
    talk = "Birds\n=====\n\nUser\n----\n\nWhy?\n\nAssistant\n---------\n\nSo:\n\nParts\n-----\n\nOne.\n"
    front = "---\ntags:\n- a\n\ntitle: 'A book'\n---\n"
    book_text = f"{front}Preface.\n\nOne\r\n---\r\n\r\nIt rained.\n\nTwo\n===\nThe end.\n"

    one, two = (read_one(tmp_path, "markdown", text.encode())[0] for text in (talk, book_text))

    assert one.tree.loom.title == "Birds"
    assert [text for _, text in shape(one.tree).values()] == ["Why?", "So:\n\nParts\n-----\n\nOne."]
    assert two.tree.loom.title == "A book"
    assert [text.split()[0] for _, text in shape(two.tree).values()] == ["---", "One", "Two"]
    assert written(two) == book_text


def test_an_underlined_name_in_code_ends_no_turn_unless_the_code_was_cut_off(tmp_path: Path) -> None:
    answer = "So:\n\n```\n\nUser\n----\n\nHi\n```\n\nThat is all."
    cut = "```python\nprint(1)"
    said = ["How?", answer, "More", cut, "Go on", "2"]
    names = ["User\n----", "Assistant\n---------"] * 3
    talk = "\n\n".join(f"{name}\n\n{words}" for name, words in zip(names, said, strict=True))

    one, _ = read_one(tmp_path, "markdown", f"{talk}\n".encode())

    assert [text for _, text in shape(one.tree).values()] == said


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


@pytest.mark.parametrize("data", [b"", b"  \n", b"\x00text", b"\xff\xfe", "Привет".encode("cp1251")])
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
        (b"RIFF\0\0\0\0WEBPVP8 ", "WebP"),
    ],
)
def test_a_file_that_is_known_and_not_read_says_what_it_is(tmp_path: Path, data: bytes, said: str) -> None:
    with open_source(write(tmp_path / "t", data)) as source:
        kind, found = known_kind(source), detect(source)

    assert kind is not None
    assert said in kind
    assert found is None


@pytest.mark.parametrize(
    "text",
    [
        "**User:** Hi\n\n---\n\n**Gemini:** Hello\n\n---\n\n**User:** More\n\n---\n\n**Gemini:** Sure\n",
        "# T\n\n**User**\n\nHi\n\n---\n\n**C**\n\nHello\n\n---\n\n**User**\n\nMore\n\n---\n\n**C**\n\nSure",
        "Human: Hi\nAssistant: Hello\nHuman: More\nAssistant: Sure\n",
        "Me: Hi\n\nGPT-4: Hello\n\nMe: More\n\nGPT-4: Sure\n",
        "You said:\n\nHi\n\nChatGPT said:\n\nHello\n\nYou said:\n\nMore\n\nChatGPT said:\n\nSure\n",
        "#### You said:\nHi\n\n###### GPT said:\nHello\n\n#### You said:\nMore\n\n###### GPT said:\nSure\n",
        "## 👤 User\n\nHi\n\n## 🤖 Assistant\n\nHello\n\n## 👤 User\n\nMore\n\n## 🤖 Assistant\n\nSure\n",
        "## Human (1/1/26):\n\nHi\n\n## Claude:\n\nHello\n\n---\n\n## Human:\n\nMore\n\n## Claude:\n\nSure",
    ],
)
def test_a_talk_as_programs_and_browsers_write_it_is_a_dialogue(tmp_path: Path, text: str) -> None:
    [found] = findings(write(tmp_path / "talk.md", text.encode()))

    assert isinstance(found, Found)
    one = found.load(None)
    assert said(one) == [("human", "Hi"), ("model", "Hello"), ("human", "More"), ("model", "Sure")]


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\nOf a day.\n\n**Summary**\n\nIt rained.\n\n**Question:** Why?\n\nNobody knows.\n",
        "**Summary**\n\nIt rained.\n\n**Question:** Why?\n\nNobody knows.\n",
        "It was late.\n\nUser: Hi\n\nAssistant: Hello\n",
        "# A tool\n\nIt talks.\n\n## Usage\n\nUser: Hi\n\nAssistant: Hello\n\n## License\n\nFree.\n",
        "System: Ubuntu 22.04\nUser: root\n\nIt breaks when I type.\n",
        "# A tool\n\nUser: the one who types\n\nSystem: the one who runs\n",
        "# Tables\n\n## System\n\nThe host.\n\n### User\n\nThe name.\n",
        "---\n#### You:\nHi\n\n---\n#### ChatGPT:\nHello\n\n---\n#### You:\nMore\n",
    ],
)
def test_a_document_in_which_a_name_stands_somewhere_is_no_talk(tmp_path: Path, text: str) -> None:
    [found] = findings(write(tmp_path / "notes.md", text.encode()))

    assert isinstance(found, Found)
    assert found.load(None).tree.loom.mode == "buffer"


def test_lines_in_bold_in_a_question_are_the_question(tmp_path: Path) -> None:
    asked = "Do this.\n\n**Task**\n\nWrite a poem.\n\n**Form**\n\nA sonnet."
    text = f"**User**\n\n{asked}\n\n**Assistant**\n\n**Title**\n\nThe sea" + "\n" * 40_000 + "sleeps."

    one, _ = read_one(tmp_path, "text", text.encode())

    assert said(one)[0] == ("human", asked)
    assert [kind for kind, _ in said(one)] == ["human", "model"]


def test_what_heads_an_export_comes_in_and_is_not_sent(tmp_path: Path) -> None:
    text = "---\nsource: https://x.org\n---\n\n# Tides\n\n#### You:\nHi\n\n#### ChatGPT:\nHello\n"

    one, facts = read_one(tmp_path, "markdown", text.encode())

    nodes = list(one.tree.nodes.values())[1:]
    assert one.tree.loom.title == "Tides"
    assert [node.text for node in nodes] == ["---\nsource: https://x.org\n---", "Hi", "Hello"]
    assert [node.metadata.excluded for node in nodes] == [True, False, False]
    assert [str(note) for note in facts.notes] == ["what stands before the first turn → excluded"]


def test_a_text_of_windows_is_read_and_that_is_told(tmp_path: Path) -> None:
    text = "Café “quoted” — for 5 € …\r\n\r\nIt goes on for some time in plain words.\r\n"

    one, facts = read_one(tmp_path, "text", text.encode("cp1252"))

    assert written(one) == text
    assert [str(note) for note in facts.notes] == ["it is no UTF-8, and was read as Windows text"]


@pytest.mark.parametrize(
    ("encoding", "text", "told"),
    [
        ("cp1250", "Zażółć gęślą jaźń. Łódź płynęła wzdłuż brzegu, a są tam ćmy.", " of Central Europe"),
        (
            "cp1250",
            "Šel jsem domů přes pole a večer byl klidný; žádný vítr, jen zeď a chuť chleba.",
            " of Central Europe",
        ),
        ("cp1250", "Árvíztűrő tükörfúrógép, és sok erdő mögött egy őz.", " of Central Europe"),
        ("cp1254", "Bugün gökyüzü açık, İstanbul'da ışık çok güzel; şarkı söylüyor.", "Turkish"),
        ("mac_roman", "L’été, la mer était calme et le café très fort, à Brest.", "old Mac"),
        ("cp1252", "L’été, la mer était calme et le café très fort, à Brest.", ""),
        ("cp1252", "Grüße aus Köln, schöne Häuser und ein großer Fluß.", ""),
        ("cp1252", "¿Dónde está el niño? Mañana será otro día.", ""),
        ("cp1252", "Não são só maçãs; há também pães e limões à tarde.", ""),
        ("cp1252", "Blåbær og rødgrød på øen ved åen.", ""),
        ("cp1252", "Það er kalt úti í dag, sagði þýski maðurinn.", ""),
        ("cp1252", "Müller met Ýr at the lake, and nothing else was said.", ""),
        ("cp1252", "The résumé of Noël, a garçon in Niño’s café, and señor Gödel’s façade.", ""),
        ("cp1252", "Dr. Müller spoke of El Niño, and of Ægir; of a jalapeño nobody said a word. " * 3, ""),
        (
            "mac_roman",
            "Die Häuser am Fluss sind alle grün, und wer dort wohnt, der sieht schön aus.",
            "old Mac",
        ),
        ("cp1252", "A room of 12 m³ or 14 m³, and 9 m³ more, for 5 €.", ""),
    ],
)
def test_texts_of_other_code_pages_are_told_apart_by_their_letters(
    tmp_path: Path, encoding: str, text: str, told: str
) -> None:
    one, facts = read_one(tmp_path, "text", text.encode(encoding))

    assert written(one) == text
    [note] = map(str, facts.notes)
    assert told in note if told else note.endswith("read as Windows text")


def test_a_damaged_utf_8_text_is_not_taken_for_another_kind(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no UTF-8"):
        read_as(tmp_path, "text", f"{'Schöne Füße überall, '.encode().decode()}".encode() * 9 + b"\xff end")


def test_what_a_word_document_tracks_and_tables_is_told(tmp_path: Path) -> None:
    def run(text: str, before: str = "") -> str:
        return f"<w:r>{before}<w:t>{text}</w:t></w:r>"

    body = (
        f"<w:p>{run('A ')}<w:ins>{run('new ')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('moved')}</w:moveFrom></w:p><w:p><w:moveTo>{run('moved')}</w:moveTo></w:p>"
        f"<w:p><m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath></w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{run('cell')}</w:p></w:tc></w:tr></w:tbl>"
        f"<w:p><w:pPr><w:numPr/></w:pPr>{run('item')}</w:p>"
    )

    one, facts = read_one(tmp_path, "docx", word_document([], more=body))

    assert written(one) == "A new \n\nmoved\n\nx=2\n\ncell\n\nitem"
    assert [str(loss) for loss in facts.losses] == [
        "1 table comes cell by cell",
        "the mark of 1 list item is left out",
        "1 tracked deletion is left out",
    ]


def test_headings_by_a_style_that_rests_on_one_divide_a_document(tmp_path: Path) -> None:
    data = word_document([("Mine", "One"), ("", "Text."), ("Mine", "Two"), ("", "End.")])

    one, _ = read_one(tmp_path, "docx", data)

    assert [text for _, text in shape(one.tree).values()] == ["# One\n\nText.\n\n", "# Two\n\nEnd."]


def test_a_document_without_headings_is_divided_where_a_line_says_chapter(tmp_path: Path) -> None:
    data = word_document([("", text) for text in ("CHAPTER ONE", "It rained.", "CHAPTER TWO", "The end.")])

    one, _ = read_one(tmp_path, "docx", data)

    assert [text.split("\n")[0] for _, text in shape(one.tree).values()] == ["CHAPTER ONE", "CHAPTER TWO"]


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


def test_an_excluded_message_comes_back_as_one_of_the_same_speaker(tmp_path: Path) -> None:
    text = b"## You\n\nHello\n\n## Aria (excluded)\n\nHalt!\n\n## You\n\nWhy?\n\n## Aria\n\nPass.\n"

    one, _ = read_one(tmp_path, "markdown", text)

    assert said(one) == [("human", "Hello"), ("model", "Halt!"), ("human", "Why?"), ("model", "Pass.")]
    assert [node.text for node in one.tree.nodes.values() if node.metadata.excluded] == ["Halt!"]
    assert {agent.name for agent in one.agents} - {"You"} == {"Aria"}


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
