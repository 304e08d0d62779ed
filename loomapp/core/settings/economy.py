"""Settings of context economy that every tree inherits, in the words of a tree's own settings."""

from __future__ import annotations

from collections.abc import Mapping

from loomapp.core.model.economy_settings import (
    AUTO,
    COMPACT,
    CONVERSATION,
    OFF,
    STORY,
    SUMMARIES,
    THRESHOLDS,
    WORK,
)
from loomapp.core.settings.setting import (
    WHERE_INHERITED,
    Choice,
    FreeText,
    Kind,
    Number,
    Setting,
    SummaryPrompt,
    Switch,
    WindowShare,
)

MOST_RECENT = 999
MADE_OF = ((AUTO, "Messages"), (SUMMARIES, "Summaries of the branches"))
KINDS = ((CONVERSATION, "Conversation"), (STORY, "Story"), (WORK, "Work"))
MAKING = (
    (OFF, "Only by hand"),
    (COMPACT, "At Generate, when full"),
    (THRESHOLDS, "When the window fills up"),
)
PROMPT_HELP = "That asks for its summary"
KEPT = FreeText("nothing", 2, "What every summary keeps in any case")
SHORTENED = Switch(on="Shorten when full")


def _row(field: str, kind: Kind, title: str, help_words: str) -> Setting:
    return Setting("economy", field, field, kind, title, help_words, WHERE_INHERITED)


ECONOMY_SETTINGS: tuple[Setting, ...] = (
    _row(
        "assembler",
        Choice(MADE_OF),
        "Older branches as",
        "Up to the last one that has a name",
    ),
    _row(
        "use_summaries",
        Switch(on="Used", off="Not used"),
        "Summaries",
        "Sent in place of the messages they cover",
    ),
    _row("make_summaries", Choice(MAKING), "Summaries are made", "Of the beginning of a long path"),
    _row("soft_threshold", WindowShare(), "After an answer, above", "Share of the window; you write on"),
    _row("hard_threshold", WindowShare(), "Before sending, above", "Share of the window; you wait for it"),
    _row(
        "min_recent_messages",
        Number(1, MOST_RECENT),
        "Newest messages that stay",
        "Never in a summary made unasked",
    ),
    _row("summary_model", FreeText("the model that is asked"), "Summarised by", "As provider:model"),
    _row("summary_kind", Choice(KINDS), "What is summarised", "Says what a summary must hold"),
    _row(
        "summary_prompts.conversation",
        SummaryPrompt(CONVERSATION),
        "Prompt for a conversation",
        PROMPT_HELP,
    ),
    _row("summary_prompts.story", SummaryPrompt(STORY), "Prompt for a story", PROMPT_HELP),
    _row("summary_prompts.work", SummaryPrompt(WORK), "Prompt for work", PROMPT_HELP),
    _row("summary_keep", KEPT, "Keep", "Names, rules, a style"),
    _row("compression", SHORTENED, "Long attachments", "Documents and results of tools"),
    _row("compress_text", SHORTENED, "Long messages too", "Plain text, if attachments are"),
)
BY_FIELD: Mapping[str, Setting] = {setting.field: setting for setting in ECONOMY_SETTINGS}
