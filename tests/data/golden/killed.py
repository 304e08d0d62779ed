"""Groves whose window was killed while answers streamed, as older programs left them on the disk.

`killed-v1.zip` is of the program of 2026-11-23 at noon, before the change log was a chain; `killed-v2.zip` of
that evening's, before changes had kinds. Both were made by hand in the window: answers of the local model, an
edit, a note, a tag, a bookmark, an exclusion, a pruned branch, an attached picture, steps undone; the second
also has a buffer with a word corrected, spaces left out before an answer, and an unsent message. Beside the
grove, its drafts and its media lies what that program said of it (`said.json`), and what it would have sent
from each node (`contexts.json`).
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
VERSIONS = (1, 2)


@dataclass(frozen=True)
class KilledGrove:
    """A copy of such a grove, with the words of the program that made it."""

    path: Path

    @property
    def said(self) -> Any:
        """What that program said of it: as `make_grove.said`."""
        return json.loads((self.path.parent / "said.json").read_text(encoding="utf-8"))

    @property
    def contexts(self) -> list[dict[str, Any]]:
        """Of each node: `tree`, `at`, the `status` of `loomapp context` and its `text` without the footer."""
        value: list[dict[str, Any]] = json.loads(
            (self.path.parent / "contexts.json").read_text(encoding="utf-8")
        )
        return value

    def files(self) -> dict[str, bytes]:
        """Every file of it, by its place beside the grove."""
        folder = self.path.parent
        return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def unpacked(version: int, folder: Path) -> KilledGrove:
    """Write the grove of a version into a folder."""
    with zipfile.ZipFile(FOLDER / f"killed-v{version}.zip") as archive:
        archive.extractall(folder)
    return KilledGrove(folder / "grove.loom")
