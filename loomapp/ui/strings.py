"""User-visible text in the user's language, outside of QObject methods."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from loomapp.core.labels import sentence_of
from loomapp.core.wording import Sentence


def tr(text: str) -> str:
    """The translation of a text of the window, or the text itself."""
    return QCoreApplication.translate("window", text) if text else ""


def told(words: str) -> str:
    """What another part of the program says, such as an error, in the user's language.

    A sentence is translated by its words, then filled in; what is no sentence is looked up whole.
    """
    if not isinstance(words, Sentence):
        return tr(words)
    values = {
        name: told(value) if isinstance(value, Sentence) else value for name, value in words.values.items()
    }
    return tr(words.template).format(**values)


def step_words(label: str) -> str:
    """What a step of the history is called, in the user's language."""
    return told(sentence_of(label))
