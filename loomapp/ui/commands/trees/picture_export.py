"""Pictures of the graph on their way into a file or onto the clipboard, painted between other work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication

from loomapp.core.errors import LoomError
from loomapp.core.sentences import worded
from loomapp.ui import figures
from loomapp.ui.commands.trees.tree_files import tell
from loomapp.ui.frame.files_under_way import FileWork
from loomapp.ui.graph.painting.whole_picture import Png, Svg
from loomapp.ui.strings import tr
from loomapp.ui.widgets import clipboard
from loomapp.ui.workbench import AtEnd, Workbench
from loomapp.whole_file import write_whole

TURN_S = 0.012  # of painting in one turn of the event loop
MOST_TURN_S = 0.2  # likewise, where the graph moves before a picture is whole: twice as long each time
FILE_MODE = 0o644
LOOK_MS = 20  # whether the file is made


class _File(threading.Thread):
    """The bytes of a picture that is painted: those of a large one take seconds."""

    def __init__(self, picture: Png) -> None:
        super().__init__(name="picture", daemon=True)
        self._picture = picture
        self.data = b""

    def run(self) -> None:
        """Make the file; nothing of the window is touched."""
        self.data = self._picture.data()


def _nothing() -> Generator[tuple[int, int]]:
    yield from ()


class PictureExport(QObject):
    """One picture at a time. If the graph moves meanwhile, it is painted anew, in fewer turns; a large one
    waits for answers that are on their way. It can be cancelled.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._picture: Png | Svg | None = None
        self._steps: Generator[tuple[int, int]] = _nothing()
        self._path: Path | None = None  # of the file; None for the clipboard
        self._file: _File | None = None
        self._kind = "png"
        self._turn_s = TURN_S
        self._work: FileWork | None = None
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self.on_turn)
        bench.views.graph.rows_moved.connect(self.on_moved)
        bench.frame.keep_until_closed(AtEnd(self.stop))

    @property
    def is_under_way(self) -> bool:
        return self._turn.isActive()

    def copy(self, kind: str) -> None:
        """Put the picture on the clipboard. Raises: LoomError if another one is on its way."""
        self._begin(kind, None, tr("Copying…"))

    def save(self, kind: str, path: Path) -> None:
        """Write the picture; a file that stands there is replaced once the new one is whole. Raises:
        LoomError if another one is on its way.
        """
        self._begin(kind, path, tr("Exporting to {name}…").format(name=path.name))

    def stop(self) -> None:
        """End it; nothing is left of it."""
        if self.is_under_way:
            self._end()

    def on_moved(self) -> None:
        """Begin anew: rows and places are others."""
        if self.is_under_way and self._file is None:
            self._turn_s = min(2 * self._turn_s, MOST_TURN_S)
            self._start()

    def on_turn(self) -> None:
        """Paint for a moment; use the picture once it is whole."""
        if self._file is not None and self._path is not None:
            if not self._file.is_alive():
                self._use(partial(self._write, self._file.data, self._path))
            return
        until = time.perf_counter() + self._turn_s
        for _ in self._steps:
            if time.perf_counter() > until:
                return
        picture, path = self._picture, self._path
        if picture is None:
            self._end()
        elif path is None:
            self._use(partial(self._copy_picture, picture))
        elif isinstance(picture, Png):
            self._file = _File(picture)
            self._file.start()
            self._turn.setInterval(LOOK_MS)
        else:
            self._use(lambda: self._write(picture.data(), path))

    def _use(self, use: Callable[[], None]) -> None:
        """Do what it was made for, and end it."""
        self._turn.stop()
        self._drop()
        self._bench.frame.run_beside_text(lambda _: self._finish(use))
        self._end()

    def _finish(self, use: Callable[[], None]) -> None:
        use()
        if self._work is not None:
            self._bench.views.files.finish(self._work)

    def _begin(self, kind: str, path: Path | None, words: str) -> None:
        self._work = self._bench.views.files.begin(words, self.stop)
        self._kind, self._path, self._turn_s = kind, path, TURN_S
        self._start()
        self._turn.start()

    def _start(self) -> None:
        self._drop()
        scene = self._bench.views.graph.settled_scene
        title = self._bench.work.document.tree.loom.title
        self._picture = Png(scene) if self._kind == "png" else Svg(scene, title)
        self._steps = self._picture.steps()

    def _end(self) -> None:
        self._turn.stop()
        self._drop()
        if self._work is not None:
            self._bench.views.files.end(self._work)
            self._work = None

    def _drop(self) -> None:
        """Let go of the painter before what it paints on."""
        self._steps.close()
        self._steps, self._picture, self._file = _nothing(), None, None
        self._turn.setInterval(0)

    def _copy_picture(self, picture: Png | Svg) -> None:
        if isinstance(picture, Png):
            QGuiApplication.clipboard().setImage(picture.image)
            tell(self._bench, tr("The picture is copied."))
        else:
            text = picture.data().decode()
            clipboard.copy(text)
            tell(self._bench, tr("Copied: {size}.").format(size=figures.size(len(text.encode()))))

    def _write(self, data: bytes, path: Path) -> None:
        if not data:
            raise LoomError(tr("There is too little memory for this picture. Fold or show less."))
        try:
            write_whole(path, data, FILE_MODE)
        except OSError as error:
            why = error.strerror or str(error)
            words = worded(
                "{name} could not be written: {why}. Choose another folder.", name=path.name, why=why
            )
            raise LoomError(words) from error
        tell(self._bench, tr("Exported to {name}.").format(name=path.name))
