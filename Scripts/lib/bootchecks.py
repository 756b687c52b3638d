"""The checks of boot-test for nfcd, in this order. Each is a function of the state; its docstring is its description."""

import json
import pathlib
import re

import printed
from bootedsystem import wait_for

SOCKET = "/run/nfcd/nfcd.sock"
CONFIGURATION = "/etc/nfcd/nfcd.toml"
VPCD = "127.0.0.1:35963"
LISTENING = re.compile(r":8C7B [0-9A-F]+:[0-9A-F]+ 0A ")
# The directories that a running system writes to, whatever is installed.
RESTLESS = ("var/log/", "var/cache/", "var/lib/apt/", "var/lib/dpkg/", "var/lib/systemd/", "var/lib/mosquitto/", "var/tmp/",
            "tmp/", "run/")
ACCOUNTS = ("passwd", "group", "shadow", "gshadow")
RULE = "/usr/share/polkit-1/rules.d/nfcd.rules"
CHECKS = []


class State:
    """The system under test, and the results of earlier checks."""

    def __init__(self, system):
        self.system = system
        self.files = files(system.tree)
        self.accounts = accounts(system.tree)
        self.inode = None

    def unit(self, key, unit="nfcd.service"):
        return self.system.do("systemctl", "show", "--value", f"--property={key}", unit)

    def daemon(self):
        """The process ID of the daemon; 0 if it is not running."""
        return int(self.unit("MainPID"))

    def restart(self):
        """Restarts nfcd, regardless of the start limit."""
        self.prepare()
        self.system.do("systemctl", "restart", "nfcd.service")
        return self.daemon()

    def prepare(self):
        """Resets the start limits, which the checks would otherwise exceed."""
        for unit in ("nfcd.service", "nfcd.socket", "nfcd-relay.service", "pcscd.service", "pcscd.socket"):
            self.system.run("systemctl", "reset-failed", unit)

    def kill(self, signal):
        self.system.do("systemctl", "kill", "--kill-who=main", f"--signal={signal}", "nfcd.service")

    def wait_for_another(self, old):
        return wait_for(
            lambda: self.daemon() not in (0, old) and self.unit("ActiveState") == "active",
            f"nfcd was not restarted: {self.unit('ActiveState')}, {self.unit('Result')}")

    def expect_same_socket(self):
        now = self.system.do("stat", "-c", "%i", SOCKET)
        expect(now == self.inode, f"the socket was inode {self.inode} and is {now}")

    def scan(self):
        """The output of an ordinary user's scan of a tag on a vpcd reader: the line of the tag and the last line."""
        scan = self.system.start("nfcctl", "scan", "--json", "--count", "1", "--timeout", "30", "--wait", user="member")
        tag = None
        try:
            wait_for(self.vpcd_listens, "vpcd does not listen")
            tag = self.system.start("nfcctl", "virtual-tag", "ntag215", "--uri", "https://example.com/boot", "--vpcd", VPCD)
            output, errors = scan.communicate(timeout=60)
        finally:
            for process in filter(None, (scan, tag)):
                process.kill()
                process.wait()
        expect(scan.returncode == 0, f"scan ended with {scan.returncode}: {errors}{output}")
        return [json.loads(line) for line in output.splitlines()]

    def vpcd_listens(self):
        """Whether the port is open; connections of a pcscd that has ended are still listed in other states."""
        return LISTENING.search(self.system.do("cat", "/proc/net/tcp", "/proc/net/tcp6"))

    def expect_scan(self):
        lines = self.scan()
        uri = lines[0]["message"]["records"][0]["decoded"]["uri"]
        expect(uri == "https://example.com/boot", f"the URI on the tag is {uri}")
        expect(lines[-1]["event"] == "invalidated", f"the last line is {lines[-1]}")


def expect(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


def files(tree):
    """All files related to nfcd, and all other files except those that a running system writes."""
    paths = {str(path.relative_to(tree)) for path in pathlib.Path(tree).rglob("*")}
    return {path for path in paths if "nfc" in path and not path.startswith(("opt/", "var/log/"))
            or not path.startswith(RESTLESS) and path not in [f"etc/{name}-" for name in ACCOUNTS]}


def accounts(tree):
    return {name: sorted((pathlib.Path(tree) / "etc" / name).read_text().splitlines()) for name in ACCOUNTS}


def adding_to(checks):
    """A decorator that adds a check to a list."""
    def check(function):
        checks.append(function)
        return function
    return check


check = adding_to(CHECKS)


def with_polkit(function):
    """A check for systems on which pcscd asks polkit."""
    function.needs_polkit = True
    return function


@check
def installs(state):
    """the commands of the README install the package and add a user to its group"""
    output = printed.run(state.system, "README.md", "sudo apt install ./.build/deb/nfcd_", user="member")
    expect("nfcd: " not in output, f"the installation reports a fault: {output}")
    expect("nfc" in state.system.do("id", "-nG", "member").split(), "member is not in the group nfc")


@check
def listens(state):
    """nfcd.socket listens, is enabled and belongs to the group nfc, before nfcd is started"""
    state.inode = state.system.do("stat", "-c", "%i", SOCKET)
    owner = state.system.do("stat", "-c", "%a %U:%G %F", SOCKET)
    expect(owner == "660 root:nfc socket", f"{SOCKET} is {owner}")
    expect(state.unit("SubState", "nfcd.socket") == "listening", state.unit("SubState", "nfcd.socket"))
    expect(state.system.do("systemctl", "is-enabled", "nfcd.socket") == "enabled", "nfcd.socket is not enabled")
    expect(state.daemon() == 0, "nfcd is already running")


@check
def reads_a_tag(state):
    """a user in the group nfc reads a tag with nfcctl scan, through pcscd and vpcd, which starts nfcd"""
    state.expect_scan()
    expect(state.unit("User") == "nfcd" and state.daemon() != 0, "nfcd does not run as the user nfcd")


@check
def refuses_others(state):
    """scan reports to a user outside the group that access is not permitted, and exits with 77"""
    scan = state.system.run("nfcctl", "scan", "--json", "--count", "1", user="stranger")
    expect(scan.returncode == 77 and "group" in scan.stderr, f"{scan.returncode}: {scan.stderr}")


@check
def shows_own_sessions(state):
    """a user in the group sees the own sessions and the metrics; those of others, and their events, only root sees"""
    def count(user):
        return len(state.system.do("nfcctl", "sessions", "--json", user=user).splitlines())

    scan = state.system.start("nfcctl", "scan", "--timeout", "30")
    try:
        wait_for(lambda: count(None) == 1, "root does not see the session")
        expect(count("member") == 0, "member sees the session of root")
    finally:
        state.system.run("pkill", "-INT", "-x", "nfcctl")
        scan.wait()
    scan = state.system.start("nfcctl", "scan", "--timeout", "30", user="member")
    try:
        wait_for(lambda: count("member") == 1, "member does not see the own session")
    finally:
        state.system.run("pkill", "-INT", "-x", "nfcctl")
        scan.wait()
    state.system.do("nfcctl", "metrics", user="member")
    monitor = state.system.run("nfcctl", "monitor", "--json", user="member")
    expect(monitor.returncode == 77, f"{monitor.returncode}: {monitor.stderr}")


@check
def doctor_reports_missing_group(state):
    """doctor shows a user outside the group how to join it, and exits with 77"""
    doctor = state.system.run("nfcctl", "doctor", user="stranger")
    result = f"{doctor.returncode}: {doctor.stdout}{doctor.stderr}"
    expect(doctor.returncode == 77 and "usermod -aG nfc stranger" in doctor.stdout, result)


@check
@with_polkit
def is_permitted_by_its_rule(state):
    """without the package's polkit rule, pcscd refuses nfcd, and doctor names polkit; with it again, a tag is read"""
    def restart_all():
        state.system.do("systemctl", "restart", "polkit.service", "pcscd.service")
        state.restart()

    state.system.do("mv", RULE, "/opt/nfcd.rules")
    try:
        restart_all()
        doctor = state.system.run("nfcctl", "doctor", user="member")
        expect(doctor.returncode != 0 and "polkit" in doctor.stdout, f"{doctor.returncode}: {doctor.stdout}")
    finally:
        state.system.do("mv", "/opt/nfcd.rules", RULE)
        restart_all()
    state.expect_scan()


@check
def stops(state):
    """systemctl stop stops nfcd but keeps its socket, and the next client starts it again"""
    state.system.do("systemctl", "stop", "nfcd.service")
    expect(state.daemon() == 0, "nfcd is still running")
    state.expect_same_socket()
    state.system.do("nfcctl", "readers", user="member")
    expect(state.daemon() != 0, "nfcd was not started")


@check
def restarts(state):
    """systemctl stop, start and restart work, and the socket stays the same"""
    state.system.do("systemctl", "stop", "nfcd.service")
    state.system.do("systemctl", "start", "nfcd.service")
    old = state.daemon()
    expect(state.restart() not in (0, old), "it is the same process")
    state.expect_same_socket()


@check
def outlives_pcscd(state):
    """a tag is read after pcscd was restarted"""
    old = state.daemon()
    state.system.do("systemctl", "restart", "pcscd.service")
    state.expect_scan()
    expect(state.daemon() == old, "nfcd was restarted")


@check
def doctor_recognizes_a_stopped_pcscd(state):
    """doctor recognizes that pcscd was stopped or masked, and shows how to start it"""
    units = ("pcscd.socket", "pcscd.service")
    state.system.do("systemctl", "stop", *units)
    try:
        stopped = state.system.run("nfcctl", "doctor").stdout
        state.system.do("systemctl", "mask", "pcscd.service")
        masked = state.system.run("nfcctl", "doctor").stdout
    finally:
        state.system.do("systemctl", "unmask", "pcscd.service")
        state.system.do("systemctl", "start", "pcscd.socket")
    expect("pcscd is stopped" in stopped and "systemctl enable --now pcscd.socket" in stopped, stopped)
    expect("pcscd.service is masked" in masked and "systemctl unmask pcscd.service" in masked, masked)
    state.expect_scan()


@check
def starts_with_pcscd(state):
    """the first client starts nfcd, which starts pcscd, and both are waited for"""
    state.system.do("systemctl", "stop", "nfcd.service", "pcscd.service")
    state.system.do("systemctl", "start", "pcscd.socket")
    readers = state.system.do("nfcctl", "readers", user="member")
    expect("Virtual PCD" in readers, readers)


@check
def survives_many_restarts(state):
    """twelve restarts in a row do not reach the start limit"""
    for _ in range(12):
        state.system.do("systemctl", "restart", "nfcd.service")
    expect(state.unit("ActiveState", "nfcd.socket") == "active", state.unit("Result", "nfcd.socket"))
    state.expect_same_socket()


@check
def is_brought_back(state):
    """nfcd is restarted after kill -9, and the socket stays the same"""
    old = state.daemon()
    state.kill("KILL")
    state.wait_for_another(old)
    state.expect_same_socket()
    state.expect_scan()


@check
def reloads(state):
    """systemctl reload makes nfcd read its configuration again"""
    old = state.daemon()
    state.system.do("sed", "-i", "s/^# timeout = 60$/timeout = 45/", CONFIGURATION)
    state.system.do("systemctl", "reload", "nfcd.service")
    wait_for(lambda: state.system.call("server.info")["limits"]["sessionTimeout"] == 45, "the limit stays", 10)
    expect(state.daemon() == old, "nfcd was restarted")


@check
def is_hardened(state):
    """systemd-analyze security reports an exposure level of at most 1.5"""
    output = state.system.run("systemd-analyze", "security", "--no-pager", "nfcd.service").stdout
    level = float(re.search(r"exposure level for nfcd\.service: ([\d.]+)", output)[1])
    expect(level <= 1.5, f"the exposure level is {level}")


@check
def units_are_valid(state):
    """systemd-analyze verify reports no problems"""
    units = [f"/usr/lib/systemd/system/nfcd.{kind}" for kind in ("socket", "service")]
    verify = state.system.run("systemd-analyze", "verify", "--man=no", *units)
    expect(verify.returncode == 0 and not verify.stdout + verify.stderr, verify.stdout + verify.stderr)


@check
def grants_by_socket(state):
    """the commands of the documentation give a container a socket, with its own grants alone for any user, also root"""
    folder = "/run/nfcd/sockets/kiosk"
    before = state.system.do("cat", CONFIGURATION)
    try:
        grant = printed.block("Docs/administration.md", '# Programs in the container "kiosk"')
        (state.system.tree / CONFIGURATION.lstrip("/")).write_text(f"{before}\n{grant}")
        state.prepare()
        printed.run(state.system, "Docs/administration.md", "sudo systemctl enable nfcd@kiosk.socket")
        inside = ["unshare", "--mount", "sh", "-c", f'mount --bind {folder} /run/nfcd && exec "$@"', "sh"]
        for user in (0, 4711):
            switch = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            readers = state.system.do(*inside, *switch, "nfcctl", "readers")
            expect("Virtual PCD" in readers, f"uid {user}: {readers}")
            monitor = state.system.run(*inside, *switch, "nfcctl", "monitor", "--json")
            expect(monitor.returncode == 77 and 'socket = "kiosk"' in monitor.stderr,
                   f"uid {user}: {monitor.returncode}: {monitor.stderr}")
        refused = state.system.run("nfcctl", "readers", "--socket", f"{folder}/nfcd.sock", user="member")
        expect(refused.returncode != 0, "a member of the group nfc reaches the socket of the container")
        state.expect_scan()
    finally:
        state.system.run("systemctl", "disable", "--now", "nfcd@kiosk.socket")
        # The commands stop nfcd.socket, too, which then makes another socket.
        state.inode = state.system.do("stat", "-c", "%i", SOCKET)
        (state.system.tree / CONFIGURATION.lstrip("/")).write_text(f"{before}\n")
        state.restart()


@check
def is_watched(state):
    """the watchdog kills a daemon that hangs, and systemd restarts it"""
    folder = "/run/systemd/system/nfcd.service.d"
    drop_in = f"mkdir -p {folder} && printf '[Service]\\nWatchdogSec=2\\nTimeoutStopSec=2\\n' > {folder}/short.conf"
    try:
        state.system.do("sh", "-c", f"{drop_in} && systemctl daemon-reload")
        old = state.restart()
        state.kill("STOP")
        state.wait_for_another(old)
    finally:
        state.system.do("sh", "-c", f"rm -rf {folder} && systemctl daemon-reload")
    journal = state.system.do("journalctl", "--no-pager", "--unit", "nfcd.service")
    expect("Watchdog timeout" in journal, "the journal does not mention the watchdog")
    state.expect_same_socket()
    state.restart()


@check
def logs_with_fields(state):
    """the journal has nfcd's messages with priorities and fields"""
    state.expect_scan()
    journal = state.system.do("journalctl", "--no-pager", "--unit", "nfcd.service", "--output", "json")
    entries = [entry for entry in map(json.loads, journal.splitlines()) if entry.get("_COMM") == "nfcd"]
    expect(entries and all("PRIORITY" in entry for entry in entries), "there are messages without a priority")
    expect(len({entry["PRIORITY"] for entry in entries}) > 1, "all messages have the same priority")
    expect(any(key.startswith("NFCD_") for entry in entries for key in entry), "there are no fields")
    noise = [entry["MESSAGE"] for entry in entries if "thread priority" in str(entry["MESSAGE"])]
    # A container may not be permitted to raise the limit of the unit.
    limit = int(state.system.do("grep", "Max nice", f"/proc/{state.daemon()}/limits").split()[3])
    expect(limit < 24 or not noise, f"{len(noise)} messages of libdispatch: {noise[:1]}")
