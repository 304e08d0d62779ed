"""The question that the open tree puts to an agent: what is asked, by all that is known of the tree."""

from __future__ import annotations

from loomapp.core.context.awareness import aware_agent
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent
from loomapp.core.prose.fill_in import suffix_of
from loomapp.session.document import Document


def open_question(document: Document, agent: Agent, sources: Sources) -> AskedQuestion:
    """Return what an agent is asked for continuations of some nodes of the open tree."""
    tree, at = document.tree, sources.primary_id
    selections = document.place.choices_reading(at)
    return AskedQuestion(
        agent,
        sources,
        defaults=document.context_defaults,
        media=document.media,
        suffix="" if sources.gap_id is None else suffix_of(tree, sources.gap_id),
        selections=selections,
        calls=document.calls.calls(document.context_defaults, document.path.nodes),
        now=document.calls.now,
        aware=aware_agent(agent, document.agents.by_id().values(), can_ask=True),
        estimator=document.counts.estimator(tree, at, selections, agent.model_ref),
    )
