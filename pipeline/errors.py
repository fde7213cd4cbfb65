"""The errors of the pipeline: a wrong request, a failed stage, changed code. Their messages are for the user."""


class UsageError(ValueError):
    """The request itself is wrong (exit status 2). The message says what would be right."""


class BadRecord(RuntimeError):
    """With --strict: a record of the raw files is malformed. The message names file, record and field."""

    @classmethod
    def of(cls, detail: str) -> "BadRecord":
        """Return the error for a malformed record. detail: as in its Drop (records/drop.py)."""
        return cls(f"{detail} (--strict: the run ends here)")


class Interrupted(RuntimeError):
    """The user stopped the run. The message may say what was kept."""


class StageFailed(RuntimeError):
    """One or more stages failed, or a command cannot give a result. Results of other stages are kept.

    outcome: how all stages ended (an Outcome of readings/run_outcome.py), None if no stages were run.
    """

    def __init__(self, message: str, outcome: object = None) -> None:
        super().__init__(message)
        self.outcome = outcome


class FailedElsewhere(RuntimeError):
    """A stage failed in a worker process, or the process ended. The message is the one to show to the user."""


class CodeChanged(RuntimeError):
    """Code changed while this process ran, so that no key would describe what it builds."""

    THEN = "nothing is made with it, answers that were stored stand; start the same command again"

    @classmethod
    def of(cls, file: str, how: str) -> "CodeChanged":
        """Return the error for a file. how: what happened to it, such as "was written to"."""
        return cls(f"code changed under this run: {file} {how}; {cls.THEN}")
