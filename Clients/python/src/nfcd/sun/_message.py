"""What the message of a tag says, and the keys of one message (NT4H2421Gx, 9.3)."""

from __future__ import annotations

import hmac
from typing import NamedTuple, Optional

from . import _aes


class PICCData(NamedTuple):
    """The UID of 7 bytes, and the counter."""

    uid: bytes
    counter: int

    @property
    def octets(self) -> bytes:
        """The UID and the counter, whose low byte is first."""
        return self.uid + self.counter.to_bytes(3, "little")


def decrypted(picc_data: bytes, key: bytes, is_lrp: bool) -> Optional[PICCData]:
    """The UID and the counter that were encrypted; `None` if the key does not fit, or one of them is missing."""
    if is_lrp:
        plain = _aes.LRP(key).decrypt(picc_data[8:], picc_data[:8])
    else:
        plain = _aes.AES(key).decrypt_cbc(picc_data, bytes(_aes.BLOCK))
    # The tag byte: UID (80) of 7 bytes, and counter (40).
    if plain[0] != 0xC7:
        return None
    return PICCData(plain[1:8], int.from_bytes(plain[8:11], "little"))


class Session:
    """The keys of one message of a tag, and what they do."""

    __slots__ = ("_data", "_key", "_is_lrp", "_code", "_lrp_master")

    def __init__(self, key: bytes, data: PICCData, is_lrp: bool) -> None:
        self._data = data
        self._is_lrp = is_lrp
        self._key = key
        self._lrp_master = b""
        if is_lrp:
            self._lrp_master = _aes.LRP(key).cmac(self._vector(b"", b"\x1e\xe1"))
            self._code = _aes.LRP(self._lrp_master).cmac
        else:
            self._code = _aes.AES(_aes.AES(key).cmac(self._vector(b"\x3c\xc3"))).cmac

    def _vector(self, label: bytes, end: bytes = b"") -> bytes:
        start = label + b"\x00\x01\x00\x80" + self._data.octets
        return start + bytes(-(len(start) + len(end)) % _aes.BLOCK) + end

    def is_code(self, code: bytes, text: bytes) -> bool:
        """Whether 8 bytes are the code of a text; in the same time for any."""
        return hmac.compare_digest(self._code(text)[1::2], code)

    def decrypt(self, data: bytes) -> bytes:
        """The plaintext of encrypted file data: as many bytes."""
        counter = self._data.counter.to_bytes(3, "little")
        if self._is_lrp:
            return _aes.LRP(self._lrp_master, 1).decrypt(data, counter + bytes(3))
        cipher = _aes.AES(_aes.AES(self._key).cmac(self._vector(b"\xc3\x3c")))
        return cipher.decrypt_cbc(data, cipher.encrypt(counter + bytes(13)))
