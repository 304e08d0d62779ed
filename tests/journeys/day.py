"""A day of random user actions in the real window, each told to a plain model of the grove as well."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.app import build_window
from loomapp.core.edits import node_edits
from loomapp.ui.window.main_window import MainWindow
from tests.journeys import plain
from tests.journeys.another import BY, Made, Program
from tests.journeys.day_past import PastActs
from tests.journeys.plain import YOU, Key, PlainTree
from tests.kit.desktop import show_active
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage
from tests.session.programs import ask_server

ANSWER_TIMEOUT_MS = 60_000
WORDS = ["lamp", "sea", "oil", "Ärmel", "gale\n\nand rain", "…", "🌲", "no\u00a0break", "<b>", "*keep*"]
PLAIN_NODE = {"from": None, "excluded": False, "pruned": False, "bookmarked": False}
THEIR_TASKS = ["write", "write", "annotate", "exclude", "prune", "choose", "undo", "redo"]


class Day(PastActs):
    """One window and what should be in it. `history` are the actions so far, for whoever reads a failure."""

    def __init__(self, seed: int, path: Path, qtbot: QtBot, server: FakeServer, other: Program) -> None:
        self.chance = random.Random(seed)
        self.path, self.qtbot, self.server, self.other = path, qtbot, server, other
        self.history: list[str] = []
        self.trees: dict[str, PlainTree] = {}
        self.shows_pruned = False
        self.is_refused = False  # the last action was, and the window says so
        self.unheard = False  # another program did something that the window does not know of yet
        self._known_path: plain.Path | None = None  # from before that
        server.scripts = [self._answer]
        self._said: list[str] = []
        self._left: list[str] = []  # of these, what no request was answered with yet
        self._lock = threading.Lock()
        self._goes_on = False
        self.window = self._open()
        ask_server(self.window.document.grove, server.url)
        self._restart()
        self._meet(self.window.document.tree.loom.id)

    @property
    def tree(self) -> PlainTree:
        """What should be in the window's tree."""
        return self.trees[self.window.document.tree.loom.id]

    def act(self) -> None:
        """One random action, in the window and in the model."""
        names, weights = zip(*ACTIONS.items(), strict=True)
        (name,) = self.chance.choices(names, weights)
        self.history.append(name)
        self.is_refused = self.unheard = False
        self._known_path = None
        self.window.text_pane.errors.clear()
        self.window.graph.setFocus()
        action: Callable[[], None] = getattr(self, name)
        action()
        if not self.shows_pruned:
            self.tree.end_at_the_living()

    def close(self) -> None:
        """Close the window as a person does."""
        window = self.window
        window.close()
        window.deleteLater()
        QApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)

    # Chance

    def _text(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 9))) + f" {self.chance.random()}"

    def _node(self, *, alive: bool = True, message: bool = True) -> str | None:
        """A node of the tree, None if there is none such."""
        tree = self.tree
        ids = [
            i
            for i, node in tree.nodes().items()
            if not (alive and node["pruned"]) and not (message and tree.is_empty(i))
        ]
        return self.chance.choice(ids) if ids else None

    def _answer(self, conversation: Conversation) -> None:
        """The model: as many texts as were asked for; it then ends, or is silent until it is left.

        A model that writes one answer at a time is asked several times at once, in no order.
        """
        count = json.loads(conversation.request.body).get("n") or 1
        conversation.head()
        with self._lock:
            texts, self._left = self._left[:count], self._left[count:]
        for index, text in enumerate(texts):
            conversation.send(chunk(text, index=index))
        if self._goes_on:
            conversation.wait_until_left()
            return
        for index in range(count):
            conversation.send(chunk(reason="stop", index=index))
        conversation.send(usage(7, 3) + DONE)

    # What the model learns of new rows: ids and times are the program's to choose, the rest is not

    def _grown(self, sources: tuple[str, ...], kind: str = "continuation", **said: Any) -> dict[Key, Any]:
        """The rows of one new node."""
        (node_id,) = self._new_ids()
        return self._rows_of(node_id, sources, kind, **said)

    def _new_ids(self) -> list[str]:
        return [i for i in self.window.document.tree.nodes if i not in self.tree.places]

    def _rows_of(
        self, node_id: str, sources: tuple[str, ...], kind: str = "continuation", **said: Any
    ) -> dict[Key, Any]:
        at = self.window.document.tree.nodes[node_id].created_at
        node = {**PLAIN_NODE, "by": "human", "cut": None, "at": at, **said}
        return {("node", node_id): node, ("way", node_id): (kind, sources)}

    def _flagged(self, ids: list[str], flag: str, value: bool) -> dict[Key, Any]:
        rows = self.tree.rows
        found = {("node", i): {**rows["node", i], flag: value} for i in ids if rows["node", i][flag] != value}
        return dict(found)

    def _do(self, label: str, rows: dict[Key, Any], *, path: plain.Path | None = None, by: str = YOU) -> None:
        if rows:
            self.tree.do(label, rows, path=path, by=by, was=self._known_path if by == YOU else None)

    def _to(self, leaf: str) -> plain.Path:
        return leaf, self.tree.path[1]

    # Actions

    def write(self) -> None:
        """A message under the current node."""
        document, text, above = self.window.document, self._text(), self.window.document.current_id
        self.window.run_command(
            lambda _: document.commit(node_edits.add_node(document.tree, above, text, document.pen()))
        )
        rows = self._grown((above,), text=text)
        self._do("Write", rows, path=self._to(self._new_ids()[0]))

    def generate(self) -> None:
        """Answers to what stands in the composer, or to the current node; some are stopped."""
        window, document = self.window, self.window.document
        text = self._text() if self.chance.random() < 0.6 else ""
        count = self.chance.randint(1, 4)
        self._said = self._left = [self._text() for _ in range(count)]
        self._goes_on = self.chance.random() < 0.3
        above, asked = document.current_id, len(self.server.received)
        if window.buffer.is_on:  # that is written at the end of its own text
            document.place.read(above)
            self.tree.path = self.tree.path_reading([above])
            window.buffer.view.editor.set_caret(len(window.buffer.text))
            window.buffer.put(text)
        else:
            window.composer.set_text(text)
        self.tree.composer = ""
        window.composer.set_count(count)
        window.actions_set.by_name["generate"].trigger()
        if self.tree.rows["node", above]["pruned"] and not (text and window.buffer.is_on):
            assert "restore it first" in window.text_pane.errors.text
            assert len(self.server.received) == asked
            self.tree.composer, self.is_refused = text, True  # nobody would see what comes; the words stay
            return
        if text:
            rows = self._grown((above,), text=text)
            above = self._new_ids()[0]
            self._do("Write", rows, path=self._to(above))
        if window.text_pane.errors.text:  # nothing to send: then nothing was asked
            assert len(self.server.received) == asked
            assert not self._is_sending_anything(above)
            self.is_refused = True
            return
        self.tree.path = self._to(above)  # what is continued is what is read
        if self._goes_on:
            self._stop_when_written(count, can_undo=not text)
        self.qtbot.waitUntil(lambda: not window.generator.is_streaming(), timeout=ANSWER_TIMEOUT_MS)
        self._take_answers(above, "cancelled" if self._goes_on else None)

    def generate_siblings(self) -> None:
        """Other answers beside the current node if a model wrote it, else answers to it."""
        window, tree, current = self.window, self.tree, self.window.document.current_id
        if not tree.can_be_asked_again(current):
            assert not window.actions_set.by_name["generateSiblings"].isEnabled()
            return
        path, sources = tree.path_ids(), tree.way(current)[1]
        gets_answers = tree.gets_answers(current)
        above = current if gets_answers else next((i for i in sources if i in path), sources[-1])
        if tree.rows["node", above]["pruned"] and not gets_answers:
            window.actions_set.by_name["generateSiblings"].trigger()
            self.is_refused = True
            return
        self._said = self._left = [self._text()]
        self._goes_on = False
        window.composer.set_count(1)
        window.actions_set.by_name["generateSiblings"].trigger()
        if window.text_pane.errors.text:
            self.is_refused = True
            return
        was = tree.path
        if tree.mode == "buffer" and (
            gets_answers or current in path
        ):  # they are written in its place, until they are undone
            tree.path = self._to(above)
        self.qtbot.waitUntil(lambda: not window.generator.is_streaming(), timeout=ANSWER_TIMEOUT_MS)
        self._take_answers(above, None, was)

    def _stop_when_written(self, count: int, *, can_undo: bool) -> None:
        window = self.window

        def is_written() -> bool:
            live = window.generator.drafts(window.document.tree.loom.id)
            return sorted(draft.draft.text for draft in live) == sorted(self._said)

        self.qtbot.waitUntil(is_written, timeout=ANSWER_TIMEOUT_MS)
        if not can_undo:  # the answer hangs on the message that undo would take away
            window.actions_set.by_name["undo"].trigger()
            assert "being written" in window.text_pane.errors.text
            window.text_pane.errors.clear()
        window.actions_set.by_name["stop"].trigger()

    def _take_answers(self, above: str, cut: str | None, was: plain.Path | None = None) -> None:
        made = self._new_ids()
        texts = [self.window.document.tree.nodes[node_id].text for node_id in made]
        assert sorted(texts) == sorted(self._said)
        rows: dict[Key, Any] = {}
        for node_id, text in zip(made, texts, strict=True):
            rows |= self._rows_of(node_id, (above,), text=text, by="model", cut=cut)
        label = "Generate" if len(made) == 1 else f"Generate {len(made)} continuations"
        follows = self.tree.path[0] == above
        self._known_path = was
        self._do(label, rows, path=self._to(made[0]) if follows else None)

    def _is_sending_anything(self, above: str) -> bool:
        tree = self.tree
        flags = ("pruned", "excluded")
        sent = [tree.rows["node", i] for i in tree.path_to(above) if tree.way(i)[0] != "annotation"]
        return any(node["text"].strip() and not any(node[flag] for flag in flags) for node in sent)

    def edit(self) -> None:
        """Another text for a message: a sibling, a version, or a tree of its own."""
        tree, node_id = self.tree, self._node()
        if node_id is None:
            return
        text = self._text()
        kind, sources = tree.way(node_id)
        if tree.mode == "dialogue" and kind == "annotation":
            return  # notes have no editor
        trees = set(self.trees)
        self.window.dialogue.edit_committed.emit(node_id, text)
        if tree.mode == "buffer":
            self._take_version(node_id, text)
        elif sources:
            rows = self._grown(sources, text=text, **{"from": node_id})
            self._do("Edit", rows, path=self._to(self._new_ids()[0]))
        else:
            (made,) = {row.id for row in self.window.document.trees.rows()} - trees
            self._meet(made)
            assert self.tree.rows["node", self.tree.root]["text"] == text

    def _take_version(self, node_id: str, text: str) -> None:
        tree = self.tree
        kind, sources = tree.way(node_id)
        (made,) = self._new_ids()
        rows = self._rows_of(made, sources, kind, text=text, **{"from": node_id})
        if not kind:
            del rows["way", made]
        notes, targets = tree.below(node_id, "annotation"), tree.below(node_id, "continuation")
        rows |= {("way", i): (tree.way(i)[0], (*tree.way(i)[1], made)) for i in (*notes, *targets)}
        included = tree.rows["notes", ""]
        if node_id in included:  # what is sent is what it says now
            rows["notes", ""] = tuple(made if i == node_id else i for i in included)
        leaf, chosen = tree.path
        path = self._to(made) if leaf == node_id else (leaf, {**chosen, **dict.fromkeys(targets, made)})
        self._do("Edit", rows, path=path)

    def exclude_or_include(self) -> None:
        """Leave a node out of the context, or take it in again."""
        node_id = self._node()
        if node_id is not None:
            excluded = not self.tree.rows["node", node_id]["excluded"]
            self.window.dialogue.exclude_asked.emit(node_id)
            label = "Exclude" if excluded else "Include"
            self._do(label, self._flagged([node_id], "excluded", excluded))

    def bookmark(self) -> None:
        """Mark a node, or take the mark away."""
        node_id = self._node()
        if node_id is not None:
            marked = not self.tree.rows["node", node_id]["bookmarked"]
            self.window.dialogue.bookmark_asked.emit(node_id)
            label = "Bookmark" if marked else "Remove bookmark"
            self._do(label, self._flagged([node_id], "bookmarked", marked))

    def annotate(self) -> None:
        """A note on a node."""
        node_id, text = self._node(), self._text()
        if node_id is not None and self.tree.way(node_id)[0] != "annotation":  # else it would be edited
            self.window.text_pane.note_box.written.emit(node_id, text)
            self._do("Note", self._grown((node_id,), "annotation", text=text))

    def include_note(self) -> None:
        """Send a note, or keep it."""
        tree = self.tree
        seen = [i for i, node in tree.nodes().items() if self.shows_pruned or not node["pruned"]]
        notes = [i for i in seen if tree.way(i)[0] == "annotation"]
        if notes:
            note = self.chance.choice(notes)
            was = tree.rows["notes", ""]
            self.window.document.place.set_current(note)
            self.window.actions_set.by_name["includeNote"].trigger()
            label = "Take note out of context" if note in was else "Include note in context"
            rest = tuple(i for i in was if i != note)
            self._do(label, {("notes", ""): rest if note in was else (*rest, note)})

    def prune(self) -> None:
        """Hide a branch."""
        tree, node_id = self.tree, self._node()
        if node_id is None or node_id == tree.root:
            return
        self.window.document.place.set_current(node_id)
        self.window.actions_set.by_name["prune"].trigger()
        self._take_pruned(node_id)

    def _take_pruned(self, node_id: str, by: str = YOU) -> None:
        """What hangs on the node alone goes with it; what a living version carries stays."""
        tree = self.tree
        doomed = [node_id]
        for above in doomed:  # grows while it is walked
            for below in tree.below(above):
                sources = tree.way(below)[1]
                if below not in doomed and all(
                    i in doomed or tree.rows["node", i]["pruned"] for i in sources
                ):
                    doomed.append(below)
        wanted = tree.path_past(doomed, node_id)
        path = None if wanted == tree.path else wanted
        rows = self._flagged(doomed, "pruned", True)
        self._do("Prune" if len(rows) == 1 else f"Prune {len(rows)} nodes", rows, path=path, by=by)

    def restore(self) -> None:
        """Bring a pruned branch back."""
        tree = self.tree
        pruned = [i for i, node in tree.nodes().items() if node["pruned"]]
        if not pruned:
            return
        node_id = self.chance.choice(pruned)
        if not self.shows_pruned:
            self.show_pruned()
        self.window.document.place.set_current(node_id)
        self.window.actions_set.by_name["restore"].trigger()
        below = [node_id]
        for above in below:
            below += [i for i in tree.below(above) if i not in below]
        rows = self._flagged(below, "pruned", False)
        self._do("Restore" if len(rows) == 1 else f"Restore {len(rows)} nodes", rows)

    def show_pruned(self) -> None:
        """Draw pruned branches, or not."""
        self.window.actions_set.by_name["showPrunedAction"].trigger()
        self.shows_pruned = not self.shows_pruned

    def choose_path(self) -> None:
        """Read the path to a node."""
        node_id = self._node(alive=not self.shows_pruned, message=False)
        assert node_id is not None
        self.window.graph.node_activated.emit(node_id)
        self.tree.path = self.tree.path_reading([node_id])

    def choose_sibling(self) -> None:
        """Read what hangs below a sibling."""
        node_id = self._node()
        if node_id is None:
            return
        self.window.dialogue.sibling_chosen.emit(node_id)
        read = list(self.window.document.path_ids)
        assert node_id in read, "what is read leads through the sibling"
        self.tree.path = self.tree.path_reading(read[read.index(node_id) :])

    def select(self) -> None:
        """Another current node."""
        node_id = self._node(alive=not self.shows_pruned, message=False)
        assert node_id is not None
        self.window.graph.node_clicked.emit(node_id)
        assert self.window.document.current_id == node_id

    def look_at(self) -> None:
        """Another tab of the inspector: each is drawn only while it is seen."""
        inspector = self.window.inspector
        self.chance.choice([inspector.show_context, inspector.show_node_tab, inspector.show_history_tab])()

    def settings(self) -> None:
        """Another system context."""
        text, loom = self._text(), self.window.document.tree.loom
        self.window.settings_page.loom_edited.emit(replace(loom, system_context=text))
        self._do("Tree settings", {("loom", ""): {**self.tree.rows["loom", ""], "system": text}})

    def rename(self) -> None:
        """Another title for any tree."""
        tree, title = self.chance.choice(list(self.trees.values())), self._text().strip()
        self.window.tree_list.rename_asked.emit(tree.id, title)
        tree.do("Rename", {("loom", ""): {**tree.rows["loom", ""], "title": title}})

    def archive_or_bring_back(self) -> None:
        """Put a tree away that is not shown, or bring it back."""
        tree = self.chance.choice(list(self.trees.values()))
        if tree is self.tree:
            return
        loom = tree.rows["loom", ""]
        ask = self.window.tree_list.restore_asked if loom["archived"] else self.window.tree_list.archive_asked
        ask.emit(tree.id)
        label = "Bring back" if loom["archived"] else "Archive"
        tree.do(label, {("loom", ""): {**loom, "archived": not loom["archived"]}})

    def new_tree(self) -> None:
        """An empty tree."""
        if len(self.trees) > 6:
            return
        self.window.tree_list.new_asked.emit(self.chance.choice(["dialogue", "buffer"]))
        self._meet(self.window.document.tree.loom.id)

    def switch_tree(self) -> None:
        """Show another tree."""
        self.window.tree_list.tree_chosen.emit(self.chance.choice(list(self.trees)))

    def restart(self) -> None:
        """Close the window and open it again."""
        shown = self.tree
        self._restart()
        if not shown.rows["loom", ""]["archived"]:
            assert self.tree is shown

    def another_program(self) -> None:
        """Somebody else commits; the window hears of it now, or when it commits itself."""
        known, ids = self.tree.path, self.tree.path_ids()
        self._other_acts()
        if all(("node", i) in self.tree.rows for i in ids):
            self.tree.path = self.tree.standing(known)  # nobody is taken from what he reads
        if self.tree.composer or self.chance.random() < 0.5:
            self.window.document.catch_up()
        else:
            task = self.chance.choice([self.write_at_the_root, self.undo, self.redo, self.settings])
            self.history.append(f"… unheard, {task.__name__}")
            self.unheard, self._known_path = True, known
            task()

    def write_at_the_root(self) -> None:
        """A message where no other program can take away what it hangs on."""
        self.window.document.place.set_current(self.tree.root)
        self.write()

    def _other_acts(self) -> None:
        task = self.chance.choice(THEIR_TASKS)
        tree, text = self.tree, self._text()
        self.history.append(f"… {task}")
        if task in ("undo", "redo"):
            self.other.do(task, tree.id)
            if task == "undo" and tree.next_undo():
                tree.undo()
            elif task == "redo" and tree.next_redo():
                tree.redo()
            return
        node_id = self._node() or tree.root
        if task in ("exclude", "prune") and node_id == tree.root:
            return
        made = self.other.do(task, tree.id, node_id, text)
        self._take_theirs(task, node_id, text, made)

    def _take_theirs(self, task: str, node_id: str, text: str, made: list[Made]) -> None:
        if task in ("write", "annotate"):
            kind = "annotation" if task == "annotate" else "continuation"
            ((made_id, at),) = made
            node = {**PLAIN_NODE, "by": "human", "cut": None, "at": at, "text": text}
            rows: dict[Key, Any] = {("node", made_id): node, ("way", made_id): (kind, (node_id,))}
            path = self._to(made_id) if task == "write" else None
            self._do("Write" if path else "Note", rows, path=path, by=BY)
        elif task == "exclude":
            self._do("Exclude", self._flagged([node_id], "excluded", True), by=BY)
        elif task == "prune":
            self._take_pruned(node_id, BY)
        else:
            self.tree.path = self._to(node_id)

    # The window

    def _open(self) -> MainWindow:
        window = build_window(self.path)
        assert isinstance(window, MainWindow)
        show_active(self.qtbot, window)
        return window

    def _restart(self) -> None:
        self.close()
        self.window = self._open()

    def _meet(self, tree_id: str) -> None:
        """A tree that is new, its root known from now on."""
        loom = self.window.document.tree.loom
        assert loom.id == tree_id
        root = self.window.document.tree.nodes[loom.root_id]
        node = {**PLAIN_NODE, "by": "human", "cut": None, "at": root.created_at, "text": root.text}
        rows: dict[Key, Any] = {
            ("node", root.id): node,
            ("notes", ""): (),
            ("loom", ""): {"title": loom.title, "system": loom.system_context, "archived": False},
        }
        self.trees[tree_id] = PlainTree(tree_id, loom.mode, root.id, rows, (root.id, {}), [], {root.id: 0})


ACTIONS = {
    "write": 8,
    "generate": 10,
    "generate_siblings": 3,
    "edit": 8,
    "exclude_or_include": 4,
    "bookmark": 3,
    "annotate": 4,
    "include_note": 2,
    "prune": 4,
    "restore": 3,
    "show_pruned": 1,
    "choose_path": 6,
    "choose_sibling": 4,
    "select": 6,
    "undo": 9,
    "redo": 6,
    "go_back": 3,
    "name_point": 3,
    "look_at": 7,
    "settings": 2,
    "rename": 1,
    "archive_or_bring_back": 1,
    "new_tree": 2,
    "switch_tree": 3,
    "restart": 2,
    "another_program": 8,
}
