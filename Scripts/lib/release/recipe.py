"""What a package is, in whatever form it is made: its description, dependencies, files and programs.

Everything comes from packaging/PACKAGE/control and packaging/PACKAGE/files, as for the .deb, and from packaging/names, which has
the names of other systems for the packages and libraries that these need.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop")
SYSTEMS = ("Debian", "Fedora", "openSUSE", "Arch")
# Debian's names of architectures: the name that Linux, RPM and Arch have, and the number in the header of a program (e_machine).
MACHINES = {"amd64": ("x86_64", 62), "arm64": ("aarch64", 183)}
# The relations that a package may have, from the strongest.
RELATIONS = ("Depends", "Recommends", "Suggests")


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


def fail(code, text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    sys.exit(code)


def project(name):
    """A value of packaging/project.conf."""
    return output(ROOT / "Scripts/project", name)


def version():
    return output(ROOT / "Scripts/version")


def date():
    """The time of a release in seconds since 1970."""
    return int(output(ROOT / "Scripts/version", "--date"))


def native():
    """The architecture of this machine, as Debian calls it."""
    machine = os.uname().machine
    return next((name for name, (other, _) in MACHINES.items() if other == machine), machine)


def stage(architecture):
    """The folder with the results of `make release`, with programs for an architecture."""
    folder = "package" if architecture == native() else f"package-{architecture}"
    found = pathlib.Path(os.environ.get("STAGE", ROOT / ".build" / folder)).resolve()
    for program in programs(found):
        with open(program, "rb") as file:
            machine = int.from_bytes(file.read(20)[18:], "little")
        if machine != MACHINES[architecture][1]:
            fail(65, f"{program} is not a program for {architecture}; run 'make release ARCH={architecture}' first")
    return found


def programs(folder):
    """The programs in a folder with the results of `make release`."""
    found = sorted((folder / "bin").glob("*"))
    if not found:
        fail(66, f"nothing is built in {folder}; run 'make release' first")
    return found


def names():
    """The rows of packaging/names: by package or library, the name that each system has for it. Without a name: None."""
    rows = {}
    for line in (ROOT / "packaging/names").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            what, *columns = line.split()
            rows[what] = {system: None if name == "-" else name for system, name in zip(SYSTEMS, columns, strict=True)}
    return rows


def libraries(program):
    """The libraries that a program is linked with."""
    # readelf reads programs of every architecture.
    listed = output("readelf", "--dynamic", "--wide", program, env={**os.environ, "LC_ALL": "C"})
    return re.findall(r"\(NEEDED\).*\[(\S+)\]$", listed, re.MULTILINE)


@dataclasses.dataclass
class File:
    """A line of packaging/PACKAGE/files."""

    kind: str
    source: str
    place: str


class Recipe:
    """One package."""

    def __init__(self, name):
        self.name = name
        self.folder = ROOT / "packaging" / name
        self.control = fields((self.folder / "control").read_text(encoding="utf-8"))
        self.known = names()

    @property
    def summary(self):
        return self.control["Description"].partition("\n")[0]

    @property
    def description(self):
        """The paragraphs of the description, each in lines of at most 80 columns."""
        lines = self.control["Description"].splitlines()[1:]
        return "\n".join("" if line == "." else line for line in lines)

    @property
    def section(self):
        return self.control["Section"]

    def files(self):
        """The lines of the list of files."""
        lines = (self.folder / "files").read_text(encoding="utf-8").splitlines()
        return [File(*line.split()) for line in lines if line and not line.startswith("#")]

    def programs(self):
        return [file.source.rpartition("/")[2] for file in self.files() if file.kind == "program" and file.place.startswith("bin/")]

    def units(self):
        """The units of the system's systemd."""
        return [file.place.rpartition("/")[2] for file in self.files() if file.kind == "unit" and "/system/" in file.place]

    def user_units(self):
        """The units of the systemd that each user has."""
        return [file.place.rpartition("/")[2] for file in self.files() if file.kind == "unit" and "/user/" in file.place]

    def instances(self):
        """Patterns for what runs of these units: those of a template have names."""
        return [unit.replace("@.", "@*.") for unit in self.units()]

    def configuration(self):
        """The files that a person may change."""
        places = [file.place for file in self.files() if file.kind in ("config", "host")]
        return [place for place in places if place.startswith("/etc/")]

    def relations(self, relation, *systems):
        """What the package needs of other packages: for each, the names that these systems have for it. A package of ours
        keeps its name, and its version if it needs one."""
        found = []
        for entry in filter(None, self.control.get(relation, "").split(", ")):
            alternatives = [choice.strip() for choice in entry.split("|") if "@libraries@" not in choice]
            wanted = [name for choice in alternatives for name in self.translated(choice, systems)]
            if wanted:
                found.append(list(dict.fromkeys(wanted)))
        return found

    def translated(self, choice, systems):
        name, _, wanted = choice.partition(" ")
        if name in PACKAGES:
            return [f"{name} >= {version()}"] if wanted else [name]
        if name not in self.known:
            fail(65, f"packaging/names has no line for {name}, which packaging/{self.name}/control needs; add one")
        return [found for system in systems if (found := self.known[name][system])]

    def library_packages(self, folder, system):
        """The packages of a system with the libraries that the programs in a folder are linked with."""
        found = set()
        for program in self.programs():
            for library in libraries(folder / "bin" / program):
                if library not in self.known:
                    fail(65, f"packaging/names has no line for {library}, with which {program} is linked; add one")
                found.add(self.known[library][system])
        return sorted(found)


def fields(text):
    """The fields of a control file; a field with several lines has them without the space that begins them."""
    found = {}
    for line in text.splitlines():
        if line.startswith(" "):
            found[name] += "\n" + line[1:]
        else:
            name, _, value = line.partition(":")
            found[name] = value.strip()
    return found


def install(tree, package, folder, prefix="/usr"):
    """Installs the files of a package below a folder that is used as the root, as other systems than Debian have them."""
    environment = {**os.environ, "DESTDIR": str(tree), "PREFIX": prefix, "STAGE": str(folder), "PACKAGES": package,
                   "ZSH_FOLDER": "share/zsh/site-functions"}
    subprocess.run([ROOT / "Scripts/products/install"], env=environment, check=True, stdout=sys.stderr)
