"""The page of usage: tokens and money by message, path, tree and day; the prices that it is counted by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.generation.cost import Price, Total
from loomapp.providers.registry import endpoint_name
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.labels import label, plain_tip, rule
from loomapp.ui.widgets.layouts import Scrolled
from loomapp.ui.widgets.words import amounts

COLUMN_PX, ROW_PX = 680, 30
LEAST_NAME_PX = 80  # of a model
WORDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
GIVING_WAY = (6, 3, 1)  # what the cache saved and gave, and the calls
NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
REF_ROLE = Qt.ItemDataRole.UserRole  # of the name of a model


class UsagePage(QWidget):
    """Page of sums and prices; it says which price was typed."""

    price_typed = Signal(str, object)  # model reference, Price or None

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("usagePage")
        self.setAccessibleName(tr("Usage"))
        self._sums = _SumTable("usageTable", tr("Usage"), self._sum_titles())
        self._sums.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._days = _SumTable("dayTable", tr("Usage by day"), self._sum_titles())
        self._days.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._by_day = label(tr("By day"), "ui_strong")
        self._prices = _PriceTable("priceTable", tr("Prices"), self._price_titles())
        self._prices.setItemDelegate(_PricePainter(self._prices))
        triggers = QAbstractItemView.EditTrigger
        self._prices.setEditTriggers(
            triggers.DoubleClicked
            | triggers.SelectedClicked
            | triggers.EditKeyPressed
            | triggers.AnyKeyPressed
        )
        self._prices.itemChanged.connect(self.on_price_typed)
        self._priced: dict[str, Price | str | None] = {}  # what stands there by row; "" once it is typed
        self._said = label("", "small", "muted", wrap=True)
        self._said.setObjectName("usageSaid")
        self._fault = label("", "small", "error", wrap=True)
        self._fault.setObjectName("priceFault")
        self._lay_out()
        self.show_days(())
        self.setFocusProxy(self._sums)

    def show_busy(self) -> None:
        self._said.setText(tr("Counting…"))

    def show_totals(self, totals: Sequence[tuple[str, Total]]) -> None:
        _fill(self._sums, totals)
        whole = totals[-1][1] if totals else Total()
        nothing = tr("No model has answered in this grove yet. The tokens of every answer are counted here.")
        said = _notes(whole) if whole.calls else [nothing]
        self._said.setText("\n".join(said))

    def show_days(self, days: Sequence[tuple[str, Total]]) -> None:
        """Show the sums of single days, the newest first; nothing where there is only one to tell of."""
        _fill(self._days, days)
        for part in (self._by_day, self._days):
            part.setVisible(len(days) > 1)

    def show_prices(self, models: Sequence[str], prices: Mapping[str, Price]) -> None:
        """Show a row for each model that was asked or has a price. One that shows it already stays as it is,
        with what is typed there.
        """
        wanted = {name: prices.get(name) for name in dict.fromkeys((*prices, *models))}
        here = [name for name in self._priced if name in wanted]
        before, names = [*self._priced.items()], list(dict.fromkeys((*here, *wanted)))
        self._prices.blockSignals(True)
        self._prices.setRowCount(len(names))
        for row, name in enumerate(names):
            price = wanted[name]
            if row < len(before) and before[row] == (name, price):
                continue
            values = (
                (None,) * 4 if price is None else (price.input, price.output, price.cached, price.cache_write)
            )
            first = _cell(_named(name))
            first.setData(REF_ROLE, name)
            first.setToolTip(plain_tip(name))  # as it stands in settings.toml
            first.setFlags(first.flags() & ~Qt.ItemFlag.ItemIsEditable)
            self._prices.setItem(row, 0, first)
            for column, value in enumerate(values, start=1):
                words = "" if value is None else f"{value:g}"
                self._prices.setItem(row, column, _cell(words, is_number=True))
        self._prices.blockSignals(False)
        self._priced = {**dict.fromkeys(names), **wanted}
        _fit(self._prices)

    def on_price_typed(self, item: QTableWidgetItem) -> None:
        row = item.row()
        cells = [self._prices.item(row, column) for column in range(1, 5)]
        try:
            values = [_number(cell.text()) if cell is not None else None for cell in cells]
        except ValueError:
            self._fault.setText(tr("A price is a number, such as 0.25, or nothing."))
            return
        self._fault.setText("")
        name = self._prices.item(row, 0)
        assert name is not None, "a row has a name"
        given, taken, cached, written = values
        known = any(value is not None for value in values)
        price = Price(given or 0.0, taken or 0.0, cached, written) if known else None
        self._priced[name.data(REF_ROLE)] = ""
        self.price_typed.emit(name.data(REF_ROLE), price)

    def _sum_titles(self) -> tuple[str, ...]:
        return ("", tr("Calls"), tr("Sent"), tr("From cache"), tr("Received"), tr("Cost"), tr("Cache saved"))

    def _price_titles(self) -> tuple[str, ...]:
        return (tr("Model"), tr("Sent"), tr("Received"), tr("From\ncache"), tr("Into\ncache"))

    def _lay_out(self) -> None:
        ground = QWidget(self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(Scrolled(ground, "usageArea", self))  # now: what is filled moves slowly
        ground.setMaximumWidth(COLUMN_PX)
        column = QVBoxLayout(ground)
        column.setContentsMargins(2, 2, 12, 24)
        column.setSpacing(8)
        column.addWidget(label(tr("What was used, in tokens"), "ui_strong"))
        column.addWidget(self._sums)
        column.addWidget(self._said)
        column.addWidget(self._by_day)
        column.addWidget(self._days)
        column.addSpacing(12)
        column.addWidget(rule())
        column.addSpacing(12)
        column.addWidget(label(tr("Prices"), "ui_strong"))
        hint = tr(
            "Per million tokens, in your currency. Loomapp knows no prices: look them up at your "
            "provider and double-click a field to enter one. They are kept in settings.toml, where * "
            "in a name stands for anything."
        )
        column.addWidget(label(hint, "small", "muted", wrap=True))
        column.addWidget(self._prices)
        column.addWidget(self._fault)
        column.addStretch(1)


def _fill(table: _SumTable, totals: Sequence[tuple[str, Total]]) -> None:
    table.setRowCount(len(totals))
    for row, (title, total) in enumerate(totals):
        money = _money(total.cost) if total.cost or not total.unpriced else "–"
        cells = (
            title,
            figures.number(total.calls),
            figures.number(total.sent),
            figures.number(total.cached),
            figures.number(total.received),
            money + ("+" if total.cost and total.unpriced else ""),
            _money(total.saved) if total.cached else "–",
        )
        heads = [head.text() if (head := table.horizontalHeaderItem(i)) else "" for i in range(len(cells))]
        tip = "\n".join(
            f"{head}: {words}" if head else words for head, words in zip(heads, cells, strict=True)
        )
        for column, words in enumerate(cells):
            cell = _cell(words, is_number=column > 0)
            cell.setToolTip(plain_tip(tip))
            table.setItem(row, column, cell)
    _fit(table)


class _PricePainter(QStyledItemDelegate):
    """Shows an unknown price as a dash, so that there is something to click."""

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        return str(value) if value else "–"


class _Table(QTableWidget):
    """Table that is as wide as the page and as high as its rows."""

    def __init__(self, name: str, title: str, titles: Sequence[str]) -> None:
        super().__init__(0, len(titles))
        WordKeys(self)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setHorizontalHeaderLabels(list(titles))
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setFont(theme.numbers("ui"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setFont(theme.font("small"))
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in range(len(titles)):
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setTextAlignment(NUMBER if column else WORDS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_room()

    def share_room(self) -> None:
        """Give the names the room that is left over; where there is none they keep all of their words."""
        modes = QHeaderView.ResizeMode
        is_roomy = self.wanted_px() <= self.viewport().width()
        self.horizontalHeader().setSectionResizeMode(0, modes.Stretch if is_roomy else modes.ResizeToContents)

    def wanted_px(self) -> int:
        """Return the width of the columns that are shown, each with all of its words."""
        header = self.horizontalHeader()
        shown = [column for column in range(self.columnCount()) if not self.isColumnHidden(column)]
        return sum(max(self.sizeHintForColumn(column), header.sectionSizeHint(column)) for column in shown)


class _PriceTable(_Table):
    """Table of prices; on a narrow page a name is cut at its beginning, and whole in its tip."""

    def __init__(self, name: str, title: str, titles: Sequence[str]) -> None:
        super().__init__(name, title, titles)
        self.setTextElideMode(Qt.TextElideMode.ElideLeft)  # several are of one endpoint
        self.setWordWrap(False)

    def wanted_px(self) -> int:
        return super().wanted_px() - max(0, self.sizeHintForColumn(0) - LEAST_NAME_PX)


class _SumTable(_Table):
    """Table of sums; on a narrow page a row's tip has the numbers for which there is no room."""

    def share_room(self) -> None:
        self.show_what_fits()
        super().share_room()

    def show_what_fits(self) -> None:
        """Hide columns, the least wanted first, until the others stand side by side."""
        for column in GIVING_WAY:
            self.setColumnHidden(column, False)
        for column in GIVING_WAY:
            if self.wanted_px() > self.viewport().width():
                self.setColumnHidden(column, True)


def _cell(words: str, *, is_number: bool = False) -> QTableWidgetItem:
    item = QTableWidgetItem(words)
    item.setTextAlignment(NUMBER if is_number else WORDS)
    return item


def _named(model_ref: str) -> str:
    """Return a model by the name of its endpoint; a pattern of settings.toml without one as it is."""
    _, colon, model = model_ref.partition(":")
    return f"{tr(endpoint_name(model_ref))} · {model}" if colon else model_ref


def _fit(table: _Table) -> None:
    """Make the table as high as its rows: the page scrolls, not the table."""
    for row in range(table.rowCount()):
        table.setRowHeight(row, ROW_PX)
    table.setFixedHeight(table.horizontalHeader().sizeHint().height() + ROW_PX * max(1, table.rowCount()) + 8)
    table.share_room()


def _number(text: str) -> float | None:
    text = text.strip().replace(",", ".")
    if not text:
        return None
    number = float(text)
    if not 0 <= number < 1_000_000:
        raise ValueError(text)
    return number


def _money(amount: float) -> str:
    return f"{amount:,.2f}" if amount >= 1 or amount <= -1 or amount == 0 else f"{amount:.4f}"


def _notes(whole: Total) -> list[str]:
    notes: list[str] = []
    if whole.unpriced:
        names = ", ".join(map(_named, sorted(whole.unknown_models)[:4]))
        notes.append(
            tr(
                "No price is set for {names}: their calls are in no cost; a + marks where some are missing."
            ).format(names=names)
        )
    if whole.uncounted:
        notes.append(amounts.uncounted_calls(whole.uncounted))
    return notes
