"""Three uses of the program, as the help page tells them."""

from __future__ import annotations

from loomapp.ui.commands.help.help_list import HelpRow
from loomapp.ui.strings import tr


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
    ]
