"""The environment variables that are passed to the server and the worker: by lists of names, never all.

The server gets no vendor's API key. The worker gets what stages need and the keys that the models' tables name.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

# What any program needs. NAME* means all names that begin so.
SYSTEM = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONWARNINGS"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
# How much Prefect logs. Other logging settings are left out: they let libraries print headers with the secret.
LOGGING = (
    *("PREFECT_LOGGING_LEVEL", "PREFECT_LOGGING_LOG_PRINTS", "PREFECT_LOGGING_COLORS", "PREFECT_LOGGING_MARKUP"),
    *("PREFECT_LOGGING_TO_API_*", "PREFECT_DEBUG_MODE"),
)
# Of the database settings only timeouts: which database is used is fixed (local_server.server_settings).
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


def variables_in(environ: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The variables with one of these names, sorted by name; NAME* means all that begin so."""
    exact = {name for name in names if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in names if name.endswith("*"))
    return {name: environ[name] for name in sorted(environ) if name in exact or name.startswith(beginnings)}


def quiet_log_levels(environ: Mapping[str, str]) -> dict[str, str]:
    """The user's log levels for libraries and server, but INFO at least: below it, uvicorn, websockets, httpcore, h11
    and hpack print headers, and with them the secret."""
    server = environ.get("PREFECT_SERVER_LOGGING_LEVEL", environ.get("PREFECT_LOGGING_SERVER_LEVEL", "WARNING"))
    named = {
        "PREFECT_SERVER_LOGGING_LEVEL": server.upper(),
        "PREFECT_LOGGING_ROOT_LEVEL": environ.get("PREFECT_LOGGING_ROOT_LEVEL", "WARNING").upper(),
    }
    known = ("INFO", "WARNING", "ERROR", "CRITICAL")
    return {name: level if level in known else "INFO" for name, level in named.items()}


def quiet_libraries(environ: MutableMapping[str, str]) -> None:
    """Remove settings that let libraries log through Prefect in this process (server and worker never get them).

    Their records hold the secret; and Prefect's handler would deadlock on httpcore, through which it calls the API.
    """
    levels = quiet_log_levels(environ)
    for name in [name for name in environ if name.startswith("PREFECT_LOGGING_")]:
        if not variables_in({name: ""}, LOGGING):
            del environ[name]
    environ.update(levels)


def key_names(models_file: str | None = None) -> list[str]:
    """The environment variables that hold vendors' API keys: those named in config/models.toml and in the user's file,
    and the providers' usual ones. Raises UsageError if the file cannot be read."""
    from scrollwork.models.hosted.tables import KEY_ENV
    from scrollwork.suites.suite_files import load_models

    named = (table.get("key_env") for table in load_models(models_file).values())
    return sorted({*KEY_ENV.values(), *(str(name) for name in named if name)})
