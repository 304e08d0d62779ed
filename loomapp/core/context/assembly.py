"""Assembly: from a tree and a node to exactly what a model is sent, with a report. Pure, linear time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from loomapp.core.context import buffer, dialogue, report
from loomapp.core.context.buffer import FrontCut, Span
from loomapp.core.context.messages import ImagePart, Message, Part, TextPart
from loomapp.core.context.passages import Passages
from loomapp.core.context.provider_rules import (
    CONTINUATION_INSTRUCTION,
    DOCUMENT_AS_PREFILL,
    PROVIDER_RULES,
    ProviderRules,
    fit,
)
from loomapp.core.context.report import (
    PENDING_SOURCE_TRUNCATED,
    PENDING_SOURCE_WITHOUT_PRIMARY,
    Dropped,
    Partial,
    Report,
    Warned,
)
from loomapp.core.context.settings import AppContextSettings, EffectiveSettings, effective
from loomapp.core.context.system import SystemContext, SystemPart, collect
from loomapp.core.context.truncation import (
    BUFFER_MARKER,
    STRATEGIES,
    Cut,
    Squeeze,
    dialogue_marker,
    marker_cost,
)
from loomapp.core.context.units import Gathered, Placing, edge_sources
from loomapp.core.errors import AssemblyError
from loomapp.core.paths import Path, node_not_found, resolve
from loomapp.core.tokens import estimate
from loomapp.core.tree import ContextSettings, Edge, Mode, Tree

CONTINUE_DOCUMENT = "Continue the document exactly where it stops. Output only the continuation."
LARGEST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What is asked for at a node. The defaults send what the tree itself says.

    `context_ids` and `instruction_ids` are the sources of the generation about to run. `selections` and
    `included_annotations` replace the tree's own unless None. `composer_text` (Dialogue) stands for a human
    message after `at` that is not committed yet; `working_buffer` (Buffer) for text at the end.
    """

    at: str
    window: int = 128_000
    overrides: ContextSettings = ContextSettings()
    defaults: AppContextSettings = AppContextSettings()
    system_prompt: str | None = None
    max_tokens: int | None = None
    context_ids: tuple[str, ...] = ()
    instruction_ids: tuple[str, ...] = ()
    included_annotations: tuple[str, ...] | None = None
    selections: Mapping[str, str] | None = None
    working_buffer: str = ""
    composer_text: str | None = None
    provider_rules: str = "none"
    accepts_images: bool = True


@dataclass(frozen=True, slots=True)
class Assembled:
    """What is sent: `messages` in Dialogue, `document` with its `spans` in Buffer."""

    mode: Mode
    system: str | None
    messages: tuple[Message, ...]
    document: str | None
    spans: tuple[Span, ...]
    report: Report
    system_parts: tuple[SystemPart, ...] = ()


def assemble(tree: Tree, request: ContextRequest) -> Assembled:
    """What a model is sent to continue `request.at`. Changes nothing; the same input gives the same bytes.

    Raises: AssemblyError with, in this order, the codes of `paths.resolve`, NODE_NOT_FOUND, EMPTY_CONTEXT,
    INVALID_BUDGET, SYSTEM_TOO_LARGE, CONTEXT_TOO_LONG.
    """
    settings = effective(request.defaults, tree.loom.context_settings, request.overrides)
    path = resolve(tree, request.at, request.selections)
    joints = edge_sources(tree, path)
    _check_ids(tree, request)
    gathered = _gather(tree, request, path, joints)
    instructions = _instruction_ids(joints, request, settings)
    system = collect(tree, request.system_prompt, instructions, gathered)
    if not gathered.passages.starts:
        raise AssemblyError(
            "EMPTY_CONTEXT", "Nothing on this path is left to send: include a node, or write one."
        )
    available = _available(request, settings, system)
    fitted = _fit(gathered.passages, tree.loom.mode, settings, available - system.tokens, system.tokens)
    raw = _report(tree, request, settings, available, system, gathered, fitted)
    raw = replace(raw, alternate_primaries=_alternates(tree, path, joints))
    return _write(tree, request, gathered.passages, fitted, system, raw)


def _check_ids(tree: Tree, request: ContextRequest) -> None:
    """Ids that the tree itself stores may be dangling; those that were asked for may not."""
    asked = [*request.context_ids, *request.instruction_ids]
    if request.included_annotations is not None:
        stored = set(tree.included_annotations.node_ids)
        asked += [node_id for node_id in request.included_annotations if node_id not in stored]
    if request.selections is not None:
        kept = tree.path.selections
        chosen = (pair for pair in request.selections.items() if kept.get(pair[0]) != pair[1])
        asked += [node_id for pair in chosen for node_id in pair]
    for node_id in asked:
        if node_id not in tree.nodes:
            raise node_not_found(node_id)


def _gather(tree: Tree, request: ContextRequest, path: Path, joints: Sequence[tuple[int, Edge]]) -> Gathered:
    mode = tree.loom.mode
    included = request.included_annotations
    switched_on = tree.included_annotations.node_ids if included is None else included
    contexts = {i - 1: list(ids) for i, edge in joints if (ids := edge.with_role("context"))}
    composed = (request.composer_text or "").strip() if mode == "dialogue" else ""
    if request.context_ids and not composed:
        contexts[len(path.node_ids) - 1] = list(request.context_ids)
    placing = Placing(tree, mode, path, contexts, set(switched_on))
    placing.place_all()
    if composed:
        placing.place_uncommitted(composed, request.context_ids)
    if mode == "buffer" and request.working_buffer:
        placing.place_working_buffer(request.working_buffer)
    return placing.gathered


def _instruction_ids(
    joints: Iterable[tuple[int, Edge]], request: ContextRequest, settings: EffectiveSettings
) -> Iterable[str]:
    on_path = joints if settings.instruction_scope == "path" else ()
    ids = [node_id for _, edge in on_path for node_id in edge.with_role("instruction")]
    return dict.fromkeys([*ids, *request.instruction_ids])


def _available(request: ContextRequest, settings: EffectiveSettings, system: SystemContext) -> int:
    reserved = max(settings.token_buffer, request.max_tokens or 0)
    available = request.window - reserved
    if available <= 0:
        raise AssemblyError(
            "INVALID_BUDGET",
            f"The room for the answer ({reserved}) leaves nothing of the model's window ({request.window}).",
            window=request.window,
            reserved=reserved,
            available=available,
        )
    if system.tokens > available:
        raise AssemblyError(
            "SYSTEM_TOO_LARGE",
            f"The system context needs {system.tokens} tokens, {available} are available: shorten it.",
            needed=system.tokens,
            available=available,
        )
    return available


# Fitting


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The units that stay and, in Buffer, how the newest was cut."""

    cut: Cut
    units: int
    over_limit: bool = False
    front: FrontCut | None = None

    def ranges(self, passages: Passages) -> tuple[range, range]:
        """The parts that stay: at the start, and at the end."""
        begin = passages.unit_start(self.units - self.cut.tail) if self.front is None else self.front.first
        return range(passages.unit_start(self.cut.head)), range(begin, len(passages))

    @property
    def omitted(self) -> int:
        """Units left out."""
        return self.units - self.cut.head - self.cut.tail


def _fit(
    passages: Passages, mode: Mode, settings: EffectiveSettings, room: int, system_tokens: int
) -> _Fitted:
    costs = passages.unit_costs()
    if sum(costs) <= room:
        return _Fitted(Cut(0, len(costs), marker=False), len(costs))
    strategy = STRATEGIES[settings.truncation_strategy]
    cut = strategy(Squeeze(costs, room, settings.minimum_recent_nodes, marker_cost(mode, len(costs))))
    if cut is None:
        raise _too_long(passages, sum(costs) + system_tokens, room + system_tokens)
    if cut.tail > 1 or costs[-1] <= room:
        return _Fitted(cut, len(costs))
    if mode == "buffer" and room > 0:
        begin = passages.unit_start(len(costs) - 1)
        return _Fitted(cut, len(costs), front=buffer.cut_front(passages, begin, room))
    return _Fitted(cut, len(costs), over_limit=True)


def _too_long(passages: Passages, needed: int, available: int) -> AssemblyError:
    costs = _tokens_by_node(passages, range(len(passages)))
    largest = sorted(costs.items(), key=lambda pair: -pair[1])[:LARGEST_SHOWN]
    return AssemblyError(
        "CONTEXT_TOO_LONG",
        f"The context needs {needed} tokens, {available} are available: "
        f"exclude something ({needed - available} tokens at least), or let a strategy leave things out.",
        needed=needed,
        available=available,
        over_by=needed - available,
        largest=[{"nodeId": node_id, "tokens": cost} for node_id, cost in largest],
    )


def _tokens_by_node(passages: Passages, indexes: range) -> dict[str, int]:
    costs: dict[str, int] = {}
    for index in indexes:
        node_id = passages.node_ids[index]
        if node_id is not None:
            costs[node_id] = costs.get(node_id, 0) + passages.tokens[index]
    return costs


# Reporting


def _report(
    tree: Tree,
    request: ContextRequest,
    settings: EffectiveSettings,
    available: int,
    system: SystemContext,
    gathered: Gathered,
    fitted: _Fitted,
) -> Report:
    passages, cut = gathered.passages, fitted.cut
    head, tail = fitted.ranges(passages)
    ids = passages.node_ids
    kept = dict.fromkeys([*ids[: head.stop], *ids[tail.start :]])
    kept.pop(None, None)
    dropped = _dropped(gathered, range(head.stop, tail.start), kept)
    partial = _partial(passages, fitted.front)
    after = system.tokens + sum(passages.tokens[: head.stop]) + sum(passages.tokens[tail.start :])
    if partial is not None and fitted.front is not None:
        after -= passages.tokens[tail.start] - -(-partial.kept_chars // 4)
    if cut.marker:
        text = BUFFER_MARKER if tree.loom.mode == "buffer" else dialogue_marker(fitted.omitted)
        after += estimate(text)
    return Report(
        strategy=settings.truncation_strategy,
        window=request.window,
        available=available,
        system_tokens=system.tokens,
        before_tokens=system.tokens + sum(passages.tokens),
        after_tokens=after,
        truncated=tail.start > head.stop or partial is not None,
        over_limit=fitted.over_limit,
        minimum_recent_honoured=cut.tail >= min(settings.minimum_recent_nodes, fitted.units),
        marker=cut.marker,
        kept=tuple(node_id for node_id in kept if node_id is not None),
        dropped=dropped,
        partial=partial,
        warnings=_warnings(request, kept, dropped),
        instructions=tuple(part.node_id for part in system.parts if part.node_id is not None),
    )


def _dropped(gathered: Gathered, gap: range, kept: Mapping[str | None, None]) -> tuple[Dropped, ...]:
    """What the filter left out and what had no room, in reading order."""
    passages = gathered.passages
    places: dict[str, int] = {}
    for index in gap:
        node_id = passages.node_ids[index]
        if node_id is not None and node_id not in kept:
            places.setdefault(node_id, index)
    costs = _tokens_by_node(passages, gap)
    found = [(at, Dropped(node_id, "truncated", costs[node_id])) for node_id, at in places.items()]
    filtered = gathered.dropped.items()
    found += [entry for node_id, entry in filtered if node_id not in kept and node_id not in places]
    return tuple(dropped for _, dropped in sorted(found, key=lambda entry: entry[0]))


def _partial(passages: Passages, front: FrontCut | None) -> Partial | None:
    if front is None or front.dropped_chars == 0:
        return None
    return Partial(passages.node_ids[front.first], front.kept_chars, front.dropped_chars)


def _warnings(
    request: ContextRequest, kept: Mapping[str | None, None], dropped: Iterable[Dropped]
) -> tuple[Warned, ...]:
    reasons = {entry.node_id: entry.reason for entry in dropped}
    found: list[Warned] = []
    for node_id in dict.fromkeys(request.context_ids):
        if reasons.get(node_id) == "truncated":
            found.append(Warned(PENDING_SOURCE_TRUNCATED, node_id))
        elif node_id not in kept and node_id not in reasons:
            found.append(Warned(PENDING_SOURCE_WITHOUT_PRIMARY, node_id))
    return tuple(found)


def _alternates(tree: Tree, path: Path, joints: Iterable[tuple[int, Edge]]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for index, edge in joints:
        chosen = path.node_ids[index - 1]
        others = (node_id for node_id in edge.with_role("primary") if node_id != chosen)
        found.update((o, None) for o in others if tree.family(o) != tree.family(chosen))
    return tuple(found)


# Writing


def _write(
    tree: Tree,
    request: ContextRequest,
    passages: Passages,
    fitted: _Fitted,
    system: SystemContext,
    raw: Report,
) -> Assembled:
    cut = fitted.cut
    if tree.loom.mode == "buffer":
        ranges = fitted.ranges(passages)
        written = buffer.write(passages, ranges, marker=cut.marker, front=fitted.front)
        return Assembled("buffer", system.text, (), written.text, written.spans, raw, system.parts)
    omitted = fitted.omitted if cut.marker else None
    messages = dialogue.messages(
        tree, passages, cut.head, cut.tail, omitted=omitted, accepts_images=request.accepts_images
    )
    assembled = Assembled("dialogue", system.text, messages, None, (), raw, system.parts)
    rules = PROVIDER_RULES[request.provider_rules]
    return assembled if rules is None else fitted_to(assembled, rules)


def fitted_to(assembled: Assembled, rules: ProviderRules) -> Assembled:
    """The same context with its messages as a provider wants them; the report lists what was adjusted."""
    result = fit(rules, assembled.system, assembled.messages, truncated=assembled.report.truncated)
    adjustments = assembled.report.provider_adjustments + result.adjustments
    return replace(
        assembled,
        system=result.system,
        messages=result.messages,
        report=replace(assembled.report, provider_adjustments=adjustments),
    )


def as_chat(assembled: Assembled, rules: ProviderRules) -> Assembled:
    """A Buffer document for a chat model, which takes no prompt: `messages` in place of `document`.

    A model that accepts prefill gets it as its own unfinished turn. Any other gets it as the user's text,
    with a line that says what to do as the last part of the system context. A completions endpoint needs
    none of this: send `document` as it is.
    """
    assert assembled.document is not None, "only a document can be turned into a chat"
    role, adjustment = (
        ("assistant", DOCUMENT_AS_PREFILL) if rules.prefill else ("user", CONTINUATION_INSTRUCTION)
    )
    system = assembled.system
    if not rules.prefill:
        system = CONTINUE_DOCUMENT if system is None else f"{system}\n\n{CONTINUE_DOCUMENT}"
    message = Message(
        "assistant" if rules.prefill else "user",
        (TextPart(assembled.document),),
        tuple(dict.fromkeys(span.node_id for span in assembled.spans if span.kind == "node")),
    )
    adjustments = (*assembled.report.provider_adjustments, adjustment)
    chat = replace(
        assembled,
        system=system,
        messages=(message,),
        document=None,
        report=replace(assembled.report, provider_adjustments=adjustments),
    )
    return fitted_to(chat, rules)


# Printing


def to_json(assembled: Assembled) -> dict[str, object]:
    """What `loomapp assemble` prints."""
    value: dict[str, object] = {"mode": assembled.mode, "system": assembled.system}
    if assembled.document is None:
        value["messages"] = [_message_to_json(message) for message in assembled.messages]
    else:
        value["document"] = assembled.document
        value["spans"] = [_span_to_json(span) for span in assembled.spans]
    value["report"] = report.to_json(assembled.report)
    return value


def _message_to_json(message: Message) -> dict[str, object]:
    parts = [_part_to_json(part) for part in message.parts]
    return {"role": message.role, "parts": parts, "nodeIds": list(message.node_ids)}


def _part_to_json(part: Part) -> dict[str, object]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            return {"type": "image", "ref": part.ref, "mimeType": part.mime_type, "altText": part.alt_text}


def _span_to_json(span: Span) -> dict[str, object]:
    value: dict[str, object] = {"nodeId": span.node_id, "start": span.start, "end": span.end}
    return value if span.kind == "node" else {**value, "kind": span.kind}
