"""Keys: environment, keychain, and a file of their owner's; they go nowhere but to their endpoint."""

from __future__ import annotations

import functools
import json
import os
import queue
import stat
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.sentences import sentence, worded
from loomapp.files import MOST_SETTINGS_BYTES, OWNER_ONLY, check_regular, read_text, write_whole
from loomapp.temporary import sweep_parts

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

    def texts(self) -> set[str]:
        with self._lock:
            return {key.text for key in self._keys.values()}

    def first_time(self, name: str) -> bool:
        """True for the first who wants a name looked up in keychain and file, False from then on."""
        with self._lock:
            is_first = name not in self._asked
            self._asked.add(name)
            return is_first


def find_key(name: str, session: SessionKeys, environment: Mapping[str, str] | None = None) -> Key | None:
    """The key of that name: from the environment first, then from what this process knows.

    What keychain and file have is put there by `look_up`: asking a keychain may take
    seconds, or ask the user something.
    """
    found = (os.environ if environment is None else environment).get(name, "").strip()
    return Key(found, "environment") if found else session.get(name)


SESSION_KEYS = SessionKeys()


def look_up(name: str, session: SessionKeys = SESSION_KEYS) -> list[LoomError]:
    """Ask keychain and file for a key, and tell `session`. Blocks: not for the GUI thread.

    Gives what went wrong, which is no reason to stop: there may be a key elsewhere.
    """
    problems: list[LoomError] = []
    try:
        if text := read_key(name):
            session.put(name, Key(text, "keychain"))
    except KeychainUnavailable as error:
        problems.append(error)
    try:
        if text := read_keys(key_file()).get(name):
            session.put(name, Key(text, "file"))
    except KeyFileFailed as error:
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


def known_keys(names: Iterable[str], session: SessionKeys = SESSION_KEYS) -> frozenset[str]:
    """Every key that is known without asking the keychain: of environment variables of these names, of this
    process, and of the file.
    """
    found = {os.environ.get(name, "").strip() for name in names if name} | session.texts()
    with suppress(OSError, KeyFileFailed):
        path = key_file()
        found.update(_file_keys(path, path.stat().st_mtime_ns))
    return frozenset(found)


@functools.lru_cache(maxsize=1)
def _file_keys(path: Path, _written_at: int) -> frozenset[str]:
    """Read once for as long as it stays the same: every keystroke's preview asks."""
    return frozenset(read_keys(path).values())


def keep(name: str, key: Key, session: SessionKeys = SESSION_KEYS) -> None:
    """Keep a key where its origin says. Blocks. Raises: KeychainUnavailable, KeyFileFailed."""
    match key.origin:
        case "keychain":
            save_key(name, key.text)
        case "file":
            keep_key(key_file(), name, key.text)
    session.put(name, key)


def forget(name: str, origin: Origin, session: SessionKeys = SESSION_KEYS) -> None:
    """Forget a key where it is kept. Blocks for the keychain. Raises: KeychainUnavailable, KeyFileFailed."""
    match origin:
        case "keychain":
            delete_key(name)
        case "file":
            drop_key(key_file(), name)
    session.forget(name, origin)


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
        kind = type(error).__name__
        raise _unavailable("none is set up" if kind == "NoKeyringError" else kind) from error
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


class KeyFileFailed(LoomError):
    """The file of keys can't be read or written."""

    code = "keyFile"


def key_file() -> Path:
    """Return where the keys are, once the user agreed."""
    return places.config_folder() / "keys.json"


def read_keys(path: Path) -> dict[str, str]:
    """Return every key in the file by its name; none if there is no file. Raises: KeyFileFailed."""
    try:
        check_regular(path, MOST_SETTINGS_BYTES)
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            path.chmod(OWNER_ONLY)  # somebody copied it; on Windows the folder is the owner's anyway
        read = json.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else worded("it is not JSON")
        raise KeyFileFailed(
            worded("The keys in {path} can't be read: {why}. Mend or delete the file.", path=path, why=why)
        ) from None
    rows = read.items() if isinstance(read, dict) else ()
    return {name: text for name, text in rows if isinstance(text, str) and text}


def keep_key(path: Path, name: str, text: str) -> None:
    """Add a key to the file, which nobody else can read from its first byte on. Raises: KeyFileFailed."""
    _write(path, {**read_keys(path), name: text})


def drop_key(path: Path, name: str) -> None:
    """Take a key out; the last one takes the file with it. Raises: KeyFileFailed."""
    keys = read_keys(path)
    if keys.pop(name, None) is not None:
        _write(path, keys)


def _write(path: Path, keys: Mapping[str, str]) -> None:
    try:
        if not keys:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        sweep_parts(path.parent.glob(f"{path.name}.*.part"))
        write_whole(path, json.dumps(keys, indent=1, sort_keys=True).encode("utf-8"))
    except OSError as error:
        raise KeyFileFailed(
            worded("The key could not be kept in {path}: {why}.", path=path, why=error.strerror)
        ) from None
