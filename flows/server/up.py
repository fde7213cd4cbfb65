"""`up`: start and check the Prefect server, work pool, deployments and one worker together."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from scrollwork.flows.server.automations import forget_heartbeats, tell_alerts
from scrollwork.flows.server.deployed import follow_file, tell_changed
from scrollwork.flows.server.guard import ALLOWED_HOSTS, KEEPER, OWN_HOSTS, host_of
from scrollwork.flows.server.local_server import (
    POOL,
    QUIET,
    access_line,
    forget_server,
    is_keeper,
    is_online,
    is_ours,
    is_running,
    make_private,
    module_command,
    new_secret,
    note_server,
    noted_server,
    secret_of,
    secret_path,
    server_command,
    server_settings,
    worker_lives,
    write_private,
)
from scrollwork.flows.server.processes import (
    LIVES,
    USUAL_PORT,
    ServiceError,
    lifeline,
    on_free_port,
    spawn,
    stop,
    stop_all,
    wait_for,
    wait_for_down,
    wait_while,
    watch,
)
from scrollwork.flows.server.project import (
    checkout,
    own_models,
    project_folder,
    project_of,
    refuse_no_project,
    shadowing,
)
from scrollwork.flows.server.recovery import WORKER_NAME, end_lost_runs, expect_signs, is_locked
from scrollwork.flows.server.variables import SERVER, WORKER, key_names, quiet_log_levels, variables_in
from scrollwork.flows.server.worker import KEPT
from scrollwork.storage.location import file_lock

BUSY_S = 30.0  # how long a live server may not answer
TURN_S = 5.0  # how long a worker may take to end with its server or to become a keeper


def up(
    home: Path,
    port: int | None,
    say: Callable[[str], None],
    *,
    hosts: Sequence[str] = (),
    passed: Sequence[str] = (),
    models_file: str | None = None,
) -> dict[str, Any]:
    """Start what is not running yet. Returns what `up` prints, without the secret. Raises ServiceError, UsageError.

    hosts: further names that the server answers to, besides 127.0.0.1 and localhost. passed: further environment
    variables for the worker (NAME or NAME*), besides those of variables.py. models_file: the user's own file of models,
    for its key_env; by default the project's.
    """
    project = project_folder()
    if project is None:
        raise refuse_no_project()
    for name in [] if project == checkout() else shadowing(project):
        say(f"flow runs import {name} of this project in place of the module of that name that is installed: rename it")
    wrong = [name for name in hosts if not host_of(name) or host_of(name) != name.lower() or "*" in name]
    if wrong:
        raise ServiceError(f"--allow-host {wrong[0]}: write a host name or an address, without a port")
    keys = key_names(models_file or own_models(project))
    folder = home / "prefect"
    make_private(folder)
    lock = folder / ".up.lock"
    lock.touch(mode=0o600)
    lock.chmod(0o600)
    variables = variables_in(os.environ, [*WORKER, *keys, *passed])
    names = [name.lower() for name in hosts]
    with file_lock(lock):
        wait_for_down(folder, say)
        standing = noted_server(home)
        if standing is None:
            begin = partial(start, home, variables, names, say, project=project)
            return server_facts(on_free_port(begin, port, say, named=port is not None))
        if not server_lives(standing):
            return server_facts(start_again(home, standing, port, variables, names, say, project))
        if worker_lives(standing):
            say(f"already up: {standing['ui']}")
            end_lost(standing, say, new_worker=False)
            tell_alerts(standing, say)
            tell_changed(standing, say)
            wanted = {*variables_in(os.environ, [*keys, *passed])}
            new = {*hosts} - {*standing["hosts"]} | wanted - {*standing["variables"]}
        else:
            say(f"the server stands at {standing['ui']}, its worker has ended")
            stop(int(standing["worker"]))  # the rest of its process group
            end_lost(standing, say, new_worker=True)
            standing |= {"variables": list(variables), "worker": 0}
            if not standing.get("prepared", True):  # the last `up` was stopped before it deployed
                with preparing(
                    environments(standing, secret_of(standing), variables)[1], project_of(standing)
                ) as commands:
                    deploy(standing, commands, say)
            else:
                tell_alerts(standing, say)
            start_worker(standing, variables, say)
            new = {*hosts} - {*standing["hosts"]}
        if project_of(standing) != project:
            say(
                f"it serves the deployments of {project_of(standing)}: scrollwork down, then up, for those of {project}"
            )
        if new:
            say(f"what runs does not know {', '.join(sorted(new))}: scrollwork down, then up")
        if port not in (None, standing["port"]):
            say(f"the server stays at port {standing['port']}: scrollwork down, then up --port {port}")
        return server_facts(standing)


def server_facts(running: dict[str, Any]) -> dict[str, Any]:
    """What `up` prints about a noted server."""
    names = ("url", "ui", "secret_file", "variables")
    project = str(project_of(running))
    return {**{name: running[name] for name in names}, "access": access_line(running), "project": project}


def start_again(
    home: Path,
    standing: dict[str, Any],
    port: int | None,
    variables: dict[str, str],
    hosts: list[str],
    say: Callable[[str], None],
    project: Path,
) -> dict[str, Any]:
    """Start a server in place of one that has ended, at its port and with its hosts. Flow runs that still run are not
    stopped; if their keeper has held the port all the time, the new server gets the same secret, so they can use it."""
    say("clearing what a killed server or worker left")
    stop(int(standing["server"]))
    wait_while(lambda: is_ours(standing["worker"]) and not is_keeper(standing["worker"]), TURN_S)
    keepers = [pid for pid in (standing["worker"], *standing.get("keepers", ())) if is_ours(pid) and is_keeper(pid)]
    if standing["worker"] not in keepers:
        stop(int(standing["worker"]))
    last = int(standing.get("port") or USUAL_PORT)
    hosts = list(dict.fromkeys([*standing.get("hosts", ()), *hosts]))
    kept = standing["worker"] in keepers and port in (None, last) and is_locked(home / "prefect" / KEPT)
    begin = partial(start, home, variables, hosts, say, project=project, last=standing, kept=kept, keepers=keepers)
    if kept:
        say("flow runs of the server that ended go on: it comes back at its port, with its secret")
        return begin(last)
    return on_free_port(begin, port or last, say, named=port is not None)


def start(
    home: Path,
    variables: dict[str, str],
    hosts: list[str],
    say: Callable[[str], None],
    port: int,
    *,
    project: Path,
    last: dict[str, Any] | None = None,
    kept: bool = False,
    keepers: Sequence[int] = (),
) -> dict[str, Any]:
    """Start server, pool, deployments and worker, in this order; if one fails, all are stopped again. Returns the note.

    last: the server that this one replaces. keepers: processes that keep flow runs of ended servers. kept: the first
    keeper holds the port until the new server takes it; the new server then has the secret of the last one.
    """
    folder = home / "prefect"
    ui, known = f"http://127.0.0.1:{port}", secret_of(last) if last else ""
    secret = known if kept else new_secret()
    running: dict[str, Any] = {"url": f"{ui}/api", "ui": ui, "port": port, "server": 0, "worker": 0, "home": str(home)}
    running |= {"secret_file": str(secret_path(home)), "hosts": hosts, "variables": list(variables), "prepared": False}
    running["project"] = str(project)
    if keepers:
        running["keepers"] = list(keepers)
    of_server, env = environments(running, secret, variables)
    of_server |= {KEEPER: f"{keepers[0]}:{port}"} if kept else {}
    try:
        say(f"starting the Prefect server at {ui}")
        write_private(secret_path(home), secret + "\n")
        forget_heartbeats(folder / "prefect.db")
        lives = lifeline(folder)  # nothing is written to it; the server holds it open as long as it runs
        try:
            running["server"] = spawn(server_command(port), folder / "server.log", of_server, folder, 0o077, lives)
        finally:
            os.close(lives)
        note_server(running)
        with preparing(env, project) as commands:
            wait_for(lambda: is_running(running), running["server"], folder / "server.log", "the Prefect server")
            end_lost(running, say, new_worker=True)
            deploy(running, commands, say)
            expect_signs(running)  # of the automations that it made
        start_worker(running, variables, say)
    except BaseException:
        undo_start(home, running, last, known, kept)
        raise
    return running


def undo_start(home: Path, running: dict[str, Any], last: dict[str, Any] | None, secret: str, kept: bool) -> None:
    """Clean up after a failed start; the note of the last server, and its secret, are restored for the next `up`. A
    server that may have taken the port from a keeper is not stopped: the keeper's flow runs know no other, and any
    process could take its port."""
    if kept and is_ours(running["server"]):
        note_server(running)
        return
    stop_all(running | {"keepers": ()})
    if last is None:
        forget_server(home)
        return
    write_private(secret_path(home), secret + "\n")
    note_server({"home": str(home)} | last)


def deploy(running: dict[str, Any], commands: subprocess.Popen[str], say: Callable[[str], None]) -> None:
    """Make the pool and the deployments of prefect.yaml on a running server, and note that. Raises ServiceError,
    OSError."""
    say("creating work pool and deployments")
    prepare(commands)
    follow_file(running, say)
    tell_alerts(running, say)
    running["prepared"] = True
    note_server(running)


def start_worker(running: dict[str, Any], variables: dict[str, str], say: Callable[[str], None]) -> None:
    """Start a worker of a running server, and wait until it reports. Raises ServiceError; then it is stopped again."""
    folder, project = Path(running["home"]) / "prefect", project_of(running)
    _, env = environments(running, secret_of(running), variables)
    say("starting a worker")
    name = f"{WORKER_NAME}{running['port']}"
    gone = watch(folder)
    try:
        worker = [*module_command("scrollwork.flows.server.worker", project), str(gone), str(running["port"])]
        worker += ["worker", "start", "--pool", POOL, "--name", name]
        since = datetime.now(UTC)
        running["worker"] = spawn(worker, folder / "worker.log", env, project, -1, gone)
        note_server(running)
        wait_for(lambda: is_online(running, name, since), running["worker"], folder / "worker.log", "the worker")
    except BaseException:
        stop(running["worker"])
        raise
    finally:
        os.close(gone)


def end_lost(running: dict[str, Any], say: Callable[[str], None], new_worker: bool) -> None:
    """End this project's flow runs whose process has ended, and say how many."""
    count = end_lost_runs(running, new_worker)
    if count:
        say(f"ended {count} flow run{'s' * (count > 1)} whose process is gone")


def server_lives(running: dict[str, Any]) -> bool:
    """Whether a noted server answers; waits BUSY_S for a busy one. A server of an earlier version counts as ended: our
    worker cannot work with it."""
    if not (Path(str(running.get("home"))) / "prefect" / LIVES).is_fifo() or not secret_of(running):
        return False
    wait_while(lambda: is_ours(running["server"]) and not is_running(running), BUSY_S)
    return is_running(running)


def environments(
    running: dict[str, Any], secret: str, variables: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """(environment of the server, of the worker). variables: of this process, that the worker gets."""
    both = {"PREFECT_HOME": str(Path(running["home"]) / "prefect"), "PREFECT_API_URL": running["url"]}
    own = server_settings(Path(both["PREFECT_HOME"]), running["port"], secret)
    server = {**variables_in(os.environ, SERVER), **own, **both}
    proxies = [*variables.get("NO_PROXY", "").split(","), *variables.get("no_proxy", "").split(","), *OWN_HOSTS]
    unproxied = ",".join(dict.fromkeys(filter(None, proxies)))
    worker = {
        **variables,
        **QUIET,
        **quiet_log_levels(os.environ),
        **both,
        "PREFECT_API_AUTH_STRING": secret,
        "SCROLLWORK_HOME": running["home"],
    }
    worker |= {
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        "PREFECT_PLUGINS_ENABLED": "false",
        "NO_PROXY": unproxied,
        "no_proxy": unproxied,
    }
    return server | {ALLOWED_HOSTS: ",".join(running["hosts"])}, worker


@contextmanager
def preparing(env: dict[str, str], project: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that loads Prefect and then makes pool and deployments when `prepare` tells it to. It is killed
    if the block fails, because it would only end after loading Prefect."""
    with subprocess.Popen(
        module_command("scrollwork.flows.server.prefect_commands", project),
        cwd=project,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as commands:
        try:
            yield commands
        except BaseException:
            commands.kill()
            raise


def prepare(commands: subprocess.Popen[str]) -> None:
    """Tell the process of `preparing` to make pool and deployments. Raises ServiceError with Prefect's output."""
    lines = [["work-pool", "create", POOL, "--type", "process", "--overwrite"], ["--no-prompt", "deploy", "--all"]]
    said, _ = commands.communicate("".join(json.dumps(line) + "\n" for line in lines))
    if commands.returncode:
        raise ServiceError(f"work pool and deployments were not made:\n{said.strip()[-2000:]}")
