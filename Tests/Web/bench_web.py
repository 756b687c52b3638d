"""Measures nfcd-web and the extension in Chromium. See Scripts/benchmarks/bench-web."""

import argparse
import json
import pathlib
import socket
import statistics
import sys
import tempfile
import time

from check_life import host_processes
from check_tabs import wait_for_session
from world import until, world  # puts Scripts/lib into the path

from figures import Figure, report

TAPS, ADDED_MS, MEMORY_MIB = 60, 20, 12


def private_kib(process):
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def figures(programs):
    with tempfile.TemporaryDirectory() as extensions, world("chromium", programs, pathlib.Path(extensions)) as w:
        page = w.fresh()
        page.evaluate("""(async () => {
            window.times = [];
            const reader = new NDEFReader();
            reader.onreading = () => times.push((performance.timeOrigin + performance.now()) / 1000);
            await reader.scan();
        })()""")
        wait_for_session(w)
        tapped = []
        for count in range(1, TAPS + 1):
            w.nfcd.lift_all()
            tapped.append(time.time())
            w.nfcd.tap()
            until(lambda: page.evaluate("times.length") >= count, "the tap")
        (process,) = host_processes(w)
        memory = private_kib(process) / 1024
        whole = [1000 * (seen - before) for before, seen in zip(tapped, page.evaluate("times"))]
        direct = list(direct_times(w))
    added = statistics.median(whole) - statistics.median(direct)
    yield Figure("tap to nfcd's event, median", f"{statistics.median(direct):.1f} ms")
    yield Figure("tap to the page's event in Chromium, median", f"{statistics.median(whole):.1f} ms")
    yield Figure("tap to the page's event in Chromium, 95 %", f"{sorted(whole)[int(0.95 * TAPS)]:.1f} ms")
    yield Figure("event of the page: added to nfcd's", f"{added:.1f} ms", f"≤ {ADDED_MS} ms", added <= ADDED_MS)
    yield Figure(
        f"private memory of nfcd-web after {TAPS} taps", f"{memory:.1f} MiB", f"≤ {MEMORY_MIB} MiB", memory <= MEMORY_MIB)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    sys.exit(0 if report(figures(parser.parse_args().programs)) else 1)


def direct_times(w):
    """The same taps for a client of nfcd that reads them in a session, after the page was left."""
    for page in w.pages:
        page.go(w.address("empty.html"))
    until(lambda: not w.nfcd.sessions(), "the session of the page ends")
    client = socket.socket(socket.AF_UNIX)
    client.connect(w.nfcd.socket)
    lines = client.makefile("r")
    client.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session.begin", "params": {"kind": "ndef"}}).encode() + b"\n")
    next(line for line in lines if "session.didBecomeActive" in line)
    for _ in range(TAPS):
        w.nfcd.lift_all()
        before = time.time()
        w.nfcd.tap()
        next(line for line in lines if "session.didDetectNDEFs" in line)
        yield 1000 * (time.time() - before)
    client.close()


main()
