#!/usr/bin/env python3
"""A door: runs a command for each tag that has proven itself by one profile of nfcd, and for no other.

It never decides by the UID or the message of a tag, which anyone can copy, and uses no journal: a door must not open for a tap
of yesterday. It waits for nfcd to start, and continues when nfcd restarts.

    python3 door.py [--socket PATH] [--count NUMBER] PROFILE COMMAND [ARGUMENT ...]
"""

import argparse
import subprocess
import sys
from typing import List

import nfcd


def run(client: nfcd.Client, profile: str, command: List[str], count: int) -> None:
    """Opens for proven tags; looks at `count` taps, or continues without end if it is 0."""
    seen = 0
    with client.background(require="proven") as taps:
        for tap in taps:
            proof = tap.proof
            # nfcd sends proven taps alone; a door checks again, and that it is its own profile: another may be that of a till.
            if proof is not None and tap.is_proven and proof["profile"] == profile:
                print(f"{tap.reader_name}: open for {proof.get('identifier', tap.identifier)} by {proof.get('key')}", flush=True)
                subprocess.run(command, check=False, stdin=subprocess.DEVNULL)
            else:
                print(f"{tap.reader_name}: closed", flush=True)
            seen += 1
            if seen == count:
                return


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs a command for each tag that has proven itself.")
    parser.add_argument("--socket", help="the socket of nfcd")
    parser.add_argument("--count", type=int, default=0, help="end after this many taps")
    parser.add_argument("profile", help="the profile of nfcd that opens the door")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the program that opens the door, and its arguments")
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("the command is missing")
    try:
        with nfcd.Client(arguments.socket, wait=True) as client:
            run(client, arguments.profile, arguments.command, arguments.count)
    except nfcd.Error as error:
        print(f"door: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
