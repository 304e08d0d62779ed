"""The page of other programs: permissions, texts to copy, who called, and the key for HTTP."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QTabBar,
)
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.mcp.last_heard import LastHeard
from loomapp.mcp.permissions import KEY_NAME
from loomapp.providers.keys import keep_key, key_file
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import preferences
from loomapp.ui.commands.graph.foreign_writes import ForeignWritesNotice
from loomapp.ui.settings import mcp_page
from loomapp.ui.settings.mcp_page import McpPage
from loomapp.ui.widgets.buttons import Segments
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    path = tmp_path / "my letters.loom"
    create_grove(path).close()
    return path


def page_of(window: MainWindow) -> McpPage:
    window.actions_set.by_name["otherPrograms"].trigger()
    page = window.pages.currentWidget()
    assert isinstance(page, McpPage)
    return page


def test_what_programs_may_do_is_changed_and_texts_for_them_are_copied(grove: Path, qtbot: QtBot) -> None:
    LastHeard(grove).note_reply("Claude Desktop", "annotate", "a" * 400, writes=True, nodes=1)
    with open_window(grove, qtbot) as window:
        preferences.show_page(window.bench, "may ask models")
        settings = window.app_settings
        assert settings is not None
        qtbot.waitUntil(settings.is_whole)
        find(settings, QPushButton, "open_otherPrograms").click()
        page = page_of(window)
        read, write = (find(page, QCheckBox, f"setting_mcp_{name}") for name in ("read", "write"))
        models = find(page, Segments, "setting_mcp_ask_models")
        assert [one.isEnabled() for one in (read, write, models)] == [True] * 3
        read.click()
        assert not read_settings().settings.mcp_read
        assert [one.isEnabled() for one in (read, write, models)] == [True, False, False]
        read.click()
        write.click()
        assert [one.isEnabled() for one in (read, write, models)] == [True, True, False]
        write.click()
        models.chosen.emit("never")
        assert (read_settings().settings.mcp_ask_models, models.value()) == ("never", "never")

        copied, texts = find(page, QPushButton, "copyConfiguration"), []
        for number in range(3):
            find(page, QTabBar, "connectTabs").setCurrentIndex(number)
            copied.click()
            texts.append(QGuiApplication.clipboard().text())
        server = json.loads(texts[0])["mcpServers"]["loomapp"]
        assert server["args"][-3:] == ["mcp", "--grove", str(grove)]
        assert Path(server["command"]).is_file()
        command = [server["command"], *server["args"]]
        assert shlex.split(texts[1])[4:6] == ["--env", "LOOM_MCP_TOOLS=full"]
        assert shlex.split(texts[1])[-len(command) - 1 :] == ["--", *command]
        assert shlex.split(texts[2])[-len(command) :] == command
        assert texts[2].endswith(f"mcp --grove '{grove}'")

        heard = page.heard.findChildren(QLabel, "heardWhat")
        assert [one.text() for one in heard] == ["wrote 1 node · 100 tokens · last: annotate"]
        window.pages.flush()  # as before an undo: the page stays, and goes on telling
        LastHeard(grove).note_refusal("notes-sync", "prune", "Writing is switched off")
        qtbot.waitUntil(lambda: len(page.heard.findChildren(QLabel, "heardName")) == 2)
        assert page.heard.findChildren(QLabel, "heardWhat")[0].text() == (
            "refused once · last: prune\nWriting is switched off"
        )
        assert page.heard.findChildren(QPushButton, "heardShow") == []

        # what it wrote and nobody looked at is one click away
        with open_grove(grove) as other:
            tree = other.load_tree(window.document.tree.loom.id)
            pen = EditContext(other.owner.id, now(), new_id, by="Claude Desktop")
            other.commit(tree, node_edits.add_node(tree, tree.root_id, "Winter", pen))
        qtbot.waitUntil(lambda: len(page.heard.findChildren(QPushButton, "heardShow")) == 1)
        find(page, QPushButton, "heardShow").click()
        notice = window.bench.parts.made(ForeignWritesNotice)
        assert notice is not None
        assert notice.popover is not None
        assert len(notice.popover.findChildren(QAbstractButton, "writtenRow")) == 1
        notice.popover.close()


def test_the_key_for_http_is_shown_hidden_and_made_anew(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window)
        assert find(page, QLabel, "heardNobody").isVisible()
        show, shown = find(page, QPushButton, "showHttpKey"), find(page, QLabel, "httpKey")
        where, address = find(page, QComboBox, "setting_mcp_http"), find(page, QLabel, "httpAddress")
        assert not show.isVisible()
        assert not address.isVisible()
        page.setting_asked.emit("mcp_http", "file")
        assert where.currentIndex() == 2
        assert show.isVisible()
        assert address.isVisible()
        assert not key_file().exists()
        show.click()
        copied = find(page, QPushButton, "copyHttpKey")
        keys = []
        for step in ("", "newHttpKey", "from elsewhere"):
            if step == "newHttpKey":
                find(page, QPushButton, step).click()
            elif step:
                keep_key(key_file(), KEY_NAME, step)  # by `loomapp mcp --new-key`, in a process of its own
                show.click()
                show.click()
            copied.click()
            keys.append(shown.text().replace("\n", ""))
            assert QGuiApplication.clipboard().text() == keys[-1]
            assert f'"{keys[-1]}"' in key_file().read_text(encoding="utf-8")
        assert len(set(keys)) == 3
        show.click()
        assert set(shown.text()) == {"•"}
        page.setting_asked.emit("mcp_http", "off")
        assert not show.isVisible()


def test_a_key_has_room_in_the_page_and_what_is_wrong_with_it_is_in_view(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window)
        page.setting_asked.emit("mcp_http", "keychain")
        area = find(page, QScrollArea, "mcpArea")
        whole = area.widget()
        assert whole is not None
        bar = area.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        bar.setValue(bar.maximum())
        find(page, QPushButton, "showHttpKey").click()
        problem = find(page, ErrorStrip, "mcpProblems")
        QApplication.processEvents()
        assert not problem.visibleRegion().isEmpty()

        page.http_key.show_key("W" * 43)
        for width in (1440, 1330, 1180):
            window.resize(width, window.height())
            for _ in range(4):  # each layout asks the one around it
                QApplication.processEvents()
            assert whole.width() <= area.viewport().width()


def test_where_the_server_is_not_installed_the_command_for_that_is_told(
    grove: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_page, "is_installed", lambda: False)
    with open_window(grove, qtbot) as window:
        page = page_of(window)
        find(page, QPushButton, "copyInstall").click()
        assert QGuiApplication.clipboard().text() == 'pip install "loomapp[mcp]"'
        assert not find(page, QCheckBox, "setting_mcp_read").isVisible()
        assert not page.findChildren(QPushButton, "copyConfiguration")
