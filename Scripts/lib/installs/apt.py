"""The checks of install-test on Debian: the apt repository."""

import re

import printed
from bootchecks import adding_to, expect, files
from installs.releases import ADDRESS, FOLDER, SHOWN, SUFFIX

SOURCES = "/etc/apt/sources.list.d/nfcd.sources"
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop", "nfcd-archive-keyring")
CHECKS = []
check = adding_to(CHECKS)


def update(state):
    """What apt-get update warns of."""
    done = state.system.run("apt-get", "update")
    text = done.stdout + done.stderr
    return done.returncode, "\n".join(re.findall(r"(?m)^[WE]: .*$", text))


def upgrade(state, number):
    """Upgrades to a release, without a question."""
    state.show(number)
    code, warnings = update(state)
    expect((code, warnings) == (0, ""), f"apt-get update: {code}: {warnings}")
    state.system.do("apt-get", "upgrade", "-y")
    for name in PACKAGES:
        version = state.system.do("dpkg-query", "--show", "--showformat=${Version}", name)
        expect(version.endswith(f"{SUFFIX}{number}"), f"{name} is {version} after the upgrade to release {number}")


def keys(state):
    """The keys in the file of the source: the number of octets in it is enough to compare."""
    return len(re.findall(r"(?m)^ \S{20,}", state.system.do("cat", SOURCES)))


@check
def installs(state):
    """the commands of the page install nfcd from the apt repository, and a user of the group reads a tag through pcscd"""
    with state.measured("apt repository"):
        state.type("ADDRESS=")
        state.expect_scan()
    expect("nfc" in state.system.do("id", "-nG", "member").split(), "member is not in the group nfc")
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", *PACKAGES)
    state.inode = state.system.do("stat", "-c", "%i", "/run/nfcd/nfcd.sock")
    state.expect_scan()
    state.expect_desktop()


@check
def is_signed(state):
    """apt refuses the repository without its signatures, and one with a changed index"""
    suite = f"{FOLDER}/1/apt/dists/stable"
    for spoil, restore in [
        (f"mkdir /opt/aside && mv {suite}/InRelease {suite}/Release.gpg /opt/aside", f"mv /opt/aside/* {suite} && rmdir /opt/aside"),
        (f"sed -i.bak s/^Origin:.*/Origin:other/ {suite}/InRelease", f"mv {suite}/InRelease.bak {suite}/InRelease"),
    ]:
        state.system.do("sh", "-c", spoil)
        # What apt has already would hide the first case.
        state.system.do("sh", "-c", "rm -rf /var/lib/apt/lists/*")
        code, warnings = update(state)
        state.system.do("sh", "-c", restore)
        expect(code != 0 or "sign" in warnings.lower(), f"{spoil}: {code}: {warnings}")
        shown = state.system.run("apt-cache", "policy", "nfcd").stdout
        expect(ADDRESS not in shown, f"{spoil}: {shown}")
    expect(update(state) == (0, ""), "the restored repository is not accepted")


@check
def upgrades_with_both_keys(state):
    """a release that is signed with both keys upgrades without a question, keeps the edited configuration, and brings the new key"""
    state.edit_configuration()
    old, before = state.restart(), keys(state)
    upgrade(state, 2)
    state.expect_edited_configuration()
    expect(state.daemon() not in (0, old), "nfcd was not restarted")
    expect(keys(state) > before, "nfcd.sources has no new key")
    state.expect_same_socket()
    state.expect_scan()


@check
def upgrades_with_the_new_key(state):
    """a release that is signed with the new key alone upgrades without a warning"""
    upgrade(state, 3)
    state.expect_edited_configuration()
    state.expect_scan()


@check
def ignores_older_indexes(state):
    """apt keeps the newer indexes if an older folder is put back on the server"""
    state.show(2)
    update(state)
    known = state.system.do("apt-cache", "show", "nfcd-web")
    expect(f"{SUFFIX}3" in known and f"{SUFFIX}2" not in known, "apt has the older indexes")
    state.show(3)


@check
def explains_a_missed_rotation(state):
    """a machine that missed the rotation is warned and keeps what it has; the file of the source, fetched again, brings it back"""
    state.system.do("cp", f"{FOLDER}/1/apt/nfcd.sources", SOURCES)
    state.system.do("sh", "-c", "rm -rf /var/lib/apt/lists/*")
    _, warnings = update(state)
    expect(warnings, "apt-get update does not warn")
    state.system.do("nfcctl", "readers", user="member")
    state.type("sudo curl -fsS -o /etc/apt/sources.list.d/nfcd.sources")
    expect(update(state) == (0, ""), "the fetched file does not help")


@check
def is_purged(state):
    """a purge leaves no file and no unit; the group keeps its members"""
    state.system.do("systemctl", "stop", "nfcd-relay.service")
    state.open_another_socket()
    state.system.do("apt-get", "purge", "-y", *PACKAGES)
    state.system.do("rm", SOURCES)
    state.system.do("apt-get", "clean")
    left = files(state.system.tree) - state.files
    expect(not left, f"files are left: {sorted(left)}")
    expect("nfc" in state.system.do("id", "-nG", "member").split(), "member is not in the group nfc any more")
    state.expect_no_sockets()
    state.show(1)
    expect(state.system.do("readlink", SHOWN).endswith("/1"), "the server does not show the first release again")


@check
def installs_by_hand(state):
    """the commands of the page install a .deb that was downloaded, and a user of the group reads a tag; a purge leaves nothing"""
    state.system.do("sh", "-c", f"cp {FOLDER}/1/nfcd_*.deb {printed.FOLDER}")
    with state.measured(".deb by hand"):
        state.type("sudo apt install ./nfcd_")
        state.expect_scan()
    state.system.do("apt-get", "purge", "-y", "nfcd")
    state.system.do("sh", "-c", f"rm {printed.FOLDER}/nfcd_*.deb")
    state.system.do("apt-get", "clean")
    left = files(state.system.tree) - state.files
    expect(not left, f"files are left: {sorted(left)}")
