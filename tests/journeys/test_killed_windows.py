"""The program's window killed while answers stream, and a person writes on behind the one that is shown."""

from __future__ import annotations

import itertools
import random
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from loomapp.core.model.agent import Agent
from loomapp.store.checks.check import check
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove, read_grove
from tests.journeys.reporting import Line, Seen, read
from tests.kit.chance import seed
from tests.kit.desktop import Desktop
from tests.kit.processes import warm
from tests.kit.processes.outside import new_tree
from tests.kit.servers.counted_story import CountedStory, busy_machine
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.session.journal.test_journal import Said, assert_most_lost_a_second_at_most, due

FEW_KILLS = 10
KILLS = [
    pytest.param(FEW_KILLS, marks=pytest.mark.timeout(400)),
    pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(2400)]),
]
TIMEOUT_S = 240
TELLER = Agent("teller", "Teller", "model", "own:story")
FIRST = "It was night."
ANSWERS = 3
STREAMS_S = (0.2, 1.8)  # how long before a kill
OPEN = "ctrl+o"
LOOKS_WITHIN = 25  # words
DIALOG_STANDS = 0.25  # of the kills

Losses = list[tuple[Said, int]]  # how much of a text there was when, and how much of it is there afterwards


class Watched:
    """A window of the program, which is seen from outside."""

    def __init__(self, started: warm.Started) -> None:
        self.lines: list[Line] = []
        self._started = started
        self._more = threading.Condition()
        self._listener = threading.Thread(target=self._listen, name="listener")
        self._listener.start()

    @property
    def last(self) -> Seen:
        """What it showed last."""
        return self.lines[-1].seen

    def wait_until(self, shows: Callable[[Seen], object]) -> None:
        """Until the window shows something."""
        with self._more:
            assert self._more.wait_for(lambda: self.lines and shows(self.last), TIMEOUT_S), self.lines[-1:]

    def kill(self) -> None:
        """End it at once; all that it said has come."""
        self._started.kill()
        self._listener.join()

    def _listen(self) -> None:
        for line in self._started.stdout:
            if line.endswith("\n"):
                with self._more:
                    self.lines.append(read(line))
                    self._more.notify_all()


@dataclass(frozen=True)
class Killed:
    """A killed window: all that it showed, what was typed behind its answers, and the file as it began."""

    lines: list[Line]
    typed: str
    nodes: dict[str, str]

    def losses(self, text: str, nodes: dict[str, str]) -> Losses:
        """What the next start has of each answer, and of the words behind: it shows a text, and the file has
        some nodes. What was saved must be whole, and all of the text be what was written where it stands.
        """
        last = self.lines[-1].seen
        assert self.nodes.items() <= nodes.items()
        assert text.startswith(last.before)
        came = {node_id: nodes.get(node_id, "") for node_id in last.answers}
        assert all(map(CountedStory.begins_with, came.values()))
        behind = self._said(behind_of)
        read = [last.shown] if due(behind) else [last.shown, *came]  # without words any may be read
        goes_on = text.removeprefix(last.before)
        rests = [goes_on.removeprefix(came[it]) for it in read if goes_on.startswith(came[it])]
        typed = [rest for rest in rests if self.typed.startswith(rest)]
        assert typed  # whatever follows is an answer, and then what was typed behind it
        words = max(typed, key=len)
        answers = [(self._said(answer_of(node_id)), len(came[node_id])) for node_id in came]
        return [*answers, (behind, len(words))]

    def _said(self, of: Callable[[Seen], str]) -> Said:
        return [(line.at, len(of(line.seen)), line.held) for line in self.lines]


def behind_of(seen: Seen) -> str:
    return seen.behind


def answer_of(node_id: str) -> Callable[[Seen], str]:
    return lambda seen: seen.answers.get(node_id, "")


def tell(conversation: Conversation) -> None:
    """A story of its own for each request, in every answer of it."""
    CountedStory(ANSWERS)(conversation)


@pytest.fixture
def grove(tmp_path: Path) -> Iterator[Path]:
    """A new buffer, continued by a server that tells stories without an end."""
    path = tmp_path / "g.loom"
    with FakeServer(tell) as server:
        add_endpoint("own", server.url, "chat")
        write_setting("continuations", ANSWERS)
        with create_grove(path) as grove:
            grove.put_agent(TELLER)
            put_asked_ids(grove, (TELLER.id,))
        new_tree(path, mode="buffer")
        yield path


@contextmanager
def watched(grove: Path) -> Iterator[Watched]:
    """`loomapp GROVE`, once keys go into its text."""
    with warm.program("window", "reporting", str(grove)) as started:
        window = Watched(started)
        try:
            window.wait_until(lambda seen: seen.is_ready)
            yield window
        finally:
            window.kill()


def press(*keys: str) -> None:
    subprocess.run(["xdotool", "key", *keys], check=True)


def type_in(words: str) -> None:
    subprocess.run(["xdotool", "type", "--delay", "2", "--", words], check=True)


def look_for_files(window: Watched) -> None:
    """Open the dialog for groves and leave it."""
    press(OPEN)
    window.wait_until(lambda seen: seen.dialog)
    press("Escape")
    window.wait_until(lambda seen: seen.is_ready and not seen.dialog)


def write_behind_answers(window: Watched, chance: random.Random) -> str:
    """Generate, and write on behind the answer that is shown until it has streamed for a while; the words.
    After some of them files are looked for, and now and then the dialog stands at the end.
    """
    seconds, looks_at = chance.uniform(*STREAMS_S), chance.randrange(LOOKS_WITHIN)
    text = window.last.before
    press("ctrl+Return")
    window.wait_until(lambda seen: len(seen.answers) == ANSWERS and seen.shown)
    assert window.last.before == text  # it is continued at its end
    begun, words = window.lines[-1].at, ""
    press("ctrl+End")
    for count in itertools.count():
        if window.lines[-1].at >= begun + seconds:
            break
        if count == looks_at:
            look_for_files(window)
        word = f" {len(words)}"
        type_in(word)
        words += word
    if chance.random() < DIALOG_STANDS:
        press(OPEN)
        window.wait_until(lambda seen: seen.dialog)
    return words


def nodes_in(path: Path) -> dict[str, str]:
    """Every text in the file by its node, each of them verified."""
    with read_grove(path) as grove:
        [row] = grove.trees()
        assert {finding.verdict for finding in verify_tree(grove, row.id)} == {"ok"}
        return {node_id: node.text for node_id, node in grove.load_tree(row.id).nodes.items()}


@pytest.mark.parametrize("kills", KILLS)
def test_kills_of_the_window_cost_at_most_a_second_of_answers_and_of_words_behind_them(
    grove: Path, desktop: Desktop, kills: int
) -> None:
    chance = random.Random(seed(5))
    last: Killed | None = None
    losses: Losses = []

    for left in reversed(range(kills + 1)):
        with watched(grove) as window:
            nodes = nodes_in(grove)
            if last is None:
                type_in(FIRST)
                window.wait_until(lambda seen: seen.before == FIRST)
            else:
                losses += last.losses(window.last.before, nodes)
            if left:
                with busy_machine() if kills > FEW_KILLS or left % 4 == 0 else nullcontext():
                    typed = write_behind_answers(window, chance)
                    window.kill()
                last = Killed(window.lines, typed, nodes)

    assert all(due(said) <= length for said, length in losses)
    assert_most_lost_a_second_at_most(losses)
    assert check(grove).problems == ()
    print("characters lost", [said[-1][1] - length for said, length in losses])
