"""The rules of access, tried by a user whom a configuration grants something, and nothing else. Root taps the tags and looks at
their memory afterwards."""

import os
import subprocess
import tempfile
import typing

from figures import Figure
from wire import FORK, Client, Closed, Refused, Worker, as_user

USER = 54_003
# Of the simulated readers.
FIRST, SECOND = "simulated-0", "simulated-1"
REFUSED, UNSUPPORTED = 2, 1
URI = "D101045504612E62"

EVERY_TAG = 'formats = ["NDEF", "TAG"]\niso7816-select-identifiers = ["*"]\nfelica-system-codes = ["*"]\n'


def grant(capabilities, readers=("*",), rest=EVERY_TAG):
    """A `[[grant]]` for the user."""
    def words(names):
        return ", ".join(f'"{name}"' for name in names)
    return f"[[grant]]\nuser = {USER}\ncapabilities = [{words(capabilities)}]\nreaders = [{words(readers)}]\n{rest}\n"


class Attempt(typing.NamedTuple):
    """A raw command, and whether it has to be refused with error 2."""
    what: str
    method: str
    parameters: dict
    is_refused: bool


def refused(what, method, **parameters):
    return Attempt(what, method, parameters, True)


def allowed(what, method, **parameters):
    return Attempt(what, method, parameters, False)


class Case(typing.NamedTuple):
    """What a user with a grant tries with a tag on the first reader."""
    what: str
    configuration: str
    model: str
    attempts: list
    options: dict = {}
    # What is on the tag.
    content: dict = {}


MIFARE, APDU, FELICA, VICINITY = (
    "miFare.sendCommand", "iso7816.sendCommand", "feliCa.sendCommand", "iso15693.sendRequest")
MIFARE_APDU = "miFare.sendISO7816Command"
NDEF_APPLICATION = "D2760000850101"

CASES = [
    Case("raw and write cannot lock", grant(["read", "write", "raw"]), "ntag215", [
        allowed("read a page", MIFARE, command="3004"),
        allowed("write a page", MIFARE, command="A20A01020304"),
        refused("static lock bytes", MIFARE, command="A2020000FFFF"),
        refused("capability container", MIFARE, command="A203E1103E0F"),
        refused("dynamic lock bytes", MIFARE, command="A282FFFFFF00"),
        refused("configuration", MIFARE, command="A28304000000"),
        refused("password", MIFARE, command="A28501020304"),
        refused("lock bytes, as a storage card", MIFARE_APDU, apdu="FFD60002040000FFFF"),
        refused("a command of unknown effect", MIFARE, command="F100"),
    ]),
    Case("raw alone cannot write", grant(["read", "raw"]), "ntag215", [
        allowed("read a page", MIFARE, command="3004"),
        refused("write a page", MIFARE, command="A20A01020304"),
        refused("write a page in two parts", MIFARE, command="A00A"),
    ]),
    Case("an application list of DESFire", grant(
        ["read", "write", "raw"], rest=f'formats = ["TAG"]\niso7816-select-identifiers = ["{NDEF_APPLICATION}"]\n'),
        "desfire-ev1", [
            refused("select an application, wrapped", MIFARE_APDU, apdu="905A00000356341200"),
            refused("select a file that may be elsewhere", MIFARE_APDU, apdu="00A4000002E110"),
            refused("change a key", MIFARE_APDU, apdu="90C40000190000000000000000000000000000000000000000000000000000"),
            refused("format", MIFARE_APDU, apdu="90FC000000"),
        ]),
    Case("an application list of Type 4", grant(
        ["read", "write", "raw"], rest=f'formats = ["TAG"]\niso7816-select-identifiers = ["{NDEF_APPLICATION}"]\n'),
        "type4", [
            allowed("select the application", APDU, apdu=f"00A4040007{NDEF_APPLICATION}00"),
            refused("select another one", APDU, apdu="00A4040005A00000030800"),
            refused("select by path", APDU, apdu="00A40800043F00E110"),
            refused("a command to the reader", APDU, apdu="FFCA000000"),
        ]),
    Case("a list of FeliCa systems", grant(
        ["read", "write", "raw"], rest='formats = ["TAG"]\nfelica-system-codes = ["12FC"]\n'), "felica-lite-s", [
            refused("poll another system", FELICA, packet="0600888400"),
            refused("through the reader", APDU, apdu="FF00000009D44001060088B40100"),
            refused("through the reader, as a MIFARE tag", MIFARE_APDU, apdu="FF00000009D44001060088B40100"),
        ], {"pollingOption": ["iso18092"]}, {"ndef": URI}),
    Case("locking blocks of Type 5", grant(["read", "write", "raw"]), "icode-slix", [
        refused("lock a block", VICINITY, requestFlags=2, commandCode=0x22, data="05"),
        refused("lock the AFI", VICINITY, requestFlags=2, commandCode=0x28),
        refused("a command of the manufacturer", VICINITY, requestFlags=2, commandCode=0xB5, data="0401"),
    ], {"pollingOption": ["iso15693"]}),
    Case("sentences are not mixed", grant(["read"], [FIRST]) + grant(["read", "raw", "write"], [SECOND]), "ntag215", [
        refused("raw where only read is granted", MIFARE, command="3004"),
        refused("write where only read is granted", "tag.writeNDEF", message={"records": []}),
    ]),
]


def attempts(path, case, reader):
    """In the user's process: what became of each attempt; the code of the error, or nil."""
    with Client(path, 20) as client:
        try:
            session = client.tag_session(reader, **case.options)
            tag = {"session": session, "tag": client.connect_tag(session)}
        except Refused as refusal:
            return [refusal.code] * len(case.attempts)
        return [client.error(attempt.method, {**tag, **attempt.parameters}) for attempt in case.attempts]


def memory(path, case, reader):
    """What root reads of the tag: its dump and its lock state."""
    with Client(path, 20) as client:
        session = client.tag_session(reader, **case.options)
        tag = {"session": session, "tag": client.connect_tag(session)}
        state = client.call("tag.describe", tag)["lockState"]
        return state, client.call("tag.dump", tag)["sections"]


def tried(case, path):
    """A case as a figure."""
    with Client(path, 20) as presenter:
        presenter.call("simulator.present", {"model": case.model, "reader": FIRST, **case.content})
        before = memory(path, case, FIRST)
        codes = as_user(USER, attempts, path, case, FIRST)
        after = memory(path, case, FIRST)
    wrong = [
        f"{attempt.what}: {code}" for attempt, code in zip(case.attempts, codes)
        if (code in (REFUSED, UNSUPPORTED)) != attempt.is_refused]
    if before[0] != after[0]:
        wrong.append(f"the tag is {after[0]}")
    return Figure(case.what, "; ".join(wrong) or f"{len(codes)} attempts", "", not wrong)


def subscriber(path, end):
    """In the user's process: the readers of the taps it receives until it is asked."""
    with Client(path, 20) as client:
        try:
            client.call("background.subscribe", {"filter": {}})
        except Refused as refusal:
            if refusal.code != REFUSED:
                raise
        end.send("subscribed")
        end.recv()
        # Answered after the taps, which were sent before.
        client.call("server.info")
        return [message["params"]["reader"] for message in client.notifications]


def background(path, expected):
    """The readers of the taps that the user receives."""
    here, there = FORK.Pipe()
    worker = Worker(subscriber, path, there, user=USER)
    if not here.poll(30):
        worker.stop()
        return "the subscriber does not answer", False
    here.recv()
    with Client(path, 20) as root:
        root.call("background.subscribe", {"filter": {}})
        for reader in (FIRST, SECOND):
            root.call("simulator.present", {"model": "ntag213", "reader": reader, "ndef": URI})
            root.wait("background.didReadTag")
        here.send("stop")
        seen = worker.wait(30)
    return f"{seen}", seen == expected


def check_refuses(program):
    """Whether `nfcd --check` refuses a configuration that all may write."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(grant(["read"]))
        file.flush()
        os.chmod(file.name, 0o666)
        done = subprocess.run([program, "--check", "--config", file.name], capture_output=True, text=True)
        return f"status {done.returncode}", done.returncode == 78


def figures(running):
    """Tries everything; `running` starts an nfcd with a configuration."""
    for case in CASES:
        with running(case.configuration) as daemon:
            yield guarded(case.what, tried, case, daemon.socket)
    for what, configuration, expected in [
        ("taps without `read`", grant(["background"], [FIRST]), []),
        ("taps of a reader that is not granted", grant(["background", "read"], [FIRST]), [FIRST]),
        ("taps where `read` and `background` are for different readers",
         grant(["background"], [FIRST]) + grant(["read"], [SECOND]), []),
    ]:
        with running(configuration) as daemon:
            measured, is_right = background(daemon.socket, expected)
            yield Figure(what, measured, "", is_right)
    with running("") as daemon:
        measured, is_right = check_refuses(daemon.process.args[0])
        yield Figure("a configuration that all may write", measured, "", is_right)


def guarded(what, attempt, *arguments):
    """A figure, also where nfcd answers unexpectedly."""
    try:
        return attempt(*arguments)
    except (Refused, Closed, OSError) as error:
        return Figure(what, f"{type(error).__name__}: {error}", "", False)
