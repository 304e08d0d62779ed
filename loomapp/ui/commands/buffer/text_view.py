"""The buffer as the text that commands are about: passages of one text, and a caret in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import Below, SiblingRetry, asked_again
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Image
from loomapp.core.prose.fill_in import gap_of
from loomapp.core.sentences import worded
from loomapp.session.writing.buffer_session import WAITING
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.commands import navigate, send
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.buffer import passages
from loomapp.ui.commands.save.draft_state import saved_before_sent
from loomapp.ui.composer.text_pane import ReadyPlace
from loomapp.ui.media.attachment_queue import Offered
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.fields import composes
from loomapp.ui.workbench import Workbench


class BufferTextView:
    """The `TextView` of a window while a buffer is read."""

    size_setting = "prose_size_px"

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._desk, self._bench, self._work = desk, bench, bench.work

    # Asking a model

    @property
    def why_waits(self) -> str:
        """Return why nothing can be asked behind words that wait for an answer; for a card beside the text,
        "".
        """
        is_in_text = self._work.document.current_id in self._work.document.path
        waits = is_in_text and self._work.writing.waits_at(self._desk.view.editor.caret)
        return told(worded(WAITING)) if waits else ""

    @property
    def is_in_new_words(self) -> bool:
        """True if the caret is in words after the end that are no node yet."""
        return self._desk.place.is_in_last_words

    def generate(self) -> None:
        """Commit what was written, and continue where the caret stands."""
        with saved_before_sent(self._bench):
            passages.generate(self._bench)

    def make_ready(self, again: Callable[[], None]) -> ReadyPlace:
        """Commit what was written, and part the text at the caret."""
        going = passages.make_ready(self._bench)

        def ask(start: Callable[..., None], sources: Sources) -> None:
            passages.ask_or_offer(self._bench, going, start, sources)

        return ReadyPlace(going.node_id, ask)

    def continue_node(self, node_id: str, *, follow: bool = False, agents: Sequence[Agent] = ()) -> None:
        """Ask for continuations of a passage's card, once what is written is committed."""
        with saved_before_sent(self._bench):
            passages.continue_node(self._bench, node_id, follow=follow, agents=agents)

    def retry_node(self, node_id: str, *, agents: Sequence[Agent] = ()) -> None:
        """Ask for more in the place of what a model wrote or filled in; else for what follows a passage."""
        bench, document = self._bench, self._work.document
        self._desk.ghosts.settle()
        with saved_before_sent(bench):
            node_id = self._work.writing.settled(node_id)  # no edit follows, but a request
        gap = gap_of(document.tree, node_id)
        if gap is not None:
            self._desk.filling.ask_again(*gap)
            return
        match asked_again(document.tree, document.path, node_id):
            case Below():
                passages.continue_node(bench, node_id, follow=False, agents=agents)
            case SiblingRetry(sources) if node_id in document.path:
                passages.ask_in_place(bench, sources, agents)
            case SiblingRetry(sources):
                send.ask_model(bench, sources, agents=agents)

    def retry_draft(self, key: str) -> None:
        """Ask again for an answer that failed or waits, where it was asked."""
        passages.retry_draft(self._bench, key)

    # Files that go along

    @property
    def takes_attachments(self) -> bool:
        """False: a text has no messages that could have them."""
        return False

    def said_of_notes(self) -> str:
        """Return words about a note that goes along from now on: a text has no messages."""
        return tr("Sent within the text, right after its passage, with nothing between.")

    def attach(self, offered: Sequence[Offered]) -> None:
        intake.attach(self._bench, offered, "context", self._work.document.current_id)

    def image_note(self, image: Image) -> str:
        """Return that no image goes along as an image."""
        return tr("In a buffer an image goes only by its name.")

    # Undo

    @property
    def can_undo_typing(self) -> bool:
        return self._work.writing.undo.can_undo_typing

    @property
    def can_redo_typing(self) -> bool:
        return self._work.writing.undo.can_redo_typing

    @property
    def can_redo_change(self) -> bool:
        """True if a change was taken back, and no words were written in its place since."""
        is_in_place = not self._work.writing.undo.is_over_undone
        return is_in_place and self._work.document.history.redo_label is not None

    def undo_typing(self) -> bool:
        """Take back a step of typing, the caret where it was made. False if there is none."""
        return self._desk.taking_back.undo_typing()

    def redo_typing(self) -> bool:
        return self._desk.taking_back.redo_typing()

    def undo_change(self) -> None:
        """Take back what was done last, the caret where it was made."""
        passages.undo(self._bench)

    def redo_change(self) -> None:
        passages.redo(self._bench)

    # Reading and editing

    @property
    def plain_text(self) -> str:
        return self._desk.text

    @property
    def is_composing(self) -> bool:
        """True while an input method composes in the text."""
        return composes(self._desk.view.editor)

    def is_writer_at(self, node_id: str) -> bool:
        """Tell whether a node is in the text: there the caret shows it."""
        return node_id in self._work.document.path

    def reveal(self, node_id: str) -> None:
        self._desk.place.reveal(node_id)

    def edit_node(self, node_id: str) -> None:
        self._desk.place.edit(node_id)

    def replace_text(self, node_id: str, text: str, pen: EditContext) -> None:
        document = self._work.document
        document.commit(node_edits.edit_as_version(document.tree, node_id, text, pen))

    def find(self) -> None:
        self._bench.frame.bring_text()
        self._desk.search.begin()

    def mark_terms(self, wanted: tuple[str, ...], node_id: str = "") -> None:
        self._desk.search.mark_terms(wanted)

    def colour_anew(self) -> None:
        self._desk.view.editor.colour_anew()

    def show_composed(self, text: str) -> None:
        """Show nothing: what stands in the composer is not sent from a buffer."""

    # Siblings and versions: of the caret's passage, or of a card beside the text

    def has_siblings(self) -> bool:
        """True if the passage of the caret, or what streams after it, has another beside it."""
        return self._desk.stepping.has_siblings() or len(navigate.living_siblings(self._work.document)) > 1

    def step_sibling(self, by: int) -> None:
        if not self._desk.stepping.step_sibling(by):
            navigate.step_sibling(self._bench, by)

    def step_version(self, by: int) -> None:
        if not self._desk.stepping.step_version(by):
            navigate.step_version(self._bench, by)
