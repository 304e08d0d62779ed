"""Imports in a window: files are read and taken in by a process beside it, and a page says how far it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, QTimer

from loomapp.core.edits.tree_edits import is_unnamed
from loomapp.core.errors import LoomError
from loomapp.core.json_values import Json
from loomapp.core.model.tree import Tree
from loomapp.formats.registry import IMPORTERS
from loomapp.session.background.subprocess_command import SubprocessCommand
from loomapp.session.document import Document
from loomapp.ui import figures
from loomapp.ui.frame.notices import FileWork
from loomapp.ui.imports.page import ImportPage
from loomapp.ui.imports.rows import ImportRow, damaged_row_of, row_of
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import AtEnd, Workbench

SLICE = 200  # lines that are taken in one turn of the event loop
DRAW_EVERY_MS = 200  # while lines come: sums, bars and their layout cost more than the lines


def desk_of(bench: Workbench) -> ImportDesk:
    """Return the window's desk for imports, made when it is wanted first."""
    return bench.parts.one(ImportDesk, partial(ImportDesk, bench))


class ImportDesk(QObject):
    """Fills the page. A tree that was added stays, whatever becomes of the others."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self.page = ImportPage([(it.name, it.title) for it in IMPORTERS.values()], bench.views.pages)
        bench.views.pages.addWidget(self.page)
        self._paths: list[Path] = []
        self._format = ""
        self._command: SubprocessCommand | None = None
        self._lines: list[str] = []
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.timeout.connect(self.on_next)
        self._at_end: tuple[bool, LoomError | None] | None = None  # all lines are here: done, or why not
        self._progress: tuple[int, int] | None = None  # of the reading: done, of
        self._wanted = 0
        self._work: FileWork | None = None  # the import that is under way
        self._added: list[Json] = []
        self._is_beginning = False  # trees came in: an empty one that was shown meanwhile was only the way
        self._left = ""  # it, while another one opens
        self.page.close_asked.connect(self.on_close_asked)
        self.page.format_asked.connect(self.on_format_asked)
        self.page.import_asked.connect(self.on_import_asked)
        self.page.stop_asked.connect(self.on_stop_asked)
        self.page.outcome_asked.connect(self.on_outcome_asked)
        bench.work.document.leaving.connect(self.on_leaving)
        bench.work.document.tree_opened.connect(self.on_tree_opened)
        bench.frame.keep_until_closed(AtEnd(self._end))

    def show(self, paths: Sequence[Path], format_name: str = "") -> None:
        """Read files and show what is in them. One import that runs goes on, and is shown."""
        if self._work is None:
            self._paths, self._format = list(paths), format_name
            self.page.begin([path.name for path in paths])
            more = ["--format", format_name] if format_name else []
            self._run(["--preview", *more])
        self._bench.views.pages.show_instead(self.page)
        self.page.setFocus()

    def _run(self, arguments: Sequence[str], words: str = "") -> None:
        self._end()
        grove = str(self._bench.work.document.grove.path)
        files = [str(path.absolute()) for path in self._paths]  # none of which looks like an option
        self._lines, self._at_end = [], None
        line = ["import", "--grove", grove, "--events", *arguments, *files]
        command = SubprocessCommand(line, self, line_by_line=True, words=words)
        self._command = command
        command.printed.connect(self.on_printed)
        command.done.connect(self.on_done)
        command.failed.connect(self.on_failed)
        command.start()

    def _end(self) -> None:
        command, self._command = self._command, None
        self._next.stop()
        if command is not None:
            command.close()
            command.deleteLater()

    # What the process says

    def on_printed(self, lines: list[str]) -> None:
        self._lines += lines
        if not self._next.isActive():
            self._next.start(DRAW_EVERY_MS)

    def on_done(self, _printed: str) -> None:
        """Note the end; the last lines may still wait."""
        self._at_end = (True, None)
        self._next.start(0)

    def on_failed(self, error: LoomError) -> None:
        self._at_end = (False, error)
        self._next.start(0)

    def on_next(self) -> None:
        """Take some lines, and draw what they say once."""
        some, self._lines = self._lines[:SLICE], self._lines[SLICE:]
        found: list[ImportRow] = []
        added, self._progress = len(self._added), None
        for line in some:
            with suppress(ValueError, KeyError, TypeError):  # a line of something else
                self._take(cast("Json", json.loads(line)), found)
        if found:
            self.page.add(found)
        if self._progress is not None:
            self.page.file.show_progress(*self._progress)
        if len(self._added) > added:
            self.page.show_done(len(self._added), self._wanted, str(self._added[-1]["title"]))
        if self._lines:
            self._next.start(0)
        elif self._at_end is not None:
            self._finish(self._at_end[1])

    def _take(self, event: Json, found: list[ImportRow]) -> None:
        match event["event"]:
            case "file":
                size = figures.size(cast(int, event["size"]))
                name = Path(str(event["path"])).name
                words = (str(event["format"]), tr(str(event["title"])), name, size, tr(str(event["why"])))
                self.page.file.show_format(*words)
            case "tree":
                found.append(row_of(event))
            case "skipped":
                found.append(damaged_row_of(event))
            case "progress":
                self._progress = cast(int, event["done"]), cast(int, event["of"])
            case "added":
                self._added.append({**event, "title": str(event["title"])})

    def _finish(self, error: LoomError | None) -> None:
        command, self._command, self._at_end = self._command, None, None
        if command is not None:
            command.deleteLater()
        said = told(error.message) if error is not None else ""
        if self._work is not None:
            if not said:
                self._bench.views.files.finish(self._work)
            self._tell_outcome(said)
        else:
            self.page.end_reading(said)
        if said and not self.page.isVisible():
            self._bench.views.text_pane.errors.say(said)
            self._bench.views.announcer.say(said)

    # What is asked for on the page

    def on_close_asked(self) -> None:
        """Show the graph again. A reading ends; an import goes on, and its outcome is told."""
        if self._work is None:
            self._end()
        self._bench.views.pages.show_graph()

    def on_leaving(self) -> None:
        """Note a tree that stays behind empty, and that nobody touched, once others came in."""
        document = self._bench.work.document
        tree, begun = document.tree, self._bench.views.composer.text or document.history.undo_label
        is_empty = len(tree.nodes) == 1 and tree.is_empty_root(tree.root_id)
        if self._is_beginning and is_empty and not begun and is_unnamed(tree):
            self._left = tree.loom.id
        self._is_beginning = False

    def on_tree_opened(self, tree: Tree) -> None:
        """Put the empty tree away that was left for one that came in."""
        left, self._left = self._left, ""
        if left and left != tree.loom.id and left not in archived_ids(self._bench.work.document):
            self._bench.work.document.trees.archive(left)

    def on_format_asked(self, name: str) -> None:
        self.show(self._paths, name)

    def on_import_asked(self, tree_ids: list[str]) -> None:
        self._wanted, self._added = len(tree_ids), []
        self._work = self._bench.views.files.begin("", self.on_stop_asked)
        self.page.begin_import(self._wanted)
        more = ["--format", self._format] if self._format else []
        self._run(["--only", "-", *more], "\n".join(tree_ids) + "\n")

    def on_stop_asked(self) -> None:
        """Stop importing; each conversation is in whole or not at all."""
        while self._lines:
            self.on_next()
        self._end()
        self._tell_outcome("")

    def on_outcome_asked(self, act: str) -> None:
        """Open the imported trees, or take them back."""
        if act == "open":
            tree_id = str(self._added[-1]["treeId"])
            self._bench.views.pages.show_graph()
            self._bench.frame.run_command(lambda bench: bench.frame.open_tree(tree_id))
        else:
            self._bench.frame.run_command(self._undo)

    # What came of it

    def trees_came(self, came: bool) -> None:
        self._is_beginning = came

    def _tell_outcome(self, fault: str) -> None:
        if self._work is not None:
            self._bench.views.files.end(self._work)
            self._work = None
        document = self._bench.work.document
        document.agents.forget()
        document.trees.changed.emit()
        self._added = [row for row in self._added if row["outcome"] != "skipped"]
        self.trees_came(bool(self._added))
        said = "" if fault and not self._added else self._outcome()  # the fault says all there is
        acts = [("open", tr("Open")), ("undo", tr("Undo"))] if self._changed() else []
        if not acts and self._added:
            acts = [("open", tr("Open"))]
        self.page.end_import([str(row["treeId"]) for row in self._added], said, acts, fault)
        if said:
            self._bench.views.announcer.say(said)
        if said and not self.page.isVisible():
            self._bench.views.text_pane.errors.say(said, tone="success")

    def _outcome(self) -> str:
        new = sum(1 for row in self._added if row["outcome"] in ("new", "copied"))
        merged = sum(1 for row in self._added if row["outcome"] == "merged")
        same = sum(1 for row in self._added if row["outcome"] == "unchanged")
        told_of = (
            (new, tr("1 tree added"), tr("{count} trees added")),
            (merged, tr("1 tree gained what is new"), tr("{count} trees gained what is new")),
            (same, tr("1 was here already"), tr("{count} were here already")),
        )
        parts = [one if n == 1 else more.format(count=figures.number(n)) for n, one, more in told_of if n]
        if not parts:
            return tr("Nothing was added.")
        return f"{', '.join(parts)}.{self._archived()}"

    def _archived(self) -> str:
        """Words on trees that were put away before: they gained what is new, and are in no list."""
        there = {row["treeId"] for row in self._added} & archived_ids(self._bench.work.document)
        if not there:
            return ""
        if len(self._added) == 1:
            return " " + tr("It is in the archive.")
        return " " + tr("In the archive: {count}.").format(count=figures.number(len(there)))

    def _changed(self) -> list[Json]:
        return [row for row in self._added if row["outcome"] != "unchanged"]

    def _undo(self, bench: Workbench) -> None:
        """Put the new trees away, and take back the last step of those that gained something."""
        document = bench.work.document
        waiting = self._changed()
        self._added = []
        self.page.outcome.clear()
        archived, changed_since = archived_ids(document), 0
        for row in waiting:
            tree_id = str(row["treeId"])
            if row["outcome"] in ("new", "copied"):
                if tree_id not in archived:
                    document.trees.archive(tree_id)
            elif (document.grove.undo_label(tree_id) or "").startswith("Import"):
                if document.tree.loom.id == tree_id:
                    document.history.undo(bench.work.generator.answers.guard_undo)
                else:
                    document.grove.undo(document.grove.load_tree(tree_id))
            else:
                changed_since += 1
        document.trees.changed.emit()
        told = [tr("Undone. The trees that were new are in the archive.")] * (changed_since < len(waiting))
        if changed_since:
            one = tr("1 tree was changed since, and stays as it is.")
            more = tr("Changed since, and left as they are: {count}.")
            told.append(one if changed_since == 1 else more.format(count=figures.number(changed_since)))
        self.page.outcome.say(" ".join(told), tone="success" if changed_since < len(waiting) else "warning")


def archived_ids(document: Document) -> set[str]:
    """The ids of the trees that were put away."""
    return {row.id for row in document.trees.rows() if row.archived_at is not None}
