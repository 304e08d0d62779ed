"""Laws of ChatGPT exports: whatever a mapping looks like, its messages come in node for node."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.model.hashes import verify
from loomapp.formats.conversation import nearest, parents_first, sound_parents
from loomapp.formats.importer import Damaged, Found, Reading
from loomapp.formats.loom_json import read as read_loom_json
from loomapp.formats.loom_json import write as write_loom_json
from loomapp.formats.registry import IMPORTERS
from loomapp.formats.sources import open_source
from tests.kit.chance import examples
from tests.kit.chatgpt_exports import conversation, said, write_json

KEYS = st.sampled_from("abcdefgh")
PARENTS = st.dictionaries(KEYS, st.none() | KEYS, min_size=1)
LINKS = st.dictionaries(KEYS, st.none() | st.sampled_from("abcdefghxyz"), min_size=1)
MESSAGES = st.none() | st.builds(
    said,
    st.sampled_from(["user", "assistant", "tool", "system"]),
    st.text(min_size=1),
    at=st.none() | st.floats(),
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def read_all(*values: Any) -> list[Any]:
    with TemporaryDirectory() as folder, open_source(write_json(Path(folder) / "t", *values)) as source:
        return list(IMPORTERS["chatgpt"].read(source, Reading(now=9), lambda *_: None))


@given(LINKS)
def test_sound_pointers_lead_to_a_root_and_change_nothing_that_is_sound(
    parents: dict[str, str | None],
) -> None:
    sound = sound_parents(parents)

    order = parents_first(sound)
    assert sorted(order) == sorted(parents)
    places = {key: place for place, key in enumerate(order)}
    for key, parent in sound.items():
        assert parent is None or places[parent] < places[key]
        assert parent == parents[key] or parent is None
    assert sound_parents(sound) == sound


@given(LINKS, st.sets(KEYS))
def test_the_nearest_kept_one_is_reached_by_walking_up(
    parents: dict[str, str | None], kept: set[str]
) -> None:
    sound = sound_parents(parents)
    kept &= sound.keys()

    for key, above in nearest(sound, kept).items():
        at = sound[key]
        while at is not None and at not in kept:
            at = sound[at]
        assert above == at


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), PARENTS)
def test_a_mapping_comes_in_node_for_node(data: st.DataObject, parents: dict[str, str | None]) -> None:
    messages = {key: (parent, data.draw(MESSAGES)) for key, parent in parents.items()}
    value = conversation(messages, current_node=data.draw(st.none() | KEYS))
    for node in value["mapping"].values():
        node["children"] = data.draw(st.lists(KEYS, max_size=3))

    [found] = read_all(value)

    spoken = {key: message for key, (_, message) in messages.items() if message is not None}
    if not spoken:
        assert isinstance(found, Damaged)
        return
    assert isinstance(found, Found)
    tree = found.load(None).tree
    assert tree.nodes.keys() - {tree.root_id} == spoken.keys()
    above = nearest(sound_parents(parents), spoken)
    for key, message in spoken.items():
        [edge] = tree.incoming(key)
        assert edge.with_role("primary") == (above[key] or tree.root_id,)
        assert tree.nodes[key].text == message["content"]["parts"][0]
        assert tree.nodes[key].author_type == ("human" if message["author"]["role"] == "user" else "model")
    assert {one.verdict for one in verify(tree, {})} <= {"ok", "no evidence"}
    text = write_loom_json(tree)
    assert write_loom_json(read_loom_json(text).tree) == text


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_nothing_that_a_file_says_breaks_the_reading(data: st.DataObject) -> None:
    value = conversation({"u": (None, said("user", "x")), "a": ("u", said("assistant", "y"))})
    place: Any = value
    while isinstance(place, dict) and place and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(place)))
        if isinstance(place[key], dict) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        place[key] = data.draw(JSON_VALUES)
        break

    for found in read_all(value, data.draw(JSON_VALUES)):
        if isinstance(found, Found):
            found.facts()
            text = write_loom_json(found.load(None).tree)
            assert write_loom_json(read_loom_json(text).tree) == text
            json.loads(text)
