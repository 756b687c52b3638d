"""The CCID function of a reader (CCID 1.1): commands on bulk endpoints, changes of slots on the interrupt endpoint, faults."""

import dataclasses
import struct
import threading

from firmware import Firmware
from usbdevice import Stall

# Commands of the host, and what answers them (CCID §6.1 and §6.2).
POWER_ON, POWER_OFF, SLOT_STATUS, TRANSFER = 0x62, 0x63, 0x65, 0x6F
GET_PARAMETERS, RESET_PARAMETERS, SET_PARAMETERS, ESCAPE, SET_RATE, ABORT = 0x6C, 0x6D, 0x61, 0x6B, 0x73, 0x72
DATA_BLOCK, STATUS, PARAMETERS, ESCAPE_ANSWER, RATE = 0x80, 0x81, 0x82, 0x83, 0x84
NOTIFICATION = 0x50
HEADER = 10
# bmICCStatus and bmCommandStatus.
ACTIVE, INACTIVE, ABSENT = 0, 1, 2
FAILED, EXTENSION = 0x40, 0x80
# bError.
NOT_SUPPORTED, MUTE, NO_SUCH_SLOT, HARDWARE = 0x00, 0xFE, 0x05, 0xFB
# Parameters of T=1: TA1, LRC, guard time, waiting times, IFSC, NAD.
T1_PARAMETERS = bytes([0x11, 0x10, 0x00, 0x4D, 0x00, 0xFE, 0x00])
GET_DESCRIPTOR = (0x80, 6)
# Seconds after which a tag that no program has selected is held again, and how long it is away.
MISSED, PAUSE = 3, 1


def run_later(seconds, function):
    """Calls a function on another thread after a time."""
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()


@dataclasses.dataclass
class Fault:
    """What goes wrong with an APDU.

    `outcome`: "unplugged", "dead" (no answer from now on), "stalled", "failed", "gone" (the tag leaves) or "extended".
    `reaches_tag`: whether the tag has carried out the command. `at`: how many APDUs pass before it. `pause`: seconds until the
    answer of "extended", which the reader requests one at a time.
    """

    outcome: str
    at: int = 0
    reaches_tag: bool = False
    pause: int = 0
    # Set when it has happened.
    happened: threading.Event = dataclasses.field(default_factory=threading.Event)

    def is_due(self):
        if self.happened.is_set():
            return False
        self.at -= 1
        return self.at < 0


class Slot:
    """One slot of a reader: an antenna, or a contact that stays empty."""

    def __init__(self, number):
        self.number = number
        self.tag, self.is_powered, self.has_changed = None, False, False

    def status(self):
        if self.tag is None:
            return ABSENT
        return ACTIVE if self.is_powered else INACTIVE


class CCIDInterface:
    """The endpoints of one interface and its slots."""

    def __init__(self, interface):
        self.interface = interface
        self.slots = [Slot(number) for number in range(interface.slots)]
        self.answers, self.is_stalled = [], False

    def has_changed(self):
        return any(slot.has_changed for slot in self.slots)

    def notification(self):
        """RDR_to_PC_NotifySlotChange: for each slot whether it has a card, and whether that has changed."""
        bits = sum(((slot.tag is not None) | slot.has_changed << 1) << 2 * slot.number for slot in self.slots)
        for slot in self.slots:
            slot.has_changed = False
        return bytes([NOTIFICATION]) + bits.to_bytes((2 * len(self.slots) + 7) // 8, "little")


class CCIDReader:
    """A reader with tags. `escape` is what it answers to an escape command: bytes, or nil if it refuses it."""

    def __init__(self, reader, escape=None):
        self.reader = reader
        self.firmware = Firmware(reader.firmware)
        self.interfaces = [CCIDInterface(interface) for interface in reader.interfaces]
        self.escape = escape
        # The device that it is on the bus, and what unplugs it there.
        self.device, self.unplug = None, None
        self.fault, self.is_dead = None, False
        self.escapes, self.blocks, self.repetitions = 0, 0, 0

    # Tags.

    def antenna(self):
        """The interface for tags."""
        return next(part for part in self.interfaces if part.interface.is_contactless)

    def hold(self, tag, slot=0):
        """Holds a tag to a slot of the antenna, or takes it away (nil).

        libccid 1.6 can miss it at a reader with several slots, where nothing waits for a change at that moment: then the tag is
        taken away and held again, as a person does.
        """
        self.change(self.antenna().slots[slot], tag)
        if tag is not None and len(self.antenna().slots) > 1:
            run_later(MISSED, lambda: self.hold_again(tag, slot))

    def hold_again(self, tag, slot):
        place = self.antenna().slots[slot]
        if self.device.is_present and place.tag is tag and not tag.was_selected:
            self.repetitions += 1
            self.change(place, None)
            run_later(PAUSE, lambda: self.hold(tag, slot))

    def change(self, slot, tag):
        with self.device.condition:
            if tag is not None:
                tag.was_selected = False
            self.place(slot, tag)
            self.device.deliver()

    @staticmethod
    def place(slot, tag):
        slot.tag, slot.is_powered, slot.has_changed = tag, False, True

    # What the bus requests.

    def control(self, setup, _):
        kind, request, value, _, _ = struct.unpack("<BBHHH", setup)
        if (kind, request) != GET_DESCRIPTOR:
            raise Stall
        found = {1: self.reader.device_descriptor, 2: self.reader.configuration_descriptor,
                 3: lambda: self.reader.string_descriptor(value & 0xFF)}.get(value >> 8, lambda: None)()
        if found is None:
            raise Stall
        return found

    def read(self, endpoint):
        number = ((endpoint & 0x0F) - 1) // 3
        part = self.interfaces[number]
        if endpoint == self.reader.interrupt_in(number):
            return part.notification() if part.has_changed() and not self.is_dead else None
        if part.is_stalled:
            part.is_stalled = False
            raise Stall
        return part.answers.pop(0) if part.answers else None

    def written(self, endpoint, message):
        if self.is_dead or len(message) < HEADER:
            return
        part = self.interfaces[(endpoint - 1) // 3]
        kind, length, slot, sequence = struct.unpack_from("<BIBB", message)
        if slot >= len(part.slots):
            part.answers.append(self.message(STATUS, slot, sequence, FAILED | ABSENT, NO_SUCH_SLOT))
            return
        answer = self.answer(part, part.slots[slot], kind, sequence, message[HEADER:HEADER + length])
        if answer:
            part.answers.append(answer)

    @staticmethod
    def message(kind, slot, sequence, status, error=0, data=b"", last=0):
        return struct.pack("<BIBBBBB", kind, len(data), slot, sequence, status, error, last) + data

    def answer(self, part, slot, kind, sequence, data):
        """The answer to a command; nil if there is none yet."""
        def reply(kind, status=slot.status(), error=0, data=b""):
            return self.message(kind, slot.number, sequence, status, error, data)

        if kind == POWER_ON:
            return self.power_on(slot, reply)
        if kind == POWER_OFF:
            slot.is_powered = False
            return reply(STATUS, slot.status())
        if kind in (SLOT_STATUS, ABORT):
            return reply(STATUS)
        if kind in (GET_PARAMETERS, RESET_PARAMETERS, SET_PARAMETERS):
            return self.message(PARAMETERS, slot.number, sequence, slot.status(), 0, T1_PARAMETERS, last=1)
        if kind == ESCAPE:
            self.escapes += 1
            if self.escape is None:
                return reply(ESCAPE_ANSWER, FAILED | slot.status(), NOT_SUPPORTED)
            return reply(ESCAPE_ANSWER, data=self.escape)
        if kind == TRANSFER:
            return self.transfer(part, slot, reply, data)
        return reply(STATUS, FAILED | slot.status(), NOT_SUPPORTED)

    @staticmethod
    def power_on(slot, reply):
        if slot.tag is None:
            return reply(DATA_BLOCK, FAILED | ABSENT, MUTE)
        slot.is_powered = True
        slot.tag.was_selected = True
        slot.tag.activate()
        return reply(DATA_BLOCK, ACTIVE, data=slot.tag.atr())

    def transfer(self, part, slot, reply, apdu):
        self.blocks += 1
        if slot.tag is None:
            return reply(DATA_BLOCK, FAILED | ABSENT, MUTE)
        if not slot.is_powered:
            return reply(DATA_BLOCK, FAILED | INACTIVE, MUTE)
        fault = self.fault
        if fault is None or not fault.is_due():
            return reply(DATA_BLOCK, data=self.firmware.perform(apdu, slot.tag))
        result = self.firmware.perform(apdu, slot.tag) if fault.reaches_tag else b""
        answer = self.fail(fault, part, slot, reply, result)
        fault.happened.set()
        return answer

    # Faults.

    def fail(self, fault, part, slot, reply, result):
        """What the reader answers where a fault is due; nil for nothing."""
        if fault.outcome == "unplugged":
            # The bus is quiet at once; the event of udev follows on another thread, as this one answers the host.
            self.device.disappear()
            threading.Thread(target=self.unplug, daemon=True).start()
        elif fault.outcome == "dead":
            self.is_dead = True
        elif fault.outcome == "stalled":
            part.is_stalled = True
        elif fault.outcome == "failed":
            return reply(DATA_BLOCK, FAILED | ACTIVE, HARDWARE)
        elif fault.outcome == "gone":
            self.place(slot, None)
            return reply(DATA_BLOCK, FAILED | ABSENT, MUTE)
        elif fault.outcome == "extended":
            for second in range(fault.pause):
                self.later(second, part, reply(DATA_BLOCK, EXTENSION | ACTIVE, 1))
            self.later(fault.pause, part, reply(DATA_BLOCK, data=result))
        return None

    def later(self, seconds, part, answer):
        """Sends an answer after a time, if the reader is still plugged in."""
        device = self.device

        def send():
            with device.condition:
                part.answers.append(answer)
                device.deliver()

        run_later(seconds, send)
