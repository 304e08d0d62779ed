"""Programs that called last, of each grove: when, what for, how much they read and wrote, and refusals."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.text.token_counts import estimate
from loomapp.core.times import Milliseconds
from loomapp.files import MOST_SETTINGS_BYTES, read_regular, remember
from loomapp.store.identity import now

FOLDER = "mcp-clients"
MOST = 20  # programs that are remembered for a grove
PAUSE_MS = 30 * 60_000  # after so long a silence a program's sums begin anew


@dataclass(frozen=True, slots=True)
class Heard:
    """Calls of one program, since it was silent for long."""

    client: str
    at: Milliseconds  # the newest call
    tool: str = ""  # of the newest call
    reads: int = 0
    nodes: int = 0  # that they made
    changes: int = 0  # calls that wrote, and made none
    refused: int = 0
    refusal: str = ""  # the newest
    tokens: int = 0  # of the replies


class LastHeard:
    """Takes note of calls in the user's state folder. One that cannot be written costs only the note."""

    def __init__(self, grove: Path) -> None:
        self._folder = _folder_of(grove)
        self._heard: dict[str, Heard] = {}  # by client

    def note_reply(self, client: str, tool: str, reply: str, *, writes: bool, nodes: int = 0) -> None:
        """A call was carried out, and this was replied; one that writes made so many nodes."""
        so_far = self._so_far(client)
        self._keep(
            replace(
                so_far,
                tool=tool,
                reads=so_far.reads + (not writes),
                nodes=so_far.nodes + nodes,
                changes=so_far.changes + (writes and not nodes),
                tokens=so_far.tokens + estimate(reply),
            )
        )

    def note_refusal(self, client: str, tool: str, message: str) -> None:
        so_far = self._so_far(client)
        self._keep(replace(so_far, tool=tool, refused=so_far.refused + 1, refusal=message))

    def _so_far(self, client: str) -> Heard:
        known = self._heard.get(client) or _read(self._file(client))
        if known is None or now() - known.at > PAUSE_MS:
            known = Heard(client, 0)
        return replace(known, at=now())

    def _keep(self, heard: Heard) -> None:
        is_new = heard.client not in self._heard
        self._heard[heard.client] = heard
        remember(self._file(heard.client), json.dumps(asdict(heard)))
        if is_new:
            with suppress(OSError):
                for file in _newest_first(self._folder)[MOST:]:
                    file.unlink(missing_ok=True)

    def _file(self, client: str) -> Path:
        return self._folder / f"{_digest(client)}.json"


def last_heard(grove: Path) -> list[Heard]:
    """Return the programs that called a grove's server, the one heard last first."""
    with suppress(OSError):
        found = (_read(file) for file in _newest_first(_folder_of(grove)))
        return sorted((one for one in found if one is not None), key=lambda one: -one.at)[:MOST]
    return []


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"), key=lambda file: -file.stat().st_mtime_ns)


def _read(file: Path) -> Heard | None:
    with suppress(OSError, ValueError, TypeError, KeyError, OverflowError):
        note = json.loads(read_regular(file, MOST_SETTINGS_BYTES))
        return Heard(
            str(note["client"]),
            int(note["at"]),
            str(note["tool"]),
            int(note["reads"]),
            int(note["nodes"]),
            int(note["changes"]),
            int(note["refused"]),
            str(note["refusal"]),
            int(note["tokens"]),
        )
    return None


def _folder_of(grove: Path) -> Path:
    return places.state_folder() / FOLDER / _digest(str(grove.absolute()))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
