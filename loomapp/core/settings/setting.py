"""Settings: their values, one frozen value with defaults; and each as a row, with place, words and kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.context.truncation import BUFFER_MARKER, CONTINUE, DEFAULT_STRATEGY, DIALOGUE_MARKER
from loomapp.core.dataclass import dataclass
from loomapp.core.model.economy_settings import (
    AUTO,
    BY_NAME,
    COMPACT,
    CONVERSATION,
    NOTHING_OWN,
    OFF,
    STORY,
    SUMMARIES,
    THRESHOLDS,
    WORK,
    Economy,
    EconomySettings,
    in_force,
)
from loomapp.core.model.economy_settings import DEFAULTS as ECONOMY
from loomapp.core.sentences import worded

Value: TypeAlias = str | int | float | bool
KeyTable: TypeAlias = Mapping[str, tuple[str, ...]]  # name of an action -> its keys, none at all if empty


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force. Field names are those of the registry; their defaults are the program's own."""

    theme: str = "system"
    scale_percent: int = 100
    reduced_motion: bool = False
    message_size_px: int = 15
    prose_size_px: int = 18
    prose_measure: int = 66
    prose_font: str = "serif"
    prose_spacing: int = 100
    enter_sends: bool = False
    continuations: int = 3
    authorship: str = "colour"
    passage_boundaries: bool = True
    typewriter_scrolling: bool = False
    ghost_preview: bool = False
    spelling: str = "off"
    truncation_strategy: str = DEFAULT_STRATEGY
    minimum_recent_nodes: int = 4
    token_buffer: int = 1024
    instruction_scope: str = "path"
    dialogue_marker: str = DIALOGUE_MARKER
    buffer_marker: str = BUFFER_MARKER
    continue_text: str = CONTINUE
    buffer_mode_system_context: bool = False
    ask_above_tokens: int = 200_000
    one_liners: bool = False
    backup_folder: str = ""
    backup_minutes: int = 10
    backup_cap_gb: int = 4
    mirror_folder: str = ""
    mcp_read: bool = True
    mcp_write: bool = True
    mcp_ask_models: str = "local"
    mcp_http: str = "off"
    key_preset: str = "loomapp"
    keys: KeyTable = field(default_factory=dict)
    economy: EconomySettings = NOTHING_OWN  # what of it is set, inherited by every tree

    @property
    def context(self) -> AppContextSettings:
        return AppContextSettings(
            self.truncation_strategy,
            self.minimum_recent_nodes,
            self.token_buffer,
            self.instruction_scope,
            self.dialogue_marker,
            self.buffer_marker,
            self.continue_text,
            in_force(ECONOMY, self.economy, NOTHING_OWN),
        )

    def value(self, name: str) -> Value:
        """The value of one setting. Raises: AttributeError for a name that is not in the registry."""
        if is_of_economy(name):
            return _economy_value(self.context.economy, name)
        found = getattr(self, name)
        assert isinstance(found, Value), "keys have a table of their own"
        return found

    def with_value(self, name: str, value: Value) -> Settings:
        if is_of_economy(name):
            return replace(self, economy=_with_economy_value(self.economy, name, value))
        return replace(self, **{name: value})  # type: ignore[arg-type]  # the name tells the type


def is_of_economy(name: str) -> bool:
    """True for a setting of context economy, which stand in a value of their own."""
    return name.partition(".")[0] in BY_NAME


def _economy_value(economy: Economy, name: str) -> Value:
    """Return a value; of texts that are not set the empty one."""
    first, _, kind = name.partition(".")
    found = (economy.summary_prompts or {}).get(kind) if kind else getattr(economy, first)
    assert found is None or isinstance(found, Value), "prompts are named by their kinds"
    return "" if found is None else found


def _with_economy_value(economy: EconomySettings, name: str, value: Value) -> EconomySettings:
    first, _, kind = name.partition(".")
    prompts = {**(economy.summary_prompts or {}), kind: value}
    return replace(economy, **{first: prompts if kind else value})  # type: ignore[arg-type]  # likewise


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; each with what it is called."""

    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in a range."""

    lowest: int
    highest: int
    step: int = 1
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no, and what each is called."""

    on: str = "On"
    off: str = "Off"


@dataclass(frozen=True, slots=True)
class WindowShare:
    """A share of a model's window, 0.5 for a half."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its whole path, or nothing for the usual one."""

    usual: str


@dataclass(frozen=True, slots=True)
class TextSetting:
    """A text that is sent as it stands. `fault` says what is wrong with one; None if nothing is."""

    fault: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class FreeText:
    """A few words, or none: `usual` says what holds then. A field of several lines shows `example`."""

    usual: str
    lines: int = 1
    example: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPrompt:
    """The prompt of a kind of summaries; none: the usual one."""

    summary_kind: str


Kind: TypeAlias = Choice | Number | Switch | WindowShare | Folder | TextSetting | FreeText | SummaryPrompt


def checked(kind: Kind, value: object) -> Value:
    """Return the value if it is of its kind. Raises: ValueError whose argument says what it must be."""
    match kind:
        case Choice(options) if value not in [name for name, _ in options]:
            names = ", ".join(f'"{name}"' for name, _ in options)
            raise ValueError(worded("must be one of {names}", names=names))
        case Number(lowest, highest) if (
            not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest
        ):
            raise ValueError(
                worded("must be a whole number from {lowest} to {highest}", lowest=lowest, highest=highest)
            )
        case Switch() if not isinstance(value, bool):
            raise ValueError("must be true or false")
        case WindowShare() if (
            not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf")
        ):
            raise ValueError("must be a number from 0 on")
        case Folder() if not isinstance(value, str) or "\0" in value:
            raise ValueError("must be a folder's path in quotes")
        case TextSetting() | FreeText() | SummaryPrompt() if not isinstance(value, str):
            raise ValueError("must be a text in quotes")
        case TextSetting(fault) if isinstance(value, str) and (wrong := fault(value)) is not None:
            raise ValueError(wrong)
    assert isinstance(value, Value), "checked above"
    return value


Section: TypeAlias = Literal["appearance", "writing", "context", "economy", "backups", "mcp", "keys"]
AT_NEXT_START = "from the next start"
AT_NEXT_CALL = "at their next call"
WHERE_INHERITED = "unless a tree has its own"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: its place in the file (`section.key`), its field of `values.Settings`, words and values."""

    section: Section
    key: str
    field: str
    kind: Kind
    title: str
    help: str
    applies: str = "at once"

    @property
    def default(self) -> Value:
        """The value until somebody changes it."""
        return DEFAULTS.value(self.field)


MOST_RECENT = 999
MADE_OF = ((AUTO, "By their messages"), (SUMMARIES, "By their summaries"))
KINDS = ((CONVERSATION, "Conversation"), (STORY, "Story"), (WORK, "Work"))
MAKING = (
    (OFF, "Only by hand"),
    (COMPACT, "At Generate, when full"),
    (THRESHOLDS, "When the context window fills up"),
)
PROMPT_HELP = "Tells the model how to write the summary"
KEPT = FreeText("nothing", 2, "What every summary must keep")
SHORTENED = Switch(on="Shorten when full", off="Not shortened")


def _row(field: str, kind: Kind, title: str, help_words: str) -> Setting:
    return Setting("economy", field, field, kind, title, help_words, WHERE_INHERITED)


ECONOMY_SETTINGS: tuple[Setting, ...] = (
    _row(
        "assembler",
        Choice(MADE_OF),
        "Named branches are sent",
        "Name one with Node → Name this branch…; its summary is in the Summaries tab",
    ),
    _row(
        "use_summaries",
        Switch(on="Used", off="Not used"),
        "Summaries",
        "Sent in place of the messages they cover",
    ),
    _row(
        "make_summaries", Choice(MAKING), "Summaries are made", "When the start of a long path is summarised"
    ),
    _row(
        "soft_threshold",
        WindowShare(),
        "Summarise after an answer",
        "When the context is fuller than this; you can go on writing meanwhile",
    ),
    _row(
        "hard_threshold",
        WindowShare(),
        "Summarise before sending",
        "When the context is fuller than this; your message waits for it",
    ),
    _row(
        "min_recent_messages",
        Number(1, MOST_RECENT),
        "Newest messages never summarised",
        "At least this many stay below a summary",
    ),
    _row(
        "summary_model",
        FreeText("the model that is asked"),
        "Summarised by",
        "Another model, as provider:model",
    ),
    _row("summary_kind", Choice(KINDS), "Kind of text", "Decides what a summary must hold"),
    _row(
        "summary_prompts.conversation",
        SummaryPrompt(CONVERSATION),
        "Prompt for a conversation",
        PROMPT_HELP,
    ),
    _row("summary_prompts.story", SummaryPrompt(STORY), "Prompt for a story", PROMPT_HELP),
    _row("summary_prompts.work", SummaryPrompt(WORK), "Prompt for work", PROMPT_HELP),
    _row("summary_keep", KEPT, "Always in a summary", "For example names, rules, a style"),
    _row("compression", SHORTENED, "Long attachments", "Documents and results of tools"),
    _row("compress_text", SHORTENED, "Long messages too", "Only where long attachments are shortened"),
)
BY_FIELD: Mapping[str, Setting] = {setting.field: setting for setting in ECONOMY_SETTINGS}
