"""Command lines in an agent's answer: which lines are commands, and what of it is said to people."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass

ARROW = "→ "
THINK_END = "←"
CLOSING = "\"”'’»"  # quotation marks
Kind: TypeAlias = Literal["prose", "command", "think"]

# Patterns that are texts here `re` compiles when they are first looked for: no start has to wait for them.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # nothing else breaks a line
_FENCE = re.compile(r"([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})")
# What others wrote, repeated over several lines, and code. Marks that are alike at both ends, or apostrophes
# too, open only where a word could begin.
_QUOTATION = "(?m)" + "|".join(
    (
        *(rf"(?<![\w{mark[0]}]){mark}(?!{mark[0]})[\s\S]*?{mark}" for mark in ('"""', "'''")),
        r"“[^“”]*+(?:“[^“”]*+”[^“”]*+)*+”",
        r"„[^„“”]*+[“”]",
        *(f"{begin}[^{begin}{end}]*+{end}" for begin, end in ("«»", "»«", "‹›", "›‹", "「」", "『』")),
        r"‚[^‚‘’]*+[‘’]",
        r"(?<!\w)‘(?:[^‘’]|(?<=\w)’(?=\w))*+’(?!\w)",
        *(rf"(?<![^\s(\[:=]){mark}[^“”\"]*+{mark}(?!\w)" for mark in '"”'),
        r"(?<![^\s(\[:=])'(?:[^']|(?<=\w)'(?=\w))*+'(?=[.,;:!?)\]]*\s*?$)",
        r"(?<!`)`(?!`)(?:[^`\n]|\n(?![ \t]*\n))*+`(?!`)",
    )
)
_POLITE = r"(?:(?:please|kindly|(?:can|could|would)\s+you|let\s+me|let['’]s)\b[\s,]*)"
_THINK = rf"(?i)→ \s*{_POLITE}*think\b"
_THINK_END = re.compile(THINK_END)
# Models write these where no server takes them off; where the prompt opens the block, only its end.
_TAG = r"(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)"
# Marks of the same that are no tags, and their ends.
_MARKS = {"[think]": r"\[/THINK\]", "◁think▷": "◁/think▷", "<|begin_of_thought|>": r"<\|end_of_thought\|>"}
_ENDS = "|".join((rf"</{_TAG}\s*>", *_MARKS.values()))
_TAGGED = rf"(?i)[ \t]*(?:<({_TAG})(?:\s[^<>\n]*)?>|({'|'.join(map(re.escape, _MARKS))}))"
_TAG_END = rf"(?i)[ \t]*(?:{_ENDS})\s*\Z"
_LAST_TAG_END = rf"(?i)(?:{_ENDS})\s*\Z"
# Elements and marks within which nothing is said by the agent itself: it shows, quotes or thinks.
_SHOWN = (
    r"pre|code|samp|blockquote|q|quote|quotation|example|node|document|transcript|results?"
    r"|(?:tool|function)_(?:results?|response|output)|scratchpad|reflection|analysis"
    r"|text|file|source|context|memory|annotation|cite|kbd|tt|xmp"
)
_SHOWN_TAG = (
    rf"(?im)(?<!`)<(?P<ends>/?)(?P<name>{_SHOWN}|{_TAG})(?:\s[^<>\n]*)?>"
    r"|(?P<mark>\[/?THINK\]|◁/?think▷|<\|(?:begin|end)_of_thought\|>)"
    r"|\[(?P<ends2>/?)(?P<name2>quote|code)(?:=[^\]\n]*)?\]"
    r"|^===(?P<block>[ ]\w+[ ]\w+[ ]===)?[ ]*$"  # a copy of what an agent is sent
)
_COMMENT, _COMMENT_END = re.compile(r"(?<!`)<!--"), "-->"
_NEWER = (
    rf"(?im)</?{_TAG}(?:\s[^<>\n]*)?>|\[/?THINK\]|◁/?think▷|<\|(?:begin|end)_of_thought\|>"
    rf"|<!--|^→ \s*{_POLITE}+think\b"
)
_HEADER = (
    r"\s*\[[^\]\n]{1,80}\] [^\n]* · \d{4}-\d\d-\d\d \d\d:\d\d[ ]*\n"  # id, author, time
    r"(?:(?:\d+ continuations?|\d+ annotations?|bookmarked)[^\n]*\n)?"
    r"(?:---[ ]*(?:\n|$))?"  # small models leave out what follows the first line
)


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules by which answers are cut. `unknown` looks like nothing to them."""

    fence: re.Pattern[str] = _FENCE
    quotation: str | None = _QUOTATION
    has_shown: bool = True
    unknown: str | None = None


TODAY = _Rules()
_FORMER_FENCE = re.compile(r"( {0,3})()(`{3,}|~{3,})")
_FORMER_QUOTATION = r'“[^“”]*”|«[^«»]*»|(?<![^\s(\[:])"[^"]*"(?!\w)'
_LATER_TAGS = rf"(?i)</?{_TAG}\s[^<>\n]*>|\[/?THINK\]|◁/?think▷|<\|(?:begin|end)_of_thought\|>"
# Nodes rest on answers that were cut by these; the newest first.
FORMER = (
    _Rules(quotation=_FORMER_QUOTATION, has_shown=False, unknown=_LATER_TAGS),
    _Rules(quotation=_FORMER_QUOTATION, has_shown=False, unknown=_NEWER),
    _Rules(_FORMER_FENCE, None, has_shown=False, unknown=_NEWER),
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of an answer, in whole lines but for the end of a think block."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """The commands of an answer that are carried out: `said` is the answer up to the end of the last of them,
    `prose` what it says before and between them, `thoughts` its think blocks.
    """

    said: str
    lines: tuple[str, ...]
    prose: str
    thoughts: tuple[str, ...]


def segments(answer: str, rules: _Rules = TODAY) -> Iterator[Segment]:
    """Cut an answer into commands, think blocks and what is between them; together they are the answer.

    A command is a line that begins with an arrow and a space, outside code fences, quotations, comments and
    think blocks. A think block begins with a command or a tag, or with the answer where a tag ends what none
    began. What nothing closes goes on to the end.
    """
    ends: list[int] = []
    plain, begin = answer if rules.unknown is None else re.sub(rules.unknown, _hidden, answer), 0
    cut = []
    for one in _cut(plain, ends, rules):
        cut.append(Segment(one.kind, answer[begin : begin + len(one.text)]))
        begin += len(one.text)
    if not ends:
        yield from cut
        return
    yield Segment("think", answer[: ends[0]])
    begin = 0
    for one in cut:
        end = begin + len(one.text)
        if end > ends[0]:
            yield Segment(one.kind, one.text[max(0, ends[0] - begin) :])
        begin = end


def _cut(answer: str, ends: list[int], rules: _Rules) -> Iterator[Segment]:
    """Cut an answer as it stands; adds to `ends` where tags end a think block that nothing began."""
    prose: list[str] = []
    lines = _LINE.finditer(answer)
    quoted = () if rules.quotation is None else re.finditer(rules.quotation, answer)
    quotations = [found.span() for found in quoted if f"\n{ARROW}" in found.group()]
    spans = _shown_spans(answer) if rules.has_shown else ()
    shown = [span for span in spans if f"\n{ARROW}" in answer[slice(*span)]]
    fence: _Fence | None = None
    is_comment = has_tag = has_command = False
    for found in lines:
        line, begin = found.group(), found.start()
        fence = fence if is_comment else _fence_after(fence, line, rules.fence)
        is_shown = fence or is_comment or _is_within(quotations, begin)
        tagged = None if is_shown else re.match(_TAGGED, line)
        is_command = line.startswith(ARROW) and not _is_within(shown, begin)
        if is_shown or not (tagged or is_command):
            if not (is_shown or has_tag) and (
                re.search(_LAST_TAG_END, line) if has_command else re.match(_TAG_END, line)
            ):
                ends.append(found.end())
            is_comment = not fence and _is_comment_after(line, is_comment=is_comment)
            prose.append(line)
            continue
        if prose:
            yield Segment("prose", "".join(prose))
            prose.clear()
        if tagged:
            has_tag = True
            name, mark = tagged.groups()
            end = rf"</{name}\s*>" if name else _MARKS[mark.casefold()]
            yield from _thought(line, lines, re.compile(end, re.IGNORECASE))
        elif re.match(_THINK, line):
            yield from _thought(line, lines, _THINK_END)
        else:
            has_command = True
            yield Segment("command", line)
    if prose:
        yield Segment("prose", "".join(prose))


def _is_within(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Tell whether a place is within one of some spans, which are sorted and lie apart."""
    before = bisect_left(spans, (place, 0)) - 1
    return before >= 0 and place < spans[before][1]


def _shown_spans(answer: str) -> Iterator[tuple[int, int]]:
    """Yield where elements of `_SHOWN_TAG` begin and end, each from its first beginning to the next end. Some
    that overlap are one.
    """
    opened: dict[str, int] = {}
    spans: list[tuple[int, int]] = []
    for found in re.finditer(_SHOWN_TAG, answer):
        mark = (found["mark"] or "").casefold()
        name = (found["name"] or found["name2"] or mark[-2:]).casefold()
        ends = found["ends"] or found["ends2"] or "/" in mark or "end_" in mark
        if (name and not ends) or found["block"]:
            opened.setdefault(name, found.start())
        elif (begin := opened.pop(name, None)) is not None:
            while spans and spans[-1][1] > begin:
                begin = min(begin, spans.pop()[0])
            spans.append((begin, found.end()))
    yield from spans


def _thought(line: str, lines: Iterator[re.Match[str]], end: re.Pattern[str]) -> Iterator[Segment]:
    """A think block from its first line on; what follows its end on the same line is prose."""
    found = [line]
    while (ended := end.search(found[-1])) is None:
        following = next(lines, None)
        if following is None:
            yield Segment("think", "".join(found))
            return
        found.append(following.group())
    rest = found[-1][ended.end() :]
    if not rest.strip():
        yield Segment("think", "".join(found))
        return
    yield Segment("think", "".join((*found[:-1], found[-1][: ended.end()])))
    yield Segment("prose", rest)


def _is_comment_after(line: str, *, is_comment: bool) -> bool:
    """Tell whether a line ends within a comment, which nobody is shown."""
    at = 0
    while True:
        if is_comment:
            end = line.find(_COMMENT_END, at)
            if end < 0:
                return True
            at = end + len(_COMMENT_END)
        opened = _COMMENT.search(line, at)
        if opened is None:
            return False
        at, is_comment = opened.start() + 2, True  # the dashes of `<!-->` begin and end it


def _hidden(found: re.Match[str]) -> str:
    """Something of one line such that it looks like nothing; what goes on in the next line is nothing."""
    here = found.group()
    return here if "\n" in here else here[:2].ljust(len(here), "\0")


@dataclass(frozen=True, slots=True)
class _Fence:
    """A code fence that is open: its mark, and how far it is indented; also in a list."""

    mark: str
    indent: int


def _fence_after(fence: _Fence | None, line: str, pattern: re.Pattern[str]) -> _Fence | None:
    found = pattern.match(line)
    if found is None:
        return fence
    blanks, bullet, mark = found.groups()
    indent = len((blanks + (bullet or "")).expandtabs(4))
    if fence is None:
        is_inline = mark[0] == "`" and "`" in line[found.end() :]
        return None if is_inline else _Fence(mark, indent)
    is_end = not (bullet or line[found.end() :].strip()) and indent < fence.indent + 4
    closes = is_end and mark[0] == fence.mark[0] and len(mark) >= len(fence.mark)
    return None if closes else fence


def first_batch(answer: str) -> Batch | None:
    """The first commands of an answer that follow each other, with at most blank lines and think blocks
    between them; None if it has no command.
    """
    taken: list[Segment] = []
    end = 0  # of what is taken, up to the last command
    for segment in segments(without_header(answer)):
        has_begun = end > 0
        if has_begun and segment.kind == "prose" and segment.text.strip():
            break
        taken.append(segment)
        if segment.kind == "command":
            end = len(taken)
    if not end:
        return None
    taken = taken[:end]
    return Batch(
        "".join(one.text for one in taken).rstrip("\r\n"),
        tuple(one.text.strip() for one in taken if one.kind == "command"),
        "".join(one.text for one in taken if one.kind == "prose").strip(),
        tuple(one.text.strip() for one in taken if one.kind == "think"),
    )


def thoughts_of(answer: str) -> tuple[str, ...]:
    return tuple(one.text.strip() for one in segments(answer) if one.kind == "think")


def answer_text(answer: str) -> str:
    """The words for people in an answer: without command lines, think blocks and a copied header; as it is
    where it has none of them.
    """
    return _words(answer, TODAY)


def answer_texts(answer: str) -> Iterator[str]:
    """Yield the words for people in an answer, also as they were cut by each of the former rules."""
    yield from (_words(answer, rules) for rules in (TODAY, *FORMER))


def _words(answer: str, rules: _Rules) -> str:
    kept = [one.text for one in segments(without_header(answer), rules) if one.kind == "prose"]
    text = "".join(kept)
    return answer if text == answer else text.strip()


def without_header(answer: str) -> str:
    """An answer without the header of a node that it may begin with."""
    header = re.match(_HEADER, answer)
    return answer if header is None else answer[header.end() :]


def ends_a_command(text: str, answer: str, name: str = "") -> bool:
    """True if a command line of an answer ends with a text, as it is or in quotes: what a command writes
    is always the rest of its line. Before that the line says `name`, in any case, such as a document's.
    """
    return any(_plain(name) in _plain(before) for before in _before(text, answer))


def _before(text: str, answer: str) -> Iterator[str]:
    """Yield what stands before a text in each command line that ends with it."""
    every = (one for rules in (TODAY, *FORMER) for one in segments(answer, rules))
    for line in (one.text.rstrip() for one in every if one.kind == "command"):
        for end in (text, *(text + mark for mark in CLOSING)):
            if line.endswith(end):
                yield line[: len(line) - len(end)]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
