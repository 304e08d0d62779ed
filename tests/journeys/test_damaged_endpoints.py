"""A file of endpoints that can't be read: the context says where it is broken, and nothing else breaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.model.agent import Agent, Configuration
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands import remedies
from loomapp.ui.commands.inspector import what_if
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

AGENT = Agent("one", "One", "model", "there:fake-1", Configuration(max_tokens=200))


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A tree that a model at an endpoint of one's own is asked in."""
    add_endpoint("there", "http://127.0.0.1:9", "chat")
    path = tmp_path / "g.loom"
    new_tree(path, text="First.")
    with open_grove(path) as opened:
        opened.put_agent(AGENT)
        put_asked_ids(opened, (AGENT.id,))
    return path


@pytest.mark.parametrize("is_tried", one_in(2, [False, True], first=1))
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("api =", "endpoints.toml, line 6: the file ends in the middle of an entry. Mend the file"),
        ("api = chat\n", "endpoints.toml, line 6: Invalid value. Mend the file"),
    ],
)
def test_endpoints_that_cannot_be_read_are_one_clear_line_until_they_are_mended(
    line: str, says: str, is_tried: bool, grove: Path, qtbot: QtBot
) -> None:
    file = places.config_folder() / "endpoints.toml"
    sound = file.read_text(encoding="utf-8")
    with open_window(grove, qtbot) as window:
        window.bring_inspector()
        window.inspector.show_context()
        if is_tried:
            what_if.begin(window.bench)
        tried = window.what_if.variants

        file.write_text(sound + "[other]\n" + line, encoding="utf-8")
        window.preview.refresh_now()

        assert window.preview.error is not None
        assert str(window.preview.error).startswith(says)
        qtbot.waitUntil(lambda: window.findChild(QWidget, "contextErrorStrip") is not None)
        shown = find(window, QWidget, "contextErrorStrip")
        qtbot.waitUntil(shown.isVisible)
        assert remedies.remedies(window.bench, window.preview.error) == ()
        assert window.what_if.variants == tried, "what is tried waits"

        file.write_text(sound, encoding="utf-8")
        window.preview.refresh_now()
        assert window.preview.error is None
        assert all(outcome.error is None for outcome in window.what_if.outcomes)
