"""NDEF messages: what is on a tag, and what is written to one."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast, overload

from .methods import DecodedPayload

# NFC Forum URI Record Type Definition, table 3: the prefixes that one byte stands for.
_PREFIXES = (
    "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@", "ftp://ftp.",
    "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:",
    "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://", "urn:epc:id:",
    "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
)  # fmt: skip

# RFC 3986, section 3.1.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")

# NFC Forum NDEF, 3.2.6: the type name formats in the order of their numbers.
_FORMATS = ("empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown", "unchanged", "reserved")


@dataclass(frozen=True)
class Record:
    """A record of a message. `uri()`, `text()` and the other functions make one.

    Attributes:
        type_name_format: the meaning of `type`: `nfcWellKnown`, `media`, `nfcExternal` and so on. Empty for a record that
            nfcd encodes when it is written, see `record()`.
        type: the type, such as `b"U"` or `b"text/plain"`.
        payload: the content.
        identifier: the identifier; usually empty.
        decoded: the content as nfcd describes it (Docs/ndef.md); not compared.
    """

    type_name_format: str
    type: bytes = b""
    payload: bytes = b""
    identifier: bytes = b""
    decoded: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    _content: str = field(default="", repr=False)

    @property
    def kind(self) -> str:
        """The kind of the content, such as `uri` or `text`; empty if it is not known."""
        kind = self.decoded.get("kind", "")
        if not kind and self.type_name_format == "nfcWellKnown":
            return {b"U": "uri", b"T": "text"}.get(self.type, "")
        return kind if isinstance(kind, str) else ""

    @property
    def content(self) -> Optional[DecodedPayload]:
        """The content of a record that was read, as the typed dictionary of its kind; `None` if nfcd does not know its form.

        A type checker knows the members once the kind is compared: `if content["kind"] == "wifi": content["credentials"]`. A later
        nfcd may have kinds that are not in `nfcd.methods.DecodedPayload`.
        """
        return cast(DecodedPayload, self.decoded) if self.type_name_format and self.decoded else None

    @property
    def uri(self) -> Optional[str]:
        """The URI of a record of kind `uri` or `smartPoster`; `None` for others."""
        decoded = self.decoded.get("uri")
        if isinstance(decoded, str):
            return decoded
        if (self.type_name_format, self.type) != ("nfcWellKnown", b"U") or not self.payload:
            return None
        prefix = _PREFIXES[self.payload[0]] if self.payload[0] < len(_PREFIXES) else ""
        return prefix + self.payload[1:].decode("utf-8", "replace")

    @property
    def text(self) -> Optional[str]:
        """The text of a record of kind `text`; `None` for others."""
        decoded = self.decoded.get("text")
        if isinstance(decoded, str):
            return decoded
        if (self.type_name_format, self.type) != ("nfcWellKnown", b"T") or not self.payload:
            return None
        status = self.payload[0]
        return self.payload[1 + (status & 0x3F) :].decode("utf-16-be" if status & 0x80 else "utf-8", "replace")

    def to_json(self) -> Dict[str, Any]:
        """Returns the form of nfcd's protocol."""
        if not self.type_name_format:
            return {"decoded": dict(self.decoded), **({"identifier": self.identifier.hex()} if self.identifier else {})}
        return {
            "typeNameFormat": self.type_name_format,
            "type": self.type.hex(),
            "identifier": self.identifier.hex(),
            "payload": self.payload.hex(),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Record":
        """Returns the record of the form of nfcd's protocol. Raises `ValueError`."""
        decoded = value.get("decoded")
        return cls(
            value.get("typeNameFormat") or "",
            bytes.fromhex(value.get("type") or ""),
            bytes.fromhex(value.get("payload") or ""),
            bytes.fromhex(value.get("identifier") or ""),
            decoded if isinstance(decoded, dict) else {},
        )


class Message(Sequence[Record]):
    """The records of a tag, in order. It is compared, iterated and indexed like a tuple."""

    def __init__(self, *records: Record) -> None:
        self.records: Tuple[Record, ...] = records

    @property
    def uri(self) -> Optional[str]:
        """The first URI, of any scheme; `None` if there is none."""
        return next((record.uri for record in self.records if record.uri is not None), None)

    @property
    def web_uri(self) -> Optional[str]:
        """The first URI whose scheme is http or https; `None` if there is none."""
        uris = (record.uri for record in self.records if record.uri is not None)
        return next((uri for uri in uris if uri.split(":", 1)[0].lower() in ("http", "https")), None)

    @property
    def text(self) -> Optional[str]:
        """The first text; `None` if there is none."""
        return next((record.text for record in self.records if record.text is not None), None)

    def to_json(self) -> Dict[str, Any]:
        """Returns the form of nfcd's protocol."""
        return {"records": [record.to_json() for record in self.records]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Message":
        """Returns the message of the form of nfcd's protocol. Raises `ValueError`."""
        if isinstance(value.get("records"), list):
            return cls(*(Record.from_json(record) for record in value["records"]))
        return cls.from_bytes(bytes.fromhex(value.get("encoded") or ""))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Message":
        """Returns the message with this encoding (NFC Forum NDEF, 3). Chunks are put together. Raises `ValueError`."""
        records: List[Record] = []
        chunks: List[Record] = []
        position = 0
        while position < len(data):
            record, chunked, position = _record_at(data, position)
            if bool(chunks) != (record.type_name_format == "unchanged"):
                raise ValueError("NDEF message: a chunk without its record")
            chunks.append(record)
            if not chunked:
                first, payload = chunks[0], b"".join(chunk.payload for chunk in chunks)
                records.append(Record(first.type_name_format, first.type, payload, first.identifier))
                chunks = []
        if chunks:
            raise ValueError("NDEF message: the last chunk is missing")
        return cls(*records)

    def to_bytes(self) -> bytes:
        """Returns the encoding (NFC Forum NDEF, 3). Raises `ValueError` for records that nfcd encodes, see `record()`."""
        data = bytearray()
        for number, item in enumerate(self.records):
            if item.type_name_format not in _FORMATS:
                raise ValueError(f"record {number} is encoded by nfcd when it is written")
            short = len(item.payload) < 256
            flags = (0x80 if number == 0 else 0) | (0x40 if number == len(self.records) - 1 else 0)
            flags |= (0x10 if short else 0) | (0x08 if item.identifier else 0) | _FORMATS.index(item.type_name_format)
            data += bytes((flags, len(item.type))) + len(item.payload).to_bytes(1 if short else 4, "big")
            if item.identifier:
                data.append(len(item.identifier))
            data += item.type + item.identifier + item.payload
        return bytes(data)

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> Tuple[Record, ...]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Record, Tuple[Record, ...]]:
        return self.records[index]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self.records == other.records

    def __hash__(self) -> int:
        return hash(self.records)

    def __repr__(self) -> str:
        return f"Message({', '.join(map(repr, self.records))})"


# What can be written to a tag.
Writable = Union[Message, Record, Sequence[Record]]


def message_of(content: Writable) -> Message:
    """Returns the message of a record, of records, or of a message."""
    if isinstance(content, Message):
        return content
    records = (content,) if isinstance(content, Record) else tuple(content)
    for item in records:
        if not isinstance(item, Record):
            raise TypeError(f"{item!r} is not a record; make one with nfcd.uri() or nfcd.text()")
    return Message(*records)


def uri(value: str) -> Record:
    """Returns a record with a URI, such as `https://example.com`, `tel:+491701234567` or `mailto:me@example.com`.

    Raises `ValueError` for a text that is probably no URI (RFC 3986, section 3), because no program would open it;
    `record("uri", uri=value)` takes any text.
    """
    if any(character.isspace() or ord(character) < 0x20 or ord(character) == 0x7F for character in value):
        raise ValueError(f"{value!r}: a URI has no spaces or control characters; write a space as %20")
    if not _SCHEME.match(value):
        raise ValueError(f"{value!r}: it has no scheme, so no program would open it; write https://{value}")
    number = max((number for number, prefix in enumerate(_PREFIXES) if value.startswith(prefix)), key=lambda n: len(_PREFIXES[n]))
    return Record("nfcWellKnown", b"U", bytes((number,)) + value[len(_PREFIXES[number]) :].encode("utf-8"))


def text(value: str, language: str = "en") -> Record:
    """Returns a record with a text in a language, such as `de` or `en-GB`."""
    code = language.encode("ascii")
    if len(code) > 63:
        raise ValueError("a language has at most 63 characters")
    return Record("nfcWellKnown", b"T", bytes((len(code),)) + code + value.encode("utf-8"))


def media(media_type: str, data: Union[bytes, str]) -> Record:
    """Returns a record with content of a media type, such as `text/vcard`. Text is encoded in UTF-8."""
    if "/" not in media_type:
        raise ValueError(f"{media_type!r} is not a media type; one is written as type/subtype, such as text/vcard")
    return Record("media", media_type.encode("ascii"), data.encode("utf-8") if isinstance(data, str) else bytes(data))


def json_data(value: Any) -> Record:
    """Returns a record with the JSON text of a value, of media type `application/json`."""
    return media("application/json", json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def external(type_name: str, data: bytes = b"") -> Record:
    """Returns a record of an application's own type, such as `example.com:ticket`."""
    if ":" not in type_name:
        raise ValueError(f"{type_name!r} is not an external type; one is written as domain:name, such as example.com:ticket")
    return Record("nfcExternal", type_name.lower().encode("ascii"), bytes(data))


def android_application(package: str) -> Record:
    """Returns a record that opens or installs an Android application."""
    return external("android.com:pkg", package.encode("utf-8"))


def record(kind: str, **fields: Any) -> Record:
    """Returns a record of any kind of Docs/ndef.md, which nfcd encodes when it is written.

    For example `record("smartPoster", uri="https://example.com", titles=[{"text": "Menu", "language": "en"}])`.
    """
    decoded = {"kind": kind, **fields}
    return Record("", decoded=decoded, _content=json.dumps(decoded, sort_keys=True))


def _record_at(data: bytes, position: int) -> Tuple[Record, bool, int]:
    """Returns the record at a position, whether another chunk follows, and the position behind it."""

    def take(count: int) -> bytes:
        nonlocal position
        if position + count > len(data):
            raise ValueError("NDEF message: it ends within a record")
        position += count
        return data[position - count : position]

    flags = take(1)[0]
    type_length = take(1)[0]
    payload_length = int.from_bytes(take(1 if flags & 0x10 else 4), "big")
    identifier_length = take(1)[0] if flags & 0x08 else 0
    type_name = take(type_length)
    identifier = take(identifier_length)
    return Record(_FORMATS[flags & 7], type_name, take(payload_length), identifier), bool(flags & 0x20), position
