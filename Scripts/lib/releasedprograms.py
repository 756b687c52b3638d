#!/usr/bin/env python3
"""The programs of a release: what must not be in them, what they need of a system, and a build ID that follows from their content.

usage: releasedprograms.py seal PROGRAM …               gives each a build ID that depends on nothing but its content
       releasedprograms.py check PROGRAM … -- FOLDER …   ends with 1 if one has a path in these folders, or looks for libraries beside itself
       releasedprograms.py versions PROGRAM …           prints the newest symbol version of each library that one needs

It reads ELF files of any architecture, with readelf.
"""

import hashlib
import pathlib
import re
import subprocess
import sys

# A version of symbols, such as GLIBC_2.34: the family, and the number.
VERSION = re.compile(r"Name: (\w+)_([0-9][0-9.]*) ")
BUILD_ID = ".note.gnu.build-id"
# The header of the note: three numbers of 4 bytes and the name "GNU", with its end.
NOTE_HEADER = 16


class ProgramError(Exception):
    """What is wrong with a program, and what to do."""


def readelf(*arguments):
    command = ["readelf", "--wide", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def sections(path):
    """The sections of a program: the offset and the size of each in the file, by name; none for what takes no space there."""
    row = re.compile(r"^ *\[ *\d+\] (\S+) +(\S+) +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", re.MULTILINE)
    found = row.findall(readelf("--section-headers", path))
    return {name: (int(offset, 16), int(size, 16)) for name, kind, offset, size in found if kind not in ("NULL", "NOBITS")}


def seal(path):
    """Replaces the build ID, which follows from files of the build folder, by the SHA-1 of the program without it."""
    path = pathlib.Path(path)
    if BUILD_ID not in (found := sections(path)):
        raise ProgramError(f"{path} has no build ID: link it with --build-id=sha1")
    offset, size = found[BUILD_ID]
    content = bytearray(path.read_bytes())
    place = slice(offset + NOTE_HEADER, offset + size)
    length = size - NOTE_HEADER
    content[place] = bytes(length)
    content[place] = hashlib.sha1(content).digest().ljust(length, b"\0")[:length]
    path.write_bytes(content)


def needed_versions(path):
    """The newest version that a program needs of each family of symbols: {"GLIBC": (2, 34)}."""
    newest = {}
    for family, number in VERSION.findall(readelf("--version-info", path).partition("Version needs section")[2]):
        version = tuple(map(int, number.split(".")))
        newest[family] = max(version, newest.get(family, version))
    return newest


def symbols_newer(path, limits):
    """The symbols that need a newer version than the limits, such as {"GLIBC": (2, 34)}, permit."""
    found = re.findall(r" UND (\S+)@(\w+?)_([0-9][0-9.]*)", readelf("--dyn-syms", path))
    return sorted({
        f"{name} ({family}_{number})" for name, family, number in found
        if tuple(map(int, number.split("."))) > limits.get(family, (10**6,))
    })


def needed_libraries(path):
    return sorted(re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("--dynamic", path)))


def faults(path, folders):
    """What must not be in a program that other people get: paths in the builder's folders, and folders where it looks for libraries."""
    found = [f"it looks for libraries in {place}" for place in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", readelf("--dynamic", path))]
    content = pathlib.Path(path).read_bytes()
    for folder in filter(lambda folder: str(folder).strip("/"), folders):
        # A whole name of a folder, not the end of a longer path.
        inside = re.search(rb"(?<![\w.~/-])" + re.escape(str(folder).rstrip("/").encode()) + rb"/[\x21-\x7e]*", content)
        if inside:
            found.append(f"it has a path of the builder: {inside[0].decode()[:120]}")
    return found


def check(paths, folders):
    wrong = [f"{path}: {fault}" for path in paths for fault in faults(path, folders)]
    if wrong:
        raise ProgramError("\n".join([*wrong, "Build with the options of Scripts/products/release --flags."]))


def text(version):
    return ".".join(map(str, version))


def main(command, arguments):
    if command == "seal" and arguments:
        for path in arguments:
            seal(path)
    elif command == "check" and "--" in arguments:
        border = arguments.index("--")
        check(arguments[:border], arguments[border + 1:])
    elif command == "versions" and arguments:
        for path in arguments:
            needs = sorted(needed_versions(path).items())
            print(pathlib.Path(path).name, *(f"{family}_{text(version)}" for family, version in needs), *needed_libraries(path))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1] if sys.argv[1:] else "", sys.argv[2:])
    except ProgramError as error:
        sys.exit(f"releasedprograms: {error}")
