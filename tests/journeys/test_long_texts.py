"""Nobody waits for a key in a long text: at its start, middle and end, while four answers stream."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.app import keep_large_trees, keep_what_is_loaded
from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.change import apply
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.speaking import speaker
from tests.journeys.watchdog import Absence, Watchdog, table
from tests.kit.windows import open_window, turns_as_in_the_program
from tests.session.programs import ask_server

SIZE = 1_000_000  # characters
PASSAGE, PARAGRAPH = 600, 600
MOST_MS = 50.0
TIMES = 3  # at most: what keeps the window once may be another program's doing
STREAMS = 4
KEYS = 5  # in each place; the first of them begins an edit, and commits the one before
REST_MS = 700  # until what waits for a pause has begun: the count of words, the seams
OTHER = "other"  # what is no key
LONG_ENOUGH = 400  # characters of an answer
QUIET_MS = 120
WORDS = ("lamp", "boat", "salt", "oil", "hill", "glass", "letter", "keeper", "morning", "stair", "window")
SIGNS = ("😀", "🧵", "👩‍👩‍👧", "🌊", "🕯️", "❤️", "🇩🇪")


def prose(words: tuple[str, ...], paragraph: int) -> str:
    """A megabyte of words in paragraphs of so many characters, always the same; 0: all in one."""
    chance, pieces, length, line = random.Random(4), list[str](), 0, 0
    while length < SIZE:
        word = chance.choice(words)
        line += len(word) + 1
        ends = paragraph and line > paragraph
        line = 0 if ends else line
        pieces += (word, "\n" if ends else " ")
        length += len(word) + 1
    return "".join(pieces)[:SIZE]


def parted(text: str) -> list[str]:
    """It as the passages of a path."""
    return [text[start : start + PASSAGE] for start in range(0, len(text), PASSAGE)]


TEXTS = {
    "a path": lambda: parted(prose(WORDS, PARAGRAPH)),
    "a passage": lambda: [prose(WORDS, PARAGRAPH)],
    "one paragraph": lambda: [prose(WORDS, 0)],
    "a path of one paragraph": lambda: parted(prose(WORDS, 0)),
    "one word": lambda: ["He said: ", "a" * 100_000, " and went."],
    "a path of emoji": lambda: parted(prose(SIGNS, PARAGRAPH)),
    "one paragraph of emoji": lambda: [prose(SIGNS, 0)],
}


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where a model answers."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with speaker() as url:
        yield url


@pytest.fixture(autouse=True)
def _as_the_program_runs() -> Iterator[None]:
    with turns_as_in_the_program():
        yield


def buffer_of(path: Path, passages: list[str], url: str) -> None:
    """A grove with a buffer of these passages, and a model that answers from there."""
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("buffer", "Long", pen)
        leaf = tree.root_id
        for text in passages:
            change = node_edits.add_node(tree, leaf, text, pen)
            apply(tree, change)
            leaf = change.added_nodes()[0].id
        grove.add_tree(tree, [grove.owner])
        ask_server(grove, url)


def typed(window: MainWindow, dog: Watchdog, prefix: str) -> None:
    """Keys in each place of the text; the first key of a place commits what was written in another."""
    editor = window.buffer.view.editor
    for name, part in (("start", 0), ("middle", 1), ("end", 2), ("start again", 0)):
        with dog.during(OTHER):
            editor.set_caret(len(editor.text) * part // 2 + (1 if part < 2 else 0))
        for key in range(KEYS):
            length = len(editor.text)
            with dog.during(f"{prefix}{'key' if key else 'first key'} at the {name}"):
                QTest.keyClick(editor, Qt.Key.Key_A)
            assert len(editor.text) == length + 1
        with dog.during(f"{prefix}delete at the {name}"):
            QTest.keyClick(editor, Qt.Key.Key_Backspace)
        with dog.during(f"{prefix}rest at the {name}"):
            QTest.qWait(REST_MS)


def watched(passages: list[str], path: Path, url: str, qtbot: QtBot) -> list[Absence]:
    """The longest absence of each step, printed too."""
    buffer_of(path, passages, url)
    with open_window(path, qtbot) as window, Watchdog(QUIET_MS) as dog:
        keep_what_is_loaded()  # as the program does once a window stands
        window.document.tree_opened.connect(keep_large_trees)
        window.preferences.put("ask_above_tokens", 10**9)
        window.composer.set_count(STREAMS)
        editor = window.buffer.view.editor
        with dog.during(OTHER):
            editor.setFocus()
        try:
            typed(window, dog, "")
            with dog.during(OTHER):
                editor.set_caret(len(editor.text))
                window.actions_set.by_name["generate"].trigger()
                qtbot.waitUntil(lambda: len(editor.tail_text) > LONG_ENOUGH)
            typed(window, dog, "streaming: ")
            assert window.generator.answers.stream_count() == STREAMS
        finally:
            print(f"\n{path.stem}\n{table(dog.worst())}")
        window.generator.stop_all()
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        return [step for step in dog.worst() if step.step != OTHER]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", TEXTS)
def test_nobody_waits_for_a_key(kind: str, url: str, qtbot: QtBot, tmp_path: Path) -> None:
    """A key is late if it is every time."""
    late: dict[str, Absence] = {}
    for number in range(TIMES):
        steps = watched(TEXTS[kind](), tmp_path / f"{number}.loom", url, qtbot)
        again = {step.step: step for step in steps if step.quiet_ms > MOST_MS}
        late = {name: step for name, step in again.items() if not number or name in late}
        if not late:
            return
    assert not late, "\n" + table([*late.values()])
