"""Readers that are unplugged, die, stall or fail while a message is written, and readers that take their time."""

import wire
from ccid import Fault
from plugging import count_exchanges
from readers import reader
from state import FIRST, NEW, NO_ANSWER, NONE, OLD, READER_GONE, SECOND, TAG_LOST, WRITE_FAILED, content, expect
from tags import NTAG215, Type4

# What a write that failed is answered with: the tag or the reader is gone, or does not answer.
FAILURES = (TAG_LOST, READER_GONE, NO_ANSWER, WRITE_FAILED)
# How nfcd describes what is on the tag.
CLAUSES = {OLD: "the old message", NONE: "none", NEW: "the new"}
# Seconds that a reader may request for a command; nfcd waits five seconds for an answer, however many are requested.
GRANTED, TOO_LONG = 4, 7
MODEL = "ACR1252U"


def positions(state, count):
    """The exchanges at which a fault is tried: all, or some of them spread evenly."""
    tries = count if state.tries is None else min(state.tries, count)
    return sorted({number * count // tries for number in range(tries)})


def write_with_fault(state, model, tag, fault):
    """Writes while a fault is due; returns the error's code, nil for success, and the parameters of further commands."""
    fixed, place = tag.fixed(), state.opened()
    model.fault = fault
    try:
        state.write(place, SECOND)
        code, detail = None, ""
    except wire.Refused as refused:
        code, detail = refused.code, str(refused)
    expect(fault.happened.is_set(), "the fault was not reached")
    found = content(tag, FIRST.data, SECOND.data, fixed)
    state.counts[f"writes that left {found if found == NONE else f'the {found} message'}"] += 1
    # Success is reported only for what is on the tag, and what an error says about the tag is true.
    expect(code in FAILURES or code is None and found == NEW, f"the write was answered with {code}, and the tag has {found}")
    _, is_named, clause = detail.partition("the tag holds ")
    expect(found in clauses(clause) if is_named else code is None or found == OLD, f"the tag has {found}: {detail}")
    return code, place


def clauses(text):
    """What may be on the tag by the words of an error."""
    text = text.replace("no message", "none")
    return {found for found, words in CLAUSES.items() if words in text}


def write_without_tearing(state, model, kind):
    """The reader is unplugged at each exchange of a write, before and after the tag has got the command; plugged in again, it
    writes to the same tag."""
    count = count_exchanges(state, reader(model), kind(FIRST.data), lambda place: state.write(place, SECOND))
    for position in positions(state, count):
        for reaches_tag in (False, True):
            plugged, tag = state.plug(reader(model)), kind(FIRST.data)
            plugged.hold(tag)
            code, _ = write_with_fault(state, plugged, tag, Fault("unplugged", at=position, reaches_tag=reaches_tag))
            expect(code is not None, "a write was reported as done without its last answer")
            state.expect_end(READER_GONE)
            state.wait_for_readers(0)
            write_again(state, model, tag)


def write_again(state, model, tag):
    """Plugs the reader in and writes to the tag."""
    state.plug(reader(model)).hold(tag)
    state.expect_use(tag, SECOND)
    state.unplug()


def type2_not_torn(state):
    """a write to an NTAG215 whose reader is unplugged at any exchange leaves the old message, none or the new one, as reported"""
    write_without_tearing(state, "ACR122U", NTAG215)


def type4_not_torn(state):
    """so does a write to a Type 4 tag whose reader is unplugged"""
    write_without_tearing(state, "ACR1552U", Type4)


def write_exchanges(state):
    return count_exchanges(state, reader(MODEL), NTAG215(FIRST.data), lambda place: state.write(place, SECOND))


def dies(state):
    """so does a write whose reader answers nothing any more between two blocks; plugged in again, it writes"""
    count = write_exchanges(state)
    for position in sorted({count // 3, count - 1}):
        plugged, tag = state.plug(reader(MODEL)), NTAG215(FIRST.data)
        plugged.hold(tag)
        code, _ = write_with_fault(state, plugged, tag, Fault("dead", at=position))
        expect(code is not None, "a write was reported as done without its last answer")
        state.unplug()
        state.expect_end(READER_GONE)
        write_again(state, MODEL, tag)


def recover(state, outcome, **options):
    """A write with a fault that the reader survives; then the same tag on the same reader is written, without plugging."""
    count = write_exchanges(state)
    for position in sorted({0, count // 2, count - 1}):
        plugged, tag = state.plug(reader(MODEL)), NTAG215(FIRST.data)
        plugged.hold(tag)
        _, place = write_with_fault(state, plugged, tag, Fault(outcome, at=position, **options))
        if outcome == "gone":
            plugged.hold(tag)
        # It has ended already where the reader was reported as failed.
        state.client.error("session.invalidate", {"session": place["session"]})
        state.client.wait("session.didInvalidate")
        state.expect_use(tag, SECOND)
        state.unplug()


def stalls(state):
    """so does a write during which the endpoint stalls; the next one succeeds without plugging"""
    recover(state, "stalled")


def fails(state):
    """so does a write during which the reader reports a hardware error; the next one succeeds"""
    recover(state, "failed")


def leaves(state):
    """so does a write during which the tag leaves; the next one succeeds when it is back"""
    recover(state, "gone")


def is_late(state):
    """so does a write whose answer comes after nfcd's time limit; the next one succeeds once the reader has answered"""
    recover(state, "extended", pause=TOO_LONG, reaches_tag=True)


def takes_time(state):
    """a reader that requests more time for a command, within nfcd's limit, gets it, and the write succeeds"""
    plugged, tag = state.plug(reader(MODEL)), NTAG215(FIRST.data)
    plugged.hold(tag)
    code, place = write_with_fault(state, plugged, tag, Fault("extended", at=3, reaches_tag=True, pause=GRANTED))
    expect(code is None, f"the write failed with {code}")
    expect(state.read(place) == SECOND.link, "another message was read")
    state.end(place["session"])
    state.unplug()


CHECKS = [type2_not_torn, type4_not_torn, dies, stalls, fails, leaves, is_late, takes_time]
