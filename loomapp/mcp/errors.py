"""Errors of calls: one line that a client's model reads and acts on."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from loomapp.core.errors import GroveError, LoomError

LONGEST = 60  # characters of what an error repeats

log = logging.getLogger(__name__)


class ToolError(LoomError):
    """A call that cannot be carried out as it was made."""

    code = "toolError"


def shown(value: object) -> str:
    """A value as an error repeats it, at most a short line of it."""
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def quoted(name: str) -> str:
    """A name in quotes, as messages have it; of a long one the beginning."""
    return f'"{name}"' if len(name) <= LONGEST else f'"{name[: LONGEST - 3]}..."'


def in_one_line(text: str) -> str:
    """A message without line breaks, and without what no JSON can carry."""
    return sound(" ".join(text.split()))


def in_sentences(said: Iterable[str]) -> str:
    """Messages one after the other, each as a sentence but for the last one's full stop."""
    return ". ".join(f"{one[:1].upper()}{one[1:]}".rstrip(".") for one in said)


@contextmanager
def told_with_errors() -> Iterator[list[str]]:
    """Messages about what goes on in the block; they go to the log, and are told with an error of it."""
    told: list[str] = []
    try:
        yield told
    except LoomError as error:
        sentences = in_sentences([error.message, *told])
        if isinstance(error, GroveError):  # the file is opened anew after one
            raise GroveError(error.code, sentences, **error.details) from error
        raise ToolError(sentences) from error
    finally:
        for message in told:
            log.info("%s", message)


def sound(text: str) -> str:
    """A text that can be sent: lone surrogates, which UTF-8 has not, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
