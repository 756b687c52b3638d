"""The wire between vpcd and a virtual card: passes everything on, and counts what reaches the card."""

import socket
import struct
import threading

POWER_OFF, POWER_ON, RESET = 0, 1, 2
SELECT = b"\x00\xA4\x04"


class Wire:
    """Listens at `address` for a card, and is this card at a reader of vpcd."""

    def __init__(self, reader):
        self.reader = reader
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        # The power-ups, resets and SELECTs of each stay of the card on the reader, and the names that were selected.
        self.stays = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                card, _ = self.listener.accept()
            except OSError:
                return
            host, port = self.reader.split(":")
            reader = socket.create_connection((host, int(port)), 10)
            reader.settimeout(None)
            stay = {"power-ups": 0, "power-downs": 0, "resets": 0, "selected": []}
            self.stays.append(stay)
            for source, target, seen in ((reader, card, stay), (card, reader, None)):
                threading.Thread(target=self.pass_on, args=(source, target, seen), daemon=True).start()

    def pass_on(self, source, target, stay):
        for end in (source, target):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                size = read(source, 2)
                message = read(source, struct.unpack(">H", size)[0])
                if stay is not None:
                    self.count(stay, message)
                target.sendall(size + message)
        except OSError:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    @staticmethod
    def count(stay, message):
        if message[:3] == SELECT:
            stay["selected"].append(message[5:5 + message[4]].hex().upper())
        name = {POWER_OFF: "power-downs", POWER_ON: "power-ups", RESET: "resets"}.get(message[0])
        if len(message) == 1 and name:
            stay[name] += 1

    def close(self):
        self.listener.close()


def read(source, count):
    data = b""
    while len(data) < count:
        # Otherwise every exchange waits for the delayed acknowledgement.
        source.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        piece = source.recv(count - len(data))
        if not piece:
            raise OSError("the other end is closed")
        data += piece
    return data
