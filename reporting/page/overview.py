"""The page of `build` with the statistics of a suite: one HTML file without scripts that loads nothing, and SVG
files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.statistics import Bin, Distribution
from scrollwork.reporting.charts.figure import STYLE as FIGURES
from scrollwork.reporting.charts.figure import printed, words
from scrollwork.reporting.charts.histograms import Panel, panel_svg, shared_axis, sheet
from scrollwork.reporting.charts.spreads import spreads
from scrollwork.reporting.page.environment import environment
from scrollwork.reporting.page.files import styles
from scrollwork.reporting.page.sizes import Sizes, counted_by, merge_splits, sizes_of, title
from scrollwork.reporting.page.text import number, percent, percent_off, pooled

MEASURES = {
    "documents": "documents, data set whole",
    "tokens_in": "length in, data set whole",
    "tokens_out": "length out, data set whole",
    "words_in": "words in",
    "words_document": "words of documents",
    "words_out": "words out",
    "references": "references an input",
    "spread": "spread, words",
    "in_document": "answers in the document, share",
}


@dataclass(frozen=True)
class Overview:
    """The page of `build`. page: HTML. pictures: SVG by file name."""

    page: str
    pictures: Mapping[str, str]


@dataclass(frozen=True)
class Line:
    """A task and split (untrusted names). counted, bins: by measure. paper: what the paper prints for the split; means:
    for the task over all splits."""

    task: str
    split: str
    facts: Mapping[str, Any]
    counted: Mapping[str, Distribution]
    bins: Mapping[str, Sequence[Bin]]
    paper: Mapping[str, Any]
    means: Mapping[str, float]

    def difference(self, measure: str) -> float | None:
        """Difference of the mean from the paper's, in percent of the paper's."""
        return percent_off(self.counted[measure].mean, self.paper.get(measure))

    def panel(self, measure: str, several: bool) -> Panel:
        """The task's panel of a picture. several: whether there are several splits, so that its name has the split."""
        name = f"{self.task}, {self.split}" if several else self.task
        found = self.counted[measure]
        unit = f"{found.count:,} of {self.facts['pairs']:,} outputs" if measure == "spread" else UNITS[measure]
        return Panel(name, found, self.bins.get(measure, ()), self.paper.get(measure), unit)


@dataclass(frozen=True)
class Total:
    """A task over all its splits, as SCROLLS prints its means. means: by measure, {} if some split is not built."""

    task: str
    last_split: str
    inputs: int
    means: Mapping[str, float | None]
    paper: Mapping[str, Any]

    def difference(self, measure: str) -> float | None:
        """Difference of the mean from the paper's, in percent of the paper's."""
        return percent_off(self.means.get(measure), self.paper.get(measure))


UNITS = {"words_in": "inputs", "words_out": "outputs"}


def overview(
    params: Mapping[str, Any],
    distributions: Sequence[Distribution],
    bins: Sequence[Bin],
    facts: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Overview:
    """Make page and pictures; equal input gives equal bytes.

    params: title, tasks (name, split, paper: examples or rows, words_in; means: words_in, words_out over all splits;
    data_set: what the paper prints for the whole data set, if the suite draws from it), splits (of each task), paper
    (title, short, url), run (options). facts: by (task, split): examples, documents, references, pairs, tokenizer of
    data sets.
    """
    lines = [line(one, distributions, bins, facts) for one in params["tasks"]]
    several = len({one.split for one in lines}) > 1
    panels = {
        measure: [one.panel(measure, several) for one in lines if one.counted[measure].count] for measure in UNITS
    }
    measured = [one.panel("spread", several) for one in lines if one.counted["spread"].count]
    pictures = {}
    if panels["words_in"]:
        pictures["lengths-in.svg"] = sheet(panels["words_in"], f"{params['title']}: words of an input")
    if panels["words_out"]:
        pictures["lengths-out.svg"] = sheet(panels["words_out"], f"{params['title']}: words of an output")
    if measured:
        pictures["spread.svg"] = spreads(measured, alone=True)
    return Overview(page(params, lines, panels, measured), pictures)


def totals(lines: Sequence[Line], splits: Mapping[str, Sequence[str]]) -> list[Total]:
    """The tasks with several splits that are all built, and those for which the paper prints means over all splits.
    splits: all splits of a task, by task."""
    found = []
    for task in dict.fromkeys(one.task for one in lines):
        own = [one for one in lines if one.task == task]
        complete = len(own) > 1 and {one.split for one in own} == set(splits[task])
        if not complete and not own[-1].means:
            continue
        means: dict[str, float | None] = {}
        for measure in UNITS if complete else ():
            means[measure] = pooled((one.counted[measure].count, one.counted[measure].mean) for one in own)
        inputs = sum(one.counted["words_in"].count for one in own)
        found.append(Total(task, own[-1].split, inputs, means, own[-1].means))
    return found


def data_sets(params: Mapping[str, Any], lines: Sequence[Line]) -> list[Sizes]:
    """Sizes of the whole data sets from which a suite draws: of each split, then of all built splits of the task."""
    published = {one["name"]: one["data_set"] for one in params["tasks"] if "data_set" in one}
    found: dict[str, list[Sizes]] = {}
    for one in lines:
        if one.task in published and "tokenizer" in one.facts:
            counted = {measure: (row.count, row.mean) for measure, row in one.counted.items()}
            known = params["splits"][one.task]
            made = sizes_of(one.task, one.split, counted, one.facts["tokenizer"], known, published[one.task])
            found.setdefault(one.task, []).append(made)
    more = {task: [merge_splits(own, params["splits"][task])] for task, own in found.items() if len(own) > 1}
    return [one for task, own in found.items() for one in [*own, *more.get(task, [])]]


def line(
    task: Mapping[str, Any],
    distributions: Sequence[Distribution],
    bins: Sequence[Bin],
    facts: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Line:
    """The row of one task and split."""
    name, split = task["name"], task["split"]
    own = [one for one in bins if (one.task, one.split) == (name, split)]
    return Line(
        task=name,
        split=split,
        facts=facts[name, split],
        counted={row.measure: row for row in distributions if (row.task, row.split) == (name, split)},
        bins={measure: [one for one in own if one.measure == measure] for measure in {one.measure for one in own}},
        paper=task["paper"],
        means=task["means"],
    )


def page(
    params: Mapping[str, Any], lines: Sequence[Line], panels: Mapping[str, Sequence[Panel]], measured: Sequence[Panel]
) -> str:
    """Render the HTML page."""
    from markupsafe import Markup

    drawn = {
        measure: [Markup(panel_svg(panel, shared_axis(listed))) for panel in listed]
        for measure, listed in panels.items()
    }
    surroundings = environment()
    surroundings.filters |= {"words": words_or_dash, "percent": percent, "printed": dash_or_printed, "splits": title}
    sizes = data_sets(params, lines)
    style = styles("pages.css") + FIGURES + styles("statistics.css")
    return surroundings.get_template("statistics.html").render(
        style=Markup(style),
        title=params["title"],
        run=dict(params["run"]),
        paper=params["paper"],
        lines=lines,
        sizes=sizes,
        counted_by=counted_by(sizes[0].tokenizer) if sizes else "",
        totals=totals(lines, params["splits"]),
        loop_ends=lambda one, total: (one.task, one.split) == (total.task, total.last_split),
        measures=MEASURES,
        panels=drawn,
        spreads=Markup(spreads(measured, alone=False)) if measured else "",
        inputs=sum(one.facts["examples"] for one in lines),
        places={"references": 2, "in_document": 3},
    )


def words_or_dash(value: float | None, places: int | None = None) -> str:
    """A length in words; an en dash for None."""
    return "–" if value is None else words(value) if places is None else number(value, places)


def dash_or_printed(value: float | None) -> str:
    """A published length as printed; an en dash for None."""
    return "–" if value is None else printed(value)
