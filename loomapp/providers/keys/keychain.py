"""The system's keychain, asked on a thread of its own: it may take long, ask the user, or not be there."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from loomapp.core.errors import LoomError
from loomapp.core.sentences import sentence, worded

SERVICE = "loomapp"
PATIENCE_S = 10.0  # a locked keychain asks its owner for a password meanwhile

T = TypeVar("T")


class KeychainUnavailable(LoomError):
    """Error for a keychain that is not there or did not answer. The message says what to do instead."""

    code = "noKeychain"


def read_key(name: str, timeout_s: float = PATIENCE_S) -> str | None:
    """The key of that name, if the keychain has one. Blocks. Raises: KeychainUnavailable."""

    def read() -> str | None:
        import keyring

        return keyring.get_password(SERVICE, name)

    return _asked(read, timeout_s)


def save_key(name: str, text: str, timeout_s: float = PATIENCE_S) -> None:
    """Keep a key, and look whether it is there now. Blocks. Raises: KeychainUnavailable."""

    def save() -> bool:
        import keyring

        keyring.set_password(SERVICE, name, text)
        return keyring.get_password(SERVICE, name) == text

    if not _asked(save, timeout_s):
        raise _unavailable("the keychain did not keep it")


def delete_key(name: str, timeout_s: float = PATIENCE_S) -> None:
    """Take a key out, if it is there. Blocks. Raises: KeychainUnavailable."""

    def delete() -> None:
        import keyring

        if keyring.get_password(SERVICE, name) is not None:
            keyring.delete_password(SERVICE, name)

    _asked(delete, timeout_s)


def _asked(ask: Callable[[], T], timeout_s: float) -> T:
    """Return what the keychain answers; a thread that waits for it for ever holds nothing up."""
    answers: queue.SimpleQueue[tuple[T | None, Exception | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put((ask(), None))
        except Exception as error:  # every system's keychain fails in ways of its own
            answers.put((None, error))

    threading.Thread(target=work, name="keychain", daemon=True).start()
    try:
        answer, error = answers.get(timeout=timeout_s)
    except queue.Empty:
        raise _unavailable("the keychain did not answer") from None
    if error is not None:
        raise _unavailable(type(error).__name__) from error
    return answer  # type: ignore[return-value]  # no error, so an answer


def _unavailable(why: str) -> KeychainUnavailable:
    return KeychainUnavailable(
        worded(
            "No keychain can be used on this computer ({why}). Keep the key for this session only, or in "
            "a file that only you can read.",
            why=sentence(why),
        ),
        why=why,
    )
