"""The export panel: what can go out as what, how it begins, and that it stands in the text's place."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.errors import InvalidInput
from loomapp.session.background.subprocess_command import SubprocessCommand
from loomapp.ui.commands.trees.export_panel import PictureExport
from loomapp.ui.graph.painting import whole_picture
from loomapp.ui.trees.exports.formats import BY_NAME, FORMATS, ExportChoice
from loomapp.ui.trees.exports.panel import ExportPanel
from tests.kit.export_panel import choose_format, export_panel, save_export
from tests.kit.exports.structure import faults_of_svg
from tests.kit.find import find
from tests.kit.groves import generated, written
from tests.kit.trees import Hand
from tests.kit.windows import open_window, unseen_window

HOSTILE = "Robin </text><script>x</script> & \x0b \u202e"
ROWS = (("Name a bird.", ""), ("Wren.", "Name a bird."), (HOSTILE, "Name a bird."), ("Why?", "Wren."))
BEGINS = {
    "html": "Birds",
    "docx": "You",
    "markdown": "# Birds",
    "text": "You:",
    "loom-json": '{"format": "loom-json",',
    "jsonl": '{"format": "loom-jsonl"',
    "openai": '{\n  "messages": [',
    "anthropic": '{\n  "messages": [',
    "opml": "<?xml",
}


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return written(tmp_path / "g.loom", *ROWS)


def test_every_format_shows_how_it_begins_and_offers_what_it_can_use(grove: Path, qtbot: QtBot) -> None:
    with unseen_window(grove) as window:
        window.actions_set.by_name["exportTree"].trigger()
        panel = find(window, ExportPanel, "exportPanel")
        for name, begin in BEGINS.items():
            shown = choose_format(window, name)

            assert shown.strip().startswith(begin), name
            assert "Name a bird." in shown, name
            can = BY_NAME[name].options(is_buffer=False)
            for box in panel.findChildren(QCheckBox):
                assert box.isEnabled() == (box.objectName().removeprefix("exportOption_") in can)
                assert box.toolTip()
            assert find(panel, QPushButton, "exportCopy").isEnabled() == (name != "docx")
        assert "Robin" in choose_format(window, "html")
        find(panel, QPushButton, "exportScope_path").click()
        assert "Robin" not in choose_format(window, "html")
        counts = find(panel, QLabel, "exportCounts")
        assert counts.text() == "4 nodes, 3 on this path"
        panel.show_counts(1, 1, 0)
        assert counts.text() == "1 node, 1 on this path"

        window.actions_set.by_name["findInPath"].trigger()

        assert window.text_pane.page is None, "or words would be typed into a field behind it"
        assert not find(window, QWidget, "findBar").isHidden()


@pytest.mark.slow
def test_options_change_the_preview_and_the_file(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    with unseen_window(grove) as window:
        choose_format(window, "text")
        find(export_panel(window), QCheckBox, "exportOption_speakers").click()

        assert choose_format(window, "text") == "Name a bird.\n\nWren.\n\nWhy?\n"
        assert save_export(window, qtbot, "text", tmp_path / "out.txt").decode() == choose_format(
            window, "text"
        )


@pytest.mark.parametrize("name", ["text", "html", "loom-json", "openai"])
def test_the_command_line_gets_what_was_chosen(name: str) -> None:
    made = BY_NAME[name]
    for scope in made.scopes:
        whole = made.options(is_buffer=False)
        line = ExportChoice(made, scope, whole).arguments("leaf")
        bare = ExportChoice(made, scope, frozenset()).arguments("leaf")

        assert not any(word.startswith("--no-") for word in line)
        assert {word for word in line if word in ("--annotations", "--metadata")} == {
            f"--{option}" for option in whole & {"annotations", "metadata"}
        }
        assert {word.removeprefix("--no-") for word in bare if word.startswith("--no-")} == whole - {
            "annotations",
            "metadata",
        }
        assert (scope == "path") == ("--path" in line)
        assert (scope == "chosen") == ("--only" in line)


@pytest.mark.slow
def test_chosen_nodes_go_out_alone(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    with unseen_window(grove) as window:
        tree = window.document.tree
        panel = export_panel(window)
        button = find(panel, QPushButton, "exportScope_chosen")
        assert not button.isEnabled()
        window.graph.choose(i for i, node in tree.nodes.items() if node.text in ("Wren.", "Why?"))
        choose_format(window, "markdown")
        button.click()

        made = save_export(window, qtbot, "markdown", tmp_path / "out.md").decode()

        assert made == "## You\n\nWren.\n\n## You\n\nWhy?\n"
        assert choose_format(window, "markdown") == made


def test_the_panel_takes_the_place_of_the_text_and_escape_gives_it_back(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.composer.set_text("a beginning")
        panel = export_panel(window)
        qtbot.waitUntil(panel.isVisible)
        assert not window.composer.isVisible()
        assert not window.dialogue.isVisible()
        qtbot.waitUntil(lambda: "no message yet" in find(panel, QLabel, "exportHint").text())

        QTest.keyClick(panel, Qt.Key.Key_Escape)

        assert not panel.isVisible()
        assert window.composer.isVisible()
        assert window.dialogue.isVisible()
        qtbot.waitUntil(window.composer.field.hasFocus)


def test_a_change_of_the_tree_is_seen_in_the_preview(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        choose_format(window, "text")
        field = find(export_panel(window), QPlainTextEdit, "exportPreview")

        window.actions_set.by_name["exclude"].trigger()
        find(export_panel(window), QCheckBox, "exportOption_excluded").click()

        qtbot.waitUntil(lambda: "Why?" not in field.toPlainText())
        assert "Wren." in field.toPlainText()

        document = window.document
        document.commit(generated(document.tree, document.current_id, ["Owl."], Hand()))
        find(export_panel(window), QCheckBox, "exportOption_metadata").click()

        qtbot.waitUntil(lambda: " · a-model" in field.toPlainText())


def test_a_tree_that_is_opened_beside_the_panel_is_offered_as_what_it_is(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        choose_format(window, "text")
        speakers = find(export_panel(window), QCheckBox, "exportOption_speakers")
        assert speakers.isEnabled()

        window.document.new_tree("buffer")

        qtbot.waitUntil(lambda: not speakers.isEnabled())
        assert export_panel(window).isVisible()


def test_a_text_is_offered_first_as_it_is_read(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.document.new_tree("buffer")
        window.actions_set.by_name["exportTree"].trigger()

        choice = find(window, ExportPanel, "exportPanel").choice
        assert (choice.format.name, choice.scope) == ("docx", "path")


def test_a_name_that_would_make_a_file_no_program_opens_is_refused() -> None:
    for name, ending in (("markdown", "DOCX"), ("docx", "md"), ("png", "svg")):
        with pytest.raises(InvalidInput, match="would not open"):
            BY_NAME[name].fitting(Path(f"notes.{ending}"))
    for name, ending in (("markdown", "txt"), ("loom-json", "json"), ("docx", "docx"), ("text", "v2")):
        assert BY_NAME[name].fitting(Path(f"notes.{ending}")).name == f"notes.{ending}"


def test_a_dialog_adds_the_ending_before_it_asks_to_replace_a_file(grove: Path, qtbot: QtBot) -> None:
    with unseen_window(grove) as window:
        choose_format(window, "html")
        find(export_panel(window), QPushButton, "exportSave").click()
        window.actions_set.by_name["exportEvidence"].trigger()

        for name, ending in (("exportDialog", ".html"), ("evidenceDialog", ".loom.json")):
            dialog = find(window, QFileDialog, name)
            find(dialog, QLineEdit, "fileNameEdit").setText("notes")
            assert Path(dialog.selectedFiles()[0]).name == f"notes{ending}"
            dialog.reject()


@pytest.mark.slow
def test_a_text_is_copied_as_it_would_be_saved(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        shown = choose_format(window, "text")

        find(export_panel(window), QPushButton, "exportCopy").click()
        qtbot.waitUntil(lambda: window.findChild(SubprocessCommand) is None, timeout=60_000)

        assert QApplication.clipboard().text() == shown
        assert window.text_pane.errors.text.startswith("Copied")


# Pictures


def test_pictures_show_the_whole_graph_whatever_is_in_view(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.graph.zoom_in()
        made = whole_picture.plan(window.graph.settled_scene, "png")

        png = save_export(window, qtbot, "png", tmp_path / "out.png")
        svg = save_export(window, qtbot, "svg", tmp_path / "out.svg")

        image = QImage.fromData(png)
        assert (made.zoom, image.size()) == (1.0, made.size)
        root = ET.fromstring(svg)
        assert faults_of_svg(svg) == []
        words = " ".join("".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text"))
        assert all(word in words for word in ("Wren.", "Why?", "Robin"))
        bounds = window.graph.settled_scene.index.bounds
        assert made.size.width() >= bounds.right - bounds.left
        window.graph.zoom_out()
        assert save_export(window, qtbot, "png", tmp_path / "again.png") == png


def test_a_picture_that_is_stopped_leaves_nothing(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        choose_format(window, "png")
        window.bench.parts.one(PictureExport, lambda: PictureExport(window.bench)).save(
            "png", tmp_path / "out.png"
        )
        find(window.banner, QPushButton, "progressCancel").click()

        qtbot.waitUntil(lambda: not window.banner.isVisible())
        assert list(tmp_path.glob("out*")) == []


@pytest.mark.parametrize(("kind", "cards"), [("png", 60), ("svg", 6_000)])
def test_a_picture_keeps_its_limits(kind: str, cards: int) -> None:
    limited = whole_picture.fitted(QSize(40_000, 9_000), cards, kind)

    assert limited.zoom == (0.0 if kind == "svg" else pytest.approx(16_384 / 40_000, abs=0.01))
    assert limited.size.width() <= (40_000 if kind == "svg" else 16_384)


def test_formats_are_all_there() -> None:
    assert {one.name for one in FORMATS} == {*BEGINS, "png", "svg"}
