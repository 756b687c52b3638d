"""Checks nfcd-fido with python-fido2's own client, a real pcscd, and virtual security keys at vpcd. See Scripts/checks/check-fido."""

import argparse
import contextlib
import hashlib
import os
import pathlib
import sys
import tempfile
import threading
import time
import traceback
from random import Random

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "VM"), str(HERE.parent.parent / "Scripts/lib")]
from fido2.client import DefaultClientDataCollector, Fido2Client, UserInteraction  # noqa: E402
from fido2.cose import ES256  # noqa: E402
from fido2.ctap import CtapError  # noqa: E402
from fido2.ctap1 import ApduError, Ctap1  # noqa: E402
from fido2.ctap2 import ClientPin, CredentialManagement, Ctap2  # noqa: E402
from fido2.hid import CTAPHID, CtapHidDevice  # noqa: E402
from fido2.webauthn import (  # noqa: E402
    AttestationObject, PublicKeyCredentialCreationOptions, PublicKeyCredentialDescriptor,
    PublicKeyCredentialParameters, PublicKeyCredentialRequestOptions, PublicKeyCredentialRpEntity,
    PublicKeyCredentialType, PublicKeyCredentialUserEntity)

from hostilecard import ANSWERS, INFO, HostileCard, information  # noqa: E402
from pcscd import enter_namespaces, private_pcscd  # noqa: E402
from pcscprogram import SELECT_FIDO, SHARING_VIOLATION, Program  # noqa: E402
from wire import Wire  # noqa: E402
from world import SLOTS, until, world  # noqa: E402

PIN, PARTY, USER = "7391", "login.example", b"user-4711"
CHECKS, SECRETS = [], set()
# What a hostile card can hold a request up with, for 30 s each.
SLOW = ("nothing", "endless time")


def check(function):
    """Adds a check; its name is the behaviour."""
    CHECKS.append(function)
    return function


def secret(value):
    """Notes bytes that no log may hold."""
    SECRETS.add(value)
    return value


class Interaction(UserInteraction):
    """A person who knows the PIN."""

    def prompt_up(self):
        pass

    def request_pin(self, permissions, rd_id):
        return PIN

    def request_uv(self, permissions, rd_id):
        return True


def opened(device):
    """The device as python-fido2's program opens it."""
    node = device.open()
    return CtapHidDevice(node.descriptor(), node)


def only(here):
    return opened(here.kernel.wait()[0])


def refusal(status, action):
    """Runs an action that must end with a CTAP status."""
    try:
        action()
    except CtapError as error:
        assert error.code == status, f"{error.code} instead of {status}"
    else:
        raise AssertionError(f"no error instead of {status}")


def make(ctap, **options):
    """A credential without a PIN; its id."""
    hash_ = hashlib.sha256(b"data").digest()
    made = ctap.make_credential(
        hash_, {"id": PARTY, "name": "Login"}, {"id": USER, "name": "user"},
        [{"type": "public-key", "alg": -7}], **options)
    data = made.auth_data
    ES256(data.credential_data.public_key).verify(bytes(data) + hash_, made.att_stmt["sig"])
    secret(bytes(data.credential_data.credential_id))
    return data.credential_data


def asserted(ctap, credential, **options):
    """An assertion whose signature is right."""
    hash_ = hashlib.sha256(os.urandom(8)).digest()
    answer = ctap.get_assertion(
        PARTY, hash_, [{"type": "public-key", "id": credential.credential_id}], **options)
    answer.verify(hash_, credential.public_key)
    secret(bytes(answer.signature))
    return answer


@check
def a_card_appears_as_a_device_and_answers(here):
    card = here.card()
    device = here.kernel.wait()[0]
    assert device.bus == 3 and device.name.startswith("nfcd FIDO") and len(device.descriptor) == 34, device.name
    hid = opened(device)
    assert hid.capabilities & 0x0C == 0x04, f"capabilities {hid.capabilities}"
    info = Ctap2(hid).get_info()
    assert "FIDO_2_1" in info.versions and info.options["clientPin"] is False, info
    for size in (0, 1, 57, 58, 2048, 7609):
        message = os.urandom(size)
        assert hid.ping(message) == message, f"PING of {size} bytes"
    hid.wink() if hid.capabilities & 1 else None
    hid.close()
    card.throw_away()


@check
def credentials_without_a_pin(here):
    card = here.card()
    ctap = Ctap2(only(here))
    credential = make(ctap, options={"rk": False})
    refusal(CtapError.ERR.OPERATION_DENIED, lambda: asserted(ctap, credential))
    asserted(ctap, credential, options={"up": False})
    card.again()
    assert asserted(ctap, credential).auth_data.counter > 0
    card.throw_away()


@check
def a_whole_login_of_its_own_client_with_a_pin(here):
    card = here.card(0, "--pin", PIN, "--several-operations")
    client = Fido2Client(
        only(here), client_data_collector=DefaultClientDataCollector(f"https://{PARTY}"),
        user_interaction=Interaction())
    created = client.make_credential(PublicKeyCredentialCreationOptions(
        rp=PublicKeyCredentialRpEntity(id=PARTY, name="Login"),
        user=PublicKeyCredentialUserEntity(id=USER, name="user"), challenge=os.urandom(16),
        pub_key_cred_params=[
            PublicKeyCredentialParameters(type=PublicKeyCredentialType.PUBLIC_KEY, alg=-7)],
        authenticator_selection={"residentKey": "required", "userVerification": "required"}))
    data = AttestationObject(created.response.attestation_object).auth_data
    assert data.is_user_verified() and data.is_user_present()
    for allowed in ([PublicKeyCredentialDescriptor(
            type=PublicKeyCredentialType.PUBLIC_KEY, id=data.credential_data.credential_id)], None):
        answer = client.get_assertion(PublicKeyCredentialRequestOptions(
            challenge=os.urandom(16), rp_id=PARTY, allow_credentials=allowed, user_verification="required"))
        response = answer.get_response(0).response
        response.authenticator_data.credential_data
        secret(bytes(response.signature))
        data.credential_data.public_key.verify(
            bytes(response.authenticator_data) + response.client_data.hash, response.signature)
    secret(bytes(data.credential_data.credential_id))
    card.throw_away()


def changed(here, before):
    """The device that is not another one."""
    devices = here.kernel.devices
    return devices[0] if devices and devices[0] is not before else None


@check
def pins_are_set_changed_and_counted(here):
    device = None
    for version in (1, 2):
        card = here.card(0, "--aaguid", f"{version:032X}")
        device = until(lambda: changed(here, device), "no new device")
        ctap = Ctap2(opened(device))
        pin = ClientPin(ctap, next(p for p in ClientPin.PROTOCOLS if p.VERSION == version)())
        refusal(CtapError.ERR.PIN_NOT_SET, lambda: pin.get_pin_token("0000"))
        pin.set_pin("2580")
        pin.change_pin("2580", PIN)
        assert pin.get_pin_retries()[0] == 8
        for status in (CtapError.ERR.PIN_INVALID, CtapError.ERR.PIN_INVALID, CtapError.ERR.PIN_AUTH_BLOCKED):
            refusal(status, lambda: pin.get_pin_token("9999"))
        refusal(CtapError.ERR.PIN_AUTH_BLOCKED, lambda: pin.get_pin_token(PIN))
        card.again()
        token = pin.get_pin_token(PIN, ClientPin.PERMISSION.MAKE_CREDENTIAL, PARTY)
        hash_ = hashlib.sha256(b"data").digest()
        make(ctap, pin_uv_param=pin.protocol.authenticate(token, hash_), pin_uv_protocol=version)
        card.throw_away()
    secret(PIN.encode())
    secret(hashlib.sha256(PIN.encode()).digest()[:16])


@check
def discoverable_credentials_are_listed_and_deleted(here):
    card = here.card(0, "--pin", PIN, "--several-operations")
    ctap = Ctap2(only(here))
    pin = ClientPin(ctap)
    for user in (b"one", b"two"):
        token = pin.get_pin_token(PIN, ClientPin.PERMISSION.MAKE_CREDENTIAL, PARTY)
        hash_ = hashlib.sha256(user).digest()
        ctap.make_credential(
            hash_, {"id": PARTY}, {"id": user, "name": "n"}, [{"type": "public-key", "alg": -7}],
            options={"rk": True}, pin_uv_param=pin.protocol.authenticate(token, hash_),
            pin_uv_protocol=pin.protocol.VERSION)
    found = ctap.get_assertions(PARTY, hashlib.sha256(b"x").digest())
    assert [entry.user["id"] for entry in found] == [b"two", b"one"], found
    token = pin.get_pin_token(PIN, ClientPin.PERMISSION.CREDENTIAL_MGMT)
    management = CredentialManagement(ctap, pin.protocol, token)
    assert [entry[3]["id"] for entry in management.enumerate_rps()] == [PARTY]
    listed = management.enumerate_creds(hashlib.sha256(PARTY.encode()).digest())
    assert len(listed) == 2, listed
    management.delete_cred(listed[0][7])
    assert len(ctap.get_assertions(PARTY, hashlib.sha256(b"x").digest())) == 1
    card.throw_away()


@check
def the_next_assertion_is_lost_with_the_field(here):
    card = here.card(0, "--several-operations")
    ctap = Ctap2(only(here))
    for user in (b"one", b"two"):
        make_resident(ctap, user)
    first = ctap.get_assertion(PARTY, hashlib.sha256(b"x").digest())
    assert first.number_of_credentials == 2
    card.again()
    refusal(CtapError.ERR.NOT_ALLOWED, ctap.get_next_assertion)
    card.throw_away()


def make_resident(ctap, user):
    ctap.make_credential(
        hashlib.sha256(user).digest(), {"id": PARTY}, {"id": user, "name": "n"},
        [{"type": "public-key", "alg": -7}], options={"rk": True})


@check
def u2f_registers_and_authenticates(here):
    card = here.card()
    u2f = Ctap1(only(here))
    assert u2f.get_version() == "U2F_V2"
    challenge, application = os.urandom(32), os.urandom(32)
    registration = u2f.register(challenge, application)
    registration.verify(application, challenge)
    handle = secret(bytes(registration.key_handle))
    for checked, status in ((handle, 0x6985), (os.urandom(61), 0x6A80)):
        try:
            u2f.authenticate(challenge, application, checked, check_only=True)
        except ApduError as error:
            assert error.code == status, f"{error.code:04X} instead of {status:04X}"
    card.again()
    signature = until(lambda: retried(lambda: u2f.authenticate(challenge, application, handle)), "no signature")
    signature.verify(application, challenge, registration.public_key)
    card.throw_away()


def retried(action):
    """What an action returns; None where U2F asks to try again."""
    try:
        return action()
    except ApduError as error:
        assert error.code == 0x6985, f"{error.code:04X}"
        return None


@check
def a_reset_needs_a_card_that_was_just_put_down(here):
    card = here.card(0, "--pin", PIN)
    ctap = Ctap2(only(here))
    ctap.reset()
    assert ctap.get_info().options["clientPin"] is False
    card.throw_away()


@check
def a_request_waits_in_the_linger_until_the_card_is_back(here):
    card = here.card()
    ctap = Ctap2(only(here))
    credential = make(ctap)
    card.lift()
    assert ctap.get_info().options["clientPin"] is False, "the last answer is given while the card is away"
    states, done = [], []
    thread = threading.Thread(
        target=lambda: done.append(asserted(ctap, credential, on_keepalive=states.append)))
    thread.start()
    until(lambda: 2 in states, "no keep-alive asks for the card")
    until(lambda: "put it on" in here.monitored(), "nfcctl monitor shows no notice")
    card.put()
    thread.join(60)
    assert done, "the assertion did not come"
    card.throw_away()


@check
def a_pin_of_before_never_reaches_another_field(here):
    card = here.card(0, "--pin", PIN)
    ctap = Ctap2(only(here))
    pin = ClientPin(ctap)
    token = pin.get_pin_token(PIN, ClientPin.PERMISSION.MAKE_CREDENTIAL, PARTY)
    hash_ = hashlib.sha256(b"data").digest()
    card.again()
    refusal(CtapError.ERR.PIN_AUTH_INVALID, lambda: make(
        ctap, pin_uv_param=pin.protocol.authenticate(token, hash_), pin_uv_protocol=pin.protocol.VERSION))
    assert pin.get_pin_retries()[0] == 8
    card.throw_away()


@check
def a_slow_card_keeps_the_program_informed_and_can_be_cancelled(here):
    card = here.card(0, "--several-operations", "--waits", "12")
    ctap = Ctap2(only(here))
    states = []
    credential = make(ctap, on_keepalive=states.append)
    assert 2 in states, states
    event = threading.Event()
    timer = threading.Timer(0.3, event.set)
    timer.start()
    refusal(CtapError.ERR.KEEPALIVE_CANCEL, lambda: asserted(ctap, credential, event=event))
    asserted(ctap, credential)
    card.throw_away()


@check
def a_lift_during_a_request_is_an_error_or_a_repetition(here):
    card = here.card(0, "--several-operations", "--waits", "40")
    ctap = Ctap2(only(here))
    credential = make(ctap)
    done, states = [], []
    thread = threading.Thread(
        target=lambda: done.append(asserted(ctap, credential, on_keepalive=states.append)))
    thread.start()
    until(lambda: 2 in states, "the card does not compute")
    card.again()
    thread.join(60)
    assert done, "a request without a PIN is repeated once"
    failures = []
    thread = threading.Thread(target=lambda: failures.append(
        raised(lambda: make(ctap, options={"rk": True}, on_keepalive=states.append))))
    states.clear()
    thread.start()
    until(lambda: 2 in states, "the card does not compute")
    card.again()
    thread.join(60)
    assert failures and failures[0] is not None, "a discoverable credential is never made twice"
    card.throw_away()


def raised(action):
    try:
        action()
    except Exception as error:  # noqa: BLE001
        return error
    return None


@check
def another_card_is_another_device(here):
    card = here.card()
    first = here.kernel.wait()[0]
    card.throw_away()
    other = here.card(0, "--aaguid", "000102030405060708090A0B0C0D0E0F")
    until(first.is_gone.is_set, "the device of the first card stays")
    assert Ctap2(only(here)).get_info().aaguid == bytes(range(16))
    other.throw_away()


@check
def two_readers_are_two_devices(here):
    cards = [here.card(0), here.card(1)]
    devices = here.kernel.wait(2)
    assert len({device.unique for device in devices}) == 2
    threads = []
    credentials = []
    for device in devices:
        threads.append(threading.Thread(target=lambda d=device: credentials.append(make(Ctap2(opened(d))))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(credentials) == 2
    for card in cards:
        card.throw_away()


@check
def the_reader_goes_to_whoever_asks_when_no_program_uses_it(here):
    card = here.card()
    device = here.kernel.wait()[0]
    hid = opened(device)
    assert Ctap2(hid).get_info()
    busy = here.ctl("scan", "--timeout", "1")
    assert busy.returncode != 0, "a program that uses the key keeps the reader"
    hid.close()
    until(lambda: here.ctl("scan", "--timeout", "2").returncode == 0, "the reader is not given up")
    until(device.is_gone.is_set, "the device stays without its card")
    card.throw_away()
    here.card().throw_away()


@check
def five_programs_cost_the_card_no_further_power_up_or_selection(here):
    wire = Wire(SLOTS[0])
    card = here.card(0, "--several-operations", vpcd=wire.address)
    device = here.kernel.wait()[0]
    stay, = wire.stays
    before, credential = dict(stay, selected=list(stay["selected"])), None
    # The second and the third come after the device has let other programs use the card.
    for pause in (0, 3, 3, 0.1, 0.1):
        time.sleep(pause)
        hid = opened(device)
        credential = credential or make(Ctap2(hid))
        asserted(Ctap2(hid), credential)
        hid.close()
    print(f"      on arrival: {before}")
    assert stay == before, f"{before} on arrival, {stay} after five programs"
    assert wire.stays == [stay] and stay["selected"].count("A0000006472F0001") == 1, wire.stays
    card.throw_away()


@check
def a_hostile_program_disturbs_no_other(here):
    card = here.card(0, "--several-operations")
    device = here.kernel.wait()[0]
    other = here.card(1)
    here.kernel.wait(2)
    quiet = next(found for found in here.kernel.devices if found is not device)
    hid = opened(quiet)
    stop = threading.Event()

    def attack():
        """Reports of all shapes, channels without INIT, an INIT flood, half messages, and nothing is ever read."""
        random = Random(17)
        while not stop.is_set():
            shape = random.randrange(5)
            if shape == 0:
                device.output(random.randbytes(64))
            elif shape == 1:
                device.output(bytes.fromhex("FFFFFFFF860008") + random.randbytes(57))
            elif shape == 2:
                device.output(random.randbytes(4) + bytes([0x80 | random.choice([1, 3, 6, 16, 17])]) + random.randbytes(59))
            elif shape == 3:
                device.output(random.randbytes(4) + b"\x90\x1D\xB9" + random.randbytes(57))
            else:
                device.output(random.randbytes(random.choice([0, 1, 7, 63, 65, 200])))

    attackers = [threading.Thread(target=attack) for _ in range(2)]
    for thread in attackers:
        thread.start()
    try:
        times = []
        for _ in range(20):
            began = time.monotonic()
            Ctap2(hid).get_info()
            assert hid.ping(bytes(1024)) == bytes(1024)
            times.append(time.monotonic() - began)
    finally:
        stop.set()
        for thread in attackers:
            thread.join()
    print(f"      beside the attack, getInfo and a PING take {sorted(times)[10] * 1000:.0f} ms (median)")
    assert here.fido.poll() is None, "nfcd-fido ended"
    until(lambda: raised(lambda: Ctap2(opened(device)).get_info()) is None, "the attacked device does not answer")
    memory = here.private_kib(here.fido) / 1024
    print(f"      private memory afterwards: {memory:.1f} MiB")
    assert memory < 32, f"it uses {memory:.1f} MiB"
    card.throw_away()
    other.throw_away()


def put_down(here, answer, honest=None):
    """A hostile card that nfcd has noticed. pcscd may take one that replaces another at once for the same card."""
    for _ in range(12):
        hostile = HostileCard(SLOTS[1], answer, honest)
        with contextlib.suppress(AssertionError):
            until(lambda: here.arrived(1), "", 5)
            return hostile
        hostile.take_away()
    raise AssertionError(f"{answer}: nfcd does not notice the card")


@check
def a_hostile_card_disturbs_no_other(here):
    card = here.card(0, "--several-operations")
    good = Ctap2(only(here))
    credential = make(good)
    for answer, is_honest in [(answer, honest) for honest in (False, True) for answer in ANSWERS]:
        if answer in SLOW and (here.is_short or not is_honest):
            continue
        hostile = put_down(here, answer, INFO if is_honest else None)
        if is_honest:
            device = next(found for found in here.kernel.wait(2) if found.unique == "virtual-pcd-1")
            attacked = Ctap2(opened(device))
            thread = threading.Thread(target=lambda: raised(lambda: attacked.get_assertion(PARTY, bytes(32))))
            thread.start()
            asserted(good, credential)
            thread.join(50)
            assert not thread.is_alive(), f"{answer}: the request does not end"
        asserted(good, credential)
        assert here.fido.poll() is None and here.nfcd.poll() is None, f"{answer}: a program ended"
        hostile.take_away()
        until(lambda: not here.arrived(1), f"{answer}: nfcd does not notice that the card has left")
    assert here.private_kib(here.fido) < 64 * 1024, "its memory grows"
    card.throw_away()


@check
def a_thousand_channels_take_none_away(here):
    card = here.card()
    device = here.kernel.wait()[0]
    first = opened(device)
    for _ in range(1000):
        device.output(bytes.fromhex("FFFFFFFF860008") + os.urandom(8) + bytes(49))
    answers = first._connection.reports

    def answers_alone():
        """Every program reads the answers of all; python-fido2 takes one of another channel for an error."""
        while not answers.empty():
            answers.get_nowait()
        return raised(lambda: first.ping(b"still here")) is None

    until(answers_alone, "the first channel is gone")
    card.throw_away()


@check
def a_permanent_device_waits_for_the_card(here):
    here.restart_service('[key]\ndevice = "always"\n')
    devices = here.kernel.wait(2)
    answers, states = [], []
    hid = opened(devices[0])
    thread = threading.Thread(target=lambda: answers.append(hid.call(CTAPHID.CBOR, b"\x04", None, states.append)))
    thread.start()
    until(lambda: 2 in states, "no keep-alive asks for the card")
    card = here.card(0 if devices[0].unique == "virtual-pcd-0" else 1)
    thread.join(60)
    assert answers and answers[0][0] == 0
    card.throw_away()


@check
def a_card_of_a_version_that_is_not_known_is_a_security_key(here):
    here.restart_service("[key]\nlinger = 0\n")
    for versions in (["FIDO_2_3"], ["FIDO_9_7", "FIDO_2_1_PRE"], []):
        hostile = put_down(here, "an unknown status word", information(versions))
        device = opened(here.kernel.wait()[0])
        assert Ctap2(device).info.versions == versions, Ctap2(device).info
        device.close()
        hostile.take_away()
        until(lambda: not here.arrived(1) and not here.kernel.devices, "the device stays")


def in_the_background(action):
    """Runs an action on a thread; what it returned, in a list that is empty until then."""
    results = []
    threading.Thread(target=lambda: results.append(action()), daemon=True).start()
    return results


def over_pcsc(program):
    """What a program does that speaks FIDO over PC/SC: selects the application, and asks for properties and an assertion."""
    assert program.transmit(SELECT_FIDO)[-2:] == b"\x90\x00"
    assert program.transmit("80100000010400")[:1] == b"\x00"
    # getAssertion of a party that the card does not know: 2E NO_CREDENTIALS.
    request = bytes.fromhex("02A2016D") + b"other.example" + bytes.fromhex("025820") + bytes(32)
    answer = program.transmit(f"80100000{len(request):02X}{request.hex()}00")
    assert answer == b"\x2E\x90\x00", answer.hex()


@check
def a_program_that_connects_during_an_assertion_waits_or_is_refused(here):
    card = here.card(0, "--several-operations", "--waits", "8")
    device = only(here)
    ctap = Ctap2(device)
    credential, states = make(ctap), []
    done = in_the_background(lambda: asserted(ctap, credential, on_keepalive=states.append))
    until(lambda: 2 in states, "the card does not compute")
    shared, exclusive = Program(), Program()
    shared.begin("connect", "shared")
    exclusive.begin("connect", "exclusive")
    connected, refused = shared.later(), exclusive.later()
    until(lambda: done, "the assertion does not end")
    assert not connected, "another program gets between the commands of an assertion"
    device.close()
    until(lambda: connected and refused, "the other programs wait without end")
    assert connected == [0] and refused == [SHARING_VIOLATION], (connected, refused)
    over_pcsc(shared)
    assert shared.run("disconnect", "unpower") == 0
    # The card was switched off in between; the next program does not notice.
    device = only(here)
    asserted(Ctap2(device), credential)
    device.close()
    shared.end()
    exclusive.end()
    card.throw_away()


@check
def a_program_that_holds_the_card_delays_an_assertion_and_does_not_break_it(here):
    card = here.card(0, "--several-operations")
    device = only(here)
    credential = make(Ctap2(device))
    device.close()
    for disposition in ("leave", "reset", "unpower"):
        other = Program()
        assert other.run("connect", "shared") == 0
        assert other.run("begin") == 0
        device = only(here)
        # Longer than nfcd waits for another program.
        done = in_the_background(lambda: asserted(Ctap2(device), credential))
        over_pcsc(other)
        time.sleep(0 if here.is_short else 7)
        assert not done, "the card answers two programs at once"
        assert other.run("end", disposition) == 0
        until(lambda: done, f"no assertion after another program has ended with {disposition}")
        device.close()
        assert other.run("disconnect", "leave") == 0
        other.end()
    card.throw_away()


@check
def a_program_that_selects_between_two_programs_disturbs_neither(here):
    card = here.card(0, "--several-operations")
    other = Program()
    assert other.run("connect", "shared") == 0
    credential = None
    for disturbance in (over_pcsc, lambda it: it.transmit("00A4040007D276000085010100"), over_pcsc):
        # It waits until the program before it is done.
        disturbance(other)
        device = only(here)
        credential = credential or make(Ctap2(device))
        asserted(Ctap2(device), credential)
        device.close()
    assert other.run("disconnect", "reset") == 0
    device = only(here)
    asserted(Ctap2(device), credential)
    pin = ClientPin(Ctap2(device))
    pin.set_pin(PIN)
    device.close()
    # What the PIN had opened is over: the program asks again, and no try is lost.
    assert other.run("connect", "shared") == 0
    over_pcsc(other)
    assert other.run("disconnect", "unpower") == 0
    ctap = Ctap2(only(here))
    pin = ClientPin(ctap)
    token = pin.get_pin_token(PIN, ClientPin.PERMISSION.GET_ASSERTION, PARTY)
    assert token and pin.get_pin_retries()[0] == 8
    other.end()
    card.throw_away()


@check
def a_program_that_uses_the_card_exclusively_keeps_it_until_it_ends(here):
    here.end(here.fido)
    card = here.card(0, "--several-operations")
    other = Program()
    until(lambda: other.run("connect", "exclusive") == 0, "nfcd does not release a card that no client uses")
    here.run_service()
    over_pcsc(other)
    assert not here.kernel.devices, "the card of another program became a device"
    assert other.run("disconnect", "leave") == 0
    card.again()
    device = only(here)
    credential = make(Ctap2(device))
    # The other way round: a program that wants it exclusively waits, and is refused, while nfcd-fido has it.
    other.begin("connect", "exclusive")
    refused = other.later()
    asserted(Ctap2(device), credential)
    device.close()
    until(lambda: refused, "the other program waits without end")
    assert refused == [SHARING_VIOLATION], refused
    other.end()
    card.throw_away()


@check
def a_program_that_has_the_device_open_and_asks_for_nothing_keeps_no_other_out(here):
    if here.is_short:
        return
    card = here.card(0, "--several-operations")
    device = only(here)
    ctap = Ctap2(device)
    credential = make(ctap)
    other = Program()
    other.begin("connect", "shared")
    connected = other.later()
    until(lambda: connected, "a program that does nothing keeps the card", 90)
    over_pcsc(other)
    asserted(ctap, credential)
    # It waits for the end of nfcd's transaction.
    other.begin("disconnect", "unpower")
    asserted(ctap, credential)
    device.close()
    assert other.result() == 0
    other.end()
    card.throw_away()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--programs", required=True, help="the folder of nfcd, nfcd-fido and nfcctl")
    parser.add_argument("--only", default="", help="checks whose name contains this")
    parser.add_argument("--short", action="store_true", help="leave out what takes half a minute")
    arguments = parser.parse_args()
    if not arguments.inside:
        enter_namespaces(__file__, sys.argv[1:])
    with private_pcscd():
        sys.exit(run(arguments))


def run(arguments):
    """Runs the checks; each starts its own programs."""
    failed = []
    selected = [function for function in CHECKS if arguments.only in function.__name__]
    for function in selected:
        name = function.__name__.replace("_", " ")
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                with world(arguments.programs, folder, "[key]\nlinger = 20\n") as here:
                    here.is_short = arguments.short
                    function(here)
                leaks = leaked(here)
                assert not leaks, f"a log holds {leaks}"
                print(f"ok    {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:  # noqa: BLE001
                failed.append(name)
                print(f"FAIL  {name}", flush=True)
                traceback.print_exc()
                for program in ("nfcd-fido", "nfcd"):
                    print(f"--- {program}", *here.log(program).splitlines()[-25:], sep="\n", flush=True)
    print(f"check-fido: {len(selected) - len(failed)} of {len(selected)} passed")
    return 1 if failed else 0


def leaked(here):
    """The secrets that a log holds, as bytes or as hexadecimal."""
    text = here.log("nfcd-fido") + here.log("nfcd")
    lower = text.lower()
    return [value for value in SECRETS if len(value) > 4 and (value.hex() in lower)] + [
        value for value in SECRETS if len(value) <= 4 and (value.hex() + "0000" in lower)]


if __name__ == "__main__":
    main()
