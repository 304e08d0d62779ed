"""Dialogue as the text that commands are about: its messages; the next waits while an answer is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import Below, SiblingRetry, asked_again
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Image, becomes_node, composed, taken_apart
from loomapp.core.model.entities import message_text
from loomapp.core.paths import navigation
from loomapp.core.sentences import worded
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.commands import documents, navigate, node_actions, send
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.inspector import context as context_commands
from loomapp.ui.commands.inspector import forecast
from loomapp.ui.commands.save import save
from loomapp.ui.composer.text_pane import ReadyPlace
from loomapp.ui.dialogue.text.node_links import node_of_link
from loomapp.ui.media.attachment_queue import Offered
from loomapp.ui.media.attachment_reader import Attachment
from loomapp.ui.strings import step_words, told, tr
from loomapp.ui.workbench import Workbench

WAITING = (
    "Your message follows an answer that is still being written. Stop it, or send the message once it has"
    " ended."
)
LONG_PATH = 2_000  # nodes; from here on a message is saved first, and then it is asked what follows


class DialogueTextView:
    """The `TextView` of a window while a dialogue is read."""

    size_setting = "message_size_px"

    def __init__(self, bench: Workbench) -> None:
        self._bench, self._work, self._composer = bench, bench.work, bench.views.composer

    # Asking a model

    @property
    def why_waits(self) -> str:
        """Why a message waits below an answer that is no node yet: it is to follow that one. With nothing
        written, "": more answers are asked for beside it.
        """
        live = self._bench.views.dialogue.shown_draft
        is_to_come = live is not None and live.draft.error is None
        is_below = live is not None and live.parent_id == self._work.document.current_id
        return told(worded(WAITING)) if is_to_come and is_below and self._has_message else ""

    @property
    def _has_message(self) -> bool:
        return bool(self._composer.text.strip()) or bool(self._work.preview.attachments.blocks)

    def _refuse_below_answer(self) -> None:
        """Raises: InvalidInput if a message is to follow an answer that is still being written."""
        if self.why_waits:
            raise InvalidInput(worded(WAITING))

    @property
    def is_in_new_words(self) -> bool:
        """False: what stands in the composer is beside the current node."""
        return False

    def generate(self) -> None:
        """Commit what stands in the composer, if anything, and continue the current node.

        Raises: InvalidInput if that is to follow an answer that is still being written.
        """
        self._refuse_below_answer()
        if not self._bench.unfinished.reader.reading:
            self._work.preview.refuse()
        self._write_and_continue()

    def _write_and_continue(self) -> None:
        """Save the message and ask; what the disk did not take is saved once it does, sent or not."""
        bench, document = self._bench, self._work.document
        save.settle_edit(bench, document.current_id)
        tree, before = document.tree, document.current_id
        if not save.save_message(bench, self._write_and_continue):
            return
        node_id = document.current_id
        if node_id == before or len(document.path_ids) < LONG_PATH:
            self._continue_saved(node_id)
            return

        def ask() -> None:
            if document.tree is tree and node_id in tree.nodes:
                bench.frame.run_command(lambda _: self._continue_saved(node_id))

        own_turn = IdleTimer(bench.views.window)  # asking for so much takes as long again as saving
        own_turn.timeout.connect(ask)
        own_turn.timeout.connect(own_turn.deleteLater)
        own_turn.start()

    def _continue_saved(self, node_id: str) -> None:
        self._bench.views.pages.flush()
        self.continue_node(node_id)

    def make_ready(self, again: Callable[[], None]) -> ReadyPlace | None:
        """Commit the edit that is open and what stands in the composer; the text is read to its end there.

        Raises: InvalidInput if that is to follow an answer that is still being written.
        """
        self._refuse_below_answer()
        document = self._work.document
        save.settle_edit(self._bench, document.current_id)
        if not save.save_message(self._bench, again):
            return None
        document.place.read(document.current_id)
        return ReadyPlace(document.current_id, self._ask)

    def _ask(self, start: Callable[..., None], sources: Sources) -> None:
        send.send(self._bench, start, partial(self._work.preview.pending.sent, sources))

    def continue_node(self, node_id: str, *, follow: bool = False, agents: Sequence[Agent] = ()) -> None:
        """Ask for continuations of a node; the path goes on through the current one, or the followed."""
        node_id = save.settle_edit(self._bench, node_id)
        if follow or node_id == self._work.document.current_id:
            self._work.document.place.read(node_id)
        self._ask_below(node_id, agents)

    def retry_node(self, node_id: str, *, agents: Sequence[Agent] = ()) -> None:
        """Ask for more answers beside what a model wrote; for what a person wrote ask for answers to it."""
        node_id = save.settle_edit(self._bench, node_id)
        document = self._work.document
        match asked_again(document.tree, document.path, node_id):
            case Below():  # what follows it stays beside what comes
                self._ask_below(node_id, agents)
            case SiblingRetry(sources):
                send.ask_model(self._bench, sources, agents=agents)

    def retry_draft(self, key: str) -> None:
        self._work.generator.retry(key)

    def _ask_below(self, node_id: str, agents: Sequence[Agent]) -> None:
        sources = self._work.preview.pending.sources(node_id)
        send.ask_model(self._bench, sources, sends_pending=True, agents=agents)

    # Files that go along

    @property
    def takes_attachments(self) -> bool:
        """True: a message has them."""
        return True

    def said_of_notes(self) -> str:
        """Nothing: a note that goes along is a message of its own."""
        return ""

    def attach(self, offered: Sequence[Offered]) -> None:
        tree_id = self._work.document.tree.loom.id

        def enclose(attachments: list[Attachment]) -> None:
            enclosed = self._work.preview.attachments
            blocks = tuple(one.block for one in attachments)
            enclosed.put((*enclosed.of_tree(tree_id), *blocks), tree_id)
            self._composer.field.setFocus()

        self._bench.unfinished.reader.take(offered, enclose)

    def image_note(self, image: Image) -> str:
        """Return which agents take an image only by its name, and why."""
        return forecast.attached(image, self._work.preview.plans, self._work.document.media)

    # Undo: the composer has its own typing, while the keyboard is in it

    @property
    def can_undo_typing(self) -> bool:
        return self._is_in_composer and self._composer.edits.can_undo

    @property
    def can_redo_typing(self) -> bool:
        return self._is_in_composer and self._composer.edits.can_redo

    @property
    def can_redo_change(self) -> bool:
        return self._work.document.history.redo_label is not None

    def undo_typing(self) -> bool:
        """Take back a step of typing in the composer. False if there is none."""
        return self._is_in_composer and self._composer.undo_typing()

    def redo_typing(self) -> bool:
        return self._is_in_composer and self._composer.redo_typing()

    @property
    def _is_in_composer(self) -> bool:
        return self._composer.field.hasFocus()

    def undo_change(self) -> None:
        """Take back the newest change; the words of a message that goes stand in the empty composer again,
        but for those that another program wrote.
        """
        history = self._work.document.history
        change = history.undo(self._work.generator.answers.guard_undo)
        if change is None:
            return
        self._bench.frame.note(step_words(change.label))
        is_own = change.label == f"Undo {history.redo_label}"  # which names whoever else made a step
        written = [n for n in change.removed_nodes() if n.author_type == "human" and n.edited_from is None]
        enclosed = self._work.preview.attachments
        is_free = not self._composer.text and not enclosed.blocks
        if len(written) == 1 and is_free and is_own and change.kind == "write":
            text, blocks = taken_apart(written[0].content)
            enclosed.put(blocks)
            self._composer.start_over(text)

    def redo_change(self) -> None:
        """Do again what was taken back last; words that are a message again go from the composer."""
        change = self._work.document.history.redo()
        if change is None:
            return
        self._bench.frame.note(step_words(change.label))
        enclosed = self._work.preview.attachments
        written = composed(self._composer.text, enclosed.blocks)
        if written in [node.content for node in change.added_nodes()]:
            enclosed.clear()
            self._composer.start_over()

    # Reading and editing

    @property
    def plain_text(self) -> str:
        """The messages of the path, an empty line between two of them."""
        return "\n\n".join(filter(None, map(message_text, self._work.document.path.nodes)))

    @property
    def is_composing(self) -> bool:
        """False: what stands in the composer is saved only when it is sent."""
        return False

    def is_writer_at(self, node_id: str) -> bool:
        """Tell whether a node is the last message that is shown, or what an answer there that is none yet, or
        failed, follows.
        """
        live = self._bench.views.dialogue.shown_draft
        return node_id == (self._work.document.path_ids[-1] if live is None else live.parent_id)

    def reveal(self, node_id: str) -> None:
        """Bring a message into view; for a start without words the one after it."""
        document = self._work.document
        first = document.path_ids[1:2]
        is_start = bool(first) and document.tree.is_empty_root(node_id)
        self._bench.views.dialogue.reveal(first[0] if is_start else node_id)

    def edit_node(self, node_id: str) -> None:
        self._bench.views.dialogue.open_editor(node_id)

    def replace_text(self, node_id: str, text: str, pen: EditContext) -> None:
        """Commit a sibling of a message with another text; of the first message a tree of its own."""
        document = self._work.document
        tree = document.tree
        if tree.incoming(node_id) or tree.annotation_edges_into(node_id):
            change = node_edits.edit_as_sibling(tree, node_id, text, pen)
            document.commit(change)
            self._bench.views.announcer.say(tr("Edit saved") if change is not None else "")
        elif tree.nodes[node_id].text != text:
            document.add_tree(tree_edits.tree_from_edited_root(tree, text, document.pen()))
            self._bench.frame.note(tr("The first message starts a tree, so its edit is a new tree."))

    def find(self) -> None:
        self._bench.views.dialogue.search.begin()

    def mark_terms(self, wanted: tuple[str, ...], node_id: str = "") -> None:
        self._bench.views.dialogue.search.mark_terms(wanted, node_id)

    def colour_anew(self) -> None:
        """Do nothing: messages have no marks of spelling, and the composer's are put when it rests."""

    def show_composed(self, text: str) -> None:
        self._work.preview.set_composer_text(text)

    # Siblings and versions

    def has_siblings(self) -> bool:
        """True where the current message has siblings that are not pruned."""
        return len(navigate.living_siblings(self._work.document)) > 1

    def step_sibling(self, by: int) -> None:
        navigate.step_sibling(self._bench, by)

    def step_version(self, by: int) -> None:
        navigate.step_version(self._bench, by)


def add_message(bench: Workbench) -> None:
    """Commit what stands in the composer after the current node; no model is asked. Raises: InvalidInput
    where nothing stands there, or it is to follow an answer that is still being written.
    """
    _add_after(bench, bench.work.document.current_id)


def add_beside(bench: Workbench) -> None:
    """Commit what stands in the composer as another way on beside the current node; no model is asked.

    Raises: InvalidInput where nothing stands there.
    """
    document = bench.work.document
    parent_id = navigation.parent(document.tree, document.current_id)
    assert parent_id is not None, "only what follows another node has a place beside it"
    _add_after(bench, parent_id)


def _add_after(bench: Workbench, node_id: str) -> None:
    composer, enclosed = bench.views.composer, bench.work.preview.attachments
    if not becomes_node(composer.text, enclosed.blocks):
        raise InvalidInput(tr("Write the message below first: it is added without asking a model."))
    if node_id == bench.work.document.current_id and bench.text.why_waits:
        raise InvalidInput(worded(WAITING))
    if not navigation.lives(bench.work.document.tree, node_id):
        raise InvalidInput(tr("What this message would follow is deleted: restore it first, then add it."))
    bench.views.pages.flush()
    node_id = save.settle_edit(bench, node_id)
    bench.work.document.place.set_current(node_id)
    save.save_message(bench, partial(_add_after, bench, node_id))


def wire(bench: Workbench) -> None:
    dialogue, run = bench.views.dialogue, bench.frame.run_command
    dialogue.node_clicked.connect(lambda i: graph_commands.mean(bench, i))
    dialogue.sibling_chosen.connect(lambda i: run(lambda w: w.work.document.place.read_through(i)))
    dialogue.edit_committed.connect(lambda i, text: run(lambda w: save.save_edit(w, i, text)))
    dialogue.retry_asked.connect(lambda i: run(lambda w: node_actions.retry(w, i)))
    dialogue.exclude_asked.connect(lambda i: run(lambda w: node_actions.toggle_excluded_of(w, i)))
    dialogue.exclude_branch_asked.connect(lambda i: run(lambda w: graph_commands.exclude_branch(w, [i])))
    dialogue.sent_asked.connect(lambda i: run(lambda w: context_commands.show_sent_of(w, i)))
    dialogue.note_toggled.connect(lambda i: run(lambda w: node_actions.toggle_note(w, i)))
    dialogue.bookmark_asked.connect(lambda i: run(lambda w: node_actions.toggle_bookmark_of(w, i)))
    dialogue.selecting.pressed_changed.connect(bench.actions.refresh)
    dialogue.draft_chosen.connect(bench.work.generator.answers.read_draft)
    dialogue.draft_chosen.connect(bench.views.graph.set_read_draft)
    dialogue.suggestion_chosen.connect(partial(suggest, bench))
    dialogue.link_asked.connect(partial(follow_link, bench))
    dialogue.search.bar.words_changed.connect(bench.views.graph.mark_words)
    dialogue.search.bar.closed.connect(lambda: bench.views.graph.mark_words(""))

    composer, actions = bench.views.composer, bench.actions
    composer.text_changed.connect(partial(_show_composed, bench))
    composer.text_changed.connect(lambda _: actions.refresh())
    composer.generate_asked.connect(actions.by_name["generate"].trigger)
    composer.stop_asked.connect(lambda: bench.frame.run_beside_text(node_actions.stop_answers))


def follow_link(bench: Workbench, href: str) -> None:
    """Go to the node of a link, or ask about an address."""
    node_id = node_of_link(href)
    if node_id is None:
        navigate.ask_for_link(bench, href)
    elif documents.is_document(bench, node_id):
        documents.open_document(bench, node_id)
    elif node_id in bench.work.document.tree.nodes:
        graph_commands.mean(bench, node_id)


def suggest(bench: Workbench, text: str) -> None:
    """Put a suggestion into the composer, to be changed or sent."""
    bench.views.composer.set_text(text)
    bench.views.composer.field.setFocus()


def _show_composed(bench: Workbench, text: str) -> None:
    bench.text.show_composed(text)
