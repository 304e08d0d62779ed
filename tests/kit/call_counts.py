"""What an act costs, in calls: the same on any machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls_of(act: Callable[[], object], name: str = "") -> int:
    """How many functions of Python it calls, or only those of a name."""
    count = 0

    def heard(frame: FrameType, what: str, _about: object) -> None:
        nonlocal count
        count += what == "call" and name in ("", frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count
