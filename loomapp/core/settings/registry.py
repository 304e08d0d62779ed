"""The registry of settings: each with its place in the file, its kind and check, and its words for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from loomapp.core.context.truncation import FAULTS, STRATEGIES
from loomapp.core.sentences import worded
from loomapp.core.settings.values import DEFAULTS, Settings, Value


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
    """Yes or no."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its whole path, or nothing for the usual one."""

    usual: str


@dataclass(frozen=True, slots=True)
class TextSetting:
    """A text that is sent as it stands. `fault` says what is wrong with one; None if nothing is."""

    fault: Callable[[str], str | None]


Kind: TypeAlias = Choice | Number | Switch | Folder | TextSetting


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
        case Folder() if not isinstance(value, str) or "\0" in value:
            raise ValueError("must be a folder's path in quotes")
        case TextSetting() if not isinstance(value, str):
            raise ValueError("must be a text in quotes")
        case TextSetting(fault) if isinstance(value, str) and (wrong := fault(value)) is not None:
            raise ValueError(wrong)
    assert isinstance(value, Value), "checked above"
    return value


Section: TypeAlias = Literal["appearance", "writing", "context", "backups", "mcp", "keys"]

SECTIONS: tuple[tuple[Section, str], ...] = (
    ("appearance", "Appearance"),
    ("writing", "Writing"),
    ("context", "What is sent"),
    ("backups", "Backups"),
    ("mcp", "Other programs (MCP)"),
    ("keys", "Keys"),
)
KEY_PRESETS = ("loomapp", "tapestry", "loomsidian")


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


AT_NEXT_START = "from the next start"
AT_NEXT_CALL = "at their next call"
WHERE_INHERITED = "in every tree that has no value of its own"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "appearance",
        "theme",
        "theme",
        Choice((("system", "As the system"), ("dark", "Dark"), ("light", "Light"))),
        "Theme",
        "Dark, light, or as the system has it",
    ),
    Setting(
        "appearance",
        "scale",
        "scale_percent",
        Number(100, 200, 5, "%"),
        "Scale",
        "Of everything in the window",
        AT_NEXT_START,
    ),
    Setting(
        "appearance",
        "reduced_motion",
        "reduced_motion",
        Switch(),
        "Reduced motion",
        "Nothing slides or fades; the graph is there at once",
    ),
    Setting(
        "appearance",
        "message_size",
        "message_size_px",
        Number(13, 22, 1, "px"),
        "Text of messages",
        "In the dialogue and the composer",
        AT_NEXT_START,
    ),
    Setting(
        "appearance",
        "prose_size",
        "prose_size_px",
        Number(14, 28, 1, "px"),
        "Text of a buffer",
        "The serif that prose is written in",
        AT_NEXT_START,
    ),
    Setting(
        "appearance",
        "prose_measure",
        "prose_measure",
        Number(45, 100, 1, "characters"),
        "Line of a buffer",
        "About how many characters a line of prose holds",
        AT_NEXT_START,
    ),
    Setting(
        "writing",
        "enter_sends",
        "enter_sends",
        Switch(),
        "Enter sends",
        "Then Ctrl+Enter begins a new line, unless another action has that key",
    ),
    Setting(
        "writing",
        "continuations",
        "continuations",
        Number(1, 8),
        "Continuations",
        "How many answers Generate asks for, until the composer says otherwise",
    ),
    Setting(
        "writing",
        "authorship",
        "authorship",
        Choice((("colour", "Colour"), ("margin", "Margin only"), ("off", "Off"))),
        "Authorship in a buffer",
        "How the text shows who wrote what",
    ),
    Setting(
        "writing",
        "passage_boundaries",
        "passage_boundaries",
        Switch(),
        "Boundaries of passages",
        "A thin line in a buffer where one passage ends and the next begins",
    ),
    Setting(
        "writing",
        "typewriter_scrolling",
        "typewriter_scrolling",
        Switch(),
        "Typewriter scrolling",
        "The line that is written in a buffer stays in the middle",
    ),
    Setting(
        "writing",
        "ghost_preview",
        "ghost_preview",
        Switch(),
        "Ghost preview",
        "In a buffer answers are only offered after the text: Tab takes one, Esc dismisses it",
    ),
    Setting(
        "writing",
        "spelling",
        "spelling",
        Choice(
            (
                ("off", "Off"),
                ("en_US", "English (US)"),
                ("en_GB", "English (UK)"),
                ("de_DE", "Deutsch"),
                ("es_ES", "Español"),
                ("fr_FR", "Français"),
                ("it_IT", "Italiano"),
                ("nl_NL", "Nederlands"),
                ("pl_PL", "Polski"),
                ("pt_BR", "Português (Brasil)"),
                ("pt_PT", "Português"),
                ("ru_RU", "Русский"),
                ("sv_SE", "Svenska"),
            )
        ),
        "Spelling",
        "Wavy lines in buffer and composer. Needs the extra `spelling`, which brings English (US); for other "
        "languages a Hunspell dictionary of the system, or in the folder `dictionaries` beside the settings",
    ),
    Setting(
        "context",
        "strategy",
        "truncation_strategy",
        Choice(tuple((strategy.name, strategy.title) for strategy in STRATEGIES.values())),
        "When it gets too long",
        "Truncation strategy",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "recent_nodes",
        "minimum_recent_nodes",
        Number(1, 1_000_000),
        "Newest nodes to keep",
        "At least this many",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "room_for_answer",
        "token_buffer",
        Number(0, 100_000_000, 256, "tokens"),
        "Room for the answer",
        "Tokens kept free",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "instructions",
        "instruction_scope",
        Choice((("path", "All of the path"), ("pending", "Only of this request"))),
        "Instructions that are sent",
        "Of those that were attached on the way, or only what is attached now",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "dialogue_marker",
        "dialogue_marker",
        TextSetting(FAULTS["dialogue_marker"]),
        "Marker in a dialogue",
        "Where messages are left out: {n} is how many, {s} an s unless it is one",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "buffer_marker",
        "buffer_marker",
        TextSetting(FAULTS["buffer_marker"]),
        "Marker in a buffer",
        "Where text is left out; \\n is a new line",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "continue_text",
        "continue_text",
        TextSetting(FAULTS["continue_text"]),
        "Asking to go on",
        "Said to a model that cannot continue a message of its own",
        WHERE_INHERITED,
    ),
    Setting(
        "context",
        "buffer_system_context",
        "buffer_mode_system_context",
        Switch(),
        "System context in buffers",
        "Whether a new buffer sends it before its text",
        "to buffers that are begun from now on",
    ),
    Setting(
        "context",
        "ask_above",
        "ask_above_tokens",
        Number(1_000, 1_000_000_000, 10_000, "tokens"),
        "Ask before large requests",
        "When one Generate may come to more tokens than this, answers included",
    ),
    Setting(
        "backups",
        "folder",
        "backup_folder",
        Folder("Beside the grove"),
        "Folder",
        "Where backups are kept; another disk is safer",
        "to backups from now on; earlier ones stay where they are",
    ),
    Setting(
        "backups",
        "minutes",
        "backup_minutes",
        Number(1, 1440, 1, "minutes"),
        "How often",
        "At most this often, and only if something changed",
    ),
    Setting(
        "backups",
        "cap_gb",
        "backup_cap_gb",
        Number(1, 1000, 1, "GB"),
        "Room for backups",
        "The oldest go first; the two newest always stay",
    ),
    Setting(
        "backups",
        "mirror",
        "mirror_folder",
        Folder("Off"),
        "Mirror folder",
        "Every tree as Markdown and Loom JSON, for other programs; never read back",
    ),
    Setting(
        "mcp",
        "read",
        "mcp_read",
        Switch(),
        "May read the grove",
        "Claude Desktop, editors and scripts, through loomapp mcp. Nothing leaves this computer by itself",
        AT_NEXT_CALL,
    ),
    Setting(
        "mcp",
        "write",
        "mcp_write",
        Switch(),
        "May write",
        "What they write carries their name; Undo takes it back",
        AT_NEXT_CALL,
    ),
    Setting(
        "mcp",
        "ask_models",
        "mcp_ask_models",
        Choice((("never", "Never"), ("local", "Only local"), ("all", "All"))),
        "May ask models",
        "Through your keys and with your money, where it is not the local model",
        AT_NEXT_CALL,
    ),
    Setting(
        "mcp",
        "http",
        "mcp_http",
        Choice((("off", "No"), ("keychain", "Key in the keychain"), ("file", "Key in a file"))),
        "Also over HTTP, on this computer only",
        "For programs that can’t start Loomapp. Every call must show a key; a file for it only you can read",
        "when loomapp mcp --http starts next",
    ),
    Setting(
        "keys",
        "preset",
        "key_preset",
        Choice((("loomapp", "Loomapp"), ("tapestry", "Tapestry Loom"), ("loomsidian", "loomsidian"))),
        "Preset",
        "Whose keys to begin with; your own changes below come on top",
    ),
)
FIELDS: Mapping[str, Setting] = {setting.field: setting for setting in SETTINGS}
KEY_SECTION, KEY_TABLE = "keys", "actions"

assert {item.name for item in fields(Settings)} == {*FIELDS, "keys", "economy"}, "every field has its row"
