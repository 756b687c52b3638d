"""An nfcd on its own socket, for measuring. Used by measure, bench-apdu and bench-load."""

import contextlib
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import time

import realtime

PATIENCE = 20


def limit_descriptors(count):
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


class Daemon:
    """One nfcd on its own socket; `start` is the seconds from exec to READY=1.

    `descriptors`: the soft limit of open files that it is started with; as here, if not given.
    `is_real_time`: whether it runs at real-time priority, where that is permitted.
    """

    def __init__(self, program, folder, options, descriptors=None, is_real_time=False):
        self.socket = os.path.join(folder, "nfcd.sock")
        command = [program, "--socket", self.socket, "--log-level", "error", *options]
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as notify:
            path = os.path.join(folder, "notify")
            notify.bind(path)
            notify.settimeout(PATIENCE)
            began = time.perf_counter()
            self.process = subprocess.Popen(
                command, env={**os.environ, "NOTIFY_SOCKET": path},
                preexec_fn=self.preparation(descriptors, is_real_time))
            try:
                self.start = self.wait_until_ready(notify, began)
            except BaseException:
                self.stop()
                raise
            finally:
                os.unlink(path)

    @staticmethod
    def preparation(descriptors, is_real_time):
        """What the new process does before it becomes nfcd; nil if nothing, as that takes time."""
        def prepare():
            if descriptors:
                limit_descriptors(descriptors)
            if is_real_time:
                realtime.take(realtime.DAEMON)
        return prepare if descriptors or is_real_time else None

    def wait_until_ready(self, notify, began):
        try:
            while b"READY=1" not in notify.recv(4096).split(b"\n"):
                pass
        except TimeoutError:
            sys.exit(f"bench: nfcd did not send READY=1 in {PATIENCE} s")
        return time.perf_counter() - began

    def client(self):
        """A connected client that has had one answer, and is idle from then on."""
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(PATIENCE)
        client.connect(self.socket)
        client.sendall(b'{"jsonrpc":"2.0","id":1,"method":"readers.list"}\n')
        answer = b""
        while not answer.endswith(b"\n"):
            piece = client.recv(65536)
            if not piece:
                sys.exit("bench: nfcd closed a client's connection")
            answer += piece
        return client

    def private_kib(self, kinds=("Private_Clean", "Private_Dirty")):
        """The memory that would be free without this process: what it shares with others does not count.

        Private_Clean is mostly code, which the kernel can take back; Private_Dirty it cannot.
        """
        try:
            lines = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            sys.exit("bench: nfcd is gone")
        return sum(int(line.split()[1]) for line in lines if line.split(":")[0] in kinds)

    def switches(self):
        """Context switches so far, by thread."""
        counts = {}
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
                lines = (task / "status").read_text().splitlines()
                counts[task.name] = sum(int(line.split()[1]) for line in lines if "ctxt_switches:" in line)
        return counts

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            sys.exit(f"bench: nfcd did not end in {PATIENCE} s after SIGTERM")


@contextlib.contextmanager
def running(program, options, descriptors=None, is_real_time=False):
    with tempfile.TemporaryDirectory(prefix="nfcd-bench.") as folder:
        daemon = Daemon(program, folder, options, descriptors, is_real_time)
        try:
            yield daemon
        finally:
            daemon.stop()
