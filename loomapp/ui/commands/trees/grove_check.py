"""Check of the open grove, done beside the window: hashes, responses, the chain of the log, and the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TypedDict

from PySide6.QtCore import QObject

from loomapp.core.errors import LoomError
from loomapp.session.background.subprocess_command import SubprocessCommand
from loomapp.ui import figures
from loomapp.ui.commands import log
from loomapp.ui.commands.trees.tree_files import commit_all
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

COMMANDS = ("verify", "check")


class NodeFinding(TypedDict):
    """Finding of `verify --json` about a node."""

    verdict: str
    treeId: str
    localId: str
    reason: str


class PrintedFault(TypedDict):
    """Finding of `verify --json` about anything else."""

    treeId: str | None
    reason: str


class PrintedVerdicts(TypedDict):
    """All that `verify --json` prints, as far as it is shown."""

    findings: Sequence[NodeFinding]
    faults: Sequence[PrintedFault]
    summary: Mapping[str, int]
    head: str | None


class FileProblem(TypedDict):
    """Finding of `check --json` about a part of the file."""

    treeId: str | None
    message: str


class Checked(TypedDict):
    """All that `check --json` prints, as far as it is shown."""

    problems: Sequence[FileProblem]


def check_grove(bench: Workbench) -> None:
    """Verify and check all that is saved in this grove, and show what was found."""
    commit_all(bench)
    GroveCheck(bench).begin()


class GroveCheck(QObject):
    """One check: `loomapp verify`, then `loomapp check`, then a page with what both said."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._said: list[str] = []
        self._error: LoomError | None = None
        self._running: SubprocessCommand | None = None

    def begin(self) -> None:
        name = self._bench.work.document.grove.path.name
        self._work = self._bench.views.files.begin(tr("Checking {name}…").format(name=name), self.on_stopped)
        self._bench.frame.keep_until_closed(self)
        self._next(*COMMANDS)

    def close(self) -> None:
        """End it, for the window closes."""
        running, self._running = self._running, None  # what it says from now on is heard no more
        if running is not None:
            running.close()

    def on_stopped(self) -> None:
        self.close()
        self._end()

    def _next(self, name: str, *others: str) -> None:
        grove = str(self._bench.work.document.grove.path)
        command = self._running = SubprocessCommand([name, "--grove", grove], self, line_by_line=True)
        lines: list[str] = []
        command.printed.connect(lines.extend)
        command.failed.connect(self.on_failed)
        command.ended.connect(partial(self.on_ended, lines, others))
        command.start()

    def on_failed(self, error: LoomError) -> None:
        self._error = error  # that something is wrong is no error: it is printed then

    def on_ended(self, lines: Sequence[str], others: Sequence[str]) -> None:
        if self._running is None:
            return
        if not lines:
            self._end()
            self._bench.frame.show_error(self._error or LoomError(tr("The check ended without a word.")))
            return
        self._said.append("\n".join(lines))
        if others:
            self._next(*others)
            return
        bench = self._bench
        titles = {row.id: row.title for row in bench.work.document.trees.rows()}
        verified, checked = map(json.loads, self._said)
        said, text = report(verified, checked, titles)
        log.show_text(bench, tr("Check of this grove"), said, text)
        bench.views.files.finish(self._work)  # a window that waited for it closes now
        self._end()

    def _end(self) -> None:
        self._running = None
        self._bench.views.files.end(self._work)
        self._bench.frame.let_go(self)
        self.deleteLater()


def report(verified: PrintedVerdicts, checked: Checked, titles: Mapping[str, str]) -> tuple[str, str]:
    """Return a sentence on what both commands found, and a line for each thing that is wrong."""
    lines = list(dict.fromkeys(_lines(verified, checked, titles)))
    nodes = figures.number(sum(verified["summary"].values()))
    head = verified.get("head")
    if lines:
        said = tr("{nodes} nodes were checked. What is wrong stands here; “{restore}” has backups.")
        return said.format(nodes=nodes, restore=tr("Restore a backup…")), "\n".join(lines)
    words = [tr("Nothing is wrong: every text, response and step of the history is as it was saved.")]
    unproved = verified["summary"].get("no evidence", 0)
    if unproved:
        words.append(
            tr("For {count} nodes no response was kept: imported, or written by other programs.").format(
                count=figures.number(unproved)
            )
        )
    if head:
        words.append(tr("Head of the history: {head}").format(head=head))
    return tr("{nodes} nodes were checked.").format(nodes=nodes), "\n".join(words)


def _lines(verified: PrintedVerdicts, checked: Checked, titles: Mapping[str, str]) -> Iterator[str]:
    for finding in verified["findings"]:
        if finding["verdict"] in ("failed", "moved"):
            yield _line(titles.get(finding["treeId"]), finding["localId"], finding["reason"])
    for fault in verified["faults"]:
        yield _line(titles.get(fault["treeId"] or ""), None, fault["reason"])
    for problem in checked["problems"]:
        yield _line(titles.get(problem["treeId"] or ""), None, problem["message"])


def _line(title: str | None, node: str | None, words: str) -> str:
    place = ", ".join(part for part in (title and f"“{title}”", node) if part)
    return f"{place}: {words}" if place else words
