"""In and out by pointer: a ChatGPT export that becomes a web page, and a novel that is written on.

Slow, all of it; without a Chromium on the computer the page is read by a parser alone.
"""

from __future__ import annotations

import io
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import docx
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QRadioButton
from pytestqt.qtbot import QtBot

from loomapp.store.grove.open import create_grove
from loomapp.ui.imports.page import ImportPage
from loomapp.ui.window.main_window import MainWindow
from tests.kit.chatgpt_exports import boat, with_picture, write_export
from tests.kit.desktop import Pointer
from tests.kit.drag import drop_files
from tests.kit.export_panel import export_panel, save_export
from tests.kit.find import find
from tests.kit.windows import open_window

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ENGINE_MS = 300_000
ENOUGH_TOKENS = 12  # of the answer
WORDS = 120_000
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    create_grove(tmp_path / "g.loom").close()
    with open_window(tmp_path / "g.loom", qtbot) as window:
        yield window


def take_in(window: MainWindow, qtbot: QtBot, pointer: Pointer, file: Path) -> None:
    """Drop a file, look at what is in it, import it and open it."""
    assert drop_files(window.graph.viewport(), file)
    page = find(window, ImportPage, "importPage")
    button = find(page, QPushButton, "importButton")
    qtbot.waitUntil(button.isEnabled, timeout=120_000)
    assert page.totals
    pointer.click(button)
    qtbot.waitUntil(lambda: bool(page.outcome.text), timeout=240_000)
    pointer.click(find(page, QPushButton, "errorAct_open"))
    qtbot.waitUntil(lambda: not page.isVisible() and len(window.document.tree.nodes) > 1, timeout=120_000)


class Words(HTMLParser):
    """The words of a page, and the names of its parts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words, self.tags = "", set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def test_an_export_of_chatgpt_is_read_walked_continued_and_becomes_a_page(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    take_in(window, qtbot, pointer, write_export(tmp_path / "export.zip", boat(), with_picture()))
    before = set(window.document.tree.nodes)
    window.actions_set.by_name["goRoot"].trigger()
    for _ in range(3):
        window.actions_set.by_name["goChild"].trigger()
        window.actions_set.by_name["nextSibling"].trigger()
    window.actions_set.by_name["goLeaf"].trigger()
    agents = window.document.agents
    agent = agents.model()
    plain = replace(agent.configuration, max_tokens=ENOUGH_TOKENS, temperature=0.0)
    agents.put(replace(agent, configuration=plain))
    window.composer.set_count(1)
    window.composer.set_text("Write a story about the sea.")
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(
        lambda: len(set(window.document.tree.nodes) - before) >= 2 and not window.generator.is_streaming(),
        timeout=ENGINE_MS,
    )

    panel = export_panel(window)
    pointer.click(find(panel, QRadioButton, "exportFormat_html"), QPoint(8, 12))
    page = save_export(window, qtbot, "html", tmp_path / "page.html").decode()

    read = Words(page)
    assert "Write a story about the sea." in read.words
    assert not read.tags & {"script", "iframe", "link", "object"}
    for node in window.document.tree.nodes.values():
        assert node.text.strip()[:40] in read.words or not node.text.strip()
    if CHROMIUM is None:
        pytest.skip("no Chromium here: the page was read by a parser alone")
    shot = tmp_path / "page.png"
    line = [CHROMIUM, "--headless", "--no-sandbox", f"--screenshot={shot}", (tmp_path / "page.html").as_uri()]
    subprocess.run(line, check=True, timeout=120, capture_output=True)
    image = QImage(str(shot))
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 3, "something is to be seen"


def novel() -> tuple[bytes, list[str]]:
    """A Word document of many words in forty chapters, and its paragraphs."""
    chance = random.Random(22)
    stock = [f"word{number}" for number in range(3_000)]
    made = docx.Document()
    paragraphs: list[str] = []
    for chapter in range(1, 41):
        made.add_heading(f"Chapter {chapter}", level=1)
        for _ in range(WORDS // 40 // 100):
            paragraphs.append(" ".join(chance.choices(stock, k=100)) + ".")
            made.add_paragraph(paragraphs[-1])
    data = io.BytesIO()
    made.save(data)
    return data.getvalue(), paragraphs


def test_a_novel_is_dropped_written_on_and_comes_out_as_it_went_in(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    data, paragraphs = novel()
    (tmp_path / "novel.docx").write_bytes(data)
    take_in(window, qtbot, pointer, tmp_path / "novel.docx")
    assert window.document.tree.loom.mode == "buffer"
    editor = window.buffer.view.editor
    qtbot.waitUntil(editor.isVisible, timeout=120_000)
    editor.set_caret(len(editor.text))
    QTest.keyClicks(editor, " And so it ended.")

    made = save_export(window, qtbot, "docx", tmp_path / "out.docx")

    said = [one.text for one in docx.Document(io.BytesIO(made)).paragraphs]
    plain = [text for text in said if not text.startswith("Chapter ")]
    assert plain[:-1] == paragraphs[:-1]
    assert plain[-1] == paragraphs[-1] + " And so it ended."
    assert [text for text in said if text.startswith("Chapter ")] == [f"Chapter {n}" for n in range(1, 41)]
