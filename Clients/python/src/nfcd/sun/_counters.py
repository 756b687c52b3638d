"""The highest counters that were seen: a counter that is not above that of its tag is a replay; a gap is normal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import threading
from dataclasses import dataclass
from typing import Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ..errors import Error


@dataclass(frozen=True)
class CounterLine:
    """One tag with one key: counters are compared within it. A new key begins again, and old messages stay refused.

    Attributes:
        identifier: the UID in hexadecimal digits, upper case.
        profile: the profile that verified the message.
        key_version: the version of the key.
    """

    identifier: str
    profile: str
    key_version: int


class CounterBook:
    """The highest counters that were seen, in memory.

    Whoever keeps it stores it durably before a success is shown; `CounterFile` does. A program with a database makes a class
    with the methods `highest` and `record`.
    """

    def __init__(self, lines: Optional[Mapping[CounterLine, int]] = None) -> None:
        self._lines: Dict[CounterLine, int] = dict(lines or {})
        self._lock = threading.Lock()

    @property
    def lines(self) -> Dict[CounterLine, int]:
        """The highest counter of each line; a copy."""
        with self._lock:
            return dict(self._lines)

    def highest(self, line: CounterLine) -> Optional[int]:
        """Returns the highest counter that was recorded; `None` for a new line."""
        return self._lines.get(line)

    def record(self, line: CounterLine, counter: int) -> bool:
        """Records a counter; the first one of a line may have any value. Returns false for a replay, which changes nothing."""
        with self._lock:
            if counter <= self._lines.get(line, -1):
                return False
            self._lines[line] = counter
            return True

    def merge(self, other: CounterBook) -> None:
        """Takes over what another machine has seen: the higher counter of each line."""
        for line, counter in other.lines.items():
            self.record(line, counter)


class CounterFileError(Error, OSError):
    """The file of counters cannot be used; nothing is proven then. The text has the file and what to do."""


class CounterFile:
    """The highest counters that were seen, in the file that `nfcctl secure check --counters` uses, too: a JSON object a line.

    A counter is on the disk before `record` returns. The file is locked for each access, so that several threads, several
    processes and `nfcctl` can use it at the same time; one that waits for another has no time limit.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        """Opens the file, and makes it where it is missing. Raises `CounterFileError`."""
        self.path = os.fspath(path)
        self._book = CounterBook()
        self._lock = threading.Lock()
        self._file: Tuple[int, int] = (0, 0)
        self._position = 0
        with self._locked():
            pass

    def __repr__(self) -> str:
        return f"CounterFile({self.path!r})"

    @property
    def book(self) -> CounterBook:
        """A copy of what the file has now. Raises `CounterFileError`."""
        with self._locked():
            return CounterBook(self._book.lines)

    def highest(self, line: CounterLine) -> Optional[int]:
        """Returns the highest counter in the file; `None` for a new line. Raises `CounterFileError`."""
        with self._locked():
            return self._book.highest(line)

    def record(self, line: CounterLine, counter: int) -> bool:
        """Stores a counter. Returns false for a replay, which changes nothing. Raises `CounterFileError`."""
        return self.record_all({line: counter})

    def merge(self, other: Union[CounterBook, CounterFile]) -> None:
        """Stores what another machine has seen: the higher counter of each line. Raises `CounterFileError`."""
        self.record_all((other.book if isinstance(other, CounterFile) else other).lines)

    def record_all(self, lines: Mapping[CounterLine, int]) -> bool:
        """Stores the counters that are new. Returns whether all are. Raises `CounterFileError`."""
        with self._locked() as descriptor:
            known = self._book.lines
            new = {line: counter for line, counter in lines.items() if counter > known.get(line, -1)}
            if new:
                self._append(descriptor, "".join(map(_entry, new.items())).encode())
                self._book.merge(CounterBook(new))
            return len(new) == len(lines)

    # Access

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        """Opens and locks the file, and reads what others have added."""
        with self._lock:
            try:
                descriptor = self._open()
                try:
                    self._read(descriptor)
                    yield descriptor
                finally:
                    os.close(descriptor)
            except CounterFileError:
                raise
            except OSError as error:
                raise CounterFileError(f"{self.path} cannot be used: {error.strerror}") from None

    def _open(self) -> int:
        while True:
            is_new = not os.path.exists(self.path)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if is_new:
                    self._sync_folder()
                if self._is_current(descriptor):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            # It was replaced while this waited for the lock.
            os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _sync_folder(self) -> None:
        folder = os.open(os.path.dirname(self.path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _read(self, descriptor: int) -> None:
        """Reads what was added. Of a file that was replaced, all is read; what was seen before stays known."""
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != self._file or status.st_size < self._position:
            self._file, self._position = (status.st_dev, status.st_ino), 0
        if status.st_size == self._position:
            return
        octets = _read_from(descriptor, self._position)
        *whole, rest = octets.split(b"\n")
        number = 0
        for number, text in enumerate(whole, 1):
            if text:
                self._take(text, number)
        # What was cut off by a crash was never answered.
        if rest and (entry := _parsed(rest)) is not None:
            self._book.record(*entry)
            os.write(descriptor, b"\n")
        elif rest and not whole and not self._position:
            raise self._damaged(1)
        elif rest:
            os.ftruncate(descriptor, status.st_size - len(rest))
        self._position = os.fstat(descriptor).st_size

    def _take(self, text: bytes, number: int) -> None:
        entry = _parsed(text)
        if entry is None:
            raise self._damaged(number)
        self._book.record(*entry)

    def _damaged(self, number: int) -> CounterFileError:
        place = f"line {number}" if not self._position else "a new line"
        self._file = (0, 0)
        return CounterFileError(f"{place} of {self.path} is not a counter; restore the file, or name a new one")

    def _append(self, descriptor: int, octets: bytes) -> None:
        size = os.fstat(descriptor).st_size
        try:
            if os.write(descriptor, octets) != len(octets):
                raise OSError(0, "the disk is full")
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
        self._position = size + len(octets)


def _read_from(descriptor: int, position: int) -> bytes:
    parts: List[bytes] = []
    while part := os.pread(descriptor, 1 << 20, position):
        parts.append(part)
        position += len(part)
    return b"".join(parts)


def _entry(entry: Tuple[CounterLine, int]) -> str:
    line, counter = entry
    values = {"counter": counter, "identifier": line.identifier, "keyVersion": line.key_version, "profile": line.profile}
    return json.dumps(values, separators=(",", ":")) + "\n"


def _parsed(text: bytes) -> Optional[Tuple[CounterLine, int]]:
    """The line and the counter of a line of the file; `None` for anything else."""
    try:
        values = json.loads(text)
        identifier, profile, version, counter = (values[name] for name in ("identifier", "profile", "keyVersion", "counter"))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(profile, str) or not isinstance(identifier, str) or not re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", identifier):
        return None
    if type(version) is not int or type(counter) is not int or not 0 <= version <= 255 or not 0 <= counter < 1 << 32:
        return None
    return CounterLine(identifier.upper(), profile, version), counter
