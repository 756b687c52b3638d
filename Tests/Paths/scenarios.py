"""The five paths of Docs/architecture.md, each carried out once by real programs, with a real pcscd and virtual tags at vpcd."""

import contextlib
import json
import pathlib
import socket
import struct
import subprocess
import sys
import time

from recordings import PATIENCE, Trace, wait_until_quiet

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOT = "127.0.0.1:35963"
URI = "https://example.com/1"
# Of the tag in each turn.
UIDS = [None, "04A1B2C3D4E501", "04A1B2C3D4E502"]
# How long idle programs are watched, in seconds: longer than the periods of their timers.
IDLE = 31


class Client:
    """A client of nfcd."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(PATIENCE)
        self.connection.connect(str(path))
        self.lines = self.connection.makefile("rw", encoding="utf-8", newline="\n")
        self.number = 0

    def call(self, method, **params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.lines.write(json.dumps(request) + "\n")
        self.lines.flush()
        answer = self.next(lambda line: line.get("id") == self.number)
        if "error" in answer:
            raise SystemExit(f"paths: {method}: {answer['error']}")
        return answer["result"]

    def notification(self, method):
        return self.next(lambda line: line.get("method") == method)["params"]

    def next(self, matches):
        while line := self.lines.readline():
            if matches(found := json.loads(line)):
                return found
        raise SystemExit("paths: nfcd closed the connection")


class Stage:
    """The programs of one scenario. `functions` has those of each traced program, `library` records them."""

    def __init__(self, programs, functions, library, folder):
        self.programs, self.functions, self.library, self.folder = programs, functions, library, folder
        self.socket = self.folder / "nfcd.sock"
        self.stack = contextlib.ExitStack()
        self.traces = {}
        self.client = self.present = None
        # {program: functions in the order of execution}: when idle, on the path up to the answer, and until all is quiet again.
        self.idle, self.until_answer, self.whole = {}, {}, {}

    def run(self, program, *arguments, traced=True, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.folder)}
        if traced:
            self.traces[program] = trace = Trace(self.folder / program, self.functions[program], self.library)
            environment |= trace.environment
        return self.process([self.programs / program, *map(str, arguments)], env=environment, **options)

    def process(self, command, **options):
        process = subprocess.Popen(command, **options)
        self.stack.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is not None:
            return
        process.terminate()
        process.wait(PATIENCE)

    def nfcd(self, settings=""):
        configuration = self.folder / "nfcd.toml"
        configuration.write_text("session.timeout = 3600\n" + settings)
        self.run("nfcd", "--config", configuration, "--socket", self.socket, "--log-level", "error")
        self.until(self.is_listening, "nfcd does not listen")
        self.client = Client(self.socket)
        self.until(lambda: self.client.call("readers.list"), "nfcd has no reader")

    def is_listening(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def tag(self, *arguments):
        """Puts a virtual tag on the reader of vpcd, where it stays until `remove_tag`."""
        self.present = self.run(
            "nfcctl", "virtual-tag", *arguments, "--vpcd", SLOT, "--json", traced=False, stdout=subprocess.PIPE, text=True)
        if not self.present.stdout.readline():
            raise SystemExit("paths: the virtual tag did not appear")

    def remove_tag(self):
        if self.present:
            self.end(self.present)

    def path(self, prepare, carry_out):
        """Carries a path out twice, with the number of the turn, and records the second time. So what a process does once is not of the
        path: the first use of a constant, the detection of the reader's family.

        Before the recording the programs become quiet, and what they do when idle is recorded. It ends when they are quiet again."""
        prepare(1)
        carry_out(1)
        prepare(2)
        self.begin()
        wait_until_quiet(self.traces.values())
        self.begin()
        time.sleep(IDLE)
        self.idle = self.addresses()
        self.begin()
        carry_out(2)
        self.until_answer = self.addresses()
        wait_until_quiet(self.traces.values())
        self.whole = self.addresses()

    def begin(self):
        for trace in self.traces.values():
            trace.begin()

    def addresses(self):
        return {program: trace.addresses() for program, trace in self.traces.items()}

    @staticmethod
    def read(process, text):
        """Reads lines of a program up to one with a text."""
        while line := process.stdout.readline():
            if text in line:
                return
        raise SystemExit(f"paths: {process.args[0]} ended")

    @staticmethod
    def until(condition, otherwise):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(f"paths: {otherwise}")
            time.sleep(0.05)


def tap(stage):
    """The path of a tap"""
    stage.nfcd()
    client = Client(stage.socket)
    client.call("session.begin", kind="ndef")
    client.notification("session.didBecomeActive")

    def carry_out(turn):
        stage.tag("ntag215", "--uid", UIDS[turn], "--uri", URI)
        client.notification("session.didDetectNDEFs")

    stage.path(lambda turn: stage.remove_tag(), carry_out)


def write(stage):
    """The path of `tag.writeNDEF`"""
    stage.nfcd()
    client = Client(stage.socket)
    session = client.call("session.begin", kind="ndef", detection="tags")["session"]
    tag = None

    def prepare(turn):
        nonlocal tag
        if turn > 1:
            stage.remove_tag()
            client.notification("session.tagRemoved")
        stage.tag("ntag215", "--uid", UIDS[turn], "--uri", URI)
        tag = client.notification("session.didDetectTags")["tags"][0]["tag"]
        client.call("session.connect", session=session, tag=tag)

    def carry_out(turn):
        message = {"records": [{"decoded": {"kind": "uri", "uri": "https://example.com/2"}}]}
        client.call("tag.writeNDEF", session=session, tag=tag, message=message)

    stage.path(prepare, carry_out)


def broker(stage):
    """The path of a tap to a broker"""
    stage.nfcd(f'[journal]\nenabled = true\npath = "{stage.folder}/journal/taps.db"\n')
    configuration = stage.folder / "mosquitto.conf"
    configuration.write_text("listener 1883 127.0.0.1\nallow_anonymous true\n")
    stage.process(["mosquitto", "-c", configuration], stderr=subprocess.DEVNULL)
    stage.until(lambda: socket.socket().connect_ex(("127.0.0.1", 1883)) == 0, "mosquitto does not listen")
    subscriber = stage.process(
        ["mosquitto_sub", "-h", "127.0.0.1", "-t", "#", "-v"], stdout=subprocess.PIPE, text=True)
    (stage.folder / "relay.toml").write_text(
        f'[state]\npath = "{stage.folder}/relay.db"\n[[mqtt]]\nname = "broker"\nhost = "127.0.0.1"\n')
    stage.run(
        "nfcd-relay", "--config", stage.folder / "relay.toml", "--socket", stage.socket, "--control",
        stage.folder / "relay.sock", "--log-level", "error")
    stage.read(subscriber, "online")

    def carry_out(turn):
        stage.tag("ntag215", "--uid", UIDS[turn], "--uri", URI)
        stage.read(subscriber, URI)

    stage.path(lambda turn: stage.remove_tag(), carry_out)


def assertion(stage):
    """The path of a FIDO assertion"""
    sys.path[:0] = [str(ROOT / "Tests/FIDO"), str(ROOT / "Tests/VM")]
    from check_fido import asserted, make, opened  # noqa: PLC0415
    from fido2.ctap2 import Ctap2  # noqa: PLC0415
    from standin import Kernel  # noqa: PLC0415
    kernel = Kernel(str(stage.folder / "uhid.sock"))
    stage.nfcd()
    (stage.folder / "fido.toml").write_text("")
    stage.run(
        "nfcd-fido", "--config", stage.folder / "fido.toml", "--socket", stage.socket, "--uhid", stage.folder / "uhid.sock",
        "--log-level", "error")
    stage.tag("fido2", "--several-operations")
    ctap = Ctap2(opened(kernel.wait()[0]))
    credential = make(ctap, options={"rk": False})
    stage.path(lambda turn: None, lambda turn: asserted(ctap, credential))


def scan(stage):
    """The path of `NDEFReader.scan()`"""
    stage.nfcd()
    host = stage.run(
        "nfcd-web", "--socket", stage.socket, "chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/", stdin=subprocess.PIPE,
        stdout=subprocess.PIPE)

    def send(**message):
        payload = json.dumps(message).encode()
        host.stdin.write(struct.pack("=I", len(payload)) + payload)
        host.stdin.flush()

    def receive(event=None):
        while header := host.stdout.read(4):
            report = json.loads(host.stdout.read(struct.unpack("=I", header)[0]))
            if event in (None, report.get("event")):
                return
        raise SystemExit("paths: nfcd-web ended")

    def prepare(turn):
        if turn > 1:
            send(verb="stop", id=turn - 1, document="d")
            stage.remove_tag()

    def carry_out(turn):
        send(verb="scan", id=turn, document="d", origin="https://a.example")
        receive("done")
        stage.tag("ntag215", "--uid", UIDS[turn], "--uri", URI)
        receive("tap")

    send(verb="hello", version=1)
    receive()
    send(verb="front", document="d")
    stage.path(prepare, carry_out)


SCENARIOS = [tap, write, broker, assertion, scan]
