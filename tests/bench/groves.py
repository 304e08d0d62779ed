"""Synthetic trees of any size for the bench, and groves of one: made once a run, copied for each use."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.tree import Tree
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id

Shape: TypeAlias = Literal["bushy", "deep", "wide"]
Lengths: TypeAlias = Sequence[tuple[int, int]]
SHAPES: tuple[Shape, ...] = ("bushy", "deep", "wide")

HASHED = 100_000  # nodes; hashing more of them takes minutes, and nothing that is measured looks at them
BEGINNING_MS = 1_790_000_000_000
WRITER = "writer"
MODEL = Agent("scribe", "Scribe", "model", "local:scribe")
WORDS = (
    "salt", "lamp", "tide", "letter", "glass", "keeper", "storm", "silver", "rope", "harbour", "bread",
    "winter", "window", "answer", "candle", "engine", "orchard", "river", "paper", "ghost", "threshold",
    "whisper", "market", "copper", "evening", "garden", "signal", "mother", "ladder", "bell", "morning",
    "archive",
)  # fmt: skip
# Words in a message: as people and models write, one in eight is long; and short ones only.
MIXED = ((80, 220), *[(4, 40)] * 7)
BRIEF = ((6, 30),)


def parents(shape: Shape, count: int, seed: int = 7) -> list[int]:
    """The parent of each node by its number, smaller than its own; -1 for the root.

    bushy: batches of one to four siblings, most of them below the newest, some far back. deep: a chain. wide:
    all below the root.
    """
    if shape == "deep":
        return list(range(-1, count - 1))
    if shape == "wide":
        return [-1] + [0] * (count - 1)
    chance = random.Random(seed)
    found = [-1]
    newest = 0
    while len(found) < count:
        batch = min(chance.choice((1, 1, 2, 3, 4)), count - len(found))
        above = newest if chance.random() < 0.72 else chance.randrange(len(found))
        newest = len(found) + chance.randrange(batch)
        found += [above] * batch
    return found


def texts(count: int, words: Lengths = MIXED, seed: int = 1) -> list[str]:
    """A text a node, as long as `words` say in turn; no two are the same."""
    chance = random.Random(seed)
    pool = [_text(chance, words[number % len(words)]) for number in range(min(count, 4096))]
    return [f"{pool[number % len(pool)]} {number}." for number in range(count)]


def _text(chance: random.Random, words: tuple[int, int]) -> str:
    picked = chance.choices(WORDS, k=chance.randint(*words))
    return " ".join(picked).capitalize()


def grown(
    shape: Shape, count: int, *, owner_id: str = WRITER, hashed: bool = False, words: Lengths = MIXED
) -> Tree:
    """A tree of `count` nodes, its newest the end of the active path. Hashes cost most of the time: they are
    left out unless asked for."""
    above, written = parents(shape, count), texts(count, words)
    nodes: list[Node] = []
    for number, text in enumerate(written):
        is_human = number % 2 == 0
        node = Node(
            f"node{number:07d}",
            f"{number:07X}",
            Text(text),
            "human" if is_human else "model",
            owner_id if is_human else MODEL.id,
            BEGINNING_MS + number * 1000,
            parent_hashes=(nodes[above[number]].content_hash,) if hashed and number else (),
        )
        nodes.append(replace(node, content_hash=content_hash(node)) if hashed else node)
    edges = (
        Edge(f"edge{n:07d}", (EdgeSource(nodes[above[n]].id),), nodes[n].id, created_at=nodes[n].created_at)
        for n in range(1, count)
    )
    loom = LoomTree(new_id(), f"{count:,} nodes, {shape}", "dialogue", nodes[0].id, created_at=BEGINNING_MS)
    tree = Tree(loom, nodes=nodes, edges=edges)
    tree.path = ActivePath(nodes[-1].id)
    return tree


@dataclass
class Groves:
    """Grove files of one tree each, in a folder that the processes of a run share."""

    folder: Path
    _copies: int = 0

    def fresh(self, shape: Shape, count: int) -> Path:
        """A file that nobody has used yet."""
        original = self._original(shape, count)
        self._copies += 1
        copy = self.folder / f"copy-{os.getpid()}-{self._copies}" / original.name
        copy.parent.mkdir()
        return Path(shutil.copy(original, copy))

    def _original(self, shape: Shape, count: int) -> Path:
        path = self.folder / f"{shape}-{count}.loom"
        if not path.exists():
            part = path.with_name(f"{os.getpid()}-{path.name}")
            with create_grove(part) as grove:
                tree = grown(shape, count, owner_id=grove.owner.id, hashed=count <= HASHED)
                grove.add_tree(tree, [grove.owner, MODEL])
            part.rename(path)
        return path


@contextmanager
def groves() -> Iterator[Groves]:
    """The files of one run, gone at its end."""
    with TemporaryDirectory(prefix="loom-bench-") as folder:
        yield Groves(Path(folder))
