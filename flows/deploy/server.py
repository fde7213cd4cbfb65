"""A Prefect server of anybody's, asked through Prefect's own client: its settings of access, TLS and proxies hold.

Whatever it answers is checked for its shape; an error is one line that says what to do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrollwork.flows.deploy.asked import as_text, shown
from scrollwork.flows.server.local_server import QUIET, access_env, is_running, noted_server
from scrollwork.flows.server.processes import ServiceError
from scrollwork.flows.server.variables import quiet_libraries
from scrollwork.pipeline.errors import UsageError

WAIT_S = 30.0  # for a connection, and for the next bytes of an answer
RETRIES = 2  # by Prefect's client, where the server is busy (503: SQLite is locked) or sends nothing
OLDEST = (3, 0)  # version of a server


class Api:
    """The API of a server. url: for messages, without credentials."""

    def __init__(self, client: Any, url: str) -> None:
        self._client, self.url = client, shown(url)

    def get(self, path: str) -> dict[str, Any] | None:
        """Return the object at a path, None where there is none. Raises ServiceError."""
        return self._ask("GET", path, None, missing=True)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Make or change an object, and return it. Raises ServiceError."""
        answer = self._ask("POST", path, body)
        assert answer is not None
        return answer

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send any request to a path below the API, and return its JSON, as `automations.Api`. Raises OSError."""
        try:
            return self._answer(method, f"/{path}", body)
        except ServiceError as error:
            raise OSError(str(error)) from error

    def version(self) -> str:
        """Return the version of the server. Raises ServiceError if it is no Prefect server, or one of another major
        version."""
        import prefect

        found = self._answer("GET", "/admin/version", None)
        if found is None or not isinstance(found, str):
            raise ServiceError(f"{self.url} answers, but not as the API of a Prefect server; its address ends in /api")
        own = prefect.__version__
        if _numbers(found)[:1] != _numbers(own)[:1] or _numbers(found) < OLDEST:
            raise ServiceError(
                f"{self.url} is Prefect {as_text(found)}, and this is {own}: deploy with the server's major version, "
                "or update the server"
            )
        return found

    def _ask(self, method: str, path: str, body: dict[str, Any] | None, missing: bool = False) -> dict[str, Any] | None:
        answer = self._answer(method, path, body)
        if answer is None and missing:
            return None
        if not isinstance(answer, dict):
            raise ServiceError(f"{self.url}/{path.lstrip('/')}: not the answer of a Prefect server: {as_text(answer)}")
        return answer

    def _answer(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        """The JSON of an answer; None for 404 of a GET."""
        import httpx

        try:
            reply = (
                self._client.request(method, path, json=body)
                if body is not None
                else self._client.request(method, path)
            )
            return reply.json() if reply.content or method == "GET" else None
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            if status == 404 and method == "GET":
                return None
            raise ServiceError(self._refusal(status, path, error.response)) from error
        except httpx.HTTPError as error:
            why = as_text(str(error) or type(error).__name__)
            raise ServiceError(
                f"no answer of a Prefect server at {self.url} ({why}): is it up, is the address right?"
            ) from error
        except ValueError as error:
            raise ServiceError(
                f"{self.url}/{path.lstrip('/')}: no JSON, so not the answer of a Prefect server"
            ) from error

    def _refusal(self, status: int, path: str, reply: Any) -> str:
        if status == 401:
            return (
                f"{self.url} wants credentials (401): set PREFECT_API_AUTH_STRING (or PREFECT_API_KEY, for Prefect "
                "Cloud) to those of this server"
            )
        try:
            detail = reply.json().get("detail") or "no reason given"
        except (ValueError, AttributeError):
            detail = "no reason given"
        if status == 403:
            return f"{self.url}: these credentials may not do this (403 for {path}: {as_text(detail)})"
        return f"{self.url}: {status} for {path}: {as_text(detail)}"


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split("+")[0].split(".")[:2]
    return tuple(int(part) if part.isdigit() else -1 for part in parts)


def address(given: str, project: Path) -> str:
    """Return the URL of the server's API, and set up this process so that Prefect asks there. It imports Prefect.

    given: of the call; else PREFECT_API_URL, else the running server of `up` of this project, else what the user's
    settings of Prefect name. Raises UsageError where nothing names one.
    """
    named = given or os.environ.get("PREFECT_API_URL") or ""
    for place in (Path.cwd() / ".scrollwork", project / ".scrollwork"):
        own = noted_server(place)
        if own is not None and named.rstrip("/") in ("", own["url"]) and is_running(own):
            os.environ.update(access_env(own))
            named = str(own["url"])
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    quiet_libraries(os.environ)
    if named:
        os.environ["PREFECT_API_URL"] = named
    from prefect.settings import PREFECT_API_URL

    url = named or PREFECT_API_URL.value() or ""
    if not url:
        raise UsageError(
            "no Prefect server is named: --api http://HOST:4200/api, or PREFECT_API_URL, or `scrollwork up` here first"
        )
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--api {shown(url)}: the address of a server's API is wanted, http://HOST:4200/api")
    return url.rstrip("/")


@contextmanager
def opened(url: str) -> Iterator[Api]:
    """While the block runs, return the API of the server at a URL; it answers and its version fits.

    Raises UsageError for no URL, ServiceError.
    """
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    client: Callable[..., Any] = get_client
    with temporary_settings({PREFECT_API_URL: url, PREFECT_CLIENT_MAX_RETRIES: RETRIES}):
        try:
            made = client(sync_client=True, httpx_settings={"timeout": httpx.Timeout(WAIT_S)})
        except (httpx.InvalidURL, ValueError) as error:
            raise UsageError(f"--api {shown(url)}: {as_text(str(error))}") from error
        with made as client_of:
            api = Api(client_of, url)
            if getattr(client_of.server_type, "value", "") != "cloud":
                api.version()
            yield api
