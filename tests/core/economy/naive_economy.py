"""A second context economy on Loom JSON values: slow, from the sentences of the rules, with no code of ours.

"units -> summaries (A or C) -> compression (B) -> strategy": each step makes new units of the ones before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from tests.core.context.naive_assembly import merged, spans, total
from tests.core.context.naive_loom import Json, NaiveError, cost
from tests.core.economy import naive_branches, naive_thresholds
from tests.core.economy.naive_calls import Calls, said_by
from tests.core.economy.naive_compression import Compression
from tests.core.economy.naive_pieces import NumberedUnit, PlacedAssembly, agent_of


def naive_economy(file: Json, asked: Json) -> Json:
    """What `loomapp assemble` should print for a Loom JSON value and its options. Raises: NaiveError.

    `dropped` is in the order of the ids, `warnings` in that of the alphabet.
    """
    return Economy(file, asked).result()


@dataclass
class Summarised:
    """What the first stage makes of the units, and what it says of that."""

    units: list[NumberedUnit]
    system: str | None
    reason: str = "summarised"
    gone: list[NumberedUnit] = field(default_factory=list)
    report: Json = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    in_use: tuple[object, object] = (None, None)
    is_on: bool = False


class Economy(PlacedAssembly):
    """One request with all of the economy."""

    def __init__(self, file: Json, asked: Json) -> None:
        super().__init__(file, asked)
        agent = agent_of(file, asked)
        self.calls = Calls(self.loom, file, None if agent is None else agent.get("modelRef"))
        self.compressed: list[Json] = []
        self.load: Json | None = None

    # Which stages are on

    @property
    def stops(self) -> bool:
        """ "`stopAtLimit`: no C, no B, nothing made unasked." """
        return bool(self.setting("truncationStrategy") == "stopAtLimit")

    @property
    def by_branches(self) -> bool:
        return bool(self.asked.get("assembler", "auto") == "summaries")

    @property
    def uses_summaries(self) -> bool:
        """ "With `--assembler summaries` no conversation summary is used." """
        return self.asked.get("summaries", "off") == "on" and not self.by_branches and not self.stops

    @property
    def compresses(self) -> bool:
        """ "A Buffer has no B" """
        return self.asked.get("compression", "off") == "on" and self.loom.dialogue and not self.stops

    # The pipeline

    def result(self) -> Json:
        plain = self.system_text(self.loom.tree.get("systemContext") or "")
        everything = self.numbered_units()
        if not everything:
            raise NaiveError("EMPTY_CONTEXT")
        done = self.summarised(everything, plain)
        available = self.available()
        units = self.compression(done) if self.compresses else done.units
        bare = [unit for _, unit in units]
        system_cost = cost(done.system or "")
        needed = system_cost + total(bare)
        if needed > available and self.stops:
            over_by = needed - available
            raise NaiveError("CONTEXT_TOO_LONG", needed=needed, available=available, over_by=over_by)
        sent = self.truncated(bare, available - system_cost)
        for _, unit in done.gone:
            for part in unit:
                self.dropped.setdefault(str(part.node_id), done.reason)  # the filter's reason goes first
        report = self.report(bare, sent, system_cost, available)
        for one in report["dropped"]:
            if one["reason"] == "truncated":  # what had no room would have been sent as short as it was made
                one["tokens"] = total([[p for p in unit if p.node_id == one["nodeId"]] for unit in bare])
        # "beforeTokens of the originals"
        report["beforeTokens"] = cost(plain or "") + total(unit for _, unit in everything)
        report["compressed"] = self.compressed
        report.update(done.report)
        report["warnings"] = sorted({*report["warnings"], *done.warnings})
        report.update(self.stages(done, needed))
        answer: Json = {"mode": self.loom.tree["mode"], "system": done.system, "report": report}
        if self.asked.get("state"):
            answer["state"] = self.state(done, units, available)
        if self.loom.dialogue:
            return {**answer, "messages": self.fitted(merged(sent.parts), report)}
        return {**answer, "document": "".join(p.text for p in sent.parts), "spans": spans(sent.parts)}

    def summarised(self, everything: list[NumberedUnit], plain: str | None) -> Summarised:
        """A or C; "judged without a conversation summary, with the text of the Summaries assembler" """
        done = self.branches(everything, plain) if self.by_branches else Summarised(everything, plain)
        if not done.units:
            raise NaiveError("EMPTY_CONTEXT")
        available = self.available()
        if cost(done.system or "") > available:
            raise NaiveError("SYSTEM_TOO_LARGE", needed=cost(done.system or ""), available=available)
        return self.conversation(everything, plain, available) if self.uses_summaries else done

    def stages(self, done: Summarised, needed: int) -> Json:
        """ "`stages`: tokens of system and units after `summaries` (C or A) and after `compression`, each
        where on"; "`load` with compression only"
        """
        stages = []
        if done.is_on:
            tokens = cost(done.system or "") + total(unit for _, unit in done.units)
            stages.append({"stage": "summaries", "tokens": tokens})
        if self.compresses:
            stages.append({"stage": "compression", "tokens": needed})
        told: Json = {"stages": stages} if stages else {}
        return told if self.load is None else {**told, "load": self.load}

    # A

    def branches(self, everything: list[NumberedUnit], plain: str | None) -> Summarised:
        """ "system = agent prompt, this text without footer (in place of the tree's system part),
        instructions; messages = the nodes after the last head, and its own node too where its summary is
        blank or nothing follows"
        """
        all_heads = naive_branches.chain(self.loom, self.file, self.path)
        heads = naive_branches.capped(all_heads)
        told = {
            "threads": {
                "heads": [head.node_id for head in heads],
                "depth": len(heads),
                "depthCapped": len(all_heads) > len(heads),
            }
        }
        if not self.has_system():  # "else everything is sent, and if there was a summary to use, a warning"
            warned = ["summaries_need_system"] if any(head.summary.strip() for head in heads) else []
            return Summarised(everything, plain, warnings=warned)
        last = heads[-1]
        after = [(place, unit) for place, unit in everything if place > last.place]
        keeps_own = not last.summary.strip() or not after
        first = last.place if keeps_own else last.place + 1
        kept = [(place, unit) for place, unit in everything if place >= first]
        gone = [(place, unit) for place, unit in everything if place < first]
        if not kept:  # "No unit left (a working buffer makes one)"
            written = [part for _, unit in gone for part in unit if part.kind == "workingBuffer"]
            gone = [(place, [p for p in unit if p.kind != "workingBuffer"]) for place, unit in gone]
            kept = [(len(self.path.nodes), written)] if written else []
        # "a head that stands for dropped nodes with a blank summary gives warning"
        warned = []
        for head, end in zip(heads, [*(head.place for head in heads[1:]), last.place + 1], strict=True):
            if not head.summary.strip() and any(head.place <= place < end for place, _ in gone):
                warned.append("branch_without_summary")
        return Summarised(
            kept,
            self.system_text(naive_branches.threads_text(self.loom, heads)),
            "branch_summarised",
            gone,
            told,
            warned,
            (None, said_by([(head.title, head.summary) for head in heads])),
            is_on=True,
        )

    # C

    @property
    def least_recent(self) -> int:
        """ "minRecentMessages 4 (counts units, at least 1)" """
        return max(1, int(self.number("minRecentMessages", 4)))

    def conversation(self, everything: list[NumberedUnit], plain: str | None, available: int) -> Summarised:
        valid = naive_thresholds.valid_summaries(self.loom, self.file, self.path.nodes)
        used = naive_thresholds.used_summary(valid, everything, self.least_recent)
        if not self.has_system():
            warned = [] if used is None else ["summaries_need_system"]
            return Summarised(everything, plain, warnings=warned)
        if used is None:
            return Summarised(everything, plain, is_on=True)
        place, row = used
        appended = naive_thresholds.appended(plain, row["text"])
        if cost((plain or "") + appended) > available:  # "too large: left out, warning"
            return Summarised(everything, plain, warnings=["summary_too_large"], is_on=True)
        gone = [(at, unit) for at, unit in everything if at <= place]
        covered_hash = naive_thresholds.covered_hash(self.loom, self.path.nodes[: place + 1])
        count = row.get("messagesSummarized")
        told = {
            "summaryUsed": {
                "anchorNodeId": row["anchorNodeId"],
                "coveredHash": covered_hash,
                "messagesSummarized": len(gone) if count is None else count,
                "tokens": cost(appended),
            }
        }
        return Summarised(
            [(at, unit) for at, unit in everything if at > place],
            (plain or "") + appended,
            "summarised",
            gone,
            told,
            in_use=((row["anchorNodeId"], covered_hash), None),
            is_on=True,
        )

    # B

    def compression(self, done: Summarised) -> list[NumberedUnit]:
        compression = self.compression_of(done)
        used, measured = self.used(done, compression.base_units())
        window = self.options["window"]
        effective = window - min(20_000, window // 4)
        utilization: float | Fraction = Fraction(used, effective)
        carried = self.calls.carried(self.path.nodes)
        if self.asked.get("utilization") is not None:  # "taken as it is and carries nothing"
            utilization, carried = self.asked["utilization"], []
        idle = self.calls.idle(self.path.nodes, self.asked["now"])
        if self.asked.get("idle") is not None:
            idle = None if self.asked["idle"] == "never" else self.asked["idle"]
        self.load = {
            "used": used,
            "measured": measured,
            "utilization": float(utilization),
            "idle": idle,
        }
        units, self.compressed = compression.run(float(utilization), idle, carried)
        return units

    def used(self, done: Summarised, units: list[NumberedUnit]) -> tuple[int, bool]:
        return self.calls.used(self.path.nodes, units, cost(done.system or ""), done.in_use)

    # C's state

    def state(self, done: Summarised, units: list[NumberedUnit], available: int) -> Json:
        """ "State on demand", "with the window as maxTokens and the tree's or file's thresholds" """
        window = self.options["window"]
        used, measured = self.used(done, self.base_units(done))
        estimate = naive_thresholds.chat_4(done.system, [unit for _, unit in units])
        size = used if measured else estimate
        reserve = self.number("responseReserve", min(4096, window // 4))
        ratio = naive_thresholds.ratio(size, window, reserve, available)
        total_input, total_output = self.calls.totals(self.path.nodes)
        return {
            "totalInputTokens": total_input,
            "totalOutputTokens": total_output,
            "estimatedContextSize": size,
            "maxTokens": window,
            "usageRatio": float(min(ratio, Fraction(1))),
            "softThresholdExceeded": ratio > Fraction(str(self.number("softThreshold", 0.75))),
            "hardThresholdExceeded": ratio > Fraction(str(self.number("hardThreshold", 0.9))),
            "summaryCount": len(naive_thresholds.valid_summaries(self.loom, self.file, self.path.nodes)),
            "measured": measured,
        }

    def base_units(self, done: Summarised) -> list[NumberedUnit]:
        if not self.compresses:
            return done.units
        return self.compression_of(done).base_units()

    def compression_of(self, done: Summarised) -> Compression:
        compresses_text = self.asked.get("compress_text", "off") == "on"
        return Compression(self.loom, done.units, gone=done.gone, compresses_text=compresses_text)

    # A new summary

    def new_anchor(self) -> str | None:
        """The node that a new summary of this path would be anchored to."""
        valid = naive_thresholds.valid_summaries(self.loom, self.file, self.path.nodes)
        return naive_thresholds.new_anchor(self.path.nodes, self.numbered_units(), valid, self.least_recent)
