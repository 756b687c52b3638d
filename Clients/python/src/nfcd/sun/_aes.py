"""AES-128 and what is computed with it: CMAC, keys of tags, and the leakage resilient primitive of LRP mode."""

from __future__ import annotations

from typing import Any, Iterable, List, Tuple

BLOCK = 16
_ZERO = bytes(BLOCK)


def require() -> None:
    """Raises `ImportError` with what to install if there is no AES: Python's standard library has none."""
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise ImportError('nfcd.sun needs the package "cryptography"; run: pip install "nfcd[sun]"') from error


def exclusive_or(one: bytes, other: bytes) -> bytes:
    """The bits that differ; as many bytes as the shorter one has."""
    return bytes(a ^ b for a, b in zip(one, other))


def doubled(block: bytes) -> bytes:
    """A block times x in the field of CMAC (NIST SP 800-38B, 6.1)."""
    value = int.from_bytes(block, "big") << 1
    reduction = 0x87 if value >> 128 else 0
    return ((value & (1 << 128) - 1) ^ reduction).to_bytes(BLOCK, "big")


def padded(message: bytes, length: int) -> bytes:
    """A message that is shorter than a length, with 80 00 … to that length."""
    return message + b"\x80" + bytes(length - len(message) - 1)


class AES:
    """A key of AES-128."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._cipher: Any = Cipher(algorithms.AES(key), modes.ECB())

    def encrypt(self, blocks: bytes) -> bytes:
        """Encrypts each block."""
        result: bytes = self._cipher.encryptor().update(blocks)
        return result

    def decrypt(self, blocks: bytes) -> bytes:
        """Decrypts each block."""
        result: bytes = self._cipher.decryptor().update(blocks)
        return result

    def decrypt_cbc(self, blocks: bytes, vector: bytes) -> bytes:
        """Decrypts what was encrypted with cipher block chaining."""
        return exclusive_or(self.decrypt(blocks), vector + blocks)

    def cmac(self, message: bytes) -> bytes:
        """The CMAC of a message: 16 bytes (NIST SP 800-38B)."""
        return self.code(message, max(BLOCK, (len(message) + BLOCK - 1) // BLOCK * BLOCK))

    def code(self, message: bytes, length: int) -> bytes:
        """The same for a message that is padded to a length: with the second subkey unless it has that length."""
        subkey = doubled(self.encrypt(_ZERO))
        if len(message) != length:
            message, subkey = padded(message, length), doubled(subkey)
        value = _ZERO
        for start in range(0, length - BLOCK, BLOCK):
            value = self.encrypt(exclusive_or(value, message[start : start + BLOCK]))
        return self.encrypt(exclusive_or(exclusive_or(value, message[-BLOCK:]), subkey))


def diversified(master: bytes, message: bytes, *, is_padded_to_two_blocks: bool = True) -> bytes:
    """The key of a tag by AN10922.

    Args:
        message: M, 1 to 31 bytes.
        is_padded_to_two_blocks: as the note says; else an ordinary CMAC.
    """
    if not 1 <= len(message) <= 31:
        raise ValueError("an input of AN10922 has 1 to 31 bytes")
    key = AES(master)
    return key.code(b"\x01" + message, 2 * BLOCK) if is_padded_to_two_blocks else key.cmac(b"\x01" + message)


class LRP:
    """A key of the leakage resilient primitive (NXP AN12304): plaintexts and an updated key, made from a key of AES-128."""

    __slots__ = ("_plaintexts", "_updated_key")

    def __init__(self, key: bytes, updated_key: int = 0) -> None:
        self._plaintexts = self.plaintexts(key)
        self._updated_key = self.updated_key(key, updated_key)

    @staticmethod
    def plaintexts(key: bytes) -> List[bytes]:
        """The sixteen plaintexts of a key (algorithm 1)."""
        found = []
        chain = AES(key).encrypt(b"\x55" * BLOCK)
        for _ in range(16):
            cipher = AES(chain)
            found.append(cipher.encrypt(b"\xaa" * BLOCK))
            chain = cipher.encrypt(b"\x55" * BLOCK)
        return found

    @staticmethod
    def updated_key(key: bytes, number: int) -> bytes:
        """One of the updated keys of a key (algorithm 2)."""
        chain = AES(key).encrypt(b"\xaa" * BLOCK)
        for _ in range(number):
            chain = AES(chain).encrypt(b"\x55" * BLOCK)
        return AES(chain).encrypt(b"\xaa" * BLOCK)

    def evaluate(self, nibbles: Iterable[int], is_final: bool = True) -> bytes:
        """The value of the function for nibbles (algorithm 3)."""
        value = self._updated_key
        for nibble in nibbles:
            value = AES(value).encrypt(self._plaintexts[nibble])
        return AES(value).encrypt(_ZERO) if is_final else value

    def _evaluate(self, octets: bytes) -> bytes:
        return self.evaluate(nibble for octet in octets for nibble in (octet >> 4, octet & 15))

    def subkeys(self) -> Tuple[bytes, bytes]:
        """The two subkeys of its CMAC."""
        first = doubled(self._evaluate(_ZERO))
        return first, doubled(first)

    def cmac(self, message: bytes) -> bytes:
        """The CMAC of a message: 16 bytes (3.3)."""
        first, second = self.subkeys()
        length = max(BLOCK, (len(message) + BLOCK - 1) // BLOCK * BLOCK)
        is_whole = len(message) == length
        message = message if is_whole else padded(message, length)
        value = _ZERO
        for start in range(0, length - BLOCK, BLOCK):
            value = self._evaluate(exclusive_or(value, message[start : start + BLOCK]))
        return self._evaluate(exclusive_or(exclusive_or(value, message[-BLOCK:]), first if is_whole else second))

    def decrypt(self, blocks: bytes, counter: bytes) -> bytes:
        """Decrypts whole blocks; the counter is one more for each of them (3.2, LRICB)."""
        number, plain = int.from_bytes(counter, "big"), b""
        for start in range(0, len(blocks), BLOCK):
            key = self._evaluate(number.to_bytes(len(counter), "big"))
            plain += AES(key).decrypt(blocks[start : start + BLOCK])
            number = (number + 1) % (1 << 8 * len(counter))
        return plain
