#!/usr/bin/env python3
"""Has a foreign program talk to a virtual NTAG 424 DNA: nfc-ev2-crypto (github.com/icedevml/nfc-ev2-crypto, MIT) with a tag as delivered.

    Tests/Foreign/nfc_ev2_crypto.py --module FOLDER [--sdm-backend FOLDER] [--reader NAME | --command WORDS] [--lrp]

FOLDER is a copy of nfc-ev2-crypto; $NFC_EV2_CRYPTO is the default. With --sdm-backend, a copy of sdm-backend
(github.com/nfc-developer/sdm-backend, MIT; default $SDM_BACKEND), that program verifies the messages of the tag as well.
The tag is in a PC/SC reader, "Virtual PCD 00 00" by default, as behind `nfcctl virtual-tag ntag424 --vpcd 127.0.0.1:35963`; or it is a program
that takes a command APDU in hexadecimal on each line and prints the response on a line, and powers the tag off and on for "reset".
At the end the tag is as delivered, with --lrp in LRP mode, which cannot be undone.

Nothing is fetched. Exit codes: 0 passed, 1 failed, 69 something is missing.
"""
import argparse
import os
import sys

from transports import add_options, missing, opened

ZERO = bytes(16)
# The test root of virtual tags on secp224r1: it signs their UIDs.
ROOT = "044DA13ABB8305D65C151D147C10584D450ED52229D0328DCDF2E7EF5ACF9207DEDA81E3B6C640E04D91C76D0EDDBCC34F0DCD7D74A2D71D67"
APPLICATION = "00A4040C07D2760000850101"
DELIVERED = {1: "0000E0", 2: "00E0EE", 3: "033023"}


class Tag:
    """The tag and the session with it, by the foreign program's code."""

    def __init__(self, transport, is_lrp=False):
        self.transport = transport
        self.is_lrp = is_lrp
        self.session = None
        self.steps = 0

    def check(self, text, condition):
        if not condition:
            print(f"failed: {text}")
            sys.exit(1)
        self.steps += 1
        print(f"ok {self.steps}: {text}")

    def send(self, text):
        return self.transport.transmit(bytes.fromhex(text))

    def restart(self):
        self.transport.reset()
        self.session = None
        self.check("the application is selected", self.send(APPLICATION) == b"\x90\x00")

    def authenticate(self, number, key=ZERO):
        """AuthenticateEV2First or AuthenticateLRPFirst."""
        handshake = lrp.AuthenticateLRP(key) if self.is_lrp else ev2.AuthenticateEV2(key)
        first = self.transport.transmit(handshake.init(bytes([number])))
        with quiet():
            self.session = handshake.part2(self.transport.transmit(handshake.part1(first)))
        self.check(f"key {number} is proven, first", len(self.session.ti) == 4)

    def authenticate_again(self, number, key=ZERO):
        """NonFirst, which the foreign program does not have: its parts are used with the transaction of the session."""
        session, first = self.session, self.send(f"9077000001{number:02X}00")
        if self.is_lrp:
            random_a, random_b = os.urandom(16), first[1:17]
            signing, ciphering = lrp.lrp_get_crypto(key, lrp.lrp_gen_sv(random_a, random_b))
            answer = self.transport.transmit(
                b"\x90\xAF\x00\x00\x20" + random_a + signing.cmac(random_a + random_b) + b"\x00")
            self.check(f"key {number} is proven, again", answer == signing.cmac(random_b + random_a) + b"\x91\x00")
            self.session = lrp.CryptoCommLRP(signing, ciphering, ti=session.ti, cmd_counter=session.cmd_counter)
            return
        handshake = ev2.AuthenticateEV2(key)
        answer = self.transport.transmit(handshake.part1(first))
        rotated = AES.new(key, AES.MODE_CBC, IV=ZERO).decrypt(answer[:-2])
        self.check(f"key {number} is proven, again", rotated == handshake.rnda[1:] + handshake.rnda[:1])
        whole = AES.new(key, AES.MODE_CBC, IV=ZERO).encrypt(session.ti + rotated + bytes(12))
        self.session = handshake.part2(whole + b"\x91\x00")
        self.session.cmd_counter = session.cmd_counter

    def command(self, instruction, mode, header="", data=b"", answer=None):
        """The data of the response; the status is 9100 and the MAC right."""
        apdu = self.session.wrap_cmd(instruction, mode, header=bytes.fromhex(header), data=data)
        response = self.transport.transmit(apdu)
        if response[-2:] != b"\x91\x00":
            self.check(f"{instruction:02X} is answered 9100, not {response[-2:].hex()}", False)
        return self.session.unwrap_res(response, answer or mode)[1]

    def change_key(self, number, new, version, old=ZERO):
        """ChangeKey by AN12196; the session ends with key 0."""
        if number == 0:
            apdu = self.session.wrap_cmd(0xC4, FULL, header=b"\x00", data=new + bytes([version]))
            self.check("key 0 is changed", self.transport.transmit(apdu) == b"\x91\x00")
            return
        checksum = ~zlib.crc32(new) & 0xFFFFFFFF
        mixed = bytes(one ^ other for one, other in zip(new, old))
        data = mixed + bytes([version]) + checksum.to_bytes(4, "little")
        self.check(f"key {number} is changed", self.command(0xC4, FULL, f"{number:02X}", data) == b"")


class quiet:
    """The foreign program prints what it computes; that is not wanted here."""

    def __enter__(self):
        self.output, sys.stdout = sys.stdout, open(os.devnull, "w")

    def __exit__(self, *_):
        sys.stdout.close()
        sys.stdout = self.output


def identity(tag):
    """GetVersion in plain and in a session, GetCardUID, settings, key versions, signature. Gives the UID."""
    tag.restart()
    frames = [tag.send("9060000000"), tag.send("90AF000000"), tag.send("90AF000000")]
    tag.check("the version comes in three frames", [frame[-1] for frame in frames] == [0xAF, 0xAF, 0x00])
    uid = frames[2][:7]
    signature = tag.send("903C0000010000")
    tag.check("Read_Sig has 56 bytes and 9190", len(signature) == 58 and signature[-2:] == b"\x91\x90")
    try:
        from ecdsa import NIST224p, VerifyingKey
        key = VerifyingKey.from_string(bytes.fromhex(ROOT), curve=NIST224p)
        tag.check("python-ecdsa verifies the signature", key.verify_digest(signature[:56], uid))
    except ImportError:
        print("skipped: python-ecdsa is missing, the signature is not verified")
    tag.authenticate(0)
    tag.check("the UID comes enciphered", tag.command(0x51, FULL) == uid)
    first = tag.transport.transmit(tag.session.wrap_cmd(0x60, MAC))
    last = [tag.send("90AF000000"), tag.send("90AF000000")]
    whole = first[:-2] + last[0][:-2] + last[1]
    tag.check("the version has one MAC over all frames", tag.session.parse_response(whole)[1][14:21] == uid)
    for number, size in {1: 32, 2: 256, 3: 128}.items():
        wanted = "00" + DELIVERED[number] + size.to_bytes(3, "little").hex()
        tag.check(f"file {number} has its settings", tag.command(0xF5, MAC, f"0{number}").hex().upper() == wanted.upper())
    versions = [tag.command(0x64, MAC, f"{number:02X}") for number in range(5)]
    tag.check("all keys have version 00", versions == [b"\x00"] * 5)
    return uid


def files(tag):
    """Reading and writing enciphered, with MAC, and in plain, with first and further authentications."""
    secret = bytes(range(1, 41))
    tag.authenticate(3)
    tag.check("file 3 is written enciphered", tag.command(0x8D, FULL, "03050000280000", secret) == b"")
    tag.check("file 3 is read enciphered", tag.command(0xAD, FULL, "03050000280000") == secret)
    tag.authenticate_again(2)
    tag.check("file 3 is read whole", len(tag.command(0xAD, FULL, "03000000000000")) == 128)
    tag.authenticate_again(0)
    tag.check("file 3 changes to MAC", tag.command(0x5F, FULL, "03", bytes.fromhex("013023")) == b"")
    tag.authenticate_again(3)
    tag.check("file 3 is written with MAC", tag.command(0x8D, MAC, "03000000040000", b"link") == b"")
    tag.check("file 3 is read with MAC", tag.command(0xAD, MAC, "03000000040000") == b"link")
    tag.authenticate_again(0)
    tag.check("file 3 changes to plain", tag.command(0x5F, FULL, "03", bytes.fromhex("003023")) == b"")
    tag.authenticate_again(3)
    tag.check("file 3 is written in plain", tag.command(0x8D, PLAIN, "03000000040000", b"bare") == b"")
    tag.check("file 3 is read in plain", tag.command(0xAD, PLAIN, "03000000040000") == b"bare")
    tag.check("the MAC counts the commands in plain", tag.command(0x64, MAC, "03") == b"\x00")
    tag.authenticate_again(0)
    tag.check("file 3 is as delivered", tag.command(0x5F, FULL, "03", bytes.fromhex("033023")) == b"")
    long = bytes(range(128))
    tag.authenticate(3)
    tag.check("128 bytes are written in several frames", tag.command(0x8D, FULL, "03000000800000", long) == b"")
    tag.check("128 bytes are read", tag.command(0xAD, FULL, "03000000800000") == long)


def refusals(tag):
    """What a tag refuses."""
    tag.authenticate(1)
    tag.check("the rights of a key end", tag.transport.transmit(
        tag.session.wrap_cmd(0x8D, FULL, header=bytes.fromhex("03000000010000"), data=b"x")) == b"\x91\xAE")
    tag.check("an error ends the session", tag.send("9051000000") == b"\x91\xAE")
    tag.authenticate(0)
    apdu = bytearray(tag.session.wrap_cmd(0x51, FULL))
    apdu[-2] ^= 1
    tag.check("a wrong MAC is refused", tag.transport.transmit(bytes(apdu)) == b"\x91\x1E")
    try:
        tag.authenticate(0, b"\x01" * 16)
    except RuntimeError:
        tag.check("a wrong key is refused", True)
    else:
        tag.check("a wrong key is refused", False)
    tag.authenticate(0)


class Template:
    """A message with a link and the settings that put UID, counter, encrypted text and MAC into it."""

    text = b"From the file."

    def __init__(self, is_lrp):
        self.sizes = {"picc_data": 48 if is_lrp else 32, "enc": 64, "cmac": 16}
        link, offsets = "ex.am/tag?", {}
        for name, size in self.sizes.items():
            link += ("" if link.endswith("?") else "&") + name + "="
            offsets[name] = 7 + len(link)
            link += "0" * size
        payload = b"\x04" + link.encode()
        record = b"\xD1\x01" + bytes([len(payload)]) + b"U" + payload
        content = bytearray(len(record).to_bytes(2, "big") + record)
        # The first half of the place is the plain text.
        content[offsets["enc"]:offsets["enc"] + 32] = self.text.ljust(32, b".")
        self.content, self.offsets = bytes(content), offsets
        number = lambda value: value.to_bytes(3, "little").hex()
        enc, code = offsets["enc"], offsets["cmac"]
        self.settings = "4000E0" + "D1" + "F112" + number(offsets["picc_data"]) + number(enc) + number(enc) + number(64) + number(code)

    def parts(self, message):
        return {name: bytes.fromhex(message[self.offsets[name]:self.offsets[name] + size].decode())
                for name, size in self.sizes.items()}

    def covered(self, message):
        return message[self.offsets["enc"]:self.offsets["cmac"]]


def messages(tag, uid, keys):
    """Keys are changed, messages switched on, read as a telephone does, and verified; then everything is as delivered again."""
    template = Template(tag.is_lrp)
    tag.authenticate(0)
    header = "02000000" + len(template.content).to_bytes(3, "little").hex()
    tag.check("the link is written", tag.command(0x8D, PLAIN, header, template.content) == b"")
    for number in (4, 3, 2, 1):
        tag.change_key(number, keys[number], 1)
    settings = bytes.fromhex(template.settings)
    tag.check("messages are switched on", tag.command(0x5F, FULL, "02", settings) == b"")
    shown = tag.command(0xF5, MAC, "02")
    tag.check("the settings are given back", shown == b"\x00" + settings[:3] + b"\x00\x01\x00" + settings[3:])
    versions = [tag.command(0x64, MAC, f"{number:02X}") for number in range(5)]
    tag.check("the changed keys have version 01", versions == [b"\x00"] + [b"\x01"] * 4)
    for counter in (1, 2, 3):
        tag.restart()
        verify(tag, template, read(tag, len(template.content)), uid, counter, keys)
    tag.authenticate(1, keys[1])
    counters = tag.command(0xF6, MAC, "02", answer=FULL)
    tag.check("the counter comes enciphered", counters == bytes.fromhex("0300000000"))
    static = tag.command(0xF5, MAC, "02")
    tag.check("a session does not count", len(static) == len(shown))
    tag.authenticate(0)
    tag.change_key(0, keys[0], 1)
    tag.authenticate(0, keys[0])
    tag.check("file 2 is as delivered", tag.command(0x5F, FULL, "02", bytes.fromhex("00E0EE")) == b"")
    for number in (1, 2, 3, 4):
        tag.change_key(number, ZERO, 0, old=keys[number])
    tag.change_key(0, ZERO, 0)
    tag.authenticate(0)


def read(tag, size):
    """The message in two reads of one run."""
    tag.check("the file is selected", tag.send("00A4000C02E104") == b"\x90\x00")
    first, second = tag.send("00B0000040"), tag.send(f"00B00040{size - 0x40:02X}")
    return first[:-2] + second[:-2]


def verify(tag, template, message, uid, counter, keys):
    """With the foreign program's LRP, or AES and CMAC of pycryptodome, and with sdm-backend."""
    parts = template.parts(message)
    code = truncated_code(tag, uid, counter, keys[2], template.covered(message))
    if tag.is_lrp:
        box = lrp.LRP(keys[1], 0, parts["picc_data"][:8], pad=False)
        plain = box.decrypt(parts["picc_data"][8:])
    else:
        plain = AES.new(keys[1], AES.MODE_CBC, IV=ZERO).decrypt(parts["picc_data"])
    tag.check(f"PICCData has the UID and counter {counter}", plain[:11] == b"\xC7" + uid + counter.to_bytes(3, "little"))
    tag.check("the MAC is right", parts["cmac"] == code)
    if libsdm is None:
        return
    result = libsdm.decrypt_sun_message(
        libsdm.ParamMode.SEPARATED, keys[1], lambda _: keys[2], parts["picc_data"], parts["cmac"], parts["enc"])
    tag.check("sdm-backend accepts the message", result["uid"] == uid and result["read_ctr"] == counter)
    tag.check("sdm-backend reads the encrypted text", result["file_data"] == template.text.ljust(32, b"."))


def truncated_code(tag, uid, counter, key, covered):
    context = uid + counter.to_bytes(3, "little")
    if tag.is_lrp:
        master = lrp.LRP(key, 0).cmac(b"\x00\x01\x00\x80" + context + b"\x1E\xE1")
        return lrp.LRP(master, 0).cmac(covered)[1::2]
    signing = CMAC.new(key, b"\x3C\xC3\x00\x01\x00\x80" + context, ciphermod=AES).digest()
    return CMAC.new(signing, covered, ciphermod=AES).digest()[1::2]


def switch_to_lrp(tag):
    tag.authenticate(0)
    apdu = tag.session.wrap_cmd(0x5C, FULL, header=b"\x05", data=bytes.fromhex("00000000020000000000"))
    tag.check("the tag switches to LRP", tag.transport.transmit(apdu) == b"\x91\x00")
    tag.check("AES is refused then", tag.send("9071000002000000") == b"\x91\x9D")
    tag.is_lrp = True


def main():
    global ev2, lrp, libsdm, AES, CMAC, zlib, PLAIN, MAC, FULL
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", default=os.environ.get("NFC_EV2_CRYPTO"))
    parser.add_argument("--sdm-backend", default=os.environ.get("SDM_BACKEND"))
    add_options(parser)
    parser.add_argument("--lrp", action="store_true")
    options = parser.parse_args()
    if not options.module or not os.path.isfile(os.path.join(options.module, "ev2.py")):
        missing("nfc-ev2-crypto is missing; give its folder with --module or $NFC_EV2_CRYPTO")
    sys.path.insert(0, options.module)
    try:
        import zlib
        from Crypto.Cipher import AES
        from Crypto.Hash import CMAC
        import ev2
        import lrp
        from comm import CommMode
    except ImportError as error:
        missing(f"{error} (PyPI pycryptodome)")
    PLAIN, MAC, FULL = CommMode.PLAIN, CommMode.MAC, CommMode.FULL
    libsdm = load_backend(options.sdm_backend)
    tag = Tag(opened(options))
    keys = {number: bytes([0x10 * number + 1 + place for place in range(16)]) for number in range(5)}
    uid = identity(tag)
    files(tag)
    refusals(tag)
    messages(tag, uid, keys)
    if options.lrp:
        switch_to_lrp(tag)
        identity(tag)
        files(tag)
        refusals(tag)
        messages(tag, uid, keys)
    print(f"passed: {tag.steps} checks, {'AES and LRP' if options.lrp else 'AES'}")


def load_backend(folder):
    if not folder or not os.path.isfile(os.path.join(folder, "libsdm", "sdm.py")):
        print("skipped: sdm-backend is missing; its verification is left out")
        return None
    sys.path.insert(0, folder)
    try:
        from libsdm import sdm
    except ImportError as error:
        print(f"skipped: sdm-backend is not set up ({error}); its verification is left out")
        return None
    return sdm


if __name__ == "__main__":
    main()
