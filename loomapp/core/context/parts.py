"""Parts: what one node's content says to a model, in either mode."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from loomapp.core.context.messages import ImagePart
from loomapp.core.model.content import Audio, Block, Document, Image, Mixed, Text, ToolResult, ToolUse
from loomapp.core.model.entities import Mode, Node
from loomapp.core.text.token_estimates import estimate


class Rendered(NamedTuple):
    """One part of a node: its text, and the image that this text stands for if there is one."""

    text: str
    image: ImagePart | None = None


def render(node: Node, mode: Mode) -> Sequence[Rendered]:
    """The node's parts, none of them empty: stripped in Dialogue, verbatim in Buffer."""
    content = node.content
    blocks = content.blocks if isinstance(content, Mixed) else (content,)
    return render_blocks(blocks, mode, node.local_id)


def render_blocks(blocks: Sequence[Block], mode: Mode, local_id: str) -> Sequence[Rendered]:
    """The parts of blocks, none of them empty; `local_id` names what has no other name."""
    parts = (_part(block, local_id) for block in blocks)
    if mode == "dialogue":
        parts = (Rendered(part.text.strip(), part.image) for part in parts)
    return [part for part in parts if part.text]


def verbatim(node: Node) -> str:
    """All that the node says in Buffer, as one text."""
    if isinstance(node.content, Text):
        return node.content.text
    return "".join(part.text for part in render(node, "buffer"))


def tokens(parts: Sequence[Rendered]) -> int:
    """The estimate of a node: of each part, added up."""
    return sum(estimate(part.text) for part in parts)


def directive(node: Node, mode: Mode) -> str:
    """What a node says as an instruction: its words, stripped; empty for an image or white space."""
    if isinstance(node.content, Image):
        return ""
    joiner = "\n\n" if mode == "dialogue" else ""
    return joiner.join(part.text for part in render(node, mode)).strip()


def _part(block: Block, local_id: str) -> Rendered:
    match block:
        case Text() | Document() | ToolResult():
            return Rendered(block.text)
        case Image():
            name = block.alt_text if block.alt_text and block.alt_text.strip() else local_id
            placeholder = f"[image: {name}]"
            return Rendered(placeholder, ImagePart(block.ref, block.mime_type, placeholder, name))
        case Audio():
            return Rendered(f"[audio: {local_id}]")
        case ToolUse():
            # Only a stand-in: models are sent texts, not calls that they would have to answer for.
            arguments = json.dumps(block.input, ensure_ascii=False, sort_keys=True)
            return Rendered(f"[tool_use: {block.name} {arguments}]")
