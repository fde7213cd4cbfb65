"""Bad raw input, said to the person who meets it: file, record, field, what to do."""


def sayable(text: str) -> str:
    """The text with lone surrogates escaped: a message may quote bad input, and must still reach screen and Parquet."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class RawError(ValueError):
    """Something is wrong with a raw file or a record in it. `str` names file, record and field."""

    def __init__(self, file: str, record: str, field: str, problem: str, reason: str) -> None:
        record, field, problem = (sayable(text) for text in (record, field, problem))
        where = ", ".join(part for part in (file, record) if part)
        named = f'field "{field}" ' if field else ""
        super().__init__(f"{where}: {named}{problem}")
        self.file, self.record, self.field, self.problem, self.reason = file, record, field, problem, reason

    def of_record(self) -> "MalformedRecord":
        """The same problem as one of a record: for releases in which a file is a record."""
        return MalformedRecord(self.file, self.record, self.field, self.problem, self.reason)

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str, str]]:
        return type(self), (self.file, self.record, self.field, self.problem, self.reason)


class MalformedFile(RawError):
    """The whole file cannot be used: its task fails, the others go on."""


class MalformedRecord(RawError):
    """One record cannot be used: it is dropped and counted."""


class MissingFile(RawError):
    """No raw file matches what the suite looks for."""
