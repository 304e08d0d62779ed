"""Registry of commands: names, wordings, permissions and what each does; from a line to what comes of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import Final, Literal, TypeAlias, TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.documents import is_loose_document
from loomapp.core.loom_commands import looks, memories, writes
from loomapp.core.loom_commands.results import CommandError, Outcome, Viewed
from loomapp.core.loom_commands.words import Standpoint, WordReader, question
from loomapp.core.model.agent import ASK, PermissionName
from loomapp.core.text.command_lines import ARROW

Needed: TypeAlias = Literal["loom_aware"] | PermissionName
A = TypeVar("A")
CarryOut: TypeAlias = Callable[[Standpoint], Outcome]
SEE: Final = "loom_aware"
CHANGES_A_NODE = frozenset({"edit", "prune", "restore"})
LONGEST_SHOWN = 60  # characters of a line that is not understood

_POLITE = re.compile(
    r"(?:\s*\b(?:please|kindly|(?:can|could|would)\s+you|let\s+me|let['’]s)(?![\w'’])[\s,]*)+", re.IGNORECASE
)
_DOC = r"(?:the\s+|a\s+)?doc(?:ument)?\b\s*:?"


@dataclass(frozen=True, slots=True)
class CommandKind:
    """One command. `wordings` are patterns of the words that it can begin with, `usage` is its plain form;
    `read` reads what follows, and raises CommandError where that is not clear.
    """

    name: str
    usage: str
    about: str
    permission: Needed
    wordings: tuple[str, ...]
    read: Callable[[WordReader], CarryOut]


def _does(
    read: Callable[[WordReader], A], act: Callable[[Standpoint, A], Outcome]
) -> Callable[[WordReader], CarryOut]:
    """Join what reads the arguments of a command and what does it with them."""

    def reading(words: WordReader) -> CarryOut:
        arguments = read(words)
        return lambda place: act(place, arguments)

    return reading


@dataclass(frozen=True, slots=True)
class Understood:
    """A command line that is clear: which command it is, the permission it takes, and what it does.

    Raises: CommandError from `carry_out` where that cannot be done.
    """

    name: str
    permission: Needed
    carry_out: CarryOut = field(compare=False)


def understand(line: str, place: Standpoint) -> Understood:
    """Understand a command line. Raises: CommandError with a question where it is not clear, NOT_FOUND or
    CROSS_TREE where a node is not there; nothing is done then.
    """
    said = line.removeprefix(ARROW).strip()
    said = _POLITE.sub("", said, count=1) if _POLITE.match(said) else said
    found = [(match.end(), kind) for kind in COMMANDS for match in _beginnings(kind, said)]
    if not found:
        word = said.split(maxsplit=1)[0] if said else ""
        shown = word if len(word) <= LONGEST_SHOWN else word[:LONGEST_SHOWN] + "…"
        raise question(f"which command is “{shown}”?" if word else "which command?", "→ help lists them")
    end, kind = max(reversed(found), key=lambda pair: pair[0])  # the plainest is the first
    words = WordReader(said[end:], kind.usage, place.names, VERBS.__contains__)
    carry_out = kind.read(words)
    return Understood(kind.name, _needed(kind, words.named, place), carry_out)


def _needed(kind: CommandKind, node_ids: list[str], place: Standpoint) -> Needed:
    """The permission that a command takes: of a document, that of documents, also where its id names it, or
    where a model would go on from it and so tell of it.

    Raises: CommandError where a look at one would go past the person who is to be asked.
    """
    if kind.permission == "loom_generate":
        allowed = place.agent.permissions
        is_told = allowed.loom_generate is not False and _tells_of_document(node_ids, place)
        return "doc_read" if is_told and allowed.doc_read is not True else kind.permission
    if not any(is_loose_document(place.tree, node_id) for node_id in node_ids):
        return kind.permission
    if kind.permission == SEE:
        if place.agent.permissions.doc_read == ASK:
            raise CommandError("PERMISSION_DENIED", "this is a document", "→ read doc: NAME asks for it")
        return "doc_read"
    return "doc_write" if kind.name in CHANGES_A_NODE else kind.permission


def _tells_of_document(node_ids: list[str], place: Standpoint) -> bool:
    """True if a document goes along with the node to be continued that the agent's own context does not
    hold.
    """
    sent = writes.ids_sent(place, node_ids[0] if node_ids else place.at)
    return any(is_loose_document(place.tree, one) for one in sent - writes.ids_sent(place, place.start))


def _beginnings(kind: CommandKind, said: str) -> list[re.Match[str]]:
    patterns = (rf"(?:{wording})(?![\w-])|(?:{wording})$" for wording in kind.wordings)
    return [match for pattern in patterns if (match := re.match(pattern, said, re.IGNORECASE))]


def denied(place: Standpoint, needed: Needed, *, can_ask: bool = False) -> CommandError | None:
    """The refusal of a command that the agent may not use; None if it may. Where a person is asked each time
    and can be asked here, it may.
    """
    if needed == SEE:
        return None
    allowed = place.agent.permissions.of(needed)
    if allowed is True or (allowed == ASK and can_ask):
        return None
    hint = "allow it in the window" if allowed == ASK else "your permissions stand in the loom context"
    return CommandError("PERMISSION_DENIED", f"you don't have {needed}", hint)


def asks_first(place: Standpoint, needed: Needed) -> bool:
    """True if a person decides each time."""
    return needed != SEE and place.agent.permissions.of(needed) == ASK


def run_command(line: str, place: Standpoint) -> Outcome:
    """Do what a command line says, where the agent may, without asking a person. Raises: CommandError."""
    command = understand(line, place)
    if refusal := denied(place, command.permission):
        raise refusal
    return command.carry_out(place)


def _read_help(words: WordReader) -> str:
    words.skip("me")
    words.skip("with", "on", "for")
    verb, words.rest = words.rest.strip(" .:!"), ""
    return "" if verb.casefold() == "me" else verb


def _help(_: Standpoint, verb: str) -> Outcome:
    if not verb:
        lines = [f"→ {kind.usage}   {kind.about}" for kind in COMMANDS]
        return Viewed("\n".join((*lines, *HELP_NOTES)))
    known = [kind for kind in COMMANDS if kind.name == verb.casefold() or _beginnings(kind, verb)]
    if not known:
        raise question(f"help with which command: “{verb[:LONGEST_SHOWN]}”?", "→ help lists them")
    kind = max(known, key=lambda kind: max((m.end() for m in _beginnings(kind, verb)), default=0))
    return Viewed(f"→ {kind.usage}\n{kind.about}. Takes {kind.permission}.")


def _read_thought(words: WordReader) -> str:
    thought, words.rest = words.rest, ""
    return thought


def _thought(_place: Standpoint, _thought: str) -> Outcome:
    return Viewed("")


HELP_NOTES = (
    "One command a line, at the line's beginning, outside code blocks. An id is what stands in brackets.",
    "Results are shortened; add full to see all. → help VERB tells more of a command.",
)

COMMANDS: tuple[CommandKind, ...] = (
    CommandKind(
        "view",
        "view ID [full|with-annotations]",
        "shows a node; read_file means the same",
        SEE,
        ("view", r"read[_\s-]file", "show", "see", "open", r"look\s+at", "read", "display"),
        _does(looks.read_view, looks.view),
    ),
    CommandKind(
        "list",
        "list continuations|annotations|links [of ID]",
        "lists what is connected with a node",
        SEE,
        (
            "list",
            r"(?:show|view)(?=\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:continuations|children|annotations|notes|links)\b)",
        ),
        _does(looks.read_list, looks.list_connected),
    ),
    CommandKind(
        "tree",
        "tree [from ID] [depth N|summary]",
        "shows the tree, or the part below a node",
        SEE,
        (
            "tree",
            r"(?:show|view|see)\s+(?:me\s+)?(?:the\s+)?tree",
            r"(?:show|view|see)(?=\s+(?:me\s+)?(?:the\s+)?(?:whole|full|entire)\s+tree\b)",
        ),
        _does(looks.read_tree, looks.show_tree),
    ),
    CommandKind(
        "switch",
        "switch ID",
        "moves you to a node; people stay where they are",
        SEE,
        ("switch", r"(?:go|jump)(?:\s+back)?(?:\s+to)?", r"(?:move|navigate)(?:\s+back)?\s+to"),
        _does(looks.read_switch, looks.switch),
    ),
    CommandKind(
        "continue",
        "continue [from ID] [n: N] [tokens: N] [using agent: NAME]",
        "has a model continue from where you are, or from a node",
        "loom_generate",
        ("continue", "generate"),
        _does(writes.read_continue, writes.ask_model),
    ),
    CommandKind(
        "respond",
        "respond [to ID] [as: user|assistant]: TEXT",
        "writes after the node you are at, or another one, and moves you there",
        "loom_write",
        ("respond", "reply", "answer", "say"),
        _does(writes.read_response, writes.respond),
    ),
    CommandKind(
        "annotate",
        "annotate ID: TEXT",
        "writes a note on a node",
        "loom_write",
        (
            "annotate",
            r"note(?:\s+on)?",
            r"comment(?:\s+on)?",
            r"(?:add|leave|write)\s+(?:an?\s+)?(?:note|annotation|comment)\s+(?:to|on)",
        ),
        _does(writes.read_worded, writes.annotate),
    ),
    CommandKind(
        "link",
        "link ID to ID[: LABEL]",
        "links two nodes",
        "loom_write",
        ("link", "connect"),
        _does(writes.read_link, writes.link),
    ),
    CommandKind(
        "edit",
        "edit ID: TEXT",
        "writes another version beside a node, which stays",
        "loom_write",
        ("edit", "rewrite", "change"),
        _does(writes.read_worded, writes.edit),
    ),
    CommandKind(
        "bookmark",
        "bookmark ID[: LABEL]",
        "marks a node, to be found again",
        "loom_write",
        ("bookmark", "star", r"add\s+(?:a\s+)?bookmark\s+(?:to|on)"),
        _does(writes.read_labelled, writes.bookmark),
    ),
    CommandKind(
        "unbookmark",
        "unbookmark ID",
        "takes the bookmark away",
        "loom_write",
        ("unbookmark", "unstar", r"remove\s+(?:the\s+)?bookmark(?:\s+(?:from|of|on))?"),
        _does(writes.read_node, writes.unbookmark),
    ),
    CommandKind(
        "prune",
        "prune ID",
        "hides a node and what is below it; nothing is deleted",
        "loom_write",
        ("prune", "delete", "hide", "remove"),
        _does(writes.read_node, writes.prune),
    ),
    CommandKind(
        "restore",
        "restore ID",
        "brings a pruned node back, with what is below it",
        "loom_write",
        ("restore", "unprune", "undelete", "unhide", r"bring\s+back"),
        _does(writes.read_node, writes.restore),
    ),
    CommandKind(
        "read doc",
        "read doc: NAME [full]",
        "shows a document",
        "doc_read",
        (rf"(?:read|open|show|view)\s+(?:me\s+)?{_DOC}",),
        _does(memories.read_name_or_full, memories.read_document),
    ),
    CommandKind(
        "write doc",
        "write doc: NAME: TEXT",
        "writes a document, or a new version of it",
        "doc_write",
        (rf"(?:write|create|update|save)\s+(?:to\s+|in\s+)?{_DOC}",),
        _does(memories.read_writing, memories.write),
    ),
    CommandKind(
        "pin",
        "pin ID",
        "keeps a node in your memory block",
        SEE,
        ("pin",),
        _does(writes.read_node, memories.pin),
    ),
    CommandKind(
        "stash",
        "stash ID as NAME",
        "puts the words of a node aside under a name",
        SEE,
        ("stash",),
        _does(memories.read_stash, memories.stash),
    ),
    CommandKind(
        "recall",
        "recall NAME [full]",
        "brings what was stashed into your memory block",
        SEE,
        ("recall",),
        _does(memories.read_name_or_full, memories.recall),
    ),
    CommandKind(
        "drop",
        "drop ID|NAME",
        "unpins a node, or forgets what was stashed",
        SEE,
        ("drop", "forget", "unpin"),
        _does(memories.read_name, memories.drop),
    ),
    CommandKind(
        "memory",
        "memory [trace|stashed] [full]",
        "shows your memory, its recent actions, or what is stashed",
        SEE,
        ("memory", r"(?:show|view)\s+(?:me\s+)?(?:my\s+|the\s+|your\s+)?memory"),
        _does(memories.read_memory, memories.show_memory),
    ),
    CommandKind(
        "think",
        "think TEXT ←",
        "thinks on as many lines as you like; nobody is sent it",
        SEE,
        ("think",),
        _does(_read_thought, _thought),
    ),
    CommandKind(
        "help",
        "help [VERB]",
        "lists the commands, or tells of one",
        SEE,
        ("help", r"(?:(?:list|show)\s+(?:me\s+)?(?:the\s+)?(?:all\s+)?)?commands"),
        _does(_read_help, _help),
    ),
)
# Words that begin a command: where one stands in another's place, it is not clear which is meant.
VERBS = frozenset(
    {
        *(
            word
            for kind in COMMANDS
            for wording in kind.wordings
            for word in re.findall(r"^[a-z_]+", wording)
        ),
        *("show", "open", "read", "write", "remove"),
    }
)
