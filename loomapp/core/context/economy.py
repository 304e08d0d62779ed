"""Economy in a context: summaries, then compression, before a strategy leaves anything out; and its state."""

from __future__ import annotations

from functools import cached_property

from loomapp.core.context import compression, summaries
from loomapp.core.context.compression import CompressedContext, PartsToShorten
from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.report import EconomyReport, ReportedLoad, StageName, Warned
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.settings import EffectiveSettings
from loomapp.core.context.summaries import SummarisedContext
from loomapp.core.context.system import SystemContext
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.context.units import Placing
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import Chain
from loomapp.core.economy.calls import PlacedCall, carried_on, counted_call, idle_seconds, totals_on
from loomapp.core.economy.compression import CarriedOn, WindowLoad, is_compaction_due
from loomapp.core.economy.coverage import (
    valid_on,
)
from loomapp.core.economy.thresholds import ContextState, budget_of
from loomapp.core.model.economy_settings import SUMMARIES, THRESHOLDS, Economy
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.text.token_counts import CHARS_4, chat_tokens

ROUNDED = 3  # digits of a utilisation that was found out


@dataclass(frozen=True, slots=True)
class StagesOn:
    """Stages that are on for a request. `lacks_system`: summaries would be, but a Buffer sends no system
    context.
    """

    chain: bool
    summary: bool
    compression: bool
    lacks_system: bool
    may_shorten: bool  # the strategy leaves something out where it must


def stages_on(tree: Tree, settings: EffectiveSettings) -> StagesOn:
    """Nothing is shortened in a Buffer, and with a strategy that leaves nothing out; see the settings."""
    economy, is_buffer = settings.economy, tree.loom.mode == "buffer"
    sends_system = not is_buffer or tree.loom.buffer_mode_system_context
    may_shorten = STRATEGIES[settings.truncation_strategy].cut is not None
    chain = economy.assembler == SUMMARIES
    summary = not chain and economy.use_summaries and may_shorten
    return StagesOn(
        chain and sends_system,
        summary and sends_system,
        economy.compression and may_shorten and not is_buffer,
        (chain or summary) and not sends_system,
        may_shorten,
    )


class ContextEconomy:
    """Economy of one context, after summaries and compression. Numbers that nobody may ask for are found out
    when they are asked for.
    """

    def __init__(
        self,
        tree: Tree,
        request: ContextRequest,
        settings: EffectiveSettings,
        placing: Placing,
        summarised: SummarisedContext,
        stages: StagesOn,
        available: int,
        chain: Chain | None = None,
    ) -> None:
        self.settings: Economy = settings.economy
        self.stages, self.available, self.chain, self.summarised = stages, available, chain, summarised
        self.tree, self._request, self._placing = tree, request, placing

    @property
    def can_read(self) -> bool:
        return self._request.can_read

    @property
    def path(self) -> Path:
        return self._placing.path

    @property
    def system(self) -> SystemContext:
        return self.summarised.system

    @property
    def every_part(self) -> ContextPassages:
        return self._placing.passages

    @property
    def passages(self) -> ContextPassages:
        """The parts that a strategy may leave out some of."""
        return self.summarised.passages if self.compressed is None else self.compressed.passages

    @cached_property
    def _bases(self) -> compression.BaseTexts | None:
        if not self.stages.compression:
            return None
        parts = PartsToShorten(
            self.tree,
            self.summarised.passages,
            self.summarised.placed.parts,
            tuple(self._placing.parts),
            self._request.composer_blocks,
        )
        return compression.base_texts(parts, self.settings, can_read=self._request.can_read)

    @cached_property
    def compressed(self) -> CompressedContext | None:
        """The context as compression has it; None where it is off."""
        bases = self._bases
        if bases is None:
            return None
        return compression.shortened(bases, self.settings, self.load, self.carried)

    @cached_property
    def counted(self) -> PlacedCall | None:
        """The nearest call on the path whose count tells what is used now."""
        request = self._request
        return counted_call(self.path, request.calls, request.model, self.summarised.key)

    @cached_property
    def used(self) -> int:
        """Tokens that the context takes: counted as far as it was sent before, else estimated."""
        bases, placed = self._bases, self.counted
        tokens = self.summarised.passages.tokens if bases is None else bases.passages.tokens
        if placed is None:
            return self.system.tokens + self.passages_fixed + sum(tokens)
        call, answer = placed.call, placed.call.answer_tokens
        if answer is None:
            answer = self._request.estimator.of(self.path.nodes[placed.place].text)
        after = max(0, self._placing.part_at(placed.place + 1) - self.summarised.skipped)
        return (call.input_tokens or 0) + answer + sum(tokens[after:])

    @property
    def passages_fixed(self) -> int:
        """Tokens of what is sent beside system context and units."""
        return self.summarised.passages.fixed_tokens

    @cached_property
    def load(self) -> WindowLoad:
        """Load of the effective window, and since when nothing was asked."""
        request, given = self._request, self._request.load
        idle = given.idle
        if not given.is_idle_given:
            idle = idle_seconds(self.path, request.calls, request.model, request.now)
        if given.utilization is not None:
            return WindowLoad(given.utilization, idle)
        return WindowLoad(self.used / self.settings.effective_window(request.window), idle)

    @cached_property
    def carried(self) -> tuple[CarriedOn, ...]:
        request = self._request
        if request.load.utilization is not None or request.load.carried:
            return request.load.carried
        return carried_on(self.path, request.calls, request.model)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        unsent = self._unsent() if self.stages.lacks_system else None
        return self.summarised.warnings if unsent is None else (*self.summarised.warnings, unsent)

    @property
    def covered_sources(self) -> tuple[str, ...]:
        """The sources attached to the coming generation that stood in the context before already, where a
        summary stands for them now.
        """
        covered = self.summarised.placed.covered
        if covered is None:
            return ()
        said = frozenset(covered.node_ids)
        return tuple(node_id for node_id in dict.fromkeys(self._request.context_ids) if node_id in said)

    def _unsent(self) -> Warned | None:
        """The warning of a Buffer that has a summary to use and sends no system context."""
        if self.chain is not None:
            said = next((head.node_id for head in self.chain.heads if head.summary), None)
        else:
            least = self.settings.min_recent_messages
            summary = summaries.usable_summary(self.tree, self.path, self._placing, least)
            said = None if summary is None else summary.row.anchor_node_id
        return None if said is None else Warned("summaries_need_system", said)

    def report(self, sent_tokens: int) -> EconomyReport:
        """The account of it; `sent_tokens`: of system and all parts that a strategy may choose from."""
        stages: list[tuple[StageName, int]] = []
        if self._tells_summaries():
            before = sent_tokens
            if self.compressed is not None:
                before = self.system.tokens + self.passages_fixed + sum(self.summarised.passages.tokens)
            stages.append(("summaries", before))
        if self.compressed is not None:
            stages.append(("compression", sent_tokens))
        return EconomyReport(
            () if self.compressed is None else self.compressed.parts,
            self.summarised.used,
            self.summarised.threads,
            tuple(stages),
            None if self.compressed is None else self._reported_load(),
            0 if self.compressed is None else self.compressed.freed_tokens,
        )

    def _tells_summaries(self) -> bool:
        """True if summaries are on for this tree or request, or by the usual settings and there are some, or
        another stage is told.
        """
        own = (self._request.overrides.economy, self.tree.loom.context_settings.economy)
        is_told = self.stages.compression or bool(self.tree.context_summaries)
        is_on = self.stages.summary and (
            is_told or any(settings.use_summaries is not None for settings in own)
        )
        return self.stages.chain or is_on

    def _reported_load(self) -> ReportedLoad:
        utilization = self.load.utilization
        if self._request.load.utilization is None:
            utilization = round(utilization, ROUNDED)
        return ReportedLoad(self.used, self.counted is not None, utilization, self.load.idle)

    def original_tokens(self, tokens: int) -> int:
        """Tokens of all parts without economy, given those of the parts that are left to a strategy."""
        if self.compressed is not None:
            tokens = sum(self.summarised.passages.tokens)
        covered = self.summarised.placed.covered
        return tokens + (0 if covered is None else sum(covered.tokens))

    @property
    def size(self) -> int:
        """Tokens of the context before a strategy, as thresholds judge it: counted as far as it was sent
        before, else estimated. By `chat-4` where tokens are characters / 4, as `loomapp assemble` counts.
        Where more is known of them, as in a window, it is by the same counts as what is cut and shown: by a
        second number something might be cut of a context that is told as half full.
        """
        if self.counted is not None:
            return self.used
        estimator = self._request.estimator
        if estimator.name == CHARS_4:
            return self.chat_size
        tokens = self.system.tokens + self.passages_fixed + sum(self.passages.tokens)
        return tokens if estimator.total is None or tokens > self.available else estimator.total

    @property
    def chat_size(self) -> int:
        """Tokens of the context by the estimator `chat-4`: a message is a node as it is sent, and the system
        context is one more.
        """
        lengths = message_lengths(self.passages)
        passages = self.passages
        beside = (self.system.text or "", passages.before_newest, *(text for _, text in passages.after))
        return chat_tokens([*lengths, *(len(text) for text in beside if text.strip())])

    @property
    def is_past_hard(self) -> bool:
        """True where a summary would be made before anything is sent, if somebody made one unasked."""
        if self.settings.make_summaries != THRESHOLDS or not self.stages.may_shorten:
            return False
        return self.state.is_hard_exceeded

    @property
    def is_compaction_due(self) -> bool:
        """True where a summary would be made before anything is sent, if compacting unasked is on."""
        window = self.settings.effective_window(self._request.window)
        if self.tree.loom.mode == "buffer" or not self.stages.may_shorten or window <= 0:
            return False
        freed = 0 if self.compressed is None else self.compressed.freed_tokens
        return is_compaction_due(self.used, freed, window, self.settings)

    @cached_property
    def state(self) -> ContextState:
        """The state of the context: of the thresholds, and totals of the path.

        Raises: AssemblyError INVALID_BUDGET if the reserve for the answer leaves nothing of the window.
        """
        window, economy = self._request.window, self.settings
        budget = budget_of(window, self.available, economy)
        size = self.size
        totals = totals_on(self.path, self._request.calls)
        return ContextState(
            size,
            self.counted is not None,
            window,
            size / budget,
            economy.soft_threshold,
            economy.hard_threshold,
            totals.input_tokens,
            totals.output_tokens,
            len(valid_on(self.tree, self.path)),
        )


def message_lengths(passages: ContextPassages, begin: int = 0, end: int | None = None) -> list[int]:
    """The lengths of messages, each a node as it is sent, its parts added up."""
    node_ids, sizes = passages.node_ids[begin:end], list(map(len, passages.texts[begin:end]))
    for place, header in passages.headers.items():
        if begin <= place < begin + len(sizes):
            sizes[place - begin] += len(header) + 1
    if not passages.joined:
        return sizes
    lengths: list[int] = []
    last: str | None = ""
    for node_id, size in zip(node_ids, sizes, strict=True):
        if lengths and node_id == last:
            lengths[-1] += size
        else:
            lengths.append(size)
        last = node_id
    return lengths


def summarised_context(
    tree: Tree,
    settings: EffectiveSettings,
    stages: StagesOn,
    placing: Placing,
    system: SystemContext,
    available: int,
) -> SummarisedContext:
    """The context once the context summary that is in use stands for what it covers."""
    if stages.summary:
        least = settings.economy.min_recent_messages
        summary = summaries.usable_summary(tree, placing.path, placing, least)
        if summary is not None:
            return summaries.by_summary(system, placing, summary, available)
    return summaries.whole(system, placing)
