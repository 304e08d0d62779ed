"""Text of others in a real window: nothing is fetched or read as markup, and looking at it writes nothing.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.store.connections import connect
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.save import save
from loomapp.ui.dialogue.text.safe_document import SafeDocument, safe_link
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.windows import open_window

BAIT = (
    '<b>bold</b> <img src="file:///etc/passwd"> ![x](file:///etc/passwd) [run](javascript:alert(1)) '
    "[open](file:///etc/passwd) [see](data:text/html,x) [mail](mailto:a@b.c) <a href='file:///'>x</a>"
)
ODD = (
    "no\u00a0break",
    "line\u2028separator\u2029paragraph",
    "a\u202eright to left\u202c",
    "e\u0301\u0301 combining",
    "👩\u200d👩\u200d👧 family",
    "carriage\r\nreturn\rtwo",
    "trailing  \t \n\n",
    "a NUL \0 inside",
    "x" * 100_000,
)


def grove_of(path: Path, title: str, texts: tuple[str, ...], mode: str = "dialogue") -> Path:
    """A grove with one tree whose path says these texts, with a bookmark and a note."""
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("buffer" if mode == "buffer" else "dialogue", title, pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in texts:
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
        leaf = tree.path.leaf_id
        grove.commit(tree, node_edits.annotate(tree, leaf, texts[0], pen))
        mark = node_marks.bookmark(tree, leaf, texts[0][:80], pen)
        assert mark is not None
        grove.commit(tree, mark)
    return path


def tips(window: MainWindow) -> list[str]:
    actions = [action.toolTip() for action in window.actions_set.by_name.values()]
    return [widget.toolTip() for widget in window.findChildren(QWidget)] + actions


@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"]))
def test_bait_is_read_as_markup_nowhere_in_the_window(tmp_path: Path, qtbot: QtBot, mode: str) -> None:
    grove = grove_of(tmp_path / "g.loom", BAIT, (BAIT, BAIT), mode)

    with open_window(grove, qtbot) as window:
        node_actions.annotate(window.bench)
        window.composer.set_text(BAIT)
        window.text_pane.errors.say(BAIT)
        window.banner.show_notice(BAIT)
        window.note(BAIT)
        window.preview.refresh_now()
        QApplication.processEvents()

        for label in window.findChildren(QLabel):
            assert label.textFormat() == Qt.TextFormat.PlainText, label.objectName() or label.text()
        for field in window.findChildren(QTextEdit):
            assert not field.acceptRichText() or field.isReadOnly(), field.objectName()
        documents = [d for d in window.findChildren(QTextDocument) if "etc/passwd" in d.toPlainText()]
        assert documents, "the bait is on the screen"
        for document in documents:
            assert "<img" not in document.toHtml().replace("&lt;img", "")
            hrefs = [f.anchorHref() for f in fragments(document) if f.isAnchor()]
            assert all(safe_link(href) for href in hrefs)
            assert isinstance(document, SafeDocument) or not hrefs
        for tip in tips(window):
            assert "<img" not in tip
            assert "<b>bold" not in tip
        window.composer.start_over()


def fragments(document: QTextDocument):  # type: ignore[no-untyped-def]
    """The formats of every stretch of a document."""
    block = document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            yield at.fragment().charFormat()
            at += 1
        block = block.next()


@pytest.mark.parametrize(
    "address", one_in(4, ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://x"])
)
def test_only_addresses_of_the_web_and_of_mail_are_links(address: str) -> None:
    assert safe_link(address) is None
    assert safe_link("https://example.org/a?b=c") == "https://example.org/a?b=c"


@pytest.mark.slow
def test_an_address_is_shown_whole_before_it_is_opened(tmp_path: Path, qtbot: QtBot) -> None:
    address = "https://example.org/" + "a" * 300
    grove = grove_of(tmp_path / "g.loom", "T", (f"[short]({address})",))
    with open_window(grove, qtbot) as window:
        window.dialogue.link_asked.emit(address)
        assert address in window.text_pane.errors.text


def content_of(grove: Path) -> list[list[tuple[object, ...]]]:
    """Every row of every table that holds what somebody wrote."""
    connection = connect(grove, "immutable")
    try:
        rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        names = [name for (name,) in rows if name != "settings" and not str(name).startswith("sqlite_")]
        return [connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names]
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"], first=1))
def test_looking_at_odd_texts_and_opening_them_for_editing_writes_nothing(
    tmp_path: Path, qtbot: QtBot, mode: str
) -> None:
    grove = grove_of(tmp_path / "g.loom", "T", ODD, mode)
    with open_window(grove, qtbot):
        pass  # the first one puts the model that can be asked into the file
    before = content_of(grove)

    with open_window(grove, qtbot) as window:
        for node_id in window.document.path_ids[1:]:
            window.document.place.set_current(node_id)
            window.preview.refresh_now()
            QApplication.processEvents()
            if mode == "buffer":
                editor = window.buffer.view.editor
                assert editor.text == "".join(node.text for node in window.document.path.nodes)
                editor.select(0, len(editor.text))
                continue
            window.dialogue.open_editor(node_id)
            saves = window.dialogue.findChildren(QPushButton, "saveEditButton")
            next(button for button in saves if button.isVisible()).click()
            QApplication.processEvents()
        window.pages.show_settings()
        window.pages.show_graph()

    assert content_of(grove) == before
    with open_window(grove, qtbot) as window:
        assert [window.document.tree.nodes[i].text for i in window.document.path_ids[1:]] == list(ODD)


def test_half_a_character_is_cleaned_once_where_it_comes_in(tmp_path: Path, qtbot: QtBot) -> None:
    grove = grove_of(tmp_path / "g.loom", "T", ("Wren.",))
    with open_window(grove, qtbot) as window:
        document = window.document
        window.run_command(lambda w: save.rename(w, document.tree.loom.id, "half \ud83d title"))
        window.run_command(lambda w: save.add_note(w, document.current_id, "half \ud83d note"))
        window.run_command(lambda w: save.save_edit(w, document.current_id, "half \ud83d edit"))

        texts = {node.text for node in document.tree.nodes.values()}
        assert {"half \ufffd note", "half \ufffd edit"} <= texts
        assert document.tree.loom.title == "half \ufffd title"
