"""G8, G9 and G11: assembling long paths, streaming, and long dialogues."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.economy.coverage import covered_hash
from loomapp.core.economy.stats import statistics_of
from loomapp.core.generation.drafts import Draft, LiveDraft, grow
from loomapp.core.generation.provider import TextDelta
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ContextSettings, ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.core.paths.path import Path
from loomapp.core.summarisers.plan import plan_for
from loomapp.ui.dialogue.view import DialogueView
from tests.bench import floors, groves
from tests.bench.floors import timed_ms
from tests.bench.graph_rows import AGENTS, application, graph_on
from tests.bench.groves import MODEL, Shape
from tests.bench.table import Goal, Place, Rivals, Row

FRAME_MS = 16.0
TURN_MS = 50.0  # the longest turn of the thread that shows the window
STREAMS = 4
TOKENS_A_SECOND = 100
FRAMES_A_SECOND = 30
TOKEN = "word "
BEGUN = 4_000  # characters that an answer has already
ENDLESS = 1_000_000_000
REPEATS = 5


@contextmanager
def assembling(place: Place) -> Iterator[Rivals]:
    """G8: a chain of short messages, all of it sent."""
    tree = groves.grown(place.shape, place.nodes, words=groves.BRIEF)
    request = ContextRequest(at=tree.path.leaf_id, window=ENDLESS)
    texts = [node.text for node in resolve.resolve(tree, tree.path.leaf_id).nodes]
    yield Rivals(
        lambda: timed_ms(lambda: [assemble(tree, request) for _ in range(REPEATS)]) / REPEATS,
        lambda: timed_ms(lambda: [floors.joined(texts) for _ in range(REPEATS)]) / REPEATS,
    )


@contextmanager
def economising(place: Place) -> Iterator[Rivals]:
    """G8: the same with a summary in the middle and compression, also of plain text."""
    tree, path = half_summarised(place)
    economy = EconomySettings(compression=True, compress_text=True)
    request = ContextRequest(
        at=tree.path.leaf_id,
        window=ENDLESS,
        overrides=ContextSettings(economy=economy),
        load=GivenLoad(0.9, None, True),
    )
    texts = [node.text for node in path.nodes]
    yield Rivals(
        lambda: timed_ms(lambda: [assemble(tree, request) for _ in range(REPEATS)]) / REPEATS,
        lambda: timed_ms(lambda: [floors.joined(texts) for _ in range(REPEATS)]) / REPEATS,
    )


def half_summarised(place: Place) -> tuple[Tree, Path]:
    """A chain of short messages, its first half with a summary."""
    tree = groves.grown(place.shape, place.nodes, words=groves.BRIEF)
    path = resolve.resolve(tree, tree.path.leaf_id)
    anchor = len(path.nodes) // 2
    row = ContextSummary(path.node_ids[anchor], covered_hash(path, anchor), {"text": "What was said."})
    tree.context_summaries[row.key] = row
    return tree, path


@contextmanager
def planning(place: Place) -> Iterator[Rivals]:
    """The plan of a summary that goes on from another, made while the window waits for it."""
    tree, path = half_summarised(place)
    yield Rivals(lambda: cpu_ms(lambda: plan_for(tree, path, 10)), lambda: TURN_MS)


@contextmanager
def counting(place: Place) -> Iterator[Rivals]:
    """The numbers of the tab Summaries, made likewise."""
    tree, path = half_summarised(place)
    yield Rivals(lambda: cpu_ms(lambda: statistics_of(tree, path)), lambda: TURN_MS)


@contextmanager
def previewing(place: Place) -> Iterator[Rivals]:
    """G8: what a key in the composer costs the preview, on a path of all nodes."""
    tree = groves.grown(place.shape, place.nodes)
    typed = iter(range(ENDLESS))

    def key() -> None:
        text = "a" * (20 + next(typed) % 50)
        assemble(tree, ContextRequest(at=tree.path.leaf_id, window=ENDLESS, composer_text=text))

    yield Rivals(lambda: timed_ms(key), lambda: FRAME_MS)


def cpu_ms(work: Callable[[], object]) -> float:
    """What a call costs all threads of the process together."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


class Streaming:
    """Four answers that grow in a graph and a dialogue, as the generator tells them."""

    def __init__(self, tree: Tree, begun: int) -> None:
        self.app = application()
        self.graph = graph_on(tree)
        self.dialogue = DialogueView()
        self.dialogue.resize(600, 800)
        agents = {agent.id: agent for agent in AGENTS}
        node_ids = resolve.resolve(tree, tree.path.leaf_id).node_ids
        self.dialogue.show_path(tree, node_ids, agents, {})
        self.dialogue.show()
        text = (TOKEN * (begun // len(TOKEN) + 1))[:begun]
        self.begin = tuple(
            LiveDraft(f"draft{i}", tree.path.leaf_id, MODEL.id, Draft(i, text)) for i in range(STREAMS)
        )

    def second(self) -> None:
        """What a second of streaming asks for; the drafts begin anew."""
        lives = list(self.begin)
        self.graph.set_drafts(lives)
        self.dialogue.set_drafts(lives)
        told = 0
        for frame in range(FRAMES_A_SECOND):
            upto = TOKENS_A_SECOND * (frame + 1) // FRAMES_A_SECOND
            for number, live in enumerate(lives):
                draft = live.draft
                for _ in range(upto - told):
                    draft = grow(draft, TextDelta(number, TOKEN))
                lives[number] = replace(live, draft=draft)
                self.graph.drafts_grew([lives[number]])
                self.dialogue.drafts_grew([lives[number]])
            told = upto
            self.app.processEvents()


@contextmanager
def streaming(place: Place) -> Iterator[Rivals]:
    """G9: a second of four streams, processor time, beside labels that are set anew with each token."""
    stream = Streaming(groves.grown(place.shape, place.nodes), BEGUN)

    def naive() -> None:
        labels = [floors.NaiveAnswer(TOKEN * (BEGUN // len(TOKEN))) for _ in range(STREAMS)]
        for _ in range(TOKENS_A_SECOND):
            for label in labels:
                label.grow(TOKEN)
                QApplication.processEvents()
        for label in labels:
            label.deleteLater()

    yield Rivals(lambda: cpu_ms(stream.second), lambda: cpu_ms(naive))


@contextmanager
def long_streaming(place: Place) -> Iterator[Rivals]:
    """G9: the same with answers twenty times as long."""
    tree = groves.grown(place.shape, place.nodes)
    long, short = Streaming(tree, 20 * BEGUN), Streaming(tree, BEGUN)
    yield Rivals(lambda: cpu_ms(long.second), lambda: cpu_ms(short.second))


@contextmanager
def reading_long(place: Place) -> Iterator[Rivals]:
    """G11: a dialogue shown, beside one of 200."""
    application()
    trees = [groves.grown("deep", place.nodes), groves.grown("deep", 200)]
    node_ids = [resolve.resolve(tree, tree.path.leaf_id).node_ids for tree in trees]
    agents = {agent.id: agent for agent in AGENTS}

    def opened(which: int) -> float:
        view = DialogueView()
        view.resize(600, 800)

        def show() -> None:
            view.show_path(trees[which], node_ids[which], agents, {})
            view.show()
            QApplication.processEvents()

        taken = timed_ms(show)
        view.close()
        view.deleteLater()
        QApplication.processEvents()
        return taken

    opened(1)
    yield Rivals(lambda: opened(0), lambda: opened(1))


def _chain(nodes: int) -> tuple[tuple[Shape, ...], tuple[int, ...], bool]:
    """One deep tree, of this size whatever was asked for."""
    return ("deep",), (nodes,), False


ROWS = (
    Row("G8", "assembly of a path", "joining its texts", assembling, Goal(40), "ms", *_chain(10_000)),
    Row("G8 economy", "… with economy on", "joining its texts", economising, Goal(60), "ms", *_chain(10_000)),
    Row("G8 plan", "plan of a summary", "a turn", planning, Goal(1), "ms", *_chain(100_000)),
    Row("G8 statistics", "… and of the tab Summaries", "a turn", counting, Goal(1), "ms", *_chain(100_000)),
    Row("G8 key", "preview of a key", "a frame", previewing, Goal(1), "ms", *_chain(1_000)),
    Row("G9", "a second of 4 streams", "label a token", streaming, Goal(0.2), nodes=(1_000,)),
    Row("G9 long", "… of long answers", "short ones", long_streaming, Goal(1.25), nodes=(1_000,)),
    Row("G11", "a long dialogue opens", "one of 200", reading_long, Goal(1.5), "ms", *_chain(20_000)),
)  # fmt: skip
