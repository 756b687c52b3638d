"""A machine that is cut off: a process ID namespace with nfcd in it, all of whose processes are killed at once, and of whose files
only what was synced is left.

As a program, in such a namespace: `cutoff.py PROGRAMS FOLDER SHIM` taps tags, and prints each that nfcd reported as stored."""

import os
import pathlib
import shutil
import subprocess
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile"), str(ROOT / "Tests/Soak")]
from figures import Figure  # noqa: E402
from journals import READERS, UNLIMITED, Journal, Machine, preloaded  # noqa: E402
from programs import is_listening, wait_for, work_folder  # noqa: E402
from taps import Tapper  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# Makes rows with Python's own SQLite, one commit each, and is killed.
ROWS = """
import os, sqlite3, sys
base = sqlite3.connect(os.environ["SOAK_FOLDER"] + "/rows.db", isolation_level=None)
base.execute("pragma journal_mode=wal")
base.execute("pragma synchronous=" + sys.argv[1])
base.execute("create table rows(number integer primary key)")
for _ in range(50):
    base.execute("insert into rows default values")
os.kill(os.getpid(), 9)
"""


def compile_shim(folder):
    """The library for LD_PRELOAD."""
    shim = pathlib.Path(folder, "faultyfs.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, HERE / "faultyfs.c", "-ldl"], check=True)
    return shim


def shadow_of(journal):
    """The folder of what was synced, and that of what waits for its folder to be synced."""
    shadow = journal.folder / "shadow"
    for path in (shadow, shadow.with_name("shadow.pending")):
        path.mkdir(exist_ok=True)
    return shadow


def self_test(shim, folder):
    """The shim distinguishes a database that syncs every commit from one that does not."""
    for mode, is_complete in (("full", True), ("normal", False)):
        journal = Journal(pathlib.Path(folder) / mode)
        shadow = shadow_of(journal)
        environment = {**os.environ, **preloaded(shim, journal), "SOAK_SHADOW": str(shadow)}
        subprocess.run([sys.executable, "-c", ROWS, mode], env=environment)
        script = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('select count(*) from rows').fetchone())"
        counted = subprocess.run(
            [sys.executable, "-c", script, shadow / "rows.db"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        rows = int(counted.stdout or 0)
        yield Figure(
            f"self-test: rows after a loss of power, synchronous={mode}", f"{rows}", "50" if is_complete else "< 50",
            (rows == 50) == is_complete)


def figures(programs, shim, chance, rounds):
    """Cuts the machine off right after a random tap was reported, and starts it again on what is left."""
    green = unreported = 0
    lost = []
    for _ in range(rounds):
        with work_folder() as folder:
            taps = cut(programs, shim, folder, chance.randrange(1, 150))
            stored, missing = after(programs, folder, taps)
            lost += missing
            green += sum(len(tap.green) for tap in taps)
            unreported += stored - sum(len(tap.green) for tap in taps) + len(missing)
    yield Figure(f"cut off {rounds} times: green taps", f"{green}", "> 0", green > 0)
    yield Figure(f"cut off {rounds} times: stored, not reported yet", f"{unreported}")
    yield Figure(f"cut off {rounds} times: green taps lost", f"{len(lost)}", "0", not lost)
    for tap in lost[:5]:
        print(f"soak: cut off: lost: {tap}", file=sys.stderr)


def cut(programs, shim, folder, count):
    """Kills everything at once as soon as a number of taps was reported; the taps by reader."""
    command = ["unshare", "--pid", "--fork", "--kill-child", sys.executable, __file__, programs, folder, str(shim)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(count)]
    process.kill()
    # What was reported until then counts as well; half a line is half a report.
    lines += process.stdout.read().splitlines(keepends=True)
    process.wait()
    wait_for(lambda: not is_listening(f"{folder}/nfcd.sock"), "the end of nfcd")
    reported = [line.split() for line in lines if line.endswith("\n")]
    return [
        types.SimpleNamespace(reader_id=f"simulated-{reader}", green=[uid for number, uid in reported if number == str(reader)])
        for reader in range(READERS)]


def after(programs, folder, taps):
    """The number of taps in the journal that is left, and the green ones that it does not have."""
    left = pathlib.Path(folder, "left")
    shutil.copytree(shadow_of(Journal(folder)), left / "journal")
    with Machine(left, programs) as machine:
        return machine.status()["taps"], machine.missing(taps)


class Reporter(Tapper):
    """Prints each green tap at once."""

    def classify(self, uid, report):
        super().classify(uid, report)
        if self.green and self.green[-1] == uid:
            os.write(1, f"{self.reader} {uid}\n".encode())


def main():
    programs, folder, shim = sys.argv[1:]
    journal = Journal(folder)
    environment = {**preloaded(shim, journal), "SOAK_SHADOW": str(shadow_of(journal))}
    with Machine(folder, programs, environment) as machine:
        reporters = [Reporter(machine.socket, reader, 1 << 20, UNLIMITED) for reader in range(READERS)]
        for reporter in reporters:
            reporter.start()
        for reporter in reporters:
            reporter.join()


if __name__ == "__main__":
    main()
