"""Asking a model: the request, the events it streams, drafts that grow, and the Change they end in."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias

from loomapp.core.context.messages import ImagePart, Message
from loomapp.core.errors import LoomError
from loomapp.core.media import Media
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text, well_formed
from loomapp.core.model.entities import REASONING, ActivePath, Edge, EdgeSource, Interrupted, Metadata, Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.living_place import lives
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.answer_anchor import AnswerAnchor, versions_since
from loomapp.core.prose.fill_in import filled
from loomapp.core.response_text.rules import rule_for
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds

ErrorCode: TypeAlias = Literal[
    "authenticationFailed", "rateLimited", "contextTooLong", "modelNotFound", "invalidRequest", "serverError",
    "networkError", "timeout", "contentFiltered", "cancelled", "unknown",
]  # fmt: skip


class ProviderError(LoomError):
    """A model did not answer, or stopped in the middle. The message says provider, what happened, next step.

    `details` may hold status, requestId, retryAfterMs, needed, limit and a redacted excerpt of the body.
    """

    def __init__(self, code: ErrorCode, message: str, **details: object) -> None:
        super().__init__(message, **details)
        self.code: ErrorCode = code


ImageEncoder: TypeAlias = Callable[[ImagePart], str]
"""The base64 of an image. Raises: ProviderError if its bytes are not there."""


def no_image(part: ImagePart) -> str:
    """Where there is no media folder there is no image. Raises: ProviderError."""
    raise ProviderError(
        "invalidRequest",
        worded(
            "The image “{name}” is not in the media folder, or is not what it was. "
            "Put it back, or exclude it, and retry.",
            name=part.alt_text or part.ref[:12],
        ),
        ref=part.ref,
    )


def encoded_image(media: Media, part: ImagePart) -> str:
    """An image as it travels. Raises: ProviderError if its bytes are gone, or are other ones."""
    data = media.read(part.ref)
    return no_image(part) if data is None else base64.b64encode(data).decode("ascii")


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model, for `n` choices. Either `messages` or `document` is set.

    Dialogue: `system` and `messages`, provider rules already applied. Buffer: `document`, the text to be
    continued as it stands, and `system` if the tree opted in; `suffix`, if the answer is to lead there, as
    it stands.
    """

    model_ref: str
    system: str | None = None
    messages: tuple[Message, ...] = ()
    document: str | None = None
    suffix: str | None = None
    n: int = 1
    max_tokens: int | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()
    custom_parameters: Mapping[str, object] = field(default_factory=dict)
    cache_key: str | None = None  # the same for requests that begin alike, where a provider wants to know
    record: Mapping[str, object] | None = None  # what it was assembled from; kept with the response, not sent
    encode_image: ImageEncoder = no_image  # asked on the worker's thread, when the request is written out

    @property
    def model_name(self) -> str:
        """What the endpoint itself calls the model."""
        return self.model_ref.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say.

    The input is all of it, whether read from a cache or not; the output includes reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_written_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_json(self) -> dict[str, int]:
        """What is known, under the names that are saved and printed."""
        counted = {
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "cachedTokens": self.cached_tokens,
            "cacheWrittenTokens": self.cache_written_tokens,
            "reasoningTokens": self.reasoning_tokens,
        }
        return {name: tokens for name, tokens in counted.items() if tokens is not None}


@dataclass(frozen=True, slots=True)
class RequestSent:
    """All is made ready, and the request goes out now: from here on silence is the provider's."""


@dataclass(frozen=True, slots=True)
class Started:
    """The provider accepted the request and begins to answer."""

    request_id: str | None = None
    model: str | None = None  # as returned


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of one choice."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More reasoning of one choice; shown apart, never sent again."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """One choice is complete. `reason` is the provider's word: stop, length, …"""

    index: int
    reason: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A choice that had finished is not complete after all: its response was not whole. Its error follows."""

    index: int


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Tokens of the whole exchange so far, or of one choice where it was an exchange of its own."""

    usage: Usage
    index: int | None = None


@dataclass(frozen=True, slots=True)
class ChoiceFailed:
    """One of several exchanges failed; the others go on."""

    index: int
    error: LoomError


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The request was sent again without something that this model refuses: `this model ignores top_k`."""

    note: str


StreamEvent = (
    RequestSent
    | Started
    | TextDelta
    | ReasoningDelta
    | Finished
    | Withdrawn
    | UsageReported
    | Adjusted
    | ChoiceFailed
)


class Stop(Protocol):
    """Asked by a provider between reads."""

    @property
    def requested(self) -> bool:
        """True once the user wants the stream to end."""


class Provider(Protocol):
    """One protocol of language models."""

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """Blocks between events; one attempt. Runs on a worker thread.

        Raises: ProviderError for whatever goes wrong, after the events that came before it.
        """


@dataclass(frozen=True, slots=True)
class Wait:
    """Why nothing comes right now, for people: it is asked again by itself in `again_in_s`, or, where that is
    None, it has said nothing for `silent_s`.
    """

    why: str
    again_in_s: int | None = None
    silent_s: int = 0

    @property
    def sentence(self) -> str:
        """All of it."""
        if self.again_in_s is None:
            return self.why
        return worded("{why} Trying again in {seconds}\u00a0s.", why=self.why, seconds=self.again_in_s)


@dataclass(frozen=True, slots=True)
class Draft:
    """One choice while it streams. Not a node: nothing of it is in the tree until its request ends."""

    index: int
    text: str = ""
    reasoning: str = ""
    reason: str | None = None  # the provider's finish reason
    usage: Usage | None = None
    interrupted: str | None = None  # timeout, network, provider error, cancelled, crash
    error: LoomError | None = None
    waits: Wait | None = None  # while nothing comes

    @property
    def ended(self) -> bool:
        """True when no more text will come."""
        return self.reason is not None or self.interrupted is not None or self.error is not None


@dataclass(frozen=True, slots=True)
class LiveDraft:
    """A draft and where it hangs in the tree while it streams. `key` is unique among live drafts."""

    key: str
    parent_id: str
    agent_id: str
    draft: Draft
    gap_id: str | None = None  # that it fills
    node_id: str = ""  # the node that it becomes, if it gets any text


def grow(draft: Draft, event: StreamEvent) -> Draft:
    """The draft after an event; events of other choices leave it as it is."""
    match event:
        case TextDelta(index=draft.index, text=text) if not draft.ended:
            return replace(draft, text=draft.text + text)
        case ReasoningDelta(index=draft.index, text=text) if not draft.ended:
            return replace(draft, reasoning=draft.reasoning + text)
        case Finished(index=draft.index, reason=reason, usage=usage) if not draft.ended:
            return replace(draft, reason=reason, usage=usage)
        case Withdrawn(index=draft.index) if draft.error is None and draft.interrupted is None:
            return replace(draft, reason=None)
        case UsageReported(index=draft.index, usage=usage):
            return replace(draft, usage=usage)
        case ChoiceFailed(index=draft.index, error=error):
            return fail(draft, error)
        case _:
            return draft


def joined(events: Iterable[StreamEvent]) -> Iterator[StreamEvent]:
    """The same events with the text of each choice in one piece as long as nothing but text comes: a draft is
    copied as often as it grows.
    """
    pieces: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, TextDelta):
            pieces.setdefault(event.index, []).append(event.text)
            continue
        yield from _poured(pieces)
        yield event
    yield from _poured(pieces)


def _poured(pieces: dict[int, list[str]]) -> Iterator[TextDelta]:
    while pieces:
        index = next(iter(pieces))
        yield TextDelta(index, "".join(pieces.pop(index)))


INTERRUPTION_BY_CODE: Mapping[str, str] = {
    "timeout": "timeout",
    "networkError": "network",
    "cancelled": "cancelled",
}


def fail(draft: Draft, error: LoomError) -> Draft:
    """The draft as an error leaves it: its text stays, flagged with why it ends here."""
    if draft.ended:
        return draft
    return replace(draft, interrupted=INTERRUPTION_BY_CODE.get(error.code, "provider error"), error=error)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a generation hangs on: the node it continues and the material beside it. What is filled in stands
    in a gap: an empty passage after that node, see `prose.fill_in`.
    """

    primary_id: str
    context_ids: tuple[str, ...] = ()
    instruction_ids: tuple[str, ...] = ()
    gap_id: str | None = None

    def as_edge_sources(self) -> tuple[EdgeSource, ...]:
        """Primary first, then context, then instruction sources."""
        return (
            EdgeSource(self.primary_id, "primary"),
            *(EdgeSource(node_id, "context") for node_id in self.context_ids),
            *(EdgeSource(node_id, "instruction") for node_id in self.instruction_ids),
        )


def nodes_from_drafts(
    tree: Tree,
    drafts: Sequence[Draft],
    *,
    sources: Sources,
    agent_id: str,
    evidence: Sequence[Evidence],
    now: Milliseconds,
    new_id: Callable[[], str],
    follow: bool = True,
    read_index: int = 0,
    by: str = "you",
    record: Mapping[str, object] | None = None,
    standing: AnswerAnchor | None = None,
    back: ActivePath | None = None,
    ids: Mapping[int, str] = MappingProxyType({}),
) -> Change | None:
    """One Change that makes a node of every draft with text, all as siblings; None if none has text.

    `standing` is what stood there when it was asked, where that is known. The answers follow the versions
    that the continued node got since, and their hashes are made with what they were asked for.

    `back` is the path that was read before the text was cut for the answers, if it was: undo leads there.
    `ids` are those that the nodes are to have, by the drafts' numbers, where they were given out before.

    `record` is the request's, kept with its responses.
    `evidence.choices` names drafts by their numbers; from here on it names the nodes. With `follow` the
    active path moves to the choice `read_index`, else to the first new node, if it now ends at the node that
    was continued, or at one of these versions. Answers to what was pruned meanwhile are pruned, as all below
    that is: who restores it has them. What fills a gap becomes versions of it: what follows it follows them,
    and the path takes the one that is read in the place of what stood there.
    """
    written = [draft for draft in drafts if draft.text]
    if not written:
        return None
    node_ids = [ids.get(draft.index) or new_id() for draft in written]
    numbers = {str(draft.index): node_id for node_id, draft in zip(node_ids, written, strict=True)}
    rules = {
        node_id: rule_for(draft.text, interrupted=draft.interrupted is not None)
        for node_id, draft in zip(node_ids, written, strict=True)
    }
    evidence = tuple(
        _of_nodes(one, numbers, rules, record)
        for one in evidence
        if not numbers.keys().isdisjoint(one.choices)
    )
    digests = {node_id: digest for one in evidence for node_id, digest in one.digests()}
    edge_sources = sources.as_edge_sources()
    parent_hashes = tuple(sorted(tree.nodes[source.node_id].content_hash for source in edge_sources))
    versions = () if standing is None else versions_since(tree, sources.primary_id, standing)
    edge_sources += tuple(EdgeSource(node_id) for node_id in versions)
    continued = (sources.primary_id, *versions)
    gap_id = sources.gap_id if sources.gap_id in tree.nodes else None
    # Living ones would stand below what is pruned, out of sight.
    metadata = Metadata(pruned=not any(lives(tree, node_id) for node_id in continued))
    rows: list[RowChange] = []
    taken: set[str] = set()
    for node_id, draft in zip(node_ids, written, strict=True):
        local_id = tree.new_local_id(node_id, taken)
        taken.add(local_id)
        node = Node(
            id=node_id,
            local_id=local_id,
            content=Text(well_formed(draft.text)),
            author_type="model",
            author_agent_id=agent_id,
            created_at=now,
            parent_hashes=parent_hashes,
            edited_from=gap_id,
            interrupted=Interrupted(draft.interrupted) if draft.interrupted else None,
            metadata=metadata,
            extra={REASONING: well_formed(draft.reasoning)} if draft.reasoning else {},
        )
        rows.append(RowChange(None, replace(node, content_hash=content_hash(node, digests.get(node_id)))))
        rows.append(RowChange(None, Edge(new_id(), edge_sources, node_id, created_at=now)))
    by_index = {draft.index: node_id for node_id, draft in zip(node_ids, written, strict=True)}
    read_id = by_index.get(read_index, node_ids[0]) if follow else None
    way = resolve(tree, tree.path.leaf_id).node_ids if versions else ()
    chosen = {node_id: read for node_id in node_ids for read in continued if read in way}
    label = "Generate" if len(written) == 1 else f"Generate {len(written)} continuations"
    if gap_id is not None:
        instead_of = (standing and standing.filled_id) or gap_id
        rows += filled(tree, gap_id, node_ids, read_id, chosen, instead_of=instead_of)
        label = "Fill in" if len(written) == 1 else f"Fill in {len(written)} versions"
    elif read_id is not None and tree.path.leaf_id in continued:
        path = ActivePath(read_id, {**tree.path.selections, **chosen}, tree.path.extra)
        rows.append(RowChange(back or tree.path, path))
    elif back is not None and tree.path.leaf_id in continued:  # they are only offered as yet
        rows.append(RowChange(back, tree.path))
    return Change(tree.loom.id, label, now, tuple(rows), by=by, evidence=evidence)


def _of_nodes(
    evidence: Evidence,
    numbers: Mapping[str, str],
    rules: Mapping[str, str],
    record: Mapping[str, object] | None,
) -> Evidence:
    choices = {numbers[number]: choice for number, choice in evidence.choices.items() if number in numbers}
    texts = {node_id: rules[node_id] for node_id in choices}
    extra = evidence.extra if record is None else {**evidence.extra, RECORD: record}
    return replace(evidence, choices=choices, texts=texts, extra=extra)
