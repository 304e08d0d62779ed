"""Changes of context summaries: made, edited, deleted, taken from candidates; and what a summary omits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.coverage import covered_hash
from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import well_formed
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.summarisers.plan import SummaryPlan
from loomapp.core.text.diff import Compared, compare
from loomapp.core.text.token_counts import as_one_message
from loomapp.core.times import iso_time

SummaryOrigin: TypeAlias = Literal["manual", "background", "blocking"]
MAKE, EDIT, DELETE, USE = "Summarise", "Edit summary", "Delete summary", "Use summary as it is"


def summary_row(
    plan: SummaryPlan, text: str, *, origin: SummaryOrigin, model: str | None, at: int
) -> ContextSummary:
    """The row that a plan and its text become; `model` is the one that was asked, `at` the time."""
    based_on = plan.based_on
    body: Json = {
        "text": well_formed(text),
        "coveredIds": list(plan.covered_ids),
        "basedOn": None
        if based_on is None
        else {"anchorNodeId": based_on.anchor_node_id, "coveredHash": based_on.covered_hash},
        "messagesSummarized": plan.covered_messages,
        "originalTokens": plan.original_tokens,
        "summaryTokens": as_one_message(text),
        "origin": origin,
        "model": model,
        "createdAt": iso_time(at),
    }
    return ContextSummary(plan.anchor_node_id, plan.covered_hash, body)


def make(tree: Tree, row: ContextSummary, pen: EditContext) -> Change:
    """Save a summary; one of the same anchor and hash is replaced."""
    return change_of(tree, MAKE, pen, (RowChange(tree.context_summaries.get(row.key), row),))


def edit(tree: Tree, key: str, text: str, pen: EditContext) -> Change | None:
    """Give a summary another text by hand; None if it is the same, or blank. It rests on no response then."""
    row = tree.context_summaries[key]
    text = well_formed(text.strip())
    if not text or text == text_in(row.body).strip():
        return None
    body = {**row.body, "text": text, "summaryTokens": as_one_message(text), "origin": "manual"}
    return change_of(tree, EDIT, pen, (RowChange(row, _by_hand(row, body)),))


def text_in(body: Mapping[str, object]) -> str:
    """The text of a summary as it is saved."""
    text = body.get("text")
    return text if isinstance(text, str) else ""


def _by_hand(row: ContextSummary, body: Json) -> ContextSummary:
    return ContextSummary(row.anchor_node_id, row.covered_hash, body)


def delete(tree: Tree, key: str, pen: EditContext) -> Change:
    """Take a summary away: what it covers is sent again."""
    return change_of(tree, DELETE, pen, (RowChange(tree.context_summaries[key], None),))


def use_as_it_is(tree: Tree, path: Path, key: str, pen: EditContext) -> Change | None:
    """Let a stale summary stand for its path as it is now; None if it does, or its anchor is not on it."""
    row = tree.context_summaries[key]
    place = path.place_of(row.anchor_node_id)
    if place is None:
        return None
    body = {**row.body, "coveredIds": list(path.node_ids[: place + 1]), "basedOn": None}
    taken = replace(row, covered_hash=covered_hash(path, place), body=body)
    if taken.key == row.key:
        return None
    rows = (RowChange(row, None), RowChange(tree.context_summaries.get(taken.key), taken))
    return change_of(tree, USE, pen, rows)


OTHER_CONVERSATION = "The conversation was changed since these were written. Ask for candidates again."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text as a model wrote it, and as it stands once a person edited it; and its response, if it is
    known.
    """

    written: str
    model: str | None
    response: Evidence | None
    text: str

    @property
    def is_edited(self) -> bool:
        return self.text.strip() != self.written.strip()


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates for one summary, in the order in which they came, and which of them is shown."""

    tree_id: str
    anchor_node_id: str
    covered_hash: str
    items: tuple[Candidate, ...] = ()
    shown: int = 0

    @property
    def key(self) -> str:
        """The key of the summary that they may replace."""
        return f"{self.anchor_node_id}\0{self.covered_hash}"

    @property
    def place(self) -> tuple[str, str]:
        """The tree, and the key of the summary in it."""
        return self.tree_id, self.key

    @property
    def current(self) -> Candidate | None:
        return self.items[self.shown] if self.shown < len(self.items) else None

    def with_one(self, candidate: Candidate) -> Candidates:
        return replace(self, items=(*self.items, candidate))

    def turned(self, step: int) -> Candidates:
        """Return these with another one shown; there is none before the first or after the last."""
        return replace(self, shown=min(max(0, self.shown + step), max(0, len(self.items) - 1)))

    def edited(self, text: str) -> Candidates:
        """Return these with another text of the one that is shown."""
        items = list(self.items)
        items[self.shown] = replace(items[self.shown], text=text)
        return replace(self, items=tuple(items))


def differences(saved: str, candidates: Sequence[Candidate]) -> tuple[Compared, ...]:
    """Compare candidates with the summary that is saved, word by word; each is told by what that has not."""
    return compare([saved, *(one.text for one in candidates)])[1:]


def take(tree: Tree, plan: SummaryPlan, candidates: Candidates, pen: EditContext) -> Change | None:
    """Save the candidate that is shown, and nothing of the others; None if it is blank. As its model wrote it
    it keeps its response; edited it rests on none.

    Raises: InvalidInput if the plan covers something else than the candidates do.
    """
    taken = candidates.current
    if taken is None or not taken.text.strip():
        return None
    if (plan.anchor_node_id, plan.covered_hash) != (candidates.anchor_node_id, candidates.covered_hash):
        raise InvalidInput(OTHER_CONVERSATION)
    text, response = well_formed(taken.text.strip()), None if taken.is_edited else taken.response
    made = summary_row(plan, text, origin="manual", model=taken.model, at=pen.now)
    if response is None:
        return make(tree, made, pen)
    change = make(tree, replace(made, response_id=response.id), pen)
    return replace(change, evidence=(response,))


# Letters beside which a word may begin and end, for their scripts put no space there.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
JOINED = rf"[^\W{UNSPACED}]"
# Patterns that `re` compiles when they are first looked for: no start has to wait for them.
QUOTED = r"[“\"„«]([^“”\"„«»\n]{3,60})[”\"“»]|[「『]([^「」『』\n]{2,60})[」』]"
NUMBER = rf"(?<!{JOINED})(?<![.,-])\d[\d.,:/-]*\d(?!{JOINED})|(?<!{JOINED})(?<![.,-])\d(?!{JOINED}|[.,]\d)"
NAME = r"[^\W\d_][\w'’]*(?:-[^\W\d_][\w'’]*)*"
SENTENCE = r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]*[”\"»」』]?"
LEAST_LETTERS = 3  # of a name that is looked for
LONGEST_SENTENCE = 240  # characters of one that can be added


@dataclass(frozen=True, slots=True)
class Omission:
    """A name, number or quoted phrase that a summary lacks, and the first sentence that tells of it."""

    words: str
    sentence: str
    is_quoted: bool = False


def omissions(covered: Iterable[str], summary: str) -> list[Omission]:
    """List what the covered texts name and a summary does not: what is named most often first, then in the
    order of the texts. A name is a word with a capital that does not only begin sentences.
    """
    counts, first = Counter[str](), dict[str, str]()
    common, quoted = set[str](), set[str]()
    for text in covered:
        for found in re.finditer(SENTENCE, text):
            sentence = found[0].strip()
            for words in _named(sentence, common, quoted):
                counts[words] += 1
                first.setdefault(words, sentence)
    said = _plain(summary)
    lacks = [words for words in first if words.casefold() not in common and not _has(said, words)]
    lacks.sort(key=lambda words: -counts[words])
    return [Omission(words, first[words][:LONGEST_SENTENCE], words in quoted) for words in lacks]


def _named(sentence: str, common: set[str], phrases: set[str]) -> Iterator[str]:
    """Names in a sentence; words that are written small somewhere become `common`, which are no names, and
    what is quoted becomes one of the `phrases`.
    """
    quoted = list(re.finditer(QUOTED, sentence))
    for one in quoted:
        phrase = (one[1] or one[2]).strip()
        phrases.add(phrase)
        yield phrase
    for one in re.finditer(NUMBER, sentence):
        yield one[0]
    for place, one in enumerate(re.finditer(NAME, sentence)):
        word = one[0]
        if word[0].islower():
            common.add(word.casefold())
        elif (
            place
            and (word[0].isupper() or word[0].istitle())  # where no letter is a capital none tells a name
            and len(word) >= LEAST_LETTERS
            and not any(q.start() <= one.start() < q.end() for q in quoted)
        ):
            yield word.removesuffix("'s").removesuffix("’s")


def _has(summary: str, words: str) -> bool:
    """True if a summary that is `_plain` has these words, and not only as a part of others."""
    words = _plain(words)
    if words not in summary:  # nearly always, and looked through a hundred times as fast as by a pattern
        return False
    return re.search(rf"(?<!{JOINED}){re.escape(words)}(?!{JOINED})", summary) is not None


def _plain(text: str) -> str:
    """A text in small letters, with straight apostrophes."""
    return text.casefold().replace("’", "'")
