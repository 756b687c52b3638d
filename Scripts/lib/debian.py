"""Debian's package sources for any suite and architecture, as this machine reaches them, and systems made of them.

Environment: DEBIAN_MIRROR, the URL of a Debian archive, instead of the one in this machine's apt sources; NFCD_CACHE, the
folder for what is downloaded and prepared ($XDG_CACHE_HOME/nfcd).
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import zlib

# Separate namespaces: whatever ends a command in them, all its processes end, and its mounts are gone.
ISOLATED = ["unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child"]
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# Enters a system, with folders of this machine in it. Its mounts are in a separate namespace, which ends with the process.
ENTER = """
root=$1 count=$2
shift 2
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mount --bind /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
while [ "$count" -gt 0 ]; do
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    shift 2
    count=$((count - 1))
done
exec chroot "$root" "$@"
"""
NEWER_KEYS = "if the archive's signature is the problem, install a newer debian-archive-keyring"


def fail(code, *lines):
    """Prints what went wrong and what to do, and ends the program."""
    name = pathlib.Path(sys.argv[0]).name
    print(*(f"{name}: {line}" for line in lines), sep="\n", file=sys.stderr)
    sys.exit(code)


def progress(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def end_on_signals():
    """Makes a signal end the program like an error, so that everything is cleaned up and its processes end."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def require_tools(*tools, setup="--tests"):
    """Ends the program with 77 if a tool is missing, with the arguments of Scripts/setup that installs it."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        fail(77, f"missing tools: {', '.join(missing)}", f"run: sudo Scripts/setup {setup}")


def require_root(reason):
    if os.geteuid() != 0:
        fail(77, f"only root can {reason}; run this with sudo")


def cache():
    """The folder for what is downloaded and prepared once."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(os.environ.get("NFCD_CACHE") or pathlib.Path(base) / "nfcd")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


def codename():
    """The release of this machine."""
    text = pathlib.Path("/etc/os-release").read_text()
    found = re.search(r'^VERSION_CODENAME="?(\w+)', text, re.MULTILINE)
    return found[1] if found else "sid"


def sources(suite):
    """The lines of sources.list for a suite: this machine's sources with its release replaced."""
    if mirror := os.environ.get("DEBIAN_MIRROR"):
        return [f"deb {mirror} {suite} main"]
    own, lines = codename(), []
    listed = output("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
    for site, release, component in sorted({tuple(line.split()[:3]) for line in listed.splitlines()}):
        # Unstable has neither updates nor security updates.
        if component == "main" and re.fullmatch(own if suite == "sid" else rf"{own}(-updates|-security)?", release):
            lines.append(f"deb {site} {release.replace(own, suite)} main")
    if "ID=debian" not in pathlib.Path("/etc/os-release").read_text().splitlines() or not lines:
        fail(77, "this machine's apt sources name no Debian archive", "set DEBIAN_MIRROR to the URL of one")
    return lines


def apt_options(quoted=True):
    """This machine's apt options for accessing its package sources: lines of apt.conf, or without quotation marks."""
    wanted = re.compile(r"^Acquire::(https?::Proxy|Check-(Valid-Until|Date)) ", re.IGNORECASE)
    lines = [line for line in output("apt-config", "dump").splitlines() if wanted.match(line)]
    return lines if quoted else [re.sub('[";]', "", line) for line in lines]


def make_system(target, suite, packages, form, variant="minbase"):
    """Makes a system with packages in a folder or an archive, completely or not at all."""
    new = target.with_name(f"{target.name}.new")
    remove(new)
    command = [*ISOLATED, "--mount-proc", "mmdebstrap", "--quiet", f"--variant={variant}", "--mode=root", f"--format={form}",
               "--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Languages "none"',
               *(f"--aptopt={option}" for option in apt_options()), f"--include={','.join(packages)}", suite, new]
    try:
        if subprocess.run([*command, *sources(suite)], stdout=sys.stderr).returncode != 0:
            fail(69, f"mmdebstrap could not make a {suite} system", NEWER_KEYS)
        new.rename(target)
    finally:
        remove(new)


def command_in(root, mounts, *words, environment=(), namespaces=()):
    """The command that runs a command in a system in a folder, with folders of this machine mounted: pairs of paths.

    `namespaces`: options of unshare for more isolation than that of mounts and processes.
    """
    places = [str(path) for pair in mounts for path in pair]
    return [*ISOLATED, *namespaces, f"--mount-proc={root}/proc", "sh", "-ec", ENTER, "sh", root, str(len(mounts)), *places,
            "env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8", *environment, *words]


def fingerprint(packages):
    """Eight digits for a list of packages, in the name of a system that was made of them."""
    return f"{zlib.crc32(','.join(packages).encode()):08x}"


def archived_system(folder, suite, packages):
    """An archive of a system with these packages, created once."""
    archive = folder / f"{suite}-{fingerprint(packages)}.tar"
    if not archive.exists():
        progress(f"creating a {suite} system for this test; this is done once")
        make_system(archive, suite, packages, form="tar")
    return archive


def remove(path):
    """Removes a file or a folder, also one in which processes that were killed still write."""
    for attempt in range(3):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=attempt < 2)
        else:
            path.unlink(missing_ok=True)


class Archive:
    """The packages of a suite for an architecture, with its own package lists: the machine's are left alone."""

    def __init__(self, suite, architecture):
        self.folder = cache() / "apt" / f"{suite}-{architecture}"
        self.suite, self.architecture = suite, architecture
        for name in ("lists/partial", "archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        (self.folder / "sources.list").write_text("\n".join(sources(suite)) + "\n")
        settings = {
            "APT::Architecture": architecture, "APT::Architectures": architecture, "APT::Sandbox::User": "root",
            "Dir::Etc::SourceList": self.folder / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State": self.folder, "Dir::State::Lists": self.folder / "lists",
            "Dir::State::status": self.folder / "status", "Dir::Cache": self.folder,
            "Dir::Cache::Archives": self.folder / "archives", "APT::Install-Recommends": "false",
        }
        self.options = [f"--option={name}={value}" for name, value in settings.items()]
        self.options += [f"--option={re.sub(' ', '=', option, count=1)}" for option in apt_options(quoted=False)]

    def apt(self, *words, **options):
        done = subprocess.run(["apt-get", *self.options, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True, **options)
        if done.returncode != 0:
            fail(69, f"apt-get {words[0]} for {self.suite} {self.architecture}:", *done.stderr.splitlines(), NEWER_KEYS)
        return done.stdout

    def update(self):
        self.apt("--quiet", "update")

    def download(self, *names):
        """Downloads exactly these packages, unless they are there, and returns their files."""
        self.apt("--quiet", "download", *names, cwd=self.folder / "archives")
        return [self.newest(name) for name in names]

    def version(self, name):
        """The newest version of a package."""
        shown = output("apt-cache", *self.options, "show", "--no-all-versions", name)
        return re.search(r"^Version: (.+)$", shown, re.MULTILINE)[1]

    def newest(self, name):
        found = (self.folder / "archives").glob(f"{name}_*_*.deb")
        return max(found, key=lambda path: path.stat().st_mtime)

    def resolve(self, *packages):
        """Downloads packages with everything they depend on, and returns the files."""
        closure = self.folder / "closure"
        (closure / "partial").mkdir(parents=True, exist_ok=True)
        for old in closure.glob("*.deb"):
            old.unlink()
        self.apt("--quiet", "--yes", "--download-only", f"--option=Dir::Cache::Archives={closure}", "install", *packages)
        return sorted(closure.glob("*.deb"))


def unpack(package, folder):
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
