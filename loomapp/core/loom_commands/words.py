"""Words of a command line, read one after the other, and the standpoint from which they are meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.loom_commands.results import CommandError
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree

Separator: TypeAlias = Literal["none", "weak", "strong"]

FILLERS = frozenset({"please", "me", "the", "a", "an", "node"})
BEFORE_AN_ID = ("id", "message")
MOST_NAMED = 3  # nodes in a question

PRONOUNS = frozenset(
    {"all", "everything", "first", "here", "it", "last", "one", "that", "them", "these", "this", "those"}
)

_TOKEN = re.compile(r"""[\s,]*[\[(<"'“‘«`*#]*([^\s\[\]()<>"'“”‘’«»`*#:,;!?]+)[\])>"'”’»`*]*""")
_BARE = re.compile(r"[\s,]*+(\S*[^\s:,;.!?])")  # such as ids of other programs, with marks of their own
_NAMED_ID = re.compile(r"[\s\[(]*(?:node|message|id)\s*[:=]\s*", re.IGNORECASE)
_STRONG = re.compile(r"[\s,]*+(?::|->|=>?(?=\s)|saying\b:?)\s*", re.IGNORECASE)
_WEAK = re.compile(r"[\s,]*+(?:with|as|to|and)\b\s*", re.IGNORECASE)
_PLEASE = re.compile(r"(?<=[^\s,])[\s,]++please[.!]?\Z", re.IGNORECASE)
_BEFORE_COLON = re.compile(r"(?<![^\s\[(<,;&/])([^\s\[\]()<>\"“”,;:]++)[\])>]?\s*+:")
END_OF_NAME = re.compile(r":|->")
_ID_LIKE = re.compile(r"(?=.*[0-9])[0-9A-Za-z_-]+|[0-9A-HJKMNP-TV-Z]{6,8}")
_LABEL = re.compile(r"[\s,]*(?:(?:with|as)\s+)?(?:(?:a|the)\s+)?label(?:l?ed)?\b\s*(?=\S)", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}


@dataclass(frozen=True, slots=True)
class NodeNames:
    """The nodes that an id can name. `find` gives the node of an id in any form, `begins` the local ids that
    begin with some letters, `is_elsewhere` tells of a node of another tree.
    """

    find: Callable[[str], str | None]
    begins: Callable[[str], Collection[str]]
    is_elsewhere: Callable[[str], bool]


def question(message: str, hint: str) -> CommandError:
    """The error for what is not clear: it asks, and nothing is done."""
    return CommandError("INVALID_SYNTAX", message, hint)


class WordReader:
    """Takes the words after a verb. `usage` is the form that a question hints at; `is_verb` knows the words
    that begin other commands.
    """

    def __init__(self, rest: str, usage: str, names: NodeNames, is_verb: Callable[[str], bool]) -> None:
        self.rest = "" if rest.strip() in (".", "!") else rest.strip()
        self._usage, self._names, self._is_verb = usage, names, is_verb
        self.named: list[str] = []  # the nodes that were taken

    def ask(self, message: str) -> CommandError:
        return question(message, f"→ {self._usage}")

    def skip(self, *words: str) -> bool:
        """Pass over one of these words, if it comes next and something follows; True if one did."""
        token = _TOKEN.match(self.rest)
        if token is None or token.group(1).casefold() not in words or not self._after(token):
            return False
        self.rest = self._after(token)
        return True

    def word(self, *words: str) -> str | None:
        """Take one of these words, if it comes next."""
        self._skip_fillers()
        token = _TOKEN.match(self.rest)
        found = "" if token is None else token.group(1).rstrip(".").casefold()
        if token is None or found not in words:
            return None
        self.rest = self.rest[token.end() :].lstrip(". ")
        return found

    def node(self, *prepositions: str) -> str:
        """Take the id of a node of this tree. Raises: CommandError if there is none, or it is not clear."""
        found = self.optional_node(*prepositions)
        if found is None:
            raise self.ask("which node?")
        return found

    def optional_node(self, *prepositions: str) -> str | None:
        """Take the id of a node, if anything comes before a separator."""
        self._skip_polite_end()
        self._skip_fillers(*BEFORE_AN_ID, *prepositions)
        if (named := _NAMED_ID.match(self.rest)) and self._is_node(_TOKEN.match(self.rest, named.end())):
            self.rest = self.rest[named.end() :]
        token = self._token()
        if token is None or _STRONG.match(self.rest):
            return None
        name = token.group(1)
        if name.casefold() in PRONOUNS and "[" not in token.group():
            raise self.ask(f"which node is “{name}”?")
        self.rest = self.rest[token.end() :].lstrip()
        if self.rest == ".":
            self.rest = ""
        return self.resolved(name)

    def has_separator(self) -> bool:
        """True if a colon or the like comes next: what follows is text, whatever it says."""
        return _STRONG.match(self.rest) is not None

    def is_node(self, name: str) -> bool:
        return self._names.find(name) is not None

    def peek_is_node(self) -> bool:
        return self._is_node(self._token())

    def _token(self) -> re.Match[str] | None:
        """The next word; all up to a blank where that is an id as it stands."""
        bare = _BARE.match(self.rest)
        return bare if self._is_node(bare) else _TOKEN.match(self.rest)

    def _is_node(self, token: re.Match[str] | None) -> bool:
        return token is not None and self._names.find(token.group(1).rstrip(".")) is not None

    def resolved(self, name: str) -> str:
        """The node that a word names. Raises: CommandError if none, or not clearly."""
        for known in (name, name.rstrip(".")):
            if (found := self._names.find(known)) is not None:
                self.named.append(found)
                return found
        name = name.rstrip(".")
        if self._is_verb(name.casefold()):
            raise self.ask(f"one command a line: what is “{name}” for?")
        if self._names.is_elsewhere(name):
            raise CommandError(
                "CROSS_TREE", f"{name} is in another tree", "commands reach the nodes of this tree only"
            )
        likely = sorted(self._names.begins(name))[:MOST_NAMED] if len(name) > 2 else []
        if likely:
            raise self.ask(f"which node is “{name}”: {', '.join(likely)}?")
        if _ID_LIKE.fullmatch(name):
            raise CommandError("NOT_FOUND", f"there is no node {name}", "→ tree shows the nodes there are")
        raise self.ask(f"which node is “{name}”?")

    def separator(self) -> Separator:
        """Pass over what parts an id from what follows."""
        if strong := _STRONG.match(self.rest):
            self.rest = self.rest[strong.end() :]
            return "strong"
        if weak := _WEAK.match(self.rest):
            self.rest = self.rest[weak.end() :]
            strong = _STRONG.match(self.rest)
            self.rest = self.rest if strong is None else self.rest[strong.end() :]
            return "weak" if strong is None else "strong"
        return "none"

    def text(self, what: str) -> str:
        """Take all that is left as words to be written, without the quotes around them. Raises: CommandError
        if there are none, or if they could as well be another command.
        """
        parted = self.separator()
        if not self.rest:
            raise self.ask(f"what is the {what}?")
        said = self.rest.lstrip(", ") if parted == "none" else self.rest
        unquoted = _unquoted(said)
        if parted != "strong" and unquoted == said:
            self._check_is_text(what)
        self.rest = ""
        if not unquoted.strip():
            raise self.ask(f"what is the {what}?")
        return unquoted

    def _check_is_text(self, what: str) -> None:
        """Raises: CommandError for words without a colon before them that may be another command, or about
        another node.
        """
        first, shown = _TOKEN.match(self.rest), self.rest[:60]
        if first is None:
            return
        if self._is_verb(first.group(1).casefold()) or self.rest.startswith("→"):
            raise self.ask(f"is “{shown}” the {what}, or another command?")
        if self.peek_is_node():
            raise self.ask(f"is “{shown}” the {what}, or does it begin with another node?")
        named = _BEFORE_COLON.search(self.rest)
        if named is not None and self.is_node(named.group(1)):
            raise self.ask(f"is “{shown}” the {what}, or does it go to another node?")

    def optional_label(self) -> str | None:
        """Take the words of a label after a separator, if there are any."""
        self._skip_polite_end()
        if label := _LABEL.match(self.rest):
            self.rest = self.rest[label.end() :]
        return self.text("label") if self.rest else None

    def name(self, what: str, end_of_name: re.Pattern[str] = END_OF_NAME) -> str:
        """Take a name: what stands in quotes, or all before a colon or an arrow. Raises: CommandError without
        one.
        """
        rest = self.rest.lstrip(": ")
        closing = _QUOTES.get(rest[:1])
        end = rest.find(closing, 1) if closing else -1
        if end > 0:
            name, self.rest = rest[1:end], rest[end + 1 :].lstrip()
        else:
            found = end_of_name.search(rest)
            at = len(rest) if found is None else found.start()
            name, self.rest = _PLEASE.sub("", rest[:at].rstrip(" ,")), rest[at:]
        name = " ".join(name.split())
        if not name:
            raise self.ask(f"what is the {what}?")
        return name

    def plain_name(self, what: str) -> str:
        """Take a name without an article before it, unless that stands in the quotes."""
        is_quoted = self.rest.lstrip(": ")[:1] in _QUOTES
        name = self.name(what)
        if is_quoted:
            return name
        following = re.search(r"(?:\b(?:and|then)\b|[;→])\s*(\w+)", name, re.IGNORECASE)
        if following and (self._is_verb(following.group(1).casefold()) or self._is_node(following)):
            raise self.ask(f"is “{name[:60]}” the {what}, or is another command in it?")
        return bare_name(name)

    def number(self, *words: str) -> int | None:
        """Take a number that is named: `n: 3`, `n=3`, `depth 3`."""
        pattern = (
            rf"[\s,\[(]*(?:(?:with|and)\s+)?(?:--)?(?:{'|'.join(words)})\b\s*(?:[:=]\s*)?([^\s,\])]+)[\])]*"
        )
        found = re.match(pattern, self.rest, re.IGNORECASE)
        if found is None:
            return None
        digits = found.group(1).rstrip(".")
        if not re.fullmatch(r"[0-9]{1,7}", digits):
            raise self.ask(f"how many is “{digits}”?")
        self.rest = self.rest[found.end() :].lstrip()
        return int(digits)

    def end(self) -> None:
        """Take nothing more. Raises: CommandError if something is left, or a second command."""
        self._skip_polite_end()
        if not self.rest:
            return
        words = re.findall(r"[^\s,;:.!?]+", self.rest.casefold())
        if any(self._is_verb(word) for word in words):
            raise self.ask(f"one command a line: what is “{self.rest[:60]}” for?")
        raise self.ask(f"what is “{self.rest[:60]}” for?")

    def _skip_polite_end(self) -> None:
        self.rest = re.sub(r"^[\s,]*+(?:please)?[\s.]*+$", "", self.rest, flags=re.IGNORECASE)

    def _skip_fillers(self, *others: str) -> None:
        words = FILLERS.union(others)
        while True:
            token = self._token()
            if token is None or token.group(1).casefold() not in words:
                return
            after = self._after(token)
            if not after or (_STRONG.match(after) and token.group(1).casefold() != "node"):
                return  # the last word is an id, whatever it looks like
            following = _TOKEN.match(after)
            if self._is_node(token) and not (following and self._is_node(following)):
                return
            self.rest = re.sub(r"^\s*:\s*", "", after)

    def _after(self, token: re.Match[str]) -> str:
        after = self.rest[token.end() :].lstrip()
        return "" if after == "." else after


def bare_name(name: str) -> str:
    """A name without articles and the like before it."""
    words = name.split()
    while len(words) > 1 and words[0].casefold() in FILLERS:
        words.pop(0)
    return " ".join(words)


def _unquoted(text: str) -> str:
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 2 or not text.endswith(closing):
        return text
    inside = text[1:-1]
    return text if text[0] in inside or closing in inside else inside


def _nowhere(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Standpoint:
    """All that a command needs: `at` is where the agent stands, `start` the node that its answer continues,
    `agents` all that can be named, by id, and `is_elsewhere` tells of ids of other trees.

    `asking` are the agents that wait for this command: they are not asked again.
    """

    tree: Tree
    at: str
    start: str
    agent: Agent
    pen: EditContext
    agents: Mapping[str, Agent] = field(default_factory=dict)
    is_elsewhere: Callable[[str], bool] = _nowhere
    asking: frozenset[str] = frozenset()

    @property
    def names(self) -> NodeNames:
        return NodeNames(self.tree.find, self._begins, self.is_elsewhere)

    @property
    def authors(self) -> Mapping[str, str]:
        return {agent.id: agent.name for agent in self.agents.values()}

    def local(self, node_id: str) -> str:
        return f"[{self.tree.nodes[node_id].local_id}]"

    def _begins(self, letters: str) -> list[str]:
        wanted = letters.upper()
        local_ids = (node.local_id for node in self.tree.nodes.values())
        return [local_id for local_id in local_ids if local_id.upper().startswith(wanted)]
