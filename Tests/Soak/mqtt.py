"""A small MQTT 3.1.1 client: a subscriber that keeps its session and subscribes again after a broker lost it, and what a stand-in
relay needs to publish."""

import contextlib
import itertools
import json
import socket
import threading
import time

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 14
KEEP_ALIVE_S = 30
RECONNECT_S = 0.02


def text(value):
    """A string with its length (1.5.3)."""
    encoded = value.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def packet(kind, flags, body=b""):
    """A control packet with its remaining length (2.2)."""
    length, rest = b"", len(body)
    while True:
        rest, digit = rest >> 7, rest & 0x7F
        length += bytes([digit | (0x80 if rest else 0)])
        if not rest:
            return bytes([kind << 4 | flags]) + length + body


class Connection:
    """A connection to a broker, with its CONNACK received."""

    def __init__(self, port, client_id, clean=False, patience=5):
        self.socket = socket.create_connection(("127.0.0.1", port), patience)
        self.unread = b""
        flags = 0x02 if clean else 0
        try:
            self.send(CONNECT, 0, text("MQTT") + bytes([4, flags]) + KEEP_ALIVE_S.to_bytes(2, "big") + text(client_id))
            kind, _, body = self.receive()
            if kind != CONNACK or body[1] != 0:
                raise ConnectionError(f"the broker refused the connection: {body.hex()}")
            self.has_session = body[0] & 1 == 1
        except BaseException:
            self.close()
            raise

    def close(self):
        self.socket.close()

    def send(self, kind, flags, body=b""):
        self.socket.sendall(packet(kind, flags, body))

    def receive(self):
        """The next packet: kind, flags, body."""
        while True:
            parsed = self.parse()
            if parsed:
                return parsed
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise ConnectionError("the broker closed the connection")
            self.unread += piece

    def parse(self):
        """A complete packet of what was read; nil if there is none yet."""
        length = shift = 0
        for index, byte in enumerate(self.unread[1:5], 1):
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0:
                end = index + 1 + length
                if len(self.unread) < end:
                    return None
                first, body = self.unread[0], self.unread[index + 1:end]
                self.unread = self.unread[end:]
                return first >> 4, first & 0x0F, body
        return None

    def subscribe(self, topic):
        self.send(SUBSCRIBE, 2, b"\x00\x01" + text(topic) + b"\x01")

    def publish(self, topic, payload, number=1):
        """Publishes with QoS 1, and waits for the acknowledgement."""
        self.send(PUBLISH, 2, text(topic) + number.to_bytes(2, "big") + payload)
        while self.receive()[0] != PUBACK:
            pass


def publication(flags, body):
    """The topic, packet identifier (nil for QoS 0) and payload of a PUBLISH (3.3)."""
    end = 2 + int.from_bytes(body[:2], "big")
    topic = body[2:end].decode()
    if flags & 0x06 == 0:
        return topic, None, body[end:]
    return topic, body[end:end + 2], body[end + 2:]


class Subscriber:
    """Records every CloudEvent that a broker has, on all topics. It acknowledges a message after it was recorded.

    - ports: of the broker, or of the nodes of a cluster, which are tried in turn.
    """

    def __init__(self, ports, ledger, client_id="soak"):
        self.ports, self.ledger, self.client_id = itertools.cycle(ports), ledger, client_id
        self.ready = threading.Event()
        self._may_run = threading.Event()
        self._may_run.set()
        self._is_ended = False
        self._connection = None
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()

    def run(self):
        while not self._is_ended:
            self._may_run.wait()
            with contextlib.suppress(OSError):
                self.listen()
            self.ready.clear()
            time.sleep(RECONNECT_S)

    def leave(self):
        """Ends the connection, and stays away until `come_back`."""
        self._may_run.clear()
        self.disconnect()

    def come_back(self):
        self._may_run.set()

    def disconnect(self):
        with contextlib.suppress(OSError, AttributeError):
            self._connection.socket.shutdown(socket.SHUT_RDWR)

    def listen(self):
        connection = self._connection = Connection(next(self.ports), self.client_id)
        with contextlib.closing(connection):
            connection.subscribe("#")
            connection.socket.settimeout(KEEP_ALIVE_S / 3)
            while not self._is_ended:
                try:
                    kind, flags, body = connection.receive()
                except TimeoutError:
                    connection.send(PINGREQ, 0)
                    continue
                if kind == SUBACK:
                    self.ready.set()
                elif kind == PUBLISH:
                    topic, number, payload = publication(flags, body)
                    self.record(topic, payload, is_retained=flags & 1 == 1)
                    if number:
                        connection.send(PUBACK, 0, number)

    def record(self, topic, payload, is_retained):
        """Records a CloudEvent; other topics of the relay, such as states, are not taps."""
        try:
            event = json.loads(payload)
        except ValueError:
            return
        if not isinstance(event, dict) or "specversion" not in event:
            return
        if is_retained:
            self.ledger.complain(f"a tap was retained on {topic}")
        self.ledger.record(event)

    def stop(self):
        self._is_ended = True
        self.come_back()
        self.disconnect()
        self._thread.join(KEEP_ALIVE_S)
