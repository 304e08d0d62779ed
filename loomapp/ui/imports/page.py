"""The import page: the file and its format, the trees to choose from, and the outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from html import escape

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from loomapp.ui import figures
from loomapp.ui.imports.file_head import FileHead
from loomapp.ui.imports.rows import ImportFoot, ImportRow, becomes, losses, report, totals
from loomapp.ui.imports.tree_list import ImportTable, ImportTrees
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import IconLabel, PlainView, label
from loomapp.ui.widgets.layouts import Flow, Scrolled
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.spoken import name_clear_button

_COUNT = re.compile(r"(?:^|(?<=· ))\d[\d,]*")  # what a part of the sums begins with
STRONG = r'<span style="font-weight: 600">\g<0></span>'
FILTER_PX = 180
FILTER_ICON_PX = 16
NARROW_PX = 560  # below that the two sums stand one below the other


class ImportPage(Page):
    """Shows what others tell it, and says what is asked for; it reads and writes nothing."""

    format_asked = Signal(str)  # read it as this
    import_asked = Signal(list)  # list[str]: ids of the trees that are chosen
    stop_asked = Signal()
    outcome_asked = Signal(str)  # open or undo

    def __init__(self, formats: Sequence[tuple[str, str]], parent: QWidget) -> None:
        super().__init__("importPage", tr("Import"), parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._is_reading = self._is_importing = False
        self.file = FileHead(formats, self)
        self.file.format_asked.connect(self.format_asked)
        self.fault = ErrorStrip(self)
        self.fault.setObjectName("importFault")
        self.outcome = ErrorStrip(self)
        self.outcome.setObjectName("importOutcome")
        self.outcome.act_clicked.connect(self.outcome_asked)
        self.table = ImportTable(self)
        self.table.chosen_changed.connect(self.on_chosen_changed)
        self.trees = ImportTrees(self.table, self)
        self._said_totals = ""
        self._totals = label("", "ui", wrap=True)
        self._totals.setTextFormat(Qt.TextFormat.RichText)
        self._totals.setObjectName("importTotals")
        self._filter = QLineEdit(self)
        self._filter.setObjectName("importFilter")
        self._filter.setPlaceholderText(tr("Filter by title"))
        self._filter.setAccessibleName(tr("Filter by title"))
        self._filter.setClearButtonEnabled(True)
        name_clear_button(self._filter)
        self._filter.setTextMargins(FILTER_ICON_PX + 4, 0, 0, 0)
        inside = QHBoxLayout(self._filter)
        inside.setContentsMargins(8, 0, 0, 0)
        inside.addWidget(IconLabel("search", "text.muted", FILTER_ICON_PX), 0, Qt.AlignmentFlag.AlignLeft)
        self._filter.textChanged.connect(self.on_filter_changed)
        self._none_found = label(tr("No title has these words."), "small", "muted", name="importNoneFound")
        over_list = QVBoxLayout(self.trees.viewport())
        over_list.addWidget(self._none_found, 0, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._all = QCheckBox(self)
        self._all.setObjectName("importAll")
        self._all.clicked.connect(self.on_all_clicked)
        self._becomes, self._lost = Sentences("importBecomes"), Sentences("importLosses")
        self._report = PlainView(tr("Report for each conversation"), self, type_name="small")
        self._report.name_field("importReport")
        self._views = QStackedWidget(self)
        self._report_link = QPushButton(tr("Report for each conversation"), self)
        self._report_link.setObjectName("importReportLink")
        self._report_link.clicked.connect(self.on_report_clicked)
        theme.set_look(self._report_link, kind="link", flush=True)
        self.foot = ImportFoot(self)
        self.foot.import_clicked.connect(self.on_import_clicked)
        self.foot.cancel_clicked.connect(self.close_asked)
        self.foot.stop_clicked.connect(self.stop_asked)
        self._lay_out()
        self._show_all()

    # What it is told

    def begin(self, names: Sequence[str]) -> None:
        self.fault.clear()
        self.outcome.clear()
        self._filter.clear()
        self.table.clear()
        self._is_reading, self._is_importing = True, False
        self.foot.end()
        self.file.begin(names)
        self._views.setCurrentIndex(0)
        self._show_all()
        self.setFocus()

    def add(self, rows: Sequence[ImportRow]) -> None:
        self.table.add(rows)

    def end_reading(self, fault: str = "") -> None:
        """Show that all is read, or why it could not be."""
        self._is_reading = False
        self.file.end(fault)
        if fault:
            self.table.clear()
        elif len(self.table.rows) > 1:
            self.trees.sort_by_change()
        self._show_all()
        if self.isVisible() and not fault:
            self.trees.setCurrentIndex(self.table.index(0, 0))
            self.trees.setFocus()

    def begin_import(self, of: int) -> None:
        self._is_importing = True
        self.fault.clear()
        self.outcome.clear()
        self.foot.begin(of)
        self._show_all()

    def show_done(self, done: int, of: int, title: str) -> None:
        """Show how many trees are in by now."""
        self.file.tell_written(is_written=done > 0)
        self.foot.show_done(done, of, title)

    def end_import(
        self, tree_ids: Collection[str], said: str, acts: Sequence[tuple[str, str]], fault: str = ""
    ) -> None:
        """Show which came in, and what came of it."""
        self._is_importing = False
        self.table.mark_as_here(tree_ids)
        self.file.tell_written(is_written=bool(tree_ids))
        self.foot.end()
        if fault:
            self.fault.say(fault)
        if said:
            self.outcome.offer(said, acts, tone="success")
        self._show_all()
        self.setFocus()

    @property
    def totals(self) -> str:
        return self._said_totals

    # What is done on it

    def on_chosen_changed(self) -> None:
        self._show_all()

    def on_filter_changed(self, words: str) -> None:
        self.table.filter(words)
        self._show_none_found()

    def on_all_clicked(self) -> None:
        chosen, possible = len(self.table.chosen), self.table.can_be_chosen
        self.table.choose(lambda _: chosen < possible)

    def on_import_clicked(self) -> None:
        self.import_asked.emit([row.id for row in self.table.chosen])

    def on_report_clicked(self) -> None:
        """Show a line for each tree in place of the list, or the list again."""
        is_list = self._views.currentIndex() == 0
        if is_list:
            self._report.show_text(report(self.table.rows))
        self._views.setCurrentIndex(1 if is_list else 0)
        words = tr("Back to the list") if is_list else tr("Report for each conversation")
        self._report_link.setText(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_sums()

    def minimumSizeHint(self) -> QSize:
        """Allow any size: it may become as narrow as the graph."""
        return QSize(0, 0)

    # What it looks like

    def _show_none_found(self) -> None:
        self._none_found.setVisible(bool(self.table.rows) and not self.table.rowCount())

    def _show_all(self) -> None:
        table = self.table
        self._show_none_found()
        chosen, possible = table.chosen, table.can_be_chosen
        self._said_totals = totals(table.rows)
        self._totals.setText(_COUNT.sub(STRONG, escape(self._said_totals)))
        self._totals.setAccessibleName(self._said_totals)
        said = tr("{count} of {all} chosen").format(
            count=figures.number(len(chosen)), all=figures.number(possible)
        )
        self._all.setText(said)
        self._all.setTristate(0 < len(chosen) < possible)
        state = Qt.CheckState.Checked if len(chosen) == possible else Qt.CheckState.PartiallyChecked
        self._all.setCheckState(state if chosen else Qt.CheckState.Unchecked)
        self._becomes.show_lines(becomes(chosen))
        self._lost.show_lines(losses(table.rows, chosen))
        is_idle = not (self._is_reading or self._is_importing)
        self.foot.show_chosen(len(chosen), can_import=is_idle)
        for widget in self._below:
            widget.setVisible(bool(table.rows))
        for widget in (self._all, *self._links, self.trees):
            widget.setEnabled(not self._is_importing)

    def _link(self, name: str, words: str, wanted: Callable[[ImportRow], bool]) -> QPushButton:
        link = QPushButton(words, self)
        link.setObjectName(name)
        link.clicked.connect(lambda: self.table.choose(wanted))
        theme.set_look(link, kind="link")
        return link

    def _lay_out(self) -> None:
        self._links = (
            self._link("importWithBranches", tr("Only with branches"), lambda row: row.forks > 0),
            self._link("importNew", tr("Only new ones"), lambda row: row.is_new),
            self._link("importNone", tr("None"), lambda _: False),
        )
        self._filter.setFixedWidth(FILTER_PX)
        totals, choice, sums_box = QWidget(self), QWidget(self), QWidget(self)
        self._over_list = QGridLayout(totals)
        self._over_list.setContentsMargins(0, 0, 0, 0)
        self._over_list.setColumnStretch(0, 1)
        self._over_list.addWidget(self._totals, 0, 0)
        flow = Flow(choice, gap_px=12)
        flow.addWidget(self._all)
        for link in self._links:
            flow.addWidget(link)
        self._views.addWidget(self.trees)
        self._views.addWidget(self._report)
        self._sums = QGridLayout(sums_box)
        self._sums.setContentsMargins(0, 0, 0, 0)
        self._sums.setHorizontalSpacing(24)
        self._left = _column(tr("What becomes of it"), self._becomes)
        self._right = _column(tr("What can’t be kept"), self._lost, self._report_link)
        self._below = (totals, choice, self._views, sums_box)
        self._place_sums()
        column = QVBoxLayout(self)
        self.frame(column, below_px=12)
        column.setSpacing(10)
        column.addLayout(self.head(label(self.accessibleName(), "title"), "importClose"))
        body = QWidget(self)
        inside = QVBoxLayout(body)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(10)
        for widget in (self.file, self.fault, self.outcome, totals, choice):
            inside.addWidget(widget)
        inside.addWidget(self._views, 100)
        inside.addWidget(sums_box)
        inside.addStretch(1)
        column.addWidget(Scrolled(body, "importArea"), 1)  # a low window has no room for all of it
        column.addWidget(self.foot)

    def _place_sums(self) -> None:
        is_narrow = self.width() < NARROW_PX
        self._sums.addWidget(self._left, 0, 0, Qt.AlignmentFlag.AlignTop)
        place = (1, 0) if is_narrow else (0, 1)
        self._sums.addWidget(self._right, *place, Qt.AlignmentFlag.AlignTop)
        self._over_list.addWidget(self._filter, *place, Qt.AlignmentFlag.AlignLeft)
        self._sums.setColumnStretch(0, 1)
        self._sums.setColumnStretch(1, 0 if is_narrow else 1)


class Sentences(QWidget):
    """Sentences one below the other, somewhat apart; its accessible name is all of them."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._labels: list[QLabel] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)

    def show_lines(self, lines: Sequence[str]) -> None:
        self.setAccessibleName("\n".join(lines))
        while len(self._labels) < len(lines):
            self._labels.append(label("", "small", "secondary", wrap=True))
            self._column.addWidget(self._labels[-1])
        for number, one in enumerate(self._labels):
            one.setText(lines[number] if number < len(lines) else "")
            one.setVisible(number < len(lines))


def _column(title: str, *below: QWidget) -> QWidget:
    widget = QWidget()
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(4)
    column.addWidget(label(title, "ui_strong"))
    for one in below:
        column.addWidget(
            one, 0, Qt.AlignmentFlag.AlignLeft if isinstance(one, QPushButton) else Qt.AlignmentFlag(0)
        )
    return widget
