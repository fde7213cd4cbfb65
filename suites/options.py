"""The options of build and run, each declared once: its name, type, default and help.

A declaration gives the field of `Request` that stages read, its check, the flag of the command line, the parameter of
the flows with its schema in Prefect's UI, and a line of docs/options.md. Options of one design stand in its module
(designs/runs.py, designs/windows.py), declared in the same way. This module is light: `--help` loads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, partial
from typing import Any, get_args, get_origin, get_type_hints

from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.design import designs
from scrollwork.pipeline.errors import UsageError
from scrollwork.records.prompt import ARMS

BUILD, RUN, CALLS = "build", "run", "calls"  # what an option belongs to: build and run, or run alone
KINDS = {bool: "true or false", int: "a whole number", str: "text", tuple: "a list of texts", dict: "a table"}
INPUTS, PROMPTS, MODELS, HOSTED = "inputs", "prompts", "models", "calls of hosted models"


@dataclass(frozen=True)
class Option:
    """One option. It is unset where its value is None, False or empty.

    type: bool, int, str, tuple (of texts) or dict. scope: BUILD, RUN or CALLS. group: its heading in `--help`.
    flag: of the command line. least: the smallest whole number allowed. decides: whether it changes what models are
    asked, so that scores with other values of it are not comparable.
    """

    name: str
    type: type
    default: Any
    help: str
    scope: str
    group: str
    flag: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    least: int | None = None
    decides: bool = True

    def is_set(self, value: Any) -> bool:
        """Whether a value is more than the default. 0 is a value; None is none, and so is an empty list."""
        return bool(value) if self.type in (tuple, dict) else value is not None and value != self.default

    def checked(self, value: Any) -> Any:
        """The value in its own type; None and an empty list give the default. Raises UsageError."""
        if value is None:
            return self.default
        if self.type is tuple and isinstance(value, (list, tuple)):
            value = tuple(dict.fromkeys(value))
        if type(value) is not self.type:
            raise UsageError(f"{self.flag} must be {KINDS[self.type]}, not {value!r}")
        if value == "":
            raise UsageError(f"{self.flag} is empty: leave it out for none")
        if self.least is not None and isinstance(value, int) and value < self.least:
            raise UsageError(f"{self.flag} must be {self.least} or more, not {value}; leave it out for none")
        for one in value if isinstance(value, tuple) else (value,):
            check_choice(self.flag.lstrip("-"), one, self.choices)
        return value


def check_choice(what: str, value: str, known: tuple[str, ...]) -> None:
    """Raise UsageError for a value that is none of those known, where only some are."""
    if known and value not in known:
        raise UsageError(f"there is no {what} {value!r}; there are: {', '.join(known)}{nearest_known(value, known)}")


def option(
    default: Any,
    help: str,
    *,
    scope: str = BUILD,
    group: str = INPUTS,
    flag: str = "",
    metavar: str = "",
    choices: tuple[str, ...] = (),
    least: int | None = None,
    decides: bool = True,
) -> Any:
    """Declare an option as a field of a dataclass; see `Option`. flag: where it is not the field's name."""
    told = {"help": help, "scope": scope, "group": group, "flag": flag, "metavar": metavar}
    rules = {"choices": choices, "least": least, "decides": decides}
    return field(default=default, metadata={"option": {**told, **rules}})


of_calls = partial(option, scope=CALLS, group=HOSTED)


@cache
def options_of(declared: Any) -> dict[str, Option]:
    """The options that a dataclass declares, by name and in order."""
    hints, found = get_type_hints(declared), {}
    for one in fields(declared):
        if "option" in one.metadata:
            given = dict(one.metadata["option"])
            flag = given.pop("flag") or "--" + one.name.replace("_", "-")
            assert one.default is not MISSING
            found[one.name] = Option(one.name, _kind(hints[one.name]), one.default, flag=flag, **given)
    return found


def _kind(hint: Any) -> type:
    """The plain type of `int | None`, `tuple[str, ...]`, `Mapping[str, Any] | None`, ..."""
    inner = [one for one in get_args(hint) if one is not type(None)]
    if get_origin(hint) is tuple:
        return tuple
    if get_origin(hint) is not None and type(None) in get_args(hint):
        return _kind(inner[0])
    if get_origin(hint) in (dict, Mapping):
        return dict
    assert isinstance(hint, type)
    return dict if issubclass(hint, Mapping) else hint


def as_mapping(options: Any) -> dict[str, Any]:
    """The values of a dataclass of options, by name."""
    return {name: getattr(options, name) for name in options_of(options.__class__)}


def words(options: Any, skip: tuple[str, ...] = ()) -> list[str]:
    """The words of a command that set these options again. Options that are texts by name (`--set`) are left out."""
    found = []
    for name, one in options_of(options.__class__).items():
        value = getattr(options, name)
        if name in skip or one.type is dict or not one.is_set(value):
            continue
        if one.type is bool:
            found.append(one.flag)
        else:
            found += [word for each in (value if one.type is tuple else [value]) for word in (one.flag, str(each))]
    return found


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a person may say of any suite. `Request` holds them beside its places."""

    tasks: tuple[str, ...] = option((), "only this task", flag="--task", metavar="T", decides=False)
    splits: tuple[str, ...] = option(
        (), "this split instead of the suite's own (test)", flag="--split", metavar="S", decides=False
    )
    limit: int | None = option(None, "at most N inputs a task; a larger N takes these and more", metavar="N", least=1)
    seed: int | None = option(None, "seed of random choices (default: the suite's)", metavar="N")
    options: Mapping[str, Any] | None = option(
        None,
        "an option of the suite file, e.g. squality.release=v1-3",
        flag="--set",
        metavar="TASK.OPTION=VALUE",
    )
    strict: bool = option(False, "stop at the first malformed record instead of dropping it", decides=False)
    workers: int | None = option(
        None,
        "processes that build stages, once a run takes longer than 20 seconds (default: SCROLLWORK_WORKERS, else one "
        "a core, at most 4); 1: one stage after another",
        metavar="N",
        least=1,
        decides=False,
    )
    dask: str | None = option(
        None,
        "build stages on the workers of this Dask scheduler, such as tcp://host:8786, in place of processes; local: on "
        "a cluster of this machine, with --workers processes",
        metavar="ADDRESS",
        decides=False,
    )
    max_input_tokens: int | None = option(
        None,
        "cut prompts to N tokens (of --tokenizer, the model's own, or else white-space words)",
        group=PROMPTS,
        metavar="N",
        least=1,
    )
    arms: tuple[str, ...] = option(
        (),
        "closed-book: the QA tasks without their documents (default: full)",
        scope=RUN,
        group=PROMPTS,
        flag="--arm",
        choices=ARMS,
        decides=False,
    )
    tokenizer: str | None = option(
        None,
        "what --max-input-tokens and a model's context count: words, estimate, tiktoken:ENCODING, hf:FOLDER, "
        "hf:OWNER/NAME@REV",
        scope=RUN,
        group=PROMPTS,
        metavar="NAME",
    )
    truncation: str | None = option(
        None,
        "official: cut with the quirks of the official code",
        scope=RUN,
        group=PROMPTS,
        choices=("official",),
    )
    prompts: str | None = option(
        None,
        "a set of instructions of the suite file, e.g. instructed (scrolls)",
        scope=RUN,
        group=PROMPTS,
        metavar="SET",
    )
    models: tuple[str, ...] = option(
        (),
        "a model of config/models.toml (naive, naive:seed=7, lead, lexrank, bm25, lexicon, strong, oracle, ...) or "
        "VENDOR:ID: openai:gpt-6-luna, anthropic:ID, deepseek:ID, compatible:ID --base-url URL, transformers:FOLDER",
        scope=RUN,
        group=MODELS,
        flag="--model",
        metavar="M",
        decides=False,
    )
    models_file: str | None = option(
        None,
        "your own file of models",
        scope=RUN,
        group=MODELS,
        flag="--models",
        metavar="FILE",
        decides=False,
    )
    faithfulness: str | None = option(
        None,
        "metric fic, in place of seam's lexical proxy, with --coverage: the encoder-decoder that judges whether "
        "highlights entail an answer: transformers:FOLDER, or a name of --models",
        scope=RUN,
        group=MODELS,
        metavar="MODEL",
    )
    coverage: str | None = option(
        None,
        "metric fic: the one that judges whether an answer covers them",
        scope=RUN,
        group=MODELS,
        metavar="MODEL",
    )
    base_url: str | None = of_calls(
        None,
        "address up to /v1 of your own server, for compatible:ID",
        metavar="URL",
        decides=False,
    )
    context: int | None = of_calls(None, "limit of a model of which nothing is known", metavar="TOKENS", least=1)
    budget: str | None = of_calls(
        None,
        "stop before this run's hosted models cost more; needs their prices",
        metavar="USD",
        decides=False,
    )
    time_limit: int | None = of_calls(
        None,
        "send no more after so long; the same command later asks the rest",
        metavar="MINUTES",
        least=1,
        decides=False,
    )
    concurrency: int | None = of_calls(
        None, "requests in flight at most (default: the model's table)", metavar="N", least=1, decides=False
    )
    rpm: int | None = of_calls(
        None, "requests a minute (default: the model's table)", metavar="N", least=1, decides=False
    )
    tpm: int | None = of_calls(
        None, "tokens a minute (default: the model's table)", metavar="N", least=1, decides=False
    )
    batch: bool = of_calls(
        False,
        "ask in batches (openai, anthropic): cheaper, answered within a day",
        decides=False,
    )
    batch_wait: int | None = of_calls(
        None,
        "wait so long for batches; the same command later takes in the rest (default: until they end)",
        metavar="SECONDS",
        least=0,
        decides=False,
    )
    way: str | None = of_calls(
        None,
        "how hosted models are asked: standard; flex, slower at half the price where a model has it; batch, as "
        "--batch; cheapest, by the estimate; fastest, which is standard",
        choices=("standard", "flex", "batch", "cheapest", "fastest"),
        decides=False,
    )
    fresh: str | None = of_calls(
        None,
        "ask hosted and local models anew: run, everything, once; a number, what is older than so many days; never "
        "(default: the model's table, else never)",
        metavar="WHEN",
        decides=False,
    )
    retry_failed: bool = of_calls(False, "ask again what failed for good, and old empty answers", decides=False)


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Where raw files are; `Request.of` makes a whole path of it."""

    raw: str | None = option(
        None,
        "folder of raw upstream files, DIR/DATASET/PATH as upstream, or of the official TASK.zip; also a URL, such "
        "as s3://bucket/raw",
        metavar="DIR",
    )
    sample: bool = option(False, "use the small input bundled with scrollwork")


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where everything is kept, of every command."""

    home: str | None = option(
        None, "where everything is kept (default: SCROLLWORK_HOME, else ./.scrollwork)", metavar="DIR", decides=False
    )
    store: str | None = option(
        None,
        "database of answers (default: SCROLLWORK_STORE, else responses.db in the home)",
        metavar="URL",
        decides=False,
    )


def from_environment(variable: str) -> str | None:
    """What a variable of the environment names; None where it is not set. Raises UsageError where it is set to nothing:
    that is a slip of a script, and what is paid for would lie in another place than was meant."""
    value = os.environ.get(variable)
    if value == "":
        raise UsageError(f"{variable} is empty: unset it for none")
    return value


def global_options() -> dict[str, Option]:
    """Those of every command."""
    return options_of(Places)


@cache
def every_option() -> dict[str, Option]:
    """All options of build and run by name: of all suites, then of each design."""
    found = options_of(Inputs) | options_of(Options)
    for design in designs().values():
        found |= options_of(design.options)
    return found
