"""Images and texts by hand: dropped, dragged, pasted; seen before, sent as the model takes them, taken back.

A drag from another program cannot be made here, so what it ends in is: the events by which a window is told
of files that are dropped. Cards are dragged by the real pointer.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent
from loomapp.core.model.content import AttachedDocument, Image, Mixed, Text, images_of
from loomapp.providers.capability import tell_images
from loomapp.store.files.media import media_folder
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.save import save
from loomapp.ui.dialogue.message.foot import Foot, PictureRow
from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.media.pictures import ImageViewer, Picture
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.drag import drop_files
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import card, fit_all, open_window

SEEING = Agent("eye", "Eye", "model", "there:fake-1")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["chat"].answer("A harbour."), DIALECTS["chat"].answer("Low tide.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    """A question to a model of which its user said that it takes images."""
    add_endpoint("there", server.url, "chat")
    tell_images("there:fake-1", True)
    path = tmp_path / "g.loom"
    new_tree(path, text="What is this?")
    with open_grove(path) as opened:
        opened.put_agent(SEEING)
        put_asked_ids(opened, (SEEING.id,))
    return path


def picture_file(folder: Path, name: str = "harbour.png", colour: str = "teal") -> Path:
    image = QImage(90, 60, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    image.save(str(folder / name))
    return folder / name


def drop(target: QWidget, at: QPoint, *files: Path) -> None:
    assert drop_files(target, *files, at=at)


def choose(qtbot: QtBot, window: MainWindow, pointer: Pointer, words: str) -> None:
    """Click a row of the menu that asks what something is for."""

    def menu() -> QMenu | None:
        found = [m for m in window.findChildren(QMenu, "attachMenu") if m.isVisible()]
        return found[0] if found else None

    qtbot.waitUntil(lambda: menu() is not None)
    shown = menu()
    assert shown is not None
    [row] = [action for action in shown.actions() if action.text() == words]
    pointer.click(shown, shown.actionGeometry(row).center())


def chips(window: MainWindow) -> list[str]:
    return [chip.accessibleName() for chip in window.composer.findChildren(Chip) if chip.isVisible()]


def warned(window: MainWindow) -> list[str]:
    """What each chip warns of."""
    return [chip.accessibleDescription() for chip in window.composer.findChildren(Chip) if chip.isVisible()]


def chips_of(window: MainWindow, node_id: str) -> tuple[str, ...]:
    """What the chips under a message say."""
    [message] = [
        one
        for one in window.dialogue.findChildren(MessageView)
        if one.isVisible() and one.entry is not None and one.entry.key == node_id
    ]
    return message.findChildren(Foot)[0].words


def badges(window: MainWindow, node_id: str) -> list[str]:
    """The signs on a card."""
    scene = window.graph._scene
    row = scene.row_of(node_id)
    assert row is not None
    return [badge.icon for badge in scene.face(row).badges]


def generate(window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer) -> list[dict[str, Any]]:
    """Press Generate; the messages that the server received."""
    before = len(server.received)
    window.composer.set_count(1)
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(server.received) == before + 1)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    messages: list[dict[str, Any]] = json.loads(server.received[-1].body)["messages"]
    return messages


def url_of(file: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()


def test_an_image_is_dropped_on_a_card_another_dragged_there_and_both_are_sent(
    grove: Path, server: FakeServer, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    harbour, chart = picture_file(tmp_path), picture_file(tmp_path, "chart.png", "orange")
    with open_window(grove, qtbot) as window:
        document, port = window.document, window.graph.viewport()
        question = document.current_id
        drop(port, card(window, question), harbour)
        choose(qtbot, window, pointer, "Attach as context")
        qtbot.waitUntil(lambda: chips(window) == ["Context: harbour.png"])
        drop(window.dialogue.viewport(), QPoint(60, 60), chart)
        choose(qtbot, window, pointer, "Attach as context")
        qtbot.waitUntil(lambda: len(chips(window)) == 2)
        shown = {node.text: node.id for node in document.tree.nodes.values()}
        window.preview.pending.detach(shown["chart.png"])
        fit_all(window, qtbot)
        pointer.drag((port, card(window, shown["chart.png"])), (port, card(window, question)))
        choose(qtbot, window, pointer, "Attach as context")
        qtbot.waitUntil(lambda: chips(window) == ["Context: harbour.png", "Context: chart.png"])

        [message] = generate(window, server, qtbot, pointer)

        assert message["content"] == [
            {"type": "image_url", "image_url": {"url": url_of(harbour)}},
            {"type": "image_url", "image_url": {"url": url_of(chart)}},
            {"type": "text", "text": "What is this?"},
        ]
        (edge,) = document.tree.incoming(document.current_id)
        assert edge.with_role("context") == (shown["harbour.png"], shown["chart.png"])
        kept = {file.name for file in media_folder(grove).iterdir()}
        assert kept == {hashlib.sha256(file.read_bytes()).hexdigest() for file in (harbour, chart)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, ["pipe", "endless"]))
def test_what_is_no_file_is_refused_at_once_when_it_is_dropped_or_pasted(
    grove: Path, tmp_path: Path, qtbot: QtBot, pointer: Pointer, kind: str
) -> None:
    thing = tmp_path / "it.txt"
    os.mkfifo(thing) if kind == "pipe" else thing.symlink_to("/dev/zero")
    with open_window(grove, qtbot) as window:
        field, errors = window.composer.field, window.text_pane.errors
        drop(field.viewport(), QPoint(20, 10), thing)
        qtbot.waitUntil(lambda: "only files can be attached" in errors.text)
        errors.clear()

        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(thing))])
        QGuiApplication.clipboard().setMimeData(data)
        pointer.click(field)
        pointer.key("ctrl+v")

        qtbot.waitUntil(lambda: "only files can be attached" in errors.text)
        assert chips(window) == []


def test_what_is_pasted_goes_with_the_message_is_seen_sent_and_taken_back(
    grove: Path, server: FakeServer, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    (tmp_path / "tides.txt").write_text("06:10 low\n", encoding="utf-8")
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("navy"))
    with open_window(grove, qtbot) as window:
        QGuiApplication.clipboard().setImage(image)
        pointer.click(window.composer.field)
        pointer.key("ctrl+v")
        qtbot.waitUntil(lambda: chips(window) == ["With the message: Pasted image"])
        drop(window.composer.field.viewport(), QPoint(20, 10), tmp_path / "tides.txt")
        qtbot.waitUntil(lambda: len(chips(window)) == 2)
        pointer.type_ascii("When can I sail?")
        qtbot.waitUntil(lambda: window.composer.text == "When can I sail?")
        window.preview.refresh_now()
        seen = window.preview.last
        assert seen is not None
        [coming] = seen.messages

        [message] = generate(window, server, qtbot, pointer)

        assert [part["type"] for part in message["content"]] == ["text", "image_url", "text"]
        assert message["content"][0]["text"] == "What is this?"
        assert message["content"][2]["text"] == "06:10 low\n\nWhen can I sail?"
        sent = base64.b64decode(message["content"][1]["image_url"]["url"].partition(",")[2])
        assert QImage.fromData(sent).size() == image.size()
        assert coming.parts[1].to_json()["ref"] == hashlib.sha256(sent).hexdigest()
        assert chips(window) == []

        said = window.document.tree.nodes[window.document.path_ids[-2]]
        [block, document, text] = said.content.blocks if isinstance(said.content, Mixed) else ()
        assert isinstance(block, Image)
        assert document == AttachedDocument("tides.txt", "text/plain", "06:10 low\n")
        assert text == Text("When can I sail?")
        row = find(window.dialogue, PictureRow, "pictureRow")
        qtbot.waitUntil(lambda: window.thumbnails.image(block.ref) is not None)
        pointer.click(find(row, Picture, "picture"))
        qtbot.waitUntil(lambda: window.findChild(ImageViewer, "imageViewer") is not None)
        viewer = find(window, ImageViewer, "imageViewer")
        qtbot.waitUntil(lambda: find(viewer, QPushButton, "copyImage").isEnabled())
        viewer.close()

        window.document.history.undo(lambda _: None)
        window.actions_set.by_name["undo"].trigger()
        qtbot.waitUntil(lambda: len(chips(window)) == 2)
        assert window.composer.text == "When can I sail?"
        assert window.preview.attachments.blocks == (block, document)


@pytest.mark.slow
def test_a_model_that_takes_no_images_is_sent_their_names_and_the_user_sees_it(
    grove: Path, server: FakeServer, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    tell_images("there:fake-1", None)
    with open_window(grove, qtbot) as window:
        drop(window.composer.field.viewport(), QPoint(20, 10), picture_file(tmp_path))
        qtbot.waitUntil(lambda: len(chips(window)) == 1)
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.report.provider_adjustments == ("images_described",)
        told = "Eye takes no images: only their names are sent."
        assert warned(window) == [told]
        assert window.text_pane.context_bar._strip.text == told
        tell_images("there:fake-1", True)
        window.preview.refresh_now()
        assert warned(window) == [""]
        assert window.text_pane.context_bar._strip.text == ""
        tell_images("there:fake-1", None)

        [message] = generate(window, server, qtbot, pointer)

        assert message["content"] == "What is this?\n\n[image: harbour.png]"

        said = window.document.path_ids[-2]
        window.preview.refresh_now()
        assert "Image: only its name" in chips_of(window, said)
        assert "image-off" in badges(window, said)
        assert window.display.fate_words_of(said).words.endswith(" · Image: only its name")

        tell_images("there:fake-1", True)
        window.preview.refresh_now()
        assert "Image: only its name" not in chips_of(window, said)
        assert "image" in badges(window, said)
        assert "name" not in window.display.fate_words_of(said).words


@pytest.mark.slow
def test_of_two_models_it_is_said_which_is_sent_only_the_name(
    grove: Path, server: FakeServer, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_grove(grove) as opened:
        opened.put_agent(replace(SEEING, id="blind", name="Mole", model_ref="there:fake-2"))
        put_asked_ids(opened, (SEEING.id, "blind"))
    with open_window(grove, qtbot) as window:
        drop(window.composer.field.viewport(), QPoint(20, 10), picture_file(tmp_path))
        qtbot.waitUntil(lambda: len(chips(window)) == 1)
        save.save_message(window.bench, partial(lambda: None))
        window.preview.refresh_now()

        said = window.document.path_ids[-1]
        assert images_of(window.document.tree.nodes[said].content)
        assert "Image: only its name to Mole" in chips_of(window, said)
        window.actions_set.by_name["contextInspector"].trigger()
        inspected = window.inspector.context
        find(inspected, QToolButton, "rawContextButton").setChecked(True)
        strip = find(window.text_pane.context_bar, ErrorStrip, "contextError")
        pointer.click(find(strip, QPushButton, "errorAction"))
        qtbot.waitUntil(inspected.rows.isVisible)
        assert window.preview.agent is not None
        assert window.preview.agent.id == "blind", "she who sees has nothing to show of it"
        row = inspected.rows.row_rect(said)
        assert inspected.rows.viewport().rect().contains(row.center())


@pytest.mark.slow
def test_a_missing_image_is_told_in_its_place_and_its_name_is_sent(
    grove: Path, server: FakeServer, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        drop(window.composer.field.viewport(), QPoint(20, 10), picture_file(tmp_path))
        qtbot.waitUntil(lambda: len(chips(window)) == 1)
        generate(window, server, qtbot, pointer)
    [file] = media_folder(grove).iterdir()
    file.rename(tmp_path / "elsewhere")

    with open_window(grove, qtbot) as window:
        picture = find(find(window.dialogue, PictureRow, "pictureRow"), Picture, "picture")
        qtbot.waitUntil(lambda: "harbour.png is missing" in picture.accessibleDescription())
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert [one.code for one in window.preview.last.report.warnings] == ["image_missing"]
        told = "An image is missing from the media folder: only its name is sent."
        assert window.text_pane.context_bar._strip.text == told

        messages = generate(window, server, qtbot, pointer)

        assert messages[0]["content"] == "What is this?\n\n[image: harbour.png]"

        (tmp_path / "elsewhere").rename(file)
        window.preview.refresh_now()
        assert window.preview.last.report.warnings == ()


@pytest.mark.slow
def test_a_chip_is_clicked_and_what_was_part_of_the_message_becomes_a_source(
    grove: Path, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    (tmp_path / "rule.txt").write_text("Answer in French.", encoding="utf-8")
    with open_window(grove, qtbot) as window:
        drop(window.composer.field.viewport(), QPoint(20, 10), tmp_path / "rule.txt")
        qtbot.waitUntil(lambda: chips(window) == ["With the message: rule.txt"])
        [chip] = [one for one in window.composer.findChildren(Chip) if one.isVisible()]
        pointer.click(chip)
        choose(qtbot, window, pointer, "Attach as instruction")
        qtbot.waitUntil(lambda: chips(window) == ["Instruction: rule.txt"])
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.system == "Answer in French."

        window.actions_set.by_name["undo"].trigger()
        qtbot.waitUntil(lambda: chips(window) == [])


@pytest.mark.slow
def test_what_was_attached_is_there_again_after_a_restart_and_what_is_read_only_takes_nothing(
    grove: Path, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        drop(window.composer.field.viewport(), QPoint(20, 10), picture_file(tmp_path))
        qtbot.waitUntil(lambda: len(chips(window)) == 1)
    with open_window(grove, qtbot) as window:
        assert chips(window) == ["With the message: harbour.png"]
        pointer.click(find(window.composer, QToolButton, "removeChipButton"))
        qtbot.waitUntil(lambda: chips(window) == [])
        window.document.grove.read_only = True
        drop(window.dialogue.viewport(), QPoint(60, 60), tmp_path / "harbour.png")
        assert "reading only" in window.text_pane.errors.text
        window.document.grove.read_only = False


@pytest.mark.slow
def test_a_tree_with_images_goes_out_and_comes_in_whole(
    grove: Path, server: FakeServer, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        drop(window.composer.field.viewport(), QPoint(20, 10), picture_file(tmp_path))
        qtbot.waitUntil(lambda: len(chips(window)) == 1)
        generate(window, server, qtbot, pointer)
        tree = window.document.tree
        [image] = [image for node in tree.nodes.values() for image in images_of(node.content)]

    written = loomapp("export", "--grove", grove, "--tree", tree.loom.id, "--format", "loom-json")
    file, other = tmp_path / "t.loom.json", tmp_path / "other.loom"
    file.write_text(written, encoding="utf-8")
    loomapp("import", file, "--grove", other)
    assert loomapp("export", "--grove", other, "--tree", tree.loom.id, "--format", "loom-json") == written
    assert (media_folder(other) / image.ref).read_bytes() == (media_folder(grove) / image.ref).read_bytes()
    assert base64.b64encode((media_folder(grove) / image.ref).read_bytes()).decode() not in json.dumps(
        json.loads(written)["responses"]
    )
    assert "loomapp-media:" + image.ref in json.dumps(json.loads(written)["responses"])
    loomapp("verify", "--grove", other)


@pytest.mark.slow
def test_in_a_buffer_what_is_dropped_on_the_text_or_pasted_is_context(
    grove: Path, tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.document.new_tree("buffer")
        editor = window.text_pane.buffer.editor
        qtbot.waitUntil(editor.isVisible)
        pointer.click(editor.viewport())
        pointer.type_ascii("The sea ")
        drop(editor.viewport(), QPoint(40, 20), picture_file(tmp_path))
        choose(qtbot, window, pointer, "Attach as context")
        qtbot.waitUntil(lambda: chips(window) == ["Context: harbour.png"])
        image = QImage(20, 20, QImage.Format.Format_RGB32)
        image.fill(QColor("navy"))
        QGuiApplication.clipboard().setImage(image)
        pointer.click(editor.viewport())
        pointer.key("ctrl+v")
        qtbot.waitUntil(lambda: chips(window) == ["Context: harbour.png", "Context: Pasted image"])
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert "[image: harbour.png]" in (window.preview.last.document or str(window.preview.last.messages))
