#!/usr/bin/env python3
"""Runs python-desfire (github.com/waza-ari/python-desfire) against a virtual DESFire card as delivered.

    Tests/Foreign/python_desfire.py [--reader NAME | --command WORDS]

The card is in a PC/SC reader, "Virtual PCD 00 00" by default; or it is a program that takes a command APDU in hexadecimal on each line and
prints the response on a line.

The card must be blank: no applications, and DES of zeros as the card master key (nfcctl virtual-tag desfire-ev1-blank). Nothing is
fetched: without the module or the reader the script skips, with exit status 69. The module is found through PYTHONPATH.
"""

import argparse
import sys

from transports import add_options, missing, opened

ZERO = "00" * 16
MASTER_KEY = "101112131415161718191A1B1C1D1E1F"
FILE_KEY = "202122232425262728292A2B2C2D2E2F"
APPLICATION = "DEAFFE"

try:
    from desfire import DESFire, DESFireKey
    from desfire.devices.base import Device
    from desfire.enums import DESFireCommunicationMode, DESFireFileType, DESFireKeySettings, DESFireKeyType
    from desfire.exceptions import DESFireCommunicationError
    from desfire.schemas import FilePermissions, FileSettings, KeySettings
except ImportError as error:
    missing(f"python-desfire is not installed ({error})")


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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser)
    source = opened(parser.parse_args())
    card = DESFire(Wrapped(lambda apdu: list(source.transmit(apdu))))
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
