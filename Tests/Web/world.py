"""What the checks run against: an nfcd with simulated readers, a server for the pages, and the browser."""

import contextlib
import functools
import http.server
import itertools
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "Scripts/lib")]
from browsers import BROWSERS, BrowserError, until  # noqa: E402
from daemon import Daemon  # noqa: E402

TEXT = "D1010A5402656E" + "63616665212121"  # "cafe!!!" in English
URL = "D101085502676F6F2E676C65"
# The memory of a MIFARE Ultralight without NDEF, which holds data of another program.
FOREIGN = "046E10F2304D5A80A748000000000000" + "A5" * 48


class Nfcd:
    """nfcd with simulated readers, and one client that moves the virtual tags."""

    def __init__(self, program, folder, readers=2, config=None):
        self.program, self.folder, self.options = program, folder, ["--simulator", str(readers)]
        if config:
            path = pathlib.Path(folder) / "nfcd.toml"
            path.write_text(config)
            self.options += ["--config", str(path)]
        self.numbers = itertools.count(1)
        self.start()

    def start(self):
        self.daemon = Daemon(str(self.program), self.folder, self.options)
        self.socket = self.daemon.socket
        self.client = socket.socket(socket.AF_UNIX)
        self.client.connect(self.socket)
        self.lines = self.client.makefile("r")

    def stop(self):
        self.client.close()
        self.daemon.stop()

    def call(self, method, **params):
        number = next(self.numbers)
        self.client.sendall(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
        raise AssertionError(f"{method}: nfcd closed the connection")

    def tap(self, ndef=URL, model="ntag215", **more):
        """Puts a tag on a reader; returns it for `lift`. Without `ndef`: as it leaves the factory."""
        content = {} if ndef is None else {"ndef": ndef}
        if "dump" not in more:
            content["model"] = model
        return self.call("simulator.present", **content, **more)["presentation"]

    def lift(self, tag):
        self.call("simulator.remove", presentation=tag)

    def lift_all(self):
        for tag in self.call("simulator.list"):
            self.lift(tag["presentation"])

    def sessions(self):
        return self.call("sessions.list")

    def message(self, tag_reader="simulated-0"):
        """What is on the tag of a reader, read by its own session: its records."""
        program = self.program.parent / "nfcctl"
        result = subprocess.run(
            [program, "read", "--json", "--wait", "--timeout", "30", "--reader", tag_reader],
            env={**os.environ, "NFCD_SOCKET": self.socket}, capture_output=True, text=True, timeout=60)
        if result.returncode:
            raise AssertionError(f"nfcctl read: {result.stderr}")
        return json.loads(result.stdout.splitlines()[0])


    def encoded(self):
        """The message on the first reader as bytes, in lower-case hexadecimal digits: its fields put together again."""
        records = self.message()["message"]["records"]
        return b"".join(encode(record, index, len(records)) for index, record in enumerate(records)).hex()


FORMATS = ["empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown"]


def encode(record, index, count):
    """A record as bytes (NFC Forum NDEF 1.0, §3.2)."""
    kind, name, payload = (bytes.fromhex(record.get(key, "")) for key in ("type", "identifier", "payload"))
    head = (0x80 if index == 0 else 0) | (0x40 if index == count - 1 else 0) | FORMATS.index(record["typeNameFormat"])
    head |= (0x08 if name else 0) | (0x10 if len(payload) < 256 else 0)
    length = bytes([len(payload)]) if len(payload) < 256 else len(payload).to_bytes(4, "big")
    return bytes([head, len(kind)]) + length + (bytes([len(name)]) if name else b"") + kind + name + payload


class Pages(http.server.SimpleHTTPRequestHandler):
    """The pages of this folder, and the demo page below /demo/."""

    def translate_path(self, path):
        if path.startswith("/demo/"):
            return str(ROOT / "Clients/web-extension" / path.split("?")[0].lstrip("/"))
        return super().translate_path(path)

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


class World:
    """A browser with the extension, nfcd and the pages of a folder."""

    def __init__(self, kind, programs, folder, testing, extensions):
        self.kind, self.programs, self.folder = kind, pathlib.Path(programs).resolve(), pathlib.Path(folder)
        self.nfcd = Nfcd(self.programs / "nfcd", str(self.folder))
        handler = functools.partial(Pages, directory=str(HERE / "pages"))
        self.pages = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_port
        self.extension = extensions / f"{kind}{'-testing' if testing else ''}"
        if not self.extension.exists():
            subprocess.run([ROOT / "Scripts/products/web-extension", kind, self.extension, *(["--testing"] if testing else [])], check=True)
        hosts = {"org.nfcd.web": self.programs / "nfcd-web"}
        if testing:
            hosts["org.nfcd.web.testing"] = HERE / "simulator_host.py"
        self.browser = BROWSERS[kind](
            self.folder / "browser", self.extension, hosts,
            {"NFCD_SOCKET": self.nfcd.socket, "NFCD_WEB_TEST_PROGRAMS": str(self.programs)})

    def address(self, path="page.html", host="127.0.0.1"):
        return f"http://{host}:{self.port}/{path}"

    def grant(self, state="granted", host="127.0.0.1"):
        """Stores a decision for an origin, as the user's answer would; None forgets it."""
        origin = f"http://{host}:{self.port}"
        api = "chrome" if self.kind == "chromium" else "browser"
        change = f"({{...origins, {json.dumps(origin)}: {json.dumps(state)}}})" if state else (
            f"(({{{json.dumps(origin)}: _, ...others}}) => others)(origins)")
        self.browser.in_background(f"""(async () => {{
            const {{ origins = {{}} }} = await {api}.storage.local.get("origins");
            await {api}.storage.local.set({{ origins: {change} }});
        }})()""")

    def open(self, path="page.html", host="127.0.0.1", window=False):
        page = self.browser.open(self.address(path, host), window)
        self.pages.append(page)
        page.show()
        return page

    def fresh(self, state="granted"):
        """A page with a permission, in front, and nothing on the readers; the pages of the check before are closed."""
        self.clear()
        self.nfcd.lift_all()
        self.grant(state)
        page = self.open()
        query = "navigator.permissions.query({ name: 'nfc' }).then(({ state }) => state)"
        until(lambda: page.evaluate(query) == (state or "prompt"), "the permission is known")
        return page

    def clear(self):
        for page in self.pages:
            try:
                page.close()
            except BrowserError:
                pass
        self.pages = []

    def tap(self, *values, **named):
        """Lifts what lies on the readers, and puts a tag on the first."""
        self.nfcd.lift_all()
        return self.nfcd.tap(*values, **named)

    def seen(self, page, count=1):
        """What the page's scans got, as soon as it is so much."""
        return until(lambda: (lambda seen: seen if len(seen) >= count else None)(page.evaluate("seen")), f"{count} events in the page")

    def close(self):
        self.browser.close()
        self.server.shutdown()
        self.server.server_close()
        self.nfcd.stop()


@contextlib.contextmanager
def world(kind, programs, extensions, testing=False):
    with tempfile.TemporaryDirectory(prefix="nfcd-web-") as folder:
        made = World(kind, programs, folder, testing, extensions)
        try:
            yield made
        except BaseException:
            log = pathlib.Path(folder) / "browser/browser.log"
            if log.exists():
                print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-30:]), file=sys.stderr)
            raise
        finally:
            made.close()


CHECKS = []


def check(*, long=False, testing=False, own=False):
    """Adds a check; its docstring is the behaviour.

    long: not in the short run. testing: with the test build. own: in its own browser, which it may end.
    """
    def add(function):
        function.long, function.testing, function.own = long, testing, own
        CHECKS.append(function)
        return function
    return add


def expect(found, wanted, what=""):
    if found != wanted:
        raise AssertionError(f"{what or 'the result'} is {found!r}, expected {wanted!r}")


__all__ = ["CHECKS", "check", "expect", "BrowserError", "HERE", "ROOT", "TEXT", "URL", "Nfcd", "World", "until", "world"]
