"""Assembly: from a tree and a node to exactly what a model is sent, with a report. Pure, linear time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from loomapp.core.context import report, sent_text
from loomapp.core.context.awareness import Awareness
from loomapp.core.context.economy import ContextEconomy, stages_on, summarised_context
from loomapp.core.context.fit import FittedPassages, fit
from loomapp.core.context.messages import ImagePart, Message
from loomapp.core.context.outcomes import Fates, fates_of
from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.provider_rules import (
    PROVIDER_RULES,
    WRITTEN_OUT,
    AcceptedMessages,
    Adjustment,
    ProviderRules,
    as_chat,
    fit_messages,
    written_out,
)
from loomapp.core.context.report import Report
from loomapp.core.context.request import ContextRequest, check_ids, instruction_ids_of, make_aware, placing_of
from loomapp.core.context.sent_text import DocumentSpan, Suffix, cut_suffix, whole_suffix
from loomapp.core.context.settings import EffectiveSettings, effective
from loomapp.core.context.summaries import by_chain
from loomapp.core.context.system import SystemContext, SystemPart, collect
from loomapp.core.context.truncation import CONTINUE, STRATEGIES
from loomapp.core.context.units import Drops, Placed
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import chain_of, circular
from loomapp.core.errors import AssemblyError
from loomapp.core.model.economy_settings import SUMMARIES
from loomapp.core.model.entities import Mode
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.sentences import worded

AT_ONCE = 10_000  # messages that are written out without a rest


@dataclass(frozen=True)
class Assembled:
    """Assembled context and its report: `messages` in Dialogue, else `document` with its `spans`.

    These three are written out when they are first asked for: a preview that only shows numbers needs none.
    """

    mode: Mode
    system: str | None
    system_parts: tuple[SystemPart, ...]  # before the provider's rules
    report: Report
    fitted: FittedPassages
    placed: Placed  # where on the path each part comes from, and what the filter left out
    fates: Fates  # what becomes of each node
    continue_text: str = CONTINUE  # asks a model to go on that takes no unfinished message of its own
    rules: ProviderRules | None = None  # that a dialogue's messages are fitted to
    chat: ProviderRules | None = None  # that make messages of a document
    is_written_out: bool = False  # a dialogue that goes as one text
    suffix: Suffix | None = None  # what follows the document, where the answer is to lead there
    economy: ContextEconomy | None = None  # None where it is told by other ids
    awareness: Awareness | None = None  # of a loom-aware agent

    @property
    def drops(self) -> Drops:
        return self.placed.drops

    def tokens_of(self, node_id: str) -> int | None:
        """The tokens of a node among all that could be sent; None if it is not there."""
        tokens, parts = self.fitted.passages.tokens, self.placed.parts.get(node_id)
        if parts is not None:
            return sum(tokens[parts.start : parts.stop])
        first = self.placed.first_part(node_id)
        return None if first is None else tokens[first]

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """The images that go as images, those for which there is no room among them."""
        return tuple(self.fitted.passages.images.values())

    @cached_property
    def by_name(self) -> Counter[str]:
        """The nodes of which images are sent only by their names, and how many images of each."""
        passages, gap = self.fitted.passages, self.fitted.gap
        sent = (passages.node_ids[part] for part in passages.described if part not in gap)
        return Counter(node_id for node_id in sent if node_id is not None)

    @cached_property
    def instructed(self) -> frozenset[str]:
        """The nodes whose words go along as instructions in the system context."""
        return frozenset(part.node_id for part in self.system_parts if part.node_id is not None)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The messages in order, no two neighbours of one role; () for a document."""
        if self.chat is not None:
            node_ids = dict.fromkeys(span.node_id for span in self.spans if span.kind != "marker")
            return self._as_chat(self.chat, sent_text.document_text(self.fitted), tuple(node_ids)).messages
        if self.mode == "buffer":
            return ()
        return self._between_ends(tuple(sent_text.sent_messages(self.fitted)))

    def first_messages(self, most: int) -> tuple[Message, ...]:
        """The first messages of a dialogue, without making all the others of a long one."""
        if self.chat is not None or self.mode == "buffer":
            return self.messages[:most]
        found = tuple(islice(sent_text.sent_messages(self.fitted), most + 1))
        return self.messages if len(found) <= most else self._between_ends(found)[:most]

    def write_out_messages(self) -> Iterator[None]:
        """Write out those of a dialogue, with a rest wherever a long path takes its time."""
        if self.mode == "buffer" or self.chat is not None or "messages" in self.__dict__:
            return
        found: list[Message] = []
        for message in sent_text.sent_messages(self.fitted):
            found.append(message)
            if len(found) % AT_ONCE == 0:
                yield
        self.__dict__["messages"] = self._between_ends(tuple(found))  # as if they had been asked for

    def _between_ends(self, found: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return all messages, the first and the last as the provider's rules have them."""
        if self.rules is None:
            return found
        ends = self._fitted_to(self.rules, found if len(found) < 3 else (found[0], found[-1])).messages
        first = ends.index(found[0]) + 1
        return (*ends[:first], *found[1:-1], *ends[first:])

    @cached_property
    def document(self) -> str | None:
        """The text that is to be continued; None if messages are sent."""
        return sent_text.document_text(self.fitted) if self.is_document else None

    @property
    def is_document(self) -> bool:
        """True if a text to be continued goes out instead of messages."""
        return self.mode == "buffer" and self.chat is None

    @cached_property
    def sent_document(self) -> str | None:
        """The text that goes out as one: a document, or a dialogue written out; else None."""
        return written_out(self.messages) if self.is_written_out else self.document

    @cached_property
    def spans(self) -> tuple[DocumentSpan, ...]:
        """Sources of the document's text, stretch by stretch."""
        return sent_text.document_spans(self.fitted) if self.mode == "buffer" else ()

    def fitted_to(self, rules: ProviderRules) -> Assembled:
        """A dialogue with messages as a provider wants them; the report lists what was adjusted."""
        assert self.rules is None, "messages are fitted once"
        rules = replace(rules, continue_text=self.continue_text)
        result = self._fitted_to(
            rules, sent_text.outer_messages(self.fitted)
        )  # rules look at nothing between them
        return replace(self._telling(result.adjustments), rules=rules, system=result.system)

    def _fitted_to(self, rules: ProviderRules, messages: Sequence[Message]) -> AcceptedMessages:
        """Fit messages, the whole or its ends, to a provider's rules."""
        system = SystemContext(self.system_parts).text
        return fit_messages(rules, system, messages, truncated=self.report.truncated)

    def as_transcript(self) -> Assembled:
        """A dialogue for a model that only continues texts; the report says so."""
        return replace(self._telling((WRITTEN_OUT,)), is_written_out=True)

    def as_chat(self, rules: ProviderRules | None) -> Assembled:
        """A document as `messages` for a chat model; the report says how. See `provider_rules.as_chat`.

        Where nothing is known of the model (None), it is taken for one that accepts no prefill.
        """
        assert self.is_document, "only a document can be turned into a chat"
        rules = rules or ProviderRules()
        result = self._as_chat(rules, sent_text.document_end(self.fitted))  # nothing before it is looked at
        return replace(self._telling(result.adjustments), system=result.system, chat=rules)

    def _as_chat(
        self, rules: ProviderRules, text: str, node_ids: tuple[str | None, ...] = ()
    ) -> AcceptedMessages:
        """Fit a document or its end, sent as a chat, to a provider's rules."""
        system = SystemContext(self.system_parts).text
        return as_chat(rules, system, text, node_ids, truncated=self.report.truncated)

    def _telling(self, adjustments: tuple[Adjustment, ...]) -> Assembled:
        every = self.report.provider_adjustments + adjustments
        return replace(self, report=replace(self.report, provider_adjustments=every))


def assemble(tree: Tree, request: ContextRequest) -> Assembled:
    """Assemble the context that continues `request.at`. Changes nothing; the same input gives the same bytes.

    Raises: AssemblyError with, in this order, the codes of `paths.resolve`, NODE_NOT_FOUND, EMPTY_CONTEXT,
    INVALID_BUDGET, SYSTEM_TOO_LARGE, CONTEXT_TOO_LONG.
    """
    settings = effective(request.defaults, tree.loom.context_settings, request.overrides)
    path = _path(tree, request, settings)
    check_ids(tree, request, path)
    placing = placing_of(tree, request, path)
    instruction_ids = instruction_ids_of(path, request, settings)
    stages = stages_on(tree, settings)
    chain = chain_of(tree, path) if settings.economy.assembler == SUMMARIES else None
    own = collect(tree, request.system_prompt, instruction_ids, placing.drops)
    awareness = make_aware(tree, request, placing, settings)
    if awareness is not None:
        own = own.with_addendum(awareness.addendum)
    fixed = placing.passages.fixed_tokens
    system = own.with_chain(chain.text) if chain is not None and stages.chain else own
    if not placing.passages.units:
        raise _empty()
    summarised = by_chain(system, placing, chain) if chain is not None and stages.chain else None
    if summarised is not None and not summarised.passages.units:
        raise _empty()
    available = _available(request, settings)
    _check_system(available, system.tokens + fixed)
    if summarised is None:
        summarised = summarised_context(tree, settings, stages, placing, system, available - fixed)
    economy = ContextEconomy(tree, request, settings, placing, summarised, stages, available, chain)
    room = available - summarised.system.tokens - fixed
    passages = economy.passages
    suffix = _suffix(tree, request, settings, room, passages)
    if suffix is not None:
        room -= suffix.tokens
    fitted = fit(passages, tree.loom.mode, settings, room, available)
    placed = summarised.placed
    fates = fates_of(placed, fitted)
    told = _report(request, settings, available, own, economy, fitted, fates, suffix)
    assembled = Assembled(
        tree.loom.mode, summarised.system.text, summarised.system.parts, told, fitted, placed, fates,
        settings.continue_text, suffix=suffix, economy=economy, awareness=awareness,
    )  # fmt: skip
    rules = PROVIDER_RULES[request.provider_rules]
    return assembled if rules is None or tree.loom.mode == "buffer" else assembled.fitted_to(rules)


def _path(tree: Tree, request: ContextRequest, settings: EffectiveSettings) -> Path:
    try:
        return resolve(tree, request.at, request.selections)
    except AssemblyError as error:
        raise (circular(error) if settings.economy.assembler == SUMMARIES else error) from None


def _empty() -> AssemblyError:
    return AssemblyError(
        "EMPTY_CONTEXT", "There is nothing to send: write something, or include a message of this path again."
    )


def _available(request: ContextRequest, settings: EffectiveSettings) -> int:
    reserved = max(settings.token_buffer, request.max_tokens or 0)
    available = request.window - reserved
    if available <= 0:
        raise AssemblyError(
            "INVALID_BUDGET",
            worded(
                "The room for the answer ({reserved:,}) leaves nothing of the model's window ({window:,}).",
                reserved=reserved,
                window=request.window,
            ),
            window=request.window,
            reserved=reserved,
            available=available,
        )
    return available


def _check_system(available: int, tokens: int) -> None:
    if tokens > available:
        raise AssemblyError(
            "SYSTEM_TOO_LARGE",
            worded(
                "The system context needs {tokens:,} tokens, {available:,} are available: shorten it.",
                tokens=tokens,
                available=available,
            ),
            needed=tokens,
            available=available,
        )


def _suffix(
    tree: Tree, request: ContextRequest, settings: EffectiveSettings, room: int, before: ContextPassages
) -> Suffix | None:
    if not request.suffix or tree.loom.mode != "buffer":
        return None
    if STRATEGIES[settings.truncation_strategy].cut is None:
        return whole_suffix(request.suffix, request.estimator)
    return cut_suffix(request.suffix, room, sum(before.tokens), request.estimator)


def _report(
    request: ContextRequest,
    settings: EffectiveSettings,
    available: int,
    own: SystemContext,
    economy: ContextEconomy,
    fitted: FittedPassages,
    fates: Fates,
    suffix: Suffix | None,
) -> Report:
    """The report; `own` is the system context as it is without any summary."""
    kept, placed = report.kept_nodes(fitted), economy.summarised.placed
    fixed = fitted.passages.fixed_tokens  # counts as system context does
    system_tokens = economy.system.tokens + fixed
    dropped = report.DroppedNodes(placed, fitted, kept, fates)
    before = own.tokens + fixed + economy.original_tokens(fitted.all_tokens)
    after = system_tokens + fitted.tokens + (suffix.tokens if suffix else 0)
    counted = request.estimator.total
    return Report(
        strategy=settings.truncation_strategy,
        window=request.window,
        available=available,
        system_tokens=system_tokens,
        before_tokens=before + (suffix.all_tokens if suffix else 0),
        after_tokens=after if counted is None else counted,
        truncated=bool(fitted.gap) or fitted.front is not None or (suffix is not None and suffix.is_cut),
        over_limit=fitted.over_limit,
        minimum_recent_honoured=fitted.recent_units
        >= min(settings.minimum_recent_nodes, fitted.passages.units),
        marker=fitted.marker is not None,
        kept=kept,
        dropped=dropped,
        partial=report.partial_node(fitted),
        alternate_primaries=_alternate_primaries(economy.tree, placed.path),
        provider_adjustments=report.image_adjustments(fitted),
        warnings=(
            *report.warnings(request.context_ids, kept, dropped),
            *report.image_warnings(fitted),
            *economy.warnings,
        ),
        economy=economy.report(system_tokens + fitted.all_tokens),
        estimator=request.estimator.name,
    )


def _alternate_primaries(tree: Tree, path: Path) -> tuple[str, ...]:
    """Primary sources that the path passed by, except versions of the one it took."""
    families = VersionGroups(tree)
    found: dict[str, None] = {}
    for index, edge in path.joints.items():
        taken = families.of(path.node_ids[index - 1])
        others = (node_id for node_id in edge.with_role("primary") if families.of(node_id) != taken)
        found.update(dict.fromkeys(others))
    return tuple(found)


def to_json(assembled: Assembled) -> dict[str, object]:
    """Return an assembly as `loomapp assemble` prints it."""
    value: dict[str, object] = {"mode": assembled.mode, "system": assembled.system}
    if assembled.document is None:
        value["messages"] = [message.to_json() for message in assembled.messages]
    else:
        value["document"] = assembled.document
        value["spans"] = [span.to_json() for span in assembled.spans]
    if assembled.suffix is not None:
        value["suffix"] = assembled.suffix.to_json()
    return {**value, "report": report.to_json(assembled.report)}
