"""Virtual security keys in the virtual machine, and the nodes that nfcd-fido makes for them."""

import contextlib
import json
import pathlib
import signal
import subprocess
import time

PATIENCE = 90
CONFIGURATION = pathlib.Path("/etc/nfcd/fido.d/vm.toml")


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


def nodes():
    """The devices that fido2-token lists."""
    return [line.split(": ", 1)[0] for line in run("fido2-token", "-L").splitlines()]


def node():
    """The one device, once it is there."""
    return until(lambda: (nodes() or [None])[0], "no security key appears")


class Card:
    """A virtual security key on a reader of vpcd."""

    def __init__(self, *options, slot=0, restarts=True):
        self.restarts = restarts
        # The connection of nfcd-fido keeps nfcd running, and that of nfcd pcscd, which makes vpcd listen.
        until(lambda: "Virtual PCD" in run("nfcctl", "readers"), "no virtual reader")
        self.process = subprocess.Popen(
            ["nfcctl", "virtual-tag", "fido2", "--json", "--vpcd", f"127.0.0.1:{35963 + slot}", *options],
            stdout=subprocess.PIPE, text=True)
        self.expect("presented")

    @classmethod
    def slow(cls, card):
        """Another card in place of one, which asks for time for 5 s."""
        card.__exit__()
        return cls("--several-operations", "--waits", "50", "--aaguid", "ff" * 16)

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
        # A card of the same model would be taken for this one in the linger.
        if self.restarts:
            subprocess.run(["systemctl", "restart", "nfcd-fido.service"], check=True)


@contextlib.contextmanager
def use(configuration):
    """Runs nfcd-fido with a configuration."""
    CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
    CONFIGURATION.write_text(configuration)
    subprocess.run(["systemctl", "restart", "nfcd-fido.service"], check=True)
    try:
        yield
    finally:
        CONFIGURATION.unlink()
        subprocess.run(["systemctl", "restart", "nfcd-fido.service"], check=True)
