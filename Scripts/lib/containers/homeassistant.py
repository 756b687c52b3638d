"""The check of container-test on the app for Home Assistant: it is built, and delivers a tap to the broker that a Supervisor names."""

import json

import yaml
from bootedsystem import wait_for

from .machine import LINK, ROOT, expect

FOLDER = ROOT / "Examples/containers/home-assistant"
PLACE = "/opt/containers/home-assistant/nfcd"
TOKEN = "secret"
PORT = 8099
# What the Supervisor requires of config.yaml, and the values that it knows (developers.home-assistant.io, "App configuration").
REQUIRED = {"name", "version", "slug", "description", "arch"}
KNOWN = REQUIRED | {"startup", "boot", "init", "usb", "udev", "host_network", "services", "map", "options", "schema"}
# Answers as the Supervisor's API does for services: mqtt.
SUPERVISOR = f"""
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers["Authorization"] == "Bearer {TOKEN}" and self.path == "/services/mqtt"
        data = {{"host": "127.0.0.1", "port": 1883, "ssl": False, "username": "addons", "password": "pass"}}
        body = json.dumps({{"result": "ok", "data": data}} if known else {{"result": "error"}}).encode()
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", {PORT}), Handler).serve_forever()
"""
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@check
def has_settings(machine):
    """the app for Home Assistant has the settings that the Supervisor requires, with options that fit their schema, and their texts"""
    repository = yaml.safe_load((FOLDER / "repository.yaml").read_text())
    expect("name" in repository, "repository.yaml has no name")
    settings = yaml.safe_load((FOLDER / "nfcd/config.yaml").read_text())
    expect(REQUIRED <= settings.keys() <= KNOWN, f"config.yaml has {sorted(settings)}")
    expect(set(settings["arch"]) <= {"amd64", "aarch64"} and settings["slug"] == "nfcd", "arch or slug")
    expect(settings["options"].keys() == settings["schema"].keys(), "the options and their schema differ")
    texts = yaml.safe_load((FOLDER / "nfcd/translations/en.yaml").read_text())
    expect(texts["configuration"].keys() == settings["schema"].keys(), "the options and their texts differ")
    for name in ("Dockerfile", "DOCS.md", "CHANGELOG.md"):
        expect((FOLDER / "nfcd" / name).exists(), f"there is no {name}")


def build(machine):
    """Builds the image on the system that this machine was made of: it has what the packages need, as there is no network."""
    if machine.run("podman", "image", "exists", "localhost/debian").returncode != 0:
        machine.root("podman", "import", "--quiet", "/opt/base.tar", "localhost/debian:latest")
    machine.root("sh", "-c", f"cp /opt/release/nfcd_*.deb /opt/release/nfcd-relay_*.deb {PLACE}")
    machine.root("podman", "build", "--quiet", "--isolation=chroot", "--network=host", "--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096",
                 "--build-arg=BUILD_FROM=localhost/debian:latest", "--tag=localhost/nfcd-app", PLACE)


def wait(condition, otherwise, log):
    """As wait_for, with the end of a log in the error."""
    try:
        wait_for(condition, otherwise, 30)
    except AssertionError as error:
        raise AssertionError(f"{error}: {log()}") from None


@check
def delivers(machine):
    """the app for Home Assistant starts nfcd and the relay, asks the Supervisor for the broker, announces a reader, and delivers a tap"""
    build(machine)
    machine.system.do("systemd-run", "--quiet", "--collect", "--unit=supervisor", "python3", "-c", SUPERVISOR)
    machine.system.do("systemd-run", "--quiet", "--collect", "--unit=subscriber", "--property=StandardOutput=file:/run/messages",
                      "mosquitto_sub", "-t", "#", "-F", "%t %p")
    options = yaml.safe_load((FOLDER / "nfcd/config.yaml").read_text())["options"]
    data = machine.system.tree / "opt/data"
    data.mkdir(exist_ok=True)
    (data / "options.json").write_text(json.dumps(options))
    variables = [f"--env=SUPERVISOR=http://127.0.0.1:{PORT}", f"--env=SUPERVISOR_TOKEN={TOKEN}", "--env=READERS=1"]
    try:
        machine.root("podman", "run", "--detach", "--name=app", "--network=host", "--volume=/opt/data:/data", *variables, "localhost/nfcd-app")

        def messages():
            return machine.system.run("cat", "/run/messages").stdout

        def log():
            done = machine.run("podman", "logs", "app")
            return f"{messages()[-300:]} {done.stdout}{done.stderr}"[-900:]
        wait(lambda: "homeassistant/" in messages(), "no reader was announced", log)
        machine.root("podman", "exec", "--detach", "app", "nfcctl", "virtual-tag", "ntag215", "--uri", LINK)
        wait(lambda: any("/event " in line and LINK in line for line in messages().splitlines()), "the tap was not delivered", log)
        # If one of the programs ends, all do, so that the Supervisor starts the app again.
        machine.root("podman", "exec", "app", "sh", "-c", "kill $(pidof nfcd-relay)")
        wait_for(lambda: machine.root("podman", "inspect", "--format={{.State.Status}}", "app") == "exited", "the app did not end", 30)
    finally:
        machine.run("podman", "rm", "--force", "--time", "0", "app")
        machine.system.run("systemctl", "stop", "supervisor.service", "subscriber.service")
