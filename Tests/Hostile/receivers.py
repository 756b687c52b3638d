"""Receivers of nfcd-relay that answer what no receiver should: none of them ends the relay, fills its memory or keeps it busy."""

import contextlib
import json
import os
import pathlib
import random
import resource
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import warnings

from figures import Figure
from wire import connected, request

PEAK_MIB = 64
BUSY_SHARE = 0.25
MUTATIONS = 300
LENGTH = b"\xff\xff\xff\x7f"  # of the longest packet of MQTT, 256 MiB
CONNACK = b"\x20\x03\x00\x00\x00"

STATUSES = [b"000 Zero", b"001", b"007 B", b"042", b"099 Nearly", b"0 One", b"1 One", b"20 Two", b"101 Switch", b"2000", b"-1", b"", b"OK",
            b"600 Odd", b"999 Last", b"100 Continue", b"204 None", b"304 Not", b"205 Reset", b"65636 Wraps", b"2e2", b"0x200"]
FIELDS = [b"content-length: 0", b"content-length: -1", b"content-length: 18446744073709551616", b"content-length: 9223372036854775807",
          b"content-length: 1\r\ncontent-length: 2", b"transfer-encoding: chunked", b"transfer-encoding: gzip, chunked, chunked",
          b"transfer-encoding: identity", b"connection: upgrade\r\nupgrade: h2c", b"content-encoding: gzip", b": x", b"a b: c", b"a",
          b" folded", b"a: \x00", b"\xff\xfe: \xff", b"retry-after: 99999999999999999999", b"date: Mon, 99 Zzz 9999999999 99:99:99 GMT",
          b"a: " + b"b" * 100_000, b"a: b\r\n" * 300 + b"c: d"]
BODIES = [b"", b"abc", b"0\r\n\r\n", b"FFFFFFFFFFFFFFFF\r\na", b"-1\r\n", b"zz\r\n", b"0\r\nx:\r\n\r\n", b"0\r\nx y\r\n\r\n",
          b"HTTP/1.1 000 Zero\r\n\r\n"]
HEADS = [b"", b"\x00", b"HTTP", b"HTTP/1.1", b"HTTP/2.0 200 OK\r\n\r\n", b"HTTP/0.9 200 OK\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
         b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"SSH-2.0-x\r\n", b"\x16\x03\x01\x00\x05hello",
         b"HTTP/1.1 103 Early\r\n\r\n" * 5_000]
RECORDS = [b"\x15\x03\x01\x00\x02\x02\x28", b"\x16\x03\x01\x00\x00", b"\x16\x03\x03\xff\xff" + b"a" * 65_535, b"\x16\x03\x03\x00\x04\x02\x00\x00\x00",
           b"\x16\x03\x03\x00\x04\x02\xff\xff\xff" + b"\x16\x03\x03\x40\x00" + b"a" * 16_384, b"\x17\x03\x03\x00\x10" + b"a" * 16,
           b"\x14\x03\x03\x00\x01\x01", b"\x80\x2e\x01\x00\x02", b"HTTP/1.1 400 Bad\r\n\r\n", b"\x16\x03\x03\x00\x2a\x02\x00\x00\x26\x03\x03" + b"r" * 32
           + b"\x00\xc0\x2f\x00", b"\x16\x03\x03\x00\x2a\x02\x00\x00\x26\x03\x01" + b"r" * 32 + b"\x00\x00\x2f\x00", b"\x15\x03\x03\x00\x02\x01\x00"]
PACKETS = [b"rubbish\r\n", b"\x20\x00", b"\x20\xff\xff\xff\xff\xff", b"\x20\x05\x00\x00\x02\xff\xff", b"\x00" * 10_000, b"\x40\x02\x00\x01"] + [
    CONNACK + packet for packet in (
        b"\x90\x03\x00\x01\x00", b"\x90\x02\x00\x01", b"\x30\x04\xff\xff\x01\x01", b"\x30\x02\x00\x00", b"\xe0\x03\x8e\x05\x01", b"\xe0\x00",
        b"\x62\x02\x00\x01", b"\x34\x07\x00\x01a\x00\x01\x00b", b"\xf0\x02\x18\x00", b"\x10\x00", b"\x30\x08\x00\x01a\x04\x23\xff\xffb",
        b"\xb0\x02\x00\x01", CONNACK, b"\x30\x06\x00\x01a\x02\x7f\x00", b"\x40\x06\x00\x01\x00\x02\x7f\x00")]
FLOODS = {"PINGRESP": b"\xd0\x00", "PUBACK": b"\x40\x02\x70\x01", "PUBREL": b"\x62\x02\x70\x01", "SUBACK": b"\x90\x04\x70\x01\x00\x00"}


def answers():
    """HTTP answers that are wrong in one place, and random changes of them."""
    ok = b"HTTP/1.1 200 OK\r\n"
    fixed = HEADS + [b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\n\r\n" for status in STATUSES]
    fixed += [b"HTTP/1.1 " + status + b"\r\n\r\nabc" for status in STATUSES]
    fixed += [ok + field + b"\r\n\r\n" + body for field in FIELDS for body in (b"", b"abc")]
    fixed += [ok + b"transfer-encoding: chunked\r\n\r\n" + body for body in BODIES]
    return fixed + list(changed(fixed))


def changed(texts):
    """Random changes, the same in each run."""
    dice = random.Random(35)
    for _ in range(MUTATIONS):
        text = bytearray(dice.choice(texts)[:2_000])
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(text) + 1)
            text[place:place + dice.randint(0, 3)] = dice.choice([b"", dice.randbytes(1), text[place:place + 20], b"\r\n", b"\x00"])
        yield bytes(text)


class Receiver:
    """A server that answers each connection with `answer`, repeated for `seconds`."""

    def __init__(self, answer=b"", seconds=0.0, tls=None):
        self.answer, self.seconds, self.tls = answer, seconds, tls
        self.served = threading.Semaphore(0)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            connection.settimeout(20)
            connection = stack.enter_context(self.tls.wrap_socket(connection, server_side=True) if self.tls else connection)
            if connection.recv(65_536):
                connection.sendall(self.answer)
                end = time.monotonic() + self.seconds
                while time.monotonic() < end:
                    connection.sendall(self.answer)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65_536)
        self.served.release()


class Relay:
    """A relay on its own sockets."""

    def __init__(self, program, daemon, folder, tables):
        configuration = pathlib.Path(folder, "relay.toml")
        configuration.write_text(f'[state]\npath = "{folder}/relay.db"\n{tables}', encoding="utf-8")
        self.control = f"{folder}/relay.sock"
        self.process = subprocess.Popen(
            [program, "--config", str(configuration), "--socket", daemon.socket, "--control", self.control, "--log-level", "critical"],
            env={**os.environ, "STATE_DIRECTORY": folder})
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None and not os.path.exists(self.control):
            time.sleep(0.02)

    def is_alive(self):
        return self.process.poll() is None

    def test(self, consumer):
        """Has a test event delivered."""
        with contextlib.suppress(OSError), contextlib.closing(connected(self.control, 30)) as connection:
            connection.sendall(request("relay.test", {"consumer": consumer}, 1))
            answer = b""
            while not answer.endswith(b"\n"):
                part = connection.recv(65_536)
                if not part:
                    return None
                answer += part
            return json.loads(answer)

    def peak_mib(self):
        """The most memory that it has had."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def busy(self):
        """The seconds of processor time that it has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.terminate()
        self.process.wait(20)


@contextlib.contextmanager
def relaying(program, daemon, tables):
    with tempfile.TemporaryDirectory(prefix="nfcd-receivers.") as folder:
        relay = Relay(program, daemon, folder, tables)
        try:
            yield relay
        finally:
            relay.end()


def webhook(name, url):
    return f'[[webhook]]\nname = "{name}"\nurl = "{url}"\ntimeout = 1\n'


def webhook_figures(program, daemon):
    for what, scheme, texts in (("HTTP", "http", answers()), ("TLS", "https", RECORDS + list(changed(RECORDS)))):
        receiver = Receiver()
        exits, mute = 0, 0
        with relaying(program, daemon, webhook("w", f"{scheme}://127.0.0.1:{receiver.port}/")) as relay:
            for text in texts:
                receiver.answer = text
                mute += relay.test("w") is None
                if not relay.is_alive():
                    exits += 1
                    print(f"attack: the relay ended after {text[:200]!r}", flush=True)
                    break
        yield Figure(f"relay: {len(texts)} malformed {what} answers, exits", f"{exits}, {mute} unanswered", "0", exits + mute == 0)


def certificate(folder):
    """What a server of TLS needs, signed by itself."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/key",
         "-out", f"{folder}/certificate"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/certificate", f"{folder}/key")
    return context


def version_figures(program, daemon, folder):
    """A webhook that has TLS 1.1 at most gets nothing; one with TLS 1.2 does."""
    for version in (ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2):
        context = certificate(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
        receiver = Receiver(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", tls=context)
        table = webhook("w", f"https://127.0.0.1:{receiver.port}/") + f'ca-file = "{folder}/certificate"\n'
        with relaying(program, daemon, table) as relay:
            result = (relay.test("w") or {}).get("result", {})
        is_new = version == ssl.TLSVersion.TLSv1_2
        yield Figure(
            f"relay: webhook with {version.name}", "delivered" if result.get("delivered") else "refused",
            "delivered" if is_new else "refused", result.get("delivered") is is_new)


def broker(name, receiver):
    table = f'[[mqtt]]\nname = "{name}"\nhost = "127.0.0.1"\nport = {receiver.port}\n'
    return table + ("tls = true\ninsecure = true\n" if receiver.tls else "")


def broker_figures(program, daemon, tls):
    texts = PACKETS + list(changed(PACKETS))
    exits = 0
    for start in range(0, len(texts), 60):
        receivers = [Receiver(text, tls=tls) for text in texts[start:start + 60]]
        tables = "".join(broker(f"b{number}", receiver) for number, receiver in enumerate(receivers))
        with relaying(program, daemon, tables) as relay:
            for receiver in receivers:
                receiver.served.acquire(timeout=25)
            exits += not relay.is_alive()
    what = "MQTT brokers with TLS" if tls else "MQTT brokers"
    yield Figure(f"relay: {len(texts)} malformed {what}, exits", f"{exits}", "0", exits == 0)


def memory_figures(program, daemon, seconds, tls):
    """A broker that announces 256 MiB and sends them, before and after CONNACK."""
    for what, before in (("before", b""), ("after", CONNACK)):
        receiver = Receiver(before + b"\x30" + LENGTH + b"\x01" * (64 << 20), seconds, tls)
        with relaying(program, daemon, broker("b", receiver)) as relay:
            receiver.served.acquire(timeout=25)
            time.sleep(1)
            peak, is_alive = relay.peak_mib(), relay.is_alive()
        what += " CONNACK, with TLS" if tls else " CONNACK"
        yield Figure(f"relay: 256 MiB {what}, peak", f"{peak:.0f} MiB", f"≤ {PEAK_MIB} MiB", is_alive and peak <= PEAK_MIB)


def flood_figures(program, daemon, seconds):
    for name, packet in FLOODS.items():
        receiver = Receiver(packet * 1_000, seconds)
        answer = receiver.answer
        receiver.answer = CONNACK + answer
        with relaying(program, daemon, broker("b", receiver)) as relay:
            before = relay.busy()
            time.sleep(seconds)
            share = (relay.busy() - before) / seconds if relay.is_alive() else 1
        yield Figure(f"relay: flood of {name}, processor", f"{share:.0%}", f"≤ {BUSY_SHARE:.0%}", share <= BUSY_SHARE)


def figures(program, daemon, seconds):
    """All figures, for a relay of one nfcd."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    yield from webhook_figures(program, daemon)
    with tempfile.TemporaryDirectory(prefix="nfcd-receivers.") as folder:
        yield from version_figures(program, daemon, folder)
        for tls in (None, certificate(folder)):
            yield from broker_figures(program, daemon, tls)
            yield from memory_figures(program, daemon, min(seconds, 4), tls)
    yield from flood_figures(program, daemon, min(seconds, 6))
