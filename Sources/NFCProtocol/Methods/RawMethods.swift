// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
import NFCTypes

// Raw commands: `iso7816.*`, `miFare.*`, `feliCa.*` and `iso15693.*`.

/// Sends a command APDU.
public enum ISO7816SendCommand: TimedTagMethod {
    public static let name = "iso7816.sendCommand"
    public static let requirement = Requirement.capability(.raw)
    /// The lengths of an APDU in bytes (ISO/IEC 7816-3): from a header to extended lengths with 65,535 bytes of data.
    public static let lengths = 4...65_544

    public struct Arguments: Codable, Sendable, Hashable {
        /// The command APDU, 4 to 65,544 bytes.
        public var apdu: HexBytes
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The response data.
        public var data: HexBytes
        /// The first byte of the status word.
        public var sw1: UInt8
        /// The second byte of the status word.
        public var sw2: UInt8
    }
}

extension ISO7816SendCommand.Result: FlatResult {
    package var members: FlatObject {
        ["data": .hexadecimal(data), "sw1": .integer(Int64(sw1)), "sw2": .integer(Int64(sw2))]
    }
}

/// Sends a command of a MIFARE tag's own command set.
///
/// MIFARE Plus and DESFire cards that are delivered as `miFare` take their native commands, one frame at a time; the answer begins
/// with the status byte. A frame to MIFARE Plus is sent unchanged; some readers pass only command APDUs. An ACK of an NTAG or
/// Ultralight is the byte 0A; where the reader hides it, a WRITE is verified by reading the page back.
public enum MiFareSendCommand: TimedTagMethod {
    public static let name = "miFare.sendCommand"
    public static let requirement = Requirement.capability(.raw)
    public typealias Result = RawAnswer

    public struct Arguments: Codable, Sendable, Hashable {
        /// The frame, at least one byte. The reader appends the CRC.
        public var command: HexBytes
    }
}

/// Sends a command APDU to a MIFARE tag.
///
/// CoreNFC has two names for this command; the other one is `iso7816.sendCommand`.
public enum MiFareSendISO7816Command: TimedTagMethod {
    public static let name = "miFare.sendISO7816Command"
    public static let requirement = Requirement.capability(.raw)
    public typealias Arguments = ISO7816SendCommand.Arguments
    public typealias Result = ISO7816SendCommand.Result
}

/// Sends a FeliCa command.
public enum FeliCaSendCommand: TimedTagMethod {
    public static let name = "feliCa.sendCommand"
    public static let requirement = Requirement.capability(.raw)
    public typealias Result = RawAnswer
    /// The lengths of a packet in bytes (JIS X 6319-4: the length byte counts itself).
    public static let lengths = 1...254

    public struct Arguments: Codable, Sendable, Hashable {
        /// The packet from the command code on, 1 to 254 bytes. As in CoreNFC, the length byte and the CRC are added.
        public var packet: HexBytes
    }
}

/// Sends a request of ISO/IEC 15693.
///
/// If the address flag is set, `data` begins with the UID.
public enum ISO15693SendRequest: TimedTagMethod {
    public static let name = "iso15693.sendRequest"
    public static let requirement = Requirement.capability(.raw)

    public struct Arguments: Codable, Sendable, Hashable {
        /// The flags byte.
        public var requestFlags: UInt8
        /// The command code.
        public var commandCode: UInt8
        /// The bytes after the command code; by default there are none.
        public var data: HexBytes?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The flags byte. If the error flag (01) is set, `data` holds the error code; that is not an error of the request.
        public var responseFlag: UInt8
        /// The bytes after the flags byte.
        public var data: HexBytes
    }
}

extension ISO15693SendRequest.Result: FlatResult {
    package var members: FlatObject { ["data": .hexadecimal(data), "responseFlag": .integer(Int64(responseFlag))] }
}

/// The answer to a raw command.
public struct RawAnswer: Codable, Sendable, Hashable {
    /// The bytes of the answer; of a FeliCa card from the response code on.
    public var data: HexBytes
}

extension RawAnswer: FlatResult {
    package var members: FlatObject { ["data": .hexadecimal(data)] }
}
