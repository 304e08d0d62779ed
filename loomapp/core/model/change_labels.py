"""Labels of the steps of the history: the words in the file, and the same as sentences with numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from loomapp.core.sentences import Sentence

# The change log holds the words filled in, in English; whoever shows them takes them apart again.
LABELS: tuple[str, ...] = (
    "Archive",
    "Attach",
    "Attach {count} files",
    "Beginning",
    "Bookmark",
    "Bookmark {count} messages",
    "Branch summary",
    "Bring back",
    "Bring back what was undone",
    "Change memory",
    "Choose path",
    "Choose version",
    "Delete document",
    "Delete summary",
    "Drop",
    "Edit",
    "Edit summary",
    "Edit {count} passages",
    "Exclude",
    "Exclude {count} messages",
    "Exclude {count} nodes",
    "Generate",
    "Generate {count} continuations",
    "Import",
    "Import 1 node",
    "Import {count} nodes",
    "Include",
    "Include note in context",
    "Include notes in context",
    "Include {count} messages",
    "Include {count} nodes",
    "Keep this path",
    "Leave out spaces",
    "Merge",
    "Mode",
    "Move branch",
    "Move {count} branches",
    "Name branch",
    "New document",
    "New tree",
    "Note",
    "One-liner",
    "Pin",
    "Prune",
    "Prune {count} messages",
    "Prune {count} nodes",
    "Put away",
    "Recall",
    "Recent actions",
    "Recover",
    "Recover an answer",
    "Redo {step}",
    "Remove bookmark",
    "Remove tag",
    "Rename",
    "Rename document",
    "Rename tag",
    "Restore",
    "Restore {count} nodes",
    "Send in full",
    "Send it this way",
    "Shorten when full",
    "Split",
    "Stash",
    "Summarise",
    "Tag",
    "Take note out of context",
    "Take notes out of context",
    "Tree settings",
    "Undo {count} of {total} steps",
    "Undo {step}",
    "Unmark {count} messages",
    "Unpin",
    "Use summary as it is",
    "Write",
    "Write document",
)


def is_known(label: str) -> bool:
    """True for what the program calls a step; False for words of another one."""
    return _taken_apart(label) is not None


def sentence_of(label: str) -> str:
    """A label of a change as a sentence that can be translated; words of another program stay as they are."""
    found = _taken_apart(label)
    if found is None:
        return label
    template, words = found
    values: dict[str, object] = {"step": sentence_of(words["step"])} if "step" in words else {}
    values |= {name: int(words[name]) for name in ("count", "total") if name in words}
    return Sentence(template, values)


def _taken_apart(label: str) -> tuple[str, Mapping[str, str]] | None:
    """The template of a label, and what stands in its places."""
    for template, pattern in _patterns():
        found = pattern.fullmatch(label)
        if found is not None and ("step" not in found.groupdict() or is_known(found["step"])):
            return template, found.groupdict()
    return None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    places = {"{count}": r"(?P<count>\d+)", "{total}": r"(?P<total>\d+)", "{step}": r"(?P<step>.+)"}
    return tuple(
        (template, re.compile("".join(places.get(part, re.escape(part)) for part in _parts(template))))
        for template in LABELS
    )


def _parts(template: str) -> list[str]:
    return re.split(r"(\{\w+\})", template)
