"""The checks of container-test on the files of Examples/containers: what each starts reads a tag; and on mounts and nfcctl doctor."""

import json
import re
import shlex

import firsttag
import printed
import yaml
from bootedsystem import wait_for

from .machine import ALICE, GROUP, LINK, RELEASE, ROOT, expect, podman

FOLDER = ROOT / "Examples/containers"
PLACE = "/opt/containers"
CHECKS = []
PATIENCE = 60


def check(function):
    CHECKS.append(function)
    return function


def expect_taps(machine, output, what):
    """Puts a tag on the reader, and waits until the text that `output` returns has its link."""
    machine.present()
    try:
        wait_for(lambda: LINK in output(), f"{what} has not read the tag: {output()[-600:]}", PATIENCE)
    finally:
        machine.remove()


def logs(machine, container, user=None):
    done = machine.run("podman", "logs", container, user=user)
    return done.stdout + done.stderr


def compose(machine, file, variables, name="containers_taps_1"):
    command = ["env", *variables, "podman-compose", "--in-pod=false", "--file", f"{PLACE}/{file}"]
    machine.root(*command, "up", "--detach")
    try:
        expect_taps(machine, lambda: logs(machine, name), file)
        return json.loads(machine.root("podman", "inspect", name))[0]
    finally:
        machine.run(*command, "down", "--timeout", "0")


@check
def composes_with_group(machine):
    """compose.yaml with podman-compose: a user of the machine with the group reads taps, without network and capabilities"""
    found = compose(machine, "compose.yaml", [f"NFC_UID={ALICE}", f"NFC_GID={GROUP}"])
    expect(found["HostConfig"]["NetworkMode"] == "none" and found["HostConfig"]["ReadonlyRootfs"], "it has a network, or writes")
    missing = machine.run("podman-compose", "--file", f"{PLACE}/compose.yaml", "config")
    expect("getent group nfc" in missing.stdout + missing.stderr, f"without NFC_GID: {missing.stdout}{missing.stderr}")


@check
def composes_with_socket(machine):
    """compose-socket.yaml with podman-compose: root in the container reads taps by the separate socket"""
    compose(machine, "compose-socket.yaml", [])


@check
def runs_quadlet(machine):
    """nfc-taps.container is a service of Podman, and its command reads taps as the user"""
    folder = "/srv/alice/.config/containers/systemd"
    machine.alice("mkdir", "-p", folder)
    machine.alice("cp", f"{PLACE}/nfc-taps.container", folder)
    unit = machine.alice("/usr/libexec/podman/quadlet", "--user", "--dryrun")
    command = shlex.split(re.search(r"^ExecStart=(.+)", unit, re.MULTILINE)[1].replace("%N", "nfc-taps"))
    expect("--group-add" in command and "keep-groups" in command, unit)
    # This machine has no service manager of users that could start it: the same command without what systemd waits for.
    command = [word for word in command if not word.startswith(("--cgroups", "--sdnotify", "--cidfile", "--replace"))]
    machine.alice(*command)
    try:
        expect_taps(machine, lambda: logs(machine, "systemd-nfc-taps", "alice"), "the service")
    finally:
        machine.run("podman", "rm", "--force", "--time", "0", "systemd-nfc-taps", user="alice")


@check
def plays_pod(machine):
    """pod.yaml with podman kube play: a pod with the supplementary group reads taps"""
    text = (FOLDER / "pod.yaml").read_text()
    expect(yaml.safe_load(text)["spec"]["securityContext"]["supplementalGroups"] == [4999], "the group has another number")
    # The number of the group on this machine.
    (machine.system.tree / "opt/pod.yaml").write_text(text.replace("[4999]", f"[{GROUP}]"))
    machine.root("podman", "kube", "play", "--network=none", "/opt/pod.yaml")
    try:
        expect_taps(machine, lambda: logs(machine, "nfc-taps-taps"), "the pod")
    finally:
        machine.run("podman", "kube", "down", "--force", "/opt/pod.yaml")


@check
def makes_dev_container(machine):
    """devcontainer.json: its mounts and arguments, with the image of the clients, give the user of the container nfcd"""
    settings = json.loads((FOLDER / "devcontainer.json").read_text())
    arguments = [word.replace("${localEnv:NFC_GID}", str(GROUP)) for word in settings["runArgs"]]
    mounts = [f"--mount={mount}" for mount in settings["mounts"]]
    # The usual user of such an image.
    found, seen = machine.rights(*podman(*mounts, *arguments, "--user=1000:1000", volume="/opt:/opt"))
    expect((found.get("capabilities"), seen) == (["read"], 1000), f"nfcd sees {seen}, and permits {found}")


@check
def assembles_distrobox(machine):
    """distrobox.ini: distrobox makes a container with nfcd's folder and the groups of the user"""
    done = machine.run("distrobox", "assemble", "create", "--dry-run", "--file", f"{PLACE}/distrobox.ini", user="alice")
    output = done.stdout + done.stderr
    # Only the command: to start it, distrobox installs packages in it, which takes a network.
    expect("/run/nfcd:/run/nfcd" in output and "keep-groups" in output, f"{done.returncode}: {output[-800:]}")


# Flatpak: a runtime of what the image of the clients has, and an app that runs the probe.
RUNTIME = """[Runtime]
name=org.example.Platform
runtime=org.example.Platform/x86_64/1
sdk=org.example.Platform/x86_64/1
"""
APP = """[Application]
name=org.example.Desk
runtime=org.example.Platform/x86_64/1
sdk=org.example.Platform/x86_64/1
command=desk
"""


@check
def allows_flatpak(machine):
    """org.example.Desk.yaml: a Flatpak with its permission has the rights of the user, without it no socket, and with all files neither"""
    wanted = [word for word in yaml.safe_load((FOLDER / "org.example.Desk.yaml").read_text())["finish-args"] if "filesystem" in word]
    expect(wanted == ["--filesystem=/run/nfcd"], f"the permissions are {wanted}")
    make_flatpak(machine)
    for options, capabilities in ((wanted, ["read", "write"]), (["--filesystem=/run/nfcd:ro"], ["read", "write"]), ([], None),
                                  (["--filesystem=host"], None), (["--filesystem=/run/nfcd/nfcd.sock"], ["read", "write"])):
        found, seen = machine.rights("dbus-run-session", "flatpak", "run", "--user", *options, "org.example.Desk", user="alice")
        expect(found.get("capabilities") == capabilities, f"{options}: nfcd sees {seen}, and permits {found}")
        expect(seen == (ALICE if capabilities else None), f"{options}: nfcd sees {seen}")
    found = doctor(machine, ["dbus-run-session", "flatpak", "run", "--user", "--command=env", "org.example.Desk"], "alice")
    expect(found["fix"] == ["flatpak override --user --filesystem=/run/nfcd org.example.Desk"], f"{found}")


def make_flatpak(machine):
    """Makes and installs a runtime and an app, for alice."""
    script = f"""
set -e
rm -rf ~/flatpak && mkdir -p ~/flatpak/runtime/files ~/flatpak/app/export ~/flatpak/app/files/bin && cd ~/flatpak
container=$(podman create localhost/nfcd-clients:latest)
podman export "$container" | tar -x -C runtime usr
podman rm "$container" >/dev/null
printf '%s' '{RUNTIME}' > runtime/metadata
printf '%s' '{APP}' > app/metadata
printf '#!/bin/sh\\nexec python3 /app/bin/probe.py\\n' > app/files/bin/desk
cp /opt/probe.py app/files/bin/ && chmod 755 app/files/bin/desk
flatpak build-export --runtime --disable-sandbox repo runtime 1
flatpak build-export --disable-sandbox repo app 1
flatpak remote-add --user --if-not-exists --no-gpg-verify local repo
flatpak install --user --assumeyes --noninteractive local org.example.Platform//1
flatpak install --user --assumeyes --noninteractive local org.example.Desk//1
"""
    machine.alice("dbus-run-session", "sh", "-c", script)


def doctor(machine, command, user=None):
    """What nfcctl doctor finds about the container."""
    done = machine.run(*command, "nfcctl", "doctor", "--json", user=user)
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    found = [finding for finding in findings if finding["check"] == "container"]
    expect(found, f"the doctor has not noticed the container: {done.stdout}{done.stderr}")
    expect({finding["check"] for finding in findings} <= {"daemon", "container", "all"}, f"it looks for more: {findings}")
    return found[0]


@check
def advises(machine):
    """nfcctl doctor names what is missing in a container: the folder, the group, or the folder instead of the socket"""
    rows = [
        (podman(volume=None, command=["env"]), None, "problem", "--volume /run/nfcd:/run/nfcd"),
        (podman(volume=None, command=["env"]), "alice", "problem", "--group-add keep-groups"),
        (podman(command=["env"]), "alice", "problem", "--group-add"),
        (podman("--group-add=keep-groups", command=["env"]), "alice", "ok", None),
        (podman("--user=1000", command=["env"]), None, "problem", f"--group-add {GROUP}"),
        (podman(volume="/run/nfcd/nfcd.sock:/run/nfcd/nfcd.sock", command=["env"]), None, "warning", "--volume /run/nfcd:/run/nfcd"),
        (podman(volume="/run/nfcd/sockets/kiosk:/run/nfcd", command=["env"]), None, "ok", None),
    ]
    for command, user, verdict, fix in rows:
        found = doctor(machine, command, user)
        expect(found["verdict"] == verdict, f"{command}: {found}")
        expect(any(fix in line for line in found["fix"]) if fix else not found["fix"], f"{command}: {found}")


@check
def mounts_folder(machine):
    """after nfcd.socket has made a new socket, a container with the folder reaches it, one with the file does not, and doctor says so"""
    for name, volume in (("folder", "/run/nfcd:/run/nfcd"), ("file", "/run/nfcd/nfcd.sock:/run/nfcd/nfcd.sock")):
        machine.root("podman", "run", "--detach", "--name", name, f"--volume={volume}", "localhost/nfcd-clients:latest", "sleep", "600")
    try:
        machine.system.do("systemctl", "stop", "nfcd.service")
        machine.system.do("systemctl", "restart", "nfcd.socket")
        machine.root("podman", "exec", "folder", "nfcctl", "readers")
        done = machine.run("podman", "exec", "file", "nfcctl", "readers")
        expect(done.returncode == 69 and "mounted as a file" in done.stderr, f"{done.returncode}: {done.stdout}{done.stderr}")
        found = doctor(machine, ["podman", "exec", "file"])
        expect(found["verdict"] == "problem" and "mounted as a file" in found["summary"], f"{found}")
    finally:
        machine.run("podman", "rm", "--force", "--time", "0", "folder", "file")


@check
def demonstrates(machine):
    """nfcctl demo runs in the image of the simulator, also with Python, without nfcd and without a network"""
    shown = machine.alice(*podman("--network=none", volume=None, image="localhost/nfcd-simulator:latest", command=["nfcctl", "demo"]))
    expect(shown.count("https://example.com/nfcd") == 3, shown)


@check
def simulates(machine):
    """the image of the simulator gives its socket to containers of the same user by a volume"""
    volume = "--volume=simulated:/run/nfcd"
    machine.alice("podman", "run", "--detach", "--name=simulator", volume, "localhost/nfcd-simulator:latest")
    try:
        clients = ["podman", "run", "--rm", volume, "localhost/nfcd-clients:latest", "nfcctl"]
        wait_for(lambda: "simulated-0" in machine.run(*clients, "readers", user="alice").stdout, "it simulates no reader", 20)
        tag = ["podman", "exec", "--detach", "simulator", "nfcctl", "virtual-tag", "ntag215", "--uri", LINK]
        machine.alice(*tag[:4], "env", "NFCD_SOCKET=/run/nfcd/nfcd.sock", *tag[4:])
        expect(LINK in machine.alice(*clients, "scan", "--count", "1", "--timeout", "20"), "the tag was not read")
    finally:
        machine.run("podman", "rm", "--force", "--time", "0", "simulator", user="alice")


@check
def is_first_seen(machine):
    """the commands of the page load the image of the simulator for a user who has no image, and show a first tag"""
    machine.alice("podman", "rmi", "--all", "--force")
    loading, demonstrating = printed.block("Docs/guides/containers.md", "podman load --input nfcd-simulator").strip().splitlines()
    try:
        with firsttag.measured("trixie", "container", machine.system.leader):
            machine.alice("sh", "-c", f"cd {RELEASE} && {loading}")
            shown = machine.alice("sh", "-c", demonstrating)
        expect(shown.count("https://example.com/nfcd") == 3, shown)
    finally:
        machine.load(machine.alice)
