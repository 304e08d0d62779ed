"""Markdown as people and models write it, made ready for Qt so that no text goes missing on the screen.

Qt's reader follows CommonMark to the letter, which hides things in talk and verse: single line breaks become
spaces, `[Marie]: hello` is taken for a link definition and dropped, a leading `---` block is taken for front
matter and dropped, `&amp;` becomes `&`, which is not what is sent. Only what is shown is changed here; what
is stored and copied as a message never is.
"""

from __future__ import annotations

import re

LINE_BREAK = "\u2028"
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
DEFINITION = re.compile(r"( {0,3})\[(?=[^\]]+\]:)")
# A line that begins like this starts, or belongs to, a block of its own and is left alone.
BLOCK_START = re.compile(r"\s*(?:[-+*>#|=~`:]|\d+[.)]|$)| {4}|\t")
QUOTE = re.compile(r" {0,3}(?:> ?)+")
LITERAL_INDENT = re.compile(r" {4}| {0,3}\t")
LIST_ITEM = re.compile(r"\s*(?:[-+*]|\d{1,9}[.)])(?:\s|$)")
# What is passed over, an escaped sign, code in a line, an address; and what Qt would read as a character.
ENTITY = re.compile(
    r"\\.|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);)"
)
# After a line like this nothing goes on: blank, heading, table, rule, indented code.
ENDS_PARAGRAPH = re.compile(r"\s*(?:$|#{1,6}(?:\s|$)|\||[-=:*_\s|]+$)| {4}|\t")


def for_qt(text: str) -> str:
    """Return the same markdown, with line breaks kept and nothing that Qt would swallow."""
    shown: list[str] = []
    fence, fences = "", 0
    before = ""  # the line before if this one may go on in its paragraph
    literal, in_list, is_wrapped = set[int](), False, False  # which of what is shown is code
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if line.strip() and not line[0].isspace():
            in_list = bool(LIST_ITEM.match(line))
        if fence:
            literal.add(len(shown))
            shown.append(line)
            if mark and ends_fence(line, mark, fence):
                fence = ""
            before = ""
        elif mark and (opening := numbered(line, mark, fences + 1)) != line:
            literal.add(len(shown))
            shown.append(opening)
            fences, fence, before = fences + 1, mark[1], ""
        else:
            added = continuation(before, line)
            if added is None:
                is_indented = bool(line.strip() and LITERAL_INDENT.match(line))
                is_wrapped = is_indented and (in_list or bool(before) or is_wrapped)
                if is_indented and not is_wrapped:
                    literal.add(len(shown))
                shown.append(DEFINITION.sub(r"\1\\[", line, count=1))
            else:
                shown[-1] = shown[-1].rstrip(" ") + LINE_BREAK + added
            before = "" if ENDS_PARAGRAPH.match(line) else line
    written = (line if at in literal else entities_kept(line) for at, line in enumerate(shown))
    return "\n" + "\n".join(written)


def entities_kept(line: str) -> str:
    """A line whose entities are shown as they are written, but in code, where they are already."""
    return ENTITY.sub(_escaped, line) if "&" in line else line


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}" if found["entity"] else found[0]


def numbered(line: str, mark: re.Match[str], number: int) -> str:
    """A fence with its number before the language: Qt's reader joins neighbouring blocks of one language."""
    words = line[mark.end() :].split()
    if mark[1][0] == "`" and "`" in line[mark.end() :]:
        return line  # code in a line of text, no fence
    return f"{mark[0]}{number}:{words[0] if words else ''}"


def fenced(text: str, number: int) -> str | None:
    """The code behind the fence of this number, as it was written; None if there are fewer."""
    fences, fence, indent, code = 0, "", 0, list[str]()
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if not fence:
            if mark and numbered(line, mark, 0) != line:
                fences, fence, indent = fences + 1, mark[1], mark.start(1)
        elif mark and ends_fence(line, mark, fence):
            if fences == number:
                break
            fence = ""
        elif fences == number:
            code.append(line[min(indent, len(line) - len(line.lstrip(" "))) :])
    return "\n".join(code) if fences == number else None


def ends_fence(line: str, mark: re.Match[str], fence: str) -> bool:
    """True if a line closes the code block that `fence` opened."""
    return mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not line[mark.end() :].strip()


def continuation(before: str, line: str) -> str | None:
    """Return the part of a line that goes on in the paragraph of the line before; None if it begins one of
    its own.
    """
    quote, quote_before = QUOTE.match(line), QUOTE.match(before)
    if quote and quote_before and quote[0].count(">") == quote_before[0].count(">"):
        words, words_before = line[quote.end() :], before[quote_before.end() :]
        return None if ENDS_PARAGRAPH.match(words_before) else continuation(words_before, words)
    if not before or quote or BLOCK_START.match(line):
        return None
    return DEFINITION.sub(r"\1\\[", line, count=1).lstrip(" ")
