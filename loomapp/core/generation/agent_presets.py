"""Agents as a person makes them: a registry of presets, and custom parameters as they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import SET_BY_LOOMAPP, Agent, Configuration


@dataclass(frozen=True, slots=True)
class AgentPreset:
    """`title` and `help` are for people; the configuration is what an agent made from it begins with."""

    name: str
    title: str
    help: str
    configuration: Configuration


PRESETS: tuple[AgentPreset, ...] = (
    AgentPreset("plain", "Plain", "The model as it is, without a prompt", Configuration()),
    AgentPreset(
        "wanderer",
        "Wanderer",
        "Answers that differ more from each other",
        Configuration(temperature=1.1),
    ),
    AgentPreset(
        "steady",
        "Steady",
        "Predictable answers, for corrections and facts",
        Configuration(temperature=0.3),
    ),
    AgentPreset(
        "critic",
        "Critic",
        "Reads what is there and says what does not work yet",
        Configuration(
            "Read what was written as a demanding, fair reader. Name what does not work yet and why, with "
            "the words it is about. Do not rewrite it, and do not praise.",
            temperature=0.5,
        ),
    ),
    AgentPreset(
        "prose",
        "Goes on with prose",
        "For stories in a dialogue: only the next passage, in the voice that is there",
        Configuration(
            "Go on with the text in its own voice, tense and person. Write only the next passage: no "
            "introduction, no summary, no remark about the text.",
            temperature=0.9,
        ),
    ),
)


def agent_of(preset: AgentPreset, like: Agent, *, agent_id: str, colour: str) -> Agent:
    """A new agent by a preset, asking the same model as another."""
    return Agent(agent_id, preset.title, "model", like.model_ref, preset.configuration, colour=colour)


def duplicate_of(agent: Agent, *, agent_id: str, names: frozenset[str], colour: str) -> Agent:
    """Copy an agent under a name that none of `names` is."""
    number = next(n for n in range(2, len(names) + 3) if f"{agent.name} {n}" not in names)
    return replace(agent, id=agent_id, name=f"{agent.name} {number}", colour=colour, archived_at=None)


def parsed_parameters(text: str) -> dict[str, object]:
    """The parameters; none for a blank text. Raises: ValueError that names the line and what is wrong there.

    Numbers that JSON has no word for, and a name that is there twice, are refused rather than guessed.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"Line {error.lineno}: {_plain(error.msg)}") from None
    except _Refused as error:
        raise ValueError(f"Line {_line_of(text, error.word, error.time)}: {error}") from None
    if not isinstance(value, dict):
        raise ValueError('Line 1: parameters are an object, such as {"top_k": 40}')
    for name in value:
        if name in SET_BY_LOOMAPP:
            line = _line_of(text, json.dumps(name, ensure_ascii=False))
            raise ValueError(
                f"Line {line}: {name} cannot be set here: what is shown would not be what is sent"
            )
    return value


def written_parameters(parameters: Mapping[str, object]) -> str:
    """The parameters as a person reads them; nothing for none."""
    return json.dumps(dict(parameters), indent=2, ensure_ascii=False) if parameters else ""


def parsed_stops(text: str) -> tuple[str, ...]:
    """Stop sequences, a line each; `\\n`, `\\t` and `\\\\` stand for a line break, a tab and a backslash."""
    return tuple(_unescaped(line) for line in text.split("\n") if line)


def written_stops(stops: tuple[str, ...]) -> str:
    return "\n".join(stop.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t") for stop in stops)


def _unescaped(line: str) -> str:
    parts = line.split("\\\\")
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in parts)


class _Refused(ValueError):
    """JSON would let it pass. `word` as it is written, and which time it is there."""

    def __init__(self, message: str, word: str, time: int) -> None:
        super().__init__(message)
        self.word, self.time = word, time


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in pairs:
        if name in result:
            raise _Refused(f"{name} is there twice", json.dumps(name, ensure_ascii=False), 2)
        result[name] = value
    return result


def _no_constant(word: str) -> object:
    raise _Refused(f"{word} is no number in JSON", word, 1)


def _line_of(text: str, word: str, time: int = 1) -> int:
    place = -1
    for _ in range(time):
        place = text.find(word, place + 1)
    return text.count("\n", 0, max(0, place)) + 1


def _plain(message: str) -> str:
    return message[:1].lower() + message[1:]
