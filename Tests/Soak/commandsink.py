"""The command of the tests: appends the tap to a file and syncs it, or exits with 75 while the file `down` exists.

    commandsink.py FOLDER    with the tap on standard input
"""

import json
import os
import sys

TEMPORARY_FAILURE = 75


def main():
    folder = sys.argv[1]
    if os.path.exists(f"{folder}/down"):
        sys.exit(TEMPORARY_FAILURE)
    try:
        tap = json.loads(sys.stdin.buffer.read())
    except ValueError:
        sys.exit(TEMPORARY_FAILURE)  # the relay was killed while it wrote
    event = {
        "id": os.environ["NFCD_TAP_ID"], "type": os.environ["NFCD_EVENT"], "data": tap,
        "sequence": f"{tap.get('readerSequence', 0):020}"}
    line = json.dumps(event, separators=(",", ":")) + "\n"
    file = os.open(f"{folder}/taps", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, line.encode())
    os.fsync(file)


main()
