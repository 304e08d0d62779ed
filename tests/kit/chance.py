"""Chance in tests: an ordinary run draws what it drew before; slow runs, and who asks, see something new."""

from __future__ import annotations

import os
import random

from hypothesis import settings

from tests.kit.processes.sealed_home import SEED

ANY = "any"
ALL_EXAMPLES = 100  # of a law that says no other number


def begin(markers: str) -> None:
    """Settle it for this run, before any test is imported; `markers` is what pytest's -m was given."""
    if markers == "slow":
        os.environ.setdefault(SEED, ANY)
    # How long an example takes says how busy the machine is, so there is no deadline.
    settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=examples(ALL_EXAMPLES))
    settings.register_profile("fresh", deadline=None, derandomize=False, max_examples=ALL_EXAMPLES)
    settings.load_profile("fixed" if asked() is None else "fresh")


def asked() -> str | None:
    """What is asked for: a seed, ANY, or None for what is always drawn."""
    return os.environ.get(SEED) or None


def examples(count: int) -> int:
    """How many of the examples of a law are drawn: all, but a tenth in an ordinary run, which draws the same
    ones each time.
    """
    return max(5, count // 10) if asked() is None else count


def seed(fixed: int) -> int:
    """Where a random test begins: at `fixed`, unless another place is asked for; a failing test shows it."""
    wanted = asked()
    if wanted == ANY:
        found = random.SystemRandom().randrange(1 << 32)
    else:
        found = fixed if wanted is None else int(wanted)
    print(f"seed {found}")
    return found
