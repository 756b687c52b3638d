"""What a hostile client does to nfcd's resources, as often as it can until a time. Every flood has its own connections, and
connects again where it is cut off."""

import contextlib
import random
import select
import time

from wire import MIB, Client, Closed, Refused, connected, idle_connections, request

# A pause between rounds: what is measured is what nfcd does with a round, not how fast Python is.
BREATH = 0.02
# A Text record of no text (NDEF 1.0, 3.2) takes 5 bytes on a tag, and 100 and more in a line.
RECORDS = 13_000
MANY_RECORDS = "".join(f"{header}01015400" for header in ("91", *["11"] * (RECORDS - 2), "51"))


@contextlib.contextmanager
def survived():
    """Continues where nfcd refuses a request or cuts the client off: that is its right. After `drain`, a line may be incomplete."""
    try:
        yield
    except (Refused, Closed, OSError, ValueError, AttributeError):
        time.sleep(BREATH)


def drain(connections, seconds):
    """Reads what arrives on connections for some time."""
    poll, open_ones = select.poll(), {connection.fileno(): connection for connection in connections}
    for number in open_ones:
        poll.register(number, select.POLLIN)
    end = time.monotonic() + seconds
    while open_ones and (left := end - time.monotonic()) > 0:
        for number, _ in poll.poll(left * 1000):
            piece = b""
            with contextlib.suppress(OSError):
                piece = open_ones[number].recv(1 << 16)
            if not piece:
                poll.unregister(number)
                del open_ones[number]
    time.sleep(BREATH)


def push(connection, data):
    """Sends as much as fits to a connection that does not block; how many bytes that was."""
    with contextlib.suppress(OSError):
        return connection.send(data)
    return 0


class Repeated:
    """Lines that are sent to a connection again and again, as far as they fit without waiting."""

    def __init__(self, connection, lines):
        self.connection, self.lines, self.sent = connection, lines, 0

    def push(self):
        """Sends no more than all lines once: nfcd may read as fast as they come."""
        left, count = len(self.lines), 1
        while count and left > 0:
            count = push(self.connection, memoryview(self.lines)[self.sent:self.sent + left])
            self.sent, left = (self.sent + count) % len(self.lines), left - count


def keep_sending(connection, lines, until, pause):
    """Sends lines again and again, and reads answers for a pause in between. The connection does not block from then on."""
    connection.setblocking(False)
    flow = Repeated(connection, lines)
    while time.monotonic() < until:
        flow.push()
        drain([connection], pause)


def begin_lines(connections):
    """Sends the begin of a line of nearly 1 MiB on each connection."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"padding":"' + b"x" * (MIB - 200)
    for start in range(0, len(line), 1 << 16):
        for connection in connections:
            push(connection, line[start:start + (1 << 16)])
        time.sleep(BREATH)


@contextlib.contextmanager
def many(path, count):
    """Many connections that do not block; fewer where nfcd refuses some."""
    connections = []
    try:
        for _ in range(count):
            with survived():
                connections.append(connected(path, 0))
        yield connections
    finally:
        for connection in connections:
            connection.close()


def batches(path, until, reader):
    """One line of 1 MiB with as many requests for the whole interface as fit, and one with many different requests."""
    discover = request("rpc.discover", {}, 1).strip()
    count = (MIB - 2) // (len(discover) + 1)
    line = b"[" + b",".join([discover] * count) + b"]\n"
    mixed = b"[" + b",".join(request("readers.list", {}, number).strip() for number in range(10_000)) + b"]\n"
    while time.monotonic() < until:
        with survived(), Client(path, 5) as client:
            keep_sending(client.socket, line + mixed, time.monotonic() + 1, 0.1)


def discover(path, until, reader):
    """60 clients with 118 requests each for the whole interface, of which half never read."""
    requests = b"".join(request("rpc.discover", {}, number) for number in range(118))
    while time.monotonic() < until:
        with many(path, 60) as connections:
            for connection in connections:
                push(connection, requests)
            drain(connections[:30], 2)


def queues(path, until, reader):
    """960 sessions that wait for one reader, each naming as many readers as it may; their clients leave at once."""
    names = [reader] + [f"reader {number} that does not exist" for number in range(90_000)]
    while time.monotonic() < until:
        with many(path, 60) as connections:
            for number in range(16):
                wanted = names[:64] if number else names[:20_000]
                line = request("session.begin", {"kind": "tag", "readers": wanted, "whenBusy": "queue"}, number)
                for connection in connections:
                    push(connection, line)
                drain(connections, 0.05)


def lines(path, until, reader):
    """300 lines of 1 MiB that never end."""
    while time.monotonic() < until:
        with many(path, 300) as connections:
            begin_lines(connections)
            drain(connections, 1)


def commands(path, until, reader):
    """Commands of 1 MiB to a tag, many at once."""
    while time.monotonic() < until:
        with survived(), Client(path, 5) as client:
            client.call("simulator.present", {"model": "type4", "reader": reader})
            session = client.tag_session(reader, whenBusy="queue")
            tag = {"session": session, "tag": client.connect_tag(session)}
            line = request("iso7816.sendCommand", {**tag, "apdu": "00A40400" + "00" * ((MIB - 300) // 2)}, 7)
            keep_sending(client.socket, line, min(time.monotonic() + 5, until), 0.05)


def pipelining(path, until, reader):
    """Requests without end, and nothing is read for a second."""
    requests = b"".join(request("server.info", {}, number) for number in range(20_000))
    while time.monotonic() < until:
        with many(path, 2) as connections:
            flows = [Repeated(connection, requests) for connection in connections]
            for reading in (0, 1, 1):
                for flow in flows:
                    flow.push()
                drain(connections, 1) if reading else time.sleep(1)


def connections(path, until, reader):
    """As many idle connections as nfcd accepts, up to 4,088."""
    while time.monotonic() < until:
        idle = idle_connections(path, 4_088, 1)
        drain(idle, 2)
        for connection in idle:
            connection.close()


def records(path, until, reader):
    """A tag with as many records as fit, which all subscribers receive decoded."""
    tag = {"model": "type4-extended", "reader": reader, "ndef": MANY_RECORDS}
    while time.monotonic() < until:
        with survived(), Client(path, 5) as client:
            client.call("background.subscribe", {"filter": {}})
            while time.monotonic() < until:
                presented = client.call("simulator.present", tag)
                drain([client.socket], 0.2)
                client.call("simulator.remove", {"presentation": presented["presentation"]})


def texts(path, until, reader):
    """Long texts wherever nfcd stores one."""
    long = "x" * (MIB - 400)
    while time.monotonic() < until:
        with survived(), Client(path, 5) as client:
            for text in (long, "y" * 1024):
                with contextlib.suppress(Refused):
                    session = client.call(
                        "session.begin", {"kind": "tag", "readers": [reader], "alertMessage": text, "whenBusy": "queue"})
                    client.call("session.setAlertMessage", {"session": session["session"], "message": text})
                    client.call("session.invalidate", {"session": session["session"], "errorMessage": text})
            time.sleep(BREATH)


def noise(path, until, reader):
    """Lines that are not requests: control characters, numbers too large, deep nesting, half of a character."""
    source = random.Random(14)
    while time.monotonic() < until:
        with survived(), Client(path, 0) as client:
            for _ in range(50):
                kinds = [
                    bytes(source.randrange(256) for _ in range(200)), b"[" * 50_000, b'{"a":' * 20_000,
                    b'{"jsonrpc":"2.0","id":1e999,"method":"\\u0000\\n<0>"}', b'"' + b"\xc3" * 1000, b"{}", b"[]", b"[1,{}]",
                    b'{"jsonrpc":"2.0","id":"' + b"i" * 100_000 + b'","method":"server.info"}']
                push(client.socket, source.choice(kinds).replace(b"\n", b" ") + b"\n")
            drain([client.socket], 0.2)


def taps(path, until, reader):
    """250 connections with subscriptions to the journal that acknowledge nothing and with lists of all of it, and new consumers."""
    number = 0
    while time.monotonic() < until:
        with survived(), Client(path, 5) as client, many(path, 250) as others:
            for _ in range(64):
                with contextlib.suppress(Refused):
                    client.call("taps.subscribe", {"after": 0})
            lines = b"".join(request("taps.subscribe", {"after": 0}, 1) for _ in range(64))
            for other in others:
                push(other, lines + request("taps.list", {"limit": 1000}, 2) * 50)
            for _ in range(20):
                number += 1
                client.call("taps.list", {"limit": 1000, "newestFirst": number % 2 == 0})
                with contextlib.suppress(Refused):
                    client.call("taps.acknowledge", {"consumer": f"flood-{number % 100}"})
        time.sleep(BREATH)


def subscriptions(path, until, reader):
    """250 connections with 16 background subscriptions each, and a tag with a message of 40 KB that comes and goes."""
    tag = {"model": "type4-extended", "reader": reader, "ndef": f"C1010000{40_000:04X}55" + "61" * 40_000}
    filters = [{"kind": "uri"} if number % 2 else {} for number in range(16)]
    lines = b"".join(request("background.subscribe", {"filter": wanted}, 1) for wanted in filters)
    while time.monotonic() < until:
        with survived(), Client(path, 5) as client, many(path, 250) as connections:
            for connection in connections:
                push(connection, lines)
            drain(connections, 0.5)
            for _ in range(10):
                presented = client.call("simulator.present", tag)
                drain(connections, 0.3)
                client.call("simulator.remove", {"presentation": presented["presentation"]})


def bursts(path, until, reader):
    """One request on each of 250 connections at once, with short and long answers, and waiting sessions that all leave together."""
    begin = request("session.begin", {"kind": "tag", "readers": [reader], "whenBusy": "queue"}, 3)
    while time.monotonic() < until:
        with many(path, 250) as connections:
            for line in (request("server.info", {}, 1), request("rpc.discover", {}, 2), begin * 16):
                for connection in connections:
                    push(connection, line)
                drain(connections, 0.3)


# By name. The number is the simulated reader that a flood uses, counted from the first that the neighbours do not.
FLOODS = {
    "batches": (batches, 0),
    "discover": (discover, 0),
    "queues": (queues, 0),
    "lines": (lines, 0),
    "commands": (commands, 1),
    "pipelining": (pipelining, 0),
    "connections": (connections, 0),
    "records": (records, 2),
    "texts": (texts, 3),
    "noise": (noise, 0),
    "subscriptions": (subscriptions, 2),
    "bursts": (bursts, 0),
    "taps": (taps, 0),
}


def flood(name, path, seconds, first_reader):
    """Runs a flood for some seconds."""
    function, reader = FLOODS[name]
    function(path, time.monotonic() + seconds, f"simulated-{first_reader + reader}")
