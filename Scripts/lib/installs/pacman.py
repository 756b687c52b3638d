"""The checks of install-test with pacman, on a Debian whose packages pacman assumes under the names of Arch."""

import re

from bootchecks import CONFIGURATION, adding_to, expect
from installs.releases import FOLDER, SHOWN, SUFFIX
from release import recipe

PACKAGES = ("nfcd-bin", "nfcd-relay-bin", "nfcd-fido-bin", "nfcd-web-bin", "nfcd-desktop-bin")
CHECKS = []
check = adding_to(CHECKS)


def files(state, number):
    return state.system.do("sh", "-c", f"ls {FOLDER}/{number}/*.pkg.tar.zst").split()


def assumed():
    """The options for the names of packages that Debian has under other names."""
    names = sorted({row["Arch"] for row in recipe.names().values() if row["Arch"]})
    return [word for name in names for word in ("--assume-installed", f"{name}=1")]


def run_hooks(state):
    """What the hooks of Arch's package of systemd do after an installation; Debian's pacman has none."""
    state.system.do("systemd-sysusers")
    state.system.do("systemctl", "daemon-reload")


def add_key(state, number):
    """The commands of the page for the key of a release."""
    keys = f"{FOLDER}/{number}/nfcd-keys.asc"
    state.system.do("pacman-key", "--add", keys)
    listed = state.system.do("gpg", "--show-keys", "--with-colons", keys)
    state.system.do("pacman-key", "--lsign-key", re.search(r"(?m)^fpr:+([0-9A-F]+):", listed)[1])


@check
def trusts_the_key(state):
    """pacman accepts the key of the release, and requires signatures from then on"""
    state.system.do("pacman-key", "--init")
    add_key(state, 1)
    level = "s/^\\[options\\]$/&\\nLocalFileSigLevel = Required/; s/^LocalFileSigLevel.*//"
    state.system.do("sed", "-i", level, "/etc/pacman.conf")
    state.system.do("grep", "^LocalFileSigLevel = Required", "/etc/pacman.conf")
    # With another signature, pacman refuses it.
    first = files(state, 1)[0]
    other = f"/opt/other/{first.rpartition('/')[2]}"
    state.system.do("sh", "-c", f"mkdir /opt/other && cp {first} {other} && cp {FOLDER}/1/nfcd-relay-bin-*.sig {other}.sig")
    refused = state.system.run("pacman", "--noconfirm", *assumed(), "-U", other)
    expect(refused.returncode != 0 and "signature" in refused.stderr, refused.stdout + refused.stderr)


@check
def installs(state):
    """pacman -U installs the signed packages; after the commands that they print, a user of the group reads a tag through pcscd"""
    [first] = [path for path in files(state, 1) if "/nfcd-bin-" in path]
    with state.measured("Arch package"):
        add_key(state, 1)
        installed = state.system.do("pacman", "--noconfirm", *assumed(), "-U", first)
        run_hooks(state)
        state.system.do("systemctl", "enable", "--now", "nfcd.socket")
        state.system.do("usermod", "-aG", "nfc", "member")
        state.expect_scan()
    expect("systemctl enable --now nfcd.socket" in installed, installed)
    state.system.do("pacman", "--noconfirm", *assumed(), "-U", *(path for path in files(state, 1) if path != first))
    run_hooks(state)
    state.inode = state.system.do("stat", "-c", "%i", "/run/nfcd/nfcd.sock")
    state.expect_scan()
    state.expect_desktop()


@check
def is_whole(state):
    """pacman -Qkk finds every file of the packages as it was made"""
    checked = state.system.run("pacman", "-Qkk", *PACKAGES)
    text = checked.stdout + checked.stderr
    expect(checked.returncode == 0 and text.count("0 altered files") == len(PACKAGES), text)


@check
def upgrades(state):
    """an upgrade keeps the edited configuration and the socket"""
    state.edit_configuration()
    state.system.do("pacman", "--noconfirm", *assumed(), "-U", *files(state, 2))
    run_hooks(state)
    state.expect_edited_configuration()
    version = state.system.do("pacman", "-Q", "nfcd-bin")
    expect(f"{SUFFIX}2-1" in version, version)
    state.system.do("systemctl", "try-restart", "nfcd.service")
    state.expect_same_socket()
    state.expect_scan()


@check
def upgrades_with_the_new_key(state):
    """pacman refuses a release that is signed with the new key alone until that key was added"""
    refused = state.system.run("pacman", "--noconfirm", *assumed(), "-U", *files(state, 3))
    expect(refused.returncode != 0, refused.stdout)
    add_key(state, 3)
    state.system.do("pacman", "--noconfirm", *assumed(), "-U", *files(state, 3))
    state.expect_edited_configuration()


@check
def is_removed(state):
    """pacman -R leaves the edited configuration alone"""
    state.system.do("systemctl", "disable", "--now", "nfcd.socket", "nfcd.service")
    state.system.do("pacman", "--noconfirm", "-R", *PACKAGES)
    left = state.system.run("sh", "-c", "find /usr /etc -name '*nfcd*'").stdout.split()
    expect(sorted(left) == sorted(["/etc/nfcd", f"{CONFIGURATION}.pacsave"]), f"files are left: {left}")
    state.system.do("rm", "-r", "/etc/nfcd")
    run_hooks(state)
    expect(state.system.do("readlink", SHOWN).endswith("/1"), "the server does not show the first release")
