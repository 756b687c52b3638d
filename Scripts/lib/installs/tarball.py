"""The last checks of install-test: the tarball with install.sh, on any system."""

import contextlib

import printed
from bootchecks import CONFIGURATION, adding_to, expect
from installs.releases import FOLDER, PAGE, SHOWN

UNPACKED = "/opt/unpacked"
LIBRARY = "/usr/local/lib/nfcd"
CHECKS = []
check = adding_to(CHECKS)


def unpack(state, number):
    """The folder of an unpacked archive of a release."""
    folder = f"{UNPACKED}/{number}"
    state.system.do("sh", "-c", f"mkdir -p {folder} && tar -C {folder} --strip-components=1 -xf {FOLDER}/{number}/nfcd-*-linux-*.tar.xz")
    return folder


def traces(state):
    return set(state.system.run("sh", "-c", "find /usr /etc /opt/nfcd -name '*nfc*' 2>/dev/null").stdout.split())


@check
def shows_what_it_would_do(state):
    """install.sh --dry-run of the tarball prints what it would install, also to an ordinary user, and changes nothing"""
    state.traces = traces(state)
    shown = state.system.do(f"{unpack(state, 1)}/install.sh", "--dry-run", user="member")
    for text in ("/usr/local/bin/nfcd", "/usr/local/bin/nfcctl", "activate install"):
        expect(text in shown, f"{text} is missing in: {shown}")
    expect(traces(state) == state.traces, "something was installed")
    refused = state.system.run(f"{UNPACKED}/1/install.sh", user="member")
    expect(refused.returncode == 77, f"{refused.returncode}: {refused.stderr}")


@contextlib.contextmanager
def hidden(state, *libraries):
    """The system does not have these libraries meanwhile."""
    def rename(ending, change):
        names = " ".join(f"/usr/lib/*/{name}*{ending}" for name in libraries)
        state.system.do("sh", "-c", f"for file in {names}; do mv $file {change}; done")
    rename("", "$file.aside")
    try:
        yield
    finally:
        rename(".aside", "${file%.aside}")


@check
def demonstrates(state):
    """the commands of the page show an ordinary user a first tag, also with Python and without libpcsclite and SQLite, and leave nothing"""
    state.system.do("sh", "-c", f"cp {SHOWN}/nfcd-*-linux-*.tar.xz {printed.FOLDER} && chown member {printed.FOLDER}")
    commands = printed.block(PAGE, "tar -xf nfcd-")
    unpacking, _, demo = commands.strip().partition("\n")
    state.system.do("sh", "-c", f"cd {printed.FOLDER} && {unpacking}", user="member")
    # Services of the system have folders in /tmp, too.
    everything = ["sh", "-c", f"find {printed.FOLDER}; find /tmp -name '*nfc*'"]
    before = set(state.system.do(*everything).splitlines())
    with hidden(state, "libpcsclite.so.1", "libsqlite3.so.0"):
        shown = state.system.do("sh", "-c", f"cd {printed.FOLDER} && {demo}", user="member")
    with state.measured("tarball (demo)"):
        state.system.do("sh", "-c", f"cd {printed.FOLDER} && {commands}", user="member")
    # The command that makes the tag, the link that nfcctl reads, and the line that Python prints.
    link = "https://example.com/nfcd"
    expect(shown.count(link) == 3 and f"\n{link}\n" in shown, shown)
    left = set(state.system.do(*everything).splitlines()) - before
    expect(not left, f"files were left: {sorted(left)}")
    expect(traces(state) == state.traces, "something was installed")


@check
def names_missing_libraries(state):
    """install.sh names a library that is missing, and the package of this system that has it"""
    with hidden(state, "libpcsclite.so.1"):
        done = state.system.run(f"{UNPACKED}/1/install.sh")
    text = done.stderr
    expect(done.returncode == 69 and "libpcsclite.so.1" in text and "apt install libpcsclite1" in text, f"{done.returncode}: {text}")
    expect(traces(state) == state.traces, "something was installed")


@check
def installs(state):
    """the commands of the page install nfcd from the tarball, and a user of the group reads a tag through pcscd"""
    with state.measured("tarball (installed)"):
        state.system.do("sh", "-c", f"cd {printed.FOLDER} && tar -xf nfcd-*-linux-*.tar.xz", user="member")
        state.type("cd nfcd-")
        state.expect_scan()
    expect("nfc" in state.system.do("id", "-nG", "member").split(), "member is not in the group nfc")
    expect(state.system.do("systemctl", "is-enabled", "nfcd.socket") == "enabled", "nfcd.socket is not enabled")
    state.inode = state.system.do("stat", "-c", "%i", "/run/nfcd/nfcd.sock")
    state.expect_scan()
    path = state.system.do("sh", "-c", f"readlink /proc/{state.daemon()}/exe")
    expect(path == "/usr/local/bin/nfcd", f"{path} is running")


@check
def upgrades(state):
    """install.sh of a newer release keeps the edited configuration and the socket, and restarts nfcd; it adds packages"""
    state.edit_configuration()
    old = state.restart()
    printed = state.system.do(f"{unpack(state, 2)}/install.sh", "nfcd-relay", "nfcd-desktop")
    expect("kept /etc/nfcd/nfcd.toml" in printed, printed)
    state.expect_edited_configuration()
    expect(state.daemon() not in (0, old), "nfcd was not restarted")
    state.expect_same_socket()
    state.system.do("nfcd-relay", "--version")
    state.expect_desktop("/usr/local")
    state.expect_scan()


@check
def keeps_foreign_files(state):
    """install.sh refuses to overwrite what it has not installed"""
    state.system.do("sh", "-c", "echo other > /usr/local/bin/nfcd-fido")
    refused = state.system.run(f"{UNPACKED}/2/install.sh", "nfcd-fido")
    state.system.do("rm", "/usr/local/bin/nfcd-fido")
    expect(refused.returncode == 73 and "/usr/local/bin/nfcd-fido" in refused.stderr, f"{refused.returncode}: {refused.stderr}")


@check
def removes_itself(state):
    """install.sh --uninstall removes everything but a configuration file that was changed; with --purge that one, too"""
    # As the page says; the copy that was installed is enough.
    state.system.do("rm", "-r", UNPACKED)
    state.open_another_socket()
    printed = state.system.do(f"{LIBRARY}/install.sh", "--uninstall")
    expect(f"kept {CONFIGURATION}" in printed, printed)
    state.expect_no_sockets()
    expect(state.system.run("pgrep", "-x", "nfcd").returncode != 0, "nfcd is still running")
    state.system.do("sh", "-c", f"tar -xf {FOLDER}/1/nfcd-*-linux-*.tar.xz -C /opt && /opt/nfcd-*-linux-*/install.sh && rm -r /opt/nfcd-*-linux-*")
    state.expect_edited_configuration()
    state.system.do(f"{LIBRARY}/install.sh", "--uninstall", "--purge")
    left = traces(state) - state.traces
    expect(not left, f"files are left: {sorted(left)}")
    for folder in ("/usr/local/bin", "/usr/local/share"):
        state.system.do("test", "-d", folder)
