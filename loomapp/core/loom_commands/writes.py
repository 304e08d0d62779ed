"""Commands that write: an answer, a note, a link, an edit, marks; and asking for continuations."""

from __future__ import annotations

import re
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import change_of, continuation
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.loom_commands.results import AskModel, CommandError, Edited, Outcome
from loomapp.core.loom_commands.words import Standpoint, WordReader
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath, EdgeSource, Node, SentRole
from loomapp.core.paths.navigation import lives
from loomapp.core.paths.resolve import resolve

MOST_CONTINUATIONS = 10
_AS = re.compile(r"[\s,]*+[\[(]?\s*as\b\s*:?\s*(?:the\s+)?(user|assistant)\b(?:\s*[\])])?", re.IGNORECASE)
_LAST_TO = re.compile(
    r"\s(?:to|after)\s+(?:the\s+)?(?:node\s+)?[\[(]?([^\s\[\]()\"“”]+?)[\])]?[.!]?\Z", re.IGNORECASE
)
_UNCLEAR = re.compile(r"[\s,]*+[\[(]?\s*(as|and)\b", re.IGNORECASE)
_PLEASE = re.compile(r"[\s,]*+please\s*(?=:)", re.IGNORECASE)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOUN = r"(?:continuations?|answers?|ways|times)"
_COUNT = re.compile(
    rf"[\s,]*(?:([0-9]{{1,7}})\b\s*{_NOUN}?|({'|'.join(_NUMBERS)})\s+{_NOUN}\b)\s*", re.IGNORECASE
)
_HERE = re.compile(r"[\s,]*(?:from\s+|at\s+)?here\b\s*", re.IGNORECASE)
_AGENT = re.compile(r"[\s,\[(]*(?:using|with|by)\b\s*(?:the\s+)?(?:agent\b\s*:?)?\s*", re.IGNORECASE)
_NEXT_OPTION = re.compile(
    r"(?<=\S)[\s,]++(?:(?:with|and)\s+)?[\[(]?(?:from\b|n\s*[:=]|(?:max[ _])?tokens\s*[:=])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class NodeWords:
    """A node, and words for it."""

    node_id: str
    text: str


def read_worded(words: WordReader) -> NodeWords:
    """A node and what is said of it or in its place."""
    node_id = words.node("on", "of")
    return NodeWords(node_id, words.text("text"))


def annotate(place: Standpoint, wanted: NodeWords) -> Outcome:
    change = node_edits.annotate(place.tree, wanted.node_id, wanted.text, place.pen)
    note = change.added_nodes()[0]
    return Edited(change, f"✓ note [{note.local_id}] on {place.local(wanted.node_id)}", (note.id,))


def edit(place: Standpoint, wanted: NodeWords) -> Outcome:
    if not isinstance(place.tree.nodes[wanted.node_id].content, Text):
        raise CommandError(
            "CONFLICT", f"{place.local(wanted.node_id)} is more than a text: it cannot be edited"
        )
    try:
        change = node_edits.edit_as_sibling(place.tree, wanted.node_id, wanted.text, place.pen)
    except InvalidInput as error:
        raise CommandError("CONFLICT", error.message) from error
    if change is None:
        return Edited(None, f"✓ {place.local(wanted.node_id)} says that already", (wanted.node_id,))
    node = change.added_nodes()[0]
    edited = f"✓ [{node.local_id}] beside {place.local(wanted.node_id)}, which stays"
    return Edited(_staying(change), edited, (node.id,))


def _staying(change: Change) -> Change:
    """A change that leaves the path where the person reads."""
    return replace(change, rows=tuple(row for row in change.rows if not isinstance(row.row, ActivePath)))


@dataclass(frozen=True, slots=True)
class Response:
    """Words after a node, None: after the one the agent stands at."""

    node_id: str | None
    role: SentRole
    text: str


def read_response(words: WordReader) -> Response:
    node_id: str | None = None
    role: SentRole | None = None
    while True:
        words.rest = _PLEASE.sub("", words.rest, count=1) if _PLEASE.match(words.rest) else words.rest
        if role is None and (found := _AS.match(words.rest)):
            role = "assistant" if found.group(1).casefold() == "assistant" else "user"
            words.rest = words.rest[found.end() :].lstrip()
        elif node_id is None and _is_to(words):
            node_id = words.node("to")
        elif unclear := _UNCLEAR.match(words.rest):
            asked = "as whom, the user or the assistant?" if unclear.group(1) in "asAS" else None
            raise words.ask(asked or f"does the answer begin with “{unclear.group(1)}”?")
        else:
            _check_ending(words)
            return Response(node_id, role or "user", words.text("answer"))


def _check_ending(words: WordReader) -> None:
    """Raises: CommandError for words without a colon before them that end with a node: that may be the
    place.
    """
    last = None if words.has_separator() else _LAST_TO.search(words.rest)
    if last is not None and words.is_node(last.group(1)):
        raise words.ask(f"does the answer end with “{last.group().strip()}”, or does it go there?")


def _is_to(words: WordReader) -> bool:
    return re.match(r"[\s,\[(]*+to\b", words.rest, re.IGNORECASE) is not None


def respond(place: Standpoint, wanted: Response) -> Outcome:
    above = wanted.node_id or place.at
    _check_lives(place, above)
    node, edge = continuation(place.tree, Text(wanted.text), (EdgeSource(above),), place.pen)
    node = replace(node, role=wanted.role)
    change = change_of(place.tree, "Write", place.pen, (RowChange(None, node), RowChange(None, edge)))
    told = f"✓ [{node.local_id}] after {place.local(above)}, sent as {wanted.role}; you are there now"
    return Edited(change, told, (node.id,), at=node.id)


def _check_lives(place: Standpoint, node_id: str) -> None:
    """Raises: CommandError if a node is pruned: what is written below it nobody would see."""
    if not lives(place.tree, node_id):
        local_id = place.tree.nodes[node_id].local_id
        raise CommandError("CONFLICT", f"{place.local(node_id)} is pruned", f"→ restore {local_id} first")


@dataclass(frozen=True, slots=True)
class Linking:
    """A link from a node to another."""

    from_id: str
    to_id: str
    label: str | None


def read_link(words: WordReader) -> Linking:
    words.rest = words.rest.lstrip(": ")
    from_id = words.node("from")
    words.rest = words.rest.removeprefix("→").lstrip()
    words.separator()
    to_id = words.node("to", "and", "with")
    return Linking(from_id, to_id, words.optional_label())


def link(place: Standpoint, wanted: Linking) -> Outcome:
    if wanted.from_id == wanted.to_id:
        raise CommandError("CONFLICT", f"{place.local(wanted.from_id)} cannot be linked to itself")
    change = node_edits.link(place.tree, wanted.from_id, wanted.to_id, wanted.label, place.pen)
    told = f"✓ linked {place.local(wanted.from_id)} to {place.local(wanted.to_id)}"
    return Edited(change, told, (wanted.from_id, wanted.to_id))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A node, and a label for it if one is given."""

    node_id: str
    label: str | None


def read_labelled(words: WordReader) -> Labelled:
    words.rest = words.rest.lstrip(": ")
    node_id = words.node()
    return Labelled(node_id, words.optional_label())


def bookmark(place: Standpoint, wanted: Labelled) -> Outcome:
    change = node_marks.bookmark(place.tree, wanted.node_id, wanted.label, place.pen)
    return Edited(change, f"✓ bookmarked {place.local(wanted.node_id)}", (wanted.node_id,))


def read_node(words: WordReader) -> str:
    """A node alone."""
    words.rest = words.rest.lstrip(": ")
    node_id = words.node()
    words.end()
    return node_id


def unbookmark(place: Standpoint, node_id: str) -> Outcome:
    change = node_marks.remove_bookmarks(place.tree, (node_id,), place.pen)
    return Edited(change, f"✓ {place.local(node_id)} has no bookmark", (node_id,))


def prune(place: Standpoint, node_id: str) -> Outcome:
    tree = place.tree
    if node_id == tree.root_id:
        raise CommandError("CONFLICT", f"{place.local(node_id)} begins the tree and cannot be pruned")
    change = node_marks.prune(tree, node_id, place.pen)
    gone = _newly_pruned(change)
    if not gone.isdisjoint(ids_above(place, place.start)):
        raise CommandError("CONFLICT", f"your answer continues {place.local(node_id)}: it cannot be pruned")
    at = place.start if not gone.isdisjoint(ids_above(place, place.at)) else None
    more = f" and {len(gone) - 1} below it" if len(gone) > 1 else ""
    moved = f"; you are at {place.local(place.start)} again" if at is not None else ""
    return Edited(change, f"✓ pruned {place.local(node_id)}{more}{moved}", (node_id,), at=at)


def _newly_pruned(change: Change | None) -> set[str]:
    rows = () if change is None else change.changed(Node)
    return {row.row.key for row in rows}


def ids_above(place: Standpoint, node_id: str) -> tuple[str, ...]:
    """The nodes on the way to a node, and itself."""
    try:
        return resolve(place.tree, node_id).node_ids
    except AssemblyError:
        return (node_id,)


def ids_sent(place: Standpoint, node_id: str) -> set[str]:
    """The nodes that a model may be sent that goes on from a node: those above, and what goes along there."""
    try:
        path = resolve(place.tree, node_id)
    except AssemblyError:
        return {node_id}
    beside = (one.node_id for edge in path.joints.values() for one in edge.sources if one.role != "primary")
    return {*path.node_ids, *beside}


def restore(place: Standpoint, node_id: str) -> Outcome:
    change = node_marks.restore(place.tree, node_id, place.pen)
    return Edited(change, f"✓ {place.local(node_id)} and what is below it is there", (node_id,))


@dataclass(frozen=True, slots=True)
class Continuing:
    """Continuations to be asked for: after which node, None: the one the agent stands at, how many, with how
    many tokens, and of whom.
    """

    node_id: str | None = None
    count: int = 1
    tokens: int | None = None
    agent_name: str | None = None


def read_continue(words: WordReader) -> Continuing:
    found = Continuing()
    counted = is_here = False
    words.rest = words.rest.lstrip(": ")
    while words.rest:
        if not counted and (count := words.number("n")) is not None:
            found, counted = replace(found, count=_checked_count(count)), True
        elif found.tokens is None and (tokens := words.number("max[ _]tokens", "tokens")) is not None:
            if tokens < 1:
                raise words.ask("how many tokens?")
            found = replace(found, tokens=tokens)
        elif found.agent_name is None and (agent := _AGENT.match(words.rest)):
            found = replace(found, agent_name=_agent_name(words, agent.end()))
        elif not counted and (plain := _COUNT.match(words.rest)):
            if words.peek_is_node():
                raise words.ask(f"from the node “{plain.group().strip()}”, or so many continuations?")
            digits, word = plain.groups()
            count = int(digits) if digits else _NUMBERS.index(word.casefold()) + 1
            found, counted = replace(found, count=_checked_count(count)), True
            words.rest = words.rest[plain.end() :]
        elif found.node_id is None and not is_here and (here := _HERE.match(words.rest)):
            is_here, words.rest = True, words.rest[here.end() :]
        elif found.node_id is None and (node_id := words.optional_node("from", "after", "at")):
            found = replace(found, node_id=node_id)
        else:
            words.end()
        if is_here and found.node_id is not None:
            raise words.ask("from here, or from the node?")
    return found


def _agent_name(words: WordReader, begin: int) -> str:
    rest = words.rest[begin:]
    following = _NEXT_OPTION.search(rest)
    end = len(rest) if following is None else following.start()
    words.rest = rest[end:].lstrip()
    name = rest[:end].strip().rstrip(".")
    if name.casefold().endswith((" please", ",please")):
        name = name[: -len("please")]
    name = name.strip(" .,\"'“”[]()")
    if not name:
        raise words.ask("which agent?")
    return name


def _checked_count(count: int) -> int:
    if count > MOST_CONTINUATIONS:
        raise CommandError("LIMIT_EXCEEDED", f"n is {count}", f"at most {MOST_CONTINUATIONS} at once")
    if count < 1:
        raise CommandError("INVALID_SYNTAX", "how many continuations?", "n is 1 to 10")
    return count


def ask_model(place: Standpoint, wanted: Continuing) -> Outcome:
    """Raises: CommandError where the named agent is none, not clear, or waits for this very answer."""
    agent_id = None if wanted.agent_name is None else agent_named(place, wanted.agent_name)
    _check_lives(place, wanted.node_id or place.at)
    return AskModel(wanted.node_id or place.at, wanted.count, wanted.tokens, agent_id)


def agent_named(place: Standpoint, name: str) -> str:
    """The id of the model agent of a name, in any case."""
    folded = name.casefold()
    models = [a for a in place.agents.values() if a.type == "model" and a.archived_at is None]
    found = [a for a in models if a.id == name] or [a for a in models if a.name.casefold() == folded]
    if not found:
        known = ", ".join(sorted({a.name for a in models if a.id not in place.asking}))
        raise CommandError("NOT_FOUND", f"there is no agent “{name}”", f"there are {known}" if known else "")
    if len(found) > 1:
        raise CommandError(
            "INVALID_SYNTAX", f"which “{name}”: {', '.join(a.id for a in found)}?", "name its id"
        )
    if found[0].id in place.asking:
        raise CommandError("CONFLICT", f"{found[0].name} waits for this answer and cannot be asked for it")
    return found[0].id
