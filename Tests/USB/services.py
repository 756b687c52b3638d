"""The programs under test: an unmodified pcscd with libccid that sees the virtual bus, and nfcd, which needs no part of it."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
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


@contextlib.contextmanager
def pcscd(bus, log, drivers=None):
    """Runs pcscd; its messages go to a file."""
    environment = {**os.environ, **bus.environment(), "LD_PRELOAD": PRELOADED}
    if drivers:
        environment["PCSCLITE_HP_DROPDIR"] = str(drivers)
    with open(log, "wb") as messages:
        command = ["pcscd", "--foreground", "--disable-polkit", "--info"]
        process = subprocess.Popen(command, env=environment, stdout=messages, stderr=messages)
        try:
            deadline = time.monotonic() + PATIENCE
            while not SOCKET.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"usb: pcscd did not start:\n{pathlib.Path(log).read_text(errors='replace')}")
                time.sleep(0.05)
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)
            SOCKET.unlink(missing_ok=True)


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
