"""Rules by which a node's text is taken from its response: a registry, one function and one line each.

A rule says of what the protocol's reader reads for a choice whether a node's text follows from it. Its name
is recorded with the node it is for, and sealed by the change log: names stay, and never get another meaning.
A summary has rules of its own, which make its text out of the answer; any of them may explain it.
What comes later (a text that begins with a given token) is one more line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, Text
from loomapp.core.model.entities import Node
from loomapp.core.paths.piece_table import PART, PIECES, Taken, from_json
from loomapp.core.response_text.body import ChoiceText
from loomapp.core.text.command_lines import answer_texts, ends_a_command

COMMAND = "command"  # of a loom-aware agent: of these nodes many rest on the same choice
WHOLE = frozenset({"whole", "concealed"})  # by which a node that was not cut short has all that was said
Rule: TypeAlias = Callable[[ChoiceText, Node], bool]

HIDDEN = re.compile(r"\*{8,}")  # a key in a text; shorter ones are no keys, see `Endpoint.secrets`


def rule_for(text: str, *, interrupted: bool) -> str:
    """The rule by which the words of an answer are taken that has just come."""
    if HIDDEN.search(text):
        return "concealed"
    return "stopped" if interrupted else "whole"


def rule_for_answer(said: str, answer: str, *, interrupted: bool) -> str:
    """The rule by which what a loom-aware agent says to people is taken out of all that it said."""
    return rule_for(said, interrupted=interrupted) if answer == said else "answer"


def rule_for_pieces(count: int) -> str:
    """The rule by which so many stretches of an answer are taken."""
    return "parts" if count > 1 else "part"


def rule_that_explains(said: ChoiceText, node: Node) -> str | None:
    """The name of the first rule of all there ever were by which a node's content follows; None if none
    does.
    """
    return next((name for name in RULES if follows_by(name, said, node)), None)


def follows_by(rule: str, said: ChoiceText, node: Node) -> bool:
    """True if all of a node's content follows by a rule: every rule makes one text and nothing beside it."""
    return (isinstance(node.content, Text) or rule == COMMAND) and RULES[rule](said, node)


def is_concealed(shown: str, said: str) -> bool:
    """True if a text is the said one but for asterisks over a key that the server sent in pieces."""
    at = 0
    if len(shown) != len(said):
        return False
    for hidden in HIDDEN.finditer(shown):
        start, end = hidden.span()
        if shown[at:start] != said[at:start] or any(map(str.isspace, said[start:end])):
            return False
        at = end
    return shown[at:] == said[at:]


def _is_whole(said: ChoiceText, node: Node) -> bool:
    """Return True if it is all that the response says for this choice."""
    return node.interrupted is None and node.text == said.text


def _is_beginning(said: ChoiceText, node: Node) -> bool:
    """The beginning of it, of an answer that was cut short; more may have come than was shown by then."""
    return node.interrupted is not None and said.text.startswith(node.text)


def _is_stretch(said: ChoiceText, node: Node) -> bool:
    """One stretch of it: half of a passage that was parted, the words that were accepted of an answer, or a
    passage that says the same in another place.
    """
    return _stretches(node) == (len(node.text),) and node.text in said.text


def _are_stretches(said: ChoiceText, node: Node) -> bool:
    """Return True for neighbouring stretches of it put together again: a merge of passages of one answer.

    With a gap, or in another order, they may say the contrary of what the model said.
    """
    return sum(_stretches(node)) == len(node.text) and PART in node.extra and node.text in said.text


def _is_concealed(said: ChoiceText, node: Node) -> bool:
    """Return True for all or the beginning of it, but for asterisks over a key."""
    return is_concealed(node.text, said.text if node.interrupted is None else said.text[: len(node.text)])


def _is_answer(said: ChoiceText, node: Node) -> bool:
    """Tell whether a node is an answer's words for people: no commands, thoughts or copied header."""
    every = answer_texts(said.text)
    if node.interrupted is None:
        return any(is_concealed(node.text, made) for made in every)
    return any(made.strip().startswith(node.text.strip()) for made in every)


def _is_of_a_command(said: ChoiceText, node: Node) -> bool:
    """Words that a loom-aware agent wrote by a command: one of its command lines ends with them.

    A document is named in that line, and plain text unless it is a version of another one.
    """
    match node.content:
        case Text(text):
            return bool(text) and ends_a_command(text, said.text)
        case Mixed((AttachedDocument(name, kind, text),)) if node.edited_from or kind == PLAIN_TEXT:
            return bool(text and name) and ends_a_command(text, said.text, name)
        case _:
            return False


def _stretches(node: Node) -> tuple[int, ...]:
    """The lengths of the stretches that a node says it was made of; () if any of it is new."""
    pieces = from_json(node.extra.get(PIECES)) or ()
    if not all(isinstance(piece, Taken) for piece in pieces):
        return ()  # what was written anew is no part of any answer
    return tuple(piece.length for piece in pieces)


RULES: Mapping[str, Rule] = {
    "whole": _is_whole,
    "stopped": _is_beginning,
    "part": _is_stretch,
    "parts": _are_stretches,
    "concealed": _is_concealed,
    "answer": _is_answer,
    COMMAND: _is_of_a_command,
}

_ANALYSIS = re.compile(r"\s*<analysis>.*?</analysis>", re.DOTALL)


def summary_text(said: str) -> str:
    """Return the text of a summary out of an answer: without the analysis it may begin with, stripped."""
    analysis = _ANALYSIS.match(said)
    return (said if analysis is None else said[analysis.end() :]).strip()


SUMMARY_RULES: Mapping[str, Callable[[str], str]] = {"summary": summary_text}


def is_summary_of(text: str, said: str) -> bool:
    """True if a summary's text follows from an answer by any of the rules, but for asterisks over a key."""
    return any(is_concealed(text, make(said)) for make in SUMMARY_RULES.values())
