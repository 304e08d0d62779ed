"""Parts that know their block, and units that know their place on the path: what the naive economy takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.core.context.naive_assembly import Assembly
from tests.core.context.naive_loom import Json, NaiveLoom, Part, sources

RESULTS = ("document", "tool_result")


@dataclass
class Piece(Part):
    """A part with the block it was made of: `index` is the block's in its node's content."""

    index: int = 0
    block: Json = field(default_factory=dict)
    whole: str = ""  # the part's text as it is sent without compression

    @property
    def is_result(self) -> bool:
        """ "Results" in a loom: blocks `document` and `tool_result`"""
        return self.kind is None and self.block.get("type") in RESULTS


NumberedUnit: TypeAlias = tuple[int, list[Part]]
"""A unit, and the place on the path of the node it belongs to."""


class EconomyLoom(NaiveLoom):
    """A tree whose parts are pieces."""

    def role(self, node_id: str) -> str:
        """ "A node's role is its `role`, else by its author" """
        return str(self.nodes[node_id].get("role") or super().role(node_id))

    def parts(
        self,
        node_id: str,
        role: str = "user",
        *,
        as_images: bool = True,
        withheld: Json | None = None,
    ) -> list[Part]:
        pieces: list[Part] = []
        for index, block in enumerate(blocks_of(self.nodes[node_id])):
            part = self.part(block, node_id, role, self.local_ids[node_id])
            pieces.append(
                Piece(part.text, node_id, role, part.image, index=index, block=block, whole=part.text)
            )
        return self.sendable(pieces, as_images=as_images, withheld=withheld)


def blocks_of(node: Json) -> list[Json]:
    """The blocks of a node's content, or the content itself as the only one."""
    content = node["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content["blocks"]) if content["type"] == "mixed" else [content]


def pieces_of(units: list[NumberedUnit]) -> list[Piece]:
    """All pieces of nodes in the order in which they are sent."""
    return [part for _, unit in units for part in unit if isinstance(part, Piece)]


def node_text(node: Json) -> str:
    """A node's text as cards show it: its texts and results, then its documents, a line each; of an image
    alone what it is called.
    """
    blocks = blocks_of(node)
    if node["content"] == blocks[0] and blocks[0]["type"] == "image":
        return str(blocks[0].get("altText") or "")
    said = [block["text"] for block in blocks if block["type"] in ("text", "tool_result")]
    return "\n".join([*said, *(block["text"] for block in blocks if block["type"] == "document")])


def first_words(node: Json) -> str:
    """The first words of a node, six at most and 48 characters, as titles of trees are made."""
    words = node_text(node).split()
    title = " ".join(words[:6])
    if len(title) > 48:
        return title[:47].rstrip() + "…"
    return title + ("…" if len(words) > 6 else "")


def agent_of(file: Json, asked: Json) -> Json | None:
    """The agent that is asked for by `--agent`."""
    if asked.get("agent") is None:
        return None
    agents: list[Json] = file["agents"]
    return next(agent for agent in agents if agent["id"] == asked["agent"])


def assembly_options(file: Json, asked: Json) -> Json:
    """The options of the naive assembler for those of `loomapp assemble`."""
    agent = agent_of(file, asked) or {}
    configured = agent.get("configuration") or {}
    prompt = configured.get("systemPrompt") if asked.get("system_prompt") is None else asked["system_prompt"]
    stored = {
        chosen["targetNodeId"]: chosen["sourceNodeId"]
        for chosen in file.get("activePath", {}).get("selections", [])
    }
    included = [*file.get("includedAnnotations", []), *asked.get("include_annotation", [])]
    return {
        "at": asked["at"],
        "window": asked.get("window", 128_000),
        "overrides": {
            "truncationStrategy": asked.get("strategy"),
            "minimumRecentNodes": asked.get("minimum_recent"),
            "tokenBuffer": asked.get("token_buffer"),
            "instructionScope": asked.get("instruction_scope"),
        },
        "defaults": {},
        "system_prompt": prompt,
        "max_tokens": configured.get("maxTokens"),
        "context_ids": list(dict.fromkeys(asked.get("context", []))),
        "instruction_ids": list(asked.get("instruction", [])),
        "included_annotations": list(dict.fromkeys(included)),
        "selections": {**stored, **dict(asked.get("select", []))},
        "working_buffer": asked.get("working_buffer", ""),
        "commits_buffer": False,
        "composer_text": None,
        "composer_blocks": [],
        "withheld": {},
        "provider_rules": asked.get("provider_rules", "none"),
        "accepts_images": True,
    }


class PlacedAssembly(Assembly):
    """The naive assembler, whose units know their place on the path. Raises: NaiveError."""

    def __init__(self, file: Json, asked: Json) -> None:
        super().__init__(file, assembly_options(file, asked))
        self.file, self.asked = file, asked
        self.loom: EconomyLoom = EconomyLoom(file)

    def numbered_units(self) -> list[NumberedUnit]:
        """What is left of each path node, and the working buffer as "the last part of the newest unit or
        a unit alone if there is no other". To be asked once: it notes what was placed and dropped.
        """
        units = [(place, self.unit(place)) for place in range(len(self.path.nodes))]
        units = [(place, unit) for place, unit in units if unit]
        text = self.options["working_buffer"]
        if text and not self.loom.dialogue:
            units = units or [(len(self.path.nodes), [])]
            units[-1][1].append(Part(text, kind="workingBuffer"))
        return units

    def system_text(self, tree_part: str) -> str | None:
        """ "Agent's systemPrompt, then tree's systemContext, then instruction sources, each stripped, blanks
        skipped, joined by a blank line"; `tree_part` stands where the tree's system context does.
        """
        wanted = self.has_system()
        texts = [self.options["system_prompt"] or "", tree_part]
        for node_id in self.instructions():
            text = self.loom.directive(node_id)
            reason = self.reason(node_id) or (None if text else "empty")
            reason = reason or (None if wanted else "instruction_without_system")
            if reason is None:
                texts.append(text)
            else:
                self.drop(node_id, reason)
        texts = [text.strip() for text in texts if text.strip()]
        return "\n\n".join(texts) if wanted and texts else None

    def has_system(self) -> bool:
        """ "Buffer mode sends none of this unless bufferModeSystemContext is on" """
        return self.loom.dialogue or bool(self.loom.tree.get("bufferModeSystemContext"))

    def number(self, name: str, default: Any) -> Any:
        """A number of the economy: the tree's or file's own, else the default."""
        given = (self.loom.tree.get("contextSettings") or {}).get(name)
        return default if given is None else given


def continued_by(loom: NaiveLoom, node_id: str) -> list[str]:
    """The nodes that a node continues: the primary sources of its continuation edges."""
    return [
        source for edge in loom.edges_into(node_id, "continuation") for source in sources(edge, "primary")
    ]
