"""Sending a question to models, and what can be done about a draft: retry, stop, dismiss, its key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from loomapp.core.errors import GroveError, InvalidInput, LargeAsk, OverLimit
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import why_not_continued
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.ui.commands import on_demand, remedies
from loomapp.ui.commands.summaries import conversation
from loomapp.ui.composer.composer_rows import digests
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench


def refuse_unseen(bench: Workbench) -> None:
    """Take in what other programs committed up to now. Raises: InvalidInput if another context than the one
    that was shown would be sent with that; it is shown now, and the next Generate sends it.
    """
    document, preview = bench.work.document, bench.work.preview
    preview.settle()
    tree, before, shown = document.tree, _state(document.tree), list(preview.outcomes)
    with suppress(GroveError):  # what cannot be read now is said when something is to be saved
        document.take_in()
    if document.tree is tree and _state(tree) == before:
        return  # the usual case: nothing is assembled for it
    preview.refresh_now()
    if digests(preview.outcomes) != digests(shown):
        raise InvalidInput(tr("Another program changed this text; look again, then Generate."))


def why_not_here(bench: Workbench) -> str:
    """Return why nothing can be asked where the writer is, for people: the node there is deleted. New words
    of a buffer are not, whatever they follow: they are what is continued.
    """
    document = bench.work.document
    return "" if bench.text.is_in_new_words else tr(why_not_continued(document.tree, document.current_id))


def refuse_here(bench: Workbench) -> None:
    """Raises: InvalidInput if the writer is at a deleted node."""
    if why := why_not_here(bench):
        raise InvalidInput(why)


def refuse_deleted(bench: Workbench, node_id: str) -> None:
    """Raises: InvalidInput if a node is deleted: what comes below it would be out of sight."""
    if why := why_not_continued(bench.work.document.tree, node_id):
        raise InvalidInput(tr(why))


def _state(tree: Tree) -> tuple[LoomTree, int]:
    return tree.loom, tree.touches.mark


def send(bench: Workbench, start: Callable[..., None], done: Callable[[], None]) -> None:
    """Start what is asked for. What is too long, or comes to very many tokens, waits above the composer for
    the user to decide; nothing is asked in a dialog.
    """

    def go(**allowed: bool) -> None:
        start(**allowed)
        done()

    waiting = bench.unfinished.question
    try:
        start(ask_above=bench.work.preferences.settings.ask_above_tokens)
        done()
    except OverLimit as error:
        anyway = partial(go, over_limit=True)
        steps: list[tuple[str, str, Callable[[], None]]] = [
            ("look", tr("What helps…"), partial(remedies.show_over_limit, bench)),
            ("model", tr("Another model…"), bench.views.header.agents.on_clicked),
            ("send", tr("Send anyway"), partial(waiting.answer, anyway)),
        ]
        bench.frame.offer_several(told(error.message), steps)
        waiting.begin()
    except LargeAsk as error:
        bench.frame.offer(told(error.message), tr("Send"), partial(waiting.answer, go))
        waiting.begin()


def answer_count(bench: Workbench, author: Sequence[Agent]) -> int:
    """Return how many answers are asked for: one of the author of an answer that was cut, whose link stands
    beside just that answer; else as many as the composer says.
    """
    return 1 if author else bench.views.composer.count


def ask_model(
    bench: Workbench,
    sources: Sources,
    *,
    sends_pending: bool = False,
    agents: Sequence[Agent] = (),
    action: str = "",
) -> None:
    """Ask `agents`, else every checked one, for as many continuations as the composer says; the author of a
    cut answer for one. The path goes on with the first. What is too long, or comes to very many tokens, is
    sent only if the user wants.
    """
    fills = sources.gap_id is not None  # by agents that can, not by an author
    count = bench.views.composer.count if fills else answer_count(bench, agents)

    def done() -> None:
        if sends_pending:
            bench.work.preview.pending.sent(sources)

    start = partial(bench.work.generator.start, sources, count, agents=agents, action=action)
    go = partial(send, bench, start, done)
    if not conversation.made_first(bench, sources, agents, go):
        go()


def act_on_draft(bench: Workbench, key: str, act: str) -> None:
    """Do something about a draft that failed or waits: retry, stop, dismiss it or all that failed, show its
    details, or go to its endpoint's key; or go to the permissions of the agent that was refused something,
    also in a message; or let an answer that was cut by its limit, or broke off, be continued or tried again
    by the agent whose it is.
    """
    generator, tree = bench.work.generator, bench.work.document.tree
    match act:
        case "retry":
            bench.text.retry_draft(key)
        case "stop":
            generator.stop(key)
        case "details":
            on_demand.log.show_call(bench, key)
        case "dismiss":
            generator.answers.dismiss(key)
        case "dismiss_all":
            generator.answers.dismiss_all(tree.loom.id)
        case "continue":
            bench.views.pages.flush()
            bench.text.continue_node(key, follow=True, agents=_author(bench, key))
        case "again":
            bench.views.pages.flush()
            bench.text.retry_node(key, agents=_author(bench, key))
        case "allow":
            drafts = generator.drafts(tree.loom.id)
            running = next((live.agent_id for live in drafts if live.key == key), None)
            author = tree.nodes[key].author_agent_id if key in tree.nodes else running
            on_demand.model_pages.show_agent(bench, author or "")
        case "key":
            drafts = generator.drafts(tree.loom.id)
            agents = bench.work.document.agents.by_id()
            [agent] = [agents[live.agent_id] for live in drafts if live.key == key]
            on_demand.model_pages.show_endpoint(bench, (agent.model_ref or "").partition(":")[0])


def _author(bench: Workbench, node_id: str) -> list[Agent]:
    """Return the agent that wrote a node; none if it can't be asked any more: then who is checked is."""
    author_id = bench.work.document.tree.nodes[node_id].author_agent_id
    return [agent for agent in bench.work.document.agents.models() if agent.id == author_id]
