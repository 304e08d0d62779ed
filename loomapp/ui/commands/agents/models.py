"""Models page: agents made, changed and put away, and the models that there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from loomapp.core.errors import LoomError
from loomapp.core.generation.agent_presets import PRESETS, agent_of, duplicate_of
from loomapp.core.model.agent import Agent
from loomapp.providers import capability
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.registry import PROVIDERS
from loomapp.store.identity import new_id, now
from loomapp.ui.agents.agents_page import AgentsPage
from loomapp.ui.agents.endpoints_page import EndpointsPage
from loomapp.ui.agents.page import ModelsPage, Tab
from loomapp.ui.agents.usage_page import UsagePage
from loomapp.ui.commands.agents.endpoints import EndpointDesk
from loomapp.ui.commands.agents.model_lists import ModelListDesk
from loomapp.ui.commands.agents.usage import UsageDesk
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

AGENTS, ENDPOINTS, USAGE = "agentsPage", "endpointsPage", "usagePage"


def show_agents(bench: Workbench) -> None:
    show(bench, AGENTS)


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
    agents.form.window_told.connect(
        lambda ref, tokens: run(partial(_tell_window, bench, agents, ref, tokens))
    )
    agents.form.images_told.connect(lambda ref, taken: run(partial(_tell_images, bench, agents, ref, taken)))
    agents.form.fill_in_told.connect(lambda ref, can: run(partial(_tell_fill_in, bench, agents, ref, can)))
    agents.form.forget_asked.connect(lambda ref: run(partial(_forget, bench, agents, ref)))
    return agents


def show_learned(bench: Workbench) -> None:
    page = bench.parts.made(AgentsPage)
    if page is not None:
        page.form.refresh_capability()


def _run(bench: Workbench, step: Callable[[], None]) -> None:
    bench.frame.run_beside_text(lambda _: step())


def _refresh(bench: Workbench, page: AgentsPage) -> None:
    agents = [agent for agent in bench.work.document.agents.by_id().values() if agent.type == "model"]
    try:
        own = [(setting.id, setting.name) for setting in endpoint_settings().values()]
    except LoomError as error:
        bench.frame.show_error(error)
        own = []
    here = [(provider.name, tr(provider.title)) for provider in PROVIDERS.values()]
    page.form.model.show_endpoints([*here, *own])
    page.show_agents(agents, writable=not bench.work.document.grove.read_only)


def _make(bench: Workbench, page: AgentsPage, name: str) -> None:
    """Make an agent that asks the model of the chosen one."""
    agents = bench.work.document.agents.by_id()
    like = agents.get(page.chosen_id) or Agent("", "", "model", DEFAULT_MODEL_REF)
    preset = next(preset for preset in PRESETS if preset.name == name)
    agent = agent_of(preset, like, agent_id=new_id(), colour=_free_colour(bench))
    names = frozenset(a.name for a in agents.values())
    if agent.name in names:
        agent = duplicate_of(agent, agent_id=agent.id, names=names, colour=agent.colour or "a1")
    bench.work.document.agents.put(agent)
    page.choose(agent.id)


def _duplicate(bench: Workbench, page: AgentsPage, agent_id: str) -> None:
    agents = bench.work.document.agents.by_id()
    names = frozenset(agent.name for agent in agents.values())
    again = duplicate_of(agents[agent_id], agent_id=new_id(), names=names, colour=_free_colour(bench))
    bench.work.document.agents.put(again)
    page.choose(again.id)


def _archive(bench: Workbench, agent_id: str, away: bool) -> None:
    agent = bench.work.document.agents.by_id()[agent_id]
    bench.work.document.agents.put(replace(agent, archived_at=now() if away else None))


def _forget(bench: Workbench, page: AgentsPage, model_ref: str) -> None:
    capability.forget(model_ref)
    page.form.refresh_capability()
    bench.work.preview.refresh()


def _tell_window(bench: Workbench, page: AgentsPage, model_ref: str, tokens: int | None) -> None:
    capability.tell_window(model_ref, tokens)
    page.form.refresh_capability()
    bench.work.preview.refresh()


def _tell_images(bench: Workbench, page: AgentsPage, model_ref: str, taken: bool | None) -> None:
    capability.tell_images(model_ref, taken)
    page.form.refresh_capability()
    bench.work.preview.refresh()


def _tell_fill_in(bench: Workbench, page: AgentsPage, model_ref: str, can: bool | None) -> None:
    capability.tell_fill_in(model_ref, can)
    page.form.refresh_capability()
    bench.work.preview.refresh()
    bench.actions.refresh()


def _free_colour(bench: Workbench) -> str:
    """Return a tint that no agent has, or the one that the fewest have."""
    used = [theme.agent_role(a) for a in bench.work.document.agents.by_id().values() if a.type == "model"]
    tints = [f"a{number}" for number in range(1, theme.TINTS + 1)]
    return min(tints, key=lambda tint: used.count(f"agent.{tint}"))
