"""Keys: where they are found, in which order; they go nowhere but to their endpoint."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Origin: TypeAlias = Literal["environment", "keychain", "session", "file"]
ORDER: tuple[Origin, ...] = ("keychain", "session", "file")  # after the environment


@dataclass(frozen=True, slots=True)
class Key:
    """A secret and where it was found. Its text is in no repr, so that no log can show it."""

    text: str = field(repr=False)
    origin: Origin


class SessionKeys:
    """Keys as this process knows them; forgotten when it ends. Any thread may ask and tell."""

    def __init__(self) -> None:
        self.looking_up = threading.Lock()  # held while keychain and file are asked: others wait for that
        self._lock = threading.Lock()
        self._keys: dict[tuple[str, Origin], Key] = {}
        self._asked: set[str] = set()

    def put(self, name: str, key: Key | None) -> None:
        """Keep a key under its name, beside those of other origins; None forgets them all."""
        with self._lock:
            for origin in ORDER if key is None else (key.origin,):
                self._keys.pop((name, origin), None)
            if key is not None and key.text:
                self._keys[name, key.origin] = key

    def forget(self, name: str, origin: Origin) -> None:
        with self._lock:
            self._keys.pop((name, origin), None)

    def get(self, name: str) -> Key | None:
        """The first of that name: of the keychain, of this session, of the file."""
        with self._lock:
            found = (self._keys.get((name, origin)) for origin in ORDER)
            return next((key for key in found if key is not None), None)

    def first_time(self, name: str) -> bool:
        """True for the first who wants a name looked up in keychain and file, False from then on."""
        with self._lock:
            is_first = name not in self._asked
            self._asked.add(name)
            return is_first


def find_key(name: str, session: SessionKeys, environment: Mapping[str, str] | None = None) -> Key | None:
    """The key of that name: from the environment first, then from what this process knows.

    What keychain and file have is put there by `kept_keys.look_up`: asking a keychain may take
    seconds, or ask the user something.
    """
    found = (os.environ if environment is None else environment).get(name, "").strip()
    return Key(found, "environment") if found else session.get(name)


SESSION_KEYS = SessionKeys()
