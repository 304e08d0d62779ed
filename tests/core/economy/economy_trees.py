"""Random trees as Loom JSON values, and random requests, of everything that the economy's rules speak of."""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime
from typing import Any

from tests.core.context.naive_loom import Json, NaiveError, Path
from tests.core.economy.economy_shapes import EconomyShape
from tests.core.economy.naive_branches import capped
from tests.core.economy.naive_branches import chain as naive_chain
from tests.core.economy.naive_calls import exchange
from tests.core.economy.naive_compression import budgeted, stored, truncated
from tests.core.economy.naive_pieces import EconomyLoom, blocks_of
from tests.core.economy.naive_thresholds import covered_hash

UTILIZATIONS = (0, 0.3, 0.4999, 0.5, 0.55, 0.6, 0.65, 0.7, 0.7001, 0.74, 0.75, 0.9, 1.5)
IDLES = ("never", 0, 299, 299.9, 300, 301, 5000)
TITLES = (
    "Auth",
    "Auth UI",
    "auth ui!",
    "Main",
    "main",
    "日本",
    "",
    "  Padded  ",
    "A long title of a branch here",
)
MODELS = ("anthropic:sonnet", "openai:gpt")
STRATEGIES = (None, None, None, None, "truncateMiddle", "rollingWindow", "stopAtLimit")
RULES = ("none", "none", "openai", "anthropic", "anthropic-prefill")


def economy_case(seed: int, now: float = 1_790_000_000) -> tuple[Json, Json]:
    """A Loom JSON value and the options of a request for it; `now` is the time of the request in seconds."""
    return EconomyTree(random.Random(seed), now).build()


class EconomyTree(EconomyShape):
    def __init__(self, dice: random.Random, now: float) -> None:
        super().__init__(dice)
        self.now = now
        self.mode = "dialogue" if self.is_history else dice.choices(("dialogue", "buffer"), (4, 1))[0]
        self.responses: list[Json] = []
        self.tree: Json = {
            "id": "tree",
            "title": dice.choice(("My App", "T", " Padded title ", "Café")),
            "mode": self.mode,
            "rootNodeId": "n0",
            "systemContext": dice.choice((None, "", " T ", "Tree system context. " * 5)),
            "bufferModeSystemContext": self.chance(0.7),
            "contextSettings": self.settings(),
        }

    def build(self) -> tuple[Json, Json]:
        path = [self.add_node()]
        lengths = (7, 9, 12, 16) if self.is_history else (0, 1, 2, 3, 5, 7, 9, 12, 16, 20)
        for _ in range(self.dice.choice(lengths)):
            path += self.grow(path)
        if self.chance(0.02):
            path += self.long_way(path)
        for _ in range(self.dice.randint(0, 3)):
            self.annotate()
        file = self.file(path)
        file["branchSummaries"] = self.branch_summaries(path)
        file["contextSummaries"] = self.context_summaries(file, path)
        self.answer_calls(file, path)
        file["responses"] = self.responses
        for name in ("branchSummaries", "contextSummaries", "responses"):
            if not file[name] and self.chance(0.5):
                del file[name]
        return file, self.options(path)

    def long_way(self, path: list[str]) -> list[str]:
        """More nodes than heads are in a chain."""
        found: list[str] = []
        for before in range(52):
            found.append(self.add_node({"type": "text", "text": "x"}))
            self.add_edge([(found[before - 1] if before else path[-1], "primary")], found[-1])
        return found

    # Summaries

    def branch_summaries(self, path: list[str]) -> list[Json]:
        if self.chance(0.25):
            return []
        density = 1 if len(path) > 52 else 0.25
        heads = [node_id for node_id in path if self.chance(density)]
        heads += [self.any_id() for _ in range(self.dice.randint(0, 2))]
        heads += [path[0]] if self.chance(0.6) else []
        heads = list(dict.fromkeys(heads))
        self.dice.shuffle(heads)
        return [self.branch_summary(node_id) for node_id in heads]

    def branch_summary(self, node_id: str) -> Json:
        text = self.dice.choice((None, "", " \n", self.words(30), f" {self.words(60)}\n", self.words(5)))
        title = self.dice.choice(TITLES)
        row: Json = {"nodeId": node_id, "title": title, "text": text, "origin": "manual"}
        if self.chance(0.6):
            now = len(text or "")
            count = self.dice.randint(0, 4)
            row |= {
                "updateCount": count,
                "firstContentLength": now if count else 0,
                "currentContentLength": now if count else 0,
                "cumulativeInputLength": now + self.dice.choice((0, 7, 500, 9000)) if count else 0,
                "lastUpdatedAt": "2026-01-02T00:00:00.000Z" if count else None,
            }
        return row

    def context_summaries(self, file: Json, path: list[str]) -> list[Json]:
        if self.chance(0.2):
            return []
        loom = EconomyLoom(file)
        rows: list[Json] = []
        for _ in range(self.dice.randint(1, 4)):
            anchor = self.dice.choice(path) if self.chance(0.85) else self.any_id()
            row = self.context_summary(loom, anchor, path)
            if all((row["anchorNodeId"], row.get("coveredHash")) != key(other) for other in rows):
                rows.append(row)
        place = {node_id: index for index, node_id in enumerate(path)}
        rows.sort(key=lambda row: place.get(row["anchorNodeId"], -1))
        for before, row in itertools.pairwise(rows):
            if self.chance(0.6) and "coveredHash" in before:
                named = ("anchorNodeId", "coveredHash")
                row["basedOn"] = {name: before[name] for name in named}
        return rows

    def context_summary(self, loom: EconomyLoom, anchor: str, path: list[str]) -> Json:
        text = self.words(self.dice.choice((3, 30, 120)))
        row: Json = {"anchorNodeId": anchor, "text": text, "origin": "background", "model": "m"}
        try:
            nodes = loom.path(anchor, loom.selections).nodes
        except NaiveError:
            nodes = [anchor]
        if self.chance(0.8):
            row["coveredHash"] = covered_hash(loom, nodes if self.chance(0.85) else path)
        if self.chance(0.5):
            row |= {"messagesSummarized": self.dice.randint(1, 9), "originalTokens": 900, "summaryTokens": 80}
        if self.chance(0.5):
            row["coveredIds"] = nodes
        return row

    # Calls

    def answer_calls(self, file: Json, path: list[str]) -> None:
        """Some model nodes get the calls that made them; now and then two share one."""
        loom = EconomyLoom(file)
        if not self.is_history and self.chance(0.3):
            return
        for place, node_id in enumerate(path[1:], start=1):
            if loom.nodes[node_id]["authorType"] == "model" and self.chance(0.6):
                response = self.response(file, loom, path[:place], node_id)
                self.responses.append(response)
                if self.chance(0.15):
                    self.share(response, path)
        answered = {one["nodeId"] for one in self.responses}
        for edge in self.edges:
            target = edge["targetNodeId"]
            is_free = target not in path and target not in answered and edge["edgeType"] == "continuation"
            if is_free and self.chance(0.4):
                answered.add(target)
                self.responses.append(self.response(file, loom, [], target))

    def share(self, response: Json, path: list[str]) -> None:
        answered = {one["nodeId"] for one in self.responses}
        free = [n["id"] for n in self.nodes if n["id"] not in path and n["id"] not in answered]
        if free:
            self.responses.append({"nodeId": self.dice.choice(free), "choiceIndex": 1, **exchange(response)})

    def response(self, file: Json, loom: EconomyLoom, above: list[str], node_id: str) -> Json:
        ended = self.now - self.dice.choice((20, 100, 4000, 4_000_000, 9_000_000)) - len(self.responses)
        provider, model = self.dice.choices(MODELS, (3, 1))[0].split(":")
        usage = {
            "inputTokens": self.dice.randint(10, 60_000),
            "outputTokens": self.dice.randint(50, 900),
            "reasoningTokens": self.dice.randint(0, 50),
            "cachedTokens": self.dice.randint(0, 9),
        }
        for name in list(usage):
            if self.chance(0.12):
                del usage[name]
        response: Json = {
            "nodeId": node_id,
            "choiceIndex": 0,
            "provider": provider,
            "requestId": f"r{len(self.responses)}",
            "model": model,
            "requestBody": "{}",
            "headers": {},
            "startedAt": iso(ended - 3),
            "endedAt": iso(ended),
            "latencyMs": 5,
            "usage": usage,
            "finishReason": "stop",
        }
        if above and self.chance(0.9 if self.is_history else 0.6):
            response["context"] = self.record(file, loom, above, f"{provider}:{model}")
        return response

    def record(self, file: Json, loom: EconomyLoom, above: list[str], model_ref: str) -> Json:
        """What a call was assembled from, as far as the economy reads it."""
        compressed = self.shortened(loom, above) if self.chance(0.8 if self.is_history else 0.4) else []
        carried = [
            [one["nodeId"], one["part"], one["row"]]
            for one in compressed
            if one["why"] == "carried" and one["row"] in ("budget", "snip", "clear")
        ]
        rows = [row for row in file["contextSummaries"] if row["anchorNodeId"] in above]
        summary = None
        if rows and self.chance(0.6):
            row = rows[-1]
            made = covered_hash(loom, above[: above.index(row["anchorNodeId"]) + 1])
            summary = {
                "anchorNodeId": row["anchorNodeId"],
                "coveredHash": row.get("coveredHash", made),
                "text": row["text"],
            }
        heads = None
        if self.chance(0.2):
            chain = capped(naive_chain(loom, file, Path(list(above))))
            heads = [
                {"nodeId": head.node_id, "title": head.title, "text": head.summary.strip()} for head in chain
            ]
            summary = None
        economy = {
            "assembler": "auto" if heads is None else "summaries",
            "summary": summary,
            "heads": heads,
            "compression": {} if compressed or self.chance(0.3) else None,
            "utilization": self.utilization_of(compressed),
            "idle": None,
            "carried": carried,
        }
        found: Json = {"modelRef": model_ref, "at": above[-1], "report": {"compressed": compressed}}
        return {**found, "economy": economy} if compressed or summary or heads or self.chance(0.3) else found

    def utilization_of(self, compressed: list[Json]) -> float:
        """The utilisation that a call's budgets tell of."""
        loads = [one for one in compressed if one["row"] == "budget" and one["why"] == "load"]
        if any(one["afterChars"] <= 15_000 for one in loads):
            return 0.8
        return 0.62 if loads else 0.3

    def shortened(self, loom: EconomyLoom, above: list[str]) -> list[Json]:
        """Parts of nodes that a call had shortened, as a report tells it; one budget for all of them."""
        budget = self.dice.choice((15_000, 30_000))
        found: list[Json] = []
        for node_id in above:
            for part, block in enumerate(blocks_of(loom.nodes[node_id])):
                if block["type"] not in ("document", "tool_result") or self.chance(0.2):
                    continue
                text = block["text"].strip()
                base = truncated(stored(text, loom.local_ids[node_id]))
                row = self.dice.choices(("budget", "snip", "clear"), (3, 1, 1))[0]
                after = {
                    "budget": len(budgeted(base, budget)),
                    "snip": len("[Content snipped - re-read if needed]"),
                    "clear": len("[Old result cleared]"),
                }[row]
                if not text or (row == "budget" and len(base) <= budget):
                    continue
                own = {"budget": "load", "snip": "older", "clear": "idle"}[row]
                found.append(
                    {
                        "nodeId": node_id,
                        "part": part,
                        "row": row,
                        "beforeChars": len(text),
                        "afterChars": after,
                        "why": self.dice.choice((own, own, "carried")),
                    }
                )
        return found

    # What a person set

    def settings(self) -> Json:
        given: Json = {"minimumRecentNodes": self.dice.choice((None, None, 1, 3)), "tokenBuffer": None}
        if self.chance(0.5):
            given["minRecentMessages"] = self.dice.choice((1, 2, 3, 4, 6))
        if self.chance(0.2):
            given["softThreshold"] = self.dice.choice((0.5, 0.75, 0.6))
        if self.chance(0.2):
            given["hardThreshold"] = self.dice.choice((0.8, 0.9, 0.95))
        if self.chance(0.2):
            given["responseReserve"] = self.dice.choice((100, 4096))
        if self.chance(0.2):
            given |= {"assembler": "summaries", "useSummaries": True, "makeSummaries": "thresholds"}
        if self.chance(0.2):
            given |= {"compression": True, "compressText": True}
        return given

    def file(self, path: list[str]) -> Json:
        chosen = [
            {"targetNodeId": edge["targetNodeId"], "sourceNodeId": edge["sources"][0]["nodeId"]}
            for edge in self.edges
            if edge["edgeType"] == "continuation" and self.chance(0.85)
        ]
        return {
            "format": "loom-json",
            "version": 1,
            "tree": self.tree,
            "agents": [
                {
                    "id": f"agent-{model.split(':')[0]}",
                    "name": model,
                    "type": "model",
                    "modelRef": model,
                    "configuration": {"systemPrompt": prompt, "maxTokens": most},
                }
                for model, prompt, most in zip(MODELS, (None, " A "), (None, 900), strict=True)
            ],
            "nodes": self.nodes,
            "edges": self.edges,
            "activePath": {"leafNodeId": path[-1], "selections": chosen},
            "includedAnnotations": [
                edge["targetNodeId"]
                for edge in self.edges
                if edge["edgeType"] == "annotation" and self.chance(0.6)
            ],
            "contextSummaries": [],
        }

    def options(self, path: list[str]) -> Json:
        is_tight = self.chance(0.05 if self.is_history else 0.3)
        window = (
            self.dice.randint(1_100, 4_000)
            if is_tight
            else self.dice.choice((8_000, 60_000, 128_000, 200_000))
        )
        options: Json = {
            "at": path[-1] if self.chance(0.85) else self.dice.choice(path),
            "window": window,
            "strategy": self.dice.choice(STRATEGIES),
            "minimum_recent": self.dice.choice((None, None, 1, 2)),
            "token_buffer": self.dice.choice((None, None, 100)),
            "instruction_scope": self.dice.choice((None, None, "pending")),
            "agent": self.dice.choice((None, "agent-anthropic", "agent-openai")),
            "system_prompt": self.dice.choice((None, None, "Agent.")),
            "context": self.some_ids(0.15),
            "instruction": self.some_ids(0.1),
            "include_annotation": self.some_ids(0.1),
            "working_buffer": self.dice.choice(("", "", "and then", "w" * 50)),
            "provider_rules": self.dice.choice(RULES),
            "assembler": self.dice.choices(("auto", "summaries"), (2, 1))[0],
            "summaries": self.dice.choice(("on", "on", "off")),
            "compression": "on" if self.is_history else self.dice.choice(("on", "on", "off")),
            "compress_text": self.dice.choice(("on", "off")),
            "utilization": self.dice.choice(UTILIZATIONS)
            if self.chance(0.15 if self.is_history else 0.6)
            else None,
            "idle": self.dice.choice(IDLES) if self.chance(0.6) else None,
            "state": self.chance(0.4),
            "now": self.now,
        }
        return options


def key(row: Json) -> tuple[Any, Any]:
    return row["anchorNodeId"], row.get("coveredHash")


def iso(seconds: float) -> str:
    """A time as it stands in files."""
    return datetime.fromtimestamp(round(seconds, 3), UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
