"""The descriptors of a USB reader, built field by field: USB 2.0 §9.6, and CCID 1.1 §5.1 (the class descriptor)."""

import dataclasses
import struct

BULK, INTERRUPT = 2, 3
DIRECTION_IN = 0x80
# Two bits for each slot, in whole bytes, after the type of the message (CCID §6.3.1).
LARGEST_NOTIFICATION = 8
LANGUAGE = 0x0409  # English (United States)


@dataclasses.dataclass(frozen=True)
class Interface:
    """One CCID interface: what differs from reader to reader. Clocks are in kHz, data rates in bit/s."""

    # The string of iInterface; nil if the reader has none.
    name: str | None = None
    ccid: int = 0x0110
    slots: int = 1
    voltages: int = 0x07
    # Bit 0 is T=0, bit 1 is T=1.
    protocols: int = 0x03
    clock: int = 4000
    maximum_clock: int = 4000
    rate: int = 10752
    maximum_rate: int = 250000
    # The largest information field of T=1.
    ifsd: int = 254
    # 02 parameters by ATR, 08 voltage, 10 clock, 20 baud rate, 40 negotiates, 80 PPS, 04.. IFSD; 02.... short APDUs,
    # 04.... short and extended APDUs.
    features: int = 0x000404BA
    # The longest CCID message.
    message: int = 522
    # The class byte for GET RESPONSE and ENVELOPE; FF echoes the command's.
    echoed_class: int = 0xFF
    pin: int = 0x00
    has_interrupt: bool = True
    # Whether a tag can be held to it: not a slot for a SAM or for a contact card.
    is_contactless: bool = True

    def class_descriptor(self):
        return struct.pack(
            "<BBHBBIIIBIIBIIIIIBBHBB",
            0x36, 0x21,
            self.ccid,                # bcdCCID
            self.slots - 1,           # bMaxSlotIndex
            self.voltages,            # bVoltageSupport
            self.protocols,           # dwProtocols
            self.clock,               # dwDefaultClock
            self.maximum_clock,       # dwMaximumClock
            0,                        # bNumClockSupported: the host takes what is returned
            self.rate,                # dwDataRate
            self.maximum_rate,        # dwMaxDataRate
            0,                        # bNumDataRatesSupported
            self.ifsd,                # dwMaxIFSD
            0,                        # dwSynchProtocols
            0,                        # dwMechanical
            self.features,            # dwFeatures
            self.message,             # dwMaxCCIDMessageLength
            self.echoed_class,        # bClassGetResponse
            self.echoed_class,        # bClassEnvelope
            0,                        # wLcdLayout
            self.pin,                 # bPINSupport
            1)                        # bMaxCCIDBusySlots


@dataclasses.dataclass(frozen=True)
class Reader:
    """A USB reader as its descriptors show it."""

    # The name in Docs/readers.md.
    model: str
    # The short name of nfcd's profile for it.
    profile: str
    vendor: int
    product: int
    manufacturer: str
    name: str
    release: int
    interfaces: tuple = (Interface(),)
    # The pass-through of the firmware to the tag; see firmware.py.
    firmware: str = "plain"
    serial: str | None = None

    def strings(self):
        """The string descriptors by index: the manufacturer, the product, the serial number, then the interfaces."""
        return ["", self.manufacturer, self.name, self.serial or "", *(interface.name or "" for interface in self.interfaces)]

    def string_descriptor(self, index):
        """A string descriptor; nil if the reader does not have it."""
        if index == 0:
            return struct.pack("<BBH", 4, 3, LANGUAGE)
        texts = self.strings()
        if index >= len(texts) or not texts[index]:
            return None
        text = texts[index].encode("utf-16-le")
        return bytes([len(text) + 2, 3]) + text

    def index_of(self, number):
        """The index of a string; 0 if it does not exist."""
        return number if self.strings()[number] else 0

    def device_descriptor(self):
        return struct.pack(
            "<BBHBBBBHHHBBBB", 18, 1,
            0x0200,                   # bcdUSB
            0, 0, 0,                  # the class is that of each interface
            64,                       # bMaxPacketSize0
            self.vendor, self.product, self.release,
            self.index_of(1), self.index_of(2), self.index_of(3),
            1)                        # bNumConfigurations

    def configuration_descriptor(self):
        parts = b"".join(self.interface_descriptors(number) for number in range(len(self.interfaces)))
        # Powered by the bus, 100 mA.
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(parts), len(self.interfaces), 1, 0, 0x80, 50) + parts

    def interface_descriptors(self, number):
        """The descriptor of an interface, its class descriptor, and its endpoints."""
        interface = self.interfaces[number]
        ends = [(self.bulk_out(number), BULK, 64, 0), (self.bulk_in(number), BULK, 64, 0)]
        if interface.has_interrupt:
            ends.append((self.interrupt_in(number), INTERRUPT, LARGEST_NOTIFICATION, 16))
        head = struct.pack("<BBBBBBBBB", 9, 4, number, 0, len(ends), 0x0B, 0, 0, self.index_of(4 + number))
        return head + interface.class_descriptor() + b"".join(
            struct.pack("<BBBBHB", 7, 5, address, kind, size, interval) for address, kind, size, interval in ends)

    def descriptors(self):
        """What the kernel shows as `descriptors` in sysfs."""
        return self.device_descriptor() + self.configuration_descriptor()

    # Endpoints: three for each interface.

    @staticmethod
    def bulk_out(number):
        return 3 * number + 1

    @staticmethod
    def bulk_in(number):
        return (3 * number + 2) | DIRECTION_IN

    @staticmethod
    def interrupt_in(number):
        return (3 * number + 3) | DIRECTION_IN
