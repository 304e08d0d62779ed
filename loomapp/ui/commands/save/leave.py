"""Leaving: always possible; asked about is only text that no file took, or that lies elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QMessageBox

from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.files import refuse_open_here, write_whole
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.unsaved.unsaved import GROVE, JOURNAL, listed
from loomapp.ui.workbench import Closable, Workbench

ICON_PX = 32
JOURNAL_S = 0.3  # for the drafts to reach the disk, if something could not be saved

_log = logging.getLogger(__name__)


class AtRisk(NamedTuple):
    """Words that would be gone with the window."""

    what: str
    words: str


class Leaving:
    """Leaving one window: asks at most one question, and none at the end of the desktop's session."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._is_leaving = False
        self._is_waiting = False  # it closes once the files under way are whole
        self.is_unasked = False  # nobody is asked any more

    def may_leave(self) -> bool:
        """Stop and save everything; False if the user would rather stay than lose what could not be saved,
        or while a file is on its way out or in.
        """
        if self._waits_for_file():
            return False
        self._is_leaving = True
        try:
            return self._may_leave()
        finally:
            self._is_leaving = False

    def _waits_for_file(self) -> bool:
        """Tell whether the window stays until a file is written or read; it closes by itself then. Who leaves
        once more goes without it; where it fails, the window stays and says so.
        """
        files = self._bench.views.files
        if self.is_unasked or not files.wait():
            return False
        if not self._is_waiting:
            self._is_waiting = True
            files.whole.connect(self._leave_soon)
        return True

    def _leave_soon(self) -> None:
        """Close in a turn of its own: the work is not over yet while it tells that it is done."""
        QTimer.singleShot(0, self._bench.views.window, self._bench.views.window.close)

    def leave_unasked(self) -> None:
        """Close the window at the end of the desktop's session, which waits for nobody: what the grove did
        not take is in the journal, and what the journal does not take either is lost. A question that stands
        is put away.
        """
        self.is_unasked = True
        window = self._bench.views.window
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                dialog.reject()
        if not self._is_leaving:  # else it goes on where it asked
            window.close()

    def _may_leave(self) -> bool:
        bench, unsaved = self._bench, self._bench.unfinished.unsaved
        with suppress(GroveError):
            bench.work.document.grove.hurry()
        bench.views.pages.flush()
        bench.views.inspector.summaries.leave()
        bench.views.dialogue.between.save()
        bench.buffer.settle_ghost()
        bench.work.generator.stop_all(keeps_proposals=True)
        bench.work.writing.settle()
        if any(True for _ in unsaved):
            unsaved.retry_at_closing()
        saved_at = ""
        while risk := at_risk(bench):
            if self.is_unasked:
                _log.error("left at a signal; not saved: %s", listed([item.what for item in risk]))
                return True
            question = UnsavedQuestion(bench, risk, saved_at)
            match question.ask():
                case "retry":
                    unsaved.retry()
                case "save":
                    saved_at = save_elsewhere(bench, risk) or saved_at
                case "lose":
                    return True
                case _ if not self.is_unasked:
                    return False
        error = _elsewhere(bench)
        return error is None or self.is_unasked or ElsewhereQuestion(bench, error).ask()


def end(bench: Workbench, parts: Iterable[Closable]) -> None:
    """End every part and let go of the grove. A checkpoint that finds no room loses nothing: the next start
    reads the rest from beside the file.
    """
    if (focused := bench.views.window.focusWidget()) is not None:
        focused.clearFocus()  # what a field hands on when it is left comes while the grove is open
    bench.work.generator.close()
    for part in parts:
        part.close()
    try:
        bench.work.document.grove.close()
    except GroveError as error:
        _log.info("the grove was left with its write-ahead log: %s", error)


def at_risk(bench: Workbench) -> list[AtRisk]:
    """Return the words that are neither in the grove nor in the journal."""
    journal, things = bench.unfinished.writings.journal, list(bench.unfinished.unsaved)
    if journal is None:
        return [AtRisk(thing.what, words) for thing in things if (words := thing.words())]
    if not things and not journal.is_faulty:
        return []  # the usual case, in which closing waits for nothing
    is_settled = journal.settle(JOURNAL_S)
    lost = [thing for thing in things if not thing.is_journalled and thing.key != JOURNAL]
    risk = [AtRisk(thing.what, words) for thing in lost if (words := thing.words())]
    if not is_settled and (words := journal.unsafe_text()):
        names = [thing.what for thing in things if thing.is_journalled and thing.words()]
        risk.append(AtRisk(listed(names) or tr("what is being written"), words))
    return risk


def _elsewhere(bench: Workbench) -> LoomError | None:
    """Return why all that was saved is in another file than the grove's; None if it is in the grove."""
    return next((thing.error for thing in bench.unfinished.unsaved if thing.key == GROVE), None)


class ElsewhereQuestion(QMessageBox):
    """The last word on where what was saved lies, before the window that knows it is gone."""

    def __init__(self, bench: Workbench, error: LoomError) -> None:
        super().__init__(bench.views.window)
        self.setObjectName("elsewhereQuestion")
        self.setIconPixmap(
            theme.pixmap("triangle-alert", "state.warning", ICON_PX, bench.views.window.devicePixelRatioF())
        )
        self.setWindowTitle(tr("Not saved in this grove"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(tr("What you saved is not in this grove’s file."))
        self.setInformativeText(told(error.message))
        role = QMessageBox.ButtonRole
        self._leave = self.addButton(tr("Quit"), role.DestructiveRole)
        self._leave.setObjectName("leaveButton")
        stay = self.addButton(tr("Cancel"), role.RejectRole)
        stay.setObjectName("stayButton")
        self.setDefaultButton(stay)
        self.setEscapeButton(stay)

    def ask(self) -> bool:
        """Return True if the window is to be closed."""
        self.exec()
        self.deleteLater()
        return self.clickedButton() is self._leave


class UnsavedQuestion(QMessageBox):
    """Asks about text that no file has. Copying is no way out here: where windows share a clipboard,
    what a program copied goes with it; a file stays.
    """

    def __init__(self, bench: Workbench, risk: list[AtRisk], saved_at: str) -> None:
        super().__init__(bench.views.window)
        self.setObjectName("unsavedQuestion")
        self.setIconPixmap(
            theme.pixmap("triangle-alert", "state.warning", ICON_PX, bench.views.window.devicePixelRatioF())
        )
        self.setWindowTitle(tr("Text not saved"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(tr("Text not saved: {what}.").format(what=listed([item.what for item in risk])))
        error = next((thing.error for thing in reversed(list(bench.unfinished.unsaved)) if thing.error), None)
        reason = "" if error is None else told(error.message)
        copied = tr("A copy of the text is in {file}.").format(file=saved_at) if saved_at else ""
        self.setInformativeText("\n\n".join(part for part in (reason, copied) if part))
        lose = tr("Quit") if saved_at else tr("Quit and lose it")
        role = QMessageBox.ButtonRole
        self._answers = {
            "retry": self.addButton(tr("Try again"), role.AcceptRole),
            "save": self.addButton(tr("Save elsewhere…"), role.ActionRole),
            "lose": self.addButton(lose, role.DestructiveRole),
            "stay": self.addButton(tr("Cancel"), role.RejectRole),
        }
        for name, button in self._answers.items():
            button.setObjectName(f"{name}Button")
        if not saved_at:
            theme.set_look(self._answers["lose"], kind="danger")
        self.setDefaultButton(self._answers["retry"])
        self.setEscapeButton(self._answers["stay"])

    def ask(self) -> str:
        """Ask, and return the user's answer: `retry`, `save`, `lose` or `stay`."""
        self.exec()
        pressed = self.clickedButton()
        self.deleteLater()
        return next((name for name, button in self._answers.items() if button is pressed), "stay")


def save_elsewhere(bench: Workbench, risk: list[AtRisk]) -> str:
    """Write the words to a text file of the user's choice, on another disk; its name, or nothing."""
    name = _ask_name(bench)
    if not name:
        return ""
    text = "\n\n".join(f"{item.what}\n\n{item.words}" for item in risk)
    try:
        refuse_open_here(Path(name))
        write_whole(Path(name), (text + "\n").encode("utf-8", errors="replace"))
    except OSError as error:
        sentence = tr("{file} could not be written ({why}); choose another place.")
        _tell(bench, sentence.format(file=name, why=error.strerror or error))
        return ""
    except InvalidInput as error:
        _tell(bench, told(error.message))
        return ""
    return name


def _ask_name(bench: Workbench) -> str:
    from loomapp.ui.widgets.file_dialog import file_dialog  # late: few sessions choose a file

    dialog = file_dialog(bench.views.window, "saveTextDialog", tr("Save the text"))
    dialog.setAcceptMode(dialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(tr("Text (*.txt)"))
    dialog.selectFile("unsaved.txt")
    chosen = dialog.exec() and dialog.selectedFiles()
    dialog.deleteLater()
    return chosen[0] if chosen else ""


def _tell(bench: Workbench, words: str) -> None:
    box = QMessageBox(bench.views.window)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(tr("Text not saved"))
    box.setText(words)
    box.exec()
    box.deleteLater()
