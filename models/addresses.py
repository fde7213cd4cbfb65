"""Where a key may be sent without encryption: only to this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    """Return whether a URL is this machine's own by its text alone: localhost, 127.0.0.0/8, ::1.

    Nothing is looked up, as the address of a name can change. NAME.localhost does not count: a resolver may send it
    anywhere.
    """
    host = (urlsplit(url).hostname or "").lower().rstrip(".")
    if host == "localhost":
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def is_open(url: str) -> bool:
    """Return whether others can read on the way what is sent to a URL: plain http to another machine."""
    return urlsplit(url).scheme == "http" and not is_loopback(url)
