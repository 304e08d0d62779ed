"""Two programs write one text by chance: no key is lost or lands in words that were not shown yet."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.change import Change
from loomapp.core.paths import resolve
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.window.main_window import MainWindow
from tests.kit import chance
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.windows import unseen_window

FIRST_SEED = chance.seed(1)
FIRST_LONG_SEED = chance.seed(1001)
LETTERS = 0x4E00  # each character of these texts is there once, so that each is found again


class Letters:
    """Characters that nobody has written before."""

    def __init__(self) -> None:
        self._next = LETTERS

    def one(self) -> str:
        self._next += 1
        return chr(self._next)

    def words(self, chance: random.Random) -> str:
        """A few words, none of them the other's."""
        return "".join(self.one() + chance.choice(("", self.one())) + " " for _ in range(chance.randrange(4)))


def letters(text: str) -> set[str]:
    return set(text) - {" "}


class Other:
    """Another program at the same grove."""

    def __init__(self, grove: Grove, tree_id: str, chance: random.Random, letters: Letters) -> None:
        self.grove, self.chance, self.letters = grove, chance, letters
        self.tree = grove.load_tree(tree_id)
        self.unseen: dict[str, str] = {}  # what it wrote and the window has not taken in yet, by node
        self._last = -1  # the number of its step, to undo nothing else

    def act(self) -> None:
        """Write, edit or take back."""
        self.grove.catch_up(self.tree)
        tree, way = self.tree, resolve.resolve(self.tree, self.tree.path.leaf_id).node_ids
        pen = EditContext(self.grove.owner.id, now(), new_id, by="another")
        kind, text = (
            self.chance.choice(("edit", "edit", "edit", "child", "undo")),
            self.letters.words(self.chance),
        )
        if kind == "undo":
            if self.grove.sequence() == self._last and self.grove.undo(tree) is not None:
                self._last = -1
            return
        change: Change | None
        if kind == "child":
            change = node_edits.add_node(tree, way[-1], text, pen)
        else:
            was = tree.nodes[node_id := self.chance.choice(way[1:] or way)].text
            says = self.chance.choice((text, was + text, text + was, was[: len(was) // 2]))
            text = text if text in says else ""
            change = node_edits.edit_as_version(tree, node_id, says, pen)
        if change is None:
            return
        self.grove.commit(tree, change)
        self._last = self.grove.sequence()
        self.unseen |= {node.id: text for node in change.added_nodes()}


class Two:
    """A person at a window, and the other program."""

    def __init__(self, window: MainWindow, other: Other, chance: random.Random, letters: Letters) -> None:
        self.window, self.other, self.chance, self.letters = window, other, chance, letters
        self.typed: set[str] = set()
        self.watch = next(part for part in window.keepers if isinstance(part, Watch))

    @property
    def editor(self) -> BufferEditor:
        return self.window.buffer.view.editor

    def write(self) -> None:
        """A key somewhere, over a selection, or one that deletes; and it is where it was pressed."""
        text, editor = self.editor.text, self.editor
        begin = self.chance.choice((len(text), self.chance.randrange(len(text) + 1)))
        end = min(len(text), begin + self.chance.choice((0, 0, 0, 1, 3, 9)))
        editor.select(begin, end)  # what was written elsewhere is saved by that, and the other's words shown
        self.see()
        self.check_selected(text[:begin], text[begin:end], text[end:])
        text, (begin, end) = editor.text, editor.selection
        if self.chance.random() < 0.15:
            key = self.chance.choice((Qt.Key.Key_Backspace, Qt.Key.Key_Delete))
            if begin == end:
                begin, end = (begin - 1, end) if key == Qt.Key.Key_Backspace else (begin, end + 1)
            QTest.keyClick(editor, key)
            self.typed -= set(text[max(0, begin) : end])
        else:
            letter = self.letters.one()
            editor.put(letter)
            self.typed = self.typed - set(text[begin:end]) | {letter}
            self.check_place(letter, text[:begin], text[end:])
        self.see()

    def check_selected(self, before: str, chosen: str, after: str) -> None:
        """What was selected still is, as far as it is there, and nothing else that was shown with it."""
        text, (begin, end) = self.editor.text, self.editor.selection
        # Of a word that was selected in part, both parts can be others by now.
        if before[-1:].strip():
            before, chosen = before[: before.rfind(" ") + 1], "".join(chosen.partition(" ")[1:])
        if after[:1].strip():
            chosen, after = chosen[: chosen.rfind(" ") + 1], "".join(after.partition(" ")[1:])
        assert letters(chosen) & letters(text) <= letters(text[begin:end]), (before, chosen, after, text)
        assert not letters(text[begin:]) & letters(before), (before, chosen, after, text)
        assert not letters(text[:end]) & letters(after), (before, chosen, after, text)

    def check_place(self, letter: str, before: str, after: str) -> None:
        """Behind what stood before it, before what stood behind it, in nobody's words that were not shown."""
        text, document = self.editor.text, self.window.document
        at = text.index(letter)
        assert self.editor.caret == at + 1
        # Of the word around it, which has no end where there is no space, both sides can be others by now.
        before, after = before[: before.rfind(" ") + 1], after[after.find(" ") :] if " " in after else ""
        assert not set(text[at:]) & set(before.replace(" ", "")), (before, after, text)
        assert not set(text[:at]) & set(after.replace(" ", "")), (before, after, text)
        for node_id, words in self.other.unseen.items():
            assert node_id not in document.path or words.strip() in text, (words, text)

    def look(self) -> None:
        self.watch.look()
        self.see()

    def see(self) -> None:
        """What the window has taken in is shown."""
        known, unseen = self.window.document.tree.nodes, self.other.unseen
        self.other.unseen = {node_id: words for node_id, words in unseen.items() if node_id not in known}

    def check(self) -> None:
        """The editor shows what the session has, and all that was typed is somewhere."""
        buffer_text, document = self.window.writing.buffer_text, self.window.document
        assert self.editor.text == buffer_text.text == self.editor.toPlainText()
        assert document.place.path_error is None
        assert buffer_text.node_ids == document.path_ids
        texts = [buffer_text.text, *(node.text for node in document.tree.nodes.values())]
        texts += [typed.text for typed in self.window.writing._buffer.lost.values()]
        assert not self.typed - set("".join(texts))

    def live(self, steps: int) -> None:
        for _ in range(steps):
            for _ in range(self.chance.choice((0, 0, 1, 2))):
                self.other.act()
            act = self.chance.choice((self.write, self.write, self.write, self.write, self.look))
            act()
            self.check()
        self.window.writing.settle()
        self.window.writing.on_lost()
        self.window.document.catch_up()
        self.check()


def begun(path: Path, letters: Letters) -> str:
    """A grove with a buffer of a few passages; its tree."""
    tree_id, _ = new_tree(path, mode="buffer")
    with open_grove(path) as grove:
        tree = grove.load_tree(tree_id)
        for _ in range(4):
            pen = EditContext(grove.owner.id, now(), new_id)
            text = f"{letters.one()}{letters.one()} {letters.one()}{letters.one()} "
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
    return tree_id


def live(path: Path, seed: int, steps: int) -> None:
    letters, drawn = Letters(), random.Random(seed)
    tree_id = begun(path, letters)
    with unseen_window(path) as window:
        with open_grove(path) as grove:
            two = Two(window, Other(grove, tree_id, drawn, letters), drawn, letters)
            two.live(steps)
        shown = two.editor.text
    with open_grove(path) as grove:
        tree = grove.load_tree(tree_id)
        assert "".join(node.text for node in resolve.resolve(tree, tree.path.leaf_id).nodes) == shown


@pytest.mark.parametrize("seed", one_in(2, range(FIRST_SEED, FIRST_SEED + 2)))
def test_two_programs_write_one_text(seed: int, tmp_path: Path, qtbot: QtBot) -> None:
    live(tmp_path / "g.loom", seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST_LONG_SEED, FIRST_LONG_SEED + 40))
def test_two_programs_write_one_text_for_long(seed: int, tmp_path: Path, qtbot: QtBot) -> None:
    live(tmp_path / "g.loom", seed, 60)
