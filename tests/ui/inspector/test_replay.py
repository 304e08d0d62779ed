"""The exchange in the inspector: headers, bytes, and a replay in the time it took."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QSlider
from pytestqt.qtbot import QtBot

from loomapp.core.model.content import Text
from loomapp.core.model.entities import REASONING, Node
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.ui.inspector.node.provenance_panel import ProvenancePanel, chunks_of
from loomapp.ui.widgets.labels import PlainView
from tests.kit.find import find

EVIDENCE = Evidence(
    id="e1",
    provider="fake",
    request_body='{"n": 1}',
    body_gzip=compress(b"Once upon\x00"),
    headers={"content-type": "text/event-stream", "authorization": "[hidden]"},
    choices={"n1": 0},
    extra={"chunkTimes": [[10, 4], [300, 10], "odd", [1]]},
)
NODE = Node("n1", "n1", Text("Once upon"), "model", extra={REASONING: "A tale is wanted."})


@pytest.fixture
def panel(qtbot: QtBot) -> ProvenancePanel:
    panel = ProvenancePanel()
    qtbot.addWidget(panel)
    panel.show_node(NODE, EVIDENCE)
    panel.show()
    return panel


def press(panel: ProvenancePanel, name: str) -> str:
    find(panel, QPushButton, name).click()
    return find(panel, PlainView, "exchangeBody").text()


def test_headers_bytes_and_text_are_shown_one_at_a_time_and_copied(
    qtbot: QtBot, panel: ProvenancePanel
) -> None:
    assert press(panel, "headersButton").splitlines()[0] == "content-type: text/event-stream"
    shown = press(panel, "responseBytesButton")
    assert shown.startswith("00000000  4f 6e 63 65 20 75 70 6f 6e 00")
    assert shown.endswith("Once upon.")

    press(panel, "copyExchangeButton")

    assert QGuiApplication.clipboard().text() == shown
    assert not find(panel, QPushButton, "headersButton").isChecked()


def test_the_slider_goes_back_to_what_had_come_and_play_goes_on_to_the_end(
    qtbot: QtBot, panel: ProvenancePanel
) -> None:
    body = find(panel, PlainView, "exchangeBody")
    press(panel, "responseBodyButton")
    slider = find(panel, QSlider, "replaySlider")

    slider.setValue(50)
    assert body.text() == "Once"
    press(panel, "replayPlay")
    qtbot.waitUntil(lambda: slider.value() == 300)

    assert body.text().startswith("Once upon")
    assert not find(panel, QPushButton, "replayPlay").isChecked()


def test_times_that_are_none_are_left_out() -> None:
    assert chunks_of(EVIDENCE) == [(10, 4), (300, 10)]


def test_reasoning_is_there_to_read_once_it_is_asked_for(panel: ProvenancePanel) -> None:
    assert find(panel, PlainView, "exchangeBody").text().startswith("Once upon")

    assert press(panel, "reasoningButton") == "A tale is wanted."

    panel.show_node(replace(NODE, extra={}), EVIDENCE)
    assert find(panel, QPushButton, "reasoningButton").isHidden()
    assert find(panel, PlainView, "exchangeBody").text().startswith("Once upon")
