/// The numbers of CTAPHID, the transport of CTAP over USB HID (CTAP 2.1, §11.2).
public enum CTAPHID {
    /// The bytes of a report, in both directions.
    public static let reportSize = 64
    /// The most bytes of a message: one initialisation packet and 128 continuation packets (§11.2.4).
    public static let longestMessage = 57 + 128 * 59
    /// The channel of INIT, before a program has its own.
    public static let broadcast: UInt32 = 0xFFFF_FFFF
    /// The version of the protocol that INIT reports.
    public static let protocolVersion: UInt8 = 2

    /// The report descriptor of a FIDO device: usage page F1D0, usage 01, an input and an output report of 64 bytes without
    /// numbers (§11.2.8.2).
    public static let reportDescriptor: [UInt8] = [
        0x06, 0xD0, 0xF1, 0x09, 0x01, 0xA1, 0x01,
        0x09, 0x20, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x81, 0x02,
        0x09, 0x21, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x91, 0x02,
        0xC0,
    ]

    /// A command of CTAPHID (§11.2.9); on the wire bit 7 is set.
    public enum Command: UInt8, Sendable, Hashable {
        /// Returns its data.
        case ping = 0x01
        /// A U2F command.
        case message = 0x03
        /// Reserves the device for a channel for some seconds.
        case lock = 0x04
        /// Allocates a channel, or resynchronises one.
        case initialize = 0x06
        /// Identifies the device for a person.
        case wink = 0x08
        /// A CTAP command.
        case cbor = 0x10
        /// Ends the CTAP command that runs on the channel.
        case cancel = 0x11
        /// From the device: a CTAP command is still running.
        case keepAlive = 0x3B
        /// From the device: the transaction failed.
        case error = 0x3F
    }

    /// The capabilities in the answer to INIT (§11.2.9.1.3).
    struct Capabilities: OptionSet, Sendable {
        let rawValue: UInt8
        static let wink = Capabilities(rawValue: 0x01)
        static let cbor = Capabilities(rawValue: 0x04)
        static let noMessages = Capabilities(rawValue: 0x08)
    }
}

/// An error of CTAPHID (§11.2.9.1.6): one byte, known or not.
public struct HIDError: Error, RawRepresentable, Sendable, Hashable {
    /// The code on the wire.
    public let rawValue: UInt8

    /// Creates an error from its code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The command is unknown, or the device does not take it.
    public static let invalidCommand = HIDError(rawValue: 0x01)
    /// A parameter is out of range.
    public static let invalidParameter = HIDError(rawValue: 0x02)
    /// The length does not fit the command.
    public static let invalidLength = HIDError(rawValue: 0x03)
    /// A packet is missing or came twice.
    public static let invalidSequence = HIDError(rawValue: 0x04)
    /// The rest of a message did not come in time.
    public static let messageTimeout = HIDError(rawValue: 0x05)
    /// Another transaction is running.
    public static let channelBusy = HIDError(rawValue: 0x06)
    /// The command needs a lock.
    public static let lockRequired = HIDError(rawValue: 0x0A)
    /// The channel was not allocated, or takes INIT only.
    public static let invalidChannel = HIDError(rawValue: 0x0B)
    /// Everything else.
    public static let other = HIDError(rawValue: 0x7F)
}

/// What a running CTAP command waits for (CTAP 2.1, §11.2.9.1.7).
public enum KeepAlive: UInt8, Sendable, Hashable {
    /// The card computes.
    case processing = 1
    /// The card, or a gesture of the user, is awaited.
    case presenceNeeded = 2
}

/// A report of CTAPHID, 64 bytes (CTAP 2.1, §11.2.4).
struct HIDPacket: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The first packet of a message: the command without bit 7, the length of the whole message, up to 57 bytes of it.
        case initialisation(command: UInt8, length: Int, data: [UInt8])
        /// A later packet: its number from 0, 59 bytes.
        case continuation(sequence: UInt8, data: [UInt8])
    }

    let channel: UInt32
    let content: Content

    /// Decodes a report.
    ///
    /// - Parameter report: 64 bytes, or 65 with the report number that hidraw writes in front. Nil for any other size.
    init?(_ report: [UInt8]) {
        let packet = report.count == CTAPHID.reportSize + 1 ? report.dropFirst() : report[...]
        guard packet.count == CTAPHID.reportSize else { return nil }
        let bytes = Array(packet)
        channel = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        if bytes[4] & 0x80 == 0 {
            content = .continuation(sequence: bytes[4], data: Array(bytes.dropFirst(5)))
        } else {
            let length = Int(bytes[5]) << 8 | Int(bytes[6])
            content = .initialisation(command: bytes[4] & 0x7F, length: length, data: Array(bytes.dropFirst(7)))
        }
    }

    /// The reports of a message, each filled up with zeros.
    ///
    /// - Parameter data: at most ``CTAPHID/longestMessage`` bytes.
    static func reports(of data: [UInt8], _ command: CTAPHID.Command, on channel: UInt32) -> [[UInt8]] {
        let address = (0..<4).map { UInt8(truncatingIfNeeded: channel >> (24 - 8 * $0)) }
        let length = [UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)]
        var reports = [filled(address + [command.rawValue | 0x80] + length + data.prefix(57))]
        var (rest, sequence) = (data.dropFirst(57), UInt8(0))
        while !rest.isEmpty {
            reports.append(filled(address + [sequence & 0x7F] + rest.prefix(59)))
            rest = rest.dropFirst(59)
            sequence &+= 1
        }
        return reports
    }

    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        bytes + Array(repeating: 0, count: CTAPHID.reportSize - bytes.count)
    }
}
