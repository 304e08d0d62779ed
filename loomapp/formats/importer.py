"""Importers: what a format says of itself, the trees that it finds in a source, and what each brings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from typing import NamedTuple, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.model.new_tree import FirstRows
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress
from loomapp.core.sentences import Sentence
from loomapp.core.times import Milliseconds
from loomapp.formats.sources import Source


@dataclass(frozen=True, slots=True)
class Reading:
    """The moment that stands for times which a file does not give."""

    now: Milliseconds = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """Summary of a tree before it is taken in.

    `node_ids` are its nodes without an empty root, `branches` the ways from the root to an end, as the
    status bar counts them. `losses` are one line each: what of the file the tree will not hold as it was
    there; `notes`: what is otherwise than one would expect.
    """

    node_ids: Collection[str]
    branches: int
    first_at: Milliseconds | None = None
    last_at: Milliseconds | None = None
    losses: tuple[Sentence, ...] = ()
    notes: tuple[Sentence, ...] = ()
    authors: tuple[str, ...] = ()
    has_system_context: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A tree that was found. `facts` and then `load` are called before the next one is asked for, if at all.

    `load` makes the tree with all that belongs to it, once: what was read for it goes as its rows are made.
    It is given the grove's owner, who wrote what "you" wrote. With `is_read` the whole tree is in memory
    already, and may be loaded whenever one likes.
    """

    id: str
    title: str
    facts: Callable[[], Facts]
    load: Callable[[Agent | None], Imported]
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Damaged:
    """A tree of a file that cannot be read; the others can. With `is_beside` it is no tree, but something
    else of the same export.
    """

    id: str
    title: str
    reason: Sentence
    last_at: Milliseconds | None = None
    is_beside: bool = False


Finding: TypeAlias = Found | Damaged


class Importer(NamedTuple):
    """One format that is read.

    `suffixes` are the endings of files that hold nothing else; `also` those of files that may be wanted for
    something else, such as an attachment. `recognises` looks at the content of a source and gives the
    reason, in the words that follow "recognised by its content", or None. `read` gives the trees one
    after the other; it raises InvalidInput, one line that names the place, where no more of them can be read,
    and for whatever other file too: a person may name the format, whatever `recognises` says.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Source], Sentence | None]
    read: Callable[[Source, Reading, Progress], Iterator[Finding]]
    also: tuple[str, ...] = ()


class Detected(NamedTuple):
    """The format of a source, and by what it was recognised."""

    importer: Importer
    why: Sentence


@dataclass(frozen=True, slots=True)
class Imported:
    """The rows of a tree, its agents, responses that its model nodes rest on, and media bytes by SHA-256.

    `warnings` are one line each, for the person who imports: what was kept but looks odd. With
    `is_of_other_program` a message whose text is another one here comes as a version of it.
    """

    rows: FirstRows
    agents: tuple[Agent, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    media: Mapping[str, bytes] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    is_of_other_program: bool = False

    @property
    def tree(self) -> Tree:
        """Return the tree, in memory from then on."""
        return self.rows.whole()
