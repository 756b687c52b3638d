/// A command of JIS X 6319-4 that needs no key.
public enum FeliCaCommand: Sendable, Hashable {
    /// What a polling asks for besides IDm and PMm.
    public enum PollingRequest: UInt8, Sendable, Hashable {
        /// 00: nothing.
        case none = 0x00
        /// 01: the system code.
        case systemCode = 0x01
        /// 02: the bit rates.
        case communicationPerformance = 0x02
    }

    /// 00, Polling: looks for cards of a system. `timeSlots` is one less than the slots to answer in: 0, 1, 3, 7 or 15.
    case polling(FeliCaSystemCode, request: PollingRequest = .none, timeSlots: UInt8 = 0)
    /// 02, Request Service: the key versions of 1…32 areas or services.
    case requestService(FeliCaIdentifier, nodes: [FeliCaServiceCode])
    /// 04, Request Response: whether the card answers, and its mode.
    case requestResponse(FeliCaIdentifier)
    /// 06, Read Without Encryption: 1…16 services, 1…15 blocks.
    case readWithoutEncryption(FeliCaIdentifier, services: [FeliCaServiceCode], blocks: [FeliCaBlock])
    /// 08, Write Without Encryption: 1…16 services, 1…13 blocks, and 16 bytes of data for each.
    case writeWithoutEncryption(
        FeliCaIdentifier, services: [FeliCaServiceCode], blocks: [FeliCaBlock], data: [UInt8])
    /// 0C, Request System Code: the systems of the card.
    case requestSystemCode(FeliCaIdentifier)

    /// The command code; the response has the next one.
    public var code: UInt8 {
        switch self {
        case .polling: 0x00
        case .requestService: 0x02
        case .requestResponse: 0x04
        case .readWithoutEncryption: 0x06
        case .writeWithoutEncryption: 0x08
        case .requestSystemCode: 0x0C
        }
    }

    /// The system that is addressed; `nil` for a polling.
    public var identifier: FeliCaIdentifier? {
        switch self {
        case .polling: nil
        case .requestService(let identifier, _), .requestResponse(let identifier),
            .readWithoutEncryption(let identifier, _, _), .writeWithoutEncryption(let identifier, _, _, _),
            .requestSystemCode(let identifier):
            identifier
        }
    }
}

extension FeliCaCommand {
    /// The packet with its length byte in front, without preamble and CRC.
    ///
    /// - Throws: ``FeliCaCommandError`` where a list is empty or too long, or the data is not 16 bytes a block.
    public func frame() throws(FeliCaCommandError) -> [UInt8] {
        let body = try [code] + (identifier?.bytes ?? []) + parameters()
        guard let length = UInt8(exactly: body.count + 1) else { throw .tooLong(body.count + 1) }
        return [length] + body
    }

    private func parameters() throws(FeliCaCommandError) -> [UInt8] {
        switch self {
        case .polling(let system, let request, let timeSlots):
            return system.rawValue.bigEndianBytes + [request.rawValue, timeSlots]
        case .requestService(_, let nodes): return try Self.list(nodes.map(\.bytes), limit: 32)
        case .requestResponse, .requestSystemCode: return []
        case .readWithoutEncryption(_, let services, let blocks):
            return try Self.list(services.map(\.bytes), limit: 16) + Self.list(blocks.map(\.bytes), limit: 15)
        case .writeWithoutEncryption(_, let services, let blocks, let data):
            guard data.count == blocks.count * FeliCaBlock.size else { throw .wrongDataSize(data.count) }
            return try Self.list(services.map(\.bytes), limit: 16) + Self.list(blocks.map(\.bytes), limit: 13) + data
        }
    }

    /// The number of entries in front of them.
    private static func list(_ entries: [[UInt8]], limit: Int) throws(FeliCaCommandError) -> [UInt8] {
        guard (1...limit).contains(entries.count) else { throw .wrongCount(entries.count, limit: limit) }
        return [UInt8(truncatingIfNeeded: entries.count)] + entries.flatMap { $0 }
    }
}

/// Why a command cannot be put into a packet.
public enum FeliCaCommandError: Error, Sendable, Hashable {
    /// A list has no entries or more than `limit`.
    case wrongCount(Int, limit: Int)
    /// The data to write is not 16 bytes for each block.
    case wrongDataSize(Int)
    /// The packet would be longer than 255 bytes.
    case tooLong(Int)
}

extension FeliCaCommandError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .wrongCount(let count, let limit): "a list of a FeliCa command has 1 to \(limit) entries, not \(count)"
        case .wrongDataSize(let count): "\(count) bytes of data are not 16 for each block"
        case .tooLong(let count): "a FeliCa packet has at most 255 bytes, this one would have \(count)"
        }
    }
}

/// A block list element (JIS X 6319-4): which block of which service of the list a read or write means.
public struct FeliCaBlock: Sendable, Hashable {
    /// Bytes per block.
    public static let size = 16

    /// The block number inside the service.
    public let number: UInt16
    /// The position of the service in the command's service list, 0…15.
    public let service: UInt8
    /// The access mode, 0…7: 0 for all but a purse's cash-back.
    public let accessMode: UInt8

    /// A block of a service in the list, the first one by default; only the low 4 and 3 bits of the others count.
    public init(_ number: UInt16, service: UInt8 = 0, accessMode: UInt8 = 0) {
        self.number = number
        self.service = service & 0x0F
        self.accessMode = accessMode & 0x07
    }

    /// The element: 2 bytes up to block 255, else 3 with the block number least significant byte first.
    public var bytes: [UInt8] {
        let mode = accessMode << 4 | service
        let low = UInt8(truncatingIfNeeded: number)
        return number <= 0xFF ? [0x80 | mode, low] : [mode, low, UInt8(truncatingIfNeeded: number >> 8)]
    }
}

/// A system code (JIS X 6319-4): which system of a card a polling is for. FF in either byte stands for any.
public struct FeliCaSystemCode: RawRepresentable, Sendable, Hashable {
    /// The code; transmitted most significant byte first.
    public let rawValue: UInt16

    /// Creates a value of any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// FFFF: any system.
    public static let any = FeliCaSystemCode(rawValue: 0xFFFF)
    /// 12FC: the NDEF system of NFC Forum Type 3 Tags.
    public static let ndef = FeliCaSystemCode(rawValue: 0x12FC)
    /// 88B4: FeliCa Lite and Lite-S.
    public static let lite = FeliCaSystemCode(rawValue: 0x88B4)
}

extension FeliCaSystemCode: CustomStringConvertible {
    /// Four hexadecimal digits.
    public var description: String { Hexadecimal.string(rawValue.bigEndianBytes) }
}

extension FeliCaCommand {
    /// Whether a packet without its length byte is a Polling.
    public static func isPolling(_ packet: [UInt8]) -> Bool { packet.first == 0x00 }
}

extension FeliCaSystemCode {
    /// The system that a Polling without its length byte names; `nil` for another command, or a packet that is cut off.
    public init?(polling packet: [UInt8]) {
        let code = Array(packet.dropFirst().prefix(2))
        guard FeliCaCommand.isPolling(packet), code.count == 2 else { return nil }
        self.init(rawValue: UInt16(code[0]) << 8 | UInt16(code[1]))
    }
}

/// A service code (JIS X 6319-4): service number and attribute; transmitted least significant byte first.
public struct FeliCaServiceCode: RawRepresentable, Sendable, Hashable {
    /// The code.
    public let rawValue: UInt16

    /// Creates a value of any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 000B: random access, read-only, without authentication.
    public static let readOnly = FeliCaServiceCode(rawValue: 0x000B)
    /// 0009: random access, read and write, without authentication.
    public static let readWrite = FeliCaServiceCode(rawValue: 0x0009)

    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)] }
}
