"""Errors of the pipeline, with messages for the user: a wrong request, a failed stage, changed code."""


class UsageError(ValueError):
    """The request itself is wrong (exit status 2); the message says what would be right."""


class BadRecord(RuntimeError):
    """--strict: the first malformed record of a task. The message names file, record and field."""

    @classmethod
    def of(cls, detail: str) -> "BadRecord":
        """The error for a Drop's detail."""
        return cls(f"{detail} (--strict: the run ends here)")


class Interrupted(RuntimeError):
    """The user stopped the run; the message says what was kept."""


class StageFailed(RuntimeError):
    """One or more stages failed; the results of the others are kept. outcome: how all stages ended (an Outcome of
    readings/run_outcome.py)."""

    def __init__(self, message: str, outcome: object = None) -> None:
        super().__init__(message)
        self.outcome = outcome


class FailedElsewhere(RuntimeError):
    """A stage failed in a worker process; the message is the one to show."""


class CodeChanged(RuntimeError):
    """Code changed while this process ran, so that no key would describe what it builds."""

    THEN = "nothing is made with it, answers that were stored stand; start the same command again"

    @classmethod
    def of(cls, file: str, how: str) -> "CodeChanged":
        """The error for a file. how: what happened to it, such as "was written to"."""
        return cls(f"code changed under this run: {file} {how}; {cls.THEN}")
