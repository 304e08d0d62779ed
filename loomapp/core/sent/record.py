"""The record of what was sent: the inputs, the report and a digest, kept with the response it led to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import field, replace
from json.encoder import encode_basestring
from typing import NamedTuple, get_args

from loomapp.core.context import report
from loomapp.core.context.assembly import Assembled
from loomapp.core.context.awareness import Awareness, RunExchange
from loomapp.core.context.messages import Message, Part, TextPart
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability, request_for
from loomapp.core.generation.provider import Request
from loomapp.core.json_values import Json, JsonReader, string_map
from loomapp.core.model.content import Withheld
from loomapp.core.model.hashes import canonical_json
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent import economy, estimators
from loomapp.core.sent.calls import ECONOMY
from loomapp.core.sent.estimators import ESTIMATOR, scaled_by_last
from loomapp.core.sent.inputs import Inputs, Model, choices, inputs_of
from loomapp.core.sent.trial import Trial
from loomapp.core.text.token_counts import BY_CHARACTERS, Scaled, TokenEstimator, scaled_by

AT_ONCE = 5_000  # messages in a piece of what is said


@dataclass(frozen=True, slots=True)
class Record:
    """Inputs of one request, and what came of it.

    `digest` is the hex SHA-256 of the canonical JSON of the assembled system text, messages and document.
    `report` is the report as `loomapp assemble` prints it, without the nodes that were kept or had no room:
    there may be a hundred thousand, and assembling the inputs again names them. `variant` is the name of what
    was tried instead, if it was. `is_moved`: the path of the inputs is that of today, since the branch hangs
    elsewhere or lost nodes.
    """

    inputs: Inputs
    digest: str
    report: Mapping[str, object] = field(default_factory=dict)
    model_ref: str = ""
    agent_name: str = ""
    variant: str | None = None
    is_moved: bool = False


def record_of(
    inputs: Inputs,
    assembled: Assembled,
    *,
    model_ref: str = "",
    agent_name: str = "",
    variant: str | None = None,
) -> Record:
    found = assembled.report
    told = report.to_json(replace(found, kept=(), dropped=()))
    del told["kept"]
    told["dropped"] = [
        {"nodeId": node_id, "reason": reason, "tokens": cost}
        for _, (node_id, reason, cost) in assembled.drops.by_id.values()
    ]
    if inputs.economy is None:  # summaries may be on and have nothing to do: records stay what they were
        told.pop("stages", None)
    if inputs.estimator is not BY_CHARACTERS and not assembled.images:  # a count of images scales no texts
        told.update(estimators.sizes_of(assembled))
    told["truncatedNodes"] = report.counts_of(found.dropped)["truncated"]
    return Record(inputs, digest_of(assembled), told, model_ref, agent_name, variant)


def recorded_request(
    tree: Tree,
    question: AskedQuestion,
    known: ModelCapability,
    assembled: Assembled,
    count: int,
    *,
    trial: Trial | None = None,
) -> Request:
    """The request that carries an assembled context for `count` choices, with the record of it."""
    agent = question.agent
    record = record_of(
        inputs_of(tree, question, known, assembled) if trial is None else trial.inputs,
        assembled,
        model_ref=agent.model_ref or "",
        agent_name=agent.name,
        variant=None if trial is None else trial.name,
    )
    request = request_for(assembled, question, count, cache_key=tree.loom.id)
    return replace(request, record=to_json(record, tree))


def digest_of(assembled: Assembled) -> str:
    """The hex SHA-256 of the words that are sent, image parts by reference; node ids are no part of it."""
    return hashlib.sha256(said_json(assembled)).hexdigest()


def digesting(assembled: Assembled) -> Generator[None, None, str]:
    """Compute the digest of an assembly, with a rest wherever a long path takes its time."""
    yield from assembled.write_out_messages()
    digest = hashlib.sha256()
    for piece in _pieces(assembled):
        digest.update(piece)
        yield
    return digest.hexdigest()


def said_json(assembled: Assembled) -> bytes:
    """The canonical JSON of what is sent. It may be megabytes, so that it is written out here, key by key."""
    return b"".join(_pieces(assembled))


def _pieces(assembled: Assembled) -> Iterator[bytes]:
    """Yield that JSON from beginning to end, some thousand messages in a piece."""
    document = canonical_json(assembled.sent_document).decode("utf-8", "surrogatepass")
    yield f'{{"document":{document},"messages":['.encode("utf-8", "surrogatepass")
    for first in range(0, len(assembled.messages), AT_ONCE):
        said = ",".join(map(_said, assembled.messages[first : first + AT_ONCE]))
        yield f"{',' if first else ''}{said}".encode("utf-8", "surrogatepass")
    suffix = ""
    if assembled.suffix is not None:  # no key where there is none: digests stay what they were
        suffix = f'"suffix":{encode_basestring(assembled.suffix.text)},'
    system = canonical_json(assembled.system).decode("utf-8", "surrogatepass")
    yield f'],{suffix}"system":{system}}}'.encode("utf-8", "surrogatepass")


def _said(message: Message) -> str:
    parts = ",".join(map(_part_said, message.parts))
    return f'{{"parts":[{parts}],"role":"{message.role}"}}'


def _part_said(part: Part) -> str:
    if type(part) is TextPart:
        return f'{{"text":{encode_basestring(part.text)},"type":"text"}}'
    return canonical_json(part.to_json()).decode("utf-8", "surrogatepass")


def record_in(evidence: Evidence, tree: Tree) -> Record | None:
    """The record of a response, or None if it was kept without one, or with one that can't be read."""
    try:
        return from_json(evidence.extra.get(RECORD), tree, RECORD)
    except InvalidInput:
        return None


class TokenCount(NamedTuple):
    """Tokens counted by a provider for a request, its characters, its safe estimate, and the model that was
    asked.
    """

    measured: int
    characters: int
    safe_tokens: int
    model_ref: str


def counted_for(evidence: Evidence) -> TokenCount | None:
    """Return the token count of a response's request; None if the provider, or the record, does not say."""
    measured = evidence.usage.get("inputTokens")
    record = evidence.extra.get(RECORD)
    told = record.get("report") if isinstance(record, Mapping) else None
    if type(measured) is not int or not isinstance(record, Mapping) or not isinstance(told, Mapping):
        return None
    characters, safe_tokens = told.get("characters"), told.get("safeTokens")
    if type(characters) is not int or type(safe_tokens) is not int:  # a quarter of its characters was counted
        estimated = told.get("afterTokens")
        if type(estimated) is not int or told.get("estimator") is not None:
            return None
        characters, safe_tokens = 4 * estimated, measured
    return TokenCount(measured, characters, safe_tokens, str(record.get("modelRef") or ""))


def scaled_by_answer(evidence: Evidence | None, model_ref: str, node_id: str) -> Scaled | None:
    """The estimator by the token count of an answer's request; None if this model was not asked, or not
    counted.
    """
    found = None if evidence is None else counted_for(evidence)
    if found is None or found.model_ref != model_ref:
        return None
    return scaled_by(found.measured, found.characters, found.safe_tokens, node_id)


def best_estimator(
    tree: Tree, at: str, model_ref: str, evidence_of: Callable[[str], Evidence | None]
) -> Scaled:
    """The best estimator for what continues a node, where no tokenizer is asked: by what was counted last on
    the path to it, else the safe estimate. `evidence_of` gives the response of an answer.
    """
    try:
        nodes = resolve(tree, at).nodes
    except AssemblyError:  # told once it is assembled
        return Scaled()
    return scaled_by_last(nodes, lambda node_id: scaled_by_answer(evidence_of(node_id), model_ref, node_id))


def to_json(record: Record, tree: Tree) -> Json:
    """The record as it is saved. A path may be of a hundred thousand nodes: it is its end, the choices on the
    way, and a digest by which another way is noticed.
    """
    inputs = record.inputs
    return {
        "digest": record.digest,
        "modelRef": record.model_ref,
        "agentName": record.agent_name,
        "variant": record.variant,
        "at": inputs.at,
        "choices": dict(choices(tree, inputs.path)),
        "pathDigest": _path_digest(inputs.path),
        "excluded": sorted(inputs.excluded),
        "pruned": sorted(inputs.pruned),
        "includedAnnotations": list(inputs.included),
        "contextIds": list(inputs.context_ids),
        "instructionIds": list(inputs.instruction_ids),
        "text": inputs.text,
        **({"suffix": inputs.suffix} if inputs.suffix else {}),
        **({"withheldImages": dict(sorted(inputs.withheld.items()))} if inputs.withheld else {}),
        "systemPrompt": inputs.system_prompt,
        "systemContext": inputs.system_context,
        "bufferModeSystemContext": inputs.buffer_system_context,
        "truncationStrategy": inputs.truncation_strategy,
        "minimumRecentNodes": inputs.minimum_recent_nodes,
        "tokenBuffer": inputs.token_buffer,
        "instructionScope": inputs.instruction_scope,
        "dialogueMarker": inputs.dialogue_marker,
        "bufferMarker": inputs.buffer_marker,
        "continueText": inputs.continue_text,
        "maxTokens": inputs.max_tokens,
        "model": {
            "contextWindow": inputs.model.context_window,
            "providerRules": inputs.model.provider_rules,
            "acceptsImages": inputs.model.accepts_images,
            "continuesDocuments": inputs.model.continues_documents,
            "takesMessages": inputs.model.takes_messages,
            **({"fillsIn": True} if inputs.model.fills_in else {}),
        },
        **({} if inputs.economy is None else {ECONOMY: economy.to_json(inputs.economy)}),
        **({} if inputs.awareness is None else {LOOM_AWARE: awareness_to_json(inputs.awareness)}),
        **_estimator_to_json(inputs.estimator),
        "report": dict(record.report),
    }


def _estimator_to_json(estimator: TokenEstimator) -> Json:
    return {} if estimator is BY_CHARACTERS else {ESTIMATOR: estimators.to_json(estimator)}


def from_json(value: object, tree: Tree, place: str) -> Record:
    """A record as it was saved, of a request in this tree. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    path = _path(tree, reader)
    is_moved = reader.text("pathDigest") != _path_digest(path)
    inputs = _inputs(path, reader, _model(reader.inner("model")))
    told, decided = reader.mapping("report"), reader.take(ECONOMY)
    if decided is not None:
        inputs = replace(inputs, economy=economy.from_json(decided, told, f"{place}.{ECONOMY}"))
    if (aware := reader.take(LOOM_AWARE)) is not None:
        inputs = replace(inputs, awareness=awareness_from_json(aware, f"{place}.{LOOM_AWARE}"))
    counted_by = estimators.from_json(reader.take(ESTIMATOR), f"{place}.{ESTIMATOR}")
    return Record(
        replace(inputs, estimator=counted_by),
        reader.text("digest"),
        told,
        reader.optional_text("modelRef") or "",
        reader.optional_text("agentName") or "",
        reader.optional_text("variant"),
        is_moved,
    )


def _path(tree: Tree, reader: JsonReader) -> tuple[str, ...]:
    """The way up from the node that was continued, by the choices of then; where a passage got versions
    since, by the one that was there: they are listed behind it.
    """
    at = reader.name("at")
    chosen = string_map(reader.mapping("choices"), "choices")
    known = _way_as_now(tree, at, chosen)
    if known is not None:
        return known
    plain = tree.plain_parents
    upwards = [at]
    seen = {at}
    while True:
        before = plain.get(upwards[-1]) or chosen.get(upwards[-1]) or _first_source(tree, upwards[-1])
        if before is None or before in seen:
            return tuple(reversed(upwards))
        seen.add(before)
        upwards.append(before)


def _way_as_now(tree: Tree, at: str, chosen: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the way up if it is walked so today, by these choices: a long one is known. Else None."""
    try:
        path = resolve(tree, at, chosen)
    except AssemblyError:
        return None
    several = (path.node_ids[i] for i, edge in path.joints.items() if len(edge.with_role("primary")) > 1)
    return path.node_ids if all(node_id in chosen for node_id in several) else None


def _first_source(tree: Tree, node_id: str) -> str | None:
    edges = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    return next(iter(edges[0].with_role("primary")), None) if edges else None


def _path_digest(path: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(path).encode("utf-8", "surrogatepass")).hexdigest()


def _inputs(path: tuple[str, ...], reader: JsonReader, model: Model) -> Inputs:
    usual = Inputs(path)
    return Inputs(
        path=path,
        model=model,
        excluded=frozenset(reader.texts("excluded")),
        pruned=frozenset(reader.texts("pruned")),
        included=reader.texts("includedAnnotations"),
        context_ids=reader.texts("contextIds"),
        instruction_ids=reader.texts("instructionIds"),
        text=reader.optional_text("text") or "",
        suffix=reader.optional_text("suffix") or "",
        withheld=_withheld(reader),
        system_prompt=reader.optional_text("systemPrompt"),
        system_context=reader.optional_text("systemContext"),
        buffer_system_context=reader.flag("bufferModeSystemContext", default=False),
        truncation_strategy=reader.optional_text("truncationStrategy") or usual.truncation_strategy,
        minimum_recent_nodes=_known(reader.integer("minimumRecentNodes"), usual.minimum_recent_nodes),
        token_buffer=_known(reader.integer("tokenBuffer"), usual.token_buffer),
        instruction_scope=reader.optional_text("instructionScope") or usual.instruction_scope,
        dialogue_marker=reader.optional_text("dialogueMarker") or usual.dialogue_marker,
        buffer_marker=reader.optional_text("bufferMarker") or usual.buffer_marker,
        continue_text=reader.optional_text("continueText") or usual.continue_text,
        max_tokens=reader.integer("maxTokens"),
    )


def _withheld(reader: JsonReader) -> dict[str, Withheld]:
    reasons: tuple[Withheld, ...] = get_args(Withheld)
    known = reader.mapping("withheldImages")
    return {ref: why for why in reasons for ref, told in known.items() if told == why}


def _model(reader: JsonReader) -> Model:
    usual = Model()
    return Model(
        context_window=_known(reader.integer("contextWindow"), usual.context_window),
        provider_rules=reader.optional_text("providerRules") or usual.provider_rules,
        accepts_images=reader.flag("acceptsImages", usual.accepts_images),
        continues_documents=reader.flag("continuesDocuments", usual.continues_documents),
        takes_messages=reader.flag("takesMessages", usual.takes_messages),
        fills_in=reader.flag("fillsIn", usual.fills_in),
    )


def _known(value: int | None, usual: int) -> int:
    return usual if value is None else value


LOOM_AWARE = "loomAware"  # of a record


def awareness_to_json(awareness: Awareness) -> Json:
    """Write down an awareness in the names of the record."""
    steps = [{"said": one.said, "results": one.results} for one in awareness.exchanges]
    return {
        "addendum": awareness.addendum,
        "blocks": awareness.blocks,
        "names": dict(awareness.names),
        "marks": dict(awareness.marks),
        **({"steps": steps} if steps else {}),
    }


def awareness_from_json(value: object, place: str) -> Awareness:
    """Read an awareness out of a record. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    return Awareness(
        reader.text("addendum"),
        reader.text("blocks"),
        string_map(reader.mapping("names"), f"{place}.names"),
        string_map(reader.mapping("marks"), f"{place}.marks"),
        reader.each("steps", _exchange),
    )


def _exchange(value: object, place: str) -> RunExchange:
    reader = JsonReader(value, place)
    return RunExchange(reader.text("said"), reader.text("results"))
