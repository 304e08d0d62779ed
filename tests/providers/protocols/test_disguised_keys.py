"""A key that a server sends back in another form is hidden in all that is kept, which reads back."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage
from tests.providers.outcome import KEY, chat, outcome_of, says

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "backwards": lambda key: key[::-1],
    "in hexadecimal": lambda key: key.encode().hex(),
    "in capital hexadecimal": lambda key: key.encode().hex().upper(),
    "in base64": lambda key: base64.b64encode(key.encode()).decode(),
    "in base64 with what stands before it": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "in base64 in the middle": lambda key: base64.b64encode(f"ab{key} and more".encode()).decode(),
    "in base64 for addresses": lambda key: base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode(),
}


@pytest.mark.parametrize("count", [1, 3], ids=["whole", "in pieces"])
@pytest.mark.parametrize("name", FORMS)
def test_a_key_in_another_form_is_hidden(name: str, count: int) -> None:
    form = FORMS[name](KEY)
    given_away = form[len(form) // 2 - 5 : len(form) // 2 + 5]
    size = -(-len(form) // count)
    pieces = [form[at : at + size] for at in range(0, len(form), size)]

    def answer(conversation: Conversation) -> None:
        conversation.head(x_seen=f"it is {form}")
        said = b"".join(map(chunk, ("Yours is ", *pieces, ", is it?")))
        conversation.send(said + chunk(reason="stop") + usage(7, 3) + DONE)

    with FakeServer(answer) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))  # which reads it back out of the body

    evidence = outcome.evidence
    assert evidence is not None
    assert "********" in outcome.texts[0]
    kept = (outcome.texts[0], evidence.body.decode(), str(evidence.headers), str(evidence))
    assert not any(given_away in text for text in kept)
    assert outcome.texts[0].startswith("Yours is ")
    assert outcome.texts[0].endswith(", is it?")


def test_a_text_that_gives_no_key_away_stays_as_it_is() -> None:
    text = "SK is short for skill; 0987 and 736b are numbers, c2st and zay1 are none."

    def answer(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(b"".join(map(chunk, text)) + chunk(reason="stop") + usage(7, 3) + DONE)

    with FakeServer(answer) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert outcome.texts == {0: text}
