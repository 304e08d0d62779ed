"""Window of a local model: what its file allows, what is loaded of it, and what its user wants."""

from __future__ import annotations

from dataclasses import replace

from loomapp.providers.engine import model_files
from loomapp.providers.engine.gguf import trained_window
from loomapp.providers.protocols.learned import learned
from loomapp.providers.protocols.model_rules import LOCAL_CONTEXT_WINDOW, ModelRules, seeded_rules

HERE = "local"  # stands for the address of an endpoint, where what is known of a model is kept


def local_rules(model_ref: str) -> ModelRules:
    """Return what is known of `local:model`. Its window is 8,192 tokens unless its user wants another, for
    each takes memory while the model is loaded; and never more than its file says.
    """
    name = model_ref.partition(":")[2]
    rules = learned().applied(HERE, name, seeded_rules(model_ref))
    return replace(rules, context_window=min(rules.context_window, most_window(name)))


def most_window(name: str) -> int:
    """Return the tokens that the file of a model allows; the usual number where it does not say."""
    path = model_files.find(name)
    return (None if path is None else trained_window(path)) or LOCAL_CONTEXT_WINDOW
