"""Contents of the card of a summary: what it covers, costs and saved, whether it is used, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core.economy.calls import Calls, calls_on
from loomapp.core.economy.coverage import (
    AnchoredSummary,
    CoveredUnits,
    SummaryReading,
    based_on,
    earned_by,
    read_summary,
    summaries_on,
    text_of,
    what_changed,
)
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import ContextSummary
from loomapp.core.sent.calls import AT_LIMIT
from loomapp.core.summarisers.changes import differences
from loomapp.core.times import parse_time
from loomapp.session.requests.open_summaries import economy_of
from loomapp.store.queries.usage import end_of_response
from loomapp.ui import figures
from loomapp.ui.graph.painting.card_signs import Bracket
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.dialogue.summary.candidate_box import ShownCandidates
    from loomapp.ui.dialogue.summary.card import ShownSummary, State

UNKNOWN = CoveredUnits((), 0, 0)


class KnownWords:
    """The facts found out of the summaries of a path as it is: a walk through all of it for each key typed is
    too much.
    """

    def __init__(self) -> None:
        self._changes: dict[str, str] = {}  # by the key of the row
        self._saved: dict[str, int] = {}
        self._cut: dict[str, bool] = {}  # by the id of the response
        self._calls: Calls = {}

    def clear(self) -> None:
        """Forget it: the path or its summaries are others."""
        self._changes.clear()
        self._saved.clear()
        self._cut.clear()

    def is_cut(self, bench: Workbench, row: ContextSummary) -> bool:
        """True if the end of a summary is missing and nobody has written it since."""
        document, response_id = bench.work.document, row.response_id
        if response_id is None:
            return False
        if response_id not in self._cut:
            _, reason = end_of_response(document.grove, document.tree.loom.id, response_id)
            self._cut[response_id] = reason in AT_LIMIT
        return self._cut[response_id]

    def changed(self, bench: Workbench, summary: AnchoredSummary) -> str:
        """Say what changed since a stale summary was made."""
        key = summary.row.key
        if key not in self._changes:
            self._changes[key] = _what_changed(bench, summary)
        return self._changes[key]

    def saved(self, bench: Workbench, summary: AnchoredSummary, reading: SummaryReading) -> int:
        """Return the tokens that the calls of the path saved by a summary, less those that it cost; 0 as long
        as the calls are not known.
        """
        document, key = bench.work.document, summary.row.key
        calls = document.calls.known()
        if calls is None:
            return 0
        if calls is not self._calls:
            self._calls = calls
            self._saved.clear()
        if key not in self._saved:
            placed = calls_on(document.path, calls)
            cost = _cost(bench, summary, reading)
            self._saved[key] = earned_by(reading, (one.call for one in placed), cost).net
        return self._saved[key]


def _cost(bench: Workbench, summary: AnchoredSummary, reading: SummaryReading) -> int:
    """Return the tokens that a model took to make a summary: those it counted, else what went in and out."""
    if reading.model is None:
        return 0
    document, response_id = bench.work.document, summary.row.response_id
    counted: dict[str, int] = {}
    if response_id is not None:
        counted, _ = end_of_response(document.grove, document.tree.loom.id, response_id)
    sent = counted.get("inputTokens", reading.original_tokens)
    return sent + counted.get("outputTokens", reading.summary_tokens)


def used_key(bench: Workbench) -> str:
    """Return the key of the summary that the coming context uses; empty if it uses none."""
    assembled = bench.work.preview.last
    used = None if assembled is None else assembled.report.economy.summary_used
    return "" if used is None else f"{used.anchor_node_id}\0{used.covered_hash}"


def shown_summary(
    bench: Workbench, known: KnownWords, summary: AnchoredSummary, *, is_used: bool, shows_covered: bool
) -> ShownSummary:
    from loomapp.ui.dialogue.summary.card import ShownSummary  # late, as the card is made

    reading = read_summary(summary.row, UNKNOWN)
    count = figures.number(reading.messages_summarized)
    title = tr("Context summarized ({count} messages)").format(count=count)
    state: State = "used"
    facts = _tokens(reading, known.saved(bench, summary, reading))
    if not summary.is_valid:
        state, title = "stale", known.changed(bench, summary)
        facts = _sent_instead(bench)
    elif not is_used and not _is_below(bench, summary):
        state, facts = "unused", tr("Not used: Generate continues from another place.")
    elif not is_used:
        more = economy_of(bench.work.document).min_recent_messages - _below(bench, summary)
        state = "waits" if more > 0 else "unused"
        facts = _waits(more) if more > 0 else _sent_instead(bench)
    if known.is_cut(bench, summary.row):
        facts = tr("Cut off at the end · {facts}").format(facts=facts)
    agent = _agent(bench, reading)
    return ShownSummary(
        summary.row.key,
        title,
        facts,
        summary.text,
        _by(reading, summary, agent),
        state,
        "border.strong" if agent is None else theme.agent_role(agent),
        has_covered=is_used,
        is_covered_shown=shows_covered,
        can_edit=not bench.work.document.grove.read_only,
    )


def shown_candidates(bench: Workbench, key: str) -> ShownCandidates | None:
    """Return all that the box of candidates for a summary shows; None where none were asked for."""
    from loomapp.ui.dialogue.summary.candidate_box import ShownCandidates  # late, as the box is made

    document, candidates = bench.work.document, bench.work.generator.candidates
    place = document.tree.loom.id, key
    held, row = candidates.of(place), document.tree.context_summaries.get(key)
    if held is None or row is None:
        return None
    one = held.current
    if one is None:
        return ShownCandidates(missing=candidates.missing(place))
    runs = differences(text_of(row), (one,))[0].runs  # of this one alone: it is told at each key
    name = _name_of(bench, one.model)
    by = (
        tr("by {name} · edited by you").format(name=name)
        if one.is_edited
        else tr("by {name}").format(name=name)
    )
    return ShownCandidates(one.text, by, held.shown + 1, len(held.items), runs, candidates.missing(place))


def _name_of(bench: Workbench, model: str | None) -> str:
    agents = bench.work.document.agents.by_id().values()
    return next(
        (agent.name for agent in agents if model and agent.model_ref == model), model or tr("a model")
    )


def earned_lines(bench: Workbench) -> list[str]:
    """Return a line for each summary on the path that is read: what it earned, and what it cost."""
    document = bench.work.document
    if not document.has_tree or not document.tree.context_summaries:
        return []
    calls = document.calls.known()
    if calls is None:
        return [tr("Reading the calls of this tree…")]
    placed = [one.call for one in calls_on(document.path, calls)]
    lines: list[str] = []
    for summary in summaries_on(document.tree, document.path):
        reading = read_summary(summary.row, UNKNOWN)
        earned = earned_by(reading, placed, _cost(bench, summary, reading))
        words = tr("{messages} messages, {before} → {after} tokens: used in {calls}, saving {saved}")
        if not earned.calls:
            words = tr("{messages} messages, {before} → {after} tokens: not used yet")
        said = words.format(
            messages=figures.number(reading.messages_summarized),
            before=figures.number(reading.original_tokens),
            after=figures.number(reading.summary_tokens),
            calls=tr("1 call") if earned.calls == 1 else tr("{count} calls").format(count=earned.calls),
            saved=figures.number(earned.saved),
        )
        if earned.cost:
            cost = tr("{said}; making it cost {cost}, so {net} overall")
            said = cost.format(said=said, cost=figures.number(earned.cost), net=_signed(earned.net))
        lines.append(said)
    return lines


def _signed(tokens: int) -> str:
    return figures.number(tokens) if tokens >= 0 else f"−{figures.number(-tokens)}"


def bracket(summary: AnchoredSummary) -> Bracket:
    """Return the bracket over the cards that a summary stands for."""
    reading = read_summary(summary.row, UNKNOWN)
    words = tr("{count} messages summarised").format(count=figures.number(reading.messages_summarized))
    before, after = figures.number(reading.original_tokens), figures.number(reading.summary_tokens)
    tokens = tr("{before} → {after}").format(before=before, after=after)
    return Bracket(summary.row.anchor_node_id, words, tokens)


def _tokens(reading: SummaryReading, saved: int) -> str:
    before, after = figures.number(reading.original_tokens), figures.number(reading.summary_tokens)
    said = tr("{before} → {after} tokens").format(before=before, after=after)
    if saved <= 0:
        return said
    return tr("{tokens} · {saved} saved since").format(tokens=said, saved=figures.number(saved))


def _sent_instead(bench: Workbench) -> str:
    """Say what is sent in place of a summary: an earlier one, or its messages, all of them or what fits."""
    if used_key(bench):
        return tr("Not used: the earlier summary above is sent.")
    return tr("Not used: the original messages are sent.")


def _is_below(bench: Workbench, summary: AnchoredSummary) -> bool:
    """True if the node that Generate continues is the anchor, or a later one of the path that is read."""
    document = bench.work.document
    return document.current_id in document.path.node_ids[summary.place :]


def _below(bench: Workbench, summary: AnchoredSummary) -> int:
    """Count the messages below an anchor that are sent."""
    assembled = bench.work.preview.last
    below = bench.work.document.path.node_ids[summary.place + 1 :]
    if assembled is None:
        return len(below)
    return sum(assembled.fates.get(node_id) == "sent" for node_id in below)


def _waits(more: int) -> str:
    if more == 1:
        return tr("Not used yet: starts after 1 more message.")
    return tr("Not used yet: starts after {count} more messages.").format(count=figures.number(more))


def _what_changed(bench: Workbench, summary: AnchoredSummary) -> str:
    document = bench.work.document
    changed = what_changed(document.tree, document.path, summary.row).node_ids
    one = {
        "pruned": tr("1 message was deleted"),
        "restored": tr("1 message was brought back"),
        "excluded": tr("1 message was excluded"),
        "included": tr("1 message was included"),
        "added": tr("1 message is new"),
        "gone": tr("1 message was replaced"),
    }
    many = {
        "pruned": tr("{count} messages were deleted"),
        "restored": tr("{count} messages were brought back"),
        "excluded": tr("{count} messages were excluded"),
        "included": tr("{count} messages were included"),
        "added": tr("{count} messages are new"),
        "gone": tr("{count} messages were replaced"),
    }
    if "gone" in changed and "added" in changed:  # an edited message is both
        changed = {cause: ids for cause, ids in changed.items() if cause != "added"}
        one["gone"], many["gone"] = tr("1 message was edited"), tr("{count} messages were edited")
    told = [
        one[cause] if len(ids) == 1 else many[cause].format(count=figures.number(len(ids)))
        for cause, ids in changed.items()
        if cause in one
    ]
    said = ", ".join(told) or tr("its messages were changed")
    return tr("Out of date: {what}").format(what=said)


def _agent(bench: Workbench, reading: SummaryReading) -> Agent | None:
    agents = bench.work.document.agents.by_id().values()
    return next((agent for agent in agents if reading.model and agent.model_ref == reading.model), None)


def _by(reading: SummaryReading, summary: AnchoredSummary, agent: Agent | None) -> str:
    """Return who wrote a summary and when: `by SmolLM2 135M, 11:52 · edited by you`."""
    name = tr("you") if reading.model is None else agent.name if agent is not None else reading.model
    said = tr("by {name}").format(name=name)
    if reading.created_at:
        said = f"{said}, {figures.moment(parse_time(reading.created_at))}"
    is_edited = reading.model is not None and summary.row.response_id is None
    said = tr("{said} · edited by you").format(said=said) if is_edited else said
    is_on_another = based_on(summary.row) is not None
    return tr("{said} · goes on from an earlier summary").format(said=said) if is_on_another else said
