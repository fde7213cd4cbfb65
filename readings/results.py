"""Read the results of a chain from its artifacts: rows for people and for --json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrollwork.fetching.upstream import upstream_of
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.planner import Planner
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.run_outcome import Outcome
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.raw_file import RawFile
from scrollwork.records.score import Aggregate
from scrollwork.reporting.page.text import percent_off, pooled
from scrollwork.scoring.outcome import PRIVATE
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.suites.parts import Part, parts
from scrollwork.suites.suite_files import data_set_sizes, paper_means, paper_sizes
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE
from scrollwork.tasks.generate.run import STAGE as GENERATE
from scrollwork.tasks.predictions import STAGE as PREDICTIONS
from scrollwork.tasks.report.known_files import KnownFiles
from scrollwork.tasks.report.run import STAGE as REPORT

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.reporting.page.sizes import Sizes
    from scrollwork.tasks.report.ledger import Ledger

MOST = 3  # most different failures that are listed for a model
FAILED = {"transient": "failed for now (the same command asks again)", "terminal": "failed for good (--retry-failed)"}
ANSWERING = (GENERATE, PREDICTIONS)
FAILED_ELSEWHERE = {"terminal": "ended with an error where it ran"}


class Results:
    """The results of a chain, read from its artifacts as they are when this object is made."""

    def __init__(self, chain: Chain) -> None:
        self.request = chain.request
        self._chain = chain
        self._planner = Planner(chain.session)

    def artifact(self, node: Node) -> Artifact | None:
        """Return the artifact of a node, None if it does not exist."""
        status = self._planner.status(node)
        return status.artifact if status.state in ("reused", "partial") else None

    def built(self) -> list[dict[str, Any]]:
        """Return a row for each task and split, as `build --json` prints it; tasks that failed are left out."""
        rows = []
        sizes, known = self.sizes(), KnownFiles(upstream_of(self.request.config))
        for part in parts(self.request):
            curated, sampled = self.artifact(self._chain.curate(part)), self.artifact(self._chain.sample(part))
            prompted = [self.artifact(node) for node in part.each_shard(self._chain.prompt)]
            whole = [artifact for artifact in prompted if artifact is not None]
            if curated is None or sampled is None or len(whole) < len(prompted):
                continue
            prompts, words = (sum(artifact.facts[name] for artifact in whole) for name in ("prompts", "words"))
            rows.append(
                {
                    "task": part.task.name,
                    "split": part.split,
                    "examples": sampled.facts["examples"],
                    "documents": sampled.facts["documents"],
                    "references": sampled.facts["references"],
                    "mean_words": words / prompts if prompts else None,
                    **self.statistics(part),
                    **in_whole(sizes.get(part.task.name, []), part.split, list(part.task.splits)),
                    "dropped": curated.facts["dropped"],
                    "malformed": curated.facts["malformed"],
                    "errors": curated.facts["errors"],
                    "raw": known.compared(curated).plain(),
                    "artifact": str(sampled.folder),
                    **({"release": release_facts(part, curated, sampled)} if part.imported else {}),
                }
            )
        for row in rows:
            if means := paper_means(self.request.config.published, row["task"]):
                own = [one for one in rows if one["task"] == row["task"]]
                row["all_splits"] = over_splits(own, self.request.config.tasks[row["task"]].splits, means)
        return rows

    def statistics(self, part: Part) -> dict[str, Any]:
        """Return the statistics of a task and split beside the paper's; differences are in percent of the paper's.

        statistics: by measure (records/statistics.py), empty if that stage failed.
        """
        artifact = self.artifact(self._chain.statistics(part))
        counted = artifact.facts["distributions"] if artifact is not None else {}
        paper = paper_sizes(self.request.config.published, part.task, part.split)
        means = {name: counted.get(name, {}).get("mean") for name in ("words_in", "words_out")}
        return {
            "words_out": means["words_out"],
            "spread_median": counted.get("spread", {}).get("median"),
            "published": paper,
            "difference": {name: percent_off(mean, paper.get(name)) for name, mean in means.items()},
            "statistics": counted,
        }

    def sizes(self) -> dict[str, list[Sizes]]:
        """Return the sizes of the whole data sets from which a suite draws, one for each split, by task.

        Empty for a suite that does not rank models, which draws nothing.
        """
        if not self._chain.design.ranked:
            return {}
        from scrollwork.reporting.page.sizes import sizes_of  # for suites that draw only

        found: dict[str, list[Sizes]] = {}
        for part in parts(self.request):
            artifact = self.artifact(self._chain.statistics(part))
            if artifact is None:
                continue
            name, facts = part.task.name, artifact.facts
            counted = {measure: (one["count"], one["mean"]) for measure, one in facts["distributions"].items()}
            published = data_set_sizes(self.request.config.published, name)
            one = sizes_of(name, part.split, counted, facts["tokenizer"], list(part.task.splits), published)
            found.setdefault(name, []).append(one)
        return found

    def imports(self) -> list[str]:
        """Return a line for each task that comes from an official release."""
        lines = []
        if not any(part.imported for part in parts(self.request)):
            return []
        for row in self.built():
            if (release := row.get("release")) is None:
                continue
            line = f"{row['task']}, {row['split']}: imported from the official release {release['file']}"
            if release["published"] not in (None, release["inputs"]) and not self.request.limit:
                line += f"; it holds {release['inputs']:,} inputs, the paper counts {release['published']:,}"
            if release["own_literals"]:
                line += f"; {release['own_literals']:,} prompts keep wording of the release that is not the paper's"
            lines.append(line)
        return lines

    def bad_records(self, most: int) -> tuple[int, list[Drop]]:
        """Return (the number of malformed records behind this request, also of reused stages; the first `most`)."""
        total, found = 0, list[Drop]()
        for part in parts(self.request):
            artifact = self.artifact(self._chain.curate(part))
            if artifact is not None and artifact.facts["errors"]:
                total += artifact.facts["errors"]
                bad = (drop for drop in artifact.rows("drops", Drop) if drop.error)
                found += islice(bad, most - len(found))
        return total, found

    def dropped(self) -> list[str]:
        """Return a line for each task and split that left records out: malformed and filtered ones, by reason."""
        lines = []
        for part in parts(self.request):
            artifact = self.artifact(self._chain.curate(part))
            if artifact is not None and artifact.facts["dropped"]:
                lines.append(
                    f"{self._chain.curate(part).title.removeprefix('curate ')}: {left_out_text(artifact.facts)}"
                )
        return lines

    def unanswered(self, report: Node) -> list[str]:
        """Return a line for each task and model with unanswered inputs."""
        artifact = self.artifact(report)
        rows = list(artifact.rows("aggregates", Aggregate)) if artifact is not None else []
        return [
            f"{row.task}, {row.model}: {row.coverage.answered:,} of {row.coverage.expected:,} inputs are answered "
            f"({row.coverage.failed:,} failed, {row.coverage.missing:,} missing)"
            for row in rows
            if not row.coverage.complete and row.coverage.expected
        ]

    def failures(self, outcome: Outcome) -> list[str]:
        """Return the most frequent messages of each model's failed calls, and whether these calls are sent again."""
        found: dict[str, Counter[str]] = {}
        for node in (one.node for one in outcome.finished if one.node.stage in ANSWERING and not one.error):
            artifact = self.artifact(node)
            told = FAILED if node.stage == GENERATE else FAILED_ELSEWHERE
            for row in [] if artifact is None else artifact.columns("failures", ["kind", "message"]):
                what = f"{told[row['kind']]}: {printable(row['message'], 200)}"
                found.setdefault(node.label("model"), Counter())[what] += 1
        return [
            f"{name}: {count:,} {what}" for name, counts in found.items() for what, count in counts.most_common(MOST)
        ]

    def matched(self, outcome: Outcome) -> list[dict[str, Any]]:
        """Return a row for each task and split with predictions from files.

        missing: ids without a prediction. unknown: ids of predictions without an input. left_out: how many predictions
        are for inputs that were not chosen.
        """
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for node in (one.node for one in outcome.finished if one.node.stage == PREDICTIONS and not one.error):
            if (artifact := self.artifact(node)) is None:
                continue
            name = node.label("task"), node.label("split")
            empty = {"task": name[0], "split": name[1], "missing": [], "unknown": artifact.facts["unknown_ids"]}
            row = rows.setdefault(name, {**empty, "left_out": artifact.facts["left_out"]})
            row["missing"] += artifact.facts["missing_ids"]  # of this shard; the others are the same in all
        return list(rows.values())

    def without_gold(self, outcome: Outcome) -> list[str]:
        """Return a line for each task, split and reason why inputs cannot be scored."""
        found: dict[str, None] = {}
        for node in (one.node for one in outcome.finished if one.node.stage == AGGREGATE and not one.error):
            artifact = self.artifact(node)
            reasons = artifact.facts["without_gold"] if artifact is not None else {}
            for reason, count in reasons.items():
                advice = (
                    "; only the benchmark's server scores them, so export the submission" if reason == PRIVATE else ""
                )
                found[f"{node.label('task')}, {node.label('split')}: {count:,} inputs: {reason}{advice}"] = None
        return list(found)

    def ledger(self, report: Node | None) -> Ledger | None:
        """Return the ledger that a report was made from, None if there is no report."""
        from scrollwork.tasks.report.ledger import read_ledger  # loads chart libraries, which a build does not need

        artifact = self.artifact(report) if report is not None else None
        if report is None or artifact is None:
            return None
        return read_ledger(artifact, report.params, filter(None, map(self.artifact, report.each("after_all_scores"))))


def over_splits(rows: list[dict[str, Any]], known: Collection[str], published: Mapping[str, float]) -> dict[str, Any]:
    """Return mean lengths over the built splits of a task, beside the paper's over all of its splits (`known`).

    difference: in percent of the paper's, None unless all of these splits are built.
    """
    splits = [row["split"] for row in rows]
    counted = {name: [row["statistics"].get(name, {}) for row in rows] for name in published}
    whole = set(splits) == set(known) and all(all(found) for found in counted.values())
    means = {name: pooled((one["count"], one["mean"]) for one in found if one) for name, found in counted.items()}
    difference = {name: percent_off(means[name], published[name]) if whole else None for name in published}
    return {"splits": splits, "whole": whole, **means, "published": dict(published), "difference": difference}


def in_whole(listed: list[Sizes], split: str, known: list[str]) -> dict[str, Any]:
    """Return sizes of the whole data set of a split (data_set), and of all splits that were read (data_sets_read).

    Empty if no sizes are listed for the split.
    """
    own = [one for one in listed if one.splits == (split,)]
    if not own:
        return {}
    from scrollwork.reporting.page.sizes import merge_splits  # as above

    return {"data_set": own[0].plain(), "data_sets_read": merge_splits(listed, known).plain()}


def release_facts(part: Part, curated: Artifact, sampled: Artifact) -> dict[str, Any]:
    """Return facts on an imported task: the file, the number of its inputs and the paper's (None if unknown), how many
    inputs have wording of their own (own_literals), and how many no public reference (private)."""
    (file,) = curated.rows("raw_files", RawFile)
    return {
        "file": file.path,
        "inputs": curated.facts["examples"],
        "published": part.task.paper.get("examples") if part.split == "test" else None,
        "own_literals": curated.facts["own_literals"],
        "private": sum(not example.references for example in sampled.rows("examples", Example)),
    }


def report_of(outcome: Outcome) -> Node | None:
    """Return the report node of a run, None if there is none or it failed."""
    last = outcome.finished[-1]
    return last.node if last.node.stage == REPORT and not last.error else None


def left_out_text(facts: Mapping[str, Any]) -> str:
    """Describe what a curated artifact left out: '2 malformed (wrong type 2), 1 filtered (too few reviews 1)'."""
    malformed = facts["malformed"]
    filtered = {reason: count - malformed.get(reason, 0) for reason, count in facts["dropped"].items()}
    pieces = []
    for kind, counts in (("malformed", malformed), ("filtered", filtered)):
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts.items() if count)
        if reasons:
            pieces.append(f"{sum(counts.values()):,} {kind} ({reasons})")
    return ", ".join(pieces)
