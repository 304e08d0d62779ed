"""A window that was killed before it noted its place: the next one goes on where the text ends.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits
from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.session.recovery import run_row
from loomapp.session.window_state import place_of
from loomapp.store.files import drafts
from loomapp.store.grove.open import open_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window

FIRST, SECOND, THIRD = "It was night.", " A lamp burned.", " Nobody slept."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A buffer of two passages."""
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer", text=FIRST)
    with open_grove(path) as grove:
        [row] = grove.trees()
        tree = grove.load_tree(row.id)
        grove.commit(tree, node_edits.add_node(tree, tree.root_id, SECOND, pen(grove.owner.id)))
    return path


def pen(author_id: str) -> edit_context.EditContext:
    return edit_context.EditContext(author_id, 1_790_000_000_000, lambda: "second")


def standing(window: MainWindow) -> tuple[str, str, str]:
    """The text, what of it stands before the caret, and what the graph says is current."""
    editor, document = window.buffer.view.editor, window.document
    return editor.text, editor.text[: editor.caret], document.tree.nodes[document.current_id].text


def test_what_was_written_after_the_place_was_noted_is_gone_on_from(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot):
        pass
    noted = place_of(path).read_bytes()
    with open_window(path, qtbot) as window:
        document = window.document
        document.commit(node_edits.add_node(document.tree, document.current_id, THIRD, document.pen()))
    place_of(path).write_bytes(noted)  # it had no time to say that it stands elsewhere

    with open_window(path, qtbot) as window:
        whole = FIRST + SECOND + THIRD
        assert standing(window) == (whole, whole, THIRD)


@pytest.mark.slow
def test_a_passage_that_was_corrected_after_the_place_was_noted_is_not_gone_on_from(
    path: Path, qtbot: QtBot
) -> None:
    with open_window(path, qtbot) as window:
        window.document.place.set_current(window.document.path_ids[0])
    noted = place_of(path).read_bytes()
    with open_window(path, qtbot) as window:
        window.writing.input.typed(0, 2, "This")
        window.writing.commit()
    place_of(path).write_bytes(noted)

    with open_window(path, qtbot) as window:
        whole = FIRST.replace("It", "This") + SECOND
        assert standing(window) == (whole, whole, SECOND)


@pytest.mark.slow
def test_a_place_within_a_text_that_is_as_it_was_is_found_again(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        window.document.place.set_current(window.document.path_ids[0])

    with open_window(path, qtbot) as window:
        assert standing(window) == (FIRST + SECOND, FIRST, FIRST)


@pytest.mark.slow
def test_a_tree_that_was_left_for_another_is_come_back_to_at_its_place(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        document = window.document
        buffer_id, first = document.tree.loom.id, document.path_ids[0]
        document.place.set_current(first)
        document.new_tree("dialogue")

        document.open_tree(buffer_id)

        assert standing(window) == (FIRST + SECOND, FIRST, FIRST)


@pytest.mark.slow
def test_where_a_text_was_cut_for_an_answer_that_never_came_the_caret_and_the_current_passage_agree(
    path: Path, qtbot: QtBot
) -> None:
    with open_window(path, qtbot) as window:
        document = window.document
        tree_id, first, before = document.tree.loom.id, document.path_ids[0], document.tree.path
        agent = document.agents.model()
        document.commit(node_edits.choose_path(document.tree, first, document.pen()), current_id=first)
    run = CrashedRun("run", tree_id, Sources(first), agent.id, (Draft(0, ""),), back=before, agent=agent)
    drafts.keep(drafts.drafts_folder(path), run_row(run, 1))

    with open_window(path, qtbot) as window:
        assert standing(window) == (FIRST + SECOND, FIRST, FIRST)
