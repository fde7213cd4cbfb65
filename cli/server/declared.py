"""The commands around Prefect servers, and their options: data, for main.py."""

from __future__ import annotations

from typing import Any

from scrollwork.cli.declared import Argument, Command


def repeated(flag: str, metavar: str, text: str) -> Argument:
    """An option that may be repeated."""
    return [flag], {"action": "append", "default": [], "metavar": metavar, "help": text}


def named(flag: str, metavar: str, text: str, **more: Any) -> Argument:
    """An option with a text, "" by default."""
    return [flag], {"default": "", "metavar": metavar, "help": text, **more}


def set_by(flag: str, text: str) -> Argument:
    """An option without a value."""
    return [flag], {"action": "store_true", "help": text}


SERVER: dict[str, Command] = {
    "up": (
        "start a local Prefect server, work pool, deployments and worker",
        "scrollwork up",
        "scrollwork.cli.server.up",
        [
            (
                ["--port"],
                {
                    "type": int,
                    "metavar": "N",
                    "help": "port of the server (default: the last one's after a crash, else 4200, or any free one)",
                },
            ),
            repeated(
                "--allow-host",
                "NAME",
                "another name or address by which the server is asked, beside 127.0.0.1 and localhost",
            ),
            repeated(
                "--pass-env",
                "NAME",
                "another variable for the worker, beside what it runs with and the keys that tables of models name "
                "(key_env); NAME* for all that begin so, as 'AWS_*'",
            ),
            (
                ["--models"],
                {
                    "dest": "models_file",
                    "metavar": "FILE",
                    "help": "your own tables of models, for the names of their keys (default: models.toml there)",
                },
            ),
        ],
    ),
    "down": (
        "stop what `up` started; runs that ask models store the answers in flight first",
        "scrollwork down",
        "scrollwork.cli.server.down",
        [
            (
                ["--wait"],
                {
                    "type": float,
                    "default": 300,
                    "metavar": "SECONDS",
                    "help": "how long runs have for that at most, 0 for none (default: %(default)s)",
                },
            )
        ],
    ),
    "deploy": (
        "apply the deployments of prefect.yaml to any Prefect server; what is there already is left alone",
        "scrollwork --home s3://bucket/evals --store postgresql://evals@db.example.org/evals deploy --pool team "
        "--git https://git.example.org/evals.git --branch main",
        "scrollwork.cli.server.deploy",
        [
            named("--pool", "NAME", "the work pool; one that is missing is made, of type process", required=True),
            named("--queue", "NAME", "work queue of the pool, made if missing (default: the file's, else `default`)"),
            named("--git", "URL", "repository of the project, which each flow run clones"),
            named("--branch", "B", "its branch (default: the repository's)"),
            named("--git-token", "BLOCK", "Secret block with the repository's access token", dest="token"),
            named("--image", "NAME", "image with scrollwork, for a pool that runs images"),
            named("--folder", "DIR", "the project's folder where flows run (process pool: default this one)"),
            set_by("--mounted", "the folder of --home is at this path wherever flows run: a volume, a share"),
            repeated("--env", "NAME=VALUE", "a variable of flow runs, no secret: AWS_ENDPOINT_URL=... (repeat)"),
            repeated("--secret", "NAME=BLOCK", "a variable whose value is in this Secret block of the server (repeat)"),
            repeated("--deployment", "NAME", "this one alone (repeat for several; default: all of prefect.yaml)"),
            named(
                "--api", "URL", "the server's API (default: PREFECT_API_URL, the server of `up`, Prefect's settings)"
            ),
            set_by("--dry-run", "check everything and say what would be done; nothing is applied"),
            named("--out", "FILE", "write them as a prefect.yaml for `prefect deploy`; nothing is applied"),
        ],
    ),
}
