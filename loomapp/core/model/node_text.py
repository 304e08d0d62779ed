"""Text of a node: all that it says in a buffer, and what stands for content that is no text."""

from __future__ import annotations

import json

from loomapp.core.model.content import AttachedDocument, Audio, Block, Image, Mixed, Text, ToolResult, ToolUse
from loomapp.core.model.entities import Node


def verbatim(node: Node) -> str:
    """Return all that the node says in Buffer, as one text."""
    content = node.content
    if isinstance(content, Text):
        return content.text
    blocks = content.blocks if isinstance(content, Mixed) else (content,)
    return "".join(block_text(block, node.local_id) for block in blocks)


def block_text(block: Block, local_id: str) -> str:
    """Return the text of a block, or the words that stand for it; `local_id` names what has no other name."""
    match block:
        case Text() | AttachedDocument() | ToolResult():
            return block.text
        case Image():
            return f"[image: {image_name(block, local_id)}]"
        case Audio():
            return f"[audio: {local_id}]"
        case ToolUse():
            # Only a stand-in: models are sent texts, not calls that they would have to answer for.
            arguments = json.dumps(block.input, ensure_ascii=False, sort_keys=True)
            return f"[tool_use: {block.name} {arguments}]"


def image_name(image: Image, local_id: str) -> str:
    """Return an image's alternative text, else the local id of its node."""
    return image.alt_text if image.alt_text and image.alt_text.strip() else local_id
