"""Assembly in the cases a person meets: composer text, chosen sources, warnings, errors, JSON."""

from __future__ import annotations

import pytest

from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.messages import ImagePart, TextPart
from loomapp.core.context.provider_rules import CONTINUE_DOCUMENT, PROVIDER_RULES, as_chat
from loomapp.core.context.report import Warned
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.sent_text import DocumentSpan
from loomapp.core.errors import AssemblyError
from loomapp.core.model.content import AttachedDocument, Audio, Image, Mixed, Text, ToolResult
from loomapp.core.model.entities import ContextSettings, IncludedAnnotations
from tests.kit.written_trees import chain, edge, hundreds, node, tree

NO_BUFFER = ContextSettings(token_buffer=0)
STOP = ContextSettings(truncation_strategy="stopAtLimit")
CAT = Image("0" * 64, "image/png", alt_text="a cat")


# Text that is not committed yet


def test_composer_text_is_a_human_message_that_is_no_node_yet() -> None:
    assembled = assemble(
        chain(node("q", "Q"), node("a", "A", "model")), ContextRequest("a", composer_text=" More? ")
    )

    assert (assembled.messages[-1].text, assembled.messages[-1].node_ids) == ("More?", (None,))
    assert assembled.report.kept == ("q", "a")
    assert assembled.report.after_tokens == 4


def test_composer_text_after_a_human_message_joins_it() -> None:
    messages = assemble(chain(node("q", "Q")), ContextRequest("q", composer_text="More?")).messages

    assert [(m.text, m.node_ids) for m in messages] == [("Q\n\nMore?", ("q", None))]


def test_pending_sources_stand_before_the_composer_text_and_else_before_the_current_node() -> None:
    subject = tree([node("q", "Q"), node("c", "C")])

    composed = assemble(subject, ContextRequest("q", context_ids=("c",), composer_text="More?"))
    bare = assemble(subject, ContextRequest("q", context_ids=("c",), composer_text=" "))

    assert composed.messages[0].text == "Q\n\nC\n\nMore?"
    assert bare.messages[0].text == "C\n\nQ"


def test_composer_text_alone_is_a_context() -> None:
    assert assemble(chain(node("root")), ContextRequest("root", composer_text="Hi")).messages[0].text == "Hi"


def test_the_working_buffer_follows_what_is_there_and_can_be_all_there_is() -> None:
    subject = chain(node("a", "One "), node("b", "two", excluded=True), mode="buffer")

    after = assemble(subject, ContextRequest("b", working_buffer=" "))
    alone = assemble(chain(node("a"), mode="buffer"), ContextRequest("a", working_buffer="x"))

    assert after.document == "One  "
    assert after.spans == (DocumentSpan("a", 0, 4), DocumentSpan(None, 4, 5, "workingBuffer"))
    assert (alone.document, alone.report.kept) == ("x", ())


# What goes where


def test_annotations_stand_after_their_node_by_their_author_in_the_order_of_their_edges() -> None:
    rows = [node("a", "A", "model"), node("z", "Z", "model"), node("y", "Y"), node("b", "B")]
    edges = [edge("z", "a", kind="annotation"), edge("y", "a", kind="annotation"), edge("b", "a")]
    subject = tree(rows, edges)
    subject.included_annotations = IncludedAnnotations(("y", "z", "gone"))

    messages = assemble(subject, ContextRequest("b")).messages

    assert [(m.role, m.text) for m in messages] == [("assistant", "A\n\nZ"), ("user", "Y\n\nB")]


def test_annotations_of_a_node_that_is_left_out_stay_and_its_context_goes_with_it() -> None:
    rows = [node("a", "A", excluded=True), node("n", "N"), node("c", "C"), node("b", "B", "model")]
    edges = [edge("n", "a", kind="annotation"), edge("b", "a", "c context")]

    report = assemble(tree(rows, edges), ContextRequest("b", included_annotations=("n",))).report

    assert report.kept == ("n", "b")
    assert [entry.node_id for entry in report.dropped] == ["a"]


def test_context_that_went_with_its_node_may_stand_at_a_later_position() -> None:
    rows = [node("a", "A", excluded=True), node("c", "C"), node("b", "B", "model"), node("d", "D")]
    edges = [edge("b", "a", "c context"), edge("d", "b", "c context")]

    assert assemble(tree(rows, edges), ContextRequest("d")).report.kept == ("c", "b", "d")


def test_context_is_the_users_whoever_wrote_it_and_stands_once() -> None:
    rows = [node("a", "A"), node("c", "C", "model"), node("b", "B", "model"), node("d", "D")]
    subject = tree(rows, [edge("b", "a", "c context"), edge("d", "b", "c context", "a context")])

    messages = assemble(subject, ContextRequest("d", context_ids=("c", "d"))).messages

    assert [(m.role, m.text) for m in messages] == [("user", "C\n\nA"), ("assistant", "B"), ("user", "D")]


def test_an_instruction_on_the_path_is_sent_in_both_places_and_that_of_a_left_out_node_too() -> None:
    rows = [node("a", "A"), node("i", "I"), node("b", "B", "model", excluded=True), node("c", "C")]
    subject = tree(rows, [edge("b", "a", "i instruction"), edge("c", "b", "a instruction")])

    assembled = assemble(subject, ContextRequest("c", instruction_ids=("i",)))

    assert assembled.system == "I\n\nA"
    assert assembled.messages[0].text == "A\n\nC"


def test_only_pending_instructions_are_sent_where_the_scope_says_so() -> None:
    rows = [node("a", "A"), node("i", "I"), node("j", "J"), node("b", "B", "model")]
    subject = tree(rows, [edge("b", "a", "i instruction")])
    overrides = ContextSettings(instruction_scope="pending")

    assembled = assemble(subject, ContextRequest("b", instruction_ids=("j",), overrides=overrides))

    assert assembled.system == "J"
    assert assembled.report.dropped == ()


def test_images_go_out_as_parts_to_models_that_see_and_as_words_to_others() -> None:
    rows = [node("i", CAT), node("a", Image("1" * 64, "image/png"), "model")]
    subject = chain(*rows)

    sees = assemble(subject, ContextRequest("a"))
    reads = assemble(subject, ContextRequest("a", accepts_images=False))

    assert sees.messages[0].parts == (ImagePart("0" * 64, "image/png", "[image: a cat]", "a cat"),)
    assert sees.messages[1].parts == (TextPart("[image: A]"),)
    assert reads.messages[0].parts == (TextPart("[image: a cat]"),)
    assert sees.report.after_tokens == reads.report.after_tokens


def test_mixed_content_is_said_block_by_block() -> None:
    blocks = (
        Text(" One "),
        Text(" "),
        CAT,
        Audio(),
        AttachedDocument("f", "text/plain", "two"),
        ToolResult("u", "ls", "3"),
    )
    rows = [node("m", Mixed(blocks))]

    message = assemble(chain(*rows), ContextRequest("m")).messages[0]
    document = assemble(chain(*rows, mode="buffer"), ContextRequest("m"))

    assert message.text == "One\n\n[image: a cat]\n\n[audio: M]\n\ntwo\n\n3"
    assert document.document == " One  [image: a cat][audio: M]two3"
    assert document.spans == (DocumentSpan("m", 0, 34),)


# The report


def test_what_is_left_out_is_told_in_reading_order_with_its_own_cost() -> None:
    rows = [
        node("a", "A" * 40),
        node("b", "  ", "model"),
        node("n", "note"),
        node("c", "C" * 80),
        node("d", "D" * 40),
    ]
    edges = [edge("b", "a"), edge("n", "b", kind="annotation"), edge("c", "b"), edge("d", "c")]
    overrides = ContextSettings("rollingWindow", token_buffer=0)

    report = assemble(tree(rows, edges), ContextRequest("d", window=10, overrides=overrides)).report

    assert [tuple(entry) for entry in report.dropped] == [
        ("a", "truncated", 10),
        ("b", "empty", 0),
        ("n", "annotation", 1),
        ("c", "truncated", 20),
    ]


def test_of_several_reasons_for_one_node_the_foremost_is_told() -> None:
    rows = [node("a", "A"), node("x", " "), node("b", "B", "model")]
    edges = [edge("b", "a", "x context"), edge("x", "b", kind="annotation")]

    report = assemble(tree(rows, edges), ContextRequest("b")).report

    assert [tuple(entry) for entry in report.dropped] == [("x", "annotation", 0)]


def test_every_node_has_one_fate() -> None:
    rows = [node("a", "A"), node("b", "B", excluded=True), node("c", "C", pruned=True), node("d", "D")]

    fates = assemble(chain(*rows), ContextRequest("d")).fates

    assert fates == {"a": "sent", "b": "excluded", "c": "pruned", "d": "sent"}


def test_a_pending_source_that_has_no_room_where_it_stands_is_warned_of() -> None:
    subject = chain(node("a", "A" * 400), node("b", "B" * 400, "model"), node("c", "C" * 40))
    overrides = ContextSettings("rollingWindow", token_buffer=0)

    report = assemble(subject, ContextRequest("c", window=50, overrides=overrides, context_ids=("a",))).report

    assert report.warnings == (Warned("pending_source_truncated", "a"),)


def test_a_pending_source_of_a_node_that_is_left_out_is_warned_of() -> None:
    subject = tree([node("a", "A"), node("b", "B", excluded=True), node("c", "C")], [edge("b", "a")])

    report = assemble(subject, ContextRequest("b", context_ids=("c",))).report

    assert report.warnings == (Warned("pending_source_without_primary", "c"),)


def test_sources_that_were_passed_by_are_told_unless_they_are_versions() -> None:
    rows = [node("a", "A"), node("a2", "A2", edited_from="a", at=1), node("x", "X"), node("b", "B")]
    subject = tree(rows, [edge("b", "a", "a2", "x")])

    assert assemble(subject, ContextRequest("b")).report.alternate_primaries == ("x",)


# Errors


def error_of(subject_at: str, **options: object) -> AssemblyError:
    """The error that the tenth of ten hundreds ends in."""
    with pytest.raises(AssemblyError) as caught:
        assemble(hundreds(10), ContextRequest(subject_at, **options))  # type: ignore[arg-type]
    return caught.value


def test_errors_come_in_their_order() -> None:
    everything_wrong = {"window": 0, "context_ids": ("gone",), "system_prompt": "s" * 9999, "overrides": STOP}

    assert error_of("nowhere", **everything_wrong).details["nodeId"] == "nowhere"
    assert error_of("n10", **everything_wrong).details["nodeId"] == "gone"
    assert error_of("n10", **{**everything_wrong, "context_ids": ()}).code == "INVALID_BUDGET"
    assert error_of("n10", window=1124, system_prompt="s" * 404, overrides=STOP).code == "SYSTEM_TOO_LARGE"
    assert error_of("n10", window=1124, system_prompt="s" * 400, overrides=STOP).code == "CONTEXT_TOO_LONG"


def test_a_context_that_is_too_long_names_what_is_largest() -> None:
    subject = chain(node("a", "A" * 40), node("b", "B" * 400), node("c", "C" * 80))

    with pytest.raises(AssemblyError) as caught:
        assemble(subject, ContextRequest("c", window=1024 + 100, overrides=STOP))

    assert caught.value.details == {
        "needed": 130,
        "available": 100,
        "over_by": 30,
        "largest": [
            {"nodeId": "b", "tokens": 100},
            {"nodeId": "c", "tokens": 20},
            {"nodeId": "a", "tokens": 10},
        ],
    }


@pytest.mark.parametrize(
    "asked",
    [
        {"context_ids": ("gone",)},
        {"instruction_ids": ("gone",)},
        {"included_annotations": ("gone",)},
        {"selections": {"gone": "n01"}},
        {"selections": {"n99": "n01"}},
    ],
)
def test_an_unknown_id_anywhere_in_the_request_is_not_found(asked: dict[str, object]) -> None:
    assert error_of("n10", **asked).code == "NODE_NOT_FOUND"


def test_a_missing_context_source_on_the_path_is_not_found() -> None:
    subject = tree([node("a", "A"), node("b", "B")], [edge("b", "a", "gone context")])

    with pytest.raises(AssemblyError, match="gone"):
        assemble(subject, ContextRequest("b"))


def test_the_room_for_the_answer_is_the_larger_of_setting_and_agent() -> None:
    subject = hundreds(1)

    assert assemble(subject, ContextRequest("n01", window=5000, max_tokens=10)).report.available == 3976
    assert assemble(subject, ContextRequest("n01", window=5000, max_tokens=2000)).report.available == 3000


# Providers


def test_a_document_becomes_the_users_text_with_a_line_that_says_what_to_do() -> None:
    subject = chain(node("a", "Once "), node("b", "upon ", "model"), mode="buffer")

    chat = assemble(subject, ContextRequest("b")).as_chat(PROVIDER_RULES["openai"])

    assert chat.system == CONTINUE_DOCUMENT
    assert [(m.role, m.text, m.node_ids) for m in chat.messages] == [("user", "Once upon ", ("a", "b"))]
    assert chat.report.provider_adjustments == ("continuation_instruction",)
    assert chat.document is None


def test_a_document_becomes_the_unfinished_turn_of_a_model_that_accepts_prefill() -> None:
    subject = chain(node("a", "Once "), node("b", "upon ", "model"), mode="buffer")

    chat = assemble(subject, ContextRequest("b")).as_chat(PROVIDER_RULES["anthropic-prefill"])

    assert chat.system is None
    assert [(m.role, m.text) for m in chat.messages] == [
        ("user", "[Conversation start]"),
        ("assistant", "Once upon"),
    ]
    assert chat.report.provider_adjustments == ("document_as_prefill", "prepended_user", "stripped_prefill")


@pytest.mark.parametrize("rules", ["openai", "anthropic", "anthropic-prefill"])
@pytest.mark.parametrize("ends", [("upon ", " "), ("upon", "", "\n "), ("upon ", "", " ", "a")])
def test_what_rules_make_of_a_document_is_known_before_it_is_written_out(
    rules: str, ends: tuple[str, ...]
) -> None:
    parts = [node(f"n{place}", text, "model") for place, text in enumerate(("Once ", *ends))]
    fitting = PROVIDER_RULES[rules]
    assert fitting is not None

    assembled = assemble(chain(*parts, mode="buffer"), ContextRequest(parts[-1].id))
    chat = assembled.as_chat(fitting)

    assert vars(chat).keys().isdisjoint(("document", "spans", "messages")), "a key asks for numbers only"
    whole = as_chat(fitting, assembled.system, "".join(("Once ", *ends)), (), truncated=False)
    assert (chat.system, chat.report.provider_adjustments) == (whole.system, whole.adjustments)
    assert [(m.role, m.parts) for m in chat.messages] == [(m.role, m.parts) for m in whole.messages]


def test_uncommitted_text_is_in_the_message_of_a_document() -> None:
    written = ContextRequest("a", working_buffer="upon")

    chat = assemble(chain(node("a", "Once "), mode="buffer"), written).as_chat(PROVIDER_RULES["openai"])

    assert [(m.text, m.node_ids) for m in chat.messages] == [("Once upon", ("a", None))]


def test_rules_are_followed_and_told() -> None:
    subject = chain(node("a", "Hello", "model"), node("b", "Hi"), node("c", "Well", "model"))

    assembled = assemble(subject, ContextRequest("c", provider_rules="anthropic"))

    assert [m.text for m in assembled.messages] == [
        "[Conversation start]",
        "Hello",
        "Hi",
        "Well",
        "Continue.",
    ]
    assert assembled.report.provider_adjustments == ("prepended_user", "appended_continue")


# JSON


def test_a_dialogue_prints_every_field() -> None:
    rows = [node("i", CAT), node("q", "Q"), node("x", "X", excluded=True)]

    printed = to_json(assemble(chain(*rows), ContextRequest("x", composer_text="Go on.")))

    assert printed == {
        "mode": "dialogue",
        "system": None,
        "messages": [
            {
                "role": "user",
                "parts": [
                    {"type": "image", "ref": "0" * 64, "mimeType": "image/png", "altText": "a cat"},
                    {"type": "text", "text": "Q"},
                    {"type": "text", "text": "Go on."},
                ],
                "nodeIds": ["i", "q", None],
            }
        ],
        "report": {
            "strategy": "truncateMiddle",
            "window": 128000,
            "available": 126976,
            "systemTokens": 0,
            "beforeTokens": 7,
            "afterTokens": 7,
            "truncated": False,
            "overLimit": False,
            "minimumRecentHonoured": True,
            "marker": False,
            "kept": ["i", "q"],
            "dropped": [{"nodeId": "x", "reason": "excluded", "tokens": 1}],
            "partial": None,
            "compressed": [],
            "alternatePrimaries": [],
            "summaryUsed": None,
            "providerAdjustments": [],
            "warnings": [],
        },
    }


def test_a_document_prints_its_spans_with_the_marker_and_the_working_buffer() -> None:
    subject = chain(*(node(name, name * 40) for name in "abcdef"), mode="buffer")

    printed = to_json(
        assemble(subject, ContextRequest("f", window=40, overrides=NO_BUFFER, working_buffer="zz"))
    )

    assert printed["document"] == "\n\n[...]\n\n" + "c" * 24 + "d" * 40 + "e" * 40 + "f" * 40 + "zz"
    assert printed["spans"] == [
        {"nodeId": None, "start": 0, "end": 9, "kind": "marker"},
        {"nodeId": "c", "start": 9, "end": 33},
        {"nodeId": "d", "start": 33, "end": 73},
        {"nodeId": "e", "start": 73, "end": 113},
        {"nodeId": "f", "start": 113, "end": 153},
        {"nodeId": None, "start": 153, "end": 155, "kind": "workingBuffer"},
    ]
    assert "messages" not in printed


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_very_long_path_is_assembled_in_both_modes(count: int) -> None:
    rows = [node(f"n{number}", "word ", "human" if number % 2 else "model") for number in range(count)]
    last = f"n{count - 1}"

    dialogue = assemble(chain(*rows), ContextRequest(last, window=1 << 40))
    document = assemble(chain(*rows, mode="buffer"), ContextRequest(last, window=1 << 40))

    assert len(dialogue.messages) == count
    assert document.document == "word " * count


def test_the_tokens_of_a_node_are_those_of_its_parts() -> None:
    ask = node("b", Mixed((Text("x" * 8), Text("y" * 12))))
    found = assemble(chain(node("a", "z" * 40), ask), ContextRequest("b"))

    assert (found.tokens_of("a"), found.tokens_of("b"), found.tokens_of("c")) == (10, 5, None)
