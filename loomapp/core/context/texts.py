"""Texts that Loomapp itself puts into a context: markers where something is left out, and a turn to go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loomapp.core.sentences import sentence, worded

COUNT, PLURAL = "{n}", "{s}"
DIALOGUE_MARKER = "[... {n} message{s} omitted ...]"
BUFFER_MARKER = "\n\n[...]\n\n"
CONTINUE = "Continue."


def marker_for(template: str, omitted: int) -> str:
    """A dialogue's marker for so many units: `{n}` is the number, `{s}` an s unless it is one. Never shorter
    for more of them.
    """
    return template.replace(COUNT, str(omitted)).replace(PLURAL, "" if omitted == 1 else "s")


def _without_count(text: str) -> str | None:
    if COUNT in text:
        return None
    return worded("must hold {place}, which stands for the number of messages left out", place=COUNT)


def _blank(text: str) -> str | None:
    return None if text.strip() else sentence("must not be blank: no message may be")


def _empty(text: str) -> str | None:
    return None if text else sentence("must not be empty: what is left out is never hidden")


# What is wrong with each of these texts, by the name of its setting; None if nothing is.
FAULTS: Mapping[str, Callable[[str], str | None]] = {
    "dialogue_marker": _without_count,
    "buffer_marker": _empty,
    "continue_text": _blank,
}
