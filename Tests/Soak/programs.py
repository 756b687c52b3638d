"""The programs under test, each killed and started again as a service manager would, and their configuration."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE_S = 60


@contextlib.contextmanager
def work_folder(keep=None):
    """A folder for configurations, files and logs: a new one that is removed, or the one to keep."""
    if keep:
        os.makedirs(keep)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="nfcd-soak.") as folder:
        yield folder


class Program:
    """A process that can be killed and held down. All methods may be called from several threads."""

    def __init__(self, name, command, folder, environment=None):
        self.name = name
        self.kills = 0
        self.log = os.path.join(folder, f"{name}.log")
        self._command = command
        # Words in front of the command.
        self.prefix = []
        self._environment = {**os.environ, **(environment or {})}
        self._lock = threading.RLock()
        self._is_held = False
        self.process = None
        # Ended without having been killed: (exit status).
        self.crashes = []

    def start(self):
        with self._lock:
            if self._is_held or self.is_running():
                return
            self.note_crash()
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(
                    [*self.prefix, *self._command], env=self._environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def note_crash(self):
        """Records that the process has ended by itself."""
        if self.process is not None and self.process.poll() is not None:
            self.crashes.append(self.process.returncode)
            self.process = None

    def kill(self, number=signal.SIGKILL):
        """Ends the process with a signal and waits for it."""
        with self._lock:
            self.note_crash()
            if self.process is None:
                return
            self.process.send_signal(number)
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                sys.exit(f"soak: {self.name} did not end within {PATIENCE_S} s of signal {number}; its log is {self.log}")
            finally:
                self.kills += number == signal.SIGKILL
                self.process = None

    def hold(self, kill):
        """Ends the process and keeps it down."""
        with self._lock:
            self.kill(signal.SIGKILL if kill else signal.SIGTERM)
            self._is_held = True

    def release(self):
        """Starts the process again after `hold`."""
        with self._lock:
            self._is_held = False
            self.start()


def nfcd(folder, programs, readers=2, journal="", environment=None, path=None):
    """An nfcd with a journal and simulated readers, or those of pcscd if `readers` is 0; the program and its socket."""
    configuration = pathlib.Path(folder, "nfcd.toml")
    configuration.write_text(f'[journal]\nenabled = true\npath = "{path or journal_path(folder)}"\n{journal}')
    socket_path = os.path.join(folder, "nfcd.sock")
    command = [
        f"{programs}/nfcd", "--config", str(configuration), "--socket", socket_path,
        *(["--simulator", str(readers)] if readers else [])]
    return Program("nfcd", command, folder, environment), socket_path


def journal_path(folder):
    return os.path.join(folder, "journal.db")


def relay(folder, programs, socket_path, tables, settings="reconnect-jitter = 1\n"):
    """A relay with the tables of its consumers.

    - settings: keys of the section `[relay]`; by default, so that outages of seconds do not only consist of waiting.
    """
    configuration = pathlib.Path(folder, "relay.toml")
    configuration.write_text(f'[relay]\n{settings}[state]\npath = "{folder}/relay.db"\n\n' + "\n".join(tables))
    command = [
        f"{programs}/nfcd-relay", "--config", str(configuration), "--socket", socket_path,
        "--control", os.path.join(folder, "relay.sock")]
    return Program("nfcd-relay", command, folder)


def wait_for(condition, what, seconds=PATIENCE_S, pause=0.05):
    """The first true value of a condition."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen within {seconds} s")
        time.sleep(pause)


def is_listening(path):
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
        except OSError:
            return False
    return True
