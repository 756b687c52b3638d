"""nfcd for asyncio: the same classes as in `nfcd`, with `await`.

    async with nfcd.aio.Client() as client:
        async with client.read_session() as session:
            async for tap in session:
                print(tap.uri)

A client belongs to one event loop. Its tasks may use it at the same time.
"""

# ---
from __future__ import annotations

import logging
import time
from collections import deque
from types import TracebackType
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Deque,
    Dict,
    List,
    Literal,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Type,
    TypeVar,
    Union,
    cast,
)

from . import methods
from ._asyncio_commands import _TagCommands
from ._asyncio_link import Link, Lock, sleep
from ._connection import Backoff, cannot_connect, default_path
from ._core import Answer, Progress
from ._request import Bytes, ProgressCallback, Request, octets
from .errors import CannotConnect, ConnectionLost, NFCError, NoAnswer, NoTag, ProtocolError, SessionEnded
from .methods import (
    Consumer,
    JournalStatus,
    NDEFStatus,
    Reader,
    ServerInfo,
    TagInfo,
    TapFilter,
)
from .ndef import Message, Writable, message_of
from .taps import JournalTap, Tap, background_tap, journal_tap, message_of_result, session_tap

T = TypeVar("T")
_Self = TypeVar("_Self", bound="_Scope")
PollingOption = Literal["iso14443", "iso15693", "iso18092", "pace"]

_log = logging.getLogger("nfcd")

# The tags of a session that may wait for the program.
_MOST_WAITING = 1000


class Client:
    """A connection to nfcd, and a context manager that closes it.

    It connects when it is entered or first used. When nfcd restarts, a session that was open fails with `ConnectionLost`; the
    next call connects again. `background()`, `journal()` and `events()` connect again by themselves.

    Args:
        path: the socket; by default that of `NFCD_SOCKET`, of the user's own daemon, or of the system's.
        timeout: the seconds that nfcd has to answer a request. While a program waits for a tag, the client checks as often
            that nfcd still answers.
        wait: whether to wait until nfcd runs, instead of raising `CannotConnect`.
        backoff: the waits between attempts to connect.
    """

    def __init__(
        self,
        path: Optional[str] = None,
        *,
        timeout: float = 60.0,
        wait: bool = False,
        backoff: Backoff = Backoff(),
    ) -> None:
        self.path = path or default_path()
        self.timeout = timeout
        self.wait = wait
        self.backoff = backoff
        self._link: Optional[Link] = None
        self._lock: Optional[Lock] = None
        self._closed = False

    async def __aenter__(self) -> "Client":
        await self._connected()
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connection. Sessions and subscriptions end, and what waits for them raises `ConnectionLost`."""
        self._closed = True
        if self._link is not None:
            await self._link.close()

    async def perform(
        self,
        request: Request[T],
        *,
        progress: Optional[ProgressCallback] = None,
        timeout: Optional[float] = None,
    ) -> T:
        """Carries out a request of `nfcd.methods` and returns its result.

        Args:
            request: the request, such as `nfcd.methods.server_metrics()`.
            progress: called with what is done and the total, for requests with `progress=True`.
            timeout: the seconds to wait for the answer, and for each report of progress; the default is that of the client.

        Raises:
            NFCError: nfcd refused.
            NoAnswer: it did not answer in time.
            ConnectionLost: the connection ended before the answer. The request may have been carried out.
        """
        return await self._perform(await self._connected(), request, progress=progress, timeout=timeout)

    async def info(self) -> ServerInfo:
        """Returns what nfcd is, its limits, and what this program may do."""
        return await self.perform(methods.server_info())

    async def readers(self) -> List[Reader]:
        """Returns the readers, in the order in which they were plugged in."""
        return await self.perform(methods.readers_list())

    def read_session(
        self,
        *,
        once: bool = False,
        readers: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
        queue: bool = False,
        queue_timeout: Optional[float] = None,
        wait_for_reader: bool = False,
        yields: bool = False,
        polling: Optional[Sequence[PollingOption]] = None,
        alert_message: Optional[str] = None,
    ) -> "ReadSession":
        """Returns a session that reads the message of each tag.

        Args:
            once: whether to end after the first message.
            readers: the readers to use, by id or name; all by default.
            timeout: the time limit of the session in seconds; nfcd's limit by default, usually 60.
            queue: whether to wait while another session holds a reader, instead of failing with 203.
            queue_timeout: the longest wait in seconds.
            wait_for_reader: whether to wait until a reader is plugged in, instead of failing with 1.
            yields: whether to end, with 203, as soon as another program wants the reader.
            polling: the technologies to poll for; all by default.
            alert_message: a text for programs that show the session to people.
        """
        return ReadSession(
            self,
            methods.session_begin(
                kind="ndef",
                invalidate_after_first_read=once or None,
                readers=readers,
                timeout=timeout,
                when_busy="queue" if queue else None,
                queue_timeout=queue_timeout,
                wait_for_reader=wait_for_reader or None,
                yields=yields or None,
                polling_option=polling,
                alert_message=alert_message,
            ),
        )

    def tag_session(
        self,
        *,
        kind: Literal["ndef", "tag"] = "ndef",
        readers: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
        queue: bool = False,
        queue_timeout: Optional[float] = None,
        wait_for_reader: bool = False,
        yields: bool = False,
        polling: Optional[Sequence[PollingOption]] = None,
        alert_message: Optional[str] = None,
        applications: Optional[Sequence[Bytes]] = None,
        felica_systems: Optional[Sequence[Bytes]] = None,
    ) -> "TagSession":
        """Returns a session that delivers tags, which accept commands.

        Args:
            kind: `ndef` for reading, writing and locking messages; `tag` for raw commands to tags of any kind, too.
            readers: the readers to use, by id or name; all by default.
            timeout: the time limit of the session in seconds; nfcd's limit by default, usually 60.
            queue: whether to wait while another session holds a reader, instead of failing with 203.
            queue_timeout: the longest wait in seconds.
            wait_for_reader: whether to wait until a reader is plugged in, instead of failing with 1.
            yields: whether to end, with 203, as soon as another program wants the reader.
            polling: the technologies to poll for; all but PACE by default.
            alert_message: a text for programs that show the session to people.
            applications: the ISO/IEC 7816 applications to look for; the first that a card has is selected.
            felica_systems: the FeliCa systems to look for.
        """
        return TagSession(
            self,
            methods.session_begin(
                kind=kind,
                detection="tags" if kind == "ndef" else None,
                readers=readers,
                timeout=timeout,
                when_busy="queue" if queue else None,
                queue_timeout=queue_timeout,
                wait_for_reader=wait_for_reader or None,
                yields=yields or None,
                polling_option=polling,
                alert_message=alert_message,
                iso7816_select_identifiers=applications,
                felica_system_codes=felica_systems,
            ),
        )

    def background(
        self,
        *,
        uri_prefix: Optional[str] = None,
        uri_host: Optional[str] = None,
        uri_schemes: Optional[Sequence[str]] = None,
        kind: Optional[str] = None,
        identifier: Optional[str] = None,
        mime_type: Optional[str] = None,
        external_type: Optional[str] = None,
        reader: Optional[str] = None,
        require: Optional[Literal["proven"]] = None,
        reconnect: bool = True,
    ) -> "Background":
        """Returns the taps on readers that no session holds; all of them, or those that match.

        Args:
            uri_prefix: the beginning of a URI on the tag.
            uri_host: the host of a URI on the tag.
            uri_schemes: schemes of URIs to accept beside http, https and that of `uri_prefix`; `*` is every scheme.
            kind: the kind of a record on the tag, such as `uri` or `text`.
            identifier: the UID.
            mime_type: the media type of a record on the tag.
            external_type: the external type of a record on the tag.
            reader: the reader, by id or name.
            require: `proven`: only taps whose tag has proven itself by a profile of nfcd.
            reconnect: whether to connect again when the connection is lost. Taps in the meantime are missed.
        """
        criteria: Dict[str, Any] = {
            "uriPrefix": uri_prefix,
            "uriHost": uri_host,
            "uriSchemes": list(uri_schemes) if uri_schemes is not None else None,
            "kind": kind,
            "identifier": identifier,
            "mimeType": mime_type,
            "externalType": external_type,
            "reader": reader,
        }
        chosen = {name: value for name, value in criteria.items() if value is not None}
        return Background(self, cast(TapFilter, chosen) if chosen else None, reconnect, require)

    def journal(
        self,
        consumer: Optional[str] = None,
        *,
        after: Optional[int] = None,
        require: Optional[Literal["proven"]] = None,
        reconnect: bool = True,
    ) -> "Journal":
        """Returns the taps of the journal: those that are stored, then those to come.

        Args:
            consumer: a name for this program. The journal keeps taps until it has acknowledged them, also while it does not
                run. Without a name, taps in the meantime are missed.
            after: the sequence number after which to begin; by default what the consumer acknowledged last, and the newest
                tap for a new consumer or without one. 0 begins with the oldest tap.
            require: `proven`: only taps whose tag has proven itself; nfcd acknowledges the others for the consumer.
            reconnect: whether to connect again when the connection is lost.
        """
        return Journal(self, consumer, after, reconnect, require)

    async def journal_taps(
        self,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
        newest_first: bool = False,
    ) -> List[JournalTap]:
        """Returns a page of the journal, without acknowledging anything.

        Args:
            after: the sequence number of the last tap that the program has.
            limit: the most taps to return.
            newest_first: whether the newest come first.
        """
        page = await self.perform(methods.taps_list(after=after, limit=limit, newest_first=newest_first or None))
        return [journal_tap(entry) for entry in page["taps"]]

    async def journal_status(self) -> JournalStatus:
        """Returns the state of the journal and its consumers."""
        return await self.perform(methods.taps_status())

    def events(self, *, reconnect: bool = True) -> "Events":
        """Returns the events of readers, tags and the sessions of all programs. Needs `monitor`."""
        return Events(self, reconnect)

    def virtual_tag(
        self,
        model: str = "ntag215",
        content: Optional[Writable] = None,
        *,
        identifier: Optional[Bytes] = None,
        reader: Optional[str] = None,
        removed_at_command: Optional[int] = None,
    ) -> "VirtualTag":
        """Returns a virtual tag for a simulated reader (`nfcd --simulator 1`), as a context manager.

        Args:
            model: the product; `nfcctl virtual-tag --list` lists them.
            content: what is on the tag.
            identifier: the UID; nfcd chooses one by default.
            reader: the reader, by id or name; the first free one by default.
            removed_at_command: the tag is taken away at this command.
        """
        ndef = None if content is None else message_of(content).to_bytes()
        request = methods.simulator_present(
            model=model,
            ndef=ndef,
            identifier=identifier,
            reader=reader,
            removed_at_command=removed_at_command,
        )
        return VirtualTag(self, request)

    # The connection

    async def _connected(self) -> Link:
        """Returns the open connection; connects if there is none."""
        if self._lock is None:
            self._lock = Lock()
        async with self._lock:
            if self._closed:
                raise ConnectionLost("this client was closed; make another one")
            if self._link is not None and self._link.core.failure is None:
                return self._link
            if self._link is not None:
                await self._link.close()
                self._link = None
            delays = self.backoff.delays()
            while True:
                try:
                    self._link = await Link.open(self.path, self.timeout)
                    return self._link
                except OSError as error:
                    failure = cannot_connect(self.path, error)
                    delay = next(delays, None) if self.wait else None
                    if delay is None:
                        raise failure from error
                    _log.info("%s (next attempt in %.1f s)", failure, delay)
                    await sleep(delay)

    async def _perform(
        self,
        link: Link,
        request: Request[T],
        *,
        progress: Optional[ProgressCallback] = None,
        timeout: Optional[float] = None,
    ) -> T:
        limit = self.timeout if timeout is None else timeout
        identifier, line = link.core.request(request)
        try:
            await link.send(line, limit)
            while True:
                item = await link.wait(lambda: link.core.take(identifier), limit)
                if isinstance(item, Answer):
                    if item.error is not None:
                        raise item.error
                    result: T = item.result
                    return result
                if progress is not None and isinstance(item, Progress):
                    progress(item.done, item.total)
        except TimeoutError as error:
            raise NoAnswer(
                f"nfcd did not answer {request.method} within {limit:g} s; look at its log: journalctl -u nfcd"
            ) from error
        finally:
            await link.post(link.core.forget(identifier))

    async def _next_event(self, link: Link, key: str, deadline: Optional[float]) -> Tuple[str, Dict[str, Any]]:
        """Returns the next notification about `key`. Raises `NoTag` at the deadline."""
        while True:
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            step = self.timeout if remaining is None else min(self.timeout, remaining)
            try:
                return await link.wait(lambda: link.core.next_event(key), step)
            except TimeoutError:
                pass
            if deadline is not None and time.monotonic() >= deadline:
                raise NoTag("no tag in time; hold one to the reader, or allow more time")
            try:
                # A daemon that hangs would never send an event.
                await self._perform(link, methods.readers_list())
            except NoAnswer as error:
                link.core.fail(ConnectionLost(f"{error}; the connection is closed"))


class _Scope:
    """Something that begins and ends: a session, a subscription, a virtual tag."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def _begin(self) -> None:
        raise NotImplementedError

    async def _end(self) -> None:
        raise NotImplementedError

    async def __aenter__(self: _Self) -> _Self:
        await self._begin()
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self._end()


class _Session(_Scope):
    """What sessions have in common."""

    def __init__(self, client: Client, request: Request[methods.SessionBegin]) -> None:
        super().__init__(client)
        self._request = request
        self._link: Optional[Link] = None
        self._name = ""
        self._active = False
        self._ended: Optional[SessionEnded] = None
        self._left = False
        self._present: Set[str] = set()
        self._connected_tag: Optional[str] = None

    @property
    def ended(self) -> Optional[SessionEnded]:
        """Why the session ended, as far as this program has been notified; `None` while it lasts."""
        return self._ended

    async def restart_polling(self) -> None:
        """Detects the tags that lie on the readers again."""
        self._connected_tag = None
        self._present.clear()
        await self._perform(methods.session_restart_polling(session=self._name))

    async def set_alert_message(self, text: str) -> None:
        """Changes the text that is shown for the session."""
        await self._perform(methods.session_set_alert_message(session=self._name, message=text))

    async def invalidate(self, error_message: Optional[str] = None) -> None:
        """Ends the session. Leaving the `with` block does this, too."""
        self._left = True
        if self._link is None or self._ended is not None or self._link.core.failure is not None:
            return
        try:
            await self._perform(methods.session_invalidate(session=self._name, error_message=error_message))
        except (NFCError, ConnectionLost, NoAnswer):
            pass  # It has ended already, or ends with the connection.

    async def _begin(self) -> None:
        if self._link is not None:
            raise RuntimeError("a session is used once; begin another one")
        self._link = await self.client._connected()
        self._name = (await self.client._perform(self._link, self._request))["session"]
        try:
            while not self._active:
                if self._ended is not None:
                    raise self._ended
                await self._handle_next(None)
        except BaseException:
            await self._end()
            raise

    async def _end(self) -> None:
        await self.invalidate()
        if self._link is not None:
            self._link.core.close_queue(self._name)

    async def _perform(self, request: Request[T], progress: Optional[ProgressCallback] = None) -> T:
        if self._link is None:
            raise RuntimeError("the session has not begun; use it in a with block")
        return await self.client._perform(self._link, request, progress=progress)

    async def _handle_next(self, deadline: Optional[float]) -> None:
        """Waits for a notification and handles it."""
        if self._link is None:
            raise RuntimeError("the session has not begun; use it in a with block")
        if self._left:
            raise SessionEnded(200, "UserCanceled", "Session invalidated by user", "this program ended the session")
        if self._count_waiting() > _MOST_WAITING:
            self._link.core.fail(ConnectionLost(f"more than {_MOST_WAITING} tags wait; call next() more often"))
        method, event = await self.client._next_event(self._link, self._name, deadline)
        if method == "session.didBecomeActive":
            self._active = True
        elif method == "session.didInvalidate":
            self._ended = SessionEnded(event["code"], event["name"], event["message"], event["detail"])
            self._present.clear()
        elif method == "session.tagRemoved":
            self._present.discard(event["tag"])
        else:
            self._handle_tag(method, event)

    def _handle_tag(self, method: str, event: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _count_waiting(self) -> int:
        raise NotImplementedError

    def _add_present(self, tag: str) -> None:
        """Notes a tag that arrived. No reader has as many at once as would end the connection here."""
        self._present.add(tag)
        if len(self._present) > _MOST_WAITING and self._link is not None:
            self._link.core.fail(ProtocolError(f"nfcd reported more than {_MOST_WAITING} tags, and that none has left"))


def _deadline(timeout: Optional[float]) -> Optional[float]:
    return None if timeout is None else time.monotonic() + timeout


def _is_ordinary(ended: SessionEnded, left: bool) -> bool:
    """Whether a loop over the tags of a session just ends: its time is over, what it was for is done, or it was left."""
    return left or ended.code in (201, 204)


class ReadSession(_Session):
    """A session that reads the message of each tag; `Client.read_session` returns one.

    Iterating yields a `Tap` for each tag, also for those that could not be read: these have an `error`. The loop ends with
    the time limit, or after the first message with `once`. It raises `SessionEnded` if the session ended for another
    reason, such as a reader that was unplugged.
    """

    def __init__(self, client: Client, request: Request[methods.SessionBegin]) -> None:
        super().__init__(client, request)
        self._taps: Deque[Tap] = deque()

    async def next(self, timeout: Optional[float] = None) -> Tap:
        """Waits for a tag and returns what was read.

        Raises:
            NoTag: there was none within `timeout` seconds.
            SessionEnded: the session ended first.
        """
        deadline = _deadline(timeout)
        while not self._taps:
            if self._ended is not None:
                raise self._ended
            await self._handle_next(deadline)
        return self._taps.popleft()

    async def __aiter__(self) -> AsyncIterator[Tap]:
        """Yields the taps of the session."""
        while True:
            try:
                tap = await self.next()
            except SessionEnded as ended:
                if _is_ordinary(ended, self._left):
                    return
                raise
            yield tap

    def _count_waiting(self) -> int:
        return len(self._taps)

    def _handle_tag(self, method: str, event: Mapping[str, Any]) -> None:
        if method == "session.didDetectNDEFs":
            self._add_present(event["tag"])
            self._taps.append(session_tap(event))
        elif method == "session.tagFailed":
            error = NFCError.of_event(event)
            self._taps.append(Tap("", "unknown", "", event["reader"], event["reader"], Message(), error, event))


class TagSession(_Session):
    """A session that delivers tags for commands; `Client.tag_session` returns one.

    Iterating yields a `Tag` for each tag that arrives. The loop ends with the time limit; it raises `SessionEnded` if the
    session ended for another reason.
    """

    def __init__(self, client: Client, request: Request[methods.SessionBegin]) -> None:
        super().__init__(client, request)
        self._tags: Deque["Tag"] = deque()

    async def next(self, timeout: Optional[float] = None) -> "Tag":
        """Waits for a tag and returns it.

        Raises:
            NoTag: there was none within `timeout` seconds.
            SessionEnded: the session ended first.
        """
        deadline = _deadline(timeout)
        while not self._tags:
            if self._ended is not None:
                raise self._ended
            await self._handle_next(deadline)
        return self._tags.popleft()

    async def __aiter__(self) -> AsyncIterator["Tag"]:
        """Yields the tags of the session."""
        while True:
            try:
                tag = await self.next()
            except SessionEnded as ended:
                if _is_ordinary(ended, self._left):
                    return
                raise
            yield tag

    def _count_waiting(self) -> int:
        return len(self._tags)

    def _handle_tag(self, method: str, event: Mapping[str, Any]) -> None:
        if method == "session.didDetectTags":
            for info in event["tags"]:
                self._add_present(info["tag"])
                self._tags.append(Tag(self, info))
        elif method == "session.tagFailed":
            _log.warning("a tag on %s could not be connected to: %s", event["reader"], event["detail"] or event["name"])

    async def _perform_on(self, tag: str, request: Request[T], progress: Optional[ProgressCallback] = None) -> T:
        if self._connected_tag != tag:
            await self._perform(methods.session_connect(session=self._name, tag=tag))
            self._connected_tag = tag
        return await self._perform(request, progress)

    async def _wait_removed(self, tag: str, timeout: Optional[float]) -> None:
        deadline = _deadline(timeout)
        while tag in self._present and self._ended is None:
            await self._handle_next(deadline)


class ResponseAPDU(NamedTuple):
    """The answer to a command APDU."""

    data: bytes
    sw1: int
    sw2: int

    @property
    def ok(self) -> bool:
        """Whether the status word is 9000."""
        return (self.sw1, self.sw2) == (0x90, 0x00)

    @property
    def status_word(self) -> int:
        """SW1 and SW2 as one number, such as 0x9000."""
        return self.sw1 << 8 | self.sw2


class Tag(_TagCommands):
    """A tag on a reader, which accepts commands. `TagSession` delivers them.

    Every method of nfcd that names a tag is a command: `tag.describe` of the protocol is `describe()`,
    `miFareClassic.readBlock` is `mifare_classic.read_block()`. Bytes are given as `bytes` or as hexadecimal digits; a command
    with one result returns it alone, bytes as `bytes`. `read`, `write`, `send_apdu`, `send_command`, `send_iso15693` and
    `classic_…` are shorter forms. Raw commands need a session of kind `tag`.

    A command raises `NFCError`: with 100 if the tag was taken away, with 400 if it cannot be written, and so on.

    Attributes:
        identifier: the UID in hexadecimal digits; empty if the reader does not report it.
        type: CoreNFC's type: `miFare`, `iso7816`, `iso15693`, `feliCa` or `unknown`.
        technology: the technology for people, such as `NFC Forum Type 2`.
        reader: the id of the reader within nfcd.
        reader_name: the name of the reader for people.
        info: everything that nfcd reports of the tag.
    """

    def __init__(self, session: TagSession, info: TagInfo) -> None:
        super().__init__({"session": session._name, "tag": info["tag"]})
        self._session = session
        self.info = info
        self.identifier = info["identifier"]
        self.type = info["type"]
        self.technology = info["technology"]
        self.reader = info["reader"]
        self.reader_name = info["readerName"]

    def __repr__(self) -> str:
        return f"Tag({self.technology!r}, {self.identifier!r}, {self.reader!r})"

    # Messages

    async def read(self) -> Message:
        """Returns the message on the tag; an empty one if the tag is formatted but empty."""
        try:
            return message_of_result((await self.read_ndef())["message"])
        except NFCError as error:
            if error.code == methods.ErrorCode.ZeroLengthMessage:
                return Message()
            raise

    async def write(
        self,
        content: Writable,
        *,
        format: bool = False,
        verify: Optional[bool] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> None:
        """Writes a message, which replaces the one on the tag.

        Args:
            content: a record, records, or a message.
            format: whether to format the tag first if it is blank.
            verify: whether nfcd reads back what it wrote; the default is nfcd's.
            progress: called with what is done and the total.
        """
        message: Any = message_of(content).to_json()
        if format:
            status = await self.status()
            if status["status"] == "notSupported" and status.get("formattable"):
                await self.format()
        await self.write_ndef(message, verify=verify, progress=progress)

    async def status(self) -> NDEFStatus:
        """Returns whether the tag holds a message, how much fits, and whether it can be written."""
        return await self.query_ndef_status()

    async def wait_until_removed(self, timeout: Optional[float] = None) -> None:
        """Waits until the tag has left, or the session has ended. Raises `NoTag` if neither happens in time."""
        await self._session._wait_removed(self._at["tag"], timeout)

    # Raw commands

    async def send_apdu(self, apdu: Bytes, *, timeout: Optional[float] = None) -> ResponseAPDU:
        """Sends a command APDU, to cards of type `iso7816` and `miFare`. Needs a session of kind `tag`."""
        if self.type == "miFare":
            answer = await self.mifare.send_iso7816_command(apdu, timeout=timeout)
        else:
            answer = await self.iso7816.send_command(apdu, timeout=timeout)
        return ResponseAPDU(octets(answer["data"]), answer["sw1"], answer["sw2"])

    async def send_command(self, command: Bytes, *, timeout: Optional[float] = None) -> bytes:
        """Sends a command of the tag's own command set, to tags of type `miFare` and `feliCa`. Needs a session of kind `tag`."""
        if self.type == "feliCa":
            return await self.felica.send_command(command, timeout=timeout)
        return await self.mifare.send_command(command, timeout=timeout)

    async def send_iso15693(self, code: int, data: Bytes = b"", *, flags: int = 0x02, timeout: Optional[float] = None) -> bytes:
        """Sends a request of ISO/IEC 15693. Needs a session of kind `tag`.

        Args:
            code: the command code, such as 0x20 to read a block.
            data: the parameters.
            flags: the request flags; the default is the high data rate.
            timeout: the seconds for the answer.
        """
        answer = await self.iso15693.send_request(flags, code, data=data, timeout=timeout)
        return octets(answer["data"])

    async def classic_authenticate(self, block: int, key: Bytes, key_type: Literal["a", "b"] = "a") -> None:
        """Authenticates to the sector of a block of a MIFARE Classic."""
        await self.mifare_classic.authenticate(block, key_type, key)

    async def classic_read(self, block: int) -> bytes:
        """Reads a block of the authenticated sector of a MIFARE Classic."""
        return await self.mifare_classic.read_block(block)

    async def classic_write(self, block: int, data: Bytes) -> None:
        """Writes a block of the authenticated sector of a MIFARE Classic; never a sector trailer."""
        await self.mifare_classic.write_block(block, data)

    async def perform(self, method: Callable[..., Request[T]], **arguments: Any) -> T:
        """Carries out any method of `nfcd.methods` on this tag, such as `nfcd.methods.tag_cancel_commands`.

        Args:
            method: the function of `nfcd.methods`.
            arguments: its arguments but `session` and `tag`.
        """
        return await self._perform(method(**self._at, **arguments))

    async def _perform(self, request: Request[T], progress: Optional[ProgressCallback] = None) -> T:
        return await self._session._perform_on(self._at["tag"], request, progress)


class _Feed(_Scope):
    """A subscription that survives a restart of nfcd."""

    def __init__(self, client: Client, reconnect: bool) -> None:
        super().__init__(client)
        self._reconnect = reconnect
        self._link: Optional[Link] = None
        self._name = ""
        self._recovering: Optional[Lock] = None

    async def _subscribe(self, link: Link) -> None:
        raise NotImplementedError

    def _unsubscription(self) -> Optional[Request[Any]]:
        return None

    async def _begin(self) -> None:
        link = await self.client._connected()
        await self._subscribe(link)
        self._link = link

    async def _end(self) -> None:
        link, self._link = self._link, None
        if link is None:
            return
        link.core.close_queue(self._name)
        request = self._unsubscription()
        if request is not None and link.core.failure is None:
            try:
                await self.client._perform(link, request)
            except (NFCError, ConnectionLost, NoAnswer):
                pass  # It has ended already, or ends with the connection.

    async def _event(self, deadline: Optional[float]) -> Tuple[str, Dict[str, Any]]:
        """Returns the next notification; connects again if need be."""
        while True:
            link = self._current_link()
            try:
                return await self.client._next_event(link, self._name, deadline)
            except ProtocolError:
                raise
            except ConnectionLost as error:
                await self._recover(link, error, deadline)

    def _current_link(self) -> Link:
        if self._link is None:
            raise RuntimeError("the subscription has not begun or has ended; use it in a with block")
        return self._link

    async def _recover(self, lost: Link, cause: Exception, deadline: Optional[float] = None) -> None:
        """Connects and subscribes again, unless another task has done so."""
        if not self._reconnect or self.client._closed:
            raise cause
        if self._recovering is None:
            self._recovering = Lock()
        async with self._recovering:
            if self._link is lost:
                await self._begin_again(cause, deadline)

    async def _begin_again(self, cause: Exception, deadline: Optional[float]) -> None:
        """Connects and subscribes again, with growing waits."""
        for delay in self.client.backoff.delays():
            _log.info("%s (next attempt in %.1f s)", cause, delay)
            if deadline is not None and time.monotonic() + delay > deadline:
                await sleep(max(0.0, deadline - time.monotonic()))
                raise NoTag("no tag in time; nfcd could not be reached") from cause
            await sleep(delay)
            try:
                await self._begin()
                _log.info("connected to nfcd again")
                return
            except ProtocolError:
                raise
            except (CannotConnect, ConnectionLost) as error:
                if self.client._closed:
                    raise
                cause = error
        raise cause


class Background(_Feed):
    """The taps on readers that no session holds; `Client.background` returns them. Iterating yields `Tap`s without end."""

    def __init__(
        self,
        client: Client,
        criteria: Optional[TapFilter],
        reconnect: bool,
        require: Optional[Literal["proven"]] = None,
    ) -> None:
        super().__init__(client, reconnect)
        self._criteria = criteria
        self._require = require

    async def next(self, timeout: Optional[float] = None) -> Tap:
        """Waits for a tap and returns it. Raises `NoTag` if there is none within `timeout` seconds."""
        _, event = await self._event(_deadline(timeout))
        return background_tap(event)

    async def __aiter__(self) -> AsyncIterator[Tap]:
        """Yields the taps."""
        while True:
            yield await self.next()

    async def _subscribe(self, link: Link) -> None:
        request = methods.background_subscribe(filter=self._criteria, require=self._require)
        result = await self.client._perform(link, request)
        self._name = result["subscription"]

    def _unsubscription(self) -> Optional[Request[Any]]:
        return methods.background_unsubscribe(subscription=self._name)


class Journal(_Feed):
    """The taps of the journal; `Client.journal` returns them. Iterating yields `JournalTap`s without end.

    Each tap comes at least once and in order. Acknowledge one when it is stored or done: nfcd then sends more, and a
    consumer with a name continues behind it, also after a restart of either program.

    Attributes:
        epoch: the journal that the sequence numbers are of.
    """

    def __init__(
        self,
        client: Client,
        consumer: Optional[str],
        after: Optional[int],
        reconnect: bool,
        require: Optional[Literal["proven"]] = None,
    ) -> None:
        super().__init__(client, reconnect)
        self._require = require
        self.epoch = ""
        self._consumer = consumer
        self._after = after
        # Sequence numbers of the epoch: what this program has got, what it has acknowledged, and what came on this connection.
        self._delivered = -1
        self._acknowledged = -1
        self._received = -1

    async def next(self, timeout: Optional[float] = None) -> JournalTap:
        """Waits for a tap and returns it. Raises `NoTag` if there is none within `timeout` seconds."""
        deadline = _deadline(timeout)
        while True:
            _, event = await self._event(deadline)
            tap = journal_tap(event["tap"])
            self._received = tap.sequence
            if tap.sequence > self._acknowledged:
                self._delivered = max(self._delivered, tap.sequence)
                if self._consumer is None:
                    self._after = tap.sequence
                return tap
            # It was acknowledged while the connection was lost. nfcd sends more once that is done on this one, too.
            try:
                await self._confirm(tap.sequence)
            except ProtocolError:
                raise
            except ConnectionLost:
                pass

    async def __aiter__(self) -> AsyncIterator[JournalTap]:
        """Yields the taps."""
        while True:
            yield await self.next()

    async def acknowledge(self, tap: Union[JournalTap, int]) -> None:
        """Acknowledges a tap and all before it, so that they do not come again. Connects again if need be."""
        sequence = tap if isinstance(tap, int) else tap.sequence
        epoch = self.epoch if isinstance(tap, int) else tap.epoch
        while epoch == self.epoch:  # Otherwise the journal that it was in is lost.
            link = self._current_link()
            if sequence > self._delivered:
                raise ValueError(f"tap {sequence} has not come yet; the last one was {self._delivered}")
            self._acknowledged = max(self._acknowledged, sequence)
            try:
                await self._confirm(sequence)
                return
            except ProtocolError:
                raise
            except ConnectionLost as error:
                await self._recover(link, error)

    async def _confirm(self, sequence: int) -> None:
        """Acknowledges a tap on the present connection, where it may not have come again yet."""
        if sequence <= self._received:
            request = methods.taps_acknowledge(subscription=self._name, sequence=sequence)
        elif self._consumer is not None:
            request = methods.taps_acknowledge(consumer=self._consumer, sequence=self._acknowledged)
        else:
            return  # The subscription has begun behind it.
        await self.client._perform(self._current_link(), request)

    async def status(self) -> Optional[Consumer]:
        """Returns the place of the consumer; `None` without a name."""
        status = await self.client.journal_status()
        return next((consumer for consumer in status["consumers"] if consumer["name"] == self._consumer), None)

    async def _subscribe(self, link: Link) -> None:
        after: Any = self._after
        result = await self.client._perform(link, self._subscription(after))
        if self.epoch and result["epoch"] != self.epoch:
            self._acknowledged = self._delivered = -1
            if after is not None:
                # The numbers of another journal begin at 1 again.
                link.core.close_queue(result["subscription"])
                await self.client._perform(link, methods.taps_unsubscribe(subscription=result["subscription"]))
                result = await self.client._perform(link, self._subscription(0))
        self._name = result["subscription"]
        self._received = result["after"]
        self.epoch = result["epoch"]
        # From now on the consumer knows its place.
        self._after = None if self._consumer is not None else result["after"]

    def _subscription(self, after: Any) -> Request[Any]:
        return methods.taps_subscribe(consumer=self._consumer, after=after, require=self._require)

    def _unsubscription(self) -> Optional[Request[Any]]:
        return methods.taps_unsubscribe(subscription=self._name)


class Event(NamedTuple):
    """An event of a reader, a tag or a session: its name, such as `reader.attached`, and its members."""

    name: str
    members: Dict[str, Any]


class Events(_Feed):
    """The events of readers, tags and sessions; `Client.events` returns them. Iterating yields `Event`s without end."""

    async def next(self, timeout: Optional[float] = None) -> Event:
        """Waits for an event and returns it. Raises `NoTag` if there is none within `timeout` seconds."""
        return Event(*await self._event(_deadline(timeout)))

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Yields the events."""
        while True:
            yield await self.next()

    async def _subscribe(self, link: Link) -> None:
        self._name = "events"
        link.core.open_queue(self._name)
        await self.client._perform(link, methods.events_subscribe())


class VirtualTag(_Scope):
    """A virtual tag on a simulated reader, for tests; `Client.virtual_tag` returns one.

    Attributes:
        identifier: the UID in hexadecimal digits.
        reader: the id of the reader within nfcd.
    """

    def __init__(self, client: Client, request: Request[methods.Presentation]) -> None:
        super().__init__(client)
        self._request = request
        self._name: Optional[str] = None
        self.identifier = ""
        self.reader = ""

    async def remove(self) -> None:
        """Takes the tag away. Leaving the `with` block does this, too."""
        name, self._name = self._name, None
        if name is not None:
            await self.client.perform(methods.simulator_remove(presentation=name))

    async def _begin(self) -> None:
        result = await self.client.perform(self._request)
        self._name = result["presentation"]
        self.identifier = result["identifier"]
        self.reader = result["reader"]

    async def _end(self) -> None:
        try:
            await self.remove()
        except (NFCError, ConnectionLost, CannotConnect, NoAnswer):
            pass  # It has gone with the connection.
