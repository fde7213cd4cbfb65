"""Which environment variables reach the processes that are started for a person: lists of names, never everything.

The server gets no key of any vendor. The worker gets what it runs with and the keys that the models' tables name.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

# What any program needs. A name that ends in * stands for all that begin so.
SYSTEM = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONWARNINGS"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
# How much Prefect logs. Not its other settings of logs: they let libraries print the headers that hold the secret.
LOGGING = (
    *("PREFECT_LOGGING_LEVEL", "PREFECT_LOGGING_LOG_PRINTS", "PREFECT_LOGGING_COLORS", "PREFECT_LOGGING_MARKUP"),
    *("PREFECT_LOGGING_TO_API_*", "PREFECT_DEBUG_MODE"),
)
# Of the database its patience alone: which one it is, is never the user's to say (local_server.server_settings).
SERVER = (
    *SYSTEM,
    *("PREFECT_API_DATABASE_TIMEOUT", "PREFECT_API_DATABASE_CONNECTION_TIMEOUT"),
    *("PREFECT_SERVER_DATABASE_TIMEOUT", "PREFECT_SERVER_DATABASE_CONNECTION_TIMEOUT"),
    "PREFECT_SERVER_SERVICES_*",
    *LOGGING,
)
WORKER = (
    *SYSTEM,
    "SCROLLWORK_*",
    *LOGGING,
    *("PREFECT_WORKER_*", "PREFECT_RUNNER_*", "PREFECT_FLOWS_*", "PREFECT_TASKS_*"),
    *("PREFECT_RESULTS_*", "PREFECT_API_REQUEST_TIMEOUT", "PREFECT_DEBUG_MODE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "MPLCONFIGDIR", "NLTK_DATA"),
    *("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_ENDPOINT"),
    *("TRANSFORMERS_CACHE", "TRANSFORMERS_OFFLINE", "TORCH_HOME", "TOKENIZERS_PARALLELISM"),
    *("CUDA_*", "NVIDIA_*", "PYTORCH_*", "OMP_*", "MKL_*", "OPENBLAS_*", "NUMEXPR_*"),
)


def chosen(environ: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The variables with one of these names, in order of their names; NAME* stands for all that begin so."""
    exact = {name for name in names if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in names if name.endswith("*"))
    return {name: environ[name] for name in sorted(environ) if name in exact or name.startswith(beginnings)}


def calm(environ: Mapping[str, str]) -> dict[str, str]:
    """The levels of libraries and of the server, as the user has them, but INFO for what is below or no level: there
    uvicorn, websockets, httpcore, h11 and hpack print headers, and the secret is one."""
    server = environ.get("PREFECT_SERVER_LOGGING_LEVEL", environ.get("PREFECT_LOGGING_SERVER_LEVEL", "WARNING"))
    named = {
        "PREFECT_SERVER_LOGGING_LEVEL": server.upper(),
        "PREFECT_LOGGING_ROOT_LEVEL": environ.get("PREFECT_LOGGING_ROOT_LEVEL", "WARNING").upper(),
    }
    known = ("INFO", "WARNING", "ERROR", "CRITICAL")
    return {name: level if level in known else "INFO" for name, level in named.items()}


def quiet_libraries(environ: MutableMapping[str, str]) -> None:
    """Take away what lets libraries log through Prefect in this process; server and worker never have it.

    Their records hold the secret, and Prefect's handler on httpcore, through which it calls the API, waits for itself.
    """
    levels = calm(environ)
    for name in [name for name in environ if name.startswith("PREFECT_LOGGING_")]:
        if not chosen({name: ""}, LOGGING):
            del environ[name]
    environ.update(levels)


def key_names(models_file: str | None = None) -> list[str]:
    """The variables that hold vendors' keys, by the tables of config/models.toml and of the user's own file, and those
    of the providers whose models need no table. Raises UsageError where that file cannot be read."""
    from scrollwork.models.hosted.tables import KEY_ENV
    from scrollwork.suites.suite_files import load_models

    named = (table.get("key_env") for table in load_models(models_file).values())
    return sorted({*KEY_ENV.values(), *(str(name) for name in named if name)})
