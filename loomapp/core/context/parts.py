"""Parts: what one node's content says to a model, in either mode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from loomapp.core.content import Audio, Block, Content, Document, Image, Mixed, Text, ToolResult, ToolUse
from loomapp.core.tokens import estimate
from loomapp.core.tree import Mode, Node


@dataclass(frozen=True, slots=True)
class Rendered:
    """One part of a node: its text, and the image that this text stands for if there is one."""

    text: str
    image: Image | None = None


def render(node: Node, mode: Mode) -> tuple[Rendered, ...]:
    """The node's parts, none of them empty: stripped in Dialogue, verbatim in Buffer. None if it says nothing."""
    keep_space = mode == "buffer"
    parts = (_part(block, node.local_id) for block in _blocks(node.content))
    stripped = (part if keep_space else Rendered(part.text.strip(), part.image) for part in parts)
    return tuple(part for part in stripped if part.text)


def tokens(parts: tuple[Rendered, ...]) -> int:
    """The estimate of a node: of each part, added up."""
    return sum(estimate(part.text) for part in parts)


def directive(node: Node, mode: Mode) -> str:
    """What a node says as an instruction: its words, stripped; empty for an image or white space."""
    if isinstance(node.content, Image):
        return ""
    joiner = "" if mode == "buffer" else "\n\n"
    return joiner.join(part.text for part in render(node, mode)).strip()


def _blocks(content: Content) -> Iterator[Block]:
    if isinstance(content, Mixed):
        yield from content.blocks
    else:
        yield content


def _part(block: Block, local_id: str) -> Rendered:
    match block:
        case Text() | Document() | ToolResult():
            return Rendered(block.text)
        case Image():
            return Rendered(f"[image: {alt_text(block, local_id)}]", block)
        case Audio():
            return Rendered(f"[audio: {local_id}]")
        case ToolUse():
            arguments = json.dumps(block.input, ensure_ascii=False, sort_keys=True)
            return Rendered(f"[tool_use: {block.name} {arguments}]")


def alt_text(image: Image, local_id: str) -> str:
    """How an image is called in text: its own words, else the node's short id."""
    return image.alt_text if image.alt_text and image.alt_text.strip() else local_id
