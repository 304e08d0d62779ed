"""Calls as economy knows them, read from the responses of a tree and the records kept with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.economy.branch_summaries import Branch, Chain, Head
from loomapp.core.economy.calls import NO_SUMMARY, Call, SentFacts, SummaryKey
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.json_values import text_at
from loomapp.core.model.economy_settings import NOTHING_OWN, OFF, in_force
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import RecordedParts

ECONOMY = "economy"  # of a record: what decided, of summaries and compression
FINISH_REASONS = "finishReasons"  # of a response's extra, by choice, where it has several
AT_LIMIT = frozenset({"length", "max_tokens", "max_output_tokens"})  # what providers call it
_Values: TypeAlias = Mapping[str, object]
_NOTHING: _Values = {}


def calls_of(tree: Tree, evidence: Iterable[Evidence]) -> dict[str, Call]:
    """The call behind each node of a tree that has a response. Of a record that cannot be read nothing is
    known.
    """
    found: dict[str, Call] = {}
    for one in evidence:
        call = None
        for node_id in one.choices:
            if node_id in tree.nodes:
                call = call or _call(tree, one)
                found[node_id] = call
    return found


def calls_for(
    tree: Tree, defaults: AppContextSettings, evidence: Callable[[], Iterable[Evidence]]
) -> Mapping[str, Call]:
    """The calls of a tree, read only where economy asks for them: they may be many."""
    return calls_of(tree, evidence()) if are_calls_needed(tree, defaults) else {}


def are_calls_needed(tree: Tree, defaults: AppContextSettings) -> bool:
    """True if what is sent of a tree depends on its calls."""
    makes = in_force(defaults.economy, tree.loom.context_settings.economy, NOTHING_OWN).make_summaries
    return makes != OFF or (tree.loom.mode == "dialogue" and is_compressed(tree, defaults))


def is_compressed(tree: Tree, defaults: AppContextSettings) -> bool:
    own = tree.loom.context_settings.economy.compression
    return defaults.economy.compression if own is None else own


def _continued(tree: Tree, one: Evidence) -> tuple[str, ...]:
    """The nodes that the answers of a call continue, all versions of one passage among them; not those that
    one of them is a note on.
    """
    ids = dict.fromkeys(
        source
        for node_id in one.choices
        for edge in tree.incoming(node_id)
        for source in edge.with_role("primary")
    )
    return tuple(ids)


def _call(tree: Tree, one: Evidence) -> Call:
    record = _mapping(one.extra, RECORD)
    carried = tuple(RecordedParts(_mapping(record, ECONOMY), _mapping(record, "report")).shortened())
    limit = record.get("maxTokens")
    usage = {name: value for name, value in one.usage.items() if type(value) is int}
    return Call(
        exchange=one.id,
        model=text_at(record, "modelRef") or "",
        returned=one.model or "",
        continued=_continued(tree, one),
        began_at=one.started_at,
        ended_at=one.ended_at,
        input_tokens=usage.get("inputTokens"),
        output_tokens=usage.get("outputTokens"),
        reasoning_tokens=usage.get("reasoningTokens"),
        cached_tokens=usage.get("cachedTokens"),
        cache_written_tokens=usage.get("cacheWrittenTokens"),
        choices=max(len(one.choices), 1 + max(one.choices.values(), default=0)),
        carried=carried,
        sent=_facts(record, carried),
        limit_tokens=limit if type(limit) is int else None,
        cut=frozenset(_cut(tree, one)),
    )


def _cut(tree: Tree, one: Evidence) -> Iterator[str]:
    """The nodes whose answers ended at their limit; of one that broke off it is not known."""
    by_choice = _mapping(one.extra, FINISH_REASONS)
    for node_id, choice in one.choices.items():
        reason = by_choice.get(str(choice), one.finish_reason)
        if str(reason) in AT_LIMIT and node_id in tree.nodes and tree.nodes[node_id].interrupted is None:
            yield node_id


def _facts(record: _Values, shortened: Iterable[CarriedOn]) -> SentFacts:
    excluded = record.get("excluded")
    system = tuple(text_at(record, name) for name in ("systemPrompt", "systemContext"))
    return SentFacts(
        _summary(_mapping(record, ECONOMY)),
        (*system, *(str(item) for item in _items(record, "instructionIds"))),
        frozenset(str(item) for item in excluded) if isinstance(excluded, list) else frozenset(),
        frozenset((one.node_id, one.index, one.row) for one in shortened),
    )


def _summary(economy: _Values) -> SummaryKey:
    """The summary that was in use; heads are put together again to the text that they made."""
    summary = _mapping(economy, "summary")
    if summary:
        return SummaryKey(text_at(summary, "anchorNodeId"), text_at(summary, "coveredHash"))
    heads = [head for head in _items(economy, "heads") if isinstance(head, Mapping)]
    return SummaryKey(chain=chain_said(heads)) if heads else NO_SUMMARY


def chain_said(heads: Iterable[_Values]) -> str:
    """The text that recorded heads made, without the system context before it."""
    said = (
        Head(node_id, 0, text_at(head, "title") or "", Branch(node_id, text=text_at(head, "text")))
        for head in heads
        if (node_id := text_at(head, "nodeId")) is not None
    )
    return Chain(tuple(said)).text


def _mapping(values: _Values, key: str) -> _Values:
    value = values.get(key)
    return value if isinstance(value, Mapping) else _NOTHING


def _items(values: _Values, key: str) -> list[object]:
    value = values.get(key)
    return value if isinstance(value, list) else []
