"""JSON read item by item is what the whole text says, and what the whole text is refused for is not read."""

from __future__ import annotations

import json
import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loomapp.core.errors import InvalidInput
from loomapp.formats import json_text, lenient_json, loom_json
from loomapp.formats.json_text import NotInOrder, count, parse, read_items
from loomapp.formats.lenient_json import read_list, read_value, read_whole
from tests.formats.test_loom_json_faults import TEXTS
from tests.kit.loom_files import everything

LISTS = ("nodes", "edges")
SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SIMPLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
OBJECTS = st.fixed_dictionaries(
    {}, optional={"nodes": st.lists(VALUES), "edges": st.lists(VALUES), "a": VALUES, "b": VALUES}
)


class Crumbs(BytesIO):
    """A file that gives a few bytes at a time, as a slow disk may, so that a part ends anywhere."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(3 if size is None or size < 0 else min(size, 3))


def put_together(file: BytesIO) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, number, item in read_items(file, LISTS):
        if number is None:
            value[key] = item
        else:
            value.setdefault(key, []).append(item)
            assert len(value[key]) == number + 1
    return value


def without_empty_lists(value: object) -> dict[str, Any]:
    assert isinstance(value, dict)
    return {key: item for key, item in value.items() if item != [] or key not in LISTS}


@given(OBJECTS, st.booleans(), st.sampled_from((None, 1)))
@example({"nodes": [{"text": "\ud83d\ude00 ☃"}, 12], "edges": [], "a": 1.5e10}, True, None)
def test_the_items_of_a_file_are_those_of_the_whole_text(
    value: dict[str, Any], ascii_only: bool, indent: int | None
) -> None:
    try:
        data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
        wanted = parse(data)
    except (UnicodeEncodeError, InvalidInput):
        return

    assert put_together(BytesIO(data)) == without_empty_lists(wanted)
    assert put_together(Crumbs(data)) == without_empty_lists(wanted)


@pytest.mark.parametrize("source", [source for source, _ in TEXTS[:-4]], ids=range(len(TEXTS) - 4))
def test_what_the_whole_text_is_refused_for_is_not_read_item_by_item_either(source: bytes) -> None:
    with pytest.raises(NotInOrder):
        put_together(BytesIO(source))


def test_no_file_that_was_cut_off_is_read_item_by_item() -> None:
    data = json.dumps({"nodes": [{"id": "n1"}, {"id": "ü"}], "tree": {"a": [1, 2]}}).encode()

    for length in range(len(data)):
        with pytest.raises(NotInOrder):
            put_together(BytesIO(data[:length]))


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [{"a": 1}, {"a": 1, "a": 2}]}',
        '{"nodes": [1], "nodes": [2]}',
        '{"nodes": {}}',
        '{"nodes": [1,]}',
        '{"nodes": [1 2]}',
        '{"nodes": ["\\ud83d"]}',
        '{"nodes": [NaN]}',
        '{"nodes": [' + "[" * 100 + "]" * 100 + "]}",
        '{"nodes": []} {}',
        '{"nodes": []',
        "{nodes: []}",
    ],
)
def test_a_fault_among_the_items_ends_the_reading(text: str) -> None:
    with pytest.raises(NotInOrder):
        put_together(BytesIO(text.encode()))


def test_nesting_ends_where_it_ends_for_the_whole_text() -> None:
    for depth in (98, 99, 100):
        data = ('{"nodes": [' + "[" * depth + "]" * depth + "]}").encode()
        try:
            parse(data)
            is_read = True
        except InvalidInput:
            is_read = False

        if is_read:
            put_together(BytesIO(data))
        else:
            with pytest.raises(NotInOrder):
                put_together(BytesIO(data))


def test_a_file_that_uses_everything_is_read_item_by_item(tmp_path: Path) -> None:
    imported = loom_json.read(json.dumps(everything()), now=1, tree_id="t")
    text = loom_json.write(imported.tree, imported.agents, imported.evidence, imported.media)
    file = tmp_path / "t.loom.json"
    file.write_text(text, encoding="utf-8")

    assert len(put_together(BytesIO(text.encode()))["nodes"]) == len(everything()["nodes"])
    again = loom_json.read(file, now=1, tree_id="t")
    assert loom_json.write(again.tree, again.agents, again.evidence, again.media) == text


@given(VALUES, st.booleans(), st.sampled_from((None, 1)))
def test_a_value_that_is_put_together_from_its_parts_is_the_one_read_at_once(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "PART", 600)
        patch.setattr(lenient_json, "SHORT", 350)  # no number is longer

        assert read_whole(Crumbs(data)) == read_value(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": [1, {"b": "x', "it ends in the middle; it seems cut off"),
        (b'{"a": [1, {"b": 2}', "it ends in the middle; it seems cut off"),
        (b'{"a": [1 {"b": 2}]}', "not JSON: a comma or a bracket is missing"),
        (b'{"a": tru, "b": "long enough"}', "not JSON: Expecting value"),
        (b"{} x", "not JSON: something follows where it should end"),
        (b'{"a": "\xff"}', "it is not UTF-8 text"),
    ],
)
def test_a_whole_file_that_is_no_json_says_why(data: bytes, why: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_whole(BytesIO(data))

    assert refused.value.message == why


@pytest.mark.parametrize("behind", [b" and words", b"\n[3]", b"\0"])
def test_what_follows_a_list_is_not_passed_over(behind: bytes) -> None:
    items = read_list(Crumbs(b'[1, {"a": 2}] ' + behind))
    assert [next(items), next(items)] == [1, {"a": 2}]

    with pytest.raises(InvalidInput, match=r"^\[2\]: something follows where the list should end$"):
        next(items)

    assert [*read_list(BytesIO(b"[1]; var more = 2;"), is_all=False)] == [1]
    assert [*read_list(BytesIO(b"[]\r\n \n"))] == []


def test_a_value_nested_deeper_than_python_reads_is_read() -> None:
    value = read_whole(BytesIO(b'{"a": 1, "b": [' * 20_000 + b"null" + b"]}" * 20_000))

    depth = 0
    while isinstance(value, dict):
        value, depth = value["b"][0], depth + 1
    assert (value, depth) == (None, 20_000)


def test_what_is_nested_by_the_hundred_is_not_begun_in_vain_at_each_level() -> None:
    story = b'{"text": "And then.", "tokens": [1, 2, 3], "children": ['
    data = story * 300 + b",".join([b"{}"] * 8_000) + b"]}" * 300
    reader, vain = lenient_json.LENIENT, list[int]()

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            try:
                return reader.raw_decode(s, idx)
            except json.JSONDecodeError:
                vain.append(idx)
                raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "PART", 30_000)
        patch.setattr(lenient_json, "SHORT", 600)
        patch.setattr(lenient_json, "LENIENT", Counting())

        value = read_whole(BytesIO(data))

    assert value == read_value(data)
    assert 0 < len(vain) < 10


def test_the_text_of_a_large_file_is_never_whole_in_memory() -> None:
    item = '"' + "plain words " * 800 + '"'
    data = BytesIO(f'{{"odd": "🙂", "items": [{", ".join([item] * 800)}]}}'.encode())
    tracemalloc.start()
    try:
        read_whole(data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 3 * len(data.getvalue())  # as one text four times as much, as an odd letter is in it


def test_a_word_is_counted_wherever_a_part_ends() -> None:
    assert count(Crumbs(b'xx"word" "wor" "word""word"'), b'"word"') == 3


def test_a_file_with_too_many_nodes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "large.loom.json"
    file.write_bytes(b'{"nodes": [' + b'{"authorType"' * 1_000_001)  # no JSON at all: nobody looked

    with pytest.raises(InvalidInput) as refused:
        loom_json.read(file)

    assert refused.value.message == (
        "nodes: there are 1,000,001; Loomapp reads up to 1,000,000 from one file, so divide the tree"
    )
