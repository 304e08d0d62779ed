"""The worked examples of the rules, one test a row."""

from __future__ import annotations

import pytest

from loomapp.core.context.assembly import assemble
from loomapp.core.context.report import Partial
from loomapp.core.context.request import ContextRequest
from loomapp.core.model.content import Image
from loomapp.core.model.entities import ContextSettings
from tests.kit.written_trees import chain, edge, hundreds, node, tree

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


def test_a_long_passage_before_the_newest_sentence_is_sent_as_far_as_it_fits() -> None:
    subject = chain(node("n1", "a" * 200_000), node("n2", "b" * 40), mode="buffer")

    middle = assemble(subject, ContextRequest("n2", window=1024 + 100))
    rolling = assemble(subject, ContextRequest("n2", window=1024 + 100, overrides=ROLLING))

    assert middle.document == "\n\n[...]\n\n" + "a" * 4 * (100 - 3 - 10) + "b" * 40
    assert rolling.document == "a" * 4 * (100 - 10) + "b" * 40
    for report in (middle.report, rolling.report):
        assert (report.kept, tuple(report.dropped), report.after_tokens) == (("n1", "n2"), (), 100)
        assert not report.minimum_recent_honoured  # only whole ones count
    assert middle.report.partial == Partial("n1", 348, 200_000 - 348)
    assert rolling.report.partial == Partial("n1", 360, 200_000 - 360)


def test_a_cut_between_a_passage_and_its_source_drops_the_source_alone() -> None:
    rows = [node("n1", "a" * 400), node("src", "s" * 400), node("n2", "b" * 40), node("n3", "c" * 40)]
    subject = tree(rows, [edge("n2", "n1", "src context"), edge("n3", "n2")], mode="buffer")

    between = assemble(subject, ContextRequest("n3", window=1024 + 120, overrides=ROLLING))
    within = assemble(subject, ContextRequest("n3", window=1024 + 125, overrides=ROLLING))

    assert between.document == "a" * 400 + "b" * 40 + "c" * 40
    assert [(d.node_id, d.reason) for d in between.report.dropped] == [("src", "truncated")]
    assert (between.report.partial, between.report.minimum_recent_honoured) == (None, False)
    assert within.document == "s" * 20 + "a" * 400 + "b" * 40 + "c" * 40
    assert within.report.kept == ("src", "n1", "n2", "n3")
    assert within.report.partial == Partial("src", 20, 380)


def test_where_not_even_the_newest_and_the_marker_fit_the_text_before_goes_on_without_one() -> None:
    subject = chain(node("n1", "a" * 40), node("n2", "b" * 4), node("n3", "c" * 40), mode="buffer")

    assembled = assemble(subject, ContextRequest("n3", window=1024 + 12))

    assert assembled.document == "aaaa" + "bbbb" + "c" * 40
    assert (assembled.report.marker, assembled.report.after_tokens) == (False, 12)
    assert assembled.report.partial == Partial("n1", 4, 36)


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
