"""The releases that install-test installs, and the system that has them on a web server."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import bootchecks
import debian
import firsttag
import printed
from bootedsystem import wait_for
from release import recipe

ROOT = recipe.ROOT
PORT = 8400
ADDRESS = f"http://127.0.0.1:{PORT}"
# Where the container has the releases, and the one that the server shows.
FOLDER, SHOWN = "/opt/releases", "/opt/repository"
# Which keys sign each release: a rotation from the first key to the second.
SIGNED = {1: "A", 2: "AB", 3: "B"}
PAGE = firsttag.PAGE
SUFFIX = "+test"


def make_key(folder, name):
    """A file with a new secret key."""
    home = tempfile.mkdtemp(prefix="nfcd-key-", dir="/tmp")
    environment = {**os.environ, "GNUPGHOME": home}
    try:
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", f"Key {name} <key@example.com>",
                        "ed25519", "sign", "never"], env=environment, check=True)
        file = folder / f"{name}.key"
        file.write_bytes(subprocess.run(["gpg", "--batch", "--armor", "--export-secret-keys"], env=environment, check=True,
                                        stdout=subprocess.PIPE).stdout)
        return file
    finally:
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
        shutil.rmtree(home, ignore_errors=True)


def project_file(folder):
    """Values that are not placeholders, with the address of the server."""
    text = (ROOT / "packaging/project.conf").read_text(encoding="utf-8").replace("nfcd.invalid", "example.com")
    file = folder / "project.conf"
    file.write_text(re.sub(r"(?m)^repository = .*$", f"repository = {ADDRESS}", text), encoding="utf-8")
    return file


# The scripts that make the packages of each form, quickly.
COMMANDS = {
    "deb": ["products/deb", "--compress", "gzip"],
    "rpm": ["release/rpm", "--fast"],
    "tarball": ["release/tarball", "--fast"],
    "arch": ["release/arch", "--fast"],
}


def script(environment, name, *words):
    """What a script prints; if it fails, its messages are the last ones."""
    done = subprocess.run([ROOT / "Scripts" / name, *words], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        debian.fail(done.returncode, f"Scripts/{name} failed; see its messages above")
    return done.stdout


def make(folder, forms):
    """The folders of three releases, by number. Each is newer than the one before."""
    keys = {name: make_key(folder, name) for name in "AB"}
    environment = {**os.environ, "PROJECT": str(project_file(folder))}
    made, began = {}, recipe.date()
    for number, names in SIGNED.items():
        debian.progress(f"making release {number}, signed with {' and '.join(names)}")
        environment["SOURCE_DATE_EPOCH"] = str(began + number)
        packages = []
        for form in forms:
            command, *options = COMMANDS[form]
            packages += script(environment, command, *options, "--suffix", f"{SUFFIX}{number}").splitlines()
        made[number] = folder / f"release-{number}"
        signing = [word for name in names for word in ("--sign-key", keys[name])]
        script(environment, "products/release-files", "--output", made[number], *signing, *packages)
        for package in packages:
            pathlib.Path(package).unlink()
    return made


def prepare(tree, made):
    """Puts the releases and two users into a system, which has no other source of packages."""
    for number, folder in made.items():
        shutil.copytree(folder, tree / FOLDER.lstrip("/") / str(number))
    (tree / SHOWN.lstrip("/")).symlink_to(f"{FOLDER}/1")
    (tree / printed.FOLDER.lstrip("/")).mkdir(parents=True)
    (tree / "etc/apt/sources.list").unlink(missing_ok=True)
    for file in (tree / "etc/apt/sources.list.d").glob("*"):
        file.unlink()
    for user in ("member", "stranger"):
        subprocess.run(["chroot", tree, "useradd", "--create-home", user], check=True)


class State(bootchecks.State):
    """The system under test, with the server."""

    def __init__(self, system, name):
        super().__init__(system)
        self.name = name
        system.do("systemd-run", "--quiet", "--unit=repository", "python3", "-m", "http.server", str(PORT), "--bind", "127.0.0.1",
                  "--directory", SHOWN)
        first = ("curl", "-fsS", "-o", "/dev/null", f"{ADDRESS}/SHA256SUMS")
        wait_for(lambda: system.run(*first).returncode == 0, "the server does not answer")

    def show(self, number):
        """Makes the server show another release."""
        self.system.do("ln", "-sfn", f"{FOLDER}/{number}", SHOWN)

    def type(self, beginning, user="member"):
        """Runs a block of the page about installing."""
        address = page_address()
        replacing = [(address, ADDRESS)] if address in printed.block(PAGE, beginning) else []
        return printed.run(self.system, PAGE, beginning, user, replacing)

    def measured(self, form):
        """Prints what it takes to come to the first tag, for the commands that run meanwhile."""
        return firsttag.measured(self.name, form, self.system.leader)

    def expect_version(self, number):
        printed_version = self.system.do("nfcctl", "--version")
        # The programs are the same in all releases.
        bootchecks.expect(recipe.version() in printed_version, f"nfcctl prints {printed_version}")

    def expect_desktop(self, prefix="/usr"):
        """nfcd-desktop is installed: the program, and what a desktop and the service managers of users find."""
        printed_version = self.system.do(f"{prefix}/bin/nfcd-desktop", "--version", user="member")
        bootchecks.expect(recipe.version() in printed_version, f"nfcd-desktop prints {printed_version}")
        for path in ("applications/org.nfcd.Desktop.desktop", "metainfo/org.nfcd.Desktop.metainfo.xml"):
            self.system.do("test", "-s", f"/usr/share/{path}", user="member")
        # Without a session, systemctl itself looks where these managers look.
        unit = self.system.run("systemctl", "--global", "is-enabled", "nfcd-desktop.service")
        bootchecks.expect(unit.stdout.strip() == "disabled", f"nfcd-desktop.service is {unit.stdout}{unit.stderr}")
        starts = self.system.do("sh", "-c", f"sed -n s/^ExecStart=//p {prefix}/lib/systemd/user/nfcd-desktop.service")
        bootchecks.expect(starts == f"{prefix}/bin/nfcd-desktop", f"nfcd-desktop.service starts {starts}")

    def open_another_socket(self):
        """Starts a socket as an administrator adds one for a container; nfcd takes it at its next start."""
        self.system.do("systemctl", "stop", "nfcd.service")
        self.system.do("systemctl", "start", "nfcd@kiosk.socket")

    def expect_no_sockets(self):
        left = self.system.do("systemctl", "list-units", "--all", "--plain", "--no-legend", "nfcd*")
        bootchecks.expect(not left, f"units are left: {left}")
        for path in ("/run/nfcd/nfcd.sock", "/run/nfcd/sockets/kiosk/nfcd.sock"):
            bootchecks.expect(self.system.run("test", "-e", path).returncode != 0, f"{path} still exists")

    def edit_configuration(self):
        self.system.do("sed", "-i", "s/^# timeout = 60$/timeout = 45/", bootchecks.CONFIGURATION)

    def expect_edited_configuration(self):
        line = self.system.do("grep", "^timeout", bootchecks.CONFIGURATION)
        bootchecks.expect(line == "timeout = 45", f"the configuration has {line}")


def page_address():
    """The address that the page has."""
    text = (ROOT / "packaging/project.conf").read_text(encoding="utf-8")
    return re.search(r"(?m)^repository = (.*)$", text)[1]
