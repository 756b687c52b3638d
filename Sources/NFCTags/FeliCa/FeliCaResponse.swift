import ISO7816

/// A parsed response packet: length, code and IDm are checked; the command interprets the rest.
struct FeliCaResponse: Sendable, Hashable {
    /// What follows the IDm.
    let body: [UInt8]
    /// The system that answered.
    let identifier: FeliCaIdentifier

    /// Checks a packet, length byte included, against the command it answers.
    ///
    /// - Throws: ``TagError`` 102 for a malformed packet or an answer to something else, 100 when another card answered.
    init(_ frame: [UInt8], to command: FeliCaCommand) throws(TagError) {
        guard let length = frame.first, Int(length) == frame.count else {
            throw TagError(
                .tagResponseError, "a FeliCa packet of \(frame.count) bytes has a wrong length byte", response: frame)
        }
        guard frame.dropFirst().first == command.code + 1,
            let identifier = FeliCaIdentifier(Array(frame.dropFirst(2).prefix(FeliCaIdentifier.size)))
        else {
            throw TagError(.tagResponseError, "the packet does not answer command \(command.code)", response: frame)
        }
        if let expected = command.identifier, expected != identifier {
            throw TagError(.tagConnectionLost, "card \(identifier) answered instead of \(expected)", response: frame)
        }
        self.identifier = identifier
        body = Array(frame.dropFirst(2 + FeliCaIdentifier.size))
    }
}

/// The answer to a polling.
public struct FeliCaPolled: Sendable, Hashable {
    /// IDm of the system.
    public let identifier: FeliCaIdentifier
    /// PMm.
    public let parameter: FeliCaManufactureParameter
    /// The 2 requested bytes, where the card gave them.
    public let requestData: [UInt8]

    /// The system, where the polling asked for its code and the card gave it.
    public var systemCode: UInt16? {
        guard let high = requestData.first, let low = requestData.last, requestData.count == 2 else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    /// - Throws: ``TagError`` 102 for a length that no answer to a polling has.
    init(_ response: FeliCaResponse) throws(TagError) {
        let rest = Array(response.body.dropFirst(8))
        guard let parameter = FeliCaManufactureParameter(Array(response.body.prefix(8))), [0, 2].contains(rest.count)
        else {
            throw TagError(.tagResponseError, "the answer to Polling has the wrong length", response: response.body)
        }
        identifier = response.identifier
        self.parameter = parameter
        requestData = rest
    }
}

extension FeliCaResponse {
    /// The status flags, and what follows them.
    ///
    /// - Throws: ``TagError`` 102 if there are none.
    func status() throws(TagError) -> (FeliCaStatus, rest: [UInt8]) {
        let flags = Array(body.prefix(2))
        guard flags.count == 2 else {
            throw TagError(.tagResponseError, "the answer has no status flags", response: body)
        }
        return (FeliCaStatus(flag1: flags[0], flag2: flags[1]), Array(body.dropFirst(2)))
    }

    /// A number of entries and the entries, of 2 bytes each.
    ///
    /// - Throws: ``TagError`` 102 if the number does not match the entries or `count`.
    func pairs(count: Int? = nil) throws(TagError) -> [[UInt8]] {
        let rest = Array(body.dropFirst())
        guard let number = body.first, rest.count == Int(number) * 2, count == nil || count == Int(number) else {
            throw TagError(
                .tagResponseError, "a list of \(rest.count) bytes does not have the declared number of entries",
                response: body)
        }
        return stride(from: 0, to: rest.count, by: 2).map { Array(rest[$0..<$0 + 2]) }
    }
}

/// Status flags 1 and 2 of a read or write (JIS X 6319-4; the values are those of Sony's FeliCa manuals).
public struct FeliCaStatus: Sendable, Hashable {
    /// Where: 00 for success, FF for the command as a whole, else the place in the block or service list.
    public let flag1: UInt8
    /// What.
    public let flag2: UInt8

    /// Creates a status of any values.
    public init(flag1: UInt8, flag2: UInt8) {
        self.flag1 = flag1
        self.flag2 = flag2
    }

    /// Whether the command was carried out. FF 71 warns of worn memory after a successful write.
    public var isSuccess: Bool { flag1 == 0x00 || (flag1 == 0xFF && flag2 == 0x71) }

    private static let names: [UInt8: String] = [
        0x00: "done", 0x01: "purse below zero", 0x02: "cash-back above the last amount",
        0x70: "memory error", 0x71: "memory worn, but written",
        0xA1: "wrong number of services", 0xA2: "wrong number of blocks", 0xA3: "wrong service in the block list",
        0xA4: "wrong service type", 0xA5: "access not allowed", 0xA6: "wrong service code or attribute",
        0xA7: "wrong access mode in the block list", 0xA8: "block does not exist or cannot be accessed like this",
        0xA9: "write failed", 0xAC: "wrong parameter",
        0xB0: "MAC and MAC_A together", 0xB1: "authentication needed", 0xB2: "MAC wrong or missing",
    ]
}

extension FeliCaStatus: CustomStringConvertible {
    /// Both flags and what they mean.
    public var description: String {
        let flags = "\(Hexadecimal.string(flag1)) \(Hexadecimal.string(flag2))"
        return "\(flags) (\(isSuccess && flag1 == 0 ? "done" : Self.names[flag2] ?? "unknown status"))"
    }
}
