"""One-liners in the open grove: made in the background of messages that are new, once that is switched on."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.node_edits import sum_up_node, sum_up_tree
from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.provider import Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.core.summarisers.prompts import (
    NEW_NODES,
    needs_one_liner,
    node_request,
    sentences_of,
    tree_request,
)
from loomapp.core.text.token_counts import estimate
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import loads_model, provider_for, rules_for, silence_s
from loomapp.providers.run.run import Watchdog
from loomapp.runs.asked_model import Answers, AskedModel, Asking, RunRequest, Steps
from loomapp.session.background.background_work import BackgroundTask
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.requests.open_summaries import economy_of, summarising_agent
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import keep_spent

LONGEST_S = 60.0
MOST_WAITING = 50  # of a batch; what came earlier is left without
MOST_FAILURES = 3  # in a row, after which nothing more is asked till it is switched on anew
MOST_AT_ONCE = 32  # messages of one change; more were brought in, not written
WRITTEN_BY = frozenset({"answer", "user", "agent", "typing"})
MADE = Initiator("summary")
LEFT = "one_liners_left"  # the setting that holds what windows that closed were still to make


class OneLiners(QObject):
    """Asks the model that summarises for the sentences of new messages of the open dialogue, one at a time,
    and every so many of them for those of the tree. Runs on the GUI thread; its workers touch no tree.
    """

    made = Signal(int, int)  # how many since it was switched on, and the tokens that they took
    ended = Signal(object)  # what a person asked for by hand: LoomError or None

    def __init__(self, document: Document, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._engine = document, engine
        self._is_on = False
        self._waiting: deque[tuple[Tree, str]] = deque(maxlen=MOST_WAITING)  # a node's id; "" for the tree
        self._task: BackgroundTask | None = None
        self._asking: Asking | None = None
        self._asked: tuple[Tree, str] | None = None  # what is being made
        self._new_nodes = self._failures = self._count = self._tokens = 0
        self._by_hand: set[str] = set()  # trees whose summary somebody waits for
        document.leaving.connect(self.on_leaving)
        document.tree_changed.connect(self.on_tree_changed)
        document.tree_opened.connect(self.on_tree_opened)

    def switch(self, *, on: bool) -> None:
        """Make them from now on, or no longer."""
        if on != self._is_on:
            self._is_on = on
            self._failures = self._count = self._tokens = 0
            if not on:
                self.stop()
        self._take_up(self._document.tree)

    def sum_up_tree(self) -> None:
        """Have the open tree summed up, also where nothing is made unasked."""
        tree = self._document.tree
        if tree.loom.id in self._by_hand or self._document.grove.read_only:
            return
        if not any(node.text.strip() and not node.metadata.pruned for node in tree.nodes.values()):
            self.ended.emit(InvalidInput(worded("There is nothing in this tree to sum up yet.")))
            return
        self._by_hand.add(tree.loom.id)
        self._failures = 0
        self._waiting.appendleft((tree, ""))
        self._begin_next()

    def stop(self) -> None:
        """Ask for nothing more of what is there by now."""
        self._waiting.clear()
        if self._asking is not None:
            self._asking.stop()
        if self._by_hand:
            self._by_hand.clear()
            self.ended.emit(None)

    def close(self) -> None:
        """Stop: the window closes. What it was still to make is made when the tree is read again."""
        self.on_leaving()
        wanted = [*([self._asked] if self._asked else ()), *self._waiting]
        each = [_Left(tree.loom.id, node_id, self._is_by_hand(tree, node_id)) for tree, node_id in wanted]
        if left := dict.fromkeys(one for one in each if self._is_on or one.is_by_hand):
            with suppress(GroveError):  # a file that takes nothing has said so
                self._put_left([*self._left(), *left])
        self._is_on = False
        self._by_hand.clear()
        self.stop()
        if self._task is not None:
            self._task.end()
            self._task = None

    def on_leaving(self) -> None:
        """Have the tree summed up that is left, if anything in it is new."""
        if self._is_on and self._new_nodes:
            self._waiting.append((self._document.tree, ""))
        self._new_nodes = 0

    def on_tree_opened(self, tree: Tree) -> None:
        """Go on with what another window left of a tree."""
        self._new_nodes = 0
        self._take_up(tree)
        self._begin_next()

    def _take_up(self, tree: Tree) -> None:
        """Have made what windows that closed were still to make of a tree."""
        if self._document.grove.read_only:
            return
        with suppress(GroveError):
            left = self._left()
            here = [one for one in left if one.tree_id == tree.loom.id and (self._is_on or one.is_by_hand)]
            if here:
                self._put_left([one for one in left if one not in here])
                self._by_hand.update(one.tree_id for one in here if one.is_by_hand)
                self._waiting.extend((tree, one.node_id) for one in here)
                self._begin_next()

    def _left(self) -> list[_Left]:
        value = self._document.grove.setting(LEFT)
        found = (_left_of(row) for row in (value if isinstance(value, list) else ()))
        return [one for one in found if one is not None]

    def _put_left(self, left: list[_Left]) -> None:
        rows = [[one.tree_id, one.node_id, one.is_by_hand] for one in left[-MOST_WAITING:]]
        self._document.grove.put_setting(LEFT, rows or None)

    def _is_by_hand(self, tree: Tree, node_id: str) -> bool:
        return not node_id and tree.loom.id in self._by_hand

    def on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        """Have those of new messages made."""
        document, added = self._document, change.added_nodes()
        is_possible = not document.grove.read_only and document.tree.loom.mode == "dialogue"
        is_written = change.undoable and initiator.kind in WRITTEN_BY and len(added) <= MOST_AT_ONCE
        if not (self._is_on and is_possible and is_written):
            return
        self._new_nodes += len(added)
        self._waiting.extend((document.tree, node.id) for node in added if needs_one_liner(node))
        if self._new_nodes >= NEW_NODES:
            self._new_nodes = 0
            self._waiting.append((document.tree, ""))
        self._begin_next()

    def _begin_next(self) -> None:
        document = self._document
        while self._waiting and self._task is None and self._failures < MOST_FAILURES:
            tree, node_id = self._waiting.popleft()
            tree = self._of_today(tree)
            node = tree.nodes.get(node_id)
            if node_id and (node is None or not needs_one_liner(node)):
                continue
            agent = summarising_agent(document, economy_of(document), document.agents.asked()[0])
            ref = agent.model_ref or ""
            takes = rules_for(ref).takes_messages
            if node is None:
                request = tree_request(tree, ref, takes_messages=takes)
            else:
                request = node_request(tree, node, ref, takes_messages=takes)
            self._ask(agent, request, tree, node_id)

    def _of_today(self, tree: Tree) -> Tree:
        """Return the tree as it is shown, if it was left and read anew since."""
        shown = self._document.tree
        return shown if shown.loom.id == tree.loom.id else tree

    def _ask(self, agent: Agent, request: Request, tree: Tree, node_id: str) -> None:
        asking = Asking(lambda _: None, new_id, time.monotonic() + LONGEST_S)
        engine = self._engine
        task = BackgroundTask(lambda _: asking.result(_steps(agent, request, engine, asking)), self)
        self._task, self._asking, self._asked = task, asking, (tree, node_id)
        task.done.connect(partial(self._save, tree, node_id, agent))
        task.done.connect(self.on_ended)
        task.failed.connect(partial(self.on_failed, "" if node_id else tree.loom.id))
        task.start()

    def on_failed(self, tree_id: str, error: LoomError) -> None:
        """Ask no more after several in a row: the model cannot be reached. `tree_id` is the tree that was to
        be summed up, if none of its messages was.
        """
        self._failures += 1
        self._tell(tree_id, error)
        self.on_ended()

    def _tell(self, tree_id: str, error: LoomError | None) -> None:
        """Tell whoever asked by hand what came of it."""
        if tree_id in self._by_hand:
            self._by_hand.remove(tree_id)
            self.ended.emit(error)

    def on_ended(self, _: Answers | None = None) -> None:
        if self._task is not None:
            self._task.deleteLater()
        self._task = self._asking = self._asked = None
        self._begin_next()

    def _save(self, tree: Tree, node_id: str, agent: Agent, answers: Answers) -> None:
        """Commit a sentence, and count what it took, whatever became of it."""
        document, ref = self._document, agent.model_ref or ""
        draft = answers.drafts[0]
        spent = wordless_calls(tree.loom.id, ref, (), answers.evidence)
        silent = silent_calls(tree.loom.id, ref, now(), answers.silent_calls)
        with suppress(GroveError):
            keep_spent(document.grove, (*spent, *silent))
        usage = draft.usage
        used = None if usage is None else (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self._tokens += estimate(draft.text) if used is None else used
        said = sentences_of(draft.text, 1 if node_id else 2)
        if not node_id:
            blank = None if said else _blank(agent)
            self._tell(tree.loom.id, answers.error or blank)
        if answers.error is not None or not said:
            self._failures += 1
            return
        self._failures = 0
        tree = self._of_today(tree)
        is_elsewhere = tree is not document.tree
        if not document.grove.knows(tree):
            return
        pen = replace(document.pen(), by=agent.name)
        with suppress(LoomError):  # a file that takes nothing has said so
            if is_elsewhere:
                document.grove.catch_up(tree)
            if node_id and node_id not in tree.nodes:
                return
            change = sum_up_node(tree, node_id, said, pen) if node_id else sum_up_tree(tree, said, pen)
            if change is not None:
                document.commit_to(tree, change, MADE, keeps_current=True)
                self._count += 1
                self.made.emit(self._count, self._tokens)


@dataclass(frozen=True, slots=True)
class _Left:
    """A sentence that was still to be made when a window closed; without a node those of the tree."""

    tree_id: str
    node_id: str
    is_by_hand: bool


def _left_of(row: object) -> _Left | None:
    """A message left without its line, read from what was kept of it; None if that makes no sense."""
    match row:
        case [str(tree_id), str(node_id), bool(is_by_hand)]:
            return _Left(tree_id, node_id, is_by_hand)
    return None


def _blank(agent: Agent) -> LoomError:
    words = "{name} answered without a word: the tree has no new summary. Try again, or choose another model."
    return InvalidInput(worded(words, name=agent.name))


def _steps(agent: Agent, request: Request, engine: Engine, asking: Asking) -> Steps[Answers]:
    """Ask once, on a worker's thread. Raises: LoomError."""
    ref = request.model_ref
    model = AskedModel(provider_for(ref, engine), rules_for(ref), partial(_watchdog, ref))
    return (yield RunRequest(request, model, agent, Sources(""), asking.deadline))


def _watchdog(model_ref: str) -> Watchdog:
    begin = Watchdog.from_start if loads_model(model_ref) else Watchdog
    return begin(silence_s(model_ref), model_ref)
