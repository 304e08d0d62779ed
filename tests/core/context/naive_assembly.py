"""A second assembler on Loom JSON values: slow, from the sentences of the rules, sharing no code with ours.

It is what `assemble` is compared with on random trees, so it favours being obviously right: it looks
everything up by searching, counts everything anew, and builds nothing cleverly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

from tests.core.context.naive_loom import Json, NaiveError, NaiveLoom, Part, cost, sources

Unit: TypeAlias = list[Part]
APP_SETTINGS: Json = {
    "truncationStrategy": "truncateMiddle",
    "minimumRecentNodes": 4,
    "tokenBuffer": 1024,
    "instructionScope": "path",
    "dialogueMarker": "[... {n} message{s} omitted ...]",
    "bufferMarker": "\n\n[...]\n\n",
    "continueText": "Continue.",
}
IMAGES = "images_described"
# "the reason is the first that applies of"; what has no room was let in by all of these
REASONS = ("truncated", "pruned", "excluded", "annotation", "empty", "instruction_without_system")


@dataclass
class Sent:
    """The parts that are left after truncation."""

    parts: list[Part]
    honoured: bool = True
    marker: bool = False
    partial: Json | None = None


def naive_assemble(file: Json, options: Json) -> Json:
    """What `loomapp assemble` should print for a Loom JSON value. Raises: NaiveError.

    `dropped` is in the order of the ids.
    """
    return Assembly(file, options).result()


def total(units: Iterable[Unit]) -> int:
    return sum(part.cost for unit in units for part in unit)


def flat(units: Iterable[Unit]) -> list[Part]:
    return [part for unit in units for part in unit]


class Assembly:
    def __init__(self, file: Json, options: Json) -> None:
        self.options = options
        self.loom = loom = NaiveLoom(file)
        asked = options["selections"]
        self.path = loom.path(options["at"], loom.selections if asked is None else asked)
        asked = options["included_annotations"]
        self.included = loom.included if asked is None else asked
        self.pending = list(options["context_ids"])
        self.composer = self.composed() if loom.dialogue else []
        self.placed: list[str] = []
        self.dropped: dict[str, str] = {}  # the reason by id
        self.check_ids()

    def composed(self) -> list[Part]:
        """What is attached to the message that is being written, and then its words."""
        blocks = [
            *self.options["composer_blocks"],
            {"type": "text", "text": self.options["composer_text"] or ""},
        ]
        parts = [self.loom.part(block, None, "user", "image") for block in blocks]
        parts = self.loom.sendable(parts, **self.ways())
        for part in parts:
            part.kind = "composer"
        return parts

    def ways(self) -> Json:
        """Which images go as images."""
        return {"as_images": self.options["accepts_images"], "withheld": self.options["withheld"]}

    def check_ids(self) -> None:
        """ "unknown ids anywhere in the request"; "missing sources are reported when the path meets them" """
        asked = [*self.pending, *self.options["instruction_ids"]]
        for edge in self.path.edges:
            asked += sources(edge, "context", "instruction")
        asked += [i for i in self.options["included_annotations"] or () if i not in self.loom.included]
        for target, source in (self.options["selections"] or {}).items():
            if self.loom.selections.get(target) != source:
                asked += [target, source]
        if any(node_id not in self.loom.nodes for node_id in asked):
            raise NaiveError("NODE_NOT_FOUND")

    def result(self) -> Json:
        system = self.system()
        units = self.units()
        if not units:
            raise NaiveError("EMPTY_CONTEXT")
        available = self.available()
        system_cost = cost(system or "")
        if system_cost > available:
            raise NaiveError("SYSTEM_TOO_LARGE", needed=system_cost, available=available)
        needed = system_cost + total(units)
        if needed > available and self.setting("truncationStrategy") == "stopAtLimit":
            over_by = needed - available
            raise NaiveError("CONTEXT_TOO_LONG", needed=needed, available=available, over_by=over_by)
        sent = self.truncated(units, available - system_cost)
        report = self.report(units, sent, system_cost, available)
        answer: Json = {"mode": self.loom.tree["mode"], "system": system, "report": report}
        if self.loom.dialogue:
            return {**answer, "messages": self.fitted(merged(sent.parts), report)}
        return {**answer, "document": "".join(p.text for p in sent.parts), "spans": spans(sent.parts)}

    # 1. Settings

    def setting(self, name: str) -> Any:
        """ "overridden for a tree, field by field (null inherits); an explicit request overrides both" """
        tree = self.loom.tree.get("contextSettings") or {}
        levels = (self.options["overrides"], tree, self.options["defaults"], APP_SETTINGS)
        return next(level[name] for level in levels if level.get(name) is not None)

    def available(self) -> int:
        reserved = max(self.setting("tokenBuffer"), self.options["max_tokens"] or 0)
        available: int = self.options["window"] - reserved
        if available <= 0:
            raise NaiveError("INVALID_BUDGET")
        return available

    # 2. Filter

    def reason(self, node_id: str, *, note: bool = False) -> str | None:
        """Why a node is left out; `note`: it was reached through an annotation edge."""
        if self.loom.flagged(node_id, "pruned"):
            return "pruned"
        if self.loom.flagged(node_id, "excluded"):
            return "excluded"
        if note and node_id not in self.included:
            return "annotation"
        return None if self.loom.parts(node_id) else "empty"

    def drop(self, node_id: str, reason: str) -> None:
        self.dropped[node_id] = min(reason, self.dropped.get(node_id, reason), key=REASONS.index)

    # 3. System context

    def instructions(self) -> list[str]:
        """ "in path order, then pending ones; each node once" """
        found: list[str] = []
        if self.setting("instructionScope") == "path":
            for edge in self.path.edges:
                found += sources(edge, "instruction")
        return list(dict.fromkeys(found + list(self.options["instruction_ids"])))

    def system(self) -> str | None:
        tree = self.loom.tree
        wanted = self.loom.dialogue or bool(tree.get("bufferModeSystemContext"))
        texts = [self.options["system_prompt"] or "", tree.get("systemContext") or ""]
        for node_id in self.instructions():
            text = self.loom.directive(node_id)
            reason = self.reason(node_id) or (None if text else "empty")
            reason = reason or (None if wanted else "instruction_without_system")
            if reason is None:
                texts.append(text)
            else:
                self.drop(node_id, reason)
        texts = [text.strip() for text in texts if text.strip()]
        return "\n\n".join(texts) if wanted and texts else None

    # 4. and 5. Sources and units

    def units(self) -> list[Unit]:
        path = self.path
        units = [self.unit(index) for index in range(len(path.nodes))]
        if self.composer:  # "as a human node not yet committed": the pending sources decorate it
            units.append([*self.context_parts(self.pending), *self.composer])
        units = [unit for unit in units if unit]
        text = self.options["working_buffer"]
        if text and not self.loom.dialogue:
            part = Part(text, kind="workingBuffer")
            if self.options["commits_buffer"]:  # the node that it will be: the pending sources decorate it
                units.append([*self.context_parts(self.pending), part])
            else:
                units = units or [[]]
                units[-1].append(part)
        return units

    def unit(self, index: int) -> Unit:
        """ "One path node with its context sources before it and its included annotations after it" """
        path, node_id = self.path, self.path.nodes[index]
        note = index > 0 and path.edges[index - 1].get("edgeType") == "annotation"
        reason = self.reason(node_id, note=note)
        if reason is not None:
            self.drop(node_id, reason)
            return self.annotation_parts(index)
        if index + 1 < len(path.nodes):
            contexts = sources(path.edges[index], "context")
        else:
            contexts = [] if self.is_being_written() or self.buffer_is_to_come() else self.pending
        parts = self.context_parts(contexts)
        return [*parts, *self.parts(node_id, self.loom.role(node_id)), *self.annotation_parts(index)]

    def is_being_written(self) -> bool:
        """Whether there will be a message before anything is sent, even one that says nothing."""
        text, blocks = self.options["composer_text"] or "", self.options["composer_blocks"]
        return self.loom.dialogue and bool(text.strip() or blocks)

    def buffer_is_to_come(self) -> bool:
        """Whether the working buffer will be a node before anything is sent."""
        written = bool(self.options["working_buffer"]) and not self.loom.dialogue
        return written and bool(self.options["commits_buffer"])

    def context_parts(self, node_ids: list[str]) -> list[Part]:
        """ "always in the user role whoever wrote them, each once (its first position)" """
        parts: list[Part] = []
        for node_id in node_ids:
            if node_id in self.path.nodes or node_id in self.placed:
                continue
            reason = self.reason(node_id)
            if reason is None:
                self.placed.append(node_id)
                parts += self.parts(node_id, "user")
            else:
                self.drop(node_id, reason)
        return parts

    def annotation_parts(self, index: int) -> list[Part]:
        """ "in the order of their edges; role by their author; each annotation once" """
        parts: list[Part] = []
        for note in self.annotations(index):
            if note in self.placed:
                continue
            reason = self.reason(note, note=True)
            if reason is None:
                self.placed.append(note)
                parts += self.parts(note, self.loom.role(note))
            else:
                self.drop(note, reason)
        return parts

    def annotations(self, index: int) -> list[str]:
        """The annotations whose first source on the path is this node of it."""
        loom, on_path = self.loom, self.path.nodes
        roles = ("primary", "context", "instruction")
        found: list[str] = []
        for edge in loom.edges_of("annotation"):
            note = edge["targetNodeId"]
            if on_path[index] not in sources(edge, *roles) or note not in loom.nodes or note in on_path:
                continue
            annotated = [s for other in loom.edges_into(note, "annotation") for s in sources(other, *roles)]
            if index == min(on_path.index(s) for s in annotated if s in on_path):
                found.append(note)
        return found

    def parts(self, node_id: str, role: str) -> list[Part]:
        return self.loom.parts(node_id, role, **self.ways())

    # 7. Truncation

    def truncated(self, units: list[Unit], room: int) -> Sent:
        if total(units) <= room:
            return Sent(flat(units))
        recent = min(self.setting("minimumRecentNodes"), len(units))
        if total(units[-1:]) > room:
            return self.too_big(units[-1], room, honoured=recent == 1)
        if self.setting("truncationStrategy") == "truncateMiddle":
            return self.middle(units, room, recent)
        return self.rolling(units, room, recent)

    def rolling(self, units: list[Unit], room: int, recent: int) -> Sent:
        start = len(units) - 1
        while total(units[start - 1 :]) <= room:
            start -= 1
        return self.filled([], units[start - 1], units[start:], room, honoured=len(units) - start >= recent)

    def middle(self, units: list[Unit], room: int, recent: int) -> Sent:
        reserved = cost(self.marker(len(units)))

        def fit(head: int, tail: int) -> bool:
            return reserved + total(units[:head]) + total(units[len(units) - tail :]) <= room

        tail = recent
        while tail > 1 and not fit(0, tail):
            tail -= 1
        honoured = tail == recent
        if not fit(0, tail):
            # "no marker": then "what is free after a cut is at most one token" asks for more than one unit
            return Sent(units[-1], honoured) if self.loom.dialogue else self.rolling(units, room, recent)
        head = 1 if fit(1, tail) else 0
        tail_grows, head_grows = True, head == 1
        while tail_grows or head_grows:
            tail_grows = tail_grows and fit(head, tail + 1)
            tail += tail_grows
            head_grows = head_grows and fit(head + 1, tail)
            head += head_grows
        marker = Part(self.marker(len(units) - head - tail), kind="marker")
        start = len(units) - tail
        oldest = [*flat(units[:head]), marker]
        sent = self.filled(oldest, units[start - 1], units[start:], room, honoured=honoured)
        return replace(sent, marker=True)

    def filled(
        self, oldest: list[Part], before: Unit, newest: list[Unit], room: int, *, honoured: bool
    ) -> Sent:
        """ "the room that is left goes to the unit just before the kept newest ones" """
        if self.loom.dialogue:
            return Sent([*oldest, *flat(newest)], honoured)
        rest, partial = self.end_of(before, room - total([oldest, *newest]))
        return Sent([*oldest, *rest, *flat(newest)], honoured, partial=partial)

    def marker(self, omitted: int) -> str:
        if not self.loom.dialogue:
            return str(self.setting("bufferMarker"))
        said = str(self.setting("dialogueMarker")).split("{n}")
        return str(omitted).join(piece.replace("{s}", "s" if omitted != 1 else "") for piece in said)

    def too_big(self, unit: Unit, room: int, *, honoured: bool) -> Sent:
        """ "Dialogue keeps it whole … Buffer cuts it from the front … With room 0 it stays whole" """
        if self.loom.dialogue or room == 0:
            return Sent(unit, honoured)
        rest, partial = self.end_of(unit, room)
        return Sent(rest, honoured, partial=partial)

    def end_of(self, unit: Unit, room: int) -> tuple[list[Part], Json | None]:
        """ "from its end, whole parts while they fit, then the last 4 x remaining tokens characters" """
        first = len(unit)
        while unit[first - 1].cost <= room:
            first -= 1
            room -= unit[first].cost
        if room == 0:
            return unit[first:], None
        whole = unit[first - 1]
        cut = replace(whole, text=whole.text[-4 * room :])
        kept, lost = len(cut.text), len(whole.text) - len(cut.text)
        partial = {"nodeId": cut.node_id, "keptChars": kept, "droppedChars": lost}
        return [cut, *unit[first:]], partial

    # 10. The report

    def report(self, units: list[Unit], sent: Sent, system_cost: int, available: int) -> Json:
        kept = list(dict.fromkeys(p.node_id for p in sent.parts if p.node_id is not None))
        for part in flat(units):
            if part.node_id is not None:
                self.drop(part.node_id, "truncated")
        dropped = {i: reason for i, reason in sorted(self.dropped.items()) if i not in kept}
        after = system_cost + total([sent.parts])
        return {
            "strategy": self.setting("truncationStrategy"),
            "window": self.options["window"],
            "available": available,
            "systemTokens": system_cost,
            "beforeTokens": system_cost + total(units),
            "afterTokens": after,
            "truncated": sent.partial is not None or len(sent.parts) - sent.marker < len(flat(units)),
            "overLimit": after > available,
            "minimumRecentHonoured": sent.honoured,
            "marker": sent.marker,
            "kept": kept,
            "dropped": [
                {"nodeId": i, "reason": reason, "tokens": 0 if reason == "empty" else self.loom.cost(i)}
                for i, reason in dropped.items()
            ],
            "partial": sent.partial,
            "compressed": [],
            "alternatePrimaries": list(dict.fromkeys(self.path.alternates)),
            "summaryUsed": None,
            "providerAdjustments": [IMAGES] if any(p.described == IMAGES for p in sent.parts) else [],
            "warnings": self.warnings(kept, dropped, sent.parts),
        }

    def warnings(self, kept: list[str], dropped: Json, parts: list[Part]) -> list[str]:
        codes: list[str] = []
        for node_id in self.pending:
            if dropped.get(node_id) == "truncated":
                codes.append("pending_source_truncated")
            elif node_id not in dropped and node_id not in kept:
                codes.append("pending_source_without_primary")  # it went with the node it stood before
        codes += [part.described for part in parts if part.described not in (None, IMAGES)]
        return list(dict.fromkeys(codes))

    # 9. The provider's rules

    def fitted(self, messages: list[Json], report: Json) -> list[Json]:
        rules, adjustments = self.options["provider_rules"], report["providerAdjustments"]
        if rules in ("anthropic", "anthropic-prefill") and messages[0]["role"] == "assistant":
            start = "[Earlier conversation omitted.]" if report["truncated"] else "[Conversation start]"
            messages = [*merged([Part(start, kind="rule")]), *messages]
            adjustments.append("prepended_user")
        if rules in ("openai", "anthropic") and messages[-1]["role"] == "assistant":
            messages = [*messages, *merged([Part(self.setting("continueText"), kind="rule")])]
            adjustments.append("appended_continue")
        return messages


# 8. Merge


def merged(parts: list[Part]) -> list[Json]:
    """ "Neighbours with the same role become one message"; only uncommitted text is from no node yet."""
    messages: list[Json] = []
    for role, group in groupby(parts, key=lambda part: part.role):
        said = list(group)
        contents = [part.image or {"type": "text", "text": part.text} for part in said]
        node_ids = dict.fromkeys(p.node_id for p in said if p.kind in (None, "composer"))
        messages.append({"role": role, "parts": contents, "nodeIds": list(node_ids)})
    return messages


def spans(parts: list[Part]) -> list[Json]:
    """The stretches of the document: one for the neighbouring parts of a node."""
    found: list[Json] = []
    end = 0
    for (node_id, kind), group in groupby(parts, key=lambda part: (part.node_id, part.kind)):
        start, end = end, end + sum(len(part.text) for part in group)
        named = {} if kind is None else {"kind": kind}
        found.append({"nodeId": node_id, "start": start, "end": end, **named})
    return found
