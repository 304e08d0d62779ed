"""Acts on whole passages of the open buffer: split, merge, choose, replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from loomapp.core.errors import InvalidInput, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.raw_response import Evidence
from loomapp.core.prose import passage_edits, path_choice
from loomapp.core.prose.buffer_text import BufferText, begun
from loomapp.core.sentences import worded
from loomapp.core.text.query import FoundText
from loomapp.core.uncommitted_tree import Point
from loomapp.session.document import Document
from loomapp.session.journal.left_drafts import evidence_of, take_up_to
from loomapp.session.writing.buffer_session import BufferSession


class Passages:
    """Acts on the passages of the path that is read. Each commits first what is written, and is one step of
    undo where it changes more than what is shown. All raise LoomError, and then have changed nothing but what
    was committed.
    """

    def __init__(self, document: Document, writing: BufferSession) -> None:
        self._document, self._writing = document, writing

    def split_at(self, offset: int) -> None:
        """Put two nodes in place of the one around a caret. Between two nodes there is nothing to split."""
        self.split_before(self._writing.commit_at(offset), before_space=False)

    def split_before(self, offset: int, *, before_space: bool, action: str = "") -> str:
        """The node before a caret within the text, split off if it is within one."""
        point = point_before(self._writing.buffer_text, offset, before_space=before_space)
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
        self.commit(replace(change, action=action))
        return change.added_nodes()[0].id

    def take_up_to(self, node_id: str, at: int, back: ActivePath | None) -> None:
        """The text goes on from its end with the first characters of a node; undo reads `back`, else what is
        read now.
        """
        self._writing.commit()
        take_up_to(self._document, self._document.tree, node_id, at, back)

    def merge_with_parent(self, place: int) -> None:
        """One node in place of the one at a place and the one before it. Raises: InvalidInput where there is
        none, or where the text goes on in other ways between them.
        """
        place = self._writing.commit_in(place)
        way, tree = self._document.path_ids, self._document.tree
        if place < 1 or tree.is_empty_root(way[place - 1]):
            raise InvalidInput("There is no passage before this one to merge it with.")
        self._merge(range(place - 1, place + 1))

    def merge_chain(self, place: int) -> int:
        """One node in place of the whole chain around one, as far as there is only one way on; how many it
        was. Nothing happens to a chain of one.
        """
        place = self._writing.commit_in(place)
        chain = passage_edits.chain_at(self._document.tree, self._document.path_ids, place)
        self._merge(chain)
        return len(chain)

    def step_sibling(self, place: int, step: int) -> None:
        """Show the next way on (1) or the one before (-1) at a place, round about; what is below follows."""
        place = self._writing.commit_in(place)
        turn = self._writing.buffer_text.siblings(place)
        if turn.count > 1:
            self.show_sibling(place, turn.node_ids[(turn.index + step) % turn.count])

    def show_sibling(self, place: int, sibling_id: str) -> None:
        """Show one of the ways on at a place, down to where it was read last, and make it current; what is
        above stays.
        """
        place = self._writing.commit_in(place)
        document = self._document
        self._check(sibling_id)
        below = document.place.last_read.way_below(sibling_id)
        change = path_choice.choose_sibling(document.tree, document.path_ids, place, below, document.pen())
        document.commit(change, current_id=sibling_id)

    def step_version(self, place: int, step: int) -> None:
        """Show the next version (1) or the one before (-1) of a passage, round about."""
        place = self._writing.commit_in(place)
        versions = self._writing.buffer_text.versions(place)
        if len(versions) > 1:
            shown = versions.index(self._document.path_ids[place])
            self.show_version(place, versions[(shown + step) % len(versions)])

    def show_version(self, place: int, version_id: str) -> None:
        """Show another version of the passage at a place; what is before and after it stays."""
        place = self._writing.commit_in(place)
        document = self._document
        self._check(version_id)
        is_current = document.current_id == document.path_ids[place]
        below = (
            document.place.last_read.way_below(version_id)
            if document.place.last_read.was_read_on(version_id)
            else ()
        )
        change = path_choice.choose_version(
            document.tree, document.path_ids, place, version_id, document.pen(), below
        )
        document.commit(change, keeps_current=True, current_id=version_id if is_current else None)
        if document.current_id not in document.path:
            document.place.set_current(document.path_ids[-1])

    def keep_path(self) -> bool:
        """Prune every branch that leaves the path. False if there is none."""
        self._writing.commit()
        document = self._document
        change = passage_edits.keep_path(document.tree, document.path_ids, document.pen())
        document.commit(change, keeps_current=True)
        return change is not None

    def replace_all(self, matches: Iterable[FoundText]) -> int:
        """Put other words in the place of what was found, as versions in one Change; how many passages that
        changed. Words that are not all in one passage go to the first of them.

        Raises: StaleChange if the text is another by now; InvalidInput for what is not plain text.
        """
        writing, document = self._writing, self._document
        writing.commit()
        text = writing.buffer_text.text
        ordered = sorted(matches, key=lambda match: match.start)
        if any(text[match.start : match.end] != match.found for match in ordered):
            raise StaleChange(worded("The text was changed in the meantime; find the words again."))
        stretches: dict[str, list[tuple[int, int, str]]] = {}
        for match in ordered:
            for node_id, stretch in self._stretches(match):
                stretches.setdefault(node_id, []).append(stretch)
        typed = {
            node_id: begun(document.tree, node_id).replaced_each(parts, writing.author)
            for node_id, parts in stretches.items()
        }
        change = passage_edits.revise(document.tree, document.path_ids, typed, document.pen())
        self.commit(change)
        return 0 if change is None else len(change.added_nodes())

    def commit(self, change: Change | None) -> None:
        """Commit, and keep what is current where it was: at the version of the node that it was."""
        document = self._document
        if change is None:
            return
        instead = {node.edited_from: node.id for node in reversed(change.added_nodes())}
        current = instead.get(document.current_id, document.current_id)
        document.commit(change, current_id=current)

    # Behind it

    def _check(self, node_id: str) -> None:
        if node_id not in self._document.tree.nodes:
            raise StaleChange(worded("Another program took that away in the meantime. Nothing was changed."))

    def _merge(self, places: range) -> None:
        document = self._document
        way = document.path_ids
        known = {way[place]: self._evidence(way[place]) for place in places}
        evidence = {node_id: one for node_id, one in known.items() if one is not None}
        self.commit(passage_edits.merge(document.tree, way, places, document.pen(), evidence))

    def _evidence(self, node_id: str) -> Evidence | None:
        """The response that a model's node rests on."""
        return evidence_of(self._document, self._document.tree, node_id)

    def _stretches(self, match: FoundText) -> Iterator[tuple[str, tuple[int, int, str]]]:
        """Stretches of passages that a match replaces: the start, the end, and what comes there."""
        text = match.replacement
        for passage in self._writing.buffer_text.passages(match.start, match.end):
            if passage.node_id is None or passage.start == passage.end:
                continue
            start = max(match.start, passage.start) - passage.start
            end = min(match.end, passage.end) - passage.start
            yield passage.node_id, (start, end, text)
            text = ""


def point_before(buffer_text: BufferText, offset: int, *, before_space: bool) -> Point:
    """The point at which a text is parted for a caret. Raises: InvalidInput where no word is before that."""
    right = buffer_text.passage_from(offset)
    at = offset - right.start
    if before_space:
        at = len(buffer_text.text_of(right.place)[:at].rstrip(" "))
    if right.start + at == 0:
        raise InvalidInput("Put the caret behind the words that are to be continued.", caret="start")
    return Point(right.place, at)
