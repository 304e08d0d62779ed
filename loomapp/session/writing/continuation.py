"""Continuation of a buffer's text: the node that a model goes on from, made ready or only looked ahead to."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from loomapp.core.context.provider_rules import PROVIDER_RULES
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change
from loomapp.core.model.content import Text
from loomapp.core.model.entities import verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import passage_edits, path_choice
from loomapp.core.prose.buffer_text import BufferText
from loomapp.core.prose.fill_in import open_gap
from loomapp.core.text.graphemes import start_of
from loomapp.core.uncommitted_tree import (
    Offered,
    Point,
    Revised,
    TakenSoFar,
    UncommittedTree,
    build_uncommitted_tree,
    settled,
)
from loomapp.providers.registry import rules_for
from loomapp.session.document import Document
from loomapp.session.journal.left_drafts import evidence_of
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.session.writing.passages import Passages, point_before
from loomapp.store.identity import new_id


@dataclass(frozen=True, slots=True)
class Continuation:
    """The node that is continued, and how many spaces the writer had typed last that were left out: a model
    goes on with a space of its own, and badly without one.
    """

    node_id: str
    spaces_left_out: int = 0
    action: str = ""  # what splitting it belongs to, if that was done: the answers belong to it too


class OpenedGap(NamedTuple):
    """A gap, the node before it, the Change that made it if it is new, and the action that belongs to."""

    gap_id: str
    above_id: str
    change: Change | None
    action: str


class BufferContinuation:
    """Makes ready to continue or fill in the open buffer's text at a caret, and tells beforehand what would
    be sent for that. All raise LoomError, and then have changed nothing but what was committed.
    """

    def __init__(self, document: Document, writing: BufferSession, passages: Passages) -> None:
        self._document, self._writing, self._passages = document, writing, passages
        self._seen_ahead: UncommittedTree | None = None
        self._left_out = ("", "")  # the node that was continued last, and the spaces left out after it

    def continue_from(self, offset: int | None = None) -> Continuation:
        """Make ready to continue the text at a caret, by default at its end: the node before the caret. In
        the middle of a node it is split there.

        If a model is asked that goes on with the text itself, the spaces that a person wrote last are left
        out: a version without them is continued, and until that is read the text is as it was typed. A node
        is split before a space rather than behind it. A model that is told to continue begins with a word,
        and the space is wanted. Raises: InvalidInput where no word is before the caret.
        """
        writing, document, before_space = self._writing, self._document, self._is_continued_itself()
        end = writing.buffer_text.end
        is_within = offset is not None and offset < end
        at = writing.commit_at(end if offset is None else offset)
        before, action, left_out = document.tree.loom, new_id(), ""  # every change leaves another LoomTree
        if is_within:
            node_id = self._passages.split_before(at, before_space=before_space, action=action)
        else:
            node_id, left_out = self._before_spaces(action) if before_space else (document.path_ids[-1], "")
        self._left_out = (node_id, left_out)
        if not left_out:  # else the text is as it was until that is read
            document.place.set_current(node_id)
        is_parted = document.tree.loom is not before
        return Continuation(node_id, len(left_out), action if is_parted else "")

    def fill_at(self, offset: int) -> OpenedGap:
        """Make ready to fill in at a caret: a gap there; a new one is the first step of an action. The
        text stays as it is. Raises: InvalidInput at the end and where nothing is before the caret.
        """
        offset = self._writing.commit_at(offset)
        document, point = self._document, self._gap_point(self._writing.buffer_text, offset)
        tree, way = document.tree, document.path_ids
        gap = open_gap(
            tree, way, point.place, point.at, document.pen(), evidence_of(document, tree, way[point.place])
        )
        if gap is None:
            raise InvalidInput("Put the caret into the text: what is missing there is filled in.")
        action = new_id()
        if gap.change is not None:
            self._passages.commit(replace(gap.change, action=action))
        document.place.set_current(gap.gap_id)
        return OpenedGap(*gap, action)

    def left_out_at(self, offset: int) -> str:
        """The spaces that were left out of a request, at an offset where writing goes on while nothing came
        of it yet: who writes a word there wrote them before it. "" elsewhere.
        """
        node_id, spaces = self._left_out
        is_there = not self._writing.has_words and self._document.path_ids[-1] == node_id
        return spaces if is_there and offset == self._writing.buffer_text.length else ""

    def forget_left_out(self) -> None:
        self._left_out = ("", "")

    # Looking ahead

    def ahead(self, offset: int, offered: Offered | None = None) -> UncommittedTree:
        """Tell what `continue_from` a caret would come to, once what is offered is settled; nothing is
        committed. Raises: as that.
        """
        buffer_text, after = self._once_settled(offered)
        before_space, point = self._is_continued_itself(), None
        if offset < buffer_text.end:  # behind an answer that is being written it is what that continues
            point = point_before(buffer_text, offset, before_space=before_space)
        elif before_space and not isinstance(offered, TakenSoFar):  # those are a model's
            point = self._spaces_at_end(buffer_text, self._document.tree if after is None else after.tree)
        return self._ahead(buffer_text.last_words, point=point, after=after)

    def ahead_filling(self, offset: int, offered: Offered | None = None) -> UncommittedTree:
        """Tell what `fill_at` would come to, once what is offered is settled; nothing is committed."""
        buffer_text, after = self._once_settled(offered)
        point = self._gap_point(buffer_text, offset)
        return self._ahead(buffer_text.last_words, point=point, fills=True, after=after)

    def ahead_beside(self, node_id: str) -> UncommittedTree:
        """Tell what stands once all that is written is committed and a node beside the text is continued."""
        return self._ahead(self._writing.buffer_text.last_words, at=node_id)

    def _once_settled(self, offered: Offered | None) -> tuple[BufferText, Revised | None]:
        """Return the text once what is offered is settled, and what that makes of the tree."""
        if offered is None:
            return self._writing.buffer_text, None
        document = self._document
        after = settled(document.tree, document.path, offered, document.pen())
        return BufferText(after.tree, resolve(after.tree, after.way[-1])), after

    def _ahead(
        self,
        working: str,
        *,
        point: Point | None = None,
        at: str | None = None,
        fills: bool = False,
        after: Revised | None = None,
    ) -> UncommittedTree:
        document = self._document
        self._seen_ahead = build_uncommitted_tree(
            document.tree,
            document.path,
            self._writing.buffer_text.penned,
            working,
            document.pen(),
            point=point,
            at=at,
            fills=fills,
            before=self._seen_ahead,
            after=after,
        )
        return self._seen_ahead

    # Behind it

    def _is_continued_itself(self) -> bool:
        """True if any model that is asked is sent the text to go on with, not a message about it."""
        all_rules = [rules_for(agent.model_ref or "") for agent in self._document.agents.asked()]
        fitted = [PROVIDER_RULES[rules.provider_rules] for rules in all_rules]
        by_prefill = any(one is not None and one.prefill for one in fitted)
        return by_prefill or any(rules.continues_documents for rules in all_rules)

    def _before_spaces(self, action: str) -> tuple[str, str]:
        """The node that says all of the text but the spaces at its end, once it is committed, and those: a
        version without them, made if there is none yet; or the node before them.
        """
        document, buffer_text = self._document, self._writing.buffer_text
        way, tree = document.path_ids, document.tree
        point = self._spaces_at_end(buffer_text, tree)
        if point is None:
            return way[-1], ""
        spaces = buffer_text.text[buffer_text.passage(point.place).start + point.at :]
        if point.at == 0:
            return way[point.place - 1], spaces
        head = way[: point.place + 1]
        known = passage_edits.version_up_to(tree, head, point.at)
        if (
            known is not None
            and path_choice.path_reading(tree, document.path, known).node_ids[:-1] == head[:-1]
        ):
            return known, spaces
        change = passage_edits.leave_out_end(tree, head, point.at, document.pen())
        document.commit(replace(change, action=action), keeps_current=True)
        return change.added_nodes()[0].id, spaces

    def _spaces_at_end(self, buffer_text: BufferText, tree: Tree) -> Point | None:
        """Return the place before the spaces at the text's end, as far as a person wrote them; None without
        any, and where nothing is before them.
        """
        found: Point | None = None
        for place in range(len(buffer_text) - 1, -1, -1):
            text = buffer_text.text_of(place) if place < len(buffer_text) - 1 else buffer_text.last_words
            at = len(text.rstrip(" "))
            if at < len(text) and _is_own(buffer_text, tree, place):
                found = Point(place, at, is_end=True)
            elif text:
                break
            if at:
                break
        return None if found is not None and found.place + found.at == 0 else found

    def _gap_point(self, buffer_text: BufferText, offset: int) -> Point:
        """The point at which a gap is opened for a caret."""
        if offset >= buffer_text.end:
            raise InvalidInput("Put the caret into the text: what is missing there is filled in.")
        right = buffer_text.passage_from(offset)
        at = start_of(buffer_text.text_of(right.place), offset - right.start)
        if right.start + at == 0:
            raise InvalidInput("Put the caret behind the words after which something is missing.")
        return Point(right.place, at)


def _is_own(buffer_text: BufferText, tree: Tree, place: int) -> bool:
    """True if a person wrote a passage, or changed it."""
    if place == len(buffer_text.node_ids):
        return True
    node = tree.nodes[buffer_text.node_ids[place]]
    is_changed = buffer_text.text_of(place) != verbatim(node)
    return isinstance(node.content, Text) and (node.author_type == "human" or is_changed)
