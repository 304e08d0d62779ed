"""Authorship as colour: a writer is ink, a model its tint, what was changed in it has a dotted line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from PySide6.QtGui import QColor, QTextCharFormat

from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.prose.authorship import Author, AuthorSpan, mostly_by, within
from loomapp.core.prose.buffer_text import BufferText, Passage
from loomapp.ui.look import theme

Authorship: TypeAlias = Literal["colour", "margin", "off"]
Look: TypeAlias = tuple[int, int, QTextCharFormat]
LEFT_OUT = ("excluded", "pruned")


class AuthorshipColours:
    """Tells how a stretch of the text looks. Asked for what is on the screen only."""

    def __init__(self) -> None:
        self.authorship: Authorship = "colour"
        self._buffer_text: BufferText | None = None
        self._tree: Tree | None = None
        self._agents: Mapping[str, Agent] = {}
        self._fates: Mapping[str, str] = {}
        self._formats: dict[tuple[str, str | None, bool, bool], QTextCharFormat] = {}
        self._theme = ""

    def show(self, buffer_text: BufferText, tree: Tree, agents: Mapping[str, Agent]) -> None:
        self._buffer_text, self._tree, self._agents = buffer_text, tree, agents
        self._formats.clear()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        self._fates = fates

    def looks(self, begin: int, end: int) -> Iterator[Look]:
        """Yield stretches of one look each, in order; ink where none is named."""
        buffer_text = self._buffer_text
        if buffer_text is None or begin >= end:
            return
        if self._theme != theme.current_name():
            self._formats.clear()
            self._theme = theme.current_name()
        found: Look | None = None
        for one in self._looks(buffer_text, begin, end):
            if found is not None and found[1] == one[0] and found[2] is one[2]:
                found = (found[0], one[1], one[2])  # short passages of one author are one stretch
                continue
            if found is not None:
                yield found
            found = one
        if found is not None:
            yield found

    def _looks(self, buffer_text: BufferText, begin: int, end: int) -> Iterator[Look]:
        for passage in buffer_text.passages(begin, end):
            at = passage.start
            struck = self._fates.get(passage.node_id or "") in LEFT_OUT
            spans = buffer_text.spans(passage.place)
            if not struck and not any(span.author_type == "model" for span in spans):
                continue  # ink
            mixed = _is_by_model(mostly_by(spans)) and self._is_edited(passage)
            for span in within(spans, max(begin, at) - at, min(end, passage.end) - at):
                changed = mixed and span.author_type == "human"
                if struck or (self.authorship == "colour" and (changed or span.author_type == "model")):
                    look = self._format(span, changed=changed, struck=struck)
                    yield span.start + at, span.end + at, look

    def model_of(self, passage: Passage) -> Author | None:
        """Return the model that wrote most of a passage, if one did."""
        buffer_text = self._buffer_text
        if buffer_text is None or passage.place >= len(buffer_text):
            return None
        author = mostly_by(buffer_text.spans(passage.place))
        return author if _is_by_model(author) else None

    def colour_of(self, agent_id: str | None, author_type: str) -> QColor:
        if author_type == "human":
            return theme.colour("text.primary")
        mix = theme.metric(f"authorship.prose_mix_{theme.current_name()}")
        role = theme.agent_role(self._agents.get(agent_id or ""))
        return theme.mixed(role, "text.primary", mix)

    def tint_of(self, passage: Passage) -> QColor:
        """Return the colour of a passage's bar."""
        model = self.model_of(passage)
        agent = self._agents.get((model.agent_id if model is not None else None) or "")
        return theme.colour("agent.human" if model is None else theme.agent_role(agent))

    def name_at(self, position: int) -> str:
        """Return the name of a character's author; empty where there is none."""
        buffer_text = self._buffer_text
        if buffer_text is None or not 0 <= position < buffer_text.length:
            return ""
        span = next(iter(buffer_text.spans_between(position, position + 1)), None)
        agent = None if span is None else self._agents.get(span.agent_id or "")
        return "" if agent is None else agent.name

    def _is_edited(self, passage: Passage) -> bool:
        buffer_text, tree = self._buffer_text, self._tree
        if buffer_text is None or tree is None or passage.node_id is None:
            return False
        node = tree.nodes.get(passage.node_id)
        return passage.node_id in buffer_text.penned or (node is not None and node.author_type == "human")

    def _format(self, span: AuthorSpan, *, changed: bool, struck: bool) -> QTextCharFormat:
        key = (span.author_type, span.agent_id, changed, struck)
        found = self._formats.get(key)
        if found is None:
            found = self._formats[key] = QTextCharFormat()
            colour = self.colour_of(span.agent_id, span.author_type)
            found.setForeground(theme.colour("text.muted") if struck else colour)
            found.setFontStrikeOut(struck)
            if changed:
                found.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
                found.setUnderlineColor(theme.colour("text.secondary"))
        return found


def _is_by_model(author: Author | None) -> bool:
    return author is not None and author.author_type == "model"
