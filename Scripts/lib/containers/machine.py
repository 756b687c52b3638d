"""The machine of container-test: a Debian that boots, with nfcd, a simulated reader, podman and bubblewrap, and users who run containers."""

import json
import pathlib
import re
import shutil
import subprocess

import printed
from bootedsystem import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGES = ["podman", "crun", "uidmap", "netavark", "catatonit", "bubblewrap", "flatpak", "podman-compose", "distrobox", "python3-yaml"]
CONFIGURATION = "/etc/nfcd/nfcd.toml"
# The packages and the images.
RELEASE = "/opt/release"
# The group that the package finds, so that its number is the same on every machine (Docs/guides/containers.md).
GROUP = 5999
ALICE = 5001
LINK = "https://example.com/box"
GRANTS = """
[simulator]
readers = 1

[[grant]]
group = "nfc"
formats = ["NDEF"]
capabilities = ["read"]
readers = ["*"]

[[grant]]
user = "alice"
formats = ["NDEF"]
capabilities = ["read", "write"]
readers = ["*"]

[[grant]]
socket = "kiosk"
formats = ["NDEF"]
capabilities = ["read"]
readers = ["*"]
"""
# The machine is a container itself: it has no control groups to give away, and no bridge.
CONTAINERS = """
[containers]
cgroups = "disabled"
netns = "host"
log_driver = "k8s-file"

[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
"""
# Prints what nfcd permits, and asks for what only a capability that no grant here gives permits: the log then names the client.
PROBE = """
import json, socket, sys
client = socket.socket(socket.AF_UNIX)
try:
    client.connect("/run/nfcd/nfcd.sock")
except OSError as error:
    print(json.dumps({"error": error.strerror}))
    sys.exit()
lines = client.makefile("rw")
def call(number, method):
    lines.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method}) + "\\n")
    lines.flush()
    return json.loads(lines.readline())
info = call(1, "server.info")
if "error" in info:
    print(json.dumps({"error": info["error"]["message"]}))
    sys.exit()
rights = info["result"]["entitlements"]
monitor = call(2, "events.subscribe")
print(json.dumps({"capabilities": rights["capabilities"], "monitor": monitor.get("error", {}).get("code", "ok")}))
"""


def expect(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


def prepare(tree, packages, images):
    """Adds users, packages, images, the sources of the examples and settings of podman to the system."""
    folder = tree / RELEASE.lstrip("/")
    folder.mkdir(parents=True)
    for path in [*packages, *images]:
        shutil.copy(path, folder)
    shutil.copytree(ROOT / "Examples/containers", tree / "opt/containers")
    printed.add_packages(tree, [])
    (tree / "opt/probe.py").write_text(PROBE)
    (tree / "etc/containers").mkdir(exist_ok=True)
    (tree / "etc/containers/containers.conf").write_text(CONTAINERS)
    subprocess.run(["chroot", tree, "groupadd", "--gid", str(GROUP), "nfc"], check=True)
    for user, number, groups in (("alice", ALICE, "nfc"), ("bob", 5002, "")):
        subprocess.run(["chroot", tree, "useradd", "--uid", str(number), "--create-home", "--home-dir", f"/srv/{user}",
                        "--groups", groups, user], check=True)
    # The numbers of users whom podman's automatic user namespaces may use.
    for name in ("subuid", "subgid"):
        with open(tree / "etc" / name, "a") as file:
            file.write("containers:2147483648:1000000\n")
    # One group of the machine that alice's containers may have.
    with open(tree / "etc/subgid", "a") as file:
        file.write(f"alice:{GROUP}:1\n")


class Machine:
    """The running machine."""

    def __init__(self, system):
        self.system = system

    def set_up(self):
        """Installs nfcd as the guide has it, with a separate socket, and loads the images for root and for alice."""
        self.system.do("sh", "-c", f"DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends {RELEASE}/nfcd_*.deb")
        (self.system.tree / CONFIGURATION.lstrip("/")).write_text(GRANTS)
        self.system.do("nfcd", "--check", "--config", CONFIGURATION)
        printed.run(self.system, "Docs/administration.md", "sudo systemctl enable nfcd@kiosk.socket")
        # Flatpak sets a limit of its user namespace there, which systemd-nspawn has made read-only.
        self.system.do("mount", "-o", "remount,bind,rw", "/proc/sys")
        self.system.do("install", "-d", "-o", "alice", "-g", "alice", "-m", "0700", f"/run/user/{ALICE}")
        for podman in (self.root, self.alice):
            self.load(podman)

    def load(self, podman):
        """Loads the images for a user. They have the names that the pages give them."""
        for image in sorted(path.name for path in (self.system.tree / RELEASE.lstrip("/")).glob("*.tar")):
            podman("podman", "load", "--quiet", "--input", f"{RELEASE}/{image}")

    # Who runs commands.

    @staticmethod
    def environment(user):
        home, run = ("/root", "/run") if user is None else (f"/srv/{user}", f"/run/user/{ALICE}")
        return ["env", "-C", home, f"HOME={home}", f"XDG_RUNTIME_DIR={run}", "PODMAN_IGNORE_CGROUPSV1_WARNING=1"]

    def run(self, *words, user=None):
        return self.system.run(*self.environment(user), *words, user=user)

    def root(self, *words):
        return self.system.do(*self.environment(None), *words)

    def alice(self, *words):
        return self.system.do(*self.environment("alice"), *words, user="alice")

    # What nfcd sees.

    def refusals(self):
        """The users whom nfcd's log says were refused something, in order."""
        self.system.do("journalctl", "--sync")
        log = self.system.run("journalctl", "--unit=nfcd", "--output=cat", "--no-pager", "--grep=was refused events.subscribe").stdout
        return re.findall(r"uid (\d+)", log)

    def restart(self):
        self.system.run("systemctl", "reset-failed", "nfcd.service", "nfcd.socket", "nfcd@kiosk.socket")
        self.system.do("systemctl", "restart", "nfcd.service")

    def rights(self, *command, user=None):
        """What the probe prints when a command runs it, and the user that nfcd saw: None if it was not refused anything."""
        before = len(self.refusals())
        done = self.run(*command, user=user)
        try:
            found = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return {"error": f"{done.returncode}: {done.stderr.strip()}{done.stdout.strip()}"}, None
        if found.get("monitor") in (None, "ok"):
            return found, None
        seen = wait_for(lambda: self.refusals()[before:], "nfcd's log does not have the refusal", 10)
        return found, int(seen[-1])

    # The tag on the reader.

    def present(self, *model):
        """Puts a tag on the reader, instead of the one before."""
        self.remove()
        command = ["systemd-run", "--quiet", "--collect", "--unit=tag", "--property=StandardOutput=file:/run/tag",
                   "nfcctl", "virtual-tag", *(model or ("ntag215", "--uri", LINK))]

        def is_presented():
            # It ends at once while nfcd has not noticed that the tag before is gone.
            if self.system.run("systemctl", "is-active", "tag.service").returncode != 0:
                self.system.run(*command)
            return "Virtual" in self.system.run("cat", "/run/tag").stdout
        wait_for(is_presented, "the tag is not on the reader", 20)

    def remove(self):
        self.system.run("systemctl", "stop", "tag.service")
        self.system.run("rm", "-f", "/run/tag")


def podman(*options, volume="/run/nfcd:/run/nfcd", image="localhost/nfcd-clients:latest", command=()):
    """A podman command that runs the probe, or another command, in the image of the clients."""
    volumes = [f"--volume={volume}", "--volume=/opt/probe.py:/probe.py:ro"] if volume else []
    return ["podman", "run", "--rm", *volumes, *options, image, *(command or ("python3", "/probe.py"))]
