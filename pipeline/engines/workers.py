"""Choose what runs a plan, and what builds stages beside the process that does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.errors import UsageError

if TYPE_CHECKING:
    from scrollwork.pipeline.engines.dask import DaskWorkers
    from scrollwork.pipeline.engines.processes import Processes

DASK = "dask"
LOCAL = "local"  # in place of a scheduler's address: a cluster of this machine


class Engines(tuple[str, ...]):
    """Names of engines. That of Dask may have a scheduler's address behind it."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and name.startswith(f"{DASK}:"))


ENGINES = Engines(("prefect", "inline", DASK))


def with_engine(engine: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return what runs a plan for an engine, "prefect" or "inline", and the options with what builds its stages.

    engine: one of ENGINES; "dask:ADDRESS" is inline with the option `dask`. Raises UsageError.
    """
    name, _, address = engine.partition(":")
    if name != DASK:
        return engine, dict(options)
    if options.get("dask") is not None:
        raise UsageError(f"--engine {engine} and --dask {options['dask']}: name the cluster once")
    if engine.endswith(":"):
        raise UsageError(f"--engine {engine}: write {DASK}:ADDRESS, or {DASK} for a cluster of this machine")
    return "inline", {**options, "dask": address or LOCAL}


def workers_of(count: int | None, dask: str | None) -> Processes | DaskWorkers:
    """Return the workers of a run, as a context manager.

    count: how many; None for the default. dask: address of a Dask scheduler, or "local"; None for processes of this
    machine. Raises ModuleNotFoundError without Dask's library.
    """
    if dask is None:
        from scrollwork.pipeline.engines.processes import Processes

        return Processes(count)
    from scrollwork.pipeline.engines.dask import DaskWorkers

    return DaskWorkers("" if dask == LOCAL else dask, count)
