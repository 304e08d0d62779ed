"""No file dialog opens a file of the folder that it shows: SQLite's locks on an open grove stay.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QFileSystemModel,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QToolButton,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

import loomapp
from loomapp.core.settings.registry import FIELDS
from loomapp.store.backups.backup import back_up
from loomapp.ui.commands.save import leave
from loomapp.ui.commands.trees.empty_tree import ask_model_file
from loomapp.ui.groves.backup_page import BackupPage
from loomapp.ui.look import tokens
from loomapp.ui.settings.rows import SettingRow
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.export_panel import export_panel
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.locks import lasting_locks, opened_in
from tests.kit.refused_groves import refused, sample, windows_of
from tests.kit.windows import open_window, wait_for_backup

# Files of every kind: with an ending that is known, with one that is not, and with none.
OTHERS = ("tale", "tale.loom", "tale.json", "tale.gguf", "tale.txt", "tale.png", "tale.loom-wal", ".tale")
THAT_READ = {"QFileDialog", "QFileSystemModel", "QFileIconProvider", "QMimeDatabase", "QFileInfoGatherer"}
MOST_ESCAPES = 3  # one for what is offered, one for what is chosen in a list, one for the dialog
ASK = {"file_dialog", "ask_grove", "ask_new_grove"}
WHERE_IT_IS_MADE = {"loomapp.ui.widgets.file_dialog", "loomapp.ui.groves.grove_files"}

Look = Callable[[], None]  # looks around in the dialog that stands, and leaves it
Walk = Callable[[MainWindow, QtBot, Look], None]
WALKS: list[tuple[str, Walk]] = []  # where in the program a dialog is asked for, and how one comes to it


def comes_to(place: str) -> Callable[[Walk], Walk]:
    def note(walk: Walk) -> Walk:
        WALKS.append((place, walk))
        return walk

    return note


def by_action(name: str) -> Walk:
    def trigger(window: MainWindow, _: QtBot, look: Look) -> None:
        window.actions_set.by_name[name].trigger()
        look()

    return trigger


comes_to("loomapp.ui.commands.groves.open_grove")(by_action("openGrove"))
comes_to("loomapp.ui.commands.groves.new_grove")(by_action("newGrove"))
comes_to("loomapp.ui.commands.trees.tree_files.import_tree")(by_action("importTree"))
comes_to("loomapp.ui.commands.trees.tree_files.export_evidence")(by_action("exportEvidence"))
comes_to("loomapp.ui.commands.attach.intake.ask_files")(by_action("attachFiles"))


@comes_to("loomapp.ui.commands.trees.export_panel._ask_name")
def an_export(window: MainWindow, _: QtBot, look: Look) -> None:
    find(export_panel(window), QPushButton, "exportSave").click()
    look()
    find(export_panel(window), QPushButton, "exportCancel").click()


@comes_to("loomapp.ui.commands.agents.asked_models.ask_model_file")
def a_model(window: MainWindow, _: QtBot, look: Look) -> None:
    ask_model_file(window.bench)
    look()


@comes_to("loomapp.ui.settings.rows._choose_folder")
def a_folder(window: MainWindow, _: QtBot, look: Look) -> None:
    row = SettingRow(FIELDS["backup_folder"], window)
    row.show_value(str(window.document.grove.path.parent))
    find(row, QPushButton, "setting_backup_folder_choose").click()
    look()
    row.deleteLater()


@comes_to("loomapp.ui.commands.save.leave._ask_name")
def text_that_is_not_saved(window: MainWindow, _: QtBot, look: Look) -> None:
    QTimer.singleShot(0, window, look)
    assert leave.save_elsewhere(window.bench, [leave.AtRisk("what", "words")]) == ""


@comes_to("loomapp.ui.groves.backup_page.on_restore_clicked")
def a_backup(window: MainWindow, _: QtBot, look: Look) -> None:
    page = BackupPage(window)
    page.show_backups_of(window.document.grove.path)
    page.on_restore_clicked()
    look()
    page.deleteLater()


def a_grove_that_is_missing(remedy: str, window: MainWindow, qtbot: QtBot, look: Look) -> None:
    with windows_of(qtbot) as windows:
        _, said = refused(windows, qtbot, window.document.grove.path.with_name("missing.loom"))
        said.remedy_clicked.emit(remedy)
        look()


for name in ("openAnother", "newElsewhere"):
    comes_to("loomapp.ui.window.grove_opener.on_remedy")(partial(a_grove_that_is_missing, name))


def shown() -> QFileDialog | None:
    every = QApplication.topLevelWidgets()
    return next((it for it in every if isinstance(it, QFileDialog) and it.isVisible()), None)


def is_listed(dialog: QFileDialog) -> bool:
    """Whether Qt has looked at every file of the folder."""
    model = find(dialog, QFileSystemModel, "qt_filesystem_model")
    place = dialog.directory().absolutePath()
    root = model.index(place)
    rows = [model.index(row, 0, root) for row in range(model.rowCount(root))]
    only_folders = dialog.testOption(QFileDialog.Option.ShowDirsOnly)
    there = [it for it in Path(place).glob("[!.]*") if it.is_dir() or not only_folders]
    return len(rows) == len(there) and all(map(model.type, rows))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a grove with a backup, which is the current one."""
    folder = tmp_path / "groves"
    folder.mkdir()
    back_up(sample(folder / "g.loom"))
    for name in OTHERS:
        (folder / name).write_bytes(b"SQLite format 3\0" + bytes(100))
    (folder / "link").symlink_to("g.loom")
    (folder / "second name").hardlink_to(folder / "tale")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(("place", "walk"), one_in(7, WALKS), ids=[place for place, _ in WALKS])
def test_the_locks_on_an_open_grove_stay_through_every_dialog(
    place: str, walk: Walk, folder: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    grove, seen = folder / "g.loom", []

    def look_around() -> None:
        qtbot.waitUntil(lambda: shown() is not None)
        dialog = shown()
        assert dialog is not None
        dialog.setDirectory(str(folder))
        dialog.setNameFilter("*")
        qtbot.waitUntil(lambda: is_listed(dialog) and dialog.isActiveWindow())
        assert all(model.isReadOnly() for model in dialog.findChildren(QFileSystemModel)), "it may delete"
        field = find(dialog, QLineEdit, "fileNameEdit")
        field.setFocus()
        pointer.key("ctrl+a")
        pointer.type_ascii("ta")  # what could be meant is offered
        dialog.setViewMode(QFileDialog.ViewMode.Detail)
        pointer.key("Escape", "shift+Tab", "Down", "Down", "Up")
        seen.append(lasting_locks(grove))
        for _ in range(MOST_ESCAPES):
            if shown() is not None:
                pointer.key("Escape")
        assert shown() is None
        seen.append(lasting_locks(grove))

    with open_window(grove, qtbot) as window, opened_in(folder) as opened:
        assert lasting_locks(grove) == 2
        opened()
        walk(window, qtbot, look_around)

        assert seen == [2, 2]
        assert opened() & {*OTHERS, "second name", "link"} == set()
    wait_for_backup(qtbot)


def test_a_dialog_opens_where_the_last_file_was_chosen(folder: Path, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    (folder / "exports").mkdir()
    first = file_dialog(window, "exportDialog", "Export")
    first.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    assert Path(first.directory().absolutePath()) == folder

    find(first, QLineEdit, "fileNameEdit").setText(str(folder / "exports" / "a.md"))
    first.accept()

    other = QWidget()  # of this start or a later one
    qtbot.addWidget(other)
    second = file_dialog(other, "attachDialog", "Attach")
    assert Path(second.directory().absolutePath()) == folder / "exports"


def test_every_dialog_is_walked_and_none_is_made_elsewhere() -> None:
    asked, made = set(), set()
    package = Path(loomapp.__file__).parent
    for file in sorted(package.rglob("*.py")):
        module = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        source = file.read_text(encoding="utf-8")
        if module not in WHERE_IT_IS_MADE:
            asked |= {f"{module}.{place}" for place in asked_in(source)}
        if makes_a_reader(source):
            made.add(module)

    assert asked == {place for place, _ in WALKS}
    assert made == {"loomapp.ui.widgets.file_dialog"}


def asked_in(source: str) -> Iterator[str]:
    """The functions that have to do with one of ours; "" outside of any."""
    if not any(name in source for name in ASK):
        return
    tree = ast.parse(source)
    within: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes = list(ast.walk(function))
            within |= set(map(id, nodes))
            if any(last_name(node) in ASK for node in nodes):
                yield function.name
    if any(last_name(node) in ASK for node in ast.walk(tree) if id(node) not in within):
        yield ""


def makes_a_reader(source: str) -> bool:
    """Whether it calls, or makes a class of, what lists files by reading them."""
    if not any(name in source for name in (*THAT_READ, "QFileDialog")):
        return False
    for node in ast.walk(ast.parse(source)):
        bases = node.bases if isinstance(node, ast.ClassDef) else []
        for one in [node.func] if isinstance(node, ast.Call) else bases:
            owner = last_name(one.value) if isinstance(one, ast.Attribute) else ""
            asks = owner == "QFileDialog" and last_name(one).startswith(("get", "save"))
            if last_name(one) in THAT_READ or asks:
                return True
    return False


def last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    "source",
    [
        "def ask(self): file_dialog(self, 'd', 'Title')",
        "def ask(self): widgets.file_dialog(self, 'd', 'Title')",
        "def ask(self): button.clicked.connect(partial(ask_grove, self))",
        "class Page:\n async def ask(self): ask_new_grove(self)",
    ],
)
def test_a_new_dialog_is_seen_however_it_is_asked_for(source: str) -> None:
    assert list(asked_in(source)) == ["ask"]


def test_what_reads_the_files_that_it_lists_is_seen_however_it_is_made() -> None:
    assert makes_a_reader("QtWidgets.QFileDialog(self)")
    assert makes_a_reader("QFileDialog.getOpenFileName(self)")
    assert makes_a_reader("class Icons(QFileIconProvider): pass")
    assert makes_a_reader("mime = QMimeDatabase().mimeTypeForFile(path)")
    assert not makes_a_reader("dialog.setFileMode(QFileDialog.FileMode.Directory)")
    assert list(asked_in("ask = file_dialog")) == [""]


@pytest.mark.slow
def test_back_leads_to_no_list_that_one_did_not_look_at(folder: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(folder / "g.loom", qtbot) as window:
        window.actions_set.by_name["openGrove"].trigger()
        qtbot.waitUntil(lambda: (it := shown()) is not None and it.isActiveWindow())
        dialog = shown()
        assert dialog is not None
        back = find(dialog, QToolButton, "backButton")
        assert not back.isEnabled()
        pointer.click(find(dialog, QToolButton, "toParentButton"))
        qtbot.waitUntil(lambda: dialog.directory().absolutePath() == str(folder.parent))

        for _ in range(2):
            if back.isEnabled():
                pointer.click(back)

        qtbot.waitUntil(lambda: dialog.directory().absolutePath() == str(folder))
        dialog.reject()
    wait_for_backup(qtbot)


@pytest.mark.slow
def test_what_a_dialog_offers_and_asks_is_read_whole(folder: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(folder / "g.loom", qtbot) as window:
        window.actions_set.by_name["exportEvidence"].trigger()
        qtbot.waitUntil(lambda: (it := shown()) is not None and it.isActiveWindow())
        dialog = shown()
        assert dialog is not None
        dialog.setDirectory(str(folder))
        dialog.setNameFilter("*")
        qtbot.waitUntil(lambda: is_listed(dialog))
        files = find(dialog, QTreeView, "treeView")
        assert all(files.sizeHintForColumn(n) <= files.columnWidth(n) for n in range(1, 4))

        field = find(dialog, QLineEdit, "fileNameEdit")
        field.selectAll()
        pointer.type_ascii("tal")
        completer = field.completer()
        names = completer.popup() if completer is not None else None
        assert names is not None
        qtbot.waitUntil(names.isVisible)
        behind = names.viewport().grab().toImage().pixelColor(names.viewport().width() - 2, 2)
        assert behind == tokens.colour("surface.overlay")

        names.hide()
        field.setText("tale.json")
        seen: list[bool] = []
        QTimer.singleShot(0, dialog, partial(is_question_whole, dialog, seen))
        dialog.accept()  # waits for the answer
        assert seen == [True]
        dialog.reject()
    wait_for_backup(qtbot)


def is_question_whole(dialog: QFileDialog, seen: list[bool]) -> None:
    """Note whether each line of the question can be read once it stands, and answer No."""
    for box in dialog.findChildren(QMessageBox):
        words = find(box, QLabel, "qt_msgbox_label")
        if words.isVisible():
            seen.append(words.height() >= words.heightForWidth(words.width()))
            box.reject()
            return
    QTimer.singleShot(20, dialog, partial(is_question_whole, dialog, seen))
