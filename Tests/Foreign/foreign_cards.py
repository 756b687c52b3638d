#!/usr/bin/env python3
"""Has nfcd ask cards for proofs whose cryptography is foreign, behind vpcd and a private pcscd.

    Tests/Foreign/foreign_cards.py --programs FOLDER [--module FOLDER] [--python-desfire FOLDER] [--card WORDS]

FOLDER of --programs holds nfcd and nfcctl. The card side of each protocol is computed by the code of another program:
- --module, a copy of nfc-ev2-crypto (github.com/icedevml/nfc-ev2-crypto, MIT; default $NFC_EV2_CRYPTO): NTAG 424 DNA with EV2 and with LRP,
  DESFire with EV2, and the messages of an NTAG 424 DNA in LRP mode.
- --python-desfire, a copy of python-desfire (github.com/waza-ari/python-desfire, MIT; default $PYTHON_DESFIRE): DESFire with AES of EV1,
  and the keys that are derived by AN10922.
- --card, a program that is an NTAG 424 DNA: it takes a command APDU in hexadecimal on each line and prints the response on a line, and
  powers itself off and on for "reset". In WORDS, {uid} and {key} are its UID and its key 3. It may lack files and GetKeyVersion; they are
  added here.
For each, the right key must be proven, and a wrong one or another UID must fail.

Nothing is fetched. It needs pcscd, vsmartcard-vpcd and namespaces. Exit codes: 0 passed, 1 failed, 69 something is missing.
"""
import argparse
import json
import os
import pathlib
import secrets
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "Scripts/lib"))
from daemon import running  # noqa: E402
from pcscd import private_pcscd  # noqa: E402
from checks import Checks  # noqa: E402
from transports import missing  # noqa: E402

UID, OTHER = bytes.fromhex("04A1B2C3D4E5F6"), bytes.fromhex("04FFFFFFFFFFFF")
SITE = bytes.fromhex("8A51F7C2D9034E6BB07C1D2E3F405162")
META = bytes.fromhex("5D2E9A7144C80B36E1F0A9B8C7D6E5F4")
WRONG = bytes.fromhex("00112233445566778899AABBCCDDEEFF")
CREDENTIAL = b"emp-0042"
NTAG_APPLICATION = bytes.fromhex("D2760000850101")
APPLICATION = bytes.fromhex("A1B2C3")
LINK = "ex.am/?"
PATIENCE = 20
VPCD = "127.0.0.1", 35963
OK, MORE, ILLEGAL, REFUSED, INTEGRITY = (bytes([0x91, status]) for status in (0x00, 0xAF, 0x1C, 0xAE, 0x1E))


def left(value):
    return value[1:] + value[:1]


def wait_for_vpcd():
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            return socket.create_connection(VPCD).close()
        except OSError:
            time.sleep(0.1)
    missing("pcscd has no virtual reader (Debian: vsmartcard-vpcd)")


class Reader:
    """A card in vpcd's first virtual reader, from entering to leaving."""

    def __init__(self, card):
        self.card = card

    def __enter__(self):
        self.socket = socket.create_connection(VPCD)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.serve, daemon=True).start()

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def receive(self, count):
        data = b""
        while len(data) < count:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def serve(self):
        try:
            while True:
                message = self.receive(struct.unpack(">H", self.receive(2))[0])
                if message == b"\x04":
                    answer = bytes.fromhex("3B8180018080")
                elif len(message) == 1:
                    self.card.reset()
                    continue
                else:
                    answer = self.card.transmit(message)
                self.socket.sendall(struct.pack(">H", len(answer)) + answer)
        except OSError:
            pass


class Card:
    """What every card has here: UID, files for phones, key version 1. The rest is up to `native`, which has the foreign cryptography."""

    def __init__(self, link="", seen=UID):
        self.seen = seen
        self.set_link(link)
        self.reset()

    def set_link(self, link):
        payload = b"\x04" + link.encode()
        message = b"\xD1\x01" + bytes([len(payload)]) + b"U" + payload if link else b""
        self.files = {
            0xE103: bytes.fromhex("001720010000FF0406E104010000000506E10500808283"),
            0xE104: len(message).to_bytes(2, "big") + message + bytes(254 - len(message))}

    def reset(self):
        self.file = self.session = self.challenge = None

    def transmit(self, apdu):
        data = apdu[5:5 + apdu[4]] if len(apdu) > 5 else b""
        if apdu[:2] == b"\xFF\xCA":
            return self.seen + b"\x90\x00"
        if apdu[0] == 0x90:
            return self.native(apdu[1], data)
        if apdu[:3] == b"\x00\xA4\x04":
            self.reset()
            return self.select(data)
        if apdu[:3] == b"\x00\xA4\x00":
            self.file = self.files.get(int.from_bytes(data, "big"))
            return b"\x90\x00" if self.file else b"\x6A\x82"
        if apdu[:2] == b"\x00\xB0" and self.file:
            start = int.from_bytes(apdu[2:4], "big")
            return self.file[start:start + (apdu[4] or 256)] + b"\x90\x00"
        return b"\x6D\x00"

    def select(self, name):
        return b"\x90\x00" if name == NTAG_APPLICATION else b"\x6A\x82"


class Program(Card):
    """A foreign NTAG 424 DNA, which is a program."""

    def __init__(self, words, key, uid=UID):
        words = [word.format(uid=uid.hex(), key=key.hex()) for word in shlex.split(words)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        super().__init__()

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        return bytes.fromhex(self.process.stdout.readline().strip())

    def reset(self):
        super().reset()
        self.ask("reset")

    def select(self, name):
        return self.ask("00A4040C07" + name.hex() + "00") if name == NTAG_APPLICATION else b"\x6A\x82"

    def native(self, instruction, data):
        if instruction == 0x64:
            return b"\x01" + OK
        return self.ask(bytes([0x90, instruction, 0, 0, len(data)]).hex() + data.hex() + "00")


class EV2(Card):
    """An NTAG 424 DNA, with the sessions of nfc-ev2-crypto."""

    number = 3

    def __init__(self, key, uid=UID):
        self.key, self.uid = key, uid
        super().__init__()

    def native(self, instruction, data):
        if instruction == 0x64:
            return b"\x01" + OK if data == bytes([self.number]) else b"\x91\x40"
        if instruction == 0x71 and data[:1] == bytes([self.number]):
            return self.begin()
        if instruction == 0xAF and self.challenge and len(data) == 32:
            answer = self.finish(data)
            self.challenge = None
            return answer
        if not self.session:
            return REFUSED
        header, code = data[:-8], data[-8:]
        wanted = self.session.calc_raw_data(bytes([instruction]) + self.place() + header)
        content = self.content(instruction, header)
        if code != wanted or content is None:
            self.session = None
            return INTEGRITY if code != wanted else ILLEGAL
        self.session.cmd_counter += 1
        text = self.encipher(content + b"\x80" + bytes(-(len(content) + 1) % 16))
        return text + self.session.calc_raw_data(b"\x00" + self.place() + text) + OK

    def content(self, instruction, header):
        return self.uid if (instruction, header) == (0x51, b"") else None

    def place(self):
        return struct.pack("<H", self.session.cmd_counter) + self.session.ti

    def cipher(self):
        return AES.new(self.key, AES.MODE_CBC, IV=bytes(16))

    def begin(self):
        self.session, self.challenge = None, secrets.token_bytes(16)
        return self.cipher().encrypt(self.challenge) + MORE

    def finish(self, token):
        plain = self.cipher().decrypt(token)
        if plain[16:] != left(self.challenge):
            return REFUSED
        answer = self.cipher().encrypt(secrets.token_bytes(4) + left(plain[:16]) + bytes(12)) + OK
        # The foreign program derives the keys of the session when it verifies this answer.
        handshake = ev2.AuthenticateEV2(self.key)
        handshake.rnda, handshake.rndb = plain[:16], self.challenge
        self.session = handshake.part2(answer)
        return answer

    def encipher(self, plain):
        key = self.session.k_ses_auth_enc
        start = AES.new(key, AES.MODE_ECB).encrypt(b"\x5A\xA5" + self.session.ti + self.place()[:2] + bytes(8))
        return AES.new(key, AES.MODE_CBC, IV=start).encrypt(plain)


class LRPTag(EV2):
    """An NTAG 424 DNA in LRP mode, with the sessions of nfc-ev2-crypto."""

    def begin(self):
        self.session, self.challenge = None, secrets.token_bytes(16)
        return b"\x01" + self.challenge + MORE

    def finish(self, token):
        signing, ciphering = lrp.lrp_get_crypto(self.key, lrp.lrp_gen_sv(token[:16], self.challenge))
        if token[16:] != signing.cmac(token[:16] + self.challenge):
            return REFUSED
        transaction = secrets.token_bytes(4)
        text = ciphering.encrypt(transaction + bytes(12))
        self.session = lrp.CryptoCommLRP(signing, ciphering, ti=transaction)
        return text + signing.cmac(self.challenge + token[:16] + text) + OK

    def encipher(self, plain):
        return self.session.perform_enc(plain)


def desfire(kind):
    """A DESFire with the protected file; `kind` has the sessions."""

    class DESFire(kind):
        number = 1

        def __init__(self, key, uid=UID, holder=UID):
            self.data = b"\x01" + bytes([len(CREDENTIAL)]) + CREDENTIAL.ljust(23, b"\x00") + holder
            super().__init__(key, uid)

        def select(self, name):
            return b"\x6A\x82"

        def native(self, instruction, data):
            if instruction != 0x5A:
                return super().native(instruction, data)
            self.reset()
            return OK if data == APPLICATION[::-1] else b"\x91\xA0"

        def content(self, instruction, header):
            if (instruction, header) == (0xBD, bytes.fromhex("01000000200000")):
                return self.data
            return super().content(instruction, header)

    return DESFire


class EV1(Card):
    """A card with the AES sessions of EV1 by python-desfire's keys: CMAC, CRC, and the vectors from command to command."""

    def __init__(self, key, uid=UID):
        self.key, self.uid = key, uid
        super().__init__()

    def made(self, value):
        key = DESFireKey(KeySettings(key_type=DESFireKeyType.DF_KEY_AES), bytes(value))
        key.generate_cmac()
        return key

    def native(self, instruction, data):
        if instruction == 0x64 and not self.session:
            return b"\x01" + OK
        if (instruction, data) == (0xAA, b"\x01"):
            self.session, self.challenge, self.cipher = None, secrets.token_bytes(16), self.made(self.key)
            text = self.cipher.encrypt(list(self.challenge))
            self.cipher.set_iv(text)
            return bytes(text) + MORE
        if instruction == 0xAF and self.challenge and len(data) == 32:
            answer, self.challenge = self.finish(data), None
            return answer
        if not self.session:
            return REFUSED
        self.session.calculate_cmac([instruction, *data])
        content = self.content(instruction, data)
        if content is None:
            self.session = None
            return ILLEGAL
        plain = list(content) + CRC32([*content, 0])
        text = self.session.encrypt(plain + [0] * (-len(plain) % 16))
        self.session.set_iv(text[-16:])
        return bytes(text) + OK

    def content(self, instruction, header):
        return self.uid if instruction == 0x51 else None

    def finish(self, token):
        plain, challenge = bytes(self.cipher.decrypt(list(token))), self.challenge
        if plain[16:] != left(challenge):
            return REFUSED
        self.cipher.set_iv(list(token[16:]))
        self.session = self.made(plain[:4] + challenge[:4] + plain[12:16] + challenge[12:])
        return bytes(self.cipher.encrypt(list(left(plain[:16])))) + OK


class Message(Card):
    """An NTAG 424 DNA in LRP mode that writes a code into its message at each run, by nfc-ev2-crypto."""

    def __init__(self, key, uid=UID, counters=(1,)):
        self.key, self.uid, self.counters = key, uid, iter(counters)
        super().__init__()

    def native(self, instruction, data):
        return ILLEGAL

    def write(self):
        context = self.uid + next(self.counters).to_bytes(3, "little")
        start = secrets.token_bytes(8)
        text = lrp.LRP(META, 0, start, pad=False).encrypt(b"\xC7" + context + secrets.token_bytes(5))
        master = lrp.LRP(self.key, 0).cmac(b"\x00\x01\x00\x80" + context + b"\x1E\xE1")
        code = lrp.LRP(master, 0).cmac(b"")[1::2]
        self.set_link(f"{LINK}p={(start + text).hex().upper()}&c={code.hex().upper()}")


class Judge(Checks):
    """Taps cards, and compares what nfcd says of them."""

    def __init__(self, programs, folder):
        super().__init__()
        self.programs, self.folder = programs, pathlib.Path(folder)

    def tap(self, text, profile, cards):
        """Each card is tapped once, at one nfcd; the statuses in `cards` must come, in the tap and in the journal."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        keys = self.folder / "keys.toml"
        keys.touch(0o600)
        value = "".join(f'[[key]]\nname = "{name}"\nvalue = "{key.hex()}"\n' for name, key in (("site", SITE), ("meta", META)))
        keys.write_text(f'{value}[[profile]]\nname = "judge"\n{profile}')
        configuration = self.folder / "nfcd.toml"
        configuration.write_text(f'[journal]\nenabled = true\npath = "{self.folder}/taps.db"\n[keys]\nfile = "{keys}"\n')
        with running(f"{self.programs}/nfcd", ["--config", configuration]) as daemon:
            command = [f"{self.programs}/nfcctl", "watch", "--json", "--socket", daemon.socket]
            watch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            watch.stderr.readline()
            try:
                for number, (what, status, card) in enumerate(cards, start=1):
                    proof = self.proof(card, watch)
                    self.check(f"{text}, {what}: {status}", proof.get("status") == status, proof)
                    self.check_details(proof, status, profile)
                    self.check_journal(daemon, number, status)
            finally:
                watch.terminate()

    def proof(self, card, watch):
        if isinstance(card, Message):
            card.write()
        with Reader(card):
            timer = threading.Timer(PATIENCE, watch.terminate)
            timer.start()
            line = watch.stdout.readline()
            timer.cancel()
        time.sleep(0.6)  # longer than a contact that bounces
        return json.loads(line or "{}").get("proof") or {}

    def check_details(self, proof, status, profile):
        if status != "proven":
            return
        self.check("  its UID is proven", proof.get("identifier") == UID.hex().upper(), proof)
        if "desfire" in profile:
            self.check("  its credential is read", proof.get("credential") == CREDENTIAL.hex().upper(), proof)

    def check_journal(self, daemon, number, status):
        command = [f"{self.programs}/nfcctl", "taps", "list", "--json", "--socket", daemon.socket]
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        proof = (json.loads(lines[-1]).get("proof") or {}) if len(lines) == number else {}
        self.check("  so it is in the journal", proof.get("status") == status, lines)


def ntag(extra="", derivation="none"):
    return f'tag = "ntag424"\ntag-key = "site"\nderivation = "{derivation}"\n{extra}'


def application(extra="", derivation="none"):
    return f'tag = "desfire"\ntag-key = "site"\nderivation = "{derivation}"\napplication = "{APPLICATION.hex()}"\n{extra}'


def judge_cards(judge, options):
    three = lambda make: [("right key", "proven", make(SITE)), ("wrong key", "failed", make(WRONG)),
                          ("other UID", "failed", make(SITE, OTHER))]
    copied = lambda make: three(make) + [("file of another card", "failed", make(SITE, UID, OTHER))]
    if options.card:
        judge.tap("program, NTAG 424 EV2", ntag(), three(lambda *values: Program(options.card, *values)))
    if ev2:
        judge.tap("nfc-ev2-crypto, NTAG 424 EV2", ntag(), three(EV2))
        judge.tap("nfc-ev2-crypto, NTAG 424 LRP", ntag("lrp = true\n"), three(LRPTag))
        judge.tap("nfc-ev2-crypto, DESFire EV2", application(), copied(desfire(EV2)))
        link = f'lrp = true\nmethod = "sun"\nfile-key = "site"\nmeta-key = "meta"\nurl = "https://{LINK}p={{picc}}&c={{mac}}"\n'
        judge.tap("nfc-ev2-crypto, message in LRP mode", ntag(link), [
            ("first", "proven", Message(SITE, counters=[5])), ("the same again", "replayed", Message(SITE, counters=[5])),
            ("an older one", "replayed", Message(SITE, counters=[4])), ("a later one", "proven", Message(SITE, counters=[9])),
            ("wrong key", "failed", Message(WRONG, counters=[10])), ("other UID", "failed", Message(SITE, OTHER, [11]))])
    if DESFireKey:
        judge.tap("python-desfire, DESFire EV1", application('messaging = "ev1"\n'), copied(desfire(EV1)))
        key = derived(UID + APPLICATION + b"\x01")
        judge.tap("python-desfire, AN10922", application('messaging = "ev1"\n', "an10922"), [
            ("derived key", "proven", desfire(EV1)(key)), ("site key", "failed", desfire(EV1)(SITE))])
    if ev2 and DESFireKey:
        key = derived(UID + NTAG_APPLICATION + b"\x03")
        judge.tap("both, AN10922", ntag("", "an10922"), [("derived key", "proven", EV2(key)), ("site key", "failed", EV2(SITE))])


def derived(place):
    return bytes(diversify_key(list(SITE), [1, *place]))


def load(options):
    """Imports the foreign code that is there."""
    global AES, ev2, lrp, DESFireKey, DESFireKeyType, KeySettings, CRC32, diversify_key
    ev2 = DESFireKey = None
    folders = options.module, options.python_desfire and os.path.join(options.python_desfire, "src")
    sys.path[:0] = [folder for folder in folders if folder]
    try:
        from Crypto.Cipher import AES
        import ev2
        import lrp
    except ImportError as error:
        print(f"skipped: nfc-ev2-crypto is missing ({error})")
    try:
        from desfire.diversify import diversify_key
        from desfire.enums import DESFireKeyType
        from desfire.key import DESFireKey
        from desfire.schemas import KeySettings
        from desfire.util import CRC32
    except ImportError as error:
        print(f"skipped: python-desfire is missing ({error})")
    if not (ev2 or DESFireKey or options.card):
        missing("there is no foreign card; give --module, --python-desfire or --card")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--module", default=os.environ.get("NFC_EV2_CRYPTO"))
    parser.add_argument("--python-desfire", default=os.environ.get("PYTHON_DESFIRE"))
    parser.add_argument("--card")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for program in ("pcscd", "unshare"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            missing(f"{program} is missing")
    if not options.inside:
        load(options)
        command = ["unshare", "--mount", "--net", "--fork", "--kill-child"]
        command += [] if os.geteuid() == 0 else ["--map-root-user"]
        os.execvp(command[0], [*command, sys.executable, __file__, "--inside", *sys.argv[1:]])
    sys.stdout = open(os.devnull, "w")
    load(options)
    sys.stdout = sys.__stdout__
    with tempfile.TemporaryDirectory(prefix="nfcd-foreign.") as folder, private_pcscd():
        wait_for_vpcd()
        judge = Judge(options.programs, os.path.join(folder, "run"))
        judge_cards(judge, options)
        print(f"passed: {judge.steps} checks")


if __name__ == "__main__":
    main()
