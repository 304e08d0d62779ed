"""The text of a buffer as commands know it: where the writer is, what is offered, what can be done there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from loomapp.core.context.outcomes import ShownFates
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.core.prose.buffer_text import BufferText
from loomapp.core.settings.setting import Settings
from loomapp.core.uncommitted_tree import Offered
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.session.writing.continuation import BufferContinuation
from loomapp.session.writing.passages import Passages
from loomapp.ui.buffer.tail import GhostOffer, Tail

if TYPE_CHECKING:
    from loomapp.ui.buffer.head import BufferHead
    from loomapp.ui.buffer.view import BufferView


class WriterPlace(Protocol):
    """Place of the writer: the passage of the caret is the one that keys and panels are about."""

    @property
    def node_at_caret(self) -> str:
        """The node whose passage the caret is in; of what is written at the end, the last."""

    @property
    def writer_at(self) -> int | None:
        """The place of the caret; None while another part of the window has the keyboard."""

    @property
    def is_in_last_words(self) -> bool: ...

    def put_caret(self, position: int) -> None:
        """Put the caret somewhere, in view; its passage is the current one."""

    def sync(self) -> None: ...

    def show(self) -> None:
        """Tell the preview what Generate would send from here."""

    def reveal(self, node_id: str) -> None:
        """Put the caret at the end of a node that was selected elsewhere."""

    def reveal_start(self, node_id: str) -> None:
        """Bring the beginning of a passage into view, the caret at its end."""

    def end_of(self, node_id: str) -> int | None:
        """Return the place behind all that belongs to a node; None for the last of the path."""

    def to_end(self) -> None: ...

    def edit(self, node_id: str) -> None: ...

    def kept(self, anchor: int, caret: int) -> AbstractContextManager[None]:
        """Keep the writer where he is while the program changes what is read."""

    def moving(self) -> AbstractContextManager[None]:
        """Let nothing follow from it while the program moves the caret."""


class OfferedAnswers(Protocol):
    """Answers that are only offered after the end of the text."""

    went_along: Sources | None  # with the request

    @property
    def is_on(self) -> bool: ...

    @property
    def why_no_next(self) -> str: ...

    def choose(self, key: str) -> None: ...

    def settle(self) -> None:
        """Offer nothing any more; words that were taken become a passage."""

    def remember(self, path: ActivePath, caret: int) -> None:
        """Remember what was read until the text ended where it is continued."""

    def once_settled(self) -> tuple[Offered | None, int]:
        """Return what `settle` will do, and where the caret is then."""

    def refresh(self, live: tuple[GhostOffer, ...], leaf_id: str) -> None:
        """Set what stands after the end: drafts and ghosts of this path."""

    def keep(self) -> None:
        """Keep what was taken in the journal, while anything is offered."""


class FillIn(Protocol):
    """Questions for words to be filled in at the caret."""

    is_on: bool

    @property
    def is_meant(self) -> bool:
        """True where Generate would fill in."""

    def ask(self) -> None:
        """Ask for what is to stand at the caret. Raises: LoomError."""

    def ask_again(self, gap_id: str, above_id: str) -> None:
        """Ask for more that could stand in a gap. Raises: LoomError."""

    def show(self) -> None:
        """Tell of what fills a gap of this text, and of what failed to go on with it."""

    def drafts_grew(self, drafts: Iterable[LiveDraft]) -> None: ...


class UndoneSteps(Protocol):
    """Steps of typing and changes that are taken back, or done again."""

    def undo_typing(self) -> bool: ...

    def redo_typing(self) -> bool: ...

    def change(self, undo: Callable[[], Change | None]) -> Change | None:
        """Undo a change, and bring the writer to where it was made."""

    def again(self, redo: Callable[[], Change | None]) -> Change | None:
        """Redo a change, and bring what it changed into view."""


class PassageKeys(Protocol):
    """Keys of the window that turn over the passage of the caret."""

    def has_siblings(self) -> bool:
        """True if the passage of the caret, or what streams after it, has another beside it."""

    def step_sibling(self, by: int) -> bool:
        """Show another way on in its place. False if it is not the text that is meant."""

    def step_version(self, by: int) -> bool:
        """Show another version of the passage. False if the text is not meant."""


class ShownAnswers(Protocol):
    """Answers as they are shown after the end of the text, with the writer beside them."""

    def show(self) -> None: ...

    def show_drafts(self, drafts: tuple[LiveDraft, ...]) -> None: ...

    def choose(self, key: str) -> None:
        """Look at another one of the answers that stream; the path will go on with it."""

    def go_behind(self) -> None: ...


class TailPager(Protocol):
    """Pager of what streams or is offered at the end of the text."""

    def turn_tail(self, step: int) -> bool: ...


class TextSearch(Protocol):
    """Find and replace."""

    def begin(self) -> None: ...

    def mark_terms(self, wanted: tuple[str, ...]) -> None:
        """Mark words by which a passage was found elsewhere; without words, none."""


class TextDesk(Protocol):
    """The text of a buffer that is read, with all that is done in it."""

    @property
    def is_on(self) -> bool:
        """True while the text of a buffer is shown, and it is the one that is read."""

    def is_offered(self, key: str) -> bool:
        """Tell whether the draft of this key is a ghost: it ends when it is put away."""

    @property
    def text(self) -> str: ...

    @property
    def read_text(self) -> str:
        """Return the text of the buffer that is read, or nothing while none is."""

    @property
    def buffer_text(self) -> BufferText: ...

    @property
    def writing(self) -> BufferSession: ...

    @property
    def passages(self) -> Passages: ...

    @property
    def continuation(self) -> BufferContinuation: ...

    @property
    def tail(self) -> Tail: ...

    @property
    def fates(self) -> Mapping[str, str]: ...

    @property
    def view(self) -> BufferView:
        """The widgets; made when a buffer is read first."""

    @property
    def head(self) -> BufferHead: ...

    @property
    def place(self) -> WriterPlace: ...

    @property
    def answers(self) -> ShownAnswers: ...

    @property
    def ghosts(self) -> OfferedAnswers: ...

    @property
    def filling(self) -> FillIn: ...

    @property
    def taking_back(self) -> UndoneSteps: ...

    @property
    def stepping(self) -> PassageKeys: ...

    @property
    def turning(self) -> TailPager: ...

    @property
    def search(self) -> TextSearch: ...

    def set_hovered(self, node_id: str) -> None: ...

    def show_keys(self) -> None: ...

    def put_to_use(self, settings: Settings) -> None:
        """Take over how a writer wants it."""

    def set_fates(self, fates: ShownFates) -> None:
        """Show what is sent from now on."""

    def show_cuts(self) -> None:
        """Show where what is sent begins."""

    def show_path(self) -> None:
        """Show the text of the path, which is another, and what streams after it."""

    def show_text(self) -> None: ...

    def close_popover(self) -> bool: ...

    def read_on(self, node_id: str) -> None:
        """Let the path go on from its end through a node."""

    def settle_ghost(self) -> None:
        """Offer nothing any more: the text is left, or read by something else."""

    def settle_offer(self) -> None:
        """Offer nothing any more before a command. Raises: LoomError."""

    def expect(self, node_id: str) -> bool:
        """Return whether the path goes on with what is asked for next; else it is only offered."""
