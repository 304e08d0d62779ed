"""Forgeries of a model's words, each by whoever rewrites a grove and makes every sum over it fit."""

from __future__ import annotations

from collections.abc import Callable

from loomapp.core.model.content import Audio, Block, Image, Mixed, Text, ToolUse
from loomapp.core.model.entities import REASONING
from loomapp.core.paths.piece_table import MERGED, PART, PIECES, SPLIT
from tests.kit.groves import chat_body
from tests.store.checks.forging import Forger

ONE, TWO = "It was a bright cold day in April.", "The clocks were striking thirteen."


def answers(by: Forger) -> tuple[str, str, str]:
    """The ids of the three answers: two siblings, and the one below the first."""
    one, two, below = (node.id for node in by.tree.nodes.values() if node.author_type == "model")
    return one, two, below


def other_text(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.say(one, "It was a warm day in May.")
    return {one}


def beginning(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.say(one, "It was a bright cold day")
    return {one}


def white_space(by: Forger) -> set[str]:
    _, two, _ = answers(by)
    by.say(two, TWO + " ")
    return {two}


def swapped_choices(by: Forger) -> set[str]:
    one, two, _ = answers(by)
    response = by.response_of(one)
    by.rest(one, response, 1)
    by.rest(two, response, 0)
    return {one, two}


def swapped_responses(by: Forger) -> set[str]:
    one, _, below = answers(by)
    first, second = by.response_of(one), by.response_of(below)
    by.rest(one, second)
    by.rest(below, first)
    return {one, below}


def absent_choice(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.rest(one, by.response_of(one), 7)
    return {one}


def cut_body(by: Forger) -> set[str]:
    _, _, below = answers(by)
    response = by.response_of(below)
    by.answer(response, chat_body("Winston Smith slipped"))
    return {below}


def emptied_body(by: Forger) -> set[str]:
    _, _, below = answers(by)
    by.answer(by.response_of(below), b"")
    return {below}


def human_that_rests(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.rewrite(one, author_type="human", author_agent_id=by.tree.nodes[by.tree.root_id].author_agent_id)
    return {one}


def human_without_response(by: Forger) -> set[str]:
    named = human_that_rests(by)
    for node_id in named:
        by.rest(node_id, None)
    return named


def lost_response(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.rest(one, None)
    return {one}


def put_together(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.say(one, "It was not a day")
    by.rewrite(one, extra={PIECES: [1] * 16, PART: MERGED})
    return {one}


def letters_put_together(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    text = "It was not a cold day."
    by.say(one, text)
    by.rewrite(one, extra={PIECES: [["nowhere", at, at + 1] for at in range(len(text))], PART: MERGED})
    return {one}


def choice_of_its_sibling(by: Forger) -> set[str]:
    one, two, _ = answers(by)
    by.say(one, TWO)
    by.rest(one, by.response_of(two), 1)
    return {one, two}


def part_of_another_length(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.say(one, "a bright")
    by.rewrite(one, extra={PIECES: [[by.tree.root_id, 0, 1]], PART: SPLIT})
    return {one}


def words_in_a_picture(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.rewrite(one, content=Image("0" * 64, "image/png", 1, 1, ONE))
    return {one}


def beside(*blocks: Block) -> Callable[[Forger], set[str]]:
    """The model's text with more blocks, none of which a list of its words shows."""

    def forge(by: Forger) -> set[str]:
        one, _, _ = answers(by)
        by.rewrite(one, content=Mixed((Text(ONE), *blocks)))
        return {one}

    return forge


def text_in_blocks(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.rewrite(one, content=Mixed((Text(ONE),)))
    return {one}


def emptied_with_an_absent_choice(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    by.say(one, "")
    by.rest(one, by.response_of(one), 99)
    return {one}


def thinking(kept: object) -> Callable[[Forger], set[str]]:
    """Thoughts that the response does not say."""

    def forge(by: Forger) -> set[str]:
        one, _, _ = answers(by)
        by.rewrite(one, extra={REASONING: kept})
        return {one}

    return forge


def edit_of_a_person(by: Forger) -> set[str]:
    """The model's very words in a person's node, and its own node an edit of that."""
    one, _, _ = answers(by)
    person = words_of_a_person(by)
    by.say(person, f"Person: {ONE}")
    by.rewrite(one, edited_from=person)
    return {one}


def edit_of_an_edit_of_a_person(by: Forger) -> set[str]:
    one, two, _ = answers(by)
    by.rewrite(two, edited_from=words_of_a_person(by))
    by.rewrite(one, edited_from=two)
    return {one, two}


def pieces_of_a_person(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    person = words_of_a_person(by)
    by.say(person, ONE)
    by.rewrite(one, extra={PIECES: [[person, 0, 6], len(ONE) - 6]})
    return {one}


def edit_of_another_model(by: Forger) -> set[str]:
    one, _, _ = answers(by)
    below = by.tree.nodes[words_of_a_person(by)]
    by.say(below.id, ONE)
    by.rewrite(below.id, author_type="model", author_agent_id="another")
    by.rewrite(one, edited_from=below.id)
    return {one}


def words_of_a_person(by: Forger) -> str:
    """The node that a person wrote below the answers."""
    return [node.id for node in by.tree.nodes.values() if node.author_type == "human"][-1]


FORGERIES: dict[str, Callable[[Forger], set[str]]] = {
    "another text": other_text,
    "the beginning of its text": beginning,
    "one space more": white_space,
    "choices of siblings swapped": swapped_choices,
    "responses of two nodes swapped": swapped_responses,
    "a choice that there is not": absent_choice,
    "a body cut short": cut_body,
    "a body emptied": emptied_body,
    "a person instead of the model": human_that_rests,
    "a person instead of the model, the response let go": human_without_response,
    "no response": lost_response,
    "single characters put together": put_together,
    "letters of a passage that is not there put together": letters_put_together,
    "the choice of its sibling": choice_of_its_sibling,
    "a part of another length": part_of_another_length,
    "words in a picture": words_in_a_picture,
    "a picture beside it": beside(Image("0" * 64, "image/png", 1, 1, "I lied.")),
    "a sound beside it": beside(Audio({"transcript": "I lied."})),
    "a call of a tool beside it": beside(ToolUse("1", "delete", {"all": True})),
    "an empty text beside it": beside(Text("")),
    "its text as a block": text_in_blocks,
    "an edit of a person's words": edit_of_a_person,
    "an edit of an edit of a person's words": edit_of_an_edit_of_a_person,
    "pieces of a person's words": pieces_of_a_person,
    "an edit of another model's words": edit_of_another_model,
    "no text of a choice that there is not": emptied_with_an_absent_choice,
    "thoughts": thinking("I will lie."),
    "thoughts with a hidden key": thinking("I will lie. ******** It is easy."),
    "thoughts in a list": thinking(["I will lie."]),
    "thoughts in an object": thinking({"text": "I will lie."}),
}
