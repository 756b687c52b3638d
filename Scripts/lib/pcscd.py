"""A private pcscd with vpcd's readers only, in separate mount and network namespaces. Used by measure and bench-apdu."""

import contextlib
import os
import subprocess
import sys
import time

PATIENCE = 20


@contextlib.contextmanager
def private_pcscd():
    """Runs pcscd; to be called in separate namespaces. Adds /usr/sbin to the path."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    process = subprocess.Popen(["pcscd", "--foreground", "--critical"])
    try:
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists("/run/pcscd/pcscd.comm"):
            if process.poll() is not None or time.monotonic() > deadline:
                print("pcscd did not start", file=sys.stderr)
                sys.exit(69)
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def enter_namespaces(program, arguments):
    """Starts a program of Scripts again, instead of this one, where it may mount and has a network to itself."""
    command = ["unshare", "--mount", "--net", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        command.append("--map-root-user")
    os.execvp(command[0], [*command, sys.executable, program, "--inside", *arguments])
