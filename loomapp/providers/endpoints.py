"""The registry of endpoints: who can be asked besides the engine, where, and with whose key."""

from __future__ import annotations

import functools
import re
import tomllib
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loomapp import places
from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded
from loomapp.providers.protocols.endpoint import is_loopback
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.regular_files import MOST_SETTINGS_BYTES, read_regular, read_text


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

    @property
    def is_open_to_others(self) -> bool:
        """Tell whether a key would travel unencrypted to another computer."""
        parts = urllib.parse.urlsplit(self.base_url)
        return parts.scheme == "http" and not is_loopback(parts.hostname or "")


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


AT_END = " (at end of document)"  # what the parser says of a file that is cut


def settings_file() -> Path:
    return places.config_folder() / "endpoints.toml"


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
    return {name: _setting(f"{path.name} [{name}]", name, table) for name, table in tables.items()}


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
}


def holds_password(url: str) -> bool:
    """Tell whether an address names a user: it would stand in records and messages, and is not sent."""
    return "@" in url.partition("//")[2].partition("/")[0]


def _setting(place: str, name: str, table: Any) -> EndpointSetting:
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
    if holds_password(str(table["base_url"])):
        raise InvalidInput(
            worded(
                "{place}.base_url: keep names and passwords out of the address; name the key's variable in "
                "key_name.",
                place=place,
            )
        )
    for key in ("at_once", "silence_s"):
        if key in table and (isinstance(table[key], bool) or table[key] < 1):
            raise InvalidInput(worded("{place}.{key}: a whole number from 1.", place=place, key=key))
    return EndpointSetting(id=name, **{"name": name, **table})
