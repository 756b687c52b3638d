"""Checks the browser extension and nfcd-web in real browsers. See Scripts/checks/check-web."""

import argparse
import collections
import pathlib
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import check_conformance  # noqa: E402,F401
import check_host  # noqa: E402,F401
import check_demo  # noqa: E402,F401
import check_hostile  # noqa: E402,F401
import check_life  # noqa: E402,F401
import check_permission  # noqa: E402,F401
import check_records  # noqa: E402,F401
import check_scan  # noqa: E402,F401
import check_tabs  # noqa: E402,F401
import check_write  # noqa: E402,F401
from world import CHECKS, world  # noqa: E402


def chosen(arguments):
    """The checks, those that share a browser together."""
    for check in CHECKS:
        if arguments.short and check.long:
            continue
        if all(word in check.__doc__ for word in arguments.only or []):
            yield check


def run(check, w, kind):
    began = time.monotonic()
    try:
        check(w)
    except Exception:  # noqa: BLE001  each check is reported
        traceback.print_exc()
        print(f"FAILED {kind}: {check.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
        return False
    print(f"ok {kind}: {check.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


def run_browser(kind, checks, arguments, extensions):
    results = collections.Counter()
    for testing in (False, True):
        shared = [check for check in checks if check.testing == testing and not check.own]
        if shared:
            with world(kind, arguments.programs, extensions, testing) as w:
                for check in shared:
                    results[run(check, w, kind)] += 1
    for check in (check for check in checks if check.own):
        with world(kind, arguments.programs, extensions, check.testing) as w:
            results[run(check, w, kind)] += 1
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--browsers", default="chromium")
    parser.add_argument("--only", nargs="+", help="the checks whose behaviour has these words")
    parser.add_argument("--short", action="store_true")
    arguments = parser.parse_args()
    checks = list(chosen(arguments))
    results = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="nfcd-web-extensions-") as extensions:
        for kind in arguments.browsers.split(","):
            results += run_browser(kind, checks, arguments, pathlib.Path(extensions))
    print(f"check-web: {results[True]} of {results.total()} checks passed")
    sys.exit(0 if results[True] == results.total() else 1)


main()
