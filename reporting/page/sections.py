"""A section of the page: what a design shows over the scores. Each is a module that ends with `SECTION = ...`, and a
template; a design names the modules (`sections`), so that what one suite shows is in no other's keys."""

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
    """What the head of the page says of a part of it. anchor: the id of an element."""

    anchor: str
    text: str


class Section:
    """One that shows nothing. Others say only what they do otherwise.

    files: its template, style sheets and whatever else decides how it looks; the key of a page has their digest.
    """

    files: tuple[str, ...] = ()

    def styles(self, board: Board, findings: Findings) -> Sequence[str]:
        """Names of the style sheets that this page needs, behind those that all have."""
        return ()

    def links(self, board: Board, findings: Findings) -> Sequence[Link]:
        """Its parts, for the head of the page."""
        return ()

    def html(self, board: Board, content: Content) -> Markup | None:
        """What stands above the leaderboard; None where there is nothing to show."""
        return None

    def drawings(self, board: Board, findings: Findings) -> Sequence[Drawing]:
        """Its charts, which stand before those that all pages have."""
        return ()


def sections_of(modules: Iterable[str]) -> list[Section]:
    """The sections in modules, in their order. Raises ModuleNotFoundError, AttributeError for one that has none."""
    return [cast(Section, importlib.import_module(name).SECTION) for name in modules]
