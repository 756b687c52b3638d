"""The programs under test: an unmodified pcscd with libccid that sees the virtual bus, and nfcd, which needs no part of it."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import daemon
import wire

PATIENCE = 30
DRIVERS = pathlib.Path("/usr/lib/pcsc/drivers")
BUNDLE = "ifd-ccid.bundle"
PRELOADED = "libumockdev-preload.so.0"
SOCKET = pathlib.Path("/run/pcscd/pcscd.comm")


def drivers_that_permit_escape(folder):
    """A copy of libccid's bundle whose configuration permits escape commands (bit 0 of ifdDriverOptions)."""
    copy = pathlib.Path(folder) / "drivers"
    shutil.copytree(DRIVERS / BUNDLE, copy / BUNDLE, symlinks=False)
    settings = copy / BUNDLE / "Contents/Info.plist"
    text, count = re.subn(r"(<key>ifdDriverOptions</key>\s*<string>)0x0000", r"\g<1>0x0001", settings.read_text())
    if count != 1:
        sys.exit(f"usb: {settings} has no ifdDriverOptions")
    settings.write_text(text)
    return copy


class PCSCD:
    """pcscd, which is started again when it ends, as systemd does; its messages go to a file.

    libccid 1.6 ends it now and then when a reader with several slots is unplugged: an assertion of libusb fails, as the thread that
    waits for all slots submits a transfer to a device that is closed.
    """

    COMMAND = ["pcscd", "--foreground", "--disable-polkit", "--info"]

    def __init__(self, bus, log, drivers=None):
        self.environment = {**os.environ, **bus.environment(), "LD_PRELOAD": PRELOADED}
        if drivers:
            self.environment["PCSCLITE_HP_DROPDIR"] = str(drivers)
        self.log, self.is_wanted = log, True
        # How often it ended without being asked to.
        self.crashes = 0
        self.process = self.start()
        self.keeper = threading.Thread(target=self.keep, daemon=True)
        self.keeper.start()

    def start(self):
        for left in SOCKET.parent.glob("*"):
            left.unlink()
        with open(self.log, "ab") as messages:
            process = subprocess.Popen(self.COMMAND, env=self.environment, stdout=messages, stderr=messages)
        deadline = time.monotonic() + PATIENCE
        while not SOCKET.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"usb: pcscd did not start:\n{pathlib.Path(self.log).read_text(errors='replace')}")
            time.sleep(0.05)
        return process

    def keep(self):
        while True:
            self.process.wait()
            if not self.is_wanted:
                return
            self.crashes += 1
            self.process = self.start()

    def stop(self):
        self.is_wanted = False
        self.process.terminate()
        self.keeper.join(PATIENCE)


@contextlib.contextmanager
def pcscd(bus, log, drivers=None):
    """Runs pcscd."""
    running = PCSCD(bus, log, drivers)
    try:
        yield running
    finally:
        running.stop()


@contextlib.contextmanager
def nfcd(program, folder, options=()):
    """Runs nfcd as the user that this program has."""
    running = daemon.Daemon(str(program), folder, options)
    try:
        yield running
    finally:
        running.stop()


def client(running):
    return wire.Client(running.socket, PATIENCE)
