"""What is shown of an error that ended a stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrollwork.pipeline.engines.error_text import LONGEST, error_text
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.extras import with_own_way


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


@pytest.mark.parametrize(
    ("library", "ending"),
    [
        ("polars", "pip install 'scrollwork[frames]'"),
        ("matplotlib.figure", "pip install 'scrollwork[plots]'"),
        ("datasets", "pip install 'scrollwork[datasets]'"),
        ("openai", "pip install 'scrollwork[openai]'"),
        ("tiktoken", "pip install 'scrollwork[tokens]'"),
        ("aiohttp", "pip install 'scrollwork[anthropic]' (or [openai])"),
        ("nltk", "pip install 'scrollwork[dolce]' (or [seam])"),
    ],
)
def test_missing_library_is_brought_by_another_extra_or_a_former_name(library: str, ending: str) -> None:
    text = error_text(raised(ModuleNotFoundError(f"No module named {library!r}", name=library)))
    assert text == f"{library.partition('.')[0]} is not installed: {ending}"


def test_message_that_names_its_extra_names_another() -> None:
    line = "nltk is not installed: pip install 'scrollwork[seam]'"
    assert error_text(raised(ModuleNotFoundError(line, name="nltk"))) == line


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ('{"url": "file:///a%20b/scrollwork", "dir_info": {"editable": true}}', "a checkout: pip install -e '/a b/scrollwork[frames]'"),
        ('{"url": "file:///src", "dir_info": {}}', "a checkout: pip install '/src[frames]'"),
        ('{"url": "file:///w/scrollwork-1.whl", "archive_info": {}}', "a file: pip install '/w/scrollwork-1.whl[frames]'"),
        ('{"url": "file:///w/%1B%0A.whl", "archive_info": {}}', "a file: pip install '/w/\\x1b\\n.whl[frames]'"),
        ('{"url": "https://a.b/x.whl", "archive_info": {}}', ""),
        (None, ""),
        ("[]", ""),
        ("{", ""),
        ('{"url": 3, "dir_info": 3}', ""),
    ],
)  # fmt: skip
def test_command_asks_an_index_that_has_no_scrollwork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str | None, way: str
) -> None:
    """The record of an installation, before that of the tests' own."""
    record = tmp_path / "scrollwork-9.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: scrollwork\nVersion: 9\n")
    if source is not None:
        (record / "direct_url.json").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    line = "polars is not installed: pip install 'scrollwork[frames]'"
    assert with_own_way(line) == (f"{line} (scrollwork here is from {way})" if way else line)
    assert with_own_way(with_own_way(line)) == with_own_way(line)
    assert with_own_way("no model is named 'x'") == "no model is named 'x'"
    both = with_own_way(
        "pip install 'scrollwork[openai]'; pip install 'scrollwork[seam]'; pip install 'scrollwork[seam]'"
    )
    assert "[openai,seam]'" in both if way else "[openai,seam]" not in both


def test_module_of_ours_that_lacks_is_taken_for_an_extra() -> None:
    text = error_text(raised(ModuleNotFoundError("No module named 'scrollwork.x'", name="scrollwork.x")))
    assert text.startswith("ModuleNotFoundError: No module named 'scrollwork.x' (")
