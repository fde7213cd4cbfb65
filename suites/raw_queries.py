"""Which raw files a task is curated from, and the parameters of its curation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scrollwork.pipeline.plan import RawQuery
from scrollwork.preprocessing.curation import PROMPTS, PROMPTS_MODULE, module_of
from scrollwork.suites.parts import Part
from scrollwork.suites.releases import release_options, release_query, upstream_values


@dataclass(frozen=True)
class Curation:
    """raw: the files. options: of the data set's module. modules: those that curation loads by name."""

    raw: RawQuery
    options: dict[str, Any]
    modules: tuple[str, ...]


def curation_of(part: Part) -> Curation:
    """A task's own raw files, or its official release where these are missing and that is there."""
    task, request = part.task, part.request
    if part.imported:
        raw = release_query(request, task, part.split)
        return Curation(raw, release_options(task), (module_of(raw.dataset),))
    options = {**request.options_of(task), **({"seed": part.seed} if task.seeded else {})}
    raw = RawQuery(task.dataset, task.raw, {**upstream_values(request, task, part.split), **options})
    prompts = (PROMPTS_MODULE,) if PROMPTS in task.raw else ()
    return Curation(raw, options, (module_of(task.dataset), *prompts))
