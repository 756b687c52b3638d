"""Counts what was right, and ends the script at what is not."""
import sys


class Checks:
    """The checks of a script; a script adds what it checks with."""

    # Whether each check is printed.
    shows_each = True

    def __init__(self):
        self.steps = 0

    def check(self, text, condition, details=None):
        if not condition:
            if details not in (None, ""):
                print(details)
            print(f"failed: {text}")
            sys.exit(1)
        self.steps += 1
        if self.shows_each:
            print(f"ok {self.steps}: {text}", flush=True)
