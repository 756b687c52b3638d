#!/usr/bin/env python3
"""A kiosk: shows what is held to the reader, without end.

It uses the journal if nfcd has one, so that it shows taps from before its start, too, and each of them once. Otherwise it
shows what is tapped while it runs. It waits for nfcd to start, and continues when nfcd restarts.

    python3 kiosk.py [--socket PATH] [--consumer NAME] [--count NUMBER]
"""

import argparse
import logging
import sys

import nfcd


def show(tap: nfcd.Tap) -> None:
    """Prints one line for a tap."""
    if tap.message:
        content = tap.uri or tap.text or ", ".join(record.kind or record.type_name_format for record in tap.message)
    else:
        content = str(tap.error or "empty")
    print(f"{tap.reader_name}: {tap.identifier or 'no UID'}: {content}", flush=True)


def run(client: nfcd.Client, consumer: str, count: int) -> None:
    """Shows taps; `count` of them, or without end if it is 0."""
    shown = 0
    if client.info().get("journal") == "ready":
        print(f"Taps of the journal, as {consumer}:", flush=True)
        with client.journal(consumer) as journal:
            for stored in journal:
                show(stored)
                journal.acknowledge(stored)
                shown += 1
                if shown == count:
                    return
    else:
        print("Hold a tag to a reader.", flush=True)
        with client.background() as taps:
            for tap in taps:
                show(tap)
                shown += 1
                if shown == count:
                    return


def main() -> int:
    parser = argparse.ArgumentParser(description="Shows what is held to the reader.")
    parser.add_argument("--socket", help="the socket of nfcd")
    parser.add_argument("--consumer", default="kiosk", help="the name in the journal (default: kiosk)")
    parser.add_argument("--count", type=int, default=0, help="end after this many taps")
    arguments = parser.parse_args()
    # Lost connections are logged.
    logging.basicConfig(level=logging.INFO, format="kiosk: %(message)s")
    try:
        with nfcd.Client(arguments.socket, wait=True) as client:
            run(client, arguments.consumer, arguments.count)
    except nfcd.Error as error:
        print(f"kiosk: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
