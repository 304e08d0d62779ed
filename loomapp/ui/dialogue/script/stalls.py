"""Halts: why a draft gets no more text, as a sentence, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from loomapp.core.generation.drafts import Draft
from loomapp.ui.strings import told
from loomapp.ui.widgets.error_strip import Tone


@dataclass(frozen=True, slots=True)
class Halt:
    """Failed or waiting answer in words. `acts` are names and words, the likeliest first."""

    sentence: str
    acts: tuple[tuple[str, str], ...]
    tone: Tone = "warning"
    closable: bool = False


def halt_of(draft: Draft | None) -> Halt | None:
    """Return why a draft failed or waits; None while all is well."""
    if draft is None:
        return None
    if draft.error is not None:
        retry = ("retry", _tr("Retry"))
        has_key = draft.error.code == "authenticationFailed"
        acts = (("key", _tr("Set the key")), retry) if has_key else (retry,)
        return Halt(told(draft.error.message), acts, "error", closable=True)
    wait = draft.waits
    if wait is None:
        return None
    stop = ("stop", _tr("Stop"))
    if wait.again_in_s is not None:
        return Halt(told(wait.sentence), (("retry", _tr("Retry now")), stop))
    return Halt(told(wait.sentence), (stop, ("retry", _tr("Retry"))))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Foot", text)
