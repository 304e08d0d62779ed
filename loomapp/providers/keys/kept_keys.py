"""Kept keys: what keychain and file have for a name, looked up once, and keeping or forgetting one."""

from __future__ import annotations

from collections.abc import Mapping

from loomapp.core.errors import LoomError
from loomapp.providers.keys import key_file, keychain
from loomapp.providers.keys.keys import SESSION_KEYS, Key, Origin, SessionKeys, find_key


def look_up(name: str, session: SessionKeys = SESSION_KEYS) -> list[LoomError]:
    """Ask keychain and file for a key, and tell `session`. Blocks: not for the GUI thread.

    Gives what went wrong, which is no reason to stop: there may be a key elsewhere.
    """
    problems: list[LoomError] = []
    try:
        if text := keychain.read_key(name):
            session.put(name, Key(text, "keychain"))
    except keychain.KeychainUnavailable as error:
        problems.append(error)
    try:
        if text := key_file.read_keys(key_file.key_file()).get(name):
            session.put(name, Key(text, "file"))
    except key_file.KeyFileFailed as error:
        problems.append(error)
    return problems


def key_for(
    name: str, session: SessionKeys = SESSION_KEYS, environment: Mapping[str, str] | None = None
) -> Key | None:
    """The key of that name: environment, keychain, session, file. Blocks when it looks first."""
    found = find_key(name, session, environment)
    if found is not None and found.origin == "environment":
        return found
    with session.looking_up:
        if session.first_time(name):
            look_up(name, session)
    return find_key(name, session, environment)


def keep(name: str, key: Key, session: SessionKeys = SESSION_KEYS) -> None:
    """Keep a key where its origin says. Blocks. Raises: KeychainUnavailable, KeyFileFailed."""
    match key.origin:
        case "keychain":
            keychain.save_key(name, key.text)
        case "file":
            key_file.keep_key(key_file.key_file(), name, key.text)
    session.put(name, key)


def forget(name: str, origin: Origin, session: SessionKeys = SESSION_KEYS) -> None:
    """Forget a key where it is kept. Blocks for the keychain. Raises: KeychainUnavailable, KeyFileFailed."""
    match origin:
        case "keychain":
            keychain.delete_key(name)
        case "file":
            key_file.drop_key(key_file.key_file(), name)
    session.forget(name, origin)
