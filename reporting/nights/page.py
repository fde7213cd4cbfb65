"""The page over nights: HTML that loads nothing, runs no script, and escapes what vendors and users wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.records.nights.decisions import Mute
from scrollwork.records.nights.night import NightRow
from scrollwork.reporting.nights.figure import picture
from scrollwork.reporting.nights.trends import MOST, trends
from scrollwork.reporting.page.unscripted import unscripted_page

TEMPLATE = "nights.html"
STYLES = ("pages.css", "report.css", "nights.css")


def nights_page(
    rows: Sequence[NightRow], accepted: Mapping[str, str], mutes: Sequence[Mute], notes: Sequence[str]
) -> str:
    """Render the page. Equal nights give equal bytes.

    rows: the oldest first. accepted: who accepted a night, by its digest. mutes: those that stand. notes: files that
    were passed over.
    """
    from markupsafe import Markup

    return unscripted_page(
        TEMPLATE,
        STYLES,
        title="Nights",
        command="nights",
        trends=trends(rows, accepted),
        picture=lambda points, nights, task: Markup(picture(points, nights, task)),
        mutes=mutes,
        notes=notes,
        most=MOST,
    )
