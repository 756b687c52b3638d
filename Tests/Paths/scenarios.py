"""The five paths of Docs/architecture.md, each carried out once by real programs, with a real pcscd and virtual tags at vpcd."""

import contextlib
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATIENCE = 60
SLOT = "127.0.0.1:35963"
URI = "https://example.com/1"


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
    """The programs of one scenario. `traced` are those whose functions are recorded."""

    def __init__(self, programs, tools, folder):
        self.programs, self.tools, self.folder = pathlib.Path(programs), pathlib.Path(tools), pathlib.Path(folder)
        self.socket = self.folder / "nfcd.sock"
        self.stack = contextlib.ExitStack()
        self.traced = {}

    def run(self, program, *arguments, traces=True, **options):
        """Starts a program; a traced one from the folder of instrumented programs."""
        path = (self.programs if traces else self.tools) / program
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "ASAN_OPTIONS": "detect_leaks=0", "HOME": str(self.folder)}
        if traces:
            environment["NFCD_TRACE"] = str(self.folder / program)
        process = subprocess.Popen([str(path), *map(str, arguments)], env=environment, **options)
        self.stack.callback(self.end, process)
        if traces:
            self.traced[program] = process
        return process

    @staticmethod
    def end(process):
        process.terminate()
        process.wait(PATIENCE)

    def nfcd(self, *arguments, traces=True):
        process = self.run(
            "nfcd", "--socket", self.socket, "--log-level", "error", *arguments, traces=traces)
        self.until(self.socket.exists, "nfcd does not listen")
        client = Client(self.socket)
        self.until(lambda: client.call("readers.list"), "nfcd has no reader")
        return process

    def tag(self, *arguments):
        """A virtual tag at vpcd, until the end of the scenario."""
        process = self.run(
            "nfcctl", "virtual-tag", *arguments, "--vpcd", SLOT, "--json", traces=False, stdout=subprocess.PIPE, text=True)
        if not process.stdout.readline():
            raise SystemExit("paths: the virtual tag did not appear")

    @contextlib.contextmanager
    def recording(self):
        for process in self.traced.values():
            process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        yield
        for process in self.traced.values():
            process.send_signal(signal.SIGUSR2)

    def records(self):
        """The addresses of each traced program, in their order."""
        for program, process in self.traced.items():
            path = pathlib.Path(f"{self.folder / program}.{process.pid}")
            self.until(lambda: path.exists() and path.read_text().endswith("end\n"), f"{program} wrote no record")
            yield program, path.read_text().split()[:-1]

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
    with stage.recording():
        stage.tag("ntag215", "--uri", URI)
        client.notification("session.didDetectNDEFs")


def write(stage):
    """The path of `tag.writeNDEF`"""
    stage.nfcd()
    client = Client(stage.socket)
    session = client.call("session.begin", kind="ndef", detection="tags")["session"]
    stage.tag("ntag215", "--uri", URI)
    tag = client.notification("session.didDetectTags")["tags"][0]["tag"]
    client.call("session.connect", session=session, tag=tag)
    message = {"records": [{"decoded": {"kind": "uri", "uri": "https://example.com/2"}}]}
    with stage.recording():
        client.call("tag.writeNDEF", session=session, tag=tag, message=message)


def broker(stage):
    """The path of a tap to a broker"""
    (stage.folder / "nfcd.toml").write_text(f'[journal]\nenabled = true\npath = "{stage.folder}/journal/taps.db"\n')
    stage.nfcd("--config", stage.folder / "nfcd.toml", traces=False)
    configuration = stage.folder / "mosquitto.conf"
    configuration.write_text("listener 1883 127.0.0.1\nallow_anonymous true\n")
    mosquitto = subprocess.Popen(["mosquitto", "-c", str(configuration)], stderr=subprocess.DEVNULL)
    stage.stack.callback(stage.end, mosquitto)
    (stage.folder / "relay.toml").write_text(
        f'[state]\npath = "{stage.folder}/relay.db"\n[[mqtt]]\nname = "broker"\nhost = "127.0.0.1"\n')
    relay = stage.run(
        "nfcd-relay", "--config", stage.folder / "relay.toml", "--socket", stage.socket, "--control",
        stage.folder / "relay.sock", "--log-level", "error")
    subscriber = subprocess.Popen(
        ["mosquitto_sub", "-h", "127.0.0.1", "-t", "#", "-v"], stdout=subprocess.PIPE, text=True)
    stage.stack.callback(stage.end, subscriber)
    while "online" not in subscriber.stdout.readline():
        assert relay.poll() is None, "nfcd-relay ended"
    with stage.recording():
        stage.tag("ntag215", "--uri", URI)
        while URI not in subscriber.stdout.readline():
            pass
        time.sleep(2)


def assertion(stage):
    """The path of a FIDO assertion"""
    sys.path[:0] = [str(ROOT / "Tests/FIDO"), str(ROOT / "Tests/VM"), str(ROOT / "Scripts/lib")]
    from check_fido import asserted, make, only  # noqa: PLC0415
    from fido2.ctap2 import Ctap2  # noqa: PLC0415
    from standin import Kernel  # noqa: PLC0415
    kernel = Kernel(str(stage.folder / "uhid.sock"))
    stage.nfcd()
    (stage.folder / "fido.toml").write_text("")
    stage.run(
        "nfcd-fido", "--config", stage.folder / "fido.toml", "--socket", stage.socket, "--uhid", stage.folder / "uhid.sock",
        "--log-level", "error")
    stage.tag("fido2", "--several-operations")

    class Here:
        """What `only` needs of a check's world."""

    here = Here()
    here.kernel = kernel
    ctap = Ctap2(only(here))
    credential = make(ctap, options={"rk": False})
    with stage.recording():
        asserted(ctap, credential)


def scan(stage):
    """The path of `NDEFReader.scan()`"""
    sys.path[:0] = [str(ROOT / "Tests/Web"), str(ROOT / "Scripts/lib")]
    import struct  # noqa: PLC0415
    stage.nfcd()
    host = stage.run(
        "nfcd-web", "--socket", stage.socket, "chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/", stdin=subprocess.PIPE,
        stdout=subprocess.PIPE)

    def send(**message):
        payload = json.dumps(message).encode()
        host.stdin.write(struct.pack("=I", len(payload)) + payload)
        host.stdin.flush()

    def receive(event):
        while header := host.stdout.read(4):
            report = json.loads(host.stdout.read(struct.unpack("=I", header)[0]))
            if report.get("event") == event:
                return report
        raise SystemExit("paths: nfcd-web ended")

    send(verb="hello", version=1)
    send(verb="front", document="d")
    with stage.recording():
        send(verb="scan", id=1, document="d", origin="https://a.example")
        receive("done")
        stage.tag("ntag215", "--uri", URI)
        receive("tap")


SCENARIOS = [tap, write, broker, assertion, scan]


def carry_out(scenario, programs, tools):
    """[(program, addresses in the order of execution)]"""
    with tempfile.TemporaryDirectory(prefix="nfcd.") as folder:
        stage = Stage(programs, tools, folder)
        with stage.stack:
            scenario(stage)
            return list(stage.records())
