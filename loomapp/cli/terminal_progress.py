"""Progress at a terminal while a model is fetched or started: one line that is written over."""

from __future__ import annotations

import sys

from loomapp.cli.output import PROGRAM, one_line, tell_in_place
from loomapp.providers.engine.state import EngineState


class ProgressLine:
    """A line on stderr, if that is a terminal; nothing at all otherwise."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._width = 0

    def show_state(self, state: EngineState) -> None:
        percent = "" if state.progress is None else f" {state.progress:.0%}"
        self.show(f"{state.message}{percent}" if state.name in ("fetching", "starting") else "")

    def show(self, text: str) -> None:
        """Replaces what stands there; an empty text takes the line away."""
        if not self._is_shown or (not text and not self._width):
            return
        line = f"{PROGRAM}: {one_line(text)}" if text else ""
        tell_in_place(line, width=self._width)
        self._width = len(line)
