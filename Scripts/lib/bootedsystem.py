"""A Debian system that boots with systemd in a container, for boot-test: mmdebstrap creates it, systemd-nspawn runs it."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import debian

PACKAGES = ["systemd", "systemd-sysv", "dbus", "procps", "pcscd", "libccid", "vsmartcard-vpcd", "libsqlite3-0",
            "libmosquitto1", "libcurl4", "libssl3", "ca-certificates", "zlib1g", "mosquitto", "mosquitto-clients", "python3", "sqlite3", "jq"]
# Since Debian 13, pcscd asks polkit who may use readers.
MORE_PACKAGES = {"trixie": ["polkitd"]}
PATIENCE = 60
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def packages(suite):
    return PACKAGES + MORE_PACKAGES.get(suite, [])


class ControlGroups:
    """Separate control groups, so that those that systemd-nspawn creates can be removed again."""

    def __init__(self):
        name = f"nfcd-boot-test-{os.getpid()}"
        tops = [pathlib.Path("/sys/fs/cgroup") / top for top in ("", "systemd", "unified")]
        self.folders = [top / name for top in tops if (top / "cgroup.procs").exists()]
        for folder in self.folders:
            folder.mkdir()

    def enter(self):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def remove(self):
        """Removes the groups, after the killed processes have left them."""
        wait_for(lambda: all(map(self.is_removed, self.folders)), "control groups could not be removed", 10)

    @staticmethod
    def is_removed(folder):
        for path, _, _ in os.walk(folder, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(path)
        return not folder.exists()


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class BootedSystem:
    """The running container; `run` runs a command in it."""

    def __init__(self, tree, log):
        self.tree = tree
        self.log = log
        self.boot()

    def boot(self):
        """Starts the container, and waits until systemd has booted."""
        self.groups = ControlGroups()
        # A separate /run, so that the machine's systemd, if there is one, is not notified.
        nspawn = ["systemd-nspawn", "--quiet", f"--directory={self.tree}", "--boot", "--register=no", "--keep-unit",
                  "--private-network", "--machine=nfcd-boot-test", "--link-journal=no"]
        command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && exec "$@"', "sh", *nspawn]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
            preexec_fn=lambda: (self.groups.enter(), die_with_parent()))
        self.leader = None
        try:
            self.leader = wait_for(self.find_leader, "the container did not start")
            wait_for(self.is_up, "systemd did not finish booting")
        except BaseException:
            self.stop()
            raise

    def reboot(self):
        """Boots the system again: files stay, except those in /run and /tmp, and transient units are gone."""
        self.run("systemctl", "reboot")
        # With --keep-unit, systemd-nspawn ends when the container reboots.
        self.process.wait(timeout=PATIENCE)
        self.groups.remove()
        self.boot()

    def find_leader(self):
        """The process ID, on this machine, of the container's first process."""
        if self.process.poll() is not None:
            raise RuntimeError(f"systemd-nspawn ended with {self.process.returncode}")
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError):
                text = status.read_text()
                if f"\nPPid:\t{self.process.pid}\n" in text and re.search(r"^NSpid:.*\t1$", text, re.MULTILINE):
                    return int(status.parent.name)
        return None

    def is_up(self):
        return self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def command(self, *words, user=None):
        """The command that runs a command in the container, as root or as a user with the groups of a new login."""
        enter = ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root",
                 "--wd"]
        login = ["runuser", "-u", user, "--"] if user else []
        return [*enter, "env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", *login, *words]

    def run(self, *words, user=None):
        return subprocess.run(
            self.command(*words, user=user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=PATIENCE * 2)

    def do(self, *words, user=None):
        """Runs a command that has to succeed, and returns its output."""
        done = self.run(*words, user=user)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.returncode}: {(done.stderr or done.stdout).strip()[-600:]}")
        return done.stdout.strip()

    def start(self, *words, user=None):
        return subprocess.Popen(
            self.command(*words, user=user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def exchange(self, *words, user=None, frame):
        """Sends a frame of native messaging to a program, closes its input after the first answer, and returns its exit code and
        the answer; None without one."""
        process = subprocess.Popen(
            self.command(*words, user=user), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        limit = threading.Timer(PATIENCE, process.kill)
        limit.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(struct.pack("=I", len(frame)) + frame)
                process.stdin.flush()
            length = process.stdout.read(4)
            answer = process.stdout.read(struct.unpack("=I", length)[0]) if len(length) == 4 else None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            return process.wait(), answer
        finally:
            limit.cancel()
            process.kill()
            process.wait()

    def call(self, method):
        """Calls a method of nfcd, as root."""
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
            client.settimeout(PATIENCE)
            client.connect(os.path.join("/proc", str(self.leader), "root", "run/nfcd/nfcd.sock"))
            client.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n")
            return json.loads(client.makefile().readline())["result"]

    def stop(self):
        for process in filter(None, (self.leader, self.process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()
        self.groups.remove()


def wait_for(condition, otherwise, patience=PATIENCE):
    """Waits until a condition returns a true value, and returns it."""
    deadline = time.monotonic() + patience
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{otherwise} ({patience} s)")
        time.sleep(0.1)
    return found


@contextlib.contextmanager
def booted(folder, suite, prepare, more=()):
    """A new system of a suite, with `more` packages, booted after `prepare` has changed its files; removed at the end."""
    tree = folder / f"root-{os.getpid()}"
    archive = debian.archived_system(folder, suite, [*packages(suite), *more])
    try:
        tree.mkdir()
        subprocess.run(["tar", "-C", tree, "-xf", archive], check=True)
        prepare(tree)
        with open(folder / "console.log", "w") as log:
            system = BootedSystem(tree, log)
            try:
                yield system
            finally:
                system.stop()
    finally:
        shutil.rmtree(tree, ignore_errors=True)
        (folder / f".#{tree.name}.lck").unlink(missing_ok=True)  # systemd-nspawn's
