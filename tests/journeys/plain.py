"""A grove as plain dicts: what every user action should leave behind, said without the program's own code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Key = tuple[str, str]  # kind of row and its id
Path = tuple[str, dict[str, str]]  # leaf, and the chosen source of targets
YOU = "you"
HERE = "you are here"
TITLE_WORDS, TITLE_LENGTH = 6, 48


@dataclass
class PlainStep:
    """A user action that can be undone: rows before and after, and how the path moved if it did."""

    label: str
    by: str
    rows: dict[Key, tuple[Any, Any]]
    path: tuple[Path, Path] | None
    state: str = "done"
    name: str = ""  # of the point right after it
    read: Path | None = None  # when it was undone last, if that moved the path

    def made(self) -> list[dict[str, Any]]:
        """The nodes that came with it."""
        return [after for (kind, _), (before, after) in self.rows.items() if kind == "node" and not before]


@dataclass
class PlainTree:
    """Rows: ("node", id) → dict; ("way", id) → how a node is reached: (type, primary sources); ("loom", "")
    → title, system context, archived; ("notes", "") → ids of included notes.
    """

    id: str
    mode: str
    root: str
    rows: dict[Key, Any]
    path: Path
    steps: list[PlainStep] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)  # node ids in order of creation
    beginning: str = ""  # the name of the point before all steps
    composer: str = ""  # what stands in the composer when the tree is shown

    # Reading

    def nodes(self) -> dict[str, dict[str, Any]]:
        """What is there, in order of creation."""
        ids = sorted((i for kind, i in self.rows if kind == "node"), key=self.places.__getitem__)
        return {node_id: self.rows["node", node_id] for node_id in ids}

    def way(self, node_id: str) -> tuple[str, tuple[str, ...]]:
        """How a node is reached."""
        found: tuple[str, tuple[str, ...]] = self.rows.get(("way", node_id), ("", ()))
        return found

    def below(self, node_id: str, kind: str = "") -> list[str]:
        """The nodes that hang on a node directly, notes too unless a type is given."""
        ways = {i: way for (row, i), way in self.rows.items() if row == "way"}
        hanging = [i for i, (type_, sources) in ways.items() if node_id in sources and kind in ("", type_)]
        return sorted(hanging, key=self.places.__getitem__)

    def family(self, node_id: str) -> str:
        """The original that a node was edited from, at however many removes."""
        while (origin := self.rows["node", node_id]["from"]) and ("node", origin) in self.rows:
            node_id = origin
        return node_id

    def path_ids(self) -> list[str]:
        """From the root to the leaf."""
        return self.path_to(self.path[0])

    def path_to(self, node_id: str) -> list[str]:
        """From the root to a node, by the versions that are chosen."""
        chosen = self.path[1]
        ids = [node_id]
        while sources := self.way(ids[0])[1]:
            ids.insert(0, chosen.get(ids[0]) or self.newest(sources))
        return ids

    def path_reading(self, way: list[str]) -> Path:
        """The path along a way, read after the present one, which it leaves as late as it can."""
        chosen, read = dict(self.path[1]), self.path_ids()
        for above, node_id in pairwise(way):
            if self._source(node_id, chosen) != above:
                chosen[node_id] = above
        node_id = way[0]
        while node_id not in read and (sources := self.way(node_id)[1]):
            source = self._source(node_id, chosen)
            shared = [i for i in read if i in sources]
            if len(sources) > 1 and shared:
                if source != shared[-1]:
                    chosen[node_id] = shared[-1]
                break
            node_id = source
        return way[-1], chosen

    def standing(self, path: Path) -> Path:
        """A path without choices of what is gone: where there is one, the present choice counts instead."""
        leaf, chosen = path
        now = {target: source for target, source in self.path[1].items() if target in chosen}
        both = (*now.items(), *chosen.items())
        return leaf, {target: source for target, source in both if source in self.way(target)[1]}

    def path_past(self, doomed: list[str], first: str) -> Path:
        """The path without hidden nodes: by versions in their place, else it ends before the first."""
        leaf, choices = self.path
        chosen = {i: source for i, source in choices.items() if source not in doomed or i in doomed}
        if leaf in doomed:
            left = [i for i in (*self.path_to(first)[:-1][-1:], *self.way(first)[1]) if i not in doomed]
            return (left[0] if left else leaf), chosen
        for above, node_id in pairwise(self.path_ids()):
            others = tuple(i for i in self.way(node_id)[1] if i not in doomed)
            if above in doomed and others:
                chosen[node_id] = self.newest(others)
        return leaf, chosen

    def _source(self, node_id: str, chosen: dict[str, str]) -> str:
        return chosen.get(node_id) or self.newest(self.way(node_id)[1])

    def newest(self, sources: tuple[str, ...]) -> str:
        """Of several versions the newest that is not pruned."""
        nodes = self.nodes()
        living = [i for i in sources if not nodes[i]["pruned"]] or list(sources)
        return max(living, key=lambda i: (nodes[i]["at"], i))

    def first_words(self) -> str:
        """The title that a tree has which nobody named: of the first message, in its newest version."""
        messages = [i for i in self.below(self.root, "continuation") if i in self.living()]
        first = self.root if not self.is_empty(self.root) else messages[0] if messages else None
        if first is None:
            return ""
        versions = [i for i in self.living() if self.family(i) == self.family(first)]
        first = (versions or [first])[-1]
        words = str(self.rows["node", first]["text"]).strip().partition("\n")[0].split()
        title = " ".join(words[:TITLE_WORDS])
        if len(title) > TITLE_LENGTH:
            return title[: TITLE_LENGTH - 1].rstrip() + "…"
        return title + "…" * (len(words) > TITLE_WORDS)

    def is_unnamed(self) -> bool:
        """Whether it has no title but one that it was given unasked."""
        title = str(self.rows["loom", ""]["title"])
        return re.fullmatch(r"Loom Tree \d+|", title) is not None or title == self.first_words()

    def is_empty(self, node_id: str) -> bool:
        """Whether it is a root without words, which is no message."""
        return node_id == self.root and not self.rows["node", node_id]["text"]

    def living(self) -> list[str]:
        """Messages, passages and notes that are not pruned."""
        return [i for i, node in self.nodes().items() if not node["pruned"] and not self.is_empty(i)]

    def ends(self) -> list[str]:
        """Ends of branches: living nodes that nothing living continues; notes and loose nodes end none."""
        living = self.living()
        return [
            i
            for i in living
            if (i == self.root or self.way(i)[0] == "continuation")
            and not set(self.below(i, "continuation")) & set(living)
        ]

    def undo_label(self) -> str | None:
        """What undo would take back."""
        step = self.next_undo()
        return None if step is None else _named(step)

    def redo_label(self) -> str | None:
        """What redo would bring back."""
        step = self.next_redo()
        return None if step is None else _named(step)

    def next_undo(self) -> PlainStep | None:
        """The newest step that is done."""
        return next((step for step in reversed(self.steps) if step.state == "done"), None)

    def next_redo(self) -> PlainStep | None:
        """The oldest step that is undone."""
        return next((step for step in self.steps if step.state == "undone"), None)

    def context(self, node_id: str) -> list[tuple[str, str | None]]:
        """What a node's path and the notes on it give to send, each with why it is left out."""
        path = self.path_to(node_id)
        found = []
        for i in path:
            notes = [note for note in self.below(i, "annotation") if note not in path]
            found += [(one, self._why_not(one)) for one in (i, *notes) if not self.is_empty(one)]
        return found

    def helps(self, node_id: str) -> list[str]:
        """What is offered where nothing of a node's context can be sent: to take in again what is excluded,
        if that helps.
        """
        left_out = [node for node, _ in self.context(node_id) if self.rows["node", node]["excluded"]]
        if not any(self._why_not(node, is_taken_in=True) is None for node in left_out):
            return []
        return [f"Include what is excluded ({len(left_out)})", "Write something"]

    def _why_not(self, node_id: str, *, is_taken_in: bool = False) -> str | None:
        node = self.rows["node", node_id]
        is_kept_back = self.way(node_id)[0] == "annotation" and node_id not in self.rows["notes", ""]
        is_out = node["excluded"] and not is_taken_in
        reasons = [(node["pruned"], "pruned"), (is_out, "excluded"), (is_kept_back, "annotation")]
        return next((reason for applies, reason in reasons if applies), None)

    def spoken_steps(self) -> list[list[str]]:
        """The history as a list says it, newest first, without times and texts."""
        present = self.next_undo()
        words = {"done": "", "undone": "undone", "abandoned": "abandoned"}
        said = [
            [
                s.name,
                s.label.replace("Prune", "Delete"),
                "You" if s.by == YOU else s.by,
                words[s.state],
                HERE if s is present else "",
            ]
            for s in reversed(self.steps)
        ]
        said.append([self.beginning, "Beginning", "", "", "" if present else HERE])
        return [[part for part in row if part] for row in said]

    # Asking again

    def gets_answers(self, node_id: str) -> bool:
        """Whether it is words of a person, which are answered or gone on from."""
        return bool(self.rows["node", self.family(node_id)]["by"] == "human")

    def can_be_asked_again(self, node_id: str) -> bool:
        """Whether Retry is offered: not on a note, not where nothing is, nor on or below what is pruned."""
        if self.is_empty(node_id) or self.way(node_id)[0] == "annotation":
            return False
        if self.gets_answers(node_id):
            return not self.rows["node", node_id]["pruned"]
        above = self.path_to(node_id)[:-1]
        return bool(above) and not self.rows["node", above[-1]]["pruned"]

    # Cards

    def cards(self, *, all_of_them: bool) -> dict[str, list[str]]:
        """The cards that a graph shows, pruned branches among them or not, and the nodes that are on each."""
        stacks: dict[Any, list[str]] = {}
        for node_id in self.nodes():
            stacks.setdefault(self._stack(node_id), []).append(node_id)
        shown = {stack for stack in stacks if all_of_them or self._lives(stacks[stack])}
        shown.add(self._stack(self.root))
        for stack in list(shown):
            above = self._above(stacks[stack][0])
            while above is not None:
                shown.add(above)
                above = self._above(stacks[above][0])
        faces = {}
        for stack in shown:
            members = stacks[stack]
            living = [i for i in members if not self.rows["node", i]["pruned"]]
            faces[members[0]] = (not all_of_them and living) or members
        return faces

    def _lives(self, members: list[str]) -> bool:
        return any(not self.rows["node", i]["pruned"] for i in members)

    def _stack(self, node_id: str) -> Any:
        if self.mode == "dialogue":
            return node_id
        _, sources = self.way(node_id)
        is_note = self.way(node_id)[0] == "annotation"
        return self.family(node_id), self.family(sources[0]) if sources and not is_note else None

    def _above(self, node_id: str) -> Any:
        """The card that a node's card hangs on; a note stands beside what it is about."""
        kind, sources = self.way(node_id)
        while kind == "annotation":
            kind, sources = self.way(sources[0])
        return self._stack(sources[0]) if sources else None

    # Moving

    def do(
        self,
        label: str,
        after: dict[Key, Any],
        *,
        path: Path | None = None,
        by: str = YOU,
        was: Path | None = None,
    ) -> None:
        """A step: rows as they are from now on, and the path if it moves with them.

        `was` is the path that whoever did it last knew of: undo leads back there.
        """
        for step in self.steps:
            if step.state == "undone":
                step.state = "abandoned"
        before, words, unnamed = dict(self.rows), self.first_words(), self.is_unnamed()
        self._put(after)
        title = self.first_words()
        if by == YOU and unnamed and title not in ("", words) and ("loom", "") not in after:
            after = {**after, ("loom", ""): {**self.rows["loom", ""], "title": title}}
            self._put(after)
        rows = {key: (before.get(key), value) for key, value in after.items()}
        self.steps.append(PlainStep(label, by, rows, path and (was or self.path, path)))
        self.path = path or self.path

    def undo(self) -> PlainStep:
        """Take the newest step back: the path to what was read before, but what was chosen since stays."""
        step = self.next_undo()
        assert step is not None
        step.state = "undone"
        was = self.path
        self._move({key: before for key, (before, _) in step.rows.items()}, self._left_by(step))
        step.read = was if self.path != was else None
        return step

    def redo(self) -> PlainStep:
        """Bring the oldest undone step back. What was read when it was undone is read again."""
        step = self.next_redo()
        assert step is not None
        step.state = "done"
        self._move({key: after for key, (_, after) in step.rows.items()}, step.read)
        return step

    def _left_by(self, step: PlainStep) -> Path | None:
        """Where undo leads: of the end and of each choice, back where it is as the step left it or goes."""
        if step.path is None:
            return None
        (wanted, choices), (left, chosen) = step.path
        gone = {i for (kind, i), (before, _) in step.rows.items() if kind == "node" and before is None}
        leaf, now = self.path
        moved = {i for i in {*choices, *chosen} if choices.get(i) != chosen.get(i)}
        back = {i for i in moved if now.get(i) == chosen.get(i) or now.get(i) in gone}
        kept = {i: source for i, source in now.items() if i not in back}
        return (wanted if leaf in {left, *gone} else leaf), kept | {
            i: choices[i] for i in back if i in choices
        }

    def end_at_the_living(self) -> None:
        """Where pruned nodes are not shown, the path ends at the last one that lives."""
        leaf, chosen = self.path
        ids = self.path_ids()
        while ids[-1] != self.root and self.rows["node", ids[-1]]["pruned"]:
            ids.pop()
        self.path = self.path if ids[-1] == leaf else (ids[-1], chosen)

    def _put(self, rows: dict[Key, Any]) -> None:
        for key, value in rows.items():
            if value is None:
                self.rows.pop(key, None)
            else:
                self.rows[key] = value
                if key[0] == "node":
                    self.places.setdefault(key[1], len(self.places))

    def _move(self, rows: dict[Key, Any], wanted: Path | None) -> None:
        """Put rows; the path ends where it is wanted, or at the nearest node above that is still there."""
        was = dict(self.rows)
        chosen = self.path[1]
        self._put(rows)
        leaf, selections = self.standing(wanted or self.path)
        ends = (self._nearest(leaf, was, chosen), self._nearest(self.path[0], was, chosen), self.root)
        self.path = (next(end for end in ends if end), selections)

    def _nearest(self, node_id: str, was: dict[Key, Any], chosen: dict[str, str]) -> str | None:
        while ("node", node_id) not in self.rows:
            _, sources = was.get(("way", node_id), ("", ()))
            if not sources:
                return None
            node_id = chosen[node_id] if chosen.get(node_id) in sources else sources[0]
        return node_id


def _named(step: PlainStep) -> str:
    return step.label if step.by == YOU else f"{step.label} ({step.by})"
