"""The log: a rotating file in the user's state folder, without keys and without a word that anybody wrote."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import time
import traceback
from collections.abc import Iterator
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from loomapp import places
from loomapp.core.errors import GroveError, LoomError

NAME = "loomapp.log"
MAX_BYTES = 1_000_000
KEPT = 3  # files besides the one that is written
HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
LONGEST_WORDS = 200  # of an error's message
LONGEST_NAME = 48  # of a text in a message: ids and file names are shorter, what people write is not

_SECRETS: set[str] = set()
_KEY_LIKE = re.compile(r"(?i)(key|token|secret|passw|credential|auth)")
_PATTERNS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"),
    re.compile(r"\b(sk|pk|rk|gsk|xai|hf|ghp|gho|github_pat|AIza|AKIA|xox[a-z])[-_]?[\w-]{12,}"),
    re.compile(r"(?i)\b[\w-]*(api[-_]?key|token|secret|password|authorization|cookie)\b[\"']?\s*[:=]\s*\S+"),
    re.compile(r"(?<=://)[^/\s@]+@"),
    re.compile(r"\b[A-Za-z0-9_+-]{40,}\b"),  # whatever it is, nobody will read it
)
# Their messages are made by Python or SQLite of names of code and files, not of what a person wrote.
_TELLING = (
    AssertionError, AttributeError, ImportError, IndexError, MemoryError, NameError, NotImplementedError,
    OSError, RuntimeError, TypeError, ZeroDivisionError, sqlite3.Error, GroveError,
)  # fmt: skip


def log_file() -> Path:
    return places.state_folder() / NAME


def hide(secret: str) -> None:
    """Keep this key out of all lines of the log from now on, wherever it turns up."""
    if len(secret) >= SHORTEST_SECRET:
        _SECRETS.add(secret)


def open_log() -> logging.Handler:
    """Write the log from now on; close what is given with `close_log`. Without room for it, nothing is."""
    handler: logging.Handler
    try:
        log_file().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = _OwnFile(
            log_file(), maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", errors="backslashreplace"
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(RedactingFormatter())
    handler.addFilter(_is_worth_keeping)
    logging.getLogger().addHandler(handler)
    logging.getLogger("loomapp").setLevel(logging.INFO)
    return handler


def close_log(handler: logging.Handler) -> None:
    logging.getLogger().removeHandler(handler)
    logging.getLogger("loomapp").setLevel(logging.NOTSET)
    handler.close()


def excerpt(lines: int = 60) -> str:
    """Return the last lines of the log; empty if there is none."""
    try:
        text = log_file().read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def redacted(text: str) -> str:
    """A text without keys: those that are known, those in the environment, and whatever looks like one.

    The user's own folder becomes `~`.
    """
    for secret in sorted(_known_secrets(), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    for pattern in _PATTERNS:
        text = pattern.sub(HIDDEN, text)
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
    return text.replace(home, "~") if len(home) > 1 else text


class _OwnFile(RotatingFileHandler):
    """Log file that no other user can read, also after it was begun anew."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding, errors=self.errors)


class RedactingFormatter(logging.Formatter):
    """Time, process, level, name, message; of an error kind and place, and words only if they are ours."""

    def format(self, record: logging.LogRecord) -> str:
        """Format one record as lines of a log. Leaves the record as it is: other handlers see it too."""
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
        lines = [f"{at} [{record.process}] {record.levelname} {record.name}: {_message(record)}"]
        if record.exc_info and record.exc_info[1] is not None:
            lines += told(record.exc_info[1])
        return redacted("\n".join(lines))


def told(error: BaseException) -> Iterator[str]:
    """An error with its causes: kinds and places, not the words of it that somebody else wrote."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        for frame in traceback.extract_tb(current.__traceback__):
            yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
        yield f"  {_kind(current)}{_words(current)}"
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)


def _kind(error: BaseException) -> str:
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{kind} {error.code}" if isinstance(error, LoomError) else kind


def _words(error: BaseException) -> str:
    if not isinstance(error, _TELLING):
        return ""
    words = str(error)
    return f": {words[:LONGEST_WORDS]}" + ("…" if len(words) > LONGEST_WORDS else "")


def _message(record: logging.LogRecord) -> str:
    arguments = record.args
    if isinstance(arguments, tuple):
        arguments = tuple(_short(value) for value in arguments)
    elif arguments:
        arguments = {name: _short(value) for name, value in arguments.items()}
    try:
        return str(record.msg) % arguments if arguments else str(record.msg)
    except (TypeError, ValueError, KeyError):
        return str(record.msg)


def _short(value: object) -> object:
    """A value for a message; a longer text, and an error's words, are not what a log is for."""
    if isinstance(value, BaseException):
        return _kind(value) + _words(value)
    if isinstance(value, int | float | Path) or value is None:
        return value
    text = str(value)
    return value if len(text) <= LONGEST_NAME and "\n" not in text else f"[{len(text)} characters]"


def _known_secrets() -> set[str]:
    from_environment = {
        value
        for name, value in os.environ.items()
        if _KEY_LIKE.search(name) and len(value) >= SHORTEST_SECRET
    }
    return _SECRETS | from_environment


def _is_worth_keeping(record: logging.LogRecord) -> bool:
    """Ours from INFO, others' from WARNING: libraries note whole requests below that."""
    ours = record.name == "loomapp" or record.name.startswith("loomapp.")
    return record.levelno >= (logging.INFO if ours else logging.WARNING)
