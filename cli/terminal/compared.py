"""How `build --against` shows a comparison with a release: a row a task, then the first difference of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from scrollwork.cli.terminal.common import console, say
from scrollwork.exchange.against_release import comparisons, locate
from scrollwork.preprocessing.datasets.against_release import IN_ORDER, REFERENCES, Comparison, Difference
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.reporting.page.text import cut_text
from scrollwork.suites.parts import parts

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

Compared = Mapping[tuple[str, str], Comparison | MalformedFile]
COLUMNS: dict[str, Literal["left", "right"]] = {
    "task": "left",
    "split": "left",
    "ours": "right",
    "release": "right",
    "equal ids": "right",
    "paired": "right",
    "equal inputs": "right",
    "references": "right",
    "in order": "right",
    "offsets": "right",
}
NO_OFFSETS = ("input", REFERENCES, IN_ORDER)


class Against:
    """The built tasks of a request beside releases. Raises UsageError, MalformedFile for an unusable release."""

    def __init__(self, chain: Chain, given: Sequence[str]) -> None:
        self._chain = chain
        self._releases = locate(chain.request, given)
        self._compared: Compared = {}

    def compare(self) -> None:
        """Read what is built."""
        self._compared = comparisons(self._chain, self._releases)

    def as_json(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What `build --json` adds to a row."""
        one = self._compared.get((row["task"], row["split"]))
        if one is None:
            return {}
        return {"against": {"error": str(one)} if isinstance(one, MalformedFile) else one.to_json()}

    def show(self) -> None:
        """Print the comparison."""
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for name, side in COLUMNS.items():
            table.add_column(name, justify=side)
        lines: list[str] = []
        for (task, split), one in self._compared.items():
            if isinstance(one, MalformedFile):
                continue
            table.add_row(*(Text(cell) for cell in (task, split, *cells(one))))
            lines += [f"{task}, {split}: {line}" for line in remarks(one)]
        if table.row_count:
            console().print(table)
        for line in lines:
            console().print(Text(line))

    def tell_problems(self) -> bool:
        """Say which tasks were not compared; whether a release could not be read."""
        for part in parts(self._chain.request):
            if (part.task.name, part.split) not in self._compared:
                say(f"not compared: {part.task.name}, {part.split}: not built, or no release of it given")
        broken = [(name, one) for name, one in self._compared.items() if isinstance(one, MalformedFile)]
        for (task, split), error in broken:
            say(f"error: {task}, {split}: cannot be compared: {error}")
        return bool(broken)


def cells(one: Comparison) -> Iterator[str]:
    """Format the numbers of one row."""
    yield from (f"{len(one.ours):,}", f"{len(one.released):,}", percent(one.equal_ids))
    yield f"{one.paired.total():,}"
    yield from (percent(one.share(kind)) for kind in NO_OFFSETS)
    offsets = [share for kind in one.of if kind not in NO_OFFSETS and (share := one.share(kind)) is not None]
    yield percent(min(offsets) if offsets else None)


def percent(share: float | None) -> str:
    """Format a share with one decimal, never rounded up to 100; an en dash where there is none."""
    if share is None:
        return "–"
    return f"{min(100 * share, 99.9) if share < 1 else 100:.1f} %"


def remarks(one: Comparison) -> Iterator[str]:
    """Return remarks: how rows were paired, which were lost, the first differences."""
    for way, number in one.paired.items():
        if way != "id" and number:
            yield f"{number:,} inputs have other ids in the release and were paired by {way}"
    if one.unreadable:
        yield f"{one.unreadable:,} rows of the release cannot be read; the first: {cut_text(one.unreadable_first, 500)}"
    plain = one.to_json()
    for where, name in (("ours", plain["first_id_only_ours"]), ("the release", plain["first_id_only_release"])):
        if name is not None:
            yield f"first id only in {where}: {cut_text(name)}"
    for kind, difference in one.first.items():
        yield f"first difference in {kind}: {difference_text(difference)}"


def difference_text(difference: Difference) -> str:
    """Format one difference as one line."""
    names = difference.example_id
    if difference.released_id != names:
        names += f" (in the release {difference.released_id})"
    at = "" if difference.at is None else f", character {difference.at:,}"
    ours, released = (shown_value(value) for value in (difference.ours, difference.released))
    return f"{cut_text(names, 250)}{at}: ours {ours}, release {released}"


def shown_value(value: Any) -> str:
    """Format a value of any type for a message."""
    return "nothing" if value is None else cut_text(f"“{value}”" if isinstance(value, str) else str(value))
