"""Exports in a window: the panel in the text's place, its preview, copying, files, and pictures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QFileDialog, QWidget

from loomapp.core.errors import LoomError
from loomapp.core.model.content import MOST_SENT_BYTES
from loomapp.core.model.entities import Node
from loomapp.core.sentences import worded
from loomapp.files import refuse_open_here, write_whole
from loomapp.formats.exports.chat_json import told_of_cut
from loomapp.formats.exports.export import Export, Wanted
from loomapp.formats.exports.first_lines import (
    MOST_LINES,
    FirstLines,
    beginning,
    document_beginning,
    page_beginning,
    tree_beginning,
)
from loomapp.formats.registry import EXPORTERS, READABLE_EXPORTERS
from loomapp.ui import figures
from loomapp.ui.commands.trees.tree_files import commit_all, copy_export, export_to, exported_words, tell
from loomapp.ui.frame.notices import FileWork
from loomapp.ui.graph.painting import whole_picture
from loomapp.ui.graph.painting.whole_picture import Png, Svg
from loomapp.ui.strings import told, tr
from loomapp.ui.trees.exports.formats import ExportChoice
from loomapp.ui.trees.exports.panel import ExportPanel
from loomapp.ui.widgets import clipboard
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.workbench import AtEnd, Workbench

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
        self._bench.work.preview.settle()  # the cards show what is sent
        scene, title = self._bench.views.graph.settled_scene, self._bench.work.document.tree.loom.title
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
        tell(self._bench, exported_words(path))


SOON_MS = 30  # several changes of one turn are one preview
STAND_IN = b"the bytes of the image"  # in the preview, where a line is cut anyway
AS_IT_READS = ("html", "docx")  # shown without their marks


def show(bench: Workbench) -> None:
    """Commit what is not committed yet, and offer what can go out of the tree. Raises: LoomError."""
    desk = bench.parts.one(ExportDesk, partial(ExportDesk, bench))
    desk.show()


class StandIns(Mapping[str, bytes]):
    """Images that are sent, by their SHA-256, each in place of its bytes. Nobody asks which there are."""

    def __init__(self, size: Callable[[str], int | None]) -> None:
        self._size = size

    def __getitem__(self, ref: str) -> bytes:
        size = self._size(ref)
        if size is None or size > MOST_SENT_BYTES:
            raise KeyError(ref)
        return STAND_IN

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class ExportDesk(QObject):
    """Fills the panel, and does what is asked for on it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._document = bench.work.document
        self.panel = ExportPanel(bench.views.text_pane)
        self.panel.choose_first(self._document.tree.loom.mode)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self.on_due)
        self.panel.chosen.connect(self._soon.start)
        self.panel.close_asked.connect(self.on_close_asked)
        self.panel.copy_asked.connect(lambda: bench.frame.run_command(lambda _: self._copy()))
        self.panel.save_asked.connect(lambda: bench.frame.run_command(lambda _: self._ask_name()))
        for moved in (
            self._document.tree_opened,
            self._document.tree_changed,
            self._document.place.current_changed,
            bench.views.graph.chosen_changed,
            bench.views.composer.text_changed,
            self._document.calls.came,
        ):
            moved.connect(self.on_moved)
        self._focus_before: QWidget | None = None

    def show(self) -> None:
        commit_all(self._bench)
        self.panel.begin(self._document.tree.loom.mode)
        self._bench.views.text_pane.show_instead(self.panel)
        self._bench.actions.refresh()  # Esc closes it, also from elsewhere
        self._bench.frame.bring_text()
        self.panel.begin(self._document.tree.loom.mode)
        self.on_due()

    def on_moved(self) -> None:
        if self.panel.isVisible():
            self._soon.start()

    def on_close_asked(self) -> None:
        self._soon.stop()
        self._bench.views.text_pane.focus_text()
        self._bench.actions.refresh()

    # Preview

    def on_due(self) -> None:
        """Show how the export begins, as things are now."""
        document, graph, panel = self._document, self._bench.views.graph, self.panel
        panel.show_mode(document.tree.loom.mode)
        root = document.tree.root_id if document.tree.is_empty_root(document.tree.root_id) else ""
        whole, path = (len(ids) - (root in ids) for ids in (document.tree.nodes, document.path_ids))
        panel.show_counts(whole, path, len(graph.chosen_ids))
        panel.show_name(self._name(panel.choice))
        choice = panel.choice
        panel.show_hint(self._hint())
        if choice.format.is_picture:
            self._show_picture(choice)
            return
        try:
            found = self._beginning(choice)
        except LoomError as error:
            panel.show_text("", told(error.message), is_cut=False)
            panel.allow(can_export=False)
            return
        about = [tr("as it reads")] if choice.format.name in AS_IT_READS else []
        about += [tr("the first {count} lines").format(count=MOST_LINES)] if found.is_cut else []
        panel.show_text(" · ".join(about), found.text, is_cut=False)
        panel.show_hint(" ".join(filter(None, (self._hint(), self._cut(choice)))))
        panel.allow(can_export=True)

    def _hint(self) -> str:
        if not self._bench.text.takes_attachments or not self._bench.views.composer.text.strip():
            return ""
        return tr("Words in the composer are no message yet and not in it.")

    def _cut(self, choice: ExportChoice) -> str:
        """Say what has no room in the messages that are sent; empty if all has."""
        exporter = READABLE_EXPORTERS.get(choice.format.name)
        return told(told_of_cut(self._export(choice))) if exporter is not None and exporter.is_sent else ""

    def _beginning(self, choice: ExportChoice) -> FirstLines:
        name = choice.format.name
        if name in EXPORTERS:
            agents = list(self._document.agents.by_id().values())
            return tree_beginning(self._document.tree, agents, EXPORTERS[name].write)
        export, write = self._export(choice), READABLE_EXPORTERS[name].write
        if name == "docx":
            return document_beginning(export)

        def text_of(one: Export) -> str:
            made = write(one)
            return made if isinstance(made, str) else made.decode("utf-8", "replace")

        return page_beginning(export, text_of) if name == "html" else beginning(export, text_of)

    def _export(self, choice: ExportChoice) -> Export:
        said = ("excluded", "annotations", "metadata", "speakers", "system")
        options = {name: name in choice.options for name in said}
        wanted = Wanted(**options, branches=choice.scope == "tree")
        nodes = self._chosen_nodes() if choice.scope == "chosen" else self._document.path.nodes
        has_media = READABLE_EXPORTERS[choice.format.name].is_sent and "media" in choice.options
        media: Mapping[str, bytes] = StandIns(self._document.media.size) if has_media else {}
        document, agents = self._document, list(self._document.agents.by_id().values())
        calls = (wanted.metadata and document.calls.known()) or {}
        return Export(document.tree, agents, nodes, wanted, media, document.context_defaults, calls=calls)

    def _chosen_nodes(self) -> list[Node]:
        tree = self._document.tree
        chosen = [node_id for node_id in self._bench.views.graph.chosen_ids if node_id in tree.nodes]
        return [tree.nodes[node_id] for node_id in sorted(chosen, key=tree.node_places.__getitem__)]

    def _show_picture(self, choice: ExportChoice) -> None:
        self._bench.work.preview.settle()
        scene, name = self._bench.views.graph.settled_scene, choice.format.name
        made = whole_picture.plan(scene, name)
        ratio = self.panel.devicePixelRatioF()
        image = whole_picture.thumbnail(scene, self.panel.picture_size, ratio)
        size = f"{figures.number(made.size.width())} × {figures.number(made.size.height())} px"
        share = "" if made.zoom in (0.0, 1.0) else tr(" at {zoom} %").format(zoom=round(100 * made.zoom))
        self.panel.show_picture(size + share, QPixmap.fromImage(image))
        most = figures.number(whole_picture.MOST_CARDS[name])
        too_large = tr("Too large for a picture: at most {most} cards are drawn. Fold or show less.")
        self.panel.show_hint("" if made.zoom else too_large.format(most=most))
        self.panel.allow(can_export=bool(made.zoom))

    # Copying and saving

    def _name(self, choice: ExportChoice) -> str:
        title = self._document.tree.loom.title
        words = "".join(c for c in title if c.isalnum() or c in " -_").strip()[:80].rstrip()
        return (words or tr("Tree")) + choice.format.suffix

    def _arguments(self, choice: ExportChoice) -> tuple[tuple[str, ...], str]:
        """The options of `loomapp export`, and what it reads from its standard input."""
        words = "\n".join(self._bench.views.graph.chosen_ids) if choice.scope == "chosen" else ""
        return choice.arguments(self._document.path_ids[-1]), words

    def _copy(self) -> None:
        choice = self.panel.choice
        if choice.format.is_picture:
            self._pictures().copy(choice.format.name)
            return
        commit_all(self._bench)
        arguments, words = self._arguments(choice)
        copy_export(self._bench, self._document.tree.loom.id, arguments, words=words)

    def _ask_name(self) -> None:
        choice = self.panel.choice
        dialog = file_dialog(self._bench.views.window, "exportDialog", tr("Export"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{tr(choice.format.title)} (*{choice.format.suffix})")
        dialog.setDefaultSuffix(choice.format.suffix.removeprefix("."))  # before it asks to replace a file
        dialog.selectFile(self._name(choice))
        dialog.fileSelected.connect(self.on_name_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def on_name_chosen(self, name: str) -> None:
        self._bench.frame.run_command(lambda _: self.save(self.panel.choice.format.fitting(Path(name))))

    def save(self, path: Path) -> None:
        """Write a file of what is chosen. Raises: LoomError."""
        choice = self.panel.choice
        if choice.format.is_picture:
            refuse_open_here(path)
            self._pictures().save(choice.format.name, path)
            return
        commit_all(self._bench)
        arguments, words = self._arguments(choice)
        export_to(self._bench, self._document.tree.loom.id, path, arguments, words=words)

    def _pictures(self) -> PictureExport:
        return self._bench.parts.one(PictureExport, partial(PictureExport, self._bench))
