"""The seal of a node in the change log is the digest that it always was: of canonical JSON, whole."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import pytest

from loomapp.core.content import Content, Image, Mixed, Text
from loomapp.core.content_encoding import content_to_json
from loomapp.core.provenance import LONG, canonical_json
from loomapp.core.rows import Interrupted, Node
from loomapp.store.log_rows import seal

CONTENTS = (
    Text('Said “so” \\ \n\u2028 \x00 "quoted" 👩‍👩‍👧'),
    Text("with more", {"foreign": [1, None]}),
    Text("😀 long " * LONG),
    Mixed((Text("a"), Image("0" * 64, "image/png"))),
)


@pytest.mark.parametrize("content", CONTENTS, ids=["short", "foreign", "long", "mixed"])
def test_a_seal_covers_all_that_never_changes(content: Content) -> None:
    node = Node("n1", "N1", content, "human", "you", 5, content_hash="cd", parent_hashes=("ab",))
    node = replace(node, edited_from="n0", interrupted=Interrupted("crash"))
    whole = [
        content_to_json(content), "N1", "human", "you", 5, "cd", ["ab"], "n0", {"reason": "crash"}, {}
    ]  # fmt: skip
    digest = blake2b(canonical_json(whole), digest_size=12).hexdigest()

    assert seal(node) == seal(node) == digest
