"""Runs the checks of Scripts/systems/vm-test in the virtual machine: those of `checks`, which the machine has beside this file."""

import contextlib
import os
import pathlib
import sys
import time

import checks
from steps import CHECKS, WORK, run


def report(function, service):
    """Runs a check and prints its result; after a failure, what the service logged last."""
    name, began = function.__name__.replace("_", " "), time.monotonic()
    try:
        function()
        print(f"ok - {name} ({time.monotonic() - began:.0f} s)", flush=True)
    except Exception as error:  # noqa: BLE001
        print(f"not ok - {name}: {' '.join(str(error).split())[:600]}", flush=True)
        with contextlib.suppress(Exception):
            lines = run("journalctl", "--no-pager", "--output=cat", "-u", service, "-n", "12").splitlines()
            print(*(f"#   {line}" for line in lines), sep="\n", flush=True)


def main():
    WORK.mkdir(exist_ok=True)
    os.chdir(WORK)
    only = pathlib.Path("/opt/vm-test/only").read_text().strip()
    print(f"# Linux {os.uname().release}", flush=True)
    for function in CHECKS:
        if only in function.__name__:
            report(function, checks.SERVICE)


main()
sys.exit(0)
