"""Literal prompt: words of a text that a model would read as its own marks, sent as the letters they are.

A message that holds `<|im_end|>` could end itself and speak as somebody else. The engine reads marks wherever
they stand in a text; what it is given as numbers of tokens it takes as they are. A document has no roles: it
goes as it stands, and whoever writes marks into it means them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.generation.request import Request
from loomapp.providers.protocols.bodies import messages

Ask: TypeAlias = Callable[[str, object], Any]  # a small JSON question to the engine
Parts: TypeAlias = tuple[str | int, ...]  # texts as they stand, in which marks count, and tokens

MAY_MARK = re.compile(r"[<\[]")  # every mark of the known families begins with one of these
STAND_INS = "\ue000", "\ue001"  # around a number: private letters, which no template and no mark has


def literal_prompt(request: Request, ask: Ask) -> Parts | None:
    """Return the prompt of a conversation with every mark in a text as plain tokens; None where no text has
    any, as is usual, and for a document.

    Raises: ProviderError where the engine does not answer.
    """
    texts = [] if request.document is not None else _texts(request)
    marks = _marks([text for text in texts if MAY_MARK.search(text)], ask)
    if not marks:
        return None
    stood_in = replace(
        request,
        system=None if request.system is None else _stood_in(request.system, marks),
        messages=tuple(_message(message, marks) for message in request.messages),
    )
    whole = ask("/apply-template", {"messages": messages(stood_in)})["prompt"]
    return _filled(whole, marks, ask)


def tokens_of(ask: Ask, text: str, *, with_marks: bool, begins: bool = False) -> list[int]:
    """Return the tokens of a text; `begins` adds what the model wants before all else."""
    question = {"content": text, "add_special": begins, "parse_special": with_marks}
    tokens: list[int] = ask("/tokenize", question)["tokens"]
    return tokens


def count_of(parts: Parts, ask: Ask) -> int:
    """Return how many tokens a prompt in parts is."""
    numbers = sum(isinstance(part, int) for part in parts)
    texts = [(place, part) for place, part in enumerate(parts) if isinstance(part, str)]
    return numbers + sum(
        len(tokens_of(ask, text, with_marks=True, begins=place == 0)) for place, text in texts
    )


def _texts(request: Request) -> list[str]:
    return [request.system or "", *(message.text for message in request.messages)]


def _marks(texts: Sequence[str], ask: Ask) -> tuple[str, ...]:
    """Return the words in some texts that the model would read as marks, the longest first."""
    whole = "\n".join(texts)
    if not whole:
        return ()
    question = {"content": whole, "add_special": False, "parse_special": True, "with_pieces": True}
    read = {one["piece"]: one["id"] for one in ask("/tokenize", question)["tokens"] if _is_word(one["piece"])}
    plain = set(tokens_of(ask, whole, with_marks=False))
    suspects = [word for word, number in read.items() if number not in plain and word in whole]
    marks = [word for word in suspects if tokens_of(ask, word, with_marks=False) != [read[word]]]
    signs = [sign for sign in STAND_INS if marks and sign in whole]  # of a text itself: they stand for none
    return tuple(sorted((*marks, *signs), key=len, reverse=True))


def _is_word(piece: object) -> bool:
    return isinstance(piece, str) and bool(piece.strip())


def _message(message: Message, marks: Sequence[str]) -> Message:
    parts = (
        replace(part, text=_stood_in(part.text, marks)) if isinstance(part, TextPart) else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def _stood_in(text: str, marks: Sequence[str]) -> str:
    """Put a stand-in in the place of each mark."""
    found = re.compile("|".join(map(re.escape, marks)))
    return found.sub(lambda match: f"{STAND_INS[0]}{marks.index(match[0])}{STAND_INS[1]}", text)


def _filled(text: str, marks: Sequence[str], ask: Ask) -> Parts:
    """Return a text whose stand-ins are the plain tokens of their marks."""
    plain = [tokens_of(ask, mark, with_marks=False) for mark in marks]
    parts: list[str | int] = []
    for place, piece in enumerate(re.split(f"{STAND_INS[0]}([0-9]+){STAND_INS[1]}", text)):
        if place % 2:
            parts += plain[int(piece)]
        elif piece:
            parts.append(piece)
    return tuple(parts)
