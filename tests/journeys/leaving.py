"""The program as it is asked to end while it is busy: started with GROVE STATE [URL [nothing]].

Says `busy` when the state is reached. A line on stdin closes the window as its button does, and is answered
with the time; signals and keys come from outside. The rest is the program's own, to the end of its process.
"""

from __future__ import annotations

import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from loomapp import app
from loomapp.core.edits import node_edits
from loomapp.core.edits.undo import BEGINNING
from loomapp.core.generation.answers import Sources
from loomapp.providers.engine.state import Busy, Fetching, Starting
from loomapp.session.lifetime.backups import Backups
from loomapp.store.grove.open import open_or_create
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.save import save
from loomapp.ui.commands.save.leave import UnsavedQuestion
from loomapp.ui.window.main_window import MainWindow
from tests.session.programs import ask_server

STREAMS = 8
STEPS = 3000
LONG_PROMPT = "And then the keeper of the light went down to the sea again. " * 400
LOOK_MS = 20
TYPING_S = 4.0
SMALL_BYTES = 3000

Task = Callable[[MainWindow], Iterator[bool]]  # yields whether the state is reached, until it is


def _write(window: MainWindow, text: str) -> None:
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))


def stream(window: MainWindow) -> Iterator[bool]:
    """Eight answers are under way; `nothing` as the last argument: before their first word."""
    document = window.document
    _write(window, "Tell a long story.")
    for _ in range(STREAMS):
        window.generator.start(Sources(document.current_id), 1)
    while True:
        drafts = window.generator.drafts(document.tree.loom.id)
        yield sys.argv[-1] == "nothing" or all(live.draft.text for live in drafts)


def engine(window: MainWindow) -> Iterator[bool]:
    """The embedded engine writes eight continuations."""
    yield from (
        reached and isinstance(window.generator.engine_watch.state, Busy) for reached in stream(window)
    )


def prompt(window: MainWindow) -> Iterator[bool]:
    """The embedded engine is in the middle of a long prompt."""
    _write(window, LONG_PROMPT)
    window.generator.start(Sources(window.document.current_id), 1)
    while True:
        yield isinstance(window.generator.engine_watch.state, Busy)


def loading(window: MainWindow) -> Iterator[bool]:
    """The embedded engine loads its model."""
    yield from _asked(window, Starting)


def fetching(window: MainWindow) -> Iterator[bool]:
    """The model is being fetched."""
    yield from _asked(window, Fetching)


def _asked(window: MainWindow, state: type[Starting | Fetching]) -> Iterator[bool]:
    _write(window, "Tell a story.")
    window.generator.start(Sources(window.document.current_id), 1)
    while True:
        yield isinstance(window.generator.engine_watch.state, state)


def backup(window: MainWindow) -> Iterator[bool]:
    """A backup is being made, of a file that is large enough to be met at it."""
    _write(window, "Something to be backed up.")
    [backups] = [keeper for keeper in window.keepers if isinstance(keeper, Backups)]
    while True:
        backups.look()
        yield any(thread.name == "backup" for thread in threading.enumerate())


def walk(window: MainWindow) -> Iterator[bool]:
    """A long way through the history is being gone."""
    for number in range(STEPS):
        _write(window, f"Step {number}.")
    window.document.walk.start(BEGINNING, lambda _: None)
    while True:
        yield window.document.walk.is_under_way


def idle(window: MainWindow) -> Iterator[bool]:
    """Something was saved just now."""
    _write(window, "The last word.")
    yield True


def edit(window: MainWindow) -> Iterator[bool]:
    """An edit is being typed, each word the time at which it was."""
    node_actions.edit(window.bench)
    yield from _typed(lambda: window.dialogue.findChild(QPlainTextEdit, "messageEditorField"))


def note(window: MainWindow) -> Iterator[bool]:
    """Likewise a note."""
    node_actions.annotate(window.bench)
    yield from _typed(lambda: window.text_pane.note_box.editor.field)


def _typed(field: Callable[[], QPlainTextEdit | None]) -> Iterator[bool]:
    began = time.monotonic()
    while time.monotonic() < began + TYPING_S:
        there = field()
        assert there is not None
        there.insertPlainText(f" {time.monotonic():.2f}")
        yield False
    yield True


def unsaved(window: MainWindow) -> Iterator[bool]:
    """The disk took neither an edit nor its draft."""
    node_actions.edit(window.bench)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    save.save_edit(window.bench, window.document.current_id, "Lost. " * SMALL_BYTES)
    yield from (bool(list(window.unsaved)) for _ in range(1))
    while True:
        yield window.journal is not None and window.journal.is_faulty


def asked(window: MainWindow) -> Iterator[bool]:
    """Likewise, and the question about it stands."""
    yield from (False for reached in takewhile(lambda it: not it, unsaved(window)))
    QTimer.singleShot(0, window.close)
    while True:
        yield isinstance(QApplication.activeModalWidget(), UnsavedQuestion)


TASKS: dict[str, Task] = {
    task.__name__: task
    for task in (stream, engine, prompt, loading, fetching, backup, walk, idle, edit, note, unsaved, asked)
}


def begin(task: Task) -> None:
    """On the GUI thread, once the window stands."""
    window = next((w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)), None)
    application = QCoreApplication.instance()
    assert application is not None
    if window is None:  # the grove is still being opened
        QTimer.singleShot(LOOK_MS, application, lambda: begin(task))
        return
    looks = task(window)
    looking = QTimer(window)

    def look() -> None:
        if next(looks):
            looking.stop()
            threading.Thread(target=listen, args=(window,), daemon=True).start()

    looking.timeout.connect(look)
    looking.start(LOOK_MS)


def listen(window: MainWindow) -> None:
    """On a thread of its own: the event loop goes on."""
    print("busy", flush=True)
    sys.stdin.readline()
    QTimer.singleShot(0, window, lambda: (print(time.monotonic(), flush=True), window.close()))


def wait_for_the_window(task: Task) -> None:
    """On a thread of its own: the program makes its application when it likes."""
    pause = threading.Event()
    while (application := QCoreApplication.instance()) is None:
        pause.wait(0.01)
    QTimer.singleShot(0, application, lambda: begin(task))


def main(arguments: Sequence[str]) -> int:
    """The program from its start to its end; the exit status."""
    path, state, *server = arguments
    if server:
        with open_or_create(Path(path)) as grove:
            ask_server(grove, server[0])
    threading.Thread(target=wait_for_the_window, args=(TASKS[state],), daemon=True).start()
    return app.run(Path(path))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
