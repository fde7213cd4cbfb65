"""Where a key may go without encryption: to this machine only."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own by its name alone: localhost, 127.0.0.0/8, ::1.

    Nothing is looked up: what a name stands for can change. A resolver may send NAME.localhost anywhere.
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
    """Whether what is sent there can be read on the way: plain http to another machine."""
    return urlsplit(url).scheme == "http" and not is_loopback(url)
