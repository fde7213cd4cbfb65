"""Addresses of what is fetched, of the hub too, and manners of hosts: whoever only names them loads no client."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from scrollwork.storage.errors import DownloadError

PUBLIC = "https://huggingface.co"


@dataclass(frozen=True)
class Manners:
    """How a host is treated: requests at once, and seconds from the start of one to the start of the next."""

    at_once: int = 2
    pause_s: float = 0.0


def check(url: str) -> None:
    """Raise DownloadError unless the URL is http or https and names a host."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DownloadError(f"{url}: only http and https URLs are fetched")


def endpoint() -> str:
    """The hub that is asked, without a slash at its end. Raises DownloadError where HF_ENDPOINT is no URL."""
    url = (os.environ.get("HF_ENDPOINT") or PUBLIC).rstrip("/")
    try:
        check(url)
    except (DownloadError, ValueError):
        raise DownloadError(f"HF_ENDPOINT={url}: must be an http or https URL") from None
    return url


def page_of(repo: str) -> str:
    """Where a person reads about the data set."""
    return f"{endpoint()}/datasets/{repo}"


def resolve_url(repo: str, revision: str, path: str) -> str:
    """Where the bytes of a file of a commit are."""
    return f"{page_of(repo)}/resolve/{revision}/{quote(path, safe='/')}"
