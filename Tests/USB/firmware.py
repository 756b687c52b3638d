"""How a reader passes commands to a tag: pseudo-APDUs of PC/SC part 3, and the pass-through of its maker."""

DONE, FAILED, WRONG_LENGTH, UNKNOWN = b"\x90\x00", b"\x63\x00", b"\x67\x00", b"\x6A\x81"
PAGE = 4
ACR122U_VERSION = b"ACR122U207"
# Transparent sessions (PC/SC part 3, amendment 1): what each object of the answer reports.
OBJECT_DONE = b"\xC0\x03\x00\x90\x00"
OBJECT_FAILED = b"\xC0\x03\x01\x64\x01"


class Firmware:
    """The firmware of a reader. `kind`: "plain", "pn532" (ACR122U), "frames" (ACR125xU) or "transparent"."""

    def __init__(self, kind):
        self.kind = kind

    def perform(self, apdu, tag):
        """What the reader answers to an APDU."""
        if apdu[:1] != b"\xFF":
            return tag.apdu(apdu)
        if len(apdu) < 4:
            return WRONG_LENGTH
        instruction = apdu[1]
        if instruction == 0xCA:
            return self.identify(apdu, tag)
        if instruction == 0xB0 and len(apdu) >= 5:
            return self.read(apdu, tag)
        if instruction == 0xD6 and len(apdu) == 5 + PAGE and apdu[4] == PAGE:
            written = tag.frame(b"\xA2" + apdu[3:4] + apdu[5:])
            return DONE if written is not None else FAILED
        if instruction == 0x00:
            return self.pass_through(apdu, tag)
        if instruction == 0xC2 and self.kind == "transparent":
            return self.transparent(apdu, tag)
        return UNKNOWN

    @staticmethod
    def identify(apdu, tag):
        """FF CA: the UID, or the historical bytes."""
        found = {0: tag.uid, 1: tag.historical}.get(apdu[2])
        return found + DONE if found else UNKNOWN

    @staticmethod
    def read(apdu, tag):
        """FF B0: up to four pages."""
        length = apdu[4] or 4 * PAGE
        if length > 4 * PAGE:
            return WRONG_LENGTH
        data = tag.frame(b"\x30" + apdu[3:4])
        return data[:length] + DONE if data else FAILED

    def pass_through(self, apdu, tag):
        """FF 00: commands to the PN532 of an ACR122U, or frames of newer readers."""
        if self.kind == "pn532" and apdu[:4] == b"\xFF\x00\x48\x00":
            return ACR122U_VERSION
        if apdu[:4] != b"\xFF\x00\x00\x00" or len(apdu) < 6 or self.kind not in ("pn532", "frames"):
            return UNKNOWN
        frame = apdu[5:5 + apdu[4]]
        if self.kind == "frames":
            data = tag.frame(frame)
            return FAILED if data is None else data + DONE
        # InCommunicateThru, and InDataExchange with the only target.
        if frame[:2] == b"\xD4\x42":
            answer, inner = b"\xD5\x43", frame[2:]
        elif frame[:3] == b"\xD4\x40\x01":
            answer, inner = b"\xD5\x41", frame[3:]
        else:
            return FAILED
        data = tag.frame(inner)
        return answer + (b"\x01" if data is None else b"\x00" + data) + DONE

    @staticmethod
    def transparent(apdu, tag):
        """FF C2: manages a session, chooses a protocol, or exchanges a frame."""
        data = apdu[5:5 + apdu[4]] if len(apdu) > 5 else b""
        if apdu[3] == 0x02:
            return OBJECT_DONE + b"\x8F\x01\x00" + DONE
        if apdu[3] == 0x00:
            return OBJECT_DONE + DONE
        frame = object_value(data, 0x95)
        answer = tag.frame(frame) if apdu[3] == 0x01 and frame else None
        if answer is None:
            return OBJECT_FAILED + DONE
        return OBJECT_DONE + b"\x92\x01\x00\x96\x02\x00\x00\x97" + bytes([len(answer)]) + answer + DONE


def object_value(data, wanted):
    """The value of an object with a tag of one byte; nil if it is not in the data."""
    place = 0
    while place + 1 < len(data):
        size = 2 if data[place] & 0x1F == 0x1F else 1
        if place + size >= len(data):
            return None
        length, start = data[place + size], place + size + 1
        if data[place] == wanted:
            return data[start:start + length]
        place = start + length
    return None
