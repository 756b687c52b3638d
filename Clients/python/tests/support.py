"""What the tests need: an nfcd with simulated readers, and daemons that misbehave."""

import faulthandler
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
if not os.environ.get("NFCD_PYTHON_INSTALLED"):
    sys.path.insert(0, str(ROOT / "src"))

import nfcd  # noqa: E402

# The longest wait of a test for what happens at once. Only a failure takes as long.
PATIENCE = 120.0

# A test that hangs all the same ends with a trace of every thread.
faulthandler.dump_traceback_later(4 * PATIENCE, exit=True)


def program():
    """The nfcd to test with."""
    path = os.environ.get("NFCD") or shutil.which("nfcd") or str(ROOT.parent.parent / ".build" / "debug" / "nfcd")
    if not os.access(path, os.X_OK):
        raise unittest.SkipTest("nfcd is missing: build it, or set NFCD to its path")
    return path


class Daemon:
    """An nfcd with simulated readers, which can be stopped and started again."""

    def __init__(self, readers=1, journal=False, model="generic"):
        self.folder = tempfile.mkdtemp(prefix="nfcd.")
        self.path = os.path.join(self.folder, "nfcd.sock")
        self.arguments = ["--simulator", str(readers), "--simulator-model", model]
        self.configuration = os.path.join(self.folder, "nfcd.toml")
        with open(self.configuration, "w", encoding="utf-8") as file:
            if journal:
                file.write(f'[journal]\nenabled = true\npath = "{self.folder}/journal/taps.db"\n')
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [program(), "--user", "--config", self.configuration, "--socket", self.path, *self.arguments],
            stderr=subprocess.PIPE,
            text=True,
        )
        lines = []
        while "listening on" not in (lines or [""])[-1]:
            lines.append(self.process.stderr.readline())
            if not lines[-1]:
                raise AssertionError(f"nfcd did not start: {''.join(lines)}")
        # What is logged later is read, so that nfcd never waits.
        self.reading = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reading.start()

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.reading.join()
            self.process.stderr.close()
            self.process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class DaemonCase(unittest.TestCase):
    """Tests with one nfcd, and a client for each test."""

    journal = False
    readers = 1
    model = "generic"

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(cls.readers, cls.journal, cls.model)
        cls.addClassCleanup(cls.daemon.close)

    def setUp(self):
        self.client = nfcd.Client(self.daemon.path, timeout=PATIENCE)
        self.addCleanup(self.client.close)
        # The person who holds tags to the reader.
        self.person = nfcd.Client(self.daemon.path, timeout=PATIENCE)
        self.addCleanup(self.person.close)


class FakeDaemon:
    """A socket whose other side a test provides: `handle` gets each connection, one after the other."""

    def __init__(self, handle):
        self.folder = tempfile.mkdtemp(prefix="nfcd.")
        self.path = os.path.join(self.folder, "nfcd.sock")
        self.handle = handle
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(8)
        self.finished = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(PATIENCE)
                try:
                    self.handle(connection)
                except OSError:
                    pass  # The client has closed the connection.

    def close(self):
        self.finished.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        shutil.rmtree(self.folder, ignore_errors=True)
