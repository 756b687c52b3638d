"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class Error(Exception):
    """The base of all exceptions of this package."""


class CannotConnect(Error, ConnectionError):
    """nfcd could not be reached. The text explains what to do."""


class ConnectionLost(Error, ConnectionError):
    """The connection to nfcd ended. Sessions end with it; the next call connects again."""


class ProtocolError(ConnectionLost):
    """The other side of the socket sent what nfcd never sends. The connection is closed."""


class NoAnswer(Error, TimeoutError):
    """nfcd did not answer in time."""


class NoTag(Error, TimeoutError):
    """No tag arrived in the time that the caller gave."""


class NFCError(Error):
    """nfcd, or the tag, refused.

    Attributes:
        code: the number, one of `ErrorCode` unless nfcd is newer than this package.
        name: the short name, such as `TagNotWritable`; empty if nfcd gives none.
        message: what the code means.
        detail: the cause in words; may be empty.
        path: the invalid parameter, such as `params.readers[0]`.
        response: the answer of the tag, if it is the cause.
        status_word: SW1 and SW2 of that answer.
    """

    def __init__(
        self,
        code: int,
        name: str = "",
        message: str = "",
        detail: str = "",
        *,
        path: Optional[str] = None,
        response: Optional[bytes] = None,
        status_word: Optional[bytes] = None,
    ) -> None:
        self.code = code
        self.name = name
        self.message = message
        self.detail = detail
        self.path = path
        self.response = response
        self.status_word = status_word
        super().__init__(code, name, message, detail)

    def __str__(self) -> str:
        text = ": ".join(part for part in (self.message or self.name, self.detail) if part)
        return f"{text} ({self.code})" if text else f"error {self.code}"

    def __repr__(self) -> str:
        return f"NFCError(code={self.code}, name={self.name!r}, message={self.message!r}, detail={self.detail!r})"

    @classmethod
    def of_answer(cls, error: Mapping[str, Any]) -> "NFCError":
        """Returns the error of a JSON-RPC answer."""
        from .methods import ErrorCode

        data = error.get("data")
        data = data if isinstance(data, dict) else {}
        code = error.get("code")
        code = code if isinstance(code, int) else 0
        name = _text(data.get("name"))
        if not name and code in ErrorCode._value2member_map_:
            name = ErrorCode(code).name
        return cls(
            code,
            name,
            _text(error.get("message")),
            _text(data.get("detail")),
            path=_text(data.get("path")) or None,
            response=_octets(data.get("response")),
            status_word=_octets(data.get("statusWord")),
        )

    @classmethod
    def of_event(cls, event: Mapping[str, Any]) -> "NFCError":
        """Returns the error of a notification: of its members `code`, `name`, `message` and `detail`."""
        return cls.of_answer({"code": event.get("code"), "message": event.get("message"), "data": event})


class SessionEnded(NFCError):
    """The session ended; `code` gives the reason, such as 201 for its time limit and 203 for a reader that is in use."""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _octets(value: Any) -> Optional[bytes]:
    try:
        return bytes.fromhex(value) if isinstance(value, str) else None
    except ValueError:
        return None
