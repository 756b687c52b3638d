#!/usr/bin/env python3
"""Runs python-desfire (github.com/waza-ari/python-desfire) against a virtual DESFire card as delivered.

    python_desfire.py [--reader NAME]     over pyscard, by default the reader "Virtual PCD 00 00"
    python_desfire.py --lines COMMAND...  a program that answers APDUs in hexadecimal, one a line

The card must be blank: no applications, and DES of zeros as the card master key (nfcctl virtual-tag desfire-ev1-blank). Nothing is
fetched: without the module or the reader the script skips, with exit status 77. The module is found through PYTHONPATH.
"""

import subprocess
import sys

SKIPPED = 77
ZERO = "00" * 16
MASTER_KEY = "101112131415161718191A1B1C1D1E1F"
FILE_KEY = "202122232425262728292A2B2C2D2E2F"
APPLICATION = "DEAFFE"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


try:
    from desfire import DESFire, DESFireKey
    from desfire.devices.base import Device
    from desfire.enums import DESFireCommunicationMode, DESFireFileType, DESFireKeySettings, DESFireKeyType
    from desfire.exceptions import DESFireCommunicationError
    from desfire.schemas import FilePermissions, FileSettings, KeySettings
except ImportError as error:
    skip(f"python-desfire is not installed ({error})")


def reader_exchange(name):
    """A function that sends an APDU to the card in a reader."""
    try:
        from smartcard.System import readers
    except ImportError:
        skip("pyscard is not installed")
    try:
        found = [reader for reader in readers() if name in str(reader)]
    except Exception as error:
        skip(f"PC/SC is not available ({error})")
    if not found:
        skip(f"there is no reader {name!r}")
    connection = found[0].createConnection()
    connection.connect()

    def exchange(apdu):
        data, sw1, sw2 = connection.transmit(apdu)
        return data + [sw1, sw2]

    return exchange


def line_exchange(command):
    """A function that sends an APDU to a program."""
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def exchange(apdu):
        program.stdin.write(bytes(apdu).hex() + "\n")
        program.stdin.flush()
        return list(bytes.fromhex(program.stdout.readline()))

    return exchange


class Wrapped(Device):
    """Wraps native frames into APDUs of class 90, as readers need them."""

    def __init__(self, exchange):
        self.exchange = exchange

    def transceive(self, frame):
        frame = list(frame)
        data = [len(frame) - 1] + frame[1:] if len(frame) > 1 else []
        answer = self.exchange([0x90, frame[0], 0x00, 0x00] + data + [0x00])
        if len(answer) < 2 or answer[-2] != 0x91:
            raise AssertionError(f"unexpected answer {bytes(answer).hex()}")
        return [answer[-1]] + answer[:-2]


def settings(*names):
    return KeySettings(settings=list(names), key_type=DESFireKeyType.DF_KEY_AES)


ALL = settings(
    DESFireKeySettings.KS_ALLOW_CHANGE_MK,
    DESFireKeySettings.KS_LISTING_WITHOUT_MK,
    DESFireKeySettings.KS_CREATE_DELETE_WITHOUT_MK,
    DESFireKeySettings.KS_CONFIGURATION_CHANGEABLE,
)


def aes(value):
    return DESFireKey(ALL, value)


def check(name, condition):
    if not condition:
        print(f"FAILED: {name}")
        sys.exit(1)
    print(f"ok: {name}")


def refused(action):
    try:
        action()
    except DESFireCommunicationError:
        return True
    return False


def set_up(card):
    """The card master key becomes an AES key; an application with three AES keys."""
    card.authenticate(0, DESFireKey(card.get_key_setting(), "00" * 8))
    uid = card.get_real_uid()
    check("DES authentication and the encrypted UID", len(uid) == 7)
    card.change_default_key(aes(ZERO), 0x00)
    check("the default key of new applications", True)
    card.create_application(APPLICATION, ALL, 3)
    check("application created", card.get_application_ids() == [list(bytes.fromhex(APPLICATION))])
    card.select_application(APPLICATION)
    check("key settings of the application", card.get_key_setting().key_type == DESFireKeyType.DF_KEY_AES)
    return uid


def change_keys(card):
    card.authenticate(0, aes(ZERO))
    card.change_key(0, aes(ZERO), aes(MASTER_KEY), 0x11)
    check("a wrong key is refused", refused(lambda: card.authenticate(0, aes(ZERO))))
    card.authenticate(0, aes(MASTER_KEY))
    check("version of the changed key", card.get_key_version(0) in (0x11, [0x11]))
    card.change_key(1, aes(ZERO), aes(FILE_KEY), 0x22)
    check("another key changed", card.get_key_version(1) in (0x22, [0x22]))


def use_file(card, number, mode, uid):
    """A file that key 1 reads and writes."""
    card.authenticate(0, aes(MASTER_KEY))
    wanted = FileSettings(
        file_size=32, encryption=mode, file_type=DESFireFileType.MDFT_STANDARD_DATA_FILE,
        permissions=FilePermissions(read_key=1, write_key=1, read_write_key=0, change_key=0))
    card.create_standard_file(number, wanted)
    found = card.get_file_settings(number)
    check(f"{mode.name}: file settings", found.file_size == 32 and found.encryption == mode)
    card.authenticate(1, aes(FILE_KEY))
    # The library takes other bytes of the CMAC than the card where it appends one to a command.
    if mode != DESFireCommunicationMode.CMAC:
        data = [0] + uid + list(range(1, 25))
        card.write_file_data(number, 0, mode, list(data))
        check(f"{mode.name}: written and read", card.read_file_data(number, found) == data)
    else:
        check(f"{mode.name}: read", card.read_file_data(number, found) == [0] * 32)
    check(f"{mode.name}: the session continues", card.get_key_version(1) in (0x22, [0x22]))


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--lines"]:
        exchange = line_exchange(arguments[1:])
    else:
        exchange = reader_exchange(arguments[1] if arguments[:1] == ["--reader"] else "Virtual PCD 00 00")
    card = DESFire(Wrapped(exchange))
    check("version", card.get_card_version() is not None)
    uid = set_up(card)
    change_keys(card)
    modes = (DESFireCommunicationMode.ENCRYPTED, DESFireCommunicationMode.CMAC)
    for number, mode in enumerate(modes, start=1):
        use_file(card, number, mode, uid)
    check("the files are listed", card.get_file_ids() == [1, 2])
    card.select_application("000000")
    card.authenticate(0, DESFireKey(card.get_key_setting(), "00" * 8))
    card.delete_application(APPLICATION)
    check("application deleted", card.get_application_ids() == [])
    print("python-desfire: all passed")


main()
