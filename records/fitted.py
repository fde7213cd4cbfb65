"""Values that a heuristic rule learned from examples with known outputs."""

from dataclasses import dataclass

from scrollwork.records.base import Row

KINDS = ("lead", "lead_input", "position", "by_query")


@dataclass(frozen=True)
class Fitted(Row):
    """One value of a fitted rule.

    kind: the rule. query: what it applies to, "" for every input. number: a ratio (lead, lead_input); choice: the
    majority's answer (position, by_query). cases: number of examples behind it; share: of the majority among them, 0 to
    1.
    """

    kind: str
    query: str
    number: float | None
    choice: str | None
    cases: int
    share: float | None

    def check(self) -> None:
        self.require(self.kind in KINDS, "kind", f"{self.kind!r} is none of {', '.join(KINDS)}")
        self.require((self.number is None) != (self.choice is None), "number", "a value is a number or a choice")
        self.require(self.cases > 0, "cases", "nothing was looked at")
