"""Signs of the window and their meanings, as the help page tells them, in the words of their tips."""

from __future__ import annotations

from loomapp.ui.commands.help.help_list import HelpRow
from loomapp.ui.graph.painting import edges, overlay
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.context_words import REASON_ICONS, reason_words
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON, refused_words

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
