"""Words for what an agent proposes."""

from __future__ import annotations

from loomapp.ui.strings import tr


def proposal_words(command: str) -> str:
    """Return the question that a proposal is, by its command."""
    return {
        "annotate": tr("add a note?"),
        "respond": tr("write an answer?"),
        "edit": tr("write another version?"),
        "link": tr("link two messages?"),
        "bookmark": tr("bookmark this?"),
        "unbookmark": tr("remove the bookmark?"),
        "prune": tr("delete this?"),
        "restore": tr("bring this back?"),
        "continue": tr("ask a model to go on?"),
        "read doc": tr("read a document?"),
        "write doc": tr("write a document?"),
    }.get(command, tr("do this?"))


def proposal_icon(command: str) -> str:
    """Return the icon of a proposal."""
    return {
        "annotate": "sticky-note",
        "prune": "trash-2",
        "edit": "pencil",
        "bookmark": "bookmark",
        "continue": "message-square",
    }.get(command, "hand")
