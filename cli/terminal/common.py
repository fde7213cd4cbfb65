"""What the commands share: requests from arguments, running through Prefect, printing."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import Planned
from scrollwork.pipeline import progress
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.engines.workers import with_engine, workers_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import install_line
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.run_outcome import Outcome
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home, is_remote
from scrollwork.suites.options import every_option
from scrollwork.suites.request import Request

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from scrollwork.readings.results import Results

MOST_DROPPED = 20  # malformed records that are named
WIDTH = 130  # of tables where the output is no terminal
LONGEST_LINE = 10_000  # characters of a table's line


def request_of(arguments: argparse.Namespace) -> Request:
    """The request of a command of build's or run's options. Raises UsageError."""
    given = {name: value for name in every_option() if (value := getattr(arguments, name, None)) is not None}
    if engine := getattr(arguments, "engine", None):
        arguments.engine, given = with_engine(engine, given)
    if "options" in given:
        given["options"] = options_of(given["options"])
    request = Request.of(arguments.suite, home=arguments.home, store=arguments.store, **given)
    if request.tasks and "sample" in given and "tasks" not in given and request.tasks == request.config.in_sample:
        whole = len(request.config.tasks)
        say(f"the sample has {len(request.tasks)} of the {whole} tasks of {request.suite}: {', '.join(request.tasks)}")
    return request


def chain_of(arguments: argparse.Namespace) -> Chain:
    """The stages of a command of build's or run's options. Raises UsageError."""
    return Chain(request_of(arguments))


def options_of(settings: list[str]) -> dict[str, Any]:
    """`TASK.OPTION=VALUE` as {task.option: value}; true, false, numbers and JSON lists are read as such."""
    found: dict[str, Any] = {}
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or "." not in path:
            raise UsageError(f"--set {setting!r}: write TASK.OPTION=VALUE")
        if path in found:
            raise UsageError(f"--set {path} is given twice")
        try:
            found[path] = json.loads(text)
        except ValueError:
            found[path] = text
    return found


def execute(arguments: argparse.Namespace, chain: Chain, planned: Planned, flow: str) -> Outcome:
    """Run the chain: through Prefect where there is work, at once where everything stands."""
    from scrollwork.flows import execute

    inline: Callable[..., Outcome] = execute.build if flow == "build_datasets" else execute.run
    home = chain.session.home
    if not home.writable:
        if planned.work:
            raise StorageError(f"{home.url}: cannot be written, and not every stage stands there; name another --home")
        say(f"{home.url} cannot be written: it is read, and no row of this run is kept")
    elif planned.work and is_remote(home.url):
        home.try_writing()
    if not planned.work:
        return inline(chain)
    home.make()
    if arguments.engine == "inline":
        with workers_of(chain.request.workers, chain.request.dask) as processes:
            return inline(chain, partial(run_inline, processes=processes))
    return through_prefect(arguments, chain.request, flow)


def through_prefect(arguments: argparse.Namespace, request: Request, flow: str) -> Outcome:
    """Run the flow in this process, on the server that `up` started or on one in process."""
    import importlib
    import logging

    from scrollwork.flows.parameters import OF_BUILD, OF_RUN, parameters_of
    from scrollwork.flows.server.in_process import start_server
    from scrollwork.flows.server.local_server import make_private, settings
    from scrollwork.flows.server.variables import quiet_libraries
    from scrollwork.pipeline.errors import StageFailed

    folder = Home.at(arguments.home, arguments.store).folder
    make_private(folder / "prefect")
    os.environ.update(settings(folder))
    quiet_libraries(os.environ)
    if request.store:
        os.environ["SCROLLWORK_STORE"] = request.store
    if "PREFECT_LOGGING_LEVEL" not in os.environ:
        os.environ["PREFECT_LOGGING_LEVEL"] = "CRITICAL"  # our own progress says it
        logging.getLogger("prefect").setLevel(logging.CRITICAL)
    progress.say("waiting for Prefect" if "PREFECT_API_URL" in os.environ else "starting Prefect in this process")
    parameters = parameters_of(request, OF_BUILD if flow == "build_datasets" else OF_RUN)
    server = start_server(folder / "prefect")
    module = importlib.import_module(f"scrollwork.flows.{flow}")  # takes as long as the server
    if server is not None:
        server.wait()
    try:
        running = getattr(module, flow).with_options(task_runner=module.side_by_side(request.workers))
        outcome: Outcome = running(**parameters)
    except StageFailed as failed:
        if not isinstance(failed.outcome, Outcome):
            raise
        return failed.outcome
    return outcome


def lines_of(path: str, option: str) -> Iterator[bytes]:
    """The lines of the file that an option names, or of standard input for "-", with their ends. Raises UsageError."""
    if path == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as stream:
            yield from stream
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}") from error


def print_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    print(json.dumps(value, ensure_ascii=False, indent=1))


def console() -> Console:
    """Return the console for tables: as wide as the terminal, or WIDTH where the output is not one."""
    from rich.console import Console

    made = Console()
    return made if made.is_terminal else Console(width=WIDTH)


def print_whole(table: Table) -> None:
    """Print a table as wide as it is: a line that is longer than the terminal loses nothing, a number that is cut
    does."""
    from rich.console import Console

    shown = console()
    width = shown.measure(table, options=shown.options.update(max_width=LONGEST_LINE)).maximum
    (shown if width <= shown.width else Console(width=width)).print(table)


def say(text: str) -> None:
    """Print a line on standard error. Control characters are escaped. Where nobody reads any more, the command goes on
    in silence."""
    try:
        print(printable(text, len(text) * 6), file=sys.stderr, flush=True)
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EIO):  # EIO: the terminal was closed
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def tell_problems(results: Results, outcome: Outcome) -> bool:
    """Print on standard error what failed and what was dropped. Returns whether there was anything."""
    strict = results.request.strict
    for title, error in outcome.failures:
        say(f"error: {title} failed: {error}")
    for line in results.imports():
        say(line)
    bad, first = (0, []) if strict else results.bad_records(MOST_DROPPED)
    for drop in first:
        say(f"dropped: {drop.detail}")
    if bad > len(first):
        say(f"... and {bad - len(first)} more")
    for line in [] if strict and outcome.failed else results.dropped():
        say(f"left out: {line}")
    if bad:
        say(f"{bad} malformed record(s) were dropped; the rest is finished")
    return bool(outcome.failed or bad)


def is_expected(error: BaseException) -> bool:
    """Return whether the message alone tells a person what to do, so that no traceback is needed."""
    from scrollwork.analysis.logs.log import LogError
    from scrollwork.flows.server.processes import ServiceError
    from scrollwork.models.registry import UnknownModel
    from scrollwork.models.vendors.families import BadVendor
    from scrollwork.pipeline.errors import BadRecord, StageFailed, UsageError
    from scrollwork.preprocessing.raw.errors import RawError

    of_input = (UnknownModel, BadVendor, RawError, BadRecord, UsageError, LogError)
    known = (*of_input, ServiceError, StorageError, StageFailed, OSError)
    return isinstance(error, known) or bool(install_line(error))


def wrong_call(error: BaseException) -> bool:
    """Return whether the command line itself was wrong (exit status 2)."""
    from scrollwork.models.registry import UnknownModel
    from scrollwork.pipeline.errors import UsageError

    return isinstance(error, (UnknownModel, UsageError)) or bool(install_line(error))
