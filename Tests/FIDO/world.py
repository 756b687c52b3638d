"""The programs of a check: a private pcscd with vpcd, nfcd, nfcd-fido, and virtual security keys."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from standin import Kernel

PATIENCE = 60
SERVICE_USER = "nobody"
SLOTS = ("127.0.0.1:35963", "127.0.0.1:35964")


def until(condition, otherwise, patience=PATIENCE):
    """Waits for a condition, and returns what it returns."""
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        time.sleep(0.02)


class Card:
    """A virtual security key; its credentials last until it is thrown away."""

    def __init__(self, world, slot=0, *options, vpcd=None):
        self.world, self.reader = world, f"virtual-pcd-{slot}"
        self.process = subprocess.Popen(
            [world.programs / "nfcctl", "virtual-tag", "fido2", "--json", "--vpcd", vpcd or SLOTS[slot], *options],
            stdout=subprocess.PIPE, text=True)
        self.noticed("tagArrived", lambda: self.expect("presented"))

    def expect(self, event):
        line = self.process.stdout.readline()
        if not line or json.loads(line)["event"] != event:
            raise AssertionError(f"nfcctl virtual-tag printed {line!r} instead of {event}")

    def noticed(self, event, action):
        """Does something, until nfcd has noticed it."""
        pattern = re.compile(rf"{event}\(.*{self.reader}\b")
        before = len(pattern.findall(self.world.log("nfcd")))
        action()
        until(lambda: len(pattern.findall(self.world.log("nfcd"))) > before, f"nfcd does not notice {event}")

    def gesture(self, event):
        self.process.send_signal(signal.SIGUSR1)
        self.expect(event)

    def lift(self):
        self.noticed("tagLeft", lambda: self.gesture("lifted"))

    def put(self):
        self.noticed("tagArrived", lambda: self.gesture("presented"))

    def again(self):
        self.lift()
        self.put()

    def throw_away(self):
        self.noticed("tagLeft", self.process.terminate)
        self.process.wait(PATIENCE)


class World:
    """The programs, with their logs in files."""

    def __init__(self, programs, folder):
        self.programs, self.folder = pathlib.Path(programs), pathlib.Path(folder)
        self.socket = self.folder / "nfcd.sock"
        self.kernel = Kernel(str(self.folder / "uhid.sock"))
        self.processes, self.cards = [], []

    def start(self, configuration="", level="trace"):
        (self.folder / "fido.toml").write_text(configuration, encoding="utf-8")
        # The service has its own user, with the rights that nfcd gives it and no others.
        self.folder.chmod(0o755)
        (self.folder / "uhid.sock").chmod(0o666)
        (self.folder / "nfcd.toml").write_text(f'[fido]\nuser = "{SERVICE_USER}"\n', encoding="utf-8")
        self.nfcd = self.run(
            "nfcd", ["--socket", self.socket, "--config", self.folder / "nfcd.toml", "--log-level", level])
        # By then it has set the mode of its socket.
        until(lambda: "listening on" in self.log("nfcd"), "nfcd does not listen")
        self.socket.chmod(0o666)
        self.run_service(level)
        self.run("nfcctl", ["monitor", "--socket", self.socket])

    def monitored(self):
        """What nfcctl monitor has printed."""
        return self.log("nfcctl")

    def run_service(self, level="trace"):
        before = self.log("nfcd-fido").count("waiting for security keys") if self.log_file("nfcd-fido").exists() else 0
        self.fido = self.run("nfcd-fido", [
            "--config", self.folder / "fido.toml", "--socket", self.socket, "--uhid", self.folder / "uhid.sock",
            "--log-level", level], user=SERVICE_USER)
        until(lambda: self.log("nfcd-fido").count("waiting for security keys") > before, "nfcd-fido does not connect")

    def restart_service(self, configuration=""):
        self.end(self.fido)
        (self.folder / "fido.toml").write_text(configuration, encoding="utf-8")
        self.run_service()

    def run(self, name, options, user=None):
        with open(self.log_file(name), "ab") as log:
            process = subprocess.Popen(
                [self.programs / name, *options], stdout=log, stderr=log,
                **({"user": user, "group": "nogroup", "extra_groups": []} if user else {}))
        self.processes.append(process)
        return process

    def log_file(self, name):
        return self.folder / f"{name}.log"

    def log(self, name):
        return self.log_file(name).read_text(encoding="utf-8", errors="replace")

    def arrived(self, slot):
        """Whether a card lies on a reader, as far as nfcd knows."""
        events = re.findall(rf"(tagArrived|tagLeft)\(.*virtual-pcd-{slot}\b", self.log("nfcd"))
        return bool(events) and events[-1] == "tagArrived"

    def card(self, slot=0, *options, **more):
        card = Card(self, slot, *options, **more)
        self.cards.append(card)
        return card

    def ctl(self, *words, patience=PATIENCE):
        return subprocess.run(
            [self.programs / "nfcctl", *words, "--socket", self.socket], capture_output=True, text=True,
            timeout=patience, check=False)

    def end(self, process):
        process.terminate()
        process.wait(PATIENCE)
        self.processes.remove(process)

    def stop(self):
        for card in self.cards:
            if card.process.poll() is None:
                with contextlib.suppress(AssertionError):
                    card.throw_away()
        for process in reversed(list(self.processes)):
            self.end(process)

    def threads(self):
        """The threads of nfcd-fido."""
        return {int(task.name) for task in pathlib.Path(f"/proc/{self.fido.pid}/task").iterdir()}

    def private_kib(self, process):
        """The memory that the process shares with no other."""
        lines = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


@contextlib.contextmanager
def world(programs, folder, configuration="", level="trace"):
    here = World(programs, folder)
    try:
        here.start(configuration, level)
        yield here
    finally:
        here.stop()


def repeatedly(action, count):
    """Runs an action on several threads; raises the first error."""
    errors = []

    def run():
        try:
            action()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


os.environ.setdefault("PYTHONUNBUFFERED", "1")
