"""Docs/guides/security-keys.md as a person at the machine follows it: the member, logged in on the first console."""

import contextlib
import pathlib
import shlex

import steps
from keys import Card, node, nodes
from steps import ASKS_PASSWORD, MEMBER, PASSWORD, WORK, check, printed, run, until
from terminal import typed

GUIDE = "Docs/guides/security-keys.md"
PIN, FIRST_PIN, PASSPHRASE = "604417", "350962", "correct horse"


def follow(beginning, *answers, replacing=()):
    """Types a block of the guide; what it printed."""
    return steps.follow(GUIDE, beginning, *answers, replacing=replacing)


@contextlib.contextmanager
def changed(path, content):
    """A file of the system with another content."""
    file = pathlib.Path(path)
    before = file.read_text()
    file.write_text(content)
    try:
        yield
    finally:
        file.write_text(before)


@check
def the_guide_installs_the_package_and_shows_the_card():
    assert "security keys" in follow("sudo apt install ./nfcd-fido_", ASKS_PASSWORD)
    with Card("--several-operations") as card:
        until(lambda: "nfcd FIDO" in follow("fido2-token -L"), "member does not see the card")
        shown = follow(
            "fido2-token -I", ("PIN", FIRST_PIN), ("PIN", FIRST_PIN), ("PIN", FIRST_PIN), ("PIN", PIN), ("PIN", PIN),
            replacing=[("/dev/hidraw3", node())])
        assert "FIDO_2_1" in shown, shown
        assert "clientPin" in run("fido2-token", "-I", node())
        card.again()
        typed(["runuser", "-u", MEMBER, "--", "fido2-token", "-R", node()], [])


@check
def the_guide_logs_in_by_ssh():
    run("systemctl", "start", "ssh.service")
    member = [("user@server.example.com", f"{MEMBER}@server.example.com")]
    with Card("--several-operations"):
        node()
        follow(
            "ssh-keygen -t ecdsa-sk", ("passphrase", ""), ("again", ""), ("(yes/no", "yes"), ("password:", PASSWORD),
            (f"{MEMBER}@vm", "exit"), replacing=member)


@check
def the_guide_takes_the_card_for_sudo():
    with Card("--several-operations"):
        node()
        follow("sudo apt install libpam-u2f", ASKS_PASSWORD)
        rules, line = pathlib.Path("/etc/pam.d/sudo").read_text(), printed.block(GUIDE, "auth sufficient pam_u2f.so")
        with changed("/etc/pam.d/sudo", rules.replace("@include common-auth", f"{line}@include common-auth")):
            follow("sudo -k", ("ENTER", ""))


@check
def the_guide_opens_a_volume():
    image = WORK / "guide.img"
    run("truncate", "--size=32M", str(image))
    disk = run("losetup", "--find", "--show", str(image)).strip()
    typed(["cryptsetup", "luksFormat", "--batch-mode", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000", disk],
          [("passphrase", PASSPHRASE)])
    names = [("/dev/sdb1", disk)]
    with Card("--pin", PIN, "--several-operations"):
        node()
        follow("sudo cryptsetup luksHeaderBackup", ASKS_PASSWORD, ("passphrase", PASSPHRASE), ("PIN", PIN), replacing=names)
        with changed("/etc/crypttab", printed.commands(GUIDE, "data /dev/sdb1", names)):
            follow("sudo systemctl daemon-reload", ASKS_PASSWORD, ("PIN", PIN))
            assert pathlib.Path("/dev/mapper/data").exists()
            run("systemctl", "stop", "systemd-cryptsetup@data.service")
    run("losetup", "--detach", disk)


@check
def the_guide_has_a_virtual_card():
    until(lambda: "Virtual PCD" in run("nfcctl", "readers"), "no virtual reader")
    command = shlex.split(printed.block(GUIDE, "nfcctl virtual-tag fido2"))

    def interrupt():
        assert "clientPin" in run("fido2-token", "-I", node())
        return "\x03"

    typed(command, [("", interrupt)])
    until(lambda: not nodes(), "the device stays")
