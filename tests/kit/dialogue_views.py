"""A dialogue view on a screen, and what tests of it ask again and again."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QPoint, SignalInstance
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.core.model.tree import Tree
from loomapp.ui.dialogue.message.body import Body
from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.look import theme
from tests.kit.conversations import AGENTS, SMOL, YOU, grow, node
from tests.kit.desktop import show_active


class Heard(QObject):
    """What a signal said, in order."""

    def __init__(self, signal: SignalInstance) -> None:
        super().__init__()
        self.values: list[object] = []
        signal.connect(self.on_said)

    def on_said(self, *values: object) -> None:
        self.values.append(values[0] if len(values) == 1 else values)


def shown_view(qtbot: QtBot, app: QApplication, *, height_px: int = 640) -> DialogueView:
    """An empty dialogue on the screen, in the dark theme, with the keyboard."""
    theme.apply(app, "dark")
    view = DialogueView()
    qtbot.addWidget(view)
    view.resize(428, height_px)
    show_active(qtbot, view)
    return view


def read(view: DialogueView, *texts: str, fates: Mapping[str, str] | None = None) -> Tree:
    """Show a conversation of these texts; the nodes are called a, b, c …"""
    names = [chr(ord("a") + i) for i in range(len(texts))]
    rows = [
        (node(name, text, (YOU, SMOL)[i % 2]), names[i - 1] if i else "")
        for i, (name, text) in enumerate(zip(names, texts, strict=True))
    ]
    tree = grow("dialogue", *rows)
    view.show_path(tree, names, AGENTS, fates or {})
    return tree


def message(view: DialogueView, key: str) -> MessageView:
    """A message that is on the screen."""
    found = view.message(key)
    assert found is not None, f"{key} is not on the screen"
    return found


def point_of(body: Body, words: str, *, after: bool = False) -> QPoint:
    """A point just inside the first or the last character of some words in a text."""
    place = body.document().toPlainText().index(words) + (len(words) if after else 0)
    rect = body.line_rect(place)
    return QPoint(rect.left() + (-1 if after else 1), rect.center().y())
