"""The program as it looks for files and goes on: started with GROVE, told by lines on stdin what to do.

`look` opens the dialog for groves, waits until it lists the folder, and leaves it with Esc; `write WORDS`
saves a message; `type WORDS` types them where the keyboard is, in the composer or a buffer's text, and waits
until they are in the journal; `offered` says what is offered of the last session; `told` waits until a banner
stands, and says what the status bar and the banner say; `quit` closes the window as a person does. Each is
answered by a line when it is done.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QFileSystemModel, QLabel, QPushButton

from loomapp import app
from loomapp.core.edits import node_edits
from loomapp.ui.commands.save.leave import ElsewhereQuestion
from loomapp.ui.window.main_window import MainWindow

LOOK_MS = 20


def told() -> None:
    """On a thread of its own: hands each line to the window, once that stands."""
    pause = threading.Event()
    while (application := QCoreApplication.instance()) is None:
        pause.wait(0.01)
    QTimer.singleShot(0, application, begin)
    for line in sys.stdin:
        QTimer.singleShot(0, application, lambda line=line: act(line.strip()))


def the_window() -> MainWindow | None:
    every = QApplication.topLevelWidgets()
    return next((it for it in every if isinstance(it, MainWindow) and it.isVisible()), None)


def begin() -> None:
    if the_window() is None:
        QTimer.singleShot(LOOK_MS, begin)
        return
    print("ready", flush=True)


def act(line: str) -> None:
    window = the_window()
    assert window is not None
    what, _, words = line.partition(" ")
    if what == "look":
        window.actions_set.by_name["openGrove"].trigger()
        look(window)
        return
    if what == "told":
        tell(window)
        return
    if what == "type":
        QTest.keyClicks(window.focusWidget(), words)
        kept(window)
        return
    if what == "offered":
        print(window.banner.offered.text, flush=True)
        return
    if what == "quit":
        QTimer.singleShot(LOOK_MS, leave)
        window.close()
        print("closed", flush=True)
        return
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.current_id, words, document.pen()))
    print(f"saved {window.banner.notice.text}".strip(), flush=True)


def kept(window: MainWindow) -> None:
    """Until all that was typed is in the journal."""
    if window.journal is None or not window.journal.is_settled:
        QTimer.singleShot(LOOK_MS, lambda: kept(window))
        return
    print("typed", flush=True)


def leave() -> None:
    """Quit also where it is asked about; until no window is left."""
    asked = QApplication.activeModalWidget()
    if isinstance(asked, ElsewhereQuestion):
        button = asked.findChild(QPushButton, "leaveButton")
        assert button is not None
        button.click()
    elif the_window() is not None:
        QTimer.singleShot(LOOK_MS, leave)


def tell(window: MainWindow) -> None:
    """Until there is something to say."""
    banner = window.banner
    words = [strip.text for strip in (banner.unsaved, banner.notice) if strip.isVisible()]
    if not words:
        QTimer.singleShot(LOOK_MS, lambda: tell(window))
        return
    status = window.findChild(QLabel, "statusSaved")
    assert status is not None
    print(" | ".join([status.text(), *words]), flush=True)


def look(window: MainWindow) -> None:
    """Until every file is listed; then leave."""
    [dialog] = window.findChildren(QFileDialog)
    model = dialog.findChild(QFileSystemModel)
    assert model is not None
    root = model.index(dialog.directory().absolutePath())
    rows = [model.index(row, 0, root) for row in range(model.rowCount(root))]
    if not rows or not all(map(model.type, rows)):
        QTimer.singleShot(LOOK_MS, lambda: look(window))
        return
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    print("left", flush=True)


def main(arguments: Sequence[str]) -> int:
    """The program from its start to its end; the exit status."""
    threading.Thread(target=told, daemon=True).start()
    return app.run(Path(arguments[0]))
