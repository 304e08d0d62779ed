"""A second assembler on Loom JSON values: slow, straight from the rules, sharing no code with ours.

It is what `assemble` is compared with on random trees, so it favours being obviously right: it looks
everything up by searching, counts everything anew, and builds nothing cleverly.
"""

from __future__ import annotations

import json
import math
from typing import Any

Json = dict[str, Any]


class NaiveError(Exception):
    """Why there is no context."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


def naive_assemble(file: Json, options: Json) -> Json:
    """What `loomapp assemble` should print for a Loom JSON value. Raises: NaiveError."""
    return _Assembly(file, options).result()


class _Assembly:
    def __init__(self, file: Json, options: Json) -> None:
        self.file = file
        self.tree = file["tree"]
        self.options = options
        self.mode = self.tree["mode"]
        stored = {s["targetNodeId"]: s["sourceNodeId"] for s in file["activePath"]["selections"]}
        self.stored_selections = stored
        asked = options["selections"]
        self.selections = stored if asked is None else asked
        included = options["included_annotations"]
        self.included = file["includedAnnotations"] if included is None else included

    # Looking things up

    def node(self, node_id: str) -> Json:
        return next(n for n in self.file["nodes"] if n["id"] == node_id)

    def exists(self, node_id: str) -> bool:
        return any(n["id"] == node_id for n in self.file["nodes"])

    def edges(self, kind: str) -> list[Json]:
        return [e for e in self.file["edges"] if e["edgeType"] == kind]

    @staticmethod
    def sources(edge: Json, role: str) -> list[str]:
        return [s["nodeId"] for s in edge["sources"] if s["role"] == role]

    # 1. Settings: "Each is set for the app and can be overridden for a tree, field by field (null inherits);
    # an explicit request overrides both."

    def setting(self, name: str) -> Any:
        app = {
            "truncationStrategy": "truncateMiddle",
            "minimumRecentNodes": 4,
            "tokenBuffer": 1024,
            "instructionScope": "path",
        }
        for level in (self.options["overrides"], self.tree["contextSettings"], app):
            if level.get(name) is not None:
                return level[name]
        raise AssertionError(name)

    # Paths

    def walk(self) -> tuple[list[str], list[Json | None]]:
        """The path's ids and the edge into each, root first."""
        ids: list[str] = []
        ways: list[Json | None] = []
        current = self.options["at"]
        while True:
            if current in ids:
                raise NaiveError("CYCLE")
            if not self.exists(current):
                raise NaiveError("NODE_NOT_FOUND")
            ids.append(current)
            into = [e for e in self.edges("continuation") if e["targetNodeId"] == current]
            if len(into) > 1:
                raise NaiveError("AMBIGUOUS_PATH")
            if not into:
                # "A node without a continuation edge is left by its annotation edge, at every step"
                into = [e for e in self.edges("annotation") if e["targetNodeId"] == current][:1]
            if not into:
                ways.append(None)
                break
            ways.append(into[0])
            current = self.primary(into[0])
        return ids[::-1], ways[::-1]

    def primary(self, edge: Json) -> str:
        candidates = self.sources(edge, "primary")
        if not candidates:
            raise NaiveError("INVALID_EDGE")
        if edge["targetNodeId"] in self.selections:
            choice: str = self.selections[edge["targetNodeId"]]
            if choice not in candidates:
                raise NaiveError("INVALID_SELECTION")
            return choice
        if len({self.family(c) for c in candidates}) > 1:
            return candidates[0]
        there = [c for c in candidates if self.exists(c)]
        if not there:
            return candidates[0]
        unpruned = [c for c in there if not self.node(c)["metadata"]["pruned"]]
        newest = sorted(unpruned or there, key=lambda c: (self.node(c)["createdAt"], c))
        return newest[-1]

    def family(self, node_id: str) -> str:
        """The start of the chain of `editedFrom`; a circle of them is called by its least id."""
        chain: list[str] = []
        while node_id not in chain:
            chain.append(node_id)
            if not self.exists(node_id) or self.node(node_id)["editedFrom"] is None:
                return node_id
            node_id = self.node(node_id)["editedFrom"]
        return min(chain[chain.index(node_id) :])

    # Content

    def parts(self, node_id: str) -> list[Json]:
        """What a node says, part by part, before anything is left out."""
        node = self.node(node_id)
        content = node["content"]
        blocks = content["blocks"] if content["type"] == "mixed" else [content]
        parts = []
        for block in blocks:
            part: Json = {"nodeId": node_id, "image": None}
            if block["type"] == "image":
                alt = block.get("altText")
                name = alt if alt is not None and alt.strip() != "" else node["localId"]
                part["text"] = "[image: " + name + "]"
                part["image"] = {
                    "type": "image",
                    "ref": block["ref"],
                    "mimeType": block["mimeType"],
                    "altText": name,
                }
            elif block["type"] == "audio":
                part["text"] = "[audio: " + node["localId"] + "]"
            elif block["type"] == "tool_use":
                call = json.dumps(block["input"], ensure_ascii=False, sort_keys=True)
                part["text"] = "[tool_use: " + block["name"] + " " + call + "]"
            else:
                part["text"] = block["text"]
            if self.mode == "dialogue":
                part["text"] = part["text"].strip()
            if part["text"] != "":
                parts.append(part)
        return parts

    @staticmethod
    def cost(text: str) -> int:
        return math.ceil(len(text) / 4)

    def node_cost(self, node_id: str) -> int:
        return sum(self.cost(p["text"]) for p in self.parts(node_id))

    def says(self, node_id: str) -> str:
        """What a node says as an instruction."""
        if self.node(node_id)["content"]["type"] == "image":
            return ""
        between = "\n\n" if self.mode == "dialogue" else ""
        return between.join(p["text"] for p in self.parts(node_id)).strip()

    # 2. Filter

    def reason(self, node_id: str, *, as_note: bool = False, as_instruction: bool = False) -> str | None:
        metadata = self.node(node_id)["metadata"]
        if metadata["pruned"]:
            return "pruned"
        if metadata["excluded"]:
            return "excluded"
        if as_note and node_id not in self.included:
            return "annotation"
        if as_instruction:
            return "empty" if self.says(node_id) == "" else None
        return "empty" if self.parts(node_id) == [] else None

    def role(self, node_id: str) -> str:
        return "user" if self.node(node_id)["authorType"] == "human" else "assistant"

    # The whole

    def result(self) -> Json:
        ids, ways = self.walk()
        self.check_ids(ways)
        reasons: list[tuple[str, str]] = []  # (node, reason) for every part a node could have played
        units = self.units(ids, ways, reasons)
        system = self.system(ways, reasons)
        if not units:
            raise NaiveError("EMPTY_CONTEXT")
        window = self.options["window"]
        available = window - max(self.setting("tokenBuffer"), self.options["max_tokens"] or 0)
        if available <= 0:
            raise NaiveError("INVALID_BUDGET")
        system_cost = 0 if system is None else self.cost(system)
        if system_cost > available:
            raise NaiveError("SYSTEM_TOO_LARGE", needed=system_cost, available=available)
        before = system_cost + sum(map(self.unit_cost, units))
        room = available - system_cost
        kept_units, marker, over, partial, whole_count = units, None, False, None, len(units)
        head: list[list[Json]] = []
        tail = units
        if before > available:
            head, tail, marker = self.truncate(units, room, before, available)
            kept_units = head + tail
            if len(kept_units) == 1 and self.unit_cost(units[-1]) > room:
                tail, partial, over = self.newest_alone(units[-1], room)
        minimum = min(self.setting("minimumRecentNodes"), whole_count)
        sent = [p for u in head for p in u]
        marker_part = {"nodeId": None, "text": marker, "role": "user", "image": None, "kind": "marker"}
        sent += [marker_part] if marker is not None else []
        sent += [p for u in tail for p in u]
        kept: list[str] = []
        for part in sent:
            if part["nodeId"] is not None and part["nodeId"] not in kept:
                kept.append(part["nodeId"])
        dropped = self.dropped(units, kept, reasons)
        after = system_cost + sum(self.cost(p["text"]) for p in sent)
        left_out = sum(len(u) for u in units) > sum(len(u) for u in head + tail)
        report = {
            "strategy": self.setting("truncationStrategy"),
            "window": window,
            "available": available,
            "systemTokens": system_cost,
            "beforeTokens": before,
            "afterTokens": after,
            "truncated": left_out or partial is not None,
            "overLimit": over,
            "minimumRecentHonoured": len(tail) >= minimum,
            "marker": marker is not None,
            "kept": kept,
            "dropped": dropped,
            "partial": partial,
            "compressed": [],
            "alternatePrimaries": self.alternates(ids, ways),
            "summaryUsed": None,
            "providerAdjustments": [],
            "warnings": self.warnings(kept, dropped),
        }
        if self.mode == "buffer":
            return {"mode": "buffer", "system": system, **self.document(sent), "report": report}
        messages = self.merge(sent)
        messages = self.provider(messages, report)
        return {"mode": "dialogue", "system": system, "messages": messages, "report": report}

    def check_ids(self, ways: list[Json | None]) -> None:
        """ "unknown ids anywhere in the request"; "missing sources are reported when the path meets them" """
        names = [s["nodeId"] for e in ways if e is not None for s in e["sources"] if s["role"] != "primary"]
        names += self.options["context_ids"] + self.options["instruction_ids"]
        for name in self.options["included_annotations"] or []:
            if name not in self.file["includedAnnotations"]:
                names.append(name)
        for target, source in (self.options["selections"] or {}).items():
            if self.stored_selections.get(target) != source:
                names += [target, source]
        if not all(map(self.exists, names)):
            raise NaiveError("NODE_NOT_FOUND")

    # 3. System context

    def system(self, ways: list[Json | None], reasons: list[tuple[str, str]]) -> str | None:
        names: list[str] = []
        if self.setting("instructionScope") == "path":
            for edge in ways:
                names += self.sources(edge, "instruction") if edge is not None else []
        names += self.options["instruction_ids"]
        off = self.mode == "buffer" and not self.tree["bufferModeSystemContext"]
        texts = [] if off else [self.options["system_prompt"] or "", self.tree["systemContext"] or ""]
        for number, name in enumerate(names):
            if name in names[:number]:
                continue
            why = self.reason(name, as_instruction=True)
            if why is None and off:
                why = "instruction_without_system"
            if why is not None:
                reasons.append((name, why))
            else:
                texts.append(self.says(name))
        texts = [t.strip() for t in texts if t.strip() != ""]
        return "\n\n".join(texts) if texts else None

    # 4. and 5. Units

    def units(
        self, ids: list[str], ways: list[Json | None], reasons: list[tuple[str, str]]
    ) -> list[list[Json]]:
        composer = (self.options["composer_text"] or "").strip() if self.mode == "dialogue" else ""
        pending = self.options["context_ids"]
        placed: list[str] = []
        units: list[list[Json]] = []
        for i, node_id in enumerate(ids):
            # "The edge into a path node decorates the path node before it [...]; the pending generation's
            # sources decorate the current node."
            if i + 1 < len(ids):
                edge = ways[i + 1]
                assert edge is not None
                contexts = self.sources(edge, "context")
            else:
                contexts = [] if composer else pending
            way = ways[i]
            why = self.reason(node_id, as_note=way is not None and way["edgeType"] == "annotation")
            unit: list[Json] = []
            if why is None:
                unit += self.context_parts(contexts, ids, placed, reasons)
                unit += [{**p, "role": self.role(node_id)} for p in self.parts(node_id)]
            else:
                reasons.append((node_id, why))
            unit += self.note_parts(node_id, ids, placed, reasons)
            if unit:
                units.append(unit)
        if composer:
            unit = self.context_parts(pending, ids, placed, reasons)
            text = {"nodeId": None, "text": composer, "role": "user", "image": None, "kind": "composer"}
            units.append([*unit, text])
        buffer = self.options["working_buffer"]
        if self.mode == "buffer" and buffer != "":
            text = {"nodeId": None, "text": buffer, "role": "user", "image": None, "kind": "workingBuffer"}
            if units:
                units[-1] = [*units[-1], text]
            else:
                units.append([text])
        return units

    def context_parts(
        self, names: list[str], ids: list[str], placed: list[str], reasons: list[tuple[str, str]]
    ) -> list[Json]:
        parts: list[Json] = []
        for name in names:
            if name in ids or name in placed:
                continue
            why = self.reason(name)
            if why is not None:
                reasons.append((name, why))
                continue
            placed.append(name)
            parts += [{**p, "role": "user"} for p in self.parts(name)]
        return parts

    def note_parts(
        self, node_id: str, ids: list[str], placed: list[str], reasons: list[tuple[str, str]]
    ) -> list[Json]:
        parts: list[Json] = []
        for edge in self.edges("annotation"):
            note = edge["targetNodeId"]
            on_it = any(s["nodeId"] == node_id for s in edge["sources"])
            if not on_it or not self.exists(note) or note in ids or note in placed:
                continue
            why = self.reason(note, as_note=True)
            if why is not None:
                reasons.append((note, why))
                continue
            placed.append(note)
            parts += [{**p, "role": self.role(note)} for p in self.parts(note)]
        return parts

    def unit_cost(self, unit: list[Json]) -> int:
        return sum(self.cost(p["text"]) for p in unit)

    # 7. Truncation

    def truncate(
        self, units: list[list[Json]], room: int, needed: int, available: int
    ) -> tuple[list[list[Json]], list[list[Json]], str | None]:
        """What stays at the head, what stays at the tail, and the marker between them."""
        strategy = self.setting("truncationStrategy")
        if strategy == "stopAtLimit":
            raise NaiveError(
                "CONTEXT_TOO_LONG", needed=needed, available=available, over_by=needed - available
            )
        if strategy == "rollingWindow":
            for begin in range(len(units)):
                if sum(map(self.unit_cost, units[begin:])) <= room:
                    return [], units[begin:], None
            return [], units[-1:], None
        reserved = self.cost(self.marker(len(units)))

        def fits(first: int, last: int) -> bool:
            taken = units[:first] + units[len(units) - last :]
            return reserved + sum(map(self.unit_cost, taken)) <= room

        last = min(self.setting("minimumRecentNodes"), len(units))
        while last > 1 and not fits(0, last):
            last -= 1
        if not fits(0, last):
            return [], units[-1:], None
        first = 1 if fits(1, last) else 0
        tail_open, head_open = True, first == 1
        while tail_open or head_open:
            if tail_open and fits(first, last + 1):
                last += 1
            else:
                tail_open = False
            if head_open and fits(first + 1, last):
                first += 1
            else:
                head_open = False
        return units[:first], units[len(units) - last :], self.marker(len(units) - first - last)

    def marker(self, n: int) -> str:
        if self.mode == "buffer":
            return "\n\n[...]\n\n"
        return "[... 1 message omitted ...]" if n == 1 else f"[... {n} messages omitted ...]"

    def newest_alone(self, unit: list[Json], room: int) -> tuple[list[list[Json]], Json | None, bool]:
        """What stays of the newest unit alone, what was cut in it, and whether it is still too big."""
        if self.mode == "dialogue" or room == 0:
            return [unit], None, True
        stays: list[Json] = []
        for part in reversed(unit):
            cost = self.cost(part["text"])
            if cost <= room:
                stays.insert(0, part)
                room -= cost
                continue
            if room == 0:
                return [stays], None, False
            text = part["text"][len(part["text"]) - 4 * room :]
            stays.insert(0, {**part, "text": text})
            cut = {
                "nodeId": part["nodeId"],
                "keptChars": len(text),
                "droppedChars": len(part["text"]) - len(text),
            }
            return [stays], cut, False
        raise AssertionError("it did not fit as a whole")

    # 10. The report

    def dropped(self, units: list[list[Json]], kept: list[str], reasons: list[tuple[str, str]]) -> list[Json]:
        placed = [p["nodeId"] for u in units for p in u if p["nodeId"] is not None]
        order = ["pruned", "excluded", "annotation", "empty", "instruction_without_system"]
        names = {name for name, _ in reasons} | set(placed)
        dropped = []
        for name in sorted(names - set(kept)):
            if name in placed:
                why = "truncated"
            else:
                why = min((r for n, r in reasons if n == name), key=order.index)
            cost = 0 if why == "empty" else self.node_cost(name)
            dropped.append({"nodeId": name, "reason": why, "tokens": cost})
        return dropped

    def alternates(self, ids: list[str], ways: list[Json | None]) -> list[str]:
        found: list[str] = []
        for i, edge in enumerate(ways):
            if edge is None:
                continue
            for name in self.sources(edge, "primary"):
                if self.family(name) != self.family(ids[i - 1]) and name not in found:
                    found.append(name)
        return found

    def warnings(self, kept: list[str], dropped: list[Json]) -> list[str]:
        found: list[str] = []
        for name in self.options["context_ids"]:
            whys = [d["reason"] for d in dropped if d["nodeId"] == name]
            code = None
            if whys == ["truncated"]:
                code = "pending_source_truncated"
            elif not whys and name not in kept:
                code = "pending_source_without_primary"
            if code is not None and code not in found:
                found.append(code)
        return found

    # 8. and 9. Messages

    def merge(self, sent: list[Json]) -> list[Json]:
        messages: list[Json] = []
        for part in sent:
            if not messages or messages[-1]["role"] != part["role"]:
                messages.append({"role": part["role"], "parts": [], "nodeIds": []})
            is_image = part["image"] is not None and part["role"] == "user" and self.options["accepts_images"]
            text = {"type": "text", "text": part["text"]}
            messages[-1]["parts"].append(part["image"] if is_image else text)
            is_marker = part.get("kind") == "marker"
            if not is_marker and part["nodeId"] not in messages[-1]["nodeIds"]:
                messages[-1]["nodeIds"].append(part["nodeId"])
        return messages

    def provider(self, messages: list[Json], report: Json) -> list[Json]:
        rules = self.options["provider_rules"]
        if rules == "none":
            return messages

        def user(text: str) -> Json:
            return {"role": "user", "parts": [{"type": "text", "text": text}], "nodeIds": []}

        if rules.startswith("anthropic") and messages[0]["role"] == "assistant":
            text = "[Earlier conversation omitted.]" if report["truncated"] else "[Conversation start]"
            messages = [user(text), *messages]
            report["providerAdjustments"].append("prepended_user")
        if messages[-1]["role"] == "assistant" and rules != "anthropic-prefill":
            messages = [*messages, user("Continue.")]
            report["providerAdjustments"].append("appended_continue")
        return messages

    def document(self, sent: list[Json]) -> Json:
        text = ""
        spans: list[Json] = []
        for part in sent:
            span = {"nodeId": part["nodeId"], "start": len(text), "end": len(text) + len(part["text"])}
            text += part["text"]
            if part["nodeId"] is None:
                spans.append({**span, "kind": part["kind"]})
            elif spans and spans[-1]["nodeId"] == part["nodeId"]:
                spans[-1]["end"] = span["end"]
            else:
                spans.append(span)
        return {"document": text, "spans": spans}
