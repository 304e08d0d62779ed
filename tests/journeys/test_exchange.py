"""Trees in files, from the window: an import is backed up before, an export is whole or not at all."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from loomapp.core import edits
from loomapp.formats import loom_json
from loomapp.store.backup import backups_of
from loomapp.store.grove import read_grove
from loomapp.ui import exchange
from tests.journeys.outside import new_tree
from tests.journeys.windows import open_window
from tests.store.test_disk_full import no_file_may_grow_beyond

WAIT_MS = 20_000


def test_an_import_comes_in_after_a_backup_of_what_was_there(tmp_path: Path, qtbot: QtBot) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "t.loom.json"
    new_tree(grove, text="Hello.")
    with open_window(grove, qtbot) as window:
        exchange.write_out(window, file)
        document = window.document
        document.new_tree("dialogue", "Another")
        document.commit(edits.add_node(document.tree, document.current_id, "New here.", document.pen()))
        before = {row.id for row in document.trees()}
        file.write_text(file.read_text(encoding="utf-8").replace("Hello.", "Good day."), encoding="utf-8")

        window.run_command(lambda w: exchange.take_in(w, file))
        qtbot.waitUntil(lambda: {row.id for row in document.trees()} > before, timeout=WAIT_MS)

        backup = next(b for b in backups_of(grove) if b.reason == "before-import")
        with read_grove(backup.path) as copy:
            assert {row.id for row in copy.trees()} == before
        assert "Good day." in {node.text for node in document.tree.nodes.values()}


def test_an_export_on_a_full_disk_says_so_in_one_line_and_leaves_the_file_as_it_was(
    tmp_path: Path, qtbot: QtBot
) -> None:
    grove, file = tmp_path / "g.loom", tmp_path / "out" / "t.loom.json"
    new_tree(grove, text="Hello. " * 2000)
    file.parent.mkdir()
    file.write_text("before", encoding="utf-8")
    with open_window(grove, qtbot) as window:
        with no_file_may_grow_beyond(3000):
            window.run_command(lambda w: exchange.write_out(w, file))

        assert str(file) in window.text_pane.errors.text
        assert "choose another place" in window.text_pane.errors.text
        assert [f.name for f in file.parent.iterdir()] == [file.name]
        assert file.read_text(encoding="utf-8") == "before"
        window.run_command(lambda w: exchange.write_out(w, file))
        assert loom_json.read(file).tree.nodes


def test_the_open_grove_is_neither_imported_nor_written_over(tmp_path: Path, qtbot: QtBot) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove, text="Hello.")
    with open_window(grove, qtbot) as window:
        for step in (exchange.take_in, exchange.write_out):
            window.run_command(lambda w, step=step: step(w, grove))  # type: ignore[misc]
            assert "choose another file" in window.text_pane.errors.text
        assert "Hello." in {node.text for node in window.document.tree.nodes.values()}
