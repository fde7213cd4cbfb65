"""Copies of suite files that were run, kept in the home, so that whoever reads it later need not find the user's
file."""

from __future__ import annotations

from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.home import Home
from scrollwork.storage.location import Location
from scrollwork.suites.plugins import is_path, parse_suite
from scrollwork.suites.suite_files import Suite, fresh_suite, suite_of

FOLDER = "suites"
COPY = "suite_copy"  # in the row of a run: the file in FOLDER
DIGEST_CHARS = 12


def keep_copy(home: Home, suite: Suite) -> dict[str, str]:
    """Copy the file of a user's suite into the home. Returns what the row of a run says of it; nothing for a bundled
    suite."""
    if suite.ours:
        return {}
    name = f"{suite.name}-{sha256_of(suite.text)[:DIGEST_CHARS]}.toml"
    Location(f"{home.url}/{FOLDER}").replace(name, suite.text.encode("utf-8"))
    return {COPY: name}


def suite_in(home: Home, suite: str) -> Suite:
    """Return a suite by its name or file. A name that is neither bundled nor of an installed package is looked up in
    the home's newest run of it. Raises UsageError."""
    try:
        return fresh_suite(suite)
    except UsageError:
        copy = "" if is_path(suite) else newest_copy(home, suite)
        if not copy:
            raise
    try:
        text = Location(f"{home.url}/{FOLDER}").read(copy).decode("utf-8")
    except (FileNotFoundError, UnicodeDecodeError) as error:
        raise UsageError(f"the file of suite {suite!r} is not in this home any more: name it, --suite FILE") from error
    return suite_of(f"{FOLDER}/{copy}", text, parse_suite(copy, text), "")


def suite_of_request(home: Home, suite: str) -> Suite:
    """Return a suite that is to be built or run, by its name or file. A copy in the home does not count: the file may
    have changed since. Raises UsageError, which names the copy."""
    try:
        return fresh_suite(suite)
    except UsageError as error:
        if is_path(suite) or not (told := advice_on_file(home, suite)):
            raise
        raise UsageError(f"{error}{told}") from None


def newest_copy(home: Home, suite: str) -> str:
    """Return the copy that the newest run of a suite left, "" where none ran."""
    found = [str(run.get(COPY, "")) for run in home.runs() if run["request"]["suite"] == suite]
    return next((name for name in reversed(found) if name and "/" not in name), "")


def advice_on_file(home: Home, suite: str) -> str:
    """Say where the newest run of a suite had its file, for a user who gives its name alone; "" where none ran."""
    for run in reversed(home.runs()):
        if run["request"]["suite"] == suite and run.get(COPY):
            file = run["request"].get("suite_file") or "an installed package"
            return f"; this home ran it from {file}, and has a copy: --suite {home.url}/{FOLDER}/{run[COPY]}"
    return ""
