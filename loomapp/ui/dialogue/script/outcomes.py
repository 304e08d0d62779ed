"""The words and icons for what happens to a message: not sent and why, or cut short."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON, name_words, refused_words


class FateChip(NamedTuple):
    """A chip under a message."""

    icon: str
    text: str
    role: str


def fates_of(entry: Entry) -> tuple[FateChip, ...]:
    """Return all chips on what becomes of an entry, and became of it."""
    said = (fate_of(entry), merging(entry), naming(entry), interruption(entry))
    return tuple(dict.fromkeys(chip for chip in said if chip is not None))


def fate_of(entry: Entry) -> FateChip | None:
    """Return why an entry is not sent; None if it is."""
    translate = QCoreApplication.translate
    icon, text = {
        "excluded": ("eye-off", translate("Fates", "Excluded")),
        "truncated": ("scissors", translate("Fates", "No room: {0} tokens")),
        "pruned": ("leaf", translate("Fates", "Pruned")),
        "annotation": ("sticky-note", translate("Fates", "Note, not sent")),
        "empty": ("info", translate("Fates", "Empty, not sent")),
        "refused": (REFUSED_ICON, refused_words()),
    }.get(entry.fate, ("", ""))
    if not text:
        return None
    role = "text.muted" if entry.fate == "refused" else "text.secondary"  # it is said of every message
    return FateChip(icon, text.format(figures.number(entry.tokens)), role)


def merging(entry: Entry) -> FateChip | None:
    """Return that an entry is no message of its own when it is sent; None if it is."""
    if not entry.merged:
        return None
    words = QCoreApplication.translate("Fates", "Sent as one with the message above")
    return FateChip("merge", words, "text.muted")


def naming(entry: Entry) -> FateChip | None:
    """Return that images of an entry go only by their names; None if there are none, or all go as images."""
    if entry.by_name is None:
        return None
    return FateChip("image-off", name_words(entry.by_name, len(entry.images)), "text.secondary")


def interruption(entry: Entry) -> FateChip | None:
    """Return why an entry's text ends where it does; None if it is whole."""
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
