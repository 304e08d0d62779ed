"""The sample tree that a new grove begins with."""

from __future__ import annotations

from loomapp import places
from loomapp.core.model.tree import Tree
from loomapp.formats import loom_json
from loomapp.store.files.media import add_media
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now

SAMPLE = "sample.loom.json"


def first_tree(grove: Grove) -> Tree:
    """The first tree of a grove; an empty grove gets the sample."""
    rows = grove.trees()
    return grove.load_tree(rows[0].id) if rows else add_sample(grove)


def add_sample(grove: Grove) -> Tree:
    """Put the bundled sample into a grove, with the responses that its answers rest on."""
    imported = loom_json.read(places.resource(SAMPLE), now=now(), tree_id=new_id())
    add_media(grove.path, imported.media.values())
    added = grove.add_tree(imported.tree, imported.agents, imported.evidence)
    return grove.load_tree(added.tree_id)
