"""Forecast of a request: what would be sent, and what becomes of each message, in every view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import ByName, Fates, PathFlags, ShownFates, is_in_part, is_merged
from loomapp.core.context.outcomes import by_name as name_of
from loomapp.core.context.plain_text import merged_with
from loomapp.core.context.provider_rules import IMAGES_DESCRIBED
from loomapp.core.context.report import IMAGE_WARNINGS
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.thresholds import ContextState
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.model.content import Image, Media, withheld
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.text.token_counts import BY_CHARACTERS, TOKENIZER
from loomapp.session.plan import Plan, estimate_of
from loomapp.ui.commands import availability
from loomapp.ui.commands.agents import asked_models as agents_commands
from loomapp.ui.commands.inspector import sources
from loomapp.ui.figures import number
from loomapp.ui.strings import told, tr
from loomapp.ui.trees.compression_table import CompressionFacts, facts_of
from loomapp.ui.widgets.words.amounts import shortened_nodes
from loomapp.ui.widgets.words.outcome_words import FateWords, fate_words
from loomapp.ui.workbench import Workbench


@dataclass(frozen=True, slots=True)
class KnownFates:
    """All that the fates on the screen rest on.

    `mark` counts what happened to the tree; `rests_on` is the strategy, what the provider's rules changed,
    whether something is written that the last message may be sent together with, which images go only by
    their names, which long parts are shortened, and what would have been beside the path where nothing can be
    sent.
    """

    assembled: Fates | None
    tree: Tree
    path: Path
    mark: int
    rests_on: tuple[object, ...]

    def say_the_same(self, other: KnownFates | None) -> bool:
        """Tell whether no card and no message would look different."""
        if other is None or (self.mark, self.rests_on) != (other.mark, other.rests_on):
            return False
        if self.tree is not other.tree or self.path is not other.path:
            return False
        mine, theirs = self.assembled, other.assembled
        return mine is theirs or (mine is not None and theirs is not None and mine.says_the_same(theirs))


def state_of(context: Assembled) -> ContextState | None:
    """Return the state of a context; None where the reserve for the answer leaves nothing of the window. Of
    what is sent whole it has the count that stands beside it: nobody is to read two numbers for one thing.
    """
    try:
        state = None if context.economy is None else context.economy.state
    except AssemblyError:
        return None
    report = context.report
    if state is None or report.truncated or report.over_limit or not state.size:
        return state
    size = report.after_tokens
    is_measured = report.estimator == TOKENIZER
    return replace(state, size=size, measured=is_measured, ratio=state.ratio * size / state.size)


class Forecast(QObject):
    """Forecast of a window: the fate of each node. `fates` is what every view was told last, by node id."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self.fates: Mapping[str, str] = {}
        self._known: KnownFates | None = None
        self._flags = PathFlags()
        self._can_be_sent = False

    def on_assembled(self, assembled: object) -> None:
        """Show the coming context everywhere."""
        bench = self._bench
        context = bench.work.preview.last
        if context is None:
            return
        agents = bench.work.document.agents.by_id()
        self._can_be_sent = True
        self.show_generate()
        whose, images = agents_commands.shown_agent(bench), coming(bench.work.preview.plans)
        images = " ".join(filter(None, (agents_commands.left_out(bench), images)))
        state = state_of(context)
        if state is not None and not bench.work.document.calls.has_all:  # no sum of all calls is known
            state = replace(state, total_input_tokens=0, total_output_tokens=0)
        bar = bench.views.text_pane.context_bar
        bar.show_report(context.report, whose=whose, images=images, state=state)
        shown = bench.work.preview.agent
        asked = [plan.question.agent for plan in bench.work.preview.plans]
        inspected = bench.views.inspector.context
        inspected.agent_choice.show_agents(asked, "" if shown is None else shown.id)
        inspected.show_assembled(context, bench.work.document.tree, agents)
        if bench.views.pages.is_showing_settings:
            bench.views.text_pane.settings_preview.show_assembled(context, bench.work.document.tree, agents)
            bench.views.settings_page.show_compression(facts_of(context))
        self._show(context.fates, context.report.strategy)

    def show_generate(self) -> None:
        """Let Generate be pressed, or say why it cannot be: also once an answer is there that words waited
        for, or has failed.
        """
        if self._can_be_sent:
            why_not = availability.why_no_generate(self._bench)
            hint = why_not or agents_commands.hint(self._bench)
            answers = estimate_of(self._bench.work.preview.plans, self._bench.views.composer.count).answers
            self._bench.views.composer.set_generate(enabled=not why_not, hint=hint, answers=answers)

    def on_failed(self, error: LoomError) -> None:
        """Show that nothing can be sent as it is, and why."""
        bench = self._bench
        self._can_be_sent = False
        bench.views.composer.set_generate(enabled=False, hint=told(error.message))
        is_new = self._is_beginning(error)
        bench.views.text_pane.context_bar.show_report(None, None if is_new else error)
        bench.views.inspector.context.show_error(error, bench.work.document.tree)
        if bench.views.pages.is_showing_settings:
            bench.views.text_pane.settings_preview.show_error(error, bench.work.document.tree)
            bench.views.settings_page.show_compression(CompressionFacts())
        beside = {bench.work.document.current_id, *bench.work.preview.pending.roles.keys()}
        self._show(None, refused=None if is_new else frozenset(beside))

    def _is_beginning(self, error: LoomError) -> bool:
        """True where nothing is to be warned of: a tree that is still empty, or its start, is no mistake, nor
        is a text without words, or a caret before its first.
        """
        document = self._bench.work.document
        if error.code != "EMPTY_CONTEXT":
            return error.details.get("caret") == "start"
        at_start = document.tree.is_empty_root(document.current_id)
        return at_start or not self._bench.text.plain_text.strip()

    def words_of(self, node_id: str) -> FateWords:
        """Return the words for a node's fate in the coming context, on the path and off it."""
        bench = self._bench
        tree, context = bench.work.document.tree, bench.work.preview.last
        on_path = node_id in (bench.work.document.path if context is None else context.fates.path)
        merged = on_path and is_merged(self.fates, node_id)
        return fate_words(
            tree,
            tree.nodes[node_id],
            self.fates.get(node_id, ""),
            context,
            on_path=on_path,
            merged=merged,
            in_part=is_in_part(self.fates, node_id),
            by_name=name_of(self.fates, node_id),
        )

    def show_current(self) -> None:
        bench = self._bench
        current = bench.work.document.current_id
        if current in bench.work.document.tree.nodes:
            bench.views.inspector.node.show_fate(self.words_of(current))

    def _show(
        self, assembled: Fates | None, strategy: str = "", refused: frozenset[str] | None = None
    ) -> None:
        """Show the fate of each message, in every view. `refused`, where a request as it is cannot be sent:
        what would have been beside the path.
        """
        bench = self._bench
        tree, context = bench.work.document.tree, bench.work.preview.last
        adjusted = () if context is None else context.report.provider_adjustments
        instructed = frozenset() if context is None or assembled is None else context.instructed
        composed = bool(bench.views.composer.text.strip() or bench.work.preview.attachments.blocks)
        named = {} if assembled is None else nodes(bench.work.preview.plans)
        shortened = {} if context is None or assembled is None else shortened_nodes(context)
        counted_by = "" if context is None else context.report.estimator
        cut = bench.work.document.calls.cut_answers(bench.work.document.path.nodes)
        rests_on = (strategy, adjusted, composed, instructed, named, refused, shortened, counted_by, cut)
        bench.buffer.show_cuts()
        known = KnownFates(assembled, tree, bench.work.document.path, tree.touches.mark, rests_on)
        if known.say_the_same(self._known):
            return
        self._known = known
        merged = None if context is None or assembled is None else partial(merged_with, context)
        by_node = ShownFates(
            tree.nodes,
            bench.work.document.path,
            assembled,
            instructed,
            named,
            merged,
            refused,
            self._flags,
            shortened,
            None if context is None or assembled is None else context.tokens_of,
            BY_CHARACTERS if context is None else context.fitted.passages.estimator,
            cut,
        )
        self.fates = by_node
        bench.views.graph.set_fates(by_node)
        bench.views.side_parts.outline.set_fates(by_node)
        bench.views.dialogue.set_fates(by_node, strategy)
        bench.buffer.set_fates(by_node)
        self.show_current()
        sources.refresh(bench)


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
