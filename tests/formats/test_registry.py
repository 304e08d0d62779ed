"""The contract of every format: what its exporter writes its importer reads, and bad input is one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.hashes import verify
from loomapp.formats import jsonl
from loomapp.formats.importer import Damaged, Found, Reading
from loomapp.formats.loom_json import read
from loomapp.formats.registry import EXPORTERS, IMPORTERS, detect, dialog_suffixes, suffixes
from loomapp.formats.soundness import check_edges, check_shown, parents_first
from loomapp.formats.sources import Source, open_source
from tests.kit.chatgpt_exports import boat, with_picture, write_export
from tests.kit.exports.every import FOREIGN
from tests.kit.exports.large import CHATS, TREES, write_large
from tests.kit.exports.reading import findings, write
from tests.kit.loom_files import everything

OWNER = Agent("owner", "You", "human", loom_aware=True)


def loom_json_file(folder: Path) -> Path:
    file = folder / "a file"
    file.write_text(json.dumps(everything()), encoding="utf-8")
    return file


def chatgpt_export(folder: Path) -> Path:
    return write_export(folder / "another file", boat(), with_picture(), {"id": "c3", "title": "no mapping"})


def jsonl_file(folder: Path) -> Path:
    imported = read(json.dumps(everything()))
    text = jsonl.write(imported.tree, imported.agents, imported.evidence, imported.media)
    return write(folder / "a third file", text.encode())


def written(name: str) -> Callable[[Path], Path]:
    return lambda folder: write(folder / "an odd name.dat", FOREIGN[name])


EXAMPLES: Mapping[str, Callable[[Path], Path]] = {
    "loom-json": loom_json_file,
    "jsonl": jsonl_file,
    "chatgpt": chatgpt_export,
    **{name: written(name) for name in FOREIGN},
}


@pytest.fixture
def opened() -> Iterator[Callable[[Path], Source]]:
    with ExitStack() as stack:
        yield lambda path: stack.enter_context(open_source(path))


def test_every_format_has_an_example() -> None:
    assert EXAMPLES.keys() == IMPORTERS.keys()
    assert list(IMPORTERS)[-1] == "text", "whatever else a text may be comes first"
    assert [importer.name for importer in IMPORTERS.values()] == list(IMPORTERS)
    assert set(suffixes()) >= {".json", ".zip", ".jsonl", ".docx", ".tapestry"}
    assert set(dialog_suffixes()) - set(suffixes()) == {".html", ".png", ".md", ".markdown", ".txt"}, (
        "what is attached"
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_format_is_recognised_by_its_content_whatever_the_file_is_called(
    name: str, tmp_path: Path, opened: Callable[[Path], Source]
) -> None:
    found = detect(opened(EXAMPLES[name](tmp_path)))

    assert found is not None
    assert found.importer is IMPORTERS[name]
    assert found.why


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_trees_of_a_file_are_sound_and_are_what_was_said_of_them(
    name: str, tmp_path: Path, opened: Callable[[Path], Source]
) -> None:
    told: list[tuple[int, int]] = []
    source = opened(EXAMPLES[name](tmp_path))

    for found in IMPORTERS[name].read(source, Reading(now=5), lambda done, of: told.append((done, of))):
        if isinstance(found, Damaged):
            assert found.reason
            continue
        facts, imported = found.facts(), found.load(OWNER)
        tree = imported.tree
        check_edges(list(tree.edges.values()), tree.nodes)
        check_shown("nodes", "id", list(tree.nodes))
        assert len(parents_first(list(tree.nodes.values()), list(tree.edges.values()))) == len(tree.nodes)
        assert tree.loom.id == found.id
        assert {i for i in tree.nodes if not tree.is_empty_root(i)} == set(facts.node_ids)
        assert tree.path.leaf_id in tree.nodes
        assert {node.author_agent_id for node in tree.nodes.values()} <= {
            *(agent.id for agent in imported.agents),
            OWNER.id,
        }
        digests = {node_id: one.digest(node_id) for one in imported.evidence for node_id in one.choices}
        assert {finding.verdict for finding in verify(tree, digests)} <= {"ok", "no evidence"}
        for ref, data in imported.media.items():
            assert len(ref) == 64
            assert data
    assert told
    assert told[-1][0] <= told[-1][1]


@pytest.mark.parametrize("name", EXAMPLES)
def test_reading_can_be_stopped_where_it_tells_how_far_it_is(
    name: str, tmp_path: Path, opened: Callable[[Path], Source]
) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, of: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        list(IMPORTERS[name].read(opened(EXAMPLES[name](tmp_path)), Reading(), stop))


@pytest.mark.parametrize("name", EXPORTERS)
def test_what_a_format_writes_it_reads(name: str, tmp_path: Path, opened: Callable[[Path], Source]) -> None:
    imported = read(json.dumps(everything()))

    text = EXPORTERS[name].write(imported.tree, imported.agents, imported.evidence, imported.media)
    (tmp_path / "t").write_text(text, encoding="utf-8")

    [again] = IMPORTERS[name].read(opened(tmp_path / "t"), Reading(), lambda *_: None)
    assert isinstance(again, Found)
    assert list(again.load(None).tree.nodes) == list(imported.tree.nodes)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    "data", [b"", b"\x00\x01", b"{}", b"[" * 100_000, b"\xff\xfe", b"[{", b"PK\x03\x04", b"[1, 2"]
)
def test_what_no_format_is_gets_one_line(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(data)
    if name in ("text", "markdown") and data[:1] in (b"{", b"["):
        pytest.skip("who asks for it may read any text as one")

    with pytest.raises(InvalidInput) as caught, open_source(tmp_path / "t") as source:
        list(IMPORTERS[name].read(source, Reading(), lambda *_: None))

    assert len(caught.value.message.splitlines()) == 1


@pytest.mark.parametrize(
    "data", [b"", b"\x00\x01", b"{}", b"[" * 100_000, b"\xff\xfe", b"[]", b"[1, 2]", b'{"text": 1}']
)
def test_nothing_is_recognised_in_what_no_format_is(
    data: bytes, tmp_path: Path, opened: Callable[[Path], Source]
) -> None:
    (tmp_path / "conversations.json").write_bytes(data)

    assert detect(opened(tmp_path / "conversations.json")) is None


@pytest.mark.parametrize("name", [*CHATS, *TREES])
def test_a_large_file_for_the_bench_is_of_its_format_and_has_branches(name: str, tmp_path: Path) -> None:
    found = findings(write_large(name, tmp_path / "large", 40_000), name)

    assert found
    assert all(isinstance(one, Found) for one in found)
    assert any(isinstance(one, Found) and one.facts().branches > 1 for one in found)
