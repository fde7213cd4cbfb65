"""CSV rows do not depend on what else was read in this process."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest

from scrollwork.preprocessing.raw.csv_rows import LONGEST, csv_rows
from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord

ROWS = ["a,b", "1," + "x" * LONGEST, "2," + "x" * (LONGEST + 1), "3,y", ""]


@pytest.fixture(params=[1 << 17, 64 << 20])
def limit(request: pytest.FixtureRequest) -> Iterator[None]:
    """The limit of the whole process: csv's own, and the one that readers of submissions set."""
    before = csv.field_size_limit(request.param)
    yield
    csv.field_size_limit(before)


@pytest.mark.usefixtures("limit")
def test_a_long_cell_is_broken_or_whole_by_what_was_read_before() -> None:
    found = [
        str(one) if isinstance(one, MalformedRecord) else (one[0], one[1]["a"])
        for one in csv_rows("\n".join(ROWS), "f.csv", ["a", "b"])
    ]
    broken = f"f.csv, line 3: is not CSV: field larger than field limit ({LONGEST})"
    assert found == [("line 2", "1"), broken, ("line 4", "3")]


@pytest.mark.usefixtures("limit")
def test_a_quote_that_swallows_rows_costs_them_alone() -> None:
    swallowed = [ROWS[0], '1,"x', "y" * (LONGEST + 1), '2,z"', "3,w"]
    with pytest.raises(MalformedFile, match=r"f\.csv, line 2: is not CSV: field larger than field limit"):
        list(csv_rows("\n".join(swallowed), "f.csv", ["a", "b"]))
