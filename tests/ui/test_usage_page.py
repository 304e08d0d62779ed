"""The page of usage: what was counted by message, path, tree and day, and the prices that are typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QTableWidget
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.generation import Sources
from loomapp.core.prices import Price
from loomapp.core.tree import Agent
from loomapp.store.grove import open_grove
from loomapp.store.model_agents import put_asked_ids
from loomapp.store.prices import read_prices, write_price
from loomapp.ui.agents import commands
from loomapp.ui.main_window import MainWindow
from tests.dialects import DIALECTS
from tests.fake_server import FakeServer
from tests.journeys.outside import new_tree
from tests.journeys.windows import open_window
from tests.ui.finding import find

SEA = Agent("sea", "Sea", "model", "sea:s-1")


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with FakeServer(DIALECTS["messages"].answer("Waves.")) as server:
        places.config_folder().mkdir(parents=True, exist_ok=True)
        table = f'[sea]\nbase_url = "{server.url}"\napi = "messages"\n'
        (places.config_folder() / "endpoints.toml").write_text(table, encoding="utf-8")
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

    commands.show_usage(window)
    sums = find(window, QTableWidget, "usageTable")
    qtbot.waitUntil(lambda: sums.rowCount() == 5)

    # one answer is read, both were paid; an exchange counted 4 + 2 + 1 tokens in and 3 out
    assert rows_of(sums)[0][1:5] == ["1", "7", "2", "3"]
    assert [row[1:5] for row in rows_of(sums)[2:]] == [["2", "14", "4", "6"]] * 3
    assert rows_of(sums)[2][5] == "–"
    assert "sea:fake-1" in find(window, QLabel, "usageSaid").text()

    prices = find(window, QTableWidget, "priceTable")
    row = [cells[0] for cells in rows_of(prices)].index("sea:fake-1")
    for column, words in ((1, "1000"), (2, "2000"), (3, "100")):
        item = prices.item(row, column)
        assert item is not None
        item.setText(words)
        qtbot.waitUntil(lambda: "sea:fake-1" in read_prices())
    qtbot.waitUntil(lambda: read_prices()["sea:fake-1"] == Price(1000.0, 2000.0, 100.0))

    # 2 × (5 at 1000 + 2 at 100 + 3 at 2000) / 1,000,000
    qtbot.waitUntil(lambda: rows_of(sums)[2][5] == "0.0224")
    assert rows_of(sums)[2][6] == "0.0036"


def test_what_is_no_price_is_said_and_not_kept(window: MainWindow, qtbot: QtBot) -> None:
    commands.show_usage(window)
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
