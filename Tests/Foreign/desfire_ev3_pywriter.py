#!/usr/bin/env python3
"""Has a foreign program set up a virtual DESFire EV3: desfire-ev3-pywriter (github.com/fabian-kapko/desfire-ev3-pywriter, MIT).

    Tests/Foreign/desfire_ev3_pywriter.py --module FOLDER [--reader NAME | --command WORDS]

FOLDER is a copy of desfire-ev3-pywriter; $DESFIRE_EV3_PYWRITER is the default. Its programs provison.py and factory_reset.py run as they
are: DES authentication, an application, EV2 authentication, ChangeKey, files in all three modes, and FormatPICC. What they do by the
binary desfsh is left out.
The card is in a PC/SC reader, "Virtual PCD 00 00" by default, as behind `nfcctl virtual-tag desfire-ev3-blank --vpcd 127.0.0.1:35963`; or it
is a program that takes a command APDU in hexadecimal on each line and prints the response on a line. It must be blank, and is at the end.

Nothing is fetched. Exit codes: 0 passed, 1 failed, 69 something is missing.
"""
import argparse
import contextlib
import importlib.util
import io
import os
import runpy
import sys
import traceback
import types

from checks import Checks
from transports import add_options, missing, opened

FACTORY = "0000000000000000"
FIRST, SECOND = "DE:B1:70", "DE:B1:71"
KEY = "9D3C5A7E10F2486BB1C4D5E6F7081929"
OTHER = "1122334455667788991A2B3C4D5E6F70"
DATA_KEY = "2B7E151628AED2A6ABF7158809CF4F3C"


class Connection:
    """A connection as the foreign programs use it; every connection is to the one card."""

    def __init__(self, exchange):
        self.exchange = exchange

    def connect(self):
        pass

    def disconnect(self):
        pass

    def transmit(self, apdu):
        answer = self.exchange(bytes(apdu))
        return list(answer[:-2]), answer[-2], answer[-1]


class Slot:
    """The programs look for a reader whose name has this word."""

    def __init__(self, exchange):
        self.exchange = exchange

    def __str__(self):
        return "Contactless"

    def createConnection(self):
        return Connection(self.exchange)


def replace_smartcard(exchange):
    """The programs see one reader, with the card."""
    package, system, util = (types.ModuleType(name) for name in ("smartcard", "smartcard.System", "smartcard.util"))
    system.readers = lambda: [Slot(exchange)]
    util.toHexString = lambda values: " ".join(f"{value:02X}" for value in values)
    for module in (package, system, util):
        sys.modules[module.__name__] = module


class Judge(Checks):
    """Runs the foreign programs and counts what they say."""

    def __init__(self, folder):
        self.folder = folder
        super().__init__()

    def run(self, program, *arguments):
        """Its output, and what it has defined; nothing of the latter where it ended with an error."""
        output, names, saved = io.StringIO(), None, sys.argv
        sys.argv = [program, *arguments]
        try:
            with contextlib.redirect_stdout(output):
                names = runpy.run_path(os.path.join(self.folder, program))
        except SystemExit as end:
            print(f"ended: {end}", file=output)
        except Exception:
            print(traceback.format_exc(), file=output)
        finally:
            sys.argv = saved
        return output.getvalue(), names

    def provision(self, application, key, mode, text, *arguments):
        """The card is set up and read back by the program; gives its functions."""
        output, names = self.run(
            "provison.py", "--picc-key", FACTORY, "--app-id", application, "--app-key", key, "--comm-mode", mode, "--data", text,
            "--skip-aid-enum", *arguments)
        self.check(f"{mode}: set up with {len(text)} characters", names is not None, output)
        self.check(f"{mode}: every MAC of the card is right", "mismatch" not in output, output)
        self.check(f"{mode}: the text is read back", f"Verified: '{text}'" in output, output)
        return names

    def reset(self):
        output, names = self.run("factory_reset.py", "--picc-key", FACTORY)
        self.check("the card is formatted and as delivered", names is not None and "factory fresh" in output, output)
        self.check("no application is left", "Remaining" not in output, output)


def raised(action):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            action()
    except Exception as error:
        return str(error)
    return ""


def quietly(action):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        result = action()
    # The program continues after a wrong MAC of a write, and only says so.
    if "mismatch" in output.getvalue():
        raise ValueError(output.getvalue())
    return result


def use(judge, card):
    """More with the functions of the program: wrong keys, counters, a second change of the key, rights."""
    judge.check("a wrong key is refused", "91 AE" in raised(lambda: card["auth_ev2_first"](bytes.fromhex(OTHER))))
    judge.check("nothing is read without a proof", "91 AE" in raised(
        lambda: card["ev2_read_data_plain"](types.SimpleNamespace(increment=lambda: None), 1, 4)))
    session = quietly(lambda: card["auth_ev2_first"](bytes.fromhex(KEY)))
    for turn in range(5):
        text = bytes([0x41 + turn]) * 24
        quietly(lambda: card["ev2_write_data_full"](session, 1, text))
        read = quietly(lambda: card["ev2_read_data_full"](session, 1, 24))
        judge.check(f"written and read in one session, counter {session.cmd_ctr}", read == text)
    quietly(lambda: card["ev2_create_std_file"](session, 2, 1, b"\x00\x00", 32))
    judge.check("a second file has the mode MAC", quietly(lambda: card["ev2_read_data_mac"](session, 2, 32)) == bytes(32))
    session.cmd_ctr += 1
    judge.check("a wrong counter is refused", "91 1E" in raised(lambda: card["ev2_read_data_mac"](session, 2, 4)))
    session = quietly(lambda: card["auth_ev2_first"](bytes.fromhex(KEY)))
    quietly(lambda: card["ev2_change_key"](session, 0, bytes.fromhex(OTHER), 2))
    judge.check("the old key is refused", "91 AE" in raised(lambda: card["auth_ev2_first"](bytes.fromhex(KEY))))
    session = quietly(lambda: card["auth_ev2_first"](bytes.fromhex(OTHER)))
    judge.check("the text is there with the new key", quietly(lambda: card["ev2_read_data_full"](session, 1, 24)) == b"E" * 24)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", default=os.environ.get("DESFIRE_EV3_PYWRITER"))
    add_options(parser)
    options = parser.parse_args()
    if not options.module or not os.path.isfile(os.path.join(options.module, "provison.py")):
        missing("desfire-ev3-pywriter is missing; give its folder with --module or $DESFIRE_EV3_PYWRITER")
    if not importlib.util.find_spec("Crypto"):
        missing("Python's Crypto module is missing (PyPI pycryptodome)")
    replace_smartcard(opened(options).transmit)
    judge = Judge(options.module)
    card = judge.provision(FIRST, KEY, "full", "a text of 24 characters.")
    use(judge, card)
    output, names = judge.run(
        "provison.py", "--picc-key", FACTORY, "--app-id", FIRST, "--app-key", KEY, "--data", "x", "--skip-aid-enum")
    judge.check("an application is created once", names is None and "already exists" in output, output)
    judge.provision(SECOND, OTHER, "mac", "also protected")
    judge.reset()
    judge.provision(FIRST, KEY, "plain", "encrypted by the program", "--data-key", DATA_KEY)
    judge.provision(SECOND, OTHER, "full", "x" * 47)
    output, names = judge.run("factory_reset.py", "--picc-key", OTHER[:16])
    judge.check("a wrong card master key is refused", names is None and "Provided PICC key failed" in output, output)
    judge.reset()
    print(f"passed: {judge.steps} checks")


if __name__ == "__main__":
    main()
