"""Which packages Loomapp brings along, as the installed metadata say."""

from __future__ import annotations

import re
from importlib.metadata import requires

from packaging.requirements import Requirement


def needed(name: str, *extras: str) -> set[str]:
    """The folded names of all packages that a package with these extras needs here, directly or not."""
    found: set[str] = set()
    waiting = [(name, extra) for extra in ("", *extras)]
    while waiting:
        owner, extra = waiting.pop()
        for line in requires(owner) or []:
            requirement = Requirement(line)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
                continue
            if folded(requirement.name) not in found:
                found.add(folded(requirement.name))
                waiting += [(requirement.name, more) for more in ("", *requirement.extras)]
    return found


def folded(name: str) -> str:
    """Package names compare without case, dots, dashes and underscores."""
    return re.sub(r"[-_.]", "", name).lower()
