"""Sections that a design adds to the page, above the leaderboard. Each is a template and a module that ends with
`SECTION = ...`. A design names its modules (`sections`), so that one suite's sections are in no other suite's keys."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.charts.drawing import Drawing
from scrollwork.reporting.page.content import Content, Findings

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Link:
    """A link in the page's navigation. anchor: id of an element."""

    anchor: str
    text: str


class PageSection:
    """A section that shows nothing; subclasses override what they need.

    files: template, style sheets and other files that decide how it looks; their digest is in the page's key.
    """

    files: tuple[str, ...] = ()

    def styles(self, board: Board, findings: Findings) -> Sequence[str]:
        """Names of further style sheets that this page needs."""
        return ()

    def links(self, board: Board, findings: Findings) -> Sequence[Link]:
        """Links to its parts, for the page's navigation."""
        return ()

    def html(self, board: Board, content: Content) -> Markup | None:
        """HTML to show above the leaderboard; None if there is nothing to show."""
        return None

    def drawings(self, board: Board, findings: Findings) -> Sequence[Drawing]:
        """Its charts, shown before those that all pages have."""
        return ()


def sections_of(modules: Iterable[str]) -> list[PageSection]:
    """Import the sections of modules, in order. Raises ModuleNotFoundError, or AttributeError if one has no SECTION."""
    return [cast(PageSection, importlib.import_module(name).SECTION) for name in modules]
