"""Each reader, plugged in, out and in again while a session waits and while a command runs; two slots."""

import readers
import tags
from state import FIRST, NO_READER, READER_GONE, SECOND, TAG_LOST, expect
from ccid import Fault
import wire

CYCLES = 10
# The antenna of readers with several slots on one interface.
ANTENNA_SLOT = {"ACR1281U": 1}


def drives_each(state):
    """libccid and nfcd drive every reader of Docs/readers.md: its profile, a message read and written on Type 2 and Type 4"""
    for reader in readers.READERS:
        try:
            drive(state, reader)
        except Exception as error:
            raise AssertionError(f"{reader.model}: {error}") from error
        state.counts["readers"] += 1


def drive(state, reader):
    model = state.plug(reader)
    listed = state.readers()
    expect(not any("SAM" in found["name"].split() for found in listed), f"a slot for a SAM is listed: {listed}")
    expect({found["profile"] for found in listed} == {reader.profile}, f"the profile is not {reader.profile}: {listed}")
    slot = ANTENNA_SLOT.get(reader.model, 0)
    for kind in (tags.NTAG215, tags.Type4):
        tag = kind(FIRST.data)
        fixed = tag.fixed()
        model.hold(tag, slot)
        place = state.opened()
        expect(state.read(place) == FIRST.link, "another message was read")
        state.write(place, SECOND)
        expect(tag.message() == SECOND.data, "the message is not in the tag's memory")
        expect(tag.fixed() == fixed, "locks, configuration or capability container have changed")
        model.hold(None, slot)
        state.client.wait("session.tagRemoved")
        state.end(place["session"])
    state.unplug()


def waits_without(state):
    """a session on a reader that is unplugged ends with 202, one that begins without a reader with 1, and the next one reads"""
    reader = readers.reader("ACR122U")
    for _ in range(state.tries or CYCLES):
        state.plug(reader)
        state.begin()
        state.unplug()
        state.expect_end(READER_GONE)
        state.client.call("session.begin", {"kind": "tag"})
        state.counts["sessions"] += 1
        state.expect_end(NO_READER)
        model = state.plug(reader)
        tag = tags.NTAG215(FIRST.data)
        model.hold(tag)
        state.expect_use(tag, SECOND)
        state.unplug()


def waits_for_reader(state):
    """a session that waits for readers stays while one is unplugged and plugged in again, and reads the tags on it"""
    reader = readers.reader("ACR1252U")
    session = state.client.call("session.begin", {"kind": "tag", "waitForReader": True})["session"]
    state.counts["sessions"] += 1
    for cycle in range(state.tries or CYCLES):
        model = state.plug(reader)
        if cycle == 0:
            state.client.wait("session.didBecomeActive")
        model.hold(tags.NTAG215(FIRST.data))
        tag, _ = state.connect(session)
        expect(state.read({"session": session, "tag": tag}) == FIRST.link, "another message was read")
        state.unplug()
        state.client.wait("session.tagRemoved")
        code = state.client.error("tag.readNDEF", {"session": session, "tag": tag})
        expect(code == TAG_LOST, f"a command to a tag on a reader that is gone failed with {code}")
    state.end(session)


def reads_interrupted(state):
    """a read whose reader is unplugged at any exchange fails with 100 or 202 and changes nothing, and its session ends with 202"""
    reader = readers.reader("ACR122U")
    tag = tags.NTAG215(FIRST.data)
    fixed = tag.fixed()
    exchanges = count_exchanges(state, reader, tag, lambda place: state.read(place))
    for position in range(exchanges):
        model = state.plug(reader)
        model.hold(tag)
        place = state.opened()
        model.fault = Fault("unplugged", at=position)
        code = state.client.error("tag.readNDEF", place)
        expect(code in (TAG_LOST, READER_GONE), f"exchange {position}: the read failed with {code}")
        state.expect_end(READER_GONE)
        state.wait_for_readers(0)
        expect(tag.message() == FIRST.data and tag.fixed() == fixed, f"exchange {position}: the tag has changed")
        state.counts["reads interrupted"] += 1


def count_exchanges(state, reader, tag, operation):
    """How many APDUs an operation in a session takes."""
    model = state.plug(reader)
    model.hold(tag)
    place = state.opened()
    before = model.blocks
    operation(place)
    count = model.blocks - before
    state.end(place["session"])
    state.unplug()
    expect(count > 0, "the operation took no exchange")
    return count


def has_two_slots(state):
    """two slots of one reader are two readers: sessions on both write at once, and end with 202 when it is unplugged"""
    model = state.plug(readers.reader("SpringCard"))
    listed = state.wait_for_readers(2)
    pair = [tags.NTAG215(FIRST.data), tags.Type4(FIRST.data)]
    with wire.Client(state.nfcd.socket, 30) as other:
        clients = [state.client, other]
        sessions = [state.begin(client, readers=[found["reader"]]) for client, found in zip(clients, listed)]
        for slot, tag in enumerate(pair):
            model.hold(tag, slot)
        places = []
        for client, session, tag in zip(clients, sessions, pair):
            name, found = state.connect(session, client)
            expect(bytes.fromhex(found["identifier"]) == tag.uid, "the tag of another slot was reported")
            places.append({"session": session, "tag": name})
        for number, (client, place) in enumerate(zip(clients, places)):
            client.send(wire.request("tag.writeNDEF", {**place, "message": SECOND.record}, 1000 + number))
        for client, tag in zip(clients, pair):
            answer = client.line()[0]
            expect("result" in answer, f"a write failed: {answer}")
            expect(tag.message() == SECOND.data, "the message is not in the tag's memory")
        state.unplug()
        for client in clients:
            state.expect_end(READER_GONE, client)


CHECKS = [drives_each, waits_without, waits_for_reader, reads_interrupted, has_two_slots]
