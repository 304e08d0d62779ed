"""Passages of a document: turns by who speaks, or chapters that together are the text to the character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from loomapp.core.model.content import Text, well_formed
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_values import made_id, title_of
from loomapp.formats.links import in_a_row, linked

YOU = Author(None, "You", "human")
PEOPLE = frozenset({"you", "user", "human", "me", "prompt", "question", "q"})
MODELS = frozenset(
    {"assistant", "model", "ai", "bot", "answer", "response", "a", "claude", "chatgpt", "gemini"}
)
SYSTEM = frozenset({"system"})
LONGEST_PASSAGE = 20_000  # characters; a longer one is divided at a blank line
OPENING_LENGTH = 200  # characters that a document is known by, with its title
LONGEST_HEAD = 1_000  # characters before a talk: its title, where it comes from
_MODEL = re.compile(r"(?:chat)?gpt\b|(?:claude|gemini|bard|copilot|grok)\b|deepseek|llama|mistral|qwen|gemma")
_NAME = r"([^\n:*_#>]{1,40}?)"
_COLON = r"(?::(?:\*\*|__)?|(?:\*\*|__):)(?=\s)"
_SPEAKER = re.compile(  # a name and a colon after a blank line, or a bold name alone on its line
    rf"(?:\A|\n[ \t\r]*\n)[ \t]*(?:(?:\*\*|__)?{_NAME}{_COLON}|(?:\*\*|__){_NAME}(?:\*\*|__)[ \t\r]*(?=\n))"
)
_TIGHT_SPEAKER = re.compile(rf"(?:\A|\n)[ \t]*(?:\*\*|__)?{_NAME}{_COLON}()")
_HEADING = re.compile(r"(?:\A|\n)#{1,6}[ \t]+(\S[^\n]{0,59}?)[ \t]*(?::[ \t]*)?(?:#+[ \t]*)?(?=\r?\n|\Z)")
CHAPTER = re.compile(
    r"^(?:[ \t]*(?:chapter|part|book|prologue|epilogue|kapitel|teil|chapitre|cap[ií]tulo)\b[^\n]{0,80})$",
    re.IGNORECASE | re.MULTILINE,
)
_BREAK = re.compile(r"\n[ \t]*\n\s*")
_FRONT_MATTER = re.compile(  # of one that begins with a key, lines may be blank
    r"\s*---[ \t\r]*\n(?:(?=[\w-]+[ \t]*:)(?:[^\n]*\n){0,100}?|(?:[ \t]*[^\s#][^\n]*\n)*?)"
    r"---[ \t\r]*(?=\n|\Z)"
)
CODE = re.compile(  # a block between two fences; one that is not closed was cut off, and ends with its turn
    r"^(```|~~~)[^`\n]*\n(?:(?!\1)[^\n]*\n)*+\1[ \t\r]*$", re.MULTILINE
)
_TITLE = re.compile(r"^title:[ \t]*([\"']?)(\S.*?)\1[ \t\r]*$", re.MULTILINE)
_RULE = re.compile(r"\n[ \t\r]*(?:-{3,}|\*{3,}|_{3,})\s*\Z")
_BESIDE_NAME = re.compile(r"^\W+|\s*\([^()]*\)\s*$|\s+said\s*$|\W+$", re.IGNORECASE)
EXCLUDED = " (excluded)"  # after a name, as exports of this program have it


class SaidTurn(NamedTuple):
    """One turn of a talk: a name, and a text; without a name it stands before the talk."""

    speaker: str
    text: str


def speaker_turns(text: str) -> list[SaidTurn]:
    """The turns of a text that begins each with a name and a colon; none if it is no such text.

    They stand apart by blank lines, or, where all names are known, each on a line of its own.
    """
    spaced = _speaking([match for match in _outside_code(_SPEAKER, text) if _may_speak(match, text)])
    tight = (match for match in _outside_code(_TIGHT_SPEAKER, text) if speaker_kind(match[1]) is not None)
    return _after_head(text, spaced) or _answered(_after_head(text, [*tight]))


def _outside_code(names: re.Pattern[str], text: str, begin: int = 0) -> Iterator[re.Match[str]]:
    """The names in a text, but for those in blocks of code, which somebody quotes."""
    blocks = CODE.finditer(text, begin)
    block = next(blocks, None)
    for match in names.finditer(text, begin):
        while block is not None and block.end() <= match.end():
            block = next(blocks, None)
        if block is None or match.end() < block.start():
            yield match


def _after_head(text: str, found: Sequence[re.Match[str]]) -> list[SaidTurn]:
    """The turns that these names begin, if nothing stands before them but what heads an export: a title, or
    where it comes from.
    """
    if not found:
        return []
    before = text[: found[0].start()].strip()
    if before and (not before.startswith(("#", "---")) or len(before) > LONGEST_HEAD):
        return []
    if len(_HEADING.findall(before)) > 1:
        return []  # sections of a document, in which a talk stands as an example
    if speaker_kind(_name(found[0])) is None and (before or found[0][1] is None):
        return []  # a document that begins with a line in bold is no talk
    words = _HEADING.sub("", before, 1).strip().removesuffix("---").strip()
    turns = _answered(_turns(text, found)) if before else _turns(text, found)
    return [SaidTurn("", words), *turns] if turns and words else turns


def _answered(turns: list[SaidTurn]) -> list[SaidTurn]:
    """Turns in which anybody answers; none if it is but a user and a system, as in facts of a computer."""
    return (
        turns
        if any(one.speaker and speaker_kind(one.speaker) not in ("human", "system") for one in turns)
        else []
    )


def _may_speak(match: re.Match[str], text: str) -> bool:
    """Tell whether a name is one of those that are known, or stands on a line of its own."""
    return speaker_kind(_name(match)) is not None or text.startswith(("\n", "\r\n"), match.end())


def _name(match: re.Match[str]) -> str:
    return (match[1] or match[2] or "").strip()


def _speaking(found: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The names that begin a turn. One that is not known does so if it begins the talk or somewhere follows a
    person: an answer may have headings of its own. A question may have lines in bold: they do so only where
    no model is known by its name.
    """
    if any(speaker_kind(_name(match)) == "model" for match in found):
        found = [
            *found[:1],
            *(one for one in found[1:] if one[1] is not None or speaker_kind(_name(one)) is not None),
        ]
    names = {_name(match) for match in found[:1]}
    names |= {_name(after) for before, after in pairwise(found) if speaker_kind(_name(before)) == "human"}
    return [match for match in found if speaker_kind(_name(match)) is not None or _name(match) in names]


def heading_turns(text: str) -> list[SaidTurn]:
    """The turns of Markdown whose headings name who speaks; what may stand before them is its title, and
    words without a speaker.
    """
    begin = end_of_front_matter(text)
    headings = list(_outside_code(_HEADING, text, begin))
    first = next((n for n, match in enumerate(headings) if speaker_kind(match[1]) is not None), None)
    if first is None or first > 1 or text[begin : headings[0].start()].strip():
        return []
    level = _level(headings[first])
    before = text[headings[0].end() : headings[first].start()].strip() if first else ""
    if before and _level(headings[0]) == level:
        first, before = 0, ""
    before = "\n\n".join(filter(None, (text[:begin].strip(), before)))
    of_level = [match for match in headings[first:] if _level(match) == level]
    turns = _turns(text, _speaking(of_level))
    if not turns:  # some give each speaker a level of heading of its own
        turns = _answered(
            _turns(text, [match for match in headings[first:] if speaker_kind(match[1]) is not None])
        )
    return [SaidTurn("", before), *turns] if turns and before else turns


def end_of_front_matter(text: str) -> int:
    """The place behind the lines between two rules with which a note begins; 0 without them."""
    front = _FRONT_MATTER.match(text)
    return 0 if front is None else front.end()


def front_title(text: str) -> str:
    named = _TITLE.search(text, 0, end_of_front_matter(text))
    return "" if named is None else named[2]


def _level(match: re.Match[str]) -> int:
    return len(match[0].lstrip("\n")) - len(match[0].lstrip("\n").lstrip("#"))


def _turns(text: str, found: Sequence[re.Match[str]]) -> list[SaidTurn]:
    ends = [*(match.start() for match in found[1:]), len(text)]
    turns = [
        SaidTurn(_name(match), text[match.end() : end].strip("\n").strip())
        for match, end in zip(found, ends, strict=True)
    ]
    people = sum(1 for turn in turns if speaker_kind(turn.speaker) == "human")
    if not people or people == len(turns):
        return []
    ruled = {speaker_kind(turn.speaker) for turn in turns} - {
        speaker_kind(turn.speaker) for turn in turns[:-1] if not _RULE.search(turn.text)
    }  # whose turns a line ends, as some exports have it
    return [
        SaidTurn(
            one.speaker, _RULE.sub("", one.text).rstrip() if speaker_kind(one.speaker) in ruled else one.text
        )
        for one in turns
    ]


def speaker_kind(name: str) -> str | None:
    """Tell whose a name is known to be: a person's, a model's or the system's; None for another one."""
    word = _plain(name).lower()
    if word in PEOPLE:
        return "human"
    if word in MODELS or _MODEL.match(word):
        return "model"
    return "system" if word in SYSTEM else None


def _plain(name: str) -> str:
    """A name without signs in front of it, a time in brackets, and the “said” of copied pages."""
    return _BESIDE_NAME.sub("", _BESIDE_NAME.sub("", name.strip()))


def dialogue(name: str, title: str, turns: Iterable[SaidTurn]) -> Conversation:
    """The turns as a dialogue; what the system says is the tree's system context."""
    system: list[str] = []
    messages: dict[str, Message | None] = {}
    is_begun = has_words_before = False
    for turn in turns:
        kind = speaker_kind(turn.speaker)
        named = turn.speaker.removesuffix(EXCLUDED)
        speaker = title_of(named if kind is None else _plain(named))
        if kind == "system" and not is_begun:
            system.append(turn.text)
            continue
        is_begun, has_words_before = is_begun or bool(speaker), has_words_before or not speaker
        author = YOU if kind == "human" or not speaker else model_author(f"{name}:{speaker}", speaker)
        said = Message(author, Text(well_formed(turn.text)), is_excluded=not speaker or named != turn.speaker)
        messages[f"turn-{len(messages) + 1}"] = said
    one = _conversation(name, title, messages)
    one.system_context = "\n\n".join(filter(None, system)) or None
    if has_words_before:
        one.notes = (sentence("what stands before the first turn → excluded"),)
    return one


def chapters(text: str, begin: re.Pattern[str], passed: re.Pattern[str] | None = None) -> list[str]:
    """A text divided where a chapter begins, but not within what is `passed`; long ones at blank lines."""
    closed = [(match.start(), match.end()) for match in passed.finditer(text)] if passed is not None else []
    starts: list[int] = []
    for match in begin.finditer(text):
        while closed and closed[0][1] <= match.start():
            closed.pop(0)
        if not (closed and closed[0][0] <= match.start()) and match.start() > 0:
            starts.append(match.start())
    parts = [text[a:b] for a, b in zip([0, *starts], [*starts, len(text)], strict=True)]
    if len(parts) > 1 and not parts[0].strip():
        parts[:2] = [parts[0] + parts[1]]
    return [passage for part in parts for passage in _divided(part)]


def _divided(text: str) -> list[str]:
    if len(text) <= LONGEST_PASSAGE:
        return [text]
    cuts: list[int] = []
    begin, last = 0, 0
    for match in _BREAK.finditer(text):
        if match.end() - begin > LONGEST_PASSAGE and last > begin:
            cuts.append(last)
            begin = last
        last = match.end()
    if len(text) - begin > LONGEST_PASSAGE and begin < last < len(text):
        cuts.append(last)
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def book(name: str, title: str, passages: Iterable[str]) -> Conversation:
    """The passages as a buffer, one after the other."""
    messages: dict[str, Message | None] = {
        f"passage-{number}": Message(YOU, Text(well_formed(passage)))
        for number, passage in enumerate((p for p in passages if p), 1)
    }
    one = _conversation(name, title, messages)
    one.mode = "buffer"
    return one


def _conversation(name: str, title: str, messages: dict[str, Message | None]) -> Conversation:
    links = linked(messages, in_a_row(messages))
    opening = next((m.content.text for m in messages.values() if m and isinstance(m.content, Text)), "")
    tree_id = made_id(name, title, opening[:OPENING_LENGTH])
    return links.conversation(name, tree_id, title_of(title), next(reversed(links.messages), None))
