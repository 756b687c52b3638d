"""Steps of the checks in a virtual machine: programs, conditions, virtual tags, and a person who follows a guide."""

import json
import pathlib
import signal
import subprocess
import sys
import time

from terminal import typed
from wire import Wire

FOLDER = pathlib.Path("/opt/vm-test")
sys.path.insert(0, str(FOLDER / "Scripts/lib"))
import printed  # noqa: E402

PATIENCE = 90
WORK = pathlib.Path.home() / "vm"
# Scripts/systems/vm-test makes this user, who may use sudo and the readers.
MEMBER, PASSWORD = "member", "a password"
ASKS_PASSWORD = (f"password for {MEMBER}", PASSWORD)
# All checks, in the order in which they are defined.
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def until(condition, otherwise, patience=PATIENCE):
    """Waits for a condition, and returns what it returns."""
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        time.sleep(0.2)


def run(*command, patience=180):
    """What a command prints; an error where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def follow(page, beginning, *answers, replacing=()):
    """Types a block of a page as the member, who answers what is asked; what it printed."""
    block = printed.commands(page, beginning, replacing)
    return typed(["runuser", "--login", MEMBER, "--session-command", f"set -eu; cd {FOLDER}\n{block}"], answers)


class Tag:
    """A virtual tag on a reader of vpcd. With `is_wired`, `wire` counts what reaches it."""

    def __init__(self, model, *options, slot=0, is_wired=False):
        # A client keeps nfcd running, and nfcd pcscd, which makes vpcd listen.
        until(lambda: "Virtual PCD" in run("nfcctl", "readers"), "no virtual reader")
        address = f"127.0.0.1:{35963 + slot}"
        self.wire = Wire(address) if is_wired else None
        self.process = subprocess.Popen(
            ["nfcctl", "virtual-tag", model, "--json", "--vpcd", self.wire.address if is_wired else address, *options],
            stdout=subprocess.PIPE, text=True)
        self.expect("presented")

    def expect(self, event):
        line = self.process.stdout.readline()
        if not line or json.loads(line)["event"] != event:
            raise AssertionError(f"nfcctl virtual-tag printed {line!r} instead of {event}")

    def lift(self):
        self.process.send_signal(signal.SIGUSR1)
        self.expect("lifted")
        # pcscd looks for a card every 0.4 s.
        time.sleep(1.5)

    def put(self):
        self.process.send_signal(signal.SIGUSR1)
        self.expect("presented")
        time.sleep(1.5)

    def again(self):
        self.lift()
        self.put()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)
            time.sleep(1.5)
