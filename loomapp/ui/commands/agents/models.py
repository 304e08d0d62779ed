"""Models pages: agents made, changed and put away, lists of models that endpoints have, and usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QDate, QDateTime, QObject, Qt, QTimer

from loomapp.core.errors import LoomError
from loomapp.core.generation.agent_presets import PRESETS, agent_of, duplicate_of
from loomapp.core.generation.cost import Price, Spent, Total, total
from loomapp.core.model.agent import Agent
from loomapp.core.progress import Progress
from loomapp.providers import capability
from loomapp.providers.endpoints import (
    EndpointSetting,
    ListedModel,
    ModelList,
    endpoint_settings,
    kept_list,
    lists_folder,
    names_apart,
)
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import PROVIDERS, listed_models
from loomapp.session.background.background_work import BackgroundTask
from loomapp.store.files.settings_file import read_prices, write_price
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import spent_in
from loomapp.ui import figures
from loomapp.ui.agents.agent_form import AgentForm
from loomapp.ui.agents.agents_page import AgentsPage, ModelsPage, Tab
from loomapp.ui.agents.endpoints_page import EndpointsPage
from loomapp.ui.agents.usage_page import UsagePage
from loomapp.ui.commands.agents.endpoints import EndpointDesk
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench

MOST_DAYS = 31
REST_MS = 120  # after a move: what is left at once is not summed up for
Totals: TypeAlias = list[tuple[str, Total]]
Prices: TypeAlias = Mapping[str, Price]


class UsageDesk(QObject):
    """Commands of the page of usage and prices."""

    def __init__(self, bench: Workbench, page: UsagePage) -> None:
        super().__init__(page)
        self._bench, self._page = bench, page
        self._task: BackgroundTask | None = None
        self._prices_file, self._priced = bench.work.preferences.path, list[str]()
        self._count: Callable[[], list[Spent]] = list  # reads every call of the grove, or gives what was read
        # later: the cell that was typed in is still being closed
        page.price_typed.connect(self.on_price_typed, Qt.ConnectionType.QueuedConnection)
        document = bench.work.document
        self._soon = QTimer(self, singleShot=True, interval=REST_MS)
        self._soon.timeout.connect(self._sum_up)
        for moved in (document.tree_opened, document.tree_changed, document.place.current_changed):
            moved.connect(self.on_moved)
        # later: what a call without a word took is kept after it
        landed = bench.work.generator.answers.landed
        landed.connect(self.on_landed, Qt.ConnectionType.QueuedConnection)

    def on_moved(self) -> None:
        """Sum up for another message or tree what was counted already."""
        if self._page.isVisible():
            self._soon.start()

    def on_landed(self) -> None:
        self._count = partial(spent_in, self._bench.work.document.grove)
        self.on_moved()

    def refresh(self) -> None:
        self._count = partial(spent_in, self._bench.work.document.grove)
        self._page.show_busy()
        self._sum_up()

    def close(self) -> None:
        self._soon.stop()
        if self._task is not None:
            self._task.end()
            self._task = None

    def _sum_up(self) -> None:
        """Count and sum up beside the window: of very many calls that takes a while."""
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
        document, count, prices_file = self._bench.work.document, self._count, self._prices_file
        tree_id, path, current = document.tree.loom.id, frozenset(document.path_ids), document.current_id
        midnight = QDateTime.currentDateTime().date().startOfDay().toMSecsSinceEpoch()
        kinds: tuple[tuple[str, Callable[[Spent], bool]], ...] = (
            (tr("This message"), lambda s: s.tree_id == tree_id and current in s.node_ids),
            (tr("This path"), lambda s: s.tree_id == tree_id and not path.isdisjoint(s.node_ids)),
            (tr("This tree"), lambda s: s.tree_id == tree_id),
            (tr("Today"), lambda s: s.at >= midnight),
            (tr("All trees"), lambda _: True),
        )

        def work(_: Progress) -> tuple[list[Spent], Prices, Totals, Totals]:
            spent, prices = count(), read_prices(prices_file)
            totals = [(title, total(filter(fits, spent), prices)) for title, fits in kinds]
            return spent, prices, totals, [(day, total(those, prices)) for day, those in _by_day(spent)]

        self._task = BackgroundTask(work, self)
        self._task.done.connect(lambda found: self.on_summed(*found))
        self._task.failed.connect(self._bench.frame.show_error)
        self._task.start()

    def on_summed(self, spent: list[Spent], prices: Prices, totals: Totals, days: Totals) -> None:
        self._count = lambda: spent
        self._page.show_totals(totals)
        self._page.show_days(days)
        asked = [agent.model_ref or "" for agent in self._bench.work.document.agents.models()]
        used = dict.fromkeys((*(one.model_ref for one in spent), *asked))
        self._priced = [ref for ref in used if ref and ref.partition(":")[0] not in PROVIDERS]
        self._page.show_prices(self._priced, prices)

    def on_price_typed(self, model_ref: str, price: Price | None) -> None:
        keep = partial(write_price, model_ref, price, self._prices_file)
        self._bench.frame.run_beside_text(lambda _: keep())
        self._page.show_prices(self._priced, read_prices(self._prices_file))  # before more is typed
        self._sum_up()


def _by_day(spent: list[Spent]) -> list[tuple[str, list[Spent]]]:
    """Return the exchanges of each of the last days, by the reader's calendar, the newest first."""
    days: dict[QDate, list[Spent]] = {}
    for one in spent:
        days.setdefault(QDateTime.fromMSecsSinceEpoch(one.at).date(), []).append(one)
    newest = sorted(days, key=QDate.toJulianDay, reverse=True)[:MOST_DAYS]
    return [(figures.date(day), days[day]) for day in newest]


AGENTS, ENDPOINTS, USAGE = "agentsPage", "endpointsPage", "usagePage"


def show_agents(bench: Workbench) -> None:
    show(bench, AGENTS)


def show_agent(bench: Workbench, agent_id: str) -> None:
    show(bench, AGENTS)
    page = bench.parts.made(AgentsPage)
    assert page is not None, "it is shown"
    page.choose(agent_id)


def show_endpoints(bench: Workbench) -> None:
    show(bench, ENDPOINTS)


def show_endpoint(bench: Workbench, endpoint_id: str) -> None:
    """Show the page of endpoints and keys at one endpoint."""
    show(bench, ENDPOINTS)
    page = bench.parts.made(EndpointsPage)
    assert page is not None, "it is shown"
    page.choose(endpoint_id)
    page.focus_key()


def show_usage(bench: Workbench) -> None:
    show(bench, USAGE)


def show(bench: Workbench, tab: str) -> None:
    """Show the page of models in the graph's place, at one of its tabs."""
    page = bench.parts.one(ModelsPage, partial(_built, bench))
    bench.views.pages.show_instead(page)
    page.show_tab(tab)


def _built(bench: Workbench) -> ModelsPage:
    """Return the page, made when it is first wanted, as each of its tabs is."""
    page = ModelsPage(bench.views.pages)
    bench.views.pages.addWidget(page)
    page.fill(
        (
            Tab(AGENTS, tr("Agents"), partial(_made_agents, bench, page)),
            Tab(ENDPOINTS, tr("Endpoints and keys"), partial(_made_endpoints, bench, page)),
            Tab(USAGE, tr("Usage"), partial(_made_usage, bench, page)),
        )
    )
    page.close_asked.connect(bench.views.pages.show_graph)
    return page


def _made_endpoints(bench: Workbench, page: ModelsPage) -> EndpointsPage:
    endpoints = bench.parts.one(EndpointsPage, partial(EndpointsPage, page.stack))
    desk = EndpointDesk(bench, endpoints)
    page.left.connect(endpoints.form.flush)
    page.tab_shown.connect(lambda name: desk.refresh() if name == ENDPOINTS else None)
    bench.frame.keep_until_closed(desk)
    return endpoints


def _made_usage(bench: Workbench, page: ModelsPage) -> UsagePage:
    usage = UsagePage(page.stack)
    desk = UsageDesk(bench, usage)
    page.tab_shown.connect(lambda name: desk.refresh() if name == USAGE else None)
    bench.frame.keep_until_closed(desk)
    return usage


def _made_agents(bench: Workbench, page: ModelsPage) -> AgentsPage:
    agents = bench.parts.one(AgentsPage, partial(AgentsPage, page.stack))
    lists = ModelListDesk(bench, agents.form)
    page.left.connect(agents.form.flush)
    page.tab_shown.connect(lambda name: _refresh(bench, agents) if name == AGENTS else None)
    page.tab_shown.connect(lambda name: lists.refresh() if name == AGENTS else None)
    bench.frame.keep_until_closed(lists)
    bench.work.document.agents.changed.connect(partial(_refresh, bench, agents))
    run = partial(_run, bench)
    agents.edited.connect(lambda agent: run(partial(bench.work.document.agents.put, agent)))
    agents.new_asked.connect(lambda name: run(partial(_make, bench, agents, name)))
    agents.duplicate_asked.connect(lambda agent_id: run(partial(_duplicate, bench, agents, agent_id)))
    agents.archive_asked.connect(lambda agent_id, away: run(partial(_archive, bench, agent_id, away)))
    learn = partial(_learn, bench, agents)
    form = agents.form
    form.window_told.connect(lambda *told: run(partial(learn, partial(capability.tell_window, *told))))
    form.images_told.connect(lambda *told: run(partial(learn, partial(capability.tell_images, *told))))
    form.fill_in_told.connect(lambda *told: run(partial(learn, partial(capability.tell_fill_in, *told))))
    form.continues_told.connect(lambda *told: run(partial(learn, partial(capability.tell_continues, *told))))
    tell_layers = capability.tell_gpu_layers
    form.gpu_layers_told.connect(lambda *told: run(partial(learn, partial(tell_layers, *told))))
    form.forget_asked.connect(lambda ref: run(partial(learn, partial(capability.forget, ref))))
    return agents


def show_learned(bench: Workbench) -> None:
    page = bench.parts.made(AgentsPage)
    if page is not None:
        page.form.refresh_capability()


def _run(bench: Workbench, step: Callable[[], None]) -> None:
    bench.frame.run_beside_text(lambda _: step())


def _refresh(bench: Workbench, page: AgentsPage) -> None:
    agents = sorted(bench.work.document.agents.by_id().values(), key=lambda agent: agent.type != "model")
    try:
        own = list(names_apart(endpoint_settings()).items())
    except LoomError as error:
        bench.frame.show_error(error)
        own = []
    here = [(provider.name, tr(provider.title)) for provider in PROVIDERS.values()]
    page.form.model.show_endpoints([*here, *own])
    page.show_agents(agents, writable=not bench.work.document.grove.read_only)


def _make(bench: Workbench, page: AgentsPage, name: str) -> None:
    """Make an agent that asks the model of the chosen one."""
    agents = bench.work.document.agents.by_id()
    like = agents.get(page.chosen_id)
    if like is None or like.type != "model":
        like = Agent("", "", "model", DEFAULT_MODEL_REF)
    preset = next(preset for preset in PRESETS if preset.name == name)
    agent = agent_of(preset, like, agent_id=new_id(), colour=_free_colour(bench))
    names = frozenset(a.name for a in agents.values())
    if agent.name in names:
        agent = duplicate_of(agent, agent_id=agent.id, names=names, colour=agent.colour or "a1")
    bench.work.document.agents.put(agent)
    page.name_anew(agent.id)


def _duplicate(bench: Workbench, page: AgentsPage, agent_id: str) -> None:
    agents = bench.work.document.agents.by_id()
    names = frozenset(agent.name for agent in agents.values())
    again = duplicate_of(agents[agent_id], agent_id=new_id(), names=names, colour=_free_colour(bench))
    bench.work.document.agents.put(again)
    page.name_anew(again.id)


def _archive(bench: Workbench, agent_id: str, away: bool) -> None:
    agent = bench.work.document.agents.by_id()[agent_id]
    bench.work.document.agents.put(replace(agent, archived_at=now() if away else None))


def _learn(bench: Workbench, page: AgentsPage, step: Callable[[], object]) -> None:
    """Note what a person says a model can, or forget it, and show what follows from that."""
    step()
    page.form.refresh_capability()
    bench.work.preview.refresh()
    bench.actions.refresh()


def _free_colour(bench: Workbench) -> str:
    """Return a tint that no agent has, or the one that the fewest have."""
    used = [theme.agent_role(a) for a in bench.work.document.agents.by_id().values() if a.type == "model"]
    tints = [f"a{number}" for number in range(1, theme.TINTS + 1)]
    return min(tints, key=lambda tint: used.count(f"agent.{tint}"))


class ModelListDesk(QObject):
    """Serves one form. Another endpoint, or the end of the window, sends away what is being asked."""

    def __init__(self, bench: Workbench, form: AgentForm) -> None:
        super().__init__(form)
        self._bench, self._form = bench, form
        self._task: BackgroundTask | None = None
        self._call = Call()
        self._asking = ""  # the endpoint that has not answered yet
        form.models_asked.connect(self.on_models_asked)

    def refresh(self) -> None:
        self.on_models_asked(self._form.model.endpoint_id, False)

    def close(self) -> None:
        self._call.stop()
        if self._task is not None:
            self._task.end()
            self._task = None

    def on_models_asked(self, endpoint_id: str, anew: bool) -> None:
        """Show which models an endpoint has; nobody is asked for a form that is not seen."""
        if self._form.isVisible():
            self._bench.frame.run_beside_text(lambda _: self._list(endpoint_id, anew=anew))

    def _list(self, endpoint_id: str, *, anew: bool) -> None:
        if self._asking == endpoint_id and not anew:
            return
        self._send_away()
        field = self._form.model
        field.set_can_ask(endpoint_id not in PROVIDERS and endpoint_id in endpoint_settings())
        if endpoint_id in PROVIDERS:
            here = [ListedModel(name) for name in PROVIDERS[endpoint_id].models()]
            field.show_models(endpoint_id, here, "")
            field.take_only_model(endpoint_id)
            return
        setting = endpoint_settings().get(endpoint_id)
        if setting is None:
            field.show_models(endpoint_id, (), tr("There is no such endpoint any more."), "warning")
            return
        self._show_used(setting)
        field.show_asking(endpoint_id)
        call = Call()
        self._call, self._asking = call, endpoint_id

        def work(_: Progress) -> ModelList:
            return listed_models(setting, call, anew=anew)

        self._task = BackgroundTask(work, self)
        self._task.done.connect(partial(self._on_listed, endpoint_id))
        self._task.failed.connect(partial(self._on_failed, endpoint_id))
        self._task.start()

    def _send_away(self) -> None:
        """Let go the list that is being asked for; it ends by itself, and nobody waits for it."""
        self._call.stop()
        self._asking = ""
        if self._task is not None:
            self._task.cancel()

    def _show_used(self, setting: EndpointSetting) -> None:
        """Show, until the endpoint has answered, what it said before, else what the user's agents
        ask there.
        """
        known = kept_list(base_of(setting.base_url, PROTOCOLS[setting.api]), lists_folder())
        models = known.models if known is not None else self._used(setting.id)
        self._form.model.show_models(setting.id, models, "")

    def _used(self, endpoint_id: str) -> tuple[ListedModel, ...]:
        refs = (agent.model_ref or "" for agent in self._bench.work.document.agents.by_id().values())
        names = {ref.partition(":")[2] for ref in refs if ref.startswith(f"{endpoint_id}:")}
        return tuple(ListedModel(name) for name in sorted(names))

    def _on_listed(self, endpoint_id: str, listed: object) -> None:
        assert isinstance(listed, ModelList), "the work's result"
        self._asking = ""
        when = figures.moment(int(listed.asked_at * 1000))
        if listed.stale_because:
            words = tr("This list is old, of {when}: {why}").format(when=when, why=listed.stale_because)
            self._form.model.show_models(endpoint_id, listed.models, words, "warning")
        else:
            words = tr("It has {count}, as of {when}. Any other name can be typed too.")
            said = words.format(count=_model_count(len(listed.models)), when=when)
            self._form.model.show_models(endpoint_id, listed.models, said)
            self._form.model.take_only_model(endpoint_id)
        self._form.refresh_capability()
        self._bench.work.preview.refresh()

    def _on_failed(self, endpoint_id: str, error: LoomError) -> None:
        self._asking = ""
        words = tr("{why} The model's name can be typed all the same.").format(why=told(error.message))
        self._form.model.show_models(endpoint_id, self._used(endpoint_id), words, "warning")


def _model_count(count: int) -> str:
    return tr("1 model") if count == 1 else tr("{count} models").format(count=figures.number(count))
