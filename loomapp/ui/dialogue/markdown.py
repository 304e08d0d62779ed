"""Markdown as people and models write it, made ready for Qt so that no text goes missing on the screen.

Qt's reader follows CommonMark to the letter, which hides things in talk and verse: single line breaks become
spaces, `[Marie]: hello` is taken for a link definition and dropped, a leading `---` block is taken for front
matter and dropped. Only what is shown is changed here; what is stored and copied as a message never is.
"""

from __future__ import annotations

import re

LINE_BREAK = "\u2028"
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
DEFINITION = re.compile(r"( {0,3})\[(?=[^\]]+\]:)")
# A line that begins like this starts, or belongs to, a block of its own and is left alone.
BLOCK_START = re.compile(r"\s*(?:[-+*>#|=~`:]|\d+[.)]|$)| {4}|\t")
HEADING_OR_TABLE = re.compile(r"\s*(?:#{1,6}(?:\s|$)|\||[-=:*_\s|]+$)")


def for_qt(text: str) -> str:
    """The same markdown, with line breaks kept and nothing that Qt would swallow."""
    shown: list[str] = []
    fence = ""
    joinable = False
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            shown.append(line)
            if (
                mark
                and mark[1][0] == fence[0]
                and len(mark[1]) >= len(fence)
                and not line[mark.end() :].strip()
            ):
                fence = ""
            joinable = False
        elif mark:
            shown.append(line)
            fence, joinable = mark[1], False
        else:
            escaped = DEFINITION.sub(r"\1\\[", line, count=1)
            if joinable and not BLOCK_START.match(line):
                shown[-1] = shown[-1].rstrip(" ") + LINE_BREAK + escaped.lstrip(" ")
            else:
                shown.append(escaped)
                joinable = not HEADING_OR_TABLE.match(line) and not line.startswith(("    ", "\t"))
    return "\n" + "\n".join(shown)
