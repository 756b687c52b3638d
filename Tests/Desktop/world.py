"""What the checks run against: an nfcd with simulated readers, private buses with mocks, displays, and nfcd-desktop."""

import contextlib
import itertools
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "Scripts/lib")]
import dbus  # noqa: E402
from daemon import Daemon  # noqa: E402

PATIENCE = 40
MOCK = "org.freedesktop.DBus.Mock"
NOTIFICATIONS = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1/session/auto")


def until(condition, what, patience=PATIENCE):
    """Waits until a condition returns something, and returns it."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {patience} s: {what}")


def record(kind, payload):
    """A message with one short record of a well-known type, in hexadecimal."""
    head = bytes([0xD1, 1, len(payload)]) if len(payload) < 256 else bytes([0xC1, 1]) + len(payload).to_bytes(4, "big")
    return (head + kind + payload).hex().upper()


def uri(text):
    return record(b"U", b"\0" + text.encode())


def text(text):
    return record(b"T", b"\2en" + text.encode())


class World(contextlib.ExitStack):
    """One check's surroundings; everything that it starts ends with it."""

    def __init__(self, programs):
        super().__init__()
        self.programs = pathlib.Path(programs).absolute()
        self.folder = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory(prefix="nfcd-desktop-")))
        (self.folder / "bin").mkdir()
        (self.folder / "run").mkdir(mode=0o700)
        self.environment = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": f"{self.folder}/run",
            "DBUS_SESSION_BUS_ADDRESS": self.bus("session"), "DBUS_SYSTEM_BUS_ADDRESS": self.bus("system")}
        self.numbers, self.identifiers = itertools.count(1), itertools.count(1)
        self.typed = self.folder / "typed"
        self.start_nfcd()

    def start_nfcd(self):
        self.daemon = Daemon(str(self.programs / "nfcd"), str(self.folder), ["--simulator", "2"])
        self.callback(self.daemon.stop)
        self.client = self.enter_context(socket.socket(socket.AF_UNIX))
        self.client.connect(self.daemon.socket)
        self.lines = self.client.makefile("r")
        self.presented = None

    def start(self, *command, variables=None, **options):
        """Starts a program that ends with the world."""
        log = self.enter_context(open(self.folder / f"{pathlib.Path(command[0]).name}.log", "ab"))
        process = subprocess.Popen(command, env=self.environment | (variables or {}), stdout=log, stderr=log, start_new_session=True, **options)

        def stop():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

        self.callback(stop)
        return process

    def bus(self, name):
        path = self.folder / name
        log = self.enter_context(open(self.folder / f"{name}.log", "ab"))
        process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={path}"], stderr=log, stdout=log,
            env={"PATH": "/usr/bin:/bin", "XDG_DATA_DIRS": str(self.folder), "XDG_DATA_HOME": str(self.folder)})
        self.callback(lambda: (process.terminate(), process.wait()))
        until(path.exists, f"the {name} bus")
        return f"unix:path={path}"

    def connection(self, name="session"):
        return dbus.bus.BusConnection(self.environment[f"DBUS_{name.upper()}_BUS_ADDRESS"])

    # Mocks

    def mock(self, place, interface, bus="session", template=()):
        """A mock with a name and an object; its interface for setting it up."""
        address = self.environment[f"DBUS_{bus.upper()}_BUS_ADDRESS"]
        self.start("/usr/bin/python3", "-m", "dbusmock", "--session", *(template or (*place, interface)), variables={"DBUS_SESSION_BUS_ADDRESS": address})
        connection = self.connection(bus)
        until(lambda: connection.name_has_owner(place[0]), f"the mock of {place[0]}")
        return dbus.Interface(connection.get_object(*place), MOCK)

    def notification_server(self):
        return self.mock(
            NOTIFICATIONS, "", template=("-t", "notification_daemon", "-p", json.dumps({"capabilities": "actions body body-markup"})))

    def logind(self, locked=False, active=True):
        mock = self.mock(LOGIND, "org.freedesktop.login1.Session", bus="system")
        mock.AddProperties(
            "org.freedesktop.login1.Session",
            dbus.Dictionary({"LockedHint": dbus.Boolean(locked), "Active": dbus.Boolean(active)}, signature="sv"))
        return mock

    def set_session(self, **values):
        place = self.connection("system").get_object(*LOGIND)
        for name, value in values.items():
            dbus.Interface(place, "org.freedesktop.DBus.Properties").Set("org.freedesktop.login1.Session", name, dbus.Boolean(value))

    def portal(self):
        mock = self.mock(PORTAL, "org.freedesktop.portal.OpenURI")
        mock.AddProperties("org.freedesktop.portal.OpenURI", dbus.Dictionary({"version": dbus.UInt32(4)}, signature="sv"))
        mock.AddMethod("org.freedesktop.portal.OpenURI", "OpenURI", "ssa{sv}", "o", "ret = dbus.ObjectPath('/request')")
        return mock

    def remote_desktop(self):
        """A portal whose person allows the keyboard."""
        interface = "org.freedesktop.portal.RemoteDesktop"
        mock = self.mock(PORTAL, interface)
        mock.AddProperties(interface, dbus.Dictionary({"AvailableDeviceTypes": dbus.UInt32(7)}, signature="sv"))
        for number, (member, arguments, results) in enumerate((
                ("CreateSession", "a{sv}", "{'session_handle': '/session/1'}"), ("SelectDevices", "oa{sv}", "{}"),
                ("Start", "osa{sv}", "{'devices': dbus.UInt32(1), 'restore_token': 'consent-1'}"))):
            mock.AddMethod(interface, member, arguments, "o", f"""
path = '/org/freedesktop/portal/desktop/request/{number}'
if path not in objects: self.AddObject(path, 'org.freedesktop.portal.Request', {{}}, [])
objects[path].EmitSignal('org.freedesktop.portal.Request', 'Response', 'ua{{sv}}',
    [dbus.UInt32(0), dbus.Dictionary({results}, signature='sv')])
ret = dbus.ObjectPath(path)""")
        mock.AddMethod(interface, "NotifyKeyboardKeysym", "oa{sv}iu", "", "")
        return mock

    def program(self, name, script):
        """Puts a shell script into PATH."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def xdg_open(self):
        """A program that notes what it was to open."""
        self.program("xdg-open", f'printf "%s|%s|%s\\n" "$#" "$1" "$XDG_ACTIVATION_TOKEN" >> {self.folder}/opened')

    def opened(self):
        file = self.folder / "opened"
        return file.read_text().splitlines() if file.exists() else []

    # The service

    def desktop(self, configuration="", *options):
        """Starts nfcd-desktop, and waits until it receives taps."""
        file = self.folder / "desktop.toml"
        file.write_text(configuration + "\n[log]\nlevel = \"debug\"\n")
        process = self.start(str(self.programs / "nfcd-desktop"), "--config", str(file), "--socket", self.daemon.socket, *options)
        until(lambda: process.poll() is not None or "waiting for taps" in self.log(), "nfcd-desktop waits for taps")
        assert process.poll() is None, self.log()
        return process

    def log(self):
        return (self.folder / "nfcd-desktop.log").read_text()

    # Taps

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.client.sendall(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}).encode() + b"\n")
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer}"
                return answer["result"]
        raise AssertionError(f"{method}: nfcd closed the connection")

    def lift(self, away):
        """Takes the tag away, for some seconds: nfcd takes one that comes back at once for the same tap."""
        self.call("simulator.remove", presentation=self.presented)
        self.presented = None
        end = time.monotonic() + away
        until(lambda: time.monotonic() >= end, "time passes")

    def tap(self, ndef, identifier=None, reader="simulated-0"):
        """Puts a tag on a reader, after the one before has left. Each has another UID, unless it is given."""
        if self.presented:
            self.call("simulator.remove", presentation=self.presented)
        identifier = identifier or f"04{next(self.identifiers):012X}"
        self.presented = self.call(
            "simulator.present", reader=reader, model="ntag216", identifier=identifier, ndef=ndef)["presentation"]
        return identifier


def calls(mock, member):
    """The arguments of the calls of a method that a mock has received."""
    return [arguments for _, name, arguments in mock.GetCalls() if name == member]


CHECKS = []


def check(function):
    """Adds a check; its name is the behaviour."""
    CHECKS.append(function)
    return function
