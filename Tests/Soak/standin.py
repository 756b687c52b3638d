"""Proves that the kill test can fail: a stand-in relay delivers taps to the real sinks with a fault, which has to be detected."""

import base64
import copy
import hashlib
import hmac
import http.client
import json
import os
import random
import subprocess
import sys
import time
import uuid

import libraries
from brokers import Mosquitto
from figures import Figure
from ledger import verdict
from mqtt import Connection
from programs import wait_for, work_folder
from sinks import BrokerSink, CommandSink, WebhookSink, free_port

TAPS = 12


def journal():
    """Taps of two readers as a journal has them."""
    taps = []
    for sequence in range(1, TAPS + 1):
        reader = sequence % 2
        taps.append({
            "sequence": sequence, "id": str(uuid.uuid4()), "time": "2026-01-01T00:00:00.000Z",
            "reader": f"simulated-{reader}", "readerSequence": (sequence + 1) // 2,
            "tag": {"type": "miFare", "identifier": f"04{sequence:012X}"}, "message": None})
    return taps


def event(tap):
    return {
        "specversion": "1.0", "id": tap["id"], "source": f"/nfcd/site/device/{tap['reader']}",
        "type": "org.nfcd.tap.read", "subject": tap["tag"]["identifier"], "time": tap["time"],
        "sequence": f"{tap['readerSequence']:020}", "datacontenttype": "application/json", "data": copy.deepcopy(tap)}


def faithful(events):
    """Everything once, and some twice."""
    return events[:6] + events[4:6] + events[6:]


def lossy(events):
    return events[:5] + events[6:]


def reordered(events):
    return events[:4] + [events[6]] + events[4:6] + events[7:]


def renamed(events):
    """A duplicate with another id."""
    return events + [{**events[-1], "id": str(uuid.uuid4())}]


def altered(events):
    """A duplicate with other content."""
    again = copy.deepcopy(events[3])
    again["data"]["tag"]["identifier"] = "0400"
    return events + [again]


def truncated(events):
    """A tap that is not what the journal has."""
    first = copy.deepcopy(events[0])
    del first["data"]["time"]
    return [first] + events[1:]


# What each fault is detected as: (lost, out of order, changed).
FAULTS = {
    faithful: (False, False, False), lossy: (True, False, False), reordered: (False, True, False),
    renamed: (False, False, True), altered: (False, False, True), truncated: (False, False, True)}


class Webhook:
    """Posts events as the Standard Webhooks specification has it."""

    def __init__(self, sink):
        self.sink = sink

    def deliver(self, value, secret=None):
        body = json.dumps(value).encode()
        stamp = str(int(time.time()))
        key = base64.b64decode((secret or self.sink.secret).removeprefix("whsec_"))
        mac = hmac.new(key, f"{value['id']}.{stamp}.".encode() + body, hashlib.sha256).digest()
        client = http.client.HTTPConnection("127.0.0.1", self.sink.port, timeout=5)
        client.request("POST", "/taps", body, {
            "content-type": "application/cloudevents+json", "webhook-id": value["id"], "webhook-timestamp": stamp,
            "webhook-signature": "v1," + base64.b64encode(mac).decode()})
        status = client.getresponse().status
        client.close()
        return status


class Broker:
    def __init__(self, sink):
        self.connection = Connection(sink.broker.port, "stand-in", clean=True)

    def deliver(self, value):
        self.connection.publish("soak/taps", json.dumps(value).encode())


class Command:
    def __init__(self, sink):
        self.sink = sink

    def deliver(self, value):
        environment = {"NFCD_TAP_ID": value["id"], "NFCD_EVENT": value["type"]}
        body = json.dumps(value["data"]).encode()
        return subprocess.run(self.sink.command(), input=body, env={**os.environ, **environment}).returncode


STAND_INS = {"mqtt": Broker, "webhook": Webhook, "command": Command}


def sinks(folder, broker, packages):
    # A separate session: the broker would deliver what an earlier subscriber had not acknowledged in time.
    yield BrokerSink(broker, f"soak-{uuid.uuid4()}")
    yield CommandSink(folder)
    if packages:
        yield WebhookSink(folder, packages)


def deliver(folder, broker, packages, fault, taps):
    """Delivers the taps with a fault; the verdict on each sink."""
    for sink in sinks(folder, broker, packages):
        try:
            if sink.name == "mqtt":
                wait_for(sink.subscriber.ready.is_set, "the subscription at the broker")
            stand_in = STAND_INS[sink.name](sink)
            sent = fault([event(tap) for tap in taps])
            for value in sent:
                stand_in.deliver(value)
            wait_for(lambda: sink.collect() or len(sink.ledger.events()) >= len(sent), f"the arrival at {sink.name}")
            yield verdict(sink.ledger, taps)
        finally:
            sink.stop()


def faults(broker, packages):
    """Each fault at each sink."""
    for fault, expected in FAULTS.items():
        with work_folder() as folder:
            for found in deliver(folder, broker, packages, fault, journal()):
                kinds = tuple(map(bool, (found.lost, found.out_of_order, found.changed)))
                names = [name for name, is_set in zip(("lost", "out of order", "changed"), kinds) if is_set]
                yield Figure(
                    f"self-test: {fault.__name__} delivery, {found.sink}", ", ".join(names) or "no fault", "",
                    kinds == expected)


def outages(packages):
    """A sink that is out of service receives nothing, and a request with a wrong signature is refused."""
    with work_folder() as folder:
        command, value = CommandSink(folder), event(journal()[0])
        command.fail(random)
        status = Command(command).deliver(value)
        yield Figure("self-test: command out of service", f"exit {status}", "exit 75", status == 75)
        if packages:
            webhook = WebhookSink(folder, packages)
            status = Webhook(webhook).deliver(value, "whsec_" + base64.b64encode(bytes(32)).decode())
            yield Figure("self-test: wrong signature", f"{status}", "400", status == 400 and bool(webhook.ledger.problems))
            webhook.fail(random.Random(2))
            webhook.fault = "busy"
            status = Webhook(webhook).deliver(value) if webhook._server else 503
            yield Figure("self-test: webhook out of service", f"{status}", "503", status == 503)
            webhook.stop()


def figures():
    packages = libraries.load()
    if packages is None:
        print("soak: no webhook in the self-test: PyPI cannot be reached", file=sys.stderr)
    with work_folder() as folder:
        broker = Mosquitto(folder, free_port())
        broker.start()
        try:
            yield from faults(broker, packages)
        finally:
            broker.kill()
    yield from outages(packages)
