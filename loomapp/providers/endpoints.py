"""Endpoints: who can be asked besides the engine, where, with whose key; and the file of the user's own."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import tomllib
import urllib.parse
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import sentence, worded
from loomapp.files import MOST_SETTINGS_BYTES, OWNER_ONLY, read_regular, read_text, remember, write_whole
from loomapp.providers.keys import known_keys
from loomapp.providers.protocols.endpoint import SHORTEST_SECRET, is_loopback
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.temporary import sweep_parts

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True, slots=True)
class EndpointSetting:
    """A place where models are reached, without any secret. `id` is the part of a model reference before the
    colon.

    `key_name` is the environment variable that may hold the key, and the key's name in the keychain; empty
    for an endpoint that asks for none.
    """

    id: str
    name: str
    base_url: str
    api: str
    key_name: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    key_header: str = "authorization"
    at_once: int = 8  # requests at the same time; more wait
    reports_usage: bool = True
    silence_s: int = 90  # how long it may send no text
    plain_http: bool = False  # the user agreed that the key goes unencrypted to another computer
    lent_key: bool = False  # the user agreed that the key of another provider goes there

    @property
    def is_here(self) -> bool:
        """Tell whether its server is this computer: nothing goes over the network."""
        return is_loopback(urllib.parse.urlsplit(self.base_url).hostname or "")

    @property
    def is_open_to_others(self) -> bool:
        """Tell whether a key would travel unencrypted to another computer."""
        return urllib.parse.urlsplit(self.base_url).scheme == "http" and not self.is_here


PRESETS: Mapping[str, EndpointSetting] = {
    setting.id: setting
    for setting in (
        EndpointSetting(
            "anthropic", "Anthropic", "https://api.anthropic.com/v1", "messages", "ANTHROPIC_API_KEY"
        ),
        EndpointSetting("openai", "OpenAI", "https://api.openai.com/v1", "chat", "OPENAI_API_KEY"),
        EndpointSetting(
            "openai-responses", "OpenAI Responses", "https://api.openai.com/v1", "responses", "OPENAI_API_KEY"
        ),
        EndpointSetting(
            "openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "chat", "OPENROUTER_API_KEY"
        ),
        EndpointSetting("ollama", "Ollama", "http://localhost:11434/v1", "chat", silence_s=300),
        EndpointSetting("lmstudio", "LM Studio", "http://localhost:1234/v1", "chat", silence_s=300),
        EndpointSetting("vllm", "vLLM", "http://localhost:8000/v1", "chat", silence_s=300),
        EndpointSetting("llamacpp", "llama.cpp", "http://localhost:8080/v1", "chat", silence_s=300),
        EndpointSetting("koboldcpp", "KoboldCpp", "http://localhost:5001/v1", "chat", silence_s=300),
    )
}


def lender_of(setting: EndpointSetting) -> str:
    """Return the provider whose key an endpoint at another address would be sent; "" if it is its own, or the
    server is this computer.
    """
    lenders = [one for one in PRESETS.values() if one.key_name and one.key_name == setting.key_name]
    own = {urllib.parse.urlsplit(one.base_url).hostname for one in lenders}
    is_own = urllib.parse.urlsplit(setting.base_url).hostname in own
    return "" if setting.is_here or is_own or not lenders else lenders[0].name


AT_END = " (at end of document)"  # what the parser says of a file that is cut


def settings_file() -> Path:
    return places.config_folder() / "endpoints.toml"


def names_apart(settings: Mapping[str, EndpointSetting]) -> dict[str, str]:
    """Return the names of endpoints by their ids; where several have one name, with the place of each, or
    its id where that is the same too.
    """
    hosts = {s.id: f"{s.name} · {urllib.parse.urlsplit(s.base_url).netloc}" for s in settings.values()}
    names = Counter(setting.name for setting in settings.values())
    places = Counter(hosts.values())
    apart = {
        one: host if places[host] == 1 else f"{settings[one].name} · {one}" for one, host in hosts.items()
    }
    return {s.id: s.name if names[s.name] == 1 else apart[s.id] for s in settings.values()}


def endpoint_settings() -> dict[str, EndpointSetting]:
    """Presets and the user's own, which come first where both have an id.

    Raises: InvalidInput naming file and entry if the file can't be understood.
    """
    return {**PRESETS, **own_endpoints(settings_file())}


def own_endpoints(path: Path) -> dict[str, EndpointSetting]:
    """The endpoints of a TOML file: a table each, its name the id. None if there is no file.

    Raises: InvalidInput.
    """
    try:
        tables = _tables(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        where, what = _fault(path, said)
        raise InvalidInput(
            worded(
                "{where}: {what}. Mend the file; nothing of it is used until then.", where=where, what=what
            )
        ) from None
    known = known_keys([*_key_names(tables), *(setting.key_name for setting in PRESETS.values())])
    return {name: _setting(f"{path.name} [{name}]", name, table, known) for name, table in tables.items()}


def _key_names(tables: Mapping[str, Any]) -> list[str]:
    names = [table.get("key_name") for table in tables.values() if isinstance(table, dict)]
    return [name for name in names if isinstance(name, str)]


def keys_of_endpoints() -> frozenset[str]:
    """Return the keys that are known for any endpoint; of the presets alone if the user's own can't be
    read.
    """
    try:
        settings = endpoint_settings()
    except InvalidInput:
        settings = dict(PRESETS)
    return known_keys(setting.key_name for setting in settings.values())


def _fault(path: Path, said: str) -> tuple[str, str]:
    """Return where a file is broken, and how: a line as an editor counts them, if the parser names one."""
    if said.endswith(AT_END):
        last = len(read_regular(path, MOST_SETTINGS_BYTES).rstrip().splitlines())
        what = worded("the file ends in the middle of an entry")
        return worded("{name}, line {line}", name=path.name, line=last), what
    at = re.search(r" \(at line (\d+), column \d+\)$", said)
    if at is None:
        return path.name, said
    return worded("{name}, line {line}", name=path.name, line=at[1]), said[: at.start()]


@functools.lru_cache(maxsize=4)
def _tables(path: Path, _written_at: int) -> dict[str, Any]:
    """Read once for as long as it stays the same: every keystroke's preview asks."""
    return tomllib.loads(read_text(path))


KEYS: Mapping[str, type] = {
    "name": str,
    "base_url": str,
    "api": str,
    "key_name": str,
    "headers": dict,
    "key_header": str,
    "at_once": int,
    "reports_usage": bool,
    "silence_s": int,
    "plain_http": bool,
    "lent_key": bool,
}


def address_fault(url: str, known: Collection[str]) -> str:
    """Return what an address holds that does not belong there, in some words; "" if nothing.

    It stands in records and messages, so no secret may be in it; and a query is not sent. `known` are keys.
    """
    if "?" in url:
        return sentence("has a query, which begins at its “?”")
    if "#" in url:
        return sentence("has a fragment, which begins at its “#”")
    if "@" in url.partition("//")[2].partition("/")[0]:
        return sentence("names a user or a password")
    return sentence("holds a key") if holds_key(url, known) else ""


def holds_key(text: str, known: Collection[str]) -> bool:
    """Tell whether one of the known keys stands in a text, also as addresses spell it.

    None that is too short to be one: servers on this computer take `none` or `ollama` for a key.
    """
    keys = [key for key in known if len(key) >= SHORTEST_SECRET]
    return any(key in spelled for key in keys for spelled in (text, urllib.parse.unquote(text)))


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|")


def is_key_name(text: str) -> bool:
    """Tell whether a text can be the name of an environment variable, or is empty; most keys can't."""
    return _VARIABLE.fullmatch(text) is not None


def _setting(place: str, name: str, table: Any, known: Collection[str]) -> EndpointSetting:
    if not isinstance(table, dict) or ":" in name:
        raise InvalidInput(
            worded("{place}: an endpoint is a table, and its name holds no colon.", place=place)
        )
    for key, value in table.items():
        if key not in KEYS or not isinstance(value, KEYS[key]):
            known = ", ".join(KEYS)
            raise InvalidInput(
                worded(
                    "{place}.{key}: not known, or of another kind. There are: {known}.",
                    place=place,
                    key=key,
                    known=known,
                )
            )
    if table.get("api") not in PROTOCOLS:
        raise InvalidInput(
            worded("{place}.api: one of {protocols}.", place=place, protocols=", ".join(PROTOCOLS))
        )
    if not str(table.get("base_url", "")).startswith(("http://", "https://")):
        raise InvalidInput(
            worded("{place}.base_url: an address that begins with http:// or https://.", place=place)
        )
    if fault := address_fault(str(table["base_url"]), known):
        words = "{place}.base_url: the address {fault}. Take it out; the key's variable is named in key_name."
        raise InvalidInput(worded(words, place=place, fault=fault))
    key_name = str(table.get("key_name", ""))
    if not is_key_name(key_name) or holds_key(key_name, known):
        words = "{place}.key_name: the name of an environment variable, such as OPENAI_API_KEY, not the key."
        raise InvalidInput(worded(words, place=place))
    for key in ("at_once", "silence_s"):
        if key in table and (isinstance(table[key], bool) or table[key] < 1):
            raise InvalidInput(worded("{place}.{key}: a whole number from 1.", place=place, key=key))
    return EndpointSetting(id=name, **{"name": name, **table})


HEADER = "# Endpoints of your own. Keys are never here: see Models, Endpoints in the window.\n"
USUAL = EndpointSetting("", "", "", "")


def put_endpoint(path: Path, setting: EndpointSetting) -> None:
    """Add an endpoint, or change it. Raises: InvalidInput if the file can't be understood or written."""

    def put(document: TOMLDocument) -> None:
        import tomlkit

        table = document.get(setting.id)
        if table is None:
            table = document[setting.id] = tomlkit.table()
        for name, value in _values(setting).items():
            if value == getattr(USUAL, name):
                table.pop(name, None)
            elif table.get(name) != value:
                table[name] = value

    _edit(path, put)


def drop_endpoint(path: Path, endpoint_id: str) -> None:
    """Take an endpoint of the user's own out. Raises: InvalidInput."""
    _edit(path, lambda document: document.pop(endpoint_id, None))


def _values(setting: EndpointSetting) -> dict[str, object]:
    return {
        "name": setting.name,
        "base_url": setting.base_url,
        "api": setting.api,
        "key_name": setting.key_name,
        "headers": dict(setting.headers),
        "key_header": setting.key_header,
        "at_once": setting.at_once,
        "reports_usage": setting.reports_usage,
        "silence_s": setting.silence_s,
        "plain_http": setting.plain_http,
        "lent_key": setting.lent_key,
    }


def _edit(path: Path, change: Callable[[TOMLDocument], object]) -> None:
    import tomlkit  # only when the file is written
    from tomlkit.exceptions import TOMLKitError

    own_endpoints(path)  # what can't be understood is not written over
    try:
        text = read_text(path) if path.exists() else HEADER
        document = tomlkit.parse(text)
        change(document)
        _write(path.resolve(), document.as_string())
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise InvalidInput(
            worded("{name}: {error}. Mend the file; nothing was changed.", name=path.name, error=str(error))
        ) from None
    except OSError as error:
        raise InvalidInput(
            worded("{path} cannot be written ({why}). Check its permissions.", path=path, why=error.strerror)
        ) from None


def _write(path: Path, text: str) -> None:
    """Write in one step: whoever reads meanwhile sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep_parts(path.parent.glob(f"{path.name}.*.part"))
    write_whole(path, text.encode("utf-8"), path.stat().st_mode & 0o777 if path.exists() else OWNER_ONLY)


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its endpoint tells of it; the window in tokens where it does."""

    name: str
    context_window: int | None = None


@dataclass(frozen=True, slots=True)
class ModelList:
    """`stale_because` is why the endpoint could not be asked, where this is what it said on another day."""

    models: tuple[ListedModel, ...]
    asked_at: float  # seconds since 1970
    stale_because: str = ""


def lists_folder() -> Path:
    return places.state_folder() / "model-lists"


def kept_list(base_url: str, folder: Path) -> ModelList | None:
    """Return what an endpoint said when it was asked last; None if that is not known."""
    try:
        value = json.loads(read_text(_path(base_url, folder)))
        models = tuple(
            ListedModel(str(name), window if type(window) is int else None)
            for name, window in value["models"]
        )
        return ModelList(models, float(value["askedAt"]))
    except (OSError, ValueError, TypeError, LookupError):
        return None


def keep_list(base_url: str, known: ModelList, folder: Path) -> None:
    """Keep what an endpoint said. A disk that takes nothing costs only the memory of it."""
    value = {"askedAt": known.asked_at, "models": [[m.name, m.context_window] for m in known.models]}
    remember(_path(base_url, folder), json.dumps(value))


def listed_window(base_url: str, model: str, folder: Path) -> int | None:
    """Return how much goes into a model in all, as its endpoint's list has it; None if it does not say."""
    try:
        written_at = _path(base_url, folder).stat().st_mtime_ns
    except OSError:
        return None
    return _windows(base_url, folder, written_at).get(model)


@functools.lru_cache(maxsize=32)
def _windows(base_url: str, folder: Path, _written_at: int) -> Mapping[str, int]:
    """Read once for as long as it stays the same: every keystroke's preview asks."""
    known = kept_list(base_url, folder)
    models = known.models if known is not None else ()
    return {model.name: model.context_window for model in models if model.context_window is not None}


def _path(base_url: str, folder: Path) -> Path:
    return folder / f"{hashlib.sha256(base_url.encode()).hexdigest()[:16]}.json"
