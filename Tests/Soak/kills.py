"""The kill test: taps on two readers while nfcd, nfcd-relay and the broker are killed at random moments and each sink is down half
of the time. At the end every tap of the journal has arrived at every sink, in order, and every green tap is in the journal."""

import collections
import json
import random
import subprocess
import sys
import threading
import time
import typing

import libraries
from brokers import Mosquitto
from figures import Figure
from ledger import verdict
from programs import is_listening, nfcd, relay, wait_for, work_folder
from sinks import BrokerSink, CommandSink, WebhookSink, free_port
from taps import Tapper, journal, missing
from wire import Client

READERS = 2


class Plan(typing.NamedTuple):
    """How much happens: the taps and kills in all, the taps a second on a reader, the seconds that a sink is up or down at a time,
    and the seconds in which everything has to be delivered afterwards."""
    taps: int
    kills: int
    rate: float
    outage: tuple
    drain: float


FULL = Plan(10_000, 100, 10, (1, 8), 600)
SHORT = Plan(300, 6, 12, (0.3, 2), 60)


class Outages(threading.Thread):
    """Takes a sink out of service half of the time, until it is stopped; the sink is in service then."""

    def __init__(self, sink, bounds, seed):
        super().__init__(daemon=True)
        self.sink, self.bounds = sink, bounds
        self.random = random.Random(seed)
        self.down = 0.0
        self._end = threading.Event()

    def run(self):
        while not self._end.wait(self.random.uniform(*self.bounds)):
            began = time.monotonic()
            self.sink.fail(self.random)
            self._end.wait(self.random.uniform(*self.bounds))
            self.sink.recover()
            self.down += time.monotonic() - began

    def stop(self):
        self._end.set()
        self.join()


class Killer(threading.Thread):
    """Kills a program at random numbers of taps, and starts it again soon after."""

    def __init__(self, programs, tappers, plan, seed):
        super().__init__(daemon=True)
        self.programs, self.tappers = programs, tappers
        self.random = random.Random(seed)
        self.moments = sorted(self.random.sample(range(1, plan.taps), plan.kills))
        # Each program about as often as the others.
        self.victims = [programs[index % len(programs)] for index in range(plan.kills)]
        self.random.shuffle(self.victims)
        self.kills = collections.Counter()

    def run(self):
        for moment, victim in zip(self.moments, self.victims):
            while self.taps() < moment and any(tapper.is_alive() for tapper in self.tappers):
                time.sleep(0.005)
            time.sleep(self.random.uniform(0, 0.1))
            self.kill(victim)

    def taps(self):
        return sum(tapper.done for tapper in self.tappers)

    def kill(self, program):
        # One that is down at the moment cannot be killed: another is.
        running = program if program.is_running() else next(other for other in self.programs if other.is_running())
        running.kill()
        self.kills[running.name] += 1
        time.sleep(self.random.uniform(0, 0.3))
        running.start()


class Run:
    """nfcd, a relay and its sinks in a folder."""

    def __init__(self, folder, programs, packages):
        self.broker = Mosquitto(folder, free_port())
        self.broker.start()
        self.sinks = [BrokerSink(self.broker), CommandSink(folder)]
        if packages:
            self.sinks.append(WebhookSink(folder, packages))
        self.nfcd, self.socket = nfcd(folder, programs, READERS)
        self.relay = relay(folder, programs, self.socket, [sink.configuration() for sink in self.sinks])
        self.nfcctl = f"{programs}/nfcctl"
        self.all = [self.nfcd, self.relay, self.broker]

    def start(self):
        """Starts everything; the relay's consumers are registered when it returns."""
        self.nfcd.start()
        wait_for(lambda: is_listening(self.socket), "the start of nfcd")
        wait_for(self.sinks[0].subscriber.ready.is_set, "the subscription at the broker")
        self.relay.start()
        wait_for(lambda: len(self.consumers()) >= len(self.sinks), "the registration of all consumers")

    def consumers(self):
        with Client(self.socket) as client:
            return client.call("taps.status")["consumers"]

    def listed(self):
        """The taps of the journal as nfcctl prints them."""
        output = subprocess.run(
            [self.nfcctl, "taps", "list", "--json", "--after", "0", "--socket", self.socket], check=True,
            stdout=subprocess.PIPE)
        return [json.loads(line) for line in output.stdout.splitlines()]

    def drain(self, taps, seconds):
        """Waits until all taps have arrived; the seconds that took for each sink, None where it did not happen."""
        expected = {tap["id"] for tap in taps}
        began = time.monotonic()
        times = dict.fromkeys((sink.name for sink in self.sinks))
        while time.monotonic() < began + seconds and None in times.values():
            for sink in self.sinks:
                sink.collect()
                if times[sink.name] is None and expected <= sink.ledger.ids():
                    times[sink.name] = time.monotonic() - began
            time.sleep(0.1)
        return times

    def stop(self):
        for program in self.all:
            program.kill()
        for sink in self.sinks:
            sink.stop()


def figures(programs, is_short, seed, keep=None):
    plan = SHORT if is_short else FULL
    packages = libraries.load()
    if packages is None:
        print("soak: standardwebhooks and cloudevents are missing and cannot be installed: no webhook", file=sys.stderr)
    print(f"soak: kill test with seed {seed}", file=sys.stderr)
    with work_folder(keep) as folder:
        run = Run(folder, programs, packages)
        try:
            run.start()
            yield from disturbed(run, plan, seed)
        finally:
            run.stop()


def disturbed(run, plan, seed):
    """Taps, kills and outages, and the verdict."""
    tappers = [Tapper(run.socket, reader, plan.taps // READERS, plan.rate) for reader in range(READERS)]
    killer = Killer(run.all, tappers, plan, seed)
    outages = [Outages(sink, plan.outage, f"{seed} {sink.name}") for sink in run.sinks]
    began = time.monotonic()
    for thread in [*tappers, killer, *outages]:
        thread.start()
    for thread in [*tappers, killer]:
        thread.join()
    for thread in outages:
        thread.stop()
    seconds = time.monotonic() - began
    for program in run.all:
        program.start()
    wait_for(lambda: is_listening(run.socket), "the start of nfcd")
    taps = journal(run.socket)
    times = run.drain(taps, plan.drain)
    yield from tapped(tappers, killer, taps, seconds)
    yield from unharmed(run, taps)
    for outage in outages:
        yield from delivered(outage.sink, run, taps, times[outage.sink.name], outage.down / seconds)


def tapped(tappers, killer, taps, seconds):
    """What nfcd reported, and whether it is in the journal."""
    for tapper in tappers:
        if tapper.failure:
            raise tapper.failure
    green, red, unknown = (sum(len(getattr(tapper, kind)) for tapper in tappers) for kind in ("green", "red", "unknown"))
    kills = ", ".join(f"{name} {count}" for name, count in sorted(killer.kills.items()))
    yield Figure("kill test: taps green / red / unknown", f"{green} / {red} / {unknown}")
    yield Figure(f"kill test: kills ({kills})", f"{sum(killer.kills.values())} in {seconds:.0f} s")
    lost = missing(tappers, taps)
    yield Figure("kill test: green taps not in the journal", f"{len(lost)}", "0", not lost)
    yield from numbered(taps)


def numbered(taps):
    """Whether the numbers of the journal are as promised."""
    last, wrong = {}, 0
    for tap in taps:
        wrong += tap["readerSequence"] != last.get(tap["reader"], 0) + 1
        last[tap["reader"]] = tap["readerSequence"]
    yield Figure("kill test: gaps in the numbers of a reader", f"{wrong}", "0", wrong == 0)


def unharmed(run, taps):
    """Whether the programs ended only where they were killed, and nfcctl lists the same taps."""
    for program in run.all:
        program.note_crash()
        crashes = ", ".join(map(str, program.crashes))
        yield Figure(f"kill test: {program.name} ended by itself", crashes or "never", "never", not crashes)
    same = run.listed() == taps
    yield Figure("kill test: nfcctl taps list shows the journal", "yes" if same else "no", "yes", same)


def delivered(sink, run, taps, drain, down):
    """The verdict on a sink."""
    result = verdict(sink.ledger, taps)
    what = f"kill test, {sink.name}"
    for problem in result.problems():
        print(f"soak: {problem}", file=sys.stderr)
    yield Figure(f"{what}: delivered, duplicates", f"{result.delivered}, {result.duplicates}")
    yield Figure(f"{what}: down", f"{down * 100:.0f} %")
    yield Figure(f"{what}: drained in", f"{drain:.1f} s" if drain is not None else "never")
    yield Figure(f"{what}: lost", f"{len(result.lost)}", "0", not result.lost)
    yield Figure(f"{what}: out of order", f"{len(result.out_of_order)}", "0", not result.out_of_order)
    yield Figure(f"{what}: changed or not valid", f"{len(result.changed)}", "0", not result.changed)
