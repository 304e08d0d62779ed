"""The workbench: all that a command may touch of a window, and the few verbs the window has for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol, TypeAlias

from PySide6.QtWidgets import QDockWidget, QMainWindow

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.session.workspace import Workspace
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.composer.composer import Composer
from loomapp.ui.composer.composer_rows import Waiting
from loomapp.ui.composer.text_pane import TextHead, TextPane, TextView
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.first_page.model_pill import Starters
from loomapp.ui.first_page.page import FirstPage
from loomapp.ui.frame.header import Header
from loomapp.ui.frame.notices import Announcer, Banner, FilesUnderWay, NextStep
from loomapp.ui.frame.pages import GraphPages, PartsOnDemand
from loomapp.ui.frame.status import Status
from loomapp.ui.graph.crumbs import Crumbs
from loomapp.ui.graph.view import GraphView
from loomapp.ui.inspector.pane import InspectorPane
from loomapp.ui.keys import Actions
from loomapp.ui.media.attachment_queue import AttachmentQueue
from loomapp.ui.media.pictures import Thumbnails
from loomapp.ui.palette.palette import CommandPalette
from loomapp.ui.side_bar.side_bar import SideBar
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.trees.tree_settings import TreeSettingsPage
from loomapp.ui.unsaved.open_edits import Writings
from loomapp.ui.unsaved.unsaved import Offers, UnsavedThings
from loomapp.ui.widgets.error_strip import Tone
from loomapp.ui.widgets.words.outcome_words import FateWords


class Closable(Protocol):
    """A QObject that has something to end before the grove is closed."""

    def close(self) -> None:
        """End it; takes no longer than half a second."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """A Closable of a function that is called at the end."""

    close: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Views:
    """The widgets of a window that commands touch. `window` is the parent of menus and dialogs."""

    window: QMainWindow
    graph: GraphView
    crumbs: Crumbs
    pages: GraphPages
    settings_page: TreeSettingsPage
    text_dock: QDockWidget
    text_pane: TextPane
    text_head: TextHead
    dialogue: DialogueView
    composer: Composer
    first_page: FirstPage
    starters: Starters
    inspector: InspectorPane
    inspector_dock: QDockWidget
    side_bar: QDockWidget
    side_parts: SideBar
    tree_list: TreeList
    palette_box: CommandPalette
    header: Header
    banner: Banner
    files: FilesUnderWay
    status: Status
    announcer: Announcer
    thumbnails: Thumbnails


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Things that wait: for the file, for the user, or to be read."""

    unsaved: UnsavedThings
    offers: Offers
    writings: Writings
    reader: AttachmentQueue
    question: Waiting


class Display(Protocol):
    """The views as one: what happens is shown in them by itself; the rest commands ask for."""

    is_showing_pruned: bool

    def show_agents(self) -> None: ...

    def show_path(self) -> None: ...

    def show_tree_settings_values(self) -> None: ...

    def set_show_pruned(self, shown: bool) -> None: ...

    def fate_words_of(self, node_id: str) -> FateWords:
        """Return what becomes of a node in the coming context."""


class Frame(Protocol):
    """The verbs of a window, which the window itself implements."""

    def run_command(self, command: Command) -> None:
        """Run a command; an answer that is only offered is settled first, an error is shown."""

    def run_beside_text(self, command: Command) -> None:
        """Run a command that neither reads nor moves the text."""

    def note(self, text: str) -> None: ...

    def show_error(self, error: LoomError) -> None:
        """Show what happened and its next step, above the composer."""

    def offer(self, sentence: str, action: str, step: Callable[[], None], *, tone: Tone = "warning") -> None:
        """Offer a next step to press, with a sentence."""

    def offer_several(self, sentence: str, steps: Sequence[NextStep], *, tone: Tone = "warning") -> None:
        """Offer several next steps: the name, the words and the act of each."""

    def bring_graph(self) -> None: ...

    def bring_text(self) -> None: ...

    def bring_inspector(self) -> None: ...

    def toggle_inspector_fold(self) -> None: ...

    @property
    def is_inspector_folded(self) -> bool: ...

    def toggle_focus_mode(self) -> None:
        """Give the pane one is in the whole screen, or show everything again."""

    @property
    def is_focused(self) -> bool: ...

    def open_tree(
        self,
        tree_id: str,
        then: Callable[[], None] = ...,
        *,
        within: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Show a tree of the grove, then do something in it. Raises: GroveError."""

    def open_grove(self, path: Path) -> None: ...

    def new_grove(self, path: Path) -> None: ...

    def quit(self) -> None: ...

    def keep_until_closed(self, part: Closable) -> None: ...

    def let_go(self, part: Closable) -> None: ...

    @property
    def display(self) -> Display: ...

    @property
    def text(self) -> TextView: ...

    @property
    def buffer(self) -> TextDesk: ...


@dataclass(frozen=True, slots=True)
class Workbench:
    """Window as commands know it."""

    work: Workspace
    views: Views
    unfinished: Unfinished
    actions: Actions
    parts: PartsOnDemand
    frame: Frame

    @property
    def display(self) -> Display:
        return self.frame.display

    @property
    def text(self) -> TextView:
        return self.frame.text

    @property
    def buffer(self) -> TextDesk:
        return self.frame.buffer

    @property
    def pressed_id(self) -> str:
        """Return the message that was pressed, as long as the dialogue has the keyboard; "" for none."""
        pressed = self.views.dialogue.selecting.pressed
        return pressed if pressed in self.work.document.path else ""

    @property
    def meant_id(self) -> str:
        """Return the node that an action on a message is for: the pressed one, else the current one, which
        alone Generate continues.
        """
        return self.pressed_id or self.work.document.current_id


Command: TypeAlias = Callable[[Workbench], object]
