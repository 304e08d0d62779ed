"""The page of agents: made, changed, duplicated, put away; what is typed is checked and kept.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent, Configuration
from loomapp.providers.capability import forget, tell_window
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.learned import learned
from loomapp.providers.registry import PROVIDERS, rules_for
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.agents.agents_page import AgentsPage
from loomapp.ui.agents.capability_box import CapabilityBox
from loomapp.ui.agents.fields import Words
from loomapp.ui.commands.agents import models as commands
from loomapp.ui.widgets.form import ChoiceField
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

SEA = Agent(
    "sea",
    "Sea",
    "model",
    "openai:gpt-4.1",
    Configuration("Be the sea.", custom_parameters={"top_p": 0.9, "seed": 4}),
)


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "agents.loom"
    with create_grove(path) as opened:
        opened.put_agent(SEA)
    return path


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(grove, qtbot) as window:
        commands.show_agents(window.bench)
        yield window


def kept(grove: Path) -> dict[str, Agent]:
    with open_grove(grove) as opened:
        return {agent.name: agent for agent in opened.agents() if agent.type == "model"}


def models(window: MainWindow) -> dict[str, Agent]:
    return {agent.name: agent for agent in window.document.agents.by_id().values() if agent.type == "model"}


def test_what_is_typed_is_kept_and_shows_wherever_the_agent_does(window: MainWindow, qtbot: QtBot) -> None:
    name = find(window, QLineEdit, "agentName")
    prompt = find(window, QPlainTextEdit, "agentPrompt")
    name.selectAll()
    QTest.keyClicks(name, "Ocean")
    prompt.selectAll()
    QTest.keyClicks(prompt, "Be wide.")

    qtbot.waitUntil(lambda: "Ocean" in models(window))
    qtbot.waitUntil(lambda: models(window)["Ocean"].configuration.system_prompt == "Be wide.")

    qtbot.waitUntil(lambda: window.header.agents.words == "Ocean")
    qtbot.waitUntil(lambda: find(window, QLabel, "agentPromptTokens").text() == "2 tokens")
    assert models(window)["Ocean"].configuration.custom_parameters == {"top_p": 0.9, "seed": 4}


def test_an_endpoint_whose_model_is_not_chosen_yet_stays_while_the_name_is_typed(
    window: MainWindow, qtbot: QtBot
) -> None:
    endpoint = find(window, ChoiceField, "agentEndpoint")
    endpoint.setCurrentIndex(endpoint.findData("ollama"))
    endpoint.activated.emit(endpoint.currentIndex())
    name = find(window, QLineEdit, "agentName")
    name.selectAll()

    QTest.keyClicks(name, "Tide")

    qtbot.waitUntil(lambda: "Tide" in models(window))
    assert endpoint.value() == "ollama"
    assert models(window)["Tide"].model_ref == SEA.model_ref


def test_undo_in_the_prompt_takes_back_typing_and_not_the_tree(window: MainWindow, qtbot: QtBot) -> None:
    nodes = len(window.document.tree.nodes)
    prompt = find(window, QPlainTextEdit, "agentPrompt")
    prompt.setFocus()
    prompt.moveCursor(prompt.textCursor().MoveOperation.End)
    QTest.keyClicks(prompt, " Twice.")

    QTest.keyClick(prompt, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)

    assert prompt.toPlainText() == "Be the sea."
    assert len(window.document.tree.nodes) == nodes


@pytest.mark.slow
def test_parameters_that_are_no_json_are_told_by_line_and_what_was_stays(
    window: MainWindow, qtbot: QtBot
) -> None:
    parameters = find(window, QPlainTextEdit, "agentParameters")
    parameters.setPlainText('{"top_k": 4,\n "top_k": }')
    said = find(window, QLabel, "agentParametersSaid")
    assert said.text() == "Line 2: expecting value"

    find(window, QLineEdit, "agentTemperature").setText("0.5")
    qtbot.waitUntil(lambda: models(window)["Sea"].configuration.temperature == 0.5)

    assert models(window)["Sea"].configuration.custom_parameters == SEA.configuration.custom_parameters
    parameters.setPlainText('{"top_k": 4}')
    wanted = {"top_k": 4, "top_p": 0.9}
    qtbot.waitUntil(lambda: models(window)["Sea"].configuration.custom_parameters == wanted)


@pytest.mark.slow
def test_an_agent_is_made_duplicated_put_away_and_brought_back(
    window: MainWindow, grove: Path, qtbot: QtBot
) -> None:
    menu = find(window, QMenu, "agentPresets")
    [critic] = [action for action in menu.actions() if action.data() == "critic"]
    critic.trigger()
    assert models(window)["Critic"].model_ref == SEA.model_ref
    area, name = find(window, QScrollArea, "agentArea"), find(window, QLineEdit, "agentName")
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())

    QTest.mouseClick(find(window, QPushButton, "duplicateAgent"), Qt.MouseButton.LeftButton)
    assert area.verticalScrollBar().value() == 0
    assert (window.focusWidget(), name.selectedText()) == (name, "Critic 2")
    QTest.mouseClick(find(window, QPushButton, "archiveAgent"), Qt.MouseButton.LeftButton)

    assert models(window)["Critic 2"].archived_at is not None
    assert [agent.name for agent in window.document.agents.models()] == ["Sea", "Critic"]
    rows = find(window, QListWidget, "agentsList")
    assert [rows.item(row).text() for row in range(rows.count())] == ["Sea", "Critic", "You", "Critic 2"]

    QTest.mouseClick(find(window, QPushButton, "archiveAgent"), Qt.MouseButton.LeftButton)
    window.close()
    assert kept(grove)["Critic 2"].archived_at is None


@pytest.mark.slow
def test_what_was_learned_of_a_model_is_shown_and_forgotten(window: MainWindow, qtbot: QtBot) -> None:
    known = rules_for("openai:gpt-4.1")
    taught = replace(known, refused=frozenset({"stop", "temperature"}))
    find(window, Words, "agentStops").show_text("END")
    assert find(window, QLabel, "agentStopsSaid").isHidden()
    learned().note("https://api.openai.com/v1", "gpt-4.1", known, taught)
    find(window, AgentsPage, "agentsPage").form.refresh_capability()
    learned_words = find(window, QLabel, "agentLearned").text()
    assert learned_words.startswith("This model ignores stop, temperature; learned")
    assert not find(window, QLabel, "agentStopsSaid").isHidden()

    QTest.mouseClick(find(window, QPushButton, "agentForget"), Qt.MouseButton.LeftButton)

    assert rules_for("openai:gpt-4.1").refused == known.refused
    assert find(window, QLabel, "agentLearned").isHidden()


@pytest.mark.slow
def test_the_user_may_know_better_whether_a_model_takes_images(window: MainWindow, qtbot: QtBot) -> None:
    field = find(window, ChoiceField, "agentImages")
    field.setFocus()
    assert field.value() == ""
    assert rules_for("openai:gpt-4.1").accepts_images

    QTest.keyClick(field, Qt.Key.Key_End)

    qtbot.waitUntil(lambda: not rules_for("openai:gpt-4.1").accepts_images)
    facts = find(window, CapabilityBox, "agentCapability").findChildren(QLabel)
    assert any("only their names are sent" in label.text() for label in facts)
    QTest.keyClick(field, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: rules_for("openai:gpt-4.1").accepts_images)


@pytest.mark.slow
def test_the_user_may_know_whether_a_model_fills_in(grove: Path, qtbot: QtBot) -> None:
    add_endpoint("base", "http://localhost:9", "completions")
    with open_grove(grove) as opened:
        opened.put_agent(replace(SEA, model_ref="base:fake-1"))
    with open_window(grove, qtbot) as window:
        commands.show_agents(window.bench)
        field = find(window, ChoiceField, "agentFillIn")
        field.setFocus()
        facts = find(window, CapabilityBox, "agentCapability")
        assert any("not known" in label.text() for label in facts.findChildren(QLabel))

        QTest.keyClick(field, Qt.Key.Key_Down)

        qtbot.waitUntil(lambda: rules_for("base:fake-1").fills_in)
        assert any("set by you" in label.text() for label in facts.findChildren(QLabel))
        QTest.mouseClick(find(window, QPushButton, "agentForget"), Qt.MouseButton.LeftButton)
        assert not rules_for("base:fake-1").fills_in


@pytest.mark.slow
def test_only_text_completions_can_fill_in(window: MainWindow) -> None:
    facts = find(window, CapabilityBox, "agentCapability").findChildren(QLabel)

    assert any("only text completions" in label.text() for label in facts)
    assert not find(window, ChoiceField, "agentFillIn").isVisible()


@pytest.mark.slow
def test_the_user_may_know_a_models_window_better(window: MainWindow, qtbot: QtBot) -> None:
    field = find(window, QLineEdit, "agentWindow")
    field.setFocus()
    QTest.keyClicks(field, "4000")
    QTest.keyClick(field, Qt.Key.Key_Return)

    assert rules_for("openai:gpt-4.1").context_window == 4000
    window.preview.refresh_now()
    assert rules_for("openai:gpt-4.1-mini").context_window == 1_000_000
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert rules_for("openai:gpt-4.1").context_window == 1_000_000


def test_the_fields_of_a_model_stay_where_they_are_when_one_is_filled(qtbot: QtBot) -> None:
    box, model_ref = CapabilityBox(), "openai:gpt-4.1"
    qtbot.addWidget(box)
    box.show_model(model_ref)
    column = box.layout()
    assert column is not None
    learned = column.itemAt(1)
    assert learned is not None
    assert find(box, QPushButton, "agentForget").isHidden()
    assert not learned.isEmpty(), "the place of its line is kept free above them"

    tell_window(model_ref, 4_000)
    box.show_model(model_ref)

    assert not find(box, QPushButton, "agentForget").isHidden()
    assert find(box, QLabel, "agentLearned").text() == "You set the context window."
    forget(model_ref)


def test_of_a_model_here_its_quality_and_its_layers_on_a_graphics_card_are_told(window: MainWindow) -> None:
    box = find(window, CapabilityBox, "agentCapability")
    box.show_model(DEFAULT_MODEL_REF)
    assert any("a larger one writes better" in words.text() for words in told(box))
    hints = [words.text() for words in find(window, AgentsPage, "agentsPage").findChildren(QLabel)]
    assert any("1,024 unless you change it" in hint for hint in hints), (
        "how long an answer is unless it is said"
    )
    layers = find(box, QLineEdit, "agentGpuLayers")
    layers.setFocus()
    QTest.keyClicks(layers, "20")
    QTest.keyClick(layers, Qt.Key.Key_Return)
    assert rules_for(DEFAULT_MODEL_REF).gpu_layers == 20

    box.show_model(SEA.model_ref or "")

    assert not any("writes better" in words.text() for words in told(box))
    forget(DEFAULT_MODEL_REF)


def test_people_stand_below_the_models_and_have_a_name_alone(window: MainWindow, grove: Path) -> None:
    page, rows = find(window, AgentsPage, "agentsPage"), find(window, QListWidget, "agentsList")
    assert [rows.item(row).text() for row in range(rows.count())] == ["Sea", "You"]
    drawn = rows.viewport().grab().toImage()
    rows.item(1).setText("Du")  # as it is in another language
    assert rows.viewport().grab().toImage() != drawn
    rows.setCurrentRow(1)
    names = ("agentPrompt", "agentTemperature", "duplicateAgent", "archiveAgent", "agentName")
    shown = [name for name in names if find(window, QWidget, name).isVisible()]
    assert shown == ["agentName"]
    name = find(window, QLineEdit, "agentName")
    name.selectAll()
    QTest.keyClicks(name, "Ada")
    page.form.flush()

    with open_grove(grove) as opened:
        assert {agent.name for agent in opened.agents() if agent.type == "human"} == {"Ada"}
    assert models(window)["Sea"] == SEA
    find(window, QMenu, "agentPresets").actions()[0].trigger()
    assert all(agent.model_ref for agent in models(window).values())


def told(box: CapabilityBox) -> list[QLabel]:
    QApplication.processEvents()  # they are shown in a turn of their own
    return [words for words in box.findChildren(QLabel) if not words.isHidden()]


def test_what_was_typed_last_is_kept_when_the_window_closes(
    window: MainWindow, grove: Path, qtbot: QtBot
) -> None:
    name = find(window, QLineEdit, "agentName")
    name.selectAll()
    QTest.keyClicks(name, "Deep")

    window.close()

    assert "Deep" in kept(grove)


def test_an_agent_is_made_written_coloured_doubled_and_put_away_with_pointer_and_keys(
    window: MainWindow, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    menu = find(window, QMenu, "agentPresets")
    [steady] = [action for action in menu.actions() if action.data() == "steady"]
    pointer.click(find(window, QPushButton, "newAgent"))
    qtbot.waitUntil(menu.isVisible)
    pointer.click(menu, menu.actionGeometry(steady).center())
    qtbot.waitUntil(lambda: "Steady" in models(window))

    pointer.click(find(window, QLineEdit, "agentName"))
    pointer.key("ctrl+a")
    pointer.type_ascii("Keeper")
    pointer.click(find(window, QAbstractButton, "agentColour_a5"))
    area = find(window, QScrollArea, "agentArea")
    area.ensureWidgetVisible(find(window, QPlainTextEdit, "agentPrompt"))
    pointer.click(find(window, QPlainTextEdit, "agentPrompt"))
    pointer.type_ascii("Keep the lamp.")
    pointer.key("Tab", "Tab")  # over the switch that lets it see the tree
    qtbot.waitUntil(find(window, QLineEdit, "agentTemperature").hasFocus)
    pointer.key("ctrl+a")
    pointer.type_ascii("0.7")
    pointer.key("Tab", "Tab")
    pointer.type_ascii("300")
    pointer.key("Tab")
    pointer.type_ascii("END")
    qtbot.waitUntil(lambda: "Keeper" in models(window))  # each field is taken a moment after its last key
    qtbot.waitUntil(lambda: models(window)["Keeper"].configuration.stop_sequences == ("END",))
    shown, form = find(window, QLineEdit, "agentName"), find(window, QWidget, "agentForm")
    height = form.height()
    for name, done in (
        ("duplicateAgent", lambda: "Keeper 2" in models(window) and shown.text() == "Keeper 2"),
        ("archiveAgent", lambda: True),
    ):
        qtbot.waitUntil(lambda: form.height() == height)  # what is known of its models comes a little later
        area.ensureWidgetVisible(find(window, QPushButton, name))
        pointer.click(find(window, QPushButton, name))
        qtbot.waitUntil(done)
    qtbot.waitUntil(lambda: models(window)["Keeper 2"].archived_at is not None)
    window.close()

    wanted = Configuration("Keep the lamp.", temperature=0.7, max_tokens=300, stop_sequences=("END",))
    assert kept(grove)["Keeper"].configuration == wanted
    assert kept(grove)["Keeper"].colour == "a5"
    assert kept(grove)["Keeper 2"].configuration == wanted
    assert kept(grove)["Sea"] == SEA


def test_an_agent_is_let_see_the_tree_within_permissions_and_limits(window: MainWindow, qtbot: QtBot) -> None:
    page = find(window, AgentsPage, "agentsPage")
    page.choose(SEA.id)
    permissions = find(page, QWidget, "agentPermissions")
    assert permissions.isHidden() or not permissions.isVisible()

    find(page, QCheckBox, "loomAwareSwitch").click()
    find(page, QAbstractButton, "agentPermission_loom_write_ask").click()
    find(page, QAbstractButton, "agentPermission_doc_write_no").click()
    find(page, QLineEdit, "agentRunSteps").setText("3")
    page.form.flush()

    agent = window.document.agents.by_id()[SEA.id]
    assert permissions.isVisible()
    assert (agent.loom_aware, agent.run_limits.steps) == (True, 3)
    may = agent.permissions
    assert (may.loom_write, may.loom_generate, may.doc_read, may.doc_write) == ("ask", True, True, False)
    told = find(page, QPlainTextEdit, "agentAddendum").toPlainText()
    assert "loom_aware, loom_write (a person decides), loom_generate, doc_read." in told


def test_a_provider_that_is_no_engine_has_no_words_of_one(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo = replace(PROVIDERS["local"], name="echo", spoken="a function", loads_model=False)
    monkeypatch.setitem(PROVIDERS, "echo", echo)
    box = CapabilityBox()
    qtbot.addWidget(box)

    def shown() -> str:
        said = (one for one in box.findChildren(QLabel) if one.isVisibleTo(box))
        return " ".join(one.text() for one in said)

    box.show_model("echo:words")
    qtbot.waitUntil(lambda: "a function" in shown())
    assert "engine" not in shown()
    assert "graphics card" not in shown()
    box.show_model("local:any")
    qtbot.waitUntil(lambda: "the embedded engine" in shown())
    assert "graphics card" in shown()
    box.show_model(":")
    assert box.isHidden()
