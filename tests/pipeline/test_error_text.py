"""What is shown of an error that ended a stage."""

from __future__ import annotations

from pathlib import Path

from scrollwork.pipeline.engines.error_text import LONGEST, error_text
from scrollwork.pipeline.errors import UsageError


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_fault_in_code_is_not_found_by_its_message() -> None:
    text = error_text(raised(TypeError("no such argument 'foo'")))
    assert text.startswith(f"TypeError: no such argument 'foo' (pipeline/{Path(__file__).name}, line ")


def test_error_in_the_input_is_shown_as_a_fault_in_code() -> None:
    assert error_text(raised(UsageError("harbour.toml: no task"))) == "harbour.toml: no task"
    assert error_text(TypeError("raised nowhere")) == "TypeError: raised nowhere"


def test_long_error_loses_its_place_or_grows() -> None:
    text = error_text(raised(ValueError("x" * 2 * LONGEST)))
    assert len(text) <= LONGEST
    assert "line " in text[-20:]
