"""A task of a suite as a `datasets.Dataset`: `scrollwork.dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from scrollwork.exchange import dataset_rows
from scrollwork.exchange.dataset_rows import Piece
from scrollwork.flows.chains import Chain
from scrollwork.library.asking import chain_of, checked
from scrollwork.library.calls import of_library
from scrollwork.library.keywords import BuildOptions, PathText
from scrollwork.library.places import place_of
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.build import with_mending
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.suites.options import BUILD, every_option
from scrollwork.suites.suite_files import Suite

if TYPE_CHECKING:
    import datasets

    from scrollwork.home import Home

STREAMS = 8  # pieces of a stream: as many workers can share it; each reads the examples before its own once more
BATCH = 16  # rows that are written at once: each holds its whole documents
FINGERPRINT = 32  # characters
NAMED = ("tasks", "splits")  # options that `task` and `split` stand for
OF_PROMPTS = ("models", "models_file", "tokenizer", "truncation", "context")  # options that only prompts depend on


class DatasetOptions(BuildOptions, total=False):
    """What may be said of the inputs, and of the model whose prompts are wanted."""

    models: str
    models_file: PathText
    tokenizer: str
    truncation: str
    context: int


@dataclass(frozen=True)
class Built:
    """A sample with what belongs to it. prompts: of its shards; () if no prompts are wanted."""

    sample: Artifact
    curated: Artifact
    prompts: tuple[Artifact, ...]

    def digests(self) -> list[str]:
        """Return the digests of the content of all artifacts, in order."""
        return [one.exact for one in (self.sample, self.curated, *self.prompts)]


@of_library(DatasetOptions, hidden=NAMED)
def dataset(
    suite: str | Path,
    task: str,
    *,
    split: str | None = None,
    prompts: bool = False,
    streaming: bool = False,
    home: str | Path | Home | None = None,
    store: str = "",
    cache_dir: str | Path | None = None,
    **options: Unpack[DatasetOptions],
) -> datasets.Dataset | datasets.IterableDataset:
    """Return the examples of a task and split as a `datasets.Dataset`, built first where the home lacks them.

    suite: its name, or its file. split: None for the suite's default. prompts: also the columns prompt (its text),
    sha256 and max_new_tokens, as `export prompts` writes them; whole, or cut for the model that `models` names.
    streaming: an IterableDataset instead, which reads one row at a time from the home, in several workers if asked.
    home, store: as of `scrollwork.run`. cache_dir: where `datasets` keeps the rows, None for its own cache; the home if
    streaming. options: raw, sample, limit, seed and the others of `scrollwork.build` by name (docs/options.md).

    A row is an example (SEAM: in a run, its number is `draw`): example_id, draw, documents, titles, query, references,
    options, metadata (a JSON object). In Dolce it is a problem with its whole context; its prompts show windows and are
    not given here.

    Raises UsageError naming the nearest suite, task, split or option, StageFailed if something could not be built,
    DamagedArtifact, ModuleNotFoundError naming the extra.
    """
    need_datasets()
    chain, split = chain_for(suite, task, split, prompts, home, store, options)
    reader = chain.design.modules.get("dataset", "")
    if reader and prompts:
        raise UsageError(
            f"sw.dataset: prompts of {chain.request.suite} show windows of a context, a row here the whole context: "
            "leave out prompts, or write them with `scrollwork export prompts`"
        )
    columns = dataset_rows.columns_of(prompts)
    if streaming:
        return streamed(built(chain, prompts), split, columns, reader)
    # A part that was changed in the home is built again, as in a run.
    return with_mending(chain.session, lambda: stored(chain, built(chain, prompts), split, columns, reader, cache_dir))


def need_datasets() -> None:
    """Raise ModuleNotFoundError, naming the extra, if `datasets` is not installed."""
    try:
        import datasets  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "datasets":
            raise
        line = "datasets is not installed: pip install 'scrollwork[datasets]'"
        raise ModuleNotFoundError(line, name="datasets") from error


def chain_for(
    suite: str | Path,
    task: str,
    split: str | None,
    prompts: bool,
    home: str | Path | Home | None,
    store: str,
    given: Any,
) -> tuple[Chain, str]:
    """Return the chain of one task and split, and the name of the split. given: options by name. Raises UsageError."""
    for name in NAMED:
        if name in given:
            raise UsageError(f"sw.dataset gives one {name[:-1]}: say {name[:-1]}=, not {name}=")
    building = [name for name, one in every_option().items() if one.scope == BUILD and name not in NAMED]
    values = checked("dataset", [*building, *OF_PROMPTS], given)
    if not prompts and (unread := [name for name in OF_PROMPTS if name in values]):
        raise UsageError(f"sw.dataset: {unread[0]} says how prompts are made; ask for them with prompts=True")
    config = suite_for(suite, home, store)
    refuse_unknown(f"{config.name} has no task", task, list(config.tasks))
    known = list(config.tasks[task].splits)
    if split is None:
        defaults = [name for name in config.default_splits if name in known]
        if len(defaults) != 1:
            raise UsageError(f"sw.dataset: name the split of {task}; there are: {', '.join(known)}")
        split = defaults[0]
    refuse_unknown(f"{task} has no split", split, known)
    return chain_of("dataset", suite, home, store, {**values, "tasks": task, "splits": split}), split


def suite_for(suite: str | Path, home: str | Path | Home | None, store: str) -> Suite:
    """Return a suite by name or file. Raises UsageError, naming the nearest."""
    from scrollwork.storage.home import Home as StoredHome
    from scrollwork.suites.home_suites import suite_of_request

    if not isinstance(suite, str | PathLike):
        raise UsageError(f"sw.dataset: suite must be the name of a suite or its file, not a {type(suite).__name__}")
    return suite_of_request(StoredHome.at(*place_of(home, store)), fspath(suite))


def refuse_unknown(what: str, name: object, known: Sequence[str]) -> None:
    """Raise UsageError for a name that is not known, with the nearest one and all that there are."""
    if name not in known:
        raise UsageError(f"{what} {name!r}{nearest_known(name, known)} (there are: {', '.join(known)})")


def built(chain: Chain, prompts: bool) -> list[Built]:
    """Build what is missing, and return the samples: one, or one for each run. Raises StageFailed, UsageError."""
    from scrollwork.exchange.prompted import prompts_of_chain

    if not prompts:
        return built_samples(chain)
    made, failed = prompts_of_chain(chain)
    if failed:
        raise StageFailed("; ".join(failed))
    shards: dict[str, list[Any]] = {}
    for one in made:
        shards.setdefault(one.sample.folder.url, []).append(one)
    return [Built(own[0].sample, own[0].curated, tuple(one.prompts for one in own)) for own in shards.values()]


def built_samples(chain: Chain) -> list[Built]:
    """Build and return the samples, without prompts. Raises StageFailed."""
    from scrollwork.pipeline.engines.inline import run_inline
    from scrollwork.readings.results import Results
    from scrollwork.suites.parts import parts

    (part,) = parts(chain.request)
    curated, samples = chain.curate(part), chain.design.samples(chain, part)
    ended = run_inline(chain.plan([curated, *samples]))
    if failed := [f"{one.node.title}: {one.error}" for one in ended if one.how == "failed"]:
        raise StageFailed("; ".join(failed))
    results = Results(chain)
    found, documents = [results.artifact(node) for node in samples], results.artifact(curated)
    if documents is None or None in found:
        raise StageFailed(f"{part.task.name}, split {part.split}: could not be built")
    return [Built(sample, documents, ()) for sample in found if sample is not None]


def pieces_of(samples: Sequence[Built], streams: int, reader: str) -> list[Piece]:
    """Return pieces with all rows of the samples, in order; about as many as `streams`, one for each at least.

    reader: as of `Piece`. Raises StageFailed if there is no row.
    """
    found = []
    streams = 1 if reader else streams  # each further piece would read all windows once more
    for one in samples:
        rows = dataset_rows.count(one.sample, reader)
        number = min(rows, max(1, streams // len(samples)))
        bounds = [rows * place // number for place in range(number + 1)] if number else []
        folders = one.sample.folder.url, one.curated.folder.url, tuple(each.folder.url for each in one.prompts)
        found += [Piece(*folders, start, stop, reader) for start, stop in pairwise(bounds)]
    if not found:
        raise StageFailed("the split has no example; `scrollwork build` shows what was dropped, and why")
    return found


def streamed(samples: Sequence[Built], split: str, columns: dict[str, str], reader: str) -> datasets.IterableDataset:
    """Return the rows as a stream from the home. Raises StageFailed."""
    import datasets

    return datasets.IterableDataset.from_generator(
        dataset_rows.rows,
        features=features_of(columns),
        gen_kwargs={"pieces": pieces_of(samples, STREAMS, reader)},
        split=datasets.NamedSplit(split),
    )


def stored(
    chain: Chain,
    samples: Sequence[Built],
    split: str,
    columns: dict[str, str],
    reader: str,
    cache_dir: str | Path | None,
) -> datasets.Dataset:
    """Return the rows, written to the cache of `datasets` unless they are there. Raises StageFailed, DamagedArtifact,
    StorageError."""
    import datasets
    from datasets.exceptions import DatasetGenerationError

    from scrollwork.storage.errors import DamagedArtifact, StorageError

    request = chain.request
    try:
        return datasets.Dataset.from_generator(
            dataset_rows.rows,
            features=features_of(columns),
            gen_kwargs={"pieces": tuple(pieces_of(samples, 1, reader))},
            split=datasets.NamedSplit(split),
            cache_dir=None if cache_dir is None else str(cache_dir),
            fingerprint=fingerprint_of([request.suite, request.tasks[0], split], samples, columns, reader),
            writer_batch_size=BATCH,
        )
    except DatasetGenerationError as error:  # it names neither file nor problem
        if isinstance(error.__cause__, (DamagedArtifact, StorageError)):
            raise error.__cause__ from None
        raise


def features_of(columns: dict[str, str]) -> datasets.Features:
    """Return the types of columns as `datasets` has them."""
    import datasets

    from scrollwork.exchange.hf import schema

    return datasets.Features.from_arrow_schema(schema(columns))


def fingerprint_of(names: Sequence[str], samples: Sequence[Built], columns: dict[str, str], reader: str) -> str:
    """Return what tells these rows from others: a digest of the content of artifacts, the columns and our code.

    The home is not in it: equal rows of two homes share the cache of `map`.
    """
    from scrollwork.pipeline.source_digest import sources
    from scrollwork.storage.digest import sha256_of

    code = sources((dataset_rows.__name__, *([reader] if reader else [])))
    return sha256_of([code, list(names), list(columns.items()), [one.digests() for one in samples]])[:FINGERPRINT]
