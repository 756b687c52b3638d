#!/usr/bin/env python3
"""Runs pcscd, nfcd and nfcd-relay in one container, and delivers taps to the MQTT broker that the Supervisor names.

If one of the programs ends, all end, and the Supervisor starts the container again. Environment, for tests: NFCD_ROOT, a folder
instead of /data; SUPERVISOR, the address of the Supervisor; READERS, the number of simulated readers.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import urllib.error
import urllib.request

DATA = pathlib.Path(os.environ.get("NFCD_ROOT", "/data"))
SUPERVISOR = os.environ.get("SUPERVISOR", "http://supervisor")
RUN = pathlib.Path("/run/nfcd")
DAEMON = """
[log]
level = {level}

[journal]
enabled = true
path = {journal}

[simulator]
readers = {readers}
"""
RELAY = """
[relay]
device = {device}

[state]
path = {state}

[[mqtt]]
name = "home"
host = {host}
port = {port}
tls = {tls}
home-assistant = true
no-subscriber = "deliver"
{login}
"""


def broker():
    """What the Supervisor knows of the MQTT broker; None without one."""
    request = urllib.request.Request(f"{SUPERVISOR}/services/mqtt")
    request.add_header("Authorization", f"Bearer {os.environ.get('SUPERVISOR_TOKEN', '')}")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer).get("data") or None
    except (urllib.error.URLError, ValueError) as error:
        print(f"run: the Supervisor names no MQTT broker: {error}. Install the Mosquitto broker app.", file=sys.stderr)
        return None


def text(value):
    """A string as TOML has it; JSON's strings are a part of that."""
    return json.dumps(str(value), ensure_ascii=False)


def relay_configuration(options, found):
    login = ""
    if found.get("username"):
        password = RUN / "broker-password"
        password.touch(0o600)
        password.write_text(found.get("password") or "")
        login = f"username = {text(found['username'])}\npassword-file = {text(password)}"
    return RELAY.format(device=text(options["device"]), state=text(DATA / "relay.db"), host=text(found["host"]), port=int(found["port"]),
                        tls="true" if found.get("ssl") else "false", login=login)


def programs():
    """The programs to run, in this order."""
    options = json.loads((DATA / "options.json").read_text())
    readers = int(os.environ.get("READERS", "0"))
    RUN.mkdir(exist_ok=True)
    (RUN / "nfcd.toml").write_text(DAEMON.format(level=text(options["log_level"]), journal=text(DATA / "taps.db"), readers=readers))
    if not readers:
        yield ["pcscd", "--foreground", "--disable-polkit"]
    yield ["nfcd", "--config", RUN / "nfcd.toml"]
    if found := broker():
        (RUN / "relay.toml").write_text(relay_configuration(options, found))
        (RUN / "relay.toml").chmod(0o600)
        yield ["nfcd-relay", "--config", RUN / "relay.toml", "--control", RUN / "relay.sock", "--log-level", options["log_level"]]


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(0))
    running = []
    try:
        for command in programs():
            running.append(subprocess.Popen([str(word) for word in command]))
        ended, status = os.wait()
        name = next(process.args[0] for process in running if process.pid == ended)
        sys.exit(f"run: {name} ended with {os.waitstatus_to_exitcode(status)}; the others end too")
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            process.wait()


main()
