"""The receivers of the tests, each of which can be out of service: a broker with a subscriber, a webhook receiver that verifies
what it receives, a command."""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import secrets
import socket
import socketserver
import sys
import threading
import time

from ledger import Ledger
from mqtt import Subscriber

HERE = pathlib.Path(__file__).resolve().parent
# What a receiver that is out of service does with a request.
FAULTS = ("closed", "busy", "overloaded", "silent")


def free_port():
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class BrokerSink:
    """A broker that is stopped or killed, and a subscriber with a session, which is sometimes away before that: then the broker has
    acknowledged taps that no receiver has got."""

    name = "mqtt"

    def __init__(self, broker, client_id="soak"):
        self.broker = broker
        self.ledger = Ledger(self.name)
        self.subscriber = Subscriber([broker.port], self.ledger, client_id)

    def configuration(self):
        return f'[[mqtt]]\nname = "mqtt"\nhost = "127.0.0.1"\nport = {self.broker.port}\n' \
               'topic = "soak/{site}/{device}/{reader}/tap"\n'

    def fail(self, random):
        if random.random() < 0.5:
            self.subscriber.leave()
            time.sleep(random.uniform(0, 0.5))
        self.broker.hold(kill=random.random() < 0.5)

    def recover(self):
        self.broker.release()
        self.subscriber.come_back()

    def collect(self):
        """The ledger is complete without it."""

    def stop(self):
        self.subscriber.stop()


class WebhookSink:
    """An HTTP server that verifies the signature with PyPI `standardwebhooks`, and the event with PyPI `cloudevents`."""

    name = "webhook"

    def __init__(self, folder, libraries):
        self.ledger = Ledger(self.name)
        self.port = free_port()
        self.fault = None
        self.secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        self.secret_file = os.path.join(folder, "webhook.secret")
        with open(os.open(self.secret_file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(self.secret + "\n")
        self._verify = libraries.verifier(self.secret)
        self._parse = libraries.parse
        self._connections = set()
        self._server = None
        self.recover()

    def configuration(self):
        return f'[[webhook]]\nname = "webhook"\nurl = "http://127.0.0.1:{self.port}/taps"\n' \
               f'secret-file = "{self.secret_file}"\n'

    def fail(self, random):
        self.fault = random.choice(FAULTS)
        if self.fault == "closed":
            self.close()

    def recover(self):
        self.fault = None
        if self._server is None:
            self._server = Server(("127.0.0.1", self.port), self)
            threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        server, self._server = self._server, None
        if server:
            server.shutdown()
            server.server_close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def collect(self):
        """The ledger is complete without it."""

    def stop(self):
        self.close()

    def connected(self, connection, is_open):
        (self._connections.add if is_open else self._connections.discard)(connection)

    def receive(self, headers, body):
        """The status of the answer to a request, and its `Retry-After`; a status of nil is not an answer."""
        fault = self.fault
        if fault == "busy":
            return 503, None
        if fault == "overloaded":
            return 429, "1"
        try:
            self._verify(body, headers)
            id = self._parse(headers, body)
            event = json.loads(body)
            if headers.get("webhook-id") != id:
                raise ValueError(f"the event {id} has the webhook-id {headers.get('webhook-id')}")
        except Exception as error:
            self.ledger.complain(f"a request is not valid: {error!r}: {body[:300]!r}")
            return 400, None
        self.ledger.record(event)
        return (None if fault else 204), None


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address, sink):
        self.sink = sink
        super().__init__(address, Handler)

    def handle_error(self, request, client_address):
        """A connection that breaks is part of the test."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle(self):
        self.server.sink.connected(self.connection, True)
        try:
            super().handle()
        finally:
            self.server.sink.connected(self.connection, False)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # the relay was killed while it sent
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, retry_after = self.server.sink.receive(headers, body)
        if status is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class CommandSink:
    """A command that appends each tap to a file, or exits with 75."""

    name = "command"

    def __init__(self, folder):
        self.folder = os.path.join(folder, "command")
        os.mkdir(self.folder)
        self.ledger = Ledger(self.name)
        self._offset = 0

    def command(self):
        return [sys.executable, "-I", "-S", str(HERE / "commandsink.py"), self.folder]

    def configuration(self):
        return f'[[command]]\nname = "command"\nrun = {json.dumps(self.command())}\n'

    def fail(self, _):
        pathlib.Path(self.folder, "down").touch()

    def recover(self):
        pathlib.Path(self.folder, "down").unlink(missing_ok=True)

    def collect(self):
        """Adds the lines that were appended since to the ledger."""
        with contextlib.suppress(FileNotFoundError), open(f"{self.folder}/taps", "rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                self.ledger.record(json.loads(line))

    def stop(self):
        self.recover()
