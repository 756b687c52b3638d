"""Converts CHANGELOG.md to a Debian changelog (deb-changelog(5))."""

import email.utils
import re
import textwrap
import time

HEADING = re.compile(r"^## (\d+\.\d+\.\d+) - (\S+)$")


def releases(text):
    """Each release: its version, its date as written, its points."""
    found = []
    for line in text.splitlines():
        if heading := HEADING.match(line):
            found.append((heading[1], heading[2], []))
        elif found and line.startswith("- "):
            found[-1][2].append(line[2:])
        elif found and line.startswith("  ") and found[-1][2]:
            found[-1][2][-1] += " " + line.strip()
    return found


def seconds(date, otherwise):
    """When a release was made; one that is not released yet, when it was last changed."""
    return int(time.mktime(time.strptime(date, "%Y-%m-%d"))) if re.match(r"\d{4}-\d\d-\d\d$", date) else otherwise


def convert(text, package, version, maintainer, now):
    """The changelog of a package; the newest release gets the package's version, which may have something behind it."""
    result = ""
    for number, (release, date, points) in enumerate(releases(text)):
        bullets = "\n".join(
            textwrap.fill(p, 78, initial_indent="  * ", subsequent_indent="    ", break_long_words=False,
                          break_on_hyphens=False) for p in points)
        stamp = email.utils.formatdate(seconds(date, now))
        shown = release if number else version
        result += f"{package} ({shown}) unstable; urgency=medium\n\n{bullets}\n\n -- {maintainer}  {stamp}\n\n"
    return result
