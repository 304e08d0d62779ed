"""Token estimators as the record of a request holds them: enough of each to count the same again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from loomapp.core.context.assembly import Assembled
from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.entities import Node
from loomapp.core.text.token_counts import (
    BY_CHARACTERS,
    TOKENIZER,
    Scaled,
    TokenEstimator,
    Tokenized,
    careful_estimate,
    key_of,
)
from loomapp.core.text.token_counts import LOOKED_AT as MOST_LOOKED_AT

LOOKED_AT = 8  # answers upwards, for one that was counted
ESTIMATOR = "estimator"  # of a record; without it everything was counted by its characters


def texts_sent(assembled: Assembled) -> tuple[str, ...]:
    """The texts of a context: its system context, every part that is kept, as far as it is, and what is sent
    beside them.
    """
    fitted, passages = assembled.fitted, assembled.fitted.passages
    head, tail = fitted.texts()
    suffix = "" if assembled.suffix is None else assembled.suffix.text
    headers = (header for index, header in passages.headers.items() if index not in fitted.gap)
    beside = (fitted.marker or "", suffix, *headers, passages.before_newest)
    return (assembled.system or "", *head, *tail, *beside, *(text for _, text in passages.after))


def sizes_of(assembled: Assembled) -> Json:
    """The size of what is sent, in characters and by the safe estimate, to compare with what is counted.

    Of a very long context the newest texts, which the estimators looked at, tell what the others come to.
    """
    texts = texts_sent(assembled)
    looked_at = texts if len(texts) <= 2 * MOST_LOOKED_AT else texts[-MOST_LOOKED_AT:]
    characters, seen = sum(map(len, texts)), sum(map(len, looked_at))
    safe_tokens = sum(map(careful_estimate, looked_at)) * characters // max(1, seen)
    return {"characters": characters, "safeTokens": safe_tokens}


def scaled_by_last(nodes: Sequence[Node], counted_at: Callable[[str], Scaled | None]) -> Scaled:
    """The estimator by what was counted last on the way to the last of these nodes; `counted_at` tells of one
    answer, of few of which it is asked. Else the safe estimate.
    """
    answers = (node.id for node in reversed(nodes) if node.author_type == "model")
    found = (counted_at(node_id) for node_id in islice(answers, LOOKED_AT))
    return next((one for one in found if one is not None), Scaled())


def by_parts(estimator: TokenEstimator) -> TokenEstimator:
    """The estimator without the count of a whole context, which says nothing of another one."""
    return replace(estimator, total=None) if isinstance(estimator, Tokenized) else estimator


def kept_of(estimator: TokenEstimator, assembled: Assembled) -> TokenEstimator:
    """The estimator with no more counts than the context needs."""
    if not isinstance(estimator, Tokenized):
        return estimator
    texts = (assembled.system or "", *assembled.fitted.passages.texts)
    keys = (key_of(text) for text in texts if text) if estimator.counts else ()
    counts = {key: estimator.counts[key] for key in keys if key in estimator.counts}
    others = (estimator.request_tokens, estimator.message_tokens, estimator.bare_tokens)
    return Tokenized(counts, *others, total=estimator.total)


def to_json(estimator: TokenEstimator) -> Json:
    match estimator:
        case Scaled(factor, safe_factor, until, beside_tokens=beside):
            factors = {"factor": factor, "safeFactor": safe_factor, "until": until}
            return {"name": estimator.name, **factors, **({"besideTokens": beside} if beside else {})}
        case Tokenized():
            return {
                "name": TOKENIZER,
                "requestTokens": estimator.request_tokens,
                "messageTokens": estimator.message_tokens,
                "bareTokens": estimator.bare_tokens,
                "total": estimator.total,
                "counts": dict(estimator.counts),
            }
        case _:
            return {"name": estimator.name}


def from_json(value: object, place: str) -> TokenEstimator:
    """The estimator as it was saved; None was none. Raises: InvalidInput with the place."""
    if value is None:
        return BY_CHARACTERS
    reader = JsonReader(value, place)
    if "counts" in reader.rest:
        counts: Mapping[str, object] = reader.mapping("counts")
        return Tokenized(
            {key: count for key, count in counts.items() if type(count) is int},
            reader.integer("requestTokens") or 0,
            reader.integer("messageTokens") or 0,
            reader.integer("bareTokens") or 0,
            reader.integer("total"),
        )
    if "factor" not in reader.rest:
        return BY_CHARACTERS
    factor, safe_factor = reader.number("factor"), reader.number("safeFactor")
    return Scaled(
        1.0 if factor is None else factor,
        1.0 if safe_factor is None else safe_factor,
        reader.optional_text("until"),
        beside_tokens=reader.integer("besideTokens") or 0,
    )
