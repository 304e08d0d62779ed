"""A capability record as it is shown: what is known of one model at one endpoint, and whose word it is."""

from __future__ import annotations

from typing import Literal, TypeAlias

from loomapp.core.context.provider_rules import PROVIDER_RULES
from loomapp.core.dataclass import dataclass
from loomapp.providers.endpoints import EndpointSetting, endpoint_settings, listed_window, lists_folder
from loomapp.providers.engine.model_files import most_window
from loomapp.providers.protocols.learned import learned
from loomapp.providers.protocols.model_rules import ModelRules, is_seeded
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import PROVIDERS, loads_model, rules_for

BufferForm: TypeAlias = Literal["completions", "prefill", "instruction"]
WindowFrom: TypeAlias = Literal["own", "table", "guess", "list", "refusal", "user"]


@dataclass(frozen=True, slots=True)
class Capability:
    """`protocol` is in words; `learned_at` in milliseconds, None if nothing had to be learned.

    `window_from`: a guess is what is taken for a model that nobody knows anything of.
    """

    protocol: str
    buffer_form: BufferForm
    rules: ModelRules
    window_from: WindowFrom
    learned_at: int | None = None
    images_told: bool | None = None  # what the user said of images, if anything
    fill_in_told: bool | None = None  # and of filling in
    continues_told: bool | None = None  # and of going on with a text as it stands
    is_here: bool = False  # it is loaded by the engine inside
    most_window: int | None = None  # that a model here was made for

    @property
    def takes_stops(self) -> bool:
        """Tell whether stop sequences are sent to this model."""
        return self.rules.refused.isdisjoint(("stop", "stop_sequences"))

    @property
    def is_changed(self) -> bool:
        """Tell whether anything was learned or told that can be forgotten."""
        told = self.images_told, self.fill_in_told, self.continues_told, self.rules.gpu_layers or None
        return (
            told != (None, None, None, None)
            or self.window_from in ("user", "refusal")
            or self.learned_at is not None
        )


def capability_of(model_ref: str) -> Capability:
    """Return what is known of `provider:model`. Raises: InvalidInput if the user's endpoints can't
    be read.
    """
    rules = rules_for(model_ref)
    setting = _setting(model_ref)
    own, (place, model) = PROVIDERS.get(model_ref.partition(":")[0]), _place(model_ref)
    is_here = loads_model(model_ref)
    return Capability(
        PROTOCOLS[setting.api].text if setting is not None else "" if own is None else own.spoken,
        buffer_form(rules),
        rules,
        _window_from(model_ref, place, model),
        learned().learned_at(place, model),
        learned().images_told(place, model),
        learned().fill_in_told(place, model),
        learned().continues_told(place, model),
        is_here=is_here,
        most_window=most_window(model) if is_here else None,
    )


def tell_window(model_ref: str, tokens: int | None) -> None:
    """Note how much goes into a model, as its user says; None: what is known otherwise counts again."""
    learned().tell_window(*_place(model_ref), tokens)


def tell_gpu_layers(model_ref: str, layers: int | None) -> None:
    """Note how many layers of a local model a graphics card computes; None: none, as at first."""
    learned().tell_gpu_layers(*_place(model_ref), layers)


def tell_images(model_ref: str, taken: bool | None) -> None:
    """Note whether a model takes images, as its user says; None: what is known otherwise counts again."""
    learned().tell_images(*_place(model_ref), taken)


def tell_fill_in(model_ref: str, can: bool | None) -> None:
    """Note whether a model fills in between two texts, as its user says; None: forget what they said."""
    learned().tell_fill_in(*_place(model_ref), can)


def tell_continues(model_ref: str, can: bool | None) -> None:
    """Note whether a model goes on with a text as it stands, as its user says; None: forget what they
    said.
    """
    learned().tell_continues(*_place(model_ref), can)


def forget(model_ref: str) -> None:
    """Forget what was learned of a model, and what its user told."""
    learned().forget(*_place(model_ref))


def _place(model_ref: str) -> tuple[str, str]:
    """Return where what is known of a model is kept: the address of its endpoint, or the name of a provider
    without any, and its own name.
    """
    setting = _setting(model_ref)
    prefix, _, model = model_ref.partition(":")
    return prefix if setting is None else _base_url(setting), model


def buffer_form(rules: ModelRules) -> BufferForm:
    """Return the form in which a Buffer goes to such a model; see `assemble_request.assembled_for`."""
    if rules.continues_documents:
        return "completions"
    known = PROVIDER_RULES[rules.provider_rules]
    return "prefill" if known is not None and known.prefill else "instruction"


def _setting(model_ref: str) -> EndpointSetting | None:
    """Return where a model is asked; None for a provider on this computer, and for an endpoint nobody
    knows.
    """
    prefix = model_ref.partition(":")[0]
    return None if prefix in PROVIDERS else endpoint_settings().get(prefix)


def _base_url(setting: EndpointSetting) -> str:
    return base_of(setting.base_url, PROTOCOLS[setting.api])


def _window_from(model_ref: str, base_url: str, model: str) -> WindowFrom:
    kept = learned().window_from(base_url, model)
    if kept is not None:
        return kept
    if model_ref.partition(":")[0] in PROVIDERS:
        return "own"
    if listed_window(base_url, model, lists_folder()) is not None:
        return "list"
    return "table" if is_seeded(model_ref) else "guess"
