"""Escape commands: forbidden by libccid, refused by the reader, or carried out."""

import json
import os
import subprocess

import services
from readers import reader
from state import FIRST, SECOND, eventually, expect
from tags import NTAG215

MODEL = "ACR1252U"
CONFIGURATION = '[[reader]]\nmatch = "ACR1252"\nfeedback = true\n'
# An answer of the reader's firmware without data.
CONFIRMED = bytes.fromhex("E100000000")


def shows_nothing(state):
    """where libccid forbids escape commands, none is sent, readers.identify names no reader, and tags are read and written"""
    model = state.plug(reader(MODEL))
    expect(identified(state) == [], "a reader was reported to show what it cannot")
    use(state, model)
    expect(model.escapes == 0, f"{model.escapes} escape commands reached the reader")


def doctor_reports(state):
    """nfcctl doctor reports that, and how to permit them"""
    state.plug(reader(MODEL))
    environment = {**os.environ, **state.bus.environment(), "LD_PRELOAD": services.PRELOADED, "NFCD_SOCKET": state.nfcd.socket}
    done = subprocess.run([state.programs / "nfcctl", "doctor", "--json"], env=environment, stdout=subprocess.PIPE, text=True)
    found = [line for line in map(json.loads, done.stdout.splitlines()) if line.get("check") == "escape"]
    expect(any("ifdDriverOptions" in " ".join(line.get("fix", [])) for line in found), f"it printed {done.stdout}")


def is_refused(state):
    """a reader that refuses an escape command costs nothing: tags are read and written, and taps are reported"""
    shown(state, state.plug(reader(MODEL)))


def is_carried_out(state):
    """where libccid permits escape commands, the reader gets them"""
    shown(state, state.plug(reader(MODEL), escape=CONFIRMED))


def identified(state):
    return state.monitor.call("readers.identify")["readers"]


def shown(state, model):
    # nfcd asks the driver when the reader is plugged in.
    eventually(lambda: len(identified(state)) == 1, "the reader is not reported to show anything")
    eventually(lambda: model.escapes > 0, "no escape command reached the reader")
    use(state, model)
    state.client.call("background.subscribe", {})
    model.hold(NTAG215(FIRST.data))
    tap = state.client.wait("background.didReadTag")
    expect(FIRST.link in json.dumps(tap), f"the tap has another message: {tap}")
    state.counts["taps"] += 1


def use(state, model):
    """Reads and writes a tag, and takes it away."""
    tag = NTAG215(FIRST.data)
    model.hold(tag)
    state.expect_use(tag, SECOND)
    model.hold(None)


FORBIDDEN = [shows_nothing, doctor_reports]
PERMITTED = [is_refused, is_carried_out]
