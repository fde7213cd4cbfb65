"""What the commands share: requests from arguments, running through Prefect, printing."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import Planned
from scrollwork.pipeline import progress
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import install_line
from scrollwork.preprocessing.raw.errors import sayable
from scrollwork.readings.run_outcome import Outcome
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home
from scrollwork.suites.judging_models import ROLES
from scrollwork.suites.request import Request

if TYPE_CHECKING:
    from rich.console import Console

    from scrollwork.readings.results import Results

OF_CALLS = ("base_url", "context", "budget", "rpm", "tpm", "concurrency", "batch", "batch_wait", "retry_failed")
# only `evaluate` is told
OF_RUNS = ("models", "models_file", "arms", "tokenizer", "truncation", "prompts", *ROLES, *OF_CALLS)
MOST_DROPPED = 20  # malformed records that are named
WIDTH = 130  # of tables where the output is no terminal


def request_of(arguments: argparse.Namespace) -> Request:
    """The request of a command of build's or run's options. Raises UsageError."""
    if getattr(arguments, "config", ""):
        configure(arguments)
    request = Request.of(
        arguments.suite,
        home=arguments.home,
        store=arguments.store,
        raw=getattr(arguments, "raw", ""),
        sample=getattr(arguments, "sample", False),
        tasks=tuple(dict.fromkeys(arguments.task)),
        splits=tuple(dict.fromkeys(getattr(arguments, "split", []))),
        models=tuple(dict.fromkeys(getattr(arguments, "model", []))),
        models_file=str(Path(arguments.models_file).resolve()) if getattr(arguments, "models_file", "") else "",
        limit=arguments.limit,
        seed=arguments.seed,
        max_input_tokens=getattr(arguments, "max_input_tokens", 0),
        runs=arguments.runs,
        shots=arguments.shots,
        draws=getattr(arguments, "draws", ""),
        instances=arguments.instances,
        strategy=getattr(arguments, "strategy", ""),
        units=getattr(arguments, "units", ""),
        vary=tuple(dict.fromkeys(getattr(arguments, "vary", []))),
        options=options_of(getattr(arguments, "settings", [])),
        arms=tuple(dict.fromkeys(getattr(arguments, "arm", []))),
        tokenizer=getattr(arguments, "tokenizer", ""),
        truncation=getattr(arguments, "truncation", ""),
        prompts=getattr(arguments, "prompts", ""),
        strict=getattr(arguments, "strict", False),
        **{name: getattr(arguments, name) for name in (*ROLES, *OF_CALLS) if hasattr(arguments, name)},
    )
    if request.tasks and not arguments.task:
        whole = len(request.config.tasks)
        say(f"the sample has {len(request.tasks)} of the {whole} tasks of {request.suite}: {', '.join(request.tasks)}")
    return request


def configure(arguments: argparse.Namespace) -> None:
    """Take from --config what the command line does not say. Raises UsageError."""
    from scrollwork.suites.seam_config import read_config

    if arguments.suite != "seam":
        raise UsageError("--config: only seam has such a configuration")
    found = read_config(arguments.config)
    tasks = found.pop("tasks")
    arguments.task = arguments.task or tasks
    for name, value in found.items():
        unsaid = None if name in ("seed", "shots") else 0  # of which 0 is a value
        if getattr(arguments, name) == unsaid:
            setattr(arguments, name, value)


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

    inline: Callable[[Chain], Outcome] = execute.build if flow == "build_datasets" else execute.run
    home = chain.shop.home
    if not home.writable:
        if planned.work:
            raise StorageError(f"{home.url}: cannot be written, and not every stage stands there; name another --home")
        say(f"{home.url} cannot be written: it is read, and no row of this run is kept")
    if arguments.engine == "inline" or not planned.work:
        return inline(chain)
    return through_prefect(arguments, chain.request, flow)


def through_prefect(arguments: argparse.Namespace, request: Request, flow: str) -> Outcome:
    """Run the flow in this process, on the server that `up` started or on one in process."""
    import importlib
    import logging

    from scrollwork.flows.parameters import parameters_of
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
    parameters = parameters_of(request)
    if flow == "build_datasets":
        parameters = {name: value for name, value in parameters.items() if name not in OF_RUNS}
    server = start_server(folder / "prefect")
    module = importlib.import_module(f"scrollwork.flows.{flow}")  # takes as long as the server
    if server is not None:
        server.wait()
    try:
        outcome: Outcome = getattr(module, flow)(**parameters)
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
    """One JSON document on standard output."""
    print(json.dumps(value, ensure_ascii=False, indent=1))


def console() -> Console:
    """Where tables are printed: as wide as the terminal, or wide enough where the output is none."""
    from rich.console import Console

    made = Console()
    return made if made.is_terminal else Console(width=WIDTH)


def say(text: str) -> None:
    """A line for people, on standard error; what a terminal would act on is escaped."""
    print(sayable(text, len(text) * 6), file=sys.stderr)


def tell_problems(results: Results, outcome: Outcome) -> bool:
    """Say what failed and what was dropped, on standard error; whether there was something."""
    strict = results.request.strict
    for one in outcome.failed:
        say(f"error: {one.node.title} failed: {one.error}")
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


def expected(error: BaseException) -> bool:
    """Errors that a person can mend from their message alone."""
    from scrollwork.flows.server.processes import ServiceError
    from scrollwork.models.registry import UnknownModel
    from scrollwork.pipeline.errors import BadRecord, StageFailed, UsageError
    from scrollwork.preprocessing.raw.errors import RawError

    known = (ServiceError, UnknownModel, RawError, StorageError, BadRecord, StageFailed, UsageError, OSError)
    return isinstance(error, known) or bool(install_line(error))


def wrong_call(error: BaseException) -> bool:
    """Whether the call itself was wrong."""
    from scrollwork.models.registry import UnknownModel
    from scrollwork.pipeline.errors import UsageError

    return isinstance(error, (UnknownModel, UsageError)) or bool(install_line(error))
