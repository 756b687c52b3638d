"""The readers of Docs/readers.md that libccid drives, as their descriptors show them.

The numbers are those that CCID's list of readers gives for each: USB ids, strings, release, and the fields of the class descriptor.
The OMNIKEY 5321 is not here: libccid does not drive it.
"""

from descriptors import Interface, Reader

ACS, HID, IDENTIV, SONY, SPRINGCARD = 0x072F, 0x076B, 0x04E6, 0x054C, 0x1C34
# The antenna of the newer ACS readers: T=1 only, negotiated by the reader, extended APDUs.
ACS_PICC = Interface(ccid=0x0100, protocols=0x02, ifsd=512, features=0x00040040, echoed_class=0x00)
# What the ACR1552U and the ACR1581U share.
ACS_NEW = Interface(clock=5000, maximum_clock=13560, rate=105938, maximum_rate=847500, ifsd=506, message=516)
ACS_NEW_CONTACT = Interface(clock=5000, maximum_clock=5000, rate=13441, maximum_rate=625000, ifsd=506, message=516,
                            is_contactless=False)
OMNIKEY = Interface(clock=4800, maximum_clock=4800, rate=12903, maximum_rate=825807, message=520)
UTRUST = Interface(voltages=0x01, clock=4800, maximum_clock=12000, rate=12903, maximum_rate=412903, ifsd=1024,
                   features=0x000404BE, message=1034)


def like(interface, **changes):
    """An interface that differs from another one."""
    return Interface(**{**vars(interface), **changes})


READERS = [
    Reader(
        "ACR122U", "acr122u", ACS, 0x2200, "ACS", "ACR122U PICC Interface", 0x0207, firmware="pn532",
        interfaces=(Interface(ccid=0x0100, protocols=0x02, ifsd=256, features=0x00020040, message=271, echoed_class=0x00),)),
    Reader(
        "ACR1251U", "acr1252u", ACS, 0x221A, "ACS", "ACR1251 Dual Reader", 0x0200, firmware="frames",
        interfaces=(
            like(ACS_PICC, name="ACR1251 Dual Reader PICC"),
            Interface(name="ACR1251 Dual Reader SAM", clock=4800, maximum_clock=4800, rate=12903, maximum_rate=344100,
                      features=0x000200BA, message=288, echoed_class=0x00, pin=0x03, is_contactless=False))),
    Reader(
        "ACR1252U", "acr1252u", ACS, 0x223B, "ACS", "ACR1252 Dual Reader", 0x0100, firmware="frames",
        interfaces=(
            like(ACS_PICC, name="ACR1252 Dual Reader PICC", ifsd=254),
            Interface(name="ACR1252 Dual Reader SAM", voltages=0x01, clock=3420, maximum_clock=3420, rate=9193,
                      maximum_rate=213750, features=0x000204BA, message=288, echoed_class=0x00, is_contactless=False))),
    Reader(
        "ACR1255U", "acr1252u", ACS, 0x223F, "ACS", "ACR1255U-J1", 0x0200, firmware="frames",
        interfaces=(like(ACS_PICC, ccid=0x0110, maximum_rate=129032),)),
    # Three slots: contact card, antenna, SAM.
    Reader(
        "ACR1281U", "acr1252u", ACS, 0x2224, "ACS", "ACR1281U", 0x0504, firmware="frames",
        interfaces=(Interface(ccid=0x0100, slots=3, clock=4800, maximum_clock=4800, rate=12903, maximum_rate=412903, ifsd=512,
                              echoed_class=0x00),)),
    Reader(
        "ACR1552U", "acr1552u", ACS, 0x2303, "ACS", "ACR1552", 0x0100, firmware="transparent",
        interfaces=(
            like(ACS_NEW, name="ACR1552 1S CL Reader PICC"),
            like(ACS_NEW_CONTACT, name="ACR1552 1S CL Reader SAM", voltages=0x01, has_interrupt=False))),
    Reader(
        "ACR1581U", "acr1552u", ACS, 0x2301, "ACS", "ACR1581", 0x0105, firmware="transparent",
        interfaces=(
            like(ACS_NEW, name="ACR1581 1S Dual Reader PICC"),
            like(ACS_NEW_CONTACT, name="ACR1581 1S Dual Reader ICC"),
            like(ACS_NEW_CONTACT, name="ACR1581 1S Dual Reader SAM", voltages=0x01, has_interrupt=False))),
    Reader(
        "OMNIKEY 5022", "omnikey-5422", HID, 0x5022, "HID Global", "OMNIKEY 5022 Smart Card Reader", 0x0101,
        interfaces=(like(OMNIKEY, name="OMNIKEY 5022 Smart Card Reader"),)),
    Reader(
        "OMNIKEY 5422", "omnikey-5422", HID, 0x5422, "HID Global", "OMNIKEY 5422 Smartcard Reader", 0x0101,
        interfaces=(
            like(OMNIKEY, name="OMNIKEY 5422CL Smartcard Reader"),
            like(OMNIKEY, name="OMNIKEY 5422 Smartcard Reader", maximum_clock=8000, rate=10752, maximum_rate=412903,
                 features=0x000407B8, is_contactless=False))),
    Reader(
        "OMNIKEY 5427", "omnikey-5422", HID, 0x5427, "HID OMNIKEY", "5427 CK", 0x0100, interfaces=(OMNIKEY,)),
    Reader(
        "Identiv uTrust 3700 F", "identiv", IDENTIV, 0x5790, "Identiv", "uTrust 3700 F CL Reader", 0x0102,
        interfaces=(like(UTRUST, name="uTrust 3700 F CL Reader"),)),
    Reader(
        "Identiv uTrust 4701 F", "identiv", IDENTIV, 0x5724, "Identiv", "Identiv uTrust 4701 F Dual Interface Reader", 0x0104,
        interfaces=(
            Interface(name="uTrust 4701 F Contact Reader", clock=4800, maximum_clock=12000, rate=12903, maximum_rate=412903,
                      features=0x000104BA, message=271, is_contactless=False),
            like(UTRUST, name="uTrust 4701 F CL Reader"))),
    Reader(
        "Sony RC-S300", "rc-s300", SONY, 0x0DC9, "SONY", "FeliCa Port/PaSoRi 4.0", 0x0100, firmware="transparent",
        interfaces=(Interface(protocols=0x02, rate=115200, maximum_rate=921600, features=0x0004007E, echoed_class=0x00),)),
    # Two slots: antenna and SAM.
    Reader(
        "SpringCard", "springcard", SPRINGCARD, 0x6132, "SpringCard", "Puck", 0x0108,
        interfaces=(Interface(name="CCID", slots=2, maximum_rate=200080, features=0x0004047E, message=65554),)),
]


def reader(model):
    """The reader with a name."""
    return next(known for known in READERS if known.model == model)
