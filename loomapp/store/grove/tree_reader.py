"""A tree read beside the window, on a connection of its own: any thread may do it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import worded
from loomapp.store import faults
from loomapp.store.connections import Access, open_engine
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.soundness import BROKEN_VALUE, are_faults_in
from loomapp.store.statements import driver


@dataclass(frozen=True, slots=True)
class TreeRead:
    """A tree as the file held it at one moment, to be made known to the grove it is of."""

    tree: Tree
    number: int  # of its row
    sequence: int  # of the newest change that is in it


@dataclass(frozen=True, slots=True)
class TreeReading:
    """A request to read one tree. `file` is where `grove` is read: itself, or a private copy of it."""

    grove: Path
    file: Path
    access: Access
    tree_id: str

    def read(self, progress: Progress = unheard) -> TreeRead:
        """The tree; `progress` counts rows. Raises: GroveError; what `progress` raises."""
        with faults.named(self.grove):
            engine = open_engine(self.file, self.access)
            try:
                with engine.begin() as connection, self._damage_named(connection):
                    number = tree_rows.tree_number(connection, self.tree_id)
                    rows = 2 * tree_rows.count_nodes(connection, number)
                    tree = tree_rows.read_tree(
                        connection, self.tree_id, lambda done, _: progress(min(done, rows), rows)
                    )
                    return TreeRead(tree, number, change_log.newest(connection, number))
            finally:
                engine.dispose()

    @contextmanager
    def _damage_named(self, connection: Connection) -> Iterator[None]:
        """Tell as damage what a damaged value makes the reading stumble over; a mistake of ours is not."""
        try:
            yield
        except LoomError:
            raise
        except BROKEN_VALUE as error:
            if not are_faults_in(driver(connection)):
                raise
            words = "{path} is damaged: a tree in it cannot be shown; open it for reading only."
            raise GroveError("damaged", worded(words, path=self.grove), path=str(self.grove)) from error
