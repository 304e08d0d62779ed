"""Translation of user-visible text into the user's language, outside of QObject methods."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from loomapp.core.model.change import sentence_of
from loomapp.core.sentences import Sentence
from loomapp.ui import figures

STEERING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Marks that set the direction of all that follows them."""

SHOWN_AS = {
    "Change memory": "Change an agent’s memory",
    "Drop": "Drop from an agent’s memory",
    "Pin": "Pin in an agent’s memory",
    "Prune": "Delete",
    "Prune {count} messages": "Delete {count} messages",
    "Prune {count} nodes": "Delete {count} nodes",
    "Put away": "Put away in an agent’s memory",
    "Recall": "Recall in an agent’s memory",
    "Recent actions": "Commands of an agent",
    "Redo {step}": "Redone: {step}",
    "Stash": "Stash in an agent’s memory",
    "Undo {count} of {total} steps": "Undone: {count} of {total} steps",
    "Undo {step}": "Undone: {step}",
    "Unpin": "Unpin in an agent’s memory",
}
"""Steps that are shown by another word than the one in files, which stays as it was first written."""


def tr(text: str) -> str:
    return QCoreApplication.translate("window", text) if text else ""


def told(words: str) -> str:
    """Translate the words of another part of the program, such as an error, into the user's language.

    A sentence is translated by its words, then filled in; what is no sentence is looked up whole.
    """
    if not isinstance(words, Sentence):
        return tr(words)
    template = SHOWN_AS.get(words.template, words.template)
    return tr(template).format(**{name: _filled(name, value) for name, value in words.values.items()})


class _Count(int):
    """A number of things, with its thousands set apart as everywhere in the window."""

    def __format__(self, spec: str) -> str:
        return figures.number(self) if spec in ("", ",") else super().__format__(spec)


def _filled(name: str, value: object) -> object:
    if isinstance(value, Sentence):
        return told(value)
    return _Count(value) if name == "count" and isinstance(value, int) else value


def unsteered(words: str) -> str:
    """Words that stand in a line with others, without the marks that would turn those around too (U+202E and
    its like); letters of any script keep their own direction.
    """
    return words if words.isascii() else words.translate(STEERING)


def with_blank_named(words: str) -> str:
    """Return words as they are, and a name for those that are only white space, as between paragraphs."""
    return tr("blank line") if words.isspace() else words


def utf16_length(text: str) -> int:
    """Return the length of a text as Qt counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def start_of(text: str, most: int) -> str:
    """Return the first characters of a text in one line, to be quoted; with dots only where it goes on."""
    words = text.strip()
    return unsteered(" ".join(words[:most].split())) + "…" * (len(words) > most)


def step_words(label: str) -> str:
    return told(sentence_of(label))
