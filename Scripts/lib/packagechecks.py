"""The last checks of boot-test: upgrading, removing and purging all packages."""

import json
import re

import printed
from bootchecks import CONFIGURATION, SOCKET, accounts, adding_to, expect, files
from relaychecks import RECEIVER, RELAY, expect_delivery
from relaychecks import CONFIGURATION as RELAY_CONFIGURATION

FIDO_CONFIGURATION = "/etc/nfcd/fido.toml"
WEB_CONFIGURATION = "/etc/nfcd/web.toml"
MANIFESTS = {
    "/etc/chromium/native-messaging-hosts/org.nfcd.web.json": "chromium",
    "/etc/opt/chrome/native-messaging-hosts/org.nfcd.web.json": "chromium",
    "/usr/lib/mozilla/native-messaging-hosts/org.nfcd.web.json": "firefox",
}
EXTENSIONS = {
    "/usr/share/chromium/extensions/nfcd": "chromium",
    "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/web-nfc@nfcd": "firefox",
}
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web")
CHECKS = []
check = adding_to(CHECKS)


def archives(ending=""):
    return [f"/opt/packages/{name}{ending}.deb" for name in PACKAGES]


@check
def adds_security_keys(state):
    """the command of the page installs nfcd-fido with its user and rule, and its service waits for a machine with /dev/uhid"""
    printed.run(state.system, "Docs/security-keys.md", "sudo apt install ./.build/deb/nfcd-fido_")
    expect("nfc" in state.system.do("id", "--name", "--groups", "nfcd-fido").split(), "nfcd-fido is not in group nfc")
    state.system.do("nfcd-fido", "--check")
    state.system.do("systemctl", "is-enabled", "nfcd-fido.service")
    # A container has no /dev/uhid.
    expect(state.unit("ConditionResult", "nfcd-fido.service") == "no", "the service has started")
    output = state.system.run("systemd-analyze", "security", "--no-pager", "nfcd-fido.service").stdout
    level = float(re.search(r"exposure level for nfcd-fido\.service: ([\d.]+)", output)[1])
    expect(level <= 1.5, f"the exposure level is {level}")


def host(state, *arguments):
    """Starts nfcd-web as a browser does, and greets it; returns its exit code and the answer."""
    greeting = json.dumps({"verb": "hello", "version": 1}).encode()
    code, answer = state.system.exchange("nfcd-web", *arguments, user="member", frame=greeting)
    return code, answer and json.loads(answer)


@check
def adds_web_pages(state):
    """the package of nfcd-web installs what browsers need: host manifests, the extension, and links to it"""
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", "/opt/packages/nfcd-web.deb")
    state.system.do("nfcd-web", "--check", user="member")
    for path, browser in MANIFESTS.items():
        manifest = json.loads(state.system.do("cat", path, user="member"))
        expect((manifest["name"], manifest["type"]) == ("org.nfcd.web", "stdio"), f"{path}: {manifest}")
        state.system.do("test", "-x", manifest["path"], user="member")
        key = "allowed_origins" if browser == "chromium" else "allowed_extensions"
        expect(len(manifest[key]) == 1, f"{path}: {manifest}")
    for path, browser in EXTENSIONS.items():
        extension = json.loads(state.system.do("cat", f"{path}/manifest.json", user="member"))
        expect(extension["manifest_version"] == 3, f"{path}: {extension}")
        real = state.system.do("readlink", "--canonicalize", path)
        expect(real == f"/usr/share/webext/nfcd/{browser}", f"{path} is {real}")
    conffiles = state.system.do("dpkg-query", "--show", "--showformat=${Conffiles}", "nfcd-web").split()
    for path in [*list(MANIFESTS)[:2], WEB_CONFIGURATION]:
        expect(path in conffiles, f"{path} is not a conffile")


@check
def serves_browsers(state):
    """nfcd-web answers the extension that the host manifests name, and refuses any other with 77"""
    for path, browser in MANIFESTS.items():
        manifest = json.loads(state.system.do("cat", path))
        arguments = [manifest["allowed_origins"][0]] if browser == "chromium" else [path, manifest["allowed_extensions"][0]]
        code, answer = host(state, *arguments)
        expect(code == 0 and answer and answer["event"] == "hello", f"{arguments}: {code} {answer}")
    for arguments in (["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"], [list(MANIFESTS)[2], "other@example"]):
        code, answer = host(state, *arguments)
        expect((code, answer) == (77, None), f"{arguments}: {code} {answer}")


@check
def upgrades(state):
    """an upgrade keeps the socket, the configurations and the journal, and restarts nfcd and the relay"""
    old, version = state.restart(), state.system.do("dpkg-query", "--show", *PACKAGES)
    relay, taps = state.unit("MainPID", RELAY), state.system.do("nfcctl", "taps", "list", "--json")
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", *archives("-next"))
    expect(state.system.do("dpkg-query", "--show", *PACKAGES) != version, "the version has not changed")
    expect(state.daemon() not in (0, old), "nfcd was not restarted")
    expect(state.unit("MainPID", RELAY) not in ("0", relay), "nfcd-relay was not restarted")
    expect(host(state, "chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/")[0] == 0, "nfcd-web fails")
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
    state.system.do("test", "-e", FIDO_CONFIGURATION, "-a", "-e", WEB_CONFIGURATION, "-a", "-e", list(MANIFESTS)[0])
    for path in [*EXTENSIONS, list(MANIFESTS)[2]]:
        expect(state.system.run("test", "-e", path).returncode != 0, f"{path} still exists")
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
