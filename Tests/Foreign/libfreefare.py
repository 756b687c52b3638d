#!/usr/bin/env python3
"""Has libfreefare (github.com/nfc-tools/libfreefare, LGPL; Debian: libfreefare-bin) use a virtual DESFire as delivered.

    Tests/Foreign/libfreefare.py [--reader NAME | --command WORDS]

The library and its tools are Debian's, unchanged. They talk by libnfc to a PN532 on a serial line, which this script is: a pseudo-terminal
leads to the card. The card is in a PC/SC reader, "Virtual PCD 00 00" by default, as behind
`nfcctl virtual-tag desfire-ev1-blank --vpcd 127.0.0.1:35963`; or it is a program that takes a command APDU in hexadecimal on each line and
prints the response on a line, and powers the card off and on for "reset". It must be blank, and is at the end.

Judged are D40, ISO (3DES and 3K3DES) and AES authentication, the messages of each in all three modes, files of each kind, ChangeKey, key
settings, and the tools that make, write and read a message. Nothing is fetched. Exit codes: 0 passed, 1 failed, 69 something is missing.
"""
import argparse
import ctypes
import ctypes.util
import os
import pty
import shutil
import subprocess
import tempfile
import threading
import tty
from ctypes import byref, c_char_p, c_int32, c_long, c_size_t, c_uint8, c_uint16, c_uint32, c_void_p

from checks import Checks
from transports import add_options, missing, opened

TOOLS = ("mifare-desfire-info", "mifare-desfire-create-ndef", "mifare-desfire-write-ndef", "mifare-desfire-read-ndef", "mifare-desfire-format")
PLAIN, MACED, ENCIPHERED = 0, 1, 3
MODES = {PLAIN: "plain", MACED: "MAC", ENCIPHERED: "enciphered"}
NO_APPLICATION, AUTHENTICATION_ERROR, BOUNDARY_ERROR = 0xA0, 0xAE, 0xBE
# Key 1 reads, key 2 writes, key 0 does both and changes the rights.
RIGHTS = 0x1200
VERSIONS = 0x5A, 0x81, 0xC7
MESSAGE = b"\xD1\x01\x0FU\x04door.example/1"
ACKNOWLEDGED = bytes.fromhex("0000FF00FF00")


class PN532:
    """A PN532 on a serial line (PN532 User Manual, UM0701-02), as far as libnfc needs it for a card of ISO/IEC 14443-4."""

    def __init__(self, card):
        self.card = card
        self.line, self.other_end = pty.openpty()
        tty.setraw(self.line)
        tty.setraw(self.other_end)
        self.name = f"pn532_uart:{os.ttyname(self.other_end)}:115200"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        unread = b""
        while True:
            unread += os.read(self.line, 4096)
            while (command := self.next_command(unread)) is not None:
                frame, unread = command
                if frame:
                    os.write(self.line, ACKNOWLEDGED + self.framed(self.answer(frame[1], frame[2:]), frame[1]))

    def next_command(self, data):
        """The first frame of the data, empty for an acknowledgement, and what is behind it; nil until it is whole."""
        start = data.find(b"\x00\xFF") + 2
        if start < 2 or len(data) < start + 2:
            return None
        if data[start:start + 2] == b"\x00\xFF":
            return b"", data[start + 2:]
        is_long = data[start:start + 2] == b"\xFF\xFF"
        size = int.from_bytes(data[start + 2:start + 4], "big") if is_long else data[start]
        start += 5 if is_long else 2
        return (data[start:start + size], data[start + size + 2:]) if len(data) >= start + size + 2 else None

    def framed(self, answer, command):
        data = bytes([0xD5, command + 1]) + answer
        size = bytes([len(data), -len(data) & 0xFF])
        if len(data) > 255:
            size = b"\xFF\xFF" + len(data).to_bytes(2, "big") + bytes([-(len(data) >> 8) - len(data) & 0xFF])
        return b"\x00\x00\xFF" + size + data + bytes([-sum(data) & 0xFF, 0])

    def answer(self, command, data):
        if command == 0x00:  # Diagnose
            return data
        if command == 0x02:  # GetFirmwareVersion
            return bytes.fromhex("32010607")
        if command == 0x06:  # ReadRegister
            return bytes(len(data) // 2)
        if command == 0x4A:  # InListPassiveTarget
            return self.list_targets(data)
        if command == 0x40:  # InDataExchange
            return b"\x00" + self.card.transmit(data[1:])
        # InDeselect, InRelease, InSelect, PowerDown; the others answer nothing.
        return b"\x00" if command in (0x44, 0x52, 0x54, 0x16) else b""

    def list_targets(self, data):
        if data[1] != 0:
            return b"\x00"
        self.card.reset()
        return bytes.fromhex("010103442007") + self.card.uid + bytes.fromhex("067577810280")


class FileSettings(ctypes.Structure):
    """mifare_desfire_file_settings, with the longest of its variants."""

    _fields_ = [("kind", c_uint8), ("mode", c_uint8), ("rights", c_uint16), ("values", c_int32 * 3), ("flag", c_uint8)]


class Card:
    """The card, by functions of the library."""

    def __init__(self, device, judge):
        self.judge = judge
        self.library = ctypes.CDLL("libfreefare.so.0")
        self.library.freefare_get_tags.restype = ctypes.POINTER(c_void_p)
        self.tag = c_void_p(self.library.freefare_get_tags(device)[0])
        judge.check("the library finds a DESFire", self.tag.value is not None)
        self.ask("connect")

    def call(self, name, *arguments):
        function = getattr(self.library, "mifare_desfire_" + name)
        function.restype = c_long if name.startswith(("read_", "write_")) else ctypes.c_int
        return function(self.tag, *arguments)

    def ask(self, name, *arguments):
        """Calls a function that must succeed."""
        result = self.call(name, *arguments)
        if result < 0:
            self.judge.check(f"{name}: {self.error()}", False)
        return result

    def refuses(self, status, name, *arguments):
        return self.call(name, *arguments) < 0 and self.library.mifare_desfire_last_picc_error(self.tag) == status

    def error(self):
        card, here = self.library.mifare_desfire_last_picc_error(self.tag), self.library.mifare_desfire_last_pcd_error(self.tag)
        return f"card status {card:02X}, library error {here:02X}"

    def made(self, name, *arguments):
        function = getattr(self.library, "mifare_desfire_" + name)
        function.restype = c_void_p
        return c_void_p(function(*arguments))

    def application(self, number):
        return self.made("aid_new", c_uint32(number))

    def uid(self):
        text = c_char_p()
        self.ask("get_card_uid", byref(text))
        return bytes.fromhex(text.value.decode())

    def key_version(self, number):
        version = c_uint8()
        self.ask("get_key_version", c_uint8(number), byref(version))
        return version.value

    def write(self, number, offset, data):
        return self.ask("write_data", c_uint8(number), c_long(offset), c_size_t(len(data)), data)

    def read(self, number, offset, size):
        buffer = ctypes.create_string_buffer(size + 64)
        count = self.ask("read_data", c_uint8(number), c_long(offset), c_size_t(size), buffer)
        return buffer.raw[:count]

    def value(self, number):
        value = c_int32()
        self.ask("get_value", c_uint8(number), byref(value))
        return value.value

    def records(self, number, size):
        buffer = ctypes.create_string_buffer(256)
        count = self.ask("read_records", c_uint8(number), c_long(0), c_size_t(0), buffer)
        return [buffer.raw[start:start + size] for start in range(0, count, size)]


class Scheme:
    """An authentication, with the keys as delivered and three others, by number."""

    def __init__(self, name, create, authenticate, fresh, keys):
        self.name, self.create, self.authenticate, self.fresh, self.keys = name, create, authenticate, fresh, keys


def schemes(card):
    value = lambda number, size: bytes(number * 32 + 2 * place & 0xFE for place in range(1, size + 1))
    # The version of a DES key is in the lowest bits of its first 8 bytes.
    marked = lambda data, version: bytes(byte | version >> 7 - place & 1 for place, byte in enumerate(data[:8])) + data[8:]
    des = lambda name, size: [card.made(name, marked(value(number, size), VERSIONS[number - 1])) for number in (1, 2, 3)]
    # A 3DES key of two equal halves is a DES key to the card, and another one to the library.
    single = card.made("des_key_new", bytes(8))
    double = des("3des_key_new_with_version", 16)
    yield Scheme("DES, D40", "create_application", "authenticate", single, double)
    yield Scheme("3DES, ISO", "create_application", "authenticate_iso", single, double)
    yield Scheme("3K3DES, ISO", "create_application_3k3des", "authenticate_iso", card.made("3k3des_key_new", bytes(24)),
                 des("3k3des_key_new_with_version", 24))
    yield Scheme("AES", "create_application_aes", "authenticate_aes", card.made("aes_key_new", bytes(16)),
                 [card.made("aes_key_new_with_version", value(number, 16), c_uint8(VERSIONS[number - 1])) for number in (1, 2, 3)])


class Judge(Checks):
    """Counts what was right."""

    def __init__(self, device):
        super().__init__()
        self.device = device

    def tool(self, name, *arguments, fails=False):
        done = subprocess.run(
            [name, *arguments], env={**os.environ, "LIBNFC_DEVICE": self.device, "LIBNFC_AUTO_SCAN": "false"}, timeout=60,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.check(f"{name} {'fails' if fails else 'succeeds'}", (done.returncode != 0) == fails, done.stdout)
        return done.stdout


def use_tools(judge, uid):
    """A message is made, written and read by the tools, and the card is formatted."""
    text = judge.tool("mifare-desfire-info")
    judge.check("  it shows the UID", uid.hex() in text.lower(), text)
    judge.tool("mifare-desfire-create-ndef", "-y")
    with tempfile.TemporaryDirectory() as folder:
        given, back = os.path.join(folder, "given"), os.path.join(folder, "back")
        with open(given, "wb") as file:
            file.write(MESSAGE)
        judge.tool("mifare-desfire-write-ndef", "-y", "-i", given)
        judge.tool("mifare-desfire-read-ndef", "-y", "-o", back)
        with open(back, "rb") as file:
            judge.check("  the message is the same", file.read() == MESSAGE)
    judge.tool("mifare-desfire-format", "-y", "-K", "1122334455667788", fails=True)
    judge.tool("mifare-desfire-format", "-y")
    judge.tool("mifare-desfire-read-ndef", "-y", "-o", "/dev/null", fails=True)


def set_up(judge, card, scheme, number):
    """An application with three keys, all changed."""
    name, application = scheme.name, card.application(number)
    master = card.made("des_key_new", bytes(8))
    card.ask("select_application", None)
    card.ask("authenticate", c_uint8(0), master)
    card.ask(scheme.create, application, c_uint8(0x0F), c_uint8(3))
    card.ask("select_application", application)
    card.ask(scheme.authenticate, c_uint8(0), scheme.fresh)
    judge.check(f"{name}: the application is there, and its key is proven", True)
    for other in (1, 2):
        card.ask("change_key", c_uint8(other), scheme.keys[other], scheme.fresh)
    card.ask("change_key", c_uint8(0), scheme.keys[0], scheme.fresh)
    judge.check(f"{name}: the old key is refused", card.refuses(AUTHENTICATION_ERROR, scheme.authenticate, c_uint8(0), scheme.fresh))
    card.ask(scheme.authenticate, c_uint8(0), scheme.keys[0])
    judge.check(f"{name}: the new key is proven", True)
    versions = tuple(card.key_version(number) for number in range(3))
    judge.check(f"{name}: the keys have their versions", versions == VERSIONS, versions)
    if name != "DES, D40":
        judge.check(f"{name}: the UID comes enciphered", card.uid() == judge.uid)
    settings, most = c_uint8(), c_uint8()
    card.ask("change_key_settings", c_uint8(0x0B))
    card.ask("get_key_settings", byref(settings), byref(most))
    judge.check(f"{name}: the key settings are changed", (settings.value, most.value & 0x0F) == (0x0B, 3))


def use_data(judge, card, scheme):
    """Files of data, one for each mode."""
    name = scheme.name
    for mode, what in MODES.items():
        card.ask(scheme.authenticate, c_uint8(0), scheme.keys[0])
        card.ask("create_std_data_file", c_uint8(mode), c_uint8(mode), c_uint16(RIGHTS), c_uint32(200))
        found = FileSettings()
        card.ask("get_file_settings", c_uint8(mode), byref(found))
        judge.check(f"{name}: file {mode} has its settings", (found.mode, found.rights, found.values[0]) == (mode, RIGHTS, 200))
        data = bytes((mode * 50 + place) & 0xFF for place in range(150))
        card.ask(scheme.authenticate, c_uint8(2), scheme.keys[2])
        for offset, size in ((0, 1), (1, 15), (16, 32), (48, 102)):
            card.write(mode, offset, data[offset:offset + size])
        card.ask(scheme.authenticate, c_uint8(1), scheme.keys[1])
        judge.check(f"{name}: written and read, {what}", card.read(mode, 0, 150) == data)
        # The library takes a longer padding than the card for a D40 MAC where the length modulo 8 is 7 or 0.
        judge.check(f"{name}: parts are read, {what}", [card.read(mode, at, 5) for at in (0, 93)] == [data[:5], data[93:98]])
        buffer = ctypes.create_string_buffer(300)
        judge.check(f"{name}: the end of the file, {what}", card.refuses(
            BOUNDARY_ERROR, "read_data", c_uint8(mode), c_long(150), c_size_t(51), buffer))
        card.ask(scheme.authenticate, c_uint8(1), scheme.keys[1])
        judge.check(f"{name}: key 1 does not write, {what}", card.refuses(
            AUTHENTICATION_ERROR, "write_data_ex", c_uint8(mode), c_long(0), c_size_t(1), b"x", ctypes.c_int(mode)))


def use_transactions(judge, card, scheme, mode):
    """A value, records and a file with a backup, with transactions."""
    name = f"{scheme.name}, {MODES[mode]}"
    file = lambda kind: c_uint8(10 + 4 * mode + kind)
    numbers = [10 + 4 * mode + kind for kind in range(4)]
    card.ask(scheme.authenticate, c_uint8(0), scheme.keys[0])
    card.ask("create_backup_data_file", file(0), c_uint8(mode), c_uint16(0x0000), c_uint32(32))
    card.ask("create_value_file", file(1), c_uint8(mode), c_uint16(0x0000), c_int32(-50), c_int32(500), c_int32(100), c_uint8(0))
    card.ask("create_linear_record_file", file(2), c_uint8(mode), c_uint16(0x0000), c_uint32(13), c_uint32(3))
    card.ask("create_cyclic_record_file", file(3), c_uint8(mode), c_uint16(0x0000), c_uint32(13), c_uint32(3))
    card.write(numbers[0], 4, b"backup")
    judge.check(f"{name}: nothing is written before the commit", card.read(numbers[0], 4, 6) == bytes(6))
    card.ask("credit", file(1), c_int32(250))
    card.ask("debit", file(1), c_int32(120))
    for kind in (2, 3):
        card.ask("write_record", file(kind), c_long(0), c_size_t(13), b"first record.")
    card.ask("commit_transaction")
    judge.check(f"{name}: the file has its data", card.read(numbers[0], 4, 6) == b"backup")
    judge.check(f"{name}: the value is the sum", card.value(numbers[1]) == 230)
    for kind in (2, 3):
        card.ask("write_record", file(kind), c_long(0), c_size_t(13), b"second record")
        card.ask("commit_transaction")
        judge.check(f"{name}: two records, {'cyclic' if kind == 3 else 'linear'}", card.records(numbers[kind], 13) == [
            b"first record.", b"second record"])
    card.ask("credit", file(1), c_int32(5))
    card.ask("abort_transaction")
    judge.check(f"{name}: an aborted credit is nothing", card.value(numbers[1]) == 230)
    judge.check(f"{name}: the limit of the value", card.refuses(BOUNDARY_ERROR, "debit", file(1), c_int32(281)))


def remove(judge, card, number):
    card.ask("select_application", None)
    card.ask("authenticate", c_uint8(0), card.made("des_key_new", bytes(8)))
    card.ask("delete_application", card.application(number))
    judge.check("the application is deleted", card.refuses(NO_APPLICATION, "select_application", card.application(number)))


def finish(judge, card):
    card.ask("select_application", None)
    card.ask("authenticate", c_uint8(0), card.made("des_key_new", bytes(8)))
    card.ask("format_picc")
    found, count = ctypes.POINTER(c_void_p)(), c_size_t(9)
    card.ask("get_application_ids", byref(found), byref(count))
    judge.check("the card is formatted", count.value == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser)
    options = parser.parse_args()
    for tool in TOOLS:
        if not shutil.which(tool):
            missing(f"{tool} is missing (Debian: libfreefare-bin)")
    try:
        nfc = ctypes.CDLL("libnfc.so.6")
    except OSError as error:
        missing(f"libnfc is missing: {error}")
    source = opened(options)
    line = PN532(source)
    judge = Judge(line.name)
    judge.uid = source.uid
    use_tools(judge, source.uid)
    os.environ["LIBNFC_AUTO_SCAN"] = "false"
    context = c_void_p()
    nfc.nfc_init(byref(context))
    nfc.nfc_open.restype = c_void_p
    device = c_void_p(nfc.nfc_open(context, line.name.encode()))
    judge.check("libnfc opens the line", device.value is not None)
    card = Card(device, judge)
    for number, scheme in enumerate(schemes(card), start=1):
        set_up(judge, card, scheme, 0xF10000 + number)
        use_data(judge, card, scheme)
        for mode in MODES:
            use_transactions(judge, card, scheme, mode)
        # One application at a time: the four do not fit on the card.
        remove(judge, card, 0xF10000 + number)
    finish(judge, card)
    print(f"passed: {judge.steps} checks")


if __name__ == "__main__":
    main()
