"""What the window does about agents: who is asked, what that takes, and the way to their pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from loomapp.core.errors import LoomError
from loomapp.core.generation.cost import Estimate
from loomapp.core.model.agent import Agent
from loomapp.session.plan import estimate_of
from loomapp.store.files.prices import read_prices
from loomapp.ui import figures, late
from loomapp.ui.commands.buffer import passages
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


def wire(window: MainWindow) -> None:
    """Connect the picker, and whatever shows agents."""
    picker = window.header.agents
    picker.asked.connect(lambda ids: window.run_beside_text(partial(ask_these, agent_ids=ids)))
    picker.manage_asked.connect(partial(show_agents, window))
    window.document.agents_changed.connect(partial(_on_agents_changed, window))
    window.composer.count_changed.connect(lambda _: window.preview.refresh())
    window.generator.learned.connect(partial(_on_learned, window))
    window.generator.failed.connect(partial(_on_failed, window))
    for shown in (window.graph, window.dialogue):
        shown.draft_asked.connect(
            lambda key, act: window.run_beside_text(partial(act_on_draft, key=key, act=act))
        )


def ask_these(window: MainWindow, agent_ids: tuple[str, ...]) -> None:
    """Ask these agents from now on."""
    window.document.choose_asked(agent_ids)
    _on_asked_changed(window)


def _on_learned(window: MainWindow, agent: Agent, note: str) -> None:
    """A model refused something and was asked without it: it is said, and shown where it can be forgotten."""
    words = tr("{name}: {note}; asked again without it.").format(name=agent.name, note=note)
    strip = window.text_pane.errors
    if strip.isHidden():  # what went wrong is said rather than what went well
        strip.say(words, tone="warning")
    window.announcer.say(words)
    _show_learned(window)


def _on_failed(window: MainWindow, error: LoomError) -> None:
    """What was learned of a model from its refusal counts for what would be sent now."""
    if error.details.get("learned"):
        _show_learned(window)


def show_agents(window: MainWindow) -> None:
    """The page of agents."""
    late.model_pages.show_agents(window)


def show_endpoints(window: MainWindow) -> None:
    """The page of endpoints and keys."""
    late.model_pages.show_endpoints(window)


def show_usage(window: MainWindow) -> None:
    """The page of usage and prices."""
    late.model_pages.show_usage(window)


def _show_learned(window: MainWindow) -> None:
    late.model_pages.show_learned(window)
    window.preview.refresh()


def act_on_draft(window: MainWindow, key: str, act: str) -> None:
    """Do something about a draft that failed or waits: retry, stop, dismiss, or go to its endpoint's key."""
    generator = window.generator
    match act:
        case "retry":
            if window.buffer.is_on:
                passages.retry_draft(window.buffer, key)
            else:
                generator.retry(key)
        case "stop":
            generator.stop(key)
        case "dismiss":
            generator.dismiss(key)
        case "key":
            drafts = generator.drafts(window.document.tree.loom.id)
            agents = window.document.agents()
            [agent] = [agents[live.agent_id] for live in drafts if live.key == key]
            late.model_pages.show_endpoint(window, (agent.model_ref or "").partition(":")[0])


def _on_agents_changed(window: MainWindow) -> None:
    """An agent was made or changed: every view that names one."""
    window.show_agents()
    window.show_path()
    _on_asked_changed(window)


def _on_asked_changed(window: MainWindow) -> None:
    window.show_agents()
    window.show_tree_settings_values()
    window.preview.refresh()
    window.actions_set.refresh()


def tightest(window: MainWindow) -> str:
    """Of several agents the one with the least room, whose context is shown; nothing if one is asked."""
    agent = window.preview.agent
    return agent.name if agent is not None and len(window.document.asked_agents()) > 1 else ""


def hint(window: MainWindow) -> str:
    """What Generate takes: `6 calls, about 11,000 tokens`, and of several agents what each does."""
    estimate = estimate_of(window.preview.plans, window.composer.count)
    lines = [calls_and_tokens(estimate)]
    cost = estimate.most_cost(read_prices(window.preferences.path)) if estimate.shares else None
    if cost:
        lines.append(tr("With the answers it costs at most {money}.").format(money=f"{cost:.4f}"))
    if len(estimate.shares) > 1:
        line = tr("{name}: {answers} × about {tokens} tokens")
        lines += [
            line.format(
                name=share.agent_name, answers=share.answers, tokens=figures.number(share.input_tokens)
            )
            for share in estimate.shares
        ]
    return "\n".join(lines)


def calls_and_tokens(estimate: Estimate) -> str:
    """`6 calls, about 11,000 tokens`; with models that write several answers to a call, both numbers."""
    tokens = figures.number(estimate.sent_tokens)
    if estimate.calls == 1 == estimate.answers:
        return tr("1 call, about {tokens} tokens").format(tokens=tokens)
    if estimate.calls == estimate.answers:
        return tr("{calls} calls, about {tokens} tokens").format(calls=estimate.calls, tokens=tokens)
    if estimate.calls == 1:
        words = tr("{answers} answers in 1 call, about {tokens} tokens")
        return words.format(answers=estimate.answers, tokens=tokens)
    words = tr("{answers} answers in {calls} calls, about {tokens} tokens")
    return words.format(answers=estimate.answers, calls=estimate.calls, tokens=tokens)
