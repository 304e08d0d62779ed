"""What if: other contexts are tried, asked as they were shown, and made so; what helps stands in place.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPushButton, QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import Assembled
from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.entities import ContextSettings
from loomapp.core.sent.record import record_in
from loomapp.core.text.token_counts import estimate
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.inspector.comparison import ComparePage
from loomapp.ui.inspector.what_if.strategies import StrategyCard
from loomapp.ui.widgets.fields import ExactLine
from loomapp.ui.widgets.form import ChoiceField, LongText, NumberField
from loomapp.ui.widgets.labels import PlainView
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

AGENT = Agent("one", "One", "model", "there:fake-1", Configuration(system_prompt="Be brief.", max_tokens=77))
HIGH_PX = 520


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["messages"].answer("Once.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    """A dialogue of four messages, and an agent of that server."""
    add_endpoint("there", server.url, "messages")
    path = tmp_path / "g.loom"
    tree_id, above = new_tree(path, text="My name is Ada.", system_context="You are the sea.")
    with open_grove(path) as grove:
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
        tree = grove.load_tree(tree_id)
        for author, text in (("one", "Hello Ada."), ("", "Tell me of waves."), ("one", "They come.")):
            pen = edit_context.EditContext(
                author or grove.owner.id, now(), new_id, "model" if author else "human"
            )
            change = node_edits.add_node(tree, above, text, pen)
            grove.commit(tree, change)
            above = change.added_nodes()[0].id
    return path


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(grove, qtbot) as window:
        window.inspector_dock.show()
        window.inspector.show_context()
        window.inspector_dock.setMinimumHeight(HIGH_PX)
        window.preview.refresh_now()
        qtbot.waitUntil(lambda: window.inspector.context.height() > HIGH_PX - 60)
        yield window


def button(window: MainWindow, name: str) -> QPushButton:
    place = window if name in ("generateButton", "errorAct_send") else window.inspector
    return find(place, QPushButton, name)


def told(window: MainWindow, pointer: Pointer, qtbot: QtBot, variant: int) -> dict[str, Any]:
    """The request that the raw form shows for a variant."""
    pointer.click(find(window.inspector, StrategyCard, f"variantCard{variant}"))
    qtbot.waitUntil(lambda: window.what_if.chosen == variant)
    request = find(window.inspector, PlainView, "rawRequest")
    qtbot.waitUntil(request.isVisible)
    value: dict[str, Any] = json.loads(request.text())
    return value


def settings(window: MainWindow, **own: Any) -> None:
    document = window.document
    loom = replace(document.tree.loom, context_settings=ContextSettings(**own))
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))
    window.preview.refresh_now()


def test_two_variants_are_asked_as_they_were_shown_and_one_is_made_so(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document, context, trying = window.document, window.inspector.context, window.what_if
    question = document.current_id
    name_id = next(i for i in document.path_ids if document.tree.nodes[i].text)
    before = document.tree.loom
    window.composer.set_count(2)

    pointer.click(button(window, "whatIfButton"))
    qtbot.waitUntil(lambda: trying.is_on and not context.rows.switch_rect(name_id).isEmpty())
    pointer.click(context.rows.viewport(), context.rows.switch_rect(name_id).center())
    qtbot.waitUntil(lambda: trying.outcomes[1].inputs.excluded == {name_id})
    pointer.click(button(window, "addVariantButton"))
    qtbot.waitUntil(lambda: len(trying.outcomes) == 3)
    system = find(window.inspector, LongText, "trialSystem")
    system.setFocus()
    pointer.key("ctrl+a")
    pointer.type_ascii("You are a whale.")
    qtbot.waitUntil(lambda: trying.outcomes[2].inputs.system_context == "You are a whale.")
    assert find(window.inspector, ChoiceField, "trialStrategy").value() == "truncateMiddle"
    assert document.tree.loom == before
    assert not document.tree.nodes[name_id].metadata.excluded
    find(window.inspector, QToolButton, "rawContextButton").setChecked(True)
    shown = [told(window, pointer, qtbot, variant) for variant in (1, 2)]
    assert "Ada" in json.dumps(shown[0]["messages"]), "its answer names her"
    assert "My name is" not in json.dumps(shown)

    pointer.click(button(window, "trial_generateAll"))
    qtbot.waitUntil(lambda: len(server.received) == 4)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())

    sent = Counter(json.dumps(json.loads(one.body), sort_keys=True) for one in server.received)
    assert sent == Counter({json.dumps(value, sort_keys=True): 2 for value in shown})
    answers = document.tree.children(question)
    names = []
    for node_id in answers:
        evidence = document.grove.evidence(document.tree.loom.id, node_id)
        record = None if evidence is None else record_in(evidence, document.tree)
        names.append(None if record is None else record.variant)
    assert sorted(map(str, names)) == ["A", "A", "B", "B"]
    window.dialogue.setFocus()
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: not document.tree.children(question))

    find(window.inspector, QToolButton, "rawContextButton").setChecked(False)
    pointer.click(button(window, "trial_makeSo"))
    qtbot.waitUntil(lambda: document.tree.loom.system_context == "You are a whale.")
    assert document.tree.nodes[name_id].metadata.excluded
    assert not trying.is_on
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: document.tree.loom.system_context == "You are the sea.")
    assert not document.tree.nodes[name_id].metadata.excluded


@pytest.mark.slow
def test_what_is_in_the_way_is_mended_where_it_stands(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document, rows = window.document, window.inspector.context.rows
    first = next(i for i in document.path_ids if document.tree.nodes[i].text)
    pointer.move(rows.viewport(), rows.row_rect(first).center() + QPoint(2, 0))
    pointer.click(rows.viewport(), rows.remedy_rect(first).center())  # Exclude
    qtbot.waitUntil(lambda: document.tree.nodes[first].metadata.excluded)
    window.preview.refresh_now()
    pointer.click(rows.viewport(), rows.remedy_rect(first).center())  # Include
    qtbot.waitUntil(lambda: not document.tree.nodes[first].metadata.excluded)

    long = node_edits.add_node(document.tree, document.current_id, "long " * 400_000, document.pen())
    document.commit(long)
    small = node_edits.add_node(document.tree, document.current_id, "And now?", document.pen())
    document.commit(small)
    settings(window, truncation_strategy="stopAtLimit")
    long_id = long.added_nodes()[0].id
    box = find(window.inspector, QCheckBox, f"exclude_{long_id}")
    qtbot.waitUntil(box.isVisible)
    pointer.click(box)
    qtbot.waitUntil(lambda: "then it fits" in find(window.inspector, QLabel, "excludeCheckedSum").text())
    pointer.click(button(window, "excludeCheckedButton"))
    qtbot.waitUntil(lambda: document.tree.nodes[long_id].metadata.excluded)
    window.preview.refresh_now()
    assert window.preview.last is not None

    document.place.set_current(long_id)
    document.commit(node_marks.include(document.tree, [long_id], document.pen()))
    settings(window)
    assert window.preview.last is not None
    assert window.preview.last.report.over_limit
    pointer.click(button(window, "generateButton"))
    send = button(window, "errorAct_send")
    qtbot.waitUntil(send.isVisible)
    assert server.received == [], "it asks first"
    pointer.click(send)
    qtbot.waitUntil(lambda: len(server.received) > 0)
    window.generator.stop_all()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


@pytest.mark.slow
def test_words_are_found_in_what_is_sent_and_the_difference_to_the_last_request(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    context = window.inspector.context
    window.composer.set_count(1)
    pointer.click(button(window, "generateButton"))
    qtbot.waitUntil(lambda: len(server.received) == 1 and not window.generator.is_streaming())
    facts = find(window.inspector, QLabel, "contextMeasured")
    qtbot.waitUntil(lambda: "corrected by the provider’s last count" in facts.text())

    context.rows.setFocus()
    pointer.key("ctrl+f")
    field = find(window.inspector, QLineEdit, "findInContextField")
    qtbot.waitUntil(field.hasFocus)
    pointer.type_ascii("ada")
    count = find(window.inspector, QLabel, "findInContextCount")
    qtbot.waitUntil(lambda: count.text() == "1 of 2")
    pointer.key("Return")
    qtbot.waitUntil(lambda: count.text() == "2 of 2")
    assert context.rows.currentIndex().data().startswith("One")
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not field.isVisible())

    pointer.click(find(window.inspector, QToolButton, "sinceLastButton"))
    pages = window.findChild(ComparePage)
    qtbot.waitUntil(lambda: window.findChild(ComparePage) is not None)
    pages = window.findChild(ComparePage)
    assert pages is not None
    qtbot.waitUntil(lambda: [one.marked() for one in pages.columns] != [[], []])
    assert "Once." in "".join(pages.columns[1].marked())
    assert pages.columns[0].marked() == []


@pytest.mark.slow
def test_a_tab_of_the_raw_form_is_the_report(window: MainWindow, qtbot: QtBot) -> None:
    find(window.inspector, QToolButton, "rawContextButton").setChecked(True)
    find(window.inspector, QTabBar, "rawTabs").setCurrentIndex(1)
    report = find(window.inspector, PlainView, "rawContext")
    qtbot.waitUntil(report.isVisible)
    assert json.loads(report.text())["report"]["strategy"] == "truncateMiddle"


@pytest.mark.slow
def test_what_looks_small_and_is_not_is_told_beside_generate(window: MainWindow, qtbot: QtBot) -> None:
    document = window.document
    document.commit(
        node_edits.add_node(document.tree, document.current_id, "\u6d77" * 80_000, document.pen())
    )
    window.preview.refresh_now()
    assert window.preview.last is not None
    report = window.preview.last.report
    assert estimate("\u6d77" * 80_000) < report.available, "by its characters it fits"
    assert report.over_limit
    bar = window.text_pane.context_bar
    qtbot.waitUntil(lambda: "too long" in bar._strip.text)


@pytest.mark.slow
def test_a_way_that_is_none_any_more_is_left_at_one_click(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    tree, leaf_id = document.tree, document.current_id
    nowhere = node_edits.choose_path(tree, leaf_id, document.pen(), {leaf_id: tree.root_id})
    document.commit(nowhere)
    window.preview.refresh_now()
    assert window.preview.error is not None
    assert window.preview.error.code == "INVALID_SELECTION"
    remedy = button(window, "act_forgetChoices")
    qtbot.waitUntil(remedy.isVisible)

    pointer.click(remedy)

    qtbot.waitUntil(lambda: document.tree.path.selections == {})
    window.preview.refresh_now()
    assert window.preview.last is not None
    assert len(document.path_ids) == 4


@pytest.mark.slow
def test_what_is_counted_as_sent_is_counted_alike_everywhere(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    first = next(i for i in document.path_ids if document.tree.nodes[i].text)
    document.commit(node_marks.exclude(document.tree, [first], document.pen()))
    window.composer.set_text("not committed yet")
    window.preview.refresh_now()
    bar = window.text_pane.context_bar
    assert bar.kept == "kept 3 of 4"

    pointer.click(button(window, "whatIfButton"))

    qtbot.waitUntil(lambda: len(window.what_if.outcomes) == 2)
    card = find(window.inspector, StrategyCard, "variantCard1")
    assert (card.share.kept, card.share.count) == (3, 4)
    assert card.share.counted == "Sent: 3 of 4 nodes (not counting empty ones and notes that are off)"
    assert card.share.counted in card.toolTip()
    assert card.share.counted in bar.toolTip()


@pytest.mark.slow
def test_what_is_pruned_is_tried_as_if_it_were_not_and_made_so(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    document, rows, trying = window.document, window.inspector.context.rows, window.what_if
    tree = document.tree
    pruned = next(i for i in document.path_ids if tree.nodes[i].text == "Hello Ada.")
    leaf_id = document.current_id
    document.commit(node_marks.prune(tree, pruned, document.pen()))
    for below in tree.descendants(pruned):
        if below != pruned:
            document.commit(node_marks.restore(tree, below, document.pen()))
    document.place.read(leaf_id)
    pointer.click(button(window, "whatIfButton"))
    qtbot.waitUntil(lambda: trying.is_on and not rows.switch_rect(pruned).isEmpty())

    pointer.click(rows.viewport(), rows.switch_rect(pruned).center())
    qtbot.waitUntil(lambda: pruned not in trying.outcomes[1].inputs.pruned)
    shown = trying.outcomes[1].assembled
    assert shown is not None
    assert "Hello Ada." in str(shown.messages)
    pointer.click(rows.viewport(), rows.switch_rect(pruned).center())
    qtbot.waitUntil(lambda: pruned in trying.outcomes[1].inputs.pruned)
    assert trying.variants[0].is_as_today
    pointer.click(rows.viewport(), rows.switch_rect(pruned).center())
    qtbot.waitUntil(lambda: pruned not in trying.outcomes[1].inputs.pruned)
    assert tree.nodes[pruned].metadata.pruned

    pointer.click(button(window, "trial_makeSo"))

    qtbot.waitUntil(lambda: not tree.nodes[pruned].metadata.pruned)
    window.dialogue.setFocus()
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: tree.nodes[pruned].metadata.pruned)


@pytest.mark.slow
def test_the_longest_answer_the_marker_and_the_words_to_go_on_are_tried(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    trying = window.what_if
    pointer.click(button(window, "whatIfButton"))
    qtbot.waitUntil(lambda: trying.is_on)
    longest = find(window.inspector, NumberField, "trialMaxTokens")
    marker = find(window.inspector, ExactLine, "trialDialogueMarker")
    go_on = find(window.inspector, ExactLine, "trialContinueText")
    assert longest.value() == 77
    assert find(window.inspector, ExactLine, "trialBufferMarker").isHidden()

    longest.setValue(2_000)
    for field, words in ((marker, "[{n} gone]"), (go_on, "Please go on.")):
        field.setFocus()
        pointer.key("ctrl+a")
        pointer.type_ascii(words)

    def tried() -> tuple[object, ...]:
        inputs = trying.outcomes[1].inputs
        return inputs.max_tokens, inputs.dialogue_marker, inputs.continue_text

    qtbot.waitUntil(lambda: tried() == (2_000, "[{n} gone]", "Please go on."))
    assert trying.outcomes[1].assembled is not None
    assert "Please go on." in str(trying.outcomes[1].assembled.messages)
    card = find(window.inspector, StrategyCard, "variantCard1")
    assert "longest answer 2,000" in card.share.words
    marker.setFocus()
    pointer.key("ctrl+a")
    pointer.type_ascii("no number")
    qtbot.waitUntil(lambda: "{n}" in marker.complaint.text())
    assert tried()[1] == "[{n} gone]"


@pytest.mark.slow
def test_of_two_models_each_is_asked_what_it_was_shown_to_be_sent(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document, trying = window.document, window.what_if
    other = replace(AGENT, id="two", name="Two", configuration=Configuration(system_prompt="Be long."))
    document.agents.put(other)
    document.agents.ask((AGENT.id, other.id))
    window.composer.set_count(1)
    window.preview.refresh_now()
    pointer.click(button(window, "whatIfButton"))
    qtbot.waitUntil(lambda: trying.is_on)
    system = find(window.inspector, LongText, "trialSystem")
    system.setFocus()
    pointer.key("ctrl+a")
    pointer.type_ascii("You are a whale.")
    qtbot.waitUntil(lambda: trying.outcomes[1].inputs.system_context == "You are a whale.")
    told = find(window.inspector, QLabel, "trialWhose")
    assert told.isVisible()
    assert "all 2 models are asked" in told.text()
    shown = {agent.id: result for agent, result in trying.outcomes[1].by_agent}
    systems = {name: one.system for name, one in shown.items() if isinstance(one, Assembled)}
    assert systems == {"one": "Be brief.\n\nYou are a whale.", "two": "Be long.\n\nYou are a whale."}
    assert "Two: " in find(window.inspector, StrategyCard, "variantCard1").toolTip()
    generate = button(window, "trial_generate")
    assert generate.text() == "Generate with A: 2 models × 1"

    pointer.click(generate)

    qtbot.waitUntil(lambda: len(server.received) == 2)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    sent = sorted(json.dumps(json.loads(one.body)["system"]) for one in server.received)
    assert [name in words for name, words in zip(("brief", "long"), sent, strict=True)] == [True, True]
    assert all("You are a whale." in words for words in sent)
    find(window.inspector, LongText, "trialPrompt").setPlainText("Be odd.")
    qtbot.waitUntil(lambda: trying.outcomes[1].inputs.system_prompt == "Be odd.")
    pointer.click(button(window, "trial_makeSo"))
    agents = document.agents.by_id
    qtbot.waitUntil(lambda: agents()["two"].configuration.system_prompt == "Be odd.")
    assert agents()["one"].configuration.system_prompt == "Be odd."


@pytest.mark.slow
def test_where_one_variant_cannot_be_sent_none_is_and_the_words_stay(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document, trying = window.document, window.what_if
    question = document.current_id
    settings(window, token_buffer=127_900)
    pointer.click(button(window, "whatIfButton"))
    qtbot.waitUntil(lambda: trying.is_on)
    trying.add()
    trying.put(replace(trying.outcomes[2].inputs, system_context="You are the sea. " * 40))
    trying.choose(1)
    window.composer.set_text("And the wind?")

    pointer.click(button(window, "trial_generateAll"))

    strip = window.text_pane.errors
    qtbot.waitUntil(strip.isVisible)
    assert strip.text.startswith("The system context needs ")
    assert window.composer.text == "And the wind?"
    assert document.tree.children(question) == ()
    pointer.click(button(window, "trial_generate"))
    qtbot.waitUntil(lambda: len(server.received) == window.composer.count and window.composer.text == "")
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
