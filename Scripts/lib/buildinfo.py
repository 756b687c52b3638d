#!/usr/bin/env python3
"""What a release was built from and with: the commit, the compilers, and the packages of the machine that have a part in its bytes.

usage: buildinfo.py    prints it, as deb822(5)

Scripts/release/verify-release reads the commit, and shows what differs on the machine where it builds again.
"""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Headers and start files that are linked in, and the tools that write and compress files.
PACKAGES = ("binutils", "clang", "dpkg", "git", "gzip", "libc6-dev", "libcurl4-openssl-dev", "libmosquitto-dev", "libpcsclite-dev",
            "libsqlite3-dev", "libssl-dev", "libtomlplusplus-dev", "python3", "python3-setuptools", "python3-wheel", "tar", "xz-utils")
# libstdc++ and libgcc of the newest GCC that is installed.
PATTERNS = ("libgcc-*-dev", "libstdc++-*-dev")


def output(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """The whole commit; that of an archive is in a file (gitattributes(5), export-subst)."""
    if known := output("git", "-C", ROOT, "rev-parse", "HEAD"):
        return known
    text = (ROOT / "packaging/commit").read_text().strip()
    return text if re.fullmatch("[0-9a-f]+", text) else ""


def system():
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    return next((line.split("=", 1)[1].strip('"') for line in lines if line.startswith("PRETTY_NAME=")), "unknown")


def compilers():
    """The compiler of each architecture's programs, as Scripts/products/release has noted it."""
    for file in sorted((ROOT / ".build").glob("package*/compiler")):
        name = file.parent.name.removeprefix("package").lstrip("-") or output("dpkg", "--print-architecture") or "native"
        yield f"Compiler-{name}", file.read_text().strip()


def packages():
    """Installed packages with their versions."""
    listed = output("dpkg-query", "--show", "--showformat=${db:Status-Abbrev}${Package} (= ${Version})\n", *PACKAGES, *PATTERNS)
    if not listed:  # dpkg-query fails if one of them is not installed
        every = [output("dpkg-query", "--show", "--showformat=${db:Status-Abbrev}${Package} (= ${Version})\n", name)
                 for name in (*PACKAGES, *PATTERNS)]
        listed = "\n".join(every)
    return sorted(line[3:].strip() for line in listed.splitlines() if line.startswith("ii"))


def fields():
    yield "Source", "nfcd"
    yield "Version", output(ROOT / "Scripts/version")
    yield "Commit", commit()
    yield "Date", output(ROOT / "Scripts/version", "--date")
    yield "System", system()
    yield from compilers()
    yield "Packages", "".join(f"\n {package}" for package in packages())


if __name__ == "__main__":
    for name, value in fields():
        print(f"{name}:{value if value.startswith(chr(10)) else f' {value}'}")
