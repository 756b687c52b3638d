"""What a sink received, and the verdict on it: nothing lost, nothing out of order, every duplicate equal to the first arrival."""

import threading
import typing

# The number of examples of a problem that are printed.
SHOWN = 5
TYPES = ("org.nfcd.tap.read", "org.nfcd.tap.failed")


class Ledger:
    """The CloudEvents that a sink received, in the order of arrival, and what was wrong with them at first sight."""

    def __init__(self, name):
        self.name = name
        self.problems = []
        self._events = []
        self._lock = threading.Lock()

    def record(self, event):
        with self._lock:
            self._events.append(event)

    def complain(self, problem):
        with self._lock:
            self.problems.append(problem)

    def events(self):
        with self._lock:
            return list(self._events)

    def ids(self):
        return {event.get("id") for event in self.events()}


class Verdict(typing.NamedTuple):
    """What a sink did with the taps of the journal."""
    sink: str
    delivered: int
    duplicates: int
    # Descriptions of what is wrong.
    lost: list
    out_of_order: list
    changed: list

    @property
    def is_faultless(self):
        return not (self.lost or self.out_of_order or self.changed)

    def problems(self):
        """Some examples of each problem."""
        kinds = (("lost", self.lost), ("out of order", self.out_of_order), ("changed", self.changed))
        return [f"{self.sink}: {kind}: {what}" for kind, found in kinds for what in found[:SHOWN]]


def verdict(ledger, journal):
    """Compares what arrived with the taps of the journal.

    - journal: the objects that `nfcctl taps list --json` prints, in order.
    """
    events = ledger.events()
    expected = {tap["id"]: tap for tap in journal}
    firsts, changed = {}, list(ledger.problems)
    for event in events:
        first = firsts.setdefault(event.get("id"), event)
        changed += differences(event, first, expected)
    lost = [describe(tap) for id, tap in expected.items() if id not in firsts]
    return Verdict(
        ledger.name, len(firsts.keys() & expected.keys()), len(events) - len(firsts), lost,
        disorder(firsts.values()), changed)


def differences(event, first, expected):
    """How an event differs from its first arrival and from the journal."""
    id = event.get("id")
    if id not in expected:
        yield f"{id} is not the id of a tap: {str(event)[:200]}"
        return
    tap = expected[id]
    if content(event) != content(first):
        yield f"{id} arrived again with other content: {content(event)}, first {content(first)}"
    if event.get("data") != tap:
        yield f"{id} is in the journal as {tap}, and arrived as {event.get('data')}"
    if event.get("sequence") != f"{tap['readerSequence']:020}" or event.get("type") not in TYPES:
        yield f"{id} has sequence {event.get('sequence')} and type {event.get('type')}"


def content(event):
    """What has to be the same in every delivery of a tap."""
    return {key: event.get(key) for key in ("id", "source", "type", "subject", "time", "sequence", "data")}


def disorder(firsts):
    """The first arrivals that came after a later tap of the same reader."""
    newest, found = {}, []
    for event in firsts:
        tap = event.get("data")
        if not isinstance(tap, dict) or "readerSequence" not in tap:
            continue
        # Readers of several machines may have the same name, but not the same journal.
        reader, number = (tap.get("epoch"), tap.get("reader")), tap["readerSequence"]
        if number < newest.get(reader, 0):
            found.append(f"{describe(tap)} after number {newest[reader]}")
        newest[reader] = max(number, newest.get(reader, 0))
    return found


def describe(tap):
    return f"tap {tap['id']}, number {tap['readerSequence']} of {tap['reader']}"
