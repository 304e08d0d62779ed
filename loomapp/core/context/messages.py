"""Messages and their parts, as they are shown and sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

MessageRole: TypeAlias = Literal["system", "user", "assistant"]
ROLES: Mapping[str, MessageRole] = {"human": "user", "model": "assistant"}


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
