"""Live values of compression: how full the window is, and what each row did to the shown path, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.economy import ContextEconomy
from loomapp.core.context.report import EconomyReport, ReportedLoad
from loomapp.core.economy.compression import is_compaction_due
from loomapp.core.model.economy_settings import COMPACT
from loomapp.ui.figures import number
from loomapp.ui.strings import tr

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
    full = tr("{share} % full").format(share=round(load.utilization * 100))
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
