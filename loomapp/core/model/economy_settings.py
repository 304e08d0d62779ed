"""Settings of context economy: summaries, compression and thresholds, their defaults in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json, JsonReader, string_map

Value: TypeAlias = str | int | float | bool | Mapping[str, str]
Group: TypeAlias = Literal["summaries", "compression", "thresholds"]
AUTO, SUMMARIES = "auto", "summaries"
ASSEMBLERS = (AUTO, SUMMARIES)
OFF, COMPACT, THRESHOLDS = "off", "compact", "thresholds"
MAKINGS = (OFF, COMPACT, THRESHOLDS)
CONVERSATION, STORY, WORK = "conversation", "story", "work"
SUMMARY_KINDS = (CONVERSATION, STORY, WORK)
LARGEST_RESERVE = 4096  # tokens for an answer, unless a quarter of the window is less


@dataclass(frozen=True, slots=True)
class EconomySettings:
    """Economy settings of a tree or of one request; None inherits. Fields as those of `Economy`."""

    assembler: str | None = None
    use_summaries: bool | None = None
    make_summaries: str | None = None
    compression: bool | None = None
    compress_text: bool | None = None
    soft_threshold: float | None = None
    hard_threshold: float | None = None
    response_reserve: int | None = None
    min_recent_messages: int | None = None
    summary_model: str | None = None
    summary_prompt: str | None = None
    summary_kind: str | None = None
    summary_prompts: Mapping[str, str] | None = None
    summary_keep: str | None = None
    store_bytes: int | None = None
    preview_lines: int | None = None
    truncate_chars: int | None = None
    budget_utilization: float | None = None
    budget_chars: int | None = None
    tight_utilization: float | None = None
    tight_chars: int | None = None
    snip_utilization: float | None = None
    snip_idle_seconds: int | None = None
    snip_always_utilization: float | None = None
    keep_results: int | None = None
    clear_idle_seconds: int | None = None
    clear_documents_utilization: float | None = None
    compact_utilization: float | None = None
    window_reserve: int | None = None
    most_failures: int | None = None


@dataclass(frozen=True, slots=True)
class Economy:
    """Economy settings in force, with the program's own as defaults. Utilisations and thresholds are
    fractions, `keep_results` are the newest results that are never snipped or cleared.
    """

    assembler: str = AUTO
    use_summaries: bool = True
    make_summaries: str = OFF
    compression: bool = False
    compress_text: bool = False  # plain text is stored, truncated and budgeted too
    soft_threshold: float = 0.75
    hard_threshold: float = 0.90
    response_reserve: int | None = None  # tokens; None: see `reserve`
    min_recent_messages: int = 4  # units, at least 1
    summary_model: str | None = None  # None: that of the agent asked
    summary_prompt: str | None = None  # in place of that of any kind
    summary_kind: str = CONVERSATION
    summary_prompts: Mapping[str, str] | None = None  # own ones, by their kinds
    summary_keep: str | None = None  # what a summary keeps in any case
    store_bytes: int = 30 * 1024
    preview_lines: int = 200
    truncate_chars: int = 50_000
    budget_utilization: float = 0.50
    budget_chars: int = 30_000
    tight_utilization: float = 0.70
    tight_chars: int = 15_000
    snip_utilization: float = 0.60
    snip_idle_seconds: int = 300
    snip_always_utilization: float = 0.75
    keep_results: int = 3
    clear_idle_seconds: int = 300
    clear_documents_utilization: float = 0.50
    compact_utilization: float = 0.85
    window_reserve: int = 20_000  # tokens, unless a quarter of the window is less
    most_failures: int = 3  # in a row, then nothing is compacted unasked

    def reserve(self, window: int) -> int:
        """Return the tokens that are kept for an answer when thresholds are judged."""
        return min(LARGEST_RESERVE, window // 4) if self.response_reserve is None else self.response_reserve

    def effective_window(self, window: int) -> int:
        """Return the tokens that utilisation is measured against."""
        return window - min(self.window_reserve, window // 4)


def in_force(app: Economy, tree: EconomySettings, request: EconomySettings) -> Economy:
    """Field by field: the request's value if it has one, else the tree's, else the app's."""
    found: dict[str, Any] = {}
    for field in fields(Economy):
        name = field.name
        own = getattr(request, name) if getattr(request, name) is not None else getattr(tree, name)
        found[name] = getattr(app, name) if own is None else own
    found["min_recent_messages"] = max(1, found["min_recent_messages"])
    return Economy(**found)


NOTHING_OWN = EconomySettings()
DEFAULTS = Economy()
ALL_OFF = EconomySettings(
    assembler=AUTO, use_summaries=False, make_summaries=OFF, compression=False, compress_text=False
)


# The table


@dataclass(frozen=True, slots=True)
class EconomySetting:
    """One row of the table: its field, its group, how it is read from a file, and its words for people."""

    name: str
    group: Group
    read: Callable[[JsonReader, str], Value | None]
    title: str

    @property
    def key(self) -> str:
        """The name in files: `minRecentMessages`."""
        first, *others = self.name.split("_")
        return first + "".join(map(str.title, others))

    @property
    def default(self) -> Value | None:
        """The value that holds until somebody sets another."""
        value: Value | None = getattr(DEFAULTS, self.name)
        return value


def _is_null(reader: JsonReader, key: str) -> bool:
    """True for a field that is null; it is taken then."""
    return reader.rest.get(key) is None and reader.take(key) is None


def _flag(reader: JsonReader, key: str) -> Value | None:
    return None if _is_null(reader, key) else reader.flag(key, False)


def _text(reader: JsonReader, key: str) -> Value | None:
    return reader.optional_text(key)


def _texts(reader: JsonReader, key: str) -> Value | None:
    return None if _is_null(reader, key) else string_map(reader.mapping(key), reader.place_of(key))


def _count(least: int) -> Callable[[JsonReader, str], Value | None]:
    def read(reader: JsonReader, key: str) -> Value | None:
        value = reader.integer(key)
        if value is not None and value < least:
            raise reader.wrong(key, value, f"is less than {least}")
        return value

    return read


def _fraction(reader: JsonReader, key: str) -> Value | None:
    value = reader.number(key)
    if value is not None and not 0 <= value < float("inf"):
        raise reader.wrong(key, value, "is not a number from 0 on")
    return value


def _one_of(choices: tuple[str, ...]) -> Callable[[JsonReader, str], Value | None]:
    def read(reader: JsonReader, key: str) -> Value | None:
        return None if _is_null(reader, key) else reader.one_of(key, choices)

    return read


TABLE: tuple[EconomySetting, ...] = (
    EconomySetting("assembler", "summaries", _one_of(ASSEMBLERS), "Assembler"),
    EconomySetting("use_summaries", "summaries", _flag, "Use summaries"),
    EconomySetting("make_summaries", "summaries", _one_of(MAKINGS), "Make summaries unasked"),
    EconomySetting("compression", "compression", _flag, "Shorten long parts"),
    EconomySetting("compress_text", "compression", _flag, "Shorten plain text too"),
    EconomySetting("soft_threshold", "thresholds", _fraction, "Soft threshold"),
    EconomySetting("hard_threshold", "thresholds", _fraction, "Hard threshold"),
    EconomySetting("response_reserve", "thresholds", _count(0), "Reserve for the answer, tokens"),
    EconomySetting("min_recent_messages", "thresholds", _count(1), "Newest messages never summarised"),
    EconomySetting("summary_model", "thresholds", _text, "Model that summarises"),
    EconomySetting("summary_prompt", "thresholds", _text, "Prompt of the summariser"),
    EconomySetting("summary_kind", "thresholds", _one_of(SUMMARY_KINDS), "Kind of conversation"),
    EconomySetting("summary_prompts", "thresholds", _texts, "Prompts of your own, by kind"),
    EconomySetting("summary_keep", "thresholds", _text, "Kept in every summary"),
    EconomySetting("store_bytes", "compression", _count(0), "Stored above, bytes"),
    EconomySetting("preview_lines", "compression", _count(1), "Lines of a preview"),
    EconomySetting("truncate_chars", "compression", _count(60), "Truncated above, characters"),
    EconomySetting("budget_utilization", "compression", _fraction, "Budgeted from this utilisation on"),
    EconomySetting("budget_chars", "compression", _count(80), "Budget, characters"),
    EconomySetting("tight_utilization", "compression", _fraction, "Tight budget above this utilisation"),
    EconomySetting("tight_chars", "compression", _count(80), "Tight budget, characters"),
    EconomySetting("snip_utilization", "compression", _fraction, "Snipped from this utilisation on"),
    EconomySetting("snip_idle_seconds", "compression", _count(0), "Snipped when idle for, seconds"),
    EconomySetting("snip_always_utilization", "compression", _fraction, "Snipped, idle or not, from"),
    EconomySetting("keep_results", "compression", _count(0), "Newest results kept"),
    EconomySetting("clear_idle_seconds", "compression", _count(0), "Cleared when idle for, seconds"),
    EconomySetting("clear_documents_utilization", "compression", _fraction, "Documents cleared from"),
    EconomySetting("compact_utilization", "compression", _fraction, "Compacted above this utilisation"),
    EconomySetting("window_reserve", "compression", _count(0), "Left out of the effective window, tokens"),
    EconomySetting("most_failures", "compression", _count(1), "Failures in a row before it stops"),
)
BY_NAME: Mapping[str, EconomySetting] = {row.name: row for row in TABLE}
assert {field.name for field in fields(Economy)} == set(BY_NAME), "every field has its row"


def economy_from_reader(reader: JsonReader) -> EconomySettings:
    """Read a tree's own values among its context settings. Raises: InvalidInput with the place."""
    found: dict[str, Any] = {}
    for row in TABLE:
        if row.key in reader.rest:
            found[row.name] = row.read(reader, row.key)
    return EconomySettings(**found) if found else NOTHING_OWN


def economy_to_json(settings: EconomySettings) -> Json:
    """Write those values that are set, by their names in files."""
    values = ((row.key, getattr(settings, row.name)) for row in TABLE)
    return {key: value for key, value in values if value is not None}


def numbers_to_json(economy: Economy) -> Json:
    """Write the numbers of compression that are in force, for the record of a request."""
    rows = (row for row in TABLE if row.group == "compression" and row.name != "compression")
    return {row.key: getattr(economy, row.name) for row in rows}
