"""The commands whose output is recorded, and how two outputs are compared.

A suite's commands share a home and run in order. Keys, digests and folders differ between homes and commits, and are
written as KEY, HOME and so on; all else that is said must stay as it is, or its change be meant.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.conftest import Scrollwork

FOLDER = Path(__file__).parent
SAMPLE, REAL = "sample", "real"
CLOSE = 1e-9  # of numbers, relative: other machines add in another order
TOLD = 20  # differences that are named

RUNS: dict[str, dict[str, tuple[str, ...]]] = {
    SAMPLE: {
        "zeroscrolls": ("--model", "naive", "--model", "lead", "--model", "bm25", "--model", "oracle"),
        "scrolls": ("--model", "naive", "--model", "lead"),
        "seam": ("--runs", "3", "--model", "naive", "--model", "lead", "--model", "same-head"),
        "dolce": ("--model", "planted:noise=0.2", "--strategy", "take:5"),
    },
    REAL: {
        "zeroscrolls": ("--limit", "40", "--model", "naive", "--model", "lead"),
        "scrolls": ("--limit", "40", "--model", "lead:fit_split=validation"),
        "seam": ("--limit", "20", "--runs", "2", "--model", "naive", "--model", "lead"),
        "dolce": ("--limit", "3", "--model", "bm25", "--strategy", "sample:0.05"),
    },
}
TASKS: dict[str, tuple[str, ...]] = {  # of real data, where it lacks files of others
    "zeroscrolls": ("qmsum", "squality", "space_digest", "book_sum_sort", "musique"),
    "scrolls": ("qmsum", "contract_nli"),
    "seam": ("musique", "ecb_plus", "fuse_reviews"),
    "dolce": ("leval_quality", "bamboo_altqa", "longbench_trec"),
}
EXPORTS: dict[str, tuple[str, ...]] = {
    "zeroscrolls": ("hf", "prompts", "submission"),
    "scrolls": ("hf", "prompts"),
    "seam": ("hf", "prompts"),
    "dolce": ("prompts", "observations"),
}
# Logs for other tools, of the last model of a run: they hold clocks, and are named and sorted by them.
LOGS: dict[str, tuple[str, ...]] = {
    "zeroscrolls": ("inspect", "lm-eval", "eee"),
    "scrolls": ("inspect", "lm-eval", "eee"),
    "seam": ("inspect",),
    "dolce": (),  # its inputs are windows, which these formats cannot name
}


def recorded(source: str, suite: str) -> Path:
    """The file of what was recorded."""
    return FOLDER / f"{source}_{suite}.json"


def play(work: Scrollwork, source: str, suite: str, folder: Path, raw: Path | None = None) -> dict[str, Any]:
    """What a suite's commands say, by their names. folder: for what they export. raw: of real data."""
    places = {str(folder): "OUT", str(work.home): "HOME", str(work.root): "TREE"}
    data: tuple[str, ...] = ("--sample",)
    if raw is not None:
        places[str(raw)] = "RAW"
        data = ("--raw", str(raw), *(word for task in TASKS[suite] for word in ("--task", task)))
    of_run = (*data, *RUNS[source][suite])
    of_build = (*data, *_without(RUNS[source][suite], "--model"))
    found: dict[str, Any] = {}

    def note(name: str, *command: str, status: int | None = 0) -> None:
        found[name] = plain(work(*command, "--json", status=status).document, places)

    note("build", "build", suite, *of_build, "--engine", "inline")
    note("plan before", "plan", suite, *of_run)
    note("run", "run", suite, *of_run, "--engine", "inline")
    note("plan", "plan", suite, *of_run)
    note("report", "report", suite)
    note("verify", "verify")
    found["page"] = tables(work.home / "reports" / f"{suite}.html", places)
    for kind in EXPORTS[suite]:
        out = folder / kind
        one = RUNS[source][suite]
        model = () if kind in ("hf", "prompts") else ("--model", one[one.index("--model") + 1])
        rest = _without(RUNS[source][suite], "--model", *(("--strategy",) if kind == "hf" else ()))
        note(f"export {kind}", "export", kind, suite, *data, *rest, *model, "--out", str(out), status=None)
        found[f"files {kind}"] = {
            said(path.relative_to(folder).as_posix(), places): digest(path, places) for path in files(out)
        }
    for kind in LOGS[suite]:
        out = folder / kind
        one = [value for name, value in pairs(RUNS[source][suite]) if name == "--model"][-1]
        rest = _without(RUNS[source][suite], "--model")
        note(f"export {kind}", "export", kind, suite, *data, *rest, "--model", one, "--out", str(out), status=None)
        found[f"export {kind}"]["files"] = sorted(LOG.sub("KEY", name) for name in found[f"export {kind}"]["files"])
        found[f"files {kind}"] = dict(sorted(logs(folder, out, places)))
    return found if raw is None else hidden(found)


def logs(folder: Path, out: Path, places: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(name, digest) of the files of logs; an archive's is over its members. Sums are in the order of names, and so of
    clocks: their lines are sorted."""
    for path in files(out):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                texts = [f"{name}\n{archive.read(name).decode()}" for name in sorted(archive.namelist())]
        else:
            texts = path.read_text(encoding="utf-8").splitlines(keepends=True)
        texts = [said_in_log(text, places) for text in texts]
        whole = "".join(sorted(texts) if path.name == "SHA256SUMS" else texts)
        name = said_in_log(path.relative_to(folder).as_posix(), places)
        yield name, hashlib.sha256(whole.encode()).hexdigest()


def said_in_log(text: str, places: dict[str, str]) -> str:
    """As `said`, without the numbers that are made of clocks and keys; fractions to nine digits, for the last ones differ
    between machines, and many digits would be taken for a key."""
    text = TIMES.sub("TIME", TOOK.sub("SECONDS", text))
    text = FRACTION.sub(lambda found: f"{float(found[0]):.9g}", text)
    return LOG.sub("KEY", said(text, places))


SHOWN = 30  # characters of what real data says: the rest of a text is a digest, the texts of others stay where they are


def hidden(value: Any) -> Any:
    """A value whose longer texts are digests."""
    if isinstance(value, dict):
        return {name: hidden(one) for name, one in value.items()}
    if isinstance(value, list):
        return [hidden(one) for one in value]
    if isinstance(value, str) and len(value) > SHOWN:
        return f"{len(value)} characters, {hashlib.sha256(value.encode(errors='backslashreplace')).hexdigest()[:16]}"
    return value


def _without(options: tuple[str, ...], *names: str) -> tuple[str, ...]:
    """Options that take a value, but for some."""
    return tuple(word for name, value in pairs(options) if name not in names for word in (name, value))


def pairs(options: tuple[str, ...]) -> list[tuple[str, str]]:
    """Options that take a value, with it."""
    return list(zip(options[::2], options[1::2], strict=True))


def files(out: Path) -> list[Path]:
    """Of a folder or a file, sorted."""
    return [out] if out.is_file() else sorted(path for path in out.rglob("*") if path.is_file())


# What an export says of itself: when it was written, and under which number.
TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d[-:]\d\d[-:]\d\d[.\d]*(?:Z|[+-]\d\d:\d\d)?|\b1[789]\d{8}(?:\.\d+)?\b")
NUMBERS = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
KEY = re.compile(r"\b[0-9a-f]{12,64}\b")
OWN_VERSION = re.compile(rf"(?<![\w.]){re.escape(version('scrollwork'))}(?![\w.])")  # exports name it
RECORDED = "0.1.0"  # the version when they were recorded
TOOK = re.compile(r'(?<="total_evaluation_time_seconds": )"[\d.e-]+"')
FRACTION = re.compile(r"(?<![\w.-])-?\d+\.\d{8,}(?:e-?\d+)?\b")
LOG = re.compile(r"(?<=_)[0-9a-f]{22}(?=\.eval\b)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=_samples\b)")


def digest(path: Path, places: dict[str, str]) -> str:
    """Of a file's bytes; of a text's, without what differs between homes."""
    data = path.read_bytes()
    with suppress(UnicodeDecodeError):
        data = said(data.decode(), places).encode()
    return hashlib.sha256(data).hexdigest()


def said(text: str, places: dict[str, str]) -> str:
    """A text without what differs between homes."""
    for folder, name in places.items():
        text = text.replace(folder, name)
    for pattern, name in ((TIMES, "TIME"), (NUMBERS, "NUMBER"), (KEY, "KEY"), (OWN_VERSION, RECORDED)):
        text = pattern.sub(name, text)
    return text


def plain(value: Any, places: dict[str, str]) -> Any:
    """A JSON value without what differs between homes."""
    if isinstance(value, dict):
        return {plain(name, places): plain(one, places) for name, one in value.items() if name != "seconds"}
    if isinstance(value, list):
        return [plain(one, places) for one in value]
    return said(value, places) if isinstance(value, str) else value


class _Tables(HTMLParser):
    """The cells of a page's tables by rows, and its headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr" or tag in ("h1", "h2", "h3"):
            self.rows.append([])
        if tag in ("td", "th", "h1", "h2", "h3"):
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "h1", "h2", "h3") and self._cell is not None and self.rows:
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def tables(page: Path, places: dict[str, str]) -> Any:
    """Headings, and the rows of tables, of a page."""
    return plain(_Tables(page.read_text(encoding="utf-8")).rows, places)


def differences(before: Any, now: Any) -> list[str]:
    """Where two values differ, at most TOLD of them."""
    found = [f"{place}: {a!r:.200} is now {b!r:.200}" for place, a, b in _differing(before, now, "")]
    return found[:TOLD] + ([f"and {len(found) - TOLD} more"] if len(found) > TOLD else [])


NOTHING = "nothing"


def _differing(before: Any, now: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*before, *(one for one in now if one not in before)]:
            yield from _differing(before.get(name, NOTHING), now.get(name, NOTHING), f"{place}/{name}")
    elif isinstance(before, list) and isinstance(now, list):
        for number in range(max(len(before), len(now))):
            one, other = (part[number] if number < len(part) else NOTHING for part in (before, now))
            yield from _differing(one, other, f"{place}/{number}")
    elif isinstance(before, float) and isinstance(now, int | float) and not isinstance(now, bool):
        if not math.isclose(before, now, rel_tol=CLOSE, abs_tol=CLOSE):
            yield place, before, now
    elif type(before) is not type(now) or before != now:
        yield place, before, now


def write(source: str, suite: str, found: dict[str, Any]) -> None:
    """Record it: one line a value of the second level, so that a change is seen in a diff."""
    lines = []
    for name, value in found.items():
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: " * isinstance(value, dict) + json.dumps(one, ensure_ascii=False)
            for key, one in inner
        ]
        begin, end = ("{", "}") if isinstance(value, dict) else ("[", "]")
        lines.append(f"{json.dumps(name)}: {begin}\n" + ",\n".join(rows) + f"\n{end}")
    recorded(source, suite).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
