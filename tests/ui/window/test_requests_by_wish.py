"""Money: whatever is clicked and pressed at random, models are asked only by what says so.

A server on loopback counts what reaches it. `ASKS` are the words of all that may ask: Generate and its keys,
+, Retry, Continue, filling in, Test, and what makes summaries by hand.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QLineEdit,
    QMenu,
    QMenuBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from loomapp.core.model.agent import Agent
from loomapp.providers.capability import tell_window
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.agents.asked_models import ask_these
from loomapp.ui.keys import IN_GRAPH
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from loomapp.ui.window.native_events import HeldKeys
from tests.kit import chance
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.refused_groves import sample
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, fails, usage
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

CLOSES_AFTER_MS = 200
LOOKED_EVERY = 10  # clicks and keys, for buttons: looking takes longer than they do
SEA = Agent("sea", "Sea", "model", "sea:s-1")
ASKS = re.compile(
    r"generate|retry|again|continue|fill|\btest\b|summar|sum up|candidates|\bwrite\b|send|make room|trial",
    re.IGNORECASE,
)
LEAVES = re.compile(
    r"quit|open|grove|import|export|attach|restore|backup|choose|mcp|http|close|theme", re.IGNORECASE
)
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
GENERATES = {
    (Qt.Key.Key_Return, CTRL),
    (Qt.Key.Key_Return, CTRL | SHIFT),
    (Qt.Key.Key_Return, CTRL | ALT),
    (Qt.Key.Key_L, CTRL | SHIFT),
}
ENTERS_GRAPH = {(Qt.Key.Key_1, CTRL), (Qt.Key.Key_F6, CTRL ^ CTRL), (Qt.Key.Key_Tab, CTRL ^ CTRL)}
PLAIN = CTRL ^ CTRL
KEYS = [
    *((key, PLAIN) for key in map(Qt.Key, range(Qt.Key.Key_A, Qt.Key.Key_Z + 1))),
    *((key, SHIFT) for key in (Qt.Key.Key_G, Qt.Key.Key_S, Qt.Key.Key_H, Qt.Key.Key_X, Qt.Key.Key_Tab)),
    *((key, PLAIN) for key in (
        Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Delete,
        Qt.Key.Key_Backspace, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right,
        Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_F1, Qt.Key.Key_F2, Qt.Key.Key_F6, Qt.Key.Key_F9,
    )),
    *((key, CTRL) for key in (
        Qt.Key.Key_Z, Qt.Key.Key_D, Qt.Key.Key_F, Qt.Key.Key_P, Qt.Key.Key_N, Qt.Key.Key_1, Qt.Key.Key_2,
        Qt.Key.Key_3, Qt.Key.Key_4, Qt.Key.Key_Comma, Qt.Key.Key_A, Qt.Key.Key_Return,
    )),
    *((key, CTRL | SHIFT) for key in (
        Qt.Key.Key_B, Qt.Key.Key_C, Qt.Key.Key_I, Qt.Key.Key_K, Qt.Key.Key_J, Qt.Key.Key_T, Qt.Key.Key_X,
        Qt.Key.Key_Z, Qt.Key.Key_O, Qt.Key.Key_Y, Qt.Key.Key_Return,
    )),
    *((key, ALT) for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)),
]  # fmt: skip


def whole_answers(conversation: Conversation) -> None:
    """As many answers as were asked for, one of them cut by its limit."""
    asked = conversation.request.body or b"{}"  # none where a list of models is asked for
    count = json.loads(asked).get("n") or 1
    conversation.head()
    for index in range(count):
        conversation.send(chunk("Waves, and waves again.", index=index))
        conversation.send(chunk(reason="length" if index else "stop", index=index))
    conversation.send(usage(7, 3) + DONE)


class RandomHands:
    """Clicks and keys at random, and what asked for the request that came."""

    def __init__(self, seed: int, window: MainWindow, server: FakeServer, qtbot: QtBot) -> None:
        self.chance = random.Random(seed)
        self.window, self.server, self.qtbot = window, server, qtbot
        self.history: list[str] = []
        self.asked = 0
        self._started = 0
        self._wishes: list[str] = []
        self._is_entered = False
        self._buttons: list[QAbstractButton] = []
        self._is_clicking = False
        self._closer = QTimer(window)
        self._closer.timeout.connect(self.on_looked)
        self._closer.start(CLOSES_AFTER_MS)
        window.generator.started.connect(self.on_started)
        graph, dialogue = window.graph, window.dialogue
        graph.plus_clicked.connect(lambda *_: self._wishes.append("plus"))
        graph.draft_asked.connect(lambda _, act: self._wishes.append(act))
        dialogue.draft_asked.connect(lambda _, act: self._wishes.append(act))
        dialogue.retry_asked.connect(lambda _: self._wishes.append("retry"))

    def on_started(self) -> None:
        self._started += 1

    def on_looked(self) -> None:
        """Close the menu of a button, within which the click would go on until somebody chose."""
        popup = QApplication.activePopupWidget()
        if self._is_clicking and popup is not None:
            popup.close()

    def act(self) -> None:
        """One click or key; what it began is waited for and must have been asked for."""
        before = self._begun()
        self._wishes.clear()
        may_ask = self._click() if self.chance.random() < 0.5 else self._press()
        QApplication.processEvents()
        self._settle()
        if self._begun() == before:
            return
        self.asked += 1
        if self._started == before[1]:  # what Test asks for on a thread comes when it comes
            may_ask = may_ask or any("endpointTest" in did for did in self.history[-3:])
        may_ask = may_ask or any(ASKS.search(wish) or wish == "plus" for wish in self._wishes)
        assert may_ask, f"asked by {self.history[-1]}, after {self.history[-12:]}"

    def _begun(self) -> tuple[int, int]:
        posts = [received.path for received in self.server.received if received.method == "POST"]
        return len(posts), self._started

    def _settle(self) -> None:
        """Wait for what was asked; put away what would hold the hands up."""
        window = self.window
        for top in QApplication.topLevelWidgets():
            if isinstance(top, QDialog) and top.isVisible():
                top.reject()
        if window.preferences.settings.one_liners:  # a task in the background that was switched on
            window.preferences.put("one_liners", False)
        generator = window.generator
        self.qtbot.waitUntil(  # a summary that somebody wished for asks beside the window, a moment later
            lambda: (
                not generator.is_streaming()
                and generator.one_liners._task is None
                and not generator.summaries._running
            ),
            timeout=60_000,
        )

    def _click(self) -> bool:
        """Click somewhere; tell whether what is there says that it asks a model."""
        self._is_entered = False
        top = QApplication.activePopupWidget() or self.window
        if len(self.history) % LOOKED_EVERY == 0 or top is not self.window:
            self._buttons = [b for b in top.findChildren(QAbstractButton) if b.isVisible()]
        shown = [b for b in self._buttons if isValid(b) and b.isVisible() and b.isEnabled()]
        inside = self.chance.choice([*shown, top]) if self.chance.random() < 0.5 else top
        point = QPoint(
            self.chance.randrange(max(1, inside.width())), self.chance.randrange(max(1, inside.height()))
        )
        place = inside.mapTo(top, point) if inside is not top else point
        target = top.childAt(place) or top
        at = target.mapFrom(top, place) if target is not top else place
        words = _words(target, at)
        if not isValid(target) or isinstance(target, QMenuBar) or LEAVES.search(words):
            return False
        self.history.append(f"click {words}")
        self._is_clicking = True
        QTest.mouseClick(target, Qt.MouseButton.LeftButton, PLAIN, at)
        self._is_clicking = False
        return bool(ASKS.search(words))

    def _press(self) -> bool:
        """Press a key; tell whether it is one that asks a model where it was pressed."""
        key, held = self.chance.choice(KEYS)
        popup = QApplication.activePopupWidget()
        target = popup or QApplication.focusWidget() or self.window
        words = _words(target, None)
        chooses = key in (Qt.Key.Key_Return, Qt.Key.Key_Space) and held == PLAIN
        if chooses and (popup is not None or LEAVES.search(words)):
            return False
        in_graph = self.window.graph.hasFocus()
        self.history.append(f"{key.name} {held.name} in {words}")
        if (key, held) in ENTERS_GRAPH or key == Qt.Key.Key_Tab:
            self._is_entered = True
        is_field = isinstance(target, QLineEdit)
        QTest.keyClick(target, key, held)
        if (key, held) in GENERATES:
            return not is_field
        if key in (Qt.Key.Key_G, Qt.Key.Key_S) and held == PLAIN:
            return in_graph and self._is_entered
        if key == Qt.Key.Key_Return and self.window.preferences.settings.enter_sends:
            return not is_field  # clicks in the settings made it the key of Generate
        return chooses and bool(ASKS.search(words))


def _words(widget: QWidget, at: QPoint | None) -> str:
    """Words on a widget, or in its row or entry: what a person reads before the click."""
    if isinstance(widget, QMenu):
        action = widget.activeAction() if at is None else widget.actionAt(at)
        return "" if action is None else action.text()
    said: list[str] = []
    part: QWidget | None = widget
    while part is not None and not part.isWindow():
        if isinstance(part, QAbstractButton):
            said += [part.text(), part.accessibleName(), part.toolTip()]
        if isinstance(part, QAbstractItemView):
            index = (
                part.currentIndex()
                if at is None or part is widget
                else part.indexAt(part.viewport().mapFromGlobal(widget.mapToGlobal(at)))
            )
            said.append(str(index.data()))
        said.append(part.objectName())
        part = part.parentWidget() if len(said) < 8 else None
    return " · ".join(filter(None, said))


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(fails(400), whole_answers) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, server: FakeServer, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with two answers, and a model on loopback."""
    add_endpoint("sea", server.url, "chat", name="Sea server")
    rows = ("Name a bird.", ""), ("Wren.", "Name a bird."), ("Lark.", "Name a bird.")
    path = written(tmp_path / "g.loom", *rows)
    with open_grove(path) as opened:
        opened.put_agent(SEA)
        put_asked_ids(opened, (SEA.id,))
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        yield window


def test_who_looks_for_something_or_types_a_name_asks_no_model(
    window: MainWindow, server: FakeServer
) -> None:
    actions = window.actions_set.by_name
    window.preview.refresh_now()
    for action, name in (("commandPaletteAction", "commandPaletteField"), ("searchGrove", "searchField")):
        actions[action].trigger()
        field = find(window, QLineEdit, name)
        field.setFocus()
        for held in (CTRL, CTRL | SHIFT, CTRL | ALT):
            QTest.keyClick(field, Qt.Key.Key_Return, held)

        assert not window.generator.is_streaming(), name
    assert server.received == []


def test_a_click_on_the_page_over_an_empty_graph_makes_letters_words_again(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    window.document.new_tree("dialogue")
    window.composer.field.insertPlainText("Hm")
    window.actions_set.by_name["focusGraph"].trigger()
    page = find(window, QWidget, "firstRunPage")
    qtbot.waitUntil(page.isVisible)
    ground = window.graph.childAt(page.geometry().topLeft() + QPoint(3, 3))
    assert ground is not None
    QTest.mouseClick(ground, Qt.MouseButton.LeftButton, PLAIN, QPoint(3, 3))
    QTest.keyClick(window.graph, Qt.Key.Key_G)

    assert window.composer.text == "Hmg"
    assert server.received == []
    assert not window.generator.is_streaming()


def test_who_has_a_window_that_is_too_small_is_told_of_and_the_others_are_asked(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    server.scripts, generate = [whole_answers], find(window, QAbstractButton, "generateButton")
    tell_window("sea:tiny", 1_000)
    window.document.agents.put(Agent("tiny", "Tiny", "model", "sea:tiny"))
    ask_these(window.bench, (SEA.id, "tiny"))
    window.preview.refresh_now()

    [(left_out, why)] = window.preview.left_out
    assert left_out.id == "tiny"
    assert generate.isEnabled()
    assert f"Tiny will not be asked. {why.message}" in html.unescape(generate.toolTip())
    assert f"Tiny will not be asked. {why.message}" in find(window, ErrorStrip, "contextError").text
    generate.click()
    qtbot.waitUntil(lambda: bool(server.received) and not window.generator.is_streaming())

    assert [json.loads(one.body or b"{}").get("model") for one in server.received] == ["s-1"]
    assert f"Tiny was not asked. {why.message}" in window.text_pane.errors.text
    ask_these(window.bench, ("tiny",))
    window.preview.refresh_now()
    assert not generate.isEnabled()


@pytest.mark.slow
@pytest.mark.parametrize("fixed", range(5))
def test_no_click_and_no_key_asks_a_model_but_those_that_say_so(
    fixed: int, window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    hands = RandomHands(chance.seed(fixed), window, server, qtbot)

    for _ in range(1000):
        hands.act()

    assert hands.asked, "nobody was asked: the hands have found nothing"


def test_a_key_held_down_asks_once_though_its_repeats_are_told_apart(tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(sample(tmp_path / "g.loom"), qtbot) as window:
        [held] = window.findChildren(HeldKeys)
        window.graph.setFocus()
        own = {"generate": ("Ctrl+Return", "F4"), f"generateSiblings{IN_GRAPH}": ("R",)}
        window.actions_set.set_keys({f"generate{IN_GRAPH}": ("G",)} | own)
        for key, modifiers in (
            (Qt.Key.Key_G, Qt.KeyboardModifier.NoModifier),
            (Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier),
            (Qt.Key.Key_F4, Qt.KeyboardModifier.NoModifier),
            (Qt.Key.Key_R, Qt.KeyboardModifier.NoModifier),
        ):
            taken = []
            for kind, at_ms in (
                (QEvent.Type.KeyPress, 100),
                (QEvent.Type.KeyRelease, 760),  # of the same moment as what follows: it is held down
                (QEvent.Type.ShortcutOverride, 760),
                (QEvent.Type.KeyPress, 760),
                (QEvent.Type.KeyRelease, 800),
                (QEvent.Type.KeyPress, 990),
            ):
                event = QKeyEvent(kind, key, modifiers)
                event.setTimestamp(at_ms)
                taken.append(held.hears(event))
            assert taken == [False, False, True, True, False, False]
