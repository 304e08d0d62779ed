"""Room of answers that share one window: told before anything is counted, and sent just so."""

from __future__ import annotations

from loomapp.core.generation.request import Request
from loomapp.core.text.token_estimates import careful_estimate, estimate
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.openai_body import prompt

USUAL_ANSWER_TOKENS = 1024
SHORTEST_ANSWER_TOKENS = 64
TOO_LOW_BY = 20  # the part that the careful look may leave out
MESSAGE_TOKENS = 8  # that a template puts around each, at most
TEMPLATE_TOKENS = 32  # and around the whole, with a system text of its own


def answer_tokens(request: Request, rules: ModelRules) -> int:
    """Return how many tokens each of the answers to a request may have: those that were wished, or its share
    of what a careful look at the texts leaves of the model's window.

    Counted by the model there may be a little more room. It is left: what is shown before an exact count is
    at hand is then what is sent. One answer alone is as long as was wished, for that was kept free.
    """
    wished = request.max_tokens or USUAL_ANSWER_TOKENS
    texts = _texts(request)
    if request.n == 1 or sum(map(estimate, texts)) > rules.context_window:  # too long: no use in looking
        return wished
    said = sum(map(careful_estimate, texts))
    context = said + said // TOO_LOW_BY + MESSAGE_TOKENS * len(texts) + TEMPLATE_TOKENS
    return min(wished, max((rules.context_window - context) // request.n, SHORTEST_ANSWER_TOKENS))


def _texts(request: Request) -> list[str]:
    if request.document is not None:
        return [prompt(request)]
    return [request.system or "", *(message.text for message in request.messages)]
