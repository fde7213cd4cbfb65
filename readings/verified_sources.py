"""What `verify` says of code: whether what the newest runs stand on was made by the modules that are here now, and with
the versions of libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from scrollwork.pipeline.planner import changed, source_changed
from scrollwork.pipeline.source_digest import exists, libraries, sources
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.tasks.overview.run import STAGE as OVERVIEW


def made_by_other_code(
    runs: Sequence[Mapping[str, Any]], artifacts: Sequence[Artifact], by_content: Mapping[str, Sequence[Artifact]]
) -> list[str]:
    """A line for each artifact that the newest run of its slot left, or that such a one was made from, and that today's
    code would not give this key. Earlier versions of an artifact, on which nothing of this stands, are no fault.

    runs: rows of runs, the oldest first. by_content: artifacts as inputs name them.
    """
    by_key = {artifact.manifest.ingredients.key(): artifact for artifact in artifacts}
    newest: dict[str, str] = {}
    for run in runs:
        newest |= run["keys"]
    known: dict[str, frozenset[str]] = {}

    def faults(artifact: Artifact) -> frozenset[str]:
        """Lines for an artifact and what it was made from."""
        made = artifact.manifest.ingredients
        key = made.key()
        if key not in known:
            why = difference(made)
            line = f"{artifact.folder}: was made by other code than is here ({why}); run again"
            behind = [  # equal answers may stand in several snapshots, of other times: one of them is enough
                min((faults(one) for one in by_content.get(content, ())), key=len, default=frozenset())
                for content in made.contents()
            ]
            known[key] = frozenset([line] if why else []).union(*behind)
        return known[key]

    return sorted(frozenset().union(*(faults(by_key[key]) for key in newest.values() if key in by_key)))


def difference(made: Ingredients) -> str:
    """What is other in the code from which a key was made, in words; "" where nothing is.

    The modules of a key are everything that each of them imports: a module that is new in it is imported by one that
    changed.
    """
    now, installed = _now(tuple(sorted(made.source)))
    found = list(source_changed(made.source, now))
    found += changed("library", made.libraries, installed, values=True)
    if "assets" in made.params:
        from scrollwork.reporting.page.files import STATISTICS, digest, report_digest
        from scrollwork.reporting.page.sections import sections_of

        own = (name for section in sections_of(made.params.get("sections", ())) for name in section.files)
        today = digest(*STATISTICS) if made.stage == OVERVIEW else report_digest(*own)
        found += changed("parameter", {"assets": made.params["assets"]}, {"assets": today}, values=False)
    return "; ".join(found[:4]) + ("; ..." if len(found) > 4 else "")


@cache
def _now(modules: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Today's digests of modules and of what they import, without those that are gone; versions of their libraries."""
    here = [module for module in modules if exists(module)]
    return sources(here), libraries(here)
