"""Shows a first tag without a reader: `python -m nfcd.demo` runs `nfcctl demo`.

The package has nfcctl for Linux on x86-64, and pip installs it beside python.
"""

import os
import shutil
import sys
import sysconfig
from typing import List, Optional

from . import __version__

__all__ = ["main", "program"]


def program() -> Optional[str]:
    """Returns the path of nfcctl: that of this environment, otherwise that of PATH; None if there is none."""
    schemes = ["", "posix_user"] if os.name == "posix" else [""]
    for scheme in schemes:
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = os.path.join(folder or "", "nfcctl")
        if os.access(path, os.X_OK):
            return path
    return shutil.which("nfcctl")


def main(arguments: List[str]) -> int:
    """Runs `nfcctl demo` in this process; returns an exit code if that is not possible."""
    path = program()
    if path is None:
        print(
            f"nfcd.demo: nfcctl was not found. The package nfcd {__version__} has it for Linux on x86-64 with a recent glibc. "
            "On another system, install the packages of nfcd, or run 'make demo' in its sources.",
            file=sys.stderr,
        )
        return 69
    os.execv(path, [path, "demo", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
