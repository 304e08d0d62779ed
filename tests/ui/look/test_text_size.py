"""Sizes, font and line spacing of texts are those of the settings at once, also by Ctrl+wheel."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.documents import new_document
from loomapp.ui.commands.documents import open_document
from loomapp.ui.look import theme
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window


def turn_wheel(widget: QWidget, notches: int) -> None:
    """Ctrl and the wheel, over the middle of a widget."""
    at = QPointF(widget.rect().center())
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_texts_follow_the_settings_where_they_stand(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, "buffer", text="The sea is wide. " * 40)
    with open_window(path, qtbot) as window:
        editor, preferences, document = window.buffer.view.editor, window.preferences, window.document
        width = editor.prose.width_px
        height = editor.blockBoundingRect(editor.firstVisibleBlock()).height()
        editor.set_caret(len(editor.text))

        preferences.put("prose_size_px", 24)
        preferences.put("prose_spacing", 150)
        preferences.put("prose_font", "mono")
        preferences.put("prose_measure", 45)

        assert editor.font() == theme.font("prose")
        assert editor.font().pixelSize() == 24
        assert editor.document().defaultFont().families()[0] == "JetBrains Mono"
        assert editor.prose.line_px == 64
        assert editor.prose.width_px != width
        assert editor.blockBoundingRect(editor.firstVisibleBlock()).height() > height
        assert editor.viewport().rect().contains(editor.cursorRect())
        turn_wheel(editor.viewport(), 9)
        assert preferences.settings.prose_size_px == 28, "no more than the setting takes"
        turn_wheel(editor.viewport(), -1)
        assert editor.font().pixelSize() == 27
        graph, zoom = window.graph, window.graph.camera.zoom
        editor.setFocus()
        QTest.keyClick(editor, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
        assert editor.font().pixelSize() == 26
        QTest.keyClick(editor, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        assert editor.font().pixelSize() == 27
        window.actions_set.refresh()
        names = [window.actions_set.by_name[name].text() for name in ("zoomIn", "zoomOut", "fitAll")]
        assert names == ["Larger text", "Smaller text", "Text in its usual size"]
        window.header.menu_bar.setFocus()
        window.actions_set.by_name["zoomIn"].trigger()
        assert editor.font().pixelSize() == 28, "as the menu says"
        editor.setFocus()
        QTest.keyClick(editor, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
        assert editor.font().pixelSize() == 18
        assert graph.camera.zoom == zoom
        graph.setFocus()
        QTest.keyClick(graph, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: graph.camera.zoom > zoom)
        assert editor.font().pixelSize() == 18

        document.new_tree("dialogue")
        document.commit(
            node_edits.add_node(
                document.tree,
                document.current_id,
                "### Lamps\n\n`lamp` " + "Who keeps the lamp? " * 9,
                document.pen(),
            )
        )
        (message,) = window.dialogue.shown_messages()
        height = message.body.height()
        turn_wheel(window.dialogue.viewport(), 5)
        assert preferences.settings.message_size_px == 20
        assert message.body.height() > height
        heading = message.body.document().begin().begin().fragment().charFormat().font()
        assert heading.pixelSize() == 20, "no heading is smaller than its text"
        code = message.body.document().begin().next().begin().fragment().charFormat().font()
        assert code.pixelSize() == 16
        change = new_document(document.tree, "Style", document.pen())
        document.commit(change)
        open_document(window.bench, change.added_nodes()[0].id)
        field = find(window, QPlainTextEdit, "documentField")
        assert field.font().pixelSize() == 20
        assert window.composer.field.font().pixelSize() == 20
        for name in ("prose_size_px", "prose_spacing", "prose_font", "prose_measure", "message_size_px"):
            preferences.put(name, None)
        assert editor.font().pixelSize() == 18
        assert field.font().pixelSize() == 15
        assert message.body.height() == height
