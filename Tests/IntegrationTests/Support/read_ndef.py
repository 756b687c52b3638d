"""Reads an NDEF message through PC/SC with pyscard, a program independent of nfcd: type2 or type4."""

import sys

from smartcard.System import readers


def send(connection, command):
    data, sw1, sw2 = connection.transmit(list(bytes.fromhex(command)))
    if (sw1, sw2) != (0x90, 0x00):
        sys.exit(f"{command}: {sw1:02X}{sw2:02X}")
    return bytes(data)


def type2(connection):
    """TLVs from page 4 on; NULL and control TLVs are passed over."""
    area = b"".join(send(connection, f"FFB000{page:02X}10") for page in range(4, 36, 4))
    at = 0
    while area[at] != 0x03:
        at += 1 if area[at] == 0 else 2 + area[at + 1]
    return area[at + 2 : at + 2 + area[at + 1]]


def type4(connection):
    """The NDEF file that the capability container names."""
    send(connection, "00A4040007D276000085010100")
    send(connection, "00A4000C02E103")
    file = send(connection, "00B000000F")[9:11].hex()
    send(connection, f"00A4000C02{file}")
    length = int.from_bytes(send(connection, "00B0000002"), "big")
    return send(connection, f"00B00002{length:02X}")


connection = readers()[0].createConnection()
connection.connect()
print({"type2": type2, "type4": type4}[sys.argv[1]](connection).hex().upper())
