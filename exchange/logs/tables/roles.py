"""Which columns of a plain table of scores say what: id, cluster, model, task, prompt, repeat, and the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrollwork.analysis.logs.log import ReadOptions, log_error
from scrollwork.exchange.logs.columns import CLUSTER_FIELDS, ID_FIELDS

SCORE_FIELDS = ("score", "value")
REPEAT_FIELDS = ("repeat", "epoch", "seed", "draw", "trial")
POSITION_FIELDS = ("position", "index", "row", "doc_id")
PROMPT_FIELDS = ("prompt_sha256", "prompt")
NO_METRIC = frozenset((*ID_FIELDS, *CLUSTER_FIELDS, *REPEAT_FIELDS, *POSITION_FIELDS, *PROMPT_FIELDS, "model", "task"))
WANTED = (
    f"wanted are a column with an id ({', '.join(ID_FIELDS)}; or name it with --id), one with a score "
    f"({', '.join(SCORE_FIELDS)}, or any with numbers), and where you have them cluster, model, task, prompt"
)


@dataclass(frozen=True)
class Roles:
    """Names of a table's columns by what they say; "" or () where there is none.

    metrics: columns with scores, `score` and `value` first. others: columns that are none of these, so far as the names
    say: those with numbers are metrics too.
    """

    id: str
    cluster: str
    model: str
    task: str
    prompt: str
    position: str
    repeats: tuple[str, ...]
    metrics: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the columns that are read as text."""
        named = (self.id, self.cluster, self.model, self.task, self.prompt, self.position, *self.repeats)
        return tuple(dict.fromkeys(name for name in named if name))


def roles_of(path: Path, columns: Sequence[str], options: ReadOptions) -> Roles:
    """Return which column says what. Raises LogError naming the columns if one is there twice or none is an id."""
    twice = {name for name in columns if list(columns).count(name) > 1}
    if twice:
        raise log_error(path, "the columns", f"{min(twice)!r} is there twice; rename one")
    for flag, name in (("--id", options.id_field), ("--by", options.cluster_field)):
        if name and name not in columns:
            raise log_error(
                path, "the columns", f"{flag} {name}: there is no such column; there are: {column_list(columns)}"
            )
    lower: dict[str, str] = {}
    for name in columns:
        lower.setdefault(name.strip().lower(), name)
    own = options.id_field or first(ID_FIELDS, lower)
    prompt = first(PROMPT_FIELDS, lower)
    if not own and not prompt:
        raise log_error(
            path, "the columns", f"none holds an id of the item: there are {column_list(columns)}; {WANTED}"
        )
    taken = {own, options.cluster_field} | {lower[name] for name in lower.keys() & NO_METRIC}
    scores = tuple(lower[name] for name in SCORE_FIELDS if name in lower and lower[name] not in taken)
    return Roles(
        id=own,
        cluster=options.cluster_field or next((lower[f] for f in CLUSTER_FIELDS if lower.get(f, own) != own), ""),
        model=lower.get("model", ""),
        task=lower.get("task", ""),
        prompt=prompt,
        position=first(POSITION_FIELDS, lower),
        repeats=tuple(lower[name] for name in REPEAT_FIELDS if name in lower),
        metrics=scores,
        others=tuple(name for name in columns if name and name not in taken and name not in scores),
    )


def first(names: Sequence[str], columns: Mapping[str, str]) -> str:
    """Return the column of the first of these names that a table has, "" if it has none."""
    return next((columns[name] for name in names if name in columns), "")


def column_list(columns: Sequence[str]) -> str:
    """Return the names of columns for a message, at most 20."""
    return ", ".join(map(str, columns[:20])) + (", ..." if len(columns) > 20 else "") if columns else "none"
