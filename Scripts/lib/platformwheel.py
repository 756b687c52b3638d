#!/usr/bin/env python3
"""Makes the wheel of a platform: the files of a wheel that runs anywhere, and a program.

usage: platformwheel.py WHEEL PROGRAM …    prints the path of the new wheel, which is beside the other

A program becomes a command of the environment that the wheel is installed in. It may need glibc, libgcc and libstdc++, and no
other library; which glibc is in the name of the wheel, by which pip selects it (PEP 600). Exit codes: 0 done, 65 a program does not
fit every system.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

import releasedprograms

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux-[\w-]+)\.so\.\d+")
MACHINES = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}
# What GCC 11 brings: that of Ubuntu 22.04, Debian 12 and RHEL 9 has it.
NEWEST = {"GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (9, 0, 0)}
# The first glibc that a wheel can name so.
OLDEST_GLIBC = (2, 17)


class Unfit(Exception):
    """Why a program cannot be part of a wheel."""


def glibc(program):
    """The glibc that a program needs, where nothing else is in the way."""
    strange = [name for name in releasedprograms.needed_libraries(program) if not LIBRARIES.fullmatch(name)]
    if strange:
        raise Unfit(f"{program} needs {', '.join(strange)}, which not every system has")
    if faults := releasedprograms.faults(program, []):
        raise Unfit(f"{program}: {', '.join(faults)}; link it without a path for libraries")
    found = releasedprograms.needed_versions(program)
    for family, limit in NEWEST.items():
        if found.get(family, limit) > limit:
            raise Unfit(f"{program} needs {family}_{releasedprograms.text(found[family])}; "
                        f"{family}_{releasedprograms.text(limit)} is the newest that systems have")
    return max(found.get("GLIBC", OLDEST_GLIBC), OLDEST_GLIBC)


def machine(program):
    name = re.search(r"Machine: +(.+)", releasedprograms.readelf("--file-header", program))[1].strip()
    if name not in MACHINES:
        raise Unfit(f"{program} is for the processor {name}, for which there are no wheels")
    return MACHINES[name]


def tag(programs):
    """The platform on which all programs run."""
    machines = {machine(program) for program in programs}
    if len(machines) != 1:
        raise Unfit(f"the programs are for different processors: {', '.join(sorted(machines))}")
    major, minor = max(glibc(program) for program in programs)[:2]
    return f"manylinux_{major}_{minor}_{machines.pop()}"


def digest(content):
    """The hash of a file as RECORD has it (PEP 376)."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def content(wheel, programs, platform):
    """The files of the new wheel without RECORD: name, mode, bytes."""
    for entry in wheel.infolist():
        if entry.filename.endswith(".dist-info/WHEEL"):
            lines = wheel.read(entry).decode().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
            yield entry.filename, 0o644, lines.replace("Tag: py3-none-any", f"Tag: py3-none-{platform}").encode()
        elif not entry.filename.endswith(".dist-info/RECORD"):
            yield entry.filename, 0o644, wheel.read(entry)
    folder = record_name(wheel).removesuffix(".dist-info/RECORD")
    yield f"{folder}.dist-info/COPYRIGHT", 0o644, (ROOT / "packaging/copyright").read_bytes()
    for program in programs:
        yield f"{folder}.data/scripts/{program.name}", 0o755, program.read_bytes()


def record_name(wheel):
    return next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))


def make(pure, programs):
    """Makes the wheel, and returns its path. The same files make the same bytes."""
    platform = tag(programs)
    made = pure.with_name(pure.name.replace("-any.whl", f"-{platform}.whl"))
    with zipfile.ZipFile(pure) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        time = max(entry.date_time for entry in old.infolist())
        record = []

        def add(name, mode, data):
            entry = zipfile.ZipInfo(name, time)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            new.writestr(entry, data)

        for name, mode, data in content(old, programs, platform):
            add(name, mode, data)
            record.append(f"{name},sha256={digest(data)},{len(data)}\n")
        add(record_name(old), 0o644, "".join([*record, f"{record_name(old)},,\n"]).encode())
    return made


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        print(make(pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]))
    except Unfit as reason:
        print(f"platformwheel: {reason}. Scripts/products/release --portable builds a program that fits", file=sys.stderr)
        sys.exit(65)
