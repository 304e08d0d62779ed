"""Anchored summaries and thresholds from the sentences of the rules: hashes, validity, anchors, size."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

from tests.core.context.naive_assembly import Unit
from tests.core.context.naive_loom import Json, NaiveError, NaiveLoom, Part
from tests.core.economy.naive_pieces import NumberedUnit, Piece

HEADING = (
    "\n\n[Previous conversation summary]\nThe following is a summary of the conversation history that has "
    "been compacted to save context space:\n\n"
)
TOO_FEW = "Not enough messages to compact"


def covered_hash(loom: NaiveLoom, path_nodes: list[str]) -> str:
    """ "hex SHA-256 of the canonical JSON list of the path root...anchor, each its id, or
    `[id, "pruned", "excluded"]` with the flags that hold"
    """
    listed: list[str | list[str]] = []
    for node_id in path_nodes:
        flags = [flag for flag in ("pruned", "excluded") if loom.flagged(node_id, flag)]
        listed.append([node_id, *flags] if flags else node_id)
    canonical = json.dumps(listed, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def own_hash(loom: NaiveLoom, file: Json, row: Json) -> str | None:
    """A row's hash. "Missing in a file: made on reading": of the active path if the anchor is on it, else
    of the anchor's own.
    """
    if row.get("coveredHash"):
        return str(row["coveredHash"])
    anchor = row["anchorNodeId"]
    for at in ((file.get("activePath") or {}).get("leafNodeId"), anchor):
        try:
            nodes = loom.path(at, loom.selections).nodes if at else []
        except NaiveError:
            nodes = []
        if anchor in nodes:
            return covered_hash(loom, nodes[: nodes.index(anchor) + 1])
    return None


def valid_summaries(loom: NaiveLoom, file: Json, path_nodes: list[str]) -> list[tuple[int, Json]]:
    """ "If its hash (D) no longer matches the path it is stale"; the rest with the places of their anchors,
    the highest first. "Same anchor and hash: replaced."
    """
    found: dict[int, Json] = {}
    for row in file.get("contextSummaries", []):
        if row["anchorNodeId"] not in path_nodes:
            continue
        place = path_nodes.index(row["anchorNodeId"])
        if own_hash(loom, file, row) == covered_hash(loom, path_nodes[: place + 1]):
            found[place] = row
    # "blank is a failure": such a row stands for nothing
    said = [(place, row) for place, row in found.items() if row["text"].strip()]
    return sorted(said, key=lambda item: item[0])


def used_summary(
    valid: list[tuple[int, Json]], units: list[NumberedUnit], least_recent: int
) -> tuple[int, Json] | None:
    """ "Used: the deepest valid anchor with at least minRecentMessages units after it" """
    for place, row in reversed(valid):
        if len([1 for at, _ in units if at > place]) >= least_recent:
            return place, row
    return None


def appended(system: str | None, text: str) -> str:
    """What a summary adds to the system context, "no leading blank lines if alone" """
    return (HEADING if system else HEADING.lstrip("\n")) + text.strip()


# Making a new one


def new_anchor(
    path_nodes: list[str], units: list[NumberedUnit], valid: list[tuple[int, Json]], least_recent: int
) -> str | None:
    """The node that a new summary is anchored to; None: not enough messages to compact.

    "New: anchored so that just these [minRecentMessages units] remain, earlier where a tool use would lose
    its result". "minRecentMessages units or fewer, or nothing new: `Not enough messages to compact`."
    """
    covered = len(units) - least_recent
    while covered > 0 and loses_result(units[:covered], units[covered:]):
        covered -= 1
    if covered <= 0:
        return None
    place = units[covered - 1][0]
    if valid and place <= valid[-1][0]:
        return None
    return path_nodes[place]


def loses_result(covered: list[NumberedUnit], rest: list[NumberedUnit]) -> bool:
    """Whether a tool use is covered whose result is not."""
    calls = [block["id"] for block in blocks(covered) if block["type"] == "tool_use"]
    results = [block["toolUseId"] for block in blocks(rest) if block["type"] == "tool_result"]
    answered = [block["toolUseId"] for block in blocks(covered) if block["type"] == "tool_result"]
    return any(call in results and call not in answered for call in calls)


def blocks(units: list[NumberedUnit]) -> list[Json]:
    return [part.block for _, unit in units for part in unit if isinstance(part, Piece)]


def transcript(units: list[NumberedUnit]) -> str:
    """ "`USER: ...`, `ASSISTANT: ...`, blank lines between, `[Tool: name -> output]` (`(pending)` without a
    result), results and documents cut at 2,000 characters + `... (truncated)`"
    """
    said: list[str] = []
    shown: list[str] = []
    results = {b["toolUseId"]: b["text"] for b in blocks(units) if b["type"] == "tool_result"}
    for node_parts in messages([unit for _, unit in units]):
        texts: list[str] = []
        for part in node_parts:
            block = part.block if isinstance(part, Piece) else {"type": "text"}
            if block["type"] == "tool_use":
                output = shortened(results[block["id"]].strip()) if block["id"] in results else "(pending)"
                shown.append(block["id"])
                texts.append(f"[Tool: {block['name']} → {output}]")
            elif block["type"] == "tool_result" and block["toolUseId"] in shown:
                continue
            elif block["type"] == "tool_result":
                texts.append(f"[Tool: {block['name']} → {shortened(part.text)}]")
            else:
                texts.append(shortened(part.text) if block["type"] == "document" else part.text)
        if texts:
            role = "USER" if node_parts[0].role == "user" else "ASSISTANT"
            said.append(f"{role}: " + "\n\n".join(texts))
    return "\n\n".join(said)


def shortened(text: str) -> str:
    return text if len(text) <= 2_000 else text[:2_000] + "... (truncated)"


# Size and state


def messages(units: list[Unit]) -> list[list[Part]]:
    """ "a message = a node as it is sent (its parts added up)" """
    found: list[list[Part]] = []
    for unit in units:
        for part in unit:
            before = found[-1][0] if found else None
            if before is not None and (before.node_id, before.kind) == (part.node_id, part.kind):
                found[-1].append(part)
            else:
                found.append([part])
    return found


def chat_4(system: str | None, units: list[Unit]) -> int:
    """ "`ceil((sum over messages (16 + characters)) / 4) + 3`, [...] the system context with summary one more
    if not blank"
    """
    lengths = [sum(len(part.text) for part in message) for message in messages(units)]
    if system and system.strip():
        lengths.append(len(system))
    return -(-sum(16 + length for length in lengths) // 4) + 3


def ratio(size: int, max_tokens: int, reserve: int, available: int) -> Fraction:
    """ "size / min(maxTokens - responseReserve, the assembler's `available`)"; "Budget <= 0 is a
    configuration error."
    """
    budget = min(max_tokens - reserve, available)
    if budget <= 0:
        raise NaiveError("INVALID_BUDGET")
    return Fraction(size, budget)
