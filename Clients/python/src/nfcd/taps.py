"""What is known of a tag that was held to a reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, cast

from .errors import NFCError, ProtocolError
from .methods import TapProof
from .ndef import Message, Record


@dataclass(frozen=True)
class Tap:
    """A tag that was held to a reader, and what was read.

    Attributes:
        identifier: the UID in hexadecimal digits; empty if the reader does not report it.
        type: CoreNFC's type: `miFare`, `iso7816`, `iso15693`, `feliCa` or `unknown`.
        technology: the technology for people, such as `NFC Forum Type 2`; may be empty.
        reader: the id of the reader within nfcd.
        reader_name: the name of the reader for people.
        message: what is on the tag; empty if nothing is, or nothing could be read.
        error: why there is no message; 403 for an empty tag.
        raw: the notification of nfcd.
    """

    identifier: str
    type: str
    technology: str
    reader: str
    reader_name: str
    message: Message
    error: Optional[NFCError] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def uri(self) -> Optional[str]:
        """The URI of the record that the filter of `background` matched; without such a filter the first one.

        Only URIs with http or https, or with a scheme that the filter asked for; `None` if there is none. `message.uri` is the
        first URI with any scheme.
        """
        if "uri" in self.raw or "subscription" in self.raw:
            uri = self.raw.get("uri")
            return uri if isinstance(uri, str) else None
        return self.message.web_uri

    @property
    def record(self) -> Optional[Record]:
        """The record that the filter of `background` matched; `None` without a filter about records."""
        place = self.raw.get("record")
        records = self.message.records
        return records[place] if isinstance(place, int) and 0 <= place < len(records) else None

    @property
    def proof(self) -> Optional[TapProof]:
        """What the tag has proven by a profile of nfcd; `None` if no profile fits it. See `is_proven`."""
        proof = self.raw.get("proof")
        return cast(TapProof, proof) if isinstance(proof, dict) else None

    @property
    def is_proven(self) -> bool:
        """Whether the tag has proven itself: programs decide by this alone, never by the UID or the message."""
        return self.proof is not None and self.proof.get("status") == "proven"

    @property
    def text(self) -> Optional[str]:
        """The first text; `None` if there is none."""
        return self.message.text


@dataclass(frozen=True)
class JournalTap(Tap):
    """A tap that is stored in the journal.

    Attributes:
        sequence: its place in the journal; `Journal.acknowledge` takes it.
        epoch: the journal that the sequence number is of.
        id: the same in every delivery of the tap.
        time: the time, such as `2025-11-16T09:26:27.729Z`.
        clock: `synchronised` if the machine knew the time.
    """

    sequence: int = 0
    epoch: str = ""
    id: str = ""
    time: str = ""
    clock: str = ""


def _message(value: Optional[Mapping[str, Any]]) -> Message:
    try:
        return Message.from_json(value) if value else Message()
    except ValueError as error:
        raise ProtocolError(f"nfcd sent a message that cannot be read: {error}") from error


def _error(value: Optional[Mapping[str, Any]]) -> Optional[NFCError]:
    return NFCError.of_event(value) if value else None


def _common(event: Mapping[str, Any], tag: Mapping[str, Any], message: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    return {
        "identifier": tag["identifier"],
        "type": tag["type"],
        "technology": tag.get("technology") or "",
        "reader": event["reader"],
        "reader_name": event["readerName"],
        "message": _message(message),
        "error": _error(event.get("error")),
        "raw": event,
    }


def session_tap(event: Mapping[str, Any]) -> Tap:
    """The tap of `session.didDetectNDEFs`."""
    return Tap(**_common(event, event, next(iter(event["messages"]), None)))


def background_tap(event: Mapping[str, Any]) -> Tap:
    """The tap of `background.didReadTag`."""
    return Tap(**_common(event, event["tag"], next(iter(event["messages"]), None)))


def journal_tap(entry: Mapping[str, Any]) -> JournalTap:
    """The tap of `taps.didRecord` or of `taps.list`."""
    return JournalTap(
        **_common(entry, entry["tag"], entry.get("message")),
        sequence=entry["sequence"],
        epoch=entry["epoch"],
        id=entry["id"],
        time=entry["time"],
        clock=entry["clock"],
    )


def message_of_result(value: Mapping[str, Any]) -> Message:
    """The message of an answer."""
    return _message(value)
