"""The kill test of lights: tags with messages that are made here on two readers of a real pcscd, while nfcd is killed at random moments.
The readers pass the command for the light to the tag, which is a program here: so each light that nfcd shows is seen. No counter
has two green lights, and every one with a green light is in the journal. Runs in its own namespaces, as a program: `lights.py NFCD
SECONDS SEED` prints its figures as lines of JSON."""

import collections
import contextlib
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile"), str(ROOT / "Tests/Soak")]
from figures import Figure  # noqa: E402
from pcscd import private_pcscd  # noqa: E402
from programs import is_listening, nfcd, wait_for  # noqa: E402
from proofs import Site, not_rising, proven, twice  # noqa: E402
from taps import journal  # noqa: E402

WHAT = "lights"
PORTS = (35963, 35964)
FULL_S, SHORT_S = 240, 25
TAGS = 5
# How long a tag waits for the light, and lies beside the reader until pcscd has noticed that it left.
LIGHT_S, AWAY_S = 2.5, 0.5
# How often pcscd asks for a tag at the least.
POLL_S = 1
GREEN, RED = bytes.fromhex("FF0040A0"), bytes.fromhex("FF004050")
ANSWER_TO_RESET = bytes.fromhex("3B8180018080")
# How many taps nfcd is killed at, how many commands one takes, and the mean time from a command to the kill.
KILLS, COMMANDS, LATER_S = 0.4, 8, 0.0015
# A file of 255 bytes, read without a key.
CAPABILITIES = bytes.fromhex("000F2000FF00FF0406E10400FF00FF")
SUCCESS, NOT_FOUND, UNKNOWN = b"\x90\x00", b"\x6A\x82", b"\x6D\x00"
# What the light of each kind of tag may be.
EXPECTED = {
    "new": {"green"}, "killed": {"green", "red", None}, "again": {"green", "red", None}, "replay": {"red", None},
    "forged": {"red", None}, "moved": {"red", None},
}
CONFIGURATION = """debounce = 0
[[reader]]
match = "Virtual PCD"
profile = "acr122u"
feedback = true
[keys]
file = "{keys}"
"""


class Tag:
    """A Type 4 tag with a message, on a reader that passes all commands to it."""

    def __init__(self, uid, message):
        content = bytes.fromhex(message)
        self.uid, self.lights = uid, []
        # What happens behind so many commands.
        self.last, self.on_last = 0, lambda: None
        self.is_away = False
        self.files = {b"\xE1\x03": CAPABILITIES, b"\xE1\x04": len(content).to_bytes(2, "big") + content}
        self.file = b""

    def answer(self, command):
        if command[:4] in (GREEN, RED):
            self.lights.append("green" if command[:4] == GREEN else "red")
            return SUCCESS
        if command[:2] == b"\xFF\xCA":
            return self.uid + SUCCESS
        if command[:4] == b"\x00\xA4\x04\x00":
            return SUCCESS if command[5:12] == bytes.fromhex("D2760000850101") else NOT_FOUND
        if command[:2] == b"\x00\xA4":
            self.file = self.files.get(command[5:7], b"")
            return SUCCESS if self.file else NOT_FOUND
        if command[:2] == b"\x00\xB0":
            start = int.from_bytes(command[2:4], "big")
            return self.file[start:start + (command[4] or 256)] + SUCCESS
        return UNKNOWN

    def present(self, port):
        """Lies on a reader until it has a light; the light, if there is one."""
        end = time.monotonic() + LIGHT_S
        with socket.create_connection(("127.0.0.1", port)) as reader, contextlib.suppress(OSError):
            while not self.lights and not self.is_away and time.monotonic() < end:
                reader.settimeout(POLL_S)
                command = exactly(reader, int.from_bytes(exactly(reader, 2), "big"))
                if len(command) > 1 or command == b"\x04":
                    answer = self.answer(command) if len(command) > 1 else ANSWER_TO_RESET
                    reader.sendall(len(answer).to_bytes(2, "big") + answer)
                    self.last -= len(command) > 1
                    if self.last == 0 and len(command) > 1:
                        self.on_last()
        return self.lights[0] if self.lights else None


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data


class Lights(threading.Thread):
    """Puts one tag after another on a reader."""

    def __init__(self, site, killer, port, end, seed):
        super().__init__(daemon=True)
        self.site, self.killer, self.port, self.end = site, killer, port, end
        self.random = random.Random(f"{seed} {port}")
        self.counters = {bytes([0x04, 0x60 + PORTS.index(port)]) + bytes(4) + bytes([index]): 10 for index in range(TAGS)}
        self.results, self.greens, self.dark, self.problems = collections.Counter(), [], [], []
        self.failure = None

    def run(self):
        try:
            while time.monotonic() < self.end:
                self.tap(*self.choice())
                time.sleep(AWAY_S)
        except BaseException as failure:
            self.failure = failure

    def choice(self):
        """The kind of the next tag, its UID, its counter and its message. What had no light when nfcd was killed is presented again."""
        kind = self.random.choices(("new", "replay", "forged", "moved", "again"), (6, 3, 1, 1, 2))[0]
        if kind == "again" and self.dark:
            return kind, *self.dark.pop()
        if kind == "replay" and self.greens:
            return kind, *self.greens[-1]
        kind = "new" if kind in ("replay", "again") else kind
        uid = self.random.choice(list(self.counters))
        self.counters[uid] += self.random.choice((1, 1, 3))
        message = self.site.message(uid, self.counters[uid], kind != "forged")
        return kind, uid[:-1] + b"\xEE" if kind == "moved" else uid, self.counters[uid], message

    def tap(self, kind, uid, counter, message):
        tag, kills = Tag(uid, message), self.killer.count
        self.killer.arm(tag)
        light = tag.present(self.port)
        # The tag is read again by the next nfcd, and its message may be stored.
        kind = "killed" if kind == "new" and self.killer.count > kills else kind
        self.results[kind, light] += 1
        if light not in EXPECTED[kind]:
            self.problems.append(f"{kind} tag {uid.hex()} at {counter}: {light} light")
        if light == "green":
            self.greens.append((uid, counter, message))
        elif light is None and kind in ("new", "killed"):
            self.dark.append((uid, counter, message))


class Killer:
    """Kills nfcd soon after a tag has received a command, and starts it again."""

    def __init__(self, program, seed):
        self.program, self.random = program, random.Random(f"{seed} kills")
        self.timers = []

    def arm(self, tag):
        """Chooses whether and when nfcd is killed while a tag is read, stored and shown."""
        if self.random.random() < KILLS:
            tag.last, tag.on_last = self.random.randrange(1, COMMANDS + 1), lambda: self.strike_later(tag)

    def strike_later(self, tag):
        timer = threading.Timer(self.random.expovariate(1 / LATER_S), self.strike, (tag,))
        self.timers.append(timer)
        timer.start()

    def strike(self, tag):
        self.program.kill()
        # Half of the tags leave before nfcd runs again.
        tag.is_away = self.random.random() < 0.5
        time.sleep(self.random.uniform(0, 0.3))
        self.program.start()

    @property
    def count(self):
        return self.program.kills

    def end(self):
        for timer in self.timers:
            timer.join()


def figures(programs, seconds, seed, folder):
    site = Site(folder)
    program, socket_path = nfcd(folder, programs, 0, CONFIGURATION.format(keys=site.path))
    program.start()
    try:
        wait_for(lambda: is_listening(socket_path), "the start of nfcd")
        began = time.monotonic()
        killer = Killer(program, seed)
        threads = [Lights(site, killer, port, began + seconds, seed) for port in PORTS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        killer.end()
        program.start()
        wait_for(lambda: is_listening(socket_path), "the start of nfcd")
        yield from verdict(threads, killer.count, seconds, socket_path)
    finally:
        program.kill()


def verdict(threads, kills, seconds, socket_path):
    for thread in threads:
        if thread.failure:
            raise thread.failure
    results = sum((thread.results for thread in threads), collections.Counter())
    problems = [problem for thread in threads for problem in thread.problems]
    for problem in problems[:10]:
        print(f"soak: {problem}", file=sys.stderr)
    yield Figure(f"{WHAT}: taps a minute, kills of nfcd", f"{sum(results.values()) / seconds * 60:.0f}, {kills}")
    for (kind, light), count in sorted(results.items(), key=str):
        yield Figure(f"{WHAT}: {kind} tags: {light or 'no light'}", f"{count}")
    yield Figure(f"{WHAT}: another light than expected", f"{len(problems)}", "0", not problems)
    greens = [(uid.hex().upper(), counter) for thread in threads for uid, counter, _ in thread.greens]
    doubled = [light for light, count in collections.Counter(greens).items() if count > 1]
    yield Figure(f"{WHAT}: counters with two green lights", f"{len(doubled)}", "0", not doubled)
    proofs = proven(journal(socket_path), "sun")
    stored = {(proof["identifier"], proof["counter"]) for proof in proofs}
    lost = [light for light in greens if light not in stored]
    yield Figure(f"{WHAT}: {len(greens)} green lights, not in the journal", f"{len(lost)}", "0", bool(greens) and not lost)
    wrong = twice(proofs) + not_rising(proofs)
    yield Figure(f"{WHAT}: counters accepted twice, or after a higher one", f"{len(wrong)}", "0", not wrong)
    again = [shown for thread in threads for shown in thread.greens[-3:] if Tag(shown[0], shown[2]).present(away(thread.port)) != "red"]
    yield Figure(f"{WHAT}: no red light for what was green before", f"{len(again)}", "0", not again)


def away(port):
    """A reader whose last tag has left."""
    time.sleep(AWAY_S)
    return port


def inside(programs, seconds, seed):
    """Prints the figures."""
    with private_pcscd(), tempfile.TemporaryDirectory(prefix="nfcd-soak.") as folder:
        for figure in figures(programs, seconds, seed, folder):
            print(json.dumps(figure), flush=True)


def outside(programs, is_short, seed):
    """The figures, measured in separate namespaces."""
    command = ["unshare", "--mount", "--net", "--fork", "--kill-child"]
    command += [] if os.geteuid() == 0 else ["--map-root-user"]
    seconds = SHORT_S if is_short else FULL_S
    done = subprocess.run(
        [*command, sys.executable, __file__, os.path.abspath(programs), str(seconds), str(seed)], stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        yield Figure(*json.loads(line))
    if done.returncode != 0:
        yield Figure(WHAT, f"status {done.returncode}", "", False)


if __name__ == "__main__":
    inside(sys.argv[1], int(sys.argv[2]), sys.argv[3])
