"""Searches all that nfcd leaves behind for keys: tags of each kind prove themselves behind a real pcscd, and the keys, session keys and
nonces of their exchanges, computed here, must not be in a core dump, the log at trace level, the journal, the metrics or what clients
receive. Runs in its own namespaces, as a program: `keysearch.py NFCD NFCCTL [--short] [--keep=FOLDER]` prints its figures as lines of
JSON.

The tags are another process, and what they exchange passes through a bridge, which also holds an answer back while nfcd is dumped in
the middle of an authentication. Needs root, and gdb for the dumps."""

import base64
import contextlib
import ctypes
import json
import os
import pathlib
import re
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile")]
import tagcrypto  # noqa: E402
from figures import Figure  # noqa: E402
from pcscd import private_pcscd  # noqa: E402
from wire import Client  # noqa: E402

READER = "virtual-pcd-0"
VPCD = ("127.0.0.1", 35963)
WHAT = "search for keys"
PATIENCE_S = 60
# Proofs of each kind of tag.
TAPS = 3
# The calls of libcrypto in a tap, of those to encrypt or decrypt, at which nfcd is dumped: the first is with the key of the site, to derive
# that of the tag, with which the third is.
COMPUTATIONS = (1, 3)
# As many bytes in a row are a hit: half a key of AES-128.
PIECE = 8
# Random bytes in the messages of tags, which have to be found: so the search is right, and the places are whole.
MARKER = secrets.token_bytes(16)
UID = bytes.fromhex("04A1B2C3D4E580")
NTAG424 = bytes.fromhex("D2760000850101")
CHANGE_KEY = 0xC4

# The keys of the file, with what they are for. nfcd reads the last two and does not use them.
KEYS = ("meta", "file", "ev2", "lrp", "desfire-ev2", "desfire-ev1", "master", "write")
# How nfcd finds the profile of a tag; the UID behind it decides the key.
PROFILES = {
    "sun": ("ntag424", 'method = "sun"\nmeta-key = "meta"\nfile-key = "file"\nurl = "https://sun.example/?p={picc}&c={mac}"'),
    "ev2": ("ntag424", 'tag-key = "ev2"\nmaster-key = "master"\nuri-host = "ev2.example"'),
    "lrp": ("ntag424", 'tag-key = "lrp"\nuri-host = "lrp.example"\nlrp = true'),
    "desfire-ev2": ("desfire", 'tag-key = "desfire-ev2"\nwrite-key = "write"\nmaster-key = "master"\napplication = "A1B2C3"'),
    "desfire-ev1": ("desfire", 'tag-key = "desfire-ev1"\napplication = "C3B2A1"\nmessaging = "ev1"'),
}
# Profiles of which a tag is set up and reset: its UID and model as delivered, the keys that it gets, and where it has them.
SET_UPS = {
    "ev2": (bytes.fromhex("04A1B2C3D4E581"), "ntag424", ("ev2", "master"), (NTAG424,)),
    "desfire-ev2": (bytes.fromhex("04A1B2C3D4E582"), "desfire-ev2-blank", ("desfire-ev2", "write", "master"), (bytes.fromhex("A1B2C3"), bytes(3))),
}


# Tags

class Bridge(threading.Thread):
    """Between a virtual tag and vpcd: passes on and records what they send. `hold` is called before an answer is passed on."""

    def __init__(self):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.exchanges = []
        self.hold = lambda exchange: None
        self.start()

    @property
    def address(self):
        return "127.0.0.1:%d" % self.server.getsockname()[1]

    def run(self):
        while True:
            tag, _ = self.server.accept()
            with tag, socket.create_connection(VPCD) as reader:
                for end in (tag, reader):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with contextlib.suppress(OSError):
                    self.serve(tag, reader)

    def serve(self, tag, reader):
        # The reader speaks first; what it answers is watched too, as the tag may end meanwhile.
        watch = threading.Thread(target=self.close_with, args=(tag, reader), daemon=True)
        pending = socket.socketpair()
        watch.pending = pending[0]
        self.answers = pending[1]
        self.pending = pending[0]
        watch.start()
        while True:
            command = receive(reader)
            send(tag, command)
            if len(command) == 1 and command[0] != 4:
                continue  # power and reset have no answer
            answer = receive(self.answers)
            if len(command) > 1:
                self.exchanges.append((command, answer))
                self.hold((command, answer))
            send(reader, answer)

    def close_with(self, tag, reader):
        """Passes answers of the tag on, and ends the connection to the reader when the tag ends."""
        try:
            while True:
                send(self.pending, receive(tag))
        except OSError:
            for end in (self.pending, reader):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def receive(connection):
    """A message of vpcd: two bytes of length, and as many bytes."""
    def exactly(count):
        data = b""
        while len(data) < count:
            piece = connection.recv(count - len(data))
            if not piece:
                raise OSError("closed")
            data += piece
        return data
    return exactly(int.from_bytes(exactly(2), "big"))


def send(connection, data):
    connection.sendall(len(data).to_bytes(2, "big") + data)


def virtual_tag(nfcctl, keys, profile, bridge, *options):
    """A tag that has the keys of a profile."""
    return presented(nfcctl, bridge, profile, "--profile", profile, "--keys", keys, "--uid", UID.hex(), *options)


@contextlib.contextmanager
def presented(nfcctl, bridge, profile, *options):
    """A tag on the reader, with a link of the profile."""
    command = [nfcctl, "virtual-tag", "--vpcd", bridge.address, *options]
    if profile in ("ev2", "lrp"):
        command += ["--uri", f"https://{profile}.example/{MARKER.hex()}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if not process.stdout.readline():
            sys.exit(f"attack: the tag of profile {profile} did not appear")
        yield process
    finally:
        process.terminate()
        process.wait()


def lift(tag, gestures=2):
    """Takes a tag away, and puts it back, or does one of both."""
    for _ in range(gestures):
        tag.send_signal(signal.SIGUSR1)
        tag.stdout.readline()


# What must not be found

LRP_NONCE = "nonce of LRP, which is sent in clear"


class Secrets:
    """Secrets by kind and name."""

    def __init__(self):
        self.all = {}

    def add(self, kind, name, *values):
        for index, value in enumerate(values):
            self.all[value] = (kind, f"{name} {index}" if len(values) > 1 else name)

    def add_lrp(self, kind, name, key):
        """A key of LRP, and what follows from it."""
        self.add(kind, name, key)
        self.add(kind, f"plaintext of {name}", *tagcrypto.LRP(key).plaintexts)
        self.add(kind, f"updated key of {name}", tagcrypto.LRP(key).updated, tagcrypto.LRP(key, 1).updated)

    def count(self, kind):
        return sum(found == kind for found, _ in self.all.values())

    @property
    def kinds(self):
        return list(dict.fromkeys(kind for kind, _ in self.all.values()))

    def pieces(self):
        """Every part of a secret, in bytes, and secrets in text, with what it is."""
        for value, what in self.all.items():
            for start in range(len(value) - PIECE + 1):
                yield value[start:start + PIECE], what
            yield from ((text, what) for text in texts(value))


def texts(value):
    """How programs print bytes: hexadecimal, base64, and Swift's arrays."""
    half = value[:PIECE]
    yield half.hex().encode()
    yield half.hex().upper().encode()
    yield half.hex(" ").encode()
    yield base64.b64encode(value)[:10]
    yield ", ".join(map(str, half)).encode()


class Site:
    """Random keys, and the file with them."""

    def __init__(self, folder):
        self.keys = {name: secrets.token_bytes(16) for name in KEYS}
        text = "".join(f'[[key]]\nname = "{name}"\nversion = 5\nvalue = "{key.hex()}"\n' for name, key in self.keys.items())
        for name, (tag, rest) in PROFILES.items():
            text += f'[[profile]]\nname = "{name}"\ntag = "{tag}"\n{rest}\n'
        self.path = os.path.join(folder, "keys.toml")
        with open(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(text)

    def tag_key(self, name):
        application, number = {
            "file": (NTAG424, 2), "ev2": (NTAG424, 3), "lrp": (NTAG424, 3), "desfire-ev2": (bytes.fromhex("A1B2C3"), 1),
            "desfire-ev1": (bytes.fromhex("C3B2A1"), 1)}[name]
        return tagcrypto.an10922(self.keys[name], UID + application + bytes([number]))

    def secrets(self, exchanges, set_ups, messages):
        """All secrets of a run.

        - exchanges, set_ups: of each profile; messages: the URIs of the tags that prove themselves by them.
        """
        found = Secrets()
        for name, key in self.keys.items():
            found.add("key of the site", name, key)
        for name in ("file", "ev2", "desfire-ev2", "desfire-ev1"):
            found.add("key of a tag", name, self.tag_key(name))
        found.add_lrp("key of a tag", "lrp", self.tag_key("lrp"))
        for profile in SET_UPS:
            found.add("key of a set-up", profile, *self.set_up_keys(profile))
        for index, uri in enumerate(messages):
            picc = bytes.fromhex(re.search("p=([0-9A-F]{32})", uri)[1])
            uid, counter = tagcrypto.sun_opened(self.keys["meta"], picc)
            if uid != UID:
                sys.exit("attack: the UID in a message is not that of the tag")
            found.add("session key", f"sun {index}", *tagcrypto.sun_keys(self.tag_key("file"), uid, counter))
        for profile, list_of_exchanges in exchanges.items():
            for index, handshake in enumerate(handshakes(list_of_exchanges)):
                self.add_session(found, profile, f"{profile} {index}", *handshake)
        for profile, list_of_exchanges in set_ups.items():
            self.add_set_up(found, profile, list_of_exchanges)
        return found

    def set_up_keys(self, profile):
        """All keys that a tag can get."""
        uid, _, names, applications = SET_UPS[profile]
        return [
            tagcrypto.an10922(self.keys[name], uid + application + bytes([number]))
            for name in names for application in applications for number in range(5)]

    def add_set_up(self, found, profile, exchanges):
        """The sessions of a set-up: each with the key as delivered, or with one that the tag has got."""
        for index, (challenge, token) in enumerate(handshakes(exchanges)):
            for key in [tagcrypto.ZERO] + self.set_up_keys(profile):
                theirs = tagcrypto.AES(key).decrypt(challenge)
                plain = tagcrypto.AES(key).decrypt_cbc(token, tagcrypto.ZERO)
                if plain[16:] == tagcrypto.rotated(theirs):
                    found.add("session key of a set-up", f"{profile} {index}", *tagcrypto.ev2_keys(key, plain[:16], theirs))
                    break
            else:
                sys.exit(f"attack: a handshake in the set-up of {profile} is not understood")

    def add_session(self, found, profile, name, challenge, token):
        key = tagcrypto.AES(self.tag_key(profile))
        if profile == "lrp":
            ours, theirs = token[:16], challenge[1:]
            found.add(LRP_NONCE, name, ours, theirs)
            found.add_lrp("session key", name, tagcrypto.lrp_master(self.tag_key(profile), ours, theirs))
            return
        theirs = key.decrypt(challenge)
        plain = key.decrypt_cbc(token, challenge if profile == "desfire-ev1" else tagcrypto.ZERO)
        ours = plain[:16]
        if plain[16:] != tagcrypto.rotated(theirs):
            sys.exit(f"attack: the handshake of {profile} is not understood")
        found.add("nonce", name, ours, theirs)
        keys = [tagcrypto.ev1_key(ours, theirs)] if profile == "desfire-ev1" else tagcrypto.ev2_keys(
            self.tag_key(profile), ours, theirs)
        found.add("session key", name, *keys)


def handshakes(exchanges):
    """Challenge and token of each authentication."""
    for (command, answer), (following, _) in zip(exchanges, exchanges[1:]):
        if command[:2] in (b"\x90\x71", b"\x90\xAA") and answer[-2:] == b"\x91\xAF" and following[:2] == b"\x90\xAF":
            yield answer[:-2], following[5:-1]


# Where it is searched

class Search:
    """Finds pieces of secrets in bytes."""

    MOST = 10_000

    def __init__(self, known, folder):
        library = os.path.join(folder, "pieces.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, HERE / "pieces.c"], check=True)
        self.library = ctypes.CDLL(library)
        self.library.pieces_find.restype = ctypes.c_size_t
        self.pieces = {}
        for piece, what in known.pieces():
            self.pieces.setdefault(piece[:PIECE], []).append((piece, what))
        numbers = sorted(int.from_bytes(piece, sys.byteorder) for piece in self.pieces)
        self.numbers = (ctypes.c_uint64 * len(numbers))(*numbers)

    def hits(self, data):
        """What is found: kind and name, with the first place."""
        offsets, found = (ctypes.c_uint64 * self.MOST)(), {}
        count = self.library.pieces_find(
            data, ctypes.c_size_t(len(data)), self.numbers, ctypes.c_size_t(len(self.numbers)), offsets,
            ctypes.c_size_t(self.MOST))
        for offset in offsets[:count]:
            for piece, what in self.pieces[data[offset:offset + PIECE]]:
                if data.startswith(piece, offset):
                    found.setdefault(what, offset)
        return found


class Condensed:
    """Bytes without pages of zeros, and the addresses that they came from."""

    PAGE = 4096

    def __init__(self):
        self.data, self.places = bytearray(), []
        self.size = 0

    def add(self, name, address, data):
        self.size += len(data)
        for start in range(0, len(data), self.PAGE):
            page = data[start:start + self.PAGE]
            if page.count(0) < len(page):
                self.places.append((len(self.data), address + start, name))
                self.data += page

    def place(self, offset):
        start, address, name = max(place for place in self.places if place[0] <= offset)
        return f"{address + offset - start:#x} in {name}"


def maps(process):
    """The mappings of a process that can be read and written: start, end, name, flags."""
    found = []
    for line in pathlib.Path(f"/proc/{process}/smaps").read_text().splitlines():
        head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)", line)
        if head:
            found.append([int(head[1], 16), int(head[2], 16), head[4] or "anonymous memory", head[3], set()])
        elif line.startswith("VmFlags:"):
            found[-1][4].update(line.split()[1:])
    return [entry for entry in found if entry[3].startswith("rw")]


def memory(process, is_secret):
    """The memory of a process: what is excluded from dumps, or the rest."""
    condensed = Condensed()
    with open(f"/proc/{process}/mem", "rb", buffering=0) as file:
        for start, end, name, _, flags in maps(process):
            if ("dd" in flags) == is_secret:
                with contextlib.suppress(OSError):
                    file.seek(start)
                    condensed.add(name, start, file.read(end - start))
    return condensed


def core(path):
    """The segments of a core dump (ELF64)."""
    condensed = Condensed()
    with open(path, "rb") as file:
        header = file.read(64)
        table, count = int.from_bytes(header[32:40], "little"), int.from_bytes(header[56:58], "little")
        for index in range(count):
            file.seek(table + 56 * index)
            entry = file.read(56)
            offset, address, size = (int.from_bytes(entry[at:at + 8], "little") for at in (8, 16, 32))
            file.seek(offset)
            condensed.add("note" if entry[0] == 4 else "segment", address, file.read(size))
    return condensed


@contextlib.contextmanager
def stopped(process):
    """Keeps a process from running."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGCONT)


def made_by_gdb(process, path):
    done = subprocess.run(
        ["gdb", "-p", str(process), "-batch", "-nx", "-ex", f"generate-core-file {path}"], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    if not os.path.exists(path):
        sys.exit(f"attack: gdb made no core dump: {done.stderr[-500:]}")
    return core(path)


@contextlib.contextmanager
def dumped_at(process, function, count, path):
    """Makes a core dump when the process has called a function `count` times, in what the body does."""
    ready = f"{path}.ready"
    with subprocess.Popen(
            ["gdb", "-p", str(process), "-batch", "-nx", "-ex", f"break {function}", "-ex", f"ignore 1 {count - 1}", "-ex",
             f"shell touch {ready}", "-ex", "continue", "-ex", f"generate-core-file {path}", "-ex", "delete", "-ex", "detach"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as gdb:
        wait_for(lambda: os.path.exists(ready) or gdb.poll() is not None, f"a breakpoint at {function}")
        yield
        gdb.wait(PATIENCE_S)


def made_by_kernel(process, folder):
    """The core dump of a crash, for which the limits that nfcd sets are lifted; nil if the system passes core dumps to a program."""
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern.startswith(("|", "/")):
        return None
    process.send_signal(signal.SIGABRT)
    process.wait(PATIENCE_S)
    found = [path for path in pathlib.Path(folder).iterdir() if path.name.startswith(pattern.split("%")[0])]
    return core(found[0]) if found else None


# The run

# What a tag and nfcd send in clear was in their messages. The keys of the file are in use as long as nfcd runs; all others are not.
ALLOWED = {
    "a core dump by gdb": (LRP_NONCE,), "memory that dumps have": (LRP_NONCE,), "the core dump of a crash": (LRP_NONCE,),
    "memory that dumps lack": (LRP_NONCE, "key of the site"),
}
# Where the text of a tag has to be.
HAVE_MARKER = ("a core dump by gdb", "memory that dumps have", "the core dump of a crash", "the journal and the records of set-ups", "what clients received")


class Recorder(Client):
    """A client that keeps what it receives."""

    def __init__(self, path):
        super().__init__(path, PATIENCE_S)
        self.traffic = bytearray()

    def line(self):
        message, length = super().line()
        self.traffic += json.dumps(message).encode()
        return message, length


class Listener(threading.Thread):
    """A client that receives everything: taps of readers, taps of the journal, events."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.client = Client(path, PATIENCE_S * 10)
        self.traffic, self.reports = bytearray(), []
        self.arrived, self.left = threading.Condition(), threading.Event()
        for method in ("background.subscribe", "events.subscribe", "taps.subscribe"):
            self.client.call(method)
        self.start()

    def run(self):
        with contextlib.suppress(Exception):
            for line in self.client.lines:
                self.traffic += line
                message = json.loads(line)
                if message.get("method") == "reader.tagLeft":
                    self.left.set()
                if message.get("method") == "background.didReadTag":
                    with self.arrived:
                        self.reports.append(message["params"])
                        self.arrived.notify()

    def report(self):
        with self.arrived:
            if not self.arrived.wait_for(lambda: self.reports, PATIENCE_S):
                sys.exit("attack: a tap was not reported")
            return self.reports.pop(0)


class Run:
    """An nfcd, and all that it leaves behind."""

    def __init__(self, nfcd, nfcctl, folder):
        self.nfcctl, self.folder = nfcctl, folder
        self.site = Site(folder)
        self.socket, self.log = os.path.join(folder, "nfcd.sock"), os.path.join(folder, "nfcd.log")
        self.journal = pathlib.Path(folder, "journal")
        self.journal.mkdir()
        configuration = os.path.join(folder, "nfcd.toml")
        pathlib.Path(configuration).write_text(
            f'[journal]\nenabled = true\nsessions = true\ndebounce = 0\npath = "{self.journal}/taps.db"\n'
            f'[keys]\nfile = "{self.site.path}"\n', encoding="utf-8")
        shim = os.path.join(folder, "dumpable.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, HERE / "dumpable.c"], check=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [nfcd, "--config", configuration, "--socket", self.socket, "--log-level", "trace"], cwd=folder, stderr=log,
                stdout=log, env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "LD_PRELOAD": shim}, preexec_fn=unlimited)
        wait_for(lambda: listening(self.socket), "the start of nfcd")
        self.listener = Listener(self.socket)
        self.bridge = Bridge()
        self.exchanges, self.set_ups, self.messages = {}, {}, []
        self.dumps, self.unexpected = {}, []

    def tap(self):
        for profile in PROFILES:
            self.bridge.exchanges = self.exchanges.setdefault(profile, [])
            with virtual_tag(self.nfcctl, self.site.path, profile, self.bridge) as tag:
                for index in range(TAPS):
                    if index:
                        lift(tag)
                    self.expect("proven", profile, self.listener.report())
            with virtual_tag(self.nfcctl, self.site.path, profile, self.bridge, "--copy"):
                self.bridge.exchanges = []
                # The message of another tag has encrypted data that no key opens.
                self.expect("unknownKey" if profile == "sun" else "failed", profile, self.listener.report())

    def expect(self, status, profile, report):
        proof = report.get("proof", {})
        if proof.get("status") != status:
            self.unexpected.append(f"{profile}: {proof or report.get('error')} instead of {status}")
        if profile == "sun" and status == "proven":
            self.messages.append(report["uri"])

    def take_away(self, tag):
        """Takes a tag away, and waits until nfcd has noticed."""
        self.listener.left.clear()
        lift(tag, 1)
        self.listener.left.wait(PATIENCE_S)

    def read_in_session(self):
        """A tag proves itself to a session."""
        self.bridge.exchanges = self.exchanges["ev2"]
        with Recorder(self.socket) as client, virtual_tag(self.nfcctl, self.site.path, "ev2", self.bridge) as tag:
            self.listener.report()
            self.take_away(tag)
            client.call("session.begin", {"kind": "ndef", "readers": [READER]})
            lift(tag, 1)
            self.expect("proven", "ev2 in a session", client.wait("session.didDetectNDEFs"))
            self.listener.traffic += client.traffic

    def set_up(self):
        """Tags as delivered are set up, checked and reset by a client. nfcd is dumped where a key has been sent to one."""
        for profile, (uid, model, _, _) in SET_UPS.items():
            self.bridge.exchanges = self.set_ups.setdefault(profile, [])
            self.bridge.hold = self.dumping(f"{profile}, key of a set-up sent", (CHANGE_KEY,))
            with Recorder(self.socket) as client, presented(
                    self.nfcctl, self.bridge, profile, model, "--uid", uid.hex()) as tag:
                self.listener.report()
                self.take_away(tag)
                session = client.call("session.begin", {"kind": "tag", "readers": [READER]})["session"]
                lift(tag, 1)
                address = {"session": session, "tag": client.wait("session.didDetectTags")["tags"][0]["tag"]}
                for task in ("setUp", "verify", "reset"):
                    client.call("tag.personalise", {**address, "profile": profile, "task": task})
                self.listener.traffic += client.traffic
            self.bridge.hold = lambda exchange: None

    def dumping(self, where, codes):
        """A function that dumps nfcd once, at the answer to one of these commands."""
        def hold(exchange):
            if exchange[0][1] in codes and exchange[0][0] == 0x90 and where not in self.dumps:
                with stopped(self.process) as process:
                    self.dumps[where] = (memory(process, False), memory(process, True))
        return hold

    def dump_in_libcrypto(self):
        """Dumps nfcd while libcrypto computes with the key of the site, and with that of the tag."""
        self.bridge.exchanges = self.exchanges["ev2"]
        for count in COMPUTATIONS:
            path = os.path.join(self.folder, "computing.core")
            with virtual_tag(self.nfcctl, self.site.path, "ev2", self.bridge) as tag:
                self.listener.report()
                self.take_away(tag)
                with dumped_at(self.process.pid, "EVP_CipherUpdate", count, path):
                    lift(tag, 1)
                self.listener.report()
            self.dumps[f"computation {count} of ev2"] = (core(path), None)
            os.unlink(path)

    def dump_in_session(self):
        """Dumps nfcd where a tag has sent its challenge, and where the session has begun."""
        for profile in ("ev2", "lrp", "desfire-ev2", "desfire-ev1"):
            for name, codes in (("challenge", (0x71, 0xAA)), ("token", (0xAF,)), ("session", (0x51,))):
                self.bridge.exchanges = self.exchanges[profile]
                self.bridge.hold = self.dumping(f"{profile}, {name} sent", codes)
                with virtual_tag(self.nfcctl, self.site.path, profile, self.bridge):
                    self.listener.report()
                self.bridge.hold = lambda exchange: None


def unlimited():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"attack: {what} did not happen within {PATIENCE_S} s")
        time.sleep(0.05)


def listening(path):
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path) == 0


def flat(data, name):
    condensed = Condensed()
    condensed.add(name, 0, data)
    return condensed


def left_behind(run):
    """All places to search, after the taps. nfcd ends here."""
    process = run.process.pid
    with Client(run.socket) as client:
        metrics = client.call("server.metrics")
        stored = client.call("taps.list", {"limit": 1000})
    yield "a core dump by gdb", made_by_gdb(process, os.path.join(run.folder, "gdb.core"))
    yield "memory that dumps have", memory(process, False)
    yield "memory that dumps lack", memory(process, True)
    yield "the core dump of a crash", made_by_kernel(run.process, run.folder)
    yield "the log at trace level", flat(pathlib.Path(run.log).read_bytes(), "the log")
    journal = Condensed()
    for file in sorted(file for file in run.journal.rglob("*") if file.is_file()):
        journal.add(file.name, 0, file.read_bytes())
    yield "the journal and the records of set-ups", journal
    yield "the metrics", flat(json.dumps(metrics).encode(), "the metrics")
    yield "what clients received", flat(bytes(run.listener.traffic) + json.dumps(stored).encode(), "the traffic")


def judged(where, condensed, search, allowed=()):
    """What is found in a place."""
    if condensed is None:
        yield Figure(f"keys in {where}", "not possible here")
        return
    found = search.hits(bytes(condensed.data))
    has_marker = bool([found.pop(what) for what in list(found) if what[0] == "marker"])
    wrong = [what for what in found if what[0] not in allowed]
    for kind, name in sorted(wrong):
        print(f"attack: {where}: {kind}: {name} at {condensed.place(found[kind, name])}", file=sys.stderr)
    size = f"{condensed.size / (1 << 20):.1f} MiB" if condensed.size >= 1 << 20 else f"{condensed.size / 1024:.0f} KiB"
    yield Figure(f"keys in {where}, {size}", f"{len(wrong)} found", "0", not wrong)
    if where in HAVE_MARKER:
        yield Figure(f"text of a tag in {where}", "yes" if has_marker else "no", "yes", has_marker)


def figures(nfcd, nfcctl, folder, is_short):
    run = Run(nfcd, nfcctl, folder)
    try:
        run.tap()
        run.read_in_session()
        run.set_up()
        if not is_short:
            run.dump_in_session()
            run.dump_in_libcrypto()
        places = list(left_behind(run))
    finally:
        run.process.kill()
        run.process.wait()
    known = run.site.secrets(run.exchanges, run.set_ups, run.messages)
    known.add("marker", "in the messages", MARKER)
    search = Search(known, folder)
    for problem in run.unexpected:
        print(f"attack: {problem}", file=sys.stderr)
    taps = (TAPS + 1) * len(PROFILES) + 1
    yield Figure("proofs for the search for keys: other statuses", f"{len(run.unexpected)} of {taps}", "0", not run.unexpected)
    for kind in known.kinds[:-1]:
        yield Figure(f"searched for: {kind}", f"{known.count(kind)}")
    for where, condensed in places:
        yield from judged(where, condensed, search, ALLOWED.get(where, ()))
    for where, (dump, arena) in run.dumps.items():
        yield from judged(f"a dump, {where}", dump, search, (LRP_NONCE,))
        if arena is None:
            continue
        kinds = {kind for kind, _ in search.hits(bytes(arena.data))}
        wanted = {"key of a set-up"} if "set-up" in where else {"key of a tag"}
        is_there = wanted | ({"session key"} if "session sent" in where else set()) <= kinds
        yield Figure(f"keys in what it lacks, {where}", "yes" if is_there else "no", "yes", is_there)


def inside(nfcd, nfcctl, is_short, keep):
    """Prints the figures."""
    with private_pcscd(), tempfile.TemporaryDirectory(prefix="nfcd-attack.") as folder:
        try:
            for figure in figures(nfcd, nfcctl, folder, is_short):
                print(json.dumps(figure), flush=True)
        finally:
            if keep:
                shutil.copytree(folder, keep, ignore=shutil.ignore_patterns("*.sock"))


def outside(nfcd, nfcctl, is_short, keep=None):
    """The figures, measured in separate namespaces."""
    if os.geteuid() != 0 or not shutil.which("gdb"):
        yield Figure(WHAT, "skipped: needs root and gdb")
        return
    command = ["unshare", "--mount", "--net", "--fork", "--kill-child", sys.executable, __file__, nfcd, nfcctl]
    command += ["--short"] * is_short + ([f"--keep={keep}"] if keep else [])
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        yield Figure(*json.loads(line))
    if done.returncode != 0:
        yield Figure(WHAT, f"status {done.returncode}", "", False)


if __name__ == "__main__":
    keep = [argument.partition("=")[2] for argument in sys.argv if argument.startswith("--keep=")]
    inside(sys.argv[1], sys.argv[2], "--short" in sys.argv, keep[0] if keep else None)
