"""Clusters of mention ids in a reply: SEAM's SciCo and ECB+ (seam.md 5).

Every [...] of digits, commas and spaces on a line is a cluster, wherever it is; so is the first one that is cut off
after the last complete one. Ids are decimal digits without leading zeros and stay text: int() refuses more than 4,300
digits. Only ASCII digits count; neither [-1, 2] nor ["3", "4"] is a cluster.
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
    """Return the clusters as written, except empty ones; an id may be in several, and twice in one."""
    return ids_in(runs_in(reply))


def runs_in(reply: str) -> list[str]:
    """Return the text between the brackets of each cluster: digits, commas, spaces, and at least one id."""
    whole = list(WHOLE.finditer(reply))
    runs = [found[1] for found in whole if found[1].strip(", ")]
    behind = whole[-1].end() if whole else 0
    cut_off = (found[1] for found in CUT_OFF.finditer(reply, behind) if found[1].strip(", "))
    return [*runs, *islice(cut_off, 1)]


def ids_in(runs: Iterable[str]) -> Clusters:
    """Return the ids of each run, separated by commas and spaces; nothing between two commas is no id."""
    return [
        [word.lstrip("0") or "0" for word in words] if "0" in {word[0] for word in words} else words
        for words in (run.replace(",", " ").split() for run in runs)
    ]


def cluster_of(clusters: Clusters) -> dict[str, int]:
    """Return for each id the list index of the last cluster that has it."""
    return {name: place for place, some in enumerate(clusters) for name in some}


def is_list_of_lists(reply: str) -> bool:
    """Return whether the reply, apart from a code fence around it, is a JSON list of lists of integers, none empty."""
    try:
        found = json.loads(without_fence(reply))
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, list) or not found:
        return False
    return all(isinstance(some, list) and some and set(map(type, some)) == {int} for some in found)


def without_fence(reply: str) -> str:
    """Return the reply without a code fence around it."""
    text = reply.strip()
    if not (text.startswith(FENCE) and text.endswith(FENCE) and len(text) > 2 * len(FENCE)):
        return text
    inside = text[len(FENCE) : -len(FENCE)]
    return inside.partition("\n")[2] if inside.partition("\n")[0].strip().isalpha() else inside
