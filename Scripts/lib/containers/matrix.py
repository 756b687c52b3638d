"""The checks of container-test on rights: whom nfcd sees for a client in a container, and what it permits."""

import dataclasses

from .machine import ALICE, GROUP, LINK, expect, podman

KIOSK = "/run/nfcd/sockets/kiosk:/run/nfcd"
# What the grants of the machine give.
GROUP_ONLY, BOTH = ["read"], ["read", "write"]
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@dataclasses.dataclass
class Row:
    """A client, and what is expected: the user that nfcd sees, and its capabilities; without them, it may not open the socket."""

    name: str
    command: list
    user: str = None
    seen: int = None
    capabilities: list = None
    # A part of the reason, if the container does not even start.
    reason: str = "Permission denied"

    @property
    def line(self):
        """The row of the table in Docs/guides/containers.md."""
        if self.capabilities is None:
            return f"| {self.name} | – | {'may not open the socket' if self.reason == Row.reason else 'does not start'} |"
        if self.seen is None:
            return f"| {self.name} | 0 | everything |"
        return f"| {self.name} | {self.seen} | {', '.join(self.capabilities)} |"


def sandbox(*options):
    """bubblewrap, as Flatpak uses it: a root without the machine's files but these."""
    return ["bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
            "/lib64", "--dev", "/dev", "--bind", "/run/nfcd", "/run/nfcd", "--ro-bind", "/opt/probe.py", "/probe.py", *options,
            "python3", "/probe.py"]


def namespace(*options):
    return ["unshare", "--user", *options, "python3", "/opt/probe.py"]


MAPPED = ["--gidmap", f"+g102000:@{GROUP}", "--group-add", "102000"]
KEEP = "--group-add=keep-groups"
ROWS = [
    Row("a member of the group, without a container", ["python3", "/opt/probe.py"], "alice", ALICE, BOTH),
    Row("a user outside the group, without a container", ["python3", "/opt/probe.py"], "bob"),
    Row("rootless podman, which drops the group", podman(), "alice"),
    Row("rootless podman with keep-groups: root inside is the user", podman(KEEP), "alice", ALICE, BOTH),
    Row("rootless podman with keep-groups and another user inside: a subordinate number, the group's grant alone",
        podman("--user=1000", KEEP), "alice", 100999, GROUP_ONLY),
    Row("rootless podman with keep-id drops the group", podman("--userns=keep-id"), "alice"),
    Row("rootless podman with keep-id and keep-groups", podman("--userns=keep-id", KEEP), "alice", ALICE, BOTH),
    Row("rootless podman with a mapped group", podman(*MAPPED), "alice", ALICE, BOTH),
    Row("rootful podman: root inside is root for nfcd", podman(), None, None, ["lock", "manage", "raw-unscreened"]),
    Row("rootful podman with a user and no group", podman(f"--user={ALICE}"), None),
    Row("rootful podman with an unknown user and the group", podman("--user=1000", f"--group-add={GROUP}"), None, 1000, GROUP_ONLY),
    Row("rootful podman with alice's number and the group: numbers are names", podman(f"--user={ALICE}", f"--group-add={GROUP}"), None,
        ALICE, BOTH),
    Row("rootful podman with a user namespace: root inside has no right", podman("--userns=auto"), None),
    Row("a user namespace of a member without root", namespace(), "alice", ALICE, BOTH),
    Row("a user namespace of a member who is root inside", namespace("--map-root-user"), "alice", ALICE, BOTH),
    Row("bubblewrap", sandbox("--unshare-all"), "alice", ALICE, BOTH),
    Row("bubblewrap, as root inside", sandbox("--unshare-all", "--uid", "0", "--gid", "0"), "alice", ALICE, BOTH),
    Row("rootful podman with a separate socket: root inside has its grants", podman(volume=KIOSK), None, 0, GROUP_ONLY),
    Row("rootful podman with a separate socket and a user: the same", podman("--user=1000", volume=KIOSK), None, 1000, GROUP_ONLY),
    Row("rootful podman with a separate socket and a user namespace: the same", podman("--userns=auto", volume=KIOSK), None, 2147483648,
        GROUP_ONLY),
    Row("rootful podman with a separate socket, and alice's number: not alice's grants", podman(f"--user={ALICE}", volume=KIOSK), None,
        ALICE, GROUP_ONLY),
    Row("rootless podman with a separate socket: only root may mount it", podman(KEEP, volume=KIOSK), "alice",
        reason="permission denied"),
]


def try_row(machine, row):
    """Compares what nfcd permits with what the row expects."""
    found, seen = machine.rights(*row.command, user=row.user)
    if row.capabilities is None:
        expect(row.reason in found.get("error", ""), f"expected \"{row.reason}\", found {found}")
    elif seen is None:
        expect(set(row.capabilities) <= set(found.get("capabilities", [])) and row.seen is None, f"nfcd permits {found}")
    else:
        expect((found["capabilities"], seen) == (row.capabilities, row.seen), f"nfcd sees uid {seen}, and permits {found}")


def row_check(row):
    def check(machine):
        try_row(machine, row)
    check.__doc__ = row.name
    return check


CHECKS += [row_check(row) for row in ROWS]


def nfcctl(machine, options, *words, user=None, volume="/run/nfcd:/run/nfcd"):
    return machine.run(*podman(*options, volume=volume, command=("nfcctl", *words)), user=user)


@check
def reads_by_separate_socket(machine):
    """root in a container with a separate socket reads a tag, and is refused writing, locking and monitoring, each with the grant"""
    machine.present()
    try:
        read = nfcctl(machine, [], "read", volume=KIOSK)
        expect(LINK in read.stdout, f"{read.returncode}: {read.stdout}{read.stderr}")
        for words, capability in ((("write", "--uri", "https://example.com/x"), "write"), (("lock", "--yes"), "lock"),
                                  (("monitor", "--json"), "monitor")):
            done = nfcctl(machine, [], *words, volume=KIOSK)
            expect(done.returncode == 77 and 'socket = "kiosk"' in done.stderr and capability in done.stderr,
                   f"{words}: {done.returncode}: {done.stdout}{done.stderr}")
        expect(LINK in machine.system.do("nfcctl", "read"), "the tag has changed")
    finally:
        machine.remove()


@check
def locks_as_root(machine):
    """root in a rootful container without a separate socket makes a tag read-only: that is why there are separate sockets"""
    machine.present()
    try:
        refused = nfcctl(machine, [KEEP], "lock", "--yes", user="alice")
        expect(refused.returncode == 77, f"alice: {refused.returncode}: {refused.stderr}")
        done = nfcctl(machine, [], "lock", "--yes")
        expect(done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}")
        written = machine.system.run("nfcctl", "write", "--uri", "https://example.com/x")
        expect(written.returncode != 0, "the tag can still be written")
    finally:
        machine.remove()


@check
def shares_root_with_relay(machine):
    """a relay that root runs in front of the socket gives root's rights to whoever connects: run it as a separate user"""
    relay = machine.system.start("python3", "-c", RELAY)
    try:
        machine.system.do("sh", "-c", "until [ -S /tmp/relay.sock ]; do sleep 0.1; done")
        probe = "import re; exec(open('/opt/probe.py').read().replace('/run/nfcd/nfcd.sock', '/tmp/relay.sock'))"
        found, _ = machine.rights("python3", "-c", probe, user="bob")
        expect("manage" in found.get("capabilities", []), f"{found}")
    finally:
        relay.kill()
        relay.wait()


# What socat UNIX-LISTEN:… UNIX-CONNECT:… does for one client.
RELAY = """
import os, select, socket
server = socket.socket(socket.AF_UNIX)
server.bind("/tmp/relay.sock")
os.chmod("/tmp/relay.sock", 0o666)
server.listen()
near, _ = server.accept()
far = socket.socket(socket.AF_UNIX)
far.connect("/run/nfcd/nfcd.sock")
others = {near: far, far: near}
while True:
    for ready in select.select(list(others), [], [])[0]:
        data = ready.recv(65536)
        if not data:
            raise SystemExit
        others[ready].sendall(data)
"""
