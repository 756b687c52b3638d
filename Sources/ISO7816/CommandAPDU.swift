import NFCTypes

/// A command APDU: four header bytes, command data Nc and the expected response length Ne (ISO/IEC 7816-4).
///
/// ```swift
/// let select = try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: name, expectedLength: 256)
/// channel.transmit(select.bytes)
/// ```
public struct CommandAPDU: Sendable, Hashable {
    /// How Lc and Le are written (ISO/IEC 7816-4, "short and extended length fields").
    public enum Form: Sendable, Hashable {
        /// One byte each: Nc up to 255, Ne up to 256.
        case short
        /// Two bytes each after a leading 00: Nc up to 65,535, Ne up to 65,536.
        case extended
    }

    /// Class byte.
    public let cla: UInt8
    /// Instruction byte.
    public let ins: UInt8
    /// First parameter byte.
    public let p1: UInt8
    /// Second parameter byte.
    public let p2: UInt8
    /// The command data field, 0…65,535 bytes; empty means that there is no Lc.
    public let data: [UInt8]
    /// Ne, 1…65,536 bytes; `nil` means that no response data is expected and there is no Le.
    public let expectedLength: Int?
    /// The form of the length fields: the shortest that fits, or what the parsed bytes used.
    public let form: Form

    /// Makes a command in the shortest form that carries its lengths.
    ///
    /// - Throws: ``CommandAPDUError/dataTooLong(_:)`` above 65,535 bytes of data,
    ///   ``CommandAPDUError/expectedLengthOutOfRange(_:)`` outside 1…65,536.
    public init(
        cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil
    ) throws(CommandAPDUError) {
        guard data.count <= 65_535 else { throw .dataTooLong(data.count) }
        if let expectedLength, !(1...65_536).contains(expectedLength) {
            throw .expectedLengthOutOfRange(expectedLength)
        }
        let isShort = data.count <= 255 && (expectedLength ?? 0) <= 256
        self.init(
            header: (cla, ins, p1, p2), data: data, expectedLength: expectedLength, form: isShort ? .short : .extended)
    }

    /// A short command without data whose Le byte is given in its encoded form: 00 requests 256 bytes.
    package init(cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, le: UInt8) {
        self.init(header: (cla, ins, p1, p2), data: [], expectedLength: le == 0 ? 256 : Int(le), form: .short)
    }

    /// A short command whose data is known to be short: what exceeds 255 bytes is dropped. Without Le.
    package init(cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, shortData: [UInt8]) {
        self.init(header: (cla, ins, p1, p2), data: Array(shortData.prefix(255)), expectedLength: nil, form: .short)
    }

    init(header: (UInt8, UInt8, UInt8, UInt8), data: [UInt8], expectedLength: Int?, form: Form) {
        (cla, ins, p1, p2) = header
        self.data = data
        self.expectedLength = expectedLength
        self.form = form
    }
}

extension CommandAPDU: CustomStringConvertible {
    /// The encoded command in upper-case hexadecimal.
    public var description: String { Hexadecimal.string(bytes) }
}

extension CommandAPDU {
    /// The encoded command: header, Lc and data if there is data, Le if a response is expected (ISO/IEC 7816-4).
    ///
    /// Ne 256 is `00` in the short form and `0100` in the extended one; Ne 65,536 is `0000`.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [cla, ins, p1, p2]
        bytes.reserveCapacity(data.count + 9)
        switch form {
        case .short: appendShortBody(to: &bytes)
        case .extended: appendExtendedBody(to: &bytes)
        }
        return bytes
    }

    private func appendShortBody(to bytes: inout [UInt8]) {
        if !data.isEmpty {
            bytes.append(UInt8(truncatingIfNeeded: data.count))
            bytes += data
        }
        if let expectedLength { bytes.append(UInt8(truncatingIfNeeded: expectedLength)) }
    }

    private func appendExtendedBody(to bytes: inout [UInt8]) {
        if !data.isEmpty {
            bytes.append(0)
            bytes += bigEndian(data.count)
            bytes += data
        }
        guard let expectedLength else { return }
        // The 00 that announces the extended form precedes Lc, or of Le if there is no Lc.
        if data.isEmpty { bytes.append(0) }
        bytes += bigEndian(expectedLength)
    }

    private func bigEndian(_ length: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    }
}

extension CommandAPDU {
    /// Parses an encoded command in any of the seven forms 1, 2S, 3S, 4S, 2E, 3E and 4E (ISO/IEC 7816-4) and keeps
    /// the form, so that ``bytes`` returns exactly what was parsed.
    ///
    /// - Throws: ``CommandAPDUError`` when the lengths do not add up.
    public init(parsing bytes: some Sequence<UInt8>) throws(CommandAPDUError) {
        let bytes = Array(bytes)
        guard let header = CommandAPDU.header(of: bytes) else { throw .headerTruncated(bytes.count) }
        let body = bytes.dropFirst(4)
        let parts: Body
        switch (body.first, body.count) {
        case (nil, _): parts = Body()
        case (let le?, 1): parts = Body(expectedLength: le == 0 ? 256 : Int(le))
        case (0, _): parts = try .extended(body.dropFirst())
        case (let lc?, _): parts = try .short(length: Int(lc), body.dropFirst())
        }
        self.init(header: header, data: parts.data, expectedLength: parts.expectedLength, form: parts.form)
    }

    /// As ``init(parsing:)``, with `nil` for bytes that are not a command APDU.
    public init?(bytes: some Sequence<UInt8>) {
        do throws(CommandAPDUError) {
            try self.init(parsing: bytes)
        } catch {
            return nil
        }
    }

    private static func header(of bytes: [UInt8]) -> (UInt8, UInt8, UInt8, UInt8)? {
        guard bytes.count >= 4 else { return nil }
        return (bytes[0], bytes[1], bytes[2], bytes[3])
    }
}

/// What follows the header.
private struct Body {
    var data: [UInt8] = []
    var expectedLength: Int?
    var form = CommandAPDU.Form.short

    /// Forms 3S and 4S; `rest` is what follows Lc.
    static func short(length: Int, _ rest: ArraySlice<UInt8>) throws(CommandAPDUError) -> Body {
        let le = rest.dropFirst(length)
        guard rest.count >= length, le.count <= 1 else {
            throw .inconsistentLength(declared: length, following: rest.count)
        }
        return Body(data: Array(rest.prefix(length)), expectedLength: le.first.map { $0 == 0 ? 256 : Int($0) })
    }

    /// Forms 2E, 3E and 4E; `rest` is what follows the leading 00.
    static func extended(_ rest: ArraySlice<UInt8>) throws(CommandAPDUError) -> Body {
        guard let first = number(rest.prefix(2)) else { throw .lengthFieldTruncated }
        let tail = rest.dropFirst(2)
        if tail.isEmpty { return Body(expectedLength: first == 0 ? 65_536 : first, form: .extended) }
        guard first > 0 else { throw .emptyDataField }
        let le = tail.dropFirst(first)
        guard tail.count >= first, le.isEmpty || le.count == 2 else {
            throw .inconsistentLength(declared: first, following: tail.count)
        }
        return Body(
            data: Array(tail.prefix(first)), expectedLength: number(le).map { $0 == 0 ? 65_536 : $0 }, form: .extended)
    }

    /// Two bytes, most significant first; `nil` for any other number of bytes.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count == 2, let high = bytes.first, let low = bytes.last else { return nil }
        return Int(high) << 8 | Int(low)
    }
}

extension CommandAPDU {
    /// Whether the class byte is one of the interindustry classes, which have command chaining and logical channels
    /// (ISO/IEC 7816-4, class byte): bit 8 is 0.
    public var isInterindustry: Bool { cla & 0x80 == 0 }

    /// The same command in short form: data over 255 bytes in several commands of which all but the last have bit 5 of
    /// CLA set (ISO/IEC 7816-4, command chaining), Ne cut to 256 and in the last one only.
    public var shortLinks: [CommandAPDU] {
        let starts = Array(stride(from: 0, to: max(data.count, 1), by: 255))
        return starts.map { start in
            let isLast = start == starts.last
            return CommandAPDU(
                header: (isLast ? cla : cla | 0x10, ins, p1, p2), data: Array(data.dropFirst(start).prefix(255)),
                expectedLength: isLast ? expectedLength.map { min($0, 256) } : nil, form: .short)
        }
    }

    /// The same command with another Ne, for the answer 6CXX; `length` is 1…256 there.
    public func expecting(_ length: Int) -> CommandAPDU {
        let length = min(max(length, 1), 65_536)
        return CommandAPDU(
            header: (cla, ins, p1, p2), data: data, expectedLength: length, form: length > 256 ? .extended : form)
    }

    /// GET RESPONSE on the same logical channel, for the answer 61XX; `length` is 1…256 there.
    public func getResponse(_ length: Int) -> CommandAPDU {
        let header: (UInt8, UInt8, UInt8, UInt8) = (channelClass, 0xC0, 0x00, 0x00)
        return CommandAPDU(header: header, data: [], expectedLength: min(max(length, 1), 256), form: .short)
    }

    /// CLA without chaining and secure messaging; a proprietary class unchanged.
    private var channelClass: UInt8 {
        switch cla >> 5 {
        case 0: cla & 0x03
        case 2, 3: cla & 0x4F
        default: cla
        }
    }
}

/// Why bytes or values are not a command APDU (ISO/IEC 7816-4).
public enum CommandAPDUError: Error, Sendable, Hashable {
    /// Fewer than the four header bytes; the number of bytes there were.
    case headerTruncated(Int)
    /// The extended length field that a leading 00 announces is cut off.
    case lengthFieldTruncated
    /// An extended Lc of zero, which no form has.
    case emptyDataField
    /// Lc and the number of bytes after it fit no form.
    case inconsistentLength(declared: Int, following: Int)
    /// More command data than an extended Lc can count.
    case dataTooLong(Int)
    /// An expected response length outside 1…65,536.
    case expectedLengthOutOfRange(Int)
}

extension CommandAPDUError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .headerTruncated(let count): "a command APDU has at least 4 bytes, there are \(count)"
        case .lengthFieldTruncated: "the extended length field is cut off"
        case .emptyDataField: "an extended Lc of 0 is not allowed"
        case .inconsistentLength(let declared, let following):
            "Lc declares \(declared) bytes of data, \(following) bytes follow"
        case .dataTooLong(let count): "command data is limited to 65535 bytes, there are \(count)"
        case .expectedLengthOutOfRange(let length): "the expected response length is 1 to 65536, not \(length)"
        }
    }
}
