"""Table of the rows by which long parts are shortened: when, the limit, and what each did to the path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Literal, TypeAlias

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.economy import ContextEconomy
from loomapp.core.context.report import EconomyReport, ReportedLoad
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.compression import is_compaction_due
from loomapp.core.model.economy_settings import BY_NAME, COMPACT, Economy
from loomapp.ui.figures import number
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.form import FractionField, NumberField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.rows import ROOMY_PX

ROWS = ("store", "truncate", "budget", "snip", "clear", "compact")
NOTHING = "\N{EN DASH}"
MINUTE = 60


@dataclass(frozen=True, slots=True)
class CompressionFacts:
    """Words on the load of the window, and for each row on what it does now; `working` is the strongest row
    that shortened something.
    """

    load: str = ""
    rows: Mapping[str, str] = field(default_factory=dict)
    working: str = ""


def facts_of(assembled: Assembled) -> CompressionFacts:
    """Return what compression does in a context; nothing where it is off."""
    report, economy = assembled.report.economy, assembled.economy
    load = report.load
    if load is None or economy is None:
        return CompressionFacts(rows=dict.fromkeys(ROWS, tr("off")))
    counts: Counter[str] = Counter(part.row for part in report.compressed)
    rows = {row: _parts(counts[row]) for row in ("store", "truncate", "budget")}
    rows["snip"] = _parts(counts["snip"]) if counts["snip"] else _why_not_snipped(load, economy)
    rows["clear"] = _parts(counts["clear"]) if counts["clear"] else _why_not_cleared(load, economy)
    rows["compact"] = _compact(load, report, assembled, economy)
    working = next((row for row in reversed(ROWS) if counts[row]), "")
    return CompressionFacts(_load_words(load, economy), rows, working)


def _parts(count: int) -> str:
    if not count:
        return NOTHING
    return tr("1 part") if count == 1 else tr("{count} parts").format(count=number(count))


def _why_not_snipped(load: ReportedLoad, economy: ContextEconomy) -> str:
    settings = economy.settings
    is_warm = load.idle is not None and load.idle < settings.snip_idle_seconds
    is_full = load.utilization >= settings.snip_utilization
    return tr("cache warm") if is_full and is_warm else NOTHING


def _why_not_cleared(load: ReportedLoad, economy: ContextEconomy) -> str:
    if load.idle is None or load.idle >= economy.settings.clear_idle_seconds:
        return NOTHING
    return tr("in {time}").format(time=_span(economy.settings.clear_idle_seconds - load.idle))


def _compact(load: ReportedLoad, report: EconomyReport, assembled: Assembled, economy: ContextEconomy) -> str:
    if economy.settings.make_summaries != COMPACT:
        return tr("off")
    window = economy.settings.effective_window(assembled.report.window)
    is_due = window > 0 and is_compaction_due(load.used, report.freed_tokens, window, economy.settings)
    return tr("at Generate") if is_due else NOTHING


def _load_words(load: ReportedLoad, economy: ContextEconomy) -> str:
    words = tr("{share} % full") if load.utilization <= 1 else tr("{share} % of what fits")
    full = words.format(share=round(load.utilization * 100))
    if load.idle is None:
        return tr("{full} · this path was never sent to this model").format(full=full)
    settings = economy.settings
    is_warm = load.idle < min(settings.snip_idle_seconds, settings.clear_idle_seconds)
    cache = tr("cache warm") if is_warm else tr("cache cold")
    words = tr("{full} · last call {time} ago: {cache}")
    return words.format(full=full, time=_span(load.idle), cache=cache)


def _span(seconds: float) -> str:
    if seconds < MINUTE:
        return tr("{count} s").format(count=max(1, round(seconds)))
    minutes = round(seconds / MINUTE)
    if minutes < MINUTE:
        return tr("{count} min").format(count=minutes)
    hours = round(minutes / MINUTE)
    return tr("{count} h").format(count=number(hours))


Unit: TypeAlias = Literal["kilobytes", "number", "seconds", "fraction"]
KILO = 1024
FIELD_PX = 96
ROW_PX = 30
MOST = 100_000_000
ROW_COLUMN, WHEN, LIMIT, NOW = range(4)


@dataclass(frozen=True, slots=True)
class Limit:
    """One number of the table: the setting it is, the row it belongs to, its unit, and its words."""

    name: str
    row: str
    unit: Unit
    title: str = ""  # of the first number of a row
    when: str = ""


LIMITS = (
    Limit("store_bytes", "store", "kilobytes", "Store", "larger than this: only its beginning is sent"),
    Limit("preview_lines", "store", "number", when="lines that are sent of it"),
    Limit("truncate_chars", "truncate", "number", "Truncate", "more characters than this: its middle is cut"),
    Limit("budget_utilization", "budget", "fraction", "Budget", "from this share of the window: cut shorter"),
    Limit("budget_chars", "budget", "number", when="characters that are left of each part"),
    Limit("tight_utilization", "budget", "fraction", when="above this share it is tight"),
    Limit("tight_chars", "budget", "number", when="characters that are left then"),
    Limit("snip_utilization", "snip", "fraction", "Snip", "from this share, after a pause: one line instead"),
    Limit("snip_idle_seconds", "snip", "seconds", when="pause after which the cache counts as cold"),
    Limit("snip_always_utilization", "snip", "fraction", when="from this share on in any case"),
    Limit("keep_results", "snip", "number", when="newest files and results that are kept"),
    Limit("clear_idle_seconds", "clear", "seconds", "Clear", "after a pause this long: old results go"),
    Limit("clear_documents_utilization", "clear", "fraction", when="files too, from this share on"),
    Limit(
        "compact_utilization", "compact", "fraction", "Compact", "above this share, at Generate: a summary"
    ),
    Limit("window_reserve", "compact", "number", when="tokens of the window that count as taken"),
    Limit("most_failures", "compact", "number", when="failures in a row before it stops"),
)
MAIN = tuple(limit for limit in LIMITS if limit.title)


class CompressionTable(QWidget):
    """The six rows with their first limits; a link shows all numbers. Each is inherited or the tree's own."""

    typed = Signal(str, object)  # the name of a setting, its value; None: what is inherited
    typing_ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("compressionTable")
        self.setAccessibleName(tr("What is shortened, and when"))
        self._facts = CompressionFacts()
        self._shows_all = self._is_narrow = False
        self._inherited: dict[str, str] = {}  # values in words
        self._fields: dict[str, NumberField | FractionField] = {}
        self._backs: dict[str, QPushButton] = {}
        self._words: dict[str, tuple[QLabel, QLabel]] = {}
        self._now: dict[str, QLabel] = {}
        self._is_built = False

    def setVisible(self, visible: bool) -> None:
        """Make the rows before they are seen for the first time: most trees shorten nothing."""
        if visible and not self._is_built:
            self._is_built = True
            self._build()
            self._show_facts()
        super().setVisible(visible)

    def _build(self) -> None:
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 0, 8, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(WHEN, 1)
        self.load = label("", "small", "secondary", wrap=True, name="compressionLoad")
        self._grid.addWidget(self.load, 0, 0, 1, 5)
        for column, words in enumerate((tr("Step"), tr("When"), tr("Limit"), tr("Now"))):
            self._grid.addWidget(label(words, "caption", "muted"), 1, column)
        for place, limit in enumerate(LIMITS, 2):
            self._add(limit, place)
        self._all = push_button("allNumbers", tr("All numbers"), self, kind="link")
        theme.set_look(self._all, flush=True)
        self._all.clicked.connect(self.on_all_clicked)
        self._grid.addWidget(self._all, len(LIMITS) + 2, 0, 1, 5, Qt.AlignmentFlag.AlignLeft)
        self._show_rows()

    def show_values(self, value_of: Callable[[str], object], inherited: Economy) -> None:
        """Show the tree's own values, or those that it inherits."""
        for limit in LIMITS if self._is_built else ():
            own, default = value_of(limit.name), getattr(inherited, limit.name)
            field, back = self._fields[limit.name], self._backs[limit.name]
            value = float(str(default if own is None else own))
            with QSignalBlocker(field):
                if isinstance(field, FractionField):
                    field.show_value(value)
                elif int(value) != _value(limit, field):  # 30.5 KB stay what they are
                    field.setValue(round(value / KILO) if limit.unit == "kilobytes" else int(value))
            theme.set_look(field, inherited=own is None)
            field.setAccessibleDescription(tr("inherited") if own is None else tr("this tree"))
            had_keyboard = back.hasFocus()
            back.setVisible(own is not None and not field.isHidden())
            value_words = self._inherited[limit.name] = _words_of(limit, default)
            back.setText(self._back_words(limit.name))
            words = tr("Back to {value}").format(value=value_words)
            back.setAccessibleName(f"{field.accessibleName()}: {words}")
            if had_keyboard and own is None:
                field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_facts(self, facts: CompressionFacts) -> None:
        self._facts = facts
        if self._is_built:
            self._show_facts()

    def _show_facts(self) -> None:
        facts = self._facts
        self.load.setText(facts.load)
        self.load.setVisible(bool(facts.load))
        for row, words in self._now.items():
            words.setText(facts.rows.get(row, NOTHING))
            is_working = row == facts.working
            theme.set_look(words, tone="primary" if is_working else "muted")
            words.setAccessibleName(tr("Now: {words}").format(words=words.text()))
        self.update()

    def fit(self, page_px: int) -> None:
        """Say less where there is little room: the inherited value alone, in a narrow page."""
        if self._is_narrow != (page_px < ROOMY_PX):
            self._is_narrow = page_px < ROOMY_PX
            for name, back in self._backs.items():
                back.setText(self._back_words(name))

    def _back_words(self, name: str) -> str:
        value = self._inherited.get(name, "")
        return value if self._is_narrow else tr("Back to {value}").format(value=value)

    def on_all_clicked(self) -> None:
        self._shows_all = not self._shows_all
        self._all.setText(tr("Fewer numbers") if self._shows_all else tr("All numbers"))
        self._show_rows()

    def _show_rows(self) -> None:
        for limit in LIMITS:
            is_shown = self._shows_all or bool(limit.title)
            field, back = self._fields[limit.name], self._backs[limit.name]
            for part in (*self._words[limit.name], field):
                part.setVisible(is_shown)
            back.setVisible(is_shown and not field.property("inherited"))

    def _add(self, limit: Limit, place: int) -> None:
        title = label(tr(limit.title) if limit.title else "", "ui_strong")
        when = label(tr(limit.when), "small", "secondary" if limit.title else "muted", wrap=True)
        field = self._field(limit)
        field.setObjectName(BY_NAME[limit.name].key)
        field.setFixedWidth(FIELD_PX)
        field.setAccessibleName(tr(BY_NAME[limit.name].title))
        back = push_button(f"{BY_NAME[limit.name].key}Back", parent=self, kind="link")
        theme.put_beside_words(back, "rotate-ccw", "text.link", 14)
        back.setFont(theme.font("small"))
        back.clicked.connect(partial(self.typed.emit, limit.name, None))
        back.clicked.connect(self.typing_ended)
        self._fields[limit.name], self._backs[limit.name] = field, back
        self._words[limit.name] = (title, when)
        self._grid.setRowMinimumHeight(place, 0)
        for column, part in ((ROW_COLUMN, title), (WHEN, when), (LIMIT, field), (NOW + 1, back)):
            self._grid.addWidget(part, place, column)
        if limit.title:
            now = self._now[limit.row] = label(NOTHING, "small", "muted", name=f"{limit.row}Now")
            self._grid.addWidget(now, place, NOW)

    def _field(self, limit: Limit) -> NumberField | FractionField:
        field: NumberField | FractionField
        if limit.unit == "fraction":
            field = FractionField()
        else:
            least = {"truncate_chars": 60, "budget_chars": 80, "tight_chars": 80}.get(limit.name, 0)
            least = 1 if limit.name in ("preview_lines", "most_failures") else least
            field = NumberField(least, MOST)
            field.setSuffix({"kilobytes": tr(" KB"), "seconds": tr(" s")}.get(limit.unit, ""))
        field.setParent(self)
        field.valueChanged.connect(partial(self._on_changed, limit))
        field.typing_ended.connect(self.typing_ended)
        return field

    def _on_changed(self, limit: Limit, _value_shown: float) -> None:
        self.typed.emit(limit.name, _value(limit, self._fields[limit.name]))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground of the row that works now."""
        working = next((limit for limit in MAIN if limit.row == self._facts.working), None)
        if working is None:
            return
        field = self._fields[working.name].geometry()
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, fill="surface.selected")
        painter.drawRoundedRect(QRectF(0, field.top() - 1, self.width(), field.height() + 2), 6, 6)
        painter.end()


def _value(limit: Limit, field: NumberField | FractionField) -> int | float:
    if isinstance(field, FractionField):
        return round(field.value(), 2)
    return field.value() * KILO if limit.unit == "kilobytes" else field.value()


def _words_of(limit: Limit, value: object) -> str:
    match limit.unit:
        case "fraction":
            return f"{float(str(value)):.2f}"
        case "kilobytes":
            return tr("{count} KB").format(count=number(int(str(value)) // KILO))
        case "seconds":
            return tr("{count} s").format(count=number(int(str(value))))
    return number(int(str(value)))
