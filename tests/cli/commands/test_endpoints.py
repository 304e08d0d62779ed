"""`loomapp generate --endpoint`: any server in four protocols, what it was sent, and what it spoils."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.model.hashes import verify
from loomapp.core.paths.resolve import resolve
from loomapp.store.grove.open import open_grove
from tests.kit.families import one_in
from tests.kit.processes.command import Ran, loomapp, new_tree
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.trees import Hand

KEY = "sk-planted-key-1234567890"
TEXT = "The  sea\u00a0— was \u202egrey."


def generate(grove: Path, tree_id: str, at: str, server: FakeServer, api: str, *more: str) -> Ran:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANTED_KEY", KEY)
        return loomapp(
            *(
                "generate",
                "--grove",
                grove,
                "--tree",
                tree_id,
                "--at",
                at,
                "--json",
                "--model",
                "fake:fake-1",
            ),
            *("--endpoint", server.url, "--api", api, "--api-key-env", "PLANTED_KEY", *more),
        )


def events_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def text_of(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def said(body: dict[str, Any]) -> list[tuple[str, str]]:
    """The messages of a request, whatever its protocol calls them."""
    messages: list[dict[str, Any]] = body.get("messages") or body["input"]
    return [(message["role"], text_of(message["content"])) for message in messages]


@pytest.mark.parametrize("api", one_in(2, DIALECTS, first=1))
def test_what_is_sent_is_what_assemble_shows_and_the_answer_verifies(api: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text=TEXT)
    rules = "anthropic" if api == "messages" else "openai"
    shown = loomapp(
        "assemble", "--grove", grove, "--tree", tree_id, "--at", root_id, "--provider-rules", rules
    ).json

    with FakeServer(DIALECTS[api].answer("Waves.")) as server:
        ran = generate(grove, tree_id, root_id, server, api, "--n", "2")

    assert ran.status == 0, ran.err
    finished = [event for event in events_of(ran) if event["event"] == "finished"]
    assert [event["index"] for event in finished] == [0, 1]
    body = json.loads(server.received[0].body)
    assert body["model"] == "fake-1"
    if api == "completions":
        assert body["prompt"] == f"User: {TEXT}\n\nAssistant:"
    else:
        expected = [(message["role"], message["parts"][0]["text"]) for message in shown["messages"]]
        assert said(body) == expected == [("user", TEXT)]
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
        assert {finding.verdict for finding in verify(tree, opened.digests(tree_id))} == {"ok"}
        assert [tree.nodes[event["nodeId"]].text for event in finished] == ["Waves."] * len(finished)
    assert KEY.encode() not in grove.read_bytes()
    assert KEY not in ran.out + ran.err


@pytest.mark.parametrize("api", one_in(2, DIALECTS))
def test_a_buffer_goes_out_in_the_form_that_the_protocol_has_for_it(api: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, mode="buffer", text=TEXT)

    with FakeServer(DIALECTS[api].answer("Waves.")) as server:
        ran = generate(grove, tree_id, root_id, server, api, "--working-buffer", "And then")

    assert ran.status == 0, ran.err
    body = json.loads(server.received[0].body)
    if api == "completions":
        assert body["prompt"] == f"{TEXT}And then"
    else:
        assert said(body)[-1] == ("user", f"{TEXT}And then")


def test_an_answer_hangs_on_what_another_program_made_of_a_passage_meanwhile(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, mode="buffer", text="The sea")
    made: list[str] = []

    def script(conversation: Conversation) -> None:
        with open_grove(grove) as opened:
            tree = opened.load_tree(tree_id)
            change = node_edits.edit_as_version(tree, root_id, "The lake", Hand(2_000_000_000_000).pen())
            assert change is not None
            opened.commit(tree, change)
            made.append(change.added_nodes()[0].id)
        DIALECTS["completions"].answer(" is grey.")(conversation)

    with FakeServer(script) as server:
        ran = generate(grove, tree_id, root_id, server, "completions")

    assert ran.status == 0, ran.err
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
        assert {finding.verdict for finding in verify(tree, opened.digests(tree_id))} == {"ok"}
    way = resolve(tree, tree.path.leaf_id)
    assert "".join(node.text for node in way.nodes) == "The lake is grey."
    assert tree.incoming(way.node_ids[-1])[0].with_role("primary") == (root_id, *made)


@pytest.mark.parametrize("api", one_in(4, DIALECTS, first=1))
def test_text_that_came_before_a_fault_is_kept_as_an_interrupted_node(api: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text=TEXT)
    dialect = DIALECTS[api]

    with FakeServer(fake_server.says(dialect.begins + dialect.says("Once"), dialect.fault)) as server:
        ran = generate(grove, tree_id, root_id, server, api)

    assert ran.status == 1
    [failed] = [event for event in events_of(ran) if event["event"] == "failed"]
    assert (failed["error"]["code"], failed["partial"]) == ("serverError", True)
    with open_grove(grove) as opened:
        node = opened.load_tree(tree_id).nodes[failed["nodeId"]]
    assert node.text == "Once"
    assert node.interrupted is not None


def test_a_refusal_is_one_line_with_status_sentence_and_request_id(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text=TEXT)

    refusal = fake_server.fails(400, {"error": {"message": "n is too large"}}, x_request_id="req_17")
    with FakeServer(refusal) as server:
        ran = loomapp(
            *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--model", "small"),
            *("--endpoint", server.url),
        )

    assert ran.status == 1
    assert "400 · “n is too large” · req_17" in ran.err
    with open_grove(grove) as opened:
        assert all(agent.name != "small" for agent in opened.agents()), "nothing that was not answered stays"


def test_nobody_listening_leaves_the_grove_as_it_was(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text=TEXT)

    ran = loomapp(
        *("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, "--json", "--model", "small"),
        *("--endpoint", f"http://127.0.0.1:{fake_server.closed_port()}"),
    )

    [failed] = events_of(ran)
    assert (ran.status, failed["error"]["code"], failed["nodeId"]) == (1, "networkError", None)
    with open_grove(grove) as opened:
        assert len(opened.load_tree(tree_id).nodes) == 1
