"""Clusters of mention ids in a reply. SEAM, SciCo and ECB+ (seam.md 5).

Every [...] of digits, commas and spaces on a line is a cluster, wherever it stands; the first that is cut off behind the
last whole one is taken too. Ids are decimal digits without leading zeros and stay text: int() refuses more than 4,300
digits. Only ASCII digits count; [-1, 2] is no cluster, and ["3", "4"] is none.
"""

from __future__ import annotations

import json
import re

Clusters = list[list[str]]

WHOLE = re.compile(r"\[([0-9, ]*+)\]")
CUT_OFF = re.compile(r"\[([0-9, ]*+)")
FENCE = "```"


def clusters_in(reply: str) -> Clusters:
    """The clusters as written, empty ones left out; an id may stand in several, and twice in one."""
    runs = []
    end = 0
    for found in WHOLE.finditer(reply):
        runs.append(found[1])
        end = found.end()
    found_ids = [some for run in runs if (some := ids_in(run))]
    cut_off = (ids_in(found[1]) for found in CUT_OFF.finditer(reply, end))
    last = next(filter(None, cut_off), None)
    return [*found_ids, last] if last else found_ids


def ids_in(run: str) -> list[str]:
    """The ids of one run; commas and spaces part them, and nothing stands between two commas."""
    words = run.replace(",", " ").split()
    return [word.lstrip("0") or "0" for word in words] if "0" in run else words


def cluster_of(clusters: Clusters) -> dict[str, int]:
    """The place in the list of the cluster of each id: the last that holds it."""
    found: dict[str, int] = {}
    for place, some in enumerate(clusters):
        found.update(dict.fromkeys(some, place))
    return found


def is_list_of_lists(reply: str) -> bool:
    """Whether the whole reply, a code fence around it apart, is a JSON list of lists of integers, none empty."""
    try:
        found = json.loads(unfenced(reply))
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, list) or not found:
        return False
    return all(isinstance(some, list) and some and set(map(type, some)) == {int} for some in found)


def unfenced(reply: str) -> str:
    """The reply without a code fence around it."""
    text = reply.strip()
    if not (text.startswith(FENCE) and text.endswith(FENCE) and len(text) > 2 * len(FENCE)):
        return text
    inside = text[len(FENCE) : -len(FENCE)]
    return inside.partition("\n")[2] if inside.partition("\n")[0].strip().isalpha() else inside
