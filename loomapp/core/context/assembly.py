"""Assembly: from a tree and a node to exactly what a model is sent, with a report. Pure, linear time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from loomapp.core.context import report, sent_text
from loomapp.core.context.fit import FittedPassages, fit
from loomapp.core.context.messages import ImagePart, Message, Rendered, render_blocks
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
from loomapp.core.context.sent_text import DocumentSpan, Suffix, cut_suffix, whole_suffix
from loomapp.core.context.settings import AppContextSettings, EffectiveSettings, effective
from loomapp.core.context.system import SystemContext, SystemPart, collect
from loomapp.core.context.truncation import CONTINUE, STRATEGIES
from loomapp.core.context.units import Drops, Placed, Placing
from loomapp.core.errors import AssemblyError
from loomapp.core.media import Withheld
from loomapp.core.model.content import Block, Text, becomes_node
from loomapp.core.model.entities import ContextSettings, Edge, Mode
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import node_not_found, resolve
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.sentences import worded

AT_ONCE = 10_000  # messages that are written out without a rest
UNNAMED = "image"  # what an image is called that is no node yet and has no text of its own


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Wishes for one assembly at a node. The defaults send what the tree itself says.

    `context_ids` and `instruction_ids` are the sources of the generation about to run. `selections` and
    `included_annotations` stand in place of the tree's own unless None. `composer_text` (Dialogue) is a human
    message after `at` that is not committed yet, with `composer_blocks` before its text; `working_buffer`
    (Buffer) is text at the end, with `commits_buffer` as a node that is still to be made: the sources of the
    generation then stand before it. `suffix` (Buffer) is the text that follows what is written: the answer is
    to lead there. `withheld` are images, by reference, that cannot be sent, and why.
    """

    at: str
    window: int = 128_000
    overrides: ContextSettings = field(default_factory=ContextSettings)
    defaults: AppContextSettings = field(default_factory=AppContextSettings)
    system_prompt: str | None = None
    max_tokens: int | None = None
    context_ids: tuple[str, ...] = ()
    instruction_ids: tuple[str, ...] = ()
    included_annotations: tuple[str, ...] | None = None
    selections: Mapping[str, str] | None = None
    working_buffer: str = ""
    commits_buffer: bool = False
    suffix: str = ""
    composer_text: str | None = None
    composer_blocks: tuple[Block, ...] = ()
    provider_rules: str = "none"
    accepts_images: bool = True
    withheld: Mapping[str, Withheld] = field(default_factory=dict)


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

    @property
    def drops(self) -> Drops:
        return self.placed.drops

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
    path = resolve(tree, request.at, request.selections)
    _check_ids(tree, request, path)
    placing = _placed(tree, request, path)
    instruction_ids = _instruction_ids(path, request, settings)
    system = collect(tree, request.system_prompt, instruction_ids, placing.drops)
    if not placing.passages.units:
        raise AssemblyError(
            "EMPTY_CONTEXT", "Nothing on this path is left to send: write or include something."
        )
    available = _available(request, settings)
    room = _room(available, system)
    suffix = _suffix(tree, request, settings, room, placing.passages)
    if suffix is not None:
        room -= suffix.tokens
    fitted = fit(placing.passages, tree.loom.mode, settings, room, available)
    placed = placing.placed
    fates = fates_of(placed, fitted)
    told = _report(request, settings, available, system, placing, fitted, fates, suffix)
    assembled = Assembled(
        tree.loom.mode, system.text, system.parts, told, fitted, placed, fates, settings.continue_text,
        suffix=suffix,
    )  # fmt: skip
    rules = PROVIDER_RULES[request.provider_rules]
    return assembled if rules is None or tree.loom.mode == "buffer" else assembled.fitted_to(rules)


def _check_ids(tree: Tree, request: ContextRequest, path: Path) -> None:
    """Everything the path's edges refer to and everything asked for must be there.

    What the tree itself stores of choices and inclusions may name nodes that are gone.
    """
    asked = [
        source.node_id for edge in path.joints.values() for source in edge.sources if source.role != "primary"
    ]
    asked += (*request.context_ids, *request.instruction_ids)
    if request.included_annotations is not None:
        stored = set(tree.included_annotations.node_ids)
        asked += [node_id for node_id in request.included_annotations if node_id not in stored]
    if request.selections is not None:
        choices = tree.path.selections
        asked += [i for pair in request.selections.items() if choices.get(pair[0]) != pair[1] for i in pair]
    for node_id in asked:
        if node_id not in tree.nodes:
            raise node_not_found(node_id)


def _placed(tree: Tree, request: ContextRequest, path: Path) -> Placing:
    mode = tree.loom.mode
    included = request.included_annotations
    switched_on = frozenset(tree.included_annotations.node_ids if included is None else included)
    contexts = {i - 1: ids for i, edge in path.joints.items() if (ids := edge.with_role("context"))}
    composed = _composed(request) if mode == "dialogue" else ()
    written = request.working_buffer if mode == "buffer" else ""
    if request.context_ids and not _is_to_come(request, mode):
        contexts[len(path.node_ids) - 1] = request.context_ids
    placing = Placing(tree, path, contexts, switched_on, request.accepts_images, request.withheld)
    placing.place_path()
    if composed:
        placing.place_composed(composed, request.context_ids)
    if written and request.commits_buffer:
        placing.place_buffer_to_come(written, request.context_ids)
    elif written:
        placing.place_working_buffer(written)
    return placing


def _is_to_come(request: ContextRequest, mode: Mode) -> bool:
    """True if a node is made before anything is sent: the sources of the generation are then its own, and
    stay out with it if it says nothing.
    """
    if mode == "buffer":
        return bool(request.working_buffer) and request.commits_buffer
    return becomes_node(request.composer_text or "", request.composer_blocks)


def _composed(request: ContextRequest) -> Sequence[Rendered]:
    blocks = (*request.composer_blocks, Text(request.composer_text or ""))
    return render_blocks(blocks, "dialogue", UNNAMED)


def _instruction_ids(path: Path, request: ContextRequest, settings: EffectiveSettings) -> Iterable[str]:
    edges: Iterable[Edge] = path.joints.values() if settings.instruction_scope == "path" else ()
    on_path = (node_id for edge in edges for node_id in edge.with_role("instruction"))
    return dict.fromkeys((*on_path, *request.instruction_ids))


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


def _room(available: int, system: SystemContext) -> int:
    if system.tokens > available:
        raise AssemblyError(
            "SYSTEM_TOO_LARGE",
            worded(
                "The system context needs {tokens:,} tokens, {available:,} are available: shorten it.",
                tokens=system.tokens,
                available=available,
            ),
            needed=system.tokens,
            available=available,
        )
    return available - system.tokens


def _suffix(
    tree: Tree, request: ContextRequest, settings: EffectiveSettings, room: int, before: ContextPassages
) -> Suffix | None:
    if not request.suffix or tree.loom.mode != "buffer":
        return None
    if STRATEGIES[settings.truncation_strategy].cut is None:
        return whole_suffix(request.suffix)
    return cut_suffix(request.suffix, room, sum(before.tokens))


def _report(
    request: ContextRequest,
    settings: EffectiveSettings,
    available: int,
    system: SystemContext,
    placing: Placing,
    fitted: FittedPassages,
    fates: Fates,
    suffix: Suffix | None,
) -> Report:
    kept = report.kept_nodes(fitted)
    dropped = report.DroppedNodes(placing.drops, fitted, kept, fates)
    return Report(
        strategy=settings.truncation_strategy,
        window=request.window,
        available=available,
        system_tokens=system.tokens,
        before_tokens=system.tokens + fitted.all_tokens + (suffix.all_tokens if suffix else 0),
        after_tokens=system.tokens + fitted.tokens + (suffix.tokens if suffix else 0),
        truncated=bool(fitted.gap) or fitted.front is not None or (suffix is not None and suffix.is_cut),
        over_limit=fitted.over_limit,
        minimum_recent_honoured=fitted.recent_units
        >= min(settings.minimum_recent_nodes, placing.passages.units),
        marker=fitted.marker is not None,
        kept=kept,
        dropped=dropped,
        partial=report.partial_node(fitted),
        alternate_primaries=_alternate_primaries(placing.tree, placing.path),
        provider_adjustments=report.image_adjustments(fitted),
        warnings=(*report.warnings(request.context_ids, kept, dropped), *report.image_warnings(fitted)),
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
