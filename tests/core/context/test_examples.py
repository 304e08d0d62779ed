"""The worked examples of the rules, one test a row."""

from __future__ import annotations

import pytest

from loomapp.core.content import Image
from loomapp.core.context.assembly import ContextRequest, assemble
from loomapp.core.context.report import Partial
from loomapp.core.rows import ContextSettings

from .building import chain, edge, hundreds, node, tree

ROLLING = ContextSettings(truncation_strategy="rollingWindow")


def test_ten_nodes_that_just_fit_are_untouched() -> None:
    report = assemble(hundreds(10), ContextRequest("n10", window=2024)).report

    assert (report.truncated, report.after_tokens, report.available) == (False, 1000, 1000)
    assert len(report.kept) == 10


def test_one_token_less_takes_out_one_node_and_leaves_a_marker() -> None:
    report = assemble(hundreds(10), ContextRequest("n10", window=2023)).report

    assert (len(report.kept), report.marker, report.after_tokens) == (9, True, 907)


def test_the_first_and_the_newest_stay_around_one_marker() -> None:
    assembled = assemble(hundreds(10), ContextRequest("n10", window=1024 + 620))

    assert assembled.report.kept == ("n01", "n06", "n07", "n08", "n09", "n10")
    assert assembled.report.after_tokens == 607
    assert assembled.messages[0].text == "n01:".ljust(400, "x") + "\n\n[... 4 messages omitted ...]"


def test_where_the_newest_do_not_fit_fewer_of_them_stay() -> None:
    assembled = assemble(hundreds(10), ContextRequest("n10", window=1024 + 350))

    assert assembled.report.kept == ("n08", "n09", "n10")
    assert not assembled.report.minimum_recent_honoured
    assert (assembled.messages[0].role, assembled.messages[0].text) == (
        "user",
        "[... 7 messages omitted ...]",
    )


def test_a_rolling_window_keeps_the_newest_and_says_nothing_of_the_rest() -> None:
    report = assemble(hundreds(10), ContextRequest("n10", window=1024 + 350, overrides=ROLLING)).report

    assert (report.kept, report.marker) == (("n08", "n09", "n10"), False)


def test_a_newest_message_that_is_too_big_is_sent_whole_and_over_the_limit() -> None:
    subject = chain(node("n1", "x" * 400), node("n2", "y" * 400, "model"), node("n3", "z" * 3600))

    report = assemble(subject, ContextRequest("n3", window=1024 + 500)).report

    assert (report.kept, report.over_limit, report.after_tokens) == (("n3",), True, 900)


def test_a_document_that_is_too_big_keeps_its_end_and_all_of_the_working_buffer() -> None:
    subject = chain(node("n1", "a" * 3604 + "b" * 396), mode="buffer")

    assembled = assemble(subject, ContextRequest("n1", window=1024 + 100, working_buffer="word"))

    assert assembled.document == "b" * 396 + "word"
    assert assembled.report.partial == Partial("n1", 396, 3604)


def test_what_stands_around_an_excluded_answer_becomes_one_message() -> None:
    subject = chain(
        node("q1", "Q1"),
        node("a1", "A1", "model", excluded=True),
        node("q2", "Q2"),
        node("a2", "A2", "model"),
    )

    messages = assemble(subject, ContextRequest("a2")).messages

    assert [(m.role, m.text, m.node_ids) for m in messages] == [
        ("user", "Q1\n\nQ2", ("q1", "q2")),
        ("assistant", "A2", ("a2",)),
    ]


def test_an_image_stands_before_the_text_it_goes_with_and_an_instruction_in_the_system_context() -> None:
    cat = Image("0" * 64, "image/png", alt_text="cat.png")
    rows = [
        node("n1", "Describe it."),
        node("img", cat),
        node("ins", "Answer in French."),
        node("n2", "Oui."),
    ]
    subject = tree(rows, [edge("n2", "n1", "img context", "ins instruction")], system="T")

    assembled = assemble(subject, ContextRequest("n2", system_prompt="A"))

    assert assembled.system == "A\n\nT\n\nAnswer in French."
    assert assembled.messages[0].text == "[image: cat.png]\n\nDescribe it.\n\nOui."


@pytest.mark.parametrize(
    ("selections", "document"), [({}, "Once Upon! a time"), ({"end": "n5"}, "Once upon a time")]
)
def test_the_newest_version_is_read_unless_another_is_chosen(
    selections: dict[str, str], document: str
) -> None:
    rows = [
        node("n4", "Once "),
        node("n5", "upon", "model", at=1),
        node("n5b", "UPON", at=2, edited_from="n5"),
        node("n5c", "Upon!", at=3, edited_from="n5b"),
        node("end", " a time", "model"),
    ]
    edges = [*(edge(name, "n4") for name in ("n5", "n5b", "n5c")), edge("end", "n5", "n5b", "n5c")]

    assembled = assemble(tree(rows, edges, "buffer"), ContextRequest("end", selections=selections))

    assert assembled.document == document
