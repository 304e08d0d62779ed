"""Errors of providers: what an SDK, the network or a malformed answer raises becomes one ProviderError."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import httpx2

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.provider import ErrorCode, ProviderError
from loomapp.core.model.content import well_formed
from loomapp.core.sentences import worded
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.events import LimitExceeded
from loomapp.providers.protocols.exchange import Recording
from loomapp.providers.protocols.redaction import redact, without_pieces

EXCERPT_CHARACTERS = 500
LONGEST_PAUSE_S = 1e9
READ_CHARACTERS = 2000  # of what a server says: it may say a mebibyte, made to be searched for ever
LIMIT_FIRST = re.compile(
    r"maximum context length is (\d{1,12}) tokens.{0,300}?\b(\d{2,12}) tokens", re.DOTALL
)
NEEDED_FIRST = re.compile(r"prompt is too long: (\d{1,12}) tokens > (\d{1,12}) maximum")

BILLING = re.compile(
    r"exceeded your current quota, please check your plan|credit balance is too low"
    r"|insufficient (credits|balance|funds)",
    re.IGNORECASE,
)
"""Sentences of servers that ask for money without a code for it. Source: OpenAI's, Anthropic's, OpenRouter's
and DeepSeek's answers."""

PAGE_TITLE = re.compile(r"<title[^>]{0,100}>([^<]{1,200})", re.IGNORECASE)

FILTERING = re.compile(r"blocked by (our )?content (filter|management)", re.IGNORECASE)
"""Sentence of servers that filtered an answer and call that an invalid request. Source: Anthropic's."""

STATUS_CODES: Mapping[int, ErrorCode] = {
    400: "invalidRequest",
    401: "authenticationFailed",
    402: "rateLimited",
    403: "authenticationFailed",
    404: "modelNotFound",
    405: "invalidRequest",
    406: "invalidRequest",
    407: "networkError",
    410: "modelNotFound",
    415: "invalidRequest",
    431: "contextTooLong",
    451: "contentFiltered",
    408: "timeout",
    413: "contextTooLong",
    414: "contextTooLong",
    422: "invalidRequest",
    429: "rateLimited",
}

WORD_CODES: tuple[tuple[str, ErrorCode], ...] = (
    ("context_length_exceeded", "contextTooLong"),
    ("exceed_context_size", "contextTooLong"),
    ("request_too_large", "contextTooLong"),
    ("insufficient_quota", "rateLimited"),
    ("billing", "rateLimited"),
    ("rate_limit", "rateLimited"),
    ("overloaded", "serverError"),
    ("not_found", "modelNotFound"),
    ("permission", "authenticationFailed"),
    ("timeout_error", "timeout"),
    ("server_error", "serverError"),
    ("authentication", "authenticationFailed"),
    ("invalid_api_key", "authenticationFailed"),
    ("content_filter", "contentFiltered"),
    ("invalid_request", "invalidRequest"),
)
"""Words in an error's own code or type, which say more than the status."""

NEXT_STEPS: Mapping[ErrorCode, str] = {
    "authenticationFailed": "{name} refused the key. Check its key under Endpoints and keys.",
    "rateLimited": "{name} has reached its rate limit. Wait a little, then retry.",
    "contextTooLong": "The context is too long for {name}. Exclude something, or choose a larger model.",
    "modelNotFound": "{name} does not know this model. Choose another, or check the endpoint's address.",
    "invalidRequest": "{name} refused the request. Check the agent's parameters.",
    "serverError": "{name} failed to answer. Retry in a moment.",
    "networkError": "The connection to {name} was lost. Check the network, then retry.",
    "timeout": "{name} was silent for too long. Retry, or choose another model.",
    "contentFiltered": "{name} filtered the answer. What came is kept; change the wording and retry.",
    "cancelled": "Stopped. What was written so far is kept.",
    "unknown": "{name} failed in an unknown way. Retry; the details say more.",
}


BROKE_OFF = "{name} broke off in the middle. What came is kept: continue from it, or retry."


def stopped(endpoint: Endpoint) -> ProviderError:
    return failure("cancelled", endpoint)


def failure(code: ErrorCode, endpoint: Endpoint, what: str = "", /, **details: object) -> ProviderError:
    """An error in the words for its code; `what` replaces them."""
    message = what or worded(NEXT_STEPS[code], name=endpoint.name)
    shown = {key: value for key, value in details.items() if value is not None}
    safe = {key: _shown(value, endpoint) for key, value in shown.items()}
    concealed = redact(message, endpoint.secrets)
    said = message if concealed == message else concealed  # a sentence stays one that can be translated
    return ProviderError(code, said, provider=endpoint.name, **safe)


def _shown(value: object, endpoint: Endpoint) -> object:
    """A detail as it can be shown and saved: without secrets, and no half characters."""
    return well_formed(redact(value, endpoint.secrets)) if isinstance(value, str) else value


def unfinished(endpoint: Endpoint, recording: Recording | None) -> ProviderError:
    """Return the error for an answer that ended without its terminator although nothing was raised."""
    kind = ((recording and recording.header("content-type")) or "").strip().lower()
    if recording is not None and not recording.terminated and (told := _complaint(recording)):
        return reported(told, endpoint)
    if kind.startswith("text/html"):
        return failure(
            "invalidRequest",
            endpoint,
            worded(
                "{name} answered with a web page instead of a model's answer. Check its address.",
                name=endpoint.name,
            ),
        )
    if recording is not None and not recording.body:
        return failure(
            "serverError",
            endpoint,
            worded("{name} sent an empty answer. Retry in a moment.", name=endpoint.name),
        )
    if kind.startswith("application/json"):
        what = worded(
            "{name} answered without streaming, which Loomapp needs. Check its address.", name=endpoint.name
        )
        return failure("serverError", endpoint, what)
    return failure("networkError", endpoint, worded(BROKE_OFF, name=endpoint.name))


def broken_off(error: ProviderError, endpoint: Endpoint) -> ProviderError:
    """Return an error after words that came. One that says no more than that the server failed says so of the
    rest.
    """
    if error.message != worded(NEXT_STEPS["serverError"], name=endpoint.name):
        return error
    return error.reworded(worded(BROKE_OFF, name=endpoint.name))


def _complaint(recording: Recording) -> object:
    """The error in a body that is one JSON object, sent with a status that says that all is well."""
    body = _json(recording.body) if recording.body[:64].lstrip()[:1] == b"{" else None
    if not isinstance(body, dict):
        return None
    is_one = bool(body.get("error")) or body.get("type") == "error" or body.get("object") == "error"
    return body if is_one else None


def provider_error(error: Exception, endpoint: Endpoint) -> ProviderError:
    """Classifies whatever was raised while an answer was asked for and read.

    The SDKs' errors are known by their fields, `response` and `body`: neither SDK is loaded for the other.
    """
    if isinstance(error, ProviderError):
        return error
    if isinstance(response := getattr(error, "response", None), httpx2.Response):
        return _refused(error, response, endpoint)
    causes = list(_causes(error))
    if any(isinstance(cause, LimitExceeded) for cause in causes):
        return failure(
            "serverError",
            endpoint,
            worded("{name} sent more than any model writes. Retry.", name=endpoint.name),
        )
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        return failure("timeout", endpoint)
    if any(isinstance(cause, httpx2.DecodingError) for cause in causes):
        return _malformed(endpoint, error)
    if any(isinstance(cause, httpx2.RemoteProtocolError) and not _broke_off(cause) for cause in causes):
        return _malformed(endpoint, error)
    if any(isinstance(cause, httpx2.TransportError) for cause in causes):
        return _disconnected(endpoint, causes)
    if isinstance(body := getattr(error, "body", None), Mapping | str):
        return reported(body, endpoint)
    if isinstance(error, UnicodeEncodeError):
        return failure("invalidRequest", endpoint, "The text holds half a character that cannot be sent.")
    return _malformed(endpoint, error)


def _broke_off(error: BaseException) -> bool:
    """Tell whether the server left in the middle, rather than speaking something that is no HTTP."""
    return "closed connection" in str(error) or "disconnected" in str(error)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _disconnected(endpoint: Endpoint, causes: list[BaseException]) -> ProviderError:
    if endpoint.is_own_engine:
        what = "The local model's engine ended unexpectedly. What it wrote is kept; retry starts it again."
        return failure("networkError", endpoint, what)
    if any(isinstance(cause, httpx2.ConnectError | httpx2.ProxyError) for cause in causes):
        what = worded(
            "{name} can't be reached. Check the network and its address, then retry.", name=endpoint.name
        )
        return failure("networkError", endpoint, what)
    return failure("networkError", endpoint)


def _malformed(endpoint: Endpoint, error: Exception) -> ProviderError:
    what = worded(
        "{name} sent something that can't be read. What came before it is kept; retry.", name=endpoint.name
    )
    return failure("serverError", endpoint, what, cause=type(error).__name__)


def reported(body: object, endpoint: Endpoint) -> ProviderError:
    """An error that the server put into words in the middle of an answer."""
    return _reported(body, endpoint, status=None)


def _refused(error: Exception, response: httpx2.Response, endpoint: Endpoint) -> ProviderError:
    status, body = response.status_code, getattr(error, "body", None)
    if response.is_success:  # told in the stream
        return reported(body, endpoint)
    if 300 <= status < 400:
        what = worded(
            "{name} wants to send the request elsewhere ({status}). Check its address.",
            name=endpoint.name,
            status=status,
        )
        return failure("invalidRequest", endpoint, what, status=status)
    content = without_pieces(response.content, endpoint.secrets)
    text = content.decode(response.encoding or "utf-8", "replace")
    is_page = response.headers.get("content-type", "").strip().lower().startswith("text/html")
    return _reported(
        _json(content) or (_page_title(text) if is_page else body),
        endpoint,
        status=status,
        requestId=response.headers.get("x-request-id") or response.headers.get("request-id"),
        retryAfterMs=_retry_after_ms(response.headers),
        excerpt=redact(text, endpoint.secrets)[:EXCERPT_CHARACTERS],
    )


def _page_title(page: str) -> str:
    """Return what a web page is called, such as `502 Bad Gateway`; its markup says nothing to people."""
    import html  # late: with all its names of signs, for a page of a proxy

    found = PAGE_TITLE.search(page[:READ_CHARACTERS])
    return " ".join(html.unescape(found[1]).split()) if found else ""


def _reported(body: object, endpoint: Endpoint, *, status: int | None, **details: object) -> ProviderError:
    """An error that the server put into words."""
    told = _Told.of(body, endpoint.secrets)
    code = told.code(status)
    details |= {"status": status}
    if code == "contextTooLong":
        details |= {"needed": told.needed, "limit": told.limit}
    said = told.message[:EXCERPT_CHARACTERS]
    if status == 402 or told.is_about_billing:
        what = worded(
            "{name} asks for payment or more quota. Check the account, or choose another model.",
            name=endpoint.name,
        )
        return failure(code, endpoint, what, **(details | {"said": said or None, "billing": True}))
    if status == 403 and code == "authenticationFailed":
        what = worded(
            "{name} does not allow this. Check the account and the key for {name}.", name=endpoint.name
        )
        return failure(code, endpoint, what, **(details | {"said": said or None}))
    return failure(code, endpoint, **(details | {"said": said or None, "param": told.param}))


@dataclass(frozen=True, slots=True)
class _Told:
    """The words of a server's error object, wherever it puts it."""

    message: str = ""
    words: str = ""
    param: str | None = None  # the parameter that is complained of
    needed: int | None = None
    limit: int | None = None

    @classmethod
    def of(cls, body: object, secrets: Iterable[str]) -> _Told:
        """Return what `body` says, without secrets: half of one, where a long text is cut, would not be
        found.
        """
        inner: Any = body.get("error") or body if isinstance(body, dict) else body
        if not isinstance(inner, dict):
            inner = {"message": inner}
        said = inner.get("message") or inner.get("detail") or inner.get("msg")
        written = said if isinstance(said, str) else _written(said, secrets) if said else ""
        message = redact(written, secrets)[:READ_CHARACTERS]
        needed, limit = _whole(inner.get("n_prompt_tokens")), _whole(inner.get("n_ctx"))
        if needed is None and (found := LIMIT_FIRST.search(message)):
            limit, needed = int(found[1]), int(found[2])
        elif needed is None and (found := NEEDED_FIRST.search(message)):
            needed, limit = int(found[1]), int(found[2])
        words, param = f"{inner.get('code')} {inner.get('type')}".lower(), inner.get("param")
        return cls(message, words, param if isinstance(param, str) else None, needed, limit)

    @property
    def is_about_billing(self) -> bool:
        """Said by a code, or only in a sentence; one about a pause may name a quota as well."""
        if "insufficient_quota" in self.words or "billing" in self.words:
            return True
        return bool(BILLING.search(self.message))

    def code(self, status: int | None) -> ErrorCode:
        """The words decide where they can; else the status."""
        if self.needed is not None and self.limit is not None and self.needed > self.limit:
            return "contextTooLong"  # whatever it is called: not everyone has a word for it
        if self.is_about_billing:
            return "rateLimited"
        if FILTERING.search(self.message):
            return "contentFiltered"
        found = next((code for word, code in WORD_CODES if word in self.words), None)
        # a 500 or 529 that calls itself an invalid request is still the server's trouble
        if found is not None and not (status is not None and status >= 500 and found == "invalidRequest"):
            return found
        if status is None or status >= 500:
            return "serverError"
        return STATUS_CODES.get(status, "unknown")


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _written(value: object, secrets: Iterable[str]) -> str:
    try:
        return without_pieces(json.dumps(value).encode(), tuple(secrets)).decode()
    except RecursionError:
        return ""


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _retry_after_ms(headers: Mapping[str, str]) -> int | None:
    """Retry-After in seconds or as a date."""
    exact = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,9})?", exact):
        return round(float(exact))
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return round(min(float(value[:20]), LONGEST_PAUSE_S) * 1000)
    try:
        return max(0, round((email.utils.parsedate_to_datetime(value).timestamp() - time.time()) * 1000))
    except (ValueError, TypeError, OverflowError, OSError):
        return None
