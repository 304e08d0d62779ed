"""What a model's own tokenizer counts: a buffer is one text, and has nothing of a chat around it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.context.report import Report
from loomapp.core.edits.tree_edits import new_tree
from loomapp.core.generation.provider import Request
from loomapp.core.model.entities import Mode
from loomapp.core.text.token_counts import Tokenized
from loomapp.providers.engine.local_model import LocalModel
from loomapp.session.context.token_counter import counted
from loomapp.session.plan import TokenCounts
from loomapp.store.grove.open import create_grove
from tests.kit.trees import Hand

TEXT = "The ferry had not run for three weeks."


class Engine:
    """An engine whose chats begin with a system text, and whose tokens are words."""

    def tokenized(self) -> Tokenized:
        return Tokenized({}, request_tokens=8, message_tokens=5, bare_tokens=25)

    def count_text(self, text: str) -> int:
        return len(text.split())

    def count_tokens(self, request: Request) -> int:
        return len((request.document or "").split()) if request.messages == () else 38


@pytest.mark.parametrize(
    ("mode", "request_", "beside"),
    [
        ("buffer", Request("local:m", document=TEXT), (0, 0)),
        ("dialogue", Request("local:m", messages=(Message("user", (TextPart(TEXT),)),)), (25, 5)),
    ],
)
def test_a_buffer_has_no_template_around_it_and_a_dialogue_keeps_its_own(
    mode: Mode, request_: Request, beside: tuple[int, int], tmp_path: Path
) -> None:
    report = cast("Report", SimpleNamespace(over_limit=False, available=1_000, after_tokens=0))
    found = counted(
        cast("LocalModel", Engine()), request_, (TEXT,), None, "digest", report, lambda *_: None, mode
    )
    assert (found.tokenized.bare_tokens, found.tokenized.message_tokens) == beside
    assert found.total == 8 + sum(beside)

    with create_grove(tmp_path / "g.loom") as grove:
        counts = TokenCounts(grove)
        counts.take(found)
        for other in ("buffer", "dialogue"):
            tree = new_tree(other, "A tree", Hand().pen())
            estimator = counts.estimator(tree, tree.root_id, None, "local:m")
            assert isinstance(estimator, Tokenized) == (other == mode)
