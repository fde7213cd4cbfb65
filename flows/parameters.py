"""What the flows share: their parameters, the request made from them, and how a flow run ends."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from scrollwork.flows.server.local_server import noted_server
from scrollwork.flows.server.project import project_folder
from scrollwork.flows.server.recovery import mark_run
from scrollwork.pipeline.design import designs
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.pipeline.extras import install_line
from scrollwork.readings.run_outcome import Outcome
from scrollwork.storage.home import Home
from scrollwork.suites.options import BUILD, CALLS, RUN, Option, every_option, from_environment, global_options
from scrollwork.suites.request import Request

F = TypeVar("F", bound=Callable[..., Any])
OF_BUILD, OF_RUN = (BUILD,), (BUILD, RUN, CALLS)
SUITE = "zeroscrolls"
MOST = 3  # sentences on what is missing, in the message of a state
OWN_HELP = {  # help texts of Prefect's form that differ from the command line's
    "tasks": "only these tasks (default: all)",
    "splits": "these splits instead of the suite's own (test)",
    "models": "names of config/models.toml (naive, naive:seed=7, lead, bm25, ...) or PROVIDER:ID, such as "
    "openai:gpt-6-luna",
    "sample": "use the bundled sample where no raw folder is named; else what was fetched into the home",
    "home": "home folder, by its whole path (default: SCROLLWORK_HOME, else that of `scrollwork up`)",
    "batch_wait": "seconds to wait for batches; a later run takes in what waits (default: until they end)",
    "workers": "processes that build stages, once a run takes longer than 20 seconds; of a deployment at most the "
    "cores of its worker (default: SCROLLWORK_WORKERS, else one a core, at most 4)",
    "options": "values by task.option, e.g. {squality.release: v1-3}",
}


def flow_options(scopes: Sequence[str]) -> dict[str, Option]:
    """The options of these scopes, by the name of the flow's parameter."""
    return {name: one for name, one in every_option().items() if one.scope in scopes} | global_options()


def with_options(
    scopes: Sequence[str], further: Mapping[str, Option] | None = None, **defaults: Any
) -> Callable[[F], F]:
    """Decorator: give a flow the declared options (suites/options.py) as parameters. It sets the signature and the
    "Args" of the docstring, from which Prefect makes its form and validation. further: options of this flow
    alone. defaults: where they differ from the command line's."""

    def described(function: F) -> F:
        known = {**flow_options(scopes), **(further or {})}
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter("suite", kind, default=SUITE, annotation=str)]
        lines = ["suite: Which benchmark: its name, or the whole path of a suite file."]
        for name, one in known.items():
            default = defaults.get(name, list(one.default) if one.type is tuple else one.default)
            parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation(one)))
            text = OWN_HELP.get(name, one.help)
            text = f"{one.group}: {text}" if of_a_design(one) else text
            lines.append(f"{name}: {text[:1].upper()}{text[1:]}.")
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        function.__doc__ = "\n".join([inspect.getdoc(function) or "", "", "Args:", *(f"    {line}" for line in lines)])
        return function

    return described


def of_a_design(option: Option) -> bool:
    """Whether an option belongs to one design."""
    return any(option.group == design.group for design in designs().values())


def annotation(option: Option) -> Any:
    """The type annotation of a parameter, for Prefect and pydantic."""
    inner: Any = option.type
    if option.type is str:
        inner = Annotated[str, Field(min_length=1)]
    if option.choices:
        inner = Literal[option.choices]
    if option.type is int and option.least is not None:
        inner = Annotated[int, Field(ge=option.least)]
    if option.type is tuple:
        return list[inner] | None if option.choices else list[str] | None
    if option.type is dict:
        return dict[str, Any] | None
    return inner if option.type is bool else inner | None


def request_of(parameters: Mapping[str, Any]) -> Request:
    """The request for a flow's parameters, in the home that `home_of` finds. Raises UsageError."""
    given = dict(parameters)
    store = given.pop("store", None) or from_environment("SCROLLWORK_STORE") or ""
    home = home_of(given.pop("home", None), store)
    raw, sample = given.pop("raw", None), given.pop("sample", True)
    request = Request.of(**given, home=home, store=store, raw=raw, sample=sample and not raw)
    if (run_id := running_id()) and not in_deployment():  # a deployed run is marked by its worker
        mark_run(Home.at(request.home, request.store).folder, run_id)
    return request


def home_of(given: str | None, store: str = "") -> str:
    """The home of a flow run: the parameter, else SCROLLWORK_HOME, else the home of this project's server.

    Raises UsageError without any of these, and for relative paths in a deployed run: they would be in the folder of the
    code, which a deployment with a pull step deletes afterwards, with all paid answers.
    """
    home = global_options()["home"].checked(given) or from_environment("SCROLLWORK_HOME") or ""
    project = project_folder()
    server = noted_server(project / ".scrollwork") if project else None
    if project and server:
        return home or str(server.get("home") or project / ".scrollwork")
    lost = [] if home else ["no home"]
    lost += [f"home {home!r}"] if is_relative(home) and in_deployment() else []
    lost += [f"store {store!r}"] if is_relative(store.removeprefix("sqlite:///")) and in_deployment() else []
    if lost:
        raise UsageError(
            f"{' and '.join(lost)}: what this run makes would lie in the folder of its code ({project or Path.cwd()}), "
            "which may be deleted after it, paid answers too. Name a folder that stays, by its whole path: export "
            "SCROLLWORK_HOME=/path/of/home where the worker starts, or for one deployment parameters: "
            "{home: /path/of/home} in prefect.yaml, or for one run --param home=/path/of/home"
        )
    return home


def in_deployment() -> bool:
    """Whether this flow run belongs to a deployment."""
    from prefect.runtime import deployment

    return bool(deployment.id)


def running_id() -> str:
    """The id of this process's flow run; "" for none."""
    from prefect.runtime import flow_run

    return str(flow_run.id or "")


def is_relative(place: str) -> bool:
    """Whether a path depends on the working directory; URLs and "" do not."""
    path = place.removeprefix("file://")
    return bool(path) and "://" not in path and not Path(path).expanduser().is_absolute()


def parameters_of(request: Request, scopes: Sequence[str]) -> dict[str, Any]:
    """The flow parameters that make this request.

    The store is left out, because its URL may hold a password and the server stores parameters; set SCROLLWORK_STORE.
    """
    plain = request.to_json()
    known = flow_options(scopes)
    own = {name: value for name, value in plain.items() if name in known}
    return {**own, "suite": request.suite_file or request.suite, "store": None, "sample": False}


@contextmanager
def naming_extras() -> Iterator[None]:
    """Turn the error for a missing optional library into a UsageError that says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if line := install_line(error):
            raise UsageError(line) from error
        raise


def finish(outcome: Outcome, unanswered: Sequence[str] = ()) -> Outcome:
    """Return the outcome. Raises StageFailed if a stage failed or inputs are unanswered, so that the flow run fails and
    can be retried."""
    if failures := outcome.failures:
        title, error = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        raise StageFailed(f"{title}: {error}{more}. What finished stands; a retry redoes only the rest", outcome)
    if unanswered:
        raise StageFailed(f"{'; '.join(unanswered[:MOST])}. A retry asks again what may still be answered", outcome)
    return outcome
