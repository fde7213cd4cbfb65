"""docs/options.md: the options of build and run, by group, as they are declared (suites/options.py, designs/).

`write` makes it anew, `check` fails where it is not what the declarations say.
"""

from __future__ import annotations

import sys
from pathlib import Path

from scrollwork.suites.options import BUILD, Option, every_option

PAGE = Path(__file__).resolve().parents[1] / "docs" / "options.md"
HEAD = """# Options of build and run

Made from the declarations by `make options` (`suites/options.py`; of one design alone, its module in `designs/`). They
are flags of the command, parameters of the deployments (`prefect deployment run ... --param NAME=VALUE`, or the form in
Prefect's UI) and arguments of `Request.of`. An option that is left out is none; 0 and "" are values, mostly refused.
"""
KINDS = {bool: "yes or no", int: "whole number", str: "text", tuple: "texts", dict: "task.option: value"}


def row(option: Option) -> str:
    """A line of the table."""
    kind = " or ".join(option.choices) or KINDS[option.type]
    bound = f", {option.least} or more" if option.least is not None else ""
    where = "build, run" if option.scope == BUILD else "run"
    asks = "yes" if option.decides else ""
    cells = (f"`{option.flag}`", f"`{option.name}`", f"{kind}{bound}", where, asks, option.help)
    return "| " + " | ".join(one.replace("|", "\\|") for one in cells) + " |\n"


def page() -> str:
    """The whole page."""
    groups: dict[str, list[Option]] = {}
    for one in every_option().values():
        groups.setdefault(one.group, []).append(one)
    head = "| flag | parameter | value | of | decides what is asked | |\n|---|---|---|---|---|---|\n"
    tables = (f"\n## {name[:1].upper()}{name[1:]}\n\n{head}{''.join(map(row, own))}" for name, own in groups.items())
    return HEAD + "".join(tables)


def main() -> int:
    """The exit status: 1 where the page is another than the declarations'."""
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page():
        print("docs/options.md is not what the declarations say: make options")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
