"""Trees in and out of files, beside the window: what comes of it, how it is ended, what goes wrong.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.errors import LoomError
from loomapp.session.background.subprocess_command import SubprocessCommand
from loomapp.store.backups.backup import backups_of
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.ui.commands.trees import tree_files
from loomapp.ui.commands.trees.export_panel import PictureExport
from loomapp.ui.imports.page import ImportPage
from loomapp.ui.window.main_window import MainWindow
from tests.kit.chatgpt_exports import boat, with_picture, write_export
from tests.kit.export_panel import export_panel
from tests.kit.find import find
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    create_grove(tmp_path / "g.loom").close()
    return tmp_path / "g.loom"


def test_what_is_exported_is_what_comes_in_again(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "out.loom.json"
    with open_window(grove, qtbot) as window:
        tree_files.import_files(window.bench, [places.resource("sample.loom.json")])
        over(window, qtbot)
        sample = window.document.tree
        assert len(sample.nodes) > 10
        tree_files.export_to(window.bench, sample.loom.id, file)
        assert find(window.banner, QPushButton, "progressCancel").isVisible()
        over(window, qtbot)

        assert not window.banner.isVisible()
        assert window.text_pane.errors.text == f"Exported to out.loom.json in {tmp_path}."
        assert {node["id"] for node in json.loads(file.read_text())["nodes"]} == set(sample.nodes)
        assert [path.name for path in tmp_path.glob(".*.part")] == []

        evidence = tmp_path / "my evidence.loom.json"
        tree_files.export_evidence_to(window.bench, sample.loom.id, evidence)
        over(window, qtbot)
        said = window.text_pane.errors.text
        assert shlex.split(said.partition("loomapp ")[2]) == ["verify", str(evidence)]


def test_a_file_that_is_no_tree_gets_one_line_and_changes_nothing(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "bad.json").write_text('{"format": "loom-json", "version": 7}')
    with open_window(grove, qtbot) as window:
        tree_files.import_files(window.bench, [tmp_path / "bad.json"])
        over(window, qtbot)

        assert "version" in window.text_pane.errors.text
        assert "\n" not in window.text_pane.errors.text
        assert len(window.document.trees.rows()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("action", ["exportSave", "exportEvidence"])
def test_a_tree_is_not_exported_over_the_grove_that_is_open(grove: Path, qtbot: QtBot, action: str) -> None:
    with open_window(grove, qtbot) as window:
        if action == "exportSave":
            find(export_panel(window), QPushButton, action).click()
        else:
            window.actions_set.by_name[action].trigger()
        [dialog] = window.findChildren(QFileDialog)

        dialog.fileSelected.emit(str(grove))
        dialog.reject()

        assert "belongs to a grove that is open" in window.text_pane.errors.text
    with read_grove(grove) as left:
        assert left.trees()


@pytest.mark.slow
def test_one_that_is_cancelled_leaves_nothing_behind(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "out.loom.json"
    file.write_text("what stood there")
    with open_window(grove, qtbot) as window:
        tree_files.export_to(window.bench, window.document.tree.loom.id, file)
        find(window.banner, QPushButton, "progressCancel").click()
        over(window, qtbot)

        assert file.read_text() == "what stood there"
        assert list(tmp_path.glob(".*.part")) == []
        assert window.text_pane.errors.text == ""


def test_a_backup_is_made_before_trees_come_into_a_grove_that_holds_some(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        tree_files.import_files(window.bench, [places.resource("sample.loom.json")])
        over(window, qtbot)

    assert backups_of(grove)


def test_a_window_that_is_closed_while_a_file_is_written_closes_once_it_is_there(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "out.loom.json"
    with open_window(grove, qtbot) as window:
        closed: list[int] = []
        window.closed.connect(lambda: closed.append(1))
        tree_files.export_to(window.bench, window.document.tree.loom.id, file)
        with pytest.raises(LoomError, match="Wait for it"):
            PictureExport(window.bench).save("png", tmp_path / "out.png")

        assert not window.close()
        assert find(window.banner, QPushButton, "progressCancel").isVisible()
        qtbot.waitUntil(lambda: closed == [1])

    assert json.loads(file.read_text())["nodes"]


def test_closing_waits_for_an_import_of_the_page_and_for_a_picture(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    export = write_export(tmp_path / "export.zip", boat(), with_picture())
    with open_window(grove, qtbot) as window:
        closed: list[int] = []
        window.closed.connect(lambda: closed.append(1))
        tree_files.take_in(window.bench, [export])
        button = find(find(window, ImportPage, "importPage"), QPushButton, "importButton")
        qtbot.waitUntil(button.isEnabled, timeout=30_000)
        button.click()
        PictureExport(window.bench).save("png", tmp_path / "out.png")

        assert not window.close()
        assert find(window.banner, QPushButton, "progressCancel").isVisible()
        qtbot.waitUntil(lambda: closed == [1], timeout=60_000)

    assert (tmp_path / "out.png").read_bytes()
    with read_grove(grove) as opened:
        assert len(opened.trees()) == 3


@pytest.mark.slow
def test_a_window_that_is_closed_twice_takes_its_work_with_it(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        tree_files.import_files(window.bench, [places.resource("sample.loom.json")])
        command = window.findChild(SubprocessCommand)
        assert command is not None
        assert command.is_under_way
        window.close()
        window.close()

        assert not command.is_under_way


def over(window: MainWindow, qtbot: QtBot) -> None:
    """Until the work beside the window has ended."""
    qtbot.waitUntil(lambda: window.findChild(SubprocessCommand) is None, timeout=20_000)
