"""Exports hold what is wanted, each node once, and open in what they are for."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from pydantic import TypeAdapter, ValidationError

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest
from loomapp.core.economy.calls import Call
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_marks import exclude, prune_branches
from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.core.model.entities import BranchSummary, Interrupted, Tag
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.formats import jsonl, loom_json
from loomapp.formats.exports import first_lines
from loomapp.formats.exports.chat_json import told_of_cut
from loomapp.formats.exports.export import MOST_NESTED, Begin, End, Export, SaidNode, Wanted, steps
from loomapp.formats.importer import Found
from loomapp.formats.registry import EXPORTERS, READABLE_EXPORTERS
from tests.kit.call_counts import calls_of
from tests.kit.exports.chats import PNG
from tests.kit.exports.reading import read_as, read_one
from tests.kit.exports.structure import faults_of_opml
from tests.kit.loom_files import everything
from tests.kit.trees import Hand, do

HOSTILE = "</div><script>alert(1)</script> <img src=http://x/> & \x0b ]]>\nnext"
ALL = Wanted()
AGENTS = (Agent("me", "Me & <co>", "human"), Agent("bot", "Bot", "model"))


def tree_of(rows: list[tuple[str, str | None, str]], mode: str = "dialogue", leaf: str = "") -> Tree:
    """A tree of an empty root and rows: id, the one before it, text; ids with a digit are a model's."""
    nodes: list[dict[str, Any]] = [
        {"id": "root", "content": "", "authorType": "human", "authorAgentId": "me"}
    ]
    edges = []
    for key, above, text in rows:
        is_model = key[-1].isdecimal()
        by = {"authorType": "model", "authorAgentId": "bot"} if is_model else {"authorType": "human"}
        nodes.append({"id": key, "content": text, "authorAgentId": "me", **by})
        edges.append({"sources": [above or "root"], "targetNodeId": key})
    value = {"format": "loom-json", "version": 1, "tree": {"id": "t", "title": "A <tree>", "mode": mode}}
    path = {"activePath": {"leafNodeId": leaf}} if leaf else {}
    agents = [{"id": "me", "type": "human"}, {"id": "bot", "type": "model"}]
    text = json.dumps({**value, "agents": agents, "nodes": nodes, "edges": edges, **path})
    return loom_json.read(text).tree


def talk() -> Tree:
    return tree_of(
        [
            ("q", None, "Why?"),
            ("a1", "q", HOSTILE),
            ("a2", "q", "Because."),
            ("r", "a2", "Well."),
            ("b3", "r", "!"),
        ],
        leaf="b3",
    )


def export(tree: Tree, media: dict[str, bytes] | None = None, wanted: Wanted = ALL) -> Export:
    return Export(tree, AGENTS, resolve(tree, tree.path.leaf_id).nodes, wanted, media or {})


def written(name: str, tree: Tree, **wanted: bool) -> str:
    exporter = READABLE_EXPORTERS[name]
    whole = {"branches": exporter.is_whole} | wanted
    made = exporter.write(export(tree, wanted=Wanted(**whole)))
    assert isinstance(made, str)
    return made


def excluded(tree: Tree, key: str) -> Tree:
    node = tree.nodes[key]
    tree.put_node(node.with_metadata(replace(node.metadata, excluded=True)))
    return tree


class Page(HTMLParser):
    """Tags and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.depth = self.deepest = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.depth += tag == "details"
        self.deepest = max(self.deepest, self.depth)

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "details"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_holds_every_branch_marks_the_path_and_runs_nothing() -> None:
    page = Page(written("html", talk()))

    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "form", "base"}
    assert "default-src 'none'" in str(page.tags)
    articles = [about for tag, about in page.tags if tag == "article"]
    assert len(articles) == 5
    assert ["active" in (about["class"] or "") for about in articles] == [True, False, True, True, True]
    branches = [about for tag, about in page.tags if tag == "details"]
    assert ["open" in about for about in branches] == [False, True]
    assert HOSTILE in page.texts
    assert "A <tree>" in page.texts
    assert page.depth == 0


def test_a_page_shows_the_images_that_go_with_it() -> None:
    tree = tree_of([("q", None, "x")])
    shown = Mixed(
        (Image("a" * 64, "image/png", alt_text='a "b'), Image("b" * 64, "image/svg+xml"), Text("Look"))
    )
    tree.put_node(replace(tree.nodes["q"], content=shown))

    made = READABLE_EXPORTERS["html"].write(export(tree, {"a" * 64: PNG, "b" * 64: b"<svg/>"}))

    assert isinstance(made, str)
    [(_, about)] = [one for one in Page(made).tags if one[0] == "img"]
    assert about["alt"] == 'a "b'
    assert str(about["src"]).startswith("data:image/png;base64,")


def test_a_tree_of_many_forks_is_not_nested_without_end() -> None:
    rows: list[tuple[str, str | None, str]] = []
    above: str | None = None
    for number in range(MOST_NESTED * 3):
        rows += [(f"n{number}x", above, f"text {number}"), (f"n{number}y", above, "end")]
        above = f"n{number}x"
    tree = tree_of(rows)

    page = Page(written("html", tree))

    assert page.deepest <= MOST_NESTED + 2
    assert sum(tag == "article" for tag, _ in page.tags) == len(rows)
    assert faults_of_opml(written("opml", tree)) == []
    walked = [step.node_id for step in steps(tree) if isinstance(step, SaidNode)]
    assert sorted(walked) == sorted(tree.nodes)
    assert sum(isinstance(s, Begin) for s in steps(tree)) == sum(isinstance(s, End) for s in steps(tree))


@pytest.mark.parametrize("name", ["html", "opml", "markdown"])
def test_a_long_path_needs_no_recursion(name: str) -> None:
    rows = [(f"n{n}x", f"n{n - 1}x" if n else None, "t") for n in range(3000)]

    assert written(name, tree_of(rows), branches=name == "markdown").count("t") > 3000


def test_an_outline_is_xml_that_holds_every_text() -> None:
    text = written("opml", talk(), metadata=True)

    outline = ET.fromstring(text)
    assert faults_of_opml(text) == []
    texts = [one.get("text") for one in outline.iter("outline")]
    assert texts == [
        "Why?",
        f"Branch 1 of 2 after {talk().nodes['q'].local_id}",
        HOSTILE.replace("\x0b", "\ufffd"),
        f"Branch 2 of 2 after {talk().nodes['q'].local_id}, the path that is read",
        *("Because.", "Well.", "!"),
    ]


def test_all_branches_as_markdown_stand_under_headings() -> None:
    text = written("markdown", talk(), branches=True)

    assert [line.partition(",")[0] for line in text.splitlines() if line.startswith("#")] == [
        "# A <tree>",
        "## Branch 1",
        "## Branch 2",
    ]
    assert all(said in text for said in ("Why?", HOSTILE, "Because.", "Well."))


def test_facts_in_markdown_are_no_speakers_when_they_come_in_again(tmp_path: Path) -> None:
    tree = tree_of([("q", None, "Why?"), ("a1", "q", "Because.")])
    tree.branch_summaries["a1"] = BranchSummary("a1", {"title": "# You: why"})
    tree.tags["**You:**"] = Tag("**You:**", None, ("a1",))
    people = (Agent("me", "You", "human"), Agent("bot", "Bot", "model"))
    nodes = resolve(tree, "a1").nodes
    made = READABLE_EXPORTERS["markdown"].write(Export(tree, people, nodes, Wanted(metadata=True)))
    assert isinstance(made, str)

    one, _ = read_one(tmp_path, "markdown", made.encode())

    assert "branch # You: why · #**You:**]" in made
    assert [node.author_type for node in one.tree.nodes.values()][1:] == ["human", "model"]


@pytest.mark.parametrize("name", ["text", "markdown", "html", "opml"])
def test_what_is_not_wanted_stays_out(name: str) -> None:
    tree = excluded(talk(), "r")

    assert "Well." in written(name, tree)
    assert ("(excluded)" in written(name, tree)) == (name in ("text", "markdown"))
    assert "Well." not in written(name, tree, excluded=False)
    assert "Bot" not in written(name, tree, speakers=False)
    assert tree.nodes["r"].local_id in written(name, tree, metadata=True)


def test_facts_tell_the_model_what_was_cut_and_how_a_branch_is_named_and_tagged() -> None:
    tree = talk()
    tree.put_node(replace(tree.nodes["a2"], interrupted=Interrupted("network")))
    tree.branch_summaries["a2"] = BranchSummary("a2", {"title": "The bridge\nline"})
    tree.tags["quotable"] = Tag("quotable", node_ids=("a2", "q"))
    calls = {
        "a2": Call("1", model="desk:terse:8b", cut=frozenset({"b3"})),
        "b3": Call("2", returned="lush-1", cut=frozenset({"b3"})),
    }

    one = replace(export(tree, wanted=Wanted(metadata=True)), calls=calls)

    facts = {key: next(one.remarks(tree.nodes[key])).split(" · ")[3:] for key in ("q", "a2", "r", "b3")}
    assert facts == {
        "q": ["#quotable"],
        "a2": ["terse:8b", "broken off: network", "branch The bridge line", "#quotable"],
        "r": [],
        "b3": ["lush-1", "cut at its limit"],
    }


def test_a_note_goes_out_when_it_is_wanted(tmp_path: Path) -> None:
    imported = loom_json.read(json.dumps(everything()))
    tree = imported.tree
    noted = next(i for i in tree.nodes if tree.notes(i))
    note = tree.nodes[tree.notes(noted)[0]].text
    path = resolve(tree, noted).nodes

    said = READABLE_EXPORTERS["text"].write(Export(tree, imported.agents, path, Wanted(annotations=True)))

    assert isinstance(said, str)
    assert f"Note: {note}" in said


@pytest.mark.parametrize(("hide", "wanted"), [(prune_branches, ALL), (exclude, Wanted(excluded=False))])
def test_a_note_that_was_deleted_or_is_not_wanted_stays_at_home(
    hide: Callable[[Tree, list[str], EditContext], Change | None], wanted: Wanted
) -> None:
    imported = loom_json.read(json.dumps(everything()))
    tree = imported.tree
    noted = next(i for i in tree.nodes if tree.notes(i))
    note_id = tree.notes(noted)[0]
    do(tree, hide(tree, [note_id], Hand().pen()))

    one = Export(tree, imported.agents, resolve(tree, noted).nodes, replace(wanted, annotations=True))

    assert tree.nodes[note_id].text not in [
        line.removeprefix("Note: ") for line in one.remarks(tree.nodes[noted])
    ]


def test_a_document_comes_in_again_as_it_went_out(tmp_path: Path) -> None:
    text = "# One\n\nIt was dark, naïve 🙂.\nA line.\n\n\n\nTabs\tand <tags>\n\n## Two\n\nThe end."
    made = READABLE_EXPORTERS["docx"].write(
        export(tree_of([("a", None, text[:20]), ("b1", "a", text[20:])], "buffer"))
    )
    assert isinstance(made, bytes)

    one, _ = read_one(tmp_path, "docx", made)

    with zipfile.ZipFile(BytesIO(made)) as archive:
        about = ET.fromstring(archive.read("docProps/core.xml"))
    assert [
        part.text for part in about if part.tag.rpartition("}")[2] in ("created", "modified", "description")
    ] == [None, *["1970-01-01T00:00:00Z"] * 2]
    assert one.tree.loom.title == "A <tree>"
    assert "".join(node.text for node in resolve(one.tree, one.tree.path.leaf_id).nodes) == text


def test_a_dialogue_as_a_document_comes_in_as_one(tmp_path: Path) -> None:
    tree = tree_of([("q", None, "Why?"), ("a1", "q", "Because.\n\nTruly.")])
    people = (Agent("me", "You", "human"), Agent("bot", "Bot", "model"))
    made = READABLE_EXPORTERS["docx"].write(Export(tree, people, resolve(tree, "a1").nodes))
    assert isinstance(made, bytes)

    one, _ = read_one(tmp_path, "docx", made)

    said = [(node.author_type, node.text) for node in one.tree.nodes.values()][1:]
    assert said == [("human", "Why?"), ("model", "Because.\n\nTruly.")]


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_a_dialogue_as_text_comes_in_as_one(name: str, tmp_path: Path) -> None:
    tree = tree_of([("q", None, "Why?"), ("a1", "q", "Because.\n\nTruly.")])
    people = (Agent("me", "You", "human"), Agent("bot", "Bot", "model"))
    made = READABLE_EXPORTERS[name].write(Export(tree, people, resolve(tree, "a1").nodes))
    assert isinstance(made, str)

    one, _ = read_one(tmp_path, name, made.encode())

    said = [(node.author_type, node.text) for node in one.tree.nodes.values()][1:]
    assert said == [("human", "Why?"), ("model", "Because.\n\nTruly.")]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_messages_are_those_that_are_assembled_and_the_sdks_take_them(name: str) -> None:
    tree = tree_of([("q", None, "Why?"), ("a1", "q", "Because."), ("r", "a1", "x")], leaf="r")
    tree.put_node(replace(tree.nodes["r"], content=Mixed((Image("a" * 64, "image/png"), Text("Look")))))
    made = READABLE_EXPORTERS[name].write(export(tree, {"a" * 64: PNG}))
    assert isinstance(made, str)

    messages = json.loads(made)["messages"]

    request = ContextRequest(at="r", window=128_000, provider_rules=name)
    assert [m["role"] for m in messages] == [m.role for m in assemble(tree, request).messages]
    assert [m["content"] for m in messages[:2]] == ["Why?", "Because."]
    assert [block["type"] for block in messages[2]["content"]][1:] == ["text"]
    assert taken_by_sdk(name, messages) == messages
    unknown = [{"role": "user", "content": [{"type": "sketch", "dots": 1}]}]
    with pytest.raises(ValidationError):
        taken_by_sdk(name, unknown)


def taken_by_sdk(name: str, messages: list[Any]) -> list[Any]:
    """The messages as the types of an SDK have them, with their blocks, which pydantic checks when they are
    asked for.
    """
    from anthropic.types import MessageParam
    from openai.types.chat import ChatCompletionMessageParam

    adapter: TypeAdapter[list[Any]] = TypeAdapter(
        list[ChatCompletionMessageParam] if name == "openai" else list[MessageParam]
    )
    taken = adapter.validate_python(messages)
    return [
        {**one, "content": one["content"] if isinstance(one["content"], str) else list(one["content"])}
        for one in taken
    ]


def test_a_system_text_goes_where_each_api_has_it() -> None:
    tree = talk()
    tree.loom = replace(tree.loom, system_context="Be brief.")

    openai, anthropic = (json.loads(written(name, tree)) for name in ("openai", "anthropic"))

    assert openai["messages"][0] == {"role": "system", "content": "Be brief."}
    assert anthropic["system"] == "Be brief."
    assert anthropic["messages"][0]["role"] == "user"


def test_what_has_no_room_in_messages_is_told() -> None:
    long = [("a", None, "x" * 200_000), ("b1", "a", "y" * 200_000), ("c", "b1", "z" * 200_000)]
    whole, cut = export(talk()), export(tree_of(long, leaf="c"))

    assert told_of_cut(whole) == ""
    assert told_of_cut(cut) == "It holds 128,000 tokens, as what is sent: 1 node of this path is left out."
    made = str(READABLE_EXPORTERS["openai"].write(cut))
    assert [it * 200_000 in made for it in "xyz"].count(True) == 2


def test_a_page_goes_out_without_its_system_context_if_that_is_wanted() -> None:
    tree = talk()
    tree.loom = replace(tree.loom, system_context="Be brief.")

    assert "Be brief." in written("html", tree)
    assert "Be brief." not in written("html", tree, system=False)


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_buffer_has_no_messages(name: str) -> None:
    with pytest.raises(InvalidInput, match="has no messages"):
        written(name, tree_of([("a", None, "x")], "buffer"))


@pytest.mark.parametrize("name", EXPORTERS)
def test_what_is_complete_comes_back_byte_for_byte(name: str, tmp_path: Path) -> None:
    first = loom_json.read(json.dumps(everything()))
    text = EXPORTERS[name].write(first.tree, first.agents, first.evidence, first.media)

    [found] = read_as(tmp_path, name, text.encode())
    assert isinstance(found, Found)
    again = found.load(None)

    assert EXPORTERS[name].write(again.tree, again.agents, again.evidence, again.media) == text
    assert loom_json.write(again.tree, again.agents, again.evidence, again.media) == loom_json.write(
        first.tree, first.agents, first.evidence, first.media
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"format": "loom-jsonl", "version": 2}\n', "version 1 only"),
        (b'{"format": "loom-jsonl", "version": 1, "tree": {"mode": "dialogue"}}\n{"x": 1}\n', "line 2"),
        (b'{"format": "loom-jsonl", "version": 1, "tree": {"mode": "dialogue"}}\n{"node": \n', "line 2"),
        (b'{"format": "loom-jsonl", "version": 1, "tree": {"mode": "dialogue"}}\n[]\n', "line 2"),
        (b"{}\n", "line 1"),
    ],
)
def test_a_broken_line_of_jsonl_is_named(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_as(tmp_path, "jsonl", data)


def test_jsonl_has_one_node_a_line() -> None:
    first = loom_json.read(json.dumps(everything()))

    lines = [json.loads(line) for line in jsonl.write(first.tree, first.agents).splitlines()]

    assert lines[0]["format"] == "loom-jsonl"
    assert [line["node"]["id"] for line in lines if "node" in line] == list(first.tree.nodes)


@pytest.mark.parametrize("name", ["html", "opml", "markdown"])
def test_a_page_or_an_outline_of_one_path_holds_no_other_branch(name: str) -> None:
    path, whole = written(name, talk(), branches=False), written(name, talk(), branches=True)

    assert "Because." in path
    assert "alert(1)" not in path
    assert "alert(1)" in whole
    assert "Branch" not in path


@pytest.mark.parametrize("name", ["html", "opml", "markdown", "text"])
def test_the_beginning_of_an_export_is_whole_in_itself(name: str) -> None:
    exporter = READABLE_EXPORTERS[name]
    beginning = replace(export(talk(), wanted=Wanted(branches=exporter.of_tree)), most=2)

    made = exporter.write(beginning)

    assert isinstance(made, str)
    assert "Why?" in made
    assert "Well." not in made
    assert made.count("<details") == made.count("</details>")
    if name == "opml":
        assert len(list(ET.fromstring(made).iter("outline"))) >= 2


@pytest.mark.parametrize("name", ["html", "opml", "markdown", "openai", "anthropic"])
def test_the_beginning_of_a_long_tree_costs_no_more_than_that_of_a_shorter_one(name: str) -> None:
    def calls(length: int) -> int:
        names = [f"n{place}{'h' * (place % 2)}" for place in range(length)]
        above = [None, *names[:-1]]
        tree = tree_of([(it, before, "x") for it, before in zip(names, above, strict=True)], leaf=names[-1])
        exporter = READABLE_EXPORTERS[name]
        whole = export(tree, wanted=Wanted(branches=exporter.of_tree))
        first_lines.beginning(whole, lambda it: str(exporter.write(it)))  # what is kept with a tree is kept
        return calls_of(lambda: first_lines.beginning(whole, lambda it: str(exporter.write(it))))

    assert calls(1_600) < calls(400) + 400


def test_times_of_an_outline_are_as_opml_has_them() -> None:
    tree = talk()
    tree.loom = replace(tree.loom, created_at=1_795_262_400_000)

    outline = ET.fromstring(written("opml", tree))

    assert outline.findtext("head/dateCreated") == "Sat, 21 Nov 2026 12:00:00 GMT"
    assert {one.get("created") for one in outline.iter("outline")} == {None, "Thu, 01 Jan 1970 00:00:00 GMT"}


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_an_image_that_no_api_takes_is_named(name: str) -> None:
    tree = tree_of([("q", None, "x")])
    image = Image("a" * 64, "image/bmp", alt_text="a door")
    tree.put_node(replace(tree.nodes["q"], content=Mixed((image, Text("Look")))))

    made = READABLE_EXPORTERS[name].write(export(tree, {"a" * 64: PNG}))

    assert isinstance(made, str)
    [message] = json.loads(made)["messages"]
    assert [block["type"] for block in message["content"]] == ["text", "text"]
    assert "a door" in message["content"][0]["text"]
