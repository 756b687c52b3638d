"""A journal that is damaged: it is moved aside and reported, and taps are stored in a new one."""

import sys

from figures import Figure
from journals import Journal, Machine, tapped
from programs import work_folder

PAGE = 4096


def no_database(content, _):
    """The header is overwritten."""
    return b"\xA5" * 100 + content[100:]


def damaged_pages(content, chance):
    """A quarter of the pages is overwritten."""
    pages = [content[start:start + PAGE] for start in range(0, len(content), PAGE)]
    for index in chance.sample(range(1, len(pages)), max(1, len(pages) // 4)):
        pages[index] = b"\xA5" * PAGE
    return b"".join(pages)


def truncated(content, _):
    """The second half is gone."""
    return content[:len(content) // PAGE // 2 * PAGE]


def figures(programs, chance):
    for harm in (no_database, damaged_pages, truncated):
        with work_folder() as folder:
            yield from damaged(programs, folder, chance, harm)


def damaged(programs, folder, chance, harm):
    what = f"damaged journal ({harm.__name__.replace('_', ' ')})"
    journal = Journal(folder)
    with Machine(folder, programs) as machine:
        tapped(machine, 150)
        epoch = machine.status()["epoch"]
        machine.nfcd.kill(15)
    content = journal.path.read_bytes()
    journal.path.write_bytes(harm(content, chance))
    with Machine(folder, programs) as machine:
        taps = tapped(machine, 3)
        status = machine.status()
        yield Figure(f"{what}: stored in a new one", f"{len(taps.green)} taps", "3 taps", len(taps.green) == 3)
        is_new = status["epoch"] != epoch and status["movedAside"] == 1
        yield Figure(f"{what}: reported by taps.status", "yes" if is_new else "no", "yes", is_new)
        aside = [path for path in journal.directory.glob("*corrupt*") if path.stat().st_size > PAGE]
        yield Figure(f"{what}: files moved aside", f"{len(aside)}", "≥ 1", bool(aside))
        lines = [line for line in machine.log().splitlines() if aside and str(aside[0].name) in line]
        yield Figure(f"{what}: the log names it", "yes" if lines else "no", "yes", bool(lines))
        print(f"soak: {what}: {lines[0] if lines else 'not in the log'}", file=sys.stderr)
