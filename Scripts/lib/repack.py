#!/usr/bin/env python3
"""Packs a .tar.gz file again so that it depends on its content alone: sorted, of one time, and of no user of this machine.

usage: repack.py FILE SECONDS-SINCE-1970
"""

import gzip
import io
import pathlib
import sys
import tarfile


def repacked(content, seconds):
    """The same files and folders, in an archive whose bytes follow from them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = seconds
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    return gzip.compress(packed.getvalue(), 9, mtime=0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    file = pathlib.Path(sys.argv[1])
    file.write_bytes(repacked(file.read_bytes(), int(sys.argv[2])))
