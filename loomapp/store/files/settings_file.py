"""The settings file: TOML that people edit too. Comments and unknown keys stay; faults are named by line."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.generation.cost import Price
from loomapp.core.json_values import JsonReader
from loomapp.core.model.economy_settings import BY_NAME, NOTHING_OWN, EconomySettings
from loomapp.core.sentences import sentence, worded
from loomapp.core.settings.registry import FIELDS, KEY_SECTION, KEY_TABLE, SETTINGS
from loomapp.core.settings.setting import DEFAULTS, KeyTable, Setting, Settings, Value, checked
from loomapp.files import MOST_SETTINGS_BYTES, OWNER_ONLY, read_regular, read_text, write_whole
from loomapp.temporary import sweep_parts

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


NAME = "settings.toml"
ECONOMY_SECTION = "economy"  # a section with the names of a table of its own
PRICES = "prices"  # a section with names of models, kept by store.prices
HEADER = "# Settings of Loomapp. Edit them here or in the window; what is not set has its usual value.\n"


class SettingsError(LoomError):
    """The settings file cannot be read or written; the message names file and line."""

    code = "settings"


@dataclass(frozen=True, slots=True, order=True)
class Complaint:
    """An entry of a settings file that could not be used; complaints sort as they stand in the file."""

    line: int  # from 1; 0 where it is the whole file
    words: str


@dataclass(frozen=True, slots=True)
class ParsedSettings:
    """The settings that a file says, and complaints of what could not be used, in the order of its lines.

    `is_sound` is False for a file that is no TOML: it is left as it is.
    """

    settings: Settings
    complaints: tuple[Complaint, ...] = ()
    is_sound: bool = True

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(complaint.words for complaint in self.complaints)


def settings_path() -> Path:
    return places.config_folder() / NAME


def read_settings(path: Path | None = None, in_use: Settings | None = None) -> ParsedSettings:
    """The settings of a file; usual values for what it does not say or says wrongly, and for no file.

    Settings `in_use` stay so while the file cannot be read.
    """
    path = path or settings_path()
    try:
        text = _text(path)
    except FileNotFoundError:
        return ParsedSettings(DEFAULTS)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else worded("not UTF-8 text")
        words = _unread(path, reason) if in_use is None else _unread_now(path, reason)
        return ParsedSettings(in_use or DEFAULTS, (Complaint(0, words),), is_sound=False)
    return parse(text, path.name)


NO_CHARACTER = "Unexpected character: '\\x00'"  # what the parser finds where the text is over

NO_VALUE = "Unexpected character: '\\n'"


def parse(text: str, name: str = NAME) -> ParsedSettings:
    """Read the text of a settings file."""
    from tomlkit.exceptions import TOMLKitError

    try:
        document = _document(text)
    except TOMLKitError as error:
        line = getattr(error, "line", None)
        where = worded("{name}, line {line}", name=name, line=line) if line else name
        what = re.sub(r"\s+at line \d+ col \d+\.?$", "", str(error)).rstrip(".")
        if what == "Unexpected end of file" or (what == NO_CHARACTER and "\0" not in text):
            what = worded("the file ends in the middle of an entry")
        elif what == NO_VALUE:
            what = worded("a value is missing at the end of the line")
        words = worded(
            "{where}: {what}. Nothing is taken from the file until it is mended.", where=where, what=what
        )
        return ParsedSettings(DEFAULTS, (Complaint(line or 0, words),), is_sound=False)
    complaints: list[Complaint] = []

    def complain(section: str, key: str, says: str) -> None:
        whole = f"{section}.{key}" if section else key
        complaints.append(_complaint(name, line_of(text, section, key), whole, says))

    settings = DEFAULTS
    for setting in SETTINGS:
        if setting.section != ECONOMY_SECTION:
            settings = _take(settings, document, setting, complain)
    keys, economy = _keys(document, complain), _economy(document, complain)
    _complain_of_unknown(document, complain)
    return ParsedSettings(replace(settings, keys=keys, economy=economy), tuple(sorted(complaints)))


def key_complaints(faults: Mapping[str, str], path: Path) -> tuple[Complaint, ...]:
    """Return why some keys of a file cannot be had, by line. Raises: OSError, UnicodeDecodeError."""
    text, table = _text(path), f"{KEY_SECTION}.{KEY_TABLE}"
    found = [
        _complaint(path.name, line_of(text, table, name), f"{table}.{name}", says)
        for name, says in faults.items()
    ]
    return tuple(sorted(found))


def _complaint(file: str, line: int, name: str, says: str) -> Complaint:
    words = "{file}, line {line}: {name} {says}"
    return Complaint(line, worded(words, file=file, line=line, name=name, says=sentence(says)))


def _unread(path: Path, why: str | None) -> str:
    return worded("{path} cannot be read ({why}); usual settings are used.", path=path, why=why)


def _unread_now(path: Path, why: str | None) -> str:
    return worded("{path} cannot be read ({why}); the settings in use stay as they are.", path=path, why=why)


def _complain_of_unknown(document: Mapping[str, object], complain: Complain) -> None:
    """Name what no setting is called; it stays in the file."""
    known: dict[str, set[str]] = {KEY_SECTION: {KEY_TABLE}, ECONOMY_SECTION: set(BY_NAME)}
    for setting in SETTINGS:
        known.setdefault(setting.section, set()).add(setting.key)
    for section, table in document.items():
        if section == PRICES:
            continue
        if section not in known:
            complain("", section, "is no part of the settings; it is not used.")
        elif isinstance(table, Mapping):
            for key in table:
                if key in known[section]:
                    continue
                if section == KEY_SECTION:
                    complain(section, str(key), "is not used here: keys of actions stand in [keys.actions].")
                else:
                    complain(section, str(key), "is no setting; it is not used.")


def write_setting(field: str, value: Value | None, path: Path | None = None) -> None:
    """Set one setting in the file, or take it out with None; nothing else in it changes.

    Raises: SettingsError if the file is no TOML, which is left as it is, or cannot be written.
    """
    setting = FIELDS[field]
    *tables, key = setting.key.split(".")
    edit_file(
        path or settings_path(), lambda document: put_value(document, (setting.section, *tables), key, value)
    )


def write_keys(action: str, keys: tuple[str, ...] | None, path: Path | None = None) -> None:
    """Set the keys of an action in the file; None goes back to the preset's. Raises: SettingsError."""
    value = None if keys is None else list(keys)
    edit_file(
        path or settings_path(), lambda document: put_value(document, (KEY_SECTION, KEY_TABLE), action, value)
    )


def forget_keys(path: Path | None = None) -> None:
    """Take every key of the user's own out of the file. Raises: SettingsError."""
    edit_file(path or settings_path(), lambda document: put_value(document, (KEY_SECTION,), KEY_TABLE, None))


def _text(path: Path) -> str:
    """Return the text as it is, line ends too."""
    return read_regular(path, MOST_SETTINGS_BYTES).decode("utf-8-sig")


def _document(text: str) -> TOMLDocument:
    import tomlkit  # only when a settings file is there, or written
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except RecursionError:
        raise TOMLKitError("Too many brackets inside of each other") from None


def _take(
    settings: Settings, document: Mapping[str, object], setting: Setting, complain: Complain
) -> Settings:
    section = document.get(setting.section, {})
    if not isinstance(section, Mapping) or setting.key not in section:
        return settings
    value = getattr(section[setting.key], "unwrap", lambda: section[setting.key])()
    try:
        return settings.with_value(setting.field, checked(setting.kind, value))
    except ValueError as error:
        shown = json.dumps(setting.default, ensure_ascii=False)  # so TOML writes them too
        says = worded("{what}; {value} is used.", what=sentence(error.args[0]), value=shown)
        complain(setting.section, setting.key, says)
        return settings


Complain = Callable[[str, str, str], None]


def _keys(document: Mapping[str, object], complain: Complain) -> KeyTable:
    section = document.get(KEY_SECTION, {})
    table = section.get(KEY_TABLE, {}) if isinstance(section, Mapping) else {}
    if not isinstance(table, Mapping):
        complain(KEY_SECTION, KEY_TABLE, "must be a table of actions and their keys; it is not used.")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for action, item in table.items():
        value = getattr(item, "unwrap", lambda item=item: item)()
        keys = [value] if isinstance(value, str) else value
        if isinstance(keys, list) and all(isinstance(key, str) for key in keys):
            found[str(action)] = tuple(key for key in keys if key)
        else:
            complain(
                f"{KEY_SECTION}.{KEY_TABLE}", str(action), "must be keys in quotes; the preset's are used."
            )
    return found


def _economy(document: Mapping[str, object], complain: Complain) -> EconomySettings:
    """The settings of context economy, by the names of their fields."""
    section = document.get(ECONOMY_SECTION, {})
    if not isinstance(section, Mapping):
        return NOTHING_OWN
    found: dict[str, Any] = {}
    for name, item in section.items():
        row = BY_NAME.get(str(name))
        if row is None:
            continue  # told of with all that is unknown
        value = getattr(item, "unwrap", lambda item=item: item)()
        try:
            read = row.read(JsonReader({row.name: value}, ""), row.name)
            found[row.name] = None if read == {} else read  # a table whose last entry was taken out
        except InvalidInput as error:
            says = worded("{why}; its usual value is used.", why=sentence(error.message.partition(": ")[2]))
            complain(ECONOMY_SECTION, row.name, says)
    return EconomySettings(**found)


def line_of(text: str, section: str, key: str) -> int:
    """The line where a key is set; that of its section, or the first, if it is written in an unusual way."""
    here, fallback, sought = "", 1, f"{section}.{key}" if section else key
    for number, line in enumerate(text.splitlines(), start=1):
        table = re.match(r"\s*\[\[?\s*([^\[\]]+?)\s*\]", line)
        if table:
            here = re.sub(r"[\s\"']", "", table[1])
            if f"{here}.".startswith(f"{sought}."):
                return number
            fallback = number if here == section else fallback
        name = re.match(r"\s*([\w.\"'\s-]+?)\s*=", line)
        if name:
            whole = ".".join(filter(None, (here, re.sub(r"[\s\"']", "", name[1]))))
            if f"{whole}.".startswith(f"{sought}."):
                return number
            fallback = number if whole == section else fallback
    return fallback


def put_value(
    document: MutableMapping[str, object], sections: tuple[str, ...], key: str, value: object
) -> None:
    """Set a value in a table, made if need be; None takes it out."""
    import tomlkit

    table: MutableMapping[str, object] = document
    for section in sections:
        if section not in table:
            if value is None:
                return
            table[section] = tomlkit.table()
        inner = table[section]
        if not isinstance(inner, MutableMapping):
            raise SettingsError(
                worded("{name}: {section} is no table; mend that line by hand.", name=NAME, section=section)
            )
        table = inner
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def edit_file(path: Path, change: Callable[[TOMLDocument], None]) -> None:
    """Change the file, all of it or nothing. Raises: SettingsError."""
    from tomlkit.exceptions import TOMLKitError

    try:
        text = _text(path) if path.exists() else HEADER
        document = _document(text)
        change(document)
        _write(path, _with_ends_of(text, document.as_string()))
    except (TOMLKitError, UnicodeDecodeError) as error:
        problem = next(iter(read_settings(path).problems), str(error))
        raise SettingsError(worded("Not saved: {problem}", problem=problem)) from error
    except OSError as error:
        raise SettingsError(
            worded(
                "{path} cannot be written ({why}); check its folder's permissions.",
                path=path,
                why=error.strerror,
            )
        ) from error


def _with_ends_of(before: str, text: str) -> str:
    """New lines end as those of the file do, where these all end alike."""
    has_only_long_ends = "\r\n" in before and "\n" not in before.replace("\r\n", "")
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if has_only_long_ends else text


def _write(path: Path, text: str) -> None:
    """Write in one step: whoever reads meanwhile sees the old file or the new one. A link stays a link."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_parts(path.parent.glob(f"{path.name}.*.part"))
    write_whole(path, text.encode("utf-8"), path.stat().st_mode & 0o777 if path.exists() else OWNER_ONLY)


NAMES = tuple(item.name for item in fields(Price))


def read_prices(path: Path | None = None) -> dict[str, Price]:
    """Return what the file says; what in it is no price is left out, and a file that can't be read says
    nothing.
    """
    path = path or settings_path()
    try:
        return dict(_read(path, path.stat().st_mtime_ns))
    except (OSError, ValueError, RecursionError):
        return {}


def write_price(model_ref: str, price: Price | None, path: Path | None = None) -> None:
    """Keep the price of a model; None forgets it. Raises: SettingsError."""
    edit_file(path or settings_path(), partial(_put, model_ref=model_ref, price=price))


@functools.lru_cache(maxsize=2)
def _read(path: Path, _written_at: int) -> Mapping[str, Price]:
    """Read once for as long as it stays the same: every keystroke's estimate asks."""
    section = tomllib.loads(read_text(path)).get(PRICES, {})
    tables = section.items() if isinstance(section, dict) else ()
    return {name: price for name, table in tables if (price := _price(table)) is not None}


def _put(document: TOMLDocument, *, model_ref: str, price: Price | None) -> None:
    if price is None:
        put_value(document, (PRICES,), model_ref, None)
        return
    for name in NAMES:
        put_value(document, (PRICES, model_ref), name, getattr(price, name))


def _price(table: object) -> Price | None:
    if not isinstance(table, Mapping):
        return None
    known = {name: table[name] for name in NAMES if name in table}
    sound = all(isinstance(v, int | float) and not isinstance(v, bool) and v >= 0 for v in known.values())
    return Price(**{name: float(value) for name, value in known.items()}) if known and sound else None
