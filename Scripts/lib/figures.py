"""Measured figures as a table: what was measured, the result, the figure to reach. Used by measure, bench-apdu, bench-load,
bench-sessions, bench-journal and bench."""

import json
import os
import typing

# Where `bench` collects the figures of all programs.
COLLECTION = "NFCD_BENCH_FIGURES"


class Figure(typing.NamedTuple):
    what: str
    measured: str
    limit: str = ""
    reached: bool = True


def print_table(figures):
    """Prints figures as they come; whether all are reached."""
    all_reached = True
    print(f"{'what':<58} {'measured':>16} {'to reach':>12}")
    for figure in figures:
        missed = "" if figure.reached else "   NOT REACHED"
        print(f"{figure.what:<58} {figure.measured:>16} {figure.limit:>12}{missed}", flush=True)
        all_reached = all_reached and figure.reached
    return all_reached


def report(figures):
    """Prints figures as they are measured, and adds them to the collection of `bench`, if it runs; whether all are reached."""
    return print_table(map(collected, figures))


def collected(figure):
    path = os.environ.get(COLLECTION)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(figure) + "\n")
    return figure


def collection(path):
    with open(path, encoding="utf-8") as file:
        return [Figure(*json.loads(line)) for line in file]
