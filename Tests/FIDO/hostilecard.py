"""A card of the attacker at vpcd: it has the FIDO application, and answers what it likes."""

import socket
import struct
import threading

AID = bytes.fromhex("A0000006472F0001")
ATR = bytes.fromhex("3B80800101")


def information(versions):
    """getInfo of an honest card: versions and an AAGUID."""
    texts = b"".join(bytes([0x60 + len(version)]) + version.encode() for version in versions)
    return bytes([0x00, 0xA2, 0x01, 0x80 + len(versions)]) + texts + bytes.fromhex("0350") + bytes(16) + b"\x90\x00"


INFO = information(["FIDO_2_0"])

# What it answers to anything but SELECT and, where it is honest at first, getInfo.
ANSWERS = {
    "nothing": lambda apdu: b"",
    "one byte": lambda apdu: b"\x90",
    "endless pieces": lambda apdu: b"x" * 255 + b"\x61\xFF",
    "empty pieces": lambda apdu: b"\x61\x00",
    "endless time": lambda apdu: b"\x02\x91\x00",
    "an unknown status of waiting": lambda apdu: b"\x77\x91\x00",
    "64 KiB": lambda apdu: b"x" * 65_000 + b"\x90\x00",
    "no answer to a command": lambda apdu: b"\x90\x00",
    "an answer to another command": lambda apdu: INFO,
    "deep CBOR": lambda apdu: b"\x00" + b"\x81" * 250 + b"\x90\x00",
    "a length beyond the end": lambda apdu: b"\x00\xBB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x90\x00",
    "an unknown status word": lambda apdu: b"\x6F\x42",
    "another application": lambda apdu: b"\x6D\x00",
}


class HostileCard:
    """Lies on a reader of vpcd until it is taken away; `information` is its first, honest answer, or None."""

    def __init__(self, address, answer, information):
        self.answer, self.information = ANSWERS[answer], information
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), 10)
        threading.Thread(target=self.serve, daemon=True).start()

    def read(self, count):
        data = b""
        while len(data) < count:
            # Otherwise every exchange waits for the delayed acknowledgement.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise OSError("vpcd closed the connection")
            data += piece
        return data

    def serve(self):
        self.socket.settimeout(None)
        try:
            while True:
                size = struct.unpack(">H", self.read(2))[0]
                message = self.read(size)
                if size == 1:
                    if message[0] == 4:
                        self.send(ATR)
                    continue
                self.send(self.respond(message))
        except OSError:
            pass

    def respond(self, apdu):
        if apdu[:1] == b"\xFF":
            # The commands of the reader, which vpcd leaves to the card.
            return b"\x04\x01\x02\x03\x90\x00" if apdu[:4] == b"\xFF\xCA\x00\x00" else b"\x6A\x81"
        if apdu[:4] == b"\x00\xA4\x04\x00":
            return b"FIDO_2_0\x90\x00" if AID in apdu else b"\x6A\x82"
        if self.information and apdu[:2] == b"\x80\x10" and apdu[5:6] == b"\x04":
            return self.information
        return self.answer(apdu)

    def send(self, data):
        self.socket.sendall(struct.pack(">H", len(data)) + data)

    def take_away(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
