"""Images that go only by name: what is said of them before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence

from loomapp.core.context.outcomes import ByName
from loomapp.core.context.provider_rules import IMAGES_DESCRIBED
from loomapp.core.context.report import IMAGE_WARNINGS
from loomapp.core.media import Media, withheld
from loomapp.core.model.content import Image
from loomapp.session.plan import Plan
from loomapp.ui.figures import number
from loomapp.ui.strings import tr


def coming(plans: Sequence[Plan]) -> str:
    """Return a line on all images of the coming context; empty where each goes as an image."""
    reports = [plan.assembled.report for plan in plans]
    blind = [
        plan.question.agent.name
        for plan in plans
        if IMAGES_DESCRIBED in plan.assembled.report.provider_adjustments
    ]
    said = [_blind_words(blind)] if blind else []
    for why, code in IMAGE_WARNINGS.items():
        counts = [sum(one.count for one in report.warnings if one.code == code) for report in reports]
        if most := max(counts, default=0):
            said.append(_many_words(why).format(count=number(most)) if most > 1 else _one_words(why))
    return " ".join(said)


def nodes(plans: Sequence[Plan]) -> dict[str, ByName]:
    """The nodes of which images go only by their names in the coming context, to whom, and how many."""
    found = [plan.assembled.by_name for plan in plans]
    counted: dict[str, ByName] = {}
    for node_id in {node_id for one in found for node_id in one}:
        named = [plan for plan, one in zip(plans, found, strict=True) if node_id in one]
        whose = ", ".join(plan.question.agent.name for plan in named) if len(named) < len(plans) else ""
        counted[node_id] = ByName(max(one[node_id] for one in found), whose)
    return counted


def attached(image: Image, plans: Sequence[Plan], media: Media | None) -> str:
    """Return words on an attached image; empty if it goes as an image to every agent."""
    blind = [p.question.agent.name for p in plans if not (p.rules.accepts_images and p.rules.takes_messages)]
    said = [_blind_words(blind)] if blind else []
    why = withheld((image,), media).get(image.ref)
    if why is not None and (not plans or len(blind) < len(plans)):
        said.append(_one_words(why))
    return " ".join(said)


def _blind_words(agent_names: Sequence[str]) -> str:
    one, more = (
        tr("{agents} takes no images: only their names are sent."),
        tr("{agents} take no images: only their names are sent."),
    )
    return (one if len(agent_names) == 1 else more).format(agents=", ".join(agent_names))


def _one_words(why: str) -> str:
    return {
        "missing": tr("An image is missing from the media folder: only its name is sent."),
        "format": tr("An image is of a kind that no model takes: only its name is sent."),
        "size": tr("An image is larger than models take: only its name is sent."),
    }[why]


def _many_words(why: str) -> str:
    return {
        "missing": tr("{count} images are missing from the media folder: only their names are sent."),
        "format": tr("{count} images are of a kind that no model takes: only their names are sent."),
        "size": tr("{count} images are larger than models take: only their names are sent."),
    }[why]
