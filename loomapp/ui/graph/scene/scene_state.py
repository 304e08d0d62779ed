"""Values that a scene shows, of a tree, its path and drafts; its folds; and a selection of several nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import compress
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from loomapp.core.context.outcomes import ShownFates, by_name, cut_answer, is_in_part, is_merged, shortened
from loomapp.core.edits.documents import document_nodes, is_loose_document, newest_of
from loomapp.core.errors import server_words
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.layout.card_table_build import nodes_of
from loomapp.core.layout.cards import ReferenceKind
from loomapp.core.layout.layout import SMALL_TREE
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, node_sequence
from loomapp.core.prose.authorship import main_author
from loomapp.ui.graph.scene import card_faces
from loomapp.ui.graph.scene.card_faces import BranchTab, Standing, short_author, words
from loomapp.ui.graph.scene.card_places import Places
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.words.outcome_words import fate_words

NOWHERE = node_sequence(())
SPOKEN_CHARACTERS = 240


class SceneState:
    """State of one scene. Knows nodes by id and drafts by key, and nothing of cards or positions."""

    def __init__(self) -> None:
        self.tree: Tree | None = None
        self.agents: dict[str, Agent] = {}
        self.current: str | None = None
        self.drafts: dict[str, LiveDraft] = {}
        self.read_draft = ""  # of several drafts, the one that is read
        self.unread: set[str] = set()
        self.path = NOWHERE
        self.leaf: str | None = None
        self.fates: Mapping[str, str] = {}
        self.tagged: frozenset[str] = frozenset()
        self.tabs: Mapping[str, BranchTab] = {}  # of heads of branches, by node id
        self.attached: Mapping[str, ReferenceKind] = {}  # sources of the coming generation, by node id

    def show(self, tree: Tree, agents: Iterable[Agent]) -> None:
        self.tree = tree
        self.agents = {agent.id: agent for agent in agents}
        self.current = None
        self.drafts = {}
        self.unread.clear()
        self.path, self.leaf = NOWHERE, None
        self.fates = {}
        self.attached = {}
        self.tagged = _tagged(tree)
        self.tabs = card_faces.tabs_of(tree)

    def follow(self, change: Change) -> None:
        """Follow a change that moved the tree: answers that came are unread."""
        assert self.tree is not None
        self.tagged = _tagged(self.tree)
        self.tabs = card_faces.followed(self.tabs, self.tree, change)
        for node in change.added_nodes():
            if node.author_type == "model":
                self.unread.add(node.id)
        self.unread.difference_update(node.id for node in change.removed_nodes())

    def set_path(self, path: NodeSequence) -> None:
        """Take the active path, root first; its nodes are read."""
        self.path = path
        self.leaf = path.node_ids[-1] if path.node_ids else None
        self.unread -= {node_id for node_id in self.unread if node_id in path}

    def node(self, node_id: str) -> Node:
        """Return a node of the tree. Raises: KeyError if it has none of this id."""
        assert self.tree is not None
        return self.tree.nodes[node_id]

    def is_document(self, node_id: str) -> bool:
        """Tell whether a node is a version of a document that stands beside the tree."""
        return self.tree is not None and is_loose_document(self.tree, node_id)

    def newest_sent(self, versions: Iterable[str]) -> str:
        """Return the newest of a document's versions that goes out with the next message, else the newest."""
        assert self.tree is not None
        sent = [node_id for node_id in versions if self.fates.get(node_id) == "sent"]
        return newest_of(self.tree, sent or versions)

    def set_fates(self, fates: Mapping[str, str]) -> set[str]:
        """Take the fate of each node in the coming context; return the versions of documents of which another
        one may be sent now.
        """
        before, self.fates = self.fates, fates
        versions = () if self.tree is None else (node.id for node in document_nodes(self.tree))
        return {node_id for node_id in versions if before.get(node_id) != fates.get(node_id)}

    def is_on_path(self, key: str) -> bool:
        """Tell whether a node is on the active path, or a draft will continue it: the one that is read, else
        the first."""
        if key not in self.drafts:
            return key in self.path
        there = [draft.key for draft in self.drafts.values() if draft.parent_id == self.leaf]
        return key == (self.read_draft if self.read_draft in there else next(iter(there), None))

    def standing(self, node: Node, *, versions: int, note: bool) -> Standing:
        """Return how a node stands just now; of its card's versions and notes the caller knows."""
        assert self.tree is not None
        nodes, notes = self.tree.nodes, self.tree.notes(node.id)
        return Standing(
            on_path=node.id in self.path,
            current=node.id == self.current,
            fate=self.fates.get(node.id, ""),
            by_name=by_name(self.fates, node.id) is not None,
            merged=is_merged(self.fates, node.id),
            in_part=is_in_part(self.fates, node.id),
            shortened=shortened(self.fates, node.id),
            cut=cut_answer(self.fates, node.id) is not None,
            versions=versions,
            note=note,
            notes=sum(1 for i in notes if i in nodes and not nodes[i].metadata.pruned),
            tagged=node.id in self.tagged,
            unread=node.id in self.unread,
        )

    def full_text(self, key: str) -> str:
        if key in self.drafts:
            draft = self.drafts[key].draft
            waits = draft.waits.sentence if draft.waits is not None else ""
            if draft.error is not None:
                return "\n".join(filter(None, (str(draft.error), unsteered(server_words(draft.error)))))
            return draft.text or waits
        node = self.node(key)
        return words(node.content, node.text)

    def spoken(self, node_id: str) -> str:
        """Return a node in words: who says what, and what becomes of it; empty if there is none."""
        node = self.tree.nodes.get(node_id) if self.tree is not None else None
        if self.tree is None or node is None:
            return ""
        author = short_author(main_author(self.tree, node), self.agents)
        said = f"{author}: {node.text[:SPOKEN_CHARACTERS]}"
        if node.id in self.tabs:
            said = f"{self.tabs[node.id].title}\n{said}"
        if self.tree.is_empty_root(node.id):
            return said if node.text or node.id in self.tabs else tr("Start")
        fate, on_path = self.fates.get(node.id, ""), node.id in self.path
        if isinstance(self.fates, ShownFates):
            on_path = on_path or self.fates.is_on_path(node.id)
        merged, named = is_merged(self.fates, node.id), by_name(self.fates, node.id)
        in_part = is_in_part(self.fates, node.id)
        told = fate_words(
            self.tree, node, fate, None, on_path=on_path, merged=merged, in_part=in_part, by_name=named
        )
        return f"{said}\n{told.words}"


def _tagged(tree: Tree) -> frozenset[str]:
    return frozenset(node_id for tag in tree.tags.values() for node_id in tag.node_ids)


FoldState: TypeAlias = Mapping[str, Iterable[str]]  # what is folded, hoisted, unread, and the path's end
_BOOKMARKED, _CREATED_AT = attrgetter("metadata.bookmarked"), attrgetter("created_at")


class FoldMemory:
    """Folds of one scene's tree. Until its owner says what was folded, old branches are."""

    def __init__(self, state: SceneState, places: Places) -> None:
        self._state = state
        self._places = places
        self._folds: list[str] | None = None  # what the owner remembers as folded, until it is applied
        self._folds_end = ""  # where the path ended then
        self._taken_over: FoldState | None = None  # what it was when the tree was taken over

    def forget(self) -> None:
        """Know nothing of another tree's folds."""
        self._folds = self._taken_over = None

    def was_taken_over(self, folds: FoldState | None) -> None:
        """Note that the places which were taken over are folded so already."""
        self._taken_over = folds

    def told(self) -> dict[str, list[str]]:
        """Return the cards that are folded, hoisted, unread, and the end of the path that this is for."""
        hoisted = [self._places.hoisted] if self._places.hoisted else []
        end = [self._state.leaf] if self._state.leaf else []
        folded, unread = list(self._places.folded), sorted(self._state.unread)
        return {"folded": folded, "hoisted": hoisted, "unread": unread, "end": end}

    def apply(self, folds: FoldState) -> None:
        """Fold as `told` said, in place of folding the old branches."""
        if folds == self._taken_over:
            return
        state, places = self._state, self._places
        nodes = state.tree.nodes if state.tree is not None else {}
        self._folds = list(folds.get("folded", ()))
        self._folds_end = next(iter(folds.get("end", ())), "")
        state.unread = {node_id for node_id in folds.get("unread", ()) if node_id in nodes}
        places.hoisted = next((n for n in folds.get("hoisted", ()) if n in nodes), "")
        places.at_first = self.fold_at_first
        places.arrange_anew()

    def fold_at_first(self) -> None:
        """Decide what is folded before a tree gets its first layout."""
        state, places = self._state, self._places
        tree, roster = state.tree, places.roster
        assert tree is not None
        if self._folds is not None:
            cards = (roster.card_of(card) for card in self._folds)
            places.folded = {card: 0 for card in cards if card in roster.numbers}
            if self._folds_end != state.leaf:  # where the path is another one it is open
                places.unfold_to(state.leaf or tree.root_id)
            return
        if len(roster) <= SMALL_TREE:
            return
        known = [node for node in nodes_of(tree, roster.keys) if node is not None]
        kept = {node.id for node in compress(known, map(_BOOKMARKED, known))}
        kept |= state.unread | set(state.drafts) | ({state.current} if state.current else set())
        moments = np.zeros(len(roster), np.int64)  # drafts have none, and come after all nodes
        moments[: len(known)] = np.fromiter(map(_CREATED_AT, known), np.int64, len(known))
        places.fold_old(state.path.node_ids, kept, moments)


Question = Callable[[Node], bool]

NOBODY: frozenset[str] = frozenset()

IS_PRUNED: Question = attrgetter("metadata.pruned")


class Chosen:
    """Several nodes that were selected. Every action asks about them whenever anything changed, so what was
    found is kept as long as the tree stays as it is, and what has an order is put into it when it is wanted.
    """

    def __init__(self, node_ids: frozenset[str] = NOBODY) -> None:
        self.node_ids = node_ids
        self._asked_of: tuple[Tree, int] | None = None
        self._found: frozenset[str] | None = None
        self._messages: tuple[str, ...] | None = None
        self._leading_on: AbstractSet[str] | None = None
        self._goes_on: bool | None = None
        self._notes: tuple[str, ...] | None = None
        self._examples: dict[tuple[Question, bool], str | None] = {}

    def found(self, tree: Tree) -> frozenset[str]:
        """Return the selected messages of a tree: not the empty root, and none of one that stands alone."""
        now = tree, tree.touches.mark
        if self._asked_of != now:
            self._asked_of = now
            self._found = self._messages = self._notes = self._leading_on = self._goes_on = None
            self._examples = {}
        if self._found is None:
            there = tree.nodes.keys() >= self.node_ids
            found = self.node_ids if there else self.node_ids & tree.nodes.keys()
            silent = {tree.root_id} if tree.is_empty_root(tree.root_id) else NOBODY
            self._found = NOBODY if len(found) < 2 else found - silent if found & silent else found
        return self._found

    def messages(self, tree: Tree) -> tuple[str, ...]:
        """Return the selected messages, always in the same order."""
        found = self.found(tree)
        if self._messages is None:
            self._messages = tuple(sorted(found))
        return self._messages

    def leading_on(self, tree: Tree) -> AbstractSet[str]:
        """Return the selected nodes that an edge leads on from: those that others continue are among them."""
        found = self.found(tree)
        if self._leading_on is None:
            self._leading_on = tree.leading_on & found
        return self._leading_on

    def goes_on(self, tree: Tree) -> bool:
        maybe = self.leading_on(tree)
        if self._goes_on is None:
            self._goes_on = any(tree.children(node_id) for node_id in maybe)
        return self._goes_on

    def notes(self, tree: Tree) -> tuple[str, ...]:
        found = self.found(tree)
        if self._notes is None:
            maybe = tree.note_ids & found
            self._notes = tuple(sorted(i for i in maybe if tree.annotation_edges_into(i)))
        return self._notes

    def any_is(self, tree: Tree, question: Question) -> bool:
        """True if something is so of any of them."""
        return self._example(tree, question, self.found(tree), wanted=True) is not None

    def all_are(self, tree: Tree, question: Question) -> bool:
        """True if something is so of each of them."""
        return self._example(tree, question, self.found(tree), wanted=False) is None

    def can_be_pruned(self, tree: Tree) -> bool:
        """True if any of them lives, the root aside."""
        return self._example(tree, IS_PRUNED, self.found(tree) - {tree.root_id}, wanted=False) is not None

    def _example(self, tree: Tree, question: Question, among: Collection[str], *, wanted: bool) -> str | None:
        """Return a node for which `question` is `wanted`, or None."""
        key = question, wanted
        if key not in self._examples:
            answers = map(question, map(tree.nodes.__getitem__, among))
            suits = answers if wanted else (not answer for answer in answers)
            self._examples[key] = next(compress(among, suits), None)
        return self._examples[key]
