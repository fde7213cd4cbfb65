"""The part of `verify` that checks code: whether the newest runs' results were made by today's modules, and with the
library versions that are installed now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from scrollwork.pipeline.planner import describe_changes, source_changed
from scrollwork.pipeline.source_digest import exists, libraries, sources
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.tasks.overview.run import STAGE as OVERVIEW


def made_by_other_code(
    runs: Sequence[Mapping[str, Any]], artifacts: Sequence[Artifact], by_content: Mapping[str, Sequence[Artifact]]
) -> list[str]:
    """Return a line for each artifact whose key today's code would not produce.

    Only artifacts of the newest run of each slot are checked, and those that they were made from. Earlier versions of
    an artifact that nothing newer was made from are not reported.

    runs: rows of runs, the oldest first. by_content: artifacts by the digest that inputs name.
    """
    by_key = {artifact.manifest.ingredients.key(): artifact for artifact in artifacts}
    newest: dict[str, str] = {}
    for run in runs:
        newest |= run["keys"]
    known: dict[str, frozenset[str]] = {}

    def faults(artifact: Artifact) -> frozenset[str]:
        """Return the lines for one artifact and for all that it was made from."""
        made = artifact.manifest.ingredients
        key = made.key()
        if key not in known:
            why = difference(made)
            line = f"{artifact.folder}: was made by other code than is here ({why}); run again"
            behind = [  # several snapshots may hold the same answers: one without faults is enough
                min((faults(one) for one in by_content.get(content, ())), key=len, default=frozenset())
                for content in made.contents()
            ]
            known[key] = frozenset([line] if why else []).union(*behind)
        return known[key]

    return sorted(frozenset().union(*(faults(by_key[key]) for key in newest.values() if key in by_key)))


def difference(made: Ingredients) -> str:
    """Describe how today's code differs from the code in a key; "" if it does not.

    A key holds each module of a stage and everything that these import. So a module that is new here is always
    imported by one that is reported as changed.
    """
    now, installed = _now(tuple(sorted(made.source)))
    found = list(source_changed(made.source, now))
    found += describe_changes("library", made.libraries, installed, values=True)
    if "assets" in made.params:
        from scrollwork.reporting.page.files import STATISTICS, digest, report_digest
        from scrollwork.reporting.page.sections import sections_of

        own = (name for section in sections_of(made.params.get("sections", ())) for name in section.files)
        today = digest(*STATISTICS) if made.stage == OVERVIEW else report_digest(*own)
        found += describe_changes("parameter", {"assets": made.params["assets"]}, {"assets": today}, values=False)
    return "; ".join(found[:4]) + ("; ..." if len(found) > 4 else "")


@cache
def _now(modules: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Return today's digests of modules (those that still exist) and of what they import, and the library versions."""
    here = [module for module in modules if exists(module)]
    return sources(here), libraries(here)
