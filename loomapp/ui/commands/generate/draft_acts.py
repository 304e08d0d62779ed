"""Commands about a draft that failed or waits: ask again, stop it, put it away, go to its key."""

from __future__ import annotations

from loomapp.ui.commands import on_demand
from loomapp.ui.workbench import Workbench


def act_on_draft(bench: Workbench, key: str, act: str) -> None:
    """Do something about a draft that failed or waits: retry, stop, dismiss, or go to its endpoint's key."""
    generator = bench.work.generator
    match act:
        case "retry":
            bench.text.retry_draft(key)
        case "stop":
            generator.stop(key)
        case "dismiss":
            generator.answers.dismiss(key)
        case "key":
            drafts = generator.drafts(bench.work.document.tree.loom.id)
            agents = bench.work.document.agents.by_id()
            [agent] = [agents[live.agent_id] for live in drafts if live.key == key]
            on_demand.model_pages.show_endpoint(bench, (agent.model_ref or "").partition(":")[0])
