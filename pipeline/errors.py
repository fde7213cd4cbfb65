"""What a person can mend: a wrong request, a failed stage."""


class UsageError(ValueError):
    """The request itself is wrong (exit status 2); the message says what would be right."""


class BadRecord(RuntimeError):
    """--strict: the first malformed record of a task. The message names file, record and field."""

    @classmethod
    def of(cls, detail: str) -> "BadRecord":
        """The error for a Drop's detail."""
        return cls(f"{detail} (--strict: the run ends here)")


class Interrupted(RuntimeError):
    """A person stopped the run; the message says what stands."""


class StageFailed(RuntimeError):
    """One or more stages failed; the others stand. outcome: how all ended (scrollwork.readings.run_outcome.Outcome)."""

    def __init__(self, message: str, outcome: object = None) -> None:
        super().__init__(message)
        self.outcome = outcome


class FailedElsewhere(RuntimeError):
    """A stage failed in another process; the message is the one for a person."""


class CodeChanged(RuntimeError):
    """Code changed while this process ran: no key could say what is made with it."""

    THEN = "nothing is made with it, answers that were stored stand; start the same command again"

    @classmethod
    def of(cls, file: str, how: str) -> "CodeChanged":
        """The error for a file. how: what befell it."""
        return cls(f"code changed under this run: {file} {how}; {cls.THEN}")
