"""Parts that a recorded call carried on from the one before it, and those that it had shortened itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from loomapp.core.economy.compression import CarriedOn
from loomapp.core.model.economy_settings import DEFAULTS

_Values: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """Parts of nodes that a record tells of, by its economy and its report. What cannot be read is passed
    over: a record may be written by hand.
    """

    economy: _Values
    report: _Values

    def carried(self) -> Iterator[CarriedOn]:
        """The parts that the call carried on. A budgeted one may be as long as the report tells that it was,
        else as the load of the call allowed.
        """
        told = {(one.node_id, one.index): one.budget for one in self._reported()}
        entries = self.economy.get("carried")
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case [str(node_id), int(index), "budget"]:
                    budget = told.get((node_id, index)) or self._budget_by_load()
                    yield CarriedOn(node_id, index, "budget", budget)
                case [str(node_id), int(index), "snip"]:
                    yield CarriedOn(node_id, index, "snip")
                case [str(node_id), int(index), "clear"]:
                    yield CarriedOn(node_id, index, "clear")

    def shortened(self) -> Iterator[CarriedOn]:
        """The parts that the call had budgeted, snipped or cleared: by its report, where it has one that
        tells, else those that it carried on.
        """
        return self._reported() if "compressed" in self.report else self.carried()

    def _reported(self) -> Iterator[CarriedOn]:
        loose, tight = self._budgets
        entries = self.report.get("compressed")
        for entry in entries if isinstance(entries, list) else ():
            match entry:
                case {"nodeId": str(node_id), "part": int(index), "row": "budget", "afterChars": int(length)}:
                    yield CarriedOn(node_id, index, "budget", tight if length <= tight else loose)
                case {"nodeId": str(node_id), "part": int(index), "row": "snip"}:
                    yield CarriedOn(node_id, index, "snip")
                case {"nodeId": str(node_id), "part": int(index), "row": "clear"}:
                    yield CarriedOn(node_id, index, "clear")

    @property
    def _budgets(self) -> tuple[int, int]:
        """Characters of a budgeted part under a usual load, and under a tight one."""
        loose = self._number("budgetChars", DEFAULTS.budget_chars)
        return int(loose), int(self._number("tightChars", DEFAULTS.tight_chars))

    def _budget_by_load(self) -> int:
        loose, tight = self._budgets
        load = self.economy.get("utilization")
        edge = self._number("tightUtilization", DEFAULTS.tight_utilization)
        return tight if isinstance(load, int | float) and load > edge else loose

    def _number(self, key: str, usual: float) -> float:
        """A number of compression as the call had it."""
        numbers = self.economy.get("compression")
        value = numbers.get(key) if isinstance(numbers, Mapping) else None
        return usual if isinstance(value, bool) or not isinstance(value, int | float) else value
