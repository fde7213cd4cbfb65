"""moto's S3 server, whose conditional requests are atomic as those of S3 are: moto looks first and writes then, and two that
came at once could both be told that theirs was the first. Run with the Python that has moto, not with ours."""

import threading
from contextlib import nullcontext

from moto import server

ONE_AT_A_TIME = threading.Lock()


class Atomic(server.DomainDispatcherApplication):
    """The application of moto."""

    def __call__(self, environ, start_response):
        conditional = "HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MATCH" in environ
        with ONE_AT_A_TIME if conditional else nullcontext():
            return super().__call__(environ, start_response)


if __name__ == "__main__":
    server.DomainDispatcherApplication = Atomic
    server.main()
