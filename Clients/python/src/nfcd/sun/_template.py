"""The URL of a tag with placeholders, and how a URL is cut by it."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Tuple, Union

from ..errors import Error

# Bytes of file 2 of an NTAG 424 DNA.
FILE_SIZE = 256

# NFC Forum URI Record Type Definition: the beginnings that one byte in the file stands for.
_PREFIXES = (b"https://www.", b"http://www.", b"https://", b"http://")

_DIGITS = re.compile(rb"[0-9A-F]*")
_ENCRYPTED = re.compile(r"enc:([+-]?[0-9]+)(:tt)?")


class TemplateError(Error, ValueError):
    """The template of a URL is wrong, or its messages would prove nothing."""


class _Field(NamedTuple):
    """A placeholder: its name without a length, and how many characters the tag writes."""

    name: str
    length: int


_Part = Union[bytes, _Field]


class Parameters:
    """What a tag wrote into a URL, cut out of it as text. Nothing of it is verified.

    Attributes:
        uid, counter: in clear, if they are.
        picc_data: UID and counter, encrypted.
        encrypted: file data.
        tamper: two characters.
        code: 8 bytes.
        covered: what the code is over, as the tag wrote it: digits in upper case.
        is_static: whether the text is the template as it was written to the tag.
    """

    def __init__(self) -> None:
        self.uid: Optional[bytes] = None
        self.counter: Optional[int] = None
        self.picc_data: Optional[bytes] = None
        self.encrypted: Optional[bytes] = None
        self.tamper: Optional[bytes] = None
        self.code = b""
        self.covered = b""
        self.is_static = True

    def take(self, field: _Field, text: bytes) -> bool:
        """Takes the text of a placeholder; false if it is not what a tag writes there."""
        if field.name == "tt":
            self.tamper = text
            self.is_static = self.is_static and text == b"00"
            return True
        digits = text.upper()
        if not _DIGITS.fullmatch(digits):
            return False
        octets = bytes.fromhex(digits.decode())
        self.is_static = self.is_static and not any(octets)
        if field.name == "uid":
            self.uid = octets
        elif field.name == "ctr":
            self.counter = int.from_bytes(octets, "big")
        elif field.name == "picc":
            self.picc_data = octets
        elif field.name == "enc":
            self.encrypted = octets
        else:
            self.code = octets
        return True


class Template:
    """The URL of a tag with secure dynamic messaging, with a placeholder for each thing that the tag writes into it at a tap.

    `{picc}`, or `{uid}` and `{ctr}`; `{enc:N}` or `{enc:N:tt}`; `{tt}`; `{mac}`; `{from}` where the input of the code begins.
    """

    def __init__(self, text: str, is_lrp: bool = False) -> None:
        """Raises `TemplateError`."""
        self.text = text
        self.is_lrp = is_lrp
        self.has_hidden_tamper = False
        self._parts: List[_Part] = []
        self._mark: Optional[int] = None
        self._read(text)
        self._check()
        self._prefix = self._take_prefix()
        self._first_covered = self._find_first_covered()
        self._host_end = self._find_host_end()
        self._check_size()

    def has(self, name: str) -> bool:
        """Whether it has a placeholder."""
        return self._index(name) is not None

    def _index(self, name: str) -> Optional[int]:
        return next((index for index, part in enumerate(self._parts) if isinstance(part, _Field) and part.name == name), None)

    # Reading

    def _read(self, text: str) -> None:
        for literal, placeholder, rest in re.findall(r"([^{]+)|\{([^}]*)\}|(\{)", text):
            if rest:
                raise TemplateError("a placeholder of the template has no closing brace")
            if not literal:
                self._read_placeholder(placeholder)
            elif not re.fullmatch(r"[!-|~]+", literal):
                raise TemplateError("the template has a character that a URL cannot have")
            else:
                self._parts.append(literal.encode())

    def _read_placeholder(self, name: str) -> None:
        lengths = {"uid": 14, "ctr": 6, "picc": 48 if self.is_lrp else 32, "tt": 2, "mac": 16}
        encrypted = _ENCRYPTED.fullmatch(name)
        if name in lengths:
            self._append(_Field(name, lengths[name]))
        elif name == "from":
            if self._mark is not None:
                raise TemplateError("{from} is in the template twice")
            self._mark = len(self._parts)
        elif encrypted:
            length = int(encrypted[1]) if len(encrypted[1]) < 10 else 0
            if not 32 <= length <= 512 or length % 32:
                raise TemplateError("the length of {enc:N} is not a multiple of 32 characters")
            self.has_hidden_tamper = bool(encrypted[2])
            self._append(_Field("enc", length))
        else:
            raise TemplateError("a placeholder is not one of {picc}, {uid}, {ctr}, {enc:N}, {tt}, {mac} and {from}")

    def _append(self, field: _Field) -> None:
        if self.has(field.name):
            raise TemplateError("a placeholder is in the template twice")
        self._parts.append(field)

    def _check(self) -> None:
        code = self._index("mac")
        if code is None:
            raise TemplateError("the template has no {mac}: without it, nothing is proven")
        if self.has("picc") and (self.has("uid") or self.has("ctr")):
            raise TemplateError("{picc} has the UID and the counter: leave out {uid} and {ctr}")
        if not self.has("picc") and not (self.has("uid") and self.has("ctr")):
            raise TemplateError("the template needs {picc}, or both {uid} and {ctr}")
        for name in ("enc", "tt"):
            if (self._index(name) or 0) > code:
                raise TemplateError("{enc:N} and {tt} prove something only before {mac}")
        if self.has_hidden_tamper and self.has("tt"):
            raise TemplateError("the tamper status is in the template twice")

    def _take_prefix(self) -> bytes:
        """Takes the prefix off the first text. A mark before the text keeps it, since the code is over what the file has."""
        first = self._parts[0]
        if not isinstance(first, bytes) or self._mark == 0:
            return b""
        prefix = next((prefix for prefix in _PREFIXES if first.startswith(prefix)), b"")
        self._parts[0] = first[len(prefix) :]
        return prefix

    def _find_first_covered(self) -> int:
        places = [index for index in (self._index("enc"), self._index("tt"), self._index("mac")) if index is not None]
        if self._mark is None:
            return min(places)
        if self._mark > min(places):
            raise TemplateError("{from} is after {enc:N}, {tt} or {mac}, which the code has to cover or follow")
        return self._mark

    def _find_host_end(self) -> int:
        """The characters before the path: the scheme and the host."""
        first = self._parts[0]
        if not isinstance(first, bytes):
            return len(self._prefix)
        text = self._prefix + first
        colon = text.find(b"://")
        found = re.compile(rb"[/?#]").search(text, len(self._prefix) if colon < 0 else colon + 3)
        return found.start() if found else len(text)

    def _check_size(self) -> None:
        payload = 1 + sum(part.length if isinstance(part, _Field) else len(part) for part in self._parts)
        # The length of the message (2), the header of the record (4, or 7 for a long one); the payload has the prefix code.
        size = payload + (9 if payload > 255 else 6)
        if size > FILE_SIZE:
            raise TemplateError(f"the text needs {size} bytes of a file of {FILE_SIZE}; shorten the URL")

    # Cutting

    def cut(self, url: str) -> Optional[Parameters]:
        """Cuts a URL, or what follows the host in it; `None` if it does not have the form of the template.

        Lengths and order are those of the template, and nothing is decoded. Scheme and host may have any case, and so may
        hexadecimal digits; the rest is exact.
        """
        text = url.encode("utf-8", "surrogatepass")
        if len(text) > 2 * FILE_SIZE:
            return None
        cutter = _Cutter(text, self._host_end)
        skipped = max(0, self._host_end - len(self._prefix)) if cutter.is_target else 0
        if not cutter.is_target and not cutter.skip(self._prefix):
            return None
        found = Parameters()
        for index, part in enumerate(self._parts):
            is_covered = index >= self._first_covered and not found.code
            if isinstance(part, _Field):
                digits = cutter.take(part.length)
                if digits is None or not found.take(part, digits):
                    return None
                if is_covered and part.name != "mac":
                    found.covered += digits if part.name == "tt" else digits.upper()
            else:
                # What is left out in the target is covered nevertheless.
                found.covered += part if is_covered else b""
                absent = min(skipped, len(part))
                skipped -= absent
                if not cutter.skip(part[absent:]):
                    return None
        return found if cutter.is_at_end else None


class _Cutter:
    """A position in a text. Case does not matter in the scheme and the host of a whole URL."""

    def __init__(self, text: bytes, host_end: int) -> None:
        self._text = text
        self._position = 0
        self.is_target = text.startswith(b"/")
        self._caseless = 0 if self.is_target else host_end

    @property
    def is_at_end(self) -> bool:
        return self._position == len(self._text)

    def take(self, count: int) -> Optional[bytes]:
        if self._position + count > len(self._text):
            return None
        self._position += count
        return self._text[self._position - count : self._position]

    def skip(self, literal: bytes) -> bool:
        caseless = max(0, self._caseless - self._position)
        text = self.take(len(literal))
        if text is None:
            return False
        pairs: Tuple[Tuple[bytes, bytes], ...] = ((text[:caseless].upper(), literal[:caseless].upper()), (text[caseless:], literal[caseless:]))
        return all(one == other for one, other in pairs)
