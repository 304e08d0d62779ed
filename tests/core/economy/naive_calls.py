"""Calls of a path as the naive economy reads them: tokens used, seconds idle, and what is carried on."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from tests.core.context.naive_assembly import total
from tests.core.context.naive_loom import Json, cost
from tests.core.economy.naive_pieces import EconomyLoom, NumberedUnit, continued_by, node_text

OWN_KEYS = ("nodeId", "choiceIndex", "textRule")  # entries that differ only in these are one call


@dataclass
class Carried:
    """A part of a node that an earlier call had shortened, by which row, and how long it was then."""

    node_id: str
    part: int
    row: str
    after_chars: int | None = None
    utilization: float | None = None


def exchange(response: Json) -> Json:
    """What is the same in all entries of one call."""
    return {key: value for key, value in response.items() if key not in OWN_KEYS}


def count(response: Json, name: str) -> int | None:
    """A number of tokens of a call, if it was counted."""
    value = (response.get("usage") or {}).get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def record_of(response: Json) -> Json:
    """The sent record of a call; empty if there is none."""
    return response.get("context") or {}


def economy_of(response: Json) -> Json:
    """ "The sent record keeps what decided"; "absent when all is off" """
    return record_of(response).get("economy") or {}


def ended(response: Json) -> float:
    """When a call ended, in seconds."""
    told = response.get("endedAt") or response.get("startedAt")
    return datetime.datetime.fromisoformat(str(told)).timestamp()


class Calls:
    """The calls of a file, as seen from one model; none given: every model is the same."""

    def __init__(self, loom: EconomyLoom, file: Json, model_ref: str | None) -> None:
        self.loom = loom
        self.responses: list[Json] = file.get("responses", [])
        self.model_ref = model_ref

    def of(self, node_id: str) -> Json | None:
        return next((one for one in self.responses if one["nodeId"] == node_id), None)

    def is_same_model(self, response: Json) -> bool:
        if self.model_ref is None:
            return True
        asked = record_of(response).get("modelRef") or f"{response.get('provider')}:{response.get('model')}"
        return bool(asked == self.model_ref)

    def choices(self, response: Json) -> int:
        """How many answers a call gave."""
        return sum(exchange(one) == exchange(response) for one in self.responses)

    def answer_tokens(self, response: Json) -> int:
        """ "its answer (outputTokens - reasoningTokens if the call gave one choice, else chars/4 of its
        text)"
        """
        output = count(response, "outputTokens")
        if output is None or self.choices(response) != 1:
            return cost(node_text(self.loom.nodes[response["nodeId"]]))  # what stands for calls is no text
        return output - (count(response, "reasoningTokens") or 0)

    def used(
        self,
        path: list[str],
        units: list[NumberedUnit],
        system_tokens: int,
        in_use: tuple[Any, Any],
    ) -> tuple[int, bool]:
        """Tokens used, and whether they are measured. `in_use` is the summary in use and the heads.

        "from the nearest node of the path whose call was counted, by the same model and with the same summary
        in use as now: its inputTokens + its answer + chars/4 of every unit after it, composer text included.
        No such node: chars/4 of system (a summary in use included) and units, B's base texts in them"
        """
        for place in reversed(range(len(path))):
            response = self.of(path[place])
            if response is None or not self.is_same_model(response):
                continue
            sent = count(response, "inputTokens")
            if sent is None or summary_in_use(response) != in_use:
                continue
            after = [unit for at, unit in units if at > place]
            written = [p for at, unit in units if at <= place for p in unit if p.kind == "workingBuffer"]
            return sent + self.answer_tokens(response) + total([*after, written]), True
        return system_tokens + total(unit for _, unit in units), False

    def idle(self, path: list[str], now: float) -> float | None:
        """ "seconds since the end of the last call, by the same model, that continued a node of this path;
        none = never called"
        """
        ends = [
            ended(response)
            for response in self.responses
            if self.is_same_model(response)
            and any(source in path for source in continued_by(self.loom, response["nodeId"]))
        ]
        return now - max(ends) if ends else None

    def carried(self, path: list[str]) -> list[Carried]:
        """ "what the nearest call on the path by the same model had budgeted, snipped or cleared" """
        for node_id in reversed(path):
            response = self.of(node_id)
            if response is not None and self.is_same_model(response):
                return shortened_by(response)
        return []

    def totals(self, path: list[str]) -> tuple[int, int]:
        """ "totalInputTokens, totalOutputTokens (each call of the path once)" """
        once: list[Json] = []
        for node_id in path:
            response = self.of(node_id)
            if response is not None and exchange(response) not in once:
                once.append(exchange(response))
        return (
            sum(count(one, "inputTokens") or 0 for one in once),
            sum(count(one, "outputTokens") or 0 for one in once),
        )


def summary_in_use(response: Json) -> tuple[Any, Any]:
    """Which summary a call was sent with: its anchor and hash, and the texts of the heads."""
    economy = economy_of(response)
    summary, heads = economy.get("summary"), economy.get("heads")
    return (
        None if summary is None else (summary["anchorNodeId"], summary["coveredHash"]),
        None if heads is None else said_by([(head["title"], head["text"]) for head in heads]),
    )


def said_by(heads: list[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    """What is in the text of heads: "blank ones skipped", each with whether it is marked as active."""
    last = len(heads) - 1
    return [(title, text.strip(), at == last) for at, (title, text) in enumerate(heads) if text.strip()]


def shortened_by(response: Json) -> list[Carried]:
    """The parts that a call had budgeted, snipped or cleared: of its report ("till "Send in full" is
    chosen for the part"), and only without one what it had carried on itself.
    """
    economy = economy_of(response)
    utilization = economy.get("utilization")
    found: dict[tuple[str, int], Carried] = {}
    compressed = (record_of(response).get("report") or {}).get("compressed")
    for node_id, part, row in (economy.get("carried") or []) if compressed is None else []:
        found[node_id, part] = Carried(node_id, part, row, None, utilization)
    for one in compressed or []:
        key = (one["nodeId"], one["part"])
        found[key] = Carried(*key, one["row"], one["afterChars"], utilization)
    return [one for one in found.values() if one.row in ("budget", "snip", "clear")]
