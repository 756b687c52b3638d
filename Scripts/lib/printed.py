"""Runs commands in the booted system of boot-test as the README and the guides print them."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = "/opt/clone"
# The container has no sudo. Root confirms what apt and dnf ask; what a package only recommends is not needed here.
PREAMBLE = f"""
set -eu
sudo() {{
    case "$1" in
    apt) shift; yes | DEBIAN_FRONTEND=noninteractive apt "$@" --no-install-recommends ;;
    dnf) shift; dnf --assumeyes "$@" ;;
    -u) user=$2; shift 2; runuser -u "$user" -- "$@" ;;
    *) "$@" ;;
    esac
}}
cd {FOLDER}
"""


def add_packages(tree, packages):
    """Puts links to the packages where the pages have them: in the folder of the build, and in the current one."""
    folder = tree / FOLDER.lstrip("/")
    (folder / ".build/deb").mkdir(parents=True)
    for package in packages:
        for place in (folder, folder / ".build/deb"):
            (place / f"{pathlib.Path(package).stem}_0_amd64.deb").symlink_to(package)


def block(page, beginning):
    """The block of a page that begins with these words, without comments."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    found = [block for block in blocks if block.startswith(beginning)]
    if len(found) != 1:
        raise LookupError(f"{page} has {len(found)} blocks that begin with: {beginning}")
    return re.sub(r"  +#.*", "", found[0])


def commands(page, beginning, replacing=()):
    """A block of a page. `replacing` are pairs: what stands for a reader's own name, and that name."""
    text = block(page, beginning)
    for placeholder, name in replacing:
        if placeholder not in text:
            raise LookupError(f"{page} does not print {placeholder}")
        text = text.replace(placeholder, name)
    return text


def run(system, page, beginning, user="root", replacing=()):
    """Runs a block as root."""
    return system.do("sh", "-c", f"{PREAMBLE}USER={user}\n{commands(page, beginning, replacing)}")
