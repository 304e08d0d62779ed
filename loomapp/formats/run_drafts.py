"""Runs as drafts keep them while they stream: JSON values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from loomapp.core.errors import InvalidInput
from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent, agent_from_json, agent_to_json
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.raw_response import Evidence
from loomapp.core.prose.fill_in import AnswerAnchor
from loomapp.formats.details import responses_from_json, responses_to_json


def run_to_json(run: CrashedRun) -> Json:
    """An answer as it is kept while it grows."""
    body: Json = {
        "primary": run.sources.primary_id,
        "context": list(run.sources.context_ids),
        "instruction": list(run.sources.instruction_ids),
        "gap": run.sources.gap_id,
        "standing": _standing_to_json(run.standing),
        "back": path_to_json(run.back),
        "follows": run.follows,
        "agent": run.agent_id,
        "read": run.read_index,
        "drafts": [_draft_to_json(draft) for draft in run.drafts],
        "ids": {str(index): node_id for index, node_id in run.ids.items()},
        "later": list(run.later),
    }
    if run.evidence:
        body["responses"] = [evidence_to_json(one) for one in run.evidence]
    if run.agent is not None:
        body["author"] = agent_to_json(run.agent)
    if run.trace is not None:
        body["trace"] = [dict(entry) for entry in run.trace]
    return body


def run_from_json(tree_id: str, run_id: str, body: Mapping[str, object]) -> CrashedRun | None:
    """An answer as it was kept; None if it makes no sense."""
    try:
        gap = body.get("gap")
        sources = Sources(
            str(body["primary"]),
            _ids(body["context"]),
            _ids(body["instruction"]),
            gap if isinstance(gap, str) else None,
        )
        drafts = tuple(_draft_from_json(value) for value in items_of(body["drafts"]))
        agent_id, read_index = str(body["agent"]), int(str(body["read"]))
    except (KeyError, TypeError, ValueError):
        return None
    return CrashedRun(
        run_id,
        tree_id,
        sources,
        agent_id,
        drafts,
        tuple(one for value in _list(body.get("responses")) if (one := evidence_from_json(value))),
        read_index,
        _standing(body.get("standing")),
        path_from_json(body.get("back")),
        body.get("follows") is not False,
        _numbered(body.get("ids")),
        _author(body.get("author"), agent_id),
        _trace(body.get("trace")),
        tuple(str(node_id) for node_id in _list(body.get("later"))),
    )


def _trace(value: object) -> list[Json] | None:
    """The steps of a loom-aware agent's run; None where it was none."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else None


def _numbered(value: object) -> dict[int, str]:
    """The ids of nodes by the numbers of drafts; {} in rows of older versions."""
    ids = value.items() if isinstance(value, dict) else ()
    return {int(index): str(node_id) for index, node_id in ids if str(index).isdecimal()}


def _author(value: object, agent_id: str) -> Agent | None:
    """The agent that wrote it, as far as it was kept and can be read."""
    with suppress(InvalidInput):
        agent = None if value is None else agent_from_json(value, "author")
        return agent if agent is not None and agent.id == agent_id and agent.type == "model" else None
    return None


def _standing_to_json(standing: AnswerAnchor | None) -> Json | None:
    if standing is None:
        return None
    return {"versions": sorted(standing.versions), "filled": standing.filled_id}


def _standing(value: object) -> AnswerAnchor | None:
    """Return what stood where an answer was asked for; None where that was not kept."""
    if not isinstance(value, dict) or not isinstance(value.get("versions"), list):
        return None
    filled = value.get("filled")
    return AnswerAnchor(frozenset(_ids(value["versions"])), filled if isinstance(filled, str) else None)


def path_to_json(path: ActivePath | None) -> Json | None:
    """A path that was read as it is kept."""
    if path is None:
        return None
    return {"leaf": path.leaf_id, "selections": dict(path.selections), "extra": dict(path.extra)}


def path_from_json(value: object) -> ActivePath | None:
    """A path that was read; None where none was kept."""
    if not isinstance(value, dict):
        return None
    leaf, chosen, extra = value.get("leaf"), value.get("selections"), value.get("extra")
    if not isinstance(leaf, str) or not isinstance(chosen, dict) or not isinstance(extra, dict):
        return None
    return ActivePath(leaf, {str(target): str(source) for target, source in chosen.items()}, extra)


def _draft_to_json(draft: Draft) -> Json:
    return {
        "index": draft.index,
        "text": draft.text,
        "reasoning": draft.reasoning,
        "reason": draft.reason,
        "interrupted": draft.interrupted,
    }


def _draft_from_json(value: object) -> Draft:
    if not isinstance(value, dict):
        raise TypeError(value)
    reason, interrupted = value["reason"], value["interrupted"]
    return Draft(
        int(value["index"]),
        str(value["text"]),
        str(value["reasoning"]),
        None if reason is None else str(reason),
        interrupted=None if interrupted is None else str(interrupted),
    )


def evidence_to_json(evidence: Evidence) -> Json:
    named = replace(evidence, choices={evidence.id: 0})
    return {"choices": dict(evidence.choices), "response": responses_to_json([named], [evidence.id])}


def evidence_from_json(value: object) -> Evidence | None:
    """An exchange as it was kept; None if it cannot be read."""
    try:
        entries = items_of(_fields(value)["response"])
        evidence_id = str(_fields(entries[0])["nodeId"])
        [found] = responses_from_json(entries, [evidence_id], evidence_id)
        choices = {number: int(str(i)) for number, i in _fields(_fields(value)["choices"]).items()}
    except (InvalidInput, KeyError, IndexError, TypeError, ValueError):
        return None
    return replace(found, id=evidence_id, choices=choices)


def _fields(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"no object: {value!r}")
    return value


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _ids(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in items_of(value))


def items_of(value: object) -> list[object]:
    """The items of a list. Raises: TypeError for anything else."""
    if not isinstance(value, list):
        raise TypeError(value)
    return value
