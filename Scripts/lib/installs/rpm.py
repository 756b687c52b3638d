"""The checks of install-test with dnf and rpm, on a Debian whose libraries a package of this test describes to rpm."""

import re
import subprocess

from bootchecks import CONFIGURATION, adding_to, expect
from installs.releases import FOLDER, SUFFIX

REPO = "/etc/yum.repos.d/nfcd.repo"
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop")
# What the packages need by name; Debian has all of it under other names.
NAMES = ("pcsc-lite", "systemd", "systemd-libs", "util-linux", "ca-certificates", "/bin/sh", "rtld(GNU_HASH)")
# rpm's own generator lists what the libraries of this system provide, with the versions of their symbols.
DESCRIBE = r"""
set -eu
cd /opt
find -L /usr/lib/*-linux-gnu /lib64 -maxdepth 1 -name '*.so*' -type f | /usr/lib/rpm/find-provides | sort -u > provides
{
    printf '%s\n' 'Name: debian-libraries' 'Version: 1' 'Release: 1' 'Summary: libraries of Debian' 'License: none' \
        'BuildArch: noarch'
    sed 's/^/Provides: /' provides
    for name in NAMES; do echo "Provides: $name"; done
    printf '%s\n' '%description' 'What dpkg has installed, for rpm.' '%files'
} > libraries.spec
rpmbuild --quiet --define '_topdir /opt/rpmbuild' -bb libraries.spec
rpm --install /opt/rpmbuild/RPMS/noarch/debian-libraries-1-1.noarch.rpm
"""
# The key of this test is not in the database of this machine; the Swift runtime contains a call that rpmlint does not like.
NOT_OURS = ("unknown-key", "call-to-mktemp")
CHECKS = []
check = adding_to(CHECKS)


def upgrade(state, number):
    state.show(number)
    state.system.do("dnf", "--assumeyes", "--refresh", "upgrade")
    for name in PACKAGES:
        version = state.system.do("rpm", "-q", "--queryformat", "%{VERSION}", name)
        expect(version.endswith(f"{SUFFIX}{number}"), f"{name} is {version} after the upgrade to release {number}")


@check
def describes_the_libraries(state):
    """rpm knows the libraries of this Debian, as its own generator describes them"""
    state.system.do("sh", "-c", DESCRIBE.replace("NAMES", " ".join(f"'{name}'" for name in NAMES)))


@check
def has_no_errors(state):
    """rpmlint, on the machine that runs this test, finds no error in the packages"""
    packages = sorted((state.system.tree / FOLDER.lstrip("/") / "1").glob("*.rpm"))
    done = subprocess.run(["rpmlint", *packages], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    errors = [line for line in done.stdout.splitlines() if " E: " in line and not any(word in line for word in NOT_OURS)]
    expect(packages and not errors, "; ".join(errors))


@check
def installs(state):
    """the commands of the page install nfcd from the rpm repository with dnf, and a user of the group reads a tag through pcscd"""
    state.system.do("mkdir", "-p", "/etc/yum.repos.d")
    with state.measured("rpm repository"):
        state.type("sudo curl -fsS -o /etc/yum.repos.d/nfcd.repo")
        state.expect_scan()
    state.system.do("dnf", "--assumeyes", "install", *PACKAGES)
    for user in ("member", "nfcd-relay", "nfcd-fido"):
        expect("nfc" in state.system.do("id", "-nG", user).split(), f"{user} is not in the group nfc")
    expect(state.system.do("systemctl", "is-enabled", "nfcd.socket") == "enabled", "nfcd.socket is not enabled")
    relay = state.system.run("systemctl", "is-enabled", "nfcd-relay.service").stdout.strip()
    expect(relay == "disabled", f"nfcd-relay.service is {relay}")
    state.inode = state.system.do("stat", "-c", "%i", "/run/nfcd/nfcd.sock")
    state.expect_scan()
    state.expect_desktop()


@check
def is_whole(state):
    """rpm finds the signature and every file of the packages as they were made"""
    for name in PACKAGES:
        verified = state.system.run("rpm", "--verify", name)
        expect(verified.returncode == 0, f"{name}: {verified.stdout}{verified.stderr}")
    packages = state.system.do("sh", "-c", f"ls {FOLDER}/1/*.rpm").split()
    state.system.do("rpm", "--import", f"{FOLDER}/1/rpm/nfcd.asc")
    checked = state.system.do("rpmkeys", "--checksig", "--verbose", *packages)
    expect(checked.count("Signature") >= len(packages) and "NOKEY" not in checked, checked)


@check
def refuses_a_changed_package(state):
    """dnf refuses a repository whose index was changed"""
    index = f"{FOLDER}/2/rpm/$(uname -m)/repodata/repomd.xml"
    state.show(2)
    state.system.do("sh", "-c", f"cp {index} /opt/repomd.xml && sed -i 's/<revision>/<revision>9/' {index}")
    done = state.system.run("dnf", "--assumeyes", "--refresh", "upgrade")
    state.system.do("sh", "-c", f"cp /opt/repomd.xml {index}")
    version = state.system.do("rpm", "-q", "--queryformat", "%{VERSION}", "nfcd")
    expect(version.endswith(f"{SUFFIX}1"), f"{version}: {done.stdout}")
    expect(re.search("(?i)signature|gpg", done.stdout + done.stderr), done.stdout + done.stderr)


@check
def upgrades_with_both_keys(state):
    """an upgrade keeps the edited configuration and the socket, and restarts nfcd"""
    state.edit_configuration()
    old = state.restart()
    upgrade(state, 2)
    state.expect_edited_configuration()
    expect(state.daemon() not in (0, old), "nfcd was not restarted")
    state.expect_same_socket()
    state.expect_scan()


@check
def upgrades_with_the_new_key(state):
    """a release that is signed with the new key alone upgrades: dnf fetches the key from the repository"""
    upgrade(state, 3)
    state.expect_edited_configuration()
    state.expect_scan()


@check
def is_removed(state):
    """dnf remove stops everything, and leaves the edited configuration alone"""
    state.open_another_socket()
    state.system.do("dnf", "--assumeyes", "remove", *PACKAGES)
    state.expect_no_sockets()
    for name in PACKAGES:
        expect(state.system.run("pgrep", "-x", name).returncode != 0, f"{name} is still running")
    left = state.system.run("sh", "-c", "find /usr /etc -name '*nfcd*' ! -path '*/rpm/*'").stdout.split()
    expect(sorted(left) == sorted(["/etc/nfcd", f"{CONFIGURATION}.rpmsave", REPO]), f"files are left: {left}")
    state.system.do("rm", "-r", "/etc/nfcd", REPO)
    state.show(1)
