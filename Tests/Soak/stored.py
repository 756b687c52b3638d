"""Green means stored: whatever happens to the machine or its disk, a tap that nfcd reported as stored is in the journal afterwards;
and where the journal cannot take taps, everything else works.

As a program, in its own mount namespace: `stored.py PROGRAMS SEED [--short]` prints its figures as lines of JSON."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile"), str(ROOT / "Tests/Soak")]
import cutoff  # noqa: E402
from figures import Figure  # noqa: E402
from journals import Journal, Machine, preloaded, tapped  # noqa: E402
from programs import wait_for, work_folder  # noqa: E402

EIO, ENOSPC = 5, 28
DISK_MIB = 6
PAGE = 4096


class Plan(typing.NamedTuple):
    """How often each case is tried."""
    cuts: int
    failures: int


FULL, SHORT = Plan(25, 20), Plan(3, 2)


def refusal(what, tap, path):
    """Whether a tap that was not stored is reported with what failed, on what, and what to do."""
    text = next(iter(tap.details), "")
    is_clear = str(path) in text and re.search(r"[;:.] \w", text) is not None
    print(f"soak: {what}: {text}", file=sys.stderr)
    yield Figure(f"{what}: taps not stored are reported", f"{len(tap.red)}", "> 0", bool(tap.red))
    yield Figure(f"{what}: the message names the journal", "yes" if is_clear else "no", "yes", is_clear)


def others(what, machine):
    """Whether sessions and other readers work."""
    works = machine.session_works(1)
    yield Figure(f"{what}: a session on another reader", "works" if works else "fails", "works", works)


def survivors(what, journal, programs, taps, environment=None):
    """Whether nfcd finds every green tap after a restart, and stores taps again."""
    with Machine(journal.folder, programs, environment) as machine:
        lost = machine.missing(taps)
        green = sum(len(tap.green) for tap in taps)
        yield Figure(f"{what}: lost, of {green} green taps", f"{len(lost)}", "0", not lost)
        again = tapped(machine, 1, first=1 << 20)
        yield Figure(f"{what}: stored again afterwards", f"{len(again.green)}", "1", len(again.green) == 1)


def failing_disk(programs, shim, folder, chance, number):
    """The writes and syncs of nfcd fail from a random one on."""
    journal = Journal(folder)
    error = chance.choice((EIO, ENOSPC))
    what = f"{os.strerror(error)} from write {number} on"
    environment = {**preloaded(shim, journal), "SOAK_FAIL": str(number), "SOAK_ERRNO": str(error)}
    with Machine(folder, programs, environment) as machine:
        taps = tapped(machine, 40)
        yield from refusal(what, taps, journal.path)
        yield from others(what, machine)
        machine.nfcd.kill()
    yield from survivors(what, journal, programs, [taps])


def full_disk(programs, folder):
    """The disk becomes full, and there is space again later."""
    what = "full disk"
    journal = Journal(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", journal.directory], check=True)
    try:
        with Machine(folder, programs) as machine:
            taps = [tapped(machine, 20)]
            while not taps[-1].red and len(taps) < 100:
                fill(journal.directory / "filler")
                taps.append(tapped(machine, 10, first=100 * len(taps)))
            yield from refusal(what, taps[-1], journal.path)
            yield from others(what, machine)
            (journal.directory / "filler").unlink()
            wait_for(lambda: recovers(machine, taps), "a stored tap, with space on the disk", 120)
            machine.nfcd.kill()
        yield from survivors(what, journal, programs, taps)
    finally:
        subprocess.run(["umount", journal.directory], check=True)


def recovers(machine, taps):
    taps.append(tapped(machine, 1, first=100 * len(taps)))
    return taps[-1].green


def fill(path):
    """Appends to a file until the disk is full."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        for size in (1 << 16, 1 << 12, 1):
            while True:
                os.write(file, bytes(size))
    except OSError:
        pass
    finally:
        os.close(file)


def read_only(programs, folder):
    """The file system of the journal cannot be written when nfcd starts, with and without a journal on it."""
    journal = Journal(folder)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", journal.directory], check=True)
    try:
        for what in ("read-only disk without a journal", "read-only disk"):
            subprocess.run(["mount", "-o", "remount,ro", journal.directory], check=True)
            with Machine(folder, programs) as machine:
                taps = tapped(machine, 3)
                yield from refusal(what, taps, journal.directory)
                yield from others(what, machine)
            subprocess.run(["mount", "-o", "remount,rw", journal.directory], check=True)
            yield from survivors(what, journal, programs, [taps])
    finally:
        subprocess.run(["umount", journal.directory], check=True)


def no_database(content, _):
    """The header is overwritten."""
    return b"\xA5" * 100 + content[100:]


def damaged_pages(content, chance):
    """A quarter of the pages is overwritten."""
    pages = [content[start:start + PAGE] for start in range(0, len(content), PAGE)]
    for index in chance.sample(range(1, len(pages)), max(1, len(pages) // 4)):
        pages[index] = b"\xA5" * PAGE
    return b"".join(pages)


def truncated(content, _):
    """The second half is gone."""
    return content[:len(content) // PAGE // 2 * PAGE]


def damaged_files(programs, chance):
    """A journal that is damaged: it is moved aside and reported, and taps are stored in a new one."""
    for harm in (no_database, damaged_pages, truncated):
        with work_folder() as folder:
            yield from damaged(programs, folder, chance, harm)


def damaged(programs, folder, chance, harm):
    what = f"damaged journal ({harm.__name__.replace('_', ' ')})"
    journal = Journal(folder)
    with Machine(folder, programs) as machine:
        tapped(machine, 150)
        epoch = machine.status()["epoch"]
        machine.nfcd.kill(15)
    content = journal.path.read_bytes()
    journal.path.write_bytes(harm(content, chance))
    with Machine(folder, programs) as machine:
        taps = tapped(machine, 3)
        status = machine.status()
        yield Figure(f"{what}: stored in a new one", f"{len(taps.green)} taps", "3 taps", len(taps.green) == 3)
        is_new = status["epoch"] != epoch and status["movedAside"] == 1
        yield Figure(f"{what}: reported by taps.status", "yes" if is_new else "no", "yes", is_new)
        aside = [path for path in journal.directory.glob("*corrupt*") if path.stat().st_size > PAGE]
        yield Figure(f"{what}: files moved aside", f"{len(aside)}", "≥ 1", bool(aside))
        lines = [line for line in machine.log().splitlines() if aside and str(aside[0].name) in line]
        yield Figure(f"{what}: the log names it", "yes" if lines else "no", "yes", bool(lines))
        print(f"soak: {what}: {lines[0] if lines else 'not in the log'}", file=sys.stderr)


def figures(programs, seed, is_short):
    """All cases; in a mount namespace."""
    plan = SHORT if is_short else FULL
    chance = random.Random(seed)
    with work_folder() as folder:
        shim = cutoff.compile_shim(folder)
        yield from cutoff.self_test(shim, folder)
        yield from cutoff.figures(programs, shim, chance, plan.cuts)
        for index in range(plan.failures):
            with work_folder() as inner:
                # The first is at the start, where the journal is made; later ones while it is used.
                number = chance.randrange(1, 30) if index == 0 else chance.randrange(30, 150)
                yield from failing_disk(programs, shim, inner, chance, number)
    for case in (full_disk, read_only):
        with work_folder() as folder:
            yield from case(programs, folder)
    yield from damaged_files(programs, chance)


def outside(programs, is_short, seed):
    """The figures, measured in their own namespace."""
    print(f"soak: green means stored, with seed {seed}", file=sys.stderr)
    command = ["unshare", "--mount", "--fork", "--kill-child"]
    command += [] if os.geteuid() == 0 else ["--map-root-user"]
    program = [sys.executable, __file__, programs, str(seed), *["--short"] * is_short]
    process = subprocess.Popen([*command, *program], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        yield Figure(*json.loads(line))
    if process.wait() != 0:
        yield Figure("green means stored", f"status {process.returncode}", "", False)


if __name__ == "__main__":
    for figure in figures(sys.argv[1], int(sys.argv[2]), "--short" in sys.argv):
        print(json.dumps(figure), flush=True)
