"""nfcd-web on its pipes, without a browser: what it takes, what it refuses, and how it ends."""

import json
import struct
import subprocess

from world import TEXT, check, expect

EXTENSION = "chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/"


class Host:
    """A process of nfcd-web, as a browser starts it."""

    def __init__(self, w, *arguments):
        self.process = subprocess.Popen(
            [w.programs / "nfcd-web", "--socket", w.nfcd.socket, *(arguments or [EXTENSION])], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.process.wait()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        payload = json.dumps(message).encode()
        self.write(struct.pack("=I", len(payload)) + payload)

    def receive(self):
        header = self.process.stdout.read(4)
        return json.loads(self.process.stdout.read(struct.unpack("=I", header)[0])) if header else None

    def next(self, event):
        """The next report of this kind."""
        while (report := self.receive()) and report["event"] != event:
            pass
        return report

    def end(self):
        """The exit code and what it wrote to standard error; its input is open."""
        error = self.process.stderr.read().decode()
        return self.process.wait(60), error


@check()
def a_whole_life(w):
    """nfcd-web greets, reads a tap, and ends with 0 and no session when the browser closes the pipe"""
    w.fresh()
    w.clear()
    with Host(w) as host:
        host.send(verb="hello", version=1)
        expect(host.receive()["version"], 1)
        host.send(verb="front", document="d")
        host.send(verb="scan", id=1, document="d", origin="https://a.example")
        expect(host.next("done"), {"event": "done", "id": 1})
        w.tap(TEXT)
        expect(host.next("tap")["records"][0]["payload"], "02656E63616665212121")
        expect(w.nfcd.sessions()[0]["alertMessage"], "https://a.example")
        host.process.stdin.close()
        expect(host.process.wait(60), 0)
    expect(w.nfcd.sessions(), [])


@check()
def what_is_no_request(w):
    """nfcd-web ends with 65 and a reason when it gets something that is not a request, or a frame that is too long"""
    for data, words in [
            (struct.pack("=I", 0), "a frame of 0 bytes"), (struct.pack("=I", 10_000_000) + b"x" * 1000, "a frame of 10000000 bytes"),
            (struct.pack("=I", 2) + b"{]", "not a request"), (struct.pack("=I", 24) + b'{"verb":"session.begin"}', "not a request")]:
        with Host(w) as host:
            try:
                host.write(data)
            except BrokenPipeError:
                pass
            code, error = host.end()
            expect(code, 65, words)
            expect(words in error, True, error)


@check()
def other_callers(w):
    """without a browser nfcd-web explains itself with 64"""
    with Host(w, "--log-level", "info") as host:
        code, error = host.end()
        expect(code, 64)
        expect("browsers start this program" in error, True, error)
