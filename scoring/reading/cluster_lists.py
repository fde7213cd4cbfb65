"""Clusters of mention ids in a reply. SEAM, SciCo and ECB+ (seam.md 5).

Every [...] of digits, commas and spaces on a line is a cluster, wherever it stands; the first that is cut off behind
the last whole one is taken too. Ids are decimal digits without leading zeros and stay text: int() refuses more than
4,300 digits. Only ASCII digits count; [-1, 2] is no cluster, and ["3", "4"] is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import islice

Clusters = list[list[str]]

WHOLE = re.compile(r"\[([0-9, ]*+)\]")
CUT_OFF = re.compile(r"\[([0-9, ]*+)")
FENCE = "```"


def clusters_in(reply: str) -> Clusters:
    """The clusters as written, empty ones left out; an id may stand in several, and twice in one."""
    return ids_in(runs_in(reply))


def runs_in(reply: str) -> list[str]:
    """What stands between the brackets of each cluster: digits, commas, spaces, and one id at least."""
    whole = list(WHOLE.finditer(reply))
    runs = [found[1] for found in whole if found[1].strip(", ")]
    behind = whole[-1].end() if whole else 0
    cut_off = (found[1] for found in CUT_OFF.finditer(reply, behind) if found[1].strip(", "))
    return [*runs, *islice(cut_off, 1)]


def ids_in(runs: Iterable[str]) -> Clusters:
    """The ids of each run; commas and spaces part them, and nothing stands between two commas."""
    return [
        [word.lstrip("0") or "0" for word in words] if "0" in {word[0] for word in words} else words
        for words in (run.replace(",", " ").split() for run in runs)
    ]


def cluster_of(clusters: Clusters) -> dict[str, int]:
    """The place in the list of the cluster of each id: the last that holds it."""
    return {name: place for place, some in enumerate(clusters) for name in some}


def is_list_of_lists(reply: str) -> bool:
    """Whether the whole reply, a code fence around it apart, is a JSON list of lists of integers, none empty."""
    try:
        found = json.loads(without_fence(reply))
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, list) or not found:
        return False
    return all(isinstance(some, list) and some and set(map(type, some)) == {int} for some in found)


def without_fence(reply: str) -> str:
    """The reply without a code fence around it."""
    text = reply.strip()
    if not (text.startswith(FENCE) and text.endswith(FENCE) and len(text) > 2 * len(FENCE)):
        return text
    inside = text[len(FENCE) : -len(FENCE)]
    return inside.partition("\n")[2] if inside.partition("\n")[0].strip().isalpha() else inside
