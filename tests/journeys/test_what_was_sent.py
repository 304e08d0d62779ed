"""What was this sent? The rows are what the server received; why it would differ today is said.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.entities import ContextSettings
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.inspector import context as context_commands
from loomapp.ui.inspector.comparison import Column, ComparePage
from loomapp.ui.inspector.context.table import ROW_ROLE
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import open_window
from tests.session.programs import SCRIPTED, ask_server


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answers("Waves.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    path = tmp_path / "g.loom"
    new_tree(path, text="What is the sea?", system_context="Be brief.")
    with open_grove(path) as opened:
        ask_server(opened, server.url)
    return path


def rows(window: MainWindow) -> list[tuple[str, str]]:
    """The rows of the inspector that are sent: what kind they are, and their words."""
    model = window.inspector.context.rows.model()
    found = [model.index(row, 0).data(ROW_ROLE) for row in range(model.rowCount())]
    return [(row.kind, row.text) for row in found if row.kind in ("system", "sent")]


def strip(window: MainWindow) -> ErrorStrip:
    return find(window.inspector, ErrorStrip, "pastStrip")


def said(window: MainWindow) -> str:
    return strip(window).accessibleName()


def columns(window: MainWindow) -> list[Column]:
    page = window.findChild(ComparePage)
    return page.columns if page is not None else []


@pytest.mark.slow
def test_in_a_large_tree_it_is_found_out_while_the_window_lives_on(
    grove: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context_commands, "LARGE", 1)
    with open_window(grove, qtbot) as window:
        document, context = window.document, window.inspector.context
        question = document.current_id
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")
        window.actions_set.refresh()

        window.actions_set.by_name["showSent"].trigger()
        assert context.past is None
        qtbot.waitUntil(lambda: context.past is not None and "the same, to the character" in said(window))
        document.commit(node_marks.exclude(document.tree, [question], document.pen()))
        assert "the same, to the character" in said(window)
        qtbot.waitUntil(lambda: "nothing could be sent" in said(window))

        document.history.undo(lambda _: None)
        window.preview.refresh_now()
        window.actions_set.by_name["sinceLast"].trigger()
        document.commit(node_marks.bookmark(document.tree, question, None, document.pen()))  # it begins again
        qtbot.waitUntil(lambda: len(columns(window)) == 2)
        window.actions_set.by_name["showSent"].trigger()
        window.actions_set.by_name["contextInspector"].trigger()
        qtbot.wait(50)
        assert context.past is None, "who went back meanwhile is not taken there"


def test_an_answer_says_what_it_was_sent_and_why_that_differs(
    grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        pointer.click(window.composer.field)
        pointer.type_ascii("And the tide?")
        pointer.click(find(window, QPushButton, "generateButton"))
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")
        answer = document.current_id
        wire = json.loads(server.received[0].body)["messages"]

        message = window.dialogue.message(answer)
        assert message is not None
        pointer.click(message.body, button=3)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        pointer.key("Up", "Return")  # its last row
        qtbot.waitUntil(lambda: window.inspector.context.past is not None)

        assert [
            {"role": "system", "content": text} for kind, text in rows(window) if kind == "system"
        ] == wire[:1]
        assert "\n\n".join(text for kind, text in rows(window) if kind == "sent") == wire[1]["content"]
        assert "the same, to the character" in said(window)

        question = document.tree.plain_parents[answer]
        first = document.tree.plain_parents[question]
        document.commit(node_marks.exclude(document.tree, [first], document.pen()))
        qtbot.waitUntil(lambda: f"{document.tree.nodes[first].local_id} is excluded now" in said(window))
        assert ("sent", "What is the sea?") in rows(window), "what was sent stays as it was"
        own = ContextSettings(truncation_strategy="rollingWindow")
        loom = replace(document.tree.loom, context_settings=own)
        document.commit(tree_edits.change_loom(document.tree, "Settings", document.pen(), loom))
        told = "the strategy was “Keep start and newest” and is “Keep the newest”"
        qtbot.waitUntil(lambda: told in said(window))

        pointer.click(find(strip(window), QPushButton, "errorAct_compare"))
        qtbot.waitUntil(
            lambda: all(column.marked() for column in columns(window)[:1]) and bool(columns(window))
        )
        then, today = columns(window)
        assert "What is the sea?" in then.side.text
        assert "What is the sea?" not in today.side.text
        assert "What is the sea?" in "".join(then.marked())
        pointer.key("Escape")

        pointer.click(find(strip(window), QToolButton, "errorClose"))
        qtbot.waitUntil(lambda: not strip(window).isVisible())
        assert ("sent", "What is the sea?") not in rows(window)
        for words in ("", "And then?"):
            document.place.set_current(answer)
            window.actions_set.refresh()
            window.actions_set.by_name["showSent"].trigger()
            assert window.inspector.context.past is not None
            window.composer.set_text(words) if words else document.place.set_current(question)
            assert window.inspector.context.past is None, "who looks or writes elsewhere is done with it"


@pytest.mark.slow
def test_the_verdict_follows_agent_model_and_settings_and_names_every_difference(
    grove: Path, server: FakeServer, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        for number in range(5):
            document.commit(
                node_edits.add_node(document.tree, document.current_id, f"Line {number}.", document.pen())
            )
        window.generator.start(Sources(document.current_id), 1)
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")
        window.actions_set.refresh()
        window.actions_set.by_name["showSent"].trigger()
        assert "the same, to the character." in said(window)

        mind = replace(SCRIPTED.configuration, temperature=1.2, stop_sequences=("X",))
        document.agents.put(replace(SCRIPTED, configuration=mind))
        qtbot.waitUntil(lambda: "its words would be the same" in said(window))
        assert "temperature was not set and is 1.2" in said(window)
        assert 'stop was not set and is ["X"]' in said(window)

        document.agents.put(replace(SCRIPTED, configuration=replace(mind, system_prompt="Be wet.")))
        qtbot.waitUntil(lambda: "the agent's prompt was empty and is “Be wet.”" in said(window))
        window.preferences.put("continue_text", "Go on.")
        window.preferences.put("dialogue_marker", "[{n} cut]")
        qtbot.waitUntil(lambda: "the marker was" in said(window))
        past = window.inspector.context.past
        assert past is not None
        assert past.replay is not None
        assert said(window).count(";") == len(past.replay.differences) + len(past.beside) - 1


@pytest.mark.slow
def test_a_text_without_a_request_says_so(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        pen = replace(document.pen(), author_type="model", agent_id=SCRIPTED.id)
        document.commit(node_edits.add_node(document.tree, document.current_id, "By hand.", pen))
        window.actions_set.refresh()
        window.actions_set.by_name["showSent"].trigger()
        assert "No request was kept for this text" in window.text_pane.errors.accessibleName()
        assert window.inspector.context.past is None


@pytest.mark.slow
def test_what_two_answers_were_sent_stands_side_by_side(
    grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        written: list[str] = []
        question = document.current_id
        for prompt in ("Be quick.", "Be slow."):
            loom = replace(document.tree.loom, system_context=prompt)
            change = tree_edits.change_loom(document.tree, "Settings", document.pen(), loom)
            assert change is not None
            document.commit(change)
            window.generator.start(Sources(question), 1)
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
            written.append(document.tree.children(question)[-1])
        window.graph.choose(written)
        window.actions_set.refresh()
        window.actions_set.by_name["compare"].trigger()
        other = find(window, QPushButton, "compareOther")
        pointer.click(other)
        qtbot.waitUntil(lambda: [column.marked() for column in columns(window)] == [["quick"], ["slow"]])
        pointer.click(other)
        texts = [document.tree.nodes[node_id].text for node_id in written]
        qtbot.waitUntil(lambda: [column.side.text for column in columns(window)] == texts)

        window.graph.choose([question, written[0]])
        window.actions_set.by_name["compare"].trigger()
        assert other.isHidden(), "a person's words were sent by nobody"


@pytest.mark.slow
def test_of_a_continued_passage_that_was_edited_the_version_that_is_read_would_be_sent(
    tmp_path: Path, server: FakeServer, qtbot: QtBot
) -> None:
    path = tmp_path / "b.loom"
    new_tree(path, "buffer", text="The sea is wide. ")
    with open_grove(path) as opened:
        ask_server(opened, server.url)
    with open_window(path, qtbot) as window:
        document, editor = window.document, window.buffer.view.editor
        editor.set_caret(len(editor.text))
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: document.tree.nodes[document.path_ids[-1]].author_type == "model")
        answer = document.path_ids[-1]
        document.place.set_current(answer)
        window.actions_set.refresh()
        window.actions_set.by_name["showSent"].trigger()
        assert "the same, to the character." in said(window)

        editor.set_caret(len("The sea"))
        editor.put("s")
        window.writing.commit()
        assert window.inspector.context.past is None, "who writes is done with it"
        document.place.set_current(answer)
        window.actions_set.by_name["showSent"].trigger()

        version, original = document.path_ids[-2], document.tree.nodes[document.path_ids[-2]].edited_from
        assert original is not None
        named = document.tree.nodes[version].local_id
        qtbot.waitUntil(lambda: f"would be different: the path goes through {named} now" in said(window))
        past = window.inspector.context.past
        assert past is not None
        assert past.replay is not None
        assert past.replay.now is not None
        assert [message.text for message in past.replay.now.messages] == ["The seas is wide. "]
        assert find(strip(window), QPushButton, "errorAct_compare").isVisible()
        place, before = document.path_ids.index(version), len(server.received)
        window.buffer.passages.show_version(place, original)
        qtbot.waitUntil(lambda: "the same, to the character." in said(window))
        window.buffer.passages.show_version(place, version)
        document.place.set_current(answer)
        window.actions_set.refresh()
        window.actions_set.by_name["generateSiblings"].trigger()
        qtbot.waitUntil(lambda: len(server.received) > before)
        assert json.loads(server.received[-1].body)["messages"][-1]["content"] == "The seas is wide. "
