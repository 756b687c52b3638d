"""Measures what nfcd-fido adds to a getAssertion, the gaps between keep-alives, and its memory. See Scripts/benchmarks/bench-fido."""

import argparse
import contextlib
import hashlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "Scripts/lib")]
from fido2.ctap2 import Ctap2  # noqa: E402
from fido2.hid import CtapHidDevice  # noqa: E402
from fido2.pcsc import CtapPcscDevice  # noqa: E402

from figures import Figure, report  # noqa: E402
from pcscd import enter_namespaces, private_pcscd  # noqa: E402
from world import until, world  # noqa: E402

ADDED_MS, MEMORY_MIB, GAP_MS = 5, 12, 100
ROUNDS = 300
# How often the slow card asks for time, and how many processes compute beside it for each processor.
WAITS, BUSY = 100, 4
KEEP_ALIVE = 0xBB
PARTY = "login.example"


class Key:
    """A security key as python-fido2 uses it, with a credential."""

    def __init__(self, device):
        self.ctap = Ctap2(device)
        made = self.ctap.make_credential(
            bytes(32), {"id": PARTY}, {"id": b"u", "name": "u"}, [{"type": "public-key", "alg": -7}])
        self.allowed = [{"type": "public-key", "id": made.auth_data.credential_data.credential_id}]

    def milliseconds(self):
        hash_ = hashlib.sha256(os.urandom(8)).digest()
        began = time.perf_counter()
        self.ctap.get_assertion(PARTY, hash_, self.allowed)
        return (time.perf_counter() - began) * 1000


@contextlib.contextmanager
def busy_machine():
    """Keeps every processor busy. The threads of this process go first, so that their own delays are not measured."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY * os.cpu_count())]
    threads = [int(entry.name) for entry in pathlib.Path("/proc/self/task").iterdir()]
    for thread in threads:
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(10))
    try:
        yield
    finally:
        for thread in threads:
            os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
        for process in busy:
            process.kill()
            process.wait()


class Moments:
    """When the keep-alives of a request came, beside its begin and its end."""

    def __init__(self, device):
        self.node, self.moments = device.open(), []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError):
            while True:
                report = self.node.read_packet()
                if report[4] == KEEP_ALIVE:
                    self.moments.append(time.monotonic())

    def gaps(self, action):
        """The milliseconds between the request, its keep-alives and its answer."""
        self.moments = [time.monotonic()]
        action()
        moments = [*self.moments, time.monotonic()]
        return [(after - before) * 1000 for before, after in zip(moments, moments[1:])]


def gaps(programs, folder):
    """The longest times without a keep-alive of a card that computes for a long time: on a quiet and on a busy machine."""
    with world(programs, folder, '[key]\nreaders = ["virtual-pcd-0"]\n', level="debug") as here:
        before = here.threads()
        card = here.card(0, "--several-operations", "--waits", str(WAITS))
        device = here.kernel.wait()[0]
        # The thread that writes reports, which came with the device, has this nice value where it runs as its unit.
        for thread in here.threads() - before:
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, thread, -10)
        node = device.open()
        key = Key(CtapHidDevice(node.descriptor(), node))
        moments = Moments(device)
        quiet = moments.gaps(key.milliseconds)
        with busy_machine():
            busy = moments.gaps(key.milliseconds)
        card.process.terminate()
    return quiet, busy


def figures(programs):
    with tempfile.TemporaryDirectory() as folder:
        quiet, busy = gaps(programs, folder)
    yield Figure(f"longest of {len(quiet)} gaps between keep-alives", f"{max(quiet):.0f} ms", f"≤ {GAP_MS} ms", max(quiet) <= GAP_MS)
    yield Figure(
        f"longest of {len(busy)} gaps on a busy machine", f"{max(busy):.0f} ms", f"≤ {GAP_MS} ms", max(busy) <= GAP_MS)
    with tempfile.TemporaryDirectory() as folder, world(
            programs, folder, '[key]\nreaders = ["virtual-pcd-0"]\n', level="debug") as here:
        idle = here.private_kib(here.fido) / 1024
        cards = [here.card(slot, "--several-operations") for slot in (0, 1)]
        device = here.kernel.wait()[0]
        node = device.open()
        bridged = Key(CtapHidDevice(node.descriptor(), node))
        direct = Key(until(lambda: next(CtapPcscDevice.list_devices("00 01"), None), "no card at the second reader"))
        pairs = [(bridged.milliseconds(), direct.milliseconds()) for _ in range(ROUNDS)]
        added = statistics.median(mine - theirs for mine, theirs in pairs)
        memory = here.private_kib(here.fido) / 1024
        for card in cards:
            card.process.terminate()
    yield Figure("getAssertion through PC/SC alone, median", f"{statistics.median(b for _, b in pairs):.2f} ms")
    yield Figure("getAssertion through the HID device, median", f"{statistics.median(a for a, _ in pairs):.2f} ms")
    yield Figure("getAssertion: added by nfcd-fido and nfcd", f"{added:.2f} ms", f"≤ {ADDED_MS} ms", added <= ADDED_MS)
    yield Figure("private memory of nfcd-fido, idle", f"{idle:.1f} MiB")
    yield Figure(
        f"private memory of nfcd-fido after {ROUNDS} assertions", f"{memory:.1f} MiB", f"≤ {MEMORY_MIB} MiB",
        memory <= MEMORY_MIB)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--programs", required=True, help="the folder of nfcd, nfcd-fido and nfcctl")
    arguments = parser.parse_args()
    if not arguments.inside:
        enter_namespaces(__file__, sys.argv[1:])
    with private_pcscd():
        sys.exit(0 if report(figures(arguments.programs)) else 1)


if __name__ == "__main__":
    main()
