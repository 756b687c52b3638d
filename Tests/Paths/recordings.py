"""The recordings that trace.c makes of a program: which functions run, in the order in which each runs for the first time."""

import array
import mmap
import os
import struct
import subprocess
import time

PATIENCE = 60
# A recording is over when no other function has run for so many seconds: longer than what any program waits for before it does the rest
# (1 s for nfcd-relay's cursors, 7 s for the memory that nfcd returns) and longer than the line for the service manager (10 s).
QUIET = 11


class Functions:
    """The functions of a program that are written in a line of Sources: {address in the program: (file, line)}.

    What the compiler adds (metadata, witnesses, thunks, derived conformances) has line 0 or no line, and is not among them. Reading a
    global or static constant is: the compiler's accessor has the line of the constant."""

    def __init__(self, program, sources):
        symbols = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
        found = (line.split(maxsplit=2) for line in symbols.splitlines())
        addresses = sorted({int(address, 16) for address, kind, _ in found if kind in "TtWw"})
        lines = subprocess.run(
            ["llvm-symbolizer", f"--obj={program}", "--output-style=GNU", "--no-inlines", "--functions=none"],
            input="\n".join(map(hex, addresses)), capture_output=True, text=True, check=True).stdout.splitlines()
        self.places = {}
        for address, place in zip(addresses, lines, strict=True):
            file, line = place.split(" (")[0].rsplit(":", 1)
            if file.startswith(f"{sources}/") and line != "0":
                self.places[address] = (file.removeprefix(f"{sources}/"), int(line))


class Trace:
    """The recordings of one running program. The program has to be started with `environment`."""

    def __init__(self, folder, functions, library):
        folder.mkdir()
        self.functions = functions
        (folder / "functions").write_bytes(array.array("Q", functions.places).tobytes())
        size = 16 + 8 * len(functions.places)
        with (folder / "record").open("w+b") as file:
            file.truncate(size)
            self.record = mmap.mmap(file.fileno(), size)
        os.mkfifo(folder / "requests")
        self.requests = os.open(folder / "requests", os.O_RDWR)
        self.environment = {"NFCD_TRACE": str(folder), "LD_PRELOAD": str(library)}

    def numbers(self):
        return struct.unpack_from("QQ", self.record)

    def begin(self):
        before = self.numbers()[0]
        os.write(self.requests, b".")
        deadline = time.monotonic() + PATIENCE
        while self.numbers()[0] == before:
            if time.monotonic() > deadline:
                raise SystemExit("paths: a program began no recording")
            time.sleep(0.01)

    def addresses(self):
        count = self.numbers()[1]
        return list(struct.unpack_from(f"{count}Q", self.record, 16))


def wait_until_quiet(traces):
    """Waits until no program runs any function that it did not run before in this recording."""
    last, since = None, time.monotonic()
    deadline = since + PATIENCE
    while time.monotonic() - since < QUIET:
        now = [trace.numbers() for trace in traces]
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() > deadline:
            raise SystemExit("paths: a program did not become quiet")
        time.sleep(0.05)
