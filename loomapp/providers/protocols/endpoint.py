"""An endpoint: where a protocol of language models is spoken, with which key, and whose turn it is there."""

from __future__ import annotations

import ipaddress
import re
import threading
import urllib.parse
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.provider import ProviderError, Stop

SHORTEST_SECRET = 8
SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|password|session|credential", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`name` is what messages call it; `read_timeout_s` is the longest silence, None waits for ever."""

    name: str
    base_url: str
    api_key: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    read_timeout_s: float | None = 60.0
    is_own_engine: bool = False
    socket_path: str = ""  # a socket in a folder, which is then connected to and not the address
    key_header: str = "authorization"  # or `x-api-key`, which some proxies want

    @property
    def key_headers(self) -> dict[str, str]:
        """The key as it travels; nothing if there is none."""
        if not self.api_key:
            return {}
        bare = self.key_header.lower() != "authorization"
        return {self.key_header: self.api_key if bare else f"Bearer {self.api_key}"}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return what must not be seen in anything saved, logged or shown.

        Not what is too short to be one: servers on this computer take `none` or `ollama` for a key, and those
        are words that a model may write.
        """
        kept = [value for name, value in self.headers.items() if SECRET_NAME.search(name)]
        words = {word for value in (self.api_key, *kept) for word in (value, value.rpartition(" ")[2])}
        return tuple(sorted((w for w in words if len(w) >= SHORTEST_SECRET), key=len, reverse=True))

    @property
    def tells_its_key(self) -> bool:
        """Tell whether the key can be read on its way: plain http to another computer."""
        return bool(self.api_key) and self.base_url.lower().startswith("http:") and not self.is_loopback

    @property
    def is_loopback(self) -> bool:
        return is_loopback(urllib.parse.urlsplit(self.base_url).hostname or "")


READ_TIMEOUT_S = 60.0


def read_timeout_s(silence_s: float) -> float:
    """The longest read where so much silence is allowed: shorter, where one may be tried again meanwhile."""
    return silence_s if silence_s > READ_TIMEOUT_S * 2 else min(READ_TIMEOUT_S, silence_s)


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address means this computer."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")


def proxy_for(url: str) -> str | None:
    """The proxy that the environment or the system asks for; never one for this computer itself.

    A proxy in front of loopback would carry prompts away, and could not reach the engine anyway.
    """
    from urllib.request import getproxies, proxy_bypass  # late: a start asks nobody

    parts = urllib.parse.urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


LOOK_AGAIN_S = 0.1


class Admission:
    """Tokens and choices for all requests together. First come, first served.

    All slots of the engine share one memory of `tokens`; if it overflows, every running answer is lost.
    """

    def __init__(self, *, tokens: int, choices: int) -> None:
        self._free_tokens = tokens
        self._free_choices = choices
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def admitted(self, *, tokens: int, choices: int, stop: Stop) -> Iterator[None]:
        """Waits for its turn, and holds what it needs while inside. Raises: ProviderError when stopped."""
        self._wait(tokens, choices, stop)
        try:
            yield
        finally:
            with self._changed:
                self._free_tokens += tokens
                self._free_choices += choices
                self._changed.notify_all()

    def _wait(self, tokens: int, choices: int, stop: Stop) -> None:
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                while not stop.requested and not (
                    self._waiting[0] is ticket
                    and tokens <= self._free_tokens
                    and choices <= self._free_choices
                ):
                    self._changed.wait(LOOK_AGAIN_S)
                if stop.requested:  # also when its turn has come: nothing is sent that nobody wants
                    raise ProviderError("cancelled", "Stopped before the model began.")
                self._free_tokens -= tokens
                self._free_choices -= choices
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
