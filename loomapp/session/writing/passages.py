"""What is done to the passages of the open buffer as a whole: chosen, split, merged, continued, replaced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from loomapp.core.context.provider_rules import PROVIDER_RULES
from loomapp.core.errors import InvalidInput, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.node_text import verbatim
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import passage_edits, path_choice
from loomapp.core.prose.buffer_text import BufferText
from loomapp.core.prose.fill_in import open_gap
from loomapp.core.prose.pending_text import PendingText, begun
from loomapp.core.sentences import worded
from loomapp.core.text.find_replace import FoundText
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
from loomapp.session.journal.ghost_answer import evidence_of, take_up_to
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.store.identity import new_id


@dataclass(frozen=True, slots=True)
class Continuation:
    """The node that is continued, and how many spaces the writer had typed last that were left out: a model
    goes on with a space of its own, and badly without one. `ends_in_space` if the node ends in one all the
    same, because it was committed with it.
    """

    node_id: str
    spaces_left_out: int = 0
    ends_in_space: bool = False
    action: str = ""  # what splitting it belongs to, if that was done: the answers belong to it too


class OpenedGap(NamedTuple):
    """A gap, the node before it, the Change that made it if it is new, and the action that belongs to."""

    gap_id: str
    above_id: str
    change: Change | None
    action: str


class Passages:
    """Acts on the passages of the path that is read. Each commits first what is written, and is one step of
    undo where it changes more than what is shown. All raise LoomError, and then have changed nothing but what
    was committed.
    """

    def __init__(self, document: Document, desk: BufferSession) -> None:
        self._document, self._desk = document, desk
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
        desk, document, before_space = self._desk, self._document, self._is_continued_itself()
        end = desk.buffer_text.end
        is_within = offset is not None and offset < end
        at = desk.commit_at(end if offset is None else offset)
        before, action, left_out = document.tree.loom, new_id(), ""  # every change leaves another LoomTree
        if is_within:
            node_id = self._split_before(at, before_space=before_space, action=action)
        else:
            node_id, left_out = self._before_spaces(action) if before_space else (document.path_ids[-1], "")
        self._left_out = (node_id, left_out)
        if not left_out:  # else the text is as it was until that is read
            document.set_current(node_id)
        ends_in_space = document.tree.nodes[node_id].text.endswith(" ")
        is_parted = document.tree.loom is not before
        return Continuation(node_id, len(left_out), ends_in_space, action if is_parted else "")

    def ahead(self, offset: int, offered: Offered | None = None) -> UncommittedTree:
        """What `continue_from` a caret would come to, once what is offered is settled; nothing is committed.
        Raises: as that.
        """
        buffer_text, after = self._once_settled(offered)
        before_space, point = self._is_continued_itself(), None
        if offset < buffer_text.end:  # behind an answer that is being written it is what that continues
            point = self._point(buffer_text, offset, before_space=before_space)
        elif before_space and not isinstance(offered, TakenSoFar):  # those are a model's
            point = self._spaces_at_end(buffer_text, self._document.tree if after is None else after.tree)
        return self._ahead(buffer_text.last_words, point=point, after=after)

    def ahead_filling(self, offset: int, offered: Offered | None = None) -> UncommittedTree:
        """What `fill_at` would come to, likewise."""
        buffer_text, after = self._once_settled(offered)
        point = self._gap_point(buffer_text, offset)
        return self._ahead(buffer_text.last_words, point=point, fills=True, after=after)

    def ahead_beside(self, node_id: str) -> UncommittedTree:
        """What stands once all that is written is committed, and a node beside the text is continued."""
        return self._ahead(self._desk.buffer_text.last_words, at=node_id)

    def left_out_at(self, offset: int) -> str:
        """The spaces that were left out of a request, at an offset where writing goes on while nothing came
        of it yet: who writes a word there wrote them before it. "" elsewhere.
        """
        node_id, spaces = self._left_out
        is_there = not self._desk.has_words and self._document.path_ids[-1] == node_id
        return spaces if is_there and offset == self._desk.buffer_text.length else ""

    def forget_left_out(self) -> None:
        """Writing went on."""
        self._left_out = ("", "")

    def split_at(self, offset: int) -> None:
        """Two nodes in place of the one around a caret. Between two nodes there is nothing to split."""
        self._split_before(self._desk.commit_at(offset), before_space=False)

    def take_up_to(self, node_id: str, at: int, back: ActivePath | None) -> None:
        """The text goes on from its end with the first characters of a node; undo reads `back`, else what is
        read now.
        """
        self._desk.commit()
        take_up_to(self._document, self._document.tree, node_id, at, back)

    def fill_at(self, offset: int) -> OpenedGap:
        """Make ready to fill in at a caret: a gap there; a new one is the first step of an action. The
        text stays as it is. Raises: InvalidInput at the end and where nothing is before the caret.
        """
        offset = self._desk.commit_at(offset)
        document, point = self._document, self._gap_point(self._desk.buffer_text, offset)
        tree, way = document.tree, document.path_ids
        gap = open_gap(tree, way, point.place, point.at, document.pen(), self._evidence(way[point.place]))
        if gap is None:
            raise InvalidInput("Put the caret into the text: what is missing there is filled in.")
        action = new_id()
        if gap.change is not None:
            self._commit(replace(gap.change, action=action))
        document.set_current(gap.gap_id)
        return OpenedGap(*gap, action)

    def merge_with_parent(self, place: int) -> None:
        """One node in place of the one at a place and the one before it. Raises: InvalidInput where there is
        none, or where the text goes on in other ways between them.
        """
        place = self._desk.commit_in(place)
        way, tree = self._document.path_ids, self._document.tree
        if place < 1 or tree.is_empty_root(way[place - 1]):
            raise InvalidInput("There is no passage before this one to merge it with.")
        self._merge(range(place - 1, place + 1))

    def merge_chain(self, place: int) -> int:
        """One node in place of the whole chain around one, as far as there is only one way on; how many it
        was. Nothing happens to a chain of one.
        """
        place = self._desk.commit_in(place)
        chain = passage_edits.chain_at(self._document.tree, self._document.path_ids, place)
        self._merge(chain)
        return len(chain)

    def step_sibling(self, place: int, step: int) -> None:
        """Show the next way on (1) or the one before (-1) at a place, round about; what is below follows."""
        place = self._desk.commit_in(place)
        turn = self._desk.buffer_text.siblings(place)
        if turn.count > 1:
            self.show_sibling(place, turn.node_ids[(turn.index + step) % turn.count])

    def show_sibling(self, place: int, sibling_id: str) -> None:
        """Show one of the ways on at a place, down to where it was read last, and make it current; what is
        above stays.
        """
        place = self._desk.commit_in(place)
        document = self._document
        self._check(sibling_id)
        below = document.last_read.way_below(sibling_id)
        change = path_choice.choose_sibling(document.tree, document.path_ids, place, below, document.pen())
        document.commit(change, current_id=sibling_id)

    def step_version(self, place: int, step: int) -> None:
        """Show the next version (1) or the one before (-1) of a passage, round about."""
        place = self._desk.commit_in(place)
        versions = self._desk.buffer_text.versions(place)
        if len(versions) > 1:
            shown = versions.index(self._document.path_ids[place])
            self.show_version(place, versions[(shown + step) % len(versions)])

    def show_version(self, place: int, version_id: str) -> None:
        """Show another version of the passage at a place; what is before and after it stays."""
        place = self._desk.commit_in(place)
        document = self._document
        self._check(version_id)
        is_current = document.current_id == document.path_ids[place]
        below = document.last_read.way_below(version_id) if document.last_read.was_read_on(version_id) else ()
        change = path_choice.choose_version(
            document.tree, document.path_ids, place, version_id, document.pen(), below
        )
        document.commit(change, keeps_current=True, current_id=version_id if is_current else None)
        if document.current_id not in document.path:
            document.set_current(document.path_ids[-1])

    def keep_path(self) -> bool:
        """Prune every branch that leaves the path. False if there is none."""
        self._desk.commit()
        document = self._document
        change = passage_edits.keep_path(document.tree, document.path_ids, document.pen())
        document.commit(change, keeps_current=True)
        return change is not None

    def replace_all(self, matches: Iterable[FoundText]) -> int:
        """Put other words in the place of what was found, as versions in one Change; how many passages that
        changed. Words that are not all in one passage go to the first of them.

        Raises: StaleChange if the text is another by now; InvalidInput for what is not plain text.
        """
        desk, document = self._desk, self._document
        desk.commit()
        text = desk.buffer_text.text
        typed: dict[str, PendingText] = {}
        for match in sorted(matches, key=lambda match: match.start, reverse=True):
            if text[match.start : match.end] != match.found:
                raise StaleChange(worded("The text was changed in the meantime; find the words again."))
            self._replace(match, typed)
        change = passage_edits.revise(document.tree, document.path_ids, typed, document.pen())
        self._commit(change)
        return 0 if change is None else len(change.added_nodes())

    # Behind it

    def _check(self, node_id: str) -> None:
        if node_id not in self._document.tree.nodes:
            raise StaleChange(worded("Another program took that away in the meantime. Nothing was changed."))

    def _commit(self, change: Change | None) -> None:
        """Commit, and keep what is current where it was: at the version of the node that it was."""
        document = self._document
        if change is None:
            return
        instead = {node.edited_from: node.id for node in reversed(change.added_nodes())}
        current = instead.get(document.current_id, document.current_id)
        document.commit(change, current_id=current)

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
        document, buffer_text = self._document, self._desk.buffer_text
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
        """Before the spaces that the text ends in, as far as a person wrote them; None without any, and where
        nothing is before them.
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

    def _once_settled(self, offered: Offered | None) -> tuple[BufferText, Revised | None]:
        """The text once what is offered is settled, and what that makes of the tree."""
        if offered is None:
            return self._desk.buffer_text, None
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
            self._desk.buffer_text.penned,
            working,
            document.pen(),
            point=point,
            at=at,
            fills=fills,
            before=self._seen_ahead,
            after=after,
        )
        return self._seen_ahead

    def _gap_point(self, buffer_text: BufferText, offset: int) -> Point:
        """Where a gap is opened for a caret."""
        if offset >= buffer_text.end:
            raise InvalidInput("Put the caret into the text: what is missing there is filled in.")
        right = buffer_text.passage_from(offset)
        at = start_of(buffer_text.text_of(right.place), offset - right.start)
        if right.start + at == 0:
            raise InvalidInput("Put the caret behind the words after which something is missing.")
        return Point(right.place, at)

    def _point(self, buffer_text: BufferText, offset: int, *, before_space: bool) -> Point:
        """Where a text is parted for a caret within it."""
        right = buffer_text.passage_from(offset)
        at = offset - right.start
        if before_space:
            at = len(buffer_text.text_of(right.place)[:at].rstrip(" "))
        if right.start + at == 0:
            raise InvalidInput("Put the caret behind the words that are to be continued.")
        return Point(right.place, at)

    def _split_before(self, offset: int, *, before_space: bool, action: str = "") -> str:
        """The node before a caret within the text, split off if it is within one."""
        point = self._point(self._desk.buffer_text, offset, before_space=before_space)
        way = self._document.path_ids
        if point.at == 0 or point.place == len(way):
            return way[point.place - 1]
        tree, node_id = self._document.tree, way[point.place]
        change = passage_edits.split(
            tree, way, node_id, point.at, self._document.pen(), self._evidence(node_id)
        )
        if change is None:
            is_whole = point.at >= len(tree.nodes[node_id].text)
            return node_id if is_whole else way[point.place - 1]
        self._commit(replace(change, action=action))
        return change.added_nodes()[0].id

    def _merge(self, places: range) -> None:
        document = self._document
        way = document.path_ids
        known = {way[place]: self._evidence(way[place]) for place in places}
        evidence = {node_id: one for node_id, one in known.items() if one is not None}
        self._commit(passage_edits.merge(document.tree, way, places, document.pen(), evidence))

    def _evidence(self, node_id: str) -> Evidence | None:
        """The response that a model's node rests on."""
        return evidence_of(self._document, self._document.tree, node_id)

    def _replace(self, match: FoundText, typed: dict[str, PendingText]) -> None:
        tree, text = self._document.tree, match.replacement
        for passage in self._desk.buffer_text.passages(match.start, match.end):
            if passage.node_id is None or passage.start == passage.end:
                continue
            start = max(match.start, passage.start) - passage.start
            end = min(match.end, passage.end) - passage.start
            known = typed.get(passage.node_id)
            before = begun(tree, passage.node_id) if known is None else known
            typed[passage.node_id] = before.replaced(start, end, text, self._desk.author)
            text = ""


def _is_own(buffer_text: BufferText, tree: Tree, place: int) -> bool:
    """True if a person wrote a passage, or changed it."""
    if place == len(buffer_text.node_ids):
        return True
    node = tree.nodes[buffer_text.node_ids[place]]
    is_changed = buffer_text.text_of(place) != verbatim(node)
    return isinstance(node.content, Text) and (node.author_type == "human" or is_changed)
