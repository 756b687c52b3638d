"""The protocol without input and output: bytes that were received become answers and notifications.

Both fronts share it. Whatever a hostile or broken daemon sends, a `Core` holds a bounded number of bytes, and ends with an
error that names the cause.
"""

from __future__ import annotations

import errno
import json
from collections import deque
from typing import Any, Deque, Dict, List, NoReturn, Optional, Tuple

from ._request import Request, encoded, mismatch
from .errors import ConnectionLost, Error, NFCError, ProtocolError
from .methods import NOTIFICATIONS, RESULTS

# The longest line in either direction, in bytes without its end.
LINE_LIMIT = 1_048_576

# The bytes of notifications that may wait for the program.
QUEUE_LIMIT = 8 * 1_048_576

# Methods whose answer names what notifications are about; what ends it, and the member with the name.
_ENDINGS = {
    "session.begin": ("session.invalidate", "session"),
    "background.subscribe": ("background.unsubscribe", "subscription"),
    "taps.subscribe": ("taps.unsubscribe", "subscription"),
}

# A notification: its method and its members.
Event = Tuple[str, Dict[str, Any]]


class Item:
    """What comes for a request: reports of progress, then the answer."""


class Answer(Item):
    """The answer to a request: a result, or an error."""

    def __init__(self, result: Any, error: Optional[NFCError]) -> None:
        self.result = result
        self.error = error


class Progress(Item):
    """How far a command to a tag is."""

    def __init__(self, done: int, total: int) -> None:
        self.done = done
        self.total = total


class _Pending:
    def __init__(self, method: str) -> None:
        self.method = method
        self.items: Deque[Item] = deque()


class Core:
    """One connection: what was asked, what has come, and why it ended."""

    def __init__(self) -> None:
        self.failure: Optional[Error] = None
        self._buffer = bytearray()
        self._searched = 0
        self._last_id = 0
        self._pending: Dict[int, _Pending] = {}
        # Notifications by what they are about: a session, a subscription, or `events`.
        self._queues: Dict[str, Deque[Tuple[Event, int]]] = {}
        # Notifications about what an answer that is still awaited may name.
        self._early: List[Tuple[str, Event, int]] = []
        self._queued = 0
        # Lines to send because of what was received.
        self._replies: List[bytes] = []
        # Requests that were given up, and whose answer would name a session or a subscription to end.
        self._given_up: Dict[int, str] = {}

    # Requests

    def request(self, request: "Request[Any]") -> Tuple[int, bytes]:
        """Returns the id and the line of a request.

        Raises:
            NFCError: with 105, if the line would be too long.
        """
        if self.failure is not None:
            raise self.failure
        params = encoded(request.params)
        line = json.dumps(
            {"jsonrpc": "2.0", "id": self._last_id + 1, "method": request.method, "params": params},
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
        ).encode("utf-8")
        if len(line) > LINE_LIMIT:
            detail = f"the request has {len(line)} bytes, and a line at most {LINE_LIMIT}; send less"
            raise NFCError(105, "PacketTooLong", "Packet too long", detail)
        self._last_id += 1
        self._pending[self._last_id] = _Pending(request.method)
        return self._last_id, line + b"\n"

    def take(self, identifier: int) -> Optional[Item]:
        """Returns the next that has come for a request; `None` if nothing has."""
        pending = self._pending.get(identifier)
        if pending is None or not pending.items:
            return None
        item = pending.items.popleft()
        if isinstance(item, Answer):
            del self._pending[identifier]
        return item

    def forget(self, identifier: int) -> bytes:
        """Returns the line that cancels a request whose answer is no longer wanted; empty if it was answered."""
        pending = self._pending.pop(identifier, None)
        if pending is None:
            return b""
        self._drop_early()
        answer = pending.items[-1] if pending.items else None
        if isinstance(answer, Answer):
            self._end_named(pending.method, answer.result)
            return self.take_replies()
        if pending.method in _ENDINGS:
            self._given_up[identifier] = pending.method
        return b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n' % identifier

    def take_replies(self) -> bytes:
        """Returns the lines to send because of what was received; usually empty."""
        replies = b"".join(self._replies)
        self._replies.clear()
        return replies

    def _end_named(self, method: str, result: Any) -> None:
        """Ends what a request that was given up has begun."""
        if method in _ENDINGS and isinstance(result, dict):
            ending, member = _ENDINGS[method]
            self.close_queue(result[member])
            params = {"jsonrpc": "2.0", "method": ending, "params": {member: result[member]}}
            self._replies.append(json.dumps(params).encode("utf-8") + b"\n")

    # Notifications

    def open_queue(self, key: str) -> None:
        """Keeps notifications about `key` from now on."""
        queue = self._queues.setdefault(key, deque())
        for early, event, size in self._early:
            if early == key:
                queue.append((event, size))
        self._early = [item for item in self._early if item[0] != key]

    def close_queue(self, key: str) -> None:
        """Ignores notifications about `key` from now on."""
        for _, size in self._queues.pop(key, ()):
            self._queued -= size

    def next_event(self, key: str) -> Optional[Event]:
        """Returns the next notification about `key`; `None` if there is none."""
        queue = self._queues.get(key)
        if not queue:
            return None
        event, size = queue.popleft()
        self._queued -= size
        return event

    # What is received

    def receive(self, data: bytes) -> None:
        """Takes bytes that were received; empty bytes are the end. Afterwards `failure` is set if the connection ended."""
        if self.failure is not None:
            return
        if not data:
            self.fail(connection_lost())
            return
        try:
            self._buffer += data
            while True:
                end = self._buffer.find(b"\n", self._searched)
                length = len(self._buffer) if end < 0 else end
                if length > LINE_LIMIT:
                    self._refuse(f"a line of more than {LINE_LIMIT} bytes")
                if end < 0:
                    self._searched = len(self._buffer)
                    return
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                self._receive_line(line)
        except Error as error:
            self.fail(error)

    def fail(self, error: Error) -> None:
        """Ends the connection for this reason, unless it has ended."""
        if self.failure is None:
            self.failure = error
            self._buffer.clear()
            self._early.clear()

    def _receive_line(self, line: bytes) -> None:
        try:
            message = json.loads(line.decode("utf-8"), parse_int=_integer, parse_constant=_constant)
        except (ValueError, RecursionError) as error:
            self._refuse(f"a line that is not JSON ({error or type(error).__name__}): {_excerpt(line)}")
        if not isinstance(message, dict):
            self._refuse(f"a line that is not an object: {_excerpt(line)}")
        if "method" in message:
            self._receive_notification(message, len(line))
        elif "id" in message:
            self._receive_answer(message, line)
        else:
            self._refuse(f"a line that is neither an answer nor a notification: {_excerpt(line)}")

    def _receive_answer(self, message: Dict[str, Any], line: bytes) -> None:
        identifier = message["id"]
        error = message.get("error")
        if identifier is None and isinstance(error, dict):
            raise ConnectionLost(f"nfcd closed the connection: {NFCError.of_answer(error)}")
        if type(identifier) is not int or not 0 < identifier <= self._last_id:
            self._refuse(f"an answer to a request that was not sent: {_excerpt(line)}")
        pending = self._pending.get(identifier)
        if pending is None:
            method = self._given_up.pop(identifier, "")
            if not mismatch(RESULTS.get(method, object), message.get("result"), "result"):
                self._end_named(method, message.get("result"))
            return
        if pending.items and isinstance(pending.items[-1], Answer):
            self._refuse(f"a second answer to a request: {_excerpt(line)}")
        if isinstance(error, dict):
            pending.items.append(Answer(None, NFCError.of_answer(error)))
        elif "result" in message:
            result = message["result"]
            found = mismatch(RESULTS.get(pending.method, object), result, "result")
            if found:
                self._refuse(f"an answer to {pending.method} whose {found}")
            if pending.method in _ENDINGS:
                self.open_queue(result[_ENDINGS[pending.method][1]])
            pending.items.append(Answer(result, None))
        else:
            self._refuse(f"an answer without a result: {_excerpt(line)}")
        self._drop_early(answered=identifier)

    def _receive_notification(self, message: Dict[str, Any], size: int) -> None:
        method, params = message["method"], message.get("params", {})
        shape = NOTIFICATIONS.get(method) if isinstance(method, str) else None
        if shape is None:
            return
        found = mismatch(shape, params, "params")
        if found:
            self._refuse(f"a notification {method} whose {found}")
        if method == "$/progress":
            self._receive_progress(params)
            return
        # The events of every client have members `session`, too.
        if "subscription" in shape:
            key = str(params["subscription"])
        elif method in ("session.began", "session.ended") or "session" not in shape:
            key = "events"
        else:
            key = str(params["session"])
        if key in self._queues:
            self._queues[key].append(((method, params), size))
        elif self._awaits_name():
            self._early.append((key, (method, params), size))
        else:
            return
        self._queued += size
        if self._queued > QUEUE_LIMIT:
            raise ConnectionLost(
                f"{self._queued} bytes of notifications wait to be read; iterate faster, or end sessions and subscriptions"
            )

    def _receive_progress(self, params: Dict[str, Any]) -> None:
        pending = self._pending.get(params["id"]) if type(params["id"]) is int else None
        if pending is None or (pending.items and isinstance(pending.items[-1], Answer)):
            return
        # Only the latest matters.
        pending.items.clear()
        pending.items.append(Progress(params["done"], params["total"]))

    def _awaits_name(self) -> bool:
        return any(pending.method in _ENDINGS and not pending.items for pending in self._pending.values())

    def _drop_early(self, answered: Optional[int] = None) -> None:
        if self._early and not self._awaits_name():
            self._queued -= sum(size for _, _, size in self._early)
            self._early.clear()

    def _refuse(self, what: str) -> NoReturn:
        raise ProtocolError(f"the other side of the socket sent {what}. Is it nfcd? The connection is closed.")


def connection_lost(error: Optional[OSError] = None) -> ConnectionLost:
    """Returns the error for a connection that ended, or failed with `error`."""
    if error is None or error.errno in (errno.ECONNRESET, errno.EPIPE):
        return ConnectionLost("nfcd closed the connection; it was stopped or restarted")
    return ConnectionLost(f"the connection to nfcd failed: {error.strerror or error}")


def _integer(digits: str) -> int:
    # The time for longer numbers grows with the square of their length.
    if len(digits) > 37:
        raise ValueError("a number of more than 36 digits")
    return int(digits)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _excerpt(line: bytes) -> str:
    text = line[:80].decode("utf-8", "backslashreplace")
    return repr(text + ("…" if len(line) > 80 else ""))
