"""The values of the user's settings, one frozen value with the program's own as defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TypeAlias

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.context.truncation import BUFFER_MARKER, CONTINUE, DEFAULT_STRATEGY, DIALOGUE_MARKER
from loomapp.core.dataclass import dataclass
from loomapp.core.model.economy_settings import BY_NAME, NOTHING_OWN, Economy, EconomySettings, in_force
from loomapp.core.model.economy_settings import DEFAULTS as ECONOMY

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
