"""A model of an NTAG 424 DNA that writes into its URL, from the data sheet NT4H2421Gx and AN12304. It shares no code with nfcd.sun."""

import hashlib
import re

try:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.cmac import CMAC
except ImportError:
    CMAC = None

UID = bytes.fromhex("04A1B2C3D4E5F6")


def secret(name):
    """A key for a test that is not published."""
    return hashlib.sha256(name.encode()).digest()[:16]


def ecb(key, block):
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def cbc(key, vector, blocks):
    return Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor().update(blocks)


def cmac(key, message):
    code = CMAC(algorithms.AES(key))
    code.update(message)
    return code.finalize()


def xor(one, other):
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).to_bytes(16, "big")


def subkeys(zero):
    """K1 and K2 of the encrypted zero block."""
    found, value = [], int.from_bytes(zero, "big")
    for _ in range(2):
        value <<= 1
        if value >> 128:
            value = (value ^ 0x87) & (1 << 128) - 1
        found.append(value.to_bytes(16, "big"))
    return found


def an10922(master, diversification):
    """The key of a tag: 01 and the input, padded to 32 bytes."""
    data = b"\x01" + diversification
    first, second = subkeys(ecb(master, bytes(16)))
    subkey = first if len(data) == 32 else second
    if len(data) < 32:
        data = (data + b"\x80").ljust(32, b"\0")
    return cbc(master, bytes(16), data[:16] + xor(data[16:], subkey))[16:]


def file_key(master, uid=UID, system=b""):
    """Key 2 of a tag, as the crate ntag424 and nfcd derive it."""
    return an10922(master, uid + bytes.fromhex("D2760000850101") + b"\x02" + system)


# The leakage resilient primitive


def lrp_function(key, updated):
    """The function of AN12304, algorithm 3, of a text of hexadecimal digits."""
    table, chain = {}, ecb(key, b"\x55" * 16)
    for digit in "0123456789abcdef":
        table[digit] = ecb(chain, b"\xaa" * 16)
        chain = ecb(chain, b"\x55" * 16)
    start = ecb(key, b"\xaa" * 16)
    for _ in range(updated):
        start = ecb(start, b"\x55" * 16)
    start = ecb(start, b"\xaa" * 16)

    def function(digits):
        value = start
        for digit in digits:
            value = ecb(value, table[digit])
        return ecb(value, bytes(16))

    return function


def lrp_cmac(key, message):
    function = lrp_function(key, 0)
    whole, half = subkeys(function("0" * 32))
    blocks = [message[at : at + 16] for at in range(0, len(message), 16)] or [b""]
    last = blocks.pop()
    last = xor(last, whole) if len(last) == 16 else xor((last + b"\x80").ljust(16, b"\0"), half)
    value = bytes(16)
    for block in [*blocks, last]:
        value = function(xor(value, block).hex())
    return value


def lrp_encrypt(key, updated, counter, blocks):
    function, result = lrp_function(key, updated), b""
    for at in range(0, len(blocks), 16):
        number = int(counter, 16) + at // 16
        result += ecb(function(f"{number:0{len(counter)}x}"), blocks[at : at + 16])
    return result


# Messages

PREFIXES = ["https://www.", "http://www.", "https://", "http://"]


class Tag:
    """A tag with a URL in which `<picc>`, `<uid>`, `<ctr>`, `<enc>`, `<tt>` and `<mac>` are where it writes, and `<in>` is the offset
    of the input of the code; the prefix of the URI is not in the file unless `keeps_prefix`."""

    def __init__(self, layout, *, uid=UID, meta=b"", file=b"", lrp=False, data=bytes(16), tamper="CC", keeps_prefix=False):
        self.uid, self.meta, self.file, self.lrp, self.data, self.tamper = uid, meta, file, lrp, data, tamper
        self.prefix = "" if keeps_prefix else next((prefix for prefix in PREFIXES if layout.startswith(prefix)), "")
        lengths = {"picc": 48 if lrp else 32, "uid": 14, "ctr": 6, "enc": 2 * len(data), "tt": 2, "mac": 16, "in": 0}
        self.offsets, self.static = {}, ""
        for literal, name in re.findall(r"([^<]*)(?:<(\w+)>)?", layout[len(self.prefix) :]):
            self.static += literal
            if name:
                self.offsets[name] = len(self.static)
                self.static += "0" * lengths[name]

    def url(self, counter):
        """The URL after a tap."""
        memory = bytearray(self.static.encode())

        def mirror(name, text):
            if name in self.offsets:
                memory[self.offsets[name] : self.offsets[name] + len(text)] = text.encode()

        little = counter.to_bytes(3, "little")
        mirror("uid", self.uid.hex().upper())
        mirror("ctr", f"{counter:06X}")
        mirror("tt", self.tamper)
        if "picc" in self.offsets:
            mirror("picc", self.picc(little).hex().upper())
        if "enc" in self.offsets:
            mirror("enc", self.encrypted(little).hex().upper())
        covered = bytes(memory[self.offsets.get("in", self.offsets["mac"]) : self.offsets["mac"]])
        code = lrp_cmac(self.lrp_master(little), covered) if self.lrp else cmac(self.session(little, 0x3C, 0xC3), covered)
        mirror("mac", code[1::2].hex().upper())
        return self.prefix + memory.decode()

    def picc(self, little):
        plain = b"\xc7" + self.uid + little + b"rando"
        if self.lrp:
            return b"RANDOMLY" + lrp_encrypt(self.meta, 0, b"RANDOMLY".hex(), plain)
        return cbc(self.meta, bytes(16), plain)

    def session(self, little, *label):
        return cmac(self.file, bytes([*label, 0, 1, 0, 0x80]) + self.uid + little)

    def lrp_master(self, little):
        return lrp_cmac(self.file, bytes([0, 1, 0, 0x80]) + self.uid + little + b"\x1e\xe1")

    def encrypted(self, little):
        if self.lrp:
            return lrp_encrypt(self.lrp_master(little), 1, (little + bytes(3)).hex(), self.data)
        key = self.session(little, 0xC3, 0x3C)
        return cbc(key, ecb(key, little + bytes(13)), self.data)
