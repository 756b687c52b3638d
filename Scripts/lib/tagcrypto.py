"""What tags with AES keys compute, written from the data sheets for tests: AES-CMAC, AN10922, secure dynamic messaging (SUN), EV2, LRP and
DESFire EV1. It shares no code with nfcd, but AES itself is libcrypto's. Used by the kill test of proofs, the memory search and their
benchmark."""

import ctypes
import ctypes.util

BLOCK = 16
ZERO = bytes(BLOCK)


class AES:
    """Blocks of AES-128 with a key."""

    _library = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")

    def __init__(self, key):
        # The largest AES_KEY: 60 round keys of 32 bits, and their number.
        self._encryption, self._decryption = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)
        self._library.AES_set_encrypt_key(key, 8 * len(key), self._encryption)
        self._library.AES_set_decrypt_key(key, 8 * len(key), self._decryption)

    def encrypt(self, block):
        result = ctypes.create_string_buffer(BLOCK)
        self._library.AES_encrypt(block, result, self._encryption)
        return result.raw

    def decrypt(self, block):
        result = ctypes.create_string_buffer(BLOCK)
        self._library.AES_decrypt(block, result, self._decryption)
        return result.raw

    def encrypt_cbc(self, data, vector=ZERO):
        result = b""
        for block in blocks(data):
            vector = self.encrypt(xor(block, vector))
            result += vector
        return result

    def decrypt_cbc(self, data, vector=ZERO):
        result = b""
        for block in blocks(data):
            result += xor(self.decrypt(block), vector)
            vector = block
        return result


def blocks(data):
    return [data[start:start + BLOCK] for start in range(0, len(data), BLOCK)]


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other))


def rotated(data):
    """RndA', RndB': the first byte at the end."""
    return data[1:] + data[:1]


def doubled(block):
    """A block times x in the field of CMAC (NIST SP 800-38B)."""
    number = int.from_bytes(block, "big") << 1
    return ((number & ((1 << 128) - 1)) ^ (0x87 if number >> 128 else 0)).to_bytes(BLOCK, "big")


def masked(message, first, length=None):
    """The blocks of a message for CMAC, where the last one has a subkey added; padded to `length` bytes, else to whole blocks."""
    second = doubled(first)
    is_whole = len(message) == length if length else bool(message) and len(message) % BLOCK == 0
    if not is_whole:
        message += b"\x80"
        message += bytes((length or -(-len(message) // BLOCK) * BLOCK) - len(message))
    *start, last = blocks(message)
    return b"".join(start) + xor(last, first if is_whole else second)


def cmac(key, message):
    cipher = AES(key)
    return cipher.encrypt_cbc(masked(message, doubled(cipher.encrypt(ZERO))))[-BLOCK:]


def an10922(master, message):
    """The key of a tag: AN10922 pads to 32 bytes, always."""
    cipher = AES(master)
    return cipher.encrypt_cbc(masked(b"\x01" + message, doubled(cipher.encrypt(ZERO)), 2 * BLOCK))[-BLOCK:]


def shortened(code):
    """The code as EV2 and SUN send it: bytes 1, 3, … 15."""
    return code[1::2]


# Secure dynamic messaging (NT4H2421Gx, §9.3)

def sun_keys(file_key, uid, counter):
    """The session keys of a message, for encrypted file data and for the code."""
    data = uid + counter.to_bytes(3, "little")
    return (cmac(file_key, b"\xC3\x3C\x00\x01\x00\x80" + data), cmac(file_key, b"\x3C\xC3\x00\x01\x00\x80" + data))


def sun_message(meta_key, file_key, uid, counter, filler, prefix):
    """What a tag puts into `prefix{picc}&c={mac}`, with an empty input of the code."""
    plain = b"\xC7" + uid + counter.to_bytes(3, "little") + filler
    picc = AES(meta_key).encrypt_cbc(plain).hex().upper()
    code = shortened(cmac(sun_keys(file_key, uid, counter)[1], b"")).hex().upper()
    return f"{prefix}{picc}&c={code}"


def sun_opened(meta_key, picc):
    """UID and counter of the encrypted data of a message."""
    plain = AES(meta_key).decrypt_cbc(picc)
    return plain[1:8], int.from_bytes(plain[8:11], "little")


# Sessions

def mixed(ours, theirs):
    """What the session keys of EV2 and LRP depend on (NT4H2421Gx, §9.1.7)."""
    return ours[:2] + xor(ours[2:8], theirs[:6]) + theirs[6:] + ours[8:]


def ev2_keys(key, ours, theirs):
    context = b"\x00\x01\x00\x80" + mixed(ours, theirs)
    return cmac(key, b"\xA5\x5A" + context), cmac(key, b"\x5A\xA5" + context)


def ev1_key(ours, theirs):
    return ours[:4] + theirs[:4] + ours[12:] + theirs[12:]


class LRP:
    """A key of the leakage resilient primitive (AN12304)."""

    def __init__(self, key, number=0):
        chain = AES(key).encrypt(b"\x55" * BLOCK)
        self.plaintexts = []
        for _ in range(16):
            self.plaintexts.append(AES(chain).encrypt(b"\xAA" * BLOCK))
            chain = AES(chain).encrypt(b"\x55" * BLOCK)
        chain = AES(key).encrypt(b"\xAA" * BLOCK)
        for _ in range(number):
            chain = AES(chain).encrypt(b"\x55" * BLOCK)
        self.updated = AES(chain).encrypt(b"\xAA" * BLOCK)

    def evaluate(self, data):
        value = self.updated
        for byte in data:
            for nibble in (byte >> 4, byte & 15):
                value = AES(value).encrypt(self.plaintexts[nibble])
        return AES(value).encrypt(ZERO)

    def cmac(self, message):
        value = ZERO
        for block in blocks(masked(message, doubled(self.evaluate(ZERO)))):
            value = self.evaluate(xor(value, block))
        return value


def lrp_master(key, ours, theirs):
    return LRP(key).cmac(b"\x00\x01\x00\x80" + mixed(ours, theirs) + b"\x96\x69")
