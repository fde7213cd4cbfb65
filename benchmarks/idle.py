"""A command with nothing to do, beside starting Python and beside importing Prefect."""

from __future__ import annotations

import tempfile

from benchmarks.kit.measure import cost, interleaved, python


def main() -> list[str]:
    """The lines of the report."""
    with tempfile.TemporaryDirectory() as home:
        code = (
            "import sys; from scrollwork.cli.main import main; "
            f"sys.exit(main(['--home', {home!r}, '--quiet', 'run', 'zeroscrolls', '--sample', '--model', 'naive', "
            "'--engine', 'inline']))"
        )
        cost(python(code))
        costs = interleaved(
            {
                "ours": python(code.replace(", '--engine', 'inline'", "")),
                "python": python("pass"),
                "prefect": python("import prefect, prefect.flows, prefect.tasks"),
            },
            rounds=5,
        )
    return [
        f"nothing to do (70 stages reused): {costs['ours'].wall_s:.2f} s, {costs['ours'].peak_mb:.0f} MB; "
        f"starting Python {costs['python'].wall_s:.2f} s; importing Prefect alone {costs['prefect'].wall_s:.2f} s "
        f"({costs['ours'].wall_s / costs['prefect'].wall_s:.2f}x)"
    ]


if __name__ == "__main__":
    print("\n".join(main()))
