"""An nfcd with a journal in its own folder, as a machine that can be started again on what is left of it."""

import contextlib
import pathlib
import sqlite3

from programs import is_listening, nfcd, wait_for
from taps import Tapper, journal, message, missing
from wire import Client, Closed, Refused

READERS = 2
# As fast as nfcd reports them.
UNLIMITED = 1e9
# What differs in a copied tap, by column.
OWN = {"sequence": "number", "reader_sequence": "number", "id": "randomblob(16)", "checksum": "NULL"}


class Journal:
    """The files of a journal."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.directory = self.folder / "journal"
        self.directory.mkdir(parents=True, exist_ok=True)

    @property
    def path(self):
        return self.directory / "taps.db"


class Machine:
    """A running nfcd, killed at the end."""

    def __init__(self, folder, programs, environment=None):
        self.nfcd, self.socket = nfcd(folder, programs, READERS, environment=environment, path=Journal(folder).path)

    def __enter__(self):
        self.nfcd.start()
        wait_for(lambda: is_listening(self.socket), f"the start of nfcd, whose log is {self.nfcd.log},")
        return self

    def __exit__(self, *_):
        self.nfcd.kill()

    def log(self):
        return pathlib.Path(self.nfcd.log).read_text(encoding="utf-8", errors="replace")

    def status(self):
        with Client(self.socket) as client:
            return client.call("taps.status")

    def missing(self, taps):
        """The green taps that the journal does not have."""
        return missing(taps, journal(self.socket))

    def session_works(self, reader):
        """Whether a session detects a tag on a reader, and reads its message."""
        reader_id = f"simulated-{reader}"
        try:
            with Client(self.socket, 10) as client:
                session = client.tag_session(reader_id)
                client.call("simulator.present", {"reader": reader_id, "model": "ntag215", "ndef": message(0)})
                tag = client.connect_tag(session)
                return bool(client.call("tag.readNDEF", {"session": session, "tag": tag})["message"]["records"])
        except (Closed, Refused, OSError):
            return False


def tapped(machine, count, first=0, reader=0):
    """Taps on a reader, one after another, and what nfcd reported of them."""
    tapper = Tapper(machine.socket, reader, count, UNLIMITED, first)
    tapper.run()
    if tapper.failure:
        raise tapper.failure
    return tapper


def preloaded(shim, journal):
    """The environment in which the shim watches the files of a journal."""
    return {"LD_PRELOAD": str(shim), "SOAK_FOLDER": str(journal.directory)}


def multiply(path, count):
    """Copies the first tap of a journal until there are `count` taps, each with its own number and id."""
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        (number,) = base.execute("SELECT max(sequence) FROM tap").fetchone()
        if number != 1:
            raise ValueError(f"{path} has {number} taps; exactly one is expected, to be copied")
        columns = [row[1] for row in base.execute("PRAGMA table_info(tap)")]
        values = ", ".join(OWN.get(column, f"tap.{column}") for column in columns)
        base.execute(
            f"WITH RECURSIVE numbers(number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < {count}) "
            f"INSERT INTO tap ({', '.join(columns)}) SELECT {values} FROM numbers JOIN tap ON tap.sequence = 1")
        # The checksum of the first tap is not that of its copies.
        base.execute("UPDATE journal SET unchecked_through = ?", (count,))
        base.execute("UPDATE reader SET newest = ?", (count,))
