#!/usr/bin/env python3
"""Has taps reach the real Spoolman and the real Moonraker: nfcd with a simulated reader, nfcd-relay, and both receivers.

    Tests/Foreign/spoolman.py --programs FOLDER [--spoolman FOLDER] [--python PROGRAM] [--moonraker PROGRAM] [--keep FOLDER]

--programs is the folder of nfcd, nfcd-relay and nfcctl. --spoolman is the source of Spoolman (github.com/Donkie/Spoolman, MIT) from 0.27
on, $SPOOLMAN by default, with a client_v2/build (an empty folder is enough); --python is a Python with its requirements,
$SPOOLMAN_PYTHON by default, or the one of .venv in that folder. --moonraker is the program of PyPI's moonraker (GPLv3), $MOONRAKER by
default, or the one in the PATH. --keep keeps the configurations, files and logs in a new folder.

Nothing is fetched. Exit codes: 0 passed, 1 failed, 69 something is missing.
"""
import argparse
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from checks import Checks
from transports import missing

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile"), str(ROOT / "Tests/Soak")]
import programs  # noqa: E402
from programs import Program, is_listening, wait_for, work_folder  # noqa: E402
from sinks import free_port  # noqa: E402
from taps import Subscriber  # noqa: E402
from wire import Client  # noqa: E402

FIRST, SECOND, OTHER, NEW = "E004010001020304", "04A1B2C3D4E5F6", "04FFFFFFFFFFFF", "E004010001020305"
# A record of the media type of OpenPrintTag, and a URI.
SPOOL_MESSAGE = bytes([0xD2, 28, 4]) + b"application/vnd.openprinttag" + bytes.fromhex("A1021820")
PLAIN_MESSAGE = bytes.fromhex("D101065504612E6F7267")
MAX_AGE_S = 3
READER, OTHER_READER = "simulated-0", "simulated-1"
# A program in it has a machine that was started an hour earlier. The clocks of the machine stay as they are (time_namespaces(7)).
AN_HOUR_LATER = ["unshare", "--time", "--boottime", "3600", "--monotonic", "3600"]


def call(method, url, body=None, headers=None):
    """The answer to a request, decoded."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


def answers(url):
    try:
        return call("GET", url) is not None
    except (urllib.error.URLError, OSError):
        return False


class Spoolman:
    """The real Spoolman, with an empty database at first."""

    def __init__(self, folder, source, python):
        self.port = free_port()
        data = os.path.join(folder, "spoolman")
        environment = {f"SPOOLMAN_DIR_{name}": data for name in ("DATA", "LOGS", "BACKUPS")}
        environment |= {
            "EXTERNAL_DB_URL": "http://127.0.0.1:9/", "EXTERNAL_DB_SYNC_INTERVAL": "0",
            # It calls alembic.
            "PATH": f"{pathlib.Path(python).parent}:{os.environ['PATH']}"}
        command = [
            "env", f"--chdir={source}", python, "-m", "uvicorn", "spoolman.main:app", "--host", "127.0.0.1", "--port",
            str(self.port)]
        self.program = Program("spoolman", command, folder, environment)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self.program.release()
        wait_for(lambda: answers(f"{self.url}/api/v1/info"), "the start of Spoolman")

    def call(self, method, path, body=None):
        return call(method, f"{self.url}/api/v1{path}", body)

    def add_spool(self, uid):
        filament = self.call("POST", "/filament", {"density": 1.24, "diameter": 1.75})["id"]
        spool = self.call("POST", "/spool", {"filament_id": filament, "initial_weight": 1000})["id"]
        self.call("POST", f"/spool/{spool}/tag", {"uid": uid})
        return spool

    @property
    def consumption(self):
        return [(spool["id"], spool["used_weight"], spool.get("first_used")) for spool in self.call("GET", "/spool")]


class Listener(threading.Thread):
    """What Spoolman reports to its listeners: a client of its WebSocket (RFC 6455)."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.scans = []
        self._socket = socket.create_connection(("127.0.0.1", port), 10)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET /api/v1/tag/scan HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self._file = self._socket.makefile("rb")
        if b" 101 " not in self._file.readline():
            raise ConnectionError("Spoolman accepts no listener")
        while self._file.readline().strip():
            pass
        self._socket.settimeout(None)
        self.start()

    def run(self):
        try:
            while True:
                self._take()
        except (OSError, ValueError, struct.error):
            pass

    def _take(self):
        kind, length = struct.unpack(">BB", self._file.read(2))
        if length > 125:
            length, = struct.unpack(">H", self._file.read(2)) if length == 126 else struct.unpack(">Q", self._file.read(8))
        data = self._file.read(length)
        if kind & 0x0F == 9:
            # A pong, masked with zeros.
            self._socket.sendall(bytes([0x8A, 0x80 | len(data)]) + bytes(4) + data)
        elif kind & 0x0F == 1:
            self.scans.append(json.loads(data)["payload"])


class Moonraker:
    """The real Moonraker, without Klipper, which trusts no client."""

    def __init__(self, folder, program, spoolman):
        self.port = free_port()
        self.folder = os.path.join(folder, "moonraker")
        os.makedirs(os.path.join(self.folder, "config"))
        pathlib.Path(self.folder, "config/moonraker.conf").write_text(
            f"[server]\nhost: 127.0.0.1\nport: {self.port}\nklippy_uds_address: {self.folder}/klippy.sock\n"
            "[machine]\nprovider: none\nvalidate_service: False\n[authorization]\n"
            f"[spoolman]\nserver: {spoolman.url}\n")
        self.program = Program("moonraker", [program, "-d", self.folder, "-n"], folder)
        self.key = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self.program.release()
        wait_for(lambda: answers(f"{self.url}/access/info"), "the start of Moonraker")
        self.key = self._api_key()
        self.wait_for_spoolman(True)

    def _api_key(self):
        """From its own socket, which trusts every client."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10)
            client.connect(os.path.join(self.folder, "comms/moonraker.sock"))
            client.sendall(b'{"jsonrpc":"2.0","method":"access.get_api_key","id":1}\x03')
            data = b""
            while not data.endswith(b"\x03"):
                data += client.recv(4096)
        return json.loads(data[:-1])["result"]

    @property
    def status(self):
        return call("GET", f"{self.url}/server/spoolman/status", headers={"X-Api-Key": self.key})["result"]

    @property
    def active_spool(self):
        return self.status["spool_id"]

    def wait_for_spoolman(self, is_connected):
        wait_for(lambda: self.status["spoolman_connected"] == is_connected, "Moonraker's view of Spoolman")


class Desk:
    """nfcd with a simulated reader, and the relay to both receivers."""

    def __init__(self, folder, folder_of_programs, tables, journal=""):
        os.makedirs(folder, exist_ok=True)
        self.nfcctl = f"{folder_of_programs}/nfcctl"
        self.nfcd, self.socket = programs.nfcd(folder, folder_of_programs, 2, journal)
        self.relay = programs.relay(
            folder, folder_of_programs, self.socket, tables, 'device = "desk"\nreconnect-jitter = 0\n')
        self.control = os.path.join(folder, "relay.sock")
        self.subscribers = {reader: Subscriber(self.socket, reader) for reader in (READER, OTHER_READER)}

    def start(self):
        self.nfcd.release()
        wait_for(lambda: is_listening(self.socket), "the start of nfcd")
        self.start_relay()

    def start_relay(self):
        self.relay.release()
        wait_for(lambda: is_listening(self.control), "the start of nfcd-relay")
        with Client(self.socket) as client:
            wait_for(lambda: client.call("taps.status")["consumers"], "the registration of the consumers")

    def stop(self):
        for subscriber in self.subscribers.values():
            subscriber.disconnect()
        self.relay.hold(kill=False)
        self.nfcd.hold(kill=False)

    def starts_later(self):
        """Has nfcd and the relay start an hour later from now on."""
        self.nfcd.prefix = self.relay.prefix = AN_HOUR_LATER

    def tap(self, uid, message=PLAIN_MESSAGE, reader=READER):
        """Presents a tag until it is reported, and takes it away."""
        client = self.subscribers[reader].connected()
        model = "slix2" if uid.startswith("E0") else "ntag215"
        shown = client.call(
            "simulator.present", {"reader": reader, "model": model, "identifier": uid, "ndef": message.hex()})
        while client.wait("background.didReadTag")["tag"]["identifier"] != uid:
            pass
        client.call("simulator.remove", {"presentation": shown["presentation"]})

    def consumer(self, name):
        """A consumer as `nfcctl relay status` shows it."""
        status = json.loads(self._nfcctl("status", "--json"))
        return next(consumer for consumer in status["consumers"] if consumer["name"] == name)

    def _nfcctl(self, *words):
        finished = subprocess.run(
            [self.nfcctl, "relay", *words], env={**os.environ, "NFCD_RELAY_SOCKET": self.control}, text=True,
            capture_output=True, timeout=30)
        return finished.stdout + finished.stderr

    def status_text(self):
        return self._nfcctl("status")

    def metrics(self):
        return self._nfcctl("metrics")

    def test(self, name):
        return self._nfcctl("test", name)


def table(name, url, preset, *lines):
    return "\n".join(["[[webhook]]", f'name = "{name}"', f'url = "{url}"', f'preset = "{preset}"', *lines, ""])


def judge_taps(judge, desk, spoolman, moonraker, first, second):
    """What a tap does while everything runs."""
    listener = Listener(spoolman.port)
    judge.check("a test passes through Moonraker", "Delivered: Spoolman answers" in desk.test("printer"))
    judge.check("no spool is active at first", moonraker.active_spool is None)
    desk.tap(FIRST, SPOOL_MESSAGE)
    wait_for(lambda: moonraker.active_spool == first, "the active spool of the first tag")
    judge.check("the spool of an ICODE tag is found by its UID, E0 first, and active", True)
    wait_for(lambda: any(scan["uid"] == FIRST for scan in listener.scans), "the scan of the first tag")
    scan = next(scan for scan in listener.scans if scan["uid"] == FIRST)
    judge.check("Spoolman gets the reader", scan["reader_id"] == f"desk:{READER}" and scan["matched_spool_id"] == first, scan)
    judge.check("Spoolman gets the format", scan.get("format") == "openprinttag", scan)
    judge.check("Spoolman gets the message", base64.b64decode(scan["payload_b64"]) == SPOOL_MESSAGE, scan)
    wait_for(lambda: desk.consumer("spoolman")["delivered"] >= 1, "the second delivery of the scan")
    repeated = [scan for scan in listener.scans if scan["uid"] == FIRST]
    judge.check("Spoolman shows the scan once although both consumers send it", len(repeated) == 1, repeated)
    desk.tap(OTHER)
    wait_for(lambda: desk.consumer("printer")["delivered"] >= 2, "the tap of an unknown tag")
    judge.check("a tag that no spool has changes nothing", moonraker.active_spool == first)
    desk.tap(SECOND)
    wait_for(lambda: moonraker.active_spool == second, "the active spool of the second tag")
    judge.check("the next tap makes another spool active", True)
    stranger = wait_for(lambda: desk.consumer("stranger")["state"] == "held" and desk.consumer("stranger"), "the hold")
    judge.check("a relay without a key is held, and what to do is shown", "X-Api-Key" in stranger["lastError"], stranger)


def judge_recipe(judge, desk, spoolman, second):
    """The line of the cookbook that links a spool."""
    page = (ROOT / "Docs/cookbook.md").read_text()
    line = next(line for line in page.splitlines() if line.endswith("/api/v1/spool/7/tag"))
    line = line.replace("127.0.0.1:7912/api/v1/spool/7", f"127.0.0.1:{spoolman.port}/api/v1/spool/{second}")
    path = f"{os.path.dirname(desk.nfcctl)}:{os.environ['PATH']}"
    with Client(desk.socket) as client:
        client.call("simulator.present", {"reader": READER, "model": "slix2", "identifier": NEW})
        linked = subprocess.run(
            ["sh", "-c", line], env={**os.environ, "PATH": path, "NFCD_SOCKET": desk.socket}, text=True, capture_output=True,
            timeout=60)
    found = spoolman.call("GET", f"/spool?tag={NEW}")
    judge.check("the line of the cookbook links a spool", [spool["id"] for spool in found] == [second], linked)


def judge_outage(judge, desk, spoolman, moonraker, first, second):
    """What comes of taps that nothing received in time."""
    spoolman.program.hold(kill=False)
    moonraker.wait_for_spoolman(False)
    for uid in (FIRST, OTHER, FIRST):
        desk.tap(uid)
        time.sleep(0.5)
    for name in ("spoolman", "printer"):
        wait_for(lambda name=name: desk.consumer(name).get("tooOld") == 3, f"the end of the old taps of {name}")
        consumer = desk.consumer(name)
        judge.check(f"taps during an outage are left out for {name}", consumer["backlog"] == 0, consumer)
        judge.check(f"{name} waits for its receiver", consumer["state"] == "waiting" and consumer["parked"] == 0, consumer)
    judge.check("nfcctl shows them", desk.status_text().count("3 older than max-age left out") == 2, desk.status_text())
    judge.check("so do the metrics", 'nfcd_relay_too_old_total{consumer="printer",kind="webhook"} 3' in desk.metrics())
    spoolman.start()
    moonraker.wait_for_spoolman(True)
    # Longer than every wait between two attempts.
    time.sleep(2 * MAX_AGE_S)
    readers = spoolman.call("GET", "/tag/reader")
    judge.check("Spoolman gets nothing of the outage when it is back", readers == [], readers)
    judge.check("the active spool is that of before the outage", moonraker.active_spool == second)
    desk.relay.hold(kill=True)
    desk.tap(FIRST)
    time.sleep(MAX_AGE_S + 1)
    desk.start_relay()
    wait_for(lambda: desk.consumer("printer").get("tooOld") == 1, "the old tap of before the start")
    wait_for(lambda: desk.consumer("spoolman").get("tooOld") == 1, "the old tap of before the start")
    readers = spoolman.call("GET", "/tag/reader")
    judge.check("nothing old is delivered after a start of the relay", readers == [] and moonraker.active_spool == second)
    desk.tap(FIRST)
    wait_for(lambda: moonraker.active_spool == first, "the active spool after the outage")
    judge.check("a fresh tap is delivered again", len(spoolman.call("GET", "/tag/reader")) == 1)


def judge_hashed(judge, folder, programs_folder, spoolman):
    """A journal without UIDs."""
    desk = Desk(folder, programs_folder, [table("spoolman", spoolman.url, "spoolman")], 'identifiers = "hashed"\n')
    desk.start()
    try:
        wait_for(lambda: desk.consumer("spoolman")["state"] == "held", "the hold before any tap")
        error = desk.consumer("spoolman")["lastError"]
        advice = 'identifiers = "plain"'
        judge.check("hashed identifiers hold the consumer from the start, with what to write", advice in error, error)
        before = spoolman.call("GET", "/tag/reader")
        desk.tap(FIRST)
        time.sleep(1)
        readers = spoolman.call("GET", "/tag/reader")
        judge.check("Spoolman gets no hash", readers == before, readers)
    finally:
        desk.stop()


def judge_hour(judge, folder, programs_folder, spoolman, moonraker, key, first, second):
    """An hour without Spoolman, with the age limit that the presets have, and consumption that Spoolman counted before."""
    if not passes_an_hour():
        return print("left out: the outage of an hour, which takes root and time namespaces (unshare --time)")
    header = f'headers-file = "{key}"'
    desk = Desk(folder, programs_folder, [
        table("spoolman", spoolman.url, "spoolman"),
        table("printer", moonraker.url, "moonraker", header, f'readers = ["{READER}"]'),
        table("other", moonraker.url, "moonraker", header, f'readers = ["{OTHER_READER}"]')], "debounce = 0\n")
    desk.start()
    try:
        # As the printer reports it.
        spoolman.call("PUT", f"/spool/{first}/use", {"use_weight": 12.5})
        desk.tap(FIRST)
        wait_for(lambda: moonraker.active_spool == first, "the active spool before the outage")
        wait_for(lambda: desk.consumer("other").get("ofOtherReaders") == 1, "the tap of another reader")
        used = spoolman.consumption
        reported = sorted(each[:2] for each in used) == sorted([(first, 12.5), (second, 0)])
        judge.check("the consumption is what the printer reported", reported, used)
        spoolman.program.hold(kill=False)
        moonraker.wait_for_spoolman(False)
        for uid in (SECOND, OTHER, SECOND):
            desk.tap(uid)
        wait_for(lambda: desk.consumer("printer")["backlog"] == 3, "the taps of the outage")
        desk.stop()
        desk.starts_later()
        desk.start()
        for name in ("spoolman", "printer"):
            wait_for(lambda name=name: desk.consumer(name).get("tooOld") == 3, f"the end of the old taps of {name}")
            consumer = desk.consumer(name)
            judge.check(f"taps of an hour ago are left out and counted for {name}", consumer["backlog"] == 0, consumer)
        spoolman.start()
        moonraker.wait_for_spoolman(True)
        # Longer than the waits of the first attempts.
        time.sleep(5)
        readers = spoolman.call("GET", "/tag/reader")
        judge.check("Spoolman gets nothing of that hour", readers == [], readers)
        judge.check("the active spool is that of before the hour", moonraker.active_spool == first)
        judge.check("the consumption is that of before the hour", spoolman.consumption == used, spoolman.consumption)
        desk.tap(SECOND)
        wait_for(lambda: moonraker.active_spool == second, "the active spool after the hour")
        for name in ("spoolman", "printer"):
            wait_for(lambda name=name: desk.consumer(name)["delivered"] == 1, f"the new tap of {name}")
        judge.check("a new tap is delivered once", spoolman.consumption == used, spoolman.consumption)
        desk.tap(FIRST, reader=OTHER_READER)
        wait_for(lambda: desk.consumer("other")["delivered"] == 1, "the tap for the other printer")
        judge.check("a printer with its own reader gets the taps of that one", moonraker.active_spool == first)
        wait_for(lambda: desk.consumer("printer").get("ofOtherReaders") == 1, "the tap that is not for this printer")
        judge.check("another printer does not get them", desk.consumer("printer")["delivered"] == 1)
        judge.check("nfcctl shows them", "1 of other readers left out" in desk.status_text(), desk.status_text())
    finally:
        desk.stop()
    for part in (desk.nfcd, desk.relay):
        judge.check(f"{part.name} did not end by itself in that hour", not part.crashes, part.crashes)


def passes_an_hour():
    """Whether a program can be started as if an hour had passed."""
    def uptime(*prefix):
        shown = subprocess.run([*prefix, "cat", "/proc/uptime"], capture_output=True, text=True)
        return float(shown.stdout.split()[0]) if shown.returncode == 0 else 0
    return uptime(*AN_HOUR_LATER) >= uptime() + 3590


def judge_all(judge, folder, options):
    spoolman = Spoolman(folder, options.spoolman, options.python)
    moonraker = Moonraker(folder, options.moonraker, spoolman)
    parts = [spoolman.program, moonraker.program]
    try:
        spoolman.start()
        first, second = spoolman.add_spool(FIRST), spoolman.add_spool(SECOND)
        before = spoolman.consumption
        moonraker.start()
        key = pathlib.Path(folder, "key")
        key.touch(0o600)
        key.write_text(f"X-Api-Key: {moonraker.key}\n")
        limit = f"max-age = {MAX_AGE_S}"
        desk = Desk(os.path.join(folder, "desk"), options.programs, [
            table("spoolman", spoolman.url, "spoolman", limit, "contents = true"),
            table("printer", moonraker.url, "moonraker", limit, "contents = true", f'headers-file = "{key}"'),
            table("stranger", moonraker.url, "moonraker", limit)])
        parts += [desk.relay, desk.nfcd]
        desk.start()
        judge_taps(judge, desk, spoolman, moonraker, first, second)
        judge_outage(judge, desk, spoolman, moonraker, first, second)
        judge_recipe(judge, desk, spoolman, second)
        judge.check("no tap counted any consumption", spoolman.consumption == before, spoolman.consumption)
        judge.check("Moonraker has nothing to report", moonraker.status["pending_reports"] == [])
        desk.stop()
        judge_hour(judge, os.path.join(folder, "hour"), options.programs, spoolman, moonraker, key, first, second)
        judge_hashed(judge, os.path.join(folder, "hashed"), options.programs, spoolman)
        for part in parts:
            judge.check(f"{part.name} did not end by itself", not part.crashes, part.crashes)
    finally:
        for part in parts:
            part.hold(kill=True)


def found(options):
    """The options, where everything that they name exists."""
    for name in ("nfcd", "nfcd-relay", "nfcctl"):
        if not os.access(f"{options.programs}/{name}", os.X_OK):
            missing(f"{options.programs}/{name} is missing")
    if not options.spoolman or not os.path.isfile(f"{options.spoolman}/spoolman/api/v1/tag.py"):
        missing("--spoolman names no source of Spoolman with tags (0.27)")
    options.spoolman = os.path.abspath(options.spoolman)
    if not os.path.isdir(f"{options.spoolman}/client_v2/build"):
        missing(f"{options.spoolman}/client_v2/build is missing; an empty folder is enough")
    options.python = options.python or f"{options.spoolman}/.venv/bin/python"
    # Some versions need a newer Python than their pyproject.toml says.
    ready = [options.python, "-c", "import uvicorn, fastapi, alembic, aiosqlite, spoolman.api.v1.models"]
    if not shutil.which(options.python) or subprocess.run(ready, capture_output=True, cwd=options.spoolman).returncode != 0:
        missing(f"{options.python} is not a Python that runs this version of Spoolman, with its requirements")
    if not (shutil.which("curl") and shutil.which("jq")):
        missing("curl or jq is missing")
    if not options.moonraker or not shutil.which(options.moonraker):
        missing("moonraker is missing (PyPI: moonraker)")
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--spoolman", default=os.environ.get("SPOOLMAN"))
    parser.add_argument("--python", default=os.environ.get("SPOOLMAN_PYTHON"))
    parser.add_argument("--moonraker", default=os.environ.get("MOONRAKER", "moonraker"))
    parser.add_argument("--keep")
    options = found(parser.parse_args())
    judge = Checks()
    with work_folder(options.keep) as folder:
        judge_all(judge, folder, options)
    print(f"passed: {judge.steps} checks")


if __name__ == "__main__":
    main()
