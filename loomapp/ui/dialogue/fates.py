"""The words and icons for what happens to a message: not sent and why, or cut short."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from loomapp.ui import figures
from loomapp.ui.dialogue.entries import Entry


class FateChip(NamedTuple):
    """A chip under a message."""

    icon: str
    text: str
    role: str


def fate_of(entry: Entry) -> FateChip | None:
    """Why an entry is not sent; None if it is."""
    translate = QCoreApplication.translate
    icon, text = {
        "excluded": ("eye-off", translate("Fates", "Excluded")),
        "truncated": ("scissors", translate("Fates", "No room: {0} tokens")),
        "pruned": ("leaf", translate("Fates", "Pruned")),
        "annotation": ("sticky-note", translate("Fates", "Note, not sent")),
        "empty": ("info", translate("Fates", "Empty, not sent")),
    }.get(entry.fate, ("", ""))
    if not text:
        return None
    return FateChip(icon, text.format(figures.number(entry.tokens)), "text.secondary")


def merging(entry: Entry) -> FateChip | None:
    """That an entry is no message of its own when it is sent; None if it is."""
    if not entry.merged:
        return None
    words = QCoreApplication.translate("Fates", "Sent as one with the message above")
    return FateChip("merge", words, "text.muted")


def interruption(entry: Entry) -> FateChip | None:
    """Why an entry's text ends where it does; None if it is whole."""
    reason = None
    if entry.node is not None and entry.node.interrupted is not None:
        reason = entry.node.interrupted.reason
    elif entry.draft is not None and entry.draft.error is None:
        reason = entry.draft.interrupted
    if reason is None:
        return None
    translate = QCoreApplication.translate
    text = {
        "timeout": translate("Fates", "Cut short: no answer in time"),
        "network": translate("Fates", "Cut short: the connection was lost"),
        "provider error": translate("Fates", "Cut short: the model failed"),
        "cancelled": translate("Fates", "Stopped"),
        "crash": translate("Fates", "Cut short: Loomapp ended"),
    }.get(reason, translate("Fates", "Cut short: {0}").format(reason))
    return FateChip("circle-pause", text, "state.interrupted")
