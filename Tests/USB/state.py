"""What the checks share: the bus, an nfcd on it, its clients, and how much was tried."""

import collections
import time

import ccid
import wire

PATIENCE = 30
TAG_LOST, NO_ANSWER, WRITE_FAILED = 100, 102, 401
# Codes of sessions (Docs/client-authors.md).
ENDED_BY_CLIENT, READER_GONE, NO_READER = 200, 202, 1
# What may be on a tag after a write that failed.
OLD, NONE, NEW = "old", "none", "new"


class Message:
    """A message with a link: as nfcd takes it, and as bytes, one short record of type U with the prefix https://."""

    def __init__(self, rest):
        self.link = f"https://{rest}"
        self.record = {"records": [{"decoded": {"kind": "uri", "uri": self.link}}]}
        payload = b"\x04" + rest.encode()
        self.data = bytes([0xD1, 0x01, len(payload)]) + b"U" + payload


FIRST = Message("example.com/" + "o" * 24)
SECOND = Message("example.org/" + "n" * 60)


def expect(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


class State:
    """A running nfcd, and what the checks have counted."""

    def __init__(self, bus, nfcd, programs, tries=None):
        self.bus, self.nfcd, self.programs = bus, nfcd, programs
        # How many exchanges a fault is tried at, and how many times a reader is plugged in; nil for all.
        self.tries = tries
        self.counts = collections.Counter()
        self.client = self.monitor = None
        self.devices = []

    # Around a check.

    def prepare(self):
        """Unplugs everything, and connects again."""
        for port in list(self.bus.ports):
            self.bus.unplug(port)
        self.close()
        self.client, self.monitor = (wire.Client(self.nfcd.socket, PATIENCE) for _ in range(2))
        self.monitor.call("events.subscribe")
        eventually(lambda: self.client.call("server.info")["readerService"] == "available", "nfcd does not reach pcscd")
        self.wait_for_readers(0)

    def close(self):
        for client in (self.client, self.monitor):
            if client:
                client.close()
        self.client = self.monitor = None

    def expect_health(self):
        """nfcd still runs, and the bus has answered every request."""
        expect(self.nfcd.process.poll() is None, f"nfcd ended with {self.nfcd.process.returncode}")
        mistakes = sum(device.mistakes for device in self.devices)
        expect(mistakes == 0, f"the virtual bus failed {mistakes} times; see above")

    # Readers.

    def plug(self, reader, port=1, **options):
        """Plugs a reader in, and waits until nfcd has attached it; returns the model of the reader."""
        model = ccid.CCIDReader(reader, **options)
        model.unplug = lambda: self.bus.unplug(port)
        self.devices.append(self.bus.plug(port, model))
        self.monitor.wait("reader.attached")
        return model

    def unplug(self, port=1):
        """Unplugs a reader, and waits until nfcd has noticed."""
        self.bus.unplug(port)
        self.wait_for_readers(0)

    def readers(self):
        return self.client.call("readers.list")

    def wait_for_readers(self, count):
        """Waits until nfcd lists so many readers, and returns them."""
        deadline = time.monotonic() + PATIENCE
        while len(readers := self.readers()) != count:
            # An event precedes each change of the list.
            expect(time.monotonic() < deadline, f"there are {len(readers)} readers, not {count}")
            self.monitor.line()
        return readers

    # Sessions.

    def begin(self, client=None, **options):
        """A session for tags that is active."""
        client = client or self.client
        session = client.call("session.begin", {"kind": "tag", **options})["session"]
        self.counts["sessions"] += 1
        client.wait("session.didBecomeActive")
        return session

    def connect(self, session, client=None):
        """Connects to the next tag of a session, and returns its name and its description."""
        client = client or self.client
        found = client.wait("session.didDetectTags")["tags"][0]
        client.call("session.connect", {"session": session, "tag": found["tag"]})
        return found["tag"], found

    def end(self, session, client=None):
        """Ends a session as its client does."""
        client = client or self.client
        client.call("session.invalidate", {"session": session})
        self.expect_end(ENDED_BY_CLIENT, client)

    def expect_end(self, code, client=None):
        ended = (client or self.client).wait("session.didInvalidate")
        expect(ended["code"] == code, f"the session ended with {ended['code']} {ended['name']} ({ended['detail']}), not {code}")

    def opened(self, **options):
        """A session, connected to the tag on a reader; the parameters of its commands."""
        session = self.begin(**options)
        tag, _ = self.connect(session)
        return {"session": session, "tag": tag}

    def read(self, place):
        """The link on a tag."""
        records = self.client.call("tag.readNDEF", place)["message"]["records"]
        return records[0]["decoded"]["uri"] if records else None

    def write(self, place, message, client=None):
        return (client or self.client).call("tag.writeNDEF", {**place, "message": message.record})

    def expect_use(self, tag, message):
        """A new session writes a message to the tag on a reader, and reads it. The reader may have failed, and recover."""
        place = self.opened(waitForReader=True)
        self.write(place, message)
        expect(tag.message() == message.data, "the message is not in the tag's memory")
        expect(self.read(place) == message.link, "another message was read")
        self.end(place["session"])
        self.expect_health()


def eventually(condition, otherwise):
    """Waits until something is true that no event reports."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        expect(time.monotonic() < deadline, otherwise)
        time.sleep(0.05)


def content(tag, old, new, fixed):
    """What is on a tag after a write that may have failed; anything but the old message, none, or the new one is an error."""
    found = tag.message()
    expect(tag.fixed() == fixed, "locks, configuration or capability container have changed")
    for name, data in ((OLD, old), (NONE, b""), (NEW, new)):
        if found == data:
            return name
    raise AssertionError(f"the tag has neither the old message nor the new one: {found.hex() if found else found}")
