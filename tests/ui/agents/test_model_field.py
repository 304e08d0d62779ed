"""Live lists of models on the agents page: offered, refreshed, marked when old, and never in the way.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.model.agent import Agent
from loomapp.providers.endpoints import ListedModel, ModelList, keep_list, lists_folder, settings_file
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.agents.model_field import ModelField
from loomapp.ui.commands.agents import models
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, closed_port, fails
from tests.kit.windows import open_window

SEA = Agent("sea", "Sea", "model", "sea:s-1")
LISTED = {"data": [{"id": "s-1", "context_length": 3_000}, {"id": "deep-2"}, {"id": "deep-3"}]}
DAY_S = 24 * 3600

Opened = Callable[[str], MainWindow]


@pytest.fixture
def opened(tmp_path: Path, qtbot: QtBot) -> Iterator[Opened]:
    """A window with an agent whose endpoint has this address, at the page of agents."""
    opening = []

    def at(url: str) -> MainWindow:
        places.config_folder().mkdir(parents=True, exist_ok=True)
        table = f'[sea]\nname = "Sea server"\nbase_url = "{url}/v1"\napi = "chat"\n'
        settings_file().write_text(table, encoding="utf-8")
        with create_grove(tmp_path / "g.loom") as grove:
            grove.put_agent(SEA)
            put_asked_ids(grove, (SEA.id,))
        opening.append(open_window(tmp_path / "g.loom", qtbot))
        window = opening[0].__enter__()
        models.show_agents(window.bench)
        return window

    yield at
    for one in opening:
        one.__exit__(None, None, None)


@contextmanager
def listing(*scripts: Script) -> Iterator[FakeServer]:
    with FakeServer(*scripts) as server:
        yield server


def said(window: MainWindow) -> str:
    return find(window, QLabel, "modelsSaid").text()


def offered(window: MainWindow) -> list[str]:
    box = find(window, QComboBox, "agentModel")
    return [box.itemText(row) for row in range(box.count())]


def kept_ref(grove: Path) -> str | None:
    with open_grove(grove) as again:
        return next(agent.model_ref for agent in again.agents() if agent.id == SEA.id)


def test_what_the_endpoint_has_is_offered_and_its_window_counts(
    opened: Opened, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with listing(fails(200, LISTED)) as server:
        window = opened(server.url)
        qtbot.waitUntil(lambda: said(window).startswith("It has 3 models, as of "))
        assert offered(window) == ["deep-2", "deep-3", "s-1"]
        window.composer.field.setPlainText("What is the sea?")
        window.preview.refresh_now()
        assert window.preview.plans[0].rules.context_window == 3_000

        box = find(window, QComboBox, "agentModel")
        line = box.lineEdit()
        assert line is not None
        pointer.click(line)
        pointer.key("ctrl+a")
        pointer.type_ascii("EEP-3")
        completer = box.completer()
        popup = None if completer is None else completer.popup()
        assert popup is not None
        qtbot.waitUntil(popup.isVisible)
        pointer.key("Down", "Return")
        qtbot.waitUntil(lambda: box.currentText() == "deep-3")
        window.close()

        assert kept_ref(tmp_path / "g.loom") == "sea:deep-3"
        assert [one.path for one in server.received] == ["/v1/models"]


def test_an_endpoint_that_is_not_there_is_said_in_place_and_any_name_can_be_typed(
    opened: Opened, tmp_path: Path, qtbot: QtBot
) -> None:
    window = opened(f"http://127.0.0.1:{closed_port()}")
    qtbot.waitUntil(lambda: "can be typed all the same" in said(window))
    assert "Sea server" in said(window)
    assert window.text_pane.errors.isHidden()

    line = find(window, QComboBox, "agentModel").lineEdit()
    assert line is not None
    line.selectAll()
    QTest.keyClicks(line, "a/model:of-mine")
    window.close()

    assert kept_ref(tmp_path / "g.loom") == "sea:a/model:of-mine"


@pytest.mark.slow
def test_an_old_list_is_marked_with_its_day_and_asked_for_again(opened: Opened, qtbot: QtBot) -> None:
    with listing(fails(503), fails(200, LISTED)) as server:
        old = ModelList((ListedModel("once"),), time.time() - 400 * DAY_S)
        keep_list(f"{server.url}/v1", old, lists_folder())
        window = opened(server.url)
        qtbot.waitUntil(lambda: said(window).startswith("This list is old, of "))
        year = time.strftime("%Y", time.localtime(old.asked_at))
        assert year in said(window)
        assert offered(window) == ["once"]

        QTest.mouseClick(find(window, QToolButton, "refreshModels"), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: said(window).startswith("It has 3 models"))
        assert offered(window) == ["deep-2", "deep-3", "s-1"]


@pytest.mark.slow
def test_an_endpoint_that_says_nothing_holds_nobody_up(opened: Opened, qtbot: QtBot) -> None:
    def silent(conversation: Conversation) -> None:
        conversation.wait_until_left()

    with listing(silent) as server:
        window = opened(server.url)
        assert said(window) == "Asking for its models…"
        qtbot.waitUntil(lambda: len(server.received) == 1)

        line = find(window, QComboBox, "agentModel").lineEdit()
        assert line is not None
        line.selectAll()
        QTest.keyClicks(line, "s-2")
        window.close()

        assert server.left.wait(60)


def test_a_click_beside_the_names_on_offer_goes_where_it_points(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    column, field, other = QVBoxLayout(window), ModelField(), QLineEdit("a name")
    column.addWidget(field)
    column.addWidget(other)
    field.show_endpoints([("sea", "Sea server")])
    field.show_models("sea", [ListedModel("s-1"), ListedModel("s-2")], "")
    window.resize(480, 240)
    show_active(qtbot, window)
    line = find(field, QComboBox, "agentModel").lineEdit()
    assert line is not None
    completer = line.completer()
    assert completer is not None
    line.setFocus()
    QTest.keyClicks(line, "s-")
    names = completer.popup()
    assert names is not None
    qtbot.waitUntil(names.isVisible)

    there = names.mapFromGlobal(other.mapToGlobal(other.rect().center()))
    QTest.mousePress(names, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, there)
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)  # else a button is held for all tests that follow

    assert names.isHidden()
    qtbot.waitUntil(other.hasFocus)
    assert field.model == "s-"


def test_the_only_model_of_an_endpoint_is_put_in_unless_a_name_is_typed(qtbot: QtBot) -> None:
    field = ModelField()
    qtbot.addWidget(field)
    field.show_endpoints([("sea", "Sea server")])
    field.show_models("sea", [ListedModel("s-1")], "")
    line = find(field, QComboBox, "agentModel").lineEdit()
    assert line is not None
    QTest.keyClicks(line, "x")
    line.backspace()

    field.take_only_model("sea")
    assert field.model == ""
    field.show_ref("sea:")
    line.setModified(False)
    field.take_only_model("sea")
    assert field.model == "s-1"


def test_letters_go_through_the_endpoints_and_the_button_that_asks_keeps_the_keyboard(qtbot: QtBot) -> None:
    field = ModelField()
    qtbot.addWidget(field)
    field.show_endpoints([("amber", "Amber"), ("grey", "Grey"), ("green", "Green")])
    show_active(qtbot, field)
    box, again = find(field, QComboBox, "agentEndpoint"), find(field, QToolButton, "refreshModels")
    box.setFocus()

    QTest.keyClicks(box, "Gree")

    assert (field.endpoint_id, field.model) == ("green", "")
    assert box.hasFocus()
    again.setFocus()
    field.show_asking("green")
    assert again.hasFocus()


def test_a_list_opens_by_its_keys_and_the_window_does_not_hear_them(qtbot: QtBot) -> None:
    field = ModelField()
    qtbot.addWidget(field)
    field.show_endpoints([("amber", "Amber")])
    field.show_models("amber", [ListedModel("sea-1")], "")
    heard = list[int]()
    walk = QShortcut(QKeySequence("Alt+Down"), field)
    walk.activated.connect(lambda: heard.append(1))
    show_active(qtbot, field)
    none, alt = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
    for name, held in (("agentEndpoint", alt), ("agentModel", alt), ("agentModel", none)):
        box = find(field, QComboBox, name)
        box.setFocus()

        QTest.keyClick(box, Qt.Key.Key_Down, held)

        assert box.view().isVisible(), name
        box.hidePopup()
    assert not heard
