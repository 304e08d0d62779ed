"""Compression in a context: which parts can be shortened, and the context with those that are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.report import CompressedPart
from loomapp.core.dataclass import dataclass
from loomapp.core.economy import compression
from loomapp.core.economy.compression import CarriedOn, CompressiblePart, Shortened, WindowLoad
from loomapp.core.model.content import AttachedDocument, Block, Mixed, Text, ToolResult, ToolUse, blocks_of
from loomapp.core.model.economy_settings import Economy
from loomapp.core.model.entities import FULL, Metadata, Node
from loomapp.core.model.hashes import canonical_json
from loomapp.core.model.tree import Tree


def is_full(metadata: Metadata) -> bool:
    return metadata.extra.get(FULL) is True


@dataclass(frozen=True, slots=True)
class BaseTexts:
    """A context whose long parts are stored and truncated; `places` are where its parts stand."""

    passages: ContextPassages
    places: Sequence[int]
    parts: Sequence[CompressiblePart]
    bases: Sequence[Shortened]


@dataclass(frozen=True, slots=True)
class CompressedContext:
    """A context as it is sent, what was shortened, and the tokens that were newly freed by the load."""

    passages: ContextPassages
    parts: tuple[CompressedPart, ...]
    freed_tokens: int


@dataclass(frozen=True, slots=True)
class PartsToShorten:
    """Finds the parts of a context that can be shortened, in order. `others` are where the parts of nodes
    stand that are more than a plain text, `uses` the nodes that may hold the calls of their results.
    """

    tree: Tree
    passages: ContextPassages
    others: Mapping[str, range]
    uses: Sequence[str]
    composer: Sequence[Block]

    def find(self, economy: Economy) -> dict[int, CompressiblePart]:
        """The parts by their place among all parts, ascending."""
        newest = self.passages.newest
        found = dict(self._results(newest))
        if economy.compress_text:
            found |= self._texts(newest, compression.shortest_shortened(economy))
        return dict(sorted(found.items()))

    def _results(self, newest: int) -> Iterator[tuple[int, CompressiblePart]]:
        calls: dict[str, ToolUse] = {}  # by their ids, which may be used again
        for node_id in self.uses:
            node = self.tree.nodes[node_id]
            if not isinstance(node.content, Mixed):
                continue
            places = iter(self.others.get(node_id, ()))
            for index, block in sent_blocks(node.content.blocks):
                place = next(places, None)
                found = self._result(node, index, block, place, calls)
                if found is not None and place is not None:
                    yield place, replace(found, is_newest=place >= newest)
        composed = [place for place, kind in self.passages.kinds.items() if kind == "composer"]
        for place, (index, block) in zip(composed, sent_blocks(self.composer), strict=False):
            found = self._result(None, index, block, place, calls)
            if found is not None:
                yield place, replace(found, is_newest=True)

    def _result(
        self, node: Node | None, index: int, block: Block, place: int | None, calls: dict[str, ToolUse]
    ) -> CompressiblePart | None:
        """A document or the result of a tool as a part that can be shortened; None for other blocks."""
        if isinstance(block, ToolUse):
            calls[block.id] = block
        if place is None or not isinstance(block, AttachedDocument | ToolResult):
            return None
        node_id, local_id = (None, "") if node is None else (node.id, node.local_id)
        full, text = node is not None and is_full(node.metadata), self.passages.texts[place]
        if isinstance(block, AttachedDocument):
            source = f"document {block.name}"
            return CompressiblePart(
                node_id, index, text, "document", local_id, block.name, source, is_full=full
            )
        call = calls.get(block.tool_use_id)
        name = block.name or ("" if call is None else call.name)
        known = None if call is None else f"call {canonical_json([call.name, call.input])!r}"
        return CompressiblePart(node_id, index, text, "tool_result", local_id, name, known, is_full=full)

    def _texts(self, newest: int, shortest: int) -> Iterator[tuple[int, CompressiblePart]]:
        texts, node_ids = self.passages.texts, self.passages.node_ids
        for place in [i for i, text in enumerate(texts[:newest]) if len(text) > shortest]:
            node_id = node_ids[place]
            if node_id is None:
                continue
            node, text = self.tree.nodes[node_id], texts[place]
            index, block = 0, blocks_of(node.content)[0]
            if isinstance(node.content, Mixed):
                index, block = sent_blocks(node.content.blocks)[place - self.others[node_id].start]
            if isinstance(block, Text):
                full = is_full(node.metadata)
                yield place, CompressiblePart(node_id, index, text, "text", node.local_id, is_full=full)


def sent_blocks(blocks: Sequence[Block]) -> list[tuple[int, Block]]:
    """The blocks of which something is sent in a dialogue, each with its index: all but blank texts."""
    return [
        (i, block)
        for i, block in enumerate(blocks)
        if not isinstance(block, Text | AttachedDocument | ToolResult) or block.text.strip()
    ]


def base_texts(parts: PartsToShorten, economy: Economy, *, can_read: bool) -> BaseTexts:
    """The context with the base texts of its parts."""
    found = parts.find(economy)
    bases = [compression.base_of(part, economy, can_read=can_read) for part in found.values()]
    texts = [(place, base.text) for place, base in zip(found, bases, strict=True) if base.row is not None]
    return BaseTexts(_with_texts(parts.passages, texts), tuple(found), tuple(found.values()), bases)


def shortened(
    context: BaseTexts, economy: Economy, load: WindowLoad, carried: Sequence[CarriedOn]
) -> CompressedContext:
    """The context as it is sent under a load."""
    count = context.passages.estimator.of
    found = compression.compressed(context.parts, context.bases, economy, load, carried, count)
    pairs = list(zip(context.places, context.parts, found.parts, strict=True))
    texts = [(place, final.text) for place, _, final in pairs if final.row is not None]
    told = (_told(part, final) for _, part, final in pairs)
    parts = tuple(one for one in told if one is not None)
    return CompressedContext(_with_texts(context.passages, texts), parts, found.freed_tokens)


def _told(part: CompressiblePart, final: Shortened) -> CompressedPart | None:
    """A part as the report tells it; None if it is whole, or no node's yet."""
    if final.row is None or final.why is None or part.node_id is None:
        return None
    return CompressedPart(
        part.node_id,
        part.index,
        final.row,
        len(part.text),
        len(final.text),
        final.why,
        compression.utf8_bytes(part.text),
        compression.utf8_bytes(final.text),
    )


def _with_texts(passages: ContextPassages, others: Sequence[tuple[int, str]]) -> ContextPassages:
    if not others:
        return passages
    texts, tokens = passages.texts.copy(), passages.tokens.copy()
    for place, text in others:
        texts[place], tokens[place] = text, passages.cost(place, text)
    return replace(passages, texts=texts, tokens=tokens)
