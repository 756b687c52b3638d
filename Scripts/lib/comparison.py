"""Compares two folders of a release byte for byte, and explains what differs: the file, inside a package the member, inside a program
the section. Used by Scripts/release/verify-release.
"""

import dataclasses
import fnmatch
import gzip
import io
import lzma
import pathlib
import subprocess
import tarfile
import tempfile
import zipfile

import releasedprograms

# Made with a key that only the maintainer has: they are checked as signatures, not by building them again.
SIGNATURES = ("*.asc", "*.sig", "*.minisig", "*.gpg", "InRelease")
MOST_LINES = 20


@dataclasses.dataclass(frozen=True)
class Member:
    """A member of an archive: its content, and what the archive says about it (mode, owner, time)."""
    content: bytes
    facts: str = ""


@dataclasses.dataclass(frozen=True)
class Difference:
    """A place, such as "nfcd.deb: data.tar.xz: ./usr/bin/nfcd: section .text", and what differs there."""
    place: tuple
    text: str

    def __str__(self):
        return ": ".join([*self.place, self.text])


def is_signature(path):
    return any(fnmatch.fnmatch(pathlib.PurePath(path).name, pattern) for pattern in SIGNATURES)


def files(folder):
    """The files of a folder, without signatures, by their paths in it."""
    folder = pathlib.Path(folder)
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path for path in paths if not is_signature(path)}


def differences(given, built):
    """What differs between two folders; empty if each file is the same, bit for bit."""
    ours, theirs = files(built), files(given)
    found = []
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours:
            found.append(Difference((name,), "it is not among the files that were built"))
        elif name not in theirs:
            found.append(Difference((name,), "it was built, but is missing in the folder"))
        elif (one := theirs[name].read_bytes()) != (other := ours[name].read_bytes()):
            found += explanation((name,), one, other) if without_signature(one) != without_signature(other) else []
    return found


def without_signature(content):
    """The header and the files of an RPM package, which its signature and no other part depends on; any other file as it is."""
    if not RPMForm().fits(content):
        return content
    # The lead has 96 bytes; the signature is a separate header: 16 bytes, entries of 16 bytes each, data, and zeros up to a multiple of 8.
    entries, size = (int.from_bytes(content[place:place + 4], "big") for place in (104, 108))
    end = 96 + 16 + 16 * entries + size
    return content[end + -end % 8:]


def explanation(place, one, other):
    """Why two contents differ, as deep as their forms are known."""
    form = next((form for form in FORMS if form.fits(one) and form.fits(other)), None)
    if form is None:
        return [Difference(place, first_difference(one, other))]
    try:
        ours, theirs = form.members(one), form.members(other)
    except Unreadable as error:
        return [Difference(place, f"{first_difference(one, other)} ({error})")]
    return inside(place, ours, theirs) or [Difference(place, f"{form.packing}; {first_difference(one, other)}")]


def inside(place, ours, theirs):
    """The differences between the members of two archives."""
    found = []
    for name in dict.fromkeys([*ours, *theirs]):
        here = (*place, name)
        if name not in ours or name not in theirs:
            found.append(Difference(here, f"only {'the folder' if name in ours else 'the new build'} has it"))
            continue
        one, other = ours[name], theirs[name]
        if one.facts != other.facts:
            found.append(Difference(here, f"{one.facts} in the folder, {other.facts} built"))
        if one.content != other.content:
            found += explanation(here, one.content, other.content)
    return found


def first_difference(one, other):
    """Where two contents begin to differ: a line of text, or the number and the place of bytes."""
    try:
        ours, theirs = one.decode().splitlines(), other.decode().splitlines()
        if "\0" not in one.decode() + other.decode():
            number = next((n for n, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), min(len(ours), len(theirs)))
            lines = [(text[number][:80] if number < len(text) else "(no line)") for text in (ours, theirs)]
            return f"line {number + 1} is {lines[0]!r} in the folder, {lines[1]!r} built"
    except UnicodeDecodeError:
        pass
    if len(one) != len(other):
        return f"{len(one)} bytes in the folder, {len(other)} built"
    count = sum(a != b for a, b in zip(one, other))
    first = next(place for place, pair in enumerate(zip(one, other)) if pair[0] != pair[1])
    return f"{count} of {len(one)} bytes differ, the first at {first}"


class Unreadable(Exception):
    """A form that cannot be read here, and why."""


class ArForm:
    """A Debian package (deb(5)): an ar archive."""
    packing = "the same members, in another order or with other times"

    @staticmethod
    def fits(content):
        return content.startswith(b"!<arch>\n")

    @staticmethod
    def members(content):
        found, place = {}, 8
        while place + 60 <= len(content):
            header = content[place:place + 60].decode("latin-1")
            name, size = header[:16].strip().rstrip("/"), header[48:58].strip()
            if not size.isdigit():
                raise Unreadable(f"its member at {place} has no size")
            end = place + 60 + int(size)
            found[name] = Member(content[place + 60:end], f"time {header[16:28].strip()}, mode {header[40:48].strip()}")
            place = end + end % 2
        return found


class TarForm:
    """A tar archive."""
    packing = "the same members, in another order or form of tar"

    @staticmethod
    def fits(content):
        return content[257:262] == b"ustar"

    @staticmethod
    def members(content):
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            return {
                member.name: Member(
                    archive.extractfile(member).read() if member.isfile() else member.linkname.encode(),
                    f"time {int(member.mtime)}, mode {member.mode:04o}, owner {member.uid}:{member.gid}")
                for member in archive.getmembers()
            }


class ZipForm:
    """A zip archive: a wheel, a browser extension."""
    packing = "the same members, in another order or compressed differently"

    @staticmethod
    def fits(content):
        return content.startswith(b"PK\x03\x04")

    @staticmethod
    def members(content):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {
                entry.filename: Member(archive.read(entry), f"time {entry.date_time}, mode {entry.external_attr >> 16:o}")
                for entry in archive.infolist()
            }


class CompressedForm:
    """A compressed file; the content is its only member."""
    packing = "the same content, compressed differently"

    def __init__(self, magic, decompress):
        self.magic = magic
        self.decompress = decompress

    def fits(self, content):
        return content.startswith(self.magic)

    def members(self, content):
        try:
            return {"content": Member(self.decompress(content))}
        except (OSError, EOFError, lzma.LZMAError, subprocess.CalledProcessError) as error:
            raise Unreadable(str(error)) from error


class RPMForm(CompressedForm):
    """An RPM package; its members are the header, and the files as a cpio archive."""
    packing = "the same files, with another header"

    def __init__(self):
        super().__init__(b"\xed\xab\xee\xdb", lambda content: piped(content, "rpm2cpio"))


class CpioForm:
    """A cpio archive of the new form (cpio(5))."""
    packing = "the same members, in another order or with other numbers"

    @staticmethod
    def fits(content):
        return content.startswith((b"070701", b"070702"))

    @staticmethod
    def members(content):
        found, place = {}, 0
        while place + 110 <= len(content):
            fields = [int(content[place + 6 + n * 8:place + 14 + n * 8], 16) for n in range(13)]
            mode, owner, group, time, size, length = fields[1], fields[2], fields[3], fields[5], fields[6], fields[11]
            begin = place + 110 + length
            name = content[place + 110:begin - 1].decode(errors="replace")
            begin += -begin % 4
            found[name] = Member(content[begin:begin + size], f"time {time}, mode {mode:o}, owner {owner}:{group}")
            place = begin + size
            place += -place % 4
        return found


class ProgramForm:
    """A program (ELF); its members are the sections, and what is outside of them."""
    packing = "the same sections, with other headers or gaps"

    @staticmethod
    def fits(content):
        return content.startswith(b"\x7fELF")

    @staticmethod
    def members(content):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            try:
                found = releasedprograms.sections(file.name)
            except (OSError, subprocess.CalledProcessError) as error:
                raise Unreadable(f"readelf: {error}") from error
        return {f"section {name}": Member(content[offset:offset + size]) for name, (offset, size) in found.items()}


def piped(content, *command):
    """The output of a program that reads a content."""
    return subprocess.run(command, input=content, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


FORMS = (
    ArForm(), TarForm(), ZipForm(), RPMForm(), CpioForm(), ProgramForm(), CompressedForm(b"\x1f\x8b", gzip.decompress),
    CompressedForm(b"\xfd7zXZ", lzma.decompress), CompressedForm(b"\x28\xb5\x2f\xfd", lambda content: piped(content, "zstd", "-dc")),
)


def shown(found):
    """The differences as lines, and how many more there are."""
    lines = [str(difference) for difference in found[:MOST_LINES]]
    return lines if len(found) <= MOST_LINES else [*lines, f"… and {len(found) - MOST_LINES} more"]
