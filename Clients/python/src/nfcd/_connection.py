"""Where nfcd listens, how long to wait for it, and what to do if it cannot be reached."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Iterator, Optional

from .errors import CannotConnect


def default_path() -> str:
    """Returns the path of the socket: of `NFCD_SOCKET`, of the user's own daemon if it runs, or of the system's."""
    path = os.environ.get("NFCD_SOCKET")
    if path:
        return path
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if folder and os.path.exists(os.path.join(folder, "nfcd", "nfcd.sock")):
        return os.path.join(folder, "nfcd", "nfcd.sock")
    return "/run/nfcd/nfcd.sock"


@dataclass(frozen=True)
class Backoff:
    """How long to wait before each attempt to connect again.

    Attributes:
        initial: the seconds before the first attempt.
        factor: how many times longer each further wait is.
        maximum: the longest wait in seconds.
        attempts: how many attempts are made; `None` for no limit.
    """

    initial: float = 0.1
    factor: float = 2.0
    maximum: float = 10.0
    attempts: Optional[int] = None

    def delays(self) -> Iterator[float]:
        """Yields the wait before each attempt."""
        delay, count = self.initial, 0
        while self.attempts is None or count < self.attempts:
            yield min(delay, self.maximum)
            delay = min(delay * self.factor, self.maximum)
            count += 1


def cannot_connect(path: str, error: OSError) -> CannotConnect:
    """Returns the error for a connection that failed, with what to do."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        advice = "nfcd does not run, or listens elsewhere. Start it: sudo systemctl start nfcd.socket. Or set NFCD_SOCKET."
    elif error.errno == errno.EACCES:
        advice = "this user may not use nfcd. Add the user to the group nfc: sudo usermod -aG nfc $USER. Then log in again."
    elif error.errno == errno.ECONNREFUSED:
        advice = "nfcd has stopped. Start it: sudo systemctl restart nfcd.socket nfcd.service."
    else:
        advice = "nfcctl doctor looks for the cause."
    return CannotConnect(f"cannot connect to nfcd on {path}: {error.strerror or error}; {advice}")
