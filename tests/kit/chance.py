"""Chance in tests: an ordinary run draws what it drew before; slow runs, and who asks, see something new."""

from __future__ import annotations

import os
import random

from hypothesis import settings

from tests.kit.processes.sealed_home import SEED

ANY = "any"


def begin(markers: str) -> None:
    """Settle it for this run, before any test is imported; `markers` is what pytest's -m was given."""
    if markers == "slow":
        os.environ.setdefault(SEED, ANY)
    # How long an example takes says how busy the machine is, so there is no deadline.
    settings.register_profile("fixed", deadline=None, derandomize=True)
    settings.register_profile("fresh", deadline=None, derandomize=False)
    settings.load_profile("fixed" if asked() is None else "fresh")


def asked() -> str | None:
    """What is asked for: a seed, ANY, or None for what is always drawn."""
    return os.environ.get(SEED) or None


def seed(fixed: int) -> int:
    """Where a random test begins: at `fixed`, unless another place is asked for; a failing test shows it."""
    wanted = asked()
    if wanted == ANY:
        found = random.SystemRandom().randrange(1 << 32)
    else:
        found = fixed if wanted is None else int(wanted)
    print(f"seed {found}")
    return found
