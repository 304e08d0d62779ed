"""Keys: found in the environment or held for this session; they go nowhere but to their endpoint."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Origin: TypeAlias = Literal["environment", "keychain", "session", "file"]


@dataclass(frozen=True, slots=True)
class Key:
    """A secret and where it was found. Its text is in no repr, so that no log can show it."""

    text: str = field(repr=False)
    origin: Origin


class SessionKeys:
    """Keys that are forgotten when the program ends. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, Key] = {}

    def put(self, name: str, key: Key | None) -> None:
        """Keep a key under its name, or forget it."""
        with self._lock:
            self._keys.pop(name, None)
            if key is not None and key.text:
                self._keys[name] = key

    def get(self, name: str) -> Key | None:
        """The key of that name, if there is one."""
        with self._lock:
            return self._keys.get(name)


def find_key(name: str, session: SessionKeys, environment: Mapping[str, str] | None = None) -> Key | None:
    """The key of that name: from the environment first, then from what this session holds.

    What the keychain or a file has is put into `session` when the program starts or the keys page is open:
    asking a keychain may take seconds, or ask the user something.
    """
    found = (os.environ if environment is None else environment).get(name, "").strip()
    return Key(found, "environment") if found else session.get(name)


SESSION_KEYS = SessionKeys()
