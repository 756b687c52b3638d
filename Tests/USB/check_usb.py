#!/usr/bin/env python3
"""Checks nfcd on an unmodified pcscd and libccid whose readers are virtual USB devices.

usage: check_usb.py --programs FOLDER [--short] [--only WORDS] [--verbose]

To be run in umockdev-wrapper, with an empty /run: see Scripts/systems/usb-test. Prints a line "ok - …" or "not ok - …" for each
check, and at the end how much was tried; with --verbose also the log of pcscd where a check failed. Exit codes: 0 all checks
passed, 1 a check failed.
"""

import argparse
import collections
import os
import pathlib
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile")]
# This process has the bus; a program gets it only where it is to see it.
os.environ.pop("LD_PRELOAD", None)
import escaping  # noqa: E402
import failing  # noqa: E402
import plugging  # noqa: E402
import services  # noqa: E402
import state as shared  # noqa: E402
import usbdevice  # noqa: E402

# With --short, a fault is tried at so many exchanges of a write, and a waiting session sees a reader so many times.
SHORT = 3


def run(checks, state):
    """Runs checks, and returns how many failed."""
    failures = 0
    for check in checks:
        began = time.monotonic()
        try:
            state.prepare()
            check(state)
            state.expect_health()
            print(f"ok - {check.__doc__} ({time.monotonic() - began:.0f} s)", flush=True)
        except Exception as error:  # run the other checks after any error
            failures += 1
            places = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(traceback.extract_tb(error.__traceback__)[1:]))
            print(f"not ok - {check.__doc__}: {type(error).__name__}: {' '.join(str(error).split())} ({places})", flush=True)
    return failures


def phases(folder):
    """Checks with the settings of libccid and nfcd that they need: None are the defaults."""
    feedback = folder / "nfcd.toml"
    feedback.write_text(escaping.CONFIGURATION)
    options = ["--config", str(feedback)]
    return [
        (plugging.CHECKS + failing.CHECKS, None, []),
        (escaping.FORBIDDEN, None, options),
        (escaping.PERMITTED, services.drivers_that_permit_escape(folder), options),
    ]


def report(bus, counts):
    figures = [f"{bus.cycles} times plugged in", *(f"{counts[key]} {key}" for key in sorted(counts))]
    print(f"usb: {'; '.join(figures)}")


def main(arguments):
    failures, counts, bus = 0, collections.Counter(), usbdevice.Bus()
    with tempfile.TemporaryDirectory(prefix="nfcd-usb.") as temporary:
        folder = pathlib.Path(temporary)
        for checks, drivers, options in phases(folder):
            checks = [check for check in checks if arguments.only in check.__doc__]
            if not checks:
                continue
            with services.pcscd(bus, folder / "pcscd.log", drivers) as service, \
                    services.nfcd(arguments.programs / "nfcd", folder, options) as running:
                state = shared.State(bus, running, arguments.programs, SHORT if arguments.short else None)
                found = run(checks, state)
                state.close()
            if found and arguments.verbose:
                print((folder / "pcscd.log").read_text(errors="replace"), file=sys.stderr)
            failures += found
            counts += state.counts
            counts["crashes of pcscd"] += service.crashes
            counts["tags held again"] += sum(device.function.repetitions for device in state.devices)
        report(bus, counts)
    return 1 if failures else 0


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--programs", type=pathlib.Path, required=True)
parser.add_argument("--short", action="store_true")
parser.add_argument("--only", default="")
parser.add_argument("--verbose", action="store_true")
sys.exit(main(parser.parse_args()))
