"""The page of usage: what was counted by message, path, tree and day, and the prices that are typed.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.generation.answers import Sources
from loomapp.core.generation.cost import Price, Spent, Total
from loomapp.core.model.agent import Agent
from loomapp.store.files.settings_file import read_prices, write_price
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.agents.usage_page import UsagePage
from loomapp.ui.commands.agents import models
from loomapp.ui.commands.agents.models import UsageDesk
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.find import find
from tests.kit.processes.command import loomapp
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, fails, says, usage
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

DAY_MS = 24 * 3600 * 1000
SEA = Agent("sea", "Sea", "model", "sea:s-1")


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with FakeServer(DIALECTS["messages"].answer("Waves.")) as server:
        add_endpoint("sea", server.url, "messages")
        grove = tmp_path / "g.loom"
        new_tree(grove, text="What is the sea?")
        with open_grove(grove) as opened:
            opened.put_agent(SEA)
            put_asked_ids(opened, (SEA.id,))
        with open_window(grove, qtbot) as window:
            yield window


def rows_of(table: QTableWidget) -> list[list[str]]:
    rows = range(table.rowCount())
    items = [[table.item(row, column) for column in range(table.columnCount())] for row in rows]
    return [["" if item is None else item.text() for item in row] for row in items]


def test_what_was_used_is_summed_and_priced(window: MainWindow, qtbot: QtBot) -> None:
    question = window.document.current_id
    window.generator.start(Sources(question), 2)
    tree = window.document.tree
    qtbot.waitUntil(lambda: len(tree.children(question)) == 2 and not window.generator.is_streaming())

    models.show_usage(window.bench)
    sums = find(window, QTableWidget, "usageTable")
    qtbot.waitUntil(lambda: sums.rowCount() == 5)

    # one answer is read, both were paid; an exchange counted 4 + 2 + 1 tokens in and 3 out
    assert rows_of(sums)[0][1:5] == ["1", "7", "2", "3"]
    assert [row[1:5] for row in rows_of(sums)[2:]] == [["2", "14", "4", "6"]] * 3
    assert rows_of(sums)[2][5] == "–"
    assert "sea · fake-1" in find(window, QLabel, "usageSaid").text()

    prices = find(window, QTableWidget, "priceTable")
    row = [cells[0] for cells in rows_of(prices)].index("sea · fake-1")
    for column, words in ((1, "1000"), (2, "2000"), (3, "100")):
        item = prices.item(row, column)
        assert item is not None
        item.setText(words)
        qtbot.waitUntil(lambda: "sea:fake-1" in read_prices())
    qtbot.waitUntil(lambda: read_prices().get("sea:fake-1") == Price(1000.0, 2000.0, 100.0))

    # 2 × (5 at 1000 + 2 at 100 + 3 at 2000) / 1,000,000
    qtbot.waitUntil(lambda: rows_of(sums)[2][5] == "0.0224")
    assert rows_of(sums)[2][6] == "0.0036"

    window.generator.start(Sources(question), 1)
    qtbot.waitUntil(lambda: [row[1] for row in rows_of(sums)] == ["1", "1", "3", "3", "3"])
    prices.setCurrentCell(row, 2)
    prices.edit(prices.currentIndex())
    typed = find(prices, QLineEdit, "")
    typed.setText("1200")
    window.document.place.set_current(question)
    qtbot.waitUntil(lambda: [row[1] for row in rows_of(sums)] == ["0", "1", "3", "3", "3"])
    assert typed.text() == "1200"
    window.document.new_tree("dialogue")
    qtbot.waitUntil(lambda: [row[1] for row in rows_of(sums)] == ["0", "0", "0", "3", "3"])
    window.actions_set.by_name["newDialogue"].trigger()
    assert window.pages.is_showing_graph


@pytest.mark.slow
def test_three_answers_of_one_exchange_are_one_call_in_every_sum(tmp_path: Path, qtbot: QtBot) -> None:
    parts = [part for i in range(3) for part in (chunk("Waves.", index=i), chunk(index=i, reason="stop"))]
    with FakeServer(says(*parts, usage(7, 9), DONE)) as server:
        add_endpoint("sea", server.url, "chat")
        grove = tmp_path / "g.loom"
        tree_id, question = new_tree(grove, text="What is the sea?")
        with open_grove(grove) as opened:
            opened.put_agent(SEA)
            put_asked_ids(opened, (SEA.id,))
        with open_window(grove, qtbot) as window:
            window.generator.start(Sources(question), 3)
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
            assert len(window.document.tree.children(question)) == 3
        copy = json.loads(loomapp("export", "--tree", tree_id, "--grove", grove).out)
        copy["tree"]["id"] = "another tree"
        file = tmp_path / "copy.loom.json"
        file.write_text(json.dumps(copy), encoding="utf-8")
        assert loomapp("import", file, "--grove", grove).status == 0

        with open_window(grove, qtbot) as window:
            models.show_usage(window.bench)
            sums = find(window, QTableWidget, "usageTable")
            qtbot.waitUntil(lambda: sums.rowCount() == 5)

            assert [row[1:5] for row in rows_of(sums)] == [["1", "7", "0", "9"]] * 5
    assert len(server.received) == 1


def grove_asking_the_sea(path: Path, server: FakeServer, dialect: str) -> tuple[Path, str]:
    """A grove with a question for an agent of this server; the question's id."""
    add_endpoint("sea", server.url, dialect)
    _, question = new_tree(path, text="What is the sea?")
    with open_grove(path) as opened:
        opened.put_agent(SEA)
        put_asked_ids(opened, (SEA.id,))
    return path, question


def wait_for_sums(window: MainWindow, qtbot: QtBot) -> list[list[str]]:
    models.show_usage(window.bench)
    sums = find(window, QTableWidget, "usageTable")
    qtbot.waitUntil(lambda: sums.rowCount() == 5)
    return rows_of(sums)


@pytest.mark.slow
def test_a_call_that_is_stopped_before_its_server_says_anything_counts_as_a_call(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with FakeServer(Conversation.wait_until_left) as server:
        grove, question = grove_asking_the_sea(tmp_path / "g.loom", server, "messages")
        with open_window(grove, qtbot) as window:
            window.generator.start(Sources(question), 1)
            qtbot.waitUntil(lambda: bool(server.received))
            window.generator.stop_all()
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
        with open_window(grove, qtbot) as window:
            rows = wait_for_sums(window, qtbot)

            assert [row[1:5] for row in rows] == [["0"] * 4] * 2 + [["1", "0", "0", "0"]] * 3
            said = find(window, QLabel, "usageSaid").text()
            assert "it was stopped, or the server does not report them." in said


@pytest.mark.slow
def test_what_a_call_took_that_ended_without_a_word_is_counted_with_its_tokens(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with FakeServer(says(chunk(reason="stop"), usage(7, 1), DONE)) as server:
        grove, question = grove_asking_the_sea(tmp_path / "g.loom", server, "chat")
        with open_window(grove, qtbot) as window:
            window.generator.start(Sources(question), 1)
            qtbot.waitUntil(lambda: bool(server.received) and not window.generator.is_streaming())
            assert not window.document.tree.children(question)

            assert [row[1:5] for row in wait_for_sums(window, qtbot)[2:]] == [["1", "7", "0", "1"]] * 3


@pytest.mark.slow
def test_what_a_server_refuses_is_no_call(tmp_path: Path, qtbot: QtBot) -> None:
    with FakeServer(fails(401)) as server:
        grove, question = grove_asking_the_sea(tmp_path / "g.loom", server, "chat")
        with open_window(grove, qtbot) as window:
            window.generator.start(Sources(question), 1)
            qtbot.waitUntil(lambda: bool(server.received) and not window.generator.is_streaming())

            assert [row[1:5] for row in wait_for_sums(window, qtbot)] == [["0"] * 4] * 5


def test_what_is_no_price_is_said_and_not_kept(window: MainWindow, qtbot: QtBot) -> None:
    models.show_usage(window.bench)
    prices = find(window, QTableWidget, "priceTable")
    qtbot.waitUntil(lambda: prices.rowCount() > 0)
    item = prices.item(0, 1)
    assert item is not None

    item.setText("cheap")

    assert "A price is a number" in find(window, QLabel, "priceFault").text()
    assert read_prices() == {}


def test_prices_stand_beside_what_the_file_has_already(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\n[appearance]\ntheme = "dark"\n', encoding="utf-8")

    write_price("openai:gpt-x", Price(1.5, 2.0), path)
    write_price("own:y", Price(9.0), path)
    write_price("own:y", None, path)

    assert read_prices(path) == {"openai:gpt-x": Price(1.5, 2.0)}
    assert path.read_text(encoding="utf-8").startswith('# mine\n[appearance]\ntheme = "dark"\n')


def test_the_names_of_models_have_the_room_that_their_prices_leave(qtbot: QtBot) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    page = UsagePage(ground)
    page.show_prices(["lighthouse:a-model-with-a-long-name-of-its-own"], {})
    page.resize(350, 600)
    show_active(qtbot, ground)
    prices = find(page, QTableWidget, "priceTable")
    whole_px = prices.sizeHintForColumn(0)
    assert prices.horizontalHeader().length() <= prices.viewport().width(), "all prices are in view"
    name = prices.item(0, 0)
    assert name is not None
    assert name.toolTip() == "lighthouse:a-model-with-a-long-name-of-its-own"

    page.resize(700, 600)

    qtbot.waitUntil(lambda: prices.columnWidth(0) > whole_px)
    assert max(prices.columnWidth(column) for column in range(1, 5)) < 150

    free, both = Total(calls=2, unpriced=1), Total(calls=2, unpriced=1, cost=1.5)
    page.show_totals([("free", free), ("both", both), ("none", Total(calls=1)), ("all", both)])
    costs = [row[5] for row in rows_of(find(page, QTableWidget, "usageTable"))]
    assert costs == ["–", "1.50+", "0.00", "1.50+"], "of nothing known no number is told"


@pytest.mark.slow
def test_days_have_sums_of_their_own_once_there_are_several(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    models.show_usage(window.bench)
    page = find(window, UsagePage, "usagePage")
    desk = page.findChild(UsageDesk)
    assert desk is not None
    qtbot.waitUntil(lambda: find(window, QLabel, "usageSaid").text().startswith("No model has answered"))
    noon = round(time.mktime((2026, 3, 4, 12, 0, 0, 0, 0, -1)) * 1000)
    tree_id = window.document.tree.loom.id

    spent = [Spent(tree_id, "sea:m", noon, {"inputTokens": 5})]
    monkeypatch.setattr(models, "spent_in", lambda _: spent)
    desk.refresh()
    days, sums = (find(window, QTableWidget, name) for name in ("dayTable", "usageTable"))
    qtbot.waitUntil(lambda: rows_of(sums)[-1][1] == "1")
    assert not days.isVisible()
    spent += [Spent(tree_id, "sea:m", at, {"inputTokens": 5}) for at in (noon - DAY_MS, noon + 1)]
    desk.refresh()

    qtbot.waitUntil(days.isVisible)
    assert [row[:3] for row in rows_of(days)] == [["4 Mar 2026", "2", "10"], ["3 Mar 2026", "1", "5"]]
    window.resize(1024, 700)
    qtbot.waitUntil(lambda: days.isColumnHidden(6) and days.horizontalScrollBar().maximum() == 0)
    assert "Calls: 2" in str(days.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole))
