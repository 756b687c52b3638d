"""Taps on simulated readers, each with its own tag, and what nfcd reported of each."""

import contextlib
import threading
import time

from wire import Client, Closed, Refused

# nfcd reports a tap that the journal did not take with this code.
NOT_STORED = 203
ANSWER_S = 30
RECONNECT_S = 0.02


def identifier(reader, index):
    """A UID of seven bytes that no other tap of the run has."""
    return f"04{reader:02X}{index:010X}"


def message(index):
    """An NDEF message with its own text record."""
    payload = b"\x02en" + f"tap {index}".encode()
    return (bytes([0xD1, 1, len(payload)]) + b"T" + payload).hex().upper()


class Subscriber:
    """A client that is subscribed to a reader, and connects again where nfcd was killed."""

    def __init__(self, socket_path, reader_id):
        self.socket_path, self.reader_id = socket_path, reader_id
        self._client = None

    def connected(self):
        """A client that is subscribed to the reader, as soon as nfcd runs."""
        end = time.monotonic() + ANSWER_S
        while self._client is None:
            try:
                client = Client(self.socket_path, ANSWER_S)
                client.call("background.subscribe", {"filter": {"reader": self.reader_id}})
                self._client = client
            except (Closed, OSError, Refused):
                if time.monotonic() > end:
                    raise
                time.sleep(RECONNECT_S)
        return self._client

    def disconnect(self):
        if self._client:
            self._client.close()
        self._client = None


class Tapper(threading.Thread):
    """Taps one tag after another on a reader, and continues where nfcd was killed. A tap whose report did not arrive is not repeated."""

    def __init__(self, socket_path, reader, count, rate, first=0):
        super().__init__(daemon=True)
        self.reader, self.count, self.rate, self.first = reader, count, rate, first
        # UIDs by what nfcd reported: stored, not stored, nothing.
        self.green, self.red, self.unknown = [], [], []
        self.details = set()
        self.failure = None
        self.reader_id = f"simulated-{reader}"
        self.subscriber = Subscriber(socket_path, self.reader_id)

    @property
    def done(self):
        return len(self.green) + len(self.red) + len(self.unknown)

    def run(self):
        try:
            began = time.monotonic()
            for index in range(self.count):
                time.sleep(max(0, began + index / self.rate - time.monotonic()))
                self.tap(self.first + index)
        except BaseException as failure:
            self.failure = failure
        finally:
            self.subscriber.disconnect()

    def tap(self, index):
        """Presents a tag until it is reported, and takes it away."""
        uid, before = identifier(self.reader, index), self.done
        client = self.subscriber.connected()
        try:
            self.present(client, uid, index)
        except (Closed, OSError):
            if self.done == before:
                self.unknown.append(uid)
            self.subscriber.disconnect()

    def present(self, client, uid, index):
        client.notifications.clear()
        shown = client.call(
            "simulator.present",
            {"reader": self.reader_id, "model": "ntag215", "identifier": uid, "ndef": message(index)})
        report = client.wait("background.didReadTag")
        while report["tag"]["identifier"] != uid:
            report = client.wait("background.didReadTag")
        self.classify(uid, report)
        with contextlib.suppress(Refused):
            client.call("simulator.remove", {"presentation": shown["presentation"]})

    def classify(self, uid, report):
        error = report.get("error")
        if error and error["code"] == NOT_STORED:
            self.red.append(uid)
            self.details.add(error.get("detail", ""))
        else:
            self.green.append(uid)


def journal(socket_path):
    """All taps of the journal, in order."""
    taps, after = [], 0
    with Client(socket_path) as client:
        while True:
            page = client.call("taps.list", {"after": after, "limit": 1000})
            taps += page["taps"]
            if not page["hasMore"]:
                return taps
            after = page["taps"][-1]["sequence"]


def missing(tappers, taps):
    """The taps that nfcd reported as stored, and that are not in the journal."""
    stored = {(tap["reader"], tap["tag"]["identifier"]) for tap in taps}
    return [
        f"{uid} on {tapper.reader_id}" for tapper in tappers for uid in tapper.green
        if (tapper.reader_id, uid) not in stored]
