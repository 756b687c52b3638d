"""From nothing to the first tag: how many commands a person types for each form of nfcd, and how long the machine works.

The tests of these forms print a line for each: install-test, wheel-test, container-test and source-test. Docs/install.md has a table of them;
a test compares its numbers of commands with the blocks of the pages.
"""

import contextlib
import dataclasses
import os
import pathlib
import resource
import time

import printed

PAGE = "Docs/install.md"


@dataclasses.dataclass(frozen=True)
class Form:
    """The commands of a form: blocks of a page, by their first words, and what the text around them says."""

    blocks: tuple
    further: tuple = ()
    page: str = PAGE

    def commands(self):
        lines = [line for beginning in self.blocks for line in printed.block(self.page, beginning).splitlines() if line.strip()]
        return [*lines, *self.further]


FORMS = {
    "apt repository": Form(("ADDRESS=",), ("nfcctl scan",)),
    ".deb by hand": Form(("sudo apt install ./nfcd_",), ("nfcctl scan",)),
    "rpm repository": Form(("sudo curl -fsS -o /etc/yum.repos.d/nfcd.repo",), ("nfcctl scan",)),
    "Arch package": Form(("sudo pacman-key --add",), ("nfcctl scan",)),
    "tarball (demo)": Form(("tar -xf nfcd-",)),
    "tarball (installed)": Form(("cd nfcd-",), ("tar -xf nfcd-*-linux-*.tar.xz", "nfcctl scan")),
    "pip": Form(("python3 -m venv",)),
    "pipx": Form(("pipx run",)),
    "container": Form(("podman load --input nfcd-simulator",), page="Docs/guides/containers.md"),
    "sources": Form(("git clone",)),
}


def processors(pid):
    """The processor seconds of a process, and of what it has waited for; its parent. None if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"), int(fields[1])


def inside(first):
    """The processor seconds of a process and of all that descend from it: of a booted system, with its services."""
    found = {int(path.name): used for path in pathlib.Path("/proc").glob("[0-9]*") if (used := processors(path.name))}

    def descends(pid):
        while pid in found and pid != first:
            pid = found[pid][1]
        return pid == first

    return sum(used for pid, (used, _) in found.items() if descends(pid))


def used(first):
    """The processor seconds, user and system, of all commands that have ended, and of a booted system."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime + (inside(first) if first else 0)


@contextlib.contextmanager
def measured(system, form, first=None):
    """Prints what a form takes: the commands of the page run meanwhile, up to the first tag. `first`: the first process of a booted system."""
    before, began = used(first), time.monotonic()
    yield
    seconds, number = time.monotonic() - began, len(FORMS[form].commands())
    print(f"first tag - {system}, {form}: {number} command{'s' * (number != 1)}, {used(first) - before:.1f} s of processor time in {seconds:.1f} s",
          flush=True)
