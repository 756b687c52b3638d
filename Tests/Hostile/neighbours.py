"""The well-behaved clients beside an attacker. Each has a reader to itself, where a tag is tapped again and again; it connects to
the tag, sends a raw command, reads the message, and every fourth time writes one. All answers are measured."""

import collections
import json
import selectors
import time

from wire import connected, request

CYCLE = 0.2
URI = "D101045504612E62"
MESSAGE = {"records": [{"typeNameFormat": "nfcWellKnown", "type": "55", "payload": "04612E63"}]}


class Neighbour:
    """One client: a generator yields what it sends and waits for, and receives the message."""

    def __init__(self, path, index, delays, problems):
        self.reader = f"simulated-{index}"
        self.uid = f"04{index:02X}2233445566"
        self.delays, self.problems = delays, problems
        self.number = 0
        self.unread = b""
        self.messages = collections.deque()
        self.taps = 0
        self.socket = connected(path)
        self.socket.setblocking(False)
        self.story = self.live()
        self.waits = next(self.story)
        self.since = time.perf_counter()

    def call(self, method, parameters):
        """Sends a request; the condition of its answer."""
        self.number += 1
        number = self.number
        self.socket.sendall(request(method, parameters, number))
        return method, lambda message: message.get("id") == number and "method" not in message

    @staticmethod
    def notification(name):
        return name, lambda message: message.get("method") == name

    def live(self):
        answer = yield self.call("session.begin", {"kind": "tag", "readers": [self.reader]})
        session = answer["result"]["session"]
        yield self.notification("session.didBecomeActive")
        while True:
            self.taps += 1
            present = self.call(
                "simulator.present", {"model": "ntag215", "reader": self.reader, "identifier": self.uid, "ndef": URI})
            found = yield self.notification("session.didDetectTags")
            presentation = (yield present)["result"]["presentation"]
            tag = {"session": session, "tag": found["params"]["tags"][0]["tag"]}
            yield self.call("session.connect", tag)
            yield self.call("miFare.sendCommand", {**tag, "command": "3000"})
            yield self.call("tag.readNDEF", tag)
            if self.taps % 4 == 0:
                yield self.call("tag.writeNDEF", {**tag, "message": MESSAGE})
            yield self.call("server.info", {})
            yield self.call("simulator.remove", {"presentation": presentation})
            yield self.notification("session.tagRemoved")
            yield "pause", None

    def read(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise ConnectionError(f"nfcd closed the connection of the neighbour on {self.reader}")
        *lines, self.unread = (self.unread + piece).split(b"\n")
        self.messages.extend(json.loads(line) for line in lines)
        self.go_on()

    def go_on(self):
        """Takes the messages that the story waits for; others stay for later."""
        what, condition = self.waits
        while condition:
            message = next((message for message in self.messages if condition(message)), None)
            if message is None:
                return
            self.messages.remove(message)
            self.measure(what, message)
            what, condition = self.next(message)

    def measure(self, what, message):
        self.delays.append((time.perf_counter() - self.since) * 1000)
        if "error" in message:
            self.problems.append(f"{self.reader}: {what}: {message['error']}")
        if len(self.messages) > 1:
            self.problems.append(f"{self.reader}: not expected: {list(self.messages)[1:]}")

    def next(self, message):
        self.waits = self.story.send(message)
        self.since = time.perf_counter()
        return self.waits


def neighbours(path, count, seconds, connected=None):
    """Runs the clients, and sets an event once they are connected; the delays in milliseconds, problems and the number of taps."""
    delays, problems = [], []
    clients = [Neighbour(path, index, delays, problems) for index in range(count)]
    if connected:
        connected.set()
    began = time.perf_counter()
    due = {client: began + CYCLE * index / count for index, client in enumerate(clients)}
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client.socket, selectors.EVENT_READ, client)
        while time.perf_counter() < began + seconds:
            pausing = [client for client in clients if client.waits[0] == "pause"]
            now = time.perf_counter()
            for client in pausing:
                if now >= due[client]:
                    due[client] = max(due[client] + CYCLE, now)
                    client.next(None)
            wake = min([due[client] for client in clients if client.waits[0] == "pause"], default=now + 0.1)
            for key, _ in selector.select(max(0, min(wake - now, 0.1))):
                key.data.read()
    for client in clients:
        waited = (time.perf_counter() - client.since) * 1000
        if client.waits[0] != "pause" and waited > 1000:
            delays.append(waited)
            problems.append(f"{client.reader}: no {client.waits[0]} for {waited:.0f} ms")
        client.socket.close()
    return delays, problems, sum(client.taps for client in clients)
