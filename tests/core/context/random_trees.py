"""Random trees as Loom JSON values, and random requests: everything the rules speak of, damage included."""

from __future__ import annotations

import json
import random
from typing import Any

Json = dict[str, Any]

TEXTS = (
    *("", " ", "\n\t ", "Hi", " padded ", "Once upon a time", "  leading", "trailing\n\n", "a\n\nb"),
    *(
        "\u2028",
        "\x1c",
        "\u00a0no-break space\u00a0",
        "\U0001f469\u200d\U0001f680 \U0001f525",
        "e\u0301\u0302",
    ),
    *("\u05e9\u05dc\u05d5\u05dd", "\u4f60\u597d\uff0c\u4e16\u754c"),
    *("[... 3 messages omitted ...]", "\n\n[...]\n\n"),
)
STRATEGIES = ("truncateMiddle", "rollingWindow", "stopAtLimit")
DIALOGUE_MARKERS = (
    "{n}",
    "…{n}…",
    "({n} message{s} gone{s})",
    "{{n}} of {n}",
    " {n} {s}{x}\n",
    "y" * 30 + "{n}",
)
BUFFER_MARKERS = (" ", "\n", "[gap]", "{n}", "\n…\n", "b" * 30)
CONTINUE_TEXTS = ("Weiter.", " Go on\n", "{n}", "\u7ee7\u7eed")
RULES = ("none", "none", "openai", "anthropic", "anthropic-prefill")


def random_case(seed: int) -> tuple[Json, Json]:
    """A Loom JSON value and the options of a request for it."""
    return _Case(random.Random(seed)).build()


class _Case:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.mode = dice.choice(("dialogue", "buffer"))
        self.nodes: list[Json] = []
        self.edges: list[Json] = []
        self.own_settings = self.settings(0.3)
        self.app_settings = self.settings(0.15)

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    def any_id(self) -> str:
        return str(self.dice.choice(self.nodes)["id"])

    def some_ids(self, probability: float) -> list[str]:
        found = []
        while self.chance(probability):
            found.append(self.any_id() if self.chance(0.98) else "ghost")
        return found

    def build(self) -> tuple[Json, Json]:
        current = self.add_node()
        for _ in range(self.dice.randint(0, 12)):
            current = self.grow(current)
        for _ in range(self.dice.randint(0, 2)):
            self.add_node()
        if self.chance(0.4):
            for _ in range(self.dice.randint(1, 3)):
                self.annotate()
        if self.chance(0.12):
            self.damage()
        return self.file(current), self.options(current)

    # Content

    def text(self) -> str:
        if self.chance(0.5):
            return self.dice.choice("xyz") * self.dice.randint(1, self.dice.choice((8, 60)))
        return self.dice.choice(TEXTS)

    def image(self) -> Json:
        ref = self.dice.choice("0123") * 64
        image: Json = {"type": "image", "ref": ref, "mimeType": "image/png", "width": 1, "height": 1}
        alt = self.dice.choice((None, "", "  ", "a cat", "\u732b"))
        return image if alt is None else {**image, "altText": alt}

    def block(self) -> Json:
        kind = self.dice.randrange(6)
        if kind == 0:
            return self.image()
        if kind == 1:
            return {"type": "audio", "ref": "1"}
        if kind == 2:
            return {"type": "document", "name": "a.txt", "mimeType": "text/plain", "text": self.text()}
        if kind == 3:
            return {"type": "tool_result", "toolUseId": "u", "name": "ls", "text": self.text()}
        if kind == 4:
            return {"type": "tool_use", "id": "u", "name": "ls", "input": {"path": "\u00fc", "all": True}}
        return {"type": "text", "text": self.text()}

    def content(self) -> Json:
        kind = self.dice.random()
        if kind < 0.1:
            return self.image()
        if kind < 0.13:
            return {"type": "audio", "ref": "1"}
        if kind < 0.25:
            return {"type": "mixed", "blocks": [self.block() for _ in range(self.dice.randint(0, 3))]}
        return {"type": "text", "text": self.text()}

    # Shape

    def add_node(self, edited_from: str | None = None) -> str:
        number = len(self.nodes)
        node_id = f"n{number}"
        metadata = {"pruned": self.chance(0.08), "excluded": self.chance(0.08)}
        self.nodes.append(
            {
                "id": node_id,
                "localId": f"LOC{number:03}",
                "content": self.content(),
                "authorType": self.dice.choice(("human", "model")),
                "createdAt": f"2026-01-01T00:00:{self.dice.randint(0, 3):02}.000Z",
                "editedFrom": edited_from,
                "metadata": metadata,
            }
        )
        return node_id

    def add_edge(self, sources: list[tuple[str, str]], target: str, kind: str = "continuation") -> None:
        self.edges.append(
            {
                "id": f"e{len(self.edges)}",
                "sources": [{"nodeId": node_id, "role": role} for node_id, role in sources],
                "targetNodeId": target,
                "edgeType": kind,
            }
        )

    def grow(self, current: str) -> str:
        """Something follows a node; the id that the path goes on from."""
        if self.chance(0.06):
            note = self.add_node()
            self.add_edge([(current, "primary")], note, "annotation")
            if self.chance(0.3):
                self.add_edge([(self.any_id(), "primary")], note, "annotation")
            return note
        sources = [(current, "primary")]
        if self.chance(0.25):
            sources += [(version, "primary") for version in self.versions(current)]
        if self.chance(0.06):
            sources.append((self.any_id(), "primary"))
        sources += [(node_id, "context") for node_id in self.some_ids(0.2)]
        sources += [(node_id, "instruction") for node_id in self.some_ids(0.15)]
        if self.chance(0.15):
            self.dice.shuffle(sources)
        if self.chance(0.3):
            self.add_edge([(current, "primary")], self.add_node())
        target = self.add_node()
        self.add_edge(sources, target)
        return target

    def versions(self, node_id: str) -> list[str]:
        made: list[str] = []
        for _ in range(self.dice.randint(1, 2)):
            made.append(self.add_node(edited_from=self.dice.choice([node_id, *made])))
        return made

    def annotate(self) -> None:
        sources = [(self.any_id(), "primary") for _ in range(self.dice.choice((1, 1, 1, 2)))]
        target = self.any_id() if self.chance(0.2) else self.add_node()
        if self.chance(0.05):
            sources.append((self.any_id(), "context"))
        self.add_edge(sources, target, "annotation")

    def damage(self) -> None:
        kind = self.dice.randrange(7)
        if kind == 0:
            self.add_edge([(self.any_id(), "primary")], self.any_id())
        elif kind == 1:
            self.add_edge([("ghost", "primary")], self.nodes[0]["id"])
        elif kind == 2:
            self.add_edge([(self.nodes[-1]["id"], "primary")], self.nodes[0]["id"])
        elif kind == 3 and self.edges:
            edge = self.dice.choice(self.edges)
            edge["sources"] = [{**source, "role": "context"} for source in edge["sources"]]
        elif kind == 4 and self.edges:
            sources = self.dice.choice(self.edges)["sources"]
            place = self.dice.randint(0, len(sources))
            sources.insert(place, {"nodeId": "ghost", "role": self.dice.choice(("primary", "context"))})
        elif kind == 5:
            self.add_edge(
                [(self.any_id(), "primary")], "nowhere", self.dice.choice(("annotation", "continuation"))
            )
        else:
            self.dice.choice(self.nodes)["editedFrom"] = self.dice.choice((self.any_id(), "ghost"))

    # What a person set

    def settings(self, probability: float) -> Json:
        settings: Json = dict.fromkeys(
            (
                *("truncationStrategy", "minimumRecentNodes", "tokenBuffer", "instructionScope"),
                *("dialogueMarker", "bufferMarker", "continueText"),
            )
        )
        if self.chance(probability):
            settings["truncationStrategy"] = self.dice.choice(STRATEGIES)
        if self.chance(probability):
            settings["minimumRecentNodes"] = self.dice.randint(1, 5)
        if self.chance(probability):
            settings["tokenBuffer"] = self.dice.choice((0, 5, 30))
        if self.chance(probability):
            settings["instructionScope"] = self.dice.choice(("path", "pending"))
        if self.chance(probability):
            settings["dialogueMarker"] = self.dice.choice(DIALOGUE_MARKERS)
        if self.chance(probability):
            settings["bufferMarker"] = self.dice.choice(BUFFER_MARKERS)
        if self.chance(probability):
            settings["continueText"] = self.dice.choice(CONTINUE_TEXTS)
        return settings

    def selections(self) -> dict[str, str]:
        chosen: dict[str, str] = {}
        for edge in self.edges:
            if self.chance(0.15) and edge["sources"]:
                chosen[edge["targetNodeId"]] = self.dice.choice(edge["sources"])["nodeId"]
        if self.chance(0.06):
            chosen[self.any_id()] = self.dice.choice((self.any_id(), "ghost"))
        if self.chance(0.02):
            chosen["nowhere"] = self.any_id()
        return chosen

    def reserved(self, overrides: Json) -> int:
        """Tokens kept for the answer."""
        levels = (overrides, self.own_settings, self.app_settings, {"tokenBuffer": 1024})
        return next(level["tokenBuffer"] for level in levels if level["tokenBuffer"] is not None)

    def room(self) -> int:
        """Tokens for the context: often a part of what all of the tree would need."""
        if self.chance(0.05):
            return self.dice.randint(-1, 1)
        whole = len(json.dumps([node["content"].get("text", "") for node in self.nodes])) // 4
        return int(whole * self.dice.choice((0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 2))) + self.dice.randint(1, 12)

    def file(self, leaf: str) -> Json:
        chosen = self.selections() if self.chance(0.5) else {}
        return {
            "format": "loom-json",
            "version": 1,
            "tree": {
                "title": "t",
                "mode": self.mode,
                "rootNodeId": "n0",
                "systemContext": self.dice.choice((None, "", " T ", "Tree.")),
                "bufferModeSystemContext": self.chance(0.5),
                "contextSettings": self.own_settings,
            },
            "nodes": self.nodes,
            "edges": self.edges,
            "activePath": {
                "leafNodeId": leaf,
                "selections": [{"targetNodeId": t, "sourceNodeId": s} for t, s in chosen.items()],
            },
            "includedAnnotations": self.some_ids(0.5),
        }

    def options(self, leaf: str) -> Json:
        at = leaf if self.chance(0.9) else self.any_id() if self.chance(0.95) else "ghost"
        overrides = self.settings(0.25)
        max_tokens = self.dice.choice((None, None, None, 0, 4))
        chosen = None
        if self.chance(0.3):
            stored = self.selections() if self.chance(0.5) else {}
            chosen = {**stored, **(self.selections() if self.chance(0.5) else {})}
        return {
            "at": at,
            "window": max(self.reserved(overrides), max_tokens or 0) + self.room(),
            "overrides": overrides,
            "defaults": self.app_settings,
            "system_prompt": self.dice.choice((None, "", " A ", "Agent.")),
            "max_tokens": max_tokens,
            "context_ids": self.some_ids(0.25),
            "instruction_ids": self.some_ids(0.2),
            "included_annotations": self.some_ids(0.6) if self.chance(0.3) else None,
            "selections": chosen,
            "working_buffer": self.dice.choice(("", "", " ", "and then", "w" * 50)),
            "commits_buffer": self.chance(0.4),
            "composer_text": self.dice.choice((None, None, "", " ", " Go on. ", "c" * 50)),
            "composer_blocks": [self.block() for _ in range(self.dice.choice((0, 0, 0, 1, 2)))],
            "withheld": {"1" * 64: "missing", "2" * 64: "size", "3" * 64: "format"}
            if self.chance(0.3)
            else {},
            "provider_rules": self.dice.choice(RULES),
            "accepts_images": self.chance(0.7),
        }
