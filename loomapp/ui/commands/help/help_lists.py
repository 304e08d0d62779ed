"""Lists of the help page: uses of the program, signs and their meanings, places of the user's data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from loomapp import logs, places
from loomapp.core.settings.setting import Settings
from loomapp.providers import endpoints
from loomapp.store.backups.backup import backups_folder
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.files.media import media_folder
from loomapp.store.files.settings_file import settings_path
from loomapp.ui.graph.painting import edges, overlay
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.words.context_words import REASON_ICONS, reason_words
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON, refused_words

SIGN_PX, SPACING_PX = 16, 2
ICON_ROOM_PX = 12
PICTURE_RATIO = 2  # pixels of a file for one that is shown
HEADING_ROLE = Qt.ItemDataRole.UserRole
VALUE_ROLE = Qt.ItemDataRole.UserRole + 1


class HelpRow(NamedTuple):
    """Words below a heading, with the icon that they explain; `value` is copied in their place. A heading has
    the picture of its first row.
    """

    heading: str
    words: str
    icon: str = ""
    role: str = "text.secondary"
    value: str = ""
    picture: str = ""


class _WrappedRows(QStyledItemDelegate):
    """Rows as high as their words are in the room beside the icon, which Qt leaves out of account."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        narrower = QStyleOptionViewItem(option)
        narrower.rect = option.rect.adjusted(0, 0, -ICON_ROOM_PX, 0)
        return super().sizeHint(narrower, index)


class HelpList(QListWidget):
    """Rows of help. Long ones wrap; headings cannot be chosen."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setWordWrap(True)
        self.setItemDelegate(_WrappedRows(self))
        self.setSpacing(SPACING_PX)
        self.setResizeMode(QListView.ResizeMode.Adjust)  # or rows keep the height of another width
        self.setIconSize(QSize(SIGN_PX, SIGN_PX))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def show_rows(self, rows: Iterable[HelpRow]) -> None:
        """Show rows, a heading before the first of each; the same row stays current."""
        current = max(0, self.currentRow())
        self.clear()
        heading = ""
        for row in rows:
            if row.heading != heading:
                heading = row.heading
                item = QListWidgetItem(heading, self)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                item.setFont(theme.font("ui_strong"))
                if row.picture:
                    self._add_picture(row)
            item = QListWidgetItem(row.words, self)
            item.setData(HEADING_ROLE, heading)
            item.setData(VALUE_ROLE, row.value)
            if row.icon:
                item.setIcon(theme.icon(row.icon, row.role, filled=row.icon == "bookmark"))
        first = 2 if self.item(1).flags() == Qt.ItemFlag.NoItemFlags else 1
        self.setCurrentRow(max(first, min(current, self.count() - 1)))

    def _add_picture(self, row: HelpRow) -> None:
        """Add a picture below the heading that was added last; a screen reader has the rows' words."""
        picture = QPixmap(str(places.resource(f"help/{row.picture}-{theme.current_name()}.png")))
        picture.setDevicePixelRatio(PICTURE_RATIO)
        item, shown = QListWidgetItem(self), label("")
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, tr("Picture: {use}").format(use=row.heading))
        item.setSizeHint(picture.deviceIndependentSize().toSize() + QSize(0, 2 * SPACING_PX))
        shown.setPixmap(picture)
        self.setItemWidget(item, shown)

    def search(self, wanted: Sequence[str]) -> int:
        """Show the rows that have all of the words, here or in their heading; return how many there are."""
        found, heading, below = 0, None, 0
        for place in range(self.count()):
            item = self.item(place)
            words = item.data(HEADING_ROLE)
            if item.flags() == Qt.ItemFlag.NoItemFlags:
                item.setHidden(bool(wanted))
                continue
            if words is None:
                _hide_empty(heading, below)
                heading, below = item, 0
                continue
            is_found = all(word in f"{words} {item.text()}".casefold() for word in wanted)
            item.setHidden(not is_found)
            below += is_found
            found += is_found
        _hide_empty(heading, below)
        return found

    @property
    def value(self) -> str:
        """Return the value of the current row, empty if it is not shown or has none."""
        item = self.currentItem()
        return "" if item is None or item.isHidden() else str(item.data(VALUE_ROLE) or "")


def _hide_empty(heading: QListWidgetItem | None, below: int) -> None:
    if heading is not None:
        heading.setHidden(not below)


def use_rows() -> list[HelpRow]:
    """Return three ways to use the program, each with its steps."""
    chat, buffer, study = tr("Branch a chat"), tr("Write in a buffer"), tr("Study a model")
    return [
        HelpRow(
            chat,
            tr(
                "Type, choose how many answers, press Generate: the answers grow as cards in the graph, the "
                "first of them in the dialogue beside it."
            ),
            "message-square",
            picture="chat",
        ),
        HelpRow(
            chat,
            tr(
                "A double click on a card reads its path, the + at its edge goes on from there. An edit "
                "makes a new message, and the old path stays."
            ),
            "plus",
        ),
        HelpRow(
            chat,
            tr(
                "A card dragged onto another goes along as context or as instruction. Several agents can "
                "answer at once."
            ),
            "layers",
        ),
        HelpRow(
            buffer,
            tr(
                "One continuous text: model words in the model’s colour, yours in ink. Generate goes on from "
                "the caret, ‹\u00a02/3\u00a0› shows the other ways on."
            ),
            "book-open",
            picture="buffer",
        ),
        HelpRow(
            buffer,
            tr(
                "Correct a word anywhere: only that passage gets a version, everything after it stays. "
                "Fill in writes at the caret, where a model can."
            ),
            "pencil",
        ),
        HelpRow(
            study,
            tr("The inspector says what will be sent and why, to the character."),
            "list-filter",
            picture="study",
        ),
        HelpRow(
            study,
            tr(
                "“What was this sent?” shows the context of any answer as it was then. "
                "“What if…” tries another context side by side; several strategies, models and variants are "
                "asked and compared."
            ),
            "diff",
        ),
        HelpRow(
            study,
            tr("A tree goes out with its evidence and is verified elsewhere."),
            "shield-check",
        ),
        *_word_rows(),
    ]


def _word_rows() -> list[HelpRow]:
    words = (
        tr("Grove: a file of trees, with its agents and its history."),
        tr("Tree: all that grew from one beginning. A dialogue is read as messages, a buffer as one text."),
        tr("Node: one message, passage or note; a card in the graph. It is never changed once it is made."),
        tr("Path: the nodes from the beginning to an end. One of them is read, and drawn thick."),
        tr("Fork: a node that several follow, its siblings. Each with all that follows it is a branch."),
        tr("Version: an edit of a node, which stands in its place."),
        tr("Passage: one node of a buffer, as it stands in the text."),
        tr("Agent: who writes. A person, or a model with its prompt and settings."),
        tr("Endpoint: the server at which a model is asked."),
        tr(
            "Context: what a model is sent for an answer. An excluded node stays on the path and is not sent."
        ),
        tr("System context: what a model is told before all messages."),
        tr(
            "Token: a piece of a word, in which models count. Context window: how many a model reads at once."
        ),
        tr("Evidence: the server’s own response and what it was sent, kept with each answer."),
        tr("Draft: words that are in no message yet. They are kept on disk all the same."),
    )
    return [HelpRow(tr("Words used here"), row) for row in words]


LINES = ("", "primary", "context", "instruction", "note")
MUTED = "text.muted"


def sign_rows() -> list[HelpRow]:
    """Return every sign with its meaning, by the place where it stands."""
    return [
        *_on_cards(),
        *_at_the_pointer(),
        *_lines(),
        *_on_messages(),
        *_in_the_outline(),
        *_in_the_context(),
    ]


def _on_cards() -> list[HelpRow]:
    return _rows(
        tr("On cards, and some of them on messages and in the outline"),
        ("bookmark", "accent.base", tr("Bookmarked")),
        ("hash", MUTED, tr("Tagged")),
        ("sticky-note", MUTED, tr("Notes, and how many")),
        ("history", MUTED, tr("Versions, and how many; without a number: edited from another")),
        ("file-text", MUTED, tr("Summed up in one sentence")),
        ("image", MUTED, tr("Image attached")),
        ("image-off", MUTED, tr("Image attached, of which only the name is sent")),
        ("paperclip", MUTED, tr("Document attached")),
        ("circle-pause", "state.interrupted", tr("Stopped, or cut short")),
        ("arrow-right-to-line", "state.warning", tr("Cut at its limit; Continue goes on")),
        ("circle-pause", "state.warning", tr("Nothing came yet")),
        ("refresh-cw", "state.warning", tr("Waits, and is asked again by itself")),
        ("circle-alert", "state.error", tr("Failed: the card says why, and what helps")),
        ("check", "accent.base", tr("Goes along, as context, instruction or note")),
        ("merge", MUTED, tr("Sent as one with the message above")),
        ("scissors", MUTED, tr("No room, or sent in part")),
        ("eye-off", MUTED, tr("Excluded from the context")),
        ("leaf", MUTED, tr("Deleted; it can be restored")),
        ("minus", MUTED, tr("Empty, not sent")),
        ("info", MUTED, tr("Instruction, and no system context to send it in")),
        (REFUSED_ICON, MUTED, refused_words()),
        ("", "", tr("Dot at the corner: new, and not read yet")),
        ("", "", tr("Sheets behind a card: there are other versions")),
        ("", "", tr("Number with a plus at the edge: so many cards are folded")),
    )


def _at_the_pointer() -> list[HelpRow]:
    tools = dict.fromkeys((*overlay.TOOLS, overlay.INCLUDE, overlay.UNMARK, *overlay.PRUNED_TOOLS))
    generate = overlay.tip("plus", excluded=False, bookmarked=False)
    return _rows(
        tr("On the card under the pointer"),
        ("plus", "", generate),
        *((tool.icon, "", tr(tool.tip)) for tool in tools),
    )


def _lines() -> list[HelpRow]:
    return _rows(tr("Lines between cards"), *(("", "", edges.tip(kind)) for kind in LINES))


def _on_messages() -> list[HelpRow]:
    return _rows(
        tr("On messages"),
        ("sticky-note", "state.warning", tr("Note on this message")),
        ("scissors", MUTED, tr("Not all is sent beyond this line")),
        ("corner-down-right", MUTED, tr("Sent again from this line on")),
        ("file-text", "", tr("Summary, sent in place of what it covers")),
        ("triangle-alert", "state.warning", tr("Summary of what was changed since")),
        ("loader-circle", "accent.base", tr("Command of an agent that is being carried out")),
        ("check", "state.success", tr("Command of an agent that was carried out")),
        ("x", "state.error", tr("Command of an agent that was refused")),
        ("hand", "state.warning", tr("Command of an agent that waits for you")),
    )


def _in_the_outline() -> list[HelpRow]:
    return _rows(
        tr("In the outline"),
        ("", "", tr("Number before a row: how deep it stands. Rows with the same number are alternatives.")),
        ("", "", tr("Dots: the alternatives, in the colours of who wrote them; the filled one is read")),
        ("", "", tr("Square among the dots: an edited message")),
        ("history", MUTED, tr("Versions, and how many")),
        ("git-branch", MUTED, tr("Ways on from here, and how many")),
        ("ellipsis-vertical", MUTED, tr("Messages without a fork, folded into one row")),
        ("sticky-note", MUTED, tr("Note")),
        ("", "", tr("Dot at the right: written by another program, or a branch without a summary")),
    )


def _in_the_context() -> list[HelpRow]:
    return _rows(
        tr("In the Context tab"),
        ("check", "accent.base", tr("Sent; a click leaves it out")),
        *(
            (icon, MUTED, tr("Not sent: {why}").format(why=reason_words(reason)))
            for reason, icon in REASON_ICONS.items()
        ),
        ("scissors", "accent.base", tr("No room for messages at this place")),
        ("info", MUTED, tr("Good to know")),
        ("triangle-alert", "state.warning", tr("To be looked at before you send")),
    )


def _rows(heading: str, *signs: tuple[str, str, str]) -> list[HelpRow]:
    return [HelpRow(heading, words, icon, role or "text.secondary") for icon, role, words in signs]


def data_rows(grove: Path, settings: Settings) -> list[HelpRow]:
    """Return every place where something is kept, with its path to be copied."""
    here, elsewhere = tr("This grove"), tr("All groves")
    grove = grove.absolute()
    rows = [
        (here, tr("Trees: one file"), grove),
        (here, tr("Images and attachments"), media_folder(grove)),
        (here, tr("Backups"), backups_folder(grove)),
        (here, tr("Words that are in no message yet"), drafts_folder(grove)),
    ]
    if settings.mirror_folder:
        rows.append((here, tr("Mirror: every tree as Markdown"), Path(settings.mirror_folder).expanduser()))
    rows += [
        (elsewhere, tr("Settings, yours to edit by hand"), settings_path()),
        (elsewhere, tr("Endpoints of your own"), endpoints.settings_file()),
        (elsewhere, tr("Local models"), places.model_folder()),
        (elsewhere, tr("Log, without keys and without your texts"), logs.log_file()),
        (elsewhere, tr("Where each window was left, and what models refused"), places.state_folder()),
    ]
    return [HelpRow(heading, f"{words}\n{path}", value=str(path)) for heading, words, path in rows]
