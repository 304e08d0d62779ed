"""A buffer past the hard threshold: its summary comes before the answer, wherever Generate is pressed.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.economy_settings import THRESHOLDS, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.servers.fake_server import FakeServer
from tests.kit.windows import unseen_window
from tests.session.programs import ask_server
from tests.ui.commands.test_summaries import Held, Model, answered, held, model, press, texts

__all__ = ["held", "model"]
TEXT = "".join(f"passage {number} " for number in range(8))


@pytest.fixture
def window(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, model: Model
) -> Iterator[MainWindow]:
    """A window on a buffer of eight passages that is past its hard threshold."""
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    path = tmp_path / "g.loom"
    with FakeServer(model) as server:
        with create_grove(path) as grove:
            ask_server(grove, server.url)
            pen = edit_context.EditContext(grove.owner.id, now(), new_id)
            tree = tree_edits.new_tree("buffer", "T", pen)
            economy = EconomySettings(make_summaries=THRESHOLDS, soft_threshold=0.0, hard_threshold=0.0)
            settings = ContextSettings(economy=economy)
            tree.loom = replace(tree.loom, buffer_mode_system_context=True, context_settings=settings)
            grove.add_tree(tree, [grove.owner])
            tree = grove.load_tree(tree.loom.id)
            for number in range(8):
                text = f"passage {number} "
                grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
        with unseen_window(path) as window:
            window.composer.set_count(1)
            yield window


@pytest.mark.parametrize("caret", [len(TEXT), len(TEXT) - 4], ids=["at the end", "within a passage"])
def test_past_hard_the_summary_comes_first_and_the_answer_by_itself(
    window: MainWindow, qtbot: QtBot, model: Model, caret: int
) -> None:
    window.buffer.view.editor.set_caret(caret)
    landed = answered(window, qtbot)

    press(window, "generate")

    qtbot.waitUntil(lambda: landed() and window.buffer.text.endswith("Yes."))
    assert model.asked[:2] == ["summary", "answer"]
    assert texts(window)[0] == "All so far."
    assert window.buffer.text == TEXT[:caret] + "Yes."


@pytest.mark.slow
def test_words_written_while_the_summary_is_made_are_not_cut_off_by_its_answer(
    window: MainWindow, qtbot: QtBot, model: Model, held: Held
) -> None:
    editor = window.buffer.view.editor
    editor.set_caret(len(TEXT))
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["summary"])

    editor.insertPlainText("More.")
    with qtbot.waitSignal(window.generator.summaries.made):
        held.may_end.set()

    qtbot.waitUntil(lambda: "press Generate to go on" in find(window, QLabel, "statusNote").text())
    assert model.asked == ["summary"]
    assert window.buffer.text == TEXT + "More."
