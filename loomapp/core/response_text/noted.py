"""Comparison of facts noted with a response and those the response itself tells: model, id, tokens, ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from loomapp.core.json_values import Json
from loomapp.core.model.content import well_formed
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.response_text.body import MOST_VALUES, read_response
from loomapp.core.response_text.tokens import TOKEN_NAMES, Tokens
from loomapp.core.response_text.told import Told

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
    if isinstance(by_choice, Mapping) and not by_choice.items() <= told_by_choice.items():
        return False
    if item.finish_reason is None:
        return not must_say
    if not must_say:
        parts = str(item.finish_reason).split(", ")
        told_ever = {_as_shown(reason) for _, reason in told.ends}
        return item.finish_reason == ", ".join(sorted(told_ever.intersection(parts)))
    return item.finish_reason in _joined(by_index, max(item.choices.values(), default=0))


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
