"""The commands of `scrollwork nights` and their options: data, for main.py."""

from __future__ import annotations

from scrollwork.cli.declared import Argument, Command, of_run, several
from scrollwork.readings.nights.options import night_options

SUITE: Argument = (["suite"], {"help": "a suite: zeroscrolls, scrolls, seam or dolce; or --suite FILE"})
NIGHT: Argument = (["night"], {"metavar": "NIGHT", "help": "its name, or the beginning of it: 2026-11-28"})
BY: Argument = (["--by"], {"default": "", "metavar": "NAME", "help": "who (default: the user of this machine)"})
INCOMPLETE: Argument = (
    ["--incomplete"],
    {
        "action": "store_true",
        "help": "also a night with too few answers: those it lacks are compared on no later night",
    },
)


def of_nights() -> list[Argument]:
    """Return the options of nights beside those of `run`."""
    return several(night_options().values())


NIGHTS: dict[str, Command] = {
    "run": (
        "evaluate models anew, compare them with the accepted night, store the night; a drop ends with status 1",
        "scrollwork nights run zeroscrolls --model my-server --models models.toml",
        "scrollwork.cli.nights.running",
        [SUITE, of_nights, of_run],
    ),
    "plan": (
        "what a night would ask, why, and what it would cost, as far as can be known; asks nothing",
        "scrollwork nights plan zeroscrolls --model my-server --models models.toml --full-every 7",
        "scrollwork.cli.nights.planning",
        [SUITE, of_nights, of_run],
    ),
    "show": (
        "a night: models with reported versions, scores, coverage, cost, and the verdict on each task",
        "scrollwork nights show 2026-11-28",
        "scrollwork.cli.nights.listing",
        [NIGHT],
    ),
    "page": (
        "one page over all nights: scores with intervals, cost, versions, verdicts; each night writes it, too",
        "scrollwork nights page --out nights.html",
        "scrollwork.cli.nights.page",
        [
            (
                ["--out"],
                {"default": "", "metavar": "FILE", "help": "where it goes (default: nights.html beside reports)"},
            )
        ],
    ),
    "accept": (
        "from now on, compare nights with this one; says which drops and missing answers are accepted with it",
        "scrollwork nights accept 2026-11-28 --by ana",
        "scrollwork.cli.nights.changes",
        [NIGHT, BY, INCOMPLETE],
    ),
    "mute": (
        "raise no alarm for a drop of this task up to and with a day (UTC); a day that is over ends it",
        "scrollwork nights mute qasper --until 2026-12-24",
        "scrollwork.cli.nights.changes",
        [
            (["task"], {"metavar": "TASK", "help": "as `nights show` names it"}),
            (["--until"], {"required": True, "metavar": "DATE", "help": "2026-12-24"}),
            BY,
        ],
    ),
}
