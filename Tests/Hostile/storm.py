"""All floods at once beside 20 neighbours: what the neighbours notice, and what nfcd's memory does."""

import pathlib
import subprocess
import sys
import time

from figures import Figure
from floods import FLOODS, flood
from wire import FORK, Worker

NEIGHBOURS = 20
# Of the simulated readers, those of the neighbours come first.
READERS = NEIGHBOURS + 4
# Users without an account: the neighbours', and the attacker's.
NEIGHBOUR, ATTACKER = 54_001, 54_002
EXTRA_MS, MOST_MIB, GROWTH_MIB, END_S = 50, 128, 4, 5
# What a debug build, whose memory is not laid out for size, may keep in the short form.
DEBUG_GROWTH_MIB = 12
# The time for memory to be returned, and for nfcd to end before it is killed.
SETTLE_S = PATIENCE_S = 20


def resident_mib(process):
    """The memory of a process that is in use (proc(5), VmRSS)."""
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def harm(what, times, memory, is_short, growth):
    """The figures of what others noticed: their times in milliseconds without and with an attack, and nfcd's memory in MiB
    before it, at most, and after it."""
    quiet, noisy = (percentile(values, 0.99) for values in times)
    before, most, after = memory
    extra, kept = noisy - quiet, after - before
    yield Figure(
        f"{what}: p99 of others, over {quiet:.1f} ms", f"{extra:+.1f} ms ({noisy:.1f})",
        "" if is_short else f"≤ {EXTRA_MS} ms", is_short or extra <= EXTRA_MS)
    yield Figure(f"{what}: most memory, from {before:.0f} MiB", f"{most:.0f} MiB", f"≤ {MOST_MIB} MiB", most <= MOST_MIB)
    yield Figure(f"{what}: memory kept", f"{kept:+.1f} MiB", f"≤ {growth} MiB", kept <= growth)


class Storm:
    """The floods, each in its own process."""

    def __init__(self, daemon, names, seconds, user):
        # They give way to nfcd and the neighbours: what is measured is nfcd, not how the kernel shares two processors.
        self.workers = [
            Worker(flood, name, daemon.socket, seconds, NEIGHBOURS, user=user, niceness=10) for name in names]
        self.patience = seconds + 60

    def wait(self):
        for worker in self.workers:
            worker.wait(self.patience)

    def stop(self):
        for worker in self.workers:
            worker.stop()


class Watch:
    """Waits for workers, and keeps the most memory that nfcd had meanwhile."""

    def __init__(self, daemon):
        self.process = daemon.process.pid
        self.most = 0.0

    def until(self, workers):
        while any(worker.process.is_alive() and not worker.result.poll() for worker in workers):
            self.most = max(self.most, resident_mib(self.process))
            time.sleep(0.05)

    def settled(self, limit):
        """The memory once it is within a limit, or does not get there."""
        end = time.monotonic() + SETTLE_S
        while resident_mib(self.process) > limit and time.monotonic() < end:
            time.sleep(0.2)
        return resident_mib(self.process)


def beside(daemon, names, seconds, neighbour, attacker, neighbours):
    """What neighbours notice of floods, after as long a time without: (quiet, stormy, memory before, most, after)."""
    def run(duration, connected=None):
        return Worker(neighbours, daemon.socket, NEIGHBOURS, duration, connected, user=neighbour, measures=True)

    run(2).wait(120)  # so that what is loaded once counts as before
    quiet = run(seconds).wait(seconds + 60)
    watch = Watch(daemon)
    before = resident_mib(watch.process)
    # Before the storm takes all connections of a user, which may be theirs.
    connected = FORK.Event()
    stormy = run(seconds, connected)
    connected.wait(PATIENCE_S)
    storm = Storm(daemon, names, seconds + 2, attacker)
    watch.until([stormy, *storm.workers])
    result = stormy.wait(seconds + 60)
    storm.wait()
    return quiet, result, before, watch.most, watch.settled(before + GROWTH_MIB)


def end(daemon):
    """Ends an nfcd, also one that does not obey; how many seconds that takes."""
    began = time.monotonic()
    daemon.process.terminate()
    try:
        daemon.process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        print(f"attack: nfcd did not end in {PATIENCE_S} s after SIGTERM", file=sys.stderr)
        daemon.process.kill()
        daemon.process.wait()
    return time.monotonic() - began


def end_in_storm(daemon, user):
    """The seconds that nfcd takes to end after SIGTERM in the middle of all floods."""
    storm = Storm(daemon, FLOODS, 60, user)
    try:
        time.sleep(3)
        return end(daemon)
    finally:
        storm.stop()
