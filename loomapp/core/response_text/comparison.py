"""Comparison of model nodes and noted facts with the responses they rest on: why something is otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from loomapp.core.json_values import Json
from loomapp.core.model.content import well_formed
from loomapp.core.model.entities import REASONING, Node, verbatim
from loomapp.core.model.hashes import Finding, ResponseDigest, verify_node, with_reasons
from loomapp.core.model.raw_response import RECORD, UNREADABLE, Evidence, TooLarge
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import PIECES, Taken, are_of, from_json
from loomapp.core.response_text.body import (
    MOST_VALUES,
    ChoiceText,
    ReadResponse,
    read_in_pieces,
    read_response,
)
from loomapp.core.response_text.chunks import TOKEN_NAMES, Tokens, Told
from loomapp.core.response_text.rules import (
    COMMAND,
    RULES,
    WHOLE,
    follows_by,
    is_concealed,
    rule_that_explains,
)

UNREADABLE_RESPONSE = "the response kept for it cannot be read"
TOO_MUCH = "more than any model writes or reads: restore a backup, or take the node as unproven"
OTHER_TEXT = "its text is not the text of its response"
NO_CHOICE = "the response kept for it holds no such choice as it is said to be"
OTHER_REASONING = "its reasoning is not that of its response"
OTHER_AUTHOR = "a model's response is kept for it, but it is said to be written by a person"
UNKNOWN_RULE = "its text follows by a rule that this version does not know; update Loomapp"
NOT_ITS_PIECES = "its text is not that of the passages it was made of"
OTHERS_WORDS = "it is said to be made from words of another author, which no answer is"
SAME_CHOICE = "another node is the same choice of its response"
LOST = "its text was taken from a response, and none is kept for it"
LOST_AUTHOR = "its text was taken from a model's response, but it is said to be written by a person"


class ResponseComparison(NamedTuple):
    """A response and the nodes that rest on it: what the hash of each takes, and what is not so, and why."""

    digests: Mapping[str, ResponseDigest]
    faults: Sequence[tuple[str, str]]


def compared(
    tree: Tree, item: Evidence, rules: Mapping[str, str], *, is_own: bool = False
) -> ResponseComparison:
    """Read a response once for all nodes that rest on it.

    `rules` are those that were recorded, by node id; a node without one is tried against all there ever were.
    `is_own`: it is known to have been recorded by Loomapp, whatever it says of itself.
    """
    is_own = is_own or STATUS in item.extra
    try:
        read = read_in_pieces(item)
    except UNREADABLE as error:
        more = f": {error}, {TOO_MUCH}" if isinstance(error, TooLarge) else ""
        return ResponseComparison({}, [(node_id, UNREADABLE_RESPONSE + more) for node_id in item.choices])
    digests = {node_id: ResponseDigest(read.sha256, index) for node_id, index in item.choices.items()}
    faults = list(_contradictions(tree, item, read.choices, rules, is_own=is_own))
    faults += ((node_id, SAME_CHOICE) for node_id in _doubled(tree, item, read.choices, rules))
    must_say = is_own and not _is_cut_short(tree, item)
    others = list(misnoted(item, read.told, must_say=must_say))
    return ResponseComparison(
        digests, faults + [(node_id, other) for node_id in item.choices for other in others]
    )


def _doubled(
    tree: Tree, item: Evidence, said: Mapping[int, ChoiceText], rules: Mapping[str, str]
) -> Iterator[str]:
    """Nodes of which another is the same whole choice too; parts, versions and the words of commands are
    none.
    """
    whole: dict[int, list[str]] = {}
    for node_id, index in item.choices.items():
        node = tree.nodes.get(node_id)
        if node is None or node.edited_from is not None or PIECES in node.extra:
            continue
        choice = said.get(index)
        rule = rules.get(node_id) or (choice and rule_that_explains(choice, node))
        if rule != COMMAND:
            whole.setdefault(index, []).append(node_id)
    for node_ids in whole.values():
        if len(node_ids) > 1:
            yield from node_ids


def _is_cut_short(tree: Tree, item: Evidence) -> bool:
    """True if any answer in the response was stopped: whoever stopped it had not heard all that was kept."""
    nodes = (tree.nodes.get(node_id) for node_id in item.choices)
    return any(node is not None and node.interrupted is not None for node in nodes)


def _contradictions(
    tree: Tree,
    item: Evidence,
    said: Mapping[int, ChoiceText],
    rules: Mapping[str, str],
    *,
    is_own: bool,
) -> Iterator[tuple[str, str]]:
    nodes = [tree.nodes[node_id] for node_id in item.choices if node_id in tree.nodes]
    for node in nodes:
        choice = said.get(item.choices[node.id])
        reason = contradiction(tree, node, choice, rules.get(node.id), is_own=is_own)
        if reason:
            yield node.id, reason
    left = {choice.text for index, choice in said.items() if index not in item.choices.values()} - {""}
    if nodes and left and not any(node.id in rules for node in nodes):
        for node_id in _siblings(tree, nodes):
            if tree.nodes[node_id].author_type != "model" and tree.nodes[node_id].text in left:
                yield node_id, LOST_AUTHOR


def contradiction(
    tree: Tree, node: Node, said: ChoiceText | None, rule: str | None = None, *, is_own: bool = False
) -> str:
    """Why a node is not what a response says for its choice (None: nothing at all); "" if it is. Of a
    response that Loomapp itself recorded, all reasoning is kept.
    """
    if node.author_type != "model":
        return OTHER_AUTHOR
    if rule is not None and rule not in RULES:
        return UNKNOWN_RULE
    if said is None:
        return NO_CHOICE
    follows = rule_that_explains(said, node) if rule is None else follows_by(rule, said, node) and rule
    if not follows:
        return OTHER_TEXT
    is_part = rule is None and PIECES in node.extra  # it has no thoughts, though it may say all
    must_be_all = is_own and follows in WHOLE and node.interrupted is None and not is_part
    if not _is_its_reasoning(node.extra.get(REASONING), said.reasoning, must_be_all=must_be_all):
        return OTHER_REASONING
    if not _is_of_its_pieces(tree, node):
        return NOT_ITS_PIECES
    if follows == COMMAND:  # an agent's edit says its own words in the place of any author's
        return ""
    return OTHERS_WORDS if _has_others_words(tree, node) else ""


def with_rules(tree: Tree, item: Evidence) -> Evidence:
    """A response that came from elsewhere, with a rule for each of its nodes that has none yet, if there is
    one that explains its text. A node that none explains gets none, and is named by verification.
    """
    unknown = [name for name in item.choices if name not in item.texts and name in tree.nodes]
    read = read_response(item) if unknown else None
    if read is None:
        return item
    found = dict(item.texts)
    for node_id in unknown:
        said = read.choices.get(item.choices[node_id])
        rule = None if said is None else rule_that_explains(said, tree.nodes[node_id])
        if rule is not None:
            found[node_id] = rule
    return replace(item, texts=found)


def finding_of(tree: Tree, node: Node, evidence: Evidence | None, read: ReadResponse | None) -> Finding:
    """Judge one node by its hash and by its response as it was read; `read` is None where that cannot be
    unpacked. Which rule was recorded is not known here: any will do.
    """
    index = None if evidence is None else evidence.choices.get(node.id)
    if evidence is None or index is None:
        return verify_node(tree, node, None)
    if read is None:
        return Finding(node.id, node.local_id, "failed", UNREADABLE_RESPONSE)
    hashed = verify_node(tree, node, ResponseDigest(read.sha256, index))
    is_own = STATUS in evidence.extra
    said = contradiction(tree, node, read.choices.get(index), is_own=is_own)
    others = misnoted(evidence, read.told, must_say=is_own and not _is_cut_short(tree, evidence))
    return with_reasons([hashed], [(node.id, reason) for reason in (said, *others) if reason])[0]


def unexplained(tree: Tree, resting: AbstractSet[str], rules: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each node of which a rule was recorded and that rests on no response any more, and what
    is wrong.
    """
    for node_id in rules:
        node = tree.nodes.get(node_id)
        if node is not None and node_id not in resting:
            yield node_id, LOST if node.author_type == "model" else LOST_AUTHOR


def _is_its_reasoning(kept: object, said: str, *, must_be_all: bool) -> bool:
    """True if all or the beginning of the said one is kept, but for a key that is hidden in it, or none."""
    if kept is None:
        return not (must_be_all and said)
    if not isinstance(kept, str) or (must_be_all and len(kept) != len(said)):
        return False
    return said.startswith(kept) or is_concealed(kept, said[: len(kept)])


def _siblings(tree: Tree, nodes: Sequence[Node]) -> set[str]:
    """The nodes that continue what these continue, without them."""
    above = {
        source for node in nodes for edge in tree.incoming(node.id) for source in edge.with_role("primary")
    }
    below = {node_id for source in above if source in tree.nodes for node_id in tree.children(source)}
    return below - {node.id for node in nodes}


def _is_of_its_pieces(tree: Tree, node: Node) -> bool:
    """True if a part says what its passages say, as far as they are there: a file may hold one path alone."""
    pieces = from_json(node.extra.get(PIECES))
    if pieces is None or not all(isinstance(one, Taken) and one.node_id in tree.nodes for one in pieces):
        return True
    return are_of(tree, pieces, node.text)


def _has_others_words(tree: Tree, node: Node) -> bool:
    """Tell whether a node is edited from, or made of, a node with words that is not by its own author.

    Its words would be shown as that one's. An answer itself is edited from nothing, or fills a gap, which is
    empty; its parts, merges and versions are by its author, as all is that they are made of.
    """
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        seen.add(one.id)
        pieces = from_json(one.extra.get(PIECES)) or ()
        names = {piece.node_id for piece in pieces if isinstance(piece, Taken)} | {one.edited_from or ""}
        sources = [tree.nodes[name] for name in names - seen if name in tree.nodes]
        worded = [source for source in sources if verbatim(source)]
        own = (node.author_type, node.author_agent_id)
        if any((source.author_type, source.author_agent_id) != own for source in worded):
            return True
        waiting += worded
    return False


OTHER = "the {} noted with its response is not what the response says"
OTHER_ASKED = "the request kept for it asked another model than its record says"
LONGEST_NAME = 200  # of what a server names, as it is noted
KEY = re.compile(r"\*{8,}")  # in a body; what was noted has a word in its place
KEY_WORD = "[hidden]"
STATUS = "status"  # of a response's extra: Loomapp itself recorded it
FINISH_REASONS = "finishReasons"  # of a response's extra, by choice, where it has several


def misnoted(item: Evidence, told: Told, *, must_say: bool) -> Iterator[str]:
    """Why what was noted with a response is not what it tells; nothing if it is.

    `must_say`: if it is whole, all that it tells was noted. Nothing noted is no lie where the response was
    cut short, or another program kept it. Of a response that did not come in events, which no Loomapp
    recorded, what it does not tell may be noted all the same.
    """
    must_say = must_say and told.is_whole
    if not _is_named(item.model, told.model, told, must_say=must_say):
        yield OTHER.format("model")
    if not _is_named(item.request_id, told.request_id, told, must_say=must_say):
        yield OTHER.format("id")
    if not _is_counted(item.usage, told, must_say=must_say):
        yield OTHER.format("usage")
    if not _is_ended(item, told, must_say=must_say):
        yield OTHER.format("finish reason")
    if (recorded := recorded_model(item)) and recorded != (asked_model(item) or recorded):
        yield OTHER_ASKED


def with_last_count(item: Evidence, choices: int) -> Evidence:
    """A response with the tokens that it tells itself, if all of it came: whoever stopped it when its last
    choice had finished may not have heard the count that follows.

    Where several choices are counted, each by itself or all together, the count that was heard tells which.
    """
    read = read_response(item)
    if read is None or not read.told.is_whole or not read.told.tokens:
        return item
    told = read.told
    adds_up = choices > 1 and bool(told.sums)
    if adds_up and item.usage:
        adds_up = dict(item.usage) in map(_as_noted, told.sums)
    return replace(item, usage=_as_noted((told.sums if adds_up else told.tokens)[-1]))


def recorded_model(item: Evidence) -> str | None:
    """The model that was asked by the record of what was sent, as agents name it; None without a record."""
    record = item.extra.get(RECORD)
    name = record.get("modelRef") if isinstance(record, Mapping) else None
    return name if isinstance(name, str) and name else None


def asking_agent(item: Evidence) -> tuple[str, str | None] | None:
    """The model and the name of the agent that asked, by the record of what was sent; the model alone by the
    request that Loomapp kept without a record; None if neither names one.
    """
    if (recorded := recorded_model(item)) is not None:
        record = item.extra[RECORD]
        name = record.get("agentName") if isinstance(record, Mapping) else None
        return recorded, name if isinstance(name, str) and name else None
    asked = asked_model(item) if STATUS in item.extra else None
    return None if asked is None else (asked, None)


def asked_model(item: Evidence) -> str | None:
    """The endpoint that was asked, and the model that the request names, as agents name them; None if the
    request names none, or is too long to be looked into.
    """
    name = _request_model(item.request_body)
    return None if name is None else f"{item.provider}:{name}"


def _request_model(request: str) -> str | None:
    if '"model"' not in request or sum(map(request.count, ",[{")) > MOST_VALUES:
        return None
    try:
        value = json.loads(request)
    except (ValueError, RecursionError):
        return None
    name = value.get("model") if isinstance(value, dict) else None
    return name if isinstance(name, str) else None


def _is_named(noted: str | None, told: object, response: Told, *, must_say: bool) -> bool:
    if noted is None:
        return told is None or not must_say
    if told is None:
        return not response.is_stream
    return noted in (well_formed(str(told))[:LONGEST_NAME], _as_shown(str(told)))


def _is_counted(noted: Mapping[str, object], told: Told, *, must_say: bool) -> bool:
    here = {name: noted[name] for name in TOKEN_NAMES if name in noted}
    if not here and not must_say:
        return True
    if not told.tokens:
        return not here or not told.is_stream
    if must_say:
        last = [counts[-1] for counts in (told.tokens, told.sums) if counts]
        earlier = [Tokens(count.input, count.output) for count in last]  # all that earlier versions noted
        return here in map(_as_noted, (*last, *earlier))
    return any(here.items() <= _as_noted(count).items() for count in (*told.tokens, *told.sums))


def _as_noted(count: Tokens) -> Json:
    return {name: tokens for name, tokens in zip(TOKEN_NAMES, count, strict=True) if tokens is not None}


def _is_ended(item: Evidence, told: Told, *, must_say: bool) -> bool:
    if not told.ends:
        return item.finish_reason is None or not told.is_stream
    by_index = {index: _as_shown(reason) for index, reason in told.ends}
    by_choice = item.extra.get(FINISH_REASONS)
    told_by_choice = {str(index): reason for index, reason in by_index.items()}
    if isinstance(by_choice, Mapping):
        shown = {index: _as_shown(str(reason)) for index, reason in by_choice.items()}
        if not shown.items() <= told_by_choice.items():
            return False
    if item.finish_reason is None:
        return not must_say
    noted = KEY.sub(KEY_WORD, str(item.finish_reason))  # most come in events, where asterisks hide a key
    if not must_say:
        told_ever = {_as_shown(reason) for _, reason in told.ends}
        return noted == ", ".join(sorted(told_ever.intersection(noted.split(", "))))
    return noted in _joined(by_index, max(item.choices.values(), default=0))


def _joined(by_index: Mapping[int, str], least: int) -> Iterator[str]:
    """The reasons as they are noted together: of the choices up to `least`, or up to a later one, for a
    server may send more choices than it was asked for.
    """
    some: set[str] = set()
    for index, reason in sorted(by_index.items()):
        if index > least:
            yield ", ".join(sorted(some))
        some.add(reason)
    yield ", ".join(sorted(some))


def _as_shown(name: str) -> str:
    """A name of a server as it is noted: a key in it is a word."""
    return KEY.sub(KEY_WORD, well_formed(name))[:LONGEST_NAME]
