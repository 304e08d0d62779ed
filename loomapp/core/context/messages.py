"""Messages and their parts, as they are shown and sent; parts of one node's content in either mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Block, Image, Mixed
from loomapp.core.model.entities import Mode, Node, block_text, image_name

MessageRole: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A run of text inside a message."""

    text: str

    def to_json(self) -> dict[str, object]:
        """The part as `loomapp assemble` prints it."""
        return {"type": "text", "text": self.text}


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image inside a user message, by reference to the media folder."""

    ref: str
    mime_type: str
    placeholder: str  # what stands for it in text and in estimates: `[image: a red door]`
    alt_text: str | None = None

    def to_json(self) -> dict[str, object]:
        """The part as `loomapp assemble` prints it."""
        return {"type": "image", "ref": self.ref, "mimeType": self.mime_type, "altText": self.alt_text}


Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class Message:
    """Neighbouring parts of one role, and the nodes they came from (none for a synthetic message).

    None among the ids stands for text that is not committed yet.
    """

    role: MessageRole
    parts: tuple[Part, ...]
    node_ids: tuple[str | None, ...] = ()

    @property
    def text(self) -> str:
        """The parts joined by a blank line, an image counting as its placeholder."""
        return "\n\n".join(p.text if isinstance(p, TextPart) else p.placeholder for p in self.parts)

    def to_json(self) -> dict[str, object]:
        """The message as `loomapp assemble` prints it."""
        parts = [part.to_json() for part in self.parts]
        return {"role": self.role, "parts": parts, "nodeIds": list(self.node_ids)}


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


def directive(node: Node, mode: Mode) -> str:
    """Return a node's words as an instruction, stripped; empty for an image or white space."""
    if isinstance(node.content, Image):
        return ""
    joiner = "\n\n" if mode == "dialogue" else ""
    return joiner.join(part.text for part in render(node, mode)).strip()


def _part(block: Block, local_id: str) -> Rendered:
    text = block_text(block, local_id)
    if not isinstance(block, Image):
        return Rendered(text)
    return Rendered(text, ImagePart(block.ref, block.mime_type, text, image_name(block, local_id)))
