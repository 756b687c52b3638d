"""Security keys in the virtual machine: programs that people use, with virtual cards at vpcd."""

import base64
import hashlib
import os
import pathlib
import subprocess
import time

import guide
from keys import Card, nodes, node, use
from steps import WORK, check, run, until
from terminal import typed

PIN, OTHER_PIN = "739146", "280411"
SERVICE = "nfcd-fido"
FIDO = "A0000006472F0001"
# What no log may hold, in hexadecimal or as text.
SECRETS = [PIN, hashlib.sha256(PIN.encode()).hexdigest()[:32], OTHER_PIN, guide.PIN, guide.FIRST_PIN]


def b64(data):
    return base64.b64encode(data).decode()


def written(name, *lines):
    path = WORK / name
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def make(device, name, *options, pin=None):
    """A credential by fido2-cred; its id, with its public key in a file."""
    party = written(f"{name}.in", b64(os.urandom(32)), "login.example", name, b64(name.encode()))
    command = ["fido2-cred", "-M", "-i", party, "-o", str(WORK / f"{name}.cred"), *options, device, "es256"]
    typed(command, [("PIN", pin)]) if pin else run(*command)
    verified = run("fido2-cred", "-V", "-i", str(WORK / f"{name}.cred"), *(["-h"] if "-h" in options else []),
                   *(["-v"] if "-v" in options else []))
    identifier, key = verified.split("\n", 1)
    written(f"{name}.pem", key.strip())
    SECRETS.append(base64.b64decode(identifier).hex())
    return identifier


def sign(device, name, identifier, *options, pin=None):
    """An assertion by fido2-assert, verified with the public key."""
    asked = [b64(os.urandom(32)), "login.example", *([identifier] if identifier else [])]
    result = str(WORK / f"{name}.assert")
    command = ["fido2-assert", "-G", "-i", written(f"{name}.ask", *asked), "-o", result, *options, device]
    typed(command, [("PIN", pin)]) if pin else run(*command)
    run("fido2-assert", "-V", "-i", result, *[o for o in options if o in ("-p", "-v")], str(WORK / f"{name}.pem"), "es256")
    signature = pathlib.Path(result).read_text().split()[3]
    SECRETS.append(base64.b64decode(signature).hex())


@check
def the_device_belongs_to_the_service_and_its_node_to_the_seat():
    assert run("stat", "--format=%G %a", "/dev/uhid").split() == ["nfcd-fido", "660"]
    with Card() as _:
        path = node()
        def is_tagged():
            facts = run("udevadm", "info", "--query=property", path)
            return "ID_FIDO_TOKEN=1" in facts and "uaccess" in facts

        until(is_tagged, "udev does not give the node to the seat")
        assert "nfcd FIDO" in run("fido2-token", "-L")
    assert run("systemctl", "is-active", "nfcd-fido.service").strip() == "active"


@check
def fido2_token_shows_sets_and_changes_the_pin_and_resets():
    with Card() as card:
        device = node()
        assert "FIDO_2_1" in run("fido2-token", "-I", device)
        typed(["fido2-token", "-S", device], [("PIN", OTHER_PIN), ("PIN", OTHER_PIN)])
        typed(["fido2-token", "-C", device], [("PIN", OTHER_PIN), ("PIN", PIN), ("PIN", PIN)])
        assert "clientPin" in run("fido2-token", "-I", device)
        card.again()
        run("fido2-token", "-R", node())
        assert "noclientPin" in run("fido2-token", "-I", node())


@check
def fido2_cred_and_fido2_assert_without_a_pin():
    with Card() as card:
        identifier = make(node(), "plain")
        card.again()
        sign(node(), "plain", identifier)


@check
def fido2_cred_and_fido2_assert_with_a_pin_discoverable_and_hmac_secret():
    with Card("--pin", PIN, "--several-operations"):
        device = node()
        identifier = make(device, "pinned", "-r", "-h", "-v", pin=PIN)
        sign(device, "pinned", identifier, "-v", pin=PIN)
        sign(device, "pinned", None, "-r", "-v", pin=PIN)
        assert "login.example" in typed(["fido2-token", "-L", "-r", device], [("PIN", PIN)])


@check
def a_card_lifted_half_way_gets_the_request_again():
    with Card("--several-operations") as card:
        identifier = make(node(), "lifted")
        with Card.slow(card) as slow:
            identifier = make(node(), "lifted")
            process = start_sign(node(), "lifted", identifier)
            time.sleep(3)
            slow.again()
            assert process.wait(120) == 0, process.stderr.read()


def start_sign(device, name, identifier):
    asked = written(f"{name}.ask", b64(os.urandom(32)), "login.example", identifier)
    return subprocess.Popen(
        ["fido2-assert", "-G", "-i", asked, "-o", "/dev/null", device], stderr=subprocess.PIPE, text=True)


@check
def a_card_put_down_again_in_the_linger_answers_a_waiting_program():
    with Card("--several-operations") as card:
        identifier = make(node(), "late")
        device = node()
        card.lift()
        process = start_sign(device, "late", identifier)
        time.sleep(20)
        card.put()
        assert process.wait(120) == 0, process.stderr.read()


@check
def with_device_always_a_program_waits_for_the_card():
    with use('[key]\ndevice = "always"\nreaders = ["virtual-pcd-0"]\n'):
        with Card("--several-operations") as card:
            identifier = make(until(lambda: nodes(), "no device")[0], "always")
            card.lift()
            time.sleep(3)
            process = start_sign(nodes()[0], "always", identifier)
            time.sleep(20)
            card.put()
            assert process.wait(120) == 0, process.stderr.read()


@check
def another_card_is_another_device():
    with Card() as _:
        make(node(), "first")
    with Card("--aaguid", "000102030405060708090a0b0c0d0e0f"):
        until(lambda: len(nodes()) == 1 and "00010203-0405" in run("fido2-token", "-I", nodes()[0]).replace(
            "aaguid: 00010203040506", "00010203-0405"), "the other card does not appear")


@check
def two_readers_are_two_devices():
    with Card(), Card(slot=1, restarts=False):
        until(lambda: len(nodes()) == 2, "there are not two devices")
        for device in nodes():
            assert "FIDO_2_1" in run("fido2-token", "-I", device)


@check
def ssh_with_an_ecdsa_sk_key():
    key = WORK / "id_ecdsa_sk"
    with Card() as card:
        node()
        run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", str(key))
        authorize(key)
        card.again()
        node()
        run(*SSH, "-i", str(key), "localhost", "true")


@check
def ssh_waits_for_a_card_that_comes_late_or_is_lifted():
    key = WORK / "id_late_sk"
    with use('[key]\ndevice = "always"\nreaders = ["virtual-pcd-0"]\n'):
        with Card("--several-operations") as card:
            until(lambda: nodes(), "no device")
            run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", str(key))
            authorize(key)
            card.lift()
            with login(key) as late:
                time.sleep(25)
                card.put()
                assert late.wait(120) == 0, late.stderr.read()
    with Card("--several-operations", "--waits", "50") as card:
        node()
        run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", f"{key}_slow")
        authorize(pathlib.Path(f"{key}_slow"))
        with login(f"{key}_slow") as lifted:
            time.sleep(4)
            card.again()
            assert lifted.wait(180) == 0, lifted.stderr.read()


def login(key):
    return subprocess.Popen([*SSH, "-i", str(key), "localhost", "true"], stderr=subprocess.PIPE, text=True)


@check
def ssh_refuses_another_card_and_finds_its_own_among_two():
    key = WORK / "id_two_sk"
    with Card("--several-operations"):
        node()
        run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", str(key))
        authorize(key)
        with Card("--several-operations", slot=1, restarts=False):
            until(lambda: len(nodes()) == 2, "there are not two devices")
            run(*SSH, "-i", str(key), "localhost", "true")
    with Card("--several-operations"):
        node()
        with login(key) as other:
            assert other.wait(120) != 0, "another card opens the session"


@check
def ssh_with_a_resident_key_and_a_pin():
    key = WORK / "id_resident_sk"
    with Card("--pin", PIN, "--several-operations"):
        node()
        typed(["ssh-keygen", "-t", "ecdsa-sk", "-O", "resident", "-O", "verify-required", "-N", "", "-f", str(key)],
              [("PIN", PIN)])
        authorize(key)
        typed([*SSH, "-i", str(key), "localhost", "true"], [("PIN", PIN)])


SSH = ["ssh", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "IdentitiesOnly=yes",
       "-o", "IdentityAgent=none"]


def authorize(key):
    folder = pathlib.Path.home() / ".ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "authorized_keys").write_text(key.with_suffix(".pub").read_text())
    run("systemctl", "start", "ssh.service")


def configure_sudo():
    pathlib.Path("/etc/sudoers.d/member").write_text("member ALL=(ALL) ALL\n")
    pathlib.Path("/etc/pam.d/sudo").write_text(
        "auth required pam_u2f.so authfile=/etc/u2f_mappings origin=pam://vm appid=pam://vm cue\n"
        "account required pam_permit.so\nsession required pam_permit.so\n")


@check
def sudo_through_pam_u2f():
    mapping = pathlib.Path("/etc/u2f_mappings")
    configure_sudo()
    with Card() as card:
        node()
        mapping.write_text(run("pamu2fcfg", "-u", "member", "-o", "pam://vm", "-i", "pam://vm"))
        card.again()
        node()
        typed(["runuser", "-u", "member", "--", "sudo", "-k", "id", "-u"], [])
    with Card("--pin", PIN, "--several-operations"):
        node()
        mapping.write_text(registered(["pamu2fcfg", "-N", "-u", "member", "-o", "pam://vm", "-i", "pam://vm"]))
        text = typed(["runuser", "-u", "member", "--", "sudo", "-k", "id", "-u"], [("PIN", PIN)])
        assert text.split()[-1] == "0", text


def registered(command):
    """What pamu2fcfg prints after the PIN."""
    text = typed(command, [("PIN", PIN)])
    return next(line.strip() + "\n" for line in text.splitlines() if line.strip().startswith("member:"))


@check
def luks_through_systemd_cryptenroll():
    image, key = str(WORK / "luks.img"), written("luks.key", "passphrase")
    run("truncate", "--size=32M", image)
    run("cryptsetup", "luksFormat", "--batch-mode", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000", image, key)
    with Card("--several-operations"):
        device = node()
        run("systemd-cryptenroll", f"--unlock-key-file={key}", f"--fido2-device={device}", "--fido2-with-client-pin=no", image)
        run("/usr/lib/systemd/systemd-cryptsetup", "attach", "vmluks", image, "-", f"fido2-device={device},headless=1")
        run("/usr/lib/systemd/systemd-cryptsetup", "detach", "vmluks")


class Sudo:
    """sudo through pam_u2f, with the keys of a card."""

    def prepare(self):
        configure_sudo()
        pathlib.Path("/etc/u2f_mappings").write_text(
            run("pamu2fcfg", "-u", "member", "-o", "pam://vm", "-i", "pam://vm"))

    def start(self):
        return background("runuser", "-u", "member", "--", "sudo", "-k", "-S", "true")


class Volume:
    """A LUKS volume that a card opens."""

    def prepare(self):
        self.image, key = str(WORK / "client.img"), written("client.key", "passphrase")
        pathlib.Path(self.image).unlink(missing_ok=True)
        run("truncate", "--size=32M", self.image)
        run("cryptsetup", "luksFormat", "--batch-mode", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000", self.image, key)
        run("systemd-cryptenroll", f"--unlock-key-file={key}", f"--fido2-device={nodes()[0]}", "--fido2-with-client-pin=no",
            self.image)

    def start(self):
        subprocess.run(["/usr/lib/systemd/systemd-cryptsetup", "detach", "vmclient"], capture_output=True)
        return background(
            "/usr/lib/systemd/systemd-cryptsetup", "attach", "vmclient", self.image, "-", "fido2-device=auto,headless=1")


class PythonClient:
    """A registration and a login of python-fido2's own client, with a PIN."""

    def prepare(self):
        pass

    def start(self):
        return background("python3", "/opt/vm-test/client.py", PIN)


CLIENTS = (Sudo, Volume, PythonClient)


def background(*command):
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(process, name):
    """The status of a client, which must come to an end."""
    try:
        return process.wait(150)
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise AssertionError(f"{name} does not end") from error


def a_card_for(client, *options, **more):
    return Card("--several-operations", *(["--pin", PIN] if client is PythonClient else []), *options, **more)


@check
def clients_wait_for_a_card_that_is_put_down_later():
    for client in CLIENTS:
        with use('[key]\ndevice = "always"\nreaders = ["virtual-pcd-0"]\n'), a_card_for(client) as card:
            until(lambda: nodes(), "no device")
            program = client()
            program.prepare()
            card.lift()
            process = program.start()
            time.sleep(20)
            card.put()
            assert ended(process, client.__name__) == 0, f"{client.__name__}: {process.stdout.read()}"


@check
def clients_end_when_a_card_is_lifted_half_way_and_work_again():
    for client in CLIENTS:
        with a_card_for(client, "--waits", "30") as card:
            node()
            program = client()
            program.prepare()
            process = program.start()
            time.sleep(4)
            card.again()
            status = ended(process, client.__name__)
            print(f"# {client.__name__}, lifted half-way: status {status}", flush=True)
            if status != 0:
                again = program.start()
                assert ended(again, client.__name__) == 0, f"{client.__name__}: {again.stdout.read()}"


@check
def clients_refuse_another_card():
    for client in (Sudo, Volume):
        program = client()
        with a_card_for(client):
            node()
            program.prepare()
        with a_card_for(client):
            node()
            assert ended(program.start(), client.__name__) != 0, f"{client.__name__} takes another card"


@check
def clients_work_with_two_readers():
    for client in CLIENTS:
        with a_card_for(client):
            node()
            program = client()
            program.prepare()
            with a_card_for(client, slot=1, restarts=False):
                until(lambda: len(nodes()) == 2, "there are not two devices")
                process = program.start()
                assert ended(process, client.__name__) == 0, f"{client.__name__}: {process.stdout.read()}"


@check
def python_fido2_with_a_pin():
    with Card("--pin", PIN, "--several-operations"):
        node()
        run("python3", "/opt/vm-test/client.py", PIN)


@check
def five_programs_cost_the_card_no_further_power_up_or_selection():
    key, image = WORK / "id_shared_sk", str(WORK / "shared.img")
    configure_sudo()
    run("truncate", "--size=32M", image)
    run("cryptsetup", "luksFormat", "--batch-mode", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000", image,
        written("luks.key", "passphrase"))
    with Card("--several-operations", is_wired=True) as card:
        device = node()
        stay, = card.wire.stays
        # A slow machine powers the card up again before nfcd and nfcd-fido connect: pcscd keeps it powered for 0.4 s where the driver is
        # polled, as vpcd's is (5 s otherwise).
        before = dict(stay, selected=list(stay["selected"]))
        print(f"# on arrival: {before}", flush=True)
        for program in (
                lambda: run("fido2-token", "-I", device),
                lambda: sign(device, "shared", make(device, "shared")),
                lambda: run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", str(key)),
                lambda: run("pamu2fcfg", "-u", "member", "-o", "pam://vm", "-i", "pam://vm"),
                lambda: run("systemd-cryptenroll", f"--unlock-key-file={WORK / 'luks.key'}", f"--fido2-device={device}",
                            "--fido2-with-client-pin=no", image)):
            program()
            # Longer than the device stays exclusive after its last program.
            time.sleep(4)
        assert stay == before, f"{before} on arrival, {stay} after five programs"
        assert card.wire.stays == [stay] and stay["selected"].count(FIDO) == 1, card.wire.stays


@check
def the_reader_is_given_up_when_no_program_uses_the_key():
    with Card():
        run("fido2-token", "-I", node())
        began = time.monotonic()
        until(lambda: subprocess.run(["nfcctl", "scan", "--timeout", "1"], capture_output=True).returncode == 0,
              "the reader is not given up")
        print(f"# the reader was given up after {time.monotonic() - began:.1f} s", flush=True)
        until(lambda: not nodes(), "the device stays")


@check
def no_log_holds_a_payload_and_the_service_was_never_restarted():
    journal = run("journalctl", "--no-pager", "--output=cat", "-u", "nfcd", "-u", "nfcd-fido").lower()
    assert "getassertion" in journal, "the journal says nothing of an assertion"
    held = [secret for secret in SECRETS if secret.lower() in journal]
    assert not held, f"the journal holds {held}"
    assert run("systemctl", "show", "--property=NRestarts", "--value", "nfcd-fido").strip() == "0"
    pid = run("systemctl", "show", "--property=MainPID", "--value", "nfcd-fido").strip()
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    private = sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))
    print(f"# nfcd-fido uses {private / 1024:.1f} MiB of private memory", flush=True)
