"""Checks nfcd-desktop with mocks and displays. See Scripts/systems/desktop-test."""

import argparse
import pathlib
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import check_bus  # noqa: E402,F401
import check_display  # noqa: E402,F401
from world import CHECKS, World  # noqa: E402


def run(check, programs):
    began = time.monotonic()
    try:
        with World(programs) as world:
            try:
                check(world)
            except Exception:
                log = world.folder / "nfcd-desktop.log"
                print(log.read_text()[-3000:] if log.exists() else "nfcd-desktop was not started", file=sys.stderr)
                raise
    except Exception:  # noqa: BLE001  each check is reported
        traceback.print_exc()
        print(f"FAILED: {check.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
        return False
    print(f"ok: {check.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--only", nargs="+", help="the checks whose behaviour has these words")
    arguments = parser.parse_args()
    checks = [check for check in CHECKS if all(word in check.__doc__ for word in arguments.only or [])]
    passed = sum(run(check, arguments.programs) for check in checks)
    print(f"desktop-test: {passed} of {len(checks)} checks passed")
    sys.exit(0 if checks and passed == len(checks) else 1)


main()
