"""The contract of every format: what its exporter writes, its importer reads, and bad input is one line."""

from __future__ import annotations

import json

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.formats.loom_json import read
from loomapp.formats.registry import EXPORTERS, IMPORTERS
from tests.kit.loom_files import everything


@pytest.mark.parametrize("name", EXPORTERS)
def test_what_a_format_writes_it_reads(name: str) -> None:
    imported = read(json.dumps(everything()))

    text = EXPORTERS[name].write(imported.tree, imported.agents, imported.evidence, imported.media)

    again = IMPORTERS[name].read(text.encode())
    assert list(again.tree.nodes) == list(imported.tree.nodes)


@pytest.mark.parametrize("name", IMPORTERS)
@pytest.mark.parametrize("data", [b"", b"\x00\x01", b"{}", b"[" * 100_000, b"\xff\xfe"])
def test_what_no_format_is_gets_one_line(name: str, data: bytes) -> None:
    with pytest.raises(InvalidInput) as caught:
        IMPORTERS[name].read(data)

    assert len(caught.value.message.splitlines()) == 1
