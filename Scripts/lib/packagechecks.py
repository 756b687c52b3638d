"""The last checks of boot-test: upgrading, removing and purging all packages."""

import re

from bootchecks import CONFIGURATION, SOCKET, accounts, adding_to, expect, files
from relaychecks import RECEIVER, RELAY, expect_delivery
from relaychecks import CONFIGURATION as RELAY_CONFIGURATION

FIDO_CONFIGURATION = "/etc/nfcd/fido.toml"
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido")
CHECKS = []
check = adding_to(CHECKS)


def archives(ending=""):
    return [f"/opt/packages/{name}{ending}.deb" for name in PACKAGES]


@check
def adds_security_keys(state):
    """the package of nfcd-fido installs with its user and rule, and its service waits for a machine with /dev/uhid"""
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", "/opt/packages/nfcd-fido.deb")
    expect("nfc" in state.system.do("id", "--name", "--groups", "nfcd-fido").split(), "nfcd-fido is not in group nfc")
    state.system.do("nfcd-fido", "--check")
    state.system.do("systemctl", "is-enabled", "nfcd-fido.service")
    # A container has no /dev/uhid.
    expect(state.unit("ConditionResult", "nfcd-fido.service") == "no", "the service has started")
    output = state.system.run("systemd-analyze", "security", "--no-pager", "nfcd-fido.service").stdout
    level = float(re.search(r"exposure level for nfcd-fido\.service: ([\d.]+)", output)[1])
    expect(level <= 1.5, f"the exposure level is {level}")


@check
def upgrades(state):
    """an upgrade keeps the socket, the configurations and the journal, and restarts nfcd and the relay"""
    old, version = state.restart(), state.system.do("dpkg-query", "--show", *PACKAGES)
    relay, taps = state.unit("MainPID", RELAY), state.system.do("nfcctl", "taps", "list", "--json")
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", *archives("-next"))
    expect(state.system.do("dpkg-query", "--show", *PACKAGES) != version, "the version has not changed")
    expect(state.daemon() not in (0, old), "nfcd was not restarted")
    expect(state.unit("MainPID", RELAY) not in ("0", relay), "nfcd-relay was not restarted")
    expect(state.system.do("grep", "^timeout", CONFIGURATION) == "timeout = 45", "the configuration was replaced")
    state.expect_same_socket()
    state.expect_scan()
    expect(state.system.do("nfcctl", "taps", "list", "--json") == taps, "the journal has changed")
    expect_delivery(state, "https://example.com/upgraded")


@check
def is_removed(state):
    """apt remove stops nfcd and the relay and keeps the configurations, and the packages can be installed again"""
    state.system.do("apt-get", "remove", "-y", *PACKAGES)
    expect(state.system.run("test", "-e", SOCKET).returncode != 0, "the socket still exists")
    for name in PACKAGES:
        expect(state.system.run("pgrep", "-x", name).returncode != 0, f"{name} is still running")
    state.system.do("test", "-e", CONFIGURATION, "-a", "-e", RELAY_CONFIGURATION, "-a", "-d", "/var/lib/nfcd-relay")
    state.system.do("test", "-e", FIDO_CONFIGURATION)
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", *archives())
    state.system.do("nfcctl", "readers", user="member")


@check
def is_purged(state):
    """a purge leaves no file, no user, no group and no unit"""
    state.system.run("systemctl", "stop", RECEIVER)
    # What a person has put into the folder of the configuration stays.
    state.system.do("rm", "-r", "/etc/nfcd/secrets")
    state.system.do("apt-get", "purge", "-y", *PACKAGES)
    left = files(state.system.tree) - state.files
    expect(not left, f"files are left: {sorted(left)}")
    changed = {name: lines for name, lines in accounts(state.system.tree).items() if lines != state.accounts[name]}
    expect(not changed, f"accounts have changed: {changed}")
    units = state.system.do("systemctl", "list-units", "--all", "--plain", "--no-legend", "nfcd*")
    expect(not units, f"units are left: {units}")
    for folder in ("/run/nfcd", "/run/nfcd-relay", "/var/lib/nfcd", "/var/lib/nfcd-relay"):
        expect(state.system.run("test", "-e", folder).returncode != 0, f"{folder} still exists")
