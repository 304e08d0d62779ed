"""Keychains for tests: one in memory, and a computer without any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring


class Keychain(KeyringBackend):
    """A keychain in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@contextmanager
def using(chain: KeyringBackend) -> Iterator[None]:
    """The system's keychain is this one until the block ends."""
    before = keyring.get_keyring()
    keyring.set_keyring(chain)
    try:
        yield
    finally:
        keyring.set_keyring(before)


def nowhere() -> KeyringBackend:
    """What a computer without a keychain has."""
    return NoKeyring()  # type: ignore[no-untyped-call]
