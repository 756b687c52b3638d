"""Where the card of these scripts is: in a PC/SC reader, or behind a program with a line for each command."""
import functools
import shlex
import subprocess
import sys

# The exit status where something is missing.
SKIPPED = 69


def missing(what):
    print(f"skipped: {what}")
    sys.exit(SKIPPED)


def add_options(parser):
    """The options that name the card."""
    parser.add_argument("--reader", default="Virtual PCD 00 00")
    parser.add_argument("--command")


def opened(options):
    """The card that the options name."""
    return Program(options.command) if options.command else Reader(options.reader)


class Reader:
    """A card in a PC/SC reader."""

    def __init__(self, name):
        try:
            from smartcard.System import readers
            from smartcard.scard import SCARD_UNPOWER_CARD
        except ImportError:
            missing("Python's smartcard module is missing (Debian: python3-pyscard)")
        try:
            found = [reader for reader in readers() if name in str(reader)]
        except Exception as error:
            missing(f"there is no PC/SC service: {error}")
        if not found:
            missing(f'there is no reader "{name}"')
        self._connection = found[0].createConnection()
        self._connect = lambda: self._connection.connect(disposition=SCARD_UNPOWER_CARD)
        self._connect()

    @functools.cached_property
    def uid(self):
        return self.transmit(bytes.fromhex("FFCA000000"))[:-2]

    def transmit(self, apdu):
        """The response to a command APDU, with the status word."""
        data, first, second = self._connection.transmit(list(apdu))
        return bytes(data) + bytes([first, second])

    def reset(self):
        """Powers the card off and on."""
        self._connection.disconnect()
        self._connect()


class Program:
    """A card behind a program that takes a command APDU in hexadecimal on each line and prints the response on a line, and powers the
    card off and on for "reset"."""

    uid = bytes.fromhex("04444501185A80")

    def __init__(self, command):
        self._process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, line):
        print(line, file=self._process.stdin, flush=True)
        return bytes.fromhex(self._process.stdout.readline().strip())

    def transmit(self, apdu):
        """The response to a command APDU, with the status word."""
        return self._ask(bytes(apdu).hex())

    def reset(self):
        """Powers the card off and on."""
        self._ask("reset")
