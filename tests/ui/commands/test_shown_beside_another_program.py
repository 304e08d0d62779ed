"""Two programs do anything to one text by chance: what is shown is the path with its draft, and is sent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import passage_edits
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.window.main_window import MainWindow
from tests.kit import chance
from tests.kit.families import one_in
from tests.kit.windows import unseen_window
from tests.ui.commands.test_two_writers import Letters, begun

FIRST_SEED = chance.seed(100)
FIRST_LONG_SEED = chance.seed(200)
ACTIONS = (
    "undo",
    "undo",
    "redo",
    "previousVersion",
    "nextVersion",
    "previousSibling",
    "nextSibling",
    "splitPassage",
    "mergeWithParent",
    "mergeChain",
    "prune",
    "showPrunedAction",
)


class Other:
    """Another program at the same grove."""

    def __init__(self, grove: Grove, tree_id: str, drawn: random.Random, letters: Letters) -> None:
        self.grove, self.tree, self.drawn, self.letters = grove, grove.load_tree(tree_id), drawn, letters

    def act(self) -> None:
        """Do anything to a node of the path, or choose another path; or take back what was done last."""
        self.grove.catch_up(self.tree)
        kind = self.drawn.choice(
            ("edit", "edit", "edit", "write", "prune", "split", "merge", "choose", "undo")
        )
        if kind == "undo":
            self.grove.undo(self.tree)
            return
        try:
            change = self._change(kind)
        except InvalidInput:
            return  # such as a merge where the text goes on in other ways
        if change is not None:
            self.grove.commit(self.tree, change)

    def _change(self, kind: str) -> Change | None:
        tree, drawn = self.tree, self.drawn
        way = resolve(tree, tree.path.leaf_id).node_ids
        pen = EditContext(self.grove.owner.id, now(), new_id, by="another")
        place = drawn.randrange(len(way))
        node_id, text = way[place], self.letters.words(drawn)
        match kind:
            case "edit":
                return node_edits.edit_as_version(tree, node_id, tree.nodes[node_id].text + text, pen)
            case "write":
                return node_edits.add_node(tree, way[-1], text, pen)
            case "prune":
                return node_marks.prune(tree, node_id, pen)
            case "split":
                return passage_edits.split(tree, way, node_id, len(tree.nodes[node_id].text) // 2, pen)
            case "merge" if place > 1:
                return passage_edits.merge(tree, way, range(place - 1, place + 1), pen)
            case _:
                return node_edits.choose_path(tree, drawn.choice([*tree.nodes]), pen)


class Writer:
    """A person at a window."""

    def __init__(self, window: MainWindow, drawn: random.Random, letters: Letters) -> None:
        self.window, self.drawn, self.letters = window, drawn, letters
        self.editor = window.buffer.view.editor
        self.watch = next(part for part in window.keepers if isinstance(part, Watch))

    def act(self) -> None:
        """Write, press the key of an action, or only look."""
        self.drawn.choice((self._write, self._write, self._press, self._press, self.watch.look))()

    def _write(self) -> None:
        length = len(self.editor.text)
        begin = self.drawn.choice((length, self.drawn.randrange(length + 1)))
        self.editor.select(begin, min(length, begin + self.drawn.choice((0, 0, 0, 1, 3, 9))))
        self.editor.put(self.letters.one())

    def _press(self) -> None:
        self.window.actions_set.by_name[self.drawn.choice(ACTIONS)].trigger()

    def check(self) -> None:
        """The editor shows the path with what is written in it, and up to the caret that is sent."""
        document, text = self.window.document, self.window.writing.buffer_text
        nodes = document.tree.nodes
        said = [text.penned[i].text if i in text.penned else nodes[i].text for i in document.path_ids]
        assert self.editor.text == self.editor.toPlainText() == text.text
        assert text.text == "".join((*said, text.working.text))
        assert document.place.path_error is None
        document.catch_up()  # as before anything is sent
        preview = self.window.preview
        preview.refresh_now()
        has_pruned = any(nodes[node_id].metadata.pruned for node_id in document.path_ids)
        if preview.last is not None and document.current_id in document.path and not has_pruned:
            shown = self.window.writing.buffer_text.text[: self.editor.caret]
            assert preview.last.document is not None
            assert preview.last.document.strip(" ") == shown.strip(" ")


def live(path: Path, seed: int, steps: int) -> None:
    letters, drawn = Letters(), random.Random(seed)
    tree_id = begun(path, letters)
    with unseen_window(path) as window:
        writer = Writer(window, drawn, letters)
        with open_grove(path) as grove:
            other = Other(grove, tree_id, drawn, letters)
            for _ in range(steps):
                for _ in range(drawn.choice((0, 0, 1, 2))):
                    other.act()
                writer.act()
                writer.check()
            window.writing.settle()
            window.writing.on_lost()
            writer.check()
        shown = writer.editor.text
    with open_grove(path) as grove:
        tree = grove.load_tree(tree_id)
        assert "".join(node.text for node in resolve(tree, tree.path.leaf_id).nodes) == shown


@pytest.mark.parametrize("seed", one_in(2, range(FIRST_SEED, FIRST_SEED + 2)))
def test_what_is_shown_beside_another_program_is_what_is_sent(
    seed: int, tmp_path: Path, qtbot: QtBot
) -> None:
    live(tmp_path / "g.loom", seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST_LONG_SEED, FIRST_LONG_SEED + 20))
def test_what_is_shown_beside_another_program_is_what_is_sent_for_long(
    seed: int, tmp_path: Path, qtbot: QtBot
) -> None:
    live(tmp_path / "g.loom", seed, 60)
