"""Measuring: a careful look at a long context goes on beside the window, which waits for none."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.text import token_estimates
from loomapp.session.context import usage_so_far as measuring_module
from loomapp.session.context.preview import Preview
from loomapp.session.context.usage_so_far import ContextUsage, UsageSoFar
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from tests.kit.condition_wait import PATIENCE_MS
from tests.session.context.test_ahead import AGENTS
from tests.session.writing.test_buffer_session import Desk

LONG = "😀🌊" * 25_000  # bytes, for a model of which nothing is known: it is looked at beside the window


def looks() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "errand"]


def test_a_look_at_a_context_of_before_is_not_waited_for(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, look = threading.Event(), token_estimates.careful_estimate

    def slow_look(text: str) -> int:
        assert may_end.wait(PATIENCE_MS / 1e3)
        return look(text)

    monkeypatch.setattr(measuring_module, "careful_estimate", slow_look)
    agent = AGENTS["completions"]
    with create_grove(tmp_path / "g.loom") as grove:
        document = Desk(grove).document
        grove.put_agent(agent)
        put_asked_ids(grove, (agent.id,))
        document.commit(node_edits.add_node(document.tree, document.path_ids[-1], LONG, document.pen()))
        preview = Preview(document, document)
        measuring = UsageSoFar(document, preview)
        said: list[ContextUsage] = []
        measuring.changed.connect(said.append)
        preview.refresh_now()

        measuring.on_rest()
        measuring.on_rest()

        assert len(looks()) == 2, "the first is at it still"
        may_end.set()
        qtbot.waitUntil(lambda: not looks())
        qtbot.waitUntil(lambda: bool(said))
        assert [one.report for one in said] == [preview.last.report if preview.last else None]
        assert said[0].careful
        measuring.close()
