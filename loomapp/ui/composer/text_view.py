"""The text that is read, a dialogue or a buffer, as commands know it: they ask it, never which one it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.generation.answers import Sources
from loomapp.core.model.content import Image
from loomapp.ui.media.attachment_queue import Offered


@dataclass(frozen=True, slots=True)
class ReadyPlace:
    """Node to be continued, once all that was written before it is saved."""

    node_id: str
    ask: Callable[[Callable[..., None], Sources], None]  # starts a request there; the sources it was made of


class TextView(Protocol):
    """A text that is read and written: messages with a composer, or passages with a caret."""

    # Asking a model

    @property
    def why_waits(self) -> str:
        """Why nothing can be asked where the writer is before an answer that is written there ends, for
        people; "" if something can.
        """

    @property
    def is_in_new_words(self) -> bool:
        """True if the writer is in words that become the current node once they are saved."""

    def generate(self) -> None:
        """Save what is written, and ask for what follows where the writer is. Raises: LoomError."""

    def make_ready(self, again: Callable[[], None]) -> ReadyPlace | None:
        """Save what is written, and return where it is continued; None if it could not be saved yet: then
        `again` is called once it is. Raises: LoomError.
        """

    def continue_node(self, node_id: str, *, follow: bool = False) -> None:
        """Ask for continuations of a node; with `follow` the reader goes to it first. Raises: LoomError."""

    def retry_node(self, node_id: str) -> None:
        """Ask for more answers beside a node, or for answers to it. Raises: LoomError."""

    def retry_draft(self, key: str) -> None:
        """Ask again for an answer that failed or waits. Raises: LoomError."""

    # Files that go along

    @property
    def takes_attachments(self) -> bool:
        """True if files can be part of what is being written; else they go along as context only."""

    def attach(self, offered: Sequence[Offered]) -> None: ...

    def image_note(self, image: Image) -> str:
        """Return why an attached image goes only by its name, for people; "" if it goes as an image."""

    # Undo

    @property
    def can_undo_typing(self) -> bool: ...

    @property
    def can_redo_typing(self) -> bool: ...

    @property
    def can_redo_change(self) -> bool:
        """True if a change was taken back, and nothing that was written since stands in its place."""

    def undo_typing(self) -> bool: ...

    def redo_typing(self) -> bool: ...

    def undo_change(self) -> None:
        """Take back the newest change of the tree, and bring the writer to where it was made."""

    def redo_change(self) -> None:
        """Do again the change that was taken back last."""

    # Reading and editing

    @property
    def plain_text(self) -> str:
        """Return all of the path, exactly as it is written, with words that are in no node yet."""

    @property
    def is_composing(self) -> bool:
        """True while an input method composes words that are saved as they are written."""

    def is_writer_at(self, node_id: str) -> bool:
        """Tell whether the text itself shows that a node is the one to be continued."""

    def reveal(self, node_id: str) -> None:
        """Bring a node into view that was selected elsewhere."""

    def edit_node(self, node_id: str) -> None:
        """Let the words of a node be edited where they stand."""

    def replace_text(self, node_id: str, text: str, pen: EditContext) -> None:
        """Commit another text for a node, which stays in the tree. Raises: LoomError."""

    def find(self) -> None: ...

    def colour_anew(self) -> None:
        """Draw the words again: other ones are spelled wrong."""

    def show_composed(self, text: str) -> None: ...

    # Siblings and versions

    def has_siblings(self) -> bool:
        """Return True where there is another way on from the same parent."""

    def step_sibling(self, by: int) -> None:
        """Read a sibling of the current node, with what hangs below it."""

    def step_version(self, by: int) -> None:
        """Read another version of the current node; what follows it stays where it can."""
