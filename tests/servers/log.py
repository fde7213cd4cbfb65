"""Every request as a line: when it began, when it ended, how many were in flight; never a key."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

SECRET = ("authorization", "x-api-key", "cookie", "proxy-authorization")


class Log:
    """In memory, and in a JSON Lines file where one is named: the server may outlive who reads it."""

    def __init__(self, file: str = "") -> None:
        self.rows: list[dict[str, Any]] = []
        self.in_flight = self.most_in_flight = 0
        self._file = Path(file).open("a", encoding="utf-8", buffering=1) if file else None  # noqa: SIM115 (as long as it)

    def began(self, **facts: Any) -> int:
        """A request came; its number."""
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        return self._write(event="began", in_flight=self.in_flight, **facts)

    def ended(self, request: int, status: int, fault: str) -> None:
        """It was answered, or let go."""
        self.in_flight -= 1
        self._write(event="ended", request=request, status=status, fault=fault, in_flight=self.in_flight)

    def _write(self, **row: Any) -> int:
        number = len(self.rows)
        row = {"n": number, "time": time.time(), **row}
        self.rows.append(row)
        if self._file:
            self._file.write(json.dumps(row, sort_keys=True) + "\n")
        return number

    def quiet(self, timeout_s: float = 5.0) -> None:
        """Wait until nothing is in flight: a client has its reply a little before the server is done."""
        deadline = time.monotonic() + timeout_s
        while self.in_flight:
            assert time.monotonic() < deadline, f"{self.in_flight} requests are still in flight"
            time.sleep(0.005)

    def requests(self, path: str = "") -> list[dict[str, Any]]:
        """What began, in order; of one path."""
        return [r for r in self.rows if r["event"] == "began" and path in ("", r["path"])]


def headers_of(pairs: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers without keys."""
    found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs}
    return {name: value for name, value in found.items() if name not in SECRET}
