"""What would be sent from each node of an older program's grove is what that program printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.store.grove.open import open_grove
from tests.data.golden.killed import VERSIONS, KilledGrove, unpacked
from tests.kit.processes.command import loomapp


def contexts(old: KilledGrove) -> list[dict[str, object]]:
    """The same as `old.contexts`, by this program."""
    found = []
    for said in old.contexts:
        at = ("--tree", str(said["tree"]), "--at", str(said["at"]))
        done = loomapp("context", "--grove", old.path, *at)
        text = done.out.rsplit("\n---\n", 1)[0]
        found.append({"tree": said["tree"], "at": said["at"], "status": done.status, "text": text})
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_contexts_are_as_the_older_program_printed_them_before_and_after_the_migration(
    version: int, tmp_path: Path
) -> None:
    old = unpacked(version, tmp_path)
    before = old.files()

    assert contexts(old) == old.contexts
    assert old.files() == before

    open_grove(old.path).close()
    assert contexts(old) == old.contexts
