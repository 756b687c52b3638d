"""A client that queues long commands for a slow card behind a real pcscd, faster than the card can ever take them. Runs in
its own namespaces, as a program: `slowcard.py NFCD NFCCTL SECONDS [--short]` prints its figures as lines of JSON."""

import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Scripts/lib"), str(ROOT / "Tests/Hostile")]
from daemon import running  # noqa: E402
from figures import Figure  # noqa: E402
from floods import keep_sending, survived  # noqa: E402
from pcscd import private_pcscd  # noqa: E402
from storm import GROWTH_MIB, Watch, harm, resident_mib  # noqa: E402
from wire import MIB, Client, Worker, request  # noqa: E402

READER, ADDRESS = "Virtual PCD 00 00", "127.0.0.1:35963"
DELAY_MS = 200
WHAT = "long commands to a slow card"


def queue_commands(path, seconds):
    """Queues commands as fast as nfcd takes them: of 64 KiB, the longest that a card can be sent, and of 1 MiB."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with survived(), Client(path, 20) as client:
            session = client.tag_session(READER, whenBusy="queue")
            tag = {"session": session, "tag": client.connect_tag(session)}
            short = request("iso7816.sendCommand", {**tag, "apdu": "00D6000000FFF0" + "00" * 0xFFF0}, 7)
            long = request("iso7816.sendCommand", {**tag, "apdu": "00D6000000FFFF" + "00" * ((MIB - 300) // 2)}, 8)
            keep_sending(client.socket, short + long, end, 0.02)


def call_often(path, seconds):
    """The times in milliseconds that calls of another client take."""
    times, end = [], time.monotonic() + seconds
    with Client(path) as client:
        while time.monotonic() < end:
            began = time.perf_counter()
            client.call("readers.list")
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(0.01)
    return times


def figures(daemon, seconds, is_short):
    quiet = Worker(call_often, daemon.socket, seconds, measures=True).wait(seconds + 60)
    watch = Watch(daemon)
    before = resident_mib(watch.process)
    attacker = Worker(queue_commands, daemon.socket, seconds, niceness=10)
    neighbour = Worker(call_often, daemon.socket, seconds, measures=True)
    watch.until([attacker, neighbour])
    times = neighbour.wait(seconds + 60)
    attacker.wait(seconds + 60)
    after = watch.settled(before + GROWTH_MIB)
    yield from harm(WHAT, (quiet, times), (before, watch.most, after), is_short, GROWTH_MIB)


def inside(nfcd, nfcctl, seconds, is_short):
    """Prints the figures."""
    card = [nfcctl, "virtual-tag", "type4", "--uri", "https://example.com", "--vpcd", ADDRESS, "--delay", str(DELAY_MS)]
    with private_pcscd():
        process = subprocess.Popen(card, stdout=subprocess.PIPE, text=True)
        try:
            if not process.stdout.readline():
                sys.exit("attack: the slow card did not appear")
            with running(nfcd, [], is_real_time=True) as daemon:
                for figure in figures(daemon, seconds, is_short):
                    print(json.dumps(figure), flush=True)
        finally:
            process.terminate()
            process.wait()


def outside(nfcd, nfcctl, seconds, is_short):
    """The figures, measured in separate namespaces."""
    command = ["unshare", "--mount", "--net", "--fork", "--kill-child"]
    command += [] if os.geteuid() == 0 else ["--map-root-user"]
    program = [sys.executable, __file__, nfcd, nfcctl, str(seconds), *["--short"] * is_short]
    done = subprocess.run([*command, *program], stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        yield Figure(*json.loads(line))
    if done.returncode != 0:
        yield Figure(WHAT, f"status {done.returncode}", "", False)


if __name__ == "__main__":
    inside(sys.argv[1], sys.argv[2], int(sys.argv[3]), "--short" in sys.argv)
