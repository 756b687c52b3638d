"""The connection for asyncio."""

from __future__ import annotations

import asyncio
import socket
import time
from typing import Callable, Optional, Set, TypeVar

from ._core import Core, connection_lost
from .errors import ConnectionLost

T = TypeVar("T")

sleep = asyncio.sleep
Lock = asyncio.Lock


class Link:
    """A socket with its core, and the task that receives."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.core = Core()
        self._reader = reader
        self._writer = writer
        self._waiting: Set["asyncio.Future[None]"] = set()
        self._task = asyncio.ensure_future(self._receive())

    @classmethod
    async def open(cls, path: str, timeout: float) -> "Link":
        """Connects; raises `OSError`."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)
            # Connecting to a Unix socket succeeds or fails at once.
            connection.connect(path)
            return cls(*await asyncio.open_unix_connection(sock=connection))
        except BaseException:
            connection.close()
            raise

    async def send(self, data: bytes, timeout: float) -> None:
        """Sends a line."""
        if self.core.failure is not None:
            raise self.core.failure
        # A line is written as a whole: cancelling the wait cuts nothing off.
        self._writer.write(data)
        deadline = time.monotonic() + timeout
        while self._writer.transport.get_write_buffer_size() > 0 and self.core.failure is None:
            # Usually all of it was sent at once. Otherwise nfcd is busy, and looking again is good enough.
            if time.monotonic() >= deadline:
                self._end(ConnectionLost("nfcd does not read what this program sends; the connection is closed"))
            await asyncio.sleep(0.01)
        if self.core.failure is not None:
            raise self.core.failure

    async def post(self, data: bytes) -> None:
        """Sends a short line without waiting."""
        if data and self.core.failure is None:
            self._writer.write(data)

    async def wait(self, ready: Callable[[], Optional[T]], timeout: Optional[float]) -> T:
        """Waits until `ready` returns something. Raises `TimeoutError`, or why the connection ended."""
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
            woken: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
            self._waiting.add(woken)
            try:
                await asyncio.wait((woken,), timeout=remaining)
            finally:
                self._waiting.discard(woken)

    async def close(self) -> None:
        """Closes the socket."""
        self._end(ConnectionLost("the connection was closed by this program"))
        self._task.cancel()
        await asyncio.wait((self._task,))
        self._writer.transport.abort()
        # The transport closes the socket in the next turn.
        await asyncio.sleep(0)

    async def _receive(self) -> None:
        try:
            while self.core.failure is None:
                self.core.receive(await self._reader.read(65536))
                await self.post(self.core.take_replies())
                self._wake()
        except OSError as error:
            self._end(connection_lost(error))
        finally:
            self._end(ConnectionLost("the connection was closed by this program"))

    def _end(self, error: ConnectionLost) -> None:
        self.core.fail(error)
        self._wake()

    def _wake(self) -> None:
        for woken in self._waiting:
            if not woken.done():
                woken.set_result(None)
