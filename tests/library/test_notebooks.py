"""The notebooks of docs/notebooks/, executed by a Jupyter kernel, whose event loop runs, in an empty folder."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import PROJECT

NOTEBOOKS = sorted((PROJECT / "docs/notebooks").glob("*.ipynb"))
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_cell_of_a_notebook_fails_or_shows_nothing(path: Path, tmp_path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert all(not cell.get("outputs") for cell in book.cells), "outputs get old: clear them"
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    pages = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert any("<table" in page for page in pages)
    assert not any("<script" in page for page in pages)
    assert not [output for output in shown if output.output_type == "error"]


def test_there_are_not_three() -> None:
    assert len(NOTEBOOKS) == 3
