"""Builds release programs for measuring. Used by bench-apdu, bench-load and bench-sessions."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
# As the release: other options would build everything again.
BUILD = subprocess.run([ROOT / "Scripts/products/release", "--flags"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def release(products, setup=(), build=True):
    """Sets up and builds; the folder of the programs."""
    result = subprocess.run([ROOT / "Scripts/setup", *setup])
    if result.returncode != 0:
        sys.exit(result.returncode)
    for product in products if build else ():
        subprocess.run([SWIFT, "build", *BUILD, "--product", product], cwd=ROOT, check=True, stdout=sys.stderr)
    shown = subprocess.run(
        [SWIFT, "build", *BUILD, "--show-bin-path"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return shown.stdout.strip()
