"""The blocking connection."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import Callable, Iterator, Optional, TypeVar

from ._core import Core, connection_lost
from .errors import ConnectionLost

T = TypeVar("T")

sleep = time.sleep


class Lock:
    """A program that blocks does one thing at a time."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class Link:
    """A socket with its core. Whoever waits receives for all."""

    def __init__(self, connection: socket.socket) -> None:
        self.core = Core()
        self._connection = connection
        self._busy = threading.RLock()
        self._closing = False

    @classmethod
    def open(cls, path: str, timeout: float) -> "Link":
        """Connects; raises `OSError`."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(timeout)
            connection.connect(path)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    def send(self, data: bytes, timeout: float) -> None:
        """Sends a line."""
        if self.core.failure is not None:
            raise self.core.failure
        with self._alone(), self._ending_on_error():
            self._connection.settimeout(timeout)
            self._connection.sendall(data)

    def post(self, data: bytes) -> None:
        """Sends a short line if that needs no waiting, otherwise ends the connection."""
        if data and self.core.failure is None:
            try:
                self.send(data, 1.0)
            except ConnectionLost:
                pass

    def wait(self, ready: Callable[[], Optional[T]], timeout: Optional[float]) -> T:
        """Receives until `ready` returns something. Raises `TimeoutError`, or why the connection ended."""
        with self._alone():
            return self._wait(ready, timeout)

    def _wait(self, ready: Callable[[], Optional[T]], timeout: Optional[float]) -> T:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            value = ready()
            if value is not None:
                return value
            if self.core.failure is not None:
                raise self.core.failure
            remaining = None if deadline is None else deadline - time.monotonic()
            if remaining is not None and remaining <= 0:
                raise TimeoutError
            try:
                self._connection.settimeout(remaining)
                data = self._connection.recv(65536)
            except socket.timeout:
                continue
            except OSError as error:
                self.core.fail(connection_lost(error))
                continue
            self.core.receive(data)
            self.post(self.core.take_replies())

    def close(self) -> None:
        """Closes the socket. Another thread that waits stops waiting."""
        self.core.fail(ConnectionLost("the connection was closed by this program"))
        self._closing = True
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The other side has closed it.
        if self._busy.acquire(blocking=False):
            try:
                self._connection.close()
            finally:
                self._busy.release()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        # Two threads would take away each other's answers.
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("another thread uses this client; make one for each thread")
        try:
            yield
        finally:
            if self._closing:
                self._connection.close()
            self._busy.release()

    @contextmanager
    def _ending_on_error(self) -> Iterator[None]:
        # After a part of a line nothing else can be sent.
        try:
            yield
        except socket.timeout:
            self.core.fail(ConnectionLost("nfcd does not read what this program sends; the connection is closed"))
        except OSError as error:
            self.core.fail(connection_lost(error))
        except BaseException:
            self.core.fail(ConnectionLost("this program was interrupted while it sent a request"))
            raise
        if self.core.failure is not None:
            raise self.core.failure
