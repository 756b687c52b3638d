"""A fleet: many machines, each an nfcd with a simulated reader and a relay, on one broker that disappears and comes back."""

import itertools
import pathlib
import statistics
import sys
import threading
import time
import typing

import brokers
from figures import Figure
from ledger import Ledger, verdict
from mqtt import Subscriber
from programs import is_listening, nfcd, relay, wait_for, work_folder
from taps import Tapper, journal, missing
from wire import Client

# What a person waits for after an outage.
DRAIN_S = 60
TAPPING_THREADS = 4
# How long the subscriber is away before the broker is killed.
AWAY_S = 5


class Plan(typing.NamedTuple):
    """The number of machines, the seconds between two taps on a reader, and how long the parts last: undisturbed, the outage of the
    broker, the outage of one node of a cluster."""
    machines: int
    interval: float
    quiet: float
    outage: float
    node: float


FULL = Plan(500, 30, 60, 600, 60)
SHORT = Plan(12, 1, 2, 4, 4)


class Machine:
    """An nfcd with one simulated reader, and a relay."""

    def __init__(self, folder, programs, number, ports):
        folder = pathlib.Path(folder, f"{number}")
        folder.mkdir()
        self.nfcd, self.socket = nfcd(folder, programs, 1)
        # Each begins with another node.
        first = number % len(ports)
        servers = ", ".join(f'"127.0.0.1:{port}"' for port in ports[first:] + ports[:first])
        # They have the machine id in common, and keep the default jitter.
        self.relay = relay(
            folder, programs, self.socket, [f'[[mqtt]]\nname = "fleet"\nservers = [{servers}]\n'],
            f'site = "soak"\ndevice = "machine-{number}"\n')
        self.tapper = Tapper(self.socket, 0, 0, 1)
        self.taps = 0

    def is_registered(self):
        with Client(self.socket) as client:
            return bool(client.call("taps.status")["consumers"])

    def tap(self):
        self.tapper.tap(self.taps)
        self.taps += 1


class Tour(threading.Thread):
    """Taps tags on some machines, one after another, until it is stopped."""

    def __init__(self, machines, interval):
        super().__init__(daemon=True)
        self.machines, self.pause = machines, interval / len(machines)
        self.late = 0.0
        self.failure = None
        self._end = threading.Event()

    def run(self):
        due = time.monotonic()
        try:
            for machine in itertools.cycle(self.machines):
                if self._end.wait(max(0, due - time.monotonic())):
                    return
                machine.tap()
                due += self.pause
                self.late = max(self.late, time.monotonic() - due)
        except BaseException as failure:
            self.failure = failure

    def stop(self):
        self._end.set()
        self.join()


class Fleet:
    """The machines of a fleet, and a subscriber at its broker."""

    def __init__(self, folder, programs, plan, broker):
        self.broker, self.plan = broker, plan
        self.ledger = Ledger(broker.name)
        self.machines = [Machine(folder, programs, number, broker.ports) for number in range(plan.machines)]
        self.subscriber = None
        self.drains = {}

    def start(self):
        self.broker.start()
        self.subscriber = Subscriber(self.broker.ports, self.ledger)
        wait_for(self.subscriber.ready.is_set, "the subscription at the broker")
        for machine in self.machines:
            machine.nfcd.start()
        for machine in self.machines:
            wait_for(lambda: is_listening(machine.socket), f"the start of nfcd, whose log is {machine.nfcd.log},")
            machine.relay.start()
        for machine in self.machines:
            wait_for(machine.is_registered, f"the start of nfcd-relay, whose log is {machine.relay.log},", 120)

    def stop(self):
        for machine in self.machines:
            machine.tapper.disconnect()
            machine.relay.kill()
            machine.nfcd.kill()
        if self.subscriber:
            self.subscriber.stop()
        self.broker.kill()

    def tapping(self, during):
        """Taps on all readers while a function runs; the seconds, and how late the taps were at most."""
        threads = min(TAPPING_THREADS, len(self.machines))
        tours = [Tour(self.machines[index::threads], self.plan.interval) for index in range(threads)]
        began = time.monotonic()
        for tour in tours:
            tour.start()
        during()
        for tour in tours:
            tour.stop()
            if tour.failure:
                raise tour.failure
        return time.monotonic() - began, max(tour.late for tour in tours)

    def taps(self):
        return sum(machine.taps for machine in self.machines)

    def arrived(self):
        return len(self.ledger.ids())

    def drained(self, began):
        """Waits until every tap has arrived; the seconds since a moment, None where it does not happen."""
        while self.arrived() < self.taps():
            if time.monotonic() > began + 5 * DRAIN_S:
                return None
            time.sleep(0.05)
        return time.monotonic() - began

    def journals(self):
        return [tap for machine in self.machines for tap in journal(machine.socket)]


def pss_mib(processes):
    """The mean proportional set size of processes."""
    sizes = []
    for process in processes:
        lines = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        sizes += [int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")]
    return statistics.mean(sizes)


def quiet(fleet):
    """Taps while nothing happens, and the memory of the programs."""
    what = f"fleet of {len(fleet.machines)}, {fleet.broker.name}"
    seconds, late = fleet.tapping(lambda: time.sleep(fleet.plan.quiet))
    drain = fleet.drained(time.monotonic())
    yield Figure(f"{what}: taps a second, undisturbed", f"{fleet.taps() / seconds:.0f}")
    yield Figure(f"{what}: latest tap", f"{late:.1f} s")
    yield Figure(f"{what}: delivered after the last", seconds_of(drain), f"≤ {DRAIN_S} s", is_in_time(drain))
    yield Figure(f"{what}: PSS of a relay", f"{pss_mib([machine.relay.process for machine in fleet.machines]):.1f} MiB")
    yield Figure(f"{what}: PSS of nfcd", f"{pss_mib([machine.nfcd.process for machine in fleet.machines]):.1f} MiB")


def outage(fleet, nodes, seconds, what):
    """Kills nodes of the broker while tags are tapped; the backlog, and when it is delivered after their return."""
    what = f"fleet of {len(fleet.machines)}, {fleet.broker.name}, {what}"

    is_whole = len(nodes) == len(fleet.broker.nodes)

    def without_nodes():
        if is_whole:
            # What the broker acknowledges now, it may lose with the session of the subscriber.
            fleet.subscriber.leave()
            time.sleep(min(AWAY_S, seconds))
        for node in nodes:
            node.kill()
        time.sleep(seconds)

    fleet.tapping(without_nodes)
    backlog = fleet.taps() - fleet.arrived()
    before = len(fleet.ledger.events())
    fleet.broker.start()
    fleet.subscriber.come_back()
    began = time.monotonic()
    spread = Spread(fleet.ledger, before, began)
    drain = fleet.drained(began)
    reached = spread.end()
    yield Figure(f"{what}: backlog", f"{backlog} taps")
    yield Figure(f"{what}: delivered within", seconds_of(drain), f"≤ {DRAIN_S} s", is_in_time(drain))
    if drain:
        yield Figure(f"{what}: delivered taps a second", f"{backlog / max(drain, 0.05):.0f}")
    if reached:
        yield Figure(f"{what}: relays back after, median / last", f"{statistics.median(reached):.1f} / {max(reached):.1f} s")


class Spread(threading.Thread):
    """When each machine delivered its first tap after a moment."""

    def __init__(self, ledger, seen, began):
        super().__init__(daemon=True)
        self.ledger, self.seen, self.began = ledger, seen, began
        self.first = {}
        self._end = threading.Event()
        self.start()

    def run(self):
        while not self._end.wait(0.1):
            events = self.ledger.events()
            for event in events[self.seen:]:
                self.first.setdefault(event.get("source"), time.monotonic() - self.began)
            self.seen = len(events)

    def end(self):
        self._end.set()
        self.join()
        return sorted(self.first.values())


def judged(fleet):
    """The verdict on everything that the subscriber received."""
    what = f"fleet of {len(fleet.machines)}, {fleet.broker.name}"
    lost = [tap for machine in fleet.machines for tap in missing([machine.tapper], journal(machine.socket))]
    result = verdict(fleet.ledger, fleet.journals())
    for problem in result.problems():
        print(f"soak: {problem}", file=sys.stderr)
    yield Figure(f"{what}: green taps not in the journal", f"{len(lost)}", "0", not lost)
    yield Figure(f"{what}: delivered, duplicates", f"{result.delivered}, {result.duplicates}")
    yield Figure(f"{what}: lost", f"{len(result.lost)}", "0", not result.lost)
    yield Figure(f"{what}: out of order", f"{len(result.out_of_order)}", "0", not result.out_of_order)
    yield Figure(f"{what}: changed or not valid", f"{len(result.changed)}", "0", not result.changed)


def seconds_of(value):
    return "never" if value is None else f"{value:.1f} s"


def is_in_time(value):
    return value is not None and value <= DRAIN_S


def figures(programs, is_short, machines=None):
    plan = SHORT if is_short else FULL
    plan = plan._replace(machines=machines or plan.machines)
    for make in (brokers.mosquitto, brokers.nats):
        with work_folder() as folder:
            fleet = Fleet(folder, programs, plan, make(folder))
            try:
                fleet.start()
                yield from quiet(fleet)
                yield from outage(fleet, fleet.broker.nodes, plan.outage, "outage")
                if len(fleet.broker.nodes) > 1:
                    yield from outage(fleet, fleet.broker.nodes[:1], plan.node, "without a node")
                yield from judged(fleet)
            finally:
                fleet.stop()
