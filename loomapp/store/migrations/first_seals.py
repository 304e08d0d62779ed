"""The first seal of each node counts for ever: what a later row of the log says otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from loomapp.core.model import log_chain
from loomapp.store.rows.log_rows import EDGE, NODE, LoggedRow

_OTHERWISE = "the change log seals it again as something else"
_TWICE = "the change log makes it a second time"
_BACK = "it was deleted for good, and is there again as what may be something else"
_IN_PART = "a part of what the change log says of it was emptied"


@dataclass(slots=True)
class FirstSeals:
    """The seal with which each node came, while the log is heard; `faults` are (node id, why).

    Flags, summary, path, tags and edges of a node may change later, and it may be taken back and brought
    back; who wrote it, what, when and after what may not.
    """

    of: dict[str, str] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)
    _emptied: dict[str, set[str]] = field(default_factory=dict)  # digests of rows, by what they are about

    def take_row(self, row: LoggedRow, *, is_there: bool) -> None:
        node_id = cast(str, row[3])
        if is_there and row[1] is None:
            self.faults.append((node_id, _TWICE))
        if node_id in self._emptied and node_id not in self.of and not self._is_as_before(row):
            self.faults.append((node_id, _BACK))
        if row[4] is not None and self.of.setdefault(node_id, cast(str, row[4])) != row[4]:
            self.faults.append((node_id, _OTHERWISE))

    def take_emptied(self, row: Mapping[str, object]) -> None:
        """Take in what is left of a row. All that is said of a node is emptied at once, or nothing."""
        kind, *names = cast("list[str]", json.loads(log_chain.key_of(row)))
        for node_id in names if kind in (NODE, EDGE) else ():
            if node_id in self.of:
                self.faults.append((node_id, _IN_PART))
            self._emptied.setdefault(node_id, set()).add(cast(str, row["digest"]))

    def _is_as_before(self, row: LoggedRow) -> bool:
        """Tell whether a row that brings a node back is the very one by which it came, but for its flags."""
        states: tuple[object, ...] = (row[2], {})
        made = (log_chain.emptied([NODE, None, state, *row[3:]])["digest"] for state in states)
        return any(digest in self._emptied[cast(str, row[3])] for digest in made)
