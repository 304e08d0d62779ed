"""The export panel of a window, as a person uses it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QPlainTextEdit, QRadioButton
from pytestqt.qtbot import QtBot

from loomapp.session.background.subprocess_command import SubprocessCommand
from loomapp.ui.commands.trees.export_panel import ExportDesk
from loomapp.ui.trees.exports.panel import ExportPanel
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find


def export_panel(window: MainWindow) -> ExportPanel:
    """The panel, opened if it is not."""
    shown = window.findChild(ExportPanel)
    if shown is None or not shown.isVisible():
        window.actions_set.by_name["exportTree"].trigger()
    return find(window, ExportPanel, "exportPanel")


def choose_format(window: MainWindow, name: str) -> str:
    """Choose a format; gives how the export begins."""
    panel = export_panel(window)
    find(panel, QRadioButton, f"exportFormat_{name}").click()
    desk = window.bench.parts.made(ExportDesk)
    assert desk is not None
    desk.on_due()
    return find(panel, QPlainTextEdit, "exportPreview").toPlainText()


def save_export(window: MainWindow, qtbot: QtBot, name: str, path: Path) -> bytes:
    """Save the tree in a format; gives the file."""
    choose_format(window, name)
    desk = window.bench.parts.made(ExportDesk)
    assert desk is not None
    window.run_command(lambda _: desk.save(path))
    qtbot.waitUntil(lambda: path.exists() and window.findChild(SubprocessCommand) is None, timeout=60_000)
    return path.read_bytes()
