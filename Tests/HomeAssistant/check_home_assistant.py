"""Runs Home Assistant's own MQTT code against a real broker, nfcd and nfcd-relay.

Home Assistant must accept every discovery message and fire tag_scanned for a tap, once, with the id that its app would have
written. What the relay published, and what Home Assistant made of it, is printed as JSON: Tests/RelayTests compares the relay with
a recording of it.
"""

import argparse
import asyncio
import inspect
import json
import logging
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import paho.mqtt.client as paho
from homeassistant import auth, bootstrap, config_entries, core, loader
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.setup import async_setup_component

TAG = "5b3c1c1e-6a0a-4f6e-9a59-0d9a0b6a7f10"
UIDS = ("04A1B2C3D4E580", "04A1B2C3D4E581")
LIMIT = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Programs:
    """The broker, nfcd and the relay, in their own folder."""

    def __init__(self, bin_folder, folder):
        self.bin, self.folder, self.running = pathlib.Path(bin_folder), pathlib.Path(folder), []
        self.port = free_port()
        self.socket = self.folder / "nfcd.sock"

    def start(self, *command):
        log = open(self.folder / f"{pathlib.Path(command[0]).name}.log", "ab")
        child = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log)
        self.running.append(child)
        return child

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)
        return path

    def start_broker(self):
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        user = "user root\n" if os.geteuid() == 0 else ""
        config = f"listener {self.port} 127.0.0.1\nallow_anonymous true\n{user}"
        self.start(program, "-c", self.write("broker.conf", config))

    def start_daemon(self):
        config = f'[journal]\nenabled = true\npath = "{self.folder}/journal.sqlite"\n'
        self.start(self.bin / "nfcd", "--simulator", "1", "--socket", self.socket,
                   "--config", self.write("nfcd.toml", config))

    def start_relay(self):
        config = f"""
[relay]
site = "lab"
device = "desk"
reconnect-jitter = 0
[state]
path = "{self.folder}/relay.sqlite"
[[mqtt]]
name = "home"
host = "127.0.0.1"
port = {self.port}
home-assistant = true
"""
        self.start(self.bin / "nfcd-relay", "--socket", self.socket, "--control", self.folder / "relay.sock",
                   "--config", self.write("relay.toml", config))

    def present(self, uri, uid):
        """Holds a virtual tag on the reader for a second."""
        environment = dict(os.environ, NFCD_SOCKET=str(self.socket))
        subprocess.run([str(self.bin / "nfcctl"), "virtual-tag", "ntag215", "--uid", uid, "--uri", uri, "--for", "1"],
                       env=environment, check=True, stdout=subprocess.DEVNULL)

    def stop(self):
        for child in reversed(self.running):
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text()[-3000:]}" for path in self.folder.glob("*.log"))


class Recorder:
    """Subscribes to everything, without Home Assistant."""

    def __init__(self, port):
        self.messages = []
        versions = getattr(paho, "CallbackAPIVersion", None)
        self.client = paho.Client(*([versions.VERSION2] if versions else []), protocol=paho.MQTTv311)
        self.client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self.client.on_message = lambda _, __, message: self.messages.append(
            {"topic": message.topic, "payload": message.payload.decode(), "retained": bool(message.retain)})
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()


async def until(condition, what):
    for _ in range(LIMIT * 20):
        if result := condition():
            return result
        await asyncio.sleep(0.05)
    raise SystemExit(f"not seen within {LIMIT} s: {what}")


async def home_assistant(folder, port):
    """A running core of Home Assistant with the integrations tag and mqtt."""
    hass = core.HomeAssistant(str(folder))
    hass.config.skip_pip = True
    hass.config.internal_url = None
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    for component, config in (("homeassistant", {}), ("http", {"http": {"server_host": ["127.0.0.1"],
                                                                         "server_port": free_port()}}), ("tag", {})):
        if not await async_setup_component(hass, component, config):
            raise SystemExit(f"Home Assistant does not set up {component}")
    fields = dict(
        version=1, minor_version=2, domain="mqtt", title="mqtt", source="user", unique_id=None, options={},
        discovery_keys={}, subentries_data=None, data={"broker": "127.0.0.1", "port": port, "discovery": True})
    # Newer releases have more fields.
    known = inspect.signature(config_entries.ConfigEntry.__init__).parameters
    entry = config_entries.ConfigEntry(**{name: value for name, value in fields.items() if name in known})
    await hass.config_entries.async_add(entry)
    if entry.state is not config_entries.ConfigEntryState.LOADED:
        raise SystemExit(f"Home Assistant does not load mqtt: {entry.state} {entry.reason}")
    await hass.async_start()
    return hass


class Complaints(logging.Handler):
    """Warnings and errors of Home Assistant's MQTT code."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        if record.name.startswith(("homeassistant.components.mqtt", "homeassistant.components.tag",
                                   "homeassistant.components.event", "homeassistant.helpers.template",
                                   "homeassistant.helpers.entity")):
            self.lines.append(f"{record.name}: {record.getMessage()}")


def entities(hass):
    registry = entity_registry.async_get(hass)
    return sorted(entry.entity_id for entry in registry.entities.values() if entry.platform == "mqtt")


async def check(programs, folder):
    logging.basicConfig(level=logging.WARNING)
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    programs.start_broker()
    await until(lambda: is_listening(programs.port), "the broker")
    recorder = Recorder(programs.port)
    programs.start_daemon()
    programs.start_relay()
    await until(lambda: [m for m in recorder.messages if m["topic"].startswith("homeassistant/tag/")], "discovery")
    hass = await home_assistant(folder, programs.port)
    scanned, states = [], []
    hass.bus.async_listen("tag_scanned", lambda event: scanned.append(dict(event.data)))
    try:
        await until(lambda: len(entities(hass)) == 3, "three entities")
        await until(lambda: all(hass.states.get(name) for name in entities(hass)), "their states")
        names = {name.split(".")[0]: name for name in entities(hass)}
        await until(lambda: hass.states.get(names["binary_sensor"]).state == "on", "the reader connected")
        await asyncio.to_thread(programs.present, f"https://www.home-assistant.io/tag/{TAG}", UIDS[0])
        await until(lambda: scanned, "tag_scanned")
        await until(lambda: hass.states.get(names["event"]).state != "unknown", "the event of the tap")
        # Another tag: the same one at once would be the same tap.
        await asyncio.to_thread(programs.present, "https://example.com/", UIDS[1])
        await until(lambda: len(scanned) == 2, "tag_scanned for a tag without an id of Home Assistant")
        await until(lambda: hass.states.get(names["event"]).attributes["event_type"] == "removed", "the removed tag")
        devices = sorted((d.name, d.model, bool(d.via_device_id)) for d in device_registry.async_get(hass).devices.values())
        states = {name: hass.states.get(name).state for name in names.values() if not name.startswith("event.")}
        repeated = len([m for m in recorder.messages if m["topic"].startswith("homeassistant/tag/")])
        recorder.client.publish("homeassistant/status", "online")
        await until(lambda: len([m for m in recorder.messages if m["topic"].startswith("homeassistant/tag/")]) > repeated,
                    "discovery again after the birth message")
        if len(scanned) != 2:
            raise SystemExit(f"tag_scanned {len(scanned)} times instead of twice: {scanned}")
        if scanned[0]["tag_id"] != TAG:
            raise SystemExit(f"the id of the tag is {scanned[0]['tag_id']} instead of {TAG}")
        if complaints.lines:
            raise SystemExit("Home Assistant complains:\n" + "\n".join(complaints.lines))
    finally:
        recorder.client.loop_stop()
        await hass.async_stop(force=True)
    for event in scanned:
        event.pop("device_id", None)
    wanted = ("homeassistant/", "nfcd/")
    published = [m for m in recorder.messages if m["topic"].startswith(wanted) and m["topic"] != "homeassistant/status"]
    return {"published": published, "scanned": scanned, "entities": entities(hass), "states": states, "devices": devices}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="the folder of nfcd, nfcd-relay and nfcctl")
    parser.add_argument("--record", help="the file to write the exchange to")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nfcd-ha-") as folder:
        programs = Programs(arguments.bin, folder)
        try:
            (pathlib.Path(folder) / "config").mkdir()
            (pathlib.Path(folder) / "config" / "configuration.yaml").touch()
            exchange = asyncio.run(check(programs, pathlib.Path(folder) / "config"))
        except SystemExit as failure:
            print(programs.logs(), file=sys.stderr)
            raise failure
        finally:
            programs.stop()
    text = json.dumps(exchange, indent=1, sort_keys=True) + "\n"
    if arguments.record:
        pathlib.Path(arguments.record).write_text(text)
    print(f"Home Assistant accepts {len(exchange['published'])} messages and fired tag_scanned"
          f" {len(exchange['scanned'])} times: {', '.join(exchange['entities'])}")


main()
