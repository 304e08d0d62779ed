"""What the page of models does: agents made, changed and put away, and which models there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from loomapp.core.errors import LoomError
from loomapp.core.generation.agent_presets import PRESETS, agent_of, duplicate_of
from loomapp.core.model.agent import Agent
from loomapp.providers import capability
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.engine.known_models import DEFAULT_MODEL_REF
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

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

AGENTS, ENDPOINTS, USAGE = "agentsPage", "endpointsPage", "usagePage"


def show_agents(window: MainWindow) -> None:
    """The page of agents."""
    show(window, AGENTS)


def show_endpoints(window: MainWindow) -> None:
    """The page of endpoints and keys."""
    show(window, ENDPOINTS)


def show_endpoint(window: MainWindow, endpoint_id: str) -> None:
    """The page of endpoints and keys, at one of them."""
    show(window, ENDPOINTS)
    page = window.findChild(EndpointsPage)
    assert page is not None, "it is shown"
    page.choose(endpoint_id)
    page.focus_key()


def show_usage(window: MainWindow) -> None:
    """The page of usage and prices."""
    show(window, USAGE)


def show(window: MainWindow, tab: str) -> None:
    """The page of models in the graph's place, at one of its tabs."""
    page = window.findChild(ModelsPage) or _built(window)
    window.pages.show_instead(page)
    page.show_tab(tab)


def _built(window: MainWindow) -> ModelsPage:
    """Made when it is first wanted, as each of its tabs is."""
    page = ModelsPage(window.pages)
    window.pages.addWidget(page)
    page.fill(
        (
            Tab(AGENTS, tr("Agents"), partial(_made_agents, window, page)),
            Tab(ENDPOINTS, tr("Endpoints and keys"), partial(_made_endpoints, window, page)),
            Tab(USAGE, tr("Usage"), partial(_made_usage, window, page)),
        )
    )
    page.close_asked.connect(window.pages.show_graph)
    return page


def _made_endpoints(window: MainWindow, page: ModelsPage) -> EndpointsPage:
    endpoints = EndpointsPage(page.stack)
    desk = EndpointDesk(window, endpoints)
    page.left.connect(endpoints.form.flush)
    page.tab_shown.connect(lambda name: desk.refresh() if name == ENDPOINTS else None)
    window.keepers = (*window.keepers, desk)
    return endpoints


def _made_usage(window: MainWindow, page: ModelsPage) -> UsagePage:
    usage = UsagePage(page.stack)
    desk = UsageDesk(window, usage)
    page.tab_shown.connect(lambda name: desk.refresh() if name == USAGE else None)
    window.keepers = (*window.keepers, desk)
    return usage


def _made_agents(window: MainWindow, page: ModelsPage) -> AgentsPage:
    agents = AgentsPage(page.stack)
    lists = ModelListDesk(window, agents.form)
    page.left.connect(agents.form.flush)
    page.tab_shown.connect(lambda name: _refresh(window, agents) if name == AGENTS else None)
    page.tab_shown.connect(lambda name: lists.refresh() if name == AGENTS else None)
    window.keepers = (*window.keepers, lists)
    window.document.agents_changed.connect(partial(_refresh, window, agents))
    run = partial(_run, window)
    agents.edited.connect(lambda agent: run(partial(window.document.put_agent, agent)))
    agents.new_asked.connect(lambda name: run(partial(_make, window, agents, name)))
    agents.duplicate_asked.connect(lambda agent_id: run(partial(_duplicate, window, agents, agent_id)))
    agents.archive_asked.connect(lambda agent_id, away: run(partial(_archive, window, agent_id, away)))
    agents.form.window_told.connect(
        lambda ref, tokens: run(partial(_tell_window, window, agents, ref, tokens))
    )
    agents.form.images_told.connect(lambda ref, taken: run(partial(_tell_images, window, agents, ref, taken)))
    agents.form.fill_in_told.connect(lambda ref, can: run(partial(_tell_fill_in, window, agents, ref, can)))
    agents.form.forget_asked.connect(lambda ref: run(partial(_forget, window, agents, ref)))
    return agents


def show_learned(window: MainWindow) -> None:
    """What is known of a model is another, if the page is there."""
    page = window.findChild(AgentsPage)
    if page is not None:
        page.form.refresh_capability()


def _run(window: MainWindow, step: Callable[[], None]) -> None:
    window.run_beside_text(lambda _: step())


def _refresh(window: MainWindow, page: AgentsPage) -> None:
    agents = [agent for agent in window.document.agents().values() if agent.type == "model"]
    try:
        own = [(setting.id, setting.name) for setting in endpoint_settings().values()]
    except LoomError as error:
        window.next_steps.show_error(error)
        own = []
    page.form.model.show_endpoints([("local", tr("This computer")), *own])
    page.show_agents(agents, writable=not window.document.grove.read_only)


def _make(window: MainWindow, page: AgentsPage, name: str) -> None:
    """A new agent that asks what the chosen one asks."""
    agents = window.document.agents()
    like = agents.get(page.chosen_id) or Agent("", "", "model", DEFAULT_MODEL_REF)
    preset = next(preset for preset in PRESETS if preset.name == name)
    agent = agent_of(preset, like, agent_id=new_id(), colour=_free_colour(window))
    names = frozenset(a.name for a in agents.values())
    if agent.name in names:
        agent = duplicate_of(agent, agent_id=agent.id, names=names, colour=agent.colour or "a1")
    window.document.put_agent(agent)
    page.choose(agent.id)


def _duplicate(window: MainWindow, page: AgentsPage, agent_id: str) -> None:
    agents = window.document.agents()
    names = frozenset(agent.name for agent in agents.values())
    again = duplicate_of(agents[agent_id], agent_id=new_id(), names=names, colour=_free_colour(window))
    window.document.put_agent(again)
    page.choose(again.id)


def _archive(window: MainWindow, agent_id: str, away: bool) -> None:
    agent = window.document.agents()[agent_id]
    window.document.put_agent(replace(agent, archived_at=now() if away else None))


def _forget(window: MainWindow, page: AgentsPage, model_ref: str) -> None:
    capability.forget(model_ref)
    page.form.refresh_capability()
    window.preview.refresh()


def _tell_window(window: MainWindow, page: AgentsPage, model_ref: str, tokens: int | None) -> None:
    capability.tell_window(model_ref, tokens)
    page.form.refresh_capability()
    window.preview.refresh()


def _tell_images(window: MainWindow, page: AgentsPage, model_ref: str, taken: bool | None) -> None:
    capability.tell_images(model_ref, taken)
    page.form.refresh_capability()
    window.preview.refresh()


def _tell_fill_in(window: MainWindow, page: AgentsPage, model_ref: str, can: bool | None) -> None:
    capability.tell_fill_in(model_ref, can)
    page.form.refresh_capability()
    window.preview.refresh()
    window.actions_set.refresh()


def _free_colour(window: MainWindow) -> str:
    """A tint that no agent has, or the one that the fewest have."""
    used = [theme.agent_role(a) for a in window.document.agents().values() if a.type == "model"]
    tints = [f"a{number}" for number in range(1, theme.TINTS + 1)]
    return min(tints, key=lambda tint: used.count(f"agent.{tint}"))
