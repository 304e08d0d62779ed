"""Transcript of messages for a summariser, and its portions for a model's window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loomapp.core.model.content import AttachedDocument, ToolResult, ToolUse
from loomapp.core.summarisers.plan import SaidMessage
from loomapp.core.text.token_estimates import careful_estimate

SPEAKERS: Mapping[str, str] = {"user": "USER", "assistant": "ASSISTANT", "system": "SYSTEM"}
MOST_CHARS = 2_000  # of a result or a document
TRUNCATED = "... (truncated)"
PENDING = "(pending)"
BETWEEN = "\n\n"


def transcript(messages: Iterable[SaidMessage], blank_results: Iterable[str] = ()) -> list[str]:
    """Write messages out, a text each: `USER: …`, tools as `[Tool: name → output]`. A result stands where its
    tool was called, and is not told again; a message that has nothing left to say is left out. The calls
    named by `blank_results` have a result that says nothing, the others without one wait for theirs.
    """
    listed = tuple(messages)
    blocks = (part.block for message in listed for part in message.parts)
    results = dict.fromkeys(blank_results, "")
    results |= {one.tool_use_id: one.text for one in blocks if isinstance(one, ToolResult)}
    shown: set[str] = set()
    said = ((message.role, list(_said(message, results, shown))) for message in listed)
    return [f"{SPEAKERS[role]}: {BETWEEN.join(texts)}" for role, texts in said if texts]


def _said(message: SaidMessage, results: Mapping[str, str], shown: set[str]) -> Iterator[str]:
    for part in message.parts:
        match part.block:
            case ToolUse(id=call, name=name):
                output = results.get(call)
                shown.add(call)
                yield f"[Tool: {name} → {PENDING if output is None else shortened(output.strip())}]"
            case ToolResult(tool_use_id=call, name=name):
                if call not in shown:
                    yield f"[Tool: {name} → {shortened(part.text)}]"
            case AttachedDocument():
                yield shortened(part.text)
            case _:
                yield part.text


def shortened(text: str) -> str:
    """A text of 2,000 characters at most; what is longer is cut and says so."""
    return text if len(text) <= MOST_CHARS else text[:MOST_CHARS] + TRUNCATED


def portions(texts: Iterable[str], room_tokens: int) -> list[str]:
    """Join texts to as few portions as fit into so many tokens each, oldest first. A text too long for one is
    cut.
    """
    found: list[str] = []
    current: list[str] = []
    used = 0
    for text in texts:
        for piece in _pieces(text, room_tokens):
            tokens = careful_estimate(piece) + 1
            if current and used + tokens > room_tokens:
                found.append(BETWEEN.join(current))
                current, used = [], 0
            current.append(piece)
            used += tokens
    return [*found, BETWEEN.join(current)] if current else found


def _pieces(text: str, room_tokens: int) -> Iterator[str]:
    """Cut a text into pieces that fit, at white space where there is some in the last half."""
    while text and (tokens := careful_estimate(text) + 1) > room_tokens:
        length = max(1, min(len(text) - 1, len(text) * room_tokens // (2 * tokens) * 2))
        while length > 1 and careful_estimate(text[:length]) + 1 > room_tokens:
            length = max(1, length * 3 // 4)
        space = max(text.rfind(" ", length // 2, length), text.rfind("\n", length // 2, length))
        if space > 0:
            length = space + 1
        yield text[:length]
        text = text[length:]
    if text:
        yield text
