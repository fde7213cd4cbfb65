"""URLs of downloads and of the Hugging Face hub, and how politely hosts are treated. It imports no HTTP client."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from scrollwork.storage.errors import DownloadError

PUBLIC = "https://huggingface.co"


@dataclass(frozen=True)
class HostLimits:
    """How politely a host is treated.

    at_once: most concurrent requests. pause_s: least seconds between the starts of two requests.
    """

    at_once: int = 2
    pause_s: float = 0.0


def check(url: str) -> None:
    """Raise DownloadError unless the URL is http or https and names a host."""
    parts = parts_of(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DownloadError(f"{url}: only http and https URLs are fetched")


def parts_of(url: str) -> SplitResult:
    """Return the parts of a URL. Raises DownloadError if it cannot be parsed, as with a "[" that is not closed."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise DownloadError(f"{url}: no URL ({error})") from None


def endpoint() -> str:
    """Return the URL of the hub without a final slash: HF_ENDPOINT, or the public hub if that is not set.

    Raises DownloadError if HF_ENDPOINT is no http or https URL.
    """
    url = (os.environ.get("HF_ENDPOINT") or PUBLIC).rstrip("/")
    try:
        check(url)
    except DownloadError:
        raise DownloadError(f"HF_ENDPOINT={url}: must be an http or https URL") from None
    return url


def page_of(repo: str) -> str:
    """Return the URL of the hub's page about a data set. Raises DownloadError as `endpoint` does."""
    return f"{endpoint()}/datasets/{repo}"


def resolve_url(repo: str, revision: str, path: str) -> str:
    """Return the URL at which the hub serves a file of a data set. revision: the commit. path: of the file in it.

    Raises DownloadError as `endpoint` does.
    """
    return f"{page_of(repo)}/resolve/{revision}/{quote(path, safe='/')}"
