"""A program that speaks to a card through PC/SC itself, as programs do that have FIDO over NFC built in, GnuPG, and tools of vendors."""

import ctypes
import pathlib
import subprocess
import sys
import threading

SHARED, EXCLUSIVE, ANY_PROTOCOL = 2, 1, 3
DISPOSITIONS = {"leave": 0, "reset": 1, "unpower": 2}
SHARING_VIOLATION, REMOVED, RESET = 0x8010000B, 0x80100069, 0x80100068
SELECT_FIDO = "00A4040008A0000006472F000100"
PATIENCE = 60


class Program:
    """Another process with one connection to a card. Each step returns the code of PC/SC, or the answer of the card."""

    def __init__(self, slot=0):
        self.process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).resolve(), f"Virtual PCD 00 0{slot}"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def run(self, *words):
        self.begin(*words)
        return self.result()

    def begin(self, *words):
        """Begins a step that may have to wait; `result` returns what became of it."""
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def result(self):
        line = self.process.stdout.readline().strip()
        return bytes.fromhex(line[1:]) if line.startswith("=") else int(line, 16)

    def later(self):
        """The result of the step that was begun, in a list that is empty until then."""
        results = []
        threading.Thread(target=lambda: results.append(self.result()), daemon=True).start()
        return results

    def transmit(self, apdu):
        return self.run("transmit", apdu)

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)


class Header(ctypes.Structure):
    """SCARD_IO_REQUEST."""

    _fields_ = [("protocol", ctypes.c_ulong), ("length", ctypes.c_ulong)]


def main():
    library = ctypes.CDLL("libpcsclite.so.1")
    reader = sys.argv[1].encode()
    context, card, protocol = ctypes.c_long(), ctypes.c_long(), ctypes.c_ulong()

    def call(name, *arguments):
        return getattr(library, name)(*arguments) & 0xFFFFFFFF

    def number(value):
        return ctypes.c_ulong(value)

    def transmit(apdu):
        command, answer, length = bytes.fromhex(apdu), ctypes.create_string_buffer(264), number(264)
        header = Header(protocol.value, ctypes.sizeof(Header))
        code = call("SCardTransmit", card, ctypes.byref(header), command, number(len(command)), None, answer,
                    ctypes.byref(length))
        return f"{code:x}" if code else "=" + answer.raw[:length.value].hex()

    def step(word, argument=""):
        match word:
            case "connect":
                mode = EXCLUSIVE if argument == "exclusive" else SHARED
                return call("SCardConnect", context, reader, number(mode), number(ANY_PROTOCOL), ctypes.byref(card),
                            ctypes.byref(protocol))
            case "begin":
                return call("SCardBeginTransaction", card)
            case "end":
                return call("SCardEndTransaction", card, number(DISPOSITIONS[argument]))
            case "disconnect":
                return call("SCardDisconnect", card, number(DISPOSITIONS[argument]))
        raise ValueError(word)

    call("SCardEstablishContext", number(2), None, None, ctypes.byref(context))
    for line in sys.stdin:
        words = line.split()
        print(transmit(words[1]) if words[0] == "transmit" else f"{step(*words):x}", flush=True)


if __name__ == "__main__":
    main()
