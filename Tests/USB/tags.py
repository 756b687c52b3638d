"""Two tags, written from their data sheets: an NTAG215 (NFC Forum Type 2) and a card with an NDEF application (Type 4)."""

import struct

PAGE = 4
TERMINATOR = 0xFE


def checked(atr):
    """An ATR with its check byte."""
    check = 0
    for byte in atr[1:]:
        check ^= byte
    return atr + bytes([check])


class NTAG215:
    """NTAG215 (NXP, NTAG213/215/216): 135 pages, of which 4 to 129 are for a message."""

    PAGES, LAST_USER_PAGE = 135, 129
    VERSION = bytes.fromhex("0004040201001103")
    historical = None

    def __init__(self, message=b"", uid=bytes.fromhex("04A1B2C3D4E580")):
        self.uid = uid
        self.memory = bytearray(self.PAGES * PAGE)
        first = uid[:3] + bytes([0x88 ^ uid[0] ^ uid[1] ^ uid[2]])
        second = uid[3:]
        check = second[0] ^ second[1] ^ second[2] ^ second[3]
        self.memory[:12] = first + second + bytes([check, 0x48, 0x00, 0x00])
        self.memory[12:16] = bytes.fromhex("E1103E00")
        self.memory[130 * PAGE:133 * PAGE] = bytes.fromhex("000000BD 040000FF 00050000")
        self.memory[133 * PAGE:134 * PAGE] = b"\xFF\xFF\xFF\xFF"
        length = bytes([len(message)]) if len(message) < 0xFF else b"\xFF" + struct.pack(">H", len(message))
        area = b"\x03" + length + message + bytes([TERMINATOR])
        self.memory[16:16 + len(area)] = area
        self.is_halted = False
        # How many pages were written.
        self.writes = 0

    @staticmethod
    def atr():
        # A storage card: ISO/IEC 14443 A part 3, "Ultralight", which readers report for every NTAG.
        return checked(bytes.fromhex("3B8F8001804F0CA000000306 03 0003 00000000"))

    def activate(self):
        """The reader selects the tag."""
        self.is_halted = False

    @staticmethod
    def apdu(_):
        return b"\x6E\x00"

    def frame(self, command):
        """What the tag answers to a frame; nil for NAK or silence, after which it has to be selected again."""
        answer = None if self.is_halted or not command else self.perform(command)
        self.is_halted = answer is None
        return answer

    def perform(self, command):
        code = command[0]
        if code == 0x60 and len(command) == 1:
            return self.VERSION
        if code == 0x30 and len(command) == 2 and command[1] < self.PAGES:
            # It continues with page 0 after the last one.
            return self.visible(command[1], 4)
        if code == 0x3A and len(command) == 3 and command[1] <= command[2] < self.PAGES:
            return self.visible(command[1], command[2] - command[1] + 1)
        if code == 0xA2 and len(command) == 2 + PAGE:
            return self.write(command[1], command[2:])
        if code == 0x3C and len(command) == 2:
            return bytes(32)
        return None

    def visible(self, first, count):
        """Pages as READ shows them: the password and PACK are zero."""
        shown = bytes(self.memory[:133 * PAGE]) + bytes(2 * PAGE)
        return (shown + shown)[first * PAGE:(first + count) * PAGE]

    def write(self, page, data):
        start = page * PAGE
        if page in (2, 3):
            # One-time programmable: bits are only set; the first two bytes of page 2 are fixed.
            fixed = 2 if page == 2 else 0
            for place in range(fixed, PAGE):
                self.memory[start + place] |= data[place]
        elif 4 <= page < self.PAGES and not self.is_locked(page):
            self.memory[start:start + PAGE] = data
        else:
            return None
        self.writes += 1
        return b"\x0A"

    def is_locked(self, page):
        """Static lock bits: pages 4 to 7 in the first byte, 8 to 15 in the second."""
        return page < 16 and bool(self.memory[10 + page // 8] >> page % 8 & 1)

    def message(self):
        """The message in memory: bytes, which are empty if there is none; nil if the memory is not valid."""
        if self.memory[12] != 0xE1:
            return None
        area, place = self.memory[16:(self.LAST_USER_PAGE + 1) * PAGE], 0
        while place < len(area) and area[place] != TERMINATOR:
            kind = area[place]
            if kind == 0:
                place += 1
                continue
            if place + 4 > len(area):
                return None
            length, start = area[place + 1], place + 2
            if length == 0xFF:
                length, start = struct.unpack_from(">H", area, place + 2)[0], place + 4
            if start + length > len(area):
                return None
            if kind == 3:
                return bytes(area[start:start + length])
            place = start + length
        return b""

    def fixed(self):
        """What no write of a message may change: UID, locks, capability container, configuration."""
        return bytes(self.memory[:16] + self.memory[(self.LAST_USER_PAGE + 1) * PAGE:])


class Type4:
    """A card with an NDEF application of mapping version 2.0 (NFC Forum, Type 4 Tag)."""

    APPLICATION = bytes.fromhex("D2760000850101")
    SIZE = 512
    historical = b"\x80"

    def __init__(self, message=b"", uid=bytes.fromhex("04112233445566")):
        self.uid = uid
        content = struct.pack(">H", len(message)) + message
        # MLe 59, MLc 52, and the file E104.
        self.container = bytes.fromhex("000F20003B00340406E104") + struct.pack(">H", self.SIZE) + b"\x00\x00"
        self.file = bytearray(content + bytes(self.SIZE - len(content)))
        self.has_application, self.selected = False, None
        self.writes = 0

    def atr(self):
        return checked(bytes([0x3B, 0x80 | len(self.historical), 0x80, 0x01]) + self.historical)

    def activate(self):
        self.has_application, self.selected = False, None

    @staticmethod
    def frame(_):
        return None

    def apdu(self, apdu):
        if len(apdu) < 4:
            return b"\x67\x00"
        if apdu[0] != 0x00:
            return b"\x6E\x00"
        data = apdu[5:5 + apdu[4]] if len(apdu) > 5 else b""
        if apdu[1] == 0xA4:
            return self.select(apdu[2], data)
        if apdu[1] == 0xB0:
            return self.read(struct.unpack_from(">H", apdu, 2)[0], (apdu[4] if len(apdu) == 5 else 0) or 256)
        if apdu[1] == 0xD6:
            return self.update(struct.unpack_from(">H", apdu, 2)[0], data)
        return b"\x6D\x00"

    def select(self, how, data):
        if how == 0x04:
            self.has_application, self.selected = data == self.APPLICATION, None
            return b"\x90\x00" if self.has_application else b"\x6A\x82"
        files = {b"\xE1\x03": self.container, b"\xE1\x04": self.file}
        if not self.has_application or data not in files:
            return b"\x6A\x82"
        self.selected = files[data]
        return b"\x90\x00"

    def read(self, offset, length):
        if self.selected is None:
            return b"\x69\x86"
        if offset >= len(self.selected):
            return b"\x6B\x00"
        return bytes(self.selected[offset:offset + length]) + b"\x90\x00"

    def update(self, offset, data):
        if self.selected is not self.file:
            return b"\x69\x82"
        if offset + len(data) > self.SIZE:
            return b"\x6B\x00"
        self.file[offset:offset + len(data)] = data
        self.writes += 1
        return b"\x90\x00"

    def message(self):
        length, = struct.unpack_from(">H", self.file)
        return bytes(self.file[2:2 + length]) if length <= self.SIZE - 2 else None

    def fixed(self):
        return self.container
