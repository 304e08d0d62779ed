"""Usage page: counted on a thread of its own, with prices that are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QDate, QDateTime, QLocale, QObject, Qt

from loomapp.core.generation.cost import Price, Spent, total
from loomapp.core.progress import Progress
from loomapp.providers.registry import PROVIDERS
from loomapp.session.background.background_work import BackgroundTask
from loomapp.store.files.settings_file import read_prices, write_price
from loomapp.store.queries.usage import spent_in
from loomapp.ui import figures
from loomapp.ui.agents.usage_page import UsagePage
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

MOST_DAYS = 31


class UsageDesk(QObject):
    """Commands of the page of usage and prices."""

    def __init__(self, bench: Workbench, page: UsagePage) -> None:
        super().__init__(page)
        self._bench, self._page = bench, page
        self._task: BackgroundTask | None = None
        self._spent: list[Spent] = []
        # later: the cell that was typed in is still being closed
        page.price_typed.connect(self.on_price_typed, Qt.ConnectionType.QueuedConnection)

    def refresh(self) -> None:
        self.close()
        grove = self._bench.work.document.grove

        def count(_: Progress) -> list[Spent]:
            return spent_in(grove)

        self._page.show_busy()
        self._task = BackgroundTask(count, self)
        self._task.done.connect(self.on_counted)
        self._task.failed.connect(self._bench.frame.show_error)
        self._task.start()

    def close(self) -> None:
        if self._task is not None:
            self._task.end()
            self._task = None

    def on_counted(self, spent: list[Spent]) -> None:
        self._spent = spent
        document, prices = self._bench.work.document, read_prices(self._bench.work.preferences.path)
        tree_id, path = document.tree.loom.id, frozenset(document.path_ids)
        midnight = QDateTime.currentDateTime().date().startOfDay().toMSecsSinceEpoch()
        current = frozenset((document.current_id,))
        kinds: tuple[tuple[str, Callable[[Spent], bool]], ...] = (
            (tr("This message"), lambda s: s.tree_id == tree_id and not current.isdisjoint(s.node_ids)),
            (tr("This path"), lambda s: s.tree_id == tree_id and not path.isdisjoint(s.node_ids)),
            (tr("This tree"), lambda s: s.tree_id == tree_id),
            (tr("Today"), lambda s: s.at >= midnight),
            (tr("All trees"), lambda _: True),
        )
        self._page.show_totals([(title, total(filter(fits, spent), prices)) for title, fits in kinds])
        self._page.show_days([(title, total(of_day, prices)) for title, of_day in _by_day(spent)])
        asked = [agent.model_ref or "" for agent in document.agents.models()]
        used = dict.fromkeys((*(one.model_ref for one in spent), *asked))
        self._page.show_prices(
            [ref for ref in used if ref and ref.partition(":")[0] not in PROVIDERS], prices
        )

    def on_price_typed(self, model_ref: str, price: Price | None) -> None:
        keep = partial(write_price, model_ref, price, self._bench.work.preferences.path)
        self._bench.frame.run_beside_text(lambda _: keep())
        self.on_counted(self._spent)


def _by_day(spent: list[Spent]) -> list[tuple[str, list[Spent]]]:
    """Return the exchanges of each of the last days, by the reader's calendar, the newest first."""
    days: dict[QDate, list[Spent]] = {}
    for one in spent:
        days.setdefault(QDateTime.fromMSecsSinceEpoch(one.at).date(), []).append(one)
    newest = sorted(days, key=QDate.toJulianDay, reverse=True)[:MOST_DAYS]
    return [(figures.locale().toString(day, QLocale.FormatType.ShortFormat), days[day]) for day in newest]
