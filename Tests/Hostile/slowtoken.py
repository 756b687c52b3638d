"""A token that stops answering: the keys of a site are in SoftHSM, behind a module that holds its answers back. While taps wait for it
on more readers than the machine has cores, other clients and readers must not."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile")]
from daemon import running  # noqa: E402
from figures import Figure  # noqa: E402
from wire import Client, Closed, Refused  # noqa: E402

WHAT = "a token that does not answer"
MODULES = ("/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so", "/usr/lib/pkcs11/libsofthsm2.so")
PIN, KEY = "4815162342", "8C1F5E02B7A94D36F0E1D2C3B4A59687"
PATIENCE_S = 30
# The readers whose taps wait, and the one whose taps do not.
DESKS = [f"simulated-{number}" for number in range(min((os.cpu_count() or 1) + 1, 30))]
DESK, GATE = DESKS[0], f"simulated-{len(DESKS)}"
# A message with https://door.example/
MESSAGE = "D1010E5504" + b"door.example/".hex()

# The profile `made` has the same key in the file: its tags are made without the token, and are those of `front`.
KEYS = """
[pkcs11]
module = "{module}"
pin-file = "{folder}/pin"
[[key]]
name = "door"
pkcs11 = "pkcs11:token=door;object=door"
[[key]]
name = "same"
value = "{key}"
[[profile]]
name = "front"
tag = "ntag424"
tag-key = "door"
master-key = "door"
uri-host = "door.example"
[[profile]]
name = "made"
tag = "ntag424"
tag-key = "same"
uri-host = "door.example"
"""

CONFIGURATION = """
[keys]
file = "{folder}/keys.toml"
[journal]
enabled = true
path = "{folder}/taps.db"
debounce = 0
[[grant]]
formats = ["NDEF", "TAG"]
capabilities = ["read", "write", "background", "simulate", "personalise"]
readers = ["*"]
"""


def quietly(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class SlowToken:
    """A token in a folder, with the files of an nfcd that uses it. `held`: its module does not answer."""

    def __init__(self, folder):
        self.hold = os.path.join(folder, "hold")
        module = os.path.join(folder, "slowtoken.so")
        library = next(path for path in MODULES if os.path.exists(path))
        quietly(
            "cc", "-shared", "-fPIC", "-O1", "-o", module, "-I", str(ROOT / "Sources/CPKCS11/include"),
            str(ROOT / "Tests/Hostile/slowtoken.c"), "-ldl")
        os.environ.update(
            SOFTHSM2_CONF=self.write(folder, "softhsm2.conf", f"directories.tokendir = {folder}/tokens\nlog.level = ERROR\n"),
            SLOWTOKEN_MODULE=library, SLOWTOKEN_HOLD=self.hold)
        os.mkdir(os.path.join(folder, "tokens"))
        self.write(folder, "pin", PIN)
        key = os.path.join(folder, "key")
        pathlib.Path(key).write_bytes(bytes.fromhex(KEY))
        quietly("softhsm2-util", "--init-token", "--free", "--label", "door", "--pin", PIN, "--so-pin", "99999999")
        quietly("softhsm2-util", "--import", key, "--aes", "--token", "door", "--label", "door", "--id", "01", "--pin", PIN)
        self.write(folder, "keys.toml", KEYS.format(module=module, folder=folder, key=KEY))
        self.configuration = self.write(folder, "nfcd.toml", CONFIGURATION.format(folder=folder))

    @staticmethod
    def write(folder, name, text):
        path = os.path.join(folder, name)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        os.chmod(path, 0o600)
        return path

    @contextlib.contextmanager
    def held(self):
        pathlib.Path(self.hold).touch()
        try:
            yield
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.hold)
                os.unlink(self.hold + ".reached")

    def wait_for_call(self):
        """Returns when a call waits for the token."""
        end = time.monotonic() + PATIENCE_S
        while not os.path.exists(self.hold + ".reached"):
            if time.monotonic() > end:
                raise Closed(f"no call to the token in {PATIENCE_S} s")
            time.sleep(0.01)


def present(path, reader, **tag):
    """A client with a tag on a reader, which it takes away when it closes."""
    client = Client(path, PATIENCE_S)
    client.call("simulator.present", {"reader": reader, **tag})
    return client


def site_tag(path, reader, number):
    return present(path, reader, profile="made", identifier=f"04A1B2C3D4E5{number:02X}", ndef=MESSAGE)


@contextlib.contextmanager
def waiting_taps(path, token):
    """Tags of the site on all readers but the last, whose taps wait for the token."""
    with contextlib.ExitStack() as stack:
        for number, reader in enumerate(DESKS):
            stack.enter_context(site_tag(path, reader, number))
        token.wait_for_call()
        # The calls behind the first one do not show.
        time.sleep(0.5)
        yield


def tap(watcher):
    """The next tap: its reader, and the status of its proof."""
    tap = watcher.wait("background.didReadTag")
    return tap["reader"], tap.get("proof", {}).get("status")


def desk_tap(watcher):
    """The next tap of another reader than the last."""
    seen = tap(watcher)
    while seen[0] == GATE:
        seen = tap(watcher)
    return seen


def set_up_error(path):
    """The error of setting up a tag on the second reader."""
    with present(path, GATE, model="ntag424", identifier="04A1B2C3D4E5F6", ndef=MESSAGE) as client:
        session = client.tag_session(GATE)
        tag = client.connect_tag(session)
        try:
            client.call("tag.personalise", {"session": session, "tag": tag, "task": "setUp", "profile": "front"})
        except Refused as refused:
            return refused
    return None


def tried(daemon, token):
    path = daemon.socket
    with Client(path, PATIENCE_S) as watcher:
        watcher.call("background.subscribe", {"filter": {}})
        with site_tag(path, DESK, 0x80):
            seen = tap(watcher)
            yield Figure(f"{WHAT}: a tap before", f"{seen[1]}", "proven", seen == (DESK, "proven"))
        with token.held(), waiting_taps(path, token):
            with Client(path, PATIENCE_S) as other:
                began = time.perf_counter()
                other.call("server.info")
                other.call("readers.list")
                took = (time.perf_counter() - began) * 1000
            with present(path, GATE, model="ntag215"):
                # None of those that wait is over yet.
                seen = tap(watcher)
                yield Figure(f"{WHAT}: the first tap", seen[0], GATE, seen == (GATE, None))
            yield Figure(f"{WHAT}: answers to another client", f"{took:.1f} ms")
            with present(path, GATE, model="ntag213") as client:
                client.tag_session(GATE)
            seen = [desk_tap(watcher) for _ in DESKS]
            are_right = sorted(seen) == sorted((desk, "incomplete") for desk in DESKS)
            yield Figure(f"{WHAT}: taps that wait", f"{sorted({status for _, status in seen})}", "incomplete", are_right)
            error = set_up_error(path)
            is_right = error is not None and error.code == 203 and "the token does not answer" in f"{error}"
            yield Figure(f"{WHAT}: setting up a tag", f"{error.code if error else 'done'}", "203", is_right)
            if not is_right:
                print(f"attack: {error}", file=sys.stderr)
        with site_tag(path, DESK, 0x81):
            seen = desk_tap(watcher)
            yield Figure(f"{WHAT}: a tap after", f"{seen[1]}", "proven", seen == (DESK, "proven"))


def figures(program):
    """What other clients notice of it."""
    if not shutil.which("softhsm2-util") or not any(os.path.exists(path) for path in MODULES):
        print("attack: softhsm2 is not installed; run Scripts/setup --tests", file=sys.stderr)
        yield Figure(WHAT, "not tried")
        return
    before = dict(os.environ)
    try:
        with tempfile.TemporaryDirectory(prefix="nfcd-token.") as folder:
            token = SlowToken(folder)
            with running(program, ["--simulator", str(len(DESKS) + 1), "--config", token.configuration]) as daemon:
                yield from tried(daemon, token)
    except (Closed, Refused, OSError, KeyError) as error:
        yield Figure(WHAT, f"{type(error).__name__}: {error}", "", False)
    finally:
        os.environ.clear()
        os.environ.update(before)
