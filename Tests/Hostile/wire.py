"""A client of nfcd's socket, written from the protocol documentation, and a way to be another user."""

import json
import multiprocessing
import os
import signal
import socket
import struct
import sys
import traceback

import realtime

PATIENCE = 60
MIB = 1 << 20
FORK = multiprocessing.get_context("fork")


class Closed(Exception):
    """nfcd closed the connection."""


class Refused(Exception):
    """nfcd answered with an error."""

    def __init__(self, method, error):
        super().__init__(f"{method}: {error}")
        self.code = error["code"]


def request(method, parameters=None, number=None):
    """A request as a line."""
    value = {"jsonrpc": "2.0", "method": method, "params": parameters or {}}
    if number is not None:
        value["id"] = number
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def connected(path, patience=PATIENCE):
    """A connected socket."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)  # without a time-out: a full backlog would be an error
    connection.settimeout(patience)
    return connection


def idle_connections(path, count, patience):
    """Connections without a request, until nfcd accepts no more for `patience` seconds."""
    idle = []
    while len(idle) < count:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # A full backlog is a wait, but not a long one (socket(7)).
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", patience, 0))
        try:
            connection.connect(path)
        except OSError:
            connection.close()
            break
        idle.append(connection)
    return idle


class Client:
    """A client that waits for each answer. Notifications are kept in `notifications`."""

    def __init__(self, path, patience=PATIENCE):
        self.socket = connected(path, patience)
        self.lines = self.socket.makefile("rb")
        self.number = 0
        self.notifications = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.lines.close()
        self.socket.close()

    def send(self, line):
        self.socket.sendall(line)

    def line(self):
        """The next line and its length in bytes, without the newline."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise Closed
        return json.loads(line), len(line) - 1

    def call(self, method, parameters=None):
        """The result of a method."""
        self.number += 1
        self.send(request(method, parameters, self.number))
        while True:
            message, _ = self.line()
            if message.get("id") == self.number and "method" not in message:
                break
            self.notifications.append(message)
        if "error" in message:
            raise Refused(method, message["error"])
        return message["result"]

    def error(self, method, parameters=None):
        """The code of a method's error; nil where it succeeds."""
        try:
            self.call(method, parameters)
        except Refused as refused:
            return refused.code
        return None

    def wait(self, name):
        """The parameters of the next notification of a name."""
        while True:
            message = self.notifications.pop(0) if self.notifications else self.line()[0]
            if message.get("method") == name:
                return message["params"]

    def tag_session(self, reader, **options):
        """A session of kind tag on a reader that is active."""
        session = self.call("session.begin", {"kind": "tag", "readers": [reader], **options})["session"]
        self.wait("session.didBecomeActive")
        return session

    def connect_tag(self, session):
        """Connects to the next tag of a session; its name."""
        tag = self.wait("session.didDetectTags")["tags"][0]["tag"]
        self.call("session.connect", {"session": session, "tag": tag})
        return tag


class Worker:
    """A function in its own process, which may belong to another user, and runs at real-time priority if it measures. Its result is
    what the function returns."""

    def __init__(self, function, *arguments, user=None, niceness=0, measures=False):
        self.result, end = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=self.run, args=(end, function, arguments, user, niceness, measures), daemon=True)
        self.process.start()
        end.close()

    @staticmethod
    def run(end, function, arguments, user, niceness, measures):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.nice(niceness)
        if measures:
            realtime.take(realtime.PROBE)
        if user is not None:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        try:
            end.send(("result", function(*arguments)))
        except BaseException:
            end.send(("failure", traceback.format_exc()))

    def wait(self, patience):
        """What the function returned. Ends this program where it failed or takes too long."""
        if not self.result.poll(patience):
            self.stop()
            sys.exit(f"attack: no result in {patience} s")
        kind, value = self.result.recv()
        self.process.join()
        if kind == "failure":
            sys.exit(f"attack: a client failed:\n{value}")
        return value

    def stop(self):
        self.process.terminate()
        self.process.join()


def as_user(user, function, *arguments, patience=PATIENCE):
    """What a function returns in a process of a user."""
    return Worker(function, *arguments, user=user).wait(patience)
