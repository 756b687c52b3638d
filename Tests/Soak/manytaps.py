"""Makes the journal of a stopped nfcd large, without storing each tap through nfcd."""

import contextlib
import sqlite3

# Instead of the value of the copied tap.
OWN = {"sequence": "number", "reader_sequence": "number", "id": "randomblob(16)"}


def multiply(path, count):
    """Copies the first tap of a journal until there are `count` taps, each with a number and an id of its own."""
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        (number,) = base.execute("SELECT max(sequence) FROM tap").fetchone()
        if number != 1:
            raise ValueError(f"{path} has {number} taps; exactly one is expected, to be copied")
        columns = [row[1] for row in base.execute("PRAGMA table_info(tap)")]
        values = ", ".join(OWN.get(column, f"tap.{column}") for column in columns)
        base.execute(
            f"WITH RECURSIVE numbers(number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < {count}) "
            f"INSERT INTO tap ({', '.join(columns)}) SELECT {values} FROM numbers JOIN tap ON tap.sequence = 1")
        base.execute("UPDATE reader SET newest = ?", (count,))
