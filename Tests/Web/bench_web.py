"""Measures nfcd-web and the extension in Chromium. See Scripts/bench-web."""

import argparse
import json
import pathlib
import socket
import statistics
import tempfile
import time

from check_life import host_processes
from check_tabs import wait_for_session
from world import until, world

TAPS = 60


def private_kib(process):
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as extensions, world("chromium", arguments.programs, pathlib.Path(extensions)) as w:
        page = w.fresh()
        page.evaluate("""(async () => {
            window.times = [];
            const reader = new NDEFReader();
            reader.onreading = () => times.push((performance.timeOrigin + performance.now()) / 1000);
            await reader.scan();
        })()""")
        wait_for_session(w)
        before = []
        for count in range(1, TAPS + 1):
            w.nfcd.lift_all()
            before.append(time.time())
            w.nfcd.tap()
            until(lambda: page.evaluate("times.length") >= count, "the tap")
        whole = sorted(1000 * (seen - tapped) for tapped, seen in zip(before, page.evaluate("times")))
        direct = sorted(direct_times(w))
        print(f"tap to event of the page: {statistics.median(whole):.1f} ms (median), {whole[int(0.95 * TAPS)]:.1f} ms (95 %)")
        print(f"tap to event of a client of nfcd: {statistics.median(direct):.1f} ms (median), {direct[int(0.95 * TAPS)]:.1f} ms (95 %)")
        print(f"added: {statistics.median(whole) - statistics.median(direct):.1f} ms (median)")
        (process,) = host_processes(w)
        print(f"private memory of nfcd-web: {private_kib(process) / 1024:.1f} MiB")


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
