"""The registry of agent presets: a few honest beginnings, each changed freely once it is made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loomapp.core.model.agent import Agent, Configuration


@dataclass(frozen=True, slots=True)
class AgentPreset:
    """`title` and `help` are for people; the configuration is what an agent made from it begins with."""

    name: str
    title: str
    help: str
    configuration: Configuration


PRESETS: tuple[AgentPreset, ...] = (
    AgentPreset("plain", "Plain", "The model as it is: no prompt, its own sampling", Configuration()),
    AgentPreset(
        "wanderer",
        "Wanderer",
        "Warmer sampling, so that siblings differ more",
        Configuration(temperature=1.1),
    ),
    AgentPreset(
        "steady",
        "Steady",
        "Cooler sampling, for corrections and facts",
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
