"""Nights for the tests of their page: every third one is full, and one of them dropped."""

from __future__ import annotations

from datetime import date, timedelta

from scrollwork.records.nights.night import CANARY, FULL, REGRESSED, NightModel, NightRow, NightTask

HOSTILE = [
    "<script>window.ran.push(1)</script>",
    "</style><script>window.ran.push(1)</script>",
    "</title></svg><img src=x onerror=alert(1)>",
    '"><details open ontoggle=alert(1)>',
    "--><!--<script>",
    "{{ 7 * 7 }} {% raw %}",
    "\u202eevil\u202c \x1b[31mred\x07 nul\x00",
    "W" * 2**16,
]


def night(number: int) -> NightRow:
    """A night of one model and two tasks. Night 6 dropped on both, was muted, and tells why it was full."""
    full, dropped = number % 3 == 0, number == 6
    kind, inputs = (FULL, 2_500) if full else (CANARY, 25)
    state = REGRESSED if dropped else "unchanged" if full else "not compared"
    value = 80.0 - 5 * (number >= 6)
    tasks = tuple(
        NightTask(name, "es", value, value - 3, value + 3, inputs, inputs - (10 if full else 0), state,
                  muted_until="2026-12-24" if dropped else "", clusters=100)
        for name in ("qasper", "space_digest")
    )  # fmt: skip
    versions = ("g-2026-01", "g-2026-02") if dropped else ("g-2026-01",)
    cost = 12.3 if full else 0.12
    model = NightModel("m", "", versions, ("fp_1",), cost, 0, "", "A sentence.", False, tasks, ("root /models/one",))
    day, digest = date(2026, 1, 1) + timedelta(days=number), f"{number:016x}"
    return NightRow(
        f"{day.isoformat()}-{digest[-6:]}", digest, "zeroscrolls", "0" * 16, kind, number, ("--limit", "9"), "", "0.2.0",
        "", "f" * 64, "0" * 32 + ".scores.json.gz", (model,), ("version",) if dropped else (),
        "m: the reported version is g-2026-02, in 2026-01-04-000003 it was g-2026-01" if dropped else "",
    )  # fmt: skip


def nights(count: int) -> list[NightRow]:
    """So many nights, the oldest first."""
    return [night(number) for number in range(count)]
