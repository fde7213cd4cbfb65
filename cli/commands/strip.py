"""scrollwork strip: a story of NarrativeQA as the benchmark holds it, and what was taken off (docs/narrativeqa.md)."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.datasets.narrative_qa import story_bytes, strip_story
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.stories.cut import StripResult, decode, tokens_at


def run(arguments: argparse.Namespace) -> int:
    """Print the stripped text; warnings on standard error. Raises UsageError, MalformedFile."""
    file = arguments.file
    if not os.path.lexists(file) or Path(file).is_dir():
        raise UsageError(f"{file}: {'is a folder' if Path(file).is_dir() else 'no such file'}; one story is wanted")
    if not Path(file).is_file():
        raise UsageError(f"{file}: is no file (a FIFO, a device, a dead link); one story is wanted")
    data = story_bytes(RawFiles("narrative_qa", {}), (file, Path(file)))
    result = strip_story(data, arguments.kind, arguments.start, arguments.end)
    text = decode(data)
    warnings = [*result.warnings, *check_words(file, text, result, arguments.start, arguments.end)]
    if not result.text.strip():
        raise MalformedFile(file, "", "", "holds no story: nothing is left", "empty field")
    if arguments.json:
        facts = {"rule": result.rule, "warnings": warnings}
        print_json({"text": result.text, "removed": removed_text(text, result), **facts})
        return 0
    print(result.text)
    sys.stdout.flush()
    for warning in warnings:
        say(f"{file}: {warning}")
    say(f"{file}: {result.rule}; cut {result.cut_start} / {result.cut_inside} / {result.cut_end} characters")
    return 0


def check_words(file: str, text: str, result: StripResult, start: str, end: str) -> list[str]:
    """Warnings of words that the file does not hold once. Raises MalformedFile where an end of the story rests on them
    alone."""
    warnings = []
    for option, words, cut in (("--start", start, result.cut_start), ("--end", end, result.cut_end)):
        found = len(tokens_at(text, words, 0, len(text))) if words.strip() else 1
        if found == 1:
            continue
        stands = "stand twice or more" if found else "do not stand"
        if cut:
            warnings.append(f"the words of {option} {stands} in it; a marker was found")
        else:
            column = f"story_{option[2:]} in documents.csv"
            problem = f"the words {words!r} {stands} in it, and no other marker was found: see {column}"
            raise MalformedFile(file, "", option, problem, "no marker")
    return warnings


def removed_text(text: str, result: StripResult) -> list[dict[str, Any]]:
    """What was taken off, front to back. Of tags in a page only the number of characters is known: text is null."""
    end = len(text) - result.cut_end
    inside: list[dict[str, Any]] = [
        {"where": "inside", "characters": b - a, "text": text[a:b]} for a, b in result.holes
    ]
    if result.cut_inside and not inside:
        inside = [{"where": "inside", "characters": result.cut_inside, "text": None}]
    front = {"where": "front", "characters": result.cut_start, "text": text[: result.cut_start]}
    back = {"where": "back", "characters": result.cut_end, "text": text[end:]}
    return [one for one in (front, *inside, back) if one["characters"]]
