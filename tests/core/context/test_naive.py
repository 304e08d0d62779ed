"""Two assemblers that share no code agree on thousands of random trees."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import pytest

from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.errors import AssemblyError
from loomapp.core.model.content import Mixed, content_from_json
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.formats import loom_json
from tests.core.context.naive_assembly import APP_SETTINGS, Assembly, naive_assemble, total
from tests.core.context.naive_loom import NaiveError, cost, sources
from tests.core.context.random_trees import random_case
from tests.kit import chance

TREES_A_CHUNK = 250
MANY_CHUNKS = 200  # 50,000 trees
FIRST_SEED = chance.seed(1)
ROLES = ("context", "instruction")
SHARED_DETAILS = ("needed", "available", "over_by")

Json = dict[str, Any]


def tree_and_request(file: Json, options: Json) -> tuple[Tree, ContextRequest]:
    """A case as values of the core, read as `loomapp assemble` reads a file."""
    tree = loom_json.read(json.dumps(file), lenient=True).tree
    overrides = ContextSettings(**by_field(options["overrides"]))
    app = {name: value for name, value in by_field(options["defaults"]).items() if value is not None}
    lists = ("context_ids", "instruction_ids", "included_annotations")
    composed = content_from_json({"type": "mixed", "blocks": options["composer_blocks"]}, "composer")
    assert isinstance(composed, Mixed)
    tuples = {name: None if options[name] is None else tuple(options[name]) for name in lists}
    return tree, ContextRequest(
        **{
            **options,
            **tuples,
            "composer_blocks": composed.blocks,
            "overrides": overrides,
            "defaults": AppContextSettings(**app),
        }
    )


def by_field(settings: Json) -> Json:
    """Settings by the names that the core has for them."""
    return {re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name): v for name, v in settings.items()}


def ours(file: Json, options: Json) -> Json:
    """What our assembler says, errors too; `dropped` by id, since its order is not laid down."""
    tree, request = tree_and_request(file, options)
    try:
        printed: Json = json.loads(json.dumps(to_json(assemble(tree, request))))
    except AssemblyError as error:
        details = {name: error.details[name] for name in SHARED_DETAILS if name in error.details}
        shared = details if error.code in ("SYSTEM_TOO_LARGE", "CONTEXT_TOO_LONG") else {}
        return {"error": {"code": error.code, **shared}}
    printed["report"]["dropped"].sort(key=lambda dropped: dropped["nodeId"])
    return printed


def theirs(file: Json, options: Json) -> Json:
    """What the naive assembler says."""
    try:
        return naive_assemble(file, options)
    except NaiveError as error:
        return {"error": {"code": error.code, **error.details}}


def case(seed: int) -> tuple[Json, Json]:
    """A random case; every other one with a tight window."""
    file, options = random_case(seed)
    return file, tight(file, options, seed) if seed % 2 else options


def tight(file: Json, options: Json, seed: int) -> Json:
    """The options with a window at which some run of units only just fits, or only just does not."""
    dice = random.Random(seed)
    try:
        assembly = Assembly(file, options)
    except NaiveError:
        return options
    units = assembly.units()
    head = dice.randint(0, len(units))
    tail = dice.randint(head, len(units))
    room = total(units) - total(units[head:tail])
    room += dice.choice((0, cost(assembly.marker(len(units))))) + dice.choice((-1, 0, 0, 1))
    reserved = max(assembly.setting("tokenBuffer"), options["max_tokens"] or 0)
    return {**options, "window": reserved + cost(assembly.system() or "") + room}


SOME, ALL = range(2), range(2, MANY_CHUNKS)


@pytest.mark.parametrize("chunk", [*SOME, *(pytest.param(c, marks=pytest.mark.slow) for c in ALL)])
def test_both_assemblers_agree_on_random_trees(chunk: int) -> None:
    for seed in range(FIRST_SEED + chunk * TREES_A_CHUNK, FIRST_SEED + (chunk + 1) * TREES_A_CHUNK):
        file, options = case(seed)

        assert ours(file, options) == theirs(file, options), f"case({seed})"


def test_the_random_trees_meet_every_outcome_that_the_rules_know() -> None:
    met: Counter[str] = Counter()

    for seed in range(2000):
        file, options = random_case(seed)
        printed = theirs(file, options)
        met.update(outcomes(printed))
        met.update(own_words(file, options, printed))

    wanted = {
        "CYCLE", "NODE_NOT_FOUND", "AMBIGUOUS_PATH", "INVALID_SELECTION", "INVALID_EDGE", "EMPTY_CONTEXT",
        "INVALID_BUDGET", "SYSTEM_TOO_LARGE", "CONTEXT_TOO_LONG", "pruned", "excluded", "annotation", "empty",
        "instruction_without_system", "truncated", "pending_source_truncated", "prepended_user",
        "appended_continue", "marker", "overLimit", "partial", "minimum relaxed", "alternates", "images",
        "pending_source_without_primary", "images_described", "image_missing", "image_too_large",
        "image_format",
        "own dialogue marker", "own buffer marker", "own word to go on",
        "context on the way", "context to come", "instruction on the way", "instruction to come",
        "instruction passed by",
    }  # fmt: skip
    assert wanted <= met.keys()


def own_words(file: Json, options: Json, printed: Json) -> list[str]:
    """Which texts of the settings are sent, and which sources of which role."""
    if "error" in printed:
        return []
    assembly, report = Assembly(file, options), printed["report"]
    said = [part.get("text") for message in printed.get("messages", []) for part in message["parts"]]
    met = []
    if report["marker"] and assembly.setting("dialogueMarker") != APP_SETTINGS["dialogueMarker"]:
        met.append("own dialogue marker" if said else "")
    if report["marker"] and assembly.setting("bufferMarker") != APP_SETTINGS["bufferMarker"]:
        met.append("" if said else "own buffer marker")
    if "appended_continue" in report["providerAdjustments"] and said[-1] != APP_SETTINGS["continueText"]:
        met.append("own word to go on")
    on_the_way = {role: [i for e in assembly.path.edges for i in sources(e, role)] for role in ROLES}
    to_come = {"context": options["context_ids"], "instruction": options["instruction_ids"]}
    for role in ROLES:
        used = report["kept"] if role == "context" else assembly.instructions()
        met += [f"{role} on the way" for node_id in on_the_way[role] if node_id in used]
        met += [f"{role} to come" for node_id in to_come[role] if node_id in used]
    used = assembly.instructions()
    return met + ["instruction passed by" for node_id in on_the_way["instruction"] if node_id not in used]


def outcomes(printed: Json) -> list[str]:
    """What happened in an assembly, in the rules' words."""
    if "error" in printed:
        return [printed["error"]["code"]]
    report = printed["report"]
    met = [dropped["reason"] for dropped in report["dropped"]]
    met += [*report["warnings"], *report["providerAdjustments"]]
    met += [name for name in ("marker", "overLimit", "partial") if report[name]]
    met += [] if report["minimumRecentHonoured"] else ["minimum relaxed"]
    met += ["alternates"] if report["alternatePrimaries"] else []
    parts = [part for message in printed.get("messages", []) for part in message["parts"]]
    return met + [part["type"] + "s" for part in parts]
