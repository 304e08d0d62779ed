"""Usage of a call in the words of the Node tab."""

from __future__ import annotations

from loomapp.core.economy.calls import Call, NodeUsage, TokenTotals
from loomapp.ui.inspector.node.node_inspector import usage_facts
from loomapp.ui.inspector.node.provenance_panel import provider_words
from tests.kit.servers.own_endpoints import add_endpoint

CALL = Call("1", "m:1", input_tokens=1_250, output_tokens=40, cached_tokens=10, cache_written_tokens=5)


def test_a_call_is_told_with_its_share_of_the_window_its_cache_and_the_totals_of_its_path() -> None:
    usage = NodeUsage("n", CALL, TokenTotals(5_000, 300, 0, 0, 4), True, ("system", "shortened"))

    assert usage_facts(usage, 10_000) == [
        ("Tokens in", "1,250 tokens, 13 % of the 10,000 of its window"),
        ("Tokens out", "40 tokens"),
        ("Cache", "10 read, 5 written"),
        ("Cache missed", "the system context changed, other parts were shortened"),
        ("This path so far", "5,000 tokens in, 300 out, in 4 calls"),
    ]


def test_what_was_not_counted_says_so_and_no_call_says_nothing() -> None:
    usage = NodeUsage("n", Call("1"), TokenTotals(calls=1))

    told = dict(usage_facts(usage, None))

    assert (told["Tokens in"], told["Tokens out"]) == ("not reported", "not reported")
    assert (told["Cache"], told["Cache missed"]) == ("", "")
    assert told["This path so far"] == "0 tokens in, 0 out, in 1 call"
    assert usage_facts(None, None) == []


def test_an_exchange_is_told_by_the_name_of_its_endpoint_and_then_by_its_id() -> None:
    add_endpoint("own1", "http://localhost:1/v1", "chat", name="School")

    assert provider_words("own1") == "School (own1)"
    assert provider_words("openai") == "OpenAI"
    assert provider_words("gone") == "gone"
