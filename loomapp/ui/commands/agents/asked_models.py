"""Asked models: agents and model files that Generate asks, the cost of that, and the way to their pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from loomapp.core.errors import LoomError, server_words
from loomapp.core.generation.cost import Estimate
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.providers.engine import model_files
from loomapp.session.plan import estimate_of
from loomapp.store.files.settings_file import read_prices
from loomapp.store.grove.model_agents import agent_for
from loomapp.ui import figures
from loomapp.ui.commands import on_demand
from loomapp.ui.commands.send import act_on_draft
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.workbench import Workbench


def wire(bench: Workbench) -> None:
    picker = bench.views.header.agents
    picker.asked.connect(lambda ids: bench.frame.run_beside_text(partial(ask_these, agent_ids=ids)))
    picker.manage_asked.connect(partial(show_agents, bench))
    bench.work.document.agents.changed.connect(partial(_on_agents_changed, bench))
    bench.views.composer.count_changed.connect(lambda _: bench.work.preview.refresh())
    bench.work.generator.answers.learned.connect(partial(_on_learned, bench))
    bench.work.generator.not_asked.connect(partial(_on_not_asked, bench))
    bench.work.generator.answers.failed.connect(partial(_on_failed, bench))
    for shown in (bench.views.graph, bench.views.dialogue):
        shown.draft_asked.connect(partial(_act, bench))


def _act(bench: Workbench, key: str, act: str) -> None:
    run = bench.frame.run_command if act in ("continue", "again") else bench.frame.run_beside_text
    run(partial(act_on_draft, key=key, act=act))


def ask_these(bench: Workbench, agent_ids: tuple[str, ...]) -> None:
    bench.work.document.agents.ask(agent_ids)
    _on_asked_changed(bench)


def _on_learned(bench: Workbench, agent: Agent, note: str) -> None:
    """A model refused something and was asked without it: it is said, and shown where it can be forgotten."""
    words = tr("{name}: {note}; asked again without it.").format(name=agent.name, note=note)
    bench.views.text_pane.errors.say(words, tone="warning")
    bench.views.announcer.say(words)
    _show_learned(bench)


def _on_not_asked(bench: Workbench, agent: Agent, why: LoomError) -> None:
    """One of several could not be sent anything: the others are asked, and it is told."""
    words = tr("{name} was not asked. {why}").format(name=agent.name, why=told(why.message))
    bench.views.text_pane.errors.say(words, tone="warning")
    bench.views.announcer.say(words)


def left_out(bench: Workbench) -> str:
    """Return a line on each agent that will not be asked beside the others, and why; mostly nothing."""
    line = tr("{name} will not be asked. {why}")
    found = bench.work.preview.left_out
    return "\n".join(line.format(name=agent.name, why=told(why.message)) for agent, why in found)


def _on_failed(bench: Workbench, error: LoomError) -> None:
    """Show the preview anew with facts of a model that were learned from its refusal. Say why answers broke
    off that have some text: they have no card that could.
    """
    if error.details.get("learned"):
        _show_learned(bench)
    drafts = bench.work.generator.drafts(bench.work.document.tree.loom.id)
    has_card = any(live.draft.error is error for live in drafts)
    if isinstance(error, ProviderError) and not has_card:
        words = "\n".join(filter(None, (told(error.message), unsteered(server_words(error)))))
        strip = bench.views.text_pane.errors
        strip.drop(told(error.message))
        strip.say(words, tone="warning")


def show_agents(bench: Workbench) -> None:
    on_demand.model_pages.show_agents(bench)


def show_endpoints(bench: Workbench) -> None:
    on_demand.model_pages.show_endpoints(bench)


def show_usage(bench: Workbench) -> None:
    on_demand.model_pages.show_usage(bench)


def _show_learned(bench: Workbench) -> None:
    on_demand.model_pages.show_learned(bench)
    bench.work.preview.refresh()


def _on_agents_changed(bench: Workbench) -> None:
    bench.display.show_agents()
    bench.display.show_path()
    _on_asked_changed(bench)


def _on_asked_changed(bench: Workbench) -> None:
    bench.display.show_agents()
    bench.display.show_tree_settings_values()
    bench.work.preview.refresh()
    bench.actions.refresh()


def shown_agent(bench: Workbench) -> str:
    """Return the agent of several whose context is shown, the one with the least room unless another was
    chosen; nothing if one is asked.
    """
    agent = bench.work.preview.agent
    return agent.name if agent is not None and len(bench.work.document.agents.asked()) > 1 else ""


def hint(bench: Workbench) -> str:
    """Return the cost of Generate: `6 calls, about 11,000 tokens`, and of several agents that of each."""
    estimate = estimate_of(bench.work.preview.plans, bench.views.composer.count)
    lines = [calls_and_tokens(estimate)]
    cost = estimate.most_cost(read_prices(bench.work.preferences.path)) if estimate.shares else None
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
    return "\n".join(filter(None, (*lines, left_out(bench))))


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


def ask_model_file(bench: Workbench, done: Callable[[], None]) -> None:
    """Have a model file chosen, and use it; then `done`."""
    from loomapp.ui.widgets.file_dialog import file_dialog  # late: few sessions choose a file

    def use(path: Path) -> None:
        use_model_file(bench, path)
        done()

    dialog = file_dialog(bench.views.window, "modelDialog", tr("Use a model file"))
    dialog.setFileMode(dialog.FileMode.ExistingFile)
    dialog.setNameFilters([tr("Models (*.gguf)"), tr("All files (*)")])
    dialog.fileSelected.connect(lambda name: bench.frame.run_command(lambda _: use(Path(name))))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def use_model_file(bench: Workbench, path: Path) -> None:
    """Make a model file an agent and ask it from now on. The file stays where it is; nothing is copied."""
    added = model_files.add(path)
    agent = agent_for(bench.work.document.grove, added.model_ref)
    bench.work.document.agents.forget()
    bench.work.document.agents.ask_only(agent.id)
    bench.display.show_agents()
    bench.work.preview.refresh()
    bench.frame.note(tr("{name} is asked from now on. The file stays where it is.").format(name=agent.name))
