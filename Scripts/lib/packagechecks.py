"""The last checks of boot-test: upgrading, removing and purging all packages."""

import json
import platform
import re

import printed
import releasedprograms
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
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop")
USERS = ("nfcd", "nfcd-relay", "nfcd-fido")
# The newest versions of symbols that a program may need (Docs/administration.md, "Which distributions"), and where a program is built
# for them: with a newer glibc, it needs that.
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 11), "GCC": (3, 3), "OPENSSL": (3, 0, 0), "CURL_OPENSSL": (4,), "MOSQ": (1, 7)}
BUILT_WITH = (2, 36)
# The libraries of each program, besides those of C and C++.
COMMON = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
LIBRARIES = {
    "nfcd": {"libcrypto.so.3", "libpcsclite.so.1", "libsqlite3.so.0"}, "nfcctl": {"libcrypto.so.3"},
    "nfcd-relay": {"libcrypto.so.3", "libcurl.so.4", "libmosquitto.so.1", "libsqlite3.so.0"}, "nfcd-fido": set(), "nfcd-web": set(), "nfcd-desktop": set(),
}
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
def needs_what_is_documented(state):
    """no program needs a newer glibc, C++ library or OpenSSL, or another library, than the documentation says"""
    is_built_for_it = tuple(map(int, platform.libc_ver()[1].split("."))) <= BUILT_WITH
    for name, libraries in LIBRARIES.items():
        program = state.system.tree / "usr/bin" / name
        needed = set(releasedprograms.needed_libraries(program))
        expect(needed <= libraries | COMMON, f"{name} needs {sorted(needed - libraries - COMMON)}")
        expect(libraries <= needed, f"{name} does not need {sorted(libraries - needed)} any more")
        versions = releasedprograms.needed_versions(program)
        expect(not versions.keys() - NEWEST.keys(), f"{name} needs {versions}")
        newer = releasedprograms.symbols_newer(program, NEWEST)
        expect(not newer or not is_built_for_it, f"{name} needs {newer}")
        expect(not releasedprograms.faults(program, []), f"{name}: {releasedprograms.faults(program, [])}")


@check
def names_what_is_missing(state):
    """the installation names what nfcd does not find and the command that fixes it, and prints nothing of it if all is well"""
    again = ("apt-get", "install", "-y", "--reinstall", "--no-install-recommends", "/opt/packages/nfcd.deb")
    # Masked first: nfcd would start it again.
    state.system.do("systemctl", "mask", "pcscd.service")
    state.system.do("systemctl", "stop", "pcscd.service")
    try:
        output = state.system.do(*again)
    finally:
        state.system.do("systemctl", "unmask", "pcscd.service")
        state.system.do("systemctl", "restart", "pcscd.socket")
    expect("nfcd: pcscd.service is masked" in output and "run: systemctl unmask pcscd.service" in output, output)
    output = state.system.do(*again)
    expect("nfcd: " not in output, output)


def owners(lines):
    """The names in lines of /etc/passwd and its like."""
    return {line.partition(":")[0] for line in lines}


@check
def is_purged(state):
    """a purge leaves no file and no unit, and of the accounts only the locked users and groups, with their members"""
    state.system.run("systemctl", "stop", RECEIVER)
    # What a person has put into the folder of the configuration stays.
    state.system.do("rm", "-r", "/etc/nfcd/secrets")
    state.system.do("apt-get", "purge", "-y", *PACKAGES)
    left = files(state.system.tree) - state.files
    expect(not left, f"files are left: {sorted(left)}")
    for name, lines in accounts(state.system.tree).items():
        changed = owners(set(lines) ^ set(state.accounts[name]))
        expect(changed <= {*USERS, "nfc"}, f"{name}: {changed} have changed")
    expect("member" in state.system.do("getent", "group", "nfc").split(":")[3].split(","), "member is not in the group nfc")
    for user in USERS:
        expect(state.system.do("getent", "passwd", user).endswith("/nologin"), f"{user} has a shell")
        expect(state.system.do("getent", "shadow", user).split(":")[1].startswith("!"), f"{user} has a password")
    units = state.system.do("systemctl", "list-units", "--all", "--plain", "--no-legend", "nfcd*")
    expect(not units, f"units are left: {units}")
    for folder in ("/run/nfcd", "/run/nfcd-relay", "/var/lib/nfcd", "/var/lib/nfcd-relay"):
        expect(state.system.run("test", "-e", folder).returncode != 0, f"{folder} still exists")


@check
def keeps_older_accounts(state):
    """a user nfcd and a group nfc that were there before are used as they are, and stay at a purge with number, members and shell"""
    for user in USERS:
        state.system.do("userdel", user)
    state.system.do("groupdel", "nfc")
    state.system.do("groupadd", "--gid", "5999", "nfc")
    state.system.do("groupadd", "--gid", "5998", "nfcd")
    state.system.do("useradd", "--uid", "5998", "--gid", "nfcd", "--comment", "ours", "--shell", "/bin/sh", "nfcd")
    state.system.do("usermod", "--append", "--groups", "nfc", "stranger")
    user = state.system.do("getent", "passwd", "nfcd")
    state.system.do("apt-get", "install", "-y", "--no-install-recommends", *archives())
    expect(state.system.do("stat", "-c", "%g", SOCKET) == "5999", "the socket does not belong to the group")
    state.system.do("nfcctl", "readers", user="stranger")
    state.system.do("apt-get", "purge", "-y", *PACKAGES)
    expect(state.system.do("getent", "passwd", "nfcd") == user, "the user has changed")
    _, _, number, members = state.system.do("getent", "group", "nfc").split(":")
    expect(number == "5999" and "stranger" in members.split(","), f"the group nfc is {number} with {members}")
    expect(state.system.do("getent", "group", "nfcd").split(":")[2] == "5998", "the group nfcd has changed")
